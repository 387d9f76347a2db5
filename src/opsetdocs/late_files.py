"""While a site is served: files that are written when somebody asks for them.

Most edits are looked at on a page or two. These need not wait until all others are through the theme, nor
for what is made from all operators: the files for programs, and the index of the search.
"""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.utils import write_file

from opsetdocs.errors import OpsetdocsError
from opsetdocs.terminal import visible_lines

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

log = get_plugin_logger("opsetdocs")

_PATIENCE = 60.0
"""Seconds to wait for a build that is going on."""

FileMaker = Callable[[], bytes]
"""Makes a file: its content."""

FolderMaker = Callable[[], Mapping[str, bytes]]
"""Makes all files of a folder: their contents by address below the root of the site."""


class LateFiles:
    """Files that are made and written when one of them is asked for."""

    def __init__(self) -> None:
        self._site = Path()
        self._files: dict[str, FileMaker] = {}
        self._folders: dict[str, FolderMaker] = {}
        self._lock = threading.Lock()
        self._is_built = threading.Event()

    def begin(self) -> None:
        """Have whoever asks wait until the build that begins now has ended; nothing is written until then."""
        self._is_built.clear()
        with self._lock:
            self._files, self._folders = {}, {}

    def end(self, site: Path, files: Mapping[str, FileMaker], folders: Mapping[str, FolderMaker]) -> None:
        """End the build.

        Args:
            site: The folder of the site.
            files: What makes files, by their addresses below the root of the site.
            folders: What makes folders, by their addresses, with a slash at the end.
        """
        with self._lock:
            self._site, self._files, self._folders = site, dict(files), dict(folders)
        self._is_built.set()

    def write(self, address: str) -> bool:
        """Write what a server looks for at an address, if that is yet to be done.

        Args:
            address: Below the root of the site: of a file, or of the folder of a page.

        Returns:
            Whether anything was written.

        Raises:
            OSError: It cannot be written.
            PluginError: A template of the theme fails.
            TemplateError: A template of ours fails.
        """
        with self._lock:
            folders = [folder for folder in self._folders if address.startswith(folder)]
            files = {address, posixpath.join(address, "index.html")} & self._files.keys()
            for folder in folders:
                for name, content in self._folders[folder]().items():
                    write_file(content, str(self._site / name))
                del self._folders[folder]
            for name in files:
                write_file(self._files[name](), str(self._site / name))
                del self._files[name]
        return bool(folders or files)

    def write_all(self) -> None:
        """Write all files; it raises what `write` does."""
        for address in (*self._files, *self._folders):
            self.write(address)

    def written_when_asked(self, serve: WSGIApplication, mount_path: str) -> WSGIApplication:
        """Return the application that serves the files of the folder, and writes what is asked for before.

        Args:
            serve: Serves the files.
            mount_path: Where the root of the site is, with a slash at its end.
        """

        def served(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            address = _address(environ, mount_path)
            self._is_built.wait(_PATIENCE)
            try:
                self.write(address)
                said, answer = _ask(serve, environ)
                # A build may have begun meanwhile, and have ended before this was answered.
                while said[0].startswith("404") and self.write(address):
                    said, answer = _ask(serve, environ)
            except (OpsetdocsError, PluginError, OSError) as err:
                message = "\n".join(visible_lines(str(err)))
                log.error("%s", message)
                said = "500 Internal Server Error", [("Content-Type", "text/plain; charset=utf-8")]
                answer = [message.encode()]
            start_response(*said)
            return answer

        return served


def _ask(
    serve: WSGIApplication, environ: WSGIEnvironment
) -> tuple[tuple[str, list[tuple[str, str]]], Iterable[bytes]]:
    """Return what an application starts its response with, and the rest of it."""
    said = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
        said.append((status, headers))
        return lambda _: None

    answer = serve(environ, start_response)
    if not said:  # It says so when it is asked for the first bytes.
        answer = list(answer)
    return said[-1], answer


def _address(environ: WSGIEnvironment, mount_path: str) -> str:
    # https://peps.python.org/pep-3333/#unicode-issues: each byte of the path is one character.
    path = str(environ.get("PATH_INFO", "")).encode("latin-1").decode("utf-8", "ignore")
    return posixpath.normpath(f"/{path.removeprefix(mount_path)}").lstrip("/")
