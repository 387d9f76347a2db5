"""Which cache a project's builds use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

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

    from platformdirs import user_cache_path

    from opsetdocs.cache import NO_CACHE
    from opsetdocs.disk_cache import DiskCache

    name = hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    try:
        place = folder or user_cache_path("opsetdocs", appauthor=False)
        return DiskCache(place, name, is_asked_for=folder is not None)
    except RuntimeError:  # The user has no home.
        return NO_CACHE
