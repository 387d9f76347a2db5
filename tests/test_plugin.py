"""The plugin in MkDocs' own build, with a site made by hand: what is tested is the way through MkDocs."""

from __future__ import annotations

import io
import json
import logging
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, BinaryIO

import click
import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.plugins import BasePlugin

from opsetdocs import plugin
from opsetdocs.check_options import CheckOptions
from opsetdocs.errors import SourceError, TemplateError
from opsetdocs.findings import Finding, Level
from opsetdocs.loader import MAX_SIZE
from opsetdocs.plugin_options import OpsetDocsConfig
from opsetdocs.site import Heading, RenderedPage, Site, SiteOptions, Summary

THEMES = ["mkdocs", "readthedocs", "material"]
CSS = "assets/opsetdocs.css"
OPERATOR = "ai.onnx/operators/Conv/"

NAMES = [
    "</title><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    'A" onmouseover="x',
    "A' onmouseover='x",
    "&amp;",
    "&lt;b&gt;",
    "a & b < c",
    "<!-- ",
    "{{ config.site_name }}",
    "×∞",
]


def page(address: str, title: str, parent: str | None, text: str = "", **changes: Any) -> RenderedPage:
    """Return a page with one section; the title is text."""
    shown = title.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&#34;")
    return RenderedPage(
        address=address,
        title=title,
        description=f"About {title}.",
        html=f'<h1 id="top">{shown}</h1><p>{text}</p><h2 id="top.more">More {shown}</h2><p id="p">end</p>',
        headings=(Heading(1, "top", title), Heading(2, "top.more", f"More {title}")),
        parent=parent,
        **{"in_nav": False, "searched": True, **changes},
    )


def domain(name: str, title: str | None = None) -> tuple[RenderedPage, ...]:
    return (
        page(f"{name}/", title or name, "", in_nav=True),
        page(f"{name}/operators/Conv/", "Conv", f"{name}/", "flooding words"),
        page(f"{name}/operators/Conv/11/", "Conv-11", f"{name}/operators/Conv/", "oldest", searched=False),
    )


def site(*pages: RenderedPage, findings: tuple[Finding, ...] = (), title: str = "Operators") -> Site:
    pages = (page("", title, None, in_nav=True), *(pages or domain("ai.onnx")))
    return Site(
        pages=pages,
        assets={CSS: b".opsetdocs {}", "templates/.data.json": b"{}"},
        findings=findings,
        watched=(),
        summary=Summary(domains=1, operators=1, versions=1, opsets=1, pages=len(pages)),
    )


@dataclass
class Project:
    """A project in a folder of its own, built in this process."""

    folder: Path
    result: Site | Exception
    seen: list[SiteOptions] = field(default_factory=list)

    def build_site(self, options: SiteOptions, **_: object) -> Site:
        self.seen.append(options)
        if isinstance(self.result, Exception):
            raise self.result
        return self.result

    def build(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        docs: Mapping[str, str] | None = None,
        rebuild: bool = False,
        **settings: Any,
    ) -> Path:
        """Build as `mkdocs build` does, or again as `mkdocs serve` does; return the folder of the site."""
        (self.folder / "docs").mkdir(exist_ok=True)
        for name, text in (docs or {}).items():
            file = self.folder / "docs" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        settings = {"plugins": ["search", {"opsetdocs": dict(options or {})}], **settings}
        config_file = self.folder / "mkdocs.yml"
        config_file.write_text(json.dumps({"site_name": "Test", **settings}), encoding="utf-8")
        config = load_config(str(config_file))
        if not rebuild:
            config.plugins.on_startup(command="build", dirty=False)
        build(config)
        return self.folder / "site"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = Project(tmp_path, site())
    monkeypatch.setattr(plugin, "build_site", made.build_site)
    return made


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, logger="mkdocs")
    return caplog


