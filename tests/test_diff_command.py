"""`opsetdocs diff`: what changed between two opsets, in the terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import onnx.defs
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from conftest import CASES, case_files, run_opsetdocs
from operator_sets import EXPERIMENTAL, function, operator, opset
from opsetdocs.catalog import Catalog
from opsetdocs.catalog_json import SCHEMA
from opsetdocs.change_kinds import Weight
from opsetdocs.cli import main
from opsetdocs.compare_sets import SetsDifference, Side, compare_sets
from opsetdocs.errors import ConfigError
from opsetdocs.history import build_catalog
from opsetdocs.model import OperatorSet
from opsetdocs.plain_text import visible
from opsetdocs.resources import site_config_dir
from opsetdocs.sources import load

NONE = "Nothing can be compared: no domain is in both sources."
HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202eevil"


def run(*arguments: str, code: int = 0) -> str:
    result: Result = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["diff", *arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def between(old: Sequence[OperatorSet], new: Sequence[OperatorSet], **options: Any) -> SetsDifference:
    return compare_sets(build_catalog(old), build_catalog(new), **options)


def told(difference: SetsDifference) -> list[tuple[str, str, Weight]]:
    [domain] = difference.domains
    return [(item.operator.name, item.versions, item.weight) for item in domain.operators]


def attributes(*lines: str) -> str:
    return "\n".join(["Text.", "", "## Attributes", "", *(f"- {line}" for line in lines)])


# All of ONNX


@pytest.fixture(scope="module")
def onnx_catalog() -> Catalog:
    return build_catalog(load(("onnx",), base=Path()).sets)


def registry(domain: str, version: int) -> dict[str, int]:
    """Return the version of each operator that an opset offers."""
    name = "" if domain == "ai.onnx" else domain
    found: dict[str, int] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain == name and schema.since_version <= version:
            found[schema.name] = max(found.get(schema.name, 0), schema.since_version)
    return found


@pytest.mark.parametrize(
    ("domain", "old", "new"),
    [("ai.onnx", 13, 21), ("ai.onnx", 1, 26), ("ai.onnx", 9, 10), ("ai.onnx", 21, 13), ("ai.onnx.ml", 1, 5)],
)
def test_an_operator_is_told_where_its_version_differs(
    onnx_catalog: Catalog, domain: str, old: int, new: int
) -> None:
    difference = compare_sets(onnx_catalog, onnx_catalog, domain=domain, old_opset=old, new_opset=new)
    [compared] = difference.domains
    found = {
        item.operator.name: (item.old and item.old.since_version, item.new and item.new.since_version)
        for item in compared.operators
    }
    before, after = registry(domain, old), registry(domain, new)
    assert found == {
        name: (before.get(name), after.get(name))
        for name in before | after
        if before.get(name) != after.get(name)
    }
    assert compared.unknown == ()


def test_text_of_onnx() -> None:
    text = run("onnx", "onnx", "--from", "13", "--to", "21")
    before, after = registry("ai.onnx", 13), registry("ai.onnx", 21)
    rows = re.findall(r"^  (\w+) ([\d to]+)$", text, re.MULTILINE)
    assert dict(rows) == {
        name: f"{before[name]} to {version}" if name in before else str(version)
        for name, version in after.items()
        if before.get(name) != version
    }
    assert text.startswith("ai.onnx: opset 13 to 21\n")
    assert "ai.onnx.ml: no opset 13 in the old source, which has 1 to 5" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_source_compared_with_itself_is_the_same(onnx_catalog: Catalog) -> None:
    difference = compare_sets(onnx_catalog, onnx_catalog)
    assert [domain.operators for domain in difference.domains] == [()] * len(onnx_catalog.domains)
    assert difference.is_empty


# Cases


@pytest.mark.parametrize(
    ("old", "new", "options", "expected"),
    [
        ("H1", "H1", ["--from", "13"], ["Split 13 to 18", "Signature kept (1)", "words     text changed"]),
        ("H2", "H2", ["--from", "6", "--to", "20"], ["Sub 6 to 13", "Mish 18", "New (1)"]),
        (
            "H4-a",
            "H4-b",
            [],
            [
                "Operators: 2 removed, 1 with the same signature.",
                "Removed (2)",
                "Affine 1",
                "Upsample 9",
                "Resize 9 to 10",
            ],
        ),
        ("H4-b", "H4-a", [], ["New (2)", "Affine 1", "Upsample 9", "Resize 10 to 9"]),
        ("H5", "H5", ["--from", "1"], ["Inverse 1 to 2", "words     promoted from experimental to stable"]),
        ("F1", "F1", [], ["com.example: opset 1 in both", "No operator differs."]),
        (
            "N8-a",
            "N8-b",
            [],
            [NONE, "ai.onnx: only in the old source", "com.microsoft: only in the new source"],
        ),
        ("N8-a", "N8", ["--domain", "com.microsoft"], [NONE, "com.microsoft: only in the new source"]),
        ("N8-a", "N8", [], ["ai.onnx: opset 20 in both", "com.microsoft: only in the new source"]),
        ("S2", "S2", [], ["com.a&b<c>: opset 1 in both", "No operator differs."]),
    ],
)
def test_cases(old: str, new: str, options: list[str], expected: list[str]) -> None:
    text = run(*(str(CASES / f"{name}-*.textproto") for name in (old, new)), *options)
    lines = [line.strip() for line in text.splitlines()]
    assert all(line in lines for line in expected), text


# What differs


def test_the_worst_comes_first_then_by_name() -> None:
    first = opset(
        1,
        operator("zoo", 1),
        operator("Gone", 1),
        operator("Narrow", 1, attributes("`a` : int")),
        operator("Default", 1, attributes("`a` (default `1`) : int")),
        operator("Kept", 1),
        operator("Ant", 1),
    )
    second = opset(
        2,
        operator("zoo", 2, attributes("`a` : int")),
        operator("New", 2),
        operator("Narrow", 2, attributes()),
        operator("Default", 2, attributes("`a` (default `2`) : int")),
        operator("Kept", 1),
        operator("Ant", 2, attributes("`a` : int")),
    )
    assert told(between([first], [second])) == [
        ("Gone", "1", Weight.REMOVED),
        ("Narrow", "1 to 2", Weight.NARROWED),
        ("Default", "1 to 2", Weight.DEFAULT),
        ("Ant", "1 to 2", Weight.WIDENED),
        ("zoo", "1 to 2", Weight.WIDENED),
        ("New", "2", Weight.NOTHING),
    ]


def test_another_version_that_says_the_same_is_told() -> None:
    difference = between([opset(1, operator("A", 1))], [opset(2, operator("A", 2))])
    assert told(difference) == [("A", "1 to 2", Weight.TEXT)]


@pytest.mark.parametrize(
    ("old", "new", "breaks_promise"),
    [
        (operator("A", 1, "One."), operator("A", 1, "Two."), True),
        (operator("A", 1, "One.", status=EXPERIMENTAL), operator("A", 1, "Two.", status=EXPERIMENTAL), False),
        (operator("A", 1, "One."), operator("A", 1, "One.", status=EXPERIMENTAL), True),
        (operator("A", 1, "One.", status=EXPERIMENTAL), operator("A", 1, "One."), False),
    ],
)
@pytest.mark.parametrize("new_opset", [2, 3])
def test_a_version_that_says_something_else_is_told(
    old: Any, new: Any, breaks_promise: bool, new_opset: int
) -> None:
    [domain] = between([opset(2, old)], [opset(new_opset, new)]).domains
    [found] = domain.operators
    assert (found.is_rewritten, found.breaks_promise, found.weight) == (True, breaks_promise, Weight.TEXT)


def test_white_space_is_no_difference() -> None:
    assert between([opset(1, operator("A", 1, "a b"))], [opset(1, operator("A", 1, "a\n b "))]).is_empty


def test_a_version_that_no_file_states_is_compared_by_what_it_says() -> None:
    same = function("F", body="1")
    assert between([opset(1, same)], [opset(2, same)]).is_empty
    changed = between([opset(1, same)], [opset(2, function("F", body="2"))])
    assert told(changed) == [("F", "1 to 2", Weight.DEFAULT)]


def test_the_text_of_an_opset_is_compared_with_that_of_the_same_opset() -> None:
    one = opset(1, operator("A", 1), doc="One.")
    assert not between([one], [opset(1, operator("A", 1), doc="Two.")]).is_empty
    assert between([one], [opset(2, operator("A", 1), doc="Two.")]).is_empty


def test_what_is_not_loaded_is_not_known() -> None:
    # The file of opset 9 holds every version so far, and so speaks for opset 7; of Gone it says nothing.
    cumulative = opset(9, operator("A", 1), operator("A", 8), operator("Late", 8))
    old = [opset(6, operator("A", 1), operator("Gone", 1))]
    [domain] = between(old, [cumulative], new_opset=7).domains
    assert [item.name for item in domain.unknown] == ["Gone"]
    assert domain.operators == ()
    [domain] = between(old, [cumulative]).domains
    assert told(between(old, [cumulative])) == [
        ("Gone", "1", Weight.REMOVED),
        ("A", "1 to 8", Weight.TEXT),
        ("Late", "8", Weight.NOTHING),
    ]
    assert domain.unknown == ()
    # That Late came with opset 8 is proved.
    assert told(between([cumulative], [cumulative], old_opset=7))[-1] == ("Late", "8", Weight.NOTHING)


# Which opsets


def sets(domain: str, *versions: int) -> list[OperatorSet]:
    return [opset(version, operator("A", 1), domain=domain) for version in versions]


def test_the_highest_opsets_are_compared_unless_others_are_chosen() -> None:
    old, new = sets("com.a", 1, 2), sets("com.a", 2, 3, 4)
    for options, expected in [
        ({}, (2, 4)),
        ({"old_opset": 1}, (1, 4)),
        ({"new_opset": 3}, (2, 3)),
        ({"old_opset": 1, "new_opset": 2}, (1, 2)),
    ]:
        [domain] = between(old, new, **options).domains
        assert (domain.old.version, domain.new.version) == expected


def test_a_domain_that_only_one_has_is_said() -> None:
    difference = between([*sets("com.a", 1), *sets("", 1)], [*sets("com.b", 1), *sets("ai.onnx", 1)])
    assert [item.old.domain for item in difference.domains] == ["ai.onnx"]
    assert [(item.domain, item.lacks, item.opset) for item in difference.not_compared] == [
        ("com.a", Side.NEW, None),
        ("com.b", Side.OLD, None),
    ]
    assert not difference.is_empty
    assert between(sets("", 1), [*sets("com.b", 1), *sets("", 1)], domain="").is_empty


def test_a_domain_without_the_chosen_opset_is_passed_over() -> None:
    both = [*sets("com.a", 1, 2), *sets("com.b", 2)]
    difference = between(both, both, old_opset=1)
    assert [item.old.domain for item in difference.domains] == ["com.a"]
    assert [item.words for item in difference.not_compared] == [
        "com.b: no opset 1 in the old source, which has 2"
    ]
    assert difference.is_empty


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"domain": "com.absent"}, "domain com.absent"),
        ({"old_opset": 9}, "com.a: no opset 9 in the old source, which has 1 to 2, 4"),
        ({"new_opset": 3, "domain": "com.a"}, "com.a: no opset 3 in the new source"),
    ],
)
def test_a_choice_that_nothing_has(options: dict[str, Any], said: str) -> None:
    both = sets("com.a", 1, 2, 4)
    with pytest.raises(ConfigError, match=said):
        between(both, both, **options)


# Formats


FORMATTED = [("H4-a", "H4-b"), ("F4", "F4"), ("H5", "H5"), ("N8-a", "N8-b")]


@pytest.mark.parametrize(("old", "new"), FORMATTED)
def test_text_markdown_and_data_say_the_same(old: str, new: str) -> None:
    arguments = [str(CASES / f"{name}-*.textproto") for name in (old, new)]
    text, markdown = (run(*arguments, "--format", name) for name in ("text", "markdown"))
    data = json.loads(run(*arguments, "--format", "json"))
    for domain in data["domains"]:
        old_opset, new_opset = domain["old"], domain["new"]
        opsets = f"{old_opset} to {new_opset}" if old_opset != new_opset else f"{old_opset} in both"
        assert f"{domain['name']}: opset {opsets}" in text
        assert f"# {domain['name']}: opset {opsets}" in markdown.splitlines()
        for item in domain["operators"]:
            assert f"\n  {item['name']} " in text
            assert f"\n- {item['name']} " in markdown
            for change in item["changes"]:
                assert change["words"] in " ".join(text.split())
                assert change["words"] in markdown.replace("`", "")
    for item in data["not_compared"]:
        assert f"{item['domain']}: only in" in text
        assert f"- {item['domain']}: only in" in markdown


def test_changes_keep_the_schema_of_the_catalog() -> None:
    schema = json.loads((site_config_dir() / SCHEMA).read_text(encoding="utf-8"))
    validator = Draft202012Validator({"$ref": "#/$defs/change", "$defs": schema["$defs"]})
    data = json.loads(
        run("onnx", "onnx", "--domain", "ai.onnx", "--from", "13", "--to", "21", "--format", "json")
    )
    [domain] = data["domains"]
    changes = [change for item in domain["operators"] for change in item["changes"]]
    assert len(changes) > 100
    assert all(validator.is_valid(change) for change in changes)
    weights = [weight.name.lower() for weight in sorted(Weight, reverse=True)]
    order = [[*weights, "new"].index(item["weight"]) for item in domain["operators"]]
    assert all(one <= other for one, other in pairwise(order))


def test_a_broken_promise_is_marked(tmp_path: Path) -> None:
    text = (CASES / "L3-plain.textproto").read_text(encoding="utf-8")
    changed = tmp_path / "changed.textproto"
    changed.write_text(text.replace("Multiplies every", "Doubles every"), encoding="utf-8")
    text = run(*case_files("L3"), str(changed))
    assert "  Double 1 in both opsets: a stable version should stay as it is\n" in text


@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_no_text_reaches_the_terminal_as_a_command(tmp_path: Path, format_: str) -> None:
    for version, default in ((1, "1"), (2, f"2{HOSTILE}")):
        doc = f"{HOSTILE}\n\n## Attributes\n\n- `a{HOSTILE}` (default `{default}`) : int\n"
        item = {"opType": f"A{HOSTILE}\nB", "sinceVersion": version, "status": "STABLE", "docString": doc}
        content = {"magic": "ONNXOPSET", "irVersion": 10, "domain": f"com.{HOSTILE}", "opsetVersion": version}
        path = tmp_path / f"{version}.onnxjson"
        path.write_text(json.dumps(content | {"operator": [item]}), encoding="utf-8")
    arguments = [str(tmp_path / f"{version}.onnxjson") for version in (1, 2)]
    result = CliRunner().invoke(main, ["diff", *arguments, "--format", format_], color=True)
    assert result.exit_code == 0
    left = re.sub(r"\x1b\[(0|1|33)m|\n", "", result.output)
    assert left == visible(left)
    assert "evil" in left


# The call


@pytest.mark.parametrize(
    ("old", "new", "options", "code"),
    [
        ("H4-a", "H4-b", [], 0),
        ("H4-a", "H4-b", ["--exit-code"], 1),
        ("H4-a", "H4-a", ["--exit-code"], 0),
        ("N8-a", "N8-b", ["--exit-code"], 1),
        ("H4-a", "H4-b", ["--from", "11"], 2),
        ("H4-a", "H4-b", ["--from", "0"], 2),
        ("H4-a", "H4-b", ["--domain", "com.absent"], 2),
        ("H4-a", "absent", [], 2),
        ("L11", "H4-a", [], 2),
    ],
)
def test_exit_codes(old: str, new: str, options: list[str], code: int) -> None:
    run(*(str(CASES / f"{name}-*.textproto") for name in (old, new)), *options, code=code)


def test_nothing_is_compared_where_a_file_is_unusable(tmp_path: Path) -> None:
    (tmp_path / "broken.onnxopset").write_bytes(b"\xff\xff")
    (tmp_path / "good.textproto").write_bytes((CASES / "L3-plain.textproto").read_bytes())
    done = run_opsetdocs("diff", "good.textproto", ".", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ERROR: broken.onnxopset" in done.stderr


def test_standard_input_is_a_source() -> None:
    [path] = case_files("L3")
    result = CliRunner().invoke(main, ["diff", path, "-", "--exit-code"], input=Path(path).read_bytes())
    assert (result.exit_code, "No operator differs." in result.output) == (0, True)


def test_where_a_body_changed_is_told(tmp_path: Path) -> None:
    for name, called in {"old": "Neg", "new": "<b>Abs"}.items():
        (tmp_path / f"{name}.textproto").write_text(
            'magic: "ONNXOPSET" domain: "com.acme" opset_version: 1\n'
            'functions { name: "F" domain: "com.acme" input: "x" output: "y"\n'
            f'  node {{ op_type: "{called}" input: "x" output: "y" }} }}\n'
        )
    files = [str(tmp_path / f"{name}.textproto") for name in ("old", "new")]
    text = run(*files)
    first, second = [line for line in text.splitlines() if "body of" in line or "node" in line]
    assert first.endswith("body of the function changed")
    assert second.strip() == "node[0]: op_type Neg became <b>Abs"
    assert "\n    - node" in (markdown := run(*files, "--format", "markdown"))
    assert "became <b>" not in markdown
    (operator,) = json.loads(run(*files, "--format", "json"))["domains"][0]["operators"]
    assert operator["body"] == [second.strip()]
