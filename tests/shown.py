"""The commands that documentation shows, in the order of its pages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).parents[1]
TEMPLATE = TOP / "src/opsetdocs/project_template/README.md.jinja"
PAGES = (
    TOP / "README.md",
    TOP / "CONTRIBUTING.md",
    TEMPLATE,
    *sorted((TOP / "site_config/docs").rglob("*.md")),
)

_BLOCK = re.compile(r"^( *)```(?:console|bash|sh|shell)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`((?:\.venv/bin/)?opsetdocs [^`\n]+)`(?!`)")
_PROMPT = "$ "


@dataclass(frozen=True)
class Shown:
    """A command as a page shows it."""

    command: str
    output: str | None = None
    """What the page says that it prints; `None` where it says nothing."""


def shown(page: Path) -> Iterator[Shown]:
    """Yield the commands of a page's blocks.

    In a block with prompts (`$ `), the lines between commands are what they print. Otherwise each line is a
    command. Commands that are joined by `&&` are several.
    """
    for indent, block in _BLOCK.findall(page.read_text("utf-8")):
        lines = re.sub(rf"^{indent}", "", block, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
        if any(line.startswith(_PROMPT) for line in lines):
            yield from _with_output(lines)
        else:
            for line in lines:
                yield from map(Shown, _commands(line))


def _with_output(lines: list[str]) -> Iterator[Shown]:
    starts = [at for at, line in enumerate(lines) if line.startswith(_PROMPT)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        *before, last = _commands(lines[start].removeprefix(_PROMPT))
        yield from map(Shown, before)
        yield Shown(last, "\n".join(lines[start + 1 : end]) or None)


def _commands(line: str) -> list[str]:
    without_comment = re.split(r"(?:^|\s)#(?=\s)", line)[0].strip()
    return [part.strip() for part in without_comment.split(" && ") if part.strip()]


def named(page: Path) -> Iterator[list[str]]:
    """Yield the words of commands of ours that a page names in its text."""
    for text in _INLINE.findall(page.read_text("utf-8")):
        yield shlex.split(text)
