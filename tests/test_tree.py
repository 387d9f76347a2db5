"""`opsetdocs tree`: a site as Markdown pages, as other generators build it."""

from __future__ import annotations

import html
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from mkdocs.utils.yaml import yaml_load

import opsetdocs
from conftest import case_files, run_opsetdocs
from html_site import BuiltSite, Node, _Builder
from opsetdocs import project as project_module
from opsetdocs.errors import ConfigError
from opsetdocs.site import Heading, RenderedPage, Site
from opsetdocs.site_options import find_site_options
from opsetdocs.tree import MANIFEST, page_source, shielded, tree_files, write_tree

# Function bodies, changes of experimental operators, and whatever a text or a name can do to Markdown.
CASES = [
    *("F1", "H5", "M1", "M3", "M8", "M9", "M10", "M12", "M13", "M14", "M15"),
    *("N1", "N4", "N7", "S1", "S2", "S3", "T2"),
]
FEW = ["F1", "H5", "S2"]

PLAIN: dict[str, Any] = {"theme": "mkdocs"}
WITH_CONTENTS: dict[str, Any] = {"theme": "mkdocs", "markdown_extensions": ["md_in_html"]}
EXTENDED: dict[str, Any] = {
    "theme": {"name": "material", "font": False},
    "markdown_extensions": [
        "attr_list",
        "md_in_html",
        "smarty",
        "abbr",
        "footnotes",
        "def_list",
        "admonition",
        "pymdownx.superfences",
        "pymdownx.critic",
        "pymdownx.snippets",
        "pymdownx.magiclink",
        "pymdownx.betterem",
        "pymdownx.smartsymbols",
        "pymdownx.arithmatex",
        "pymdownx.keys",
        "pymdownx.emoji",
        "pymdownx.blocks.admonition",
        {"toc": {"permalink": True}},
    ],
}


@pytest.fixture
def project(tmp_path: Path, site_of: Callable[..., Site]) -> Callable[..., tuple[Site, Path]]:
    """Return a function that writes a tree into a project without our plugin."""

    def write(*names: str, **options: Any) -> tuple[Site, Path]:
        site = site_of(*names or CASES)
        write_tree(tmp_path / "docs/operators", site)
        (tmp_path / "docs/index.md").write_text("# Start\n", "utf-8")
        assets = {
            "extra_css": ["operators/assets/opsetdocs.css"],
            "extra_javascript": ["operators/assets/opsetdocs.js"],
        }
        # JSON is YAML. A nav of all pages would be written into all pages.
        config = {"site_name": "T", "plugins": ["search"], "nav": ["index.md"], **assets, **options}
        config_file = tmp_path / "mkdocs.yml"
        config_file.write_text(json.dumps(config), "utf-8")
        return site, config_file

    return write


def parse(text: str) -> Node:
    builder = _Builder()
    builder.feed(text)
    builder.close()
    return builder.root


def check_same(site: Site, built: BuiltSite) -> None:
    """Check that the pages of a built tree are those that the plugin publishes, id by id and word by word."""
    published = {name.removeprefix("operators/") for name in built.pages if name.startswith("operators/")}
    assert published == {f"{page.address}index.html" for page in site.pages}
    for page in site.pages:
        content = content_of(built, page)
        assert list(flat(content)) == list(flat(parse(page.html).children[0])), page.address
    assert not [link for link in built.broken_links() if not link.startswith("404.html")]


OF_BLOCKS = frozenset(
    ["details", "div", "dl", "figure", "form", "nav", "ol", "section", "table", "tbody", "thead", "tr", "ul"]
)
"""Elements in which white space between others says nothing."""


def content_of(built: BuiltSite, page: RenderedPage) -> Node:
    (content,) = built.page(f"operators/{page.address}").root.by_class("opsetdocs-page")
    return content


def flat(node: Node | str) -> Iterator[object]:
    """Yield tags with their attributes, and texts, without white space between blocks.

    Left out are the mark of what Markdown shall read, the attribute by which a part is not searched, since
    Zensical takes out what it reads itself, and the links that a permalink of headings makes.
    """
    if isinstance(node, str):
        yield from node  # by character: what is one text may come in several pieces
        return
    if node.attributes.get("class") == "headerlink":
        return
    left_out = ("data-search-exclude", "markdown")
    yield node.tag, {name: value for name, value in node.attributes.items() if name not in left_out}
    for child in node.children:
        between_blocks = node.tag in OF_BLOCKS or child in (node.children[0], node.children[-1])
        if not (between_blocks and isinstance(child, str) and child.isspace()):
            yield from flat(child)
    yield f"/{node.tag}"


