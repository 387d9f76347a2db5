"""What the loaded files prove about a name, opset by opset: which version is offered, or that none is.

Every file is the authority for its own opset. A cumulative file, one that holds every version so far, also
proves what the opsets before it offered, as far as these are not loaded; of several the nearest later one
counts. All the rest is unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from opsetdocs.catalog import OpsetRange
from opsetdocs.ranges import without


@dataclass(frozen=True, slots=True)
class Span:
    """A run of opsets for which the same is proved by the same file."""

    first: int
    last: int
    file: int
    """The opset of the file that proves it."""
    since_version: int | None
    """The version that these opsets offer; `None` where they have nothing under the name."""

    @property
    def loaded(self) -> bool:
        """Whether the file is that of the opset itself."""
        return self.first == self.file


@dataclass(frozen=True, slots=True)
class Reach:
    """The opsets that are not loaded and for which a cumulative file speaks."""

    file: int
    """The opset of the cumulative file."""
    unloaded: tuple[OpsetRange, ...]


def reaches(cumulative: Iterable[int], loaded: Sequence[int]) -> tuple[Reach, ...]:
    """Return for which opsets each cumulative file speaks: those since the cumulative file before it."""
    files = sorted(set(cumulative))
    itself = [OpsetRange(opset, opset) for opset in loaded]
    return tuple(
        Reach(file, without(before + 1, file - 1, itself))
        for before, file in zip([0, *files], files, strict=False)
    )


def timeline(
    members: Mapping[int, Iterable[int]],
    cumulative: Mapping[int, Iterable[int]],
    loaded: Sequence[int],
    reach: Sequence[Reach],
) -> tuple[Span, ...]:
    """Return what is proved about a name, ascending; what is missing between two spans is unknown.

    Args:
        members: The since_versions that the file of an opset has under the name.
        cumulative: The same, of cumulative files only, without versions that no file states.
        loaded: Every opset of the domain whose file is loaded, ascending.
        reach: For which opsets each cumulative file speaks.
    """
    spans = [Span(opset, opset, opset, selected(members.get(opset, ()), opset)) for opset in loaded]
    for item in reach:
        if item.unloaded and (versions := sorted(cumulative.get(item.file, ()))):
            # Its lowest version says when the name came, unless it is seen earlier; never that a name went.
            came = not any(span.first < versions[0] for span in spans if span.since_version is not None)
            spans += (span for span in _earlier(versions, item) if came or span.since_version is not None)
    return tuple(sorted(spans, key=lambda span: span.first))


def selected(versions: Iterable[int], opset: int) -> int | None:
    """Return the version that an opset offers: the highest since_version that is not above it."""
    return max((version for version in versions if version <= opset), default=None)


def _earlier(versions: Sequence[int], reach: Reach) -> Iterable[Span]:
    """Cut the opsets for which a cumulative file speaks where a version begins."""
    for free in reach.unloaded:
        starts = [free.first, *(version for version in versions if free.first < version <= free.last)]
        for first, following in zip(starts, [*starts[1:], free.last + 1], strict=True):
            index = bisect_right(versions, first)
            yield Span(first, following - 1, reach.file, versions[index - 1] if index else None)
