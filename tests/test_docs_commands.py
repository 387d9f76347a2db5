"""Every command that the documentation or a help text shows is run as it stands there, in its order."""

from __future__ import annotations

import inspect
import io
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from mkdocs.utils.yaml import yaml_load

from opsetdocs.check_settings import read_pyproject
from opsetdocs.cli import main
from opsetdocs.new_project import new_project
from opsetdocs.plugin_options import OpsetDocsConfig
from opsetdocs.rules import run as run_rules
from opsetdocs.sources import load
from shown import PAGES, TEMPLATE, TOP, Shown, named, shown
from test_other_sources import CONTRIB, function, model

DOMAIN = "com.acme.ops"

ELSEWHERE = {
    "tutorial.md": "test_publishing.py::test_the_tutorial_leads_to_a_published_site",
    "publishing.md": "test_publishing.py::test_the_commands_for_mike_are_the_ones_that_are_tried",
}
"""The pages whose commands another test runs."""

INSTALLS = "installs packages; tests/test_packaging.py installs this one"
NOT_RUN = {
    ("README.md", "python3 -m venv .venv"): "is done where tests run",
    ("README.md", ".venv/bin/pip install -e ."): INSTALLS,
    ("README.md", ".venv/bin/pip install -U pip"): INSTALLS,
    ("README.md", ".venv/bin/pip install --group tests"): INSTALLS,
    ("README.md", ".venv/bin/pytest -n auto"): "runs this test",
    ("CONTRIBUTING.md", "python3 -m venv .venv"): "is done where tests run",
    ("CONTRIBUTING.md", ".venv/bin/pip install -U pip"): INSTALLS,
    ("CONTRIBUTING.md", ".venv/bin/pip install -e . --group dev"): INSTALLS,
    ("CONTRIBUTING.md", ".venv/bin/python -m bench"): "takes many minutes",
    ("CONTRIBUTING.md", ".venv/bin/python -m bench check --runs 15 --json new.json"): "takes many minutes",
    ("CONTRIBUTING.md", ".venv/bin/python -m bench --skip 'all pages in the nav'"): "takes many minutes",
    ("CONTRIBUTING.md", ".venv/bin/python -m bench --table bench/results.json"): "test_bench.py does it",
    ("speed.md", "python -m bench onnx 1000 --runs 3"): "takes many minutes",
    ("README.md.jinja", "pip install -r requirements.txt"): INSTALLS,
    **{
        ("commands.md", command): "tests/test_cli_terminal.py runs it in its shell"
        for command in (
            'eval "$(_OPSETDOCS_COMPLETE=bash_source opsetdocs)"',
            'eval "$(_OPSETDOCS_COMPLETE=zsh_source opsetdocs)"',
            "_OPSETDOCS_COMPLETE=fish_source opsetdocs | source",
        )
    },
}
"""What is not run, and why."""

SERVERS = {"mkdocs serve": ("--dev-addr 127.0.0.1:0", "Serving on")}
"""What ends only when somebody ends it: how it is told to take any port, and what it says when it is up."""

EMPTY = ("start.md",)
"""Pages that begin with nothing."""

RUN = [page for page in PAGES if page.name not in ELSEWHERE and any(shown(page))]


def test_every_page_with_commands_is_run_here_or_elsewhere() -> None:
    assert {page.name for page in PAGES} >= {"README.md", "CONTRIBUTING.md", "commands.md", *ELSEWHERE}
    for where in ELSEWHERE.values():
        file, _, name = where.partition("::")
        assert f"def {name}(" in (TOP / "tests" / file).read_text("utf-8")


def test_what_is_not_run_is_still_shown() -> None:
    everything = {(page.name, item.command) for page in PAGES for item in shown(page)}
    assert NOT_RUN.keys() <= everything


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_text_names_has_these_options(page: Path) -> None:
    for _, name, *words in named(page):
        if name.isupper():
            continue  # COMMAND stands for any
        options = {option for item in main.commands[name].params for option in item.opts}
        assert {word for word in words if word.startswith("-")} <= options | {"--help"}, (name, words)


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("git")), reason="needs bash and git")
@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "work")
    sandbox.folder.mkdir()
    if page.name not in EMPTY:
        furnish(sandbox)
    for item in shown(page):
        if (page.name, item.command) not in NOT_RUN:
            sandbox.run(item)


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("git")), reason="needs bash and git")
@pytest.mark.parametrize("name", ["", *main.commands])
def test_the_commands_of_a_help_text_run(name: str, tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "work")
    sandbox.folder.mkdir()
    furnish(sandbox)
    text = (main.commands[name] if name else main).help or ""
    examples = re.findall(r"^ {4,}((?:opsetdocs|mkdocs) .*)$", inspect.cleandoc(text), re.MULTILINE)
    assert examples
    for command in examples:
        sandbox.run(Shown(command))


