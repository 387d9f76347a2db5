"""A web server for a built site: below a path, and under the strictest policy."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'"
)
"""The strictest Content-Security-Policy under which a site works."""


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves below `/project/`, as a project's site is; where nothing is, the page 404.html, as hosts do."""

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix("/project"))

    def __init__(self, *arguments: Any, strict: bool, **options: Any) -> None:
        self._strict = strict
        super().__init__(*arguments, **options)

    def end_headers(self) -> None:
        if self._strict:
            self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory, "404.html")
        if code != http.HTTPStatus.NOT_FOUND or not page.exists():
            super().send_error(code, message, explain)
            return
        content = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def serving(folder: Path, *, strict: bool = True) -> Iterator[str]:
    """Serve a folder, with the policy or without it, and give its address."""
    handler = functools.partial(_Handler, directory=str(folder), strict=strict)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/project/"
        server.shutdown()
