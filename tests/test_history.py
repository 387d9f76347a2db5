"""Versions, ranges and events: what follows from operator sets taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_sets import EXPERIMENTAL, NOT_STATED, STABLE, function, operator, opset
from opsetdocs.catalog import Catalog, EventKind, Kind, OperatorHistory, OpsetRange
from opsetdocs.export import registry_sets
from opsetdocs.history import build_catalog, is_cumulative
from opsetdocs.loader import from_message, parse
from opsetdocs.model import Function, Operator, OperatorSet, Status
from opsetdocs.ranges import merged, without

CASES = Path(__file__).parent / "cases"


def case(*names: str) -> Catalog:
    files = [path for name in names for path in sorted(CASES.glob(f"{name}-*.textproto"))]
    return build_catalog([parse(path.read_bytes(), path.name) for path in files])


def history(catalog: Catalog, op_type: str = "A", domain: str = "com.example") -> OperatorHistory:
    found = catalog.find(domain, op_type)
    assert found is not None
    return found


def offered(item: OperatorHistory) -> dict[int, str]:
    return {version.since_version: ", ".join(map(str, version.offered)) for version in item.versions}


def told(item: OperatorHistory) -> list[str]:
    """The events of an operator in words: `changed 5 to version 5 (4 missing)`."""
    lines = []
    for event in item.events:
        line = f"{event.kind.value} {event.opset} v{event.since_version}"
        line += f" last seen {event.last_seen}" if event.last_seen is not None else ""
        line += f" ({', '.join(map(str, event.missing))} missing)" if event.missing else ""
        lines.append(line)
    return lines


# Ranges


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], ""),
        ([(3, 4), (1, 2)], "1 to 4"),
        ([(1, 5), (2, 3), (7, 7)], "1 to 5, 7"),
        ([(1, 2**62), (2**62 + 1, 2**62 + 2)], f"1 to {2**62 + 2}"),
    ],
)
def test_merged(ranges: list[tuple[int, int]], expected: str) -> None:
    assert ", ".join(map(str, merged(OpsetRange(*item) for item in ranges))) == expected


@pytest.mark.parametrize(
    ("first", "last", "taken", "expected"),
    [
        (1, 3, [], "1 to 3"),
        (3, 2, [], ""),
        (1, 9, [(3, 4), (8, 20)], "1 to 2, 5 to 7"),
        (5, 6, [(1, 4), (7, 9)], "5 to 6"),
        (5, 6, [(1, 9)], ""),
        (1, 2**62, [(2, 2**62 - 1)], f"1, {2**62}"),
    ],
)
def test_without(first: int, last: int, taken: list[tuple[int, int]], expected: str) -> None:
    assert ", ".join(map(str, without(first, last, [OpsetRange(*item) for item in taken]))) == expected


# The given cases


CASE_RANGES = {
    "H1": {"Split": {13: "13 to 17", 18: "18"}},
    "H2": {"Sub": {1: "1 to 5", 6: "6", 7: "7 to 12", 13: "13 to 20"}, "Mish": {18: "18 to 20"}},
    "H3": {"Resize": {2: "2 to 8", 9: "9", 10: "10", 11: "11 to 20", 21: "21"}},
    "H4": {"Upsample": {7: "7 to 8", 9: "9"}, "Affine": {1: "1 to 9"}, "Resize": {9: "9", 10: "10"}},
    "H5": {"Inverse": {1: "1", 2: "2"}},
    "F1": {"Plain": {1: "1"}, "ScaledRelu": {1: "1"}},
    "V2": {"LayerNorm": {17: ""}, "Relu": {14: "16"}},
    "V3": {"GlobalLpPool": {2: "2 to 21", 22: "22"}, "Draft": {3: "3 to 22"}},
}
CASE_EVENTS = {
    ("H2", "Mish"): ["introduced 18 v18"],
    ("H3", "Resize"): [
        "introduced 2 v2",
        "changed 9 v9",
        "changed 10 v10",
        "changed 11 v11",
        "changed 21 v21",
    ],
    ("H4", "Upsample"): ["introduced 7 v7", "changed 9 v9", "removed 10 v9 last seen 9"],
    ("H4", "Affine"): ["introduced 1 v1", "removed 10 v1 last seen 9"],
    ("H5", "Inverse"): ["introduced 1 v1", "changed 2 v2", "promoted 2 v2"],
    ("V2", "LayerNorm"): [],
    ("V3", "Draft"): ["introduced 3 v3", "revised 22 v3"],
}


@pytest.mark.parametrize(("name", "expected"), CASE_RANGES.items())
def test_ranges_of_cases(name: str, expected: dict[str, dict[int, str]]) -> None:
    assert {item.op_type: offered(item) for item in case(name).domains[0].operators} == expected


@pytest.mark.parametrize(("where", "expected"), CASE_EVENTS.items())
def test_events_of_cases(where: tuple[str, str], expected: list[str]) -> None:
    name, op_type = where
    assert told(history(case(name), op_type)) == expected


def test_h4_what_was_removed_is_no_member() -> None:
    opsets = {item.version: item for item in case("H4").domains[0].opsets}
    assert {item.name for item, _ in opsets[9].members} == {"Affine", "Resize", "Upsample"}
    assert {item.name for item, _ in opsets[10].members} == {"Resize"}
    assert history(case("H4"), "Upsample").removal


def test_h6_status_not_stated() -> None:
    keys = {item.op_type: item.current.status.key for item in case("H6").domains[0].operators}
    assert keys == {"Said": "stable", "Tried": "experimental", "Silent": "not-stated"}


def test_w4_members_of_an_opset() -> None:
    opsets = {item.version: item for item in case("H2").domains[0].opsets}
    assert {item.name: version.since_version for item, version in opsets[11].members} == {"Sub": 7}
    assert list(opsets) == list(range(1, 21))
    assert [number for number, item in opsets.items() if item.loaded] == [20]


def test_f3_operator_and_function_are_one_version_with_two_parts() -> None:
    (swish,) = case("F3").domains[0].operators
    (version,) = swish.versions
    assert [part.kind for part in version.current.parts] == [Kind.OPERATOR, Kind.FUNCTION]


def test_v1_both_copies_are_kept() -> None:
    parts = history(case("V1"), "Tanh").current.current.parts
    assert [part.doc.text for part in parts] == [
        "Hyperbolic tangent, first text.\n",
        "Hyperbolic tangent, second text.\n",
    ]


def test_v3_the_highest_opset_is_shown_first() -> None:
    pool = history(case("V3"), "GlobalLpPool").version(2)
    assert [revision.opsets for revision in pool.revisions] == [(22,), (21,)]
    assert pool.in_conflict
    assert not history(case("V3"), "Draft").version(3).in_conflict


def test_v5_two_files_of_one_opset_are_united() -> None:
    (domain,) = case("V5").domains
    assert [item.name for item in domain.operators] == ["FancyRelu", "Relu"]
    assert [part.doc.text for part in history(case("V5"), "Relu", "ai.onnx").current.current.parts] == [
        "The standard text.\n",
        "A vendor's own wording.\n",
    ]


def test_n8_the_same_name_in_two_domains() -> None:
    catalog = case("N8")
    assert [item.name for item in catalog.domains] == ["ai.onnx", "com.microsoft"]
    assert [list(offered(history(catalog, "Gelu", item.name))) for item in catalog.domains] == [[20], [1]]


def test_n9_the_empty_domain_is_ai_onnx() -> None:
    catalog = case("N9")
    assert [item.name for item in catalog.domains] == ["ai.onnx", "ai.onnx.ml"]
    assert offered(history(catalog, "Add", "ai.onnx")) == {7: "7", 13: "13"}
    assert list(map(str, catalog.domains[0].missing)) == ["1 to 6", "8 to 12"]


@pytest.mark.parametrize(
    ("order", "expected"),
    [("name", ["conv", "Conv", "Relu"]), ("file", ["Relu", "conv", "Conv"])],
)
def test_w12_order(order: str, expected: list[str]) -> None:
    sets = [opset(1, operator("Relu", 1), operator("conv", 1), operator("Conv", 1))]
    operators = build_catalog(sets, order=order).domains[0].operators
    names = [item.op_type for item in operators]
    assert names == (sorted(names, key=lambda name: (name.casefold(), name)) if order == "name" else expected)


def test_file_order_follows_the_highest_opset() -> None:
    sets = [
        opset(1, operator("Gone", 1), operator("A", 1), operator("B", 1)),
        opset(2, function("F"), operator("B", 1), operator("A", 1)),
    ]
    (domain,) = build_catalog(sets, order="file").domains
    assert [item.op_type for item in domain.operators] == ["B", "A", "F", "Gone"]
    assert [item.position for item in domain.operators] == [0, 1, 2, 3]
    assert [item.name for item, _ in domain.latest.members] == ["B", "A", "F"]


# Events, one scenario a row


@dataclass(frozen=True)
class Scenario:
    title: str
    sets: Sequence[OperatorSet]
    expected: list[str]


def a(since_version: int, doc: str = "Text.", status: Status = STABLE) -> Operator:
    return operator("A", since_version, doc, status=status)


OTHER = operator("Other", 1)
DEPRECATED = "**Deprecated** use B."

SCENARIOS = [
    Scenario("from the first opset", [opset(1, a(1))], ["introduced 1 v1"]),
    Scenario("since_version 1 needs no file of opset 1", [opset(7, a(1))], ["introduced 1 v1"]),
    Scenario("introduced later", [opset(1, OTHER), opset(2, a(2))], ["introduced 2 v2"]),
    Scenario("first seen", [opset(7, a(5))], ["first seen 7 v5 (1 to 4 missing)"]),
    Scenario("first seen after a gap", [opset(2), opset(7, a(5))], ["first seen 7 v5 (3 to 4 missing)"]),
    Scenario("introduced in a gap", [opset(4), opset(7, a(5))], ["introduced 5 v5"]),
    Scenario("changed", [opset(1, a(1)), opset(2, a(2))], ["introduced 1 v1", "changed 2 v2"]),
    Scenario("changed in a gap", [opset(1, a(1)), opset(7, a(5))], ["introduced 1 v1", "changed 5 v5"]),
    Scenario(
        "a since_version that cannot be true",
        [opset(1, a(1)), opset(4, a(1)), opset(7, a(3))],
        ["introduced 1 v1", "changed 7 v3 (5 to 6 missing)"],
    ),
    Scenario(
        "promoted",
        [opset(1, a(1, status=EXPERIMENTAL)), opset(2, a(2))],
        ["introduced 1 v1", "changed 2 v2", "promoted 2 v2"],
    ),
    Scenario(
        "a status that is not stated counts as experimental",
        [opset(1, a(1, status=NOT_STATED)), opset(2, a(2))],
        ["introduced 1 v1", "changed 2 v2", "promoted 2 v2"],
    ),
    Scenario(
        "promoted in a gap",
        [opset(1, a(1, status=EXPERIMENTAL)), opset(7, a(5))],
        ["introduced 1 v1", "changed 5 v5", "promoted 5 v5 (2 to 4 missing)"],
    ),
    Scenario(
        "not promoted without a new since_version",
        [opset(1, a(1, status=EXPERIMENTAL)), opset(2, a(1))],
        ["introduced 1 v1"],
    ),
    Scenario(
        "an unknown status is neither",
        [opset(1, a(1, status=Status(7))), opset(2, a(2)), opset(3, a(3, status=Status(7)))],
        ["introduced 1 v1", "changed 2 v2", "changed 3 v3"],
    ),
    Scenario(
        "demoted",
        [opset(1, a(1)), opset(2, a(2, status=EXPERIMENTAL))],
        ["introduced 1 v1", "changed 2 v2", "demoted 2 v2"],
    ),
    Scenario(
        "revised",
        [opset(1, a(1, "One.", EXPERIMENTAL)), opset(2, a(1, "Two.", EXPERIMENTAL))],
        ["introduced 1 v1", "revised 2 v1"],
    ),
    Scenario(
        "revised in a gap",
        [opset(1, a(1, "One.", EXPERIMENTAL)), opset(4, a(1, "Two.", EXPERIMENTAL))],
        ["introduced 1 v1", "revised 4 v1 (2 to 3 missing)"],
    ),
    Scenario(
        "white space and examples are no revision",
        [
            opset(1, a(1, "One two.", EXPERIMENTAL)),
            opset(2, a(1, "One\r\ntwo. \r\n\r\n## Examples\r\n\r\n### x\r\n\r\ny\r\n", NOT_STATED)),
        ],
        ["introduced 1 v1"],
    ),
    Scenario(
        "a stable text that changes is a conflict, not an event",
        [opset(1, a(1, "One.")), opset(2, a(1, "Two."))],
        ["introduced 1 v1"],
    ),
    Scenario(
        "removed",
        [opset(1, a(1)), opset(2)],
        ["introduced 1 v1", "removed 2 v1 last seen 1"],
    ),
    Scenario(
        "removed in a gap",
        [opset(9, a(1)), opset(12, OTHER)],
        ["introduced 1 v1", "removed 12 v1 last seen 9 (10 to 11 missing)"],
    ),
    Scenario(
        "nothing is removed while no file says so", [opset(1, a(1)), opset(2, a(1))], ["introduced 1 v1"]
    ),
    Scenario(
        "restored",
        [opset(1, a(1)), opset(2), opset(3, a(3))],
        ["introduced 1 v1", "removed 2 v1 last seen 1", "changed 3 v3", "restored 3 v3"],
    ),
    Scenario(
        "restored as it was, in a gap",
        [opset(1, a(1)), opset(2), opset(5, a(1))],
        ["introduced 1 v1", "removed 2 v1 last seen 1", "restored 5 v1 (3 to 4 missing)"],
    ),
    Scenario(
        "deprecated, and restored by a later version",
        [
            opset(18, a(18, DEPRECATED)),
            opset(17),
            opset(19, a(18, DEPRECATED)),
            opset(20, a(18, DEPRECATED)),
            opset(21, a(21)),
        ],
        ["introduced 18 v18", "deprecated 18 v18", "changed 21 v21", "restored 21 v21"],
    ),
    Scenario(
        "deprecated by a revision, in a gap",
        [opset(1, a(1, "One.", EXPERIMENTAL)), opset(3, a(1, DEPRECATED, EXPERIMENTAL))],
        ["introduced 1 v1", "revised 3 v1 (2 missing)", "deprecated 3 v1 (2 missing)"],
    ),
    Scenario(
        "deprecated when first seen",
        [opset(20, a(10, DEPRECATED))],
        ["first seen 20 v10 (1 to 9 missing)", "deprecated 10 v10 (1 to 9 missing)"],
    ),
    Scenario(
        "a cumulative file dates everything",
        [opset(9, a(2), a(5), a(8, DEPRECATED))],
        ["introduced 2 v2", "changed 5 v5", "changed 8 v8", "deprecated 8 v8"],
    ),
    Scenario(
        "a cumulative file does not tell when an experimental text came",
        [opset(9, a(2, DEPRECATED, EXPERIMENTAL), OTHER, operator("Other", 2))],
        ["introduced 2 v2", "deprecated 9 v2 (2 to 8 missing)"],
    ),
    Scenario(
        "the loaded file of an opset knows better than a cumulative one",
        [opset(4), opset(9, a(2), a(8))],
        ["introduced 2 v2", "removed 4 v2 last seen 3", "restored 5 v2", "changed 8 v8"],
    ),
    Scenario(
        "a cumulative file alone proves no removal",
        [opset(3, a(1)), opset(9, a(7), OTHER, operator("Other", 2))],
        ["introduced 1 v1", "changed 7 v7"],
    ),
    Scenario(
        "of several cumulative files the nearest later one counts",
        [opset(5, a(1), a(4)), opset(9, a(1), a(3), a(8))],
        ["introduced 1 v1", "changed 4 v4", "changed 6 v3", "changed 8 v8"],
    ),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda item: item.title)
def test_events(scenario: Scenario) -> None:
    assert sorted(told(history(build_catalog(scenario.sets)))) == sorted(scenario.expected)


def test_order_of_events_and_of_files() -> None:
    sets = [opset(1, a(1, status=EXPERIMENTAL)), opset(2, a(2, DEPRECATED)), opset(3)]
    forwards, backwards = (told(history(build_catalog(order))) for order in (sets, sets[::-1]))
    assert forwards == backwards
    assert [line.split()[0] for line in forwards] == [
        "introduced", "changed", "promoted", "deprecated", "removed",
    ]  # fmt: skip


def test_what_a_gap_hides_shows_in_the_next_opset() -> None:
    (domain,) = build_catalog([opset(4, a(1)), opset(7, a(5))]).domains
    shown = {item.version: [(event.kind, event.opset) for _, event in item.events] for item in domain.opsets}
    assert shown == {4: [], 7: [(EventKind.CHANGED, 5)]}
    assert [list(map(str, item.missing_before)) for item in domain.opsets] == [["1 to 3"], ["5 to 6"]]


# Functions


FUNCTIONS = [
    ("metadata first", [opset(7, function("A", since_version=2, metadata={"since_version": "3"}))], {3: ""}),
    ("then field 2", [opset(7, function("A", since_version=2))], {2: ""}),
    ("a word is ignored", [opset(7, function("A", metadata={"since_version": "new"}))], {7: "derived"}),
    ("so is 0", [opset(7, function("A", metadata={"since_version": "0"}))], {7: "derived"}),
    ("derived", [opset(3, function("A")), opset(4, function("A"))], {3: "derived"}),
    ("derived across a gap", [opset(3, function("A")), opset(9, function("A"))], {3: "derived"}),
    ("text does not count", [opset(3, function("A")), opset(4, function("A", doc="New."))], {3: "derived"}),
    (
        "another body is another version",
        [opset(3, function("A")), opset(4, function("A", body="new"))],
        {3: "derived", 4: "derived"},
    ),
    (
        "a run ends where the function is missing",
        [opset(3, function("A")), opset(4), opset(5, function("A"))],
        {3: "derived", 5: "derived"},
    ),
    (
        "another status is another version",
        [opset(3, function("A", metadata={"status": "experimental"})), opset(4, function("A"))],
        {3: "derived", 4: "derived"},
    ),
    (
        "what an earlier file states is not derived",
        [opset(3, function("A", metadata={"since_version": "2"})), opset(4, function("A"))],
        {2: ""},
    ),
    ("an operator without one", [opset(3, operator("A", None)), opset(4, operator("A", 0))], {3: "derived"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("sets", "expected"), [row[1:] for row in FUNCTIONS], ids=[row[0] for row in FUNCTIONS]
)
def test_versions_of_functions(sets: list[OperatorSet], expected: dict[int, str]) -> None:
    versions = history(build_catalog(sets)).versions
    assert {item.since_version: "derived" if item.derived else "" for item in versions} == expected


def test_a_derived_version_dates_nothing() -> None:
    sets = [opset(1), opset(3, function("A")), opset(6, function("A", body="new"))]
    assert told(history(build_catalog(sets))) == [
        "first seen 3 v3 (2 missing)",
        "changed 6 v6 (4 to 5 missing)",
    ]


def test_a_cumulative_file_proves_nothing_about_a_derived_version() -> None:
    sets = [opset(3, function("A")), opset(7, function("A"), operator("B", 1), operator("B", 5))]
    assert offered(history(build_catalog(sets))) == {3: "3, 7"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (function("A"), "stable"),
        (function("A", status=EXPERIMENTAL), "experimental"),
        (function("A", status=EXPERIMENTAL, metadata={"status": "STABLE"}), "stable"),
        (function("A", metadata={"status": "experimental"}), "experimental"),
        (function("A", metadata={"status": "0"}), "experimental"),
        (function("A", metadata={"status": "beta"}), "stable"),
        (function("A", metadata={"status": "7"}), "unknown"),
    ],
)
def test_status_of_functions(item: Function, expected: str) -> None:
    assert history(build_catalog([opset(1, item)])).current.status.key == expected


def test_operator_that_becomes_a_function_keeps_its_history() -> None:
    sets = [opset(1, operator("A", 1)), opset(2, function("A", metadata={"since_version": "2"}))]
    item = history(build_catalog(sets))
    assert [version.kind for version in item.versions] == [Kind.OPERATOR, Kind.FUNCTION]
    assert told(item) == ["introduced 1 v1", "changed 2 v2"]


def test_overloads_are_apart() -> None:
    (domain,) = build_catalog([opset(1, function("A"), function("A", overload="x"))]).domains
    assert [item.name for item in domain.operators] == ["A", "A:x"]


# What is loaded


def test_cumulative_is_told_by_two_versions_of_a_name() -> None:
    assert is_cumulative(opset(9, operator("A", 1), operator("A", 2)))
    assert not is_cumulative(opset(9, operator("A", 1), operator("A", 1), function("A"), operator("B", 2)))


def test_what_has_no_identity_is_left_out() -> None:
    sets = [
        opset(1, operator("", 1), operator(None, 1), operator("A", 1)),
        opset(None, operator("B", 1)),
        opset(0),
    ]
    (domain,) = build_catalog(sets).domains
    assert [item.name for item in domain.operators] == ["A"]
    assert [item.version for item in domain.opsets] == [1]


def test_huge_numbers_are_not_counted_through() -> None:
    (domain,) = build_catalog([opset(2**62, a(1), a(2**61))]).domains
    assert [item.version for item in domain.opsets] == [1, 2**61, 2**62]
    assert offered(domain.operators[0]) == {1: f"1 to {2**61 - 1}", 2**61: f"{2**61} to {2**62}"}
    assert domain.missing == ()
    assert all(item.missing_before == () for item in domain.opsets)


def test_texts_of_an_opset() -> None:
    sets = [opset(1, doc="One."), opset(2), opset(3, doc="a", source="a"), opset(3, doc="b", source="b")]
    opsets = build_catalog(sets).domains[0].opsets
    assert [item.doc and item.doc.text for item in opsets] == ["One.", None, "a\n\nb"]


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        ([], [], ["ai.onnx/Conv", "ai.onnx/ConvInteger", "ai.onnx/Relu", "com.acme.a/X", "com.acme.b/Conv"]),
        (["com.acme*"], [], ["com.acme.a/X", "com.acme.b/Conv"]),
        (["ai.onnx/Conv*"], [], ["ai.onnx/Conv", "ai.onnx/ConvInteger"]),
        (["*/Conv"], [], ["ai.onnx/Conv", "com.acme.b/Conv"]),
        (["ai.onnx/conv*", "*Relu"], [], []),
        ([], ["com.acme.?"], ["ai.onnx/Conv", "ai.onnx/ConvInteger", "ai.onnx/Relu"]),
        (["ai.onnx"], ["ai.onnx/Conv*"], ["ai.onnx/Relu"]),
    ],
)
def test_include_and_exclude(include: list[str], exclude: list[str], expected: list[str]) -> None:
    sets = [
        opset(1, operator("Conv", 1), operator("ConvInteger", 1), operator("Relu", 1), domain=""),
        opset(1, operator("X", 1), domain="com.acme.a"),
        opset(1, operator("Conv", 1), domain="com.acme.b"),
    ]
    catalog = build_catalog(sets, include=include, exclude=exclude)
    assert [
        f"{item.domain}/{item.name}" for domain in catalog.domains for item in domain.operators
    ] == expected
    assert [
        f"{domain.name}/{item.name}" for domain in catalog.domains for item, _ in domain.latest.members
    ] == expected
    assert [domain.name for domain in catalog.domains] == sorted({item.split("/")[0] for item in expected})


# Random histories: what was true, and what the files let us know of it


@dataclass(frozen=True)
class State:
    version: int
    status: Status
    deprecated: bool
    text: int

    def entry(self) -> Operator:
        mark = "**Deprecated** since then.\n\n" if self.deprecated else ""
        return operator("A", self.version, f"{mark}Text {self.text}.", status=self.status)


@dataclass(frozen=True)
class Truth:
    states: dict[int, State | None]
    events: set[tuple[EventKind, int]]
    """Kind and opset."""


ACTIONS = st.tuples(
    st.sampled_from(["keep", "publish", "revise", "remove", "return"]),
    st.sampled_from([STABLE, EXPERIMENTAL, NOT_STATED]),
    st.booleans(),
)


def truth_of(actions: Sequence[tuple[str, Status, bool]]) -> Truth:
    states: dict[int, State | None] = {}
    events: set[tuple[EventKind, int]] = set()
    now: State | None = None
    last: State | None = None
    for number, (action, status, deprecated) in enumerate(actions, 1):
        kinds = []
        if action == "publish":
            new = State(number, status, deprecated, number)
            kinds.append(EventKind.CHANGED if last else EventKind.INTRODUCED)
            if last and not now:
                kinds.append(EventKind.RESTORED)
            if last and last.status.is_experimental and new.status.is_stable:
                kinds.append(EventKind.PROMOTED)
            if last and last.status.is_stable and new.status.is_experimental:
                kinds.append(EventKind.DEMOTED)
            kinds += mark_events(last, new)
            now = last = new
        elif action == "revise" and now and now.status.is_experimental:
            new = State(now.version, now.status, deprecated, number)
            kinds += [EventKind.REVISED, *mark_events(now, new)]
            now = last = new
        elif action == "remove" and now:
            kinds.append(EventKind.REMOVED)
            now = None
        elif action == "return" and last and not now:
            kinds.append(EventKind.RESTORED)
            now = last
        states[number] = now
        events.update((kind, number) for kind in kinds)
    return Truth(states, events)


def mark_events(old: State | None, new: State) -> list[EventKind]:
    if new.deprecated == (old is not None and old.deprecated):
        return []
    return [EventKind.DEPRECATED if new.deprecated else EventKind.RESTORED]


def snapshot(truth: Truth, number: int) -> OperatorSet:
    state = truth.states[number]
    return opset(number, OTHER, *([state.entry()] if state else []))


def cumulative(truth: Truth, number: int) -> OperatorSet:
    latest = {state.version: state for at, state in truth.states.items() if state and at <= number}
    marker = [OTHER, operator("Other", 2)]
    return opset(number, *marker, *(state.entry() for state in latest.values()))


ARRIVALS = {EventKind.INTRODUCED, EventKind.RESTORED}
FIRST = {EventKind.INTRODUCED, EventKind.FIRST_SEEN}


def check(truth: Truth, sets: Sequence[OperatorSet]) -> None:
    """Nothing that is said contradicts the truth, and each loaded opset is described exactly."""
    item = build_catalog(sets).find("com.example", "A")
    loaded = {file.opset_version or 0 for file in sets}
    if item is None:
        assert not any(truth.states[number] for number in loaded)
        return
    for number, state in truth.states.items():
        version = item.offered_in(number)
        if number in loaded or version:
            assert (version and version.since_version) == (state and state.version), number
    came = {number for kind, number in truth.events if kind in ARRIVALS}
    first = min(event.since_version for event in item.events if event.kind in FIRST)
    for event in item.events:
        spans = [OpsetRange(event.opset, event.opset), *event.missing]
        possible = {number for span in spans for number in range(span.first, span.last + 1)}
        if event.kind is EventKind.INTRODUCED:
            possible = {event.opset}
        elif event.kind is EventKind.FIRST_SEEN:
            possible.add(event.since_version)
        # Whether it had been there before it was first seen, only files could tell that are missing.
        is_arrival = event.kind in FIRST or (
            event.kind is EventKind.DEPRECATED and event.since_version == first
        )
        happened = {number for kind, number in truth.events if kind is event.kind} | (
            came if is_arrival else set()
        )
        assert happened & possible, event


@settings(max_examples=200, deadline=None)
@given(st.lists(ACTIONS, min_size=1, max_size=8))
def test_with_every_file_ranges_and_events_are_the_truth(actions: list[tuple[str, Status, bool]]) -> None:
    truth = truth_of(actions)
    sets = [snapshot(truth, number) for number in truth.states]
    check(truth, sets)
    item = build_catalog(sets).find("com.example", "A")
    events = item.events if item else ()
    assert {(event.kind, event.opset) for event in events} == truth.events
    assert not any(event.missing for event in events)


@settings(max_examples=200, deadline=None)
@given(st.lists(ACTIONS, min_size=1, max_size=8), st.data())
def test_missing_files_never_lead_to_a_false_statement(
    actions: list[tuple[str, Status, bool]], data: st.DataObject
) -> None:
    truth = truth_of(actions)
    kept = data.draw(st.sets(st.sampled_from(sorted(truth.states)), min_size=1))
    check(truth, [snapshot(truth, number) for number in sorted(kept)])


@settings(max_examples=200, deadline=None)
@given(st.lists(ACTIONS.filter(lambda action: action[0] != "remove"), min_size=2, max_size=8), st.data())
def test_cumulative_files_never_lead_to_a_false_statement(
    actions: list[tuple[str, Status, bool]], data: st.DataObject
) -> None:
    truth = truth_of(actions)
    kept = data.draw(st.dictionaries(st.sampled_from(sorted(truth.states)), st.booleans(), min_size=1))
    check(
        truth, [(cumulative if whole else snapshot)(truth, number) for number, whole in sorted(kept.items())]
    )


# All of ONNX


def test_all_of_onnx_is_as_the_registry_says() -> None:
    import onnx.defs

    catalog = build_catalog([from_message(item, f"{n}") for n, item in enumerate(registry_sets())])
    registered: dict[tuple[str, str], list[int]] = {}
    deprecated = set()
    for schema in sorted(onnx.defs.get_all_schemas_with_history(), key=lambda item: item.since_version):
        key = (schema.domain or "ai.onnx", schema.name)
        registered.setdefault(key, []).append(schema.since_version)
        if schema.deprecated:
            deprecated.add((*key, schema.since_version))
    latest = {item.name: item.latest.version for item in catalog.domains}
    operators = [item for domain in catalog.domains for item in domain.operators]
    assert {(item.domain, item.op_type): offered(item) for item in operators} == {
        (domain, name): {
            first: str(OpsetRange(first, following - 1))
            for first, following in zip(versions, [*versions[1:], latest[domain] + 1], strict=True)
        }
        for (domain, name), versions in registered.items()
    }
    assert {
        (item.domain, item.op_type, version.since_version)
        for item in operators
        for version in item.versions
        if version.deprecated
    } == deprecated
    introduced = {
        (item.domain, item.op_type): event.opset
        for item in operators
        for event in item.events
        if event.kind is EventKind.INTRODUCED
    }
    assert introduced == {key: versions[0] for key, versions in registered.items()}
    assert told(history(catalog, "GroupNormalization", "ai.onnx")) == [
        "introduced 18 v18",
        "deprecated 18 v18",
        "changed 21 v21",
        "restored 21 v21",
    ]
