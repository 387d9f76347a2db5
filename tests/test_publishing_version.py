"""The version that a build has: that of the last tag, whatever is built, and wherever."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from email.parser import Parser
from pathlib import Path

import pytest

TOP = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.skipif(not shutil.which("git"), reason="needs git"),
]


def run(*command: str | Path, cwd: Path) -> str:
    # Of the machine's own settings for Git and for versions, none counts here.
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "SETUPTOOLS_SCM"))
    }
    nobody = {
        f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | nobody | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(folder: Path, target: str) -> Path:
    out = folder.parent / f"dist-{target}-{folder.name}"
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", out, cwd=folder)
    (made,) = out.iterdir()
    return made


def version_in(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return str(Parser().parsestr(archive.read(name).decode())["Version"])


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the build looks at, and little else."""
    folder = tmp_path / "checkout"
    (folder / "src").mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(TOP / name, folder)
    package = folder / "src/opsetdocs"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    for name in ("templates", "site_config"):
        (folder / name).mkdir()
        (folder / name / "README.md").write_text("Text.\n", "utf-8")
    return folder


@pytest.fixture
def repository(checkout: Path) -> Path:
    run("git", "init", "-q", "-b", "main", cwd=checkout)
    run("git", "add", ".", cwd=checkout)
    run("git", "commit", "-q", "-m", "One", cwd=checkout)
    return checkout


def commit(repository: Path) -> None:
    run("git", "commit", "-q", "--allow-empty", "-m", "Another", cwd=repository)


def untagged(repository: Path) -> str:
    commit(repository)
    return r"0\.1\.dev2\+g[0-9a-f]{7,}"


def tagged(repository: Path) -> str:
    run("git", "tag", "v1.2.0", cwd=repository)
    return r"1\.2\.0"


def after_a_tag(repository: Path) -> str:
    tagged(repository)
    commit(repository)
    return r"1\.2\.1\.dev1\+g[0-9a-f]{7,}"


def without_git(repository: Path) -> str:
    shutil.rmtree(repository / ".git")
    return r"0\.1\.dev0"


@pytest.mark.parametrize("prepare", [untagged, tagged, after_a_tag, without_git])
def test_the_version_is_that_of_the_last_tag(
    repository: Path, tmp_path: Path, prepare: Callable[[Path], str]
) -> None:
    expected = prepare(repository)
    version = version_in(build(repository, "wheel"))
    assert re.fullmatch(expected, version)
    with tarfile.open(build(repository, "sdist")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    assert source.name == f"opsetdocs-{version}"
    assert version_in(build(source, "wheel")) == version


def test_a_shallow_clone_builds_too(repository: Path, tmp_path: Path) -> None:
    tagged(repository)
    commit(repository)
    run("git", "clone", "-q", "--depth", "1", f"file://{repository}", tmp_path / "shallow", cwd=tmp_path)
    assert version_in(build(tmp_path / "shallow", "wheel")).startswith("0.1.dev1+g")
