"""While a site is served: files that are written when somebody asks for them.

What programs read, and the index of the search, is made from all operators. Most edits are looked at on a
page or two, which need not wait for that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.utils import write_file

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_PATIENCE = 60.0
"""Seconds to wait for a build that is going on."""

Maker = Callable[[], Mapping[str, bytes]]
"""Makes some files: their contents by address below the root of the site."""


class LateFiles:
    """Files that are made and written when one of them is asked for."""

    def __init__(self) -> None:
        self._site = Path()
        self._makers: dict[str, Maker] = {}
        self._lock = threading.Lock()
        self._is_built = threading.Event()

    def begin(self) -> None:
        """Have whoever asks wait until the build that begins now has ended."""
        self._is_built.clear()

    def end(self, site: Path, makers: Mapping[str, Maker]) -> None:
        """End the build.

        Args:
            site: The folder of the site.
            makers: What makes files, by what their addresses begin with. None of them is written.
        """
        with self._lock:
            self._site, self._makers = site, dict(makers)
        self._is_built.set()

    def write(self, address: str) -> None:
        """Write a file, if that is yet to be done, and all those that are made with it."""
        with self._lock:
            for start in [start for start in self._makers if address.startswith(start)]:
                for name, content in self._makers.pop(start)().items():
                    write_file(content, str(self._site / name))

    def write_all(self) -> None:
        """Write all files."""
        for start in tuple(self._makers):
            self.write(start)

    def written_when_asked(self, serve: WSGIApplication, mount_path: str) -> WSGIApplication:
        """Return the application that serves the files of the folder, and writes what is asked for before.

        Args:
            serve: Serves the files.
            mount_path: Where the root of the site is, with a slash at its end.
        """

        def served(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            self._is_built.wait(_PATIENCE)
            self.write(str(environ.get("PATH_INFO", "")).removeprefix(mount_path))
            return serve(environ, start_response)

        return served
