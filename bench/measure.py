"""CPU time, memory and files of programs, each run in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

_BYTES_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class Program:
    """Something that is measured."""

    name: str
    command: tuple[str, ...]
    is_part: bool = False
    """Whether the program measures a part of itself, and prints the seconds; see `bench.part`."""
    reports_stages: bool = False
    """Whether it prints the name, the CPU seconds and the seconds on the clock of its stages, with tabs."""
    site: Path | None = None
    """The folder of the site that it writes, if it writes one."""
    folder: Path | None = None
    """Where it runs; where the bench does if it is `None`."""
    before: Callable[[], object] = nothing
    """What is done before each run, and not measured."""
    most_runs: int | None = None
    """How often it is run at most, if it takes minutes."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Programs that do more or less of the same job."""

    title: str
    programs: tuple[Program, ...]
    """The first is what the others are measured by."""
    notes: tuple[str, ...] = ()
    """What there is to say of what is not measured."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a program takes."""

    cpu_seconds: float
    """User and system time, of the programs that it starts, too."""
    wall_seconds: float
    peak_mb: float
    """The greatest resident memory of one process, whole, in 10**6 bytes."""
    runs: int = 1
    site_mb: Mapping[str, float] = field(default_factory=dict)
    """The files of the site, by kind, in 10**6 bytes."""
    stages: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """CPU seconds and seconds on the clock of the stages that the program reports."""
    touched: int | None = None
    """How many of the site's files are new ones or have a new time; `None` if there was no site before."""


def python(*arguments: str) -> tuple[str, ...]:
    """Return the command that runs this very Python."""
    return (sys.executable, *arguments)


def part(name: str, function: str, *arguments: object) -> Program:
    """Return a program that measures a part of what it does, without the imports and what goes before.

    Args:
        name: What the table calls it.
        function: Where the function is that makes ready, such as `bench.check:parse`; see `bench.part`.
        arguments: Its arguments, which it gets as texts.
    """
    return Program(name, python("-m", "bench.part", function, *map(str, arguments)), is_part=True)


def measure(programs: Sequence[Program], runs: int) -> dict[Program, Cost]:
    """Return the medians of several runs, taken in turns, so that a busy moment does not meet one program."""
    samples: dict[Program, list[Cost]] = {program: [] for program in programs}
    for number in range(runs):
        for program in programs:
            if number < (program.most_runs or runs):
                samples[program].append(_run(program))
    return {
        program: Cost(
            median(cost.cpu_seconds for cost in costs),
            median(cost.wall_seconds for cost in costs),
            median(cost.peak_mb for cost in costs),
            len(costs),
            costs[-1].site_mb,
            {name: _medians(cost.stages[name] for cost in costs) for name in costs[-1].stages},
            costs[-1].touched,
        )
        for program, costs in samples.items()
    }


def _medians(seconds: Iterable[tuple[float, float]]) -> tuple[float, float]:
    cpu, wall = zip(*seconds, strict=True)
    return median(cpu), median(wall)


def _run(program: Program) -> Cost:
    program.before()
    before = dict(_identities(program.site))
    start = time.perf_counter()
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(program.command, stdout=subprocess.PIPE, stderr=said, cwd=program.folder) as process,
    ):
        assert process.stdout is not None
        output = process.stdout.read()
        # Not wait(): this tells what the process took, too.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_seconds = time.perf_counter() - start
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{program.name} failed: {said.read().decode(errors='replace')}")
    cpu_seconds = usage.ru_utime + usage.ru_stime
    if program.is_part:
        cpu_seconds, wall_seconds = map(float, output.split())
    after = dict(_identities(program.site))
    return Cost(
        cpu_seconds,
        wall_seconds,
        usage.ru_maxrss * _BYTES_OF_MAXRSS / 1e6,
        site_mb=_site_mb(program.site),
        stages=dict(_stages(output)) if program.reports_stages else {},
        touched=len(dict(after.items() ^ before.items())) if before else None,
    )


def _stages(output: bytes) -> Iterator[tuple[str, tuple[float, float]]]:
    for line in output.decode().splitlines():
        name, cpu, wall = line.split("\t")
        yield name, (float(cpu), float(wall))


def _identities(site: Path | None) -> Iterator[tuple[Path, tuple[int, int]]]:
    for file in _files(site):
        status = file.stat()
        yield file, (status.st_ino, status.st_mtime_ns)


def _site_mb(site: Path | None) -> dict[str, float]:
    sizes: Counter[str] = Counter()
    for file in _files(site):
        assert site is not None
        sizes[_kind(file.relative_to(site))] += file.stat().st_size
    return {kind: size / 1e6 for kind, size in sizes.items()}


def _files(site: Path | None) -> Iterator[Path]:
    return (file for file in site.rglob("*") if file.is_file()) if site else iter(())


def _kind(file: Path) -> str:
    if "search" in file.as_posix():
        return "search"
    if file.name == "catalog.json":
        return "catalog"
    return {".html": "HTML", ".md": "Markdown"}.get(file.suffix, "other")
