"""The commands, run as a user runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from folders import content, entries
from opsetdocs.cli import describe, main
from opsetdocs.project import find_project, fixed_part
from opsetdocs.site import Summary

PLAIN = "L3-plain.textproto"
COUNTS = "2 operators, 2 versions, 1 opset in 1 domain: 8 pages in site/\n"


@pytest.fixture
def folder(tmp_path: Path, cases: Path) -> Path:
    """A project folder with one opset file and no mkdocs.yml."""
    shutil.copy(cases / PLAIN, tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "opsetdocs", *arguments],
            cwd=folder,
            env=os.environ | environment,
            input=stdin,
            capture_output=True,
            timeout=600,
            check=False,
        )

    return run


Run = Callable[..., subprocess.CompletedProcess[bytes]]


def configure(folder: Path, plugins: Any, **settings: Any) -> Path:
    (folder / "docs").mkdir(exist_ok=True)
    config_file = folder / "mkdocs.yml"
    config_file.write_text(json.dumps({"site_name": "Test", "plugins": plugins, **settings}), "utf-8")
    return config_file


def test_without_a_project_the_default_site_shows_the_source(folder: Path, run: Run) -> None:
    done = run("build", PLAIN)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, COUNTS, b"")
    assert (folder / "site/com.example/operators/Halve/2/index.html").exists()
    assert entries(folder) == {PLAIN, "site"}


def test_the_default_site_asks_no_other_host(folder: Path, run: Run) -> None:
    run("build", PLAIN)
    asks = re.compile(
        rb"""(<(script|img|iframe)[^>]*src=|<link[^>]*href=|@import|url\()\s*["']?(https?:)?//"""
    )
    for name, data in content(folder / "site").items():
        assert not (name.endswith((".html", ".css")) and asks.search(data)), name


def test_two_builds_are_the_same_bytes(folder: Path, run: Run) -> None:
    for name in ("one", "two"):
        assert run("build", PLAIN, "-d", name, SOURCE_DATE_EPOCH="1700000000").returncode == 0
    assert content(folder / "one") == content(folder / "two")


def test_no_page_names_the_time_of_the_build(folder: Path, run: Run) -> None:
    run("build", PLAIN)
    for page in (folder / "site").rglob("*.html"):
        assert not re.search(rb"\d{4}-\d\d-\d\d|\d\d:\d\d", page.read_bytes())


def test_where_a_theme_names_the_time_it_is_the_day(folder: Path, run: Run) -> None:
    configure(folder, ["search", "opsetdocs"], theme="mkdocs")
    run("build", PLAIN)
    assert re.search(rb"\d{4}-\d\d-\d\d 00:00:00", (folder / "site/index.html").read_bytes())


@pytest.mark.parametrize("plugins", [["search", "opsetdocs"], {"search": {}, "opsetdocs": None}])
def test_sources_of_the_call_come_before_those_of_the_project(folder: Path, run: Run, plugins: Any) -> None:
    configure(folder, plugins)
    done = run("build", PLAIN)
    assert (done.returncode, done.stdout.decode()) == (0, COUNTS)


def test_the_project_names_sources_and_the_folder(folder: Path, run: Run) -> None:
    (folder / "below").mkdir()
    configure(folder, ["search", {"opsetdocs": {"sources": ["*.textproto"], "path": "ops"}}], site_dir="out")
    done = run("build")
    assert done.stdout.decode().endswith("8 pages in out/\n")
    assert (folder / "out/ops/com.example/index.html").exists()


def test_pyproject_names_sources_where_there_is_no_project(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text(f'[tool.opsetdocs]\nsources = ["{PLAIN}"]\n', encoding="utf-8")
    assert run("build").stdout.decode() == COUNTS
    (folder / "pyproject.toml").write_text("[tool.opsetdocs", encoding="utf-8")
    result = run("build")
    assert result.returncode == 2
    assert b"pyproject.toml" in result.stderr


def test_settings_of_a_domain_that_is_not_there_are_named(folder: Path, run: Run) -> None:
    options = {"sources": [PLAIN], "domains": {"com.exmaple": {"title": "Ours"}}}
    config = {"site_name": "x", "theme": "opsetdocs", "plugins": [{"opsetdocs": options}]}
    (folder / "docs").mkdir()
    (folder / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")
    result = run("build")
    assert result.returncode == 0
    assert b"domains: the sources have no domain com.exmaple" in result.stderr


def test_an_empty_source_is_refused(folder: Path, run: Run) -> None:
    for command in (["check", ""], ["build", ""], ["show", ""]):
        result = run(*command)
        assert result.returncode == 2
        assert b"a source is empty" in result.stderr
    assert not (folder / "site").exists()


def test_sources_are_relative_to_the_current_folder(folder: Path, cases: Path) -> None:
    (folder / "project").mkdir()
    configure(folder / "project", ["search", "opsetdocs"])
    done = subprocess.run(
        [sys.executable, "-m", "opsetdocs", "build", PLAIN, "-f", "project/mkdocs.yml", "-d", "site"],
        cwd=folder,
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stdout.decode()) == (0, COUNTS)


def test_standard_input_is_a_source(folder: Path, run: Run) -> None:
    data = (folder / PLAIN).read_bytes()
    (folder / PLAIN).unlink()
    done = run("build", "-", stdin=data)
    assert (done.returncode, done.stdout.decode()) == (0, COUNTS)


def test_unchanged_files_keep_their_time_and_changed_ones_are_new(folder: Path, run: Run) -> None:
    run("build", PLAIN)
    site = folder / "site"
    for path in site.rglob("*"):
        os.utime(path, (1, 1))
    (site / ".git").mkdir()
    text = (folder / PLAIN).read_text(encoding="utf-8")
    (folder / PLAIN).write_text(text.replace("Divides every", "Splits every"), encoding="utf-8")
    run("build", PLAIN)
    assert (site / "com.example/operators/Double/index.html").stat().st_mtime == 1
    changed = site / "com.example/operators/Halve/index.html"
    assert changed.stat().st_mtime > 1
    assert "Splits every" in changed.read_text(encoding="utf-8")
    assert (site / ".git").is_dir(), "MkDocs leaves hidden entries alone, and so do we"


def test_what_is_gone_from_the_files_is_gone_from_the_site(folder: Path, run: Run) -> None:
    run("build", PLAIN)
    text = (folder / PLAIN).read_text(encoding="utf-8")
    (folder / PLAIN).write_text(text[: text.rindex("operator {")], encoding="utf-8")
    run("build", PLAIN)
    assert not (folder / "site/com.example/operators/Halve").exists()
    assert b"Halve" not in b"".join(content(folder / "site").values())


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("L8-typo-field.textproto", ["L8-typo-field.textproto:6", "operater"]),
        ("L11-empty.textproto", ["L11-empty.textproto", "empty"]),
        ("absent.textproto", ["absent.textproto"]),
    ],
)
def test_an_unusable_file_is_named_and_the_old_site_stays(
    folder: Path, run: Run, cases: Path, case: str, said: list[str]
) -> None:
    run("build", PLAIN)
    before = content(folder / "site")
    if (cases / case).exists():
        shutil.copy(cases / case, folder)
    done = run("build", PLAIN, case)
    errors = done.stderr.decode()
    assert done.returncode == 2
    assert all(word in errors for word in said), errors
    assert "Traceback" not in errors
    assert content(folder / "site") == before
    assert entries(folder) - {case} == {PLAIN, "site"}


def test_strict_publishes_nothing_that_has_a_warning(folder: Path, run: Run) -> None:
    text = (folder / PLAIN).read_text(encoding="utf-8")
    (folder / PLAIN).write_text(text.replace("status: STABLE", ""), encoding="utf-8")
    lenient = run("build", PLAIN, "-d", "lenient")
    strict = run("build", PLAIN, "--strict")
    assert (lenient.returncode, strict.returncode) == (0, 1)
    assert b"Double" in lenient.stderr
    assert lenient.stdout.endswith(b"\n1 warning; with --strict nothing would have been published\n")
    assert b"WARNING" in strict.stderr
    assert entries(folder) == {PLAIN, "lenient"}


def test_a_plugin_that_looks_at_the_files_of_a_build_finds_all_of_them(folder: Path, run: Run) -> None:
    """Although files that are published already need not be written."""
    (folder / "docs").mkdir()
    look = "print(*Path(config.site_dir).rglob('*.html'))"
    hook = f"from pathlib import Path\n\ndef on_post_build(config):\n    {look}\n"
    (folder / "hook.py").write_text(hook, encoding="utf-8")
    config = {"site_name": "Test", "plugins": [{"opsetdocs": {"sources": [PLAIN]}}], "hooks": ["hook.py"]}
    (folder / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")
    seen = [run("build").stderr.count(b"index.html") for _ in range(2)]
    assert seen[0] == seen[1] > 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("site_name: A", "  - opsetdocs"),
        ("plugins: [search]", "  - opsetdocs"),
        ("plugins: [search, opsetdocs: {enabled: false}]\nsite_name: A", "off"),
        ("plugins: [", "mkdocs.yml"),
        ("- a", "mkdocs.yml"),
        ("INHERIT: absent.yml", "absent.yml"),
        ("x: !!python/name:absent.module ''", "absent"),
        ("plugins: [opsetdocs, search]\nsite_name: A\ntheme: absent", "absent"),
        ("plugins: [opsetdocs: {order: size}, search]\nsite_name: A", "order"),
    ],
)
def test_an_unusable_project_is_an_error(folder: Path, run: Run, text: str, said: str) -> None:
    (folder / "mkdocs.yml").write_text(text, encoding="utf-8")
    (folder / "docs").mkdir()
    (folder / "docs/index.md").write_text("# A", encoding="utf-8")
    done = run("build", PLAIN)
    errors = done.stderr.decode()
    assert done.returncode == 2
    assert said in errors
    assert "Traceback" not in errors
    assert entries(folder) == {PLAIN, "mkdocs.yml", "docs"}


