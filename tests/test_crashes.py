"""Builds that are killed, interrupted or starved: what was published stays, or the new site is there, whole.

`OPSETDOCS_KILLS=200 pytest tests/test_crashes.py` kills more often.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from folders import content, entries, identities

resource = pytest.importorskip("resource", reason="signals and limits of POSIX")

KILLS = int(os.environ.get("OPSETDOCS_KILLS", "20"))
PATIENCE = 120
"""Seconds that a slow machine may take for what is waited for."""

SOURCE = "L3-plain.textproto"
ENVIRONMENT = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}

Site = dict[str, bytes]


@dataclass(frozen=True)
class Project:
    """A folder with the source of a site, which has two states."""

    folder: Path
    sources: tuple[bytes, bytes]

    @property
    def site(self) -> Path:
        return self.folder / "site"

    def choose(self, state: int) -> None:
        (self.folder / SOURCE).write_bytes(self.sources[state])

    def start(self, *arguments: str, **options: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "opsetdocs", "build", SOURCE, *arguments]
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
            command, **_POPEN | {"cwd": self.folder} | options
        )

    def build(self, *arguments: str) -> tuple[int, str]:
        """Build the site, and return the exit code and what standard error has."""
        return ended(self.start(*arguments))

    def is_clean(self) -> bool:
        return entries(self.folder) <= {SOURCE, "site", "other", "mkdocs.yml", "docs", "hook.py", "reached"}


_POPEN = {
    "env": ENVIRONMENT,
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.PIPE,
    # So that a kill of the group reaches no test.
    "start_new_session": True,
}


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Wait for the end, and return the exit code and what standard error has."""
    with process:
        _, errors = process.communicate(timeout=PATIENCE)
    text = errors.decode()
    assert "Traceback" not in text
    return process.returncode, text


@pytest.fixture
def project(tmp_path: Path, cases: Path) -> Project:
    """A project in a folder of its own, without a site."""
    text = (cases / SOURCE).read_bytes()
    project = Project(tmp_path, (text, text.replace(b"Divides every", b"Splits every")))
    project.choose(0)
    return project


@pytest.fixture(scope="session")
def sites(tmp_path_factory: pytest.TempPathFactory, cases: Path) -> tuple[Site, Site]:
    """The sites of a project's two states."""
    text = (cases / SOURCE).read_bytes()
    project = Project(
        tmp_path_factory.mktemp("sites"), (text, text.replace(b"Divides every", b"Splits every"))
    )
    made = []
    for state in (0, 1):
        project.choose(state)
        assert project.build()[0] == 0
        made.append(content(project.site))
    assert made[0] != made[1]
    return made[0], made[1]


# Killed at random moments


def children(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the processes that a process has started, as far as the system tells."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(pid) for pid in listed.read_text().split()] if listed.exists() else []


def kill_command(process: subprocess.Popen[bytes]) -> None:
    process.kill()


def kill_mkdocs(process: subprocess.Popen[bytes]) -> None:
    for pid in children(process):
        os.kill(pid, signal.SIGKILL)


def kill_all(process: subprocess.Popen[bytes]) -> None:
    started = children(process)
    os.killpg(process.pid, signal.SIGKILL)
    for pid in started:
        os.kill(pid, signal.SIGKILL)


def test_a_kill_at_a_random_moment_leaves_the_old_site_or_the_new_one(
    project: Project, sites: tuple[Site, Site]
) -> None:
    seed = random.randrange(10**6)
    moments = random.Random(seed)
    begun = time.monotonic()
    assert project.build() == (0, "")
    longest = time.monotonic() - begun
    for number in range(KILLS):
        where = f"seed {seed}, kill {number}"
        before = sites.index(content(project.site))
        project.choose(1 - before)
        # Not with pipes, whose end would be that of a MkDocs that lives on.
        process = project.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0, longest))
        kill = moments.choice([kill_command, kill_mkdocs, kill_all])
        if process.poll() is None:
            with suppress(ProcessLookupError):  # it came to its end just now
                kill(process)
        code = process.wait(PATIENCE)
        assert code in ({0, 2} if kill is kill_mkdocs else {0, -signal.SIGKILL}), where
        assert content(project.site) in sites, where
        code, errors = project.build()
        assert code == 0, where
        assert errors in ("", "Waiting for another build of site/ to end.\n"), where
        assert content(project.site) == sites[1 - before], where
        assert project.is_clean(), where


# Ended by a signal

HOOK = """
import pathlib, signal, time

def on_pre_build(**_):
    signal.signal(signal.SIGTERM, signal.{action})
    pathlib.Path("reached").touch()
    time.sleep(600)
"""


def configure(project: Project, hook: str) -> None:
    (project.folder / "docs").mkdir()
    (project.folder / "hook.py").write_text(hook)
    config = {"site_name": "Test", "plugins": ["search", "opsetdocs"], "hooks": ["hook.py"]}
    (project.folder / "mkdocs.yml").write_text(json.dumps(config))


