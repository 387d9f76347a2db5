"""How long it takes from saving an edited file to seeing its page under `mkdocs serve`."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from urllib.error import URLError
from urllib.request import urlopen

from bench import site
from bench.edit import Edit
from bench.measure import Comparison, part, python
from bench.part import Seconds

ONNX = "all of ONNX"
MADE = "10,000 operators"

_EDITS = 8
_POLLING = 0.5
"""MkDocs looks at files so often, in seconds; edits come at different moments in between."""

_LONGEST_BUILD = 600.0
_LIVE_RELOAD = re.compile(r"livereload\((\d+), (\d+)\)")

_CONFIG = """\
site_name: Bench
theme: opsetdocs
plugins:
  - opsetdocs: {sources: [sources]}
"""


def comparisons(folder: Path) -> tuple[Comparison, ...]:
    """Compare an edit of one operator at the size of ONNX with one among 10,000 operators."""
    write_project(folder / "onnx")
    write_project(folder / "made")
    export = python("-m", "opsetdocs", "export", str(folder / "onnx/sources"))
    subprocess.run(export, stdout=subprocess.DEVNULL, check=True)
    site.write_made(folder / "made/sources", 20_000)
    has_browser = find_spec("playwright") and shutil.which("chromium")
    seen, watch = ("in Chromium", "browser") if has_browser else ("over HTTP", "http")
    pages = {
        ONNX: (folder / "onnx", site.ONNX_WORDS, "ai.onnx/operators/CausalConvWithState/"),
        MADE: (folder / "made", site.MADE_WORDS, "com.example.made/operators/Operator7/"),
    }
    programs = tuple(
        # One run has several edits.
        replace(part(name, "bench.serve:edits", *page, watch), most_runs=1)
        for name, page in pages.items()
    )
    return (Comparison(f"one edit under mkdocs serve, until it is seen {seen}", programs),)


def write_project(folder: Path) -> None:
    """Write a project whose operator sets are in the folder `sources`, in a folder that may exist."""
    (folder / "docs").mkdir(parents=True)
    (folder / "mkdocs.yml").write_text(_CONFIG)


def edits(folder: str, words: str, address: str, watch: str) -> Callable[[], Seconds]:
    """Serve a project, and return what gives the median of several edits."""
    return partial(_edits, Path(folder), words, address, _WATCHERS[watch])


Watcher = Callable[[str], Callable[[str], None]]
"""Opens a page, and returns the function that waits until the page has certain words."""


def _edits(folder: Path, words: str, address: str, watcher: Watcher) -> Seconds:
    samples = []
    with _serving(folder) as (url, cpu_seconds):
        edit = Edit(folder / "sources", words)
        for number in range(_EDITS):
            wait_for = watcher(url + address)
            time.sleep(_POLLING * number / _EDITS)
            cpu, wall = cpu_seconds(), time.perf_counter()
            wait_for(edit.toggle())
            samples.append(Seconds(cpu_seconds() - cpu, time.perf_counter() - wall))
    return Seconds(median(item.cpu for item in samples), median(item.wall for item in samples))


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[str, Callable[[], float]]]:
    """Serve a project, and give its address and a function that returns the server's CPU seconds."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    command = python("-m", "mkdocs", "serve", "--quiet", "--dev-addr", place)
    with subprocess.Popen(command, cwd=folder, stdout=sys.stderr) as process:
        try:
            _wait_until_served(process, f"http://{place}/")
            yield f"http://{place}/", partial(_cpu_seconds, process.pid)
        finally:
            process.terminate()


def _wait_until_served(process: subprocess.Popen[bytes], url: str) -> None:
    end = time.monotonic() + _LONGEST_BUILD
    while process.poll() is None and time.monotonic() < end:
        try:
            _get(url)
        except URLError:
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"mkdocs serve does not serve {url}")


def _cpu_seconds(process: int) -> float:
    # https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: fields 14 and 15, of which the second one
    # may hold spaces.
    file = Path(f"/proc/{process}/stat")
    if not file.exists():
        return float("nan")
    fields = file.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _over_http(url: str) -> Callable[[str], None]:
    """Do what MkDocs' script does in a browser: wait for the server to have something new, then load it."""
    page = _get(url)
    at = "/".join(url.split("/")[:3])

    def wait_for(words: str) -> None:
        nonlocal page
        end = time.monotonic() + _LONGEST_BUILD
        # Once is not enough where MkDocs has seen a part of the edited files only.
        while words not in page and time.monotonic() < end:
            match = _LIVE_RELOAD.search(page)
            assert match, "MkDocs puts its script into every page"
            _get(f"{at}/livereload/{match[1]}/{match[2]}")
            page = _get(url)
        if words not in page:
            raise RuntimeError(f"{url} does not have the words: {words}")

    return wait_for


def _get(url: str) -> str:
    with urlopen(url, timeout=_LONGEST_BUILD) as response:
        return str(response.read().decode())


def _in_browser(url: str) -> Callable[[str], None]:
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page()
    page.goto(url)

    def wait_for(words: str) -> None:
        page.wait_for_function(
            "words => document.body?.innerText.includes(words)",
            arg=words,
            timeout=_LONGEST_BUILD * 1000,
        )
        browser.close()
        playwright.stop()

    return wait_for


_WATCHERS: dict[str, Watcher] = {"http": _over_http, "browser": _in_browser}
