"""The opsets of a domain as columns of a picture: one for each known opset, one for each stretch between."""

from __future__ import annotations

from dataclasses import dataclass

from opsetdocs.catalog import Domain, Opset


@dataclass(frozen=True, slots=True)
class Column:
    """An opset, or several in a row that are not listed one by one."""

    first: int
    last: int
    opset: Opset | None
    """The opset; `None` for a stretch between two."""
    missing: bool
    """Whether nothing is known about the column."""


def columns(domain: Domain) -> tuple[Column, ...]:
    """Return the columns of a domain: from its first known opset on, or from opset 1 if that is missing.

    A stretch is never counted through: there may be 2**62 opsets in it.
    """
    missing = {span.first for span in domain.missing}
    result: list[Column] = []
    following = 1
    for opset in domain.opsets:
        if following < opset.version and (result or following in missing):
            result.append(Column(following, opset.version - 1, None, missing=following in missing))
        result.append(Column(opset.version, opset.version, opset, missing=False))
        following = opset.version + 1
    return tuple(result)
