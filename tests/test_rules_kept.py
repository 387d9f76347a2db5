"""What is kept from opset to opset and from release to release: what breaks it, and what is nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from operator_sets import EXPERIMENTAL, NOT_STATED, STABLE, function, operator, opset
from opsetdocs.findings import Finding, Level
from opsetdocs.loader import parse
from opsetdocs.membership import offered
from opsetdocs.model import AttributeDefault, Function, OperatorSet, OpsetImport, Status, Value
from opsetdocs.rules import RULES, run

CASES = Path(__file__).parent / "cases"

MEMBERSHIP = "OPSET_MEMBERSHIP_CHANGED"
FIRST_SET = "OPERATOR_SINCE_VERSION_IS_FIRST_SET"
SIGNATURE = "OPERATOR_STABLE_SIGNATURE_KEPT"
DOC = "OPERATOR_STABLE_DOC_KEPT"
STATUS = "OPERATOR_STATUS_KEPT"
EXPERIMENTAL_CHANGED = "OPERATOR_EXPERIMENTAL_CHANGED"
REMOVED = "OPERATOR_STABLE_REMOVED"
OPSET_KEPT = "OPSET_KEPT"
KEPT = (MEMBERSHIP, FIRST_SET, SIGNATURE, DOC, STATUS, EXPERIMENTAL_CHANGED, REMOVED, OPSET_KEPT)

Sets = Sequence[OperatorSet]


def check(sets: Sets, published: Sets = ()) -> tuple[Finding, ...]:
    return run(sets, published, rules=[RULES[rule] for rule in KEPT])


def told(sets: Sets, published: Sets = ()) -> list[str]:
    """The findings in words, each without its rule and followed by its details."""
    return [
        line
        for finding in check(sets, published)
        for line in (
            str(finding).removesuffix(f" [{finding.rule}]"),
            *(f"  {item}" for item in finding.details),
        )
    ]


def release(*sets: OperatorSet, name: str) -> list[OperatorSet]:
    """Sets whose files are called by a letter and the opset, such as `a3`."""
    return [replace(item, source=f"{name}{item.opset_version}") for item in sets]


def versions(old: str | None, new: str | None, *, status: Status = STABLE) -> list[OperatorSet]:
    """Two opsets that have one version in common, each with its text."""
    return release(
        opset(1, operator("A", 1, old, status=status)),
        opset(2, operator("A", 1, new, status=status), operator("New", 2)),
        name="a",
    )


# What files tell about an opset


@pytest.mark.parametrize(
    ("opset_version", "expected"),
    [
        (0, None),
        (1, {"A": 1, "F": None}),
        (2, {"A": 1, "F": None, "C": None}),
        (3, {"A": 3, "F": None, "C": None}),
        (4, {"A": 3, "B": 4, "F": None, "C": None}),
        (5, {"A": 3, "B": 4, "F": None}),
        (6, None),
        (7, {"A": 3, "C": 2, "D": 6}),
        (8, None),
    ],
)
def test_what_an_opset_offers(opset_version: int, expected: Mapping[str, int | None] | None) -> None:
    sets = [
        opset(7, operator("A", 3), operator("C", 2), operator("D", 6)),
        opset(5, operator("A", 1), operator("A", 3), operator("B", 4), function("F")),
        opset(5, operator("Other", 1), domain="com.other"),
    ]
    found = offered(sets, "com.example", opset_version)
    assert expected == (None if found is None else {str(name): found[name] for name in found})


def test_a_cumulative_file_does_not_say_that_an_earlier_name_was_not_there() -> None:
    cumulative = opset(5, operator("A", 1), operator("A", 2), operator("B", 5))
    assert "B" not in _names(offered([cumulative], "com.example", 4))
    seen_before = opset(3, operator("B", 3))
    assert "B" in _names(offered([cumulative, seen_before], "com.example", 4))


def _names(found: Iterable[object] | None) -> set[str]:
    return {str(name) for name in found or ()}


# Within a release


def test_sets_that_keep_the_rules() -> None:
    sets = [
        opset(1, operator("A", 1), operator("Draft", 1, status=EXPERIMENTAL)),
        opset(2, operator("A", 1, "Text.\r\n"), operator("A", 2), operator("Draft", 1, status=NOT_STATED)),
        opset(3, operator("A", 2), operator("Draft", 3, "New.")),
        opset(7, operator("A", 5), operator("Draft", 3, "New."), operator("B", 6)),
        opset(2, operator("A", 1, "Another domain's."), domain="ai.onnx"),
        opset(3, operator("A", 1, "Another domain's."), operator("B", 3), domain=""),
    ]
    assert check(sets) == ()
    assert check(list(reversed(sets))) == ()
    assert check(sets, sets) == ()


BROKEN: list[tuple[str, Level, Sets, list[str]]] = [
    (
        MEMBERSHIP,
        Level.WARNING,
        [opset(1, operator("A", 1)), opset(2, operator("A", 1, "Text. ")), opset(4, operator("A", 1))],
        ["a2: opset_version is 2, but the set says what opset 1 in a1 says; expected other members"],
    ),
    (
        FIRST_SET,
        Level.ERROR,
        [
            opset(1, operator("A", 1)),
            opset(3, operator("A", 1), operator("B", 1), operator("C", 2)),
            opset(4, operator("A", 1), operator("B", 1), operator("C", 2), operator("D", 4)),
        ],
        [
            (
                "a3: operator[1] B: since_version is 1, but opset 1 in a1 does not have it; opset 3 is the "
                "first known to have it"
            )
        ],
    ),
    (
        FIRST_SET,
        Level.ERROR,
        [
            opset(1, operator("A", 1), operator("Z", 1)),
            opset(5, operator("A", 1), operator("A", 3), operator("B", 5), operator("Z", 1)),
            opset(6, operator("A", 4), operator("B", 2), operator("C", 4), operator("Z", 1)),
        ],
        [
            (
                "a6: operator[0] A: since_version is 4, but opset 4, of which the cumulative a5 tells, has "
                "since_version 3 of it; opset 6 is the first known to have it"
            ),
            (
                "a6: operator[1] B: since_version is 2, but opset 2, of which the cumulative a5 tells, does "
                "not have it; opset 6 is the first known to have it"
            ),
        ],
    ),
    (
        DOC,
        Level.WARNING,
        [opset(n, operator("A", 1, f"Text {n % 3} of it."), operator("N", n)) for n in range(1, 31)],
        [
            (
                "a2: operator[0] A: the text of since_version 1, which is STABLE, differs from that in a1 "
                "(opset 1)"
            ),
            '  text changed: "Text 1 of it." became "Text 2 of it."',
        ],
    ),
    (
        STATUS,
        Level.ERROR,
        [
            opset(
                1, operator("A", 1, status=EXPERIMENTAL), operator("B", 1), operator("C", 1, status=Status(7))
            ),
            opset(2, operator("A", 1, "Another."), operator("B", 1, status=NOT_STATED), operator("C", 1)),
        ],
        [
            "a2: operator[0] A: the status of since_version 1 is STABLE, but EXPERIMENTAL in a1 (opset 1)",
            "a2: operator[1] B: the status of since_version 1 is not stated, but STABLE in a1 (opset 1)",
            "a2: operator[2] C: the status of since_version 1 is STABLE, but 7 in a1 (opset 1)",
        ],
    ),
    (
        EXPERIMENTAL_CHANGED,
        Level.NOTE,
        versions(
            "Text.\n\n## Inputs\n\n- `X` : T", "Text.\n\n## Inputs\n\n- `X` (optional) : T", status=NOT_STATED
        ),
        [
            "a2: operator[0] A: since_version 1, which is EXPERIMENTAL, differs from that in a1 (opset 1)",
            "  input X became optional",
        ],
    ),
    (
        REMOVED,
        Level.WARNING,
        [
            opset(1, operator("A", 1), operator("B", 1), operator("Draft", 1, status=EXPERIMENTAL)),
            opset(2, operator("B", 2), operator("C", 2)),
            opset(5, operator("A", 1), operator("C", 2)),
            opset(6, operator("C", 2), operator("D", 6)),
        ],
        [
            "a2: A, STABLE with since_version 1, was last seen in opset 1 in a1 and is gone in opset 2",
            "a5: B, STABLE with since_version 2, was last seen in opset 2 in a2 and is gone by opset 5",
        ],
    ),
]


@pytest.mark.parametrize(("rule", "level", "sets", "expected"), BROKEN)
def test_what_one_release_breaks(rule: str, level: Level, sets: Sets, expected: list[str]) -> None:
    sets = release(*sets, name="a")
    assert told(sets) == expected
    assert {(finding.rule, finding.level) for finding in check(sets)} == {(rule, level)}
    assert told(list(reversed(sets))) == expected


def test_the_other_side_is_named() -> None:
    (finding,) = check(versions("Old.", "New."))
    assert (finding.name, finding.field) == ("A", "doc_string")
    assert [str(place) for place in finding.others] == ["a1: operator[0] A"]
    (finding,) = check([opset(1, operator("A", 1), source="a"), opset(2, source="b")])
    assert [str(place) for place in finding.others] == ["a: operator[0] A"]


def test_each_further_text_is_named_once() -> None:
    sets = [
        opset(n, operator("A", 1, f"Text {n % 3}."), operator("N", n), source=f"a{n}") for n in range(1, 31)
    ]
    (finding,) = check(sets)
    assert [place.file for place in finding.others] == ["a1", "a3"]


def test_files_of_one_opset_are_the_matter_of_other_rules() -> None:
    assert check([opset(1, operator("A", 1, f"Text {n}."), source=f"{n}") for n in (1, 2)]) == ()


def test_an_opset_with_one_text_too_many_still_has_the_right_one() -> None:
    double = opset(2, operator("A", 1), operator("A", 1, "Another."), operator("B", 2))
    assert check([opset(1, operator("A", 1)), double]) == ()


def test_a_since_version_that_is_too_new_for_its_set_breaks_no_second_rule() -> None:
    sets = [
        opset(1, operator("A", 1)),
        opset(2, operator("A", 9), operator("B", 2)),
        opset(3, operator("A", 1)),
    ]
    assert [finding.rule for finding in check(sets)] == [REMOVED]
    assert "B, STABLE" in check(sets)[0].message


# Meaning, words, nothing


def signature(inputs: str = "- `X` : T", types: str = "- `T` : tensor(float), tensor(int8)") -> str:
    return f"Text.\n\n## Inputs\n\n{inputs}\n\n## Type Constraints\n\n{types}\n"


HTML = """Text.

