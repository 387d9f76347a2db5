"""The default site, all of ONNX, as it lies on disk."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import onnx
import onnx.defs
import pytest

from conftest import run_opsetdocs
from html_site import BuiltSite, Node, is_subsequence
from opsetdocs.export import registry_sets
from opsetdocs.pages import MAX_EXAMPLES
from opsetdocs.search_index import FOLDER

COUNTED_FOR = "1.23.2"


def schemas() -> list[onnx.defs.OpSchema]:
    return list(onnx.defs.get_all_schemas_with_history())


def address(schema: onnx.defs.OpSchema) -> str:
    return f"{schema.domain or 'ai.onnx'}/operators/{schema.name}/"


def test_every_operator_version_and_opset_has_its_page(onnx_site: BuiltSite) -> None:
    expected = {"index.html", "404.html"}
    latest: Counter[str] = Counter()
    versions: dict[str, list[int]] = defaultdict(list)
    for schema in schemas():
        versions[address(schema)].append(schema.since_version)
        expected |= {f"{address(schema)}index.html", f"{address(schema)}{schema.since_version}/index.html"}
        domain = schema.domain or "ai.onnx"
        latest[domain] = max(latest[domain], schema.since_version)
    latest["ai.onnx"] = onnx.defs.onnx_opset_version()
    for domain, opset in latest.items():
        expected |= {f"{domain}/index.html", f"{domain}/opsets/index.html"}
        pairs = combinations(range(1, opset + 1), 2)
        expected |= {f"{domain}/opsets/{old}-{new}/index.html" for old, new in pairs}
        expected |= {f"{domain}/opsets/{number}/index.html" for number in range(1, opset + 1)}
    for operator, known in versions.items():
        expected |= {f"{operator}{old}-{new}/index.html" for old, new in combinations(sorted(known), 2)}
    assert set(onnx_site.pages) == expected


@pytest.mark.skipif(onnx.__version__ != COUNTED_FOR, reason=f"counted for onnx {COUNTED_FOR}")
def test_the_summary_counts_all_of_onnx(tmp_path: Path) -> None:
    result = run_opsetdocs("build", cwd=tmp_path)
    assert "227 operators, 659 versions, 35 opsets in 4 domains" in result.stdout


def test_no_link_or_anchor_is_broken(onnx_site: BuiltSite) -> None:
    assert onnx_site.broken_links() == []


def test_nothing_is_loaded_from_another_host(onnx_site: BuiltSite) -> None:
    pages = [page for address, page in onnx_site.pages.items() if address != "404.html"]
    assert {link for page in pages for link in onnx_site.foreign_links(page)} == set()


def test_every_page_is_sound_html_with_unique_ids(onnx_site: BuiltSite) -> None:
    for name, page in onnx_site.pages.items():
        assert page.faults == [], name
        repeated = [id_ for id_, count in Counter(page.ids).items() if count > 1]
        assert repeated == [], name
        if name != "404.html":
            assert len(page.main.find_all("h1")) == 1, name


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"2147483647", id="the registry's number for no upper bound"),
        pytest.param(r"&amp;(lt|gt|amp|quot|#\d+);", id="escaped twice"),
        pytest.param(
            r"AttrType\.|FormalParameterOption|NodeDeterminism\.|SupportType\.|DifferentiationCategory|"
            r"AttributeProto\.|TensorProto\.DataType|EventKind|SectionKind",
            id="an enum as the code spells it",
        ),
        pytest.param(r"(\bNone\b|<opsetdocs|object at 0x)", id="a Python value"),
        pytest.param(r"[\x00-\x08\x0b-\x1f\x7f]", id="a control character"),
        pytest.param(r"\{\{|\{%", id="template syntax"),
    ],
)
def test_the_text_of_no_page_shows(onnx_site: BuiltSite, pattern: str) -> None:
    forbidden = re.compile(pattern)
    for name, page in onnx_site.pages.items():
        prose = re.sub(r"<(pre|code|del|ins).*?</\1>", "", page.source, flags=re.DOTALL)
        prose = re.sub(r'<table class="opsetdocs-diff.*?</table>', "", prose, flags=re.DOTALL)
        found = forbidden.search(prose)
        assert not found, f"{name}: {prose[max(0, found.start() - 80) : found.end() + 80]}"


def words(text: str) -> list[str]:
    """Return the words of a Markdown text that a reader has to see, in order."""
    text = re.sub(
        r"\$\$.*?\$\$|(?<!\$)\$[^$\n]+\$", " ", text, flags=re.DOTALL
    )  # formulas: see test_markdown.py
    text = re.sub(r"\]\([^)\s]*\)", "]", text)  # targets of links
    text = re.sub(r"</?(br|i|b|em|strong|sub|sup) ?/?>", " ", text, flags=re.IGNORECASE)
    text = re.sub(r"^ *(```|~~~).*$", " ", text, flags=re.MULTILINE)  # fences and their language
    text = re.sub(r"^ *\d+[.)] ", " ", text, flags=re.MULTILINE)  # numbers of lists
    return re.findall(r"[^\W_]+", text.replace("`", "").replace("\\", " "))


def test_every_word_of_every_text_is_on_its_page_in_order(onnx_site: BuiltSite) -> None:
    checked = 0
    for schema in schemas():
        page = onnx_site.page(f"{address(schema)}{schema.since_version}/").main.text
        visible = re.findall(r"[^\W_]+", page)
        texts = [schema.doc or ""]
        texts += [f"{name} {item.description}" for name, item in sorted(schema.attributes.items())]
        texts += [f"{item.name} {item.description}" for item in [*schema.inputs, *schema.outputs]]
        texts += [f"{item.type_param_str} {item.description}" for item in schema.type_constraints]
        for text in texts:
            lost = is_subsequence(words(text), visible)
            assert lost is None, f"{address(schema)}{schema.since_version}: {lost}"
        checked += 1
    assert checked == len(schemas())


def test_every_word_of_every_exported_text_is_on_its_page_in_order(onnx_site: BuiltSite) -> None:
    texts = {
        (item.domain or "ai.onnx", entry.op_type, entry.since_version): entry.doc_string
        for item in registry_sets()
        for entry in item.operator
    }
    current: dict[tuple[str, str], int] = {}
    for domain, op_type, since_version in texts:
        current[domain, op_type] = max(since_version, current.get((domain, op_type), 0))
    for (domain, op_type, since_version), text in texts.items():
        operator = f"{domain}/operators/{op_type}/"
        version = f"{operator}{since_version}/"
        # The page of the current version leads to the examples, which stand on the operator's own page,
        # unless they are large.
        is_current = since_version == current[domain, op_type]
        signature, _, examples = text.partition("\n## Examples\n")
        are_there = is_current and len(examples) <= MAX_EXAMPLES
        for where, part in ((version, signature), (operator if are_there else version, examples)):
            visible = re.findall(r"[^\W_]+", onnx_site.page(where).main.text)
            lost = is_subsequence(words(part), visible)
            assert lost is None, f"{domain} {op_type}-{since_version}: {lost}"


def test_exported_files_give_the_same_site(onnx_site: BuiltSite, tmp_path: Path) -> None:
    assert run_opsetdocs("export", "opsets", cwd=tmp_path).returncode == 0
    result = run_opsetdocs("build", "opsets", "-d", "site", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert_same_files(onnx_site.folder, tmp_path / "site")


def test_two_builds_give_the_same_bytes(onnx_site: BuiltSite, tmp_path: Path) -> None:
    result = run_opsetdocs("build", cwd=tmp_path, PYTHONHASHSEED="7", LC_ALL="C", TZ="Asia/Tokyo")
    assert result.returncode == 0, result.stderr
    assert_same_files(onnx_site.folder, tmp_path / "site")


def assert_same_files(one: Path, other: Path) -> None:
    def contents(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }

    first, second = contents(one), contents(other)
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_deprecated_versions_say_so(onnx_site: BuiltSite) -> None:
    for schema in schemas():
        page = onnx_site.page(f"{address(schema)}{schema.since_version}/")
        marked = any("opsetdocs-deprecated" in node.attributes.get("class", "") for node in page.main.walk())
        assert marked == schema.deprecated, page.address


def test_an_entry_has_its_permanent_id(onnx_site: BuiltSite) -> None:
    page = onnx_site.page("ai.onnx/operators/Conv/22/")
    wanted = {
        f"ai.onnx.Conv-22{suffix}"
        for suffix in ("", ".attribute.strides", ".input.X", ".output.Y", ".type.T")
    }
    assert wanted <= set(page.ids)
    current = onnx_site.page("ai.onnx/operators/Conv/")
    assert {name.replace("-22", "") for name in wanted} <= set(current.ids)


def test_search_of_mkdocs_knows_operators_but_not_old_versions_or_code_of_examples(
    mkdocs_site: Callable[..., BuiltSite],
) -> None:
    site = mkdocs_site(sources=["onnx"])
    index = json.loads((site.folder / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    locations = {entry["location"].partition("#")[0] for entry in index}
    assert "ai.onnx/operators/Conv/" in locations
    assert not [location for location in locations if re.search(r"/operators/[^/]+/\d+/", location)]
    assert not [entry["location"] for entry in index if "onnx.helper.make_node" in entry["text"]]


def test_the_index_of_the_search_is_small(onnx_site: BuiltSite) -> None:
    files = {file.name: file.read_bytes() for file in (onnx_site.folder / FOLDER).iterdir()}
    assert len(files["names.js"]) < 20_000
    assert sum(map(len, files.values())) < 250_000
    assert not [name for name, content in files.items() if b"make_node" in content]


def offered(domain: str, opset: int) -> dict[str, int]:
    """Return the version of each operator that the registry offers in an opset."""
    found: dict[str, int] = {}
    for schema in schemas():
        if schema.domain == domain and schema.since_version <= opset:
            found[schema.name] = max(found.get(schema.name, 0), schema.since_version)
    return found


@pytest.mark.parametrize(("old", "new"), [(13, 21), (1, onnx.defs.onnx_opset_version()), (27, 28)])
def test_an_upgrade_lists_exactly_the_operators_whose_version_differs(
    onnx_site: BuiltSite, old: int, new: int
) -> None:
    page = onnx_site.page(f"ai.onnx/opsets/{old}-{new}/")
    steps = [
        item
        for group in page.main.by_class("opsetdocs-steps")
        for item in group.children
        if isinstance(item, Node) and item.tag == "li"
    ]
    listed = [item.find_all("a")[0].text for item in steps]
    before, after = offered("", old), offered("", new)
    assert sorted(listed) == sorted(name for name in after if before.get(name) != after[name])


def test_the_page_of_every_pair_says_what_changed(onnx_site: BuiltSite) -> None:
    differences = [
        page for name, page in onnx_site.pages.items() if re.search(r"/operators/\w+/\d+-\d+/", name)
    ]
    for page in differences:
        assert page.main.by_class("opsetdocs-change-list"), page.address
        assert len(page.source) < 100_000, page.address


def test_upsample_was_deprecated_in_10(onnx_site: BuiltSite) -> None:
    page = onnx_site.page("ai.onnx/operators/Upsample/9-10/")
    (listed,) = page.main.by_class("opsetdocs-change-list")
    assert "deprecated" in listed.text


def test_bodies_lead_to_the_versions_that_they_import(onnx_site: BuiltSite) -> None:
    page = onnx_site.page("ai.onnx/operators/LayerNormalization/")
    body = page.main.by_class("opsetdocs-body")[0]
    links = {node.text: node.attributes["href"] for node in body.find_all("a")}
    assert links["ReduceMean"] == "../ReduceMean/13/"
    assert page.main.by_class("opsetdocs-graph") or page.main.find_all("figure")
    users = onnx_site.page("ai.onnx/operators/ReduceMean/").main.by_id("ai.onnx.ReduceMean.used-by")
    assert users.text.strip() == "Used by functions"


def test_every_picture_has_a_text_alternative(onnx_site: BuiltSite) -> None:
    for name in ("LayerNormalization", "Attention", "SoftmaxCrossEntropyLoss", "AffineGrid"):
        figures = onnx_site.page(f"ai.onnx/operators/{name}/").main.by_class("opsetdocs-picture")
        assert len(figures) >= 2, name
        for svg in (svg for figure in figures for svg in figure.find_all("svg")):
            hidden = svg.attributes.get("aria-hidden") == "true"
            assert hidden or svg.find_all("title") or svg.attributes.get("aria-labelledby"), name
