"""`opsetdocs show`: operators in the terminal, as text, Markdown and JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import onnx.defs
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from conftest import CASES, case_files, run_opsetdocs
from opsetdocs.addresses import assign
from opsetdocs.build import build_site
from opsetdocs.catalog import Catalog, Event, EventKind, OpsetRange
from opsetdocs.catalog_json import CATALOG, SCHEMA
from opsetdocs.cli import main
from opsetdocs.diff import compare_versions
from opsetdocs.errors import ConfigError
from opsetdocs.history import build_catalog
from opsetdocs.lookup import find
from opsetdocs.plain_text import visible
from opsetdocs.render import environment
from opsetdocs.resources import site_config_dir
from opsetdocs.show import happened, in_opsets, operator_lines
from opsetdocs.site import SiteOptions
from opsetdocs.sources import load
from opsetdocs.terminal import Line, cells, cut, echo, folded, table, visible_lines, wrapped
from opsetdocs.twins import twin_address

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eevil\u2066\x7f\r"
SHOWN = ["H2", "H4", "H5", "F1", "F3", "S2", "N8", "T3"]


def pattern(case: str) -> str:
    """Return the source that names all files of a case."""
    return str(CASES / f"{case}-*.textproto")


def show(*arguments: str, code: int = 0, **environment: str) -> str:
    result: Result = CliRunner(env={"COLUMNS": "80", **environment}).invoke(main, ["show", *arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def catalog_of(*cases: str) -> Catalog:
    return build_catalog(load(case_files(*cases), base=Path()).sets)


def set_file(folder: Path, opset: int, *operators: dict[str, object], domain: str = "com.example") -> Path:
    """Write an operator set, and return its file."""
    path = folder / f"{domain}-{opset}.onnxjson".replace("\x1b", "")
    base = {"magic": "ONNXOPSET", "irVersion": 10, "domain": domain, "opsetVersion": opset}
    path.write_text(json.dumps(base | {"operator": operators}), encoding="utf-8")
    return path


def operator(name: str, since_version: int = 1, doc_string: str = "Text.", status: str = "STABLE") -> Any:
    return {"opType": name, "sinceVersion": since_version, "status": status, "docString": doc_string}


@pytest.fixture(scope="module")
def onnx_catalog() -> Catalog:
    return build_catalog(load(("onnx",), base=Path()).sets)


def lines(catalog: Catalog, name: str, width: int) -> list[str]:
    return [line.text for line in operator_lines(find(catalog, name), width, examples=False)]


# Lists


@pytest.fixture(scope="module")
def onnx_list() -> str:
    return show("onnx")


def test_every_operator_and_opset_of_onnx_has_a_line(onnx_list: str) -> None:
    latest = list(onnx.defs.get_all_schemas())
    rows = re.findall(r"^(\w+) +(stable|experimental) +(\d+) ", onnx_list, re.MULTILINE)
    statuses = {onnx.defs.OpSchema.SupportType.EXPERIMENTAL: "experimental"}
    assert sorted(rows) == sorted(
        (item.name, statuses.get(item.support_level, "stable"), str(item.since_version)) for item in latest
    )
    assert len(re.findall(r"^\d+ +\d+ +\d+ (?:introduced|changed)", onnx_list, re.MULTILINE)) == 35


def test_lines_fit_the_terminal(onnx_list: str) -> None:
    assert max(map(len, onnx_list.splitlines())) <= 80
    wide = show(pattern("H2"), COLUMNS="200")
    assert "Subtracts, new broadcasting, more types." in wide
    narrow = show(pattern("H2"), COLUMNS="45")
    assert max(map(len, narrow.splitlines())) <= 45
    assert "Subtracts, new broadcasting, more types." not in narrow


def test_a_list_says_what_is_not_usual() -> None:
    text = show(pattern("H4"), COLUMNS="200")
    [line] = [line for line in text.splitlines() if line.startswith("Upsample")]
    assert "(removed in opset 10, last seen in 9)" in line
    assert re.search(r"^Affine +experimental +1 ", text, re.MULTILINE)
    statuses = [
        status.number for status in (item.current.status for item in catalog_of("H6").domains[0].operators)
    ]
    assert None in statuses
    assert " not stated " in show(pattern("H6"))


def test_missing_opsets_are_named(tmp_path: Path) -> None:
    for opset in (2, 5):
        set_file(tmp_path, opset, operator("A", 1))
    assert "Not loaded, and therefore not known: opsets 1, 3 to 4." in show(str(tmp_path))


# One operator


def test_an_operator_with_its_history() -> None:
    text = show(pattern("H2"), "Sub")
    assert text.splitlines()[0] == "com.example.Sub"
    assert re.search(r"^  version +13$", text, re.MULTILINE)
    assert "  Subtracts, new broadcasting, more types.\n" in text
    numbers = re.findall(r"^  (\d+), stable, (opsets? [\d to]+): (.*)$", text, re.MULTILINE)
    assert numbers == [
        ("13", "opsets 13 to 20", "changed in opset 13"),
        ("7", "opsets 7 to 12", "changed in opset 7"),
        ("6", "opset 6", "changed in opset 6"),
        ("1", "opsets 1 to 5", "introduced in opset 1"),
    ]
    assert text.count("    words     text changed\n") == 3


def test_a_named_version_is_shown_and_the_current_one_named() -> None:
    text = show(pattern("H1"), "Split-13")
    assert "  The parts must be of equal size when no sizes are given.\n" in text
    assert "  version   13; the current one is 18\n" in text


@pytest.mark.parametrize("name", ["Conv", "Resize", "BatchNormalization", "LayerNormalization"])
def test_the_history_of_onnx_has_every_change_in_words(onnx_catalog: Catalog, name: str) -> None:
    text = " ".join(" ".join(lines(onnx_catalog, name, 500)).split())
    for old, new in pairwise(find(onnx_catalog, name).operator.versions):
        for change in compare_versions(old, new).changes:
            assert f"{change.weight.label} {change.plain}" in text
    assert "## Attributes" in text


def test_an_operator_of_onnx_fits_the_terminal(onnx_catalog: Catalog) -> None:
    assert max(map(len, lines(onnx_catalog, "Conv", 80))) <= 80


def test_examples_are_shown_on_demand(onnx_catalog: Catalog) -> None:
    left_out = lines(onnx_catalog, "Conv", 80)
    assert "  ## Examples" not in left_out
    assert "  Examples are left out; --examples shows them." in left_out
    assert "  ## Examples" in show("onnx", "Conv", "--examples").splitlines()


def test_a_function_is_shown_with_its_fields_and_body() -> None:
    text = show(pattern("F1"), "ScaledRelu")
    for line in ("- `alpha` (required)", "- `x`", "It uses ai.onnx opset 14.", "r = Relu (x)"):
        assert line in text
    assert "1 (derived: the first loaded opset that has this function)" in text


def test_an_operator_that_is_a_function_too_is_shown_as_both() -> None:
    text = show(pattern("F3"), "Swish")
    assert "Text as operator\n" in text
    assert "Text as function\n" in text


def test_earlier_texts_of_a_version_are_told(tmp_path: Path) -> None:
    for opset, text in enumerate(["One.", "Two.", "Two."], 1):
        set_file(tmp_path, opset, operator("A", 1, text, "EXPERIMENTAL"))
    text = show(str(tmp_path), "A")
    assert "1, experimental, opsets 1 to 3: introduced in opset 1; revised in opset 2" in text
    assert "from the text of opset 1 to that of opset 2:\n    words     text changed\n" in text


def test_a_conflict_is_told(tmp_path: Path) -> None:
    for opset, text in enumerate(["One.", "Two."], 1):
        set_file(tmp_path, opset, operator("A", 1, text))
    assert "conflict  the files do not agree; this is what opset 2 says" in show(str(tmp_path), "A")


# Names


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Conv", "ai.onnx.Conv"),
        ("conv", "ai.onnx.Conv"),
        ("AI.ONNX.CONV", "ai.onnx.Conv"),
        ("ai.onnx.Conv-1", "ai.onnx.Conv-1"),
        ("conv-1", "ai.onnx.Conv-1"),
        ("Conv-2", "ai.onnx.Conv-2"),
        ("Gelu", None),
        ("gelu", None),
        ("com.acme.Gelu", "com.acme.Gelu"),
        ("case", "com.acme.case"),
        ("Case", "com.acme.Case"),
        ("CASE", None),
        ("Foo:fast", "com.acme.Foo:fast"),
        ("com.acme.foo:FAST-3", "com.acme.Foo:fast-3"),
        ("Foo", "com.acme.Foo"),
        ("Bar", "com.acme.Bar:only"),
        ("Con", None),
        ("Conv-9", None),
        ("Conv-", None),
        ("", None),
    ],
)
def test_names(tmp_path: Path, name: str, found: str | None) -> None:
    default = [operator("Conv", 1), operator("Conv", 3), operator("Gelu", 2)]
    # An operator may be called like a version of another one.
    set_file(tmp_path, 3, *default, operator("Conv-2", 3), domain="ai.onnx")
    path = set_file(tmp_path, 3, operator("Gelu"), operator("case"), operator("Case"), domain="com.acme")
    functions = [
        {"name": "Foo", "overload": overload, "metadataProps": [{"key": "since_version", "value": "3"}]}
        for overload in ("", "fast")
    ]
    content = json.loads(path.read_text(encoding="utf-8"))
    content["functions"] = [*functions, {"name": "Bar", "overload": "only"}]
    path.write_text(json.dumps(content), encoding="utf-8")
    catalog = build_catalog(load((str(tmp_path),), base=Path()).sets)
    if found is None:
        with pytest.raises(ConfigError):
            find(catalog, name)
    else:
        assert find(catalog, name).name == found


@pytest.mark.parametrize(
    ("source", "name", "said"),
    [
        ("N8", "gelu", "ai.onnx.Gelu, com.microsoft.Gelu"),
        ("N8", "Gelo", "near to it: Gelu"),
        ("H1", "Split-14", "it has 13, 18"),
        ("H1", "Nothing at all", "there is no operator Nothing at all\n"),
    ],
)
def test_a_name_that_fits_not_exactly_one_operator(source: str, name: str, said: str) -> None:
    assert said in show(pattern(source), name, code=2)


# JSON and Markdown


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads((site_config_dir() / SCHEMA).read_text(encoding="utf-8")))


@pytest.mark.parametrize("case", SHOWN)
def test_data_is_that_of_the_site_and_keeps_the_schema(case: str, validator: Draft202012Validator) -> None:
    shown = json.loads(show(pattern(case), "--format", "json"))
    assert [error.message for error in validator.iter_errors(shown)] == []
    assert shown == json.loads(build_site(SiteOptions(sources=case_files(case))).assets[CATALOG])


@pytest.mark.parametrize("case", SHOWN)
def test_data_of_one_operator_keeps_the_schema(case: str, validator: Draft202012Validator) -> None:
    whole = json.loads(show(pattern(case), "--format", "json"))
    for domain in whole["domains"]:
        for entry in domain["operators"]:
            name = f"{domain['name']}.{entry['name']}"
            shown = json.loads(show(pattern(case), name, "--format", "json"))
            assert validator.is_valid(shown)
            assert shown["domains"][0]["operators"] == [entry]
            assert all(set(opset["members"]) <= {entry["id"]} for opset in shown["domains"][0]["opsets"])
            first = entry["versions"][0]
            shown = json.loads(show(pattern(case), f"{name}-{first['since_version']}", "--format", "json"))
            assert validator.is_valid(shown)
            assert shown["domains"][0]["operators"][0]["versions"] == [first]


@pytest.mark.parametrize("case", SHOWN)
def test_markdown_is_that_of_the_site(case: str) -> None:
    assets = build_site(SiteOptions(sources=case_files(case))).assets
    catalog = catalog_of(case)
    addresses = assign(catalog)

    def expected(*pages: str) -> list[str]:
        return "\n".join(visible_text(assets[twin_address(page)].decode()) for page in pages).splitlines()

    whole = show(pattern(case), "--format", "markdown").splitlines()
    assert whole == expected(*(addresses.domain(domain.name) for domain in catalog.domains))
    for domain in catalog.domains:
        for history in domain.operators:
            name = f"{domain.name}.{history.name}"
            shown = show(pattern(case), name, "--format", "markdown").splitlines()
            assert shown == expected(addresses.operator(history))
            number = history.versions[0].since_version
            shown = show(pattern(case), f"{name}-{number}", "--format", "markdown").splitlines()
            assert shown == expected(addresses.version(history, number))


def visible_text(text: str) -> str:
    return "\n".join(visible_lines(text))


# Words


@pytest.mark.parametrize(
    "event",
    [
        Event(EventKind.INTRODUCED, 1, 1),
        Event(EventKind.FIRST_SEEN, 5, 2, (OpsetRange(1, 4),)),
        Event(EventKind.CHANGED, 7, 7),
        Event(EventKind.DEPRECATED, 7, 7, (OpsetRange(6, 6),)),
        Event(EventKind.REVISED, 9, 7, (OpsetRange(2, 2), OpsetRange(4, 8))),
        Event(EventKind.REMOVED, 9, 7, last_seen=8),
        Event(EventKind.REMOVED, 9, 7),
        Event(EventKind.REMOVED, 12, 7, (OpsetRange(10, 11),), last_seen=9),
    ],
)
def test_events_have_the_words_of_pages(event: Event) -> None:
    words = environment(()).get_template("macros.html.jinja").module.event(event)  # type: ignore[attr-defined]
    assert happened(event) == str(words).strip().replace("\u00a0", " ")


def test_opsets_in_words() -> None:
    assert in_opsets(()) == "in no loaded opset"
    assert in_opsets((OpsetRange(3, 3),)) == "opset 3"
    assert in_opsets((OpsetRange(1, 2), OpsetRange(4, 4))) == "opsets 1 to 2, 4"


# What nobody has to trust


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a⊗é 漢", "a⊗é 漢"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b2J\x7f\x00", r"\x9b2J\x7f\x00"),
        ("a\u202eb\u2066c\u200fd", r"a\u202eb\u2066c\u200fd"),
        ("a\nb\tc\u2028d", r"a\nb\tc\u2028d"),
        ("\ud800", r"\ud800"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
        ("a\u00a0b", "a\u00a0b"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


def test_lines_end_alike() -> None:
    assert visible_lines("a\r\nb\rc\n\td\x0b") == ["a", "b", "c", r"    d\x0b"]


def hostile_file(folder: Path) -> Path:
    doc = f"{HOSTILE}Text.\n\n## Attributes\n\n- `a{HOSTILE}` (default `1`, {HOSTILE}) : int\n\n  {HOSTILE}\n"
    entries = [operator(f"A{HOSTILE}\nB", 1, f"**Deprecated** {HOSTILE}"), operator(f"A{HOSTILE}\nB", 2, doc)]
    return set_file(folder, 2, *entries, operator(f"C{HOSTILE}"), domain=f"com.{HOSTILE}.ops")


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
@pytest.mark.parametrize("name", [None, f"A{HOSTILE}\nB", f"a{HOSTILE}\nb-1", f"A{HOSTILE}\nC"])
def test_no_text_reaches_the_terminal_as_a_command(tmp_path: Path, format_: str, name: str | None) -> None:
    path = str(hostile_file(tmp_path).rename(tmp_path / "ops.onnxjson"))
    arguments = [path, *([name] if name else []), "--format", format_]
    result = CliRunner().invoke(main, ["show", *arguments], color=True)
    assert result.exit_code == (2 if name and name.endswith("C") else 0)
    # Colours of our own are all that is not printable.
    assert visible(re.sub(r"\x1b\[[0-9;]*m|\n", "", result.output)) == re.sub(
        r"\x1b\[[0-9;]*m|\n", "", result.output
    )
    assert "\x1b[31m" not in result.output
    assert "evil" in result.output


def test_a_hostile_file_name_is_made_visible(tmp_path: Path) -> None:
    name = "a\x1b[31mb.textproto"
    (tmp_path / name).write_bytes(b"nothing of the kind {")
    done = run_opsetdocs("show", name, cwd=tmp_path)
    assert done.returncode == 2
    assert r"a\x1b[31mb.textproto" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("environment", "color", "coloured"),
    [({}, True, True), ({"NO_COLOR": "1"}, True, False), ({"NO_COLOR": ""}, True, True), ({}, False, False)],
)
def test_colours(environment: dict[str, str], color: bool, coloured: bool) -> None:
    result = CliRunner(env=environment).invoke(main, ["show", pattern("H1"), "Split"], color=color)
    assert ("\x1b[1m" in result.output) is coloured


def test_a_line_has_the_colour_that_it_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    echo([Line("a\x1b"), Line("b", colour="red")])
    assert capsys.readouterr().out == "a\\x1b\nb\n"


# Lines


def test_cells_and_cuts() -> None:
    assert [cells(text) for text in ("abc", "漢字", "e\u0301", "")] == [3, 4, 1, 0]
    assert cut("abcdefghijklmno", 15) == "abcdefghijklmno"
    assert cut("abcdefghi klmno", 14) == "abcdefghi k..."
    assert cut("abcdefghi klmno", 13) == "abcdefghi..."
    assert cut("漢字漢字漢字漢字", 12) == "漢字漢字..."
    assert cut("abcdefghijklmno", 9) == ""


def test_a_long_cell_moves_its_row_and_is_not_cut() -> None:
    rows = [("name", "x", "about"), ("n" * 30, "y", "z" * 80)]
    assert list(table(rows, 60)) == [
        f"name{' ' * 18}x  about",
        f"{'n' * 30}  y  {'z' * 22}...",
    ]


def test_long_words_are_not_broken() -> None:
    assert wrapped("a  b\nccccccccccc-ccccccccccc d", 12, "> ", "  ") == [
        "> a b",
        "  ccccccccccc-ccccccccccc",
        "  d",
    ]


def test_prose_is_folded_and_code_is_not() -> None:
    lines = ["- aaa bbb ccc", "```", "aaa bbb ccc ddd", "```", "| aaa | bbb | ccc |", "  aaa bbb ccc", ""]
    assert list(folded(lines, 10)) == ["- aaa bbb", "  ccc", *lines[1:5], "  aaa bbb", "  ccc", ""]


# Files


def test_what_can_be_read_is_shown_where_another_file_is_unusable(tmp_path: Path) -> None:
    set_file(tmp_path, 1, operator("A"))
    (tmp_path / "broken.onnxopset").write_bytes(b"\xff\xff")
    done = run_opsetdocs("show", ".", cwd=tmp_path)
    assert done.returncode == 2
    assert "ERROR: broken.onnxopset" in done.stderr
    assert "\nA " in done.stdout


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("absent", "does not exist"),
        (str(CASES / "L11-empty.textproto"), "empty"),
        (str(CASES / "L8-typo-field.textproto"), "operater"),
    ],
)
def test_an_unusable_source(source: str, said: str) -> None:
    assert said in show(source, code=2)


def test_what_has_no_identity_is_reported(tmp_path: Path) -> None:
    set_file(tmp_path, 1, operator(""), operator("B"))
    done = run_opsetdocs("show", ".", cwd=tmp_path)
    assert (done.returncode, "OPERATOR_OP_TYPE_PRESENT" in done.stderr) == (0, True)
    set_file(tmp_path, 0, operator("C")).rename(tmp_path / "com.example-1.onnxjson")
    done = run_opsetdocs("show", ".", cwd=tmp_path)
    assert (done.returncode, "OPSET_VERSION_PRESENT" in done.stderr) == (2, True)


def test_standard_input_is_a_source() -> None:
    data = (CASES / "L3-plain.textproto").read_bytes()
    result = CliRunner().invoke(main, ["show", "-", "Halve"], input=data)
    assert result.exit_code == 0
    assert result.output.startswith("com.example.Halve\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_any_encoding(encoding: str, format_: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "opsetdocs", "show", *case_files("T2"), "--format", format_],
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    # Where a stream claims to know ASCII alone, click writes UTF-8.
    text = done.stdout.decode(encoding.replace("ascii", "utf-8"))
    if format_ == "json":
        [summary] = [item["summary"] for item in json.loads(text)["domains"][0]["operators"]]
        assert summary == "S = β (k ⊗ v), result in ±∞, done 👍🏽."
    else:
        assert (r"\u2297" if encoding == "cp1252" else "⊗") in text


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "opsetdocs", "show", "onnx", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stderr
        assert process.stdout.readline() == b"{\n"
        process.stdout.close()
        assert process.stderr.read() == b""
