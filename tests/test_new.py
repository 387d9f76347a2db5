"""`opsetdocs new`: a project that checks and builds as it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from mkdocs.utils.yaml import yaml_load

from conftest import run_opsetdocs
from opsetdocs import new_project as module
from opsetdocs.cli import main
from opsetdocs.errors import ConfigError
from opsetdocs.history import build_catalog
from opsetdocs.names import domain_segment
from opsetdocs.new_project import TEMPLATES, new_project
from opsetdocs.sources import load

DOMAIN = "com.acme.ops"
WORKFLOW = ".github/workflows/pages.yml"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as a user makes it, with its site."""
    above = tmp_path_factory.mktemp("new")
    made = run_opsetdocs("new", "acme ops", "--domain", DOMAIN, cwd=above)
    assert (made.returncode, made.stderr) == (0, "")
    folder = above / "acme ops"
    built = run_opsetdocs("build", "--strict", cwd=folder)
    assert (built.returncode, built.stderr) == (0, "")
    return folder


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8")
        for path in folder.rglob("*")
        if path.is_file() and "site" not in path.relative_to(folder).parts
    }


def yaml(text: str) -> Any:
    return yaml_load(text)


# It works as it is


def test_nothing_is_found_in_it(project: Path) -> None:
    checked = run_opsetdocs("check", "--fail-on", "note", cwd=project)
    assert (checked.returncode, checked.stdout) == (0, "no findings in 2 files\n")


