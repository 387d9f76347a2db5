"""Our own MkDocs theme: what it writes around a page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

import pytest
from mkdocs.theme import Theme
from mkdocs.utils import get_theme_dir

from conftest import case_files
from html_site import BuiltSite, Node, Page
from opsetdocs.addresses import assign
from opsetdocs.catalog import Catalog
from opsetdocs.history import build_catalog
from opsetdocs.mkdocs_theme import THEME_DIR
from opsetdocs.operator_list import operator_lists
from opsetdocs.resources import site_config_dir
from opsetdocs.search_index import FOLDER, NAMES
from opsetdocs.sources import load

MkdocsSite = Callable[..., BuiltSite]

PAGES = {
    "home.md": "# Welcome\n\nText.\n\n## One.two~three\n\nMore.\n\n## Four\n\nMore.\n\n### Five\n\nMore.\n",
    "guide/index.md": '---\ndescription: A so-called "guide"\n---\n# Guide\n\nText.\n',
    "guide/untitled.md": "Only text.\n",
}
NAV = [{"Home": "home.md"}, {"Guide": ["guide/index.md", {"More": ["guide/untitled.md"]}]}]


@pytest.fixture
def themed(mkdocs_site: MkdocsSite) -> MkdocsSite:
    """Return a function that builds a project in the theme."""

    def build(*names: str, theme: dict[str, object] | None = None, **options: object) -> BuiltSite:
        return mkdocs_site(*names, theme={"name": "opsetdocs", **(theme or {})}, **options)

    return build


def head(page: Page, tag: str, name: str, value: str) -> list[Node]:
    return [node for node in page.root.find_all(tag) if node.attributes.get(name) == value]


def test_mkdocs_finds_the_theme() -> None:
    (entry,) = entry_points(group="mkdocs.themes", name="opsetdocs")
    assert entry.value == "opsetdocs.mkdocs_theme:theme"
    assert Path(get_theme_dir("opsetdocs")) == site_config_dir() / "theme"


def test_every_option_has_a_default_and_is_used() -> None:
    folder = site_config_dir() / "theme"
    used = {
        name
        for file in folder.glob("*.html")
        for name in re.findall(r"config\.theme\.(\w+)", file.read_text(encoding="utf-8"))
    }
    of_mkdocs = {"name", "include_search_page", "search_index_only"}
    assert used == set(Theme("opsetdocs")) - of_mkdocs


@pytest.mark.parametrize("directory_urls", [True, False])
@pytest.mark.parametrize("path", ["", "reference/ops"])
def test_links_resolve(themed: MkdocsSite, path: str, directory_urls: bool) -> None:
    site = themed(
        "N8",
        "H1",
        pages=PAGES,
        nav=NAV,
        plugin={"path": path},
        use_directory_urls=directory_urls,
        site_url="https://docs.example/project/",
    )
    assert site.broken_links() == []
    for address, page in site.pages.items():
        assert page.faults == []
        if address != "404.html":  # Served for any address: its links start at the root of the host.
            assert site.foreign_links(page) == []


def test_nothing_is_inline(themed: MkdocsSite) -> None:
    site = themed("A2", "F1", "H6", "M3", pages=PAGES, nav=NAV, strict=False)
    for page in site.pages.values():
        for node in page.root.walk():
            assert node.tag != "style"
            assert node.tag != "script" or (node.attributes.get("src") and not node.children)
            assert not [name for name in node.attributes if name == "style" or name.startswith("on")]


def test_ids_are_unique_and_headings_in_order(themed: MkdocsSite) -> None:
    for page in themed("H2", "F1", "P2", pages=PAGES, nav=NAV, strict=False).pages.values():
        assert len(page.ids) == len(set(page.ids))
        levels = [int(node.tag[1]) for node in page.root.walk() if re.fullmatch("h[1-6]", node.tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_page_of_ours_says_what_else_there_is(themed: MkdocsSite) -> None:
    site = themed("N8", plugin={"path": "ops"}, pages=PAGES, nav=NAV, site_url="https://docs.example/")
    page = site.page("ops/ai.onnx/operators/Gelu/")
    (canonical,) = head(page, "link", "rel", "canonical")
    (twin,) = head(page, "link", "rel", "alternate")
    (described,) = head(page, "link", "rel", "describedby")
    (description,) = head(page, "meta", "name", "description")
    assert canonical.attributes["href"] == "https://docs.example/ops/ai.onnx/operators/Gelu/"
    assert twin.attributes | {"rel": ""} == {"rel": "", "type": "text/markdown", "href": "index.md"}
    assert described.attributes["href"] == "../../../llms.txt"
    assert "Gelu" in description.attributes["content"]
    assert page.title == "Gelu - ai.onnx operator - Test"


def test_a_hand_written_page_has_its_own_head(themed: MkdocsSite) -> None:
    site = themed("N8", pages=PAGES, nav=NAV)
    guide = site.page("guide/")
    (description,) = head(guide, "meta", "name", "description")
    assert description.attributes["content"] == 'A so-called "guide"'
    assert head(guide, "link", "rel", "alternate") == []
    assert guide.root.by_class("operators") == []


def test_a_page_without_a_title_gets_one(themed: MkdocsSite) -> None:
    page = themed("N8", pages=PAGES, nav=NAV).page("guide/untitled/")
    assert [node.text.strip() for node in page.root.find_all("h1")] == ["Untitled"]


def test_hand_written_pages_have_breadcrumbs_and_neighbours(themed: MkdocsSite) -> None:
    page = themed("N8", pages=PAGES, nav=NAV).page("guide/untitled/")
    assert [node.text.split() for node in page.root.by_class("trail")[0].find_all("li")] == [
        ["Guide"],
        ["More"],
    ]
    (before,) = head(page, "a", "rel", "prev")
    assert before.attributes["href"] == "../"


def test_the_contents_list_follows_the_headings(themed: MkdocsSite) -> None:
    site = themed("N8", pages=PAGES, nav=NAV, theme={"toc_depth": 2})
    (contents,) = site.page("home/").root.by_class("contents")
    assert [node.attributes["href"] for node in contents.find_all("a")] == ["#onetwothree", "#four"]


def test_the_operators_are_not_written_into_every_page(themed: MkdocsSite) -> None:
    site = themed("Q1")
    page = site.page("com.example/operators/LogSoftmax/")
    assert "ConvTranspose" not in page.source
    (nav,) = page.root.by_class("operators")
    assert nav.find_all("a")[0].attributes["href"] == "../../"
    (script,) = [node for node in page.root.find_all("script") if "operators.js" in node.attributes["src"]]
    assert (site.folder / "com.example/operators/LogSoftmax" / script.attributes["src"]).resolve().is_file()


def test_the_nav_marks_where_one_is(themed: MkdocsSite) -> None:
    site = themed("N8", pages=PAGES, nav=NAV)
    for address, marked, kind in (
        ("ai.onnx/operators/Gelu/", "ai.onnx", "true"),
        ("ai.onnx/", "ai.onnx", "page"),
        ("guide/untitled/", "Untitled", "page"),
    ):
        (nav,) = site.page(address).root.by_class("site-nav")
        current = [node for node in nav.find_all("a") if "aria-current" in node.attributes]
        assert [(node.text.strip(), node.attributes["aria-current"]) for node in current] == [(marked, kind)]


def test_the_nav_of_a_page_of_ours_stays_short(themed: MkdocsSite) -> None:
    site = themed("N8", pages=PAGES, nav=NAV)
    (nav,) = site.page("ai.onnx/operators/Gelu/").root.by_class("site-nav")
    texts = [node.text.strip() for node in nav.find_all("a")]
    assert texts == ["Home", "Guide", "Operators", "ai.onnx", "com.microsoft"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"lang": "en", "dir": "ltr", "data-color-mode": "auto"}),
        (
            {"locale": "pt_BR", "dir": "rtl", "color_mode": "dark"},
            {"lang": "pt-BR", "dir": "rtl", "data-color-mode": "dark"},
        ),
        ({"locale": "de"}, {"lang": "de", "dir": "ltr", "data-color-mode": "auto"}),
        ({"locale": "fa"}, {"lang": "fa", "dir": "rtl", "data-color-mode": "auto"}),
        ({"locale": "he", "dir": "ltr"}, {"lang": "he", "dir": "ltr", "data-color-mode": "auto"}),
        (
            {"words": {"Search": '<Suche> & "mehr"'}},
            {
                "lang": "en",
                "dir": "ltr",
                "data-color-mode": "auto",
                "data-words": '{"Search": "\\u003cSuche\\u003e \\u0026 \\"mehr\\""}',
            },
        ),
    ],
)
def test_options_reach_the_page(
    themed: MkdocsSite, options: dict[str, object], expected: dict[str, str]
) -> None:
    page = themed("N8", theme=options, strict=False).page("ai.onnx/")
    assert page.root.find_all("html")[0].attributes == expected


def phrases() -> set[str]:
    """Return the English phrases of the theme: what stands between quotes in each `word(...)`."""
    files = [*THEME_DIR.glob("*.html"), THEME_DIR / "assets/opsetdocs-theme.js"]
    calls = [call for file in files for call in file.read_text(encoding="utf-8").split("word(")[1:]]
    # A call ends where its parentheses are closed: in none of them are there others.
    return {phrase for call in calls for phrase in re.findall(r'"([^"]+)"', call.partition(")")[0])}


def test_every_phrase_is_documented() -> None:
    text = (site_config_dir() / "docs/project/theme.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^The phrases are .*", text, re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", listed)) == phrases()


def test_the_words_can_be_those_of_another_language(themed: MkdocsSite) -> None:
    words = {phrase: f"({phrase})" for phrase in phrases()}
    options = {"repo_url": "https://code.example/", "plugin": {"title": "Every one"}}
    site = themed("N8", pages=PAGES, nav=NAV, theme={"words": words}, **options)
    for file in ("ai.onnx/index.html", "guide/index.html", "404.html"):
        html = (site.folder / file).read_text(encoding="utf-8")
        left = {phrase for phrase in words if re.search(rf'[>"]{re.escape(phrase)}[<"]', html)}
        # The text of the page is that of a template.
        assert left == ({"Breadcrumb", "Operators"} if file.startswith("ai.onnx") else set())


def test_links_to_the_sources_of_pages(themed: MkdocsSite) -> None:
    repository = "https://code.example/acme"
    site = themed("N8", pages=PAGES, nav=NAV, repo_url=repository, edit_uri="edit/main/docs/")
    (footer,) = site.page("home/").root.find_all("footer")
    links = [node.attributes["href"] for node in footer.find_all("a")]
    assert f"{repository}/edit/main/docs/home.md" in links
    (footer,) = site.page("ai.onnx/").root.find_all("footer")
    links = [node.attributes["href"] for node in footer.find_all("a")]
    assert "index.md" in links
    assert not [link for link in links if "edit" in link]


def test_search_needs_no_plugin_of_its_own(themed: MkdocsSite, caplog: pytest.LogCaptureFixture) -> None:
    def search(site: BuiltSite) -> list[Node]:
        page = site.page("ai.onnx/")
        return [*page.root.find_all("dialog"), *page.root.by_class("search-button")]

    sources = {"sources": list(case_files("N8"))}
    site = themed(plugins=[{"opsetdocs": sources}])
    assert len(search(site)) == 2
    assert (site.folder / NAMES).is_file()
    assert len(search(themed("N8"))) == 2
    assert "does not need the plugin `search`" in caplog.text


def test_a_theme_made_from_ours_has_its_search(mkdocs_site: MkdocsSite, tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    folder.mkdir()
    (folder / "main.html").write_text('{% extends "base.html" %}', encoding="utf-8")
    plugin = {"opsetdocs": {"sources": list(case_files("N8"))}}
    site = mkdocs_site(theme={"name": "opsetdocs", "custom_dir": str(folder)}, plugins=[plugin])
    assert (site.folder / NAMES).is_file()


@pytest.mark.parametrize("name", ["mkdocs", "readthedocs", "material"])
def test_other_themes_have_the_search_of_mkdocs(mkdocs_site: MkdocsSite, name: str) -> None:
    site = mkdocs_site("N8", theme=name)
    assert not (site.folder / FOLDER).exists()
    assert (site.folder / "search/search_index.json").is_file()


def test_the_worker_of_search_is_not_loaded_by_every_page(themed: MkdocsSite) -> None:
    site = themed("N8")
    assert "search/main.js" not in site.page("ai.onnx/").source
    assert (site.folder / "search/worker.js").is_file()


def test_a_page_that_does_not_exist_leads_home(themed: MkdocsSite) -> None:
    page = themed("N8", site_url="https://docs.example/project/").pages["404.html"]
    assert page.title == "Page not found - Test"
    assert "/project/" in [node.attributes["href"] for node in page.main.find_all("a")]


def catalog_of(*names: str) -> Catalog:
    return build_catalog(load(case_files(*names), base=Path()).sets)


def read(script: bytes) -> tuple[str, dict[str, object]]:
    """Return the domain's address and its list."""
    match = re.fullmatch(r"\(window\.opsetdocsOperators\?\?=\{\}\)\[(.+?)\]=(.+);\n", script.decode("ascii"))
    assert match
    return json.loads(match[1]), json.loads(match[2])