class Sandbox:
    """A folder in which commands run one after the other, as in one shell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._current = folder
        names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
        self._environment = {
            **os.environ,
            **{f"GIT_{name}": "a@example.com" for name in names},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "COLUMNS": "100",
        }

    def run(self, item: Shown) -> None:
        if item.command in SERVERS:
            self._serve(item.command, *SERVERS[item.command])
            return
        place = self.folder.parent / "place"
        done = subprocess.run(
            ["bash", "-c", f'{item.command}\ncode=$?\npwd > "{place}"\nexit $code'],
            cwd=self._current,
            env=self._environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=600,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{item.command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        if item.output is not None:
            assert re.fullmatch(pattern_of(item.output), done.stdout.rstrip("\n")), done.stdout
        self._current = Path(place.read_text("utf-8").strip())

    def _serve(self, command: str, any_port: str, ready: str) -> None:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command} {any_port}"],
            cwd=self._current,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            # What runs in the background may be told to ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        said = []
        try:
            assert process.stdout
            for line in process.stdout:
                said.append(line)
                if ready in line:
                    return
            pytest.fail(f"{command} ended: {''.join(said)}")
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)


def pattern_of(output: str) -> str:
    """Return a pattern of an output; a line `...` stands for any lines."""
    lines = (r"(?:.*\n)*?.*" if line.strip() == "..." else re.escape(line) for line in output.splitlines())
    return "\n".join(lines)


def furnish(sandbox: Sandbox) -> None:
    """Make a project with everything that pages name: committed, tagged, and with a remote."""
    folder = sandbox.folder
    new_project(folder, DOMAIN)
    opset = (folder / f"opsets/{DOMAIN}-2.textproto").read_text("utf-8")
    (folder / "published").mkdir()
    for name, version in (
        ("ops-3", 3),
        ("ops-4", 4),
        ("published/ops-3", 3),
        (f"{DOMAIN}-3", 3),
        (f"{DOMAIN}-4", 4),
    ):
        text = opset.replace("\nopset_version: 2\n", f"\nopset_version: {version}\n")
        (folder / f"{name}.textproto").write_text(text, "utf-8")
    (folder / "my-ops.textproto").write_text(readme_example("textproto"), "utf-8")
    (folder / "ContribOperators.md").write_text(CONTRIB, "utf-8")
    for name, made in (("model", "A"), ("other", "B")):
        onnx.save(model(function(made, "pkg.one")), folder / f"{name}.onnx")
    (folder / ".venv").mkdir()
    (folder / ".venv/bin").symlink_to(Path(sys.executable).parent, target_is_directory=True)
    for command in (
        "git init --quiet --bare ../remote",
        "git init --quiet --initial-branch main",
        "git add opsets docs mkdocs.yml",
        "git commit --quiet --message x",
        "git tag v1.2",
        "git remote add origin ../remote",
        "git push --quiet origin main",
    ):
        sandbox.run(Shown(command))


# What is shown in other languages


def examples(language: str) -> list[tuple[Path, str]]:
    block = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    pages = [page for page in PAGES if page != TEMPLATE]
    return [(page, found) for page in pages for found in block.findall(page.read_text("utf-8"))]


def names(value: Path | str) -> str:
    return value.name if isinstance(value, Path) else "example"


def readme_example(language: str) -> str:
    return next(block for page, block in examples(language) if page.name == "README.md")


@pytest.mark.parametrize(("page", "text"), examples("textproto"), ids=names)
def test_every_operator_set_that_is_shown_keeps_the_rules(page: Path, text: str) -> None:
    loaded = load(("-",), base=Path(), stdin=io.BytesIO(text.encode()))
    assert not [*loaded.findings, *run_rules(loaded.sets)]


@pytest.mark.parametrize(("page", "text"), examples("toml"), ids=names)
def test_every_pyproject_that_is_shown_has_known_keys(page: Path, text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text, "utf-8")
    assert read_pyproject(tmp_path / "pyproject.toml")


@pytest.mark.parametrize(("page", "text"), examples("yaml"), ids=names)
def test_every_configuration_that_is_shown_has_known_options(page: Path, text: str) -> None:
    plugins = yaml_load(text).get("plugins", ())
    for options in (item["opsetdocs"] for item in plugins if isinstance(item, dict) and "opsetdocs" in item):
        ours = OpsetDocsConfig()
        ours.load_dict(options)
        assert ours.validate() == ([], [])
