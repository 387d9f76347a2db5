"""Writing a site's files; while it is served, those that stay the same are kept from build to build."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

_ASIDE = ".opsetdocs"
"""MkDocs empties the site's folder before each build, but for hidden entries."""


class SiteWriter:
    """Writes files below a folder of the site."""

    def __init__(self, site: Path, section: str, *, keeps: bool) -> None:
        """Begin with nothing written.

        Args:
            site: The folder of the site.
            section: The address of our section in it: empty, or with a slash at its end.
            keeps: Whether what is written is kept for the next build.
        """
        self.place = site, section
        self._root = site / section
        self._aside = site / _ASIDE
        self._keeps = keeps
        self._made_from: dict[str, object] = {}
        self._earlier: dict[str, object] = {}
        self._others: Collection[str] = ()
        self._folders: dict[str, Path] = {}

    def set_aside(self) -> None:
        """Move what was written out of the way of MkDocs, which is about to empty the site's folder."""
        self._folders.clear()
        self._earlier, self._made_from = self._made_from, {}
        if not self._earlier:
            return
        try:
            self._aside.mkdir()
            for folder in {address.split("/")[0] for address in self._earlier}:
                (self._root / folder).rename(self._aside / folder)
        except OSError:  # Somebody has tidied up. Then everything is written again.
            self.forget()
        for address in self._others:
            (self._aside / address).unlink(missing_ok=True)

    def bring_back(self, others: Collection[str]) -> None:
        """Move it back to where MkDocs has written all else by now.

        Args:
            others: The addresses below our section of what MkDocs wrote; none of these is replaced.
        """
        self._others = others
        if not self._earlier:
            return
        _move_into(self._aside, self._root)
        shutil.rmtree(self._aside)
        for address in others:
            self._earlier.pop(address, None)

    def write(self, address: str, made_from: object, content: Callable[[], bytes]) -> None:
        """Write a file, unless it is there and was made from what is equal.

        Args:
            address: Below our section.
            made_from: What the content depends on.
            content: Returns the content.
        """
        if self._keeps and "/" in address:  # Whole folders are kept, not the few files beside them.
            self._made_from[address] = made_from
            if self._earlier.pop(address, None) == made_from:
                return
        place, _, name = address.rpartition("/")
        if place not in self._folders:
            self._folders[place] = self._root / place
            self._folders[place].mkdir(parents=True, exist_ok=True)
        (self._folders[place] / name).write_bytes(content())

    def finish(self) -> None:
        """Remove what was written in the build before and not in this one."""
        for address in self._earlier:
            file = self._root / address
            file.unlink(missing_ok=True)
            with suppress(OSError):  # The folder holds something else.
                os.removedirs(file.parent)
        self._earlier = {}

    def forget(self) -> None:
        """Begin with nothing written again, after a build that failed."""
        self._made_from, self._earlier = {}, {}
        shutil.rmtree(self._aside, ignore_errors=True)


def _move_into(source: Path, target: Path) -> None:
    """Move a folder's entries into another one, where nothing is replaced."""
    for entry in source.iterdir():
        place = target / entry.name
        if not place.exists():
            entry.rename(place)
        elif entry.is_dir() and place.is_dir():
            _move_into(entry, place)
