"""Rules as people read them: their pages, their twins, and the command `rules`."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable
from html import escape, unescape

import pytest
from click.testing import CliRunner
from sphinx.util.inventory import InventoryFile

from conftest import case_files
from html_site import BuiltSite, is_subsequence
from opsetdocs.addresses import Addresses
from opsetdocs.build import build_site
from opsetdocs.cli import main
from opsetdocs.errors import ConfigError, OpsetdocsError
from opsetdocs.findings import Level
from opsetdocs.inventory import INVENTORY
from opsetdocs.render import PageRenderer, environment
from opsetdocs.rule_book import (
    MEANINGS,
    ExampleFile,
    ExplainedRule,
    RuleExample,
    explained,
    find_rule,
    rule_book,
)
from opsetdocs.rule_pages import rule_pages
from opsetdocs.rule_report import explained_lines, rule_lines
from opsetdocs.rules import RULES, Rule
from opsetdocs.site import RenderedPage, Site, SiteOptions
from opsetdocs.terminal import cells

SiteOf = Callable[..., Site]
IDS = list(RULES)


def page_of(site: Site, address: str) -> RenderedPage:
    (found,) = [page for page in site.pages if page.address == address]
    return found


def visible_words(html: str) -> list[str]:
    """The words of finished HTML, in order."""
    return unescape(re.sub(r"<[^>]*>", " ", html)).split()


def markdown_words(text: str) -> list[str]:
    """The words of a rule's Markdown, which has code, emphasis and lists in it."""
    return re.findall(r"\w+", text)


def missing_words(text: str, shown: str) -> str | None:
    return is_subsequence(markdown_words(text), re.findall(r"\w+", shown))


@pytest.fixture(scope="module")
def site() -> Site:
    return build_site(SiteOptions(sources=case_files("L3"), rules=True))


# The book


@pytest.mark.parametrize("rule", RULES.values(), ids=IDS)
def test_every_rule_has_what_its_page_needs(rule: Rule) -> None:
    item = explained(rule)
    assert all((rule.sentence, rule.source, rule.purpose, rule.mend))
    assert item.bad.files
    assert item.good.files
    assert not item.good.findings
    assert all(
        line.startswith("  ") or line.endswith(f" [{rule.id}]") for line in item.bad.findings.split("\n")
    )
    assert item.brief
    assert not re.match(r"\S+\.(textproto|onnxopset|json):", item.brief)


def test_the_book_has_all_rules_in_their_order() -> None:
    assert [item.rule.id for item in rule_book()] == IDS


def test_examples_that_are_missing_are_an_incomplete_installation() -> None:
    with pytest.raises(OpsetdocsError, match="incomplete: the examples of OPSET_ABSENT cannot be read"):
        explained(made_up().rule)