@pytest.mark.parametrize(("directory_urls", "index"), [(True, ""), (False, "index.html")])
def test_the_list_of_operators(directory_urls: bool, index: str) -> None:
    catalog = catalog_of("H6", "S2")
    addresses = assign(catalog)
    lists = operator_lists(catalog, addresses, directory_urls=directory_urls)
    assert list(lists) == [f"{addresses.domain(domain.name)}operators.js" for domain in catalog.domains]
    for domain, script in zip(catalog.domains, lists.values(), strict=True):
        address, content = read(script)
        assert address == addresses.domain(domain.name)
        assert content["index"] == index
        assert content["operators"] == [
            [operator.name, addresses.segment(operator), mark]
            for operator, mark in zip(domain.operators, marks(content), strict=True)
        ]


def marks(content: dict[str, object]) -> list[str]:
    return [entry[2] for entry in content["operators"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('status: STABLE doc_string: "A."', ""),
        ('status: EXPERIMENTAL doc_string: "A."', "experimental"),
        ('doc_string: "A."', "not stated"),
        ('status: STABLE doc_string: "**Deprecated** use B."', "deprecated"),
    ],
)
def test_what_is_not_stable_is_marked(tmp_path: Path, text: str, expected: str) -> None:
    file = tmp_path / "1.textproto"
    file.write_text(
        'magic: "ONNXOPSET" ir_version: 10 domain: "com.acme" opset_version: 1\n'
        f'operator {{ op_type: "A" since_version: 1 {text} }}\n',
        encoding="utf-8",
    )
    catalog = build_catalog(load((str(file),), base=Path()).sets)
    (script,) = operator_lists(catalog, assign(catalog), directory_urls=True).values()
    assert marks(read(script)[1]) == [expected]
