"""Text for a terminal, made of what nobody has to trust: it neither moves the cursor nor colours the screen.

The files' texts are made visible here, and what colours there are is put around them last. Nor is there any
line that a CI system takes for a command.
"""

from __future__ import annotations

import os
import re
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import click

from opsetdocs.plain_text import inert, visible

MIN_WIDTH = 40
"""Lines are not made shorter than this: the terminal breaks them where it has to."""

_LINE_END = re.compile(r"\r\n?|\n")
_BEFORE_PROSE = re.compile(r"\A *(?:[-*+] +)?")
_FENCES = ("```", "~~~")
_TAB = 4
_ELLIPSIS = "..."
_MIN_CELLS = 10
"""Less of a text than this says nothing."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line to print."""

    text: str = ""
    bold: bool = False
    colour: str | None = None
    label: str = ""
    """What stands in front of the text. Where there is something, it alone is bold and coloured."""

    def __str__(self) -> str:
        """The line without its colour."""
        return inert(visible(self.label + self.text))


def visible_lines(text: str) -> list[str]:
    """Return the lines of a text, each made visible and inert; tabs become spaces."""
    return [inert(visible(line)) for line in _LINE_END.split(text.expandtabs(_TAB))]


def width() -> int:
    """Return the width of the terminal, 80 where there is none."""
    return max(shutil.get_terminal_size().columns, MIN_WIDTH)


def table(rows: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    """Yield rows as aligned lines.

    Nothing but the last column is cut; an uncommonly long cell moves the rest of its row to the right.

    Args:
        rows: The cells of each row.
        width: How many cells of the terminal a line may take.
    """
    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [min(max(map(cells, column)), width // 3) for column in zip(*shown, strict=True)]
    for *fixed, last in shown:
        padded = (
            cell + " " * (max(most - cells(cell), 0) + 2) for cell, most in zip(fixed, widths, strict=False)
        )
        start = "".join(padded)
        yield (start + cut(last, width - cells(start))).rstrip()


def cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: Chinese characters take two, accents none."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cut(text: str, width: int) -> str:
    """Return a text cut to a width; nothing where so little is left that it would say nothing."""
    if cells(text) <= width:
        return text
    if width < _MIN_CELLS:
        return ""
    fits = sum(end <= width - len(_ELLIPSIS) for end in accumulate(map(_cells, text)))
    return text[:fits].rstrip() + _ELLIPSIS


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return a text as lines of a width; a word that is longer is not broken.

    Args:
        text: The text; each stretch of white space becomes one space or a line end.
        width: How many cells of the terminal a line may take.
        first: What the first line begins with.
        rest: What each further line begins with.
    """
    return _wrap(visible(" ".join(text.split())), width, first, rest)


def folded(lines: Iterable[str], width: int) -> Iterator[str]:
    """Break long lines of Markdown at spaces; code in fences and tables stay as they are.

    Args:
        lines: The lines, visible ones.
        width: How many cells of the terminal a line may take.
    """
    in_fence = False
    for line in lines:
        start = line.lstrip()
        in_fence ^= start.startswith(_FENCES)
        if in_fence or start.startswith("|") or cells(line) <= width:
            yield line
        else:
            before_prose = len(line) - len(_BEFORE_PROSE.sub("", line))
            yield from _wrap(line, width, rest=" " * before_prose)


def _wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def counted(number: int, plural: str) -> str:
    """Return how many there are of something: `1 file`, `1,162 files`."""
    return f"{number:,} {plural if number != 1 else plural.removesuffix('s')}"


def echo(lines: Iterable[Line]) -> None:
    """Print lines; in colour only on a terminal, and not where NO_COLOR is set (https://no-color.org)."""
    text = "\n".join(_styled(line) for line in lines)
    click.echo(text, color=False if os.environ.get("NO_COLOR") else None)


def _styled(line: Line) -> str:
    if not (line.bold or line.colour):
        return str(line)
    label, text = inert(visible(line.label)), inert(visible(line.text))
    styled = click.style(label or text, bold=line.bold or None, fg=line.colour)
    return styled + text if label else styled
