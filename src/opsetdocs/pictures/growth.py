"""How a domain grew: the number of its operators by opset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

from opsetdocs.catalog import Domain, Version
from opsetdocs.pictures.columns import Column, columns
from opsetdocs.pictures.shapes import MISSING, legend
from opsetdocs.pictures.svg import element, figure, percent, shortened

MAX_COLUMNS = 400
"""Above this many opsets a step would be thinner than a pixel on a phone."""

_STATES = ("stable", "experimental", "unknown", "deprecated")
"""What is counted, from below; a deprecated operator counts as that only."""
_NARROWEST = 300
_LABEL = 36
_HEIGHT = 120
_TOP = 18

Counts = tuple[int, ...]
"""How many operators of each state an opset has, in the order of `_STATES`."""


def growth(domain: Domain) -> Markup:
    """Return the picture of a domain's growth, a step for each opset; empty where there is no growth."""
    grid = columns(domain)
    if len(domain.opsets) < 2 or len(domain.operators) < 2 or len(grid) > MAX_COLUMNS:
        return Markup()
    counts = _counts(grid)
    first, last = domain.opsets[0], domain.opsets[-1]
    steps = element(
        "svg",
        *_areas(counts),
        viewBox=f"0 0 {len(grid)} {max(sum(item) for item in counts if item) or 1}",
        preserveAspectRatio="none",
        y=_TOP,
        width="100%",
        height=_HEIGHT,
    )
    picture = element(
        "svg",
        element("title", f"Number of operators of {shortened(domain.name, 60)} by opset"),
        element(
            "desc",
            f"{len(first.members)} in opset {first.version}, {len(last.members)} in opset {last.version}.",
        ),
        steps,
        *_labels(grid, counts),
        role="img",
        width="100%",
        height=_TOP + _HEIGHT + 20,
        overflow="visible",
        stroke="currentColor",
        fill="currentColor",
    )
    present = {name for item in counts if item for name, count in zip(_STATES, item, strict=True) if count}
    if any(column.missing for column in grid):
        present.add(MISSING)
    return figure("growth", picture, legend(present, areas=True))


def _counts(grid: Sequence[Column]) -> list[Counts | None]:
    """Count the operators of each column; `None` where they are not known."""
    result: list[Counts | None] = []
    for column in grid:
        if column.opset is not None:
            kinds = [_state(version) for _, version in column.opset.members]
            result.append(tuple(map(kinds.count, _STATES)))
        else:
            # Opsets are not listed one by one where nothing happens in them.
            result.append(None if column.missing else result[-1])
    return result


def _state(version: Version) -> str:
    if version.deprecated:
        return "deprecated"
    return "experimental" if version.status.is_experimental else version.status.key


def _areas(counts: Sequence[Counts | None]) -> Iterator[Markup]:
    """Yield an area for each state, one column a unit wide and one operator a unit high."""
    most = max(sum(item) for item in counts if item)
    for index, name in enumerate(_STATES):
        path, at = "", 0
        for item, run in groupby(counts):
            width = len(tuple(run))
            if item and item[index]:
                path += f"M{at} {most - sum(item[:index])}v-{item[index]}h{width}v{item[index]}z"
            at += width
        if path:
            yield element("path", class_=f"is-{name}", d=path)
    unknown = "".join(f"M{at} {most}h1" for at, item in enumerate(counts) if item is None)
    if unknown:
        yield element("path", class_=f"is-{MISSING}", d=unknown)


def _labels(grid: Sequence[Column], counts: Sequence[Counts | None]) -> Iterator[Markup]:
    """Yield the number of operators above the first and the last step, and opsets below."""
    most = max(sum(item) for item in counts if item) or 1
    room = _NARROWEST / len(grid)
    known = [index for index, column in enumerate(grid) if column.opset]
    for index, anchor in ((known[0], None), (known[-1], "end")):
        total = sum(counts[index] or ())
        at = index + (anchor == "end")
        y = _TOP + _HEIGHT * (1 - total / most) - 4
        yield element("text", total, x=percent(100 * at / len(grid)), y=y, text_anchor=anchor)
    free = 0.0
    end = _NARROWEST - _LABEL
    for index in known[:-1]:
        opset, start = grid[index].first, index * room
        if index == known[0] or (start >= free and start <= end - _LABEL and opset % 5 == 0):
            text = f"opset {opset}" if index == known[0] else str(opset)
            yield _below(text, percent(100 * index / len(grid)))
            free = start + (50 if index == known[0] else _LABEL)
    yield _below(str(grid[-1].last), "100%", anchor="end")


def _below(text: str, place: str, anchor: str | None = None) -> Markup:
    return element("text", text, class_="is-scale", x=place, y=_TOP + _HEIGHT + 16, text_anchor=anchor)
