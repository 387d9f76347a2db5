"""Checking all of ONNX, by what reading its files takes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.measure import Comparison, Program, part, python
from opsetdocs import rules
from opsetdocs.sources import load

_LOAD = """
import sys
from pathlib import Path
from opsetdocs.sources import load

load(sys.argv[1:], base=Path())
"""


def comparisons(folder: Path) -> tuple[Comparison, ...]:
    """Write the opsets of the installed onnx to a folder, and return what is compared."""
    subprocess.run(python("-m", "opsetdocs", "export", str(folder)), stdout=subprocess.DEVNULL, check=True)
    files = len(list(folder.iterdir()))
    return (
        Comparison(
            f"check: {files} files, without start-up",
            (
                part("parse", "bench.check:parse", folder),
                part("parse and check", "bench.check:parse_and_check", folder),
            ),
        ),
        Comparison(
            f"check: {files} files, whole processes",
            (
                Program("python -c 'load(...)'", python("-c", _LOAD, str(folder))),
                Program(
                    "opsetdocs check", python("-m", "opsetdocs", "check", str(folder), "--fail-on=never")
                ),
            ),
        ),
    )


def parse(folder: str) -> Callable[[], object]:
    return partial(load, (folder,), base=Path())


def parse_and_check(folder: str) -> Callable[[], object]:
    return lambda: rules.run(load((folder,), base=Path()).sets)
