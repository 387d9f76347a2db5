"""Text of files where control characters would do something: in messages, terminals, formats of lines."""

from __future__ import annotations

import re
import unicodedata
from json import JSONDecodeError

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of what cannot be seen: control characters; format characters, among them those that
turn the direction of text; halves of surrogate pairs; the separators of lines and paragraphs."""

_JOINERS = "\u200c\u200d"
"""The format characters that some scripts, and emoji, cannot do without."""

_COMMAND = re.compile(r"(?P<anywhere>##\w*)\[|\A(?P<first>\s*):(?=:[A-Za-z])")
"""How a command begins to the CI systems that read what programs print: GitHub Actions (`##[`, and `::` where
a line begins, even after spaces), Azure Pipelines (`##vso[`) and TeamCity (`##teamcity[`)."""


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


def json_reason(err: JSONDecodeError) -> str:
    """Return why a text is no JSON, without the beginning of what Python says about the place."""
    return err.msg.removesuffix(" at").removesuffix(" starting")


def inert(line: str) -> str:
    r"""Return a line in which no CI system finds a command: one of its marks is `\x5b` or `\x3a`."""
    return _COMMAND.sub(_without_mark, line)


def _without_mark(command: re.Match[str]) -> str:
    return f"{command['anywhere']}\\x5b" if command["anywhere"] else f"{command['first']}\\x3a"
