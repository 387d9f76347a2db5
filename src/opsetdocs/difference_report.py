"""What `opsetdocs diff` prints: the differences of two sources as text, Markdown or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from opsetdocs.catalog_json import FORMAT_VERSION, Json, changes_data, given
from opsetdocs.change_kinds import ChangeKind, Comparison, Weight
from opsetdocs.compare_sets import Difference, DomainDifference, SetsDifference
from opsetdocs.findings import shown
from opsetdocs.markdown_text import escape
from opsetdocs.terminal import Line, wrapped

_COLOURS = {
    Weight.REMOVED: "red",
    Weight.NARROWED: "red",
    Weight.DEFAULT: "yellow",
    Weight.WIDENED: "green",
}
"""The colour of a change; words have none."""

_INDENT = "  "
_LABEL = max(len(weight.label) for weight in Weight)
_SAME_NUMBER = "nothing but the version's number"
_NOTHING_COMPARED = "Nothing can be compared: no domain is in both sources."


# Text


def difference_lines(difference: SetsDifference, width: int) -> Iterator[Line]:
    """Yield what changed, domain by domain.

    Args:
        difference: What changed.
        width: How many cells of the terminal a line may take.
    """
    for place, item in enumerate(difference.domains):
        if place:
            yield Line()
        yield from _domain_lines(item, width)
    if not difference.domains:
        yield Line(_NOTHING_COMPARED, bold=True)
    if difference.not_compared:
        yield Line()
    for passed_over in difference.not_compared:
        yield from map(Line, wrapped(passed_over.words, width, rest=_INDENT))


def _domain_lines(item: DomainDifference, width: int) -> Iterator[Line]:
    yield Line(_title(item), bold=True)
    yield from map(Line, wrapped(_counts(item), width))
    for weight, group in groupby(item.operators, key=lambda found: found.weight):
        found = list(group)
        yield Line()
        yield Line(f"{_group_title(weight)} ({len(found)})", bold=True, colour=_COLOURS.get(weight))
        for one in found:
            yield from map(Line, wrapped(_about(one), width, _INDENT, _INDENT * 2))
            if one.old and one.new:
                yield from change_lines(one.comparison, width, one.body)
    for note in _notes(item):
        yield Line()
        yield from map(Line, wrapped(note, width))


def change_lines(comparison: Comparison, width: int, body: Sequence[str] = ()) -> Iterator[Line]:
    """Yield the changes of a comparison, each with its weight in front.

    Args:
        comparison: The changes.
        width: How many cells of the terminal a line may take.
        body: Where the body of a function changed.
    """
    for change in comparison.changes:
        start = f"{_INDENT * 2}{change.weight.label:{_LABEL}}  "
        lines = wrapped(change.plain, width, start, " " * len(start))
        yield from (Line(line, colour=_COLOURS.get(change.weight)) for line in lines)
        if change.kind is ChangeKind.BODY_CHANGED:
            indent = " " * (len(start) + len(_INDENT))
            yield from (Line(line) for text in body for line in wrapped(text, width, indent, indent))
    if not comparison.changes:
        yield Line(f"{_INDENT * 2}{_SAME_NUMBER}")


# Words


def _title(item: DomainDifference) -> str:
    old, new = item.old.version, item.new.version
    opsets = f"{old} to {new}" if old != new else f"{old} in both"
    return f"{item.old.domain}: opset {opsets}"


def _counts(item: DomainDifference) -> str:
    groups = groupby(item.operators, key=lambda found: found.weight)
    counts = ", ".join(f"{len(list(found))} {weight.of_operators}" for weight, found in groups)
    return f"Operators: {counts}." if counts else "No operator differs."


def _group_title(weight: Weight) -> str:
    return weight.words.capitalize() if weight else "New"


def _about(found: Difference) -> str:
    """An operator, its versions, and whether both opsets have the same one."""
    about = f"{found.operator.name} {found.versions}"
    if found.breaks_promise:
        return f"{about} in both opsets: a stable version should stay as it is"
    return f"{about} in both opsets" if found.is_rewritten else about


def _notes(item: DomainDifference) -> Iterator[str]:
    if item.text_changed:
        yield "The text about the opset changed."
    if item.unknown:
        names = ", ".join(operator.name for operator in item.unknown)
        yield f"In one of the opsets, and not known to be in the other, whose file is not loaded: {names}."


# Markdown


def difference_markdown(difference: SetsDifference) -> str:
    """Return what changed as Markdown, in the form of a site's pages of upgrades."""
    lines: list[str] = []
    for item in difference.domains:
        lines += (f"# {escape(_title(item))}", "", escape(_counts(item)), "")
        for weight, group in groupby(item.operators, key=lambda found: found.weight):
            found = list(group)
            lines += (f"## {_group_title(weight)} ({len(found)})", "")
            for one in found:
                lines.append(f"- {escape(_about(one))}")
                for change in one.comparison.changes:
                    lines.append(f"  - {change.weight.label}: {change.words}")
                    if change.kind is ChangeKind.BODY_CHANGED:
                        lines += (f"    - {escape(shown(text))}" for text in one.body)
                if one.old and one.new and not one.comparison.changes:
                    lines.append(f"  - {_SAME_NUMBER}")
            lines.append("")
        for note in _notes(item):
            lines += (escape(note), "")
    if not difference.domains:
        lines += (_NOTHING_COMPARED, "")
    lines += (f"- {escape(passed_over.words)}" for passed_over in difference.not_compared)
    return "\n".join(lines).strip("\n")


# JSON


def difference_data(difference: SetsDifference) -> Json:
    """Return what changed as data; a change has the form that it has in `catalog.json`."""
    return {
        "version": FORMAT_VERSION,
        "domains": [_domain_data(item) for item in difference.domains],
        "not_compared": [
            {"domain": item.domain, "lacks": item.lacks.value, "opset": item.opset}
            for item in difference.not_compared
        ],
    }


def _domain_data(item: DomainDifference) -> Json:
    return {
        "name": item.old.domain,
        "old": item.old.version,
        "new": item.new.version,
        "text_changed": item.text_changed,
        "operators": [_operator_data(found) for found in item.operators],
        "unknown": [operator.name for operator in item.unknown],
    }


def _operator_data(found: Difference) -> Json:
    return {
        "name": found.operator.name,
        "op_type": found.operator.op_type,
        "overload": found.operator.overload,
        "old": found.old and found.old.since_version,
        "new": found.new and found.new.since_version,
        "weight": found.weight.name.lower() if found.weight else "new",
        "breaks_promise": found.breaks_promise,
        "changes": changes_data(found.comparison),
        **given(body=list(found.body)),
    }
