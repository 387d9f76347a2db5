"""The Markdown twins of pages, and `llms.txt`."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from conftest import CASES, case_files
from html_site import BuiltSite
from opsetdocs.build import build_site
from opsetdocs.docstring import SectionKind, parse
from opsetdocs.errors import TemplateError
from opsetdocs.export import registry_sets
from opsetdocs.markdown_text import escape, moved, relinked
from opsetdocs.site import DomainOptions, Site, SiteOptions

MARKDOWN = MarkdownIt("commonmark").enable("table")
USABLE = sorted(
    {path.name.split("-")[0] for path in CASES.glob("*.textproto")} - {"L1", "L11", "L2", "L6", "L8"}
)


def twins(site: Site) -> dict[str, str]:
    return {
        address: content.decode() for address, content in site.assets.items() if address.endswith("index.md")
    }


def tokens(text: str) -> Iterator[Token]:
    def walk(found: Iterable[Token]) -> Iterator[Token]:
        for token in found:
            yield token
            yield from walk(token.children or ())

    return walk(MARKDOWN.parse(text))


def links(text: str) -> list[str]:
    return [str(token.attrGet("href")) for token in tokens(text) if token.type == "link_open"]


def headings(text: str) -> list[tuple[int, str]]:
    """Return the level and the visible words of each heading."""
    found = MARKDOWN.parse(text)
    return [
        (int(token.tag[1:]), "".join(child.content for child in found[at + 1].children or ()))
        for at, token in enumerate(found)
        if token.type == "heading_open"
    ]


def broken_links(files: dict[str, str], known: Iterable[str] = ()) -> list[str]:
    """Return every relative link between files that leads to none of them."""
    there = {*files, *known}
    return [
        f"{address}: {link}"
        for address, text in files.items()
        for link in links(text)
        if ":" not in link
        and posixpath.normpath(posixpath.join(posixpath.dirname(address), link)) not in there
    ]


# Each page has one, and their links hold


@pytest.mark.parametrize("case", USABLE)
def test_each_page_has_its_twin(site_of: Callable[..., Site], case: str) -> None:
    site = site_of(case)
    assert set(twins(site)) == {f"{page.address}index.md" for page in site.pages}
    for address, text in twins(site).items():
        assert text.startswith("# "), address
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


@pytest.mark.parametrize("case", ["F2", "F3", "H1", "H2", "H4", "H5", "N1", "N3", "N4", "S2", "V1", "V3"])
def test_no_link_between_twins_is_broken(site_of: Callable[..., Site], case: str) -> None:
    site = site_of(case)
    files = twins(site) | {"llms.txt": site.assets["llms.txt"].decode()}
    assert sum(len(links(text)) for text in files.values()) > 10
    assert broken_links(files, site.assets) == []


def test_no_link_between_the_twins_of_onnx_is_broken(onnx_site: BuiltSite) -> None:
    files = {
        path.relative_to(onnx_site.folder).as_posix(): path.read_text(encoding="utf-8")
        for path in [*onnx_site.folder.rglob("index.md"), onnx_site.folder / "llms.txt"]
    }
    assert len(files) == len(onnx_site.pages)  # 404.html has no twin, llms.txt no page
    # A difference shows texts as code, and upgrades are many: their links are those of the others.
    few = {address: text for address, text in files.items() if not re.search(r"/\d+-\d+/index\.md", address)}
    assert broken_links(few, [*files, "catalog.json", "catalog.schema.json"]) == []


def test_the_text_of_every_version_of_onnx_is_in_its_twin(onnx_site: BuiltSite) -> None:
    checked = 0
    for exported in registry_sets():
        for entry in exported.operator:
            name = f"{exported.domain or 'ai.onnx'}/operators/{entry.op_type}/{entry.since_version}/index.md"
            twin = parse((onnx_site.folder / name).read_text(encoding="utf-8"))
            written = parse(entry.doc_string)
            for kind in SectionKind:
                section, expected = twin.section(kind), written.section(kind)
                assert (section and section.entries) == (expected and expected.entries), name
            checked += 1
    assert checked > 4_000


# What they say


def site_from(folder: Path, content: dict[str, object], **options: object) -> Site:
    """Return the site of an operator set of the domain `com.x`."""
    file = folder / "set.json"
    written = {"magic": "ONNXOPSET", "irVersion": 10, "domain": "com.x", "opsetVersion": 1}
    file.write_text(json.dumps(written | content), encoding="utf-8")
    return build_site(SiteOptions(sources=(str(file),), **options))  # type: ignore[arg-type]


def only_operator(text: str, folder: Path, **options: object) -> Site:
    """Return the site of one operator with this doc_string."""
    operator = {"opType": "Op", "sinceVersion": 1, "status": 1, "docString": text}
    return site_from(folder, {"operator": [operator]}, **options)


OPERATOR = "com.x/operators/Op/index.md"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Text.\n\n## Part\n", [(2, "Part")], id="as it should be"),
        pytest.param("# Top\n\n## Below\n", [(2, "Top"), (3, "Below")], id="one down"),
        pytest.param("Top\n===\n\nBelow\n---\n", [(2, "Top"), (3, "Below")], id="underlined"),
        pytest.param("#### Deep\n\n##### Deeper\n", [(2, "Deep"), (3, "Deeper")], id="up"),
        pytest.param("# A\n\n###### F\n", [(2, "A"), (6, "F")], id="no deeper than six"),
        pytest.param("# A\n\n> ## Quoted\n", [(2, "A"), (3, "Quoted")], id="in a quote"),
        pytest.param("    # Indented\n\n    ## More\n", [(2, "Indented"), (3, "More")], id="dedented"),
        pytest.param("# A\n\n```\n# code\n```\n", [(2, "A")], id="code is none"),
    ],
)
def test_headings_of_a_text_stand_below_the_title(
    tmp_path: Path, text: str, expected: list[tuple[int, str]]
) -> None:
    twin = twins(only_operator(text, tmp_path))[OPERATOR]
    assert headings(twin) == [(1, "Op"), *expected, (2, "History")]


@pytest.mark.parametrize(
    "text",
    [
        "```\ncode",
        "~~~~ python\ncode\n~~~",
        "Text.\n\n```",
        "## Examples\n\n```python\ncode",
        "```\n```\n```\n",
        "- ```\n  code",
        "> ```\n> code",
    ],
)
def test_a_fence_that_is_left_open_hides_nothing(tmp_path: Path, text: str) -> None:
    assert headings(twins(only_operator(text, tmp_path))[OPERATOR])[-1] == (2, "History")


def test_control_characters_are_left_out(tmp_path: Path) -> None:
    twin = twins(only_operator("A\x1b[31m b\x00\x07\tc\r\nd", tmp_path))[OPERATOR]
    assert "A[31m b" in twin
    assert "\tc\nd\n" in twin
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", twin)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](guide.md)", "[a](https://example.org/guide.md)"),
        ("[a](<guide.md>) b", "[a](<https://example.org/guide.md>) b"),
        ('[a](guide.md "Guide")', '[a](https://example.org/guide.md "Guide")'),
        ("![a](guide.md)", "![a](https://example.org/guide.md)"),
        ("[a][g]\n\n[g]: guide.md", "[a][g]\n\n[g]: https://example.org/guide.md"),
        ("[a](Operators.md#Op)", "[a](index.md)"),
        ("[a](guide.mdx)", "[a](guide.mdx)"),
        ("[a](other.md) `](guide.md)`", "[a](other.md) `](guide.md)`"),
        ("[a](https://example.com/guide.md)", "[a](https://example.com/guide.md)"),
        ("[a](#part)", "[a](#part)"),
    ],
)
def test_relative_links_lead_where_those_of_the_page_do(tmp_path: Path, written: str, shown: str) -> None:
    site = only_operator(written, tmp_path, link_map={"guide.md": "https://example.org/guide.md"})
    assert shown in twins(site)[OPERATOR]


def test_a_function_has_its_signature_and_its_body(site_of: Callable[..., Site]) -> None:
    twin = twins(site_of("F1"))["com.example/operators/ScaledRelu/index.md"]
    assert "Relu, then *scaled* by `alpha`." in twin
    assert "- `alpha` (required)" in twin
    assert "## Function body\n\nIt uses ai.onnx opset 14.\n\n```onnx\n" in twin
    assert "r = Relu (x)" in twin


def test_a_description_list_becomes_bullets(tmp_path: Path) -> None:
    text = "Text.\n\n#### Inputs\n\n<dl>\n<dt><tt>X</tt> : T</dt>\n<dd>The input.</dd>\n</dl>\n"
    twin = twins(only_operator(text, tmp_path))[OPERATOR]
    assert "\n## Inputs\n\n- `X` : T\n\n  The input.\n" in twin


def test_a_body_leads_to_the_opsets_that_it_uses(tmp_path: Path) -> None:
    imports = [{"domain": "com.x", "version": 1}, {"domain": "", "version": 20}]
    function = {"name": "Op", "input": ["x"], "output": ["x"], "opsetImport": imports}
    twin = twins(site_from(tmp_path, {"functions": [function]}))[OPERATOR]
    assert "It uses [com.x opset 1](../../opsets/1/index.md), ai.onnx opset 20.\n" in twin


def test_each_text_of_a_version_that_is_in_conflict(site_of: Callable[..., Site]) -> None:
    shown = [
        text for text in twins(site_of("V1")).values() if "As operator" in text or "Text of opset" in text
    ]
    assert shown
    for text in shown:
        assert text.count("As operator:") + text.count("Text of opset") > 1


def test_history_lists(site_of: Callable[..., Site]) -> None:
    twin = twins(site_of("H4"))["com.example/operators/Resize/index.md"]
    assert "version [10](10/index.md), stable, opset 10: changed in opset 10" in twin
    assert "changes from version [9 to 10](9-10/index.md):" in twin


@pytest.mark.parametrize("case", ["S2", "N4", "T2", "P1"])
def test_names_read_as_they_are(site_of: Callable[..., Site], case: str) -> None:
    site = site_of(case)
    pages = {page.address: page for page in site.pages}
    for address, text in twins(site).items():
        assert not any(
            token.type in ("html_inline", "image") for token in tokens(text) if "alert" in token.content
        )
        if re.search(r"/operators/[^/]+/index\.md", address):
            title = pages[address.removesuffix("index.md")].title.rpartition(" - ")[0]
            assert headings(text)[0] == (1, " ".join(title.split()))


NAMES = [
    "a*b*c",
    "_x_",
    "snake_case_name",
    "`code`",
    "<b>",
    "&amp;",
    "[a](b)",
    "![a](b)",
    "a|b",
    "~~x~~",
    "# x #",
    "back\\slash",
    "$x$",
    "a\nb",
    "x\u2028y",
    "http://x",
]


@pytest.mark.parametrize("name", NAMES)
def test_escape(name: str) -> None:
    shown = " ".join(name.split())
    assert headings(f"# {escape(name)}") == [(1, shown)]
    cells = [
        token for token in MARKDOWN.parse(f"| {escape(name)} | b |\n|---|---|\n") if token.type == "inline"
    ]
    assert ["".join(child.content for child in cell.children or ()) for cell in cells] == [shown, "b"]


def test_escape_leaves_ordinary_names_alone() -> None:
    for name in ("Conv", "snake_case", "com.acme.ops", "aten::add", "1.5 (x)"):
        assert escape(name) == name


def test_moved_leaves_a_sound_text_alone() -> None:
    text = "Text\n\n## Examples\n\n```\n# code\n```\n\n- a\n\n  ```\n  b\n  ```"
    assert moved(text, 0) == text


def test_relinked_takes_whole_targets_only() -> None:
    assert relinked("[a](x.md) [b](x.md.txt) x.md", {"x.md": "y"}.get) == "[a](y) [b](x.md.txt) x.md"


# llms.txt


def test_llms_txt_has_the_form_of_the_proposal(site_of: Callable[..., Site]) -> None:
    site = site_of("N8", title="All <of> it")
    text = site.assets["llms.txt"].decode()
    first, second, *_ = MARKDOWN.parse(text)[0::3]
    assert headings(text)[0] == (1, "All <of> it")
    assert second.type == "blockquote_open", first
    assert [level for level, _ in headings(text)[1:]] == [2] * (len(headings(text)) - 1)
    assert [title for _, title in headings(text)[1:]] == ["ai.onnx", "com.microsoft", "Optional"]


@pytest.mark.parametrize("case", ["H1", "N4", "S2"])
def test_llms_txt_has_a_line_for_each_operator(site_of: Callable[..., Site], case: str) -> None:
    site = site_of(case)
    catalog = json.loads(site.assets["catalog.json"])
    lines = site.assets["llms.txt"].decode().split("\n")
    for domain in catalog["domains"]:
        for operator in domain["operators"]:
            link = f"]({operator['address']}index.md)"
            [line] = [line for line in lines if link in line]
            assert line == f"- [{escape(operator['name'])}{link}: {escape(operator['summary'])}"


# In MkDocs


@pytest.mark.parametrize("path", ["", "reference/ops"])
@pytest.mark.parametrize("directory_urls", [True, False])
@pytest.mark.parametrize("theme", ["mkdocs", "material"])
def test_twins_are_published_beside_the_pages(
    mkdocs_site: Callable[..., BuiltSite],
    site_of: Callable[..., Site],
    path: str,
    directory_urls: bool,
    theme: str,
) -> None:
    built = mkdocs_site(
        "F1", strict=False, plugin={"path": path}, use_directory_urls=directory_urls, theme=theme
    )
    expected = twins(site_of("F1", directory_urls=directory_urls))
    for address, text in expected.items():
        file = built.folder / path / address
        assert file.read_text(encoding="utf-8") == text
        assert file.with_suffix(".html").is_file()
    assert {file.relative_to(built.folder / path).as_posix() for file in built.folder.rglob("*.md")} == set(
        expected
    )
    assert not list(built.folder.rglob("*.twin"))


def test_pages_link_to_pages_and_not_to_twins(mkdocs_site: Callable[..., BuiltSite]) -> None:
    built = mkdocs_site(
        "F1", strict=False, pages={"hand.md": "[F](com.example/operators/ScaledRelu/index.md)"}
    )
    assert "../com.example/operators/ScaledRelu/" in built.page("hand/").links
    assert built.broken_links() == []


def test_the_search_index_and_the_sitemap_know_pages_only(mkdocs_site: Callable[..., BuiltSite]) -> None:
    built = mkdocs_site("F1", strict=False, site_url="https://example.org/")
    index = json.loads((built.folder / "search/search_index.json").read_text(encoding="utf-8"))
    assert not [entry["location"] for entry in index["docs"] if ".md" in entry["location"]]
    assert ".md" not in (built.folder / "sitemap.xml").read_text(encoding="utf-8")


def test_a_file_of_the_site_wins(mkdocs_site: Callable[..., BuiltSite]) -> None:
    built = mkdocs_site("F1", strict=False, pages={"llms.txt": "by hand", "catalog.json": "{}"})
    assert (built.folder / "llms.txt").read_text(encoding="utf-8") == "by hand"
    assert (built.folder / "catalog.json").read_text(encoding="utf-8") == "{}"


# Templates of a project


def test_a_template_of_a_project_extends_ours(tmp_path: Path) -> None:
    own = tmp_path / "own" / "markdown" / "operator.md.jinja"
    own.parent.mkdir(parents=True)
    own.write_text(
        '{% extends "default/markdown/operator.md.jinja" %}\n'
        "{% block notes %}<{{ operator.name | md }}> & co\n\n{% endblock %}",
        encoding="utf-8",
    )
    site = build_site(SiteOptions(sources=case_files("L3"), templates=(tmp_path / "own",)))
    twin = twins(site)["com.example/operators/Double/index.md"]
    assert "\n<Double> & co\n" in twin
    assert "## History" in twin


@pytest.mark.parametrize(
    ("text", "said"),
    [("{% if %}", "opset.md.jinja:1"), ("\n{{ absent }}", "opset.md.jinja:2"), ("{% include 'no' %}", "no")],
)
def test_a_template_that_fails_is_named(tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "own" / "markdown" / "opset.md.jinja"
    own.parent.mkdir(parents=True)
    own.write_text(text, encoding="utf-8")
    with pytest.raises(TemplateError, match=re.escape(said)):
        build_site(SiteOptions(sources=case_files("L3"), templates=(tmp_path / "own",)))


def test_the_description_of_a_project_takes_the_place_of_the_text(site_of: Callable[..., Site]) -> None:
    site = site_of("L3", domains={"com.example": DomainOptions("Examples", "*Ours*")})
    twin = twins(site)["com.example/index.md"]
    assert twin.startswith("# com.example: Examples\n\n*Ours*\n\n")
    assert "A small set" not in twin
