"""Templates: ours, a project's own, and what happens when one of them fails."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import jinja2
import pytest

from opsetdocs.addresses import Place
from opsetdocs.build import build_site
from opsetdocs.errors import TemplateError
from opsetdocs.render import Pieces
from opsetdocs.site import Site, SiteOptions

SiteOf = Callable[..., Site]


def content(html: str) -> str:
    """What a template made, without the element around it to which our style sheet keeps."""
    return html.removeprefix('<div class="opsetdocs-page">\n').removesuffix("\n</div>")


def page(site: Site, address: str) -> str:
    (found,) = [page.html for page in site.pages if page.address == address]
    return content(found)


def write(folder: Path, name: str, text: str) -> tuple[Path, ...]:
    (folder / name).write_text(text, encoding="utf-8")
    return (folder,)


OPERATOR = "com.example/operators/Sub/"


def test_a_template_of_the_same_name_replaces_ours(site_of: SiteOf, tmp_path: Path) -> None:
    templates = write(tmp_path, "operator.html.jinja", "<h1>{{ operator.name }} of {{ domain.name }}</h1>")
    site = site_of("H2", templates=templates)
    assert page(site, OPERATOR) == "<h1>Sub of com.example</h1>"
    assert "opsetdocs-facts" in page(site, f"{OPERATOR}13/")


def test_a_template_that_extends_ours_changes_a_single_block(site_of: SiteOf, tmp_path: Path) -> None:
    templates = write(
        tmp_path,
        "operator.html.jinja",
        '{% extends "default/operator.html.jinja" %}'
        "{% block history %}<p>Ask the {{ operator.name }} team.</p>{{ super() }}{% endblock %}",
    )
    plain, extended = page(site_of("H2"), OPERATOR), page(site_of("H2", templates=templates), OPERATOR)
    assert extended.replace("<p>Ask the Sub team.</p>", "").split() == plain.split()
    assert "<p>Ask the Sub team.</p>" in extended


def test_an_included_template_can_be_extended_too(site_of: SiteOf, tmp_path: Path) -> None:
    templates = write(
        tmp_path,
        "part.html.jinja",
        '{% extends "default/part.html.jinja" %}{% block body %}<p>{{ part.kind }}</p>{% endblock %}',
    )
    site = site_of("F1", templates=templates)
    assert "<p>function</p>" in page(site, "com.example/operators/ScaledRelu/")


def test_a_project_can_make_its_own_pieces(site_of: SiteOf, tmp_path: Path) -> None:
    templates = write(
        tmp_path,
        "upgrade.html.jinja",
        '{% extends "default/upgrade.html.jinja" %}'
        "{% macro own(step) %}<i>{{ step.operator.name }} {{ url(step.address) }}</i>{% endmacro %}"
        "{% block groups %}{% for group in groups %}{{ once_each(own, group.steps) }}{% endfor %}"
        "{% endblock %}",
    )
    html = page(site_of("H2", templates=templates), "com.example/opsets/7-13/")
    assert "<i>Sub ../../operators/Sub/7-13/</i>" in html


def test_a_piece_is_made_once_for_all_pages_of_a_folder() -> None:
    count = itertools.count(1)
    template = "{% macro own(thing) %}{{ thing }}{{ number() }} {% endmacro %}"
    environment = jinja2.Environment(autoescape=True)
    environment.globals["number"] = lambda: next(count)
    pieces, things = Pieces(), ["<a>", "b"]

    def made(page_template: str, address: str) -> str:
        macro = environment.from_string(template).module.own  # type: ignore[attr-defined]
        return pieces.of(page_template, address)(macro, things)

    assert made("one", "x/opsets/1-2/") == "&lt;a&gt;1 b2 "
    assert made("one", "x/opsets/1-3/") == "&lt;a&gt;1 b2 "
    assert made("one", "y/opsets/1-3/") == "&lt;a&gt;3 b4 "
    assert made("other", "x/opsets/1-2/") == "&lt;a&gt;5 b6 "


def test_the_first_folder_wins(site_of: SiteOf, tmp_path: Path) -> None:
    folders: list[Path] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        folders += write(tmp_path / name, "operator.html.jinja", name)
    assert page(site_of("H2", templates=tuple(folders)), OPERATOR) == "one"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{% if %}", r"operator\.html\.jinja:1: Expected an expression"),
        (
            "\n{{ nothing.at_all }}",
            r"operator\.html\.jinja:2: page com\.example/operators/\w+/: 'nothing' is undef",
        ),
        ("{{ 1 / 0 }}", r"operator\.html\.jinja:1: page .*: division by zero"),
        (
            '{% include "absent.html.jinja" %}',
            r"operator\.html\.jinja: there is no template absent\.html\.jinja",
        ),
    ],
)
def test_a_template_that_fails_is_named_with_its_line(
    site_of: SiteOf, tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(TemplateError, match=message):
        site_of("H2", templates=write(tmp_path, "operator.html.jinja", text))


def test_names_are_escaped_in_a_projects_own_template(site_of: SiteOf, tmp_path: Path) -> None:
    templates = write(tmp_path, "operator.html.jinja", "<h1>{{ operator.name }}</h1>")
    shown = [content(page.html) for page in site_of("S2", templates=templates).pages]
    assert "<h1>&lt;img src=x onerror=alert(1)&gt;</h1>" in shown
    assert not [html for html in shown if "<img" in html]


@pytest.mark.parametrize(
    ("here", "target", "directories", "files"),
    [
        ("", "", "./", "index.html"),
        ("", "ai.onnx/", "ai.onnx/", "ai.onnx/index.html"),
        ("ai.onnx/", "", "../", "../index.html"),
        ("ai.onnx/operators/Conv/", "ai.onnx/operators/Conv/11/", "11/", "11/index.html"),
        ("ai.onnx/operators/Conv/11/", "ai.onnx/operators/Conv/", "../", "../index.html"),
        (
            "ai.onnx/operators/Conv/11/",
            "ai.onnx/opsets/22/#x",
            "../../../opsets/22/#x",
            "../../../opsets/22/index.html#x",
        ),
        ("ai.onnx/", "catalog.json", "../catalog.json", "../catalog.json"),
    ],
)
def test_links_are_relative_to_the_page(here: str, target: str, directories: str, files: str) -> None:
    assert Place(here, directory_urls=True).url(target) == directories
    assert Place(here, directory_urls=False).url(target) == files


def test_examples_of_the_current_version_stand_on_the_page_of_the_operator_alone(tmp_path: Path) -> None:
    operators = "".join(
        f"""operator {{
          op_type: "Sub" since_version: {number} status: STABLE
          doc_string: "Text.\\n\\n## Examples\\n\\n### one\\n\\n```python\\nsub_{number}()\\n```\\n"
        }}"""
        for number in (1, 2)
    )
    head = 'magic: "ONNXOPSET" ir_version: 10 domain: "com.example" opset_version: 2'
    sources = (str(*write(tmp_path, "ops.textproto", f"{head} {operators}")),)
    site = build_site(SiteOptions(sources=sources))
    found = {address: page(site, f"{OPERATOR}{address}") for address in ("", "1/", "2/")}
    assert {address for address, html in found.items() if "sub_1()" in html} == {"1/"}
    assert {address for address, html in found.items() if "sub_2()" in html} == {""}
    assert '<h2 id="com.example.Sub.examples">' in found[""]
    assert '<a href="../#com.example.Sub.examples">' in found["2/"]
