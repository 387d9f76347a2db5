"""`mkdocs serve` with the plugin: it follows the opset files and templates, and survives their mistakes."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

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


def test_what_is_made_from_all_operators_is_new_when_it_is_asked_for(server: Server) -> None:
    """After an edit these files wait until somebody wants them: with our theme, the search index too."""
    config = server.folder / "mkdocs.yml"
    edit(config, '"site_name": "Test"', '"site_name": "Test", "theme": "opsetdocs"')
    server.wait_for(HALVE, "opsetdocs-theme")
    root = replace(server, address=server.address.removesuffix("reference/"))
    for old, text in pairwise(("Divides every", "Splits every", "Cuts every")):
        edit(server.folder / "ops/plain.textproto", old, text)
        server.wait_for(HALVE, text)
        assert text in server.page("catalog.json")
        assert text in server.page("llms.txt")
        names = root.page("assets/opsetdocs-search/names.js")
        assert "Halve" in names
        shards = re.findall(r'"([0-9a-f]{16})"', names)
        scripts = [root.page(f"assets/opsetdocs-search/{shard}.js") for shard in shards]
        assert any(text.split()[0].lower() in script.lower() for script in scripts)
        assert server.page("catalog.schema.json")


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


@dataclass
class Preview:
    """Builds and serves as `mkdocs serve` does, in this process."""

    folder: Path
    config: MkDocsConfig = field(init=False)
    app: WSGIApplication = field(init=False)
    before_answer: list[Callable[[], object]] = field(default_factory=list)
    """What happens before a request is answered, the last one first."""

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def operators(self, file: str, domain: str, *names: str) -> None:
        head = f'magic: "ONNXOPSET" ir_version: 10 domain: "{domain}" opset_version: 1\n'
        entry = 'operator {{ op_type: "{0}" since_version: 1 status: STABLE doc_string: "About {0}." }}\n'
        self.write(f"ops/{file}.textproto", head + "".join(map(entry.format, names)))

    def settings(self, **settings: object) -> None:
        options = {"sources": ["ops"], "path": "reference"}
        config = {"site_name": "Test", "plugins": ["search", {"opsetdocs": options}], **settings}
        self.write("mkdocs.yml", json.dumps(config))

    def build(self, *, dirty: bool = False) -> Path:
        """Build again, with the plugin of the build before."""
        self.config = load_config(str(self.folder / "mkdocs.yml"))
        build(self.config, serve_url="http://127.0.0.1/", dirty=dirty)
        return self.folder / "site"

    def serve(self) -> None:
        """Begin to serve, as MkDocs does after the first build."""
        self.config.plugins.on_serve(self, config=self.config, builder=self.build)  # type: ignore[arg-type]

    mount_path = "/"

    def get_app(self) -> WSGIApplication:
        """Return what serves the files of the site."""

        def files(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            self.before_answer.pop()() if self.before_answer else None
            file = self.folder / "site" / environ["PATH_INFO"].encode("latin-1").decode().lstrip("/")
            file = file / "index.html" if file.is_dir() else file
            start_response("200 OK" if file.is_file() else "404 Not Found", [])
            return [file.read_bytes() if file.is_file() else GONE.encode()]

        return files

    def set_app(self, app: WSGIApplication) -> None:
        """Have something else serve the files."""
        self.app = app

    def watch(self, path: str) -> None:
        """Nothing is watched: the tests build themselves."""

    def answer(self, address: str) -> bytes:
        """Return what is served at an address."""
        path = f"/{address}".encode().decode("latin-1")
        return b"".join(self.app({"PATH_INFO": path}, lambda *_: lambda _: None))

    def build_anew(self) -> Path:
        """Build as `mkdocs build` does, with a plugin of its own."""
        kept = MkDocsConfig.plugins.plugin_cache  # type: ignore[attr-defined]
        before = dict(kept)
        kept.clear()
        try:
            config = load_config(str(self.folder / "mkdocs.yml"), site_dir=str(self.folder / "anew"))
            config.plugins.on_startup(command="build", dirty=False)
            build(config)
        finally:
            kept.update(before)
        return self.folder / "anew"


@pytest.fixture
def preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Preview:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    made = Preview(tmp_path)
    made.settings()
    made.write("docs/index.md", "# Home")
    made.operators("one", "com.example", *LETTERS)
    made.operators("two", "com.acme", "Other")
    load_config(str(tmp_path / "mkdocs.yml")).plugins.on_startup(command="serve", dirty=False)
    made.build()
    return made


LETTERS = ("Aa", "Bb", "Cc", "Dd", "Ee", "Ff", "Gg")
AA = "reference/com.example/operators/Aa"


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_what_nobody_looks_at_is_not_written(preview: Preview) -> None:
    preview.serve()
    before = preview.answer(AA)
    edit(preview.folder / "ops/one.textproto", "About Aa.", "All about Aa.")
    site = preview.build()
    assert not (site / AA).exists()
    for address in (AA, f"{AA}/", f"{AA}/index.html", f"{AA}/index.md", f"{AA}/1/"):
        assert b"About" in before
        assert b"All about Aa." in preview.answer(address), address
    written = {file.parent.name for file in (site / "reference/com.example/operators").rglob("*.*")}
    assert written == {"Aa", "1"}
    assert b"About Bb." in preview.answer("reference/com.example/operators/Bb/")


def test_a_request_meanwhile_is_answered_from_the_new_site(preview: Preview) -> None:
    preview.serve()
    edit(preview.folder / "ops/one.textproto", "About Aa.", "All about Aa.")
    # A build begins after the page of the one before was written, and another one while that goes on.
    preview.before_answer += [preview.build, preview.build]
    assert b"All about Aa." in preview.answer(AA)
    assert preview.answer("nothing/here/") == GONE.encode()


@pytest.mark.parametrize("address", [f"//{AA}//", f"./{AA}/../Aa/"])
def test_an_address_may_be_written_in_any_way(preview: Preview, address: str) -> None:
    preview.serve()
    preview.build()
    assert b"About Aa." in preview.answer(address)


def test_a_plugin_that_looks_at_files_finds_all_of_them(preview: Preview) -> None:
    preview.write(
        "hook.py",
        "from pathlib import Path\n\n"
        "def on_post_build(config):\n"
        "    seen = sorted(map(str, Path(config.site_dir, 'reference').rglob('*.*')))\n"
        f"    seen.append(Path(config.site_dir, '{AA}/index.md').read_text())\n"
        "    Path(config.site_dir, 'seen').write_text('\\n'.join(seen))\n",
    )
    preview.settings(hooks=["hook.py"])
    preview.serve()
    before = (preview.build() / "seen").read_text(encoding="utf-8")
    edit(preview.folder / "ops/one.textproto", "About Aa.", "All about Aa.")
    after = (preview.build() / "seen").read_text(encoding="utf-8")
    assert f"{AA}/index.html" in before
    assert "catalog.json" in before
    assert after == before.replace("About Aa.", "All about Aa.")


def test_nothing_is_stale_where_the_folder_is_not_cleaned(preview: Preview) -> None:
    preview.serve()
    for old, new in pairwise(("About Aa.", "All about Aa.", "What Aa does.")):
        edit(preview.folder / "ops/one.textproto", old, new)
        time.sleep(0.1)  # An edit takes longer than the clock of a file system.
        preview.build(dirty=True)
        for address in (f"{AA}/", f"{AA}/index.md", "reference/catalog.json", "reference/llms.txt"):
            assert new.encode() in preview.answer(address), address


@pytest.mark.parametrize("mistake", ["page.nothing.at_all", "1 / 0"])
def test_a_theme_that_fails_on_a_page_says_so(
    preview: Preview, caplog: pytest.LogCaptureFixture, mistake: str
) -> None:
    preview.write("theme/main.html", f"{{{{ {mistake} if 'Aa' in page.title else page.content }}}}")
    preview.settings(theme={"name": "mkdocs", "custom_dir": "theme"})
    preview.serve()
    preview.build()
    answer = preview.answer(AA).decode()
    assert "the theme fails on the page" in answer
    assert answer in caplog.text
    assert b"About Bb." in preview.answer("reference/com.example/operators/Bb/")


def test_a_template_of_a_twin_that_fails_says_so(preview: Preview) -> None:
    preview.write("own/markdown/operator.md.jinja", "{{ nothing.at_all }}")
    preview.settings(plugins=["search", {"opsetdocs": {"sources": ["ops"], "templates": ["own"]}}])
    preview.serve()
    preview.build()
    assert b"markdown/operator.md.jinja:1" in preview.answer("com.example/operators/Aa/index.md")
    assert b"About Aa." in preview.answer("com.example/operators/Aa/")


@pytest.mark.parametrize("theme", ["opsetdocs", "mkdocs"])
@pytest.mark.parametrize("serves", [True, False])
def test_a_rebuilt_site_is_as_one_that_is_built_anew(preview: Preview, theme: str, serves: bool) -> None:
    if serves:
        preview.serve()
    by_hand = preview.folder / f"docs/{AA}/index.md"
    other = preview.folder / f"docs/{AA}/1/more.md"
    changes: list[Callable[[], None]] = [
        lambda: preview.settings(theme=theme),
        lambda: preview.operators("one", "com.example", *LETTERS, "New"),
        lambda: preview.operators("one", "com.example", *LETTERS[1:]),
        lambda: preview.operators("one", "com.example", *LETTERS),
        lambda: preview.write(f"docs/{AA}/index.md", "# By hand"),
        lambda: preview.write(f"docs/{AA}/1/more.md", "# More"),
        by_hand.unlink,
        other.unlink,
        (preview.folder / "ops/two.textproto").unlink,
        lambda: preview.operators("two", "com.acme", "Other"),
        lambda: preview.settings(theme=theme, site_name="Another"),
        lambda: preview.settings(theme=theme, use_directory_urls=False),
        lambda: preview.settings(theme=theme, plugins=[{"opsetdocs": {"sources": ["ops"]}}]),
        lambda: None,
    ]
    for change in changes:
        change()
        site, anew = preview.build(), files(preview.build_anew())
        if serves:
            assert {address: preview.answer(address) for address in anew} == anew
        assert files(site) == anew


def test_a_build_that_fails_leaves_nothing_behind(preview: Preview) -> None:
    preview.write("hook.py", "def on_nav(nav, config, files):\n    raise OSError('no')\n")
    preview.settings(hooks=["hook.py"])
    with pytest.raises(Abort):
        preview.build()
    preview.settings()
    edit(preview.folder / "ops/one.textproto", "About Aa.", "All about Aa.")
    assert files(preview.build()) == files(preview.build_anew())