def _heed_signals() -> None:
    """Undo what a shell in the background or nohup has set: a child inherits that signals are ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start_and_reach(project: Project, action: str) -> subprocess.Popen[bytes]:
    """Start a build, and return it when its MkDocs sleeps."""
    configure(project, HOOK.format(action=action))
    process = project.start(preexec_fn=_heed_signals)
    wait_until((project.folder / "reached").exists)
    return process


def wait_until(happens: Callable[[], bool]) -> None:
    latest = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < latest
        time.sleep(0.01)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_build_that_is_told_to_end_cleans_up(project: Project, sites: tuple[Site, Site], name: str) -> None:
    project.build()
    before = identities(project.site)
    process = start_and_reach(project, "SIG_DFL")
    [mkdocs] = children(process) or [0]
    process.send_signal(getattr(signal, name))
    assert ended(process) == (130, "Interrupted.\n")
    assert not (mkdocs and is_alive(mkdocs))
    assert identities(project.site) == before
    assert project.is_clean()


def test_one_who_interrupts_twice_waits_for_nothing(project: Project) -> None:
    process = start_and_reach(project, "SIG_IGN")
    [mkdocs] = children(process) or [0]
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None, "MkDocs has some seconds to end by itself"
    process.send_signal(signal.SIGINT)
    assert ended(process) == (130, "Interrupted.\n")
    assert not (mkdocs and is_alive(mkdocs))
    assert project.is_clean()
    assert not project.site.exists()


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes() != b""


def test_mkdocs_killed_alone_is_said(project: Project) -> None:
    process = start_and_reach(project, "SIG_DFL")
    if not children(process):
        process.kill()
        ended(process)
        pytest.skip("the system does not tell which processes a process has started")
    kill_mkdocs(process)
    assert ended(process) == (2, "Error: MkDocs was ended by signal 9\n")
    assert project.is_clean()


# A full disk


@pytest.mark.parametrize("size", [0, 100, 3_000, 20_000])
def test_a_full_disk_leaves_the_old_site(project: Project, size: int) -> None:
    project.build()
    before = identities(project.site)
    project.choose(1)
    process = project.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
    code, errors = ended(process)
    assert code == 2
    assert "File too large" in errors
    assert identities(project.site) == before
    assert project.is_clean()


# Two at once


def test_two_builds_of_one_site_do_not_mix(project: Project, sites: tuple[Site, Site]) -> None:
    other = project.folder / "other"
    other.mkdir()
    (other / SOURCE).write_bytes(project.sources[1])
    site = str(project.site)
    started = [project.start("-d", site), project.start("-d", site, cwd=other)]
    results = [ended(process) for process in started]
    assert [code for code, _ in results] == [0, 0]
    assert sorted(errors.partition(" of ")[0] for _, errors in results) == ["", "Waiting for another build"]
    assert content(project.site) in sites
    assert project.is_clean()


def test_two_builds_of_two_sites_do_not_wait(project: Project, sites: tuple[Site, Site]) -> None:
    started = [project.start("-d", name) for name in ("site", "other")]
    assert [ended(process) for process in started] == [(0, ""), (0, "")]
    assert content(project.site) == content(project.folder / "other") == sites[0]
    assert project.is_clean()


# An unchanged rebuild


def test_an_unchanged_rebuild_changes_no_file(project: Project) -> None:
    project.build()
    before = identities(project.site)
    assert project.build() == (0, "")
    assert identities(project.site) == before


# The same input


@pytest.mark.parametrize(
    ("variables", "umask", "reversed_order"),
    [
        ({"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "0"}, 0o022, True),
        ({"LC_ALL": "C", "PYTHONHASHSEED": "1"}, 0o077, False),
        ({"LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "de", "PYTHONHASHSEED": "2", "COLUMNS": "20"}, 0o002, True),
    ],
)
def test_the_same_input_gives_the_same_bytes(
    project: Project, cases: Path, variables: dict[str, str], umask: int, reversed_order: bool
) -> None:
    names = ["H4-a-opset9.textproto", "H4-b-opset10.textproto", "M3-math.textproto", "T2-non-ascii.textproto"]
    for name in names:
        shutil.copy(cases / name, project.folder)
    assert project.build(*names)[0] == 0
    given: Sequence[str] = names[::-1] if reversed_order else names
    process = project.start(*given, "-d", "other", env=ENVIRONMENT | variables, umask=umask)
    assert ended(process)[0] == 0
    assert content(project.folder / "other") == content(project.site)
    assert (project.folder / "other/index.html").stat().st_mode & 0o777 == 0o666 & ~umask


def test_the_same_files_give_the_same_bytes_wherever_they_are(
    project: Project, cases: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names = ["H4-a-opset9.textproto", "H4-b-opset10.textproto", "M3-math.textproto", "T2-non-ascii.textproto"]
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "with a space" / "opsets"
    elsewhere.mkdir(parents=True)
    # In many file systems the order of a folder is that in which its files were made.
    for folder, order in ((project.folder, names), (elsewhere, names[::-1])):
        (folder / "sets").mkdir()
        for name in order:
            shutil.copy(cases / name, folder / "sets")
    (project.folder / SOURCE).unlink()
    command = [sys.executable, "-m", "opsetdocs", "build", "-d"]
    runs = (
        ([*command, "site", "sets"], project.folder),
        ([*command, str(elsewhere / "site"), str(elsewhere / "sets")], Path(elsewhere.anchor)),
    )
    for arguments, current in runs:
        subprocess.run(
            arguments, cwd=current, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
    assert content(elsewhere / "site") == content(project.site)
