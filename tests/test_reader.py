"""What a reader finds on pages of operators: titles, versions, what a table can be filtered by, weight."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from html_site import BuiltSite, Node, Page
from opsetdocs.build import build_site
from opsetdocs.catalog import Kind, OperatorHistory, OpsetRange, Part, Revision, Version
from opsetdocs.docstring import parse
from opsetdocs.model import Status
from opsetdocs.operator_list import offered_versions
from opsetdocs.pages import MAX_DESCRIPTION, MAX_EXAMPLES
from opsetdocs.site import RenderedPage, Site, SiteOptions

KILOBYTE = 1000


def page_of(site: Site, address: str) -> RenderedPage:
    return next(page for page in site.pages if page.address == address)


def write_set(file: Path, *operators: dict[str, object], opset: int = 1) -> None:
    head = {"magic": "ONNXOPSET", "irVersion": 10, "domain": "com.x", "opsetVersion": opset}
    file.write_text(json.dumps({**head, "operator": operators}), encoding="utf-8")


def site_from(folder: Path, *operators: dict[str, object]) -> Site:
    file = folder / "ops.json"
    write_set(file, *operators)
    return build_site(SiteOptions(sources=(str(file),)))


def operator(name: str, text: str = "") -> dict[str, object]:
    return {"opType": name, "sinceVersion": 1, "status": "STABLE", "docString": text}


def description(page: Page) -> str:
    return next(
        node.attributes["content"]
        for node in page.root.find_all("meta")
        if node.attributes.get("name") == "description"
    )


def test_titles_and_descriptions_of_all_of_onnx_stand_alone(onnx_site: BuiltSite) -> None:
    pages = [page for address, page in onnx_site.pages.items() if address != "404.html"]
    assert len({page.title for page in pages}) == len(pages)
    assert len({description(page) for page in pages}) == len(pages)


@pytest.mark.parametrize(
    ("case", "address", "title", "text"),
    [
        (
            "H5",
            "com.example/operators/Inverse/",
            "Inverse - com.example operator",
            "Inverse, operator of com.example: Matrix inverse.",
        ),
        (
            "H5",
            "com.example/operators/Inverse/1/",
            "Inverse-1, com.example (opset 1)",
            "Inverse-1 of com.example, experimental, opset 1: Matrix inverse.",
        ),
        (
            "H5",
            "com.example/operators/Inverse/1-2/",
            "Inverse: version 1 to 2, com.example",
            "What changed in Inverse of com.example from version 1 to 2.",
        ),
    ],
)
def test_title_and_description(
    site_of: Callable[..., Site], case: str, address: str, title: str, text: str
) -> None:
    page = page_of(site_of(case), address)
    assert (page.title, page.description) == (title, text)


def test_a_long_description_is_cut_between_words(tmp_path: Path) -> None:
    site = site_from(tmp_path, operator("Op", "word " * 100))
    text = page_of(site, "com.x/operators/Op/").description
    assert MAX_DESCRIPTION - 10 < len(text) <= MAX_DESCRIPTION
    assert text.endswith("word…")


def content(site: Site, address: str, folder: Path) -> Node:
    path = folder / "page.html"
    path.write_text(page_of(site, address).html, encoding="utf-8")
    return Page(path, address).root


@pytest.mark.parametrize(
    ("case", "address", "versions"),
    [
        (
            "H5",
            "com.example/operators/Inverse/",
            [("2/", "2 stable, current", True), ("1/", "1 experimental", False)],
        ),
        (
            "H5",
            "com.example/operators/Inverse/1/",
            [("../2/", "2 stable, current", False), ("./", "1 experimental", True)],
        ),
        ("H4", "com.example/operators/Resize/", [("10/", "10 current", True), ("9/", "9", False)]),
    ],
)
def test_the_versions_newest_first(
    site_of: Callable[..., Site],
    tmp_path: Path,
    case: str,
    address: str,
    versions: list[tuple[str, str, bool]],
) -> None:
    (nav,) = content(site_of(case), address, tmp_path).by_class("opsetdocs-versions")
    found = [
        (link.attributes["href"], " ".join(item.words), link.attributes.get("aria-current") == "true")
        for item in nav.find_all("li")
        for link in item.find_all("a")
    ]
    assert found == versions


def test_an_only_version_has_no_switcher(site_of: Callable[..., Site], tmp_path: Path) -> None:
    root = content(site_of("F4"), "com.example/operators/Window/", tmp_path)
    assert root.by_class("opsetdocs-versions") == []


def test_an_old_version_says_so_before_its_text(site_of: Callable[..., Site], tmp_path: Path) -> None:
    site = site_of("H5")
    root = content(site, "com.example/operators/Inverse/1/", tmp_path)
    (note,) = root.by_class("opsetdocs-old")
    assert note.find_all("a")[0].attributes["href"] == "../"
    assert root.text.index("An old version") < root.text.index("May change.")
    assert content(site, "com.example/operators/Inverse/2/", tmp_path).by_class("opsetdocs-old") == []


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("STABLE", "The text of opset 2 is shown here, the others on the page of Op-1."),
        ("EXPERIMENTAL", "Earlier opsets had other texts of this version: see Op-1."),
    ],
)
def test_the_other_texts_of_a_version_are_a_link_away(tmp_path: Path, status: str, words: str) -> None:
    first = operator("Op", "One text.") | {"status": status}
    second = operator("Op", "Another text.") | {"status": status}
    write_set(tmp_path / "1.json", first)
    write_set(tmp_path / "2.json", second, opset=2)
    site = build_site(SiteOptions(sources=(str(tmp_path),)))
    root = content(site, "com.x/operators/Op/", tmp_path)
    (note,) = [node for node in root.by_class("opsetdocs-note") if words in " ".join(node.words)]
    assert [link.attributes["href"] for link in note.find_all("a")] == ["1/"]
    assert "One text." not in page_of(site, "com.x/operators/Op/").html
    assert "One text." in page_of(site, "com.x/operators/Op/1/").html


@pytest.mark.parametrize(("size", "at_the_version"), [(MAX_EXAMPLES // 2, False), (MAX_EXAMPLES + 1, True)])
def test_large_examples_stand_on_the_page_of_the_version(
    tmp_path: Path, size: int, at_the_version: bool
) -> None:
    example = "x" * size
    site = site_from(tmp_path, operator("Op", f"Text.\n\n## Examples\n\n### One\n\n```\n{example}\n```\n"))
    short, full = "com.x/operators/Op/", "com.x/operators/Op/1/"
    link = "1/#com.x.Op-1.examples"
    if not at_the_version:
        short, full, link = full, short, "../#com.x.Op.examples"
    assert example in page_of(site, full).html
    assert example not in page_of(site, short).html
    assert f'<a href="{link}">the examples of Op</a>' in page_of(site, short).html


def test_rows_say_what_they_are_filtered_by(onnx_site: BuiltSite) -> None:
    root = onnx_site.page("ai.onnx/").root
    (table,) = root.by_class("opsetdocs-operators")
    rows = {row.find_all("a")[0].text: row for row in table.find_all("tr")[1:]}
    assert rows["Conv"].attributes["data-versions"] == "1 11 22"
    assert rows["GroupNormalization"].attributes["data-versions"] == "18/stable+deprecated 21"
    assert rows["LeakyRelu"].attributes["data-versions"] == "1/operator 6/operator 16"
    assert rows["AffineGrid"].find_all("small")[0].words == ["function"]
    assert not rows["Conv"].find_all("small")
    (form,) = [node for node in root.find_all("form") if "data-opsetdocs-operators" in node.attributes]
    assert "hidden" in form.attributes
    (statuses,) = [node for node in form.find_all("select") if node.attributes["name"] == "status"]
    assert [option.attributes["value"] for option in statuses.find_all("option")] == [
        "",
        "stable",
        "deprecated",
    ]


def version_of(
    number: int, *offered: tuple[int, int], status: int = 1, deprecated: bool = False, function: bool = False
) -> Version:
    doc = parse("**Deprecated** since long ago." if deprecated else "")
    part = Part(Kind.FUNCTION if function else Kind.OPERATOR, Status(status), doc, None)
    revision = Revision((number,), (part,))
    return Version(number, False, (revision,), tuple(OpsetRange(*span) for span in offered))


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([version_of(1, (1, 5))], "1"),
        ([version_of(1, (1, 2)), version_of(3, (3, 5))], "1 3"),
        ([version_of(1, (1, 1)), version_of(3, (3, 5))], "1=1 3"),
        ([version_of(1, (1, 2), (5, 5)), version_of(3, (3, 4))], "1=1-2,5 3=3-4"),
        ([version_of(1), version_of(3, (3, 5))], "1= 3"),
        ([version_of(1, (1, 2), status=0), version_of(3, (3, 5))], "1/experimental 3"),
        ([version_of(1, (1, 2), deprecated=True), version_of(3, (3, 5))], "1/stable+deprecated 3"),
        ([version_of(1, (1, 2)), version_of(3, (3, 5), deprecated=True)], "1/stable 3"),
        ([version_of(1, (1, 2)), version_of(3, (3, 5), function=True)], "1/operator 3"),
        (
            [version_of(1, (2, 2), status=0), version_of(3, (3, 5), function=True)],
            "1=2/operator+experimental 3",
        ),
    ],
)
def test_which_version_an_opset_has(versions: list[Version], expected: str) -> None:
    history = OperatorHistory("com.x", "Op", "", tuple(versions), (), 0)
    assert offered_versions(history, 5) == expected


def test_a_small_domain_needs_no_filter(tmp_path: Path) -> None:
    few = site_from(tmp_path, *(operator(f"Op{number}") for number in range(9)))
    many = site_from(tmp_path, *(operator(f"Op{number}") for number in range(10)))
    assert "<form" not in page_of(few, "com.x/").html
    assert "<form" in page_of(many, "com.x/").html


def compressed(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9))


def test_the_weight_of_an_operator_page(onnx_site: BuiltSite) -> None:
    """Compressed: 15 kB with a full cache, 60 kB with an empty one, with all that it loads by itself."""
    pages = {
        address: compressed(page.path)
        for address, page in onnx_site.pages.items()
        if address.count("/") == 3 and "/operators/" in address
    }
    assert len(pages) > 200
    assert {address: size for address, size in pages.items() if size > 15 * KILOBYTE} == {}
    heaviest = onnx_site.pages[max(pages, key=lambda address: pages[address])]
    loaded = {
        (heaviest.path.parent / link).resolve()
        for node in heaviest.root.find_all("script", "link")
        if node.attributes.get("rel", "stylesheet") in ("stylesheet", "icon")
        for link in [node.attributes.get("src") or node.attributes.get("href")]
        if link
    }
    assert len(loaded) > 4
    assert pages[heaviest.address] + sum(map(compressed, loaded)) < 60 * KILOBYTE
