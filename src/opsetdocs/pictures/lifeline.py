"""An operator's life line: its versions along the opsets of its domain.

Places are shares of the width, so that the line fills any column while its labels keep their size.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

from markupsafe import Markup

from opsetdocs.addresses import Addresses
from opsetdocs.caches import by_identity
from opsetdocs.catalog import Domain, Event, EventKind, OperatorHistory, OpsetRange, Version
from opsetdocs.pictures.shapes import MISSING, REMOVED, THICKNESS, cross, legend, line, spoken, states
from opsetdocs.pictures.svg import element, figure, percent, shortened, text_width
from opsetdocs.ranges import without

NARROWEST = 300
"""The width in pixels for which labels are laid out: what a phone leaves for a picture."""

MAX_LINEAR = 200
"""Up to this many opsets all are equally wide; beyond, long stretches without a change are cut short."""

LONGEST_STRETCH = 24
"""How many opsets wide a stretch is at most, where stretches are cut short."""

MAX_LEVELS = 3
"""How many rows of labels there may be; a version for which none is free has its label only in its title."""

_LEVEL_HEIGHT = 15
_GAP = 0.7
"""The room between a version and the next one, as a share of the width."""
_SCALE_LABEL = 36
"""The least room in pixels for a number of the scale."""


def lifeline(
    operator: OperatorHistory,
    domain: Domain,
    *,
    id_prefix: str,
    url: Callable[[str], str],
    addresses: Addresses,
    shown: int | None = None,
) -> Markup:
    """Return the picture of an operator's versions, each a link to its page.

    Args:
        operator: The operator.
        domain: Its domain, whose opsets are the axis.
        id_prefix: What ids in the picture begin with.
        url: Makes an address below the section's root a link from the page.
        addresses: The addresses of the catalog.
        shown: The since_version that the page is about, which is drawn stronger than the others.
    """
    drawn = _drawn(operator, domain)
    title_id = f"{id_prefix}.life-line"
    versions = (
        element(
            "a",
            content,
            class_="is-shown" if since_version == shown else None,
            href=url(addresses.version(operator, since_version)),
        )
        for since_version, content in drawn.versions
    )
    picture = element(
        "svg",
        element("title", f"Versions of {shortened(operator.name, 60)} by opset", id=title_id),
        drawn.behind,
        *versions,
        drawn.around,
        # No image: the parts of one cannot be reached by who does not see it, and these are links.
        role="group",
        aria_labelledby=title_id,
        width="100%",
        height=drawn.height,
        overflow="visible",
        stroke="currentColor",
        fill="currentColor",
    )
    return figure("life-line", picture, drawn.legend)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What the life lines of an operator have in common, on whatever page they stand."""

    behind: Markup
    versions: tuple[tuple[int, Markup], ...]
    """The since_version of each version, and what stands in the link to its page."""
    around: Markup
    """Removals and the scale."""
    height: float
    legend: Markup


