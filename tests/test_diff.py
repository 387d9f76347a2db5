"""What changed between two versions: by case, and for every pair of versions of ONNX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import onnx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from onnx import AttributeProto, printer

from operator_sets import EXPERIMENTAL, NOT_STATED, STABLE, function, operator
from opsetdocs.catalog import Catalog, Part, Revision, Version
from opsetdocs.diff import (
    Change,
    ChangeKind,
    Comparison,
    Role,
    Weight,
    compare,
    compare_revisions,
    compare_versions,
)
from opsetdocs.export.functions import example_body_text, later_body_text, own_body
from opsetdocs.export.schemas import Schema, all_schemas
from opsetdocs.history import build_catalog
from opsetdocs.meaning import as_part
from opsetdocs.model import AttributeDefault, OpsetImport, Status
from opsetdocs.schema import FunctionProto as FileFunctionProto
from opsetdocs.schema import NodeProto
from opsetdocs.sources import load

K = ChangeKind

BODY_TEXT = """```onnx
<domain: "", opset_import: ["" : {opset}]>
F (X) => (Y)
{{
   Y = {operator} (X)
}}
```"""


def part(text: str, status: Status = STABLE) -> Part:
    return as_part(operator("Op", 1, text, status=status))


def sections(**texts: str) -> str:
    """A text with sections: lines of a section are entries, `count` in front of them that of its heading."""
    titles = {"types": "Type Constraints", "body": "Function Body", "second": "Inputs"}
    blocks = [texts.pop("prose", "Text.")]
    for name, lines in texts.items():
        count, _, entries = lines.rpartition("|")
        bullets = entries if name == "body" else "\n".join(f"- {line}" for line in entries.split("; "))
        blocks.append(f"## {titles.get(name, name.title())}{count and f' ({count})'}\n\n{bullets}")
    return "\n\n".join(blocks)


def told(comparison: Comparison) -> list[tuple[ChangeKind, str]]:
    return [(change.kind, change.subject) for change in comparison.changes]


FLOATS = "`T` : tensor(float), tensor(double)"
BOOLS = "`B` : tensor(bool)"

CASES: dict[str, tuple[dict[str, str], dict[str, str], list[tuple[ChangeKind, str]]]] = {
    # Attributes
    "a required attribute": ({}, {"attributes": "`a` (required) : int"}, [(K.REQUIRED_ADDED, "a")]),
    "an optional attribute": ({}, {"attributes": "`a` (optional) : int"}, [(K.OPTIONAL_ADDED, "a")]),
    "an attribute of which nothing is said": ({}, {"attributes": "`a` : int"}, [(K.OPTIONAL_ADDED, "a")]),
    "an attribute with a default": (
        {},
        {"attributes": "`a` (default `1`) : int"},
        [(K.ADDED_WITH_DEFAULT, "a")],
    ),
    "an attribute goes": ({"attributes": "`a` : int"}, {}, [(K.REMOVED, "a")]),
    "another default": (
        {"attributes": "`a` (default `1`) : int"},
        {"attributes": "`a` (default `-1`) : int"},
        [(K.DEFAULT_CHANGED, "a")],
    ),
    "another default that is no JSON": (
        {"attributes": "`a` (default `one`) : int"},
        {"attributes": "`a` (default `two`) : int"},
        [(K.DEFAULT_CHANGED, "a")],
    ),
    "a default comes": (
        {"attributes": "`a` (optional) : int"},
        {"attributes": "`a` (default `1`) : int"},
        [(K.DEFAULT_GAINED, "a")],
    ),
    "a default goes": (
        {"attributes": "`a` (default `1`) : int"},
        {"attributes": "`a` (optional) : int"},
        [(K.DEFAULT_LOST, "a")],
    ),
    "an attribute becomes required": (
        {"attributes": "`a` (default `1`) : int"},
        {"attributes": "`a` (required) : int"},
        [(K.BECAME_REQUIRED, "a")],
    ),
    "an attribute becomes optional": (
        {"attributes": "`a` (required) : int"},
        {"attributes": "`a` : int"},
        [(K.BECAME_OPTIONAL, "a")],
    ),
    "an attribute becomes optional and gets a default": (
        {"attributes": "`a` (required) : int"},
        {"attributes": "`a` (default `1`) : int"},
        [(K.BECAME_OPTIONAL_WITH_DEFAULT, "a")],
    ),
    "another type of an attribute": (
        {"attributes": "`a` : int"},
        {"attributes": "`a` : list of ints"},
        [(K.TYPE_CHANGED, "a")],
    ),
    "the type of an attribute in other words": (
        {"attributes": "`a` (default `[1.0]`) : floats\n- `b` : ints\n- `c` : sparse_tensors"},
        {
            "attributes": "`a` (default `[1]`) : list of floats\n- `b` : list of  ints\n"
            "- `c` : list of sparse_tensors"
        },
        [],
    ),
    "an attribute becomes a list, in other words": (
        {"attributes": "`a` : int"},
        {"attributes": "`a` : ints"},
        [(K.TYPE_CHANGED, "a")],
    ),
    "the type of an attribute is stated": (
        {"attributes": "`a`"},
        {"attributes": "`a` : int"},
        [(K.TYPE_STATED, "a")],
    ),
    "the type of an attribute is left out": (
        {"attributes": "`a` : int"},
        {"attributes": "`a`"},
        [(K.TYPE_NOT_STATED, "a")],
    ),
    "an attribute becomes a required input": (
        {"attributes": "`a` : int"},
        {"inputs": "`a` : tensor(int64)"},
        [(K.BECAME_REQUIRED_INPUT, "a")],
    ),
    "an attribute becomes an optional input": (
        {"attributes": "`a` : int"},
        {"inputs": "`a` (optional) : tensor(int64)"},
        [(K.BECAME_OPTIONAL_INPUT, "a")],
    ),
    "an input becomes an attribute": (
        {"inputs": "`a` : tensor(int64)"},
        {"attributes": "`a` (default `1`) : int"},
        [(K.BECAME_ATTRIBUTE, "a")],
    ),
    # Inputs and outputs
    "a required input": ({"inputs": "`X`"}, {"inputs": "`X`; `Y`"}, [(K.REQUIRED_ADDED, "Y")]),
    "an optional output": (
        {"outputs": "`X`"},
        {"outputs": "`X`; `Y` (optional)"},
        [(K.OPTIONAL_ADDED, "Y")],
    ),
    "a variadic input that needs no value": (
        {"inputs": "`X`"},
        {"inputs": "`X`; `Y` (variadic, at least 0)"},
        [(K.OPTIONAL_ADDED, "Y")],
    ),
    "an input goes": ({"inputs": "`X`; `Y`"}, {"inputs": "`X`"}, [(K.REMOVED, "Y")]),
    "an input in between": (
        {"inputs": "`X`; `Z`"},
        {"inputs": "`X`; `Y` (optional); `Z`"},
        [(K.MOVED, "Z"), (K.OPTIONAL_ADDED, "Y")],
    ),
    "an input gets another name": ({"inputs": "`X`"}, {"inputs": "`Y`"}, [(K.RENAMED, "X")]),
    "an input gets another name and fewer types": (
        {"inputs": "`X` : tensor(float), tensor(double)"},
        {"inputs": "`Y` : tensor(float)"},
        [(K.MAY_NOT_BE, "Y"), (K.RENAMED, "X")],
    ),
    "another input at the place of one": (
        {"inputs": "`X` : tensor(float)"},
        {"inputs": "`Y` : tensor(bool)"},
        [(K.REQUIRED_ADDED, "Y"), (K.REMOVED, "X")],
    ),
    "two inputs change places": (
        {"inputs": "`X`; `Y`"},
        {"inputs": "`Y`; `X`"},
        [(K.MOVED, "Y"), (K.MOVED, "X")],
    ),
    "an input becomes optional": (
        {"inputs": "`X`"},
        {"inputs": "`X` (optional)"},
        [(K.BECAME_OPTIONAL, "X")],
    ),
    "an input becomes required": (
        {"inputs": "`X` (optional)"},
        {"inputs": "`X`"},
        [(K.BECAME_REQUIRED, "X")],
    ),
    "an input becomes variadic": (
        {"inputs": "`X`"},
        {"inputs": "`X` (variadic)"},
        [(K.BECAME_VARIADIC, "X")],
    ),
    "an input is no longer variadic": (
        {"inputs": "`X` (variadic)"},
        {"inputs": "`X`"},
        [(K.BECAME_SINGLE, "X")],
    ),
    "an optional input becomes variadic and required": (
        {"inputs": "`X` (optional)"},
        {"inputs": "`X` (variadic, at least 2)"},
        [(K.LEAST_RAISED, "X"), (K.BECAME_VARIADIC, "X")],
    ),
    "fewer values are enough": (
        {"inputs": "`X` (variadic, at least 2)"},
        {"inputs": "`X` (variadic, at least 1)"},
        [(K.LEAST_LOWERED, "X")],
    ),
    "values may have different types": (
        {"inputs": "`X` (variadic)"},
        {"inputs": "`X` (variadic, heterogeneous)"},
        [(K.BECAME_HETEROGENEOUS, "X")],
    ),
    "values must have one type": (
        {"inputs": "`X` (variadic, heterogeneous)"},
        {"inputs": "`X` (variadic, homogeneous)"},
        [(K.BECAME_HOMOGENEOUS, "X")],
    ),
    "an input is said to be differentiable": (
        {"inputs": "`X`"},
        {"inputs": "`X` (differentiable)"},
        [(K.DIFFERENTIABILITY_CHANGED, "X")],
    ),
    "an unknown mark": (
        {"inputs": "`X` (on the host)"},
        {"inputs": "`X` (on the device)"},
        [(K.REMARKS_CHANGED, "X")],
    ),
    "the count of a heading gets wider": (
        {"inputs": "2|`X`; `Y` (optional)"},
        {"inputs": "1 - 2|`X`; `Y` (optional)"},
        [(K.COUNT_WIDENED, "")],
    ),
    "the count of a heading gets narrower": (
        {"outputs": "`X`; `Y` (optional)"},
        {"outputs": "2|`X`; `Y` (optional)"},
        [(K.COUNT_NARROWED, "")],
    ),
    # Types
    "a constraint gains and loses types": (
        {"inputs": "`X` : T", "types": "`T` : tensor(float), tensor(int8)"},
        {"inputs": "`X` : T", "types": "`T` : tensor(double), tensor(float)"},
        [(K.TYPES_LOST, "T"), (K.TYPES_GAINED, "T")],
    ),
    "a constraint has other types altogether": (
        {"inputs": "`X` : T", "types": "`T` : tensor(float)"},
        {"inputs": "`X` : T", "types": "`T` : tensor(bool)"},
        [(K.TYPE_CHANGED, "T")],
    ),
    "a constraint gets another name": (
        {"inputs": "`X` : T", "types": FLOATS},
        {"inputs": "`X` : U", "types": "`U` : tensor(float), tensor(double)"},
        [(K.RENAMED, "T")],
    ),
    "two constraints change names, and types stay": (
        {"inputs": "`X` : T; `Y` : B", "types": f"{FLOATS}; {BOOLS}"},
        {"inputs": "`X` : B; `Y` : T", "types": "`B` : tensor(float), tensor(double); `T` : tensor(bool)"},
        [(K.TYPE_CALLED, "X"), (K.TYPE_CALLED, "Y"), (K.TYPES_OTHER, "B"), (K.TYPES_OTHER, "T")],
    ),
    "an input gets a constraint of its own": (
        {"inputs": "`X` : T; `Y` : T", "types": FLOATS},
        {"inputs": "`X` : T; `Y` : U", "types": f"{FLOATS}; `U` : tensor(float), tensor(double)"},
        [(K.TYPE_FREED, "Y"), (K.TYPE_CALLED, "Y"), (K.CONSTRAINT_ADDED, "U")],
    ),
    "an input shares a constraint": (
        {"inputs": "`X` : T; `Y` : U", "types": f"{FLOATS}; `U` : tensor(float), tensor(double)"},
        {"inputs": "`X` : T; `Y` : T", "types": FLOATS},
        [(K.TYPE_TIED, "Y"), (K.TYPE_CALLED, "Y"), (K.REMOVED, "U")],
    ),
    "inputs of one type share a constraint of more": (
        {"inputs": "`X` : tensor(float); `Y` : tensor(float)"},
        {"inputs": "`X` : T; `Y` : T", "types": FLOATS},
        [(K.MAY_BE, "X"), (K.MAY_BE, "Y"), (K.CONSTRAINT_ADDED, "T")],
    ),
    "values of different types share no type with others": (
        {"inputs": "`X` : T; `Y` (variadic, heterogeneous) : U", "types": f"{FLOATS}; `U` : tensor(float)"},
        {"inputs": "`X` : T; `Y` (variadic, heterogeneous) : T", "types": FLOATS},
        [(K.MAY_BE, "Y"), (K.REMOVED, "U")],
    ),
    "an output without a constraint has fewer types": (
        {"outputs": "`Y` : tensor(float), tensor(int8)"},
        {"outputs": "`Y` : tensor(float)"},
        [(K.MAY_NOT_BE, "Y")],
    ),
    "a type within another": (
        {"inputs": "`X` : seq(T)", "types": "`T` : tensor(float)"},
        {"inputs": "`X` : seq(T)", "types": FLOATS},
        [(K.MAY_BE, "X"), (K.TYPES_OTHER, "T")],
    ),
    "a type is stated": ({"inputs": "`X`"}, {"inputs": "`X` : tensor(float)"}, [(K.TYPE_STATED, "X")]),
    "a type is left out": ({"inputs": "`X` : tensor(float)"}, {"inputs": "`X`"}, [(K.TYPE_NOT_STATED, "X")]),
    "a constraint that nothing uses": (
        {"types": FLOATS},
        {"types": "`T` : tensor(float)"},
        [(K.TYPES_OTHER, "T")],
    ),
    # Properties and texts
    "a property is stated": ({}, {"properties": "`p` : yes"}, [(K.PROPERTY_ADDED, "p")]),
    "a property changes": (
        {"properties": "`p` : no"},
        {"properties": "`p` : yes"},
        [(K.PROPERTY_CHANGED, "p")],
    ),
    "a property goes": ({"properties": "`p` : no"}, {}, [(K.REMOVED, "p")]),
    "another description": (
        {"attributes": "`a`\n\n  One.", "types": "`T`\n\n  One."},
        {"attributes": "`a`\n\n  Two.", "types": "`T`\n\n  Two."},
        [(K.DESCRIPTION_CHANGED, "a"), (K.DESCRIPTION_CHANGED, "T")],
    ),
    "another text": ({"prose": "One."}, {"prose": "Two."}, [(K.TEXT_CHANGED, "")]),
    "another text within a section": (
        {"inputs": "`X`\n\nOne."},
        {"inputs": "`X`\n\nTwo."},
        [(K.TEXT_CHANGED, "")],
    ),
    "a second section of a kind is text": (
        {"inputs": "`X`", "second": "`Y`"},
        {"inputs": "`X`", "second": "`Z`"},
        [(K.TEXT_CHANGED, "")],
    ),
    "another body as text": ({"body": "One."}, {"body": "Two."}, [(K.BODY_TEXT_CHANGED, "")]),
    "a body as text comes": ({}, {"body": "One."}, [(K.BODY_TEXT_ADDED, "")]),
    "a body as text goes": ({"body": "One."}, {}, [(K.BODY_TEXT_REMOVED, "")]),
    "another import of a body as text": (
        {"body": BODY_TEXT.format(opset=18, operator="Relu")},
        {"body": BODY_TEXT.format(opset=19, operator="Relu")},
        [(K.BODY_TEXT_CHANGED, "")],
    ),
    "other nodes of a body as text": (
        {"body": BODY_TEXT.format(opset=18, operator="Relu")},
        {"body": BODY_TEXT.format(opset=18, operator="Abs")},
        [(K.BODY_TEXT_NODES_CHANGED, "")],
    ),
    "deprecated": ({}, {"prose": "**Deprecated** since opset 2.\n\nText."}, [(K.DEPRECATED, "")]),
    "no longer deprecated": (
        {"prose": "# Op\n\n**Deprecated**: use `Other`.\n\nText."},
        {"prose": "# Op\n\nText."},
        [(K.UNDEPRECATED, "")],
    ),
    "deprecated for another reason": (
        {"prose": "**Deprecated**: use `A`."},
        {"prose": "**Deprecated**: use `B`."},
        [(K.TEXT_CHANGED, "")],
    ),
    # Several at once, the worst first, then in the order of the signature
    "order": (
        {"attributes": "`a` (default `1`) : int", "inputs": "`X`; `Y`"},
        {"prose": "Other.", "attributes": "`a` (default `2`) : int; `b` : int", "inputs": "`X`"},
        [(K.REMOVED, "Y"), (K.DEFAULT_CHANGED, "a"), (K.OPTIONAL_ADDED, "b"), (K.TEXT_CHANGED, "")],
    ),
    # Nothing
    "white space": (
        {"prose": "One two.", "attributes": "`a` : list of ints\n\n  One two."},
        {"prose": "One\ntwo. ", "attributes": "`a` : list  of ints\n\n  One\n\n  two."},
        [],
    ),
    "order of sets": (
        {"attributes": "`a`; `b`", "types": f"{FLOATS}; {BOOLS}", "properties": "`p`; `q`"},
        {
            "properties": "`q`; `p`",
            "types": f"{BOOLS}; `T` : tensor(double), tensor(float)",
            "attributes": "`b`; `a`",
        },
        [],
    ),
    "order of sets in use": (
        {"inputs": "`X` : T", "types": FLOATS},
        {"inputs": "`X` : T", "types": "`T` : tensor(double), tensor(float)"},
        [],
    ),
    "another way of writing": (
        {
            "attributes": "`a` (optional); `b` (default `0.1`) : float; `c` (default `[1,2]`) : list of ints",
            "inputs": "1 - ∞|`X` (homogeneous, variadic)",
        },
        {
            "attributes": "`a`; `b` (default `0.100000001`) : float; `c` (default `[1, 2]`) : list of ints",
            "inputs": "`X` (variadic, at least 1)",
        },
        [],
    ),
    "examples": ({"examples": "one"}, {"examples": "two"}, []),
    "a count that follows from the entries": ({"inputs": "1|`X`"}, {"inputs": "`X`"}, []),
    "names that are repeated": ({"inputs": "`X`; `X`"}, {"inputs": "`X`; `X`"}, []),
}


@pytest.mark.parametrize("case", CASES)
def test_change(case: str) -> None:
    old, new, expected = CASES[case]
    assert told(compare(part(sections(**old)), part(sections(**new)))) == expected


@pytest.mark.parametrize("case", CASES)
def test_nothing_changes_from_a_version_to_itself(case: str) -> None:
    for texts in CASES[case][:2]:
        assert compare(part(sections(**texts)), part(sections(**texts))) == Comparison(())


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (EXPERIMENTAL, STABLE, K.PROMOTED),
        (NOT_STATED, STABLE, K.PROMOTED),
        (STABLE, EXPERIMENTAL, K.DEMOTED),
        (STABLE, Status(7), K.STATUS_CHANGED),
        (EXPERIMENTAL, NOT_STATED, K.STATUS_CHANGED),
    ],
)
def test_status(old: Status, new: Status, kind: ChangeKind) -> None:
    assert told(compare(part("Text.", old), part("Text.", new))) == [(kind, "")]


def made(nodes: Iterable[str] = ("Relu",), opset: int | None = 13, **fields: Any) -> Part:
    """A function with a body of these nodes."""
    message = FileFunctionProto(node=[NodeProto(op_type=name) for name in nodes])
    imports = () if opset is None else (OpsetImport("ai.onnx", opset),)
    item = replace(
        function("Op", body=f"{[*nodes]} {imports} {fields}", metadata={"status": "STABLE"}),
        proto=message.SerializeToString(),
        opset_imports=imports,
        **fields,
    )
    return as_part(item)


DEFAULT = AttributeDefault("a", "int", "1", None)

FUNCTIONS = {
    "an operator becomes a function": (
        part(sections(inputs="`x`", outputs="`y`", properties="`function` : no")),
        made(doc_string=sections(properties="`function` : yes")),
        [(K.BECAME_FUNCTION, "")],
    ),
    "a function becomes an operator": (
        made(),
        part(sections(inputs="`x`", outputs="`y`")),
        [(K.NO_LONGER_FUNCTION, "")],
    ),
    "another body": (made(), made(["Relu", "Neg"]), [(K.BODY_CHANGED, "")]),
    "another import": (made(), made(opset=18), [(K.IMPORT_CHANGED, "ai.onnx")]),
    "an import comes": (made(opset=None), made(), [(K.IMPORT_CHANGED, "ai.onnx")]),
    "the signature of the fields": (
        made(inputs=("x", "z")),
        made(attributes=("b",), attribute_defaults=(DEFAULT,)),
        [(K.REQUIRED_ADDED, "b"), (K.REMOVED, "z"), (K.ADDED_WITH_DEFAULT, "a")],
    ),
    "a text of a field": (
        made(attribute_defaults=(DEFAULT,)),
        made(attribute_defaults=(replace(DEFAULT, doc_string="Text."),)),
        [(K.DESCRIPTION_CHANGED, "a")],
    ),
    "nothing": (made(), made(), []),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_function(case: str) -> None:
    old, new, expected = FUNCTIONS[case]
    assert told(compare(old, new)) == expected


def test_every_kind_has_a_case() -> None:
    in_cases = {kind for _, _, expected in CASES.values() for kind, _ in expected}
    in_functions = {kind for _, _, expected in FUNCTIONS.values() for kind, _ in expected}
    assert in_cases | in_functions | {K.PROMOTED, K.DEMOTED, K.STATUS_CHANGED} == set(ChangeKind)


def test_every_kind_has_a_weight_and_a_sentence() -> None:
    for kind in ChangeKind:
        for role in Role:
            change = Change(kind, "s", "1", "2", role)
            assert Weight.NOTHING < change.weight < Weight.REMOVED
            assert change.plain
            assert "{" not in change.plain
            assert change.weight.words != Weight.NOTHING.words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            Change(K.DEFAULT_CHANGED, "axis", "1", "-1", Role.ATTRIBUTE),
            "default of `axis` changed from `1` to `-1`",
        ),
        (
            Change(K.TYPES_GAINED, "T", new="tensor(int8), map(int64, string)", role=Role.TYPE),
            "`T` gained `tensor(int8)` and `map(int64, string)`",
        ),
        (
            Change(
                K.MAY_BE,
                "X",
                new="tensor(int8), tensor(int16), tensor(int64), tensor(int32), tensor(bool)",
                role=Role.INPUT,
            ),
            "input `X` may now also be all signed integer tensors of 8 to 64 bits and `tensor(bool)`",
        ),
        (
            Change(K.TYPE_FREED, "Y", old="X, A, B", role=Role.OUTPUT),
            "output `Y` need no longer have the type of `X`, `A` and `B`",
        ),
        (Change(K.MOVED, "X", "2", "3", Role.INPUT), "input `X` moved from place 2 to place 3"),
        (Change(K.RENAMED, "X", "X", "Y", Role.INPUT), "input `X` is now called `Y`"),
        (
            Change(K.REMARKS_CHANGED, "X", "", "odd", Role.INPUT),
            "remarks on input `X` changed from nothing to `odd`",
        ),
        (Change(K.REMOVED, "a`{b}\n", role=Role.ATTRIBUTE), "attribute ``a`{b}`` removed"),
        (
            Change(K.COUNT_WIDENED, "", "2", "1 or more", Role.INPUT),
            "number of inputs may now be 1 or more, before 2",
        ),
    ],
)
def test_words(change: Change, words: str) -> None:
    assert change.words == words
    assert change.plain == words.replace("``a`{b}``", "a'{b}").replace("`", "").replace("'", "`")


@pytest.mark.parametrize(
    ("change", "weight"),
    [
        (Change(K.REMOVED, "a", role=Role.ATTRIBUTE), Weight.NARROWED),
        (Change(K.REMOVED, "T", role=Role.TYPE), Weight.TEXT),
        (Change(K.REMOVED, "p", role=Role.PROPERTY), Weight.TEXT),
    ],
)
def test_weight_by_role(change: Change, weight: Weight) -> None:
    assert change.weight is weight
    assert Comparison((change,)).weight is weight
    assert Comparison(()).weight is Weight.NOTHING


# Versions that files name twice


def version(*parts: Part) -> Version:
    return Version(1, derived=False, revisions=(Revision((1,), parts),), offered=())


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ([part("One."), made()], [part("Two."), made()], [(K.TEXT_CHANGED, "")]),
        ([part("One."), made()], [made(["Neg"]), part("One.")], [(K.BODY_CHANGED, "")]),
        ([part("Text.")], [part("Text."), made()], [(K.BECAME_FUNCTION, "")]),
        ([part("One."), made()], [part("Two."), made(doc_string="Two.")], [(K.TEXT_CHANGED, "")]),
    ],
)
def test_a_version_that_is_named_twice(
    old: list[Part], new: list[Part], expected: list[tuple[ChangeKind, str]]
) -> None:
    assert told(compare_versions(version(*old), version(*new))) == expected
    assert told(compare_revisions(version(*old).current, version(*new).current)) == expected


# Any text

_NAME = st.sampled_from(["X", "Y", "T", "U", "a`b", "{old}", ""])
_TYPE = st.sampled_from(
    ["", "T", "U", "seq(T)", "map(T, U)", "tensor(float)", "tensor(int8), tensor(bool)", "T (odd)", "(", ")"]
)
_MARK = st.sampled_from(
    [
        "",
        "(required)",
        "(optional)",
        "(variadic)",
        "(variadic, at least 3)",
        "(heterogeneous, variadic)",
        "(default `1`)",
        "(default `[[`)",
        "(default `1e999`)",
        "(default `{}`)",
        "(odd)",
    ]
)
_BULLET = st.builds("- `{}` {} : {}".format, _NAME, _MARK, _TYPE)
_HEADING = st.sampled_from(
    [
        "## Attributes",
        "## Inputs",
        "## Inputs (3)",
        "## Outputs (0 - ∞)",
        "## Type Constraints",
        "## Properties",
    ]
)
_TEXT = st.lists(_HEADING | _BULLET | st.text(max_size=8), max_size=12).map("\n".join)


@given(_TEXT, _TEXT)
@example("## Attributes\n- `a` (default `%s`) : int" % ("[" * 100_000), "## Attributes\n- `a` (default `1`)")
@example(
    "## Attributes\n- `a` (default `%s`) : float" % ("9" * 400),
    "## Attributes\n- `a` (default `%s`) : float" % ("9" * 5000),
)
def test_any_two_texts_can_be_compared(old: str, new: str) -> None:
    comparison = compare(part(old), part(new))
    weights = [change.weight for change in comparison.changes]
    assert weights == sorted(weights, reverse=True)
    for change in comparison.changes:
        assert change.words
        assert "\n" not in change.words
    assert compare(part(old), part(old)) == Comparison(())


# Every pair of versions of ONNX, compared with the registry

Told = tuple[str, str, str]
"""Kind, role and subject of a change."""

SCHEMAS = {(item.domain or "ai.onnx", item.name, item.since_version): item for item in all_schemas()}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return build_catalog(load(("onnx",), base=Path()).sets)


def pairs(catalog: Catalog) -> Iterator[tuple[tuple[str, str], Version, Version]]:
    for domain in catalog.domains:
        for item in domain.operators:
            for old, new in combinations(item.versions, 2):
                yield (domain.name, item.op_type), old, new


@pytest.mark.skipif(onnx.__version__ != "1.23.2", reason="counts of onnx 1.23.2")
def test_the_number_of_pairs(catalog: Catalog) -> None:
    assert sum(1 for _ in pairs(catalog)) == 1114


def test_what_changed_in_onnx_is_what_the_registry_says(catalog: Catalog) -> None:
    for name, old, new in pairs(catalog):
        before, after = SCHEMAS[*name, old.since_version], SCHEMAS[*name, new.since_version]
        changes = compare_versions(old, new).changes
        found = sorted((item.kind.name, item.role.value, item.subject) for item in changes)
        assert found == sorted(registry_changes(before, after)), (*name, old.since_version, new.since_version)


def test_upsample_10_is_deprecated_and_nothing_else(catalog: Catalog) -> None:
    upsample = catalog.find("ai.onnx", "Upsample")
    assert upsample
    [change] = compare_versions(upsample.version(9), upsample.version(10)).changes
    assert change.kind is K.DEPRECATED


def registry_changes(old: Schema, new: Schema) -> Iterator[Told]:
    """Compare two versions by what the registry says of them, without any text."""
    if old.deprecated != new.deprecated:
        yield "DEPRECATED" if new.deprecated else "UNDEPRECATED", "operator", ""
    if old.support_level.name != new.support_level.name:
        yield "DEMOTED" if new.support_level.name == "EXPERIMENTAL" else "PROMOTED", "operator", ""
    yield from joined([*registry_attributes(old, new), *registry_values(old, new)])
    yield from registry_types(old, new)
    yield from registry_functions(old, new)
    if words(old.doc) != words(new.doc):
        yield "TEXT_CHANGED", "operator", ""


def joined(changes: list[Told]) -> Iterator[Told]:
    """An attribute that goes while an input of its name comes became an input."""
    for name in {subject for _, _, subject in changes}:
        attribute = {kind for kind, role, subject in changes if (role, subject) == ("attribute", name)}
        value = {kind for kind, role, subject in changes if (role, subject) == ("input", name)}
        is_joined = True
        if attribute == {"REMOVED"} and value & {"OPTIONAL_ADDED", "REQUIRED_ADDED"}:
            [kind] = value
            yield f"BECAME_{kind.removesuffix('_ADDED')}_INPUT", "attribute", name
        elif value == {"REMOVED"} and any("ADDED" in kind for kind in attribute):
            yield "BECAME_ATTRIBUTE", "input", name
        else:
            is_joined = False
        yield from (
            change
            for change in changes
            if change[2] == name and not (is_joined and change[1] in ("attribute", "input"))
        )


def registry_attributes(old: Schema, new: Schema) -> Iterator[Told]:
    def has_default(item: Any) -> bool:
        return bool(item.default_value.type != AttributeProto.UNDEFINED)

    for name in {*old.attributes, *new.attributes}:
        before, after = old.attributes.get(name), new.attributes.get(name)
        kinds = []
        if before is None:
            assert after
            kinds = [
                "REQUIRED_ADDED"
                if after.required
                else "ADDED_WITH_DEFAULT"
                if has_default(after)
                else "OPTIONAL_ADDED"
            ]
        elif after is None:
            kinds = ["REMOVED"]
        else:
            if before.required != after.required:
                with_default = "_WITH_DEFAULT" if has_default(after) else ""
                kinds.append("BECAME_REQUIRED" if after.required else f"BECAME_OPTIONAL{with_default}")
            elif has_default(before) != has_default(after):
                kinds.append("DEFAULT_GAINED" if has_default(after) else "DEFAULT_LOST")
            elif before.default_value != after.default_value:
                kinds.append("DEFAULT_CHANGED")
            if before.type.name != after.type.name:
                kinds.append("TYPE_CHANGED")
            if words(before.description) != words(after.description):
                kinds.append("DESCRIPTION_CHANGED")
        yield from ((kind, "attribute", name) for kind in kinds)


def words(text: str | None) -> list[str]:
    return (text or "").split()


def nodes_in(text: str) -> list[list[str]]:
    """The nodes of the bodies in a text, as they are printed."""
    bodies = re.findall(r"^```onnx\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [re.findall(r"^ {3}(.*)$", body, re.MULTILINE) for body in bodies]


def allowed(schema: Schema, type_str: str) -> set[str]:
    constraints = {item.type_param_str: item.allowed_type_strs for item in schema.type_constraints}
    return set(constraints.get(type_str, [type_str]))


def registry_pairs(old: Schema, new: Schema, side: str) -> list[tuple[int, int]]:
    """The places of the inputs or outputs that both versions have."""
    before, after = getattr(old, side), getattr(new, side)
    names, new_names = [item.name for item in before], [item.name for item in after]
    result = [(names.index(name), new_names.index(name)) for name in names if name in new_names]
    for place in range(min(len(names), len(new_names))):
        if names[place] in new_names or new_names[place] in names:
            continue
        if allowed(old, before[place].type_str) & allowed(new, after[place].type_str):
            result.append((place, place))
    return result


def registry_values(old: Schema, new: Schema) -> Iterator[Told]:
    for side, role, count in (("inputs", "input", "input"), ("outputs", "output", "output")):
        before, after = getattr(old, side), getattr(new, side)
        both = registry_pairs(old, new, side)
        for place, item in enumerate(before):
            if place not in {first for first, _ in both}:
                yield "REMOVED", role, item.name
        for place, item in enumerate(after):
            if place not in {second for _, second in both}:
                needed = item.min_arity if item.option.name == "Variadic" else item.option.name == "Single"
                yield "REQUIRED_ADDED" if needed else "OPTIONAL_ADDED", role, item.name
        for first, second in both:
            yield from registry_value(role, first, before[first], second, after[second])
        counts = [(getattr(item, f"min_{count}"), getattr(item, f"max_{count}")) for item in (old, new)]
        usual = [usual_count(getattr(item, side)) for item in (old, new)]
        if counts[0] != counts[1] and counts != usual:
            wider = counts[1][0] <= counts[0][0] and counts[1][1] >= counts[0][1]
            yield "COUNT_WIDENED" if wider else "COUNT_NARROWED", role, ""


def usual_count(items: Any) -> tuple[int, int]:
    """The count that follows from the inputs or outputs alone."""
    least = {"Single": 1, "Optional": 0}
    lowest = sum(least.get(item.option.name, item.min_arity) for item in items)
    return lowest, 2**31 - 1 if any(item.option.name == "Variadic" for item in items) else len(items)


def registry_value(role: str, place: int, old: Any, new_place: int, new: Any) -> Iterator[Told]:
    if place != new_place:
        yield "MOVED", role, new.name
    if old.name != new.name:
        yield "RENAMED", role, old.name
    options = old.option.name, new.option.name
    least, new_least = usual_count([old])[0], usual_count([new])[0]
    if (options[0] == "Variadic") != (options[1] == "Variadic"):
        yield "BECAME_VARIADIC" if options[1] == "Variadic" else "BECAME_SINGLE", role, new.name
    if least != new_least:
        raised = new_least > least
        if "Variadic" in options:
            yield "LEAST_RAISED" if raised else "LEAST_LOWERED", role, new.name
        else:
            yield "BECAME_REQUIRED" if raised else "BECAME_OPTIONAL", role, new.name
    if options == ("Variadic", "Variadic") and old.is_homogeneous != new.is_homogeneous:
        yield "BECAME_HOMOGENEOUS" if new.is_homogeneous else "BECAME_HETEROGENEOUS", role, new.name
    if old.differentiation_category.name != new.differentiation_category.name:
        yield "DIFFERENTIABILITY_CHANGED", role, new.name
    if words(old.description) != words(new.description):
        yield "DESCRIPTION_CHANGED", role, new.name


def registry_types(old: Schema, new: Schema) -> Iterator[Told]:
    values = [
        (role, getattr(old, side)[first], getattr(new, side)[second])
        for side, role in (("inputs", "input"), ("outputs", "output"))
        for first, second in sorted(registry_pairs(old, new, side))
    ]
    before = {item.type_param_str: item for item in old.type_constraints}
    after = {item.type_param_str: item for item in new.type_constraints}
    went_on = registry_names(
        before, after, [(first.type_str, second.type_str) for _, first, second in values]
    )

    def is_moved(first: Any, second: Any) -> bool:
        return bool(went_on.get(first.type_str) != second.type_str)

    for role, first, second in values:
        if is_moved(first, second):
            types, new_types = allowed(old, first.type_str), allowed(new, second.type_str)
            if not types & new_types:
                yield "TYPE_CHANGED", role, second.name
            elif types == new_types:
                if first.type_str != second.type_str:
                    yield "TYPE_CALLED", role, second.name
            else:
                if types - new_types:
                    yield "MAY_NOT_BE", role, second.name
                if new_types - types:
                    yield "MAY_BE", role, second.name
    yield from registry_ties(old, new, values, [is_moved(first, second) for _, first, second in values])
    # A constraint goes on under its name, or under another one.
    same = {name: name for name in before if name in after and name not in went_on}
    same = {name: name for name in same if name not in went_on.values()} | went_on
    for name, new_name in same.items():
        types, new_types = allowed(old, name), allowed(new, new_name)
        if name != new_name:
            yield "RENAMED", "type constraint", name
        if name not in went_on:
            if types != new_types:
                yield "TYPES_OTHER", "type constraint", new_name
        elif not types & new_types:
            yield "TYPE_CHANGED", "type constraint", new_name
        else:
            if types - new_types:
                yield "TYPES_LOST", "type constraint", new_name
            if new_types - types:
                yield "TYPES_GAINED", "type constraint", new_name
        if words(before[name].description) != words(after[new_name].description):
            yield "DESCRIPTION_CHANGED", "type constraint", new_name
    yield from (("REMOVED", "type constraint", name) for name in before.keys() - same.keys())
    yield from (("CONSTRAINT_ADDED", "type constraint", name) for name in after.keys() - set(same.values()))


def registry_names(before: Any, after: Any, types: list[tuple[str, str]]) -> dict[str, str]:
    """What the constraints that some input or output kept are called now."""
    result = {}
    for old, new in types:
        if old not in before or new not in after:
            continue
        others = [pair for pair in types if (pair[0] == old) != (pair[1] == new)]
        if old == new or (new not in before and not others):
            result[old] = new
    return result


def registry_ties(old: Schema, new: Schema, values: Any, moved: list[bool]) -> Iterator[Told]:
    """Which inputs and outputs have to be of one type by sharing a constraint."""

    def tied(schema: Schema, first: Any, second: Any) -> bool:
        constraints = {item.type_param_str for item in schema.type_constraints}
        mixed = [
            item for item in (first, second) if item.option.name == "Variadic" and not item.is_homogeneous
        ]
        return not mixed and first.type_str in constraints and bool(first.type_str == second.type_str)

    def free(schema: Schema, first: Any, second: Any) -> bool:
        types = allowed(schema, first.type_str) | allowed(schema, second.type_str)
        return len(types) > 1 and not tied(schema, first, second)

    for place, (role, before, after) in enumerate(values):
        if not moved[place]:
            continue
        others = [
            item
            for index, (_, *item) in enumerate(values)
            if index != place and (index > place or not moved[index])
        ]
        if any(tied(old, before, item[0]) and free(new, after, item[1]) for item in others):
            yield "TYPE_FREED", role, after.name
        if any(tied(new, after, item[1]) and free(old, before, item[0]) for item in others):
            yield "TYPE_TIED", role, after.name


def registry_functions(old: Schema, new: Schema) -> Iterator[Told]:
    bodies = [own_body(schema) for schema in (old, new)]
    has_body, has_new_body = (body is not None for body in bodies)
    if has_body != has_new_body:
        yield "BECAME_FUNCTION" if has_new_body else "NO_LONGER_FUNCTION", "operator", ""
    if bodies[0] and bodies[1]:
        # As printed: an empty name of a tensor is no difference to one that is not set.
        nodes, new_nodes = ([printer.to_text(node) for node in body.node] for body in bodies if body)
        if nodes != new_nodes:
            yield "BODY_CHANGED", "operator", ""
        imports, new_imports = (
            {item.domain: item.version for item in body.opset_import} for body in bodies if body
        )
        for domain in imports.keys() | new_imports.keys():
            if imports.get(domain) != new_imports.get(domain):
                yield "IMPORT_CHANGED", "operator", domain or "ai.onnx"
    text, new_text = (
        "\n\n".join(chain(later_body_text(item), example_body_text(item))) for item in (old, new)
    )
    if words(text) != words(new_text):
        if not text or not new_text:
            yield f"BODY_TEXT_{'ADDED' if new_text else 'REMOVED'}", "operator", ""
        else:
            same = nodes_in(text) == nodes_in(new_text)
            yield f"BODY_TEXT_{'' if same else 'NODES_'}CHANGED", "operator", ""
    properties, new_properties = registry_properties(old), registry_properties(new)
    if has_body != has_new_body:
        del properties["function"], new_properties["function"]
    for name in properties.keys() | new_properties.keys():
        if name not in properties:
            yield "PROPERTY_ADDED", "property", name
        elif name not in new_properties:
            yield "REMOVED", "property", name
        elif properties[name] != new_properties[name]:
            yield "PROPERTY_CHANGED", "property", name


def registry_properties(schema: Schema) -> dict[str, object]:
    body = own_body(schema)
    determinism = getattr(schema, "node_determinism", None)
    stated = determinism is not None and determinism.name != "Unknown"
    first = min(schema.function_opset_versions, default=None) if schema.has_function and not body else None
    return {
        "shape inference": schema.has_type_and_shape_inference_function,
        "function": (schema.has_context_dependent_function, body is not None, first),
        **({"deterministic": determinism.name} if determinism and stated else {}),
    }
