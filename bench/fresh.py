"""Runs a command where a folder is not there yet: `python bench/fresh.py FOLDER COMMAND...`."""

from __future__ import annotations

import os
import shutil
import sys


def main(folder: str, *command: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