#### Inputs
<dl>
<dt><tt>X</tt> : T</dt>
<dd></dd>
</dl>

#### Type Constraints
<dl>
<dt><tt>T</tt> : tensor(int8), tensor(float)</dt>
<dd></dd>
</dl>
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A text.", "A\n  text. \r\n"),
        (None, ""),
        ("Text.", "Text.\n\n## Examples\n\n### one\n\ncode\n"),
        (signature(), signature(types="- `T` : tensor(int8),tensor(float)")),
        (signature(), HTML),
        (signature(), signature().replace("## Inputs", "#### INPUTS (1)")),
        ("## Attributes\n\n- `a` (default `1.50`) : float", "## Attributes\n\n- `a` (default `1.5`) : float"),
        ("## Attributes\n\n- `a` : int", "## Attributes\n\n- `a` (optional) : int"),
        ("## Attributes\n\n- `a` : int\n- `b` : int", "## Attributes\n\n- `b` : int\n- `a` : int"),
        ("Text.", "Text.\n\n## Properties\n\n- `deterministic` : yes\n"),
    ],
)
@pytest.mark.parametrize("status", [STABLE, EXPERIMENTAL])
def test_what_is_nothing(old: str, new: str, status: Status) -> None:
    assert check(versions(old, new, status=status)) == ()
    assert check(versions(new, new, status=status), versions(old, old, status=status)) == ()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (signature(), signature(types="- `T` : tensor(float)"), {SIGNATURE: ["T lost tensor(int8)"]}),
        (signature(types="- `T` : tensor(float)"), signature(), {SIGNATURE: ["T gained tensor(int8)"]}),
        (
            signature(),
            signature(types="- `T` : tensor(float), tensor(bool)"),
            {SIGNATURE: ["T lost tensor(int8)", "T gained tensor(bool)"]},
        ),
        (signature(), signature("- `Y` : T"), {SIGNATURE: ["input X is now called Y"]}),
        (signature(), signature("- `X` (optional) : T"), {SIGNATURE: ["input X became optional"]}),
        (
            signature(),
            signature(types="- `T` : tensor(float)").replace("Text.", "Words."),
            {
                SIGNATURE: ["T lost tensor(int8)"],
                DOC: ['text changed: "Text." became "Words."'],
            },
        ),
        (
            "## Attributes\n\n- `a` (default `1`) : int",
            "## Attributes\n\n- `a` (default `2`) : int\n- `b` (required) : int",
            {SIGNATURE: ["required attribute b added", "default of a changed from 1 to 2"]},
        ),
        (
            signature("- `X` : T\n\n  The values to be\n  scaled."),
            signature("- `X` (differentiable) : T\n\n  The values to be turned."),
            {
                DOC: [
                    "differentiability of input X changed from not stated to differentiable",
                    (
                        'description of input X changed: "... values to be scaled." became "... values to be '
                        'turned."'
                    ),
                ]
            },
        ),
        (
            "One.\n\nTwo.",
            "One.\n\nTwo.\n\nA third paragraph.\n\nAnd one more.",
            {DOC: ['text changed: "A third paragraph." added, and 1 more']},
        ),
        ("One.\n\nTwo, which goes.", "One.", {DOC: ['text changed: "Two, which goes." removed']}),
        ("Text.", "**Deprecated**: use `B`.\n\nText.", {DOC: ["deprecated"]}),
        (
            "Text.\n\n## Type Constraints\n\n- `T` : tensor(float)",
            "Text.\n\n## Type Constraints\n\n- `T` : tensor(int8)",
            {DOC: ["type constraint T now stands for tensor(int8)"]},
        ),
        (
            "## Properties\n\n- `deterministic` : yes",
            "## Properties\n\n- `deterministic` : no",
            {DOC: ["property deterministic changed from yes to no"]},
        ),
    ],
)
def test_meaning_and_words(old: str, new: str, expected: Mapping[str, list[str]]) -> None:
    assert {finding.rule: list(finding.details) for finding in check(versions(old, new))} == expected
    across = check(versions(new, new), versions(old, old))
    assert {finding.rule: list(finding.details) for finding in across} == expected
    (note,) = check(versions(old, new, status=EXPERIMENTAL))
    assert note.rule == EXPERIMENTAL_CHANGED
    assert sorted(note.details) == sorted(line for lines in expected.values() for line in lines)


