"""The rules of the format: the examples of all of them, and what is said of sets and single operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import opsetdocs
from operator_sets import EXPERIMENTAL, NOT_STATED, function, operator, opset
from opsetdocs.findings import Finding, Level
from opsetdocs.loader import ENDINGS, from_message, parse
from opsetdocs.model import OperatorSet, Status
from opsetdocs.rules import RULES, run
from opsetdocs.schema import OperatorSetProto
from opsetdocs.sources import load

CASES = Path(__file__).parent / "cases"
EXAMPLES = Path(opsetdocs.__file__).parent / "examples"

STATUS = "expected EXPERIMENTAL or STABLE"
NUMBER = "expected a number >= 1"
STANDS_FOR_IT = "the first loaded opset that has this very entry stands for it"
SINCE_1 = "since_version 1 is that of"
PARTS = "expected identifiers of ASCII letters, digits and hyphens, separated by dots"
IDENTIFIER = "expected a C identifier: ASCII letters, digits and underscores, no digit first"


@pytest.fixture(autouse=True)
def newest_ir_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules say is that of onnx 1.23, whichever version is installed."""
    monkeypatch.setattr("opsetdocs.rules.opset.newest_ir_version", lambda: 14)


# All rules


def check_folder(folder: Path) -> list[Finding]:
    """Return what is found in the files of an example, all of them together."""
    published = load(("published",), base=folder).sets if (folder / "published").is_dir() else ()
    loaded = load([path.name for path in folder.iterdir() if path.suffix in ENDINGS], base=folder)
    return [*loaded.findings, *run(loaded.sets, published)]


def test_every_rule_has_examples_and_every_example_a_rule() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_the_bad_example_gives_its_findings_and_no_other(rule: str) -> None:
    found = check_folder(EXAMPLES / rule / "bad")
    said = "".join("\n  ".join([str(finding), *finding.details]) + "\n" for finding in found)
    assert said == (EXAMPLES / rule / "bad" / "findings.txt").read_text("utf-8")
    assert {finding.rule for finding in found} == {rule}
    assert max(finding.level for finding in found) == RULES[rule].level


@pytest.mark.parametrize("rule", RULES)
def test_the_good_example_gives_none(rule: str) -> None:
    assert check_folder(EXAMPLES / rule / "good") == []


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_says_what_it_is_for_and_how_to_mend_it(rule: str) -> None:
    explained = RULES[rule]
    assert explained.id == rule
    assert explained.source
    assert explained.mend.startswith("To mend it, ")
    assert all(text.endswith(".") for text in (explained.sentence, explained.purpose, explained.mend))


# Rules about sets and single operators


