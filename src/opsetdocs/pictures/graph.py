"""The graph of a function's body, from top to bottom, with nested graphs as boxes within boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from markupsafe import Markup

from opsetdocs.caches import by_identity
from opsetdocs.model import Function, Node
from opsetdocs.pictures.diagram import MAX_NODES, Box, BoxKind, Diagram, diagrams
from opsetdocs.pictures.layout import HEADER, Layout, Point, Rectangle, Size, place
from opsetdocs.pictures.svg import FONT_SIZE, element, figure, shortened, text_width

MAX_EDGES = 400
"""With more edges a picture is a tangle."""

_MAX_LINE = 28
_MAX_TITLE = 160
_LINE_HEIGHT = 15
_SIDE = 9
_MARGIN = 4
_CORNER = 8

Link = Callable[[Node], str | None]


def body_graph(function: Function, *, id_prefix: str, link: Link) -> Markup:
    """Return the graph of a function's body, in which every node is a link to its operator.

    Nested graphs stand within their node. In a body of more than `MAX_OPEN_NODES` nodes they follow as
    pictures of their own.

    Args:
        function: The function.
        id_prefix: What ids in the picture begin with.
        link: Gives the link to a node's operator, or `None` where the site does not have it.

    Returns:
        One figure or several; nothing for a body that has no nodes, that has more than `MAX_NODES` nodes, or
        that goes in a circle. The body as text has all of it.
    """
    name = shortened(" with ".join(filter(None, (function.name or "a function", _imports(function)))), 80)
    return Markup().join(
        _figure(part, layout, name, id_prefix if number == 1 else f"{id_prefix}.{number}", link)
        for number, (part, layout) in enumerate(_laid_out(function), 1)
    )


@by_identity(maxsize=1_024)
def _laid_out(function: Function) -> tuple[tuple[Diagram, Layout], ...]:
    """Return the diagrams of a body with their layouts; nothing where one of them cannot be shown."""
    parts = diagrams(function)
    if not parts[0].nodes or any(part.nodes > MAX_NODES or len(part.edges) > MAX_EDGES for part in parts):
        return ()
    found = tuple((part, layout) for part in parts if (layout := placed(part)))
    return found if len(found) == len(parts) else ()


def _figure(diagram: Diagram, layout: Layout, name: str, id_prefix: str, link: Link) -> Markup:
    title_id, arrow_id = f"{id_prefix}.graph", f"{id_prefix}.arrow"
    caption = shortened(diagram.caption, 80)
    title = f"Graph of {name}{f': {caption}' if caption else ''}"
    width, height = (round(length) + 2 * _MARGIN for length in (layout.width, layout.height))
    picture = element(
        "svg",
        element("title", title, id=title_id),
        element("desc", f"{_counted(diagram.nodes)}. The body as text says the same."),
        _arrow(arrow_id),
        *_boxes(diagram.boxes, layout, link, frames=True),
        _edges(diagram, layout, arrow_id),
        element("g", *_boxes(diagram.boxes, layout, link, frames=False), text_anchor="middle"),
        # No image: the parts of one cannot be reached by who does not see it, and these are links.
        role="group",
        aria_labelledby=title_id,
        width=width,
        height=height,
        viewBox=f"{-_MARGIN} {-_MARGIN} {width} {height}",
        fill="none",
        stroke="currentColor",
    )
    box = element("div", picture, class_="opsetdocs-scroll", tabindex=0, role="region", aria_label=title)
    return figure("graph", *([element("figcaption", caption)] if caption else []), box)


def _imports(function: Function) -> str:
    """Return the opsets that a body uses: they tell apart several bodies of a version."""
    return ", ".join(f"{item.domain} {item.version or 0}" for item in function.opset_imports)


def _counted(nodes: int) -> str:
    return "1 node" if nodes == 1 else f"{nodes} nodes"


def placed(diagram: Diagram) -> Layout | None:
    """Return where the boxes and edges of a diagram stand; `None` where they cannot be placed."""
    edges = [(edge.source, edge.target) for edge in diagram.edges]
    layout = place(_sizes(diagram.boxes), [*edges, *_above(diagram)])
    return layout and replace(layout, edges=layout.edges[: len(edges)])


def _above(diagram: Diagram) -> Iterator[tuple[int, int]]:
    """Yield an edge, not to be drawn, for each input that nothing uses: it keeps the input at the top."""
    used = {edge.source for edge in diagram.edges}
    first = {
        box.parent: index
        for index, box in reversed(list(enumerate(diagram.boxes)))
        if box.kind is BoxKind.NODE
    }
    for index, box in enumerate(diagram.boxes):
        if box.kind is BoxKind.INPUT and index not in used and box.parent in first:
            yield index, first[box.parent]


def _sizes(boxes: Sequence[Box]) -> list[Size]:
    """Return the boxes' sizes: the names of those that hold others need room as well."""
    widths = [max(_line_widths(box)) + 2 * _SIDE for box in boxes]
    heights = [len(box.lines) * _LINE_HEIGHT + 9 for box in boxes]
    # Children come after their parents: the first one in a box is made wide enough for the box's name.
    widened: set[int] = set()
    for index, box in enumerate(boxes):
        if box.parent is not None and box.parent not in widened:
            widened.add(box.parent)
            widths[index] = max(widths[index], widths[box.parent] - 2 * _SIDE)
    return [
        Size(width, height, box.parent) for box, width, height in zip(boxes, widths, heights, strict=True)
    ]