def test_long_texts_are_cut_around_the_change() -> None:
    before, after = "word " * 300, " end" * 300
    (finding,) = check(versions(f"{before}old{after}", f"{before}new{after}"))
    assert finding.details == (
        (
            'text changed: "... word word word old end end end ..." became "... word word word new end end '
            'end ..."'
        ),
    )


def test_of_many_changes_the_first_are_told() -> None:
    old = "## Attributes\n\n" + "".join(f"- `a{n}` (default `1`) : int\n" for n in range(30))
    (finding,) = check(versions(old, old.replace("`1`", "`2`")))
    assert finding.details[:1] == ("default of a0 changed from 1 to 2",)
    assert finding.details[-2:] == ("default of a19 changed from 1 to 2", "and 10 more")


# Functions


def functions(old: Function, new: Function) -> list[OperatorSet]:
    return release(opset(1, old), opset(2, new, operator("New", 2)), name="a")


def made(**changed: object) -> Function:
    arguments = {"since_version": 1, "doc": "Text.", **changed}
    return function("F", **arguments)  # type: ignore[arg-type]


DEFAULT = AttributeDefault("a", "float", "0.5", None)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (made(), made(), {}),
        (made(), made(doc="Words."), {DOC: ['text changed: "Text." became "Words."']}),
        (made(), made(body="another"), {SIGNATURE: ["body of the function changed"]}),
        (
            replace(made(), opset_imports=(OpsetImport("ai.onnx", 17),)),
            replace(made(body="on opset 18"), opset_imports=(OpsetImport("ai.onnx", 18),)),
            {
                SIGNATURE: [
                    "body of the function changed",
                    "opset of ai.onnx that the body imports changed from 17 to 18",
                ]
            },
        ),
        (
            replace(made(), attribute_defaults=(DEFAULT,)),
            replace(made(body="another"), attribute_defaults=(replace(DEFAULT, default="0.25"),)),
            {SIGNATURE: ["default of a changed from 0.5 to 0.25", "body of the function changed"]},
        ),
        (
            replace(made(), attribute_defaults=(DEFAULT,)),
            replace(made(), attribute_defaults=(replace(DEFAULT, doc_string="Words."),)),
            {DOC: ['description of attribute a changed: "Words." added']},
        ),
        (made(), replace(made(), values=(Value("x", "tensor(float)"),)), {}),
        (made(), made(status=STABLE), {}),
        (made(status=EXPERIMENTAL), made(), {STATUS: []}),
        (made(since_version=None), made(since_version=None), {}),
        (made(since_version=None), made(since_version=None, body="another"), {}),
        (
            made(since_version=None),
            made(since_version=None, doc="Words."),
            {DOC: ['text changed: "Text." became "Words."']},
        ),
    ],
)
def test_functions(old: Function, new: Function, expected: Mapping[str, list[str]]) -> None:
    assert {finding.rule: list(finding.details) for finding in check(functions(old, new))} == expected


