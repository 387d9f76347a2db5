"""Two folders change places in one step, where the system can do that."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def exchange(one: Path, other: Path) -> bool:
    """Let two folders of one file system change places, so that neither name is missing at any moment.

    Linux does it with renameat2(2) and macOS with renamex_np(2), which Python does not offer. Not every file
    system takes part: network file systems do not.

    Returns:
        Whether it was done; if not, nothing has changed.
    """
    # Here, since it is of no use to most commands.
    import ctypes

    call = _CALLS.get(sys.platform)
    if call is None:
        return False
    try:
        return call(ctypes.CDLL(None), os.fsencode(one), os.fsencode(other)) == 0
    except (AttributeError, OSError):  # a C library without the function, or none that can be loaded
        return False


_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_RENAME_SWAP = 2


def _renameat2(library: Any, one: bytes, other: bytes) -> int:
    return int(library.renameat2(_AT_FDCWD, one, _AT_FDCWD, other, _RENAME_EXCHANGE))


def _renamex_np(library: Any, one: bytes, other: bytes) -> int:
    return int(library.renamex_np(one, other, _RENAME_SWAP))


_CALLS: dict[str, Callable[[Any, bytes, bytes], int]] = {"linux": _renameat2, "darwin": _renamex_np}
