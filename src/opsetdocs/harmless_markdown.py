"""Markdown of others made harmless, for programs that turn it into HTML and let everything through.

A page of ours refuses raw HTML and dangerous links by itself. Its twin is Markdown, and whoever renders that
may not: so what would come alive there is written as the text that it is on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from opsetdocs.docstring import code_block
from opsetdocs.markdown import is_allowed

MAX_DEFINITIONS = 500
"""The greatest number of link definitions in a text: they take the parser quadratic time."""

# Where raw HTML, an autolink, or a link target with a scheme or another host may begin.
_SUSPECT = re.compile(r"<(?!https?://)[A-Za-z/!?]|\](?:\(|:)\s*+<?(?!https?://|mailto:)[^\n)]*?(?::|&|//|\\)")
_HARMLESS_TAG = r"<br */?>|</?(?:b|i|em|strong|sub|sup)>"
_PIECE = re.compile(
    rf"""
    \\. | (?<!`)(?P<ticks>`++).{{0,5000}}?(?<!`)(?P=ticks)(?!`) | {_HARMLESS_TAG} | <(?:https?://|mailto:)[^\s<>"]*>
    | (?P<tag><)(?=[A-Za-z/!?])
    | (?P<before>\])(?P<mark>\(|:)(?P<link>\s*<(?P<quoted>[^<>\n]*)>|(?=\s*(?P<target>[^\s<>()]*)))
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_PLAIN = MarkdownIt("commonmark", {"html": False}).disable(["inline", "reference", "text_join"])


class _Trusting(MarkdownIt):
    """A parser that lets everything through."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the names are markdown-it-py's
        return True


_TRUSTING = _Trusting("commonmark", {"html": True})


@lru_cache(maxsize=4_096)
def harmless(text: str) -> str:
    """Return a text in which nothing comes alive that the page, too, shows as text.

    Args:
        text: Markdown.
    """
    if not _SUSPECT.search(text):  # As nearly all, and parsing takes a hundred times as long.
        return text
    changed = _escaped(text)
    # There are stranger ways to write HTML than one can escape: then it is all code.
    return changed if _is_harmless(changed) else code_block(text, "")


def _is_harmless(text: str) -> bool:
    if text.count("]:") > MAX_DEFINITIONS:
        return False
    try:
        return not any(map(_is_live, _tokens(text)))
    except Exception:  # nested without end
        return False


def _tokens(text: str) -> Iterator[Token]:
    for token in _TRUSTING.parse(text):
        yield token
        yield from token.children or ()


def _is_live(token: Token) -> bool:
    if token.type in ("html_inline", "html_block"):
        return not re.fullmatch(_HARMLESS_TAG, token.content.strip(), re.IGNORECASE)
    return not all(is_allowed(str(token.attrGet(name) or "")) for name in ("href", "src"))


def _escaped(text: str) -> str:
    """Escape tags and dangerous links everywhere but in code."""
    lines = text.split("\n")
    code = {
        line
        for token in _PLAIN.parse(text)
        if token.type in ("fence", "code_block") and token.map
        for line in range(*token.map)
    }
    done: list[str] = []
    prose: list[str] = []
    for number, line in enumerate(lines):
        if number in code:
            done += [*_escaped_prose(prose), line]
            prose = []
        else:
            prose.append(line)
    return "\n".join([*done, *_escaped_prose(prose)])


def _escaped_prose(lines: list[str]) -> list[str]:
    return [_PIECE.sub(_escape, "\n".join(lines))] if lines else []


def _escape(piece: re.Match[str]) -> str:
    if piece["tag"]:
        return r"\<"
    if piece["mark"] and not is_allowed(unescapeAll(piece["quoted"] or piece["target"] or "")):
        return "".join([piece["before"], "\\", piece["mark"], piece["link"].replace("<", r"\<")])
    return piece[0]
