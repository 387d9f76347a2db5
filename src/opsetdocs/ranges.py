"""Arithmetic on ranges of opsets. An opset_version may be 2**62, so nothing here counts through a range."""

from __future__ import annotations

from collections.abc import Iterable

from opsetdocs.catalog import OpsetRange


def merged(ranges: Iterable[OpsetRange]) -> tuple[OpsetRange, ...]:
    """Return the same opsets in as few ranges as possible, ascending."""
    result: list[OpsetRange] = []
    for item in sorted(ranges, key=lambda item: (item.first, item.last)):
        if result and item.first <= result[-1].last + 1:
            result[-1] = OpsetRange(result[-1].first, max(result[-1].last, item.last))
        else:
            result.append(item)
    return tuple(result)


def without(first: int, last: int, taken: Iterable[OpsetRange]) -> tuple[OpsetRange, ...]:
    """Return the opsets from `first` to `last` that are in none of the taken ranges."""
    result = []
    start = first
    for item in merged(taken):
        if item.last < start:
            continue
        if item.first > last:
            break
        if start < item.first:
            result.append(OpsetRange(start, item.first - 1))
        start = item.last + 1
    if start <= last:
        result.append(OpsetRange(start, last))
    return tuple(result)
