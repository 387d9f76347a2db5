"""What builds keep for the next one: a site is the same with and without it, whatever happens to it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx.onnx_operators_ml_pb2 import OperatorSetProto

from conftest import run_opsetdocs
from folders import content, identities
from html_site import BuiltSite
from opsetdocs import disk_cache
from opsetdocs.build import build_site
from opsetdocs.cache import NO_CACHE, Cache, MemoryCache
from opsetdocs.disk_cache import DiskCache
from opsetdocs.site import Site, SiteOptions
from opsetdocs.timings import record, stop
from test_rules_properties import BREAKS, Break, relaxed
from valid_sets import Catalog, catalogs

SET = """
magic: "ONNXOPSET" ir_version: 10 domain: "com.example" opset_version: {opset}
operator {{ op_type: "Second" since_version: {second} status: STABLE doc_string: "Does the `First`." }}
operator {{ op_type: "First" since_version: 1 status: STABLE doc_string: {first} }}
"""


def write_sets(folder: Path, first: str = "Does it.") -> None:
    folder.mkdir(exist_ok=True)
    for opset in (1, 2):
        text = SET.format(opset=opset, second=opset, first=json.dumps(first))
        (folder / f"{opset}.textproto").write_text(text, encoding="utf-8")


def write_messages(folder: Path, messages: Iterable[OperatorSetProto]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number, message in enumerate(messages):
        (folder / f"{number}.onnxopset").write_bytes(message.SerializeToString())


def site_of(folder: Path, cache: Cache = NO_CACHE, **options: Any) -> Site:
    return build_site(SiteOptions(sources=("ops",), base=folder, search=True, **options), cache=cache)


def pages_made(build: Callable[[], object]) -> int:
    """Return how many pages a build makes."""
    record("rest")
    build()
    return sum(stage.counts.get("pages", 0) for stage in stop())


# The same site


@settings(relaxed, max_examples=20)
@given(catalogs(), st.sampled_from(BREAKS), st.randoms(use_true_random=False), st.data())
def test_a_site_is_the_same_whatever_was_kept_before(
    tmp_path_factory: pytest.TempPathFactory,
    catalog: Catalog,
    change: tuple[str, Break],
    random: Random,
    data: st.DataObject,
) -> None:
    """Domains that keep all rules, then with a change: of texts, statuses, bodies, names, files."""
    folder = tmp_path_factory.mktemp("project")
    memory, disk = MemoryCache(NO_CACHE), DiskCache(folder / "cache", "project")
    write_messages(folder / "ops", catalog.messages())
    assert site_of(folder, memory) == site_of(folder, disk) == site_of(folder)
    _, look = change
    messages, _ = look(catalog, data.draw)  # type: ignore[arg-type]
    random.shuffle(messages)
    write_messages(folder / "ops", messages)
    assert site_of(folder, memory) == site_of(folder, disk) == site_of(folder)
    shutil.rmtree(folder)


def test_each_edit_of_a_text_of_onnx_is_seen(tmp_path: Path) -> None:
    """Texts that link to other operators, bodies that use them, revisions: whatever the real ones hold."""
    assert run_opsetdocs("export", "ops", "--format", "text", cwd=tmp_path).returncode == 0
    memory = MemoryCache(NO_CACHE)
    site_of(tmp_path, memory)
    random = Random(7)
    files = sorted((tmp_path / "ops").iterdir())
    for file in random.sample(files, 3):
        lines = file.read_text(encoding="utf-8").split("\n")
        texts = [at for at, line in enumerate(lines) if "doc_string: " in line]
        at = random.choice(texts)
        lines[at] = lines[at].replace(
            'doc_string: "', 'doc_string: "See `Conv` and [this](Operators.md#Add). '
        )
        file.write_text("\n".join(lines), encoding="utf-8")
        assert site_of(tmp_path, memory) == site_of(tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"title": "Other"},
        {"order": "file"},
        {"directory_urls": False},
        {"exclude": ("com.example/Second",)},
        {"link_map": {"*": "https://example.com/"}},
        {"rules": True},
        {"remote_images": True},
    ],
    ids=lambda options: next(iter(options)),
)
def test_each_option_counts(tmp_path: Path, options: dict[str, Any]) -> None:
    write_sets(tmp_path / "ops", "See [this](that.md) ![and](https://example.com/a.png).")
    cache = DiskCache(tmp_path / "cache", "project")
    before = site_of(tmp_path, cache)
    after = site_of(tmp_path, cache, **options)
    assert after == site_of(tmp_path, **options) != before
    assert site_of(tmp_path, cache) == before


def test_templates_and_what_is_known_count(tmp_path: Path) -> None:
    write_sets(tmp_path / "ops", "")
    templates = tmp_path / "templates"
    templates.mkdir()
    cache = DiskCache(tmp_path / "cache", "project")
    before = site_of(tmp_path, cache, templates=(templates,))
    (templates / "operator.html.jinja").write_text("<p>Ours</p>", encoding="utf-8")
    after = site_of(tmp_path, cache, templates=(templates,))
    assert after == site_of(tmp_path, templates=(templates,)) != before

    known = tmp_path / "known.json"
    checks = replace(SiteOptions().check, baseline=known)
    result = run_opsetdocs("check", "ops", "--write-baseline", str(known), cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    with_baseline = site_of(tmp_path, cache, check=checks)
    text = known.read_text(encoding="utf-8")
    known.write_text(text.replace("OPERATOR_DOC_STRING_PRESENT", "DOC_LINKS"), encoding="utf-8")
    assert site_of(tmp_path, cache, check=checks) == site_of(tmp_path, check=checks)
    assert site_of(tmp_path, cache, check=checks).findings != with_baseline.findings


# What is made anew


@pytest.mark.parametrize("in_memory", [False, True], ids=["disk", "memory"])
def test_only_what_depends_on_an_edit_is_made_anew(tmp_path: Path, in_memory: bool) -> None:
    write_sets(tmp_path / "ops")
    disk = DiskCache(tmp_path / "cache", "project")
    cache = MemoryCache(disk) if in_memory else disk
    total = len(site_of(tmp_path).pages)
    assert pages_made(lambda: site_of(tmp_path, cache)) == total
    assert pages_made(lambda: site_of(tmp_path, cache)) == 0
    write_sets(tmp_path / "ops", "Does it well.")
    # The root, the domain, its opsets, First, First-1, and opset 1, which brought it.
    assert pages_made(lambda: site_of(tmp_path, cache)) == 6
    assert pages_made(lambda: site_of(tmp_path, cache)) == 0


def test_what_the_last_two_sites_used_is_kept(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "cache", "project")

    def make(text: str) -> None:
        write_sets(tmp_path / "ops", text)
        site_of(tmp_path, cache)

    make_a, make_b, make_c = (partial(make, text) for text in "abc")
    assert all(pages_made(make) for make in (make_a, make_b))
    assert pages_made(make_a) == pages_made(make_b) == 0
    pages_made(make_c)
    assert pages_made(make_b) == 0
    assert pages_made(make_a) > 0


def test_the_file_does_not_grow_with_each_build(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "cache", "project")
    sizes = []
    for number in range(12):
        write_sets(tmp_path / "ops", f"{number:03}" * 2_000)
        site_of(tmp_path, cache)
        [file] = (tmp_path / "cache").iterdir()
        sizes.append(file.stat().st_size)
    assert max(sizes[4:]) <= 1.1 * max(sizes[:4])


def test_files_of_forgotten_projects_go(tmp_path: Path) -> None:
    write_sets(tmp_path / "ops")
    for name in ("old", "young"):
        site_of(tmp_path, DiskCache(tmp_path / "cache", name))
    [old] = (tmp_path / "cache").glob("old*")
    os.utime(old, (time.time() - 40 * 24 * 3600,) * 2)
    site_of(tmp_path, DiskCache(tmp_path / "cache", "third"))
    assert sorted(file.name.partition("-")[0] for file in (tmp_path / "cache").iterdir()) == [
        "third",
        "young",
    ]


def test_not_more_than_so_much_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "_KEPT_SIZE", 1)
    write_sets(tmp_path / "ops")
    for name in ("first", "second", "third"):
        site_of(tmp_path, DiskCache(tmp_path / "cache", name))
    [file] = (tmp_path / "cache").iterdir()
    assert file.name.startswith("third")


# Whatever happens to it


def garbage(file: Path) -> None:
    file.write_bytes(b"no database" * 1_000)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def scrambled(file: Path) -> None:
    data = bytearray(file.read_bytes())
    random = Random(3)
    for _ in range(len(data) // 100):
        data[random.randrange(4096, len(data))] = random.randrange(256)
    file.write_bytes(data)


def other_content(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE piece SET content = ?", (b"\x93\x01\x02\x03",))


def other_tables(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE piece (something)")


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("harm", [garbage, empty, cut, scrambled, other_content, other_tables, a_folder])
def test_a_broken_file_does_no_harm(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    write_sets(tmp_path / "ops")
    site = site_of(tmp_path)
    cache = DiskCache(tmp_path / "cache", "project")
    site_of(tmp_path, cache)
    [file] = (tmp_path / "cache").iterdir()
    harm(file)
    for _ in range(3):
        made = site_of(tmp_path, cache)
        assert (made.pages, made.targets, dict(made.assets)) == (site.pages, site.targets, dict(site.assets))
    assert pages_made(lambda: site_of(tmp_path, cache)) == (0 if file.is_file() else len(site.pages))


def test_another_build_that_writes_is_not_waited_for_long(tmp_path: Path) -> None:
    write_sets(tmp_path / "ops")
    site = site_of(tmp_path)
    cache = DiskCache(tmp_path / "cache", "project")
    site_of(tmp_path, cache)
    [file] = (tmp_path / "cache").iterdir()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert site_of(tmp_path, cache) == site
    assert pages_made(lambda: site_of(tmp_path, cache)) == 0


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="users are told apart by number")
def test_what_others_can_write_is_not_trusted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_sets(tmp_path / "ops")
    site = site_of(tmp_path)
    folder = tmp_path / "cache"
    site_of(tmp_path, DiskCache(folder, "project"))
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    assert pages_made(lambda: site_of(tmp_path, DiskCache(folder, "project"))) == len(site.pages)
    assert "others can write to it" in caplog.text
    folder.chmod(0o755)
    assert pages_made(lambda: site_of(tmp_path, DiskCache(folder, "project"))) == 0


def test_a_folder_that_cannot_be_written_does_no_harm(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_sets(tmp_path / "ops")
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "cache"
    assert site_of(tmp_path, DiskCache(folder, "project")) == site_of(tmp_path)
    assert not caplog.records
    assert site_of(tmp_path, DiskCache(folder, "project", is_asked_for=True)) == site_of(tmp_path)
    assert "nothing is kept" in caplog.text


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names of files are text there")
def test_a_name_of_a_file_that_is_no_text_does_no_harm(tmp_path: Path) -> None:
    write_sets(tmp_path / "ops", "")
    os.rename(tmp_path / "ops/1.textproto", os.fsencode(tmp_path / "ops") + b"/\xff.textproto")
    cache = DiskCache(tmp_path / "cache", "project")
    for _ in range(2):
        assert site_of(tmp_path, cache) == site_of(tmp_path)


def test_builds_at_once_do_not_mix(tmp_path: Path) -> None:
    write_sets(tmp_path / "ops")
    expected = run_opsetdocs("build", "ops", "--cache", "off", cwd=tmp_path)
    assert expected.returncode == 0, expected.stderr
    sound = content(tmp_path / "site")
    command = [sys.executable, "-m", "opsetdocs", "build", "ops", "--cache", "cache"]
    builds = [
        subprocess.Popen([*command, "-d", f"site{number}"], cwd=tmp_path, stdout=subprocess.DEVNULL)
        for number in range(4)
    ]
    assert [build.wait(timeout=300) for build in builds] == [0] * 4
    assert all(content(tmp_path / f"site{number}") == sound for number in range(4))
    with closing(sqlite3.connect(next((tmp_path / "cache").iterdir()))) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


# The commands


def test_a_site_built_again_is_not_touched(onnx_site: BuiltSite, tmp_path: Path) -> None:
    """All of ONNX: without a cache, with an empty one, and with a full one."""
    for cache in ("off", "cache", "cache"):
        result = run_opsetdocs("build", "--cache", cache, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        before, after = locals().get("after"), identities(tmp_path / "site")
        assert before in (None, after)
    assert content(tmp_path / "site") == content(onnx_site.folder)


@pytest.mark.parametrize(
    ("arguments", "option", "expected"),
    [
        ([], None, "user/opsetdocs"),
        ([], True, "user/opsetdocs"),
        ([], False, None),
        ([], "off", None),
        ([], "kept/here", "project/kept/here"),
        (["--cache", "off"], "kept/here", None),
        (["--cache", "../elsewhere"], False, "elsewhere"),
    ],
)
def test_it_is_moved_and_turned_off(
    tmp_path: Path, arguments: list[str], option: object, expected: str | None
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    write_sets(project / "ops")
    (project / "docs").mkdir()
    plugin = {"sources": ["ops"], **({} if option is None else {"cache": option})}
    config = {"site_name": "x", "theme": "opsetdocs", "plugins": [{"opsetdocs": plugin}]}
    (project / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")

    def run(command: str, *more: str) -> str:
        result = run_opsetdocs(command, *arguments, *more, cwd=project, XDG_CACHE_HOME=str(tmp_path / "user"))
        assert result.returncode == 0, result.stderr
        return result.stdout

    run("build")
    found = {file.parent.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.sqlite")}
    assert found == ({expected} if expected else set())
    for clear, removed in ([], ""), (["--clear"], "removed "):
        said = run("cache", *clear)
        if expected is None:
            assert said == "off\n"
        else:
            folder, _, kept = said.partition(": ")
            assert (project / folder).samefile(tmp_path / expected)
            assert re.fullmatch(rf"{removed}1 cache, 0\.\d MB\n", kept)
    assert not list(tmp_path.rglob("*.sqlite"))


def test_nothing_but_caches_is_removed(tmp_path: Path) -> None:
    names = {"mine.sqlite", "8cd34a844e750602.sqlite", "notes.txt"}
    for name in (*names, "8cd34a844e750602-1.sqlite"):
        (tmp_path / name).write_bytes(bytes(100_000))
    assert run_opsetdocs("cache", "--cache", ".", cwd=tmp_path).stdout.endswith(": 1 cache, 0.1 MB\n")
    assert run_opsetdocs("cache", "--cache", ".", "--clear", cwd=tmp_path).returncode == 0
    assert {file.name for file in tmp_path.iterdir()} == names
    assert run_opsetdocs("cache", "--cache", "absent", cwd=tmp_path).stdout == "absent/: 0 caches, 0.0 MB\n"


def test_a_folder_without_a_name_is_refused(tmp_path: Path) -> None:
    result = run_opsetdocs("build", "--cache", "", cwd=tmp_path)
    assert result.returncode == 2
    assert "expected a folder, or off" in result.stderr
