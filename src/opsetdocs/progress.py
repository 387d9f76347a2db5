"""How far a command is, in a line that is written again and again on a terminal, and erased at the end.

Code says what it goes through; nothing is shown unless a command has asked for it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sized
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TextIO, TypeVar

_Item = TypeVar("_Item")

_PATIENCE = 1.0
"""Seconds after which there is something to see."""

_INTERVAL = 0.1
"""Seconds from one line to the next."""


@dataclass(slots=True)
class Progress:
    """A line on a terminal."""

    stream: TextIO
    _next: float = field(default_factory=lambda: time.monotonic() + _PATIENCE)
    _shown: int = 0

    def show(self, what: str, done: int, total: int) -> None:
        """Say how far something is, if it is time for that."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _INTERVAL
        text = f"{what}: {done:,} of {total:,}"
        self._write(f"\r{text:{self._shown}}")
        self._shown = len(text)

    def erase(self) -> None:
        """Leave nothing of the line."""
        if self._shown:
            self._write(f"\r{'':{self._shown}}\r")
            self._shown = 0

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


_progress: ContextVar[Progress | None] = ContextVar("progress", default=None)


def show_progress(stream: TextIO) -> None:
    """Show from now on how far things are, if the stream is a terminal."""
    _progress.set(Progress(stream) if stream.isatty() else None)


def tracked(what: str, items: Iterable[_Item], total: int | None = None) -> Iterator[_Item]:
    """Yield items, and show how many there were.

    Args:
        what: What they are, in the plural and with what is done to them: `pages made`.
        items: The items.
        total: How many there are, where they do not know that themselves.
    """
    progress = _progress.get()
    if progress is None:
        yield from items
        return
    if total is None:
        assert isinstance(items, Sized), "something that knows how many there are, or a total"
        total = len(items)
    try:
        for done, item in enumerate(items):
            progress.show(what, done, total)
            yield item
    finally:
        progress.erase()