def test_a_function_is_compared_as_protobuf_has_it() -> None:
    text = """
        magic: "ONNXOPSET" ir_version: {ir} domain: "com.example" opset_version: {opset}
        functions {{
          name: "F" {domain} input: "x" output: "y" {retired}
          node {{ name: "{node}" input: "x" output: "y" op_type: "{called}" domain: "com.other" }}
          opset_import {{ domain: "com.other" version: 1 }}
        }}
        operator {{ op_type: "New" since_version: {opset} status: STABLE }}
    """
    since = 'metadata_props { key: "since_version" value: "1" }'
    old = {"ir": 7, "opset": 1, "domain": "", "retired": "since_version: 1 status: STABLE", "node": "a"}
    new = {"ir": 10, "opset": 2, "domain": 'domain: "com.example"', "retired": since, "node": "b"}

    def sets(called: str) -> list[OperatorSet]:
        return [
            parse(text.format(**old, called="Step").encode(), "a.textproto"),
            parse(text.format(**new, called=called).encode(), "b.textproto"),
        ]

    assert check(sets("Step")) == ()
    (finding,) = check(sets("Leap"))
    assert (finding.rule, finding.details) == (
        SIGNATURE,
        ("body of the function changed", "node[0]: op_type Step became Leap"),
    )


