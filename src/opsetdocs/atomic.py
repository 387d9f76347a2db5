"""Files that are whole at any moment."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from opsetdocs.work_folder import work_folder


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files into a folder.

    All of them are written beside their places first, so that nothing has changed if one of them cannot be
    made. Only then do they take their places, one after the other. A file that has this content already is
    not touched.

    Args:
        folder: The folder, which exists.
        files: The name and the content of each file.

    Raises:
        OSError: A file cannot be written.
    """
    with work_folder(folder / ".opsetdocs") as work:
        names = []
        for name, content in files:
            if not _holds(folder / name, content):
                (work.path / name).write_bytes(content)
                names.append(name)
        for name in names:
            (work.path / name).replace(folder / name)


def _holds(file: Path, content: bytes) -> bool:
    return file.is_file() and file.stat().st_size == len(content) and file.read_bytes() == content
