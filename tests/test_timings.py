"""What stages take, and how far a command is."""

from __future__ import annotations

import io
import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config

from conftest import case_files, run_opsetdocs
from html_site import BuiltSite
from opsetdocs import progress, timings
from opsetdocs.timings import Stage, count, divide, record, stage, staged, stop, timing_lines

STAGES_OF_A_BUILD = [
    "start and end",
    "MkDocs",
    "reading",
    "history",
    "checking",
    "pages: views",
    "pages: templates",
    "pages: twins",
    "catalog and search",
    "cache",
    "writing",
    "theme",
    "publishing",
    "total",
]


@pytest.fixture(autouse=True)
def _nobody_records() -> Iterator[None]:
    yield
    stop()


@pytest.fixture
def spend(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Have time pass only where a test says so, half of it as CPU time. Returns the function that says so."""
    passed = 100.0

    def spend(seconds: float) -> None:
        nonlocal passed
        passed += seconds

    monkeypatch.setattr(timings, "_now", lambda: (passed / 2, passed))
    return spend


def rows(table: str) -> dict[str, tuple[float, float]]:
    """Return the CPU seconds and the seconds on the clock by the names of the rows of a table."""
    found = re.findall(r"^(\S.*?) +(-?\d+\.\d\d) +(-?\d+\.\d\d)", table, re.MULTILINE)
    return {name: (float(cpu), float(wall)) for name, cpu, wall in found}


def test_a_moment_counts_for_the_innermost_stage(spend: Callable[[float], None]) -> None:
    record("rest")
    spend(1)
    with stage("outer"):
        spend(2)
        with stage("inner"):
            spend(4)
        spend(8)
    with stage("inner"):
        spend(16)
    spend(32)
    assert stop() == (Stage("rest", 16.5, 33), Stage("outer", 5, 10), Stage("inner", 10, 20))


def test_a_stage_that_fails_ends(spend: Callable[[float], None]) -> None:
    record("rest")
    with pytest.raises(ValueError, match="gone"), stage("reading"):
        spend(1)
        raise ValueError("gone")
    spend(2)
    assert stop() == (Stage("rest", 1, 2), Stage("reading", 0.5, 1))


def test_what_is_done_with_an_item_is_not_its_making(spend: Callable[[float], None]) -> None:
    def made() -> Iterator[str]:
        for name in ("a", "b"):
            spend(1)
            yield name

    record("rest")
    for _ in staged("making", made()):
        spend(10)
    assert stop() == (Stage("rest", 10, 20), Stage("making", 1, 2))


def test_a_stage_is_divided_by_what_another_process_recorded(spend: Callable[[float], None]) -> None:
    record("waiting")
    spend(10)
    with stage("pages"):
        spend(1)
    divide([Stage("reading", 1, 2, {"files": 3}), Stage("pages", 2, 3)])
    assert stop() == (Stage("waiting", 2, 5), Stage("pages", 2.5, 4), Stage("reading", 1, 2, {"files": 3}))


def test_counts_are_added_up() -> None:
    record("rest")
    with stage("reading"):
        count("reading", files=2)
        count("reading", files=3, sets=1)
    assert {item.name: item.counts for item in stop()} == {"rest": {}, "reading": {"files": 5, "sets": 1}}


def test_the_time_of_processes_that_were_waited_for_counts() -> None:
    record("rest")
    with stage("busy"):
        subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    busy = next(item for item in stop() if item.name == "busy")
    assert busy.cpu > 0


def test_nothing_is_recorded_unless_somebody_asks() -> None:
    with stage("reading"):
        count("reading", files=1)
        divide([Stage("reading", 1, 2)])
    assert list(staged("making", "ab")) == ["a", "b"]
    assert stop() == ()


def test_the_table_is_aligned_and_ends_with_the_total() -> None:
    stages = (Stage("MkDocs", 1, 1.5), Stage("pages: views", 10.25, 12, {"pages": 2471, "files": 1}))
    assert list(timing_lines(stages)) == [
        "                CPU s   wall s",
        "MkDocs           1.00     1.50",
        "pages: views    10.25    12.00  2,471 pages, 1 file",
        "total           11.25    13.50",
    ]


def test_the_command_prints_every_stage(cases: Path, tmp_path: Path) -> None:
    done = run_opsetdocs(
        "build", str(cases / "L3-plain.textproto"), "--cache", "off", "--timings", cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (
        0,
        "2 operators, 2 versions, 1 opset in 1 domain: 8 pages in site/\n",
    )
    found = rows(done.stderr)
    assert [name for name in found if name in STAGES_OF_A_BUILD] == STAGES_OF_A_BUILD
    *stages, total = found.values()
    for place in (0, 1):
        assert sum(row[place] for row in stages) == pytest.approx(total[place], abs=0.1)
    assert "  8 pages" in done.stderr
    assert "  1 set\n" in done.stderr


def test_a_check_prints_its_stages_and_keeps_its_exit_code(tmp_path: Path) -> None:
    (file,) = case_files("L11")
    done = run_opsetdocs("check", file, "--timings", cwd=tmp_path)
    assert done.returncode == run_opsetdocs("check", file, cwd=tmp_path).returncode != 0
    assert list(rows(done.stderr)) == ["start and end", "reading", "checking", "report", "total"]


def test_mkdocs_prints_the_stages_where_it_is_to_say_all(
    mkdocs_site: Callable[..., BuiltSite], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    mkdocs_site("L3", plugin={"cache": False})
    assert not rows(caplog.text)
    config = load_config(str(tmp_path / "mkdocs.yml"))
    with caplog.at_level(logging.DEBUG, "mkdocs"):
        mkdocs_build(config)
    table = "\n".join(record.getMessage().removeprefix("opsetdocs: ") for record in caplog.records)
    assert [name for name in rows(table) if name in STAGES_OF_A_BUILD] == [
        name for name in STAGES_OF_A_BUILD if name not in ("start and end", "publishing")
    ]


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def seen(self) -> list[str]:
        """Return what was to be seen, in turn."""
        return [shown for shown in re.split(r"[\r\n]+", self.getvalue()) if shown]


def screen(output: str) -> list[str]:
    """Return the lines that a terminal shows in the end, without those that are empty."""
    shown = []
    for line in output.replace("\r\n", "\n").split("\n"):
        cells = ""
        for text in line.split("\r"):
            cells = text + cells[len(text) :]
        shown.append(cells.rstrip())
    return [line for line in shown if line]


@pytest.fixture(autouse=True)
def _nobody_looks() -> Iterator[None]:
    yield
    progress.show_progress(io.StringIO())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Have time pass only where a test says so."""
    now = 0.0

    def passes(seconds: float) -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now)
    return passes


