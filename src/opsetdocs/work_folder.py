"""A hidden folder in which something is made before it takes its place, for one process at a time."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCK = ".lock"
_TAKEN = frozenset({errno.EAGAIN, errno.EACCES, errno.EDEADLK})
"""What the system answers where another process has the lock."""
_PAUSE = 0.1
"""Seconds between two attempts."""


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder that no other process uses."""

    path: Path
    lock: int
    """The open file that reserves the folder. A child process that inherits it keeps the folder reserved for
    as long as it lives, even if this process is killed; on Windows it does not."""

    def clear(self) -> None:
        """Remove what is in it, such as the remains of a process that was killed."""
        for entry in self.path.iterdir():
            if entry.name != _LOCK:
                remove(entry)


@contextmanager
def work_folder(path: Path, *, on_wait: Callable[[], None] = lambda: None) -> Iterator[WorkFolder]:
    """Make a folder and reserve it, and remove it with all that is in it at the end.

    While another process has it, this one waits; when that one ends, by a kill too, the folder is free. On a
    file system without locks nobody waits, and the others' work may be cleared away, but is never mixed up.

    Args:
        path: The folder, in one that exists. Nobody else uses its name.
        on_wait: Called once if there is something to wait for.

    Raises:
        OSError: The folder cannot be made.
    """
    folder = WorkFolder(path, _reserve(path, on_wait))
    try:
        yield folder
    finally:
        with suppress(OSError):
            folder.clear()
        _release(folder)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, as far as the system lets us."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        if path.exists():
            _let_write(path)
            shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()


def _let_write(folder: Path) -> None:
    """Let the user remove what is in a folder: it may be that of a site that is not to be changed."""
    for parent, _, _ in os.walk(folder):
        with suppress(OSError):
            Path(parent).chmod(0o700)


def _reserve(path: Path, on_wait: Callable[[], None]) -> int:
    """Return the folder's lock, open, once it is ours."""
    is_said = False
    while True:
        lock = _open(path)
        if _try_lock(lock) and _is_there(lock, path):
            return lock
        os.close(lock)
        if not is_said:
            on_wait()
            is_said = True
        time.sleep(_PAUSE)


def _open(path: Path) -> int:
    while True:
        path.mkdir(exist_ok=True)
        if path.is_symlink():
            raise OSError(errno.ENOTDIR, f"{path.name} is a symbolic link")
        with suppress(FileNotFoundError):  # the one before us removed the folder just now
            return os.open(path / _LOCK, os.O_RDWR | os.O_CREAT)


def _try_lock(lock: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as err:
        return err.errno not in _TAKEN  # any other answer: there are no locks here
    return True


def _is_there(lock: int, path: Path) -> bool:
    """Return whether the lock is still the folder's: the one before us may have removed it at its end."""
    try:
        return os.path.samestat(os.fstat(lock), (path / _LOCK).stat())
    except FileNotFoundError:
        return False


def _release(folder: WorkFolder) -> None:
    if sys.platform == "win32":  # where an open file cannot be removed, ours or another's
        os.close(folder.lock)
    with suppress(OSError):
        (folder.path / _LOCK).unlink()
        folder.path.rmdir()
    if sys.platform != "win32":
        os.close(folder.lock)