def messages(log: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [record.getMessage() for record in log.records if record.levelno == level]


class Html(HTMLParser):
    """What a browser makes of a page, as far as the tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.title = ""
        self.links: dict[str, set[str]] = {}
        """Every link target with the texts under which it is offered."""
        self.stylesheets: list[str] = []
        self.handlers: list[str] = []
        self.scripts: list[str] = []
        self.images: list[str] = []
        self.meta: dict[str, str] = {}
        self._open: list[str] = []
        self._link = ("", "")
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.handlers += [name for name in values if name.startswith("on")]
        if tag == "link" and values.get("rel") == "stylesheet":
            self.stylesheets.append(values["href"])
        if tag == "img":
            self.images.append(values.get("src", ""))
        if tag == "meta":
            self.meta[values.get("name", "")] = values.get("content", "")
        if tag == "a":
            self._link = (values.get("href", ""), "")
        if tag in ("title", "a", "script"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open[-1:] == [tag]:
            self._open.pop()
            if tag == "a":
                self.links.setdefault(self._link[0], set()).add(words(self._link[1]))

    def handle_data(self, data: str) -> None:
        match self._open[-1:]:
            case ["title"]:
                self.title += data
            case ["a"]:
                self._link = (self._link[0], self._link[1] + data)
            case ["script"]:
                self.scripts.append(data)


def words(text: str) -> str:
    return " ".join(text.split())


def html(file: Path) -> Html:
    return Html(file.read_text(encoding="utf-8"))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("path", ["", "reference/ops", "/ops/", "./ops"])
@pytest.mark.parametrize("directory_urls", [True, False])
def test_every_page_has_its_address(project: Project, theme: str, path: str, directory_urls: bool) -> None:
    out = project.build({"path": path}, theme=theme, use_directory_urls=directory_urls, strict=True)
    for item in site().pages:
        file = out / path.strip("/") / item.address / "index.html"
        assert item.html in file.read_text(encoding="utf-8")
    assert (out / path.strip("/") / CSS).read_bytes() == b".opsetdocs {}"
    assert project.seen[0].directory_urls is directory_urls


@pytest.mark.parametrize("name", ["templates", ".lab", "README", "index"])
def test_what_mkdocs_would_leave_out_is_published(project: Project, name: str) -> None:
    project.result = site(*domain(name))
    out = project.build({}, exclude_docs="*/operators/*", strict=True)
    assert "Conv-11" in (out / name / "operators/Conv/11/index.html").read_text(encoding="utf-8")
    assert (out / "templates/.data.json").exists()


def test_the_stylesheet_comes_first_and_is_found_from_below_any_path(project: Project) -> None:
    out = project.build({"path": "ops"}, extra_css=["own.css"], docs={"own.css": ""})
    sheets = html(out / "ops" / OPERATOR / "index.html").stylesheets
    assert sheets[-2:] == ["../../../assets/opsetdocs.css", "../../../../own.css"]


@pytest.mark.parametrize(
    "written", [OPERATOR + "index.md", OPERATOR.rstrip("/") + ".md", OPERATOR + "README.md"]
)
def test_a_hand_written_page_wins(project: Project, log: pytest.LogCaptureFixture, written: str) -> None:
    out = project.build(docs={written: "# By hand"}, strict=True)
    assert "By hand" in (out / OPERATOR / "index.html").read_text(encoding="utf-8")
    assert (out / OPERATOR / "11/index.html").exists()
    assert any("has one as well" in text and written in text for text in messages(log, logging.INFO))


def test_a_hand_written_page_that_is_left_out_does_not_win(project: Project) -> None:
    out = project.build(docs={OPERATOR + "index.md": "# By hand"}, exclude_docs="ai.onnx")
    assert "flooding" in (out / OPERATOR / "index.html").read_text(encoding="utf-8")


def test_an_asset_of_the_site_wins(project: Project) -> None:
    assert (project.build(docs={CSS: "own"}) / CSS).read_text(encoding="utf-8") == "own"


@pytest.mark.parametrize("theme", THEMES)
def test_the_nav_holds_the_root_and_the_domains(project: Project, theme: str) -> None:
    project.result = site(*domain("ai.onnx"), *domain("com.acme"))
    out = project.build({"path": "ops", "title": "All & more"}, theme=theme, docs={"index.md": "# Home"})
    text = (out / "index.html").read_text(encoding="utf-8")
    links = Html(text).links
    assert {"ops/", "ops/ai.onnx/", "ops/com.acme/"} <= links.keys()
    assert not any("operators" in link for link in links)
    assert "All &amp; more" in text


def test_a_site_without_other_pages_has_them_at_the_top(project: Project) -> None:
    project.result = site(*domain("ai.onnx"), *domain("com.acme"))
    recorded = record(project)
    nav = recorded["nav"]
    assert [item.title for item in nav.items] == ["Operators", "ai.onnx", "com.acme"]
    assert nav.homepage is nav.items[0]
    assert nav.homepage.is_homepage


def record(project: Project, options: Mapping[str, Any] | None = None, **settings: Any) -> dict[str, Any]:
    """Build, and return what MkDocs handed to its last event: the nav and every page by address."""
    recorded: dict[str, Any] = {"pages": {}}

    class Recorder(BasePlugin):  # type: ignore[type-arg]
        def on_page_context(self, context: Any, /, *, page: Any, nav: Any, **_: Any) -> None:
            recorded["nav"] = nav
            recorded["pages"][page.url] = page

    original = MkDocsConfig.plugins.installed_plugins  # type: ignore[attr-defined]

    class Entry:
        name = "recorder"

        def load(self) -> type:
            return Recorder

    original["recorder"] = Entry()
    try:
        plugins = ["search", {"opsetdocs": dict(options or {})}, "recorder"]
        project.build(plugins=plugins, **settings)
    finally:
        del original["recorder"]
    return recorded


@pytest.mark.parametrize(
    ("docs", "nav", "expected"),
    [
        ({"index.md": "# Home"}, None, ["Home", ["Operators", ["Operators", "ai.onnx"]]]),
        (
            {"index.md": "# Home", "a.md": ""},
            [{"Start": "index.md"}, {"Sub": ["a.md"]}],
            ["Start", ["Sub", ["A"]], ["Operators", ["Operators", "ai.onnx"]]],
        ),
        # What the site's own nav places stays there, under the title that the nav gives it.
        (
            {"index.md": "# Home"},
            ["index.md", {"Reference": [{"All of it": "ops/index.md"}, "ops/ai.onnx/index.md"]}],
            ["Home", ["Reference", ["All of it", "ai.onnx"]]],
        ),
        (
            {"index.md": "# Home"},
            [{"Convolution": "ops/ai.onnx/operators/Conv/index.md"}, "index.md"],
            ["Convolution", "Home"],
        ),
        (
            {"index.md": "# Home", "ops/index.md": "# By hand"},
            [{"Start": "index.md"}, {"Mine": "ops/index.md"}],
            ["Start", "Mine", ["Operators", ["ai.onnx"]]],
        ),
    ],
)
def test_nav(project: Project, docs: dict[str, str], nav: Any, expected: list[Any]) -> None:
    settings = {} if nav is None else {"nav": nav}
    recorded = record(project, {"path": "ops"}, docs=docs, strict=True, **settings)

    def outline(items: list[Any]) -> list[Any]:
        return [[item.title, outline(item.children)] if item.children else item.title for item in items]

    assert outline(recorded["nav"].items) == expected
    pages = recorded["nav"].pages
    assert [item.next_page for item in pages] == [*pages[1:], None]
    assert [item.previous_page for item in pages] == [None, *pages[:-1]]


@pytest.mark.parametrize("nav", [None, ["index.md", "ops/index.md"]])
def test_every_page_knows_what_is_above_it(project: Project, nav: Any) -> None:
    settings = {} if nav is None else {"nav": nav}
    recorded = record(project, {"path": "ops"}, docs={"index.md": "# Home"}, **settings)
    above = [item.title for item in recorded["pages"]["ops/ai.onnx/operators/Conv/11/"].ancestors]
    assert above == ["Conv", "ai.onnx", "Operators"]


def test_the_domain_is_marked_in_the_nav(project: Project) -> None:
    out = project.build({"path": "ops"}, docs={"index.md": "# Home"}, theme="readthedocs")
    text = (out / "ops" / OPERATOR / "11/index.html").read_text(encoding="utf-8")
    assert '<a class="reference internal current" href="../../../">ai.onnx</a>' in text
    assert '<li class="breadcrumb-item"><a href="../../../">ai.onnx</a></li>' in text


def test_the_log_is_silent_about_pages_outside_the_nav(
    project: Project, log: pytest.LogCaptureFixture
) -> None:
    project.build({"path": "ops"}, docs={"index.md": "# Home"}, nav=["index.md"])
    assert not [text for text in log.messages if "nav" in text]


@pytest.mark.parametrize(
    ("key", "value"), [("edit_uri", "edit/main/docs/"), ("edit_uri_template", "blob/main/docs/{path}")]
)
def test_no_edit_link_on_a_page_that_has_no_source_to_edit(project: Project, key: str, value: str) -> None:
    repo: dict[str, Any] = {"repo_url": "https://example.org/repo", key: value}
    out = project.build({"path": "ops"}, docs={"index.md": "# Home"}, **repo)
    assert "main/docs/index.md" in (out / "index.html").read_text(encoding="utf-8")
    assert "main/docs" not in (out / "ops" / OPERATOR / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", NAMES)
def test_names_are_shown_as_they_are(project: Project, theme: str, name: str) -> None:
    project.result = site(
        *domain("com.acme", title=name),
        page("com.acme/operators/Odd/", name, "com.acme/", "words", status="deprecated"),
    )
    out = project.build({"path": "ops"}, theme=theme, docs={"index.md": "# Home"}, strict=True)
    before = html(out / "index.html")
    for file in ("ops/com.acme/index.html", "ops/com.acme/operators/Odd/index.html"):
        shown = html(out / file)
        assert words(shown.title) == words(f"{name} - Test")
        assert shown.handlers == before.handlers == []
        assert shown.images == before.images
        assert len(shown.scripts) == len(before.scripts)
        assert not any("alert(1)</script" in text for text in shown.scripts)
        assert shown.links.get("#top.more", {words(f"More {name}")}) == {words(f"More {name}")}
    assert words(name) in before.links["ops/com.acme/"]
    if theme == "material":
        assert shown.meta["description"] == f"About {name}."


@pytest.mark.parametrize("name", NAMES)
def test_a_theme_may_ask_for_a_title_as_text(project: Project, tmp_path: Path, name: str) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own/main.html").write_text("<title>{{ page.title | striptags }}</title>", encoding="utf-8")
    project.result = site(page("Odd/", name, ""))
    out = project.build(theme={"name": "mkdocs", "custom_dir": "own"})
    assert html(out / "Odd/index.html").title == words(name)


@pytest.mark.parametrize("name", NAMES)
def test_built_in_search_gets_titles_as_text(project: Project, name: str) -> None:
    project.result = site(*domain("com.acme"), page("com.acme/operators/Odd/", name, "com.acme/"))
    out = project.build(docs={"hand.md": "# Scale &amp; Shift"})
    titles = {entry["location"]: entry["title"] for entry in search_entries(out)}
    assert titles["com.acme/operators/Odd/"] == name
    assert titles["com.acme/operators/Odd/#top.more"] == f"More {name}"
    assert titles["hand/"] == "Scale &amp; Shift", "MkDocs' own pages are none of our business"


def search_entries(out: Path) -> list[dict[str, str]]:
    index = json.loads((out / "search/search_index.json").read_text(encoding="utf-8"))
    return list(index["docs"])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("order", [["search", "opsetdocs"], ["opsetdocs", "search"]])
def test_pages_that_are_not_searched_are_not_indexed(project: Project, theme: str, order: list[str]) -> None:
    out = project.build(theme=theme, plugins=order)
    texts = " ".join(entry["text"] for entry in search_entries(out))
    assert "flooding words" in texts
    assert "oldest" not in texts


@pytest.mark.parametrize(
    ("plugins", "missing"),
    [(["opsetdocs"], True), (["search", "opsetdocs"], False), (["opsetdocs", "material/search"], False)],
)
def test_a_site_without_search_warns(
    project: Project, log: pytest.LogCaptureFixture, plugins: list[str], missing: bool
) -> None:
    project.build(plugins=plugins, theme="material")
    assert any("search" in text for text in messages(log, logging.WARNING)) is missing


@pytest.mark.parametrize(("anchor", "known"), [("top.more", True), ("p", True), ("absent", False)])
def test_links_into_our_pages_are_checked(
    project: Project, log: pytest.LogCaptureFixture, anchor: str, known: bool
) -> None:
    out = project.build(
        docs={"hand.md": f"[Conv]({OPERATOR}index.md#{anchor})"}, validation={"anchors": "warn"}
    )
    warned = any(anchor in text for text in messages(log, logging.WARNING))
    assert warned is not known
    assert f"../{OPERATOR}#{anchor}" in html(out / "hand/index.html").links


@pytest.mark.parametrize(
    ("finding", "logged", "strict_fails"),
    [
        (
            Finding(Level.NOTE, "no text", "a.textproto", rule="OPERATOR_DOC_STRING_PRESENT"),
            logging.INFO,
            False,
        ),
        (
            Finding(Level.WARNING, "status", "a.textproto", rule="OPERATOR_STATUS_KNOWN"),
            logging.WARNING,
            True,
        ),
        (Finding(Level.ERROR, "magic", "a.textproto", rule="OPERATOR_UNIQUE"), logging.ERROR, True),
    ],
)
def test_findings_are_logged(
    project: Project, log: pytest.LogCaptureFixture, finding: Finding, logged: int, strict_fails: bool
) -> None:
    project.result = site(findings=(finding,))
    project.build()
    assert any(str(finding) in text for text in messages(log, logged))
    if strict_fails:
        with pytest.raises(Abort):
            project.build(strict=True)
    else:
        project.build(strict=True)


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ([], ""),
        ([Level.NOTE], ""),
        ([Level.NOTE, Level.ERROR, Level.ERROR], "2 errors, 1 note"),
        ([Level.WARNING] * 1162, "1,162 warnings"),
    ],
)
def test_findings_are_counted(
    project: Project,
    log: pytest.LogCaptureFixture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    levels: list[Level],
    said: str,
) -> None:
    report = tmp_path / "report.json"
    monkeypatch.setenv("OPSETDOCS_REPORT", str(report))
    project.result = site(findings=tuple(Finding(level, str(n)) for n, level in enumerate(levels)))
    project.build()
    counts = [
        text for text in messages(log, logging.INFO) if re.fullmatch(r".*\d (error|warning|note)s?", text)
    ]
    assert counts == ([f"opsetdocs: {said}"] if said else [])
    assert json.loads(report.read_text(encoding="utf-8"))["warnings"] == said


def test_a_long_list_of_like_findings_is_cut(project: Project, log: pytest.LogCaptureFixture) -> None:
    known = Finding(Level.WARNING, "status", rule="OPERATOR_STATUS_KNOWN")
    other = Finding(Level.WARNING, "name", rule="OPERATOR_OP_TYPE_IDENTIFIER")
    project.result = site(findings=(*(replace(known, element=str(n)) for n in range(32)), other))
    project.build()
    warnings = messages(log, logging.WARNING)
    assert len([text for text in warnings if ": status [" in text]) == 10
    assert any("22 more" in text and "OPERATOR_STATUS_KNOWN" in text for text in warnings)
    assert any(str(other) in text for text in warnings)


BROKEN = tuple(Finding(Level.ERROR, "is empty", file=f"{n}.onnxopset", unusable=True) for n in range(12))


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (SourceError("ops: no operator set found"), "ops: no operator set found"),
        (TemplateError("operator.html.jinja:3: unexpected"), "operator.html.jinja:3"),
        (site(findings=BROKEN), "12 files cannot be used"),
        (site(findings=BROKEN[:1]), "1 file cannot be used"),
    ],
)
def test_input_that_cannot_be_used_leaves_the_old_site(
    project: Project, log: pytest.LogCaptureFixture, result: Any, said: str
) -> None:
    out = project.build()
    project.result = result
    with pytest.raises(Abort):
        project.build()
    assert (out / OPERATOR / "index.html").exists()
    errors = messages(log, logging.ERROR)
    assert any(said in text for text in errors)
    assert all(any(str(item) in text for text in errors) for item in getattr(result, "findings", ()))


def test_while_serving_the_last_good_pages_stay(project: Project, log: pytest.LogCaptureFixture) -> None:
    project.build()
    project.result = site(findings=BROKEN[:1])
    out = project.build(rebuild=True)
    assert (out / OPERATOR / "index.html").exists()
    assert any("0.onnxopset: is empty" in text for text in messages(log, logging.ERROR))
    project.result = site(*domain("com.acme"))
    project.build(rebuild=True)
    assert (out / "com.acme/index.html").exists()
    assert not (out / "ai.onnx").exists()


def test_a_page_that_is_not_published_is_an_error(project: Project, log: pytest.LogCaptureFixture) -> None:
    (project.folder / "hook.py").write_text(
        "def on_post_page(output, page, config):\n    return '' if page.url.endswith('/11/') else output\n",
        encoding="utf-8",
    )
    with pytest.raises(Abort):
        project.build(hooks=["hook.py"])
    assert any(
        "1 of 4 pages" in text and f"{OPERATOR}11/index.md" in text for text in messages(log, logging.ERROR)
    )


def test_every_setting_has_an_option() -> None:
    decided_by_mkdocs = {"base", "directory_urls", "search"}
    options = {item.name for item in fields(SiteOptions)} - decided_by_mkdocs - {"check"}
    options |= {item.name for item in fields(CheckOptions)}
    assert {name for name, _ in OpsetDocsConfig._schema} == options | {"frame", "cache"}


def test_the_defaults_are_those_of_the_settings(project: Project) -> None:
    project.build()
    assert project.seen == [replace(SiteOptions(), base=project.folder)]


def test_options_reach_the_site(project: Project, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    project.build(
        {
            "sources": ["ops/*.textproto"],
            "templates": ["own"],
            "title": "Ops",
            "domains": {"com.acme": {"title": "Acme", "description": "*Ours*"}, "": {"title": "Standard"}},
            "order": "file",
            "include": ["com.acme*"],
            "exclude": ["com.acme/Old*"],
            "link_map": {"*": "https://example.org/"},
            "remote_images": True,
        }
    )
    options = project.seen[0]
    assert options.base == tmp_path
    assert options.sources == ("ops/*.textproto",)
    assert options.templates == (tmp_path / "own",)
    assert options.domains["com.acme"].description == "*Ours*"
    assert options.domains["ai.onnx"].title == "Standard"
    assert (options.title, options.order, options.remote_images) == ("Ops", "file", True)
    assert (options.include, options.exclude) == (("com.acme*",), ("com.acme/Old*",))
    assert options.link_map == {"*": "https://example.org/"}


@pytest.mark.parametrize(
    ("options", "level", "said"),
    [
        ({"path": "../up"}, logging.ERROR, "path"),
        ({"path": "a\\b"}, logging.ERROR, "path"),
        ({"path": 3}, logging.ERROR, "path"),
        ({"order": "size"}, logging.ERROR, "order"),
        ({"sources": "onnx"}, logging.ERROR, "sources"),
        ({"templates": ["absent"]}, logging.ERROR, "templates"),
        ({"domains": {"a": {"title": 1}}}, logging.ERROR, "domains"),
        ({"source": ["onnx"]}, logging.WARNING, "source"),
    ],
)
def test_options_that_cannot_be_used(
    project: Project, log: pytest.LogCaptureFixture, options: dict[str, Any], level: int, said: str
) -> None:
    if level == logging.ERROR:
        with pytest.raises(Abort):
            project.build(options)
    else:
        project.build(options)
    assert any(f"'{said}" in text for text in messages(log, level))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("path", 3, "found 3, expected a folder below docs_dir, such as reference/ops"),
        ("path", "../up", "found '../up', expected a folder below docs_dir, such as reference/ops"),
        ("frame", "twice", "found 'twice', expected once or each"),
        ("frame", ["once"], "found ['once'], expected once or each"),
        ("cache", 3, "found 3, expected a folder, or off"),
        ("sources", "ops", "found 'ops', expected a list of sources"),
        ("sources", [3], "found [3], expected a list of sources"),
        ("templates", "own", "found 'own', expected a list of folders"),
        ("title", 3, "found 3, expected a text"),
        (
            "domains",
            "com.acme",
            "found 'com.acme', expected domains, and for each of them title or description",
        ),
        ("domains", ["a"], "found ['a'], expected domains, and for each of them title or description"),
        ("domains", {3: {}}, "found {3: {}}, expected domains, and for each of them title or description"),
        ("domains", {"com.acme": "Acme"}, "com.acme: found 'Acme', expected title or description"),
        (
            "domains",
            {"com.acme": {"titel": "A"}},
            "com.acme: unknown key 'titel', expected title or description",
        ),
        ("domains", {"com.acme": {"title": True}}, "com.acme: title: found true, expected a text"),
        ("order", "size", "found 'size', expected name or file"),
        ("include", "com.*", "found 'com.*', expected a list of patterns"),
        ("exclude", {"a": "b"}, "found {'a': 'b'}, expected a list of patterns"),
        ("link_map", 3, "found 3, expected file names or paths, and for each of them an address"),
        (
            "link_map",
            {"a": 3},
            "found {'a': 3}, expected file names or paths, and for each of them an address",
        ),
        ("remote_images", "yes", "found 'yes', expected true or false"),
        ("rules", 1, "found 1, expected true or false"),
        ("redirects", 3, "found 3, expected true, false, or a folder below docs_dir, such as reference/ops"),
        ("redirects", "..", "found '..', expected a folder below docs_dir, such as reference/ops"),
        ("select", "DOC_*", "found 'DOC_*', expected a list of rules"),
        ("ignore", [3], "found [3], expected a list of rules"),
        (
            "levels",
            {"DOC_*": "loud"},
            "found {'DOC_*': 'loud'}, expected rules and for each of them note, warning, error or off",
        ),
        ("fail_on", 3, "found 3, expected note, warning, error or never"),
        ("baseline", True, "found true, expected the name of a file"),
        ("against", ["old"], "found ['old'], expected a source"),
    ],
)
def test_what_is_wrong_with_an_option_is_said_in_words(name: str, value: Any, said: str) -> None:
    options = OpsetDocsConfig("mkdocs.yml")
    options.load_dict({name: value})
    assert [(key, str(error)) for key, error in options.validate()[0]] == [(name, said)]


def test_an_option_with_nothing_behind_it_has_its_default() -> None:
    empty, absent = OpsetDocsConfig("mkdocs.yml"), OpsetDocsConfig("mkdocs.yml")
    empty.load_dict(dict.fromkeys(dict(OpsetDocsConfig._schema)))
    assert (empty.validate()[0], absent.validate()[0]) == ([], [])
    assert dict(empty) == dict(absent)


def test_the_command_hands_over_sources_and_gets_the_counts(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report.json"
    monkeypatch.setenv("OPSETDOCS_SOURCES", '["a.textproto", "onnx"]')
    monkeypatch.setenv("OPSETDOCS_REPORT", str(report))
    project.build({"sources": ["other"]})
    assert project.seen[0].sources == ("a.textproto", "onnx")
    assert project.seen[0].base == Path.cwd()
    assert json.loads(report.read_text(encoding="utf-8"))["summary"]["pages"] == 4


@pytest.fixture
def serve_context() -> click.Command:
    """`mkdocs serve` as click 8.3 parses it: live reload is off, and nobody said so."""
    return click.Command("serve", params=[click.Option(["--livereload/--no-livereload"], default=False)])


@pytest.mark.parametrize(
    ("arguments", "command", "warned"),
    [
        ([], "serve", True),
        (["--no-livereload"], "serve", False),
        (["--livereload"], "serve", False),
        ([], "build", False),
    ],
)
def test_live_reload_that_click_switched_off(
    serve_context: click.Command,
    log: pytest.LogCaptureFixture,
    arguments: list[str],
    command: Any,
    warned: bool,
) -> None:
    with serve_context.make_context("serve", arguments):
        plugin.OpsetDocsPlugin().on_startup(command=command, dirty=False)
    assert any("--livereload" in text for text in messages(log, logging.WARNING)) is warned


def test_of_standard_input_no_more_is_read_than_a_file_may_have(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.BytesIO(b"x" * (MAX_SIZE + 100))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
    lengths: list[int] = []

    def build_site(_: SiteOptions, *, stdin: BinaryIO, **__: Any) -> Site:
        lengths.append(len(stdin.read()))
        return site()

    monkeypatch.setattr(plugin, "build_site", build_site)
    project.build({"sources": ["-"]})
    assert lengths == [MAX_SIZE + 1]
    assert stream.tell() == MAX_SIZE + 1


def test_messages_hold_no_orders_for_a_terminal(project: Project, log: pytest.LogCaptureFixture) -> None:
    project.result = SourceError("\x1b[31mred: ##[error]x\n  ::error::y")
    with pytest.raises(Abort):
        project.build()
    assert messages(log, logging.ERROR) == ["\\x1b[31mred: ##\\x5berror]x\n  \\x3a:error::y"]