BAD: list[tuple[str, Level, Sequence[OperatorSet], list[str]]] = [
    (
        "OPSET_MAGIC",
        Level.ERROR,
        [replace(opset(1, source="a"), magic=None), replace(opset(2, source="b"), magic="ONNX")],
        [
            'a: magic is absent, expected "ONNXOPSET"',
            'b: magic is "ONNX", expected "ONNXOPSET"',
        ],
    ),
    (
        "OPSET_IR_VERSION_PRESENT",
        Level.ERROR,
        [replace(opset(1, source="a"), ir_version=None), opset(2, ir_version=0, source="b")],
        [f"a: ir_version is missing, {NUMBER}", f"b: ir_version is 0, {NUMBER}"],
    ),
    (
        "OPSET_IR_VERSION_KNOWN",
        Level.WARNING,
        [opset(1, ir_version=14), opset(2, ir_version=15, source="b")],
        ["b: ir_version is 15, expected at most 14, the newest that the installed onnx knows"],
    ),
    (
        "OPSET_IR_VERSION_SEMVER",
        Level.WARNING,
        [replace(opset(1, source="a"), ir_version_prerelease="-rc 1", ir_build_metadata="+5")],
        [
            f'a: ir_version_prerelease is "-rc 1", {PARTS}, numbers without leading zeros',
            f'a: ir_build_metadata is "+5", {PARTS}',
        ],
    ),
    (
        "OPSET_VERSION_PRESENT",
        Level.ERROR,
        [opset(None, source="a"), opset(0, source="b"), opset(1)],
        [
            f"a: opset_version is missing, {NUMBER}; the set is left out",
            f"b: opset_version is 0, {NUMBER}; the set is left out",
        ],
    ),
    (
        "OPSET_UNIQUE",
        Level.ERROR,
        [
            opset(1, operator("A", 1), source="a"),
            opset(1, operator("B", 1), source="b"),
            opset(1, operator("A", 1), doc="Words.", source="c"),
        ],
        [
            "b: a is com.example opset 1 as well and says something else; expected one file",
            "c: a is com.example opset 1 as well and says something else; expected one file",
        ],
    ),
    (
        "OPSET_UNIQUE",
        Level.WARNING,
        [
            opset(1, operator("A", 1), operator("B", 1), domain="", source="a"),
            opset(1, operator("B", 1), operator("A", 1, "Text. "), domain="ai.onnx", source="b"),
        ],
        ["b: a is ai.onnx opset 1 as well and says the same; expected one file"],
    ),
    (
        "OPERATOR_OP_TYPE_PRESENT",
        Level.ERROR,
        [opset(1, operator("A", 1), operator("", 1), function(None), source="a")],
        [
            "a: operator[1]: op_type is missing, expected a name; the entry is left out",
            "a: functions[0]: name is missing, expected a name; the entry is left out",
        ],
    ),
    (
        "OPERATOR_OP_TYPE_IDENTIFIER",
        Level.WARNING,
        [opset(1, operator("aten::add", 1), function("2D", overload="x"), source="a")],
        [
            f'a: operator[0] aten::add: op_type is "aten::add", {IDENTIFIER}',
            f'a: functions[0] 2D:x: name is "2D", {IDENTIFIER}',
        ],
    ),
    (
        "OPERATOR_SINCE_VERSION_PRESENT",
        Level.ERROR,
        [
            opset(1, operator("A", None), operator("B", -1), source="a"),
            opset(2, function("F", metadata={"since_version": "x"}), source="b"),
            opset(3, function("F", metadata={"since_version": "0"}), function("G"), source="c"),
        ],
        [
            f"a: operator[0] A: since_version is missing, {NUMBER}; {STANDS_FOR_IT}",
            f"a: operator[1] B: since_version is -1, {NUMBER}; it is ignored",
            f'b: functions[0] F: metadata_props["since_version"] is "x", {NUMBER}; it is ignored',
            f'c: functions[0] F: metadata_props["since_version"] is "0", {NUMBER}; it is ignored',
        ],
    ),
    (
        "OPERATOR_SINCE_VERSION_WITHIN_SET",
        Level.ERROR,
        [
            opset(
                3,
                operator("A", 3),
                operator("B", 4),
                function("F", since_version=5),
                function("G", since_version=1, metadata={"since_version": "6"}),
                source="a",
            )
        ],
        [
            "a: operator[1] B: since_version is 4, above this set's opset_version 3",
            "a: functions[0] F: since_version is 5, above this set's opset_version 3",
            "a: functions[1] G: since_version is 6, above this set's opset_version 3",
        ],
    ),
    (
        "OPERATOR_STATUS_KNOWN",
        Level.WARNING,
        [
            opset(
                1,
                operator("A", 1, status=NOT_STATED),
                operator("B", 1, status=Status(7)),
                function("F"),
                function("G", metadata={"status": "beta"}),
                function("H", status=Status(2)),
                source="a",
            )
        ],
        [
            f"a: operator[0] A: status is not stated and counts as EXPERIMENTAL, {STATUS}",
            f"a: operator[1] B: status is 7, {STATUS}",
            f'a: functions[1] G: metadata_props["status"] is "beta", {STATUS}',
            f"a: functions[2] H: status is 2, {STATUS}",
        ],
    ),
    (
        "OPERATOR_UNIQUE",
        Level.ERROR,
        [
            opset(
                1,
                operator("A", 1),
                operator("B", 1),
                operator("A", 1),
                function("A", since_version=1),
                function("F"),
                function("F", overload="x"),
                function("F"),
                source="a",
            )
        ],
        [
            f"a: operator[2] A: {SINCE_1} operator[0] A as well, which says the same",
            f"a: functions[0] A: {SINCE_1} operator[0] A as well, which says something else",
            "a: functions[3] F: the name is that of functions[1] F as well, which says the same",
        ],
    ),
    (
        "OPERATOR_UNIQUE",
        Level.ERROR,
        [
            opset(1, operator("A", 1), operator("B", 1), source="a"),
            opset(1, operator("A", 1), operator("A", 1), operator("B", 1, "Else."), source="b"),
        ],
        [
            f"b: operator[1] A: {SINCE_1} operator[0] A as well, which says the same",
            f"b: operator[2] B: {SINCE_1} operator[1] B in a as well, which says something else",
        ],
    ),
    (
        "OPERATOR_DOC_STRING_PRESENT",
        Level.NOTE,
        [opset(1, operator("A", 1, None), operator("B", 1, " \n\t"), function("F", doc=""), source="a")],
        [
            "a: operator[0] A: doc_string is missing, expected a description in Markdown",
            "a: operator[1] B: doc_string is missing, expected a description in Markdown",
            "a: functions[0] F: doc_string is missing, expected a description in Markdown",
        ],
    ),
]


