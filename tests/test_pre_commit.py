"""The hook for pre-commit: what it is told by the manifest."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mkdocs.utils.yaml import yaml_load

from opsetdocs.cli import main
from opsetdocs.loader import ENDINGS

TOP = Path(__file__).parents[1]
MANIFEST = TOP / ".pre-commit-hooks.yaml"


@pytest.fixture
def hook() -> dict[str, Any]:
    hooks: Any = yaml_load(MANIFEST.read_text(encoding="utf-8"))
    (only,) = hooks
    return dict(only)


def test_pre_commit_takes_the_manifest() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def test_the_hook_runs_a_command_that_there_is(hook: dict[str, Any]) -> None:
    script, command = shlex.split(hook["entry"])
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert script in project["scripts"]
    assert command in main.commands


def test_the_hook_runs_for_the_files_that_are_read(hook: dict[str, Any]) -> None:
    named = re.search(r"\((\w+(?:\|\w+)+)\)", hook["files"])
    assert named
    assert {f".{ending}" for ending in named[1].split("|")} == set(ENDINGS)
    for ending in ENDINGS:
        assert re.search(hook["files"], f"opsets/a{ending}")
        assert re.search(hook["files"], f"opsets/A{ending.upper()}")
        assert not re.search(hook["files"], f"opsets/a{ending}.orig")
        assert not re.search(hook["files"], f"opsets/a{ending.removeprefix('.')}")


def test_the_hook_gets_no_files_since_rules_look_across_them(hook: dict[str, Any]) -> None:
    assert hook["pass_filenames"] is False