def test_a_project_inherits_its_plugins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUT", "elsewhere")
    (folder / "base.yml").write_text("plugins: [search, opsetdocs]\nsite_dir: !ENV OUT", encoding="utf-8")
    (folder / "mkdocs.yaml").write_text("INHERIT: base.yml", encoding="utf-8")
    monkeypatch.chdir(folder)
    assert find_project(None).site_dir == folder / "elsewhere"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("-", None),
        ("onnx", None),
        ("a/b.textproto", "a/b.textproto"),
        ("a/*/b.textproto", "a"),
        ("*.textproto", "."),
        ("a/[bc]", "a"),
        ("/a/?", "/a"),
    ],
)
def test_the_fixed_part_of_a_source(source: str, expected: str | None) -> None:
    assert fixed_part(source) == (None if expected is None else Path(expected))


@pytest.mark.parametrize("target", ["/", "~", ".", ".."])
def test_a_folder_with_everything_in_it_is_never_replaced(folder: Path, target: str) -> None:
    result = CliRunner().invoke(main, ["build", str(folder / PLAIN), "-d", str(Path(target).expanduser())])
    assert result.exit_code == 2
    assert "in there" in result.output


def test_a_site_behind_a_symbolic_link_is_replaced_where_it_is(folder: Path, run: Run) -> None:
    (folder / "real").mkdir()
    (folder / "site").symlink_to("real", target_is_directory=True)
    assert run("build", PLAIN).returncode == 0
    assert (folder / "site").is_symlink()
    assert (folder / "real/index.html").exists()


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
    ],
)
def test_messages_survive_any_encoding(
    folder: Path, run: Run, cases: Path, environment: dict[str, str]
) -> None:
    shutil.copy(cases / "T2-non-ascii.textproto", folder / "⊗ β ±∞ 🙂.textproto")
    done = run("build", ".", "absent ⊗ 🙂", **environment)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    done = run("build", ".", "-d", "out ⊗ 🙂", **environment)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    texts = b"".join(data for name, data in content(folder / "out ⊗ 🙂").items() if name.endswith(".html"))
    assert "⊗" in texts.decode("utf-8")
    assert "👍🏽" in texts.decode("utf-8")


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        (Summary(4, 227, 659, 35, 946), "227 operators, 659 versions, 35 opsets in 4 domains: 946 pages"),
        (Summary(1, 1, 1, 1, 1), "1 operator, 1 version, 1 opset in 1 domain: 1 page"),
    ],
)
def test_counts_in_words(summary: Summary, words: str) -> None:
    assert describe(summary) == words