def test_mkdocs_builds_it_too(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    built, other = (
        folder / "com.acme.ops/operators/SoftClip/2/index.html"
        for folder in (project / "site", tmp_path / "site")
    )
    assert built.read_bytes() == other.read_bytes()


def test_the_start_page_leads_to_the_operators(project: Path) -> None:
    start = (project / "site/index.html").read_text("utf-8")
    assert f"{DOMAIN}</h1>" in start
    assert f'href="{DOMAIN}/"' in start
    assert (project / "site" / DOMAIN / "operators/Standardize/index.html").exists()


def test_it_shows_the_conventions(project: Path) -> None:
    catalog = build_catalog(load(("opsets/",), base=project).sets)
    (domain,) = catalog.domains
    versions = {
        operator.name: [(version.since_version, version.status.key) for version in operator.versions]
        for operator in domain.operators
    }
    assert versions == {
        "ScaleShift": [(1, "stable"), (2, "stable")],
        "SoftClip": [(1, "experimental"), (2, "stable")],
        "Standardize": [(2, "stable")],
    }
    page = (project / "site" / DOMAIN / "opsets/2/index.html").read_text("utf-8")
    for word in ("introduced", "changed", "promoted"):
        assert word in page.lower()


def test_what_is_said_at_the_end_can_be_done(tmp_path: Path) -> None:
    said = run_opsetdocs("new", "acme ops", "--domain", DOMAIN, cwd=tmp_path).stdout
    first, *_ = said.splitlines()
    assert first == f"{len(content(tmp_path / 'acme ops'))} files in acme ops{os.sep}"
    commands = [line.strip() for line in said.splitlines() if line.startswith("    ")]
    assert commands == ["cd 'acme ops'", "opsetdocs check", "mkdocs serve", "opsetdocs build"]


def test_the_current_folder_will_do(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    made = run_opsetdocs("new", ".", "--domain", DOMAIN, cwd=tmp_path)
    assert made.returncode == 0
    assert "cd " not in made.stdout
    assert (tmp_path / "mkdocs.yml").is_file()


@pytest.mark.parametrize("domain", ["org.example.my-ops", "on.off.null", "com.Example.x_1", "nu.e5.y"])
def test_the_domain_is_right_in_every_file(tmp_path: Path, domain: str) -> None:
    names = new_project(tmp_path / "x", domain)
    texts = content(tmp_path / "x")
    assert set(texts) == set(names)
    assert not [
        name for name, text in texts.items() if "acme" in text.lower() or "{{" in text.replace("${{", "")
    ]
    assert yaml(texts["mkdocs.yml"])["site_name"] == domain
    assert {item.domain for item in load(("opsets/",), base=tmp_path / "x").sets} == {domain}
    assert f"({domain_segment(domain)}/index.md)" in texts["docs/index.md"]


def test_a_domain_whose_address_is_another_name_builds_too(tmp_path: Path) -> None:
    new_project(tmp_path / "x", "org.example.my-ops")
    built = run_opsetdocs("build", "--strict", cwd=tmp_path / "x")
    assert (built.returncode, built.stderr) == (0, "")


def test_the_files_are_the_same_each_time(tmp_path: Path, project: Path) -> None:
    new_project(tmp_path / "x", DOMAIN)
    texts = content(tmp_path / "x")
    assert texts == content(project)
    for name, text in texts.items():
        assert text.endswith("\n"), name
        assert "\r" not in text, name
        assert not re.search(r"[ \t]$", text, re.MULTILINE), name


def test_each_template_is_used() -> None:
    assert sorted(module._FILES.values()) == sorted(path.name for path in TEMPLATES.iterdir())


# What runs elsewhere


@pytest.fixture
def workflow(project: Path) -> dict[str, Any]:
    return dict(yaml((project / WORKFLOW).read_text("utf-8")))


def steps(workflow: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for job in workflow["jobs"].values():
        yield from job["steps"]


def test_each_action_is_pinned_to_a_major_version(workflow: dict[str, Any]) -> None:
    actions = [step["uses"] for step in steps(workflow) if "uses" in step]
    assert len(actions) == 5
    assert not [name for name in actions if not re.fullmatch(r"actions/[a-z-]+@v[1-9][0-9]*", name)]


def test_each_job_may_do_what_it_needs_only(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {}
    granted = {name: job["permissions"] for name, job in workflow["jobs"].items()}
    assert granted == {
        "build": {"contents": "read", "pages": "read"},
        "publish": {"pages": "write", "id-token": "write"},
    }


def test_no_step_puts_what_others_wrote_into_a_command(workflow: dict[str, Any]) -> None:
    assert not [step for step in steps(workflow) if "${{" in step.get("run", "")]


def test_nothing_runs_with_the_rights_of_the_project_for_others(workflow: dict[str, Any]) -> None:
    # YAML reads `on` as a truth value.
    assert workflow[True].keys() == {"push", "pull_request", "workflow_dispatch"}  # type: ignore[index]


def test_the_site_goes_to_pages(workflow: dict[str, Any]) -> None:
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    used = [
        step["uses"].partition("@")[0].removeprefix("actions/") for step in steps(workflow) if "uses" in step
    ]
    assert used == ["checkout", "setup-python", "configure-pages", "upload-pages-artifact", "deploy-pages"]
    (upload,) = [step for step in build["steps"] if "upload-pages-artifact" in step.get("uses", "")]
    assert upload["with"] == {"path": "site"}
    assert publish["needs"] == "build"
    assert publish["environment"]["name"] == "github-pages"
    assert not [step for step in publish["steps"] if "run" in step]


def test_a_pull_request_publishes_nothing(workflow: dict[str, Any]) -> None:
    assert "github.event_name != 'pull_request'" in workflow["jobs"]["publish"]["if"]


@pytest.fixture
def clone(project: Path, tmp_path: Path) -> Path:
    """The project in a Git repository, committed, as it is where a workflow runs."""
    if not (shutil.which("git") and shutil.which("bash")):
        pytest.skip("needs git and bash")
    folder = tmp_path / "clone"
    shutil.copytree(project, folder, ignore=shutil.ignore_patterns("site"))
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for command in (
        ["init", "-q"],
        ["add", "."],
        [*identity, "commit", "-q", "-m", "x"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


def test_the_commands_of_the_workflow_run(clone: Path, workflow: dict[str, Any]) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {"PATH": path, "BASE": "main", "SITE_URL": "https://acme.example/ops"}
    commands = [step["run"] for step in steps(workflow) if "opsetdocs " in step.get("run", "")]
    assert len(commands) == 3
    for command in commands:
        shell = ["bash", "-e", "-c", command]
        done = subprocess.run(shell, cwd=clone, env=os.environ | variables, capture_output=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    page = clone / "site" / DOMAIN / "operators/SoftClip/index.html"
    assert f'href="https://acme.example/ops/{DOMAIN}/operators/SoftClip/"' in page.read_text("utf-8")


@pytest.mark.parametrize("is_published", [True, False])
def test_a_request_is_compared_with_what_is_published(
    clone: Path, workflow: dict[str, Any], is_published: bool
) -> None:
    if not is_published:  # The branch that the first request goes to has no operator sets yet.
        subprocess.run(
            ["git", "update-ref", "refs/remotes/origin/main", empty_commit(clone)], cwd=clone, check=True
        )
    change_what_is_stable(clone)
    (command,) = [step["run"] for step in steps(workflow) if "--against" in step.get("run", "")]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=clone,
        env=os.environ | {"PATH": path, "BASE": "main"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == int(is_published), done.stdout + done.stderr
    assert ("OPERATOR_STABLE_SIGNATURE_KEPT" in done.stdout) == is_published


def empty_commit(repository: Path) -> str:
    """Return a commit that holds no file."""
    tree = subprocess.run(
        ["git", "mktree"], cwd=repository, input="", capture_output=True, text=True, check=True
    ).stdout.strip()
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    command = ["git", *identity, "commit-tree", "-m", "Nothing", tree]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True).stdout.strip()


def change_what_is_stable(project: Path) -> None:
    opset = project / f"opsets/{DOMAIN}-2.textproto"
    text = opset.read_text("utf-8")
    opset.write_text(text.replace("`limit` (default `6.0`)", "`limit` (required)"), "utf-8")


def test_what_is_published_is_kept(clone: Path) -> None:
    change_what_is_stable(clone)
    checked = run_opsetdocs("check", "--against", "git:HEAD", cwd=clone)
    assert checked.returncode == 1
    assert "OPERATOR_STABLE_SIGNATURE_KEPT" in checked.stdout


def test_pre_commit_takes_the_hook(project: Path) -> None:
    file = project / ".pre-commit-config.yaml"
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    (repository,) = yaml(file.read_text("utf-8"))["repos"]
    (hook,) = repository["hooks"]
    assert re.search(hook["files"], f"opsets/{DOMAIN}-1.textproto")
    assert run_opsetdocs(*hook["entry"].split()[1:], cwd=project).returncode == 0


@pytest.mark.parametrize(
    ("version", "requirement"),
    [
        ("1.2.0", "opsetdocs>=1.2.0"),
        ("1.2.0.dev3+g0a1b2c3", "opsetdocs"),
        (None, "opsetdocs"),
    ],
)
def test_what_is_installed_is_this_release_or_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, requirement: str
) -> None:
    def installed(_: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError
        return version

    monkeypatch.setattr(metadata, "version", installed)
    new_project(tmp_path / "x", DOMAIN)
    texts = content(tmp_path / "x")
    assert texts["requirements.txt"] == f"{requirement}\n"
    assert f'["{requirement}"]' in texts[".pre-commit-config.yaml"]


# What is refused


@pytest.mark.parametrize(
    ("domain", "said"),
    [
        ("acme", 'domain is "acme", expected a reverse-DNS name such as com.example.ops'),
        ("com.acme ops", "expected a reverse-DNS name"),
        ("com.acme/../x", "expected a reverse-DNS name"),
        ("com.acme\nops", "expected a reverse-DNS name"),
        ('com.acme"', "expected a reverse-DNS name"),
        ("com.é", "expected a reverse-DNS name"),
        ("", "the empty domain is that of ONNX itself"),
        ("ai.onnx", "ai.onnx is that of ONNX itself, expected a domain of your own"),
        ("ai.onnx.ml", "ai.onnx.ml is that of ONNX itself"),
    ],
)
def test_a_domain_that_nobody_can_own_is_refused(tmp_path: Path, domain: str, said: str) -> None:
    done = CliRunner().invoke(main, ["new", str(tmp_path / "x"), "--domain", domain])
    assert done.exit_code == 2
    assert said in done.output
    assert not list(tmp_path.iterdir())


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(ConfigError, match="is not empty"):
        new_project(tmp_path, DOMAIN)
    with pytest.raises(ConfigError, match="is a file"):
        new_project(tmp_path / "notes.txt", DOMAIN)
    with pytest.raises(ConfigError, match="cannot be written here"):
        new_project(tmp_path / "notes.txt" / "x", DOMAIN)
    assert content(tmp_path) == {"notes.txt": "mine"}


@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("fails_at", range(1, 9))
def test_what_cannot_be_written_whole_is_not_written_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: bool, fails_at: int
) -> None:
    folder = tmp_path / "a" / "b"
    if existing:
        folder.mkdir(parents=True)
    calls = iter(range(1, 100))
    rename = Path.rename

    def failing(self: Path, target: Path) -> Path:
        if next(calls) == fails_at:
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(ConfigError, match="No space left on device"):
        new_project(folder, DOMAIN)
    assert list(tmp_path.rglob("*")) == ([tmp_path / "a", folder] if existing else [])


def test_a_domain_too_long_for_a_file_name_is_an_error_in_words(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["new", str(tmp_path / "x"), "--domain", "com." + "a" * 300])
    assert done.exit_code == 2
    assert "the project cannot be written here: File name too long" in done.output
    assert not list(tmp_path.iterdir())