@pytest.mark.parametrize("status", ["beta", "2", ""])
def test_of_a_status_that_is_none_another_rule_tells(status: str) -> None:
    assert (
        check(functions(made(metadata={"status": "EXPERIMENTAL"}), made(metadata={"status": status}))) == ()
    )
    assert check(functions(made(metadata={"status": "EXPERIMENTAL"}), made(metadata={"status": "1"})))


def test_an_operator_that_became_a_function_says_more_in_its_fields() -> None:
    doc = "Text.\n\n## Inputs\n\n- `x`\n\n## Outputs\n\n- `y`\n"
    (finding,) = check([opset(1, operator("F", 1, doc)), opset(2, made(doc=doc), operator("New", 2))])
    assert (finding.rule, finding.details) == (DOC, ("became a function",))


# Against what was published


A1, A2, B2 = operator("A", 1), operator("A", 2), operator("B", 2)
FIRST, SECOND = opset(1, A1), opset(2, A1, B2)

ACROSS: list[tuple[str, Sets, Sets, list[str]]] = [
    (
        SIGNATURE,
        [opset(2, operator("A", 1, signature(types="- `T` : tensor(float)")), B2)],
        [opset(2, operator("A", 1, signature()), B2)],
        [
            (
                "n2: operator[0] A: the signature of since_version 1, which is STABLE, differs from that "
                "published in p2 (opset 2)"
            ),
            "  T lost tensor(int8)",
        ],
    ),
    (
        DOC,
        [FIRST, SECOND, opset(3, operator("A", 1, "New."), B2), opset(4, A1, B2, operator("C", 4))],
        [FIRST, SECOND, opset(4, A1, B2, operator("C", 4))],
        [
            (
                "n3: operator[0] A: the text of since_version 1, which is STABLE, differs from that "
                "published in p2 (opset 2)"
            ),
            '  text changed: "Text." became "New."',
        ],
    ),
    (
        STATUS,
        [opset(1, operator("A", 1, "New.", status=EXPERIMENTAL))],
        [FIRST],
        [
            (
                "n1: operator[0] A: the status of since_version 1 is EXPERIMENTAL, but STABLE as published "
                "in p1 (opset 1)"
            )
        ],
    ),
    (
        EXPERIMENTAL_CHANGED,
        [opset(1, operator("A", 1, "New.", status=EXPERIMENTAL))],
        [opset(1, operator("A", 1, status=NOT_STATED))],
        [
            (
                "n1: operator[0] A: since_version 1, which is EXPERIMENTAL, differs from that published in "
                "p1 (opset 1)"
            ),
            '  text changed: "Text." became "New."',
        ],
    ),
    (
        FIRST_SET,
        [opset(3, A1, B2, operator("C", 2))],
        [SECOND],
        [
            (
                "n3: operator[2] C: since_version is 2, but opset 2 in p2 does not have it; opset 3 is the "
                "first known to have it"
            )
        ],
    ),
    (
        MEMBERSHIP,
        [opset(3, A1, B2)],
        [SECOND],
        ["n3: opset_version is 3, but the set says what opset 2 in p2 says; expected other members"],
    ),
    (
        REMOVED,
        [opset(4, B2, operator("C", 4))],
        [FIRST, SECOND],
        ["n4: A, STABLE with since_version 1, was last seen in opset 2 in p2 and is gone by opset 4"],
    ),
    (
        OPSET_KEPT,
        [opset(2, A2, operator("C", 2))],
        [SECOND],
        [
            "n2: the members of opset 2 are not those published in p2; expected a new opset_version",
            "  A has since_version 2, before 1",
            "  B is gone, since_version 2",
            "  C was added, since_version 2",
        ],
    ),
    (
        OPSET_KEPT,
        [opset(1, A1), opset(3, A1, B2, operator("C", 3))],
        [FIRST, SECOND],
        [
            (
                "p2: opset 2 of com.example was published and is gone; expected its file, or a later "
                "cumulative one"
            )
        ],
    ),
    (
        OPSET_KEPT,
        [FIRST],
        [FIRST, SECOND, opset(1, A1, domain="com.other")],
        [
            (
                "p2: opset 2 of com.example was published and is gone; expected its file, or a later "
                "cumulative one"
            ),
            (
                "p1: opset 1 of com.other was published and is gone; expected its file, or a later "
                "cumulative one"
            ),
        ],
    ),
    (
        OPSET_KEPT,
        [opset(3, A1, operator("A", 2), B2)],
        [FIRST, opset(2, A1, operator("C", 2, status=EXPERIMENTAL))],
        [
            (
                "n3: the members of opset 2 as this cumulative file of opset 3 tells them are not those "
                "published in p2; expected a new opset_version"
            ),
            "  A has since_version 2, before 1",
            "  B was added, since_version 2",
        ],
    ),
]