def contents_list(built: BuiltSite, page: RenderedPage) -> list[tuple[str, str]]:
    """Return the headings to which the frame of a page has links, and their words there, each once."""
    inside = {id(node) for node in content_of(built, page).walk()}
    ids = {f"#{heading.id}" for heading in page.headings}
    links = [
        (link.attributes["href"], " ".join(link.words))
        for link in built.page(f"operators/{page.address}").root.find_all("a")
        if link.attributes.get("href") in ids and id(link) not in inside
    ]
    return list(dict.fromkeys(links))


def title(built: BuiltSite, page: RenderedPage) -> str:
    """Return the title of a page; those of a tree have other signs for angle brackets."""
    (words, *_) = built.page(f"operators/{page.address}").root.find_all("title")[0].children
    return str(words).translate(BRACKETS)


BRACKETS = str.maketrans("<>", "‹›")


@pytest.mark.parametrize(
    "options", [PLAIN, WITH_CONTENTS, EXTENDED], ids=["plain", "with contents", "extended"]
)
def test_mkdocs_makes_the_pages_of_the_plugin(
    project: Callable[..., tuple[Site, Path]], caplog: pytest.LogCaptureFixture, options: dict[str, Any]
) -> None:
    site, config_file = project(**options)
    with caplog.at_level(logging.WARNING, "mkdocs"):
        mkdocs_build(load_config(str(config_file)))
    assert not [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    check_same(site, BuiltSite(config_file.parent / "site"))


@pytest.mark.parametrize("theme", ["mkdocs", "material", "opsetdocs"])
def test_titles_and_contents_lists_are_those_of_the_plugin(
    project: Callable[..., tuple[Site, Path]], mkdocs_site: Callable[..., BuiltSite], theme: str
) -> None:
    named = {"name": theme, "font": False} if theme == "material" else theme
    site, config_file = project(*FEW, theme=named, markdown_extensions=["md_in_html"])
    mkdocs_build(load_config(str(config_file)))
    built = BuiltSite(config_file.parent / "site")
    of_tree = {page.address: (title(built, page), contents_list(built, page)) for page in site.pages}
    shutil.rmtree(config_file.parent / "docs/operators")
    plugin = {"path": "operators"}
    made = mkdocs_site(*FEW, plugin=plugin, theme=named, site_name="T", nav=["index.md"], strict=False)
    for page in site.pages:
        assert of_tree[page.address] == (title(made, page), contents_list(made, page)), page.address
    assert any(list_ for _, list_ in of_tree.values())


@pytest.mark.parametrize(
    "command",
    [("properdocs", "build", "--strict", "-q", "-f", "mkdocs.yml"), ("zensical", "build", "--strict")],
    ids=["properdocs", "zensical"],
)
def test_other_generators_make_the_pages_of_the_plugin(
    project: Callable[..., tuple[Site, Path]], command: tuple[str, ...]
) -> None:
    program = generator(command[0])
    site, config_file = project(markdown_extensions=["md_in_html", {"toc": {"permalink": False}}])
    done = subprocess.run(
        [program, *command[1:]], cwd=config_file.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    built = BuiltSite(config_file.parent / "site")
    check_same(site, built)
    for page in site.pages:
        assert page.title.split()[0].translate(BRACKETS) in title(built, page)
        below_title = [(f"#{heading.id}", heading.title) for heading in page.headings[1:]]
        assert [link for link in contents_list(built, page) if link in below_title] == below_title


def test_properdocs_runs_the_plugin(project: Callable[..., tuple[Site, Path]], cases: Path) -> None:
    """As in MkDocs; the packages of this environment are put beside those of ProperDocs."""
    program = generator("properdocs")
    site, config_file = project(
        theme="opsetdocs",
        plugins=[{"opsetdocs": {"sources": list(case_files(*CASES)), "path": "operators"}}],
        nav=None,
        extra_css=[],
        extra_javascript=[],
    )
    shutil.rmtree(config_file.parent / "docs/operators")
    path = os.pathsep.join([str(Path(opsetdocs.__file__).parents[1]), sysconfig.get_path("purelib")])
    done = subprocess.run(
        [program, "build", "-q", "-f", "mkdocs.yml"],
        cwd=config_file.parent,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    check_same(site, BuiltSite(config_file.parent / "site"))


def generator(name: str) -> str:
    """Return the program of a site generator: beside Python, or on the path."""
    beside = Path(sys.executable).parent
    program = shutil.which(name, path=f"{beside}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"needs the command {name}")
    return program


def test_no_name_becomes_markup_in_a_frame(project: Callable[..., tuple[Site, Path]]) -> None:
    site, config_file = project(**EXTENDED)
    mkdocs_build(load_config(str(config_file)))
    built = BuiltSite(config_file.parent / "site")
    expected = [node.attributes.get("src") for node in built.page("").root.find_all("script")]
    for page in site.pages:
        found = built.page(f"operators/{page.address}")
        assert len(found.root.find_all("script")) == len(expected), page.address
        assert len(found.root.find_all("title")) - len(parse(page.html).find_all("title")) == 1, page.address


# One page


def page(html_text: str = "<div></div>", **fields: Any) -> RenderedPage:
    defaults: dict[str, Any] = {
        "address": "x/",
        "title": "X",
        "description": "",
        "headings": (),
        "parent": None,
        "in_nav": False,
        "searched": True,
    }
    return RenderedPage(html=html_text, **(defaults | fields))


def front_matter(rendered: RenderedPage) -> Any:
    return yaml_load(page_source(rendered).split("---\n")[1])


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Conv-11", "Conv-11"),
        ("a: b # c", "a: b # c"),
        ('say "so" \\ & go', 'say "so" \\ & go'),
        ("<script>", "‹script›"),
        ("&lt;b&gt;", "&lt;b&gt;"),
        ("no", "no"),
        ("two\nlines\x85\u2028\x7f end", "two lines end"),
        ("变换 🎉", "变换 🎉"),
    ],
)
def test_titles_are_text(title: str, shown: str) -> None:
    stated = front_matter(page(title=title, description=title))
    assert html.unescape(stated["title"]) == shown
    assert not re.search("[<>]", html.unescape(stated["title"]).replace("&lt;b&gt;", ""))
    assert html.unescape(stated["description"]) == " ".join(
        title.replace("\x85", " ").replace("\x7f", " ").split()
    )
    assert not re.search('[<>"]', stated["title"] + stated["description"])


def test_what_is_not_searched_says_so() -> None:
    assert front_matter(page(searched=False, status="stable")) == {
        "title": "X",
        "description": "",
        "status": "stable",
        "search": {"exclude": True},
    }


@pytest.mark.parametrize(
    "text",
    [
        "*a* __b__ `c` ~~d~~ [e](f) ![g](h) {{ i }} {% j %} $k$ ++l++ ==m== ^n^ --8&lt;-- :smile: http://o.example",
        "```\nfence\n```\n~~~\n!!! note\n    text\n\n/// tip\n///\n[TOC]\n*[A]: b\n[^1]: c",
        "a &amp;lt; b &lt; c &#39; d\te",
        '<span title="a > b">*c*</span> &lt;d>',
    ],
)
@pytest.mark.parametrize("tag", ["p", "pre"])
def test_a_shield_changes_no_word_and_leaves_no_sign(tag: str, text: str) -> None:
    markup = f'<div id="a_b.c-1" title="{{{{ x }}}} `y`"><{tag}>{text}</{tag}>\n\n<{tag}>{text}</{tag}></div>'
    result = shielded(markup)
    assert list(flat(parse(result))) == list(flat(parse(markup)))
    texts = re.sub(r"<[^>]*>|&#?\w+;", "", result)
    assert not re.search(r"[`~{}\[\]*_\\$:!=+^/?|@\t-]", texts)
    assert not re.search("[{}`]", result)
    assert 'id="a_b.c-1"' in result
    assert tag == "p" or "\n" not in result.split("<pre>")[1].split("</pre>")[0]


def heading(id_: str, level: int = 2) -> Heading:
    return Heading(level, id_, id_)


@pytest.mark.parametrize(
    ("html_text", "marked"),
    [
        ('<div><h1 id="a">A</h1></div>', ["div", "h1"]),
        ('<div><p>x</p><section class="s"><h2 id="a">A</h2></section></div>', ["div", "section", "h2"]),
        ('<div><h2 id="b">B</h2></div>', []),  # a heading of an example, which stands in no list
        ('<div>text <h2 id="a">A</h2></div>', []),
        ('<div><b>x</b><h2 id="a">A</h2></div>', []),
        ('<div><br><h2 id="a">A</h2></div>', []),
        ('<div><hr><h2 id="a">A</h2></div>', ["div", "h2"]),
        ('<div><div>text <h2 id="a">A</h2></div><h2 id="c">C</h2></div>', ["div", "h2"]),
        ('<div><p>x<ul><li>y</ul><h2 id="a">A</h2></div>', []),
    ],
)
def test_headings_are_marked_where_markdown_takes_what_is_beside_them_as_it_is(
    html_text: str, marked: list[str]
) -> None:
    source = page_source(page(html_text, headings=(heading("a"), heading("c"))))
    assert re.findall(r"<(\w+)[^>]* markdown=\"1\">", source) == marked
    assert list(flat(parse(source.split("---\n\n")[1].strip()).children[0])) == list(
        flat(parse(html_text).children[0])
    )


def test_an_attribute_without_a_value_keeps_having_none() -> None:
    markup = '<div hidden data-a="x y" data-b\n data-c>x</div>'
    assert parse(shielded(markup)).children[0].attributes == parse(markup).children[0].attributes  # type: ignore[union-attr]
    assert shielded(markup) == '<div hidden="" data-a="x y" data-b=""\n data-c="">x</div>'


# Writing into a folder that others use


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return tmp_path / "docs"


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_tree_holds_pages_and_what_belongs_to_them(docs: Path, site_of: Callable[..., Site]) -> None:
    site = site_of("L3")
    written = write_tree(docs, site)
    assert (written.pages, written.kept) == (len(site.pages), ())
    assert names(docs) == {name for name, _ in tree_files(site)} | {MANIFEST}
    assert {name for name in names(docs) if name.endswith(".md")} == {
        f"{page.address}index.md" for page in site.pages
    }
    assert (docs / "catalog.json").read_bytes() == site.assets["catalog.json"]


def test_what_is_left_of_the_last_tree_goes(docs: Path, site_of: Callable[..., Site]) -> None:
    write_tree(docs, site_of("H4"))
    (docs / "mine.md").write_text("mine", "utf-8")
    after = site_of("L3")
    write_tree(docs, after)
    assert names(docs) == {name for name, _ in tree_files(after)} | {MANIFEST, "mine.md"}
    assert not [path for path in docs.rglob("*") if path.is_dir() and not any(path.iterdir())]


def test_what_others_wrote_or_changed_stays(docs: Path, site_of: Callable[..., Site]) -> None:
    docs.mkdir()
    (docs / "index.md").write_text("mine", "utf-8")
    assert write_tree(docs, site_of("H4")).kept == ("index.md",)
    changed = next(path for path in docs.rglob("index.md") if path.parent != docs)
    changed.write_text("changed", "utf-8")
    for cases in ("H4", "L3", "H4"):
        write_tree(docs, site_of(cases))
        assert (docs / "index.md").read_text("utf-8") == "mine"
        assert changed.read_text("utf-8") == "changed"


def test_what_is_the_same_is_not_touched(docs: Path, site_of: Callable[..., Site]) -> None:
    write_tree(docs, site_of("L3"))
    before = {name: (docs / name).stat().st_ino for name in names(docs) - {MANIFEST}}
    (docs / "catalog.json").unlink()
    (docs / MANIFEST).unlink()
    assert write_tree(docs, site_of("L3")).kept == ()
    after = {name: (docs / name).stat().st_ino for name in names(docs) - {MANIFEST}}
    del before["catalog.json"], after["catalog.json"]
    assert after == before


def test_a_list_of_files_leads_to_no_other_place(docs: Path, site_of: Callable[..., Site]) -> None:
    write_tree(docs, site_of("L3"))
    outside = docs.parent / "outside.md"
    outside.write_text("mine", "utf-8")
    digest = "6c2bb4b0d5dff1d4b1ac3a9da9d8f3dcb4ad1fcb4b2a3b8bd8b5e6c1c0f9d9fc"
    listed = json.loads((docs / MANIFEST).read_bytes())["files"]
    (docs / MANIFEST).write_text(
        json.dumps({"files": {**listed, "../outside.md": digest, str(outside): digest}}), "utf-8"
    )
    write_tree(docs, site_of("L3"))
    assert outside.read_text("utf-8") == "mine"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 3}', "\xff"])
def test_a_list_of_files_that_is_none_is_an_error_in_words(
    docs: Path, site_of: Callable[..., Site], content: str
) -> None:
    docs.mkdir()
    (docs / MANIFEST).write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigError, match="is not what a tree leaves"):
        write_tree(docs, site_of("L3"))
    assert names(docs) == {MANIFEST}


