"""Calls a function and prints its CPU seconds: `python -m bench.part MODULE:FUNCTION ARGUMENT`."""

from __future__ import annotations

import sys
import time
from importlib import import_module


def main(where: str, argument: str) -> None:
    module, _, name = where.partition(":")
    function = getattr(import_module(module), name)
    start = time.process_time()
    function(argument)
    print(time.process_time() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
