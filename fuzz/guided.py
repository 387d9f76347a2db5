"""Fuzzing with atheris: of all inputs those are kept that reach code which none before has reached."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import atheris

from fuzz.limits import MAX_MEGABYTES, MAX_SECONDS

# Before anything else imports them: what is not instrumented guides nothing.
with atheris.instrument_imports(include=["opsetdocs"]):
    from fuzz.examine import examine
from fuzz.inputs import seeds
from fuzz.mutation import mutated_fields
from opsetdocs.model import Format

MAX_LENGTH = 2_048


def fuzz(file_format: Format, folder: Path, *, runs: int | None, seconds: float | None, seed: int) -> None:
    """Examine inputs until there were as many as asked for, or the time is over; then end the process.

    A fault ends the process, too, with the input in a file `crash-...`, `timeout-...` or `oom-...`.
    """
    corpus = folder / "corpus"
    corpus.mkdir(exist_ok=True)
    for name, content in seeds(file_format):
        (corpus / name).write_bytes(content)
    options = {
        "max_len": MAX_LENGTH,
        "timeout": MAX_SECONDS,
        "rss_limit_mb": MAX_MEGABYTES,
        "artifact_prefix": f"{folder}/",
        "seed": seed,
        "print_final_stats": 1,
        **({} if runs is None else {"runs": runs}),
        **({} if seconds is None else {"max_total_time": int(seconds)}),
    }
    arguments = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(corpus)]
    atheris.Setup(
        arguments,
        lambda data: examine(data, file_format),
        custom_mutator=_mutator(file_format),
    )
    atheris.Fuzz()


def _mutator(file_format: Format) -> Callable[[bytes, int, int], bytes]:
    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        random = Random(seed)
        changed = mutated_fields(data, file_format, random) if random.random() < 0.5 else None
        if changed is None or len(changed) > max_size:
            return bytes(atheris.Mutate(data, max_size))
        return changed

    return mutate