@pytest.mark.parametrize(("rule", "sets", "published", "expected"), ACROSS)
def test_what_a_release_breaks_of_the_one_before(
    rule: str, sets: Sets, published: Sets, expected: list[str]
) -> None:
    sets, published = release(*sets, name="n"), release(*published, name="p")
    assert told(sets, published) == expected
    assert {finding.rule for finding in check(sets, published)} == {rule}
    assert told(list(reversed(sets)), list(reversed(published))) == expected


@pytest.mark.parametrize(
    ("sets", "published"),
    [
        pytest.param([FIRST, SECOND], [FIRST], id="one opset more"),
        pytest.param([opset(3, A1, B2, operator("C", 3))], [FIRST, SECOND], id="only newer opsets"),
        pytest.param(
            [opset(3, A1, A2, B2, operator("C", 3))], [FIRST, opset(2, A2, B2)], id="a cumulative file"
        ),
        pytest.param([opset(1, A1)], [opset(1, A1), opset(None, B2)], id="a set without a number"),
        pytest.param(
            [opset(1, operator("A", 1, "Old.")), opset(2, operator("A", 1, "Old."), B2)],
            [opset(1, operator("A", 1, "Old.")), opset(2, operator("A", 1, "New."), B2)],
            id="what any published file says",
        ),
        pytest.param(
            [opset(1, A1, domain="ai.onnx"), opset(2, A1, B2, domain="")],
            [opset(1, A1, domain=None), opset(2, A1, B2, domain="ai.onnx")],
            id="the default domain by any name",
        ),
        pytest.param(
            [opset(2, function("F"), A1), opset(3, function("F"), A1, operator("C", 3))],
            [opset(1, function("F"), A1), opset(2, function("F"), A1, source="p2")][1:],
            id="functions without a since_version",
        ),
        pytest.param(
            [opset(2, function("F", since_version=1), A1)],
            [opset(2, function("F"), A1)],
            id="a since_version that is stated at last",
        ),
        pytest.param([], [], id="no sets at all"),
    ],
)
def test_what_keeps_all_that_was_published(sets: Sets, published: Sets) -> None:
    assert told(sets, published) == []


