"""The frame once: a site is the same, byte for byte, as if each page went through the theme by itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
import pytest

from html_site import BuiltSite
from opsetdocs.mkdocs_page import FinishedPage

HOSTILE = ("S2", "N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9")
"""Names that look like tags, paths, files and settings; see the cases."""

THEMES = ["opsetdocs", "mkdocs", "readthedocs", "material"]

Build = Callable[..., BuiltSite]


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def content(site: BuiltSite) -> dict[str, bytes]:
    return {
        str(file.relative_to(site.folder)): file.read_bytes()
        for file in site.folder.rglob("*")
        if file.is_file()
    }


def assert_same(build: Build, *cases: str, plugin: dict[str, object] | None = None, **settings: Any) -> None:
    """Build both ways, and compare every file."""
    each, once = (
        content(build(*cases, plugin={**(plugin or {}), "frame": frame}, strict=False, **settings))
        for frame in ("each", "once")
    )
    assert each.keys() == once.keys()
    assert [name for name, bytes_ in each.items() if once[name] != bytes_] == []


OPERATOR = """\
operator {{
  op_type: "Op{number}" since_version: {since_version} status: {status}
  doc_string: "About {number}, which is {words}\\n\\n{more}## Attributes\\n\\n- `axis` (required) : int"
}}
"""

TABLE = "| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n"


@pytest.fixture
def operators(tmp_path: Path) -> list[str]:
    """Two opsets with many operators that are alike: enough for a frame of their own."""
    files = []
    for opset in (1, 3):
        entries = [
            OPERATOR.format(
                number=number,
                since_version=opset,
                status="EXPERIMENTAL" if number == 9 else "STABLE",
                words=" ".join(["long"] * number**2),
                more=TABLE if number == 7 else "",
            )
            for number in range(12)
        ]
        head = f'magic: "ONNXOPSET" ir_version: 10 domain: "com.example" opset_version: {opset}\n'
        file = tmp_path / f"opset-{opset}.textproto"
        file.write_text(head + "".join(entries), encoding="utf-8")
        files.append(str(file))
    return files


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("directory_urls", [True, False])
def test_hostile_names(mkdocs_site: Build, theme: str, directory_urls: bool) -> None:
    assert_same(mkdocs_site, *HOSTILE, theme=theme, use_directory_urls=directory_urls)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("directory_urls", [True, False])
def test_a_section_of_a_site(
    mkdocs_site: Build, operators: list[str], theme: str, directory_urls: bool
) -> None:
    folder = "reference/ops/com.example/operators/"
    pages = {
        "index.md": f"# Home\n\n[One of ours]({folder}Op3/index.md), [a version]({folder}Op4/1/index.md#x)",
        "guide/first.md": "# First\n\n## Part\n\nText",
        f"{folder}Op5/index.md": "# By hand, in the place of ours",
        f"{folder}Op6/more.md": "# By hand & beside ours",
    }
    nav: list[Any] = [
        "index.md",
        {"Guide": ["guide/first.md", {"An <b>operator</b> & more": f"{folder}Op3/index.md"}]},
        {"Elsewhere": "https://example.org/"},
    ]
    assert_same(
        mkdocs_site,
        sources=operators,
        plugin={"path": "reference/ops", "rules": True},
        pages=pages,
        nav=nav,
        theme=theme,
        use_directory_urls=directory_urls,
        site_url="https://example.org/docs & more/",
        repo_url="https://example.org/repo",
        edit_uri="edit/main/docs/",
    )


@pytest.fixture
def through_the_theme(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of our pages that went through the theme, in the builds of the test."""
    seen: list[str] = []
    render = jinja2.Template.render

    def recorded(template: jinja2.Template, *arguments: Any, **variables: Any) -> str:
        page = arguments[0].get("page") if arguments else None
        if isinstance(page, FinishedPage):
            seen.append(page.url)
        return render(template, *arguments, **variables)

    monkeypatch.setattr(jinja2.Template, "render", recorded)
    return seen


