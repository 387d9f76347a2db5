"""Addresses that people link to today, which lead to the pages of a site of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from mkdocs.exceptions import Abort
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

from conftest import run_opsetdocs
from html_site import BuiltSite
from operator_sets import function, operator, opset
from opsetdocs.addresses import assign
from opsetdocs.build import build_site
from opsetdocs.history import build_catalog
from opsetdocs.model import OperatorSet
from opsetdocs.redirects import Redirect, redirects
from opsetdocs.site import Site, SiteOptions
from serving import serving

SETS = (
    opset(11, operator("Conv", 1), operator("Conv", 11), operator("BitShift", 11), domain="ai.onnx"),
    opset(4, operator("Scaler", 1), operator("LabelEncoder", 4), domain="ai.onnx.ml"),
    opset(1, operator("Adam", 1), domain="ai.onnx.preview.training"),
    opset(1, operator("MoE", 1), function("Foo", domain="com.acme", overload="x"), domain="com.acme"),
)


def made(*sets: OperatorSet) -> dict[str, Redirect]:
    catalog = build_catalog(sets)
    return {item.address: item for item in redirects(catalog, assign(catalog), SiteOptions())}


def leads(redirect: Redirect, fragment: str) -> str | None:
    """Return where a fragment of an old page leads."""
    found = [entry.address for entry in redirect.entries if fragment in entry.ids]
    assert len(found) <= 1
    return found[0] if found else None


# Which addresses lead where


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("operators/index.html", ""),
        ("operators/onnx__Conv.html", "ai.onnx/operators/Conv/"),
        ("operators/onnx_aionnxml_Scaler.html", "ai.onnx.ml/operators/Scaler/"),
        ("operators/onnx_aionnxpreviewtraining_Adam.html", "ai.onnx.preview.training/operators/Adam/"),
        ("operators/text_diff_Conv_1_11.html", "ai.onnx/operators/Conv/1-11/"),
        ("Operators.html", ""),
        ("Operators.md/index.html", ""),
        ("Operators-ml.html", "ai.onnx.ml/"),
        ("Changelog.md/index.html", ""),
        ("Changelog-ml.html", "ai.onnx.ml/"),
        ("ContribOperators.md/index.html", "com.acme/"),
    ],
)
def test_an_address_leads_to_the_page_that_says_the_same(address: str, target: str) -> None:
    assert made(*SETS)[address].target == target


@pytest.mark.parametrize(
    ("address", "fragment", "target"),
    [
        ("operators/onnx__Conv.html", "l-onnx-op-conv-11", "ai.onnx/operators/Conv/11/"),
        ("operators/onnx__Conv.html", "conv-1", "ai.onnx/operators/Conv/1/"),
        ("operators/onnx__Conv.html", "type-constraints", None),
        (
            "operators/onnx_aionnxml_Scaler.html",
            "l-onnx-opai-onnx-ml-scaler-1",
            "ai.onnx.ml/operators/Scaler/1/",
        ),
        ("operators/onnx_aionnxml_Scaler.html", "scaler-1-ai-onnx-ml", "ai.onnx.ml/operators/Scaler/1/"),
        ("Operators.html", "Conv", "ai.onnx/operators/Conv/"),
        ("Operators.html", "bitshift", "ai.onnx/operators/BitShift/"),
        (
            "Operators.html",
            "ai.onnx.preview.training.Adam",
            "ai.onnx.preview.training/operators/Adam/",
        ),
        ("Operators.html", "ai.onnx.ml.Scaler", None),
        ("Operators-ml.html", "ai.onnx.ml.Scaler", "ai.onnx.ml/operators/Scaler/"),
        ("Changelog.html", "Conv-11", "ai.onnx/operators/Conv/11/"),
        ("Changelog.html", "Conv", None),
        ("Changelog-ml.html", "ai.onnx.ml.LabelEncoder-4", "ai.onnx.ml/operators/LabelEncoder/4/"),
        ("ContribOperators.html", "com.acme.MoE", "com.acme/operators/MoE/"),
        ("ContribOperators.html", "commicrosoftmoe", None),
        ("ContribOperators.html", "comacmemoe", "com.acme/operators/MoE/"),
        ("ContribOperators.html", "Conv", None),
    ],
)
def test_a_place_on_a_page_leads_to_its_own_page(address: str, fragment: str, target: str | None) -> None:
    assert leads(made(*SETS)[address], fragment) == target


def test_only_onnx_has_addresses_of_onnx() -> None:
    assert made(SETS[3]).keys() == {
        f"{name}{ending}"
        for name in ("Operators", "ContribOperators", "Changelog")
        for ending in (".html", ".md/index.html")
    }


def test_an_id_that_two_operators_would_have_stays_with_the_first() -> None:
    page = made(opset(1, operator("MaxPool", 1), operator("maxpool", 1), domain="ai.onnx"))["Operators.html"]
    assert leads(page, "MaxPool") == "ai.onnx/operators/MaxPool/"
    assert leads(page, "maxpool") == "ai.onnx/operators/MaxPool/"
    assert [entry.title for entry in page.entries] == ["MaxPool", "maxpool"]


# As files of a site

SOURCES = {
    "ai.onnx": ("ai.onnx", 11, [("Conv", 1), ("Conv", 11)]),
    "ai.onnx.ml": ("ai.onnx.ml", 1, [("Scaler", 1)]),
    "com.acme": ("com.acme", 1, [("MoE", 1), ("<script>alert(1)</script>", 1)]),
}


def written(folder: Path) -> list[str]:
    files = []
    for name, (domain, version, entries) in SOURCES.items():
        operators = "".join(
            f'operator {{ op_type: "{op_type}" since_version: {since} status: STABLE doc_string: "Text." }}\n'
            for op_type, since in entries
        )
        file = folder / f"{name}.textproto"
        file.write_text(
            f'magic: "ONNXOPSET" ir_version: 10 domain: "{domain}" opset_version: {version}\n{operators}',
            "utf-8",
        )
        files.append(str(file))
    return files


@pytest.fixture
def sources(tmp_path: Path) -> list[str]:
    return written(tmp_path)


@pytest.fixture
def site_with(sources: list[str]) -> Callable[..., Site]:
    return lambda **options: build_site(SiteOptions(sources=tuple(sources), **options))


def links(html: str) -> Iterator[str]:
    yield from re.findall(r'(?:href="|src="|url=)([^"]*)"', html)


@pytest.mark.parametrize(
    ("path", "redirects", "directory_urls"),
    [
        ("", "", True),
        ("ops/", "", False),
        ("operators/", "", True),
        ("a/b/", "a/", True),
        ("", "docs/", False),
    ],
)
def test_every_link_leads_to_a_file(
    site_with: Callable[..., Site], path: str, redirects: str, directory_urls: bool
) -> None:
    site = site_with(path=path, redirects=redirects, directory_urls=directory_urls)
    files = {path + page.address + "index.html" for page in site.pages} | {
        path + name for name in site.assets
    }
    assert site.redirects
    assert not files & site.redirects.keys()
    for address, content in site.redirects.items():
        assert address.startswith(redirects)
        for link in links(content.decode()):
            target = urlsplit(urljoin(f"https://acme.example/{address}", link)).path.removeprefix("/")
            if directory_urls and (not target or target.endswith("/")):
                target += "index.html"
            assert target in files, (address, link)


def test_nothing_stands_in_the_way_of_a_page(site_with: Callable[..., Site]) -> None:
    assert "operators/index.html" in site_with(path="ops/", redirects="").redirects
    assert "operators/index.html" not in site_with(path="operators/", redirects="").redirects


def test_a_domain_may_be_called_as_an_old_page(tmp_path: Path) -> None:
    file = tmp_path / "x.textproto"
    file.write_text(
        'magic: "ONNXOPSET" ir_version: 10 domain: "Operators.html" opset_version: 1\n'
        'operator { op_type: "Foo" since_version: 1 status: STABLE }',
        "utf-8",
    )
    site = build_site(SiteOptions(sources=(str(file),), redirects=""))
    assert "Operators.html" not in site.redirects
    assert "Operators.md/index.html" in site.redirects


def test_by_default_there_are_none(site_with: Callable[..., Site]) -> None:
    site = site_with()
    assert site.redirects == {}
    assert not [name for name in site.assets if "redirect" in name]


def test_names_are_text(site_with: Callable[..., Site]) -> None:
    page = site_with(redirects="").redirects["ContribOperators.html"].decode()
    assert "alert(1)" in page
    assert "<script>" not in page


def test_a_page_with_one_meaning_needs_no_script(site_with: Callable[..., Site]) -> None:
    page = site_with(redirects="").redirects["operators/text_diff_Conv_1_11.html"].decode()
    assert '<meta http-equiv="refresh" content="0; url=../ai.onnx/operators/Conv/1-11/">' in page
    assert '<link rel="canonical" href="../ai.onnx/operators/Conv/1-11/">' in page
    assert '<meta name="robots" content="noindex">' in page
    assert '<a href="../ai.onnx/operators/Conv/1-11/">Conv: version 1 to 11</a>' in page
    assert "<script" not in page


# In MkDocs


def test_they_stand_in_no_list_of_pages(mkdocs_site: Callable[..., BuiltSite], sources: list[str]) -> None:
    built = mkdocs_site(
        sources=sources,
        strict=False,
        plugin={"path": "ops", "redirects": "docs"},
        pages={"index.md": "# Start\n\n[Conv](ops/ai.onnx/operators/Conv/index.md)\n"},
        theme="opsetdocs",
        site_url="https://acme.example/",
    )
    root = built.folder
    assert (root / "docs/operators/onnx__Conv.html").is_file()
    assert (root / "docs/Operators.md/index.html").is_file()
    for name in ("sitemap.xml", "index.html", "ops/index.html"):
        text = (root / name).read_text("utf-8")
        assert not re.search(r"onnx__|text_diff|Operators\.(md|html)|Changelog", text), name
    for script in (root / "ops/assets").glob("*.js"):
        assert "onnx__Conv" not in script.read_text("utf-8")


def test_a_page_of_the_project_wins(
    mkdocs_site: Callable[..., BuiltSite], sources: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    built = mkdocs_site(
        sources=sources,
        strict=False,
        plugin={"redirects": True},
        pages={"index.md": "# Start\n", "Operators.html": "mine", "Changelog.md": "# By hand\n"},
    )
    assert (built.folder / "Operators.html").read_text("utf-8") == "mine"
    assert "By hand" in (built.folder / "Changelog/index.html").read_text("utf-8")
    assert "moved" in (built.folder / "Changelog.html").read_text("utf-8")
    assert "where opsetdocs has one as well: Operators.html" in caplog.text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("../x", "found '../x', expected a folder below docs_dir"),
        (3, "found 3, expected true, false, or a folder below docs_dir"),
        (["docs"], "found ['docs'], expected true, false, or a folder below docs_dir"),
    ],
)
def test_a_value_that_is_no_folder_is_refused(
    mkdocs_site: Callable[..., BuiltSite],
    sources: list[str],
    caplog: pytest.LogCaptureFixture,
    value: object,
    said: str,
) -> None:
    with pytest.raises(Abort):
        mkdocs_site(sources=sources, strict=False, plugin={"redirects": value})
    assert said in caplog.text


def test_a_tree_has_none(sources: list[str], tmp_path: Path) -> None:
    plugin = {"sources": sources, "redirects": True}
    config = {"site_name": "x", "plugins": [{"opsetdocs": plugin}]}
    (tmp_path / "mkdocs.yml").write_text(json.dumps(config), "utf-8")
    written = run_opsetdocs("tree", "docs", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    assert (tmp_path / "docs/ai.onnx/operators/Conv/index.md").is_file()
    assert not [path for path in (tmp_path / "docs").rglob("*") if "redirects" in path.name]
    assert not (tmp_path / "docs/operators").exists()


@pytest.mark.parametrize("value", [False, None])
def test_off_is_off(mkdocs_site: Callable[..., BuiltSite], sources: list[str], value: object) -> None:
    built = mkdocs_site(sources=sources, strict=False, plugin={"redirects": value})
    assert not (built.folder / "operators").exists()


def test_the_template_can_be_changed(
    mkdocs_site: Callable[..., BuiltSite], sources: list[str], tmp_path: Path
) -> None:
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "redirect.html.jinja").write_text(
        '{% extends "default/redirect.html.jinja" %}'
        '{% block text %}<p>Look <a href="{{ url(redirect.target) }}">here</a>.</p>{% endblock %}',
        "utf-8",
    )
    built = mkdocs_site(
        sources=sources, strict=False, plugin={"redirects": True, "templates": [str(templates)]}
    )
    page = (built.folder / "operators/onnx__Conv.html").read_text("utf-8")
    assert '<p>Look <a href="../ai.onnx/operators/Conv/">here</a>.</p>' in page
    assert 'id="conv-11"' in page


def test_the_plugin_redirects_leads_to_our_pages(
    mkdocs_site: Callable[..., BuiltSite], sources: list[str]
) -> None:
    pytest.importorskip("mkdocs_redirects")
    maps = {
        "old/conv.md": "ai.onnx/operators/Conv/index.md",
        "old/conv-11.md": "ai.onnx/operators/Conv/11/index.md#ai.onnx.Conv-11",
    }
    built = mkdocs_site(
        sources=sources,
        strict=False,
        plugins=[
            "search",
            {"opsetdocs": {"sources": sources}},
            {"redirects": {"redirect_maps": maps}},
        ],
    )
    page = (built.folder / "old/conv/index.html").read_text("utf-8")
    assert 'url=../../ai.onnx/operators/Conv/"' in page
    page = (built.folder / "old/conv-11/index.html").read_text("utf-8")
    assert "../../ai.onnx/operators/Conv/11/#ai.onnx.Conv-11" in page


# In a browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text("# Start\n", "utf-8")
    plugin = {"sources": written(folder), "path": "ops", "redirects": True}
    config = {"site_name": "x", "theme": "opsetdocs", "plugins": [{"opsetdocs": plugin}]}
    (folder / "mkdocs.yml").write_text(json.dumps(config), "utf-8")
    built = run_opsetdocs("build", cwd=folder)
    assert built.returncode == 0, built.stderr
    with serving(folder / "site") as address:
        yield address


CONV = "ops/ai.onnx/operators/Conv/"


@pytest.mark.browser
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("operators/onnx__Conv.html", CONV),
        ("operators/onnx__Conv.html#l-onnx-op-conv-11", f"{CONV}11/"),
        ("operators/onnx__Conv.html#inputs", CONV),
        ("operators/onnx__Conv.html#%E0%A4%A", CONV),
        ("operators/onnx_aionnxml_Scaler.html#scaler-1-ai-onnx-ml", "ops/ai.onnx.ml/operators/Scaler/1/"),
        ("operators/text_diff_Conv_1_11.html", f"{CONV}1-11/"),
        ("operators/", "ops/"),
        ("Operators.md#Conv", CONV),
        ("Operators.html#conv", CONV),
        ("Operators.html", "ops/"),
        ("Operators.html#nothing", "ops/"),
        ("Operators-ml.md#ai.onnx.ml.Scaler", "ops/ai.onnx.ml/operators/Scaler/"),
        ("Changelog.md#Conv-11", f"{CONV}11/"),
        ("ContribOperators.md#com.acme.MoE", "ops/com.acme/operators/MoE/"),
        ("ContribOperators.md#comacmemoe", "ops/com.acme/operators/MoE/"),
        (
            "ContribOperators.md#com.acme.%3Cscript%3Ealert(1)%3C/script%3E",
            "ops/com.acme/operators/scriptalert1script~",
        ),
    ],
)
def test_an_old_link_leads_to_the_new_page(browser: Browser, served: str, old: str, new: str) -> None:
    page = browser.new_page()
    complaints: list[str] = []

    def complain(message: ConsoleMessage) -> None:
        # The browser asks for it by itself, while a page without an icon is open for long enough.
        if not message.location["url"].endswith("/favicon.ico"):
            complaints.append(message.text)

    page.on("console", complain)
    page.goto(served + old)
    page.wait_for_url(re.compile(re.escape(served + new) + ("[0-9a-f]{8}/$" if new.endswith("~") else "$")))
    assert page.locator("h1").count() == 1
    assert complaints == []
    page.close()


@pytest.mark.browser
def test_back_leads_to_where_the_link_stands(browser: Browser, served: str) -> None:
    page = browser.new_page()
    page.goto(served)
    page.goto(f"{served}Operators.md#Conv")
    page.wait_for_url(served + CONV)
    page.go_back()
    assert page.url == served
    page.close()


@pytest.fixture
def without_script(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.mark.browser
def test_without_a_script_a_page_of_one_operator_leads_on(without_script: Page, served: str) -> None:
    without_script.goto(f"{served}operators/onnx__Conv.html#l-onnx-op-conv-11")
    without_script.wait_for_url(re.compile(re.escape(served + CONV) + "(#.*)?$"))


@pytest.mark.browser
def test_without_a_script_the_list_shows_the_place(without_script: Page, served: str) -> None:
    without_script.goto(f"{served}Operators.md#Conv")
    assert without_script.locator(":target + a").count() == 0  # `#conv` stands between the two
    without_script.locator("li:has(:target) a").click()
    without_script.wait_for_url(served + CONV)


@pytest.mark.browser
def test_nothing_but_the_script_is_asked_for(browser: Browser, served: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(_path(request, served)))
    page.goto(f"{served}operators/onnx__Conv.html")
    page.wait_for_url(served + CONV)
    before = asked[: asked.index(CONV)]
    assert before == ["operators/onnx__Conv.html", "ops/assets/opsetdocs-redirects.js"]
    page.close()


def _path(request: Request, served: str) -> str:
    return request.url.removeprefix(served)


def test_the_option_stands_in_the_plugins_entry_for_build_too(tmp_path: Path, sources: list[str]) -> None:
    from opsetdocs.site_options import find_site_options

    config = {
        "site_name": "x",
        "plugins": [{"opsetdocs": {"sources": sources, "path": "/ops/", "redirects": "old"}}],
    }
    file = tmp_path / "mkdocs.yml"
    file.write_text(json.dumps(config), "utf-8")
    options = find_site_options(file, directory_urls=True)
    assert (options.path, options.redirects) == ("ops/", "old/")
