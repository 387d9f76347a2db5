"""What folders hold, for tests that compare them."""

from __future__ import annotations

from pathlib import Path


def entries(folder: Path) -> set[str]:
    """Return the names in a folder."""
    return {path.name for path in folder.iterdir()}


def content(folder: Path) -> dict[str, bytes]:
    """Return all files in a folder and below it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def identities(folder: Path) -> dict[str, tuple[int, int]]:
    """Return the inode and the time of all that is in a folder and below it, and of the folder."""
    paths = (folder, *folder.rglob("*"))
    return {str(path.relative_to(folder)): (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths}