def theme_with(block: str, folder: Path) -> dict[str, object]:
    """Return the settings of a project that adds something to each page of the theme `mkdocs`."""
    (folder / "own").mkdir()
    (folder / "own/main.html").write_text(
        f"{{% extends 'base.html' %}}{{% block extrahead %}}{block}{{% endblock %}}", encoding="utf-8"
    )
    return {"theme": {"name": "mkdocs", "custom_dir": "own"}}


@pytest.mark.parametrize(
    "block",
    [
        "",
        "{% if '<table' in page.content %}<script>tables()</script>{% endif %}",
        "{% if 'long long' not in page.content %}short{% endif %}",
        "<meta name=a content='{{ page.title | e }}{{ page.title | striptags | e }}'>",
        "<script>page = {{ {'title': page.title, 'about': page.meta.description} | tojson }}</script>",
        "<a href='https://example.org/?{{ page.title | urlencode }}{{ page.url }}'></a>",
        "{% for item in page.ancestors %}{{ item.title }}{{ item.url | url }}{% endfor %}",
        "{% for item in page.toc %}{{ item.url }}{{ item.children | length }}{% endfor %}",
        "{{ pages | length }} {{ page.file.src_uri }} {{ page.is_index }} {{ page.update_date }}",
    ],
)
def test_what_a_theme_may_do(
    mkdocs_site: Build, operators: list[str], tmp_path: Path, through_the_theme: list[str], block: str
) -> None:
    settings = theme_with(block, tmp_path)
    each = content(mkdocs_site(sources=operators, plugin={"frame": "each"}, **settings))
    pages = len(through_the_theme)
    once = content(mkdocs_site(sources=operators, **settings))
    assert each == once
    assert len(through_the_theme) - pages < pages


@pytest.mark.parametrize(
    "block",
    [
        "{{ page.content | length }}",
        "{{ page.content.index('opsetdocs') }}",
        "{{ page.title | upper }}",
        "{{ page.content | replace('<p', '<p class=x') }}",
    ],
)
def test_what_a_theme_may_do_only_with_the_page_itself(
    mkdocs_site: Build,
    operators: list[str],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    through_the_theme: list[str],
    block: str,
) -> None:
    settings = theme_with(block, tmp_path)
    each = content(mkdocs_site(sources=operators, plugin={"frame": "each"}, **settings))
    pages = set(through_the_theme)
    through_the_theme.clear()
    once = content(mkdocs_site(sources=operators, **settings))
    assert each == once
    assert pages <= set(through_the_theme)
    assert "went through it one by one" in caplog.text


@pytest.mark.parametrize(
    ("event", "takes_part"),
    [
        ("on_page_context(context, page, **_)", True),
        ("on_post_page(output, page, **_)", True),
        ("on_page_content(html, page, **_)", False),
        ("on_pre_page(page, **_)", False),
    ],
)
def test_plugins_meet_every_page(
    mkdocs_site: Build,
    operators: list[str],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    through_the_theme: list[str],
    event: str,
    takes_part: bool,
) -> None:
    (tmp_path / "hook.py").write_text(
        "from pathlib import Path\n"
        "met = Path(__file__).with_name('met')\n"
        f"def {event}:\n"
        "    with met.open('a', encoding='utf-8') as file:\n"
        "        print(page.file.dest_uri, file=file)\n",
        encoding="utf-8",
    )
    site = mkdocs_site(sources=operators, hooks=["hook.py"])
    met = (tmp_path / "met").read_text(encoding="utf-8").split()
    pages = sorted(address for address in site.pages if address != "404.html")
    assert sorted(met) == pages
    assert ("one by one, for hook.py to take part" in caplog.text) is takes_part
    assert (len(through_the_theme) == len(pages)) is takes_part


def test_the_search_index_is_the_same(mkdocs_site: Build, operators: list[str]) -> None:
    for theme in ("mkdocs", "material"):
        site = mkdocs_site(sources=operators, theme=theme)
        index = json.loads((site.folder / "search/search_index.json").read_text(encoding="utf-8"))
        found = {entry["location"].partition("#")[0] for entry in index["docs"]}
        assert {f"com.example/operators/Op{number}/" for number in range(12)} <= found