@pytest.mark.parametrize(("rule", "level", "sets", "expected"), BAD)
def test_sets_that_do_not_keep_a_rule(
    rule: str, level: Level, sets: Sequence[OperatorSet], expected: list[str]
) -> None:
    found = run(sets, rules=[RULES[rule]])
    assert [str(finding) for finding in found] == [f"{line} [{rule}]" for line in expected]
    assert {finding.level for finding in found} == {level}


@pytest.mark.parametrize(
    ("rule", "sets"),
    [
        ("OPSET_IR_VERSION_SEMVER", [replace(opset(1), ir_version_prerelease="", ir_build_metadata="")]),
        ("OPSET_UNIQUE", [opset(1), opset(2), opset(1, domain=None), opset(None), opset(None), opset(-1)]),
        # What lacks what would identify it is a matter of other rules.
        ("OPERATOR_UNIQUE", [opset(1, operator("", 1), operator("", 1), operator("A", 0), operator("A", 0))]),
        ("OPERATOR_UNIQUE", [opset(None, operator("A", 1)), opset(-1, operator("A", 1, "Other text."))]),
        ("OPERATOR_UNIQUE", [opset(1, operator("A", 1)), opset(2, operator("A", 1, "Other text."))]),
        ("OPERATOR_UNIQUE", [opset(1, operator("A", 1), function("A")), opset(1, operator("A", 1))]),
        ("OPERATOR_OP_TYPE_IDENTIFIER", [opset(1, operator("", 1), operator("_2D", 1), function(None))]),
        ("OPERATOR_SINCE_VERSION_WITHIN_SET", [opset(None, operator("A", 1)), opset(0, operator("A", 1))]),
        ("OPERATOR_STATUS_KNOWN", [opset(1, function("F", metadata={"status": "experimental"}))]),
    ],
)
def test_sets_that_keep_a_rule(rule: str, sets: Sequence[OperatorSet]) -> None:
    assert run(sets, rules=[RULES[rule]]) == ()


@pytest.mark.parametrize(
    ("domain", "kept"),
    [
        (None, True),
        ("", True),
        ("ai.onnx", True),
        ("ai.onnx.preview.training", True),
        ("com.acme.dnn-ops_2", True),
        ("com.acme._2d", True),
        ("pkg.onnxscript.torch_lib", True),
        ("xn--p1ai.acme", True),
        ("this", False),
        (".lab", False),
        ("com..acme", False),
        ("com.acme.", False),
        ("com.acme-", False),
        ("com.acme ops", False),
        ("com.acme\n", False),
        ("com.größe", False),
        ("../up", False),
        ("1.2", False),
    ],
)
def test_reverse_dns_names(domain: str | None, kept: bool) -> None:
    assert (run([opset(1, domain=domain)], rules=[RULES["OPSET_DOMAIN_REVERSE_DNS"]]) == ()) == kept


