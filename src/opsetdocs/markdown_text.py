"""Markdown that goes into other Markdown: plain text made safe, and texts of others put below a heading.

`markdown.py` turns texts into HTML. Here they stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from opsetdocs.docstring import MAX_TEXT, code_block, is_open_fence
from opsetdocs.plain_text import one_line

# What could begin markup somewhere in a line; a `_` inside a word never does (CommonMark 6.2).
_ACTIVE = re.compile(r"[\\`*\[\]<>|~&$#]|(?<![^\W_])_|_(?![^\W_])")
# Where a link or a definition of one has a relative target.
_TARGET = re.compile(r"(\](?:\(|:)\s*<?)(?!#|//|[A-Za-z][A-Za-z0-9+.-]*:)([^<>)\s]+)")
# What may be a code fence, with the rest of its line.
_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})(?P<info>.*)")
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
    if not levels and _closes_its_fences(text):  # As nearly all do, and parsing takes fifty times as long.
        return text
    if len(text) > 2 * MAX_TEXT:
        return code_block(text, "")
    lines = text.split("\n")
    tokens = _BLOCKS.parse(text)
    if tokens and is_open_fence(tokens[-1], lines):
        lines.append(tokens[-1].markup)
    for token in reversed(tokens):
        if levels and token.type == "heading_open" and token.map:
            first, end = token.map
            lines[first:end] = _moved_heading(token, lines[first:end], levels)
    return "\n".join(lines)


def _closes_its_fences(text: str) -> bool:
    """Whether each code fence is closed for certain: all stand at the margin, in pairs."""
    fence = ""
    if "```" not in text and "~~~" not in text:  # Finding nothing takes the pattern a hundred times as long.
        return True
    for match in _FENCE.finditer(text):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        at_margin = len(before) < 4 and not before.strip(" ")
        if fence:
            if at_margin and match["fence"].startswith(fence) and not match["info"].strip():
                fence = ""
        elif at_margin and "`" not in match["info"]:
            fence = match["fence"]
        else:
            return False
    return not fence


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


def _inline_with_links(state: StateCore) -> None:
    """Parse the content of paragraphs and headings where a link or a picture may be in it."""
    for token in state.tokens:
        if token.type == "inline" and "[" in token.content:
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


_PARSER = MarkdownIt("commonmark", {"html": False})
_PARSER.core.ruler.at("inline", _inline_with_links)


@lru_cache(maxsize=4_096)
def _hrefs(text: str) -> frozenset[str]:
    """The targets of a text's links and pictures; none where no relative one is among them."""
    if len(text) > 2 * MAX_TEXT or not _TARGET.search(
        text
    ):  # Parsing takes a hundred times as long, and few texts have such a link.
        return frozenset()
    return frozenset(_targets(_PARSER.parse(text)))


def _targets(tokens: Iterable[Token]) -> Iterable[str]:
    for token in tokens:
        yield from _targets(token.children or ())
        if token.type in ("link_open", "image"):
            yield str(token.attrGet("href") or token.attrGet("src") or "")
