"""Which cache a project's builds use."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from opsetdocs.errors import ConfigError

if TYPE_CHECKING:
    from opsetdocs.cache import Cache

OFF = "off"
"""What stands for no cache where a folder is expected; YAML reads the word as false."""


def cache_of(project: str, folder: Path | None) -> Cache:
    """Return the cache of a project.

    Args:
        project: What the builds of one project have in common, and no other.
        folder: Where caches are; `None` for the user's own folder of caches.
    """
    # Here, since a site can be built without, and since the command line needs no more than `OFF`.
    import hashlib

    from opsetdocs.cache import NO_CACHE
    from opsetdocs.disk_cache import DiskCache

    name = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    try:
        return DiskCache(folder or _users_folder(), name, is_asked_for=folder is not None)
    except RuntimeError:  # The user has no home.
        return NO_CACHE


def cache_files(folder: Path | None) -> tuple[Path, tuple[Path, ...]]:
    """Return the folder of caches and the files in it that caches are: one for each project.

    Args:
        folder: The folder; `None` for the user's own one.

    Raises:
        ConfigError: The user has no home.
    """
    try:
        place = folder or _users_folder()
    except RuntimeError as err:
        raise ConfigError("there is no folder of caches, since the user has no home") from err
    files = place.iterdir() if place.is_dir() else ()
    return place, tuple(sorted(file for file in files if _FILE.fullmatch(file.name)))


_FILE = re.compile(r"[0-9a-f]{16}-[0-9]+\.sqlite")


def _users_folder() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("opsetdocs", appauthor=False)