@by_identity(maxsize=16)
def _drawn(operator: OperatorHistory, domain: Domain) -> _Drawn:
    # The pages of an operator and its versions are made one after the other.
    axis = _axis(operator, domain)
    labels = _labels(operator, axis)
    y = _LEVEL_HEIGHT * (1 + max(label.level for label in labels.values())) + THICKNESS / 2 + 3
    name = shortened(operator.name, 60)
    versions = (
        (
            version.since_version,
            Markup().join(
                [
                    element("title", f"{name}-{version.since_version}: {spoken(version)}"),
                    *_version(version, axis, y, labels.get(version.since_version)),
                ]
            ),
        )
        for version in operator.versions
    )
    removals = [
        element("g", element("title", _removal(event)), cross(percent(axis.at(event.opset)), y))
        for event in operator.events
        if event.kind is EventKind.REMOVED
    ]
    present = {name for version in operator.versions if version.offered for name in states(version)}
    return _Drawn(
        behind=Markup().join(_ground(operator, domain, axis, y)),
        versions=tuple(versions),
        around=Markup().join([*removals, *_scale(axis, y + THICKNESS / 2 + 16)]),
        height=y + THICKNESS / 2 + 20,
        legend=legend(
            present | ({MISSING} if domain.missing else set()) | ({REMOVED} if removals else set())
        ),
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where an opset begins, as a share of the width."""

    starts: tuple[int, ...]
    """The opsets at which something begins or ends, ascending; the last one is behind the axis."""
    places: tuple[float, ...]
    """The place of each of them, from 0 to 100."""

    @property
    def last(self) -> int:
        """The last opset of the axis."""
        return self.starts[-1] - 1

    @property
    def is_linear(self) -> bool:
        """Whether all opsets are equally wide."""
        return self.last <= MAX_LINEAR

    def at(self, opset: int) -> float:
        """Return the place where an opset begins."""
        index = min(bisect_right(self.starts, opset), len(self.starts) - 1)
        start, end = self.starts[index - 1], self.starts[index]
        place = self.places[index - 1]
        return place + (self.places[index] - place) * ((opset - start) / (end - start))


def _axis(operator: OperatorHistory, domain: Domain) -> _Axis:
    """Return an axis from opset 1 to the last; an opset_version may be 2**62, so nothing counts opsets."""
    spans = [*domain.missing, *(span for version in operator.versions for span in version.offered)]
    starts = {1, domain.latest.version + 1}
    starts.update(edge for span in spans for edge in (span.first, span.last + 1))
    starts.update(event.opset for event in operator.events)
    starts.update(version.since_version for version in operator.versions)
    if max(starts) > domain.latest.version + 1:
        starts.add(max(starts) + 1)  # A version that no opset has yet, in a file that breaks the rules.
    ordered = sorted(starts)
    widths = [following - start for start, following in pairwise(ordered)]
    if ordered[-1] - 1 > MAX_LINEAR:
        widths = [min(width, LONGEST_STRETCH) for width in widths]
    total = sum(widths)
    return _Axis(tuple(ordered), tuple(100 * place / total for place in accumulate(widths, initial=0)))


@dataclass(frozen=True, slots=True)
class _Label:
    """A version's label: how many rows above the line it stands, and where it is held."""

    level: int
    at_end: bool
    """Whether it ends at the right edge, because it would not fit otherwise."""


def _labels(operator: OperatorHistory, axis: _Axis) -> dict[int, _Label]:
    """Give versions labels that do not meet, the newest first; nor do the lines down from them meet one."""
    free = [float("inf")] * MAX_LEVELS  # In each row, the place left of which nothing stands.
    labels = {}
    for version in reversed(operator.versions):
        width = text_width(str(version.since_version))
        start = axis.at(version.since_version) * NARROWEST / 100
        at_end = start + width > NARROWEST
        if at_end:
            start = NARROWEST - width
        for level in range(1 if at_end else MAX_LEVELS):
            if start + width + 3 <= free[level]:
                free[: level + 1] = [start] * (level + 1)
                labels[version.since_version] = _Label(level, at_end)
                break
            if start > free[level]:
                break
    return labels


def _ground(operator: OperatorHistory, domain: Domain, axis: _Axis, y: float) -> Iterator[Markup]:
    """Yield a line for the opsets that do not have the operator, and one for those that are not known."""
    behind = without(domain.latest.version + 1, axis.last, ())
    missing = (*domain.missing, *behind)
    offered = [span for version in operator.versions for span in version.offered]
    for span in without(1, axis.last, [*missing, *offered]):
        start, end = _ends(span, axis)
        yield element("line", class_="is-absent", x1=percent(start), x2=percent(end), y1=y, y2=y)
    for span in missing:
        start, end = _ends(span, axis)
        yield line((MISSING,), percent(start), percent(end), y)


def _ends(span: OpsetRange, axis: _Axis) -> tuple[float, float]:
    """Return where a range begins and ends, with a gap before what follows."""
    start, end = axis.at(span.first), axis.at(span.last + 1)
    return start, end - min(_GAP, (end - start) / 4)


def _version(version: Version, axis: _Axis, y: float, label: _Label | None) -> Iterator[Markup]:
    place = percent(axis.at(version.since_version))
    for span in version.offered:
        start, end = _ends(span, axis)
        yield line(states(version), percent(start), percent(end), y)
    if not version.offered:
        yield element("circle", class_="is-absent", cx=place, cy=y, r=THICKNESS // 3, fill="none")
    if label:
        top = y - THICKNESS / 2 - 3 - label.level * _LEVEL_HEIGHT
        if label.level:
            yield element("line", class_="is-leader", x1=place, x2=place, y1=top + 2, y2=y)
        yield element(
            "text",
            version.since_version,
            x="100%" if label.at_end else place,
            y=top,
            text_anchor="end" if label.at_end else None,
        )


def _removal(event: Event) -> str:
    """Return the words of a removal, which is dated only where the files prove when it happened."""
    return f"{'gone by' if event.missing else 'removed in'} opset {event.opset}"


def _scale(axis: _Axis, y: float) -> Iterator[Markup]:
    """Yield the numbers below the line: the first opset, the last one and round ones between."""
    room = NARROWEST / axis.last
    yield _scale_text("opset 1", 0, y)
    if axis.is_linear:
        step = next(step for step in (5, 10, 20, 50, 100) if step * room >= _SCALE_LABEL or step == 100)
        for opset in range(step, axis.last, step):
            if (opset - 1) * room >= 50 and (axis.last - opset) * room >= _SCALE_LABEL:
                yield _scale_text(str(opset), axis.at(opset), y)
    if axis.last > 1:
        yield _scale_text(str(axis.last), 100, y)


def _scale_text(text: str, place: float, y: float) -> Markup:
    anchor = "end" if place == 100 else None
    return element("text", text, class_="is-scale", x=percent(place), y=y, text_anchor=anchor)