def _line_widths(box: Box) -> Iterator[float]:
    for index, text in enumerate(box.lines):
        yield text_width(shortened(text, _MAX_LINE), FONT_SIZE if index == 0 else FONT_SIZE - 1)


def _arrow(arrow_id: str) -> Markup:
    head = element("path", d="M0 0L7 3.5L0 7z", fill="currentColor", stroke="none")
    return element(
        "marker", head, id=arrow_id, markerWidth=7, markerHeight=7, refX=6.5, refY=3.5, orient="auto"
    )


def _edges(diagram: Diagram, layout: Layout, arrow_id: str) -> Markup:
    paths = (
        element("path", class_="is-attribute" if edge.is_attribute else None, d=_path(points))
        for edge, points in zip(diagram.edges, layout.edges, strict=True)
    )
    return element("g", *paths, class_="is-edge", marker_end=f"url(#{arrow_id})")


def _path(points: Sequence[Point]) -> str:
    """Return a line through points with its corners rounded."""
    parts = [f"M{_at(points[0])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        parts.append(f"L{_at(_towards(corner, before))}Q{_at(corner)} {_at(_towards(corner, after))}")
    return "".join([*parts, f"L{_at(points[-1])}"])


def _towards(start: Point, end: Point) -> Point:
    """Return the point where rounding begins: near a corner, at most half the way to the next point."""
    across, down = end[0] - start[0], end[1] - start[1]
    length = (across**2 + down**2) ** 0.5 or 1
    share = min(_CORNER / length, 0.5)
    return start[0] + across * share, start[1] + down * share


def _at(point: Point) -> str:
    return f"{point[0]:.0f} {point[1]:.0f}"


def _boxes(boxes: Sequence[Box], layout: Layout, link: Link, *, frames: bool) -> Iterator[Markup]:
    """Yield either the boxes that hold others, the outer ones first, or all the rest."""
    holders = {box.parent for box in boxes}
    for index, (box, at) in enumerate(zip(boxes, layout.boxes, strict=True)):
        if (index in holders) == frames:
            yield _frame(box, at, link) if frames else _leaf(box, at, link)


def _leaf(box: Box, at: Rectangle, link: Link) -> Markup:
    middle, top = round(at.x + at.width / 2), round(at.y) + 16
    texts = (
        element(
            "text",
            shortened(line, _MAX_LINE),
            class_="is-detail" if index else None,
            x=middle,
            y=top + index * _LINE_HEIGHT,
        )
        for index, line in enumerate(box.lines)
    )
    return _box(box, at, link, *texts)


def _frame(box: Box, at: Rectangle, link: Link) -> Markup:
    name = shortened(box.lines[0], _MAX_LINE)
    return _box(box, at, link, element("text", name, x=round(at.x) + _SIDE - 1, y=round(at.y) + HEADER - 5))


def _box(box: Box, at: Rectangle, link: Link, *texts: Markup) -> Markup:
    """Return a box with its texts: as a link where the site has the operator."""
    href = link(box.node) if box.node else None
    is_round = box.kind in (BoxKind.INPUT, BoxKind.OUTPUT, BoxKind.ATTRIBUTE)
    outline = element(
        "rect",
        x=round(at.x),
        y=round(at.y),
        width=round(at.width),
        height=round(at.height),
        rx=round(at.height / 2) if is_round else 3,
    )
    return element(
        "a" if href else "g",
        element("title", shortened(box.title, _MAX_TITLE)),
        outline,
        *texts,
        class_=f"is-{box.kind.value}",
        href=href,
    )
