"""What each stage of a command takes, for `--timings`.

Code names its stages and does not care whether anybody records them: `stage` does nothing where nobody does.
"""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from opsetdocs.terminal import counted

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage took."""

    name: str
    cpu: float
    """CPU seconds, user and system, of this process and of those that it started and waited for."""
    wall: float
    """Seconds on the clock."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many things it was about, by their plural."""


class _Recorder:
    """Adds up what stages take. A moment counts for the innermost stage that has begun, and for no other."""

    def __init__(self, rest: str, *, whole_process: bool) -> None:
        self._taken: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._begun = [rest]
        self._last = (0.0, time.perf_counter()) if whole_process else _now()

    def begin(self, stage: str) -> None:
        self._charge()
        self._begun.append(stage)

    def end(self) -> None:
        self._charge()
        self._begun.pop()

    def count(self, stage: str, counts: Mapping[str, int]) -> None:
        self._counts[stage].update(counts)

    def divide(self, stages: Iterable[Stage]) -> None:
        self._charge()
        for stage in stages:
            self._add(stage.name, stage.cpu, stage.wall)
            self._add(self._begun[-1], -stage.cpu, -stage.wall)
            self.count(stage.name, stage.counts)

    def stages(self) -> tuple[Stage, ...]:
        self._charge()
        return tuple(
            Stage(name, cpu, wall, dict(self._counts[name])) for name, (cpu, wall) in self._taken.items()
        )

    def _charge(self) -> None:
        before, self._last = self._last, _now()
        self._add(self._begun[-1], self._last[0] - before[0], self._last[1] - before[1])

    def _add(self, name: str, cpu: float, wall: float) -> None:
        taken = self._taken[name]
        taken[0] += cpu
        taken[1] += wall


def _now() -> tuple[float, float]:
    """Return the CPU seconds taken so far, and the time on the clock."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system, time.perf_counter()


_recorder: ContextVar[_Recorder | None] = ContextVar("recorder", default=None)
_UNRECORDED = nullcontext()
_END = object()


@dataclass(frozen=True, slots=True)
class _Recorded:
    recorder: _Recorder
    stage: str

    def __enter__(self) -> None:
        self.recorder.begin(self.stage)

    def __exit__(self, *_: object) -> None:
        self.recorder.end()


def record(rest: str, *, whole_process: bool = False) -> None:
    """Record stages from now on, and forget what was recorded before.

    Args:
        rest: The name of the stage for everything that belongs to no other one.
        whole_process: Whether the CPU time that the process has taken so far belongs to it, too.
    """
    _recorder.set(_Recorder(rest, whole_process=whole_process))


def stop() -> tuple[Stage, ...]:
    """Record no longer, and return what was recorded: the rest first, then stages as they first began."""
    recorder = _recorder.get()
    _recorder.set(None)
    return () if recorder is None else recorder.stages()


def stage(name: str) -> nullcontext[None] | _Recorded:
    """Return the context of what is done as a part of a stage.

    A stage may be done several times, and inside another one, to which its time then does not belong.
    """
    recorder = _recorder.get()
    return _UNRECORDED if recorder is None else _Recorded(recorder, name)


def staged(name: str, items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield items, the making of which is a stage; what is done with them is not."""
    iterator = iter(items)
    while True:
        with stage(name):
            item = next(iterator, _END)
        if item is _END:
            return
        yield item  # type: ignore[misc]


def count(name: str, **counts: int) -> None:
    """Say how many things a stage is about, as in `count("reading", files=35)`."""
    recorder = _recorder.get()
    if recorder is not None:
        recorder.count(name, counts)


def divide(stages: Iterable[Stage]) -> None:
    """Divide the time of the stage that is being done by what the process recorded that it waited for."""
    recorder = _recorder.get()
    if recorder is not None:
        recorder.divide(stages)


def timing_lines(stages: Iterable[Stage]) -> Iterator[str]:
    """Yield a table of what stages took."""
    stages = tuple(stages)
    total = Stage("total", sum(item.cpu for item in stages), sum(item.wall for item in stages))
    rows = (*stages, total)
    width = max(len(item.name) for item in rows)
    yield f"{'':{width}}  {'CPU s':>7}  {'wall s':>7}"
    for item in rows:
        counts = ", ".join(counted(number, plural) for plural, number in item.counts.items())
        yield f"{item.name:{width}}  {item.cpu:7.2f}  {item.wall:7.2f}  {counts}".rstrip()
