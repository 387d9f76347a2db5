"""One site for another: what is replaced, what is kept, and what a kill at any step leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from folders import content, entries, identities
from opsetdocs import publish, site_writer
from opsetdocs.atomic import write_files
from opsetdocs.errors import ConfigError, OpsetdocsError
from opsetdocs.exchange import exchange
from opsetdocs.publish import check_replaceable, workplace

Tree = dict[str, str]

OLD: Tree = {
    "index.html": "old",
    "a/index.html": "a",
    "a/b/c.html": "c",
    "gone/d.html": "d",
    ".git/HEAD": "ref",
}
NEW: Tree = {"index.html": "new", "a/index.html": "a", "a/b/c.html": "c", "e.html": "e"}


def write(folder: Path, files: Tree) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def texts(folder: Path) -> Tree:
    return {name: data.decode() for name, data in content(folder).items()}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The folder of a site that does not exist yet, alone in its folder."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project" / "site"


@pytest.fixture(params=[True, False], ids=["in one step", "in two steps"])
def in_one_step(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Have folders exchanged as well as the system can, and as where it cannot."""
    if not request.param:
        monkeypatch.setattr(publish, "exchange", lambda *_: False)
    return bool(request.param)


def replace(site: Path, files: Tree, *, leaves_out: bool = False) -> None:
    with workplace(site) as work:
        made = ((name, text.encode) for name, text in files.items())
        kept = site_writer.write_files(work.staging, made, site if leaves_out else None)
        publish.publish(work.staging, site, kept)


# What may be replaced


@pytest.mark.parametrize(
    ("made", "refused"),
    [
        ([], False),
        (["site/"], False),
        (["site/.git/"], False),
        (["site/sitemap.xml", "site/index.html"], False),
        (["site/thesis.txt"], True),
        (["site/index.html"], True),
        (["site"], True),
        (["site/sitemap.xml", "site/ops/a.textproto"], True),
    ],
)
def test_only_a_site_is_replaced(tmp_path: Path, made: list[str], refused: bool) -> None:
    for name in made:
        path = tmp_path / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.touch()
    needed = [tmp_path / "site/ops"] if (tmp_path / "site/ops").exists() else []
    if refused:
        with pytest.raises(ConfigError, match="site"):
            check_replaceable(tmp_path / "site", needed)
    else:
        check_replaceable(tmp_path / "site", needed)


def test_a_link_to_nothing_but_itself_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "site").symlink_to("site")
    with pytest.raises(ConfigError, match="not a folder"):
        check_replaceable(tmp_path / "site", [])