def test_what_takes_over_a_second_is_shown_and_erased(clock: Callable[[float], None]) -> None:
    terminal = Terminal()
    progress.show_progress(terminal)
    for _ in progress.tracked("pages made", range(3000)):
        clock(0.001)
    assert terminal.seen()[0] == "pages made: 1,000 of 3,000"
    assert 15 <= len(terminal.seen()) <= 22, "ten lines a second, once the first one is over"
    assert screen(terminal.getvalue()) == []


def test_a_shorter_line_leaves_nothing_of_a_longer_one(clock: Callable[[float], None]) -> None:
    terminal = Terminal()
    progress.show_progress(terminal)
    clock(2)
    for _ in progress.tracked("a long name of things", range(1)):
        clock(1)
    list(progress.tracked("short", range(1)))
    assert terminal.getvalue().startswith("\ra long name of things: 0 of 1\r")
    assert screen(terminal.getvalue().rpartition("\r")[0].rpartition("\r")[0]) == ["short: 0 of 1"]


def test_what_is_done_in_a_second_is_not_shown(clock: Callable[[float], None]) -> None:
    terminal = Terminal()
    progress.show_progress(terminal)
    for _ in progress.tracked("pages made", range(9)):
        clock(0.1)
    assert terminal.getvalue() == ""


def test_the_line_is_erased_where_the_work_fails(clock: Callable[[float], None]) -> None:
    terminal = Terminal()
    progress.show_progress(terminal)
    clock(2)
    items = progress.tracked("pages made", iter("ab"), 2)
    next(items)
    items.close()  # type: ignore[attr-defined]
    assert terminal.seen()[0] == "pages made: 0 of 2"
    assert screen(terminal.getvalue()) == []


def test_where_there_is_no_terminal_nothing_is_shown(clock: Callable[[float], None]) -> None:
    stream = io.StringIO()
    progress.show_progress(stream)
    clock(2)
    assert list(progress.tracked("pages made", "ab")) == ["a", "b"]
    assert stream.getvalue() == ""


_AT_ONCE = """
from opsetdocs import progress

progress._PATIENCE = progress._INTERVAL = 0
"""
"""Has progress shown from the first moment on, in whatever Python runs with this as its `sitecustomize`."""


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
@pytest.mark.parametrize("on_terminal", [True, False])
def test_a_build_shows_its_progress_on_a_terminal_alone(
    cases: Path, tmp_path: Path, on_terminal: bool
) -> None:
    (tmp_path / "at_once").mkdir()
    (tmp_path / "at_once/sitecustomize.py").write_text(_AT_ONCE)
    command = [sys.executable, "-m", "opsetdocs", "build", str(cases / "L3-plain.textproto")]
    leader, follower = os.openpty() if on_terminal else os.pipe()
    with open(leader, "rb", buffering=0) as output:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=follower,
            env=os.environ | {"PYTHONPATH": str(tmp_path / "at_once")},
            check=True,
        )
        os.close(follower)
        said = b"".join(read_all(output)).decode()
    assert b"\r" not in done.stdout
    expected = {"files read", "pages made", "pages written"} if on_terminal else set()
    assert set(re.findall(r"\r([a-z ]+): [\d,]+ of [\d,]+", said)) == expected
    assert not [line for line in screen(said) if " of " in line]


def read_all(stream: io.RawIOBase) -> Iterator[bytes]:
    try:
        while data := stream.read(4096):
            yield data
    except OSError:  # as Linux says that the other end of a pseudo-terminal is closed
        return
