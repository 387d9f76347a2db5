"""CPU time and memory of programs, each run in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_BYTES_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Program:
    """Something that is measured."""

    name: str
    command: tuple[str, ...]
    is_part: bool = False
    """Whether the program measures a part of itself, and prints its CPU seconds; see `bench.part`."""
    site: Path | None = None
    """The folder of the site that it writes, if it writes one."""
    folder: Path | None = None
    """Where it runs; where the bench does if it is `None`."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Programs that do more or less of the same job."""

    title: str
    programs: tuple[Program, ...]
    """The first is what the others are measured by."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a program takes."""

    cpu_seconds: float
    """User and system time."""
    peak_mb: float
    """The greatest resident memory of the process, whole, in 10**6 bytes."""
    html_mb: float = 0.0
    """The HTML files that it leaves, in 10**6 bytes."""


def python(*arguments: str) -> tuple[str, ...]:
    """Return the command that runs this very Python."""
    return (sys.executable, *arguments)


def part(name: str, function: str, argument: object) -> Program:
    """Return a program that measures a function, without the imports that it needs.

    Args:
        name: What the table calls it.
        function: Where it is, such as `bench.check:parse`.
        argument: Its argument, which it gets as text.
    """
    return Program(name, python("-m", "bench.part", function, str(argument)), is_part=True)


def measure(programs: Sequence[Program], runs: int) -> dict[Program, Cost]:
    """Return the medians of several runs, taken in turns, so that a busy moment does not meet one program."""
    samples: dict[Program, list[Cost]] = {program: [] for program in programs}
    for _ in range(runs):
        for program in programs:
            samples[program].append(_run(program))
    return {
        program: Cost(
            median(cost.cpu_seconds for cost in costs),
            median(cost.peak_mb for cost in costs),
            costs[-1].html_mb,
        )
        for program, costs in samples.items()
    }


def _run(program: Program) -> Cost:
    with subprocess.Popen(program.command, stdout=subprocess.PIPE, cwd=program.folder) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        # Not wait(): this tells what the process took, too.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, program.command)
    cpu_seconds = float(output) if program.is_part else usage.ru_utime + usage.ru_stime
    return Cost(cpu_seconds, usage.ru_maxrss * _BYTES_OF_MAXRSS / 1e6, _html_mb(program.site))


def _html_mb(site: Path | None) -> float:
    files = site.rglob("*.html") if site else ()
    return sum(file.stat().st_size for file in files) / 1e6