@pytest.mark.parametrize(
    ("format_", "ending"), [("binary", "onnxopset"), ("text", "textproto"), ("json", "onnxjson")]
)
def test_export(tmp_path: Path, format_: str, ending: str) -> None:
    arguments = [
        "export",
        str(tmp_path / "ops"),
        "--domain",
        "ai.onnx.ml",
        "--opset",
        "3",
        "--format",
        format_,
    ]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert (result.exit_code, result.output) == (0, f"1 file in {tmp_path / 'ops'}/\n")
    assert entries(tmp_path / "ops") == {f"ai.onnx.ml-3.{ending}"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "ops", "--domain", "com.absent"],
        ["export", "ops", "--domain", "ai.onnx", "--opset", "999"],
        ["export", "ops", "--opset", "0"],
        ["export"],
        ["build", "-f", "absent.yml"],
        ["build", "--absent"],
        ["absent"],
    ],
)
def test_an_unusable_call_exits_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "Error" in result.output
    assert entries(tmp_path) == set()


def test_an_incomplete_installation_is_an_error_in_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(folder, ["opsetdocs"])
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "mkdocs.utils.yaml", None)
    result = CliRunner().invoke(main, ["check", PLAIN])
    assert result.exit_code == 2
    assert "opsetdocs is not installed with all that it needs: import of mkdocs.utils.yaml" in result.output


def test_version(run: Run) -> None:
    assert re.fullmatch(r"opsetdocs, version \d+\.\d+\.\w+\S*\n", run("--version").stdout.decode())