@pytest.mark.parametrize(
    ("text", "prerelease", "build"),
    [
        ("alpha", True, True),
        ("rc.1", True, True),
        ("0", True, True),
        ("0.3.7", True, True),
        ("x-y-z.--", True, True),
        ("0a", True, True),
        ("01", False, True),
        ("rc.007", False, True),
        ("rc..1", False, False),
        (".rc", False, False),
        ("rc.", False, False),
        ("rc_1", False, False),
        ("rc 1", False, False),
        ("rc+1", False, False),
        ("rc\n", False, False),
        ("١", False, False),
    ],
)
def test_parts_of_a_semantic_version(text: str, prerelease: bool, build: bool) -> None:
    sets = [replace(opset(1), ir_version_prerelease=text), replace(opset(2), ir_build_metadata=text)]
    found = [run([item], rules=[RULES["OPSET_IR_VERSION_SEMVER"]]) == () for item in sets]
    assert found == [prerelease, build]


INNER = "node[0].attribute[0]"
FIELD_12, FIELD_20 = b"\x60\x63", b"\xa0\x01\x63"
"""Fields of these numbers with the value 99."""


def test_unknown_fields_are_found_wherever_they_are() -> None:
    message = OperatorSetProto(magic="ONNXOPSET", ir_version=10, domain="com.example", opset_version=1)
    message.MergeFromString(FIELD_12)
    message.operator.add(op_type="Abs").MergeFromString(FIELD_12)
    attribute = message.functions.add(name="F").node.add(op_type="Abs").attribute.add(name="a")
    attribute.MergeFromString(FIELD_12 + FIELD_20)
    found = run([from_message(message, "a")], rules=[RULES["OPSET_UNKNOWN_FIELDS"]])
    unknown, value = "is unknown to the format", "has a value that the format does not know"
    assert [(str(finding.place), finding.field, finding.message) for finding in found] == [
        ("a", "", f"field 12 {unknown}; it is left out"),
        ("a: operator[0] Abs", "", f"field 12 {unknown}; it is left out"),
        ("a: functions[0] F", INNER, f"field 12 of {INNER} {unknown}; it is left out"),
        ("a: functions[0] F", f"{INNER}.type", f"field 20 (type) of {INNER} {value}; it is left out"),
    ]


@pytest.mark.parametrize(
    ("rule", "item", "fields"),
    [
        ("OPSET_VERSION_PRESENT", opset(None), ["opset_version"]),
        ("OPSET_DOMAIN_REVERSE_DNS", opset(1, domain="this"), ["domain"]),
        ("OPERATOR_OP_TYPE_PRESENT", opset(1, operator(None, 1), function(None)), ["op_type", "name"]),
        (
            "OPERATOR_SINCE_VERSION_WITHIN_SET",
            opset(1, operator("A", 2), function("F", metadata={"status": "STABLE", "since_version": "2"})),
            ["since_version", "metadata_props[1].value"],
        ),
        (
            "OPERATOR_STATUS_KNOWN",
            opset(1, operator("A", 1, status=NOT_STATED), function("F", metadata={"status": "beta"})),
            ["status", "metadata_props[0].value"],
        ),
    ],
)
def test_findings_name_the_field(rule: str, item: OperatorSet, fields: list[str]) -> None:
    assert [finding.field for finding in run([item], rules=[RULES[rule]])] == fields


# The given cases


def read_cases(*names: str) -> list[OperatorSet]:
    paths = [path for name in names for path in sorted(CASES.glob(f"{name}*")) if path.suffix in ENDINGS]
    return [parse(path.read_bytes(), path.name) for path in paths]