@pytest.mark.parametrize(
    ("checked", "published", "level", "place"),
    [
        # The same opset says something else.
        ({1: "B"}, {1: "A"}, Level.WARNING, "b1"),
        # Another opset may, and so may one that is new.
        ({2: "B"}, {1: "A"}, Level.NOTE, "b2"),
        ({1: "A", 2: "B"}, {1: "A"}, Level.NOTE, "b2"),
        ({1: "A", 2: "B"}, {1: "A", 2: "B"}, Level.NOTE, "b2"),
        # What another published opset says does not count.
        ({1: "B", 2: "B"}, {1: "A", 2: "B"}, Level.WARNING, "b1"),
        ({1: "A", 2: "A"}, {1: "A", 2: "B"}, Level.WARNING, "b2"),
    ],
)
def test_an_experimental_version_may_change_in_a_new_opset_only(
    checked: Mapping[int, str], published: Mapping[int, str], level: Level, place: str
) -> None:
    def sets(texts: Mapping[int, str], name: str) -> Sets:
        drafts = {number: operator("A", 1, text, status=EXPERIMENTAL) for number, text in texts.items()}
        return release(*(opset(number, draft) for number, draft in drafts.items()), name=name)

    (found,) = run(sets(checked, "b"), sets(published, "a"), rules=[RULES[EXPERIMENTAL_CHANGED]])
    assert (found.level, found.file) == (level, place)


def test_going_back_to_an_earlier_version_removes_the_later_one() -> None:
    back = release(
        opset(1, operator("A", 1), operator("Draft", 1, status=EXPERIMENTAL)),
        opset(3, operator("A", 3, "New."), operator("Draft", 3, status=EXPERIMENTAL)),
        opset(4, operator("A", 1), operator("Draft", 1, status=EXPERIMENTAL)),
        opset(5, operator("A", 1), operator("B", 5)),
        name="a",
    )
    (found,) = told(back)
    assert found == (
        "a4: operator[0] A: A, STABLE with since_version 3, was last seen in opset 3 in a3 and went back to "
        "since_version 1 in opset 4"
    )
    assert told(back[2:], back[:2])[:1] == [found]


def test_what_may_be_in_an_unusable_file_is_not_gone() -> None:
    published = release(opset(1, operator("A", 1)), opset(2, operator("A", 1), operator("B", 2)), name="a")
    rules = [RULES[OPSET_KEPT]]
    assert run(published[1:], published, rules=rules)
    assert run(published[1:], published, rules=rules, complete=False) == ()
    assert run([*published[1:], opset(None)], published, rules=rules) == ()


def test_the_published_sets_alone_are_not_checked() -> None:
    published = [opset(1, operator("A", 1, "Old.")), opset(2, operator("A", 1, "New.")), opset(3)]
    assert check([opset(4, operator("B", 4))], published) == ()


def test_what_breaks_a_promise_within_and_across_is_told_once() -> None:
    sets = release(opset(1, operator("A", 1, "Old.")), opset(2, operator("A", 1, "New."), B2), name="n")
    (finding,) = check(sets, release(opset(1, operator("A", 1, "Old.")), name="p"))
    assert (finding.rule, finding.file) == (DOC, "n2")


def test_another_body_in_the_same_opset_is_another_body_or_another_member() -> None:
    (finding,) = check([opset(2, function("F", body="new"))], [opset(2, function("F"))])
    assert finding.rule == SIGNATURE
    first = opset(1, function("F"))
    (finding,) = check([first, opset(2, function("F", body="new"), B2)], [first, opset(2, function("F"), B2)])
    assert (finding.rule, finding.details) == (OPSET_KEPT, ("F has since_version 2, before 1",))


# The given cases


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (
            "V3",
            {
                (DOC, "V3-b-opset22.textproto", "operator[0] GlobalLpPool"),
                (EXPERIMENTAL_CHANGED, "V3-b-opset22.textproto", "operator[2] Draft"),
            },
        ),
        ("H1", set()),
        ("H2", set()),
        ("H4", {(REMOVED, "H4-b-opset10.textproto", "")}),
        ("H5", set()),
        ("F3", set()),
        ("N9", set()),
    ],
)
def test_cases(case: str, expected: set[tuple[str, str, str]]) -> None:
    sets = [parse(path.read_bytes(), path.name) for path in sorted(CASES.glob(f"{case}-*.textproto"))]
    assert {(finding.rule, finding.file, finding.element) for finding in check(sets)} == expected
    assert check(sets, sets) == check(sets)
