"""Markdown that goes into other Markdown: plain text made safe, and texts of others put below a heading.

`markdown.py` turns texts into HTML. Here they stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from opsetdocs.docstring import is_open_fence
from opsetdocs.plain_text import one_line

# What could begin markup somewhere in a line; a `_` inside a word never does (CommonMark 6.2).
_ACTIVE = re.compile(r"[\\`*\[\]<>|~&$#]|(?<![^\W_])_|_(?![^\W_])")
# Where a link or a definition of one has a relative target.
_TARGET = re.compile(r"(\](?:\(|:)\s*<?)(?!#|//|[A-Za-z][A-Za-z0-9+.-]*:)([^<>)\s]+)")
_PARSER = MarkdownIt("commonmark", {"html": False})
_BLOCKS = MarkdownIt("commonmark", {"html": False}).disable(["inline", "text_join"])


def escape(text: str) -> str:
    """Return plain text as Markdown that reads as that text, on one line, in a table too."""
    return _ACTIVE.sub(r"\\\g<0>", one_line(text))


@lru_cache(maxsize=4_096)
def moved(text: str, levels: int) -> str:
    """Return a text with its headings moved, that leaves no code fence open for what follows it.

    Args:
        text: Markdown. A title that is underlined inside a list or a quote stays as it is.
        levels: How many levels down, or up where negative; level 6 is the lowest.
    """
    if not levels and "```" not in text and "~~~" not in text:
        return text
    lines = text.split("\n")
    tokens = _BLOCKS.parse(text)
    if tokens and is_open_fence(tokens[-1], lines):
        lines.append(tokens[-1].markup)
    for token in reversed(tokens):
        if levels and token.type == "heading_open" and token.map:
            first, end = token.map
            lines[first:end] = _moved_heading(token, lines[first:end], levels)
    return "\n".join(lines)


def _moved_heading(heading: Token, lines: list[str], levels: int) -> list[str]:
    """Write the lines of a heading with number signs: a title can be underlined at two levels only."""
    signs = "#" * max(1, min(6, int(heading.tag[1:]) + levels))
    if heading.markup.startswith("#"):
        return [lines[0].replace(heading.markup, signs, 1)]
    if heading.level:
        return lines
    return [" ".join([signs, *(line.strip() for line in lines[:-1])])]


def relinked(text: str, target: Callable[[str], str | None]) -> str:
    """Return a text whose relative links lead where they should.

    Args:
        text: Markdown.
        target: Where a relative link leads; `None` leaves the link as it is.
    """
    targets = {href: new for href in _hrefs(text) if (new := target(href)) is not None}
    if not targets:
        return text
    return _TARGET.sub(lambda match: match[1] + targets.get(match[2], match[2]), text)


@lru_cache(maxsize=4_096)
def _hrefs(text: str) -> frozenset[str]:
    """The targets of a text's links and pictures; none where no relative one is among them."""
    if not _TARGET.search(text):  # Parsing takes a hundred times as long, and few texts have such a link.
        return frozenset()
    return frozenset(_targets(_PARSER.parse(text)))


def _targets(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        yield from _targets(token.children or ())
        if token.type in ("link_open", "image"):
            yield str(token.attrGet("href") or token.attrGet("src") or "")
