"""Measures a part of a program: `python -m bench.part MODULE:FUNCTION ARGUMENT...`.

The function makes ready, and returns what is measured: a function without arguments. Printed are the CPU
seconds and the seconds on the clock that this one takes, or the `Seconds` that it returns in their place.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import NamedTuple


class Seconds(NamedTuple):
    """What something took."""

    cpu: float
    wall: float


def main(where: str, *arguments: str) -> None:
    module, _, name = where.partition(":")
    measured = getattr(import_module(module), name)(*arguments)
    cpu, wall = time.process_time(), time.perf_counter()
    found = measured()
    taken = Seconds(time.process_time() - cpu, time.perf_counter() - wall)
    print(*(found if isinstance(found, Seconds) else taken))


if __name__ == "__main__":
    # Not that of this very module, which `import_module` does not know as `__main__`.
    from bench.part import main

    main(*sys.argv[1:])
