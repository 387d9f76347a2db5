"""What all pictures share: elements with everything escaped, shortened names, the width of a text."""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup, escape

FONT_SIZE = 12
"""The size of a name in a picture, in CSS pixels; nothing is written smaller than one pixel less."""

_NARROW = frozenset(" !\"'(),-./:;I[\\]`fijlrt{|}")
_BROAD = frozenset("%@MWmw…")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Characters that XML forbids, and those that would break a line."""


def element(tag: str, /, *content: object, **attributes: object) -> Markup:
    """Return an element. Whatever is no `Markup` is escaped; an attribute that is `None` is left out.

    Args:
        tag: The element's name.
        content: What it holds.
        attributes: Its attributes. An underscore in a name stands for a hyphen, one at the end for nothing:
            `class_`, `stroke_width`.
    """
    start = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(map(escape, content))
    return Markup(f"<{tag}{start}>{inner}</{tag}>" if content else f"<{tag}{start}/>")  # noqa: S704 -- escaped


def _value(value: object) -> Markup:
    return escape(number(value) if isinstance(value, float) else value)


def number(value: float) -> str:
    """Return a number with at most two decimals, as short as possible."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def percent(value: float) -> str:
    """Return a share of 100 as a length."""
    return f"{number(value)}%"


def figure(kind: str, *content: Markup) -> Markup:
    """Return the figure that frames a picture. What it says stands as text elsewhere: no search needs it."""
    inner = Markup().join(content)
    return Markup(  # noqa: S704 -- both parts are ours
        f'<figure class="opsetdocs-picture opsetdocs-{kind}" data-search-exclude>{inner}</figure>'
    )


def shortened(text: str, length: int) -> str:
    """Return a text of at most this many characters, on one line; what is cut off is marked by `…`."""
    # Only so much of the text is looked at: a name may be a megabyte long.
    clean = _UNPRINTABLE.sub("\ufffd", text[: length + 1])
    return clean if len(clean) <= length else f"{clean[: length - 1]}…"


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return about how wide a text is, in pixels, in a broad sans-serif font: the site's own is not known."""
    return sum(map(_share_of_size, text)) * size


def _share_of_size(character: str) -> float:
    if character in _NARROW:
        return 0.4
    if character in _BROAD or unicodedata.east_asian_width(character) in "FW":
        return 1.0
    return 0.72 if character.isupper() else 0.63
