"""The rules of the format: what keeps them, what does not, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from operator_sets import EXPERIMENTAL, NOT_STATED, STABLE, function, operator, opset
from opsetdocs.findings import Level
from opsetdocs.loader import parse
from opsetdocs.model import OperatorSet, Status
from opsetdocs.rules import RULES, run

CASES = Path(__file__).parent / "cases"

GOOD = [
    opset(1, operator("A", 1), function("F", metadata={"since_version": "1", "status": "stable"})),
    opset(
        2, operator("A", 1, "Text.\r\n"), operator("A", 2, status=EXPERIMENTAL), function("F", overload="x")
    ),
    opset(3, operator("A", 1), operator("A", 2, "New.", status=EXPERIMENTAL)),
    opset(1, operator("A", 1, "Another domain's."), domain=None),
]

KEPT = "since_version 1, which is STABLE, differs from that in"
STATUS = "expected EXPERIMENTAL or STABLE"
NUMBER = "expected a number >= 1"
DERIVED = f"{NUMBER}; the first loaded opset that has this very entry stands for it"

BAD: list[tuple[str, Level, Sequence[OperatorSet], list[str]]] = [
    (
        "OPSET_VERSION_PRESENT",
        Level.ERROR,
        [opset(None, source="a"), opset(0, source="b"), opset(1)],
        [
            "a: opset_version is missing, expected a number >= 1; the set is left out",
            "b: opset_version is 0, expected a number >= 1; the set is left out",
        ],
    ),
    (
        "OPSET_UNIQUE",
        Level.ERROR,
        [opset(1, operator("A", 1), source="a"), opset(1, operator("B", 1), source="b")],
        ["b: a is com.example opset 1 as well and says something else; expected one file"],
    ),
    (
        "OPSET_UNIQUE",
        Level.WARNING,
        [opset(1, operator("A", 1), source="a"), opset(1, operator("A", 1, "Text. "), source="b")],
        ["b: a is com.example opset 1 as well and says the same; expected one file"],
    ),
    (
        "OPERATOR_OP_TYPE_PRESENT",
        Level.ERROR,
        [opset(1, operator("A", 1), operator("", 1), function(None), source="a")],
        [
            "a: operator[1]: op_type is missing; the entry is left out",
            "a: functions[0]: name is missing; the entry is left out",
        ],
    ),
    (
        "OPERATOR_SINCE_VERSION_PRESENT",
        Level.ERROR,
        [
            opset(1, operator("A", None), operator("B", -1), source="a"),
            opset(2, function("G", metadata={"since_version": "x"}), function("F"), source="b"),
        ],
        [
            f"a: operator[0] A: since_version is missing, {DERIVED}",
            f"a: operator[1] B: since_version is -1, {DERIVED}",
            f'b: functions[0] G: metadata_props["since_version"] is "x", {NUMBER}; it is ignored',
        ],
    ),
    (
        "OPERATOR_SINCE_VERSION_WITHIN_SET",
        Level.ERROR,
        [opset(3, operator("A", 3), operator("B", 4), function("F", since_version=5), source="a")],
        [
            "a: operator[1] B: since_version is 4, above this set's opset_version 3",
            "a: functions[0] F: since_version is 5, above this set's opset_version 3",
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
                source="a",
            )
        ],
        [
            f"a: operator[0] A: status is not stated and counts as EXPERIMENTAL, {STATUS}",
            f"a: operator[1] B: status is 7, {STATUS}",
            f'a: functions[1] G: metadata_props["status"] is "beta", {STATUS}; it is ignored',
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
            "a: operator[2] A: since_version 1 is that of operator[0] A as well, which says the same",
            "a: functions[0] A: since_version 1 is that of operator[0] A as well, which says something else",
            "a: functions[3] F: the name is that of functions[1] F as well, which says the same",
        ],
    ),
    (
        "OPERATOR_STABLE_SIGNATURE_KEPT",
        Level.ERROR,
        [
            opset(1, operator("A", 1, "## Inputs\n\n- `X` : T"), source="a"),
            opset(2, operator("A", 1, "## Inputs\n\n- `Y` : T"), source="b"),
        ],
        [f"b: operator[0] A: the signature or body of {KEPT} a (opset 1)"],
    ),
    (
        "OPERATOR_STABLE_SIGNATURE_KEPT",
        Level.ERROR,
        [
            opset(2, function("F", body="new", since_version=1), source="b"),
            opset(1, function("F", body="old", since_version=1), source="a"),
        ],
        [f"b: functions[0] F: the signature or body of {KEPT} a (opset 1)"],
    ),
    (
        "OPERATOR_STABLE_DOC_KEPT",
        Level.WARNING,
        [opset(n, operator("A", 1, "New." if n == 4 else "Old."), source=f"{n}") for n in range(1, 5)],
        [f"4: operator[0] A: the text of {KEPT} 1 (opset 1)"],
    ),
    (
        "FUNCTION_DOMAIN",
        Level.WARNING,
        [
            opset(1, function("F", domain="com.other"), function("G", domain=None), source="a"),
            opset(2, function("G", domain=None), ir_version=7, source="b"),
            opset(1, function("G", domain="ai.onnx"), domain="", source="c"),
        ],
        [
            "a: functions[0] F: domain is com.other, that of the set is com.example",
            "a: functions[1] G: domain is not stated and means ai.onnx, that of the set is com.example",
        ],
    ),
]


def test_sets_that_keep_the_rules() -> None:
    assert run(GOOD) == ()


@pytest.mark.parametrize(("rule", "level", "sets", "expected"), BAD)
def test_sets_that_do_not(rule: str, level: Level, sets: Sequence[OperatorSet], expected: list[str]) -> None:
    found = [finding for finding in run(sets) if finding.rule == rule]
    assert [str(finding) for finding in found] == [f"{line} [{rule}]" for line in expected]
    assert {finding.level for finding in found} == {level}


@pytest.mark.parametrize(
    ("domain", "kept"),
    [
        (None, True),
        ("", True),
        ("ai.onnx", True),
        ("ai.onnx.preview.training", True),
        ("com.acme.dnn-ops_2", True),
        ("pkg.onnxscript.torch_lib", True),
        ("this", False),
        (".lab", False),
        ("com..acme", False),
        ("com.acme.", False),
        ("com.acme ops", False),
        ("com.acme\n", False),
        ("../up", False),
        ("1.2", False),
    ],
)
def test_reverse_dns_names(domain: str | None, kept: bool) -> None:
    assert (run([opset(1, domain=domain)]) == ()) == kept


def test_a_version_that_differs_in_many_files_is_one_finding() -> None:
    sets = [opset(number, operator("A", 1, f"Text {number % 3}.")) for number in range(1, 31)]
    (finding,) = run(sets)
    assert finding.rule == "OPERATOR_STABLE_DOC_KEPT"
    assert finding.message.count("opset") == 4
    assert all(name in finding.message for name in ("opset1.textproto", "opset2.textproto"))


def test_experimental_versions_may_change() -> None:
    sets = [opset(number, operator("A", 1, f"Text {number}.", status=EXPERIMENTAL)) for number in (1, 2)]
    assert run(sets) == ()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("A text.", "A\n  text. \n", set()),
        ("A text.", "A text.\n\n## Examples\n\n### one\n\ncode\n", set()),
        ("A text.", "Another text.", {"OPERATOR_STABLE_DOC_KEPT"}),
        (
            "## Type Constraints\n\n- `T` : tensor(float), tensor(int8)",
            "## Type Constraints\n\n- `T` : tensor(int8), tensor(float)",
            set(),
        ),
        (
            "## Type Constraints\n\n- `T` : tensor(float)",
            "## Type Constraints\n\n- `T` : tensor(int8)",
            {"OPERATOR_STABLE_DOC_KEPT"},
        ),
        (
            "## Inputs\n\n- `X` : T\n\n## Type Constraints\n\n- `T` : tensor(float)",
            "## Inputs\n\n- `X` : T\n\n## Type Constraints\n\n- `T` : tensor(int8)",
            {"OPERATOR_STABLE_DOC_KEPT", "OPERATOR_STABLE_SIGNATURE_KEPT"},
        ),
        (
            "## Inputs\n\n- `X` : T\n\n  An input.",
            "## Inputs\n\n- `X` (differentiable) : T\n\n  The input.",
            {"OPERATOR_STABLE_DOC_KEPT"},
        ),
        ("## Inputs\n\n- `X` : T", "## Inputs (1)\n\n- `X` : T", set()),
        (
            "## Inputs\n\n- `X` : T",
            "## Inputs (1 - 2)\n\n- `X` : T",
            {"OPERATOR_STABLE_DOC_KEPT", "OPERATOR_STABLE_SIGNATURE_KEPT"},
        ),
        (
            "## Attributes\n\n- `a` (default `1`) : int\n- `b` : int",
            "## Attributes\n\n- `b` : int\n- `a` (default `1`) : int",
            {"OPERATOR_STABLE_DOC_KEPT"},
        ),
        (
            "## Attributes\n\n- `a` (default `1`) : int",
            "## Attributes\n\n- `a` (default `2`) : int",
            {"OPERATOR_STABLE_DOC_KEPT", "OPERATOR_STABLE_SIGNATURE_KEPT"},
        ),
    ],
)
def test_what_a_stable_version_keeps(old: str, new: str, expected: set[str]) -> None:
    found = run([opset(1, operator("A", 1, old)), opset(2, operator("A", 1, new))])
    assert {finding.rule for finding in found} == expected


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("V1", {("OPERATOR_UNIQUE", "V1-duplicate.textproto", "operator[2] Tanh")}),
        (
            "V2",
            {("OPERATOR_SINCE_VERSION_WITHIN_SET", "V2-since-too-new.textproto", "operator[0] LayerNorm")},
        ),
        ("V3", {("OPERATOR_STABLE_DOC_KEPT", "V3-b-opset22.textproto", "operator[0] GlobalLpPool")}),
        ("V4", {("OPSET_DOMAIN_REVERSE_DNS", "V4-placeholder-domain.textproto", "")}),
        (
            "V5",
            {
                ("OPSET_UNIQUE", "V5-b-vendor.textproto", ""),
                ("OPERATOR_UNIQUE", "V5-b-vendor.textproto", "operator[0] Relu"),
            },
        ),
        ("H6", {("OPERATOR_STATUS_KNOWN", "H6-status-unset.textproto", "operator[2] Silent")}),
        ("F3", set()),
        ("N9", set()),
    ],
)
def test_cases(case: str, expected: set[tuple[str, str, str]]) -> None:
    found = run(
        [parse(path.read_bytes(), path.name)[0] for path in sorted(CASES.glob(f"{case}-*.textproto"))]
    )
    assert {(finding.rule, finding.file, finding.element) for finding in found} == expected


@pytest.mark.parametrize(
    ("case", "words"),
    [("V1", ["operator[0] Tanh"]), ("V2", ["17", "16"]), ("V3", ["V3-a"]), ("V5", ["V5-a"])],
)
def test_messages_name_both_sides(case: str, words: list[str]) -> None:
    found = run(
        [parse(path.read_bytes(), path.name)[0] for path in sorted(CASES.glob(f"{case}-*.textproto"))]
    )
    for finding in found:
        assert all(word in finding.message for word in words)


def test_every_rule_says_what_it_is_for() -> None:
    assert all(item.purpose.endswith(".") and item.sentence.endswith(".") for item in RULES.values())
    assert {item.id for item in RULES.values()} == set(RULES)


def test_stable_is_the_status_of_a_function_that_states_none() -> None:
    sets = [
        opset(1, function("F", doc="Old.", since_version=1)),
        opset(2, function("F", doc="New.", since_version=1, status=STABLE)),
    ]
    assert [finding.rule for finding in run(sets)] == ["OPERATOR_STABLE_DOC_KEPT"]