HERE = [id_ for id_, rule in RULES.items() if rule.check.__module__.endswith((".opset", ".operator"))]
NAME = "OPERATOR_OP_TYPE_IDENTIFIER"


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("V1", {("OPERATOR_UNIQUE", "V1-duplicate.textproto", "operator[2] Tanh")}),
        (
            "V2",
            {("OPERATOR_SINCE_VERSION_WITHIN_SET", "V2-since-too-new.textproto", "operator[0] LayerNorm")},
        ),
        ("V3", set()),
        ("V4", {("OPSET_DOMAIN_REVERSE_DNS", "V4-placeholder-domain.textproto", "")}),
        (
            "V5",
            {
                ("OPSET_UNIQUE", "V5-b-vendor.textproto", ""),
                ("OPERATOR_UNIQUE", "V5-b-vendor.textproto", "operator[0] Relu"),
            },
        ),
        *((case, set()) for case in ("H1", "H2", "H3", "H4", "H5")),
        ("H6", {("OPERATOR_STATUS_KNOWN", "H6-status-unset.textproto", "operator[2] Silent")}),
        *((case, set()) for case in ("L3", "L4", "F1", "F3", "N1", "N5", "N8", "N9", "S1")),
        ("F2", {("OPERATOR_DOC_STRING_PRESENT", "F2-imports.textproto", "functions[0] Mixed")}),
        ("F4", {("OPERATOR_DOC_STRING_PRESENT", "F4-attribute-defaults.textproto", "functions[0] Window")}),
        ("N2", {(NAME, "N2-reserved.textproto", "operator[4] Pad.")}),
        ("N6-a", {("OPSET_DOMAIN_REVERSE_DNS", "N6-a-templates.textproto", "")}),
        ("N6-b", {("OPSET_DOMAIN_REVERSE_DNS", "N6-b-dot-domain.textproto", "")}),
        ("N3-b", {("OPSET_DOMAIN_REVERSE_DNS", "N3-b-domain.textproto", "")}),
        (
            "S2",
            {
                ("OPSET_DOMAIN_REVERSE_DNS", "S2-names.textproto", ""),
                (NAME, "S2-names.textproto", "operator[0] <img src=x onerror=alert(1)>"),
                (NAME, "S2-names.textproto", 'operator[1] A" onmouseover="x'),
                (NAME, "S2-names.textproto", "operator[2] B' onfocus='x"),
            },
        ),
    ],
)
def test_cases(case: str, expected: set[tuple[str, str, str]]) -> None:
    found = run(read_cases(case), rules=[RULES[id_] for id_ in HERE])
    assert sorted((finding.rule, finding.file, finding.element) for finding in found) == sorted(expected)


@pytest.mark.parametrize(
    ("case", "names"),
    [
        ("N3-a", ["../../outside", "a/../b", "a\\..\\b"]),
        ("N4", ["aten::add", "a|b", "What?", "Top#1", "100%", "LayerNorm(x)_14"]),
        ("N7", ["1e3", "~"]),
    ],
)
def test_names_that_are_no_identifiers(case: str, names: list[str]) -> None:
    found = run(read_cases(case), rules=[RULES[id_] for id_ in HERE])
    assert [(finding.rule, finding.name) for finding in found] == [(NAME, name) for name in names]


def test_both_spellings_of_json_say_the_same() -> None:
    (finding,) = run(read_cases("L9-camel", "L9-snake"), rules=[RULES[id_] for id_ in HERE])
    assert (finding.rule, finding.level) == ("OPSET_UNIQUE", Level.WARNING)


def test_a_model_is_refused_by_the_rule_about_magic() -> None:
    loaded = load(["L1-model-mistaken.textproto", "L3-plain.textproto"], base=CASES)
    (finding,) = loaded.findings
    assert (finding.rule, finding.level, finding.unusable) == ("OPSET_MAGIC", Level.ERROR, True)
    assert "looks like an ONNX model" in finding.message


@pytest.mark.parametrize(
    ("case", "words", "others"),
    [
        ("V1", ["operator[0] Tanh", "since_version 1 "], [("V1-duplicate.textproto", "operator[0] Tanh")]),
        ("V2", ["17", "16"], []),
        ("V5", ["V5-a-standard.textproto"], [("V5-a-standard.textproto", "")]),
    ],
)
def test_messages_name_both_sides(case: str, words: list[str], others: list[tuple[str, str]]) -> None:
    first = run(read_cases(case), rules=[RULES[id_] for id_ in HERE])[0]
    assert all(word in first.message for word in words)
    assert [(place.file, place.element) for place in first.others] == others


def test_experimental_operators_break_none_of_these_rules() -> None:
    sets = [opset(number, operator("A", 1, f"Text {number}.", status=EXPERIMENTAL)) for number in (1, 2)]
    assert run(sets, rules=[RULES[id_] for id_ in HERE]) == ()
