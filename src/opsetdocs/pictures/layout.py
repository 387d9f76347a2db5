"""Where the boxes and edges of a graph stand. The work is done by graphlay, a layered layout engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from typing import Any

Point = tuple[float, float]

PADDING = 10
HEADER = 20
"""The room within a box that holds others, and that for its name at the top, in pixels."""

_OPTIONS: dict[str, Any] = {
    "direction": "topbottom",
    "routing": {"style": "diagonal", "port_sides": "facing_only"},
    "coords": {"branch_style": "symmetric"},
    "spacing": {
        "layer_gap": 28,
        "node_gap": 16,
        "dummy_gap": 12,
        "port_gap": 8,
        "port_stroke_clear": 6,
        "stub": 6,
        "isolated_gap": 16,
        "compound_padding": PADDING,
        "compound_header": HEADER,
    },
}


@dataclass(frozen=True, slots=True)
class Size:
    """A box to be placed."""

    width: float
    height: float
    parent: int | None
    """The index of the box that it stands in. The size of a box that holds others follows from them."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """The place of a box: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of all boxes and edges; nothing is left of or above the origin."""

    width: float
    height: float
    boxes: tuple[Rectangle, ...]
    edges: tuple[tuple[Point, ...], ...]
    """The points of each edge, from border to border."""


def place(sizes: Sequence[Size], edges: Sequence[tuple[int, int]]) -> Layout | None:
    """Place boxes in layers so that edges lead downwards.

    The result depends on nothing but the arguments.

    Args:
        sizes: The boxes, each after the one that it stands in.
        edges: The boxes that each edge joins, by their indices. An edge may lead into or out of a box that
            holds others.

    Returns:
        The places; `None` if the edges go in a circle, if there is no graphlay for this machine, or if it
        does not manage to keep the boxes apart.
    """
    if _is_cyclic(sizes, edges):
        return None
    try:
        import graphlay  # Only a page with a body needs it.
    except ImportError:
        return None
    graph = {
        "nodes": [_node(size) for size in sizes],
        "edges": [{"source": source, "target": target} for source, target in edges],
    }
    try:
        placed = graphlay.layout(graph, options=_OPTIONS)
    except graphlay.GraphlayError:  # It has limits of its own.
        return None
    left, top = placed.bounds["min"]["x"], placed.bounds["min"]["y"]
    boxes = tuple(_rectangle(node, left, top) for node in placed.nodes)
    if any(_overlap(boxes, sizes)):
        return None
    routes = tuple(
        _ended(
            tuple((point["x"] - left, point["y"] - top) for point in edge["points"]),
            boxes[source],
            boxes[target],
        )
        for (source, target), edge in zip(edges, placed.edges, strict=True)
    )
    width, height = placed.bounds["max"]["x"] - left, placed.bounds["max"]["y"] - top
    return Layout(width, height, boxes, routes)


def _node(size: Size) -> dict[str, Any]:
    node: dict[str, Any] = {"size": {"width": size.width, "height": size.height}}
    return node if size.parent is None else {**node, "parent": size.parent}


def _rectangle(node: dict[str, Any], left: float, top: float) -> Rectangle:
    center, size = node["center"], node["size"]
    return Rectangle(
        center["x"] - size["width"] / 2 - left,
        center["y"] - size["height"] / 2 - top,
        size["width"],
        size["height"],
    )


def _overlap(boxes: Sequence[Rectangle], sizes: Sequence[Size]) -> Iterator[bool]:
    """Yield for any two boxes that stand in the same one whether they overlap."""
    by_parent = defaultdict(list)
    for box, size in zip(boxes, sizes, strict=True):
        by_parent[size.parent].append(box)
    for siblings in by_parent.values():
        for one, other in combinations(siblings, 2):
            yield (
                one.x < other.x + other.width
                and other.x < one.x + one.width
                and one.y < other.y + other.height
                and other.y < one.y + one.height
            )


def _ended(points: tuple[Point, ...], source: Rectangle, target: Rectangle) -> tuple[Point, ...]:
    """Return a route from border to border; the engine leads it on into the header of a box with others."""
    top, bottom = source.y + source.height, target.y
    bends = (point for point in points[1:-1] if top < point[1] < bottom)
    return ((points[0][0], top), *bends, (points[-1][0], bottom))


def _is_cyclic(sizes: Sequence[Size], edges: Sequence[tuple[int, int]]) -> bool:
    """Whether edges go in a circle; what a box gives depends on all that stands in it."""
    sorter: TopologicalSorter[int] = TopologicalSorter()
    for index, size in enumerate(sizes):
        if size.parent is not None:
            sorter.add(size.parent, index)
    for source, target in edges:
        sorter.add(target, source)
    try:
        sorter.prepare()
    except CycleError:
        return True
    return False