@pytest.mark.parametrize("spelled", ["OPSET_MAGIC", "opset_magic", " Opset_Magic\n"])
def test_a_rule_is_found_in_any_case(spelled: str) -> None:
    assert find_rule(spelled) is RULES["OPSET_MAGIC"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("OPSET_MAGC", "there is no rule OPSET_MAGC; is OPSET_MAGIC meant?"),
        ("operator-unique", "is OPERATOR_UNIQUE meant?"),
        ("stable_doc", "is OPERATOR_STABLE_DOC_KEPT meant?"),
        ("magic", "is OPSET_MAGIC meant?"),
        ("body", "is FUNCTION_BODY meant?"),
        ("unique", "is OPSET_UNIQUE or OPERATOR_UNIQUE meant?"),
        ("magik", "is OPSET_MAGIC meant?"),
        ("since version", "is OPERATOR_SINCE_VERSION_PRESENT, OPERATOR_SINCE_VERSION_WITHIN_SET or "),
        ("nope", "there is no rule nope; `opsetdocs rules` lists them all"),
        ("E501", "there is no rule E501; `opsetdocs rules` lists them all"),
        ("", "there is no rule ; "),
    ],
)
def test_an_unknown_rule_is_an_error_that_helps(asked: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        find_rule(asked)


# Pages


def test_pages_are_made_only_where_they_are_asked_for(site_of: SiteOf, site: Site) -> None:
    plain = site_of("L3")
    added = {page.address for page in site.pages} - {page.address for page in plain.pages}
    assert added == {"rules/", *(f"rules/{rule}/" for rule in RULES)}
    assert site.assets.keys() - plain.assets.keys() == {
        "check.schema.json",
        *(f"{address}index.md" for address in added),
    }
    assert plain.summary.pages == len(plain.pages)
    assert site.summary.pages == len(plain.pages) + len(added)
    assert not [target for target in plain.targets if target.address.startswith("rules/")]


def test_what_stands_above_what(site: Site) -> None:
    assert page_of(site, "rules/").parent == ""
    assert {page.parent for page in site.pages if re.match("rules/.", page.address)} == {"rules/"}
    assert [page.address for page in site.pages if page.in_nav] == ["", "com.example/", "rules/"]


@pytest.mark.parametrize("rule", RULES.values(), ids=IDS)
def test_a_rule_has_its_page(site: Site, rule: Rule) -> None:
    page = page_of(site, f"rules/{rule.id}/")
    item = explained(rule)
    shown = " ".join(visible_words(page.html))
    assert rule.word in shown
    for text in (rule.sentence, rule.source, rule.purpose, rule.mend, MEANINGS[rule.level]):
        assert missing_words(text, shown) is None
    code = [
        unescape(text) for text in re.findall(r'<code class="nohighlight">(.*?)</code>', page.html, re.DOTALL)
    ]
    files = [*item.bad.files, *item.bad.published, *item.good.files, *item.good.published]
    assert Counter(code) == Counter([item.bad.findings, *(file.text for file in files)])
    assert page.searched


@pytest.mark.parametrize("rule", RULES.values(), ids=IDS)
def test_a_rule_stands_in_the_table(site: Site, rule: Rule) -> None:
    table = page_of(site, "rules/").html
    (row,) = re.findall(rf'<tr>\s*<th scope="row"><a href="{rule.id}/">.*?</tr>', table, re.DOTALL)
    assert rule.word in visible_words(row)
    assert missing_words(f"{rule.summary} {rule.sentence}", " ".join(visible_words(row))) is None
    assert f"<code>{escape(explained(rule).brief)}" in row.replace("&#34;", "&quot;").replace(
        "&#39;", "&#x27;"
    )


def test_the_levels_are_counted(site: Site) -> None:
    page = page_of(site, "rules/")
    counted = Counter(rule.word for rule in RULES.values())
    for word, count in counted.items():
        assert re.search(rf">{word}</span></th>\s*<td[^>]*>{count}</td>", page.html)
    assert page.description.startswith(
        f"{len(RULES)} rules: {counted['MUST']} MUST, {counted['SHOULD']} SHOULD, {counted['NOTE']} NOTE. "
    )


def test_titles_and_descriptions_stand_alone(site: Site) -> None:
    pages = [page for page in site.pages if page.address.startswith("rules/")]
    assert len({page.title for page in pages}) == len({page.description for page in pages}) == len(pages)
    for page in pages:
        assert "ONNX operator sets" in page.title
        assert 40 <= len(page.description) <= 300, page.address


def test_every_heading_has_an_id_of_its_own(site: Site) -> None:
    for page in site.pages:
        if page.address.startswith("rules/"):
            ids = re.findall(r' id="([^"]*)"', page.html)
            assert len(set(ids)) == len(ids)
            assert len(page.headings) == len(re.findall(r"<h[1-6]", page.html))
            assert page.headings[0].level == 1
            assert all(heading.id.startswith("rules") for heading in page.headings)


def test_a_rule_that_is_named_in_a_text_is_a_link(site: Site) -> None:
    linked = 0
    for rule in RULES.values():
        html = page_of(site, f"rules/{rule.id}/").html
        for name in set(re.findall(r"`([A-Z_]+)`", rule.purpose + rule.mend)) & RULES.keys() - {rule.id}:
            assert f'<a href="../{name}/"><code>{name}</code></a>' in html
            linked += 1
        assert f'href="../{rule.id}/"' not in html
    book = (made_up(purpose="See `OPSET_MAGIC` and `OPSET_ABSENT`."),)
    assert '<a href="../OPSET_MAGIC/"><code>OPSET_MAGIC</code></a> and <code>OPSET_ABSENT</code>' in (
        rendered(book)[1].html
    )


@pytest.mark.parametrize("domain", ["rules", "Rules", "rules.ops"])
def test_a_domain_of_that_name_is_refused(domain: str) -> None:
    source = io.BytesIO(
        json.dumps(
            {"magic": "ONNXOPSET", "irVersion": 10, "domain": domain, "opsetVersion": 1, "operator": []}
        ).encode()
    )
    options = SiteOptions(sources=("-",), rules=True)
    with pytest.raises(ConfigError, match=f"the option rules makes pages below rules/.* domain {domain} "):
        build_site(options, stdin=source)


@pytest.mark.parametrize("theme", ["mkdocs", "material"])
@pytest.mark.parametrize("directory_urls", [True, False])
def test_links_and_search_in_mkdocs(
    mkdocs_site: Callable[..., BuiltSite], directory_urls: bool, theme: str
) -> None:
    built = mkdocs_site(
        "L3",
        plugin={"rules": True, "path": "ops"},
        pages={"index.md": "# Home\n\n[Magic](ops/rules/OPSET_MAGIC/index.md#rules.OPSET_MAGIC.mend)"},
        use_directory_urls=directory_urls,
        theme=theme,
        validation={"anchors": "warn"},
    )
    assert built.broken_links() == []
    page = built.page("ops/rules/OPSET_MAGIC/")
    assert page.faults == []
    assert f"{RULES['OPSET_MAGIC'].id}: a rule for ONNX operator sets" in page.title
    index = json.loads((built.folder / "search/search_index.json").read_text(encoding="utf-8"))
    found = " ".join(
        entry["text"] for entry in index["docs"] if "ops/rules/OPSET_MAGIC/" in entry["location"]
    )
    assert missing_words(RULES["OPSET_MAGIC"].mend, found) is None
    assert "[OPSET_MAGIC]" in found
    if theme == "mkdocs":  # Material leaves code out by itself, once it reads the index.
        assert "opset_version:" not in found


# For programs


def test_each_page_has_its_twin(site: Site) -> None:
    twins = {
        address: content.decode()
        for address, content in site.assets.items()
        if re.match(r"rules/(.+/)?index\.md\Z", address)
    }
    assert len(twins) == len(RULES) + 1
    for rule in RULES.values():
        item, twin = explained(rule), twins[f"rules/{rule.id}/index.md"]
        for text in (rule.sentence, rule.source, rule.purpose, rule.mend, item.bad.findings):
            assert f"\n{text}\n" in twin or f"({text})" in twin
        for file in (*item.bad.files, *item.bad.published, *item.good.files, *item.good.published):
            assert f"\n{file.text}\n```" in twin
        assert f"| [{rule.id}]({rule.id}/index.md) | {rule.word} | " in twins["rules/index.md"]
    for twin in twins.values():
        assert "\n\n\n" not in re.sub(r"```.*?\n```", "code", twin, flags=re.DOTALL)


def test_llms_txt_names_each_rule(site: Site, site_of: SiteOf) -> None:
    text = site.assets["llms.txt"].decode()
    for rule in RULES.values():
        assert f"- [{rule.id}](rules/{rule.id}/index.md) ({rule.word}): {rule.summary}\n" in text
    assert re.findall(r"^## (.*)", text, re.MULTILINE)[-2:] == ["Rules", "Optional"]
    assert "## Rules" not in site_of("L3").assets["llms.txt"].decode()


@pytest.mark.parametrize("directory_urls", [True, False])
def test_each_rule_is_a_label(site_of: SiteOf, directory_urls: bool) -> None:
    made = site_of("L3", rules=True, directory_urls=directory_urls)
    inventory = InventoryFile.load(io.BytesIO(made.assets[INVENTORY]), "", lambda _, location: location)
    ending = "" if directory_urls else "index.html"
    for rule in RULES:
        name = f"rules.{rule}"
        assert inventory["std:label"][name].uri == f"rules/{rule}/{ending}#{name}"
        assert f'<h1 id="{name}">' in page_of(made, f"rules/{rule}/").html
    assert inventory["std:label"]["rules"].uri == f"rules/{ending}#rules"


# Texts that nobody has to trust: a rule may come from another package


HOSTILE = "<script>alert(1)</script> `</code>` | ``` \x1b[2J {{ x }} {% if %} &amp;"


def made_up(**changes: str) -> ExplainedRule:
    stated = {"sentence": "It is so.", "source": "a page", "purpose": "Why.", "mend": "To mend it, do so."}
    rule = Rule("OPSET_ABSENT", Level.WARNING, check=lambda _: (), **(stated | changes))
    text = changes.get("sentence", "magic: 1")
    file = ExampleFile("ops.textproto", text)
    findings = f"ops.textproto:1:2: operator[0] Foo: {text} [OPSET_ABSENT]\n  more"
    return ExplainedRule(
        rule,
        bad=RuleExample((file,), (ExampleFile("published/ops.textproto", text),), findings),
        good=RuleExample((file,), (), ""),
    )


def rendered(book: tuple[ExplainedRule, ...]) -> list[RenderedPage]:
    renderer = PageRenderer(environment(()), Addresses({}, {}), directory_urls=True)
    return [renderer.render(planned.make()) for planned in rule_pages(book, directory_urls=True)]


def test_texts_are_escaped_on_pages() -> None:
    book = (made_up(sentence=HOSTILE, source=HOSTILE, purpose=HOSTILE, mend=HOSTILE),)
    for page in rendered(book):
        assert "<script" not in page.html
        assert "\x1b" not in page.html
        assert "{{ x }} {% if %} &amp;amp;" in page.html


def test_what_was_published_before_is_shown() -> None:
    page = rendered((made_up(),))[1]
    words = " ".join(visible_words(page.html))
    assert "Published before: published/ops.textproto" in words
    assert "opsetdocs check ops.textproto --against published/ finds:" in words


@pytest.mark.parametrize(
    ("line", "brief"),
    [
        ("ops.textproto: magic is absent [OPSET_ABSENT]", "magic is absent"),
        (
            "ops.textproto:1:2: operator[0] Foo: it is: so [OPSET_ABSENT]\n  more",
            "operator[0] Foo: it is: so",
        ),
        ("published/ops.textproto:1:2: it is gone [OPSET_ABSENT]", "it is gone"),
        ("it is [OPSET_OTHER]", "it is [OPSET_OTHER]"),
        ("", ""),
    ],
)
def test_the_example_in_a_line(line: str, brief: str) -> None:
    file = ExampleFile("ops.textproto", "")
    example = RuleExample((file,), (), line)
    assert ExplainedRule(made_up().rule, example, example).brief == brief


# The command


def run(*arguments: str, code: int = 0, width: int = 80) -> str:
    result = CliRunner(env={"COLUMNS": str(width)}).invoke(main, ["rules", *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("width", [40, 57, 80, 120, 400])
def test_the_list_fits_the_terminal(width: int) -> None:
    lines = [line.text for line in rule_lines(tuple(RULES.values()), width)]
    # Nothing but the id with its level, which is one word each, may be longer.
    assert all(cells(line) <= width for line in lines if not line.startswith(tuple(RULES)) or len(line) > 45)
    text = "\n".join(lines)
    for rule in RULES.values():
        assert re.search(rf"^{rule.id}\s+{rule.word}\s", text + "\n", re.MULTILINE)
        assert missing_words(f"{rule.id} {rule.word} {rule.summary}", text) is None
    assert run(width=width).split("\n")[:-1] == lines


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("rule", RULES.values(), ids=IDS)
def test_an_explained_rule_fits_the_terminal(rule: Rule, width: int) -> None:
    item = explained(rule)
    lines = [line.text for line in explained_lines(item, width)]
    assert lines[0] == rule.id
    assert lines[2].startswith(f"  {rule.word}: ")
    files = [*item.bad.files, *item.bad.published, *item.good.files, *item.good.published]
    verbatim = {f"    {line}" for file in files for line in file.text.expandtabs(4).split("\n")}
    assert verbatim - {"    "} <= set(lines)
    assert not [
        line
        for line in lines
        if cells(line) > width
        and line not in verbatim
        and len(line.split()) > 1
        and "opsetdocs check" not in line
    ]
    text = " ".join(lines)
    for part in (rule.sentence, rule.source, rule.purpose, rule.mend, item.bad.findings):
        assert missing_words(part, text) is None


def test_paragraphs_are_broken_anew_and_lists_are_kept() -> None:
    purpose = "One two three\nfour five.\n\n- a\n- b\n\nSix\nseven."
    shown = [line.text for line in explained_lines(made_up(purpose=purpose), 80)]
    start = shown.index("What it means")
    assert shown[start + 2 : start + 7] == ["  One two three four five.", "", "  - a", "  - b", ""]
    fenced = "One\ntwo\n\n```\na\n\nb\n```"
    shown = [line.text for line in explained_lines(made_up(purpose=fenced), 80)]
    start = shown.index("What it means")
    assert shown[start + 2 : start + 9] == ["  One", "  two", "", "  ```", "  a", "", "  b"]


def test_nothing_steers_the_terminal() -> None:
    book = made_up(sentence=HOSTILE, source=HOSTILE, purpose=HOSTILE, mend=HOSTILE)
    text = "\n".join(line.text for line in explained_lines(book, 40))
    assert "\x1b" not in text
    assert "\\x1b[2J" in text


def test_one_rule_in_any_case() -> None:
    assert run("opset_magic") == run("OPSET_MAGIC")
    assert run("opset_magic").startswith(
        "OPSET_MAGIC\n\n  MUST: The format demands it; a finding is an error.\n\n"
    )


@pytest.mark.parametrize("asked", ["OPSET_MAGC", "\x1b[2J", "", "*"])
def test_an_unknown_rule_exits_with_2(asked: str) -> None:
    output = run(asked, code=2)
    assert output.startswith("Error: there is no rule ")
    assert "\x1b" not in output


def test_json_of_all() -> None:
    data = json.loads(run("--format", "json"))
    assert [item["id"] for item in data["rules"]] == IDS
    for item, rule in zip(data["rules"], RULES.values(), strict=True):
        assert item == {
            "id": rule.id,
            "level": rule.word,
            "summary": rule.summary,
            "sentence": rule.sentence,
            "source": rule.source,
            "purpose": rule.purpose,
            "mend": rule.mend,
        }


def test_json_of_one() -> None:
    data = json.loads(run("opset_magic", "--format", "json"))
    item = explained(RULES["OPSET_MAGIC"])
    assert data["id"] == "OPSET_MAGIC"
    bad = data["examples"]["bad"]
    assert bad["files"] == {file.name: file.text for file in item.bad.files}
    assert bad["published"] == {}
    assert bad["findings"] == item.bad.findings.split("\n")
    assert data["examples"]["good"]["findings"] == []
