"""Text of files where control characters would do something: in messages, terminals, formats of lines."""

from __future__ import annotations

import unicodedata

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of what cannot be seen: control characters; format characters, among them those that
turn the direction of text; halves of surrogate pairs; the separators of lines and paragraphs."""

_JOINERS = "\u200c\u200d"
"""The format characters that some scripts, and emoji, cannot do without."""


def one_line(name: str) -> str:
    """Return a name as it is shown where line ends and control characters would end or hide something."""
    if not name.isprintable():
        name = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(name.split())


def visible(text: str) -> str:
    r"""Return a text on one line, with an escape such as `\x1b` for each character that is not to be seen."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _INVISIBLE or character in _JOINERS:
        return character
    return character.encode("unicode_escape").decode("ascii")
