"""How the state of a version is drawn, in all pictures alike: by the form of a line, never by colour."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from opsetdocs.catalog import OpsetRange, Version
from opsetdocs.pictures.svg import element

MISSING = "missing"
REMOVED = "removed"

WORDS = {
    "stable": "stable",
    "experimental": "experimental",
    "not-stated": "status not stated",
    "unknown": "unknown status",
    "deprecated": "deprecated",
    MISSING: "opsets not known",
    REMOVED: "removed",
}
"""The states that a picture can show, in the order of its legend, and the words for them."""

THICKNESS = 10
"""The thickness of the line of a version that is not deprecated."""


def states(version: Version) -> tuple[str, ...]:
    """Return the state of a version: its status, and whether it is deprecated."""
    return (version.status.key, "deprecated") if version.deprecated else (version.status.key,)


def classes(names: Iterable[str]) -> str:
    """Return states as classes."""
    return " ".join(f"is-{name}" for name in names)


def line(names: tuple[str, ...], start: object, end: object, y: float) -> Markup:
    """Return a level line in the form of a state.

    A stable version is a full line, an experimental one is dashed, a deprecated one is a double line, and
    what is not known is dotted.

    Args:
        names: The state; `("missing",)` for opsets of which nothing is known.
        start: Where the line begins, as SVG writes a length.
        end: Where it ends.
        y: The height of its middle.
    """
    if "deprecated" in names:
        offset = THICKNESS / 2 - 1.5
        return Markup().join(
            element("line", class_=classes(names), x1=start, x2=end, y1=at, y2=at, stroke_width=3)
            for at in (y - offset, y + offset)
        )
    width = 2 if MISSING in names else THICKNESS
    return element("line", class_=classes(names), x1=start, x2=end, y1=y, y2=y, stroke_width=width)


def cross(x: object, y: float) -> Markup:
    """Return the mark of a removal."""
    # A letter would depend on the font; a path cannot stand at a share of the width, a nested picture can.
    arms = element("path", d=f"M0 {y - 5:g}l10 10m0-10l-10 10", stroke_width=2)
    return element("svg", arms, class_=classes([REMOVED]), x=x, overflow="visible")


def legend(shown: Iterable[str], *, areas: bool = False) -> Markup:
    """Return the caption that says in words what the forms stand for: only those that the picture has.

    Args:
        shown: The states in the picture.
        areas: Whether the picture shows them as areas and not as lines.
    """
    present = set(shown)
    return element("figcaption", *(_key(name, areas=areas) for name in WORDS if name in present))


def _key(name: str, *, areas: bool) -> Markup:
    middle = THICKNESS / 2 + 1
    if name == REMOVED:
        sample = cross(9, middle)
    elif areas and name != MISSING:
        sample = element("rect", class_=classes([name]), x=1, y=1, width=26, height=THICKNESS)
    else:
        sample = line((name,), 0, 28, middle)
    picture = element(
        "svg",
        sample,
        width=28,
        height=THICKNESS + 2,
        fill="currentColor",
        stroke="currentColor",
        aria_hidden="true",
    )
    return element("span", picture, f" {WORDS[name]}")


def spoken(version: Version) -> str:
    """Return what a version is and where it is offered, in words."""
    state = f"{version.status.label}, deprecated" if version.deprecated else version.status.label
    return f"{state}, {opsets_in_words(version.offered)}"


def opsets_in_words(ranges: tuple[OpsetRange, ...]) -> str:
    """Return ranges of opsets in words."""
    if not ranges:
        return "in no opset that is known"
    single = len(ranges) == 1 and ranges[0].first == ranges[0].last
    return f"opset{'' if single else 's'} {', '.join(map(str, ranges))}"
