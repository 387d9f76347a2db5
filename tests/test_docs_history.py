"""The examples of the page about versions, ranges and events: each gives what its row says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_sets import EXPERIMENTAL, STABLE, function, operator, opset
from opsetdocs.catalog import EventKind
from opsetdocs.diff import Weight, compare
from opsetdocs.history import build_catalog
from opsetdocs.meaning import as_part
from opsetdocs.model import Function, Operator, OperatorSet
from opsetdocs.show import happened, in_opsets

PAGE = (Path(__file__).parents[1] / "site_config/docs/project/history.md").read_text("utf-8")

_OPSET = re.compile(r"`opset (\d+): ([^`]*)`")
_ENTRY = re.compile(r"(\w+?)(?:-(\d+))?(?: (experimental|deprecated|other text|other body))?\Z")


def table(head: str) -> list[list[str]]:
    """Return the rows below a head, cell by cell."""
    _, _, below = PAGE.partition(f"\n| {head} |\n")
    lines = below.partition("\n\n")[0].splitlines()[1:]
    return [line.strip("| ").split(" | ") for line in lines]


def loaded(cell: str) -> Iterator[OperatorSet]:
    """Read operator sets in the short form of the page."""
    for version, entries in _OPSET.findall(cell):
        yield opset(int(version), *map(entry, filter(None, entries.replace("nothing", "").split(", "))))


def entry(text: str) -> Operator | Function:
    found = _ENTRY.match(text)
    assert found, text
    name, since_version, mark = found.groups()
    if since_version is None:
        return function(name, body=mark or "body", doc="Text.")
    doc = "**Deprecated**. Use another." if mark == "deprecated" else mark or "Text."
    status = EXPERIMENTAL if mark in ("experimental", "other text") else STABLE
    return operator(name, int(since_version), doc, status=status)


ROWS = [row[:3] for row in table("loaded | versions | what happened | because")]


@pytest.mark.parametrize(("files", "versions", "events"), ROWS)
def test_what_is_loaded_proves_what_the_page_says(files: str, versions: str, events: str) -> None:
    (domain,) = build_catalog(tuple(loaded(files))).domains
    (history,) = domain.operators
    offered = (f"{item.since_version}: {in_opsets(item.offered)}" for item in history.versions)
    assert "; ".join(offered) == versions
    assert "; ".join(map(happened, history.events)) == events


def test_every_event_has_a_meaning_and_an_example() -> None:
    words = {row[0] for row in table("word | meaning")}
    assert words == {kind.value for kind in EventKind}
    examples = " ".join(row[-1] for row in ROWS)
    assert {word for word in words if word not in examples} == set()


CHANGES = table("old | new | weight | in words")


@pytest.mark.parametrize(("old", "new", "weight", "words"), CHANGES)
def test_what_changed_is_what_the_page_says(old: str, new: str, weight: str, words: str) -> None:
    before, after = (as_part(operator("Op", 1, doc_string(cell))) for cell in (old, new))
    (change,) = compare(before, after).changes
    assert (WORDS[change.weight], change.words) == (weight, words)


def doc_string(cell: str) -> str:
    """Write entries in the form `Attributes: axis (default 0) : int` as sections."""
    sections = []
    for part in cell.split("; "):
        title, _, bullet = part.partition(": ")
        sections.append(f"## {title}\n\n- {bullet}")
    return "\n\n".join(sections)


WORDS = {
    Weight.NARROWED: "narrower",
    Weight.DEFAULT: "default",
    Weight.WIDENED: "wider",
    Weight.TEXT: "words",
}


def test_every_weight_has_a_meaning_and_an_example() -> None:
    stated = [row[0] for row in table("weight | meaning for a model with the old version")]
    assert stated == ["removed", *WORDS.values()]
    assert {row[2] for row in CHANGES} == set(WORDS.values())
