"""A domain's matrix: its operators by its opsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

from opsetdocs.addresses import Addresses
from opsetdocs.catalog import Domain, OperatorHistory, Version
from opsetdocs.pictures.columns import Column, columns
from opsetdocs.pictures.shapes import MISSING, THICKNESS, classes, legend, spoken, states
from opsetdocs.pictures.svg import element, figure, shortened

MAX_OPERATORS = 400
MAX_COLUMNS = 60
"""Above these a matrix is no overview any more, and too heavy for a page."""

PITCH = 24
"""The width of a column in pixels, which the style sheet repeats."""

_BEFORE_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_MAX_TITLE = 400
_HEIGHT = THICKNESS + 6
_GAP = 2


def matrix(domain: Domain, *, url: Callable[[str], str], addresses: Addresses) -> Markup:
    """Return the table of a domain's operators by its opsets; empty where it would be too large.

    Each row is a picture of its own with a text alternative, so that names stay in view while the opsets are
    scrolled.

    Args:
        domain: The domain.
        url: Makes an address below the section's root a link from the page.
        addresses: The addresses of the catalog.
    """
    grid = columns(domain)
    if len(domain.operators) > MAX_OPERATORS or len(grid) > MAX_COLUMNS or len(grid) < 2:
        return Markup()
    head = element(
        "tr",
        element("th", "Operator", scope="col"),
        element("th", *(_heading(column, domain, url, addresses) for column in grid), scope="col"),
    )
    rows = (_row(operator, grid, url(addresses.operator(operator))) for operator in domain.operators)
    table = element("table", element("thead", head), element("tbody", *rows), class_="opsetdocs-rows")
    present = {
        name
        for operator in domain.operators
        for version in operator.versions
        if version.offered
        for name in states(version)
    }
    if any(column.missing for column in grid):
        present.add(MISSING)
    box = element(
        "div",
        table,
        class_="opsetdocs-scroll",
        tabindex=0,
        role="region",
        aria_label="Operators by opsets",
    )
    return figure("matrix", legend(present), box)


def _heading(column: Column, domain: Domain, url: Callable[[str], str], addresses: Addresses) -> Markup:
    if column.opset is None:
        return element("span", "…")
    return element("a", column.first, href=url(addresses.opset(domain.name, column.first)))


def _row(operator: OperatorHistory, grid: Sequence[Column], href: str) -> Markup:
    offered = [None if column.missing else operator.offered_in(column.first) for column in grid]
    described = "; ".join(f"{version.since_version}: {spoken(version)}" for version in operator.versions)
    picture = element(
        "svg",
        element("title", shortened(described, _MAX_TITLE)),
        *_paths(offered, grid),
        role="img",
        width=PITCH * len(grid),
        height=_HEIGHT,
    )
    name = element("a", _breakable(shortened(operator.name, 40)), href=href)
    return element("tr", element("th", name, scope="row"), element("td", picture))


def _breakable(name: str) -> Markup:
    """Return a name that may break before a capital letter, as a phone needs it."""
    return Markup("<wbr/>").join(_BEFORE_WORD.split(name))


def _paths(offered: Sequence[Version | None], grid: Sequence[Column]) -> Iterator[Markup]:
    """Yield one path for each state: as many lines as versions have it, and a gap where a version begins."""
    paths: dict[tuple[str, ...], str] = {}
    at = 0
    for version, run in groupby(offered):
        end = at + len(tuple(run))
        if version is not None:
            heights = (_HEIGHT // 2 - 4, _HEIGHT // 2 + 4) if version.deprecated else (_HEIGHT // 2,)
            lines = "".join(f"M{at * PITCH + _GAP} {y}H{end * PITCH}" for y in heights)
            paths[states(version)] = paths.get(states(version), "") + lines
        at = end
    unknown = "".join(
        f"M{index * PITCH + _GAP} {_HEIGHT // 2}h{PITCH - _GAP}"
        for index, column in enumerate(grid)
        if column.missing
    )
    if unknown:
        paths[MISSING,] = unknown
    for names, path in paths.items():
        yield element("path", class_=classes(names), d=path)
