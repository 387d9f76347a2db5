"""The project's own promises: public names, README's commands, files that have to stay in step."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import opsetdocs
from html_site import BuiltSite

TOP = Path(__file__).parents[1]


def read(name: str) -> str:
    return (TOP / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", opsetdocs.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(opsetdocs, name).__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        opsetdocs.nothing  # noqa: B018


def test_importing_the_package_loads_neither_onnx_nor_mkdocs() -> None:
    code = (
        "import sys, opsetdocs.sources, opsetdocs.history\n"
        "print([name for name in ('onnx', 'mkdocs', 'numpy') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_ci_runs_the_test_command_of_the_readme() -> None:
    commands = re.findall(r"```console\n(.*?)```", read("README.md"), re.DOTALL)
    (test_command,) = [line for block in commands for line in block.splitlines() if "pytest" in line]
    assert test_command in read(".ci/check").splitlines()


def test_every_dependency_has_its_reason() -> None:
    import tomllib

    stated = tomllib.loads(read("pyproject.toml"))["project"]["dependencies"]
    table = read("CONTRIBUTING.md").partition("## Dependencies")[2].partition("##")[0]
    for requirement in stated:
        name = re.split(r"[<>=!]", requirement)[0]
        assert re.search(rf"\b{re.escape(name)}\b", table), name


def test_every_module_stands_in_the_overview_of_the_code() -> None:
    table = read("CONTRIBUTING.md")
    names = {path.stem for path in (TOP / "src/opsetdocs").glob("*.py")} - {"__init__", "__main__"}
    assert {name for name in names if f"`{name}.py`" not in table} == set()


def test_the_project_site_passes_strict_and_has_no_broken_link(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    result = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "WARNING" not in result.stderr
    site = BuiltSite(tmp_path / "site")
    assert site.broken_links() == []
    assert "project/conventions/index.html" in site.pages
