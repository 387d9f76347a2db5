"""Fuzzing without atheris: inputs are made by mutation alone, and nothing is learned from them."""

from __future__ import annotations

import faulthandler
import re
import resource
import signal
import sys
import time
from pathlib import Path
from random import Random

from fuzz.examine import examine
from fuzz.inputs import seeds
from fuzz.limits import MAX_MEGABYTES, MAX_SECONDS
from fuzz.mutation import mutated
from opsetdocs.model import Format

MAX_LENGTH = 2_048
MAX_POOL = 1_000
"""Of so many inputs that could be read the next ones are made."""


def fuzz(file_format: Format, folder: Path, *, runs: int | None, seconds: float | None, seed: int) -> None:
    """Examine inputs until there were as many as asked for, or the time is over.

    The input in hand is always in the file `input`, so that one is known that takes the whole process down.

    Raises:
        Exception: An input has found a fault.
    """
    random = Random(seed)
    pool = [content for _, content in seeds(file_format)]
    end = time.monotonic() + seconds if seconds else float("inf")
    count = read = 0
    # An input that takes too long ends the process, after it is said where that was.
    faulthandler.register(signal.SIGALRM, chain=True)
    with (folder / "input").open("wb", buffering=0) as file:
        while (runs is None or count < runs) and time.monotonic() < end:
            data = mutated(random.choice(pool), file_format, random)[:MAX_LENGTH]
            file.seek(0)
            file.truncate()
            file.write(data)
            signal.alarm(MAX_SECONDS)
            is_read = examine(data, file_format)
            signal.alarm(0)
            count += 1
            read += is_read
            if is_read:
                pool.append(data) if len(pool) < MAX_POOL else pool.__setitem__(
                    random.randrange(MAX_POOL), data
                )
            if not count % 1_000:
                _check_memory()
    (folder / "input").unlink()
    print(f"{file_format.value}: {count} inputs, {read} of them read, nothing found", file=sys.stderr)


def _check_memory() -> None:
    peak = _peak_kilobytes()
    if peak > MAX_MEGABYTES * 1024:
        raise MemoryError(f"{peak // 1024} MB were in use")


def _peak_kilobytes() -> int:
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: there a process begins with what the one that started it had in use.
        return int(re.search(r"VmHWM:\s*([0-9]+)", status.read_text("ascii", "replace"))[1])  # type: ignore[index]
    # In kilobytes, but in bytes on macOS.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
