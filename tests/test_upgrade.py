"""Moving from one opset to a later one."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import onnx
import pytest

from operator_sets import EXPERIMENTAL, operator, opset
from opsetdocs.catalog import Domain, OpsetRange
from opsetdocs.diff import ChangeKind, Weight
from opsetdocs.export.schemas import all_schemas
from opsetdocs.history import build_catalog
from opsetdocs.sources import load
from opsetdocs.upgrade import Upgrades, unknown_between


@pytest.fixture(scope="module")
def onnx_domains() -> tuple[Domain, ...]:
    return build_catalog(load(("onnx",), base=Path()).sets).domains


def attributes(*lines: str) -> str:
    return "\n".join(["Text.", "", "## Attributes", "", *(f"- {line}" for line in lines)])


def made() -> Domain:
    kept = operator("Kept", 1)
    first = [
        operator("Gone", 1),
        kept,
        operator("Narrow", 1, attributes("`a` : int")),
        operator("Other", 1, attributes("`a` (default `1`) : int")),
        operator("Text", 1),
        operator("There", 1, attributes("`a` (default `1`) : int")),
        operator("Wide", 1),
    ]
    second = [
        kept,
        operator("Narrow", 2, attributes()),
        operator("Other", 2, attributes("`a` (default `2`) : int")),
        operator("Text", 2, "Other text."),
        operator("There", 2, attributes("`a` (default `2`) : int")),
        operator("Wide", 2, attributes("`a` : int")),
    ]
    third = [
        *second[:3],
        operator("New", 3),
        operator("Text", 2, "Other text."),
        operator("There", 3, attributes("`a` (default `1`) : int")),
        operator("Wide", 3, attributes("`a` : int", "`b` : int")),
    ]
    [domain] = build_catalog([opset(1, *first), opset(2, *second), opset(3, *third)]).domains
    return domain


def test_steps_are_cumulated_and_the_worst_comes_first() -> None:
    steps = Upgrades(made()).steps(1, 3)
    assert [(step.operator.name, step.weight) for step in steps] == [
        ("Gone", Weight.REMOVED),
        ("Narrow", Weight.NARROWED),
        ("Other", Weight.DEFAULT),
        ("Wide", Weight.WIDENED),
        ("Text", Weight.TEXT),
        # Another default, and back again: the version is another one, and says the same.
        ("There", Weight.TEXT),
        ("New", Weight.NOTHING),
    ]
    by_name = {step.operator.name: step for step in steps}
    assert [change.subject for change in by_name["Wide"].comparison.changes] == ["a", "b"]
    assert [item.since_version for item in by_name["Wide"].versions] == [1, 2, 3]
    assert [item.since_version for item in by_name["New"].versions] == [3]
    assert [item.since_version for item in by_name["Gone"].versions] == [1]
    assert by_name["There"].comparison.changes == ()
    assert by_name["New"].old is None
    assert by_name["Gone"].new is None


def test_what_two_moves_have_in_common_is_the_same_step() -> None:
    upgrades = Upgrades(made())
    once, again = ({step.operator.name: step for step in upgrades.steps(old, 3)} for old in (1, 2))
    assert once["New"] is again["New"]
    assert once["Wide"] is not again["Wide"]
    assert "Narrow" not in again


def test_an_opset_of_which_nothing_is_known() -> None:
    with pytest.raises(KeyError):
        Upgrades(made()).steps(1, 4)


def test_what_is_not_loaded_is_said_and_not_guessed() -> None:
    a, b = operator("A", 1), operator("B", 4)
    [domain] = build_catalog([opset(1, a), opset(4, a, b), opset(7, b)]).domains
    assert unknown_between(domain, 1, 7) == (OpsetRange(2, 3), OpsetRange(5, 6))
    assert unknown_between(domain, 4, 4) == ()
    [gone, new] = Upgrades(domain).steps(1, 7)
    assert (gone.operator.name, gone.weight) == ("A", Weight.REMOVED)
    assert (new.operator.name, new.new) == ("B", domain.operators[1].current)


def test_no_removal_is_reported_that_no_file_proves() -> None:
    """Opset 5 is known from the cumulative file of opset 8 alone, which tells nothing about A."""
    cumulative = opset(8, operator("B", 1), operator("B", 6))
    [domain] = build_catalog([opset(4, operator("A", 2), operator("B", 1)), cumulative]).domains
    assert 6 in [item.version for item in domain.opsets if not item.loaded]
    assert [step.operator.name for step in Upgrades(domain).steps(4, 6)] == ["B"]
    assert [step.operator.name for step in Upgrades(domain).steps(4, 8)] == ["A", "B"]


def test_an_experimental_version_is_compared_as_each_opset_has_it() -> None:
    texts = ["One.", "Two.", "Three."]
    sets = [
        opset(number, operator("A", 1, text, status=EXPERIMENTAL)) for number, text in enumerate(texts, 1)
    ]
    [domain] = build_catalog([*sets, opset(4, operator("A", 4, "One."))]).domains
    upgrades = Upgrades(domain)
    kinds = {old: [item.kind for item in upgrades.steps(old, 4)[0].comparison.changes] for old in (1, 2)}
    assert kinds == {1: [ChangeKind.PROMOTED], 2: [ChangeKind.PROMOTED, ChangeKind.TEXT_CHANGED]}


def test_the_steps_of_onnx_are_the_operators_whose_version_differs(onnx_domains: tuple[Domain, ...]) -> None:
    schemas = [(item.domain or "ai.onnx", item.name, item.since_version) for item in all_schemas()]
    for domain in onnx_domains:
        upgrades = Upgrades(domain)

        def offered(opset: int, name: str = domain.name) -> dict[str, int]:
            return {op: since for owner, op, since in sorted(schemas) if owner == name and since <= opset}

        for old, new in combinations([item.version for item in domain.opsets], 2):
            before, after = offered(old), offered(new)
            expected = {name for name in after if before.get(name) != after[name]}
            steps = upgrades.steps(old, new)
            assert len(steps) == len(expected)
            assert {step.operator.name for step in steps} == expected, (domain.name, old, new)
            assert [step.weight for step in steps] == sorted((step.weight for step in steps), reverse=True)


@pytest.mark.skipif(onnx.__version__ != "1.23.2", reason="counts of onnx 1.23.2")
def test_from_opset_13_to_21(onnx_domains: tuple[Domain, ...]) -> None:
    steps = Upgrades(onnx_domains[0]).steps(13, 21)
    weights = [step.weight for step in steps]
    assert {weight: weights.count(weight) for weight in set(weights)} == {
        Weight.NARROWED: 11,
        Weight.WIDENED: 42,
        Weight.NOTHING: 31,
    }
