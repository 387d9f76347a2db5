"""`mkdocs serve` with the plugin: it follows the opset files and templates, and survives their mistakes."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PATIENCE = 120
"""Seconds that a slow machine may take for what is waited for."""

QUIET = 3
"""Seconds in which a server that rebuilds without end would have shown it: it looks twice a second."""

REBUILT = "Reloading browsers"


@dataclass
class Server:
    """A running `mkdocs serve`."""

    folder: Path
    process: subprocess.Popen[bytes]
    address: str

    @property
    def log(self) -> str:
        return (self.folder.parent / "log").read_text(encoding="utf-8")

    def page(self, address: str) -> str:
        with urllib.request.urlopen(self.address + address, timeout=PATIENCE) as answer:
            return str(answer.read(), "utf-8")

    def wait_for(self, address: str, text: str) -> str:
        """Return the page once it holds the text."""
        end = time.monotonic() + PATIENCE
        while text not in (page := self._try(address)):
            assert self.process.poll() is None, self.log
            assert time.monotonic() < end, f"no {text!r} in {address}: {page}\n{self.log}"
            time.sleep(0.1)
        return page

    def wait_for_log(self, text: str, times: int = 1) -> None:
        end = time.monotonic() + PATIENCE
        while self.log.count(text) < times:
            assert time.monotonic() < end, f"no {text!r} in {self.log}"
            time.sleep(0.1)

    def _try(self, address: str) -> str:
        try:
            return self.page(address)
        except (urllib.error.URLError, ConnectionError) as err:
            return str(err)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path, cases: Path) -> Iterator[Server]:
    folder = tmp_path / "project"
    for name in ("docs", "ops", "own"):
        (folder / name).mkdir(parents=True)
    shutil.copy(cases / "L3-plain.textproto", folder / "ops/plain.textproto")
    (folder / "docs/index.md").write_text("# Home", encoding="utf-8")
    options = {"sources": ["ops"], "templates": ["own"], "path": "reference"}
    config = {"site_name": "Test", "plugins": ["search", {"opsetdocs": options}]}
    (folder / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")
    port = free_port()
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{port}"],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
    try:
        made = Server(folder, process, f"http://127.0.0.1:{port}/reference/")
        made.wait_for(HALVE, "Divides every element")
        yield made
    finally:
        process.terminate()
        process.wait()


HALVE = "com.example/operators/Halve/"
GONE = "HTTP Error 404"


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_an_edit_of_an_opset_file_is_seen_after_one_rebuild(server: Server) -> None:
    edit(server.folder / "ops/plain.textproto", "Divides every", "Splits every")
    server.wait_for(HALVE, "Splits every")
    assert "/livereload/" in server.page(HALVE) or "livereload(" in server.page(HALVE)
    time.sleep(QUIET)
    assert server.log.count(REBUILT) == 1, server.log


def test_files_come_and_go(server: Server) -> None:
    added = server.folder / "ops/more.textproto"
    text = (server.folder / "ops/plain.textproto").read_text(encoding="utf-8")
    added.write_text(text.replace("com.example", "com.acme"), encoding="utf-8")
    server.wait_for("com.acme/", "com.acme")
    server.wait_for("", "com.acme")
    added.unlink()
    server.wait_for("com.acme/", GONE)
    assert "com.acme" not in server.page("")


def test_an_edit_of_a_template_is_seen(server: Server) -> None:
    template = server.folder / "own/operator.html.jinja"
    template.write_text("<p>Our own page of {{ page.title }}</p>", encoding="utf-8")
    server.wait_for(HALVE, "Our own page of Halve")
    template.write_text("{% if", encoding="utf-8")
    server.wait_for_log("operator.html.jinja:1")
    assert "Our own page of Halve" in server.page(HALVE)
    template.unlink()
    server.wait_for(HALVE, "Divides every element")


def test_a_broken_file_is_named_and_the_last_good_site_stays_up(server: Server) -> None:
    file = server.folder / "ops/plain.textproto"
    edit(file, 'op_type: "Halve"', 'op_typo: "Halve"')
    server.wait_for_log("plain.textproto:14")
    assert "op_typo" in server.log
    assert "Traceback" not in server.log
    assert "Divides every element" in server.page(HALVE)
    edit(file, 'op_typo: "Halve"', 'op_type: "Half"')
    server.wait_for("com.example/operators/Half/", "Divides every element")
    server.wait_for(HALVE, GONE)


def test_sources_that_are_added_while_serving_are_watched(server: Server) -> None:
    (server.folder / "more").mkdir()
    added = server.folder / "more/more.textproto"
    text = (server.folder / "ops/plain.textproto").read_text(encoding="utf-8")
    added.write_text(text.replace("com.example", "com.acme"), encoding="utf-8")
    edit(server.folder / "mkdocs.yml", '["ops"]', '["ops", "more"]')
    server.wait_for("com.acme/operators/Halve/", "Divides every element")
    edit(added, "Divides every", "Splits every")
    server.wait_for("com.acme/operators/Halve/", "Splits every")
