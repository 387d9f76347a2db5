"""opsetdocs as it is installed: from a wheel, from an sdist, editable; and a checkout on the path."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[1]
FOLDERS = ("templates", "site_config")
WORK = ("src", *FOLDERS, "pyproject.toml", ".gitignore", "*.md", "LICENSE")
RESOURCES = """\
import json, opsetdocs.resources as r
print(json.dumps([str(r.__file__), str(r.templates_dir()), str(r.site_config_dir())]))
"""


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=inherited | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy, so that no build leaves anything in the work tree."""
    copy = tmp_path_factory.mktemp("checkout")
    for pattern in WORK:
        for path in ROOT.glob(pattern):
            if path.is_dir():
                shutil.copytree(path, copy / path.name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(path, copy)
    return copy


def build(source: Path, target: str) -> Path:
    """Build a distribution with the build back end that is installed here, without a network."""
    out = source / "dist"
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", out, cwd=source)
    (made,) = out.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    return build(checkout, "wheel")


@pytest.fixture(scope="module")
def wheel_of_sdist(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    unpacked = tmp_path_factory.mktemp("sdist")
    with tarfile.open(build(checkout, "sdist")) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    return build(source, "wheel")


@dataclass(frozen=True)
class Environment:
    """A virtual environment that sees the dependencies of this one, but not its opsetdocs."""

    python: Path
    path: str = ""

    @classmethod
    def make(cls, folder: Path, path: str = "") -> Environment:
        venv.create(folder, with_pip=False)
        scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        made = cls(scripts / "python", path)
        packages = run(
            made.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder
        )
        # Entries of a .pth file are searched last, and .pth files of theirs are not read.
        Path(packages.strip(), "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
        return made

    def install(self, *what: str | Path) -> Environment:
        options = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation")
        command = (sys.executable, "-m", "pip", "--python", self.python, "install", *options, *what)
        run(*command, cwd=self.python.parent)
        return self

    def run(self, *arguments: str | Path, cwd: Path) -> str:
        return run(self.python, *arguments, cwd=cwd, **({"PYTHONPATH": self.path} if self.path else {}))


@pytest.fixture(scope="module")
def environments(
    checkout: Path, wheel: Path, wheel_of_sdist: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Environment]:
    folder = tmp_path_factory.mktemp("environments")
    return {
        "wheel": Environment.make(folder / "wheel").install(wheel),
        "sdist": Environment.make(folder / "sdist").install(wheel_of_sdist),
        "editable": Environment.make(folder / "editable").install("--editable", checkout),
        "checkout": Environment.make(folder / "checkout", path=str(checkout / "src")),
    }


KINDS = ["wheel", "sdist", "editable", "checkout"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_two_folders_are_found(
    environments: dict[str, Environment], checkout: Path, tmp_path: Path, kind: str
) -> None:
    module, *found = map(Path, json.loads(environments[kind].run("-c", RESOURCES, cwd=tmp_path)))
    installed = kind in ("wheel", "sdist")
    parent = module.parent if installed else checkout
    assert found == [parent / name for name in FOLDERS]
    assert module.is_relative_to(environments[kind].python.parents[1] if installed else checkout)
    assert (found[0] / "operator.html.jinja").is_file()
    assert (found[1] / "mkdocs.yml").is_file()


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_runs(environments: dict[str, Environment], tmp_path: Path, kind: str) -> None:
    said = environments[kind].run("-m", "opsetdocs", "--version", cwd=tmp_path)
    assert said.startswith("opsetdocs, version ")
    if kind != "checkout":  # That one is not installed, but sees what is installed here.
        assert said == "opsetdocs, version 0.1.dev0\n"  # tests/test_publishing_version.py has more.


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_of_rules_are_found(
    environments: dict[str, Environment], tmp_path: Path, kind: str
) -> None:
    said = environments[kind].run("-m", "opsetdocs", "rules", "OPSET_MAGIC", cwd=tmp_path)
    assert "[OPSET_MAGIC]" in said


def test_each_installation_builds_the_same_site(
    environments: dict[str, Environment], tmp_path: Path, cases: Path
) -> None:
    shutil.copy(cases / "L3-plain.textproto", tmp_path)
    sites = []
    for kind in ("wheel", "sdist", "editable"):
        environments[kind].run("-m", "opsetdocs", "build", "L3-plain.textproto", "-d", kind, cwd=tmp_path)
        files = (path for path in (tmp_path / kind).rglob("*") if path.is_file())
        sites.append({path.relative_to(tmp_path / kind): path.read_bytes() for path in files})
    assert sites[0]
    assert sites[0] == sites[1] == sites[2]


def test_the_wheel_holds_the_package_and_the_two_folders(
    wheel: Path, wheel_of_sdist: Path, checkout: Path
) -> None:
    def files(folder: Path, prefix: str) -> set[str]:
        found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {f"{prefix}/{path.relative_to(folder).as_posix()}" for path in found}

    expected = files(checkout / "src/opsetdocs", "opsetdocs")
    for name in FOLDERS:
        expected |= files(checkout / name, f"opsetdocs/{name}")
    held = [
        {name for name in zipfile.ZipFile(path).namelist() if ".dist-info/" not in name}
        for path in (wheel, wheel_of_sdist)
    ]
    assert held == [expected, expected]


def test_the_two_folders_hold_no_python(checkout: Path) -> None:
    assert not [path for name in FOLDERS for path in (checkout / name).rglob("*.py")]


def test_an_editable_installation_has_no_copies(environments: dict[str, Environment], checkout: Path) -> None:
    installed = environments["editable"].python.parents[1]
    assert not [path for name in FOLDERS for path in installed.rglob(name)]
    assert not [path for name in FOLDERS for path in (checkout / "src").rglob(name)]