def test_a_place_that_cannot_be_written_is_an_error_in_words(
    docs: Path, site_of: Callable[..., Site]
) -> None:
    docs.write_text("a file", "utf-8")
    with pytest.raises(ConfigError, match="the tree cannot be written here"):
        write_tree(docs / "ops", site_of("L3"))


# The command


def test_the_command_follows_mkdocs_yml(tmp_path: Path, cases: Path) -> None:
    shutil.copy(cases / "L3-plain.textproto", tmp_path)
    options = {
        "sources": ["*.textproto"],
        "title": "Ours",
        "domains": {"com.example": {"description": "*Said* here."}},
    }
    config = {"site_name": "T", "plugins": ["search", {"opsetdocs": options}]}
    (tmp_path / "mkdocs.yml").write_text(json.dumps(config), "utf-8")
    done = run_opsetdocs("tree", "docs", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "2 operators, 2 versions, 1 opset in 1 domain: 8 pages in docs/\n"
    assert 'title: "Ours"' in (tmp_path / "docs/index.md").read_text("utf-8")
    assert "<em>Said</em> here" in (tmp_path / "docs/com.example/index.md").read_text("utf-8")


def test_the_command_takes_sources_and_the_form_of_links(tmp_path: Path, cases: Path) -> None:
    shutil.copy(cases / "L3-plain.textproto", tmp_path / "x.textproto")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("mine", "utf-8")
    done = run_opsetdocs("tree", "docs", "x.textproto", "--index-html", cwd=tmp_path)
    assert done.returncode == 0
    assert "stays as it is" in done.stderr
    assert 'href="operators/Halve/index.html"' in (tmp_path / "docs/com.example/index.md").read_text("utf-8")


def test_mkdocs_yml_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mkdocs.yml").write_text("plugins: [opsetdocs: {title: Ours}]", "utf-8")
    monkeypatch.chdir(tmp_path)
    read = []

    def counted(config_file: Path, load: Callable[[Path], Any] = project_module._load) -> Any:
        read.append(config_file)
        return load(config_file)

    monkeypatch.setattr(project_module, "_load", counted)
    assert find_site_options(None, directory_urls=True).title == "Ours"
    assert len(read) == 1


@pytest.mark.parametrize("config", [None, "site_name: A", "plugins: [opsetdocs]"])
def test_without_a_source_the_pages_show_onnx(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    if config:
        (tmp_path / "mkdocs.yml").write_text(config, "utf-8")
    assert find_site_options(None, directory_urls=True).sources == ("onnx",)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"order": "size"}, "mkdocs.yml: the plugin opsetdocs: order: "),
        ({"sources": ["*.none"]}, "*.none: no file matches"),
        ({"sources": ["*.textproto"]}, "nothing is written, since files cannot be used"),
    ],
)
def test_what_cannot_be_used_writes_nothing(
    tmp_path: Path, cases: Path, options: dict[str, Any], said: str
) -> None:
    for name in ("L3-plain.textproto", "L8-typo-field.textproto"):
        shutil.copy(cases / name, tmp_path)
    (tmp_path / "mkdocs.yml").write_text(json.dumps({"plugins": [{"opsetdocs": options}]}), "utf-8")
    done = run_opsetdocs("tree", "docs", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "docs").exists()