def test_a_mount_point_is_refused_in_words(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.mkdir()
    monkeypatch.setattr(os.path, "ismount", lambda path: path == site)
    with pytest.raises(ConfigError, match=r"is a mount point: .* name a folder inside .*site"):
        check_replaceable(site, [])


def test_a_parent_that_cannot_be_written_is_refused_in_words(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.mkdir()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with (
        pytest.raises(OpsetdocsError, match=r"project cannot be written to: Read-only .* inside .*site"),
        workplace(site),
    ):
        pass


# What is kept


def test_the_first_site(site: Path) -> None:
    replace(site, NEW)
    assert texts(site) == NEW
    assert entries(site.parent) == {"site"}


def test_a_site_takes_the_place_of_another(site: Path, in_one_step: bool) -> None:
    write(site, OLD)
    replace(site, NEW)
    assert texts(site) == NEW | {".git/HEAD": "ref"}
    assert not (site / "gone").exists()
    assert entries(site.parent) == {"site"}


def test_the_same_site_again_touches_nothing(site: Path) -> None:
    write(site, OLD | {".nojekyll": ""})
    before = identities(site)
    replace(site, {name: text for name, text in OLD.items() if not name.startswith(".")})
    assert identities(site) == before
    assert entries(site.parent) == {"site"}


def test_files_that_stay_the_same_are_the_same_files(site: Path, in_one_step: bool) -> None:
    write(site, OLD)
    before = identities(site)
    replace(site, NEW)
    after = identities(site)
    files = {name for name in OLD if (site / name).exists()}
    assert {name for name in files if after[name] == before[name]} == files - {"index.html"}


def test_files_that_are_published_already_are_not_written(site: Path, in_one_step: bool) -> None:
    write(site, OLD)
    before = identities(site)
    with workplace(site) as work:
        made = ((name, text.encode) for name, text in NEW.items())
        kept = site_writer.write_files(work.staging, made, site)
        assert set(kept) == {"a/index.html", "a/b/c.html"}
        assert set(texts(work.staging)) == NEW.keys() - set(kept)
        publish.publish(work.staging, site, kept)
    after = identities(site)
    assert texts(site) == NEW | {".git/HEAD": "ref"}
    assert {name for name in kept if after[name] == before[name]} == set(kept)
    replace(site, NEW, leaves_out=True)
    assert identities(site) == after
    replace(site, {"index.html": "new"}, leaves_out=True)
    assert texts(site) == {"index.html": "new", ".git/HEAD": "ref"}


def test_a_published_file_that_is_gone_in_the_end_is_named(site: Path) -> None:
    write(site, OLD)
    with pytest.raises(OpsetdocsError, match="cannot be replaced: No such file"), workplace(site) as work:
        write(work.staging, {"index.html": "new"})
        publish.publish(work.staging, site, ["gone/long-ago.html"])
    assert texts(site) == OLD


def test_where_there_are_no_hard_links_the_times_stay(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write(site, OLD)
    os.utime(site / "a/index.html", (1, 1))
    replace(site, NEW)
    assert texts(site) == NEW | {".git/HEAD": "ref"}
    assert (site / "a/index.html").stat().st_mtime == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [({"a": "x"}, {"a/b": "y"}), ({"a/b": "y"}, {"a": "x"}), ({"a": "x"}, {"a": "x", "b": "y"})],
)
@pytest.mark.parametrize("leaves_out", [True, False])
def test_a_file_may_become_a_folder_and_a_folder_a_file(
    site: Path, old: Tree, new: Tree, leaves_out: bool
) -> None:
    write(site, old)
    replace(site, new, leaves_out=leaves_out)
    assert texts(site) == new


@pytest.mark.parametrize("leaves_out", [True, False])
def test_what_a_link_leads_to_is_never_changed(site: Path, leaves_out: bool) -> None:
    write(site.parent.parent / "elsewhere", {"a/index.html": "a", "page.html": "page"})
    write(site, {"index.html": "old"})
    (site / "a").symlink_to("../../elsewhere/a")
    (site / "page.html").symlink_to("../../elsewhere/page.html")
    (site / ".hidden").symlink_to("../../elsewhere")
    new = {"index.html": "new", "a/index.html": "a", "page.html": "other"}
    replace(site, new, leaves_out=leaves_out)
    assert not (site / "a/index.html").samefile(site.parent.parent / "elsewhere/a/index.html")
    assert {name for name in ("a", "page.html", ".hidden") if (site / name).is_symlink()} == {".hidden"}
    assert new.items() <= texts(site).items()
    assert texts(site.parent.parent / "elsewhere") == {"a/index.html": "a", "page.html": "page"}


def test_a_hidden_file_of_the_new_site_wins(site: Path) -> None:
    write(site, {"index.html": "a", ".nojekyll": "old", ".well-known/x": "x"})
    replace(site, {"index.html": "a", ".nojekyll": "new"})
    assert texts(site) == {"index.html": "a", ".nojekyll": "new", ".well-known/x": "x"}


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_the_folder_keeps_its_permissions(site: Path) -> None:
    write(site, OLD)
    site.chmod(0o2750)
    replace(site, NEW)
    assert site.stat().st_mode & 0o7777 == 0o2750


def test_what_is_left_of_a_folder_that_may_not_be_changed_is_removed(site: Path) -> None:
    write(site, OLD)
    (site / "a").chmod(0o555)
    replace(site, NEW)
    assert entries(site.parent) == {"site"}
    assert texts(site) == NEW | {".git/HEAD": "ref"}


def test_a_link_is_no_work_folder(site: Path) -> None:
    write(site.parent.parent / "precious", {"file": "text"})
    (site.parent / ".site.opsetdocs").symlink_to("../precious")
    with pytest.raises(OpsetdocsError, match=r"\.site\.opsetdocs is a symbolic link"):
        replace(site, NEW)
    assert texts(site.parent.parent / "precious") == {"file": "text"}


def test_what_is_not_published_is_removed(site: Path) -> None:
    write(site, OLD)
    with pytest.raises(ZeroDivisionError), workplace(site) as work:
        write(work.staging, NEW)
        raise ZeroDivisionError
    assert texts(site) == OLD
    assert entries(site.parent) == {"site"}


# What goes wrong


@pytest.mark.parametrize("old", [OLD, {}], ids=["a site", "no site"])
def test_a_failed_exchange_leaves_the_old_site(
    site: Path, monkeypatch: pytest.MonkeyPatch, old: Tree
) -> None:
    write(site, old)
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path.name.startswith("site-"):
            raise OSError(16, "Device or resource busy")
        return rename(path, target)

    monkeypatch.setattr(publish, "exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OpsetdocsError, match=r"cannot be replaced: Device or resource busy; .* inside"):
        replace(site, NEW)
    assert texts(site.parent) == {f"site/{name}": text for name, text in old.items()}
    assert entries(site.parent) == ({"site"} if old else set())


KILLED = """
import os, signal, sys
from pathlib import Path
from opsetdocs import publish, site_writer
from opsetdocs.atomic import write_files

site, step, in_one_step, *files = sys.argv[1:]
steps = int(step)

def count(event, _):
    global steps
    if event.startswith(("os.", "shutil.", "open", "exchange")) and event != "os.kill":
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)

def exchange(one, other):
    sys.audit("exchange")
    done = in_one_step == "True" and publish_exchange(one, other)
    sys.audit("exchange")
    return done

publish_exchange, publish.exchange = publish.exchange, exchange
with publish.workplace(Path(site)) as work:
    for name, text in zip(files[::2], files[1::2]):
        (work.staging / name).parent.mkdir(parents=True, exist_ok=True)
        (work.staging / name).write_text(text)
    sys.addaudithook(count)
    publish.publish(work.staging, Path(site))
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_a_kill_at_any_step_leaves_the_old_site_or_the_new_one(site: Path, in_one_step: bool) -> None:
    old, new = ({"sitemap.xml": ""} | files for files in (OLD, NEW))
    expected = (old, new | {".git/HEAD": "ref"})
    left: list[int] = []
    for step in range(1000):
        write(site, OLD)
        replace(site, {name: text for name, text in old.items() if not name.startswith(".")})
        files = [word for pair in new.items() for word in pair]
        code = subprocess.run(
            [sys.executable, "-c", KILLED, str(site), str(step), str(in_one_step), *files], check=False
        ).returncode
        if code == 0:
            break
        assert code == -9
        if in_one_step:
            assert texts(site) in expected, step
        with workplace(site):
            assert texts(site) in expected, step
        left.append(expected.index(texts(site)))
        assert entries(site.parent) == {"site"}
    assert left == sorted(left), "first the old site, then the new one"
    assert set(left) == {0, 1}


def test_an_old_site_that_was_taken_away_is_put_back(site: Path) -> None:
    write(site.parent / ".site.opsetdocs-old", OLD)
    with workplace(site):
        assert texts(site) == OLD
    assert entries(site.parent) == {"site"}


def test_an_old_site_that_was_replaced_is_removed(site: Path) -> None:
    write(site.parent / ".site.opsetdocs-old", OLD)
    write(site.parent / ".site.opsetdocs", {"site-1/index.html": "half", ".lock": "", "report.json": ""})
    write(site, NEW)
    with workplace(site) as work:
        assert entries(site.parent) == {"site", ".site.opsetdocs"}
        assert entries(work.staging.parent) == {".lock", work.staging.name}
    assert texts(site) == NEW
    assert entries(site.parent) == {"site"}


# Two at once

HOLDER = """
import subprocess, sys, time
from pathlib import Path
from opsetdocs.publish import workplace
with workplace(Path(sys.argv[1])) as work:
    if len(sys.argv) > 2:
        code = "import sys, time; print('held', flush=True); sys.stdin.read()"
        subprocess.Popen([sys.executable, "-c", code], pass_fds=[work.lock])
    else:
        print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def hold(site: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that starts a process which has the place of work until its input ends."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLDER, str(site), *arguments]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        with process:
            release(process)


def release(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.close()


@pytest.mark.parametrize("end", [release, subprocess.Popen.kill], ids=["an end", "a kill"])
def test_a_second_one_waits_for_the_end_of_the_first(
    site: Path, hold: Callable[..., subprocess.Popen[str]], end: Callable[[subprocess.Popen[str]], None]
) -> None:
    process, waited = hold(), []

    def on_wait() -> None:
        waited.append(process.poll())
        end(process)

    with workplace(site, on_wait=on_wait):
        assert waited == [None]
    assert entries(site.parent) == set()


@pytest.mark.skipif(os.name != "posix", reason="a child inherits no lock")
def test_a_second_one_waits_for_the_child_of_a_killed_one(
    site: Path, hold: Callable[..., subprocess.Popen[str]]
) -> None:
    process, waited = hold("child"), []
    process.kill()
    process.wait()

    def on_wait() -> None:
        waited.append(entries(site.parent))
        release(process)

    with workplace(site, on_wait=on_wait):
        assert waited == [{".site.opsetdocs"}]
    assert entries(site.parent) == set()


def test_two_sites_do_not_wait_for_each_other(site: Path, hold: Callable[..., subprocess.Popen[str]]) -> None:
    hold()
    with workplace(site.with_name("other"), on_wait=pytest.fail):
        pass


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed")
def test_a_folder_that_the_first_one_removes_at_its_end_is_made_again(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_file, opened = os.open, []

    def open_too_late(path: Path, flags: int) -> int:
        opened.append(open_file(path, flags))
        if len(opened) == 1:
            path.unlink()
            path.parent.rmdir()
        return opened[-1]

    monkeypatch.setattr(os, "open", open_too_late)
    with workplace(site) as work:
        assert work.staging.is_dir()
        assert entries(work.staging.parent) == {".lock", work.staging.name}
    assert len(opened) == 2


# Files that are written together


def test_files_take_their_places_together(tmp_path: Path) -> None:
    write(tmp_path, {"a": "1", "b": "2", "other": "3", ".opsetdocs/a": "half", ".opsetdocs/gone": "half"})
    before = identities(tmp_path)

    def files(last: bytes | None) -> Iterator[tuple[str, bytes]]:
        yield "a", b"1"
        yield "b", b"new"
        if last is None:
            raise OSError(28, "No space left on device")
        yield "c", last

    with pytest.raises(OSError, match="No space left"):
        write_files(tmp_path, files(None))
    assert texts(tmp_path) == {"a": "1", "b": "2", "other": "3"}
    write_files(tmp_path, files(b"last"))
    assert texts(tmp_path) == {"a": "1", "b": "new", "c": "last", "other": "3"}
    after = identities(tmp_path)
    assert {name for name in ("a", "b", "other") if after[name] == before[name]} == {"a", "other"}


def test_files_are_written_in_a_folder_that_exists(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_files(tmp_path / "absent", [("a", b"")])
    assert entries(tmp_path) == set()


# The exchange itself


def test_folders_change_places_or_stay(tmp_path: Path) -> None:
    write(tmp_path, {"one/a": "1", "other/b": "2"})
    done = exchange(tmp_path / "one", tmp_path / "other")
    swapped, same = {"one/b": "2", "other/a": "1"}, {"one/a": "1", "other/b": "2"}
    assert texts(tmp_path) == (swapped if done else same)
    assert not exchange(tmp_path / "one", tmp_path / "absent")
    assert texts(tmp_path) == (swapped if done else same)


def test_a_system_that_cannot_exchange_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"one/a": "1", "other/b": "2"})
    monkeypatch.setattr(sys, "platform", "win32")
    assert not exchange(tmp_path / "one", tmp_path / "other")
