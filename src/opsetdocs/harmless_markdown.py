"""Markdown of others made harmless, for programs that turn it into HTML and let everything through.

A page of ours refuses raw HTML and dangerous links by itself. Its twin is Markdown, and whoever renders that
may not: so what would come alive there is written as the text that it is on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from opsetdocs.docstring import MAX_TEXT, code_block
from opsetdocs.markdown import is_allowed

MAX_DEFINITIONS = 500
"""The greatest number of link definitions in a text: they take the parser quadratic time."""

_MAX_TARGET = 300
"""How much of a link target is looked at: one that has no `/`, `?` or `#` in it so far is no link."""

_IN_HARMLESS_TAG = r"(?:br[ ]*/?|/?(?:b|i|em|strong|sub|sup))>"
_HARMLESS_TAG = f"<{_IN_HARMLESS_TAG}"

# Where raw HTML, an autolink, or a link target with a scheme or another host may begin.
_SUSPECT = re.compile(
    rf"""
    <(?!https?://|{_IN_HARMLESS_TAG})[A-Za-z/!?]
    | \](?:\(|:)\s*+<?(?!https?://|mailto:)(?:[^\n)]{{0,{_MAX_TARGET}}}?(?::|&|//|\\)|[^\n)]{{{_MAX_TARGET}}})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_PIECE = re.compile(
    rf"""
    \\. | (?<!`)(?P<ticks>`++).{{0,5000}}?(?<!`)(?P=ticks)(?!`) | {_HARMLESS_TAG} | <(?:https?://|mailto:)[^\s<>"]*>
    | (?P<tag><)(?=[A-Za-z/!?])
    | (?P<before>\])(?P<mark>\(|:)
      (?P<link>\s*<(?P<quoted>[^<>\n]*)> | (?=\s*(?P<target>[^\s<>()]{{0,{_MAX_TARGET}}})))
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_FENCE = re.compile(r"(`{3,})\n")
_PLAIN = MarkdownIt("commonmark", {"html": False}).disable(["inline", "reference", "text_join"])


class _Trusting(MarkdownIt):
    """A parser that lets everything through."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the names are markdown-it-py's
        return True


def _inline_where_suspect(state: StateCore) -> None:
    """Parse the content of paragraphs and headings where something may come alive."""
    for token in state.tokens:
        if token.type == "inline" and _SUSPECT.search(token.content):
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)


_TRUSTING = _Trusting("commonmark", {"html": True})
_TRUSTING.core.ruler.at("inline", _inline_where_suspect)


@lru_cache(maxsize=4_096)
def harmless(text: str) -> str:
    """Return a text in which nothing comes alive that the page, too, shows as text.

    Args:
        text: Markdown.
    """
    if not _SUSPECT.search(text):  # As nearly all, and parsing takes a hundred times as long.
        return text
    if len(text) > 2 * MAX_TEXT:  # Twice as much: the text of a function has what its fields say, too.
        return text if _is_code(text) else code_block(text, "")
    changed = _escaped(text)
    # There are stranger ways to write HTML than one can escape: then it is all code.
    return changed if _is_harmless(changed) else code_block(text, "")


def _is_code(text: str) -> bool:
    """Whether a text is one block of code, as `code_block` writes it."""
    fence = _FENCE.match(text)
    return fence is not None and text.endswith(f"\n{fence[1]}") and text.count(fence[1]) == 2


def _is_harmless(text: str) -> bool:
    if text.count("]:") > MAX_DEFINITIONS:
        return False
    environment: dict[str, Any] = {}
    try:
        tokens = _TRUSTING.parse(text, environment)
    except Exception:  # nested without end
        return False
    # Whoever uses a definition need not look suspect.
    targets = (definition["href"] for definition in environment.get("references", {}).values())
    return all(map(is_allowed, targets)) and not any(map(_is_live, _with_children(tokens)))


def _with_children(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
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
    target = unescapeAll(piece["quoted"] or piece["target"] or "")
    is_cut = len(piece["target"] or "") == _MAX_TARGET and not re.search("[/?#]", target)
    if piece["mark"] and (is_cut or not is_allowed(target)):
        return "".join([piece["before"], "\\", piece["mark"], piece["link"].replace("<", r"\<")])
    return piece[0]
