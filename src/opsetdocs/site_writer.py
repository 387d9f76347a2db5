"""Writing a site's files."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable
from pathlib import Path


def write_files(
    root: Path, files: Iterable[tuple[str, Callable[[], bytes]]], published: Path | None = None
) -> tuple[str, ...]:
    """Write files below a folder; each folder on the way is made once.

    Args:
        root: The folder.
        files: The address of each below the root, and what gives its content.
        published: A folder in which some of them may be: those that are there as they are to be, at the same
            address, are not written.

    Returns:
        The addresses of files that were not written.
    """
    folders: dict[str, Path] = {}
    kept = []
    for address, content in files:
        data = content()
        if published is not None and _is_there(published / address, data):
            kept.append(address)
            continue
        place, _, name = address.rpartition("/")
        if place not in folders:
            folders[place] = root / place
            folders[place].mkdir(parents=True, exist_ok=True)
        (folders[place] / name).write_bytes(data)
    return tuple(kept)


def _is_there(file: Path, data: bytes) -> bool:
    """Return whether a file, and no link to one, has this content."""
    try:
        status = file.lstat()
        return stat.S_ISREG(status.st_mode) and status.st_size == len(data) and file.read_bytes() == data
    except OSError:  # It is not there, or cannot be read.
        return False
