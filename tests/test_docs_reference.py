"""The reference pages say what the code says, and all of it."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import click
import jinja2
import jinja2.meta
import jinja2.nodes
import pytest
from click.testing import CliRunner
from mkdocs.utils.yaml import yaml_load

from opsetdocs.check_settings import SHARED_KEYS
from opsetdocs.cli import main
from opsetdocs.docstring import SectionKind, parse
from opsetdocs.plugin_options import OpsetDocsConfig
from opsetdocs.render import environment
from opsetdocs.site import DomainOptions
from reference import MAKERS, PAGES, TOP, Format, parts, renewed

NAMES = sorted(path.name for path in PAGES.glob("*.md"))
COMMANDS = sorted(main.commands)


def page(name: str) -> str:
    return (PAGES / name).read_text("utf-8")


# What is made from the code


@pytest.mark.parametrize("name", NAMES)
def test_what_is_made_from_the_code_is_what_the_code_says(name: str, request: pytest.FixtureRequest) -> None:
    made = renewed(page(name))
    if request.config.getoption("--renew-snapshots"):
        (PAGES / name).write_text(made, "utf-8")
    assert page(name) == made, "pytest tests/test_docs_reference.py --renew-snapshots writes it anew"


def test_everything_that_is_made_stands_on_a_page_once() -> None:
    found = [part for name in NAMES for part in parts(page(name))]
    assert sorted(found) == sorted(MAKERS)


@pytest.mark.parametrize("schema", ["catalog.schema.json", "check.schema.json"])
def test_every_property_of_a_format_has_a_meaning(schema: str) -> None:
    described = Format.of(schema)
    properties = [
        (name, key, value) for name, item in described.objects() for key, value in item["properties"].items()
    ]
    assert len(properties) > 20
    assert not [(name, key) for name, key, value in properties if not described.meaning(value)]


# Commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches(name: str) -> None:
    command = main.commands[name]
    shown = CliRunner().invoke(main, [name, "--help"], terminal_width=80).output
    examples = shown.partition("Example")[2].partition("\nOptions:")[0]
    assert re.findall(rf"^      opsetdocs {name}\b", examples, re.MULTILINE), "an example"
    codes = re.findall(r"^      (\d+) +\S", shown.partition("Exit codes:")[2], re.MULTILINE)
    assert codes in (["0", "2", "130"], ["0", "1", "2", "130"])
    options = [item for item in command.params if isinstance(item, click.Option)]
    assert not [item.name for item in options if not re.match(r"[A-Z].*[.\]]\Z", item.help or "", re.DOTALL)]
    assert not [
        item.name
        for item in options
        if not (item.is_flag or item.metavar or isinstance(item.type, click.Choice))
    ], "what stands for a value has a name"


def test_the_list_of_commands_is_not_cut() -> None:
    shown = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    listed = shown.partition("Commands:\n")[2]
    assert re.findall(r"^  (\w+)", listed, re.MULTILINE) == COMMANDS
    assert "..." not in listed


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section(name: str) -> None:
    section = page("commands.md").partition(f"\n## opsetdocs {name}\n")[2].partition("\n## ")[0]
    assert f"opsetdocs {name}" in parts(section)
    for parameter in main.commands[name].params:
        if isinstance(parameter, click.Option):
            assert all(f"`{option}" in section for option in parameter.opts)
        else:
            assert (parameter.metavar or str(parameter.name).upper()).strip("[].") in section


def test_the_start_page_names_every_command() -> None:
    (line,) = [line for line in page("index.md").splitlines() if "(commands.md)" in line]
    assert {name for name in COMMANDS if f"`{name}`" not in line.replace("`opsetdocs ", "`")} == set()


# Options


def rows(text: str) -> dict[str, list[str]]:
    """Return the cells of tables by the names that stand as code in the first one."""
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^\| (`.*) \|$", text, re.MULTILINE):
        first, *rest = line.split(" | ")
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", first), rest)
    return found


def yaml_of(text: str) -> Any:
    return yaml_load(f"value: {text.strip('`')}")["value"]


def test_every_option_of_the_plugin_has_a_row_with_its_default() -> None:
    stated = rows(page("plugin.md").partition("## How it fits")[0])
    options = dict(OpsetDocsConfig._schema)
    assert set(stated) - {"title", "description"} == set(options) - {"title", "description"}
    defaults = {name: option.default for name, option in options.items() if option.default}
    assert {name: yaml_of(stated[name][0]) for name in defaults} == defaults


def test_every_option_of_a_domain_is_named() -> None:
    (meaning,) = [row[-1] for name, row in rows(page("plugin.md")).items() if name == "domains"]
    assert {item.name for item in fields(DomainOptions) if f"`{item.name}`" not in meaning} == set()


def test_every_key_of_a_check_has_a_row() -> None:
    stated = rows(page("check.md").partition("| key | meaning |")[2].partition("\n\n")[0])
    assert {*stated, "sources"} == set(SHARED_KEYS)


def test_every_option_of_the_theme_has_a_row_with_its_default() -> None:
    options = yaml_load((TOP / "site_config/theme/mkdocs_theme.yml").read_text("utf-8"))
    stated = rows(page("theme.md").partition("## Options")[2].partition("\n## ")[0])
    # How MkDocs is to treat the theme is nothing that a project says.
    ours = {"include_search_page", "search_index_only", "static_templates"}
    assert set(stated) == set(options) - ours
    defaults = {name: row[0] for name, row in stated.items()}
    as_code = {name: yaml_of(default) for name, default in defaults.items() if default.startswith("`")}
    in_words = [name for name in defaults if name not in as_code]
    assert as_code == {name: options[name] for name in as_code}
    assert not [name for name in in_words if options[name]], "a default that can be written is written"


# Templates


TEMPLATES = sorted(
    path.relative_to(TOP / "templates").as_posix() for path in (TOP / "templates").rglob("*.jinja")
)
OVERVIEW = (TOP / "templates/README.md").read_text("utf-8")


def section(title: str) -> str:
    return OVERVIEW.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", [name for name in TEMPLATES if "/" not in name])
def test_every_template_has_a_row_with_its_blocks(name: str) -> None:
    blocks = re.findall(r"\{% block (\w+)", (TOP / "templates" / name).read_text("utf-8"))
    stated = rows(OVERVIEW.partition("\n## ")[0])[name]
    assert re.findall(r"`(\w+)`", stated[-1] if len(stated) > 1 else "") == list(dict.fromkeys(blocks))


def used_variables(source: str) -> set[str]:
    """Return what a template receives and uses: not what it imports or defines for its blocks."""
    jinja = environment(())
    jinja.filters["md"] = str  # the twins have it
    tree = jinja.parse(source)
    imported = {
        name if isinstance(name, str) else name[1]
        for node in tree.find_all(jinja2.nodes.FromImport)
        for name in node.names
    }
    macros = {node.name for node in tree.find_all(jinja2.nodes.Macro)}
    return jinja2.meta.find_undeclared_variables(tree) - imported - macros - {"super", "caller"}


@pytest.mark.parametrize("name", [name for name in TEMPLATES if "macros" not in name])
def test_every_variable_of_a_template_is_documented(name: str) -> None:
    used = used_variables((TOP / "templates" / name).read_text("utf-8"))
    variables, twins = rows(section("Variables")), rows(section("Markdown twins"))
    row = name.removeprefix("markdown/").replace(".md.jinja", ".html.jinja")
    stated = set(re.findall(r"`(\w+)`", " ".join(variables.get(row, ()))))
    known = stated | variables.keys() | (twins.keys() if name.startswith("markdown/") else set())
    if name == "markdown/llms.md.jinja":
        known |= set(re.findall(r"`(\w+)`", section("Markdown twins")))
    assert used <= known, used - known


# Conventions


def test_the_example_of_the_conventions_is_read_as_the_page_says() -> None:
    example = page("conventions.md").partition("````markdown\n")[2].partition("\n````")[0]
    doc = parse(example)
    found = {kind: doc.section(kind) for kind in SectionKind}
    assert all(found.values())
    attributes = found[SectionKind.ATTRIBUTES]
    inputs = found[SectionKind.INPUTS]
    assert attributes
    assert inputs
    assert [(entry.name, entry.default, entry.required, entry.optional) for entry in attributes.entries] == [
        ("axis", "-1", False, False),
        ("mode", '"nearest"', False, False),
        ("pads", None, False, True),
        ("kernel_shape", None, True, False),
    ]
    assert (inputs.minimum, inputs.maximum) == (1, 3)
    assert [(entry.differentiable, entry.variadic, entry.at_least) for entry in inputs.entries] == [
        (True, False, None),
        (False, False, None),
        (None, True, 1),
    ]


@pytest.mark.parametrize("kind", SectionKind)
def test_the_conventions_name_every_section(kind: SectionKind) -> None:
    assert f"`{kind.value}`" in page("conventions.md").partition("## Sections")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("- `a` (required) : T", "required", True),
        ("- `a` (optional) : T", "optional", True),
        ("- `a` (default `3`) : T", "default", "3"),
        ("- `a` (variadic) : T", "variadic", True),
        ("- `a` (variadic, at least 2) : T", "at_least", 2),
        ("- `a` (homogeneous) : T", "homogeneous", True),
        ("- `a` (heterogeneous) : T", "homogeneous", False),
        ("- `a` (differentiable) : T", "differentiable", True),
        ("- `a` (non-differentiable) : T", "differentiable", False),
    ],
)
def test_every_mark_of_the_conventions_is_read(text: str, field: str, value: object) -> None:
    table = page("conventions.md").partition("## Entries")[2].partition("\n## ")[0]
    section = parse(f"## Inputs\n\n{text}\n").section(SectionKind.INPUTS)
    assert section
    (entry,) = section.entries
    assert getattr(entry, field) == value
    mark = entry.marks[-1].split("`")[0].replace("2", "N").strip()
    assert mark in table
