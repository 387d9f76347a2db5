"""What surrounds the code: workflows, issue forms, and what a release says about itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mkdocs.utils.yaml import yaml_load

TOP = Path(__file__).parents[1]
WORKFLOWS = sorted((TOP / ".github/workflows").glob("*.yml"))
FORMS = sorted(path for path in (TOP / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="an sdist has no workflows")


def read(path: Path) -> Any:
    return yaml_load(path.read_text(encoding="utf-8"))


def project() -> dict[str, Any]:
    content = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(content["project"])


def steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the steps of a job; none if it runs another workflow."""
    return list(job.get("steps", ()))


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in WORKFLOWS:
        for name, job in read(path)["jobs"].items():
            yield f"{path.name}: {name}", job


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_do_nothing_but_what_a_job_asks_for(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())


def test_no_workflow_runs_with_the_rights_of_another_one() -> None:
    # YAML reads `on` as a truth value.
    triggers = {name for path in WORKFLOWS for name in read(path)[True]}
    assert triggers == {"push", "pull_request", "workflow_dispatch", "workflow_call"}


def test_one_job_alone_may_more_than_read() -> None:
    more = {name for name, job in jobs() if set(job["permissions"].values()) - {"read"}}
    assert more == {"release.yml: publish"}
    publish = read(TOP / ".github/workflows/release.yml")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "release"
    assert not [step for step in publish["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_to_a_major_version(path: Path) -> None:
    used = [step["uses"] for job in read(path)["jobs"].values() for step in steps(job) if "uses" in step]
    assert used
    assert not [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v[1-9][0-9]*", name)]


def test_no_step_puts_what_others_wrote_into_a_command() -> None:
    assert not [name for name, job in jobs() for step in steps(job) if "${{" in step.get("run", "")]


def test_what_is_checked_out_holds_no_credentials_and_all_tags() -> None:
    settings = [
        step["with"]
        for _, job in jobs()
        for step in steps(job)
        if step.get("uses", "").startswith("actions/checkout@")
    ]
    assert settings
    assert all(item == {"fetch-depth": 0, "persist-credentials": False} for item in settings)


def test_each_supported_python_is_tried() -> None:
    prefix = "Programming Language :: Python :: 3."
    supported = [
        f"3.{text.removeprefix(prefix)}" for text in project()["classifiers"] if text.startswith(prefix)
    ]
    tried = {name: job["strategy"]["matrix"]["python"] for name, job in jobs() if "strategy" in job}
    assert tried == {"ci.yml: check": supported, "distribution.yml: try": supported}


def test_nothing_is_published_that_was_not_tried() -> None:
    release = read(TOP / ".github/workflows/release.yml")["jobs"]
    assert release["publish"]["needs"] == "distribution"
    assert release["distribution"]["uses"] == "./.github/workflows/distribution.yml"
    distribution = read(TOP / ".github/workflows/distribution.yml")["jobs"]
    assert distribution["try"]["needs"] == "build"


def test_each_change_is_tried_as_it_would_be_released() -> None:
    ci = read(TOP / ".github/workflows/ci.yml")["jobs"]
    assert ci["distribution"]["uses"] == "./.github/workflows/distribution.yml"
    kinds = read(TOP / ".github/workflows/distribution.yml")["jobs"]["try"]["strategy"]["matrix"]["dist"]
    assert kinds == ["*.whl", "*.tar.gz"]


def test_what_is_cited_is_this_project() -> None:
    citation, stated = read(TOP / "CITATION.cff"), project()
    assert (citation["title"], citation["license"]) == (stated["name"], stated["license"])
    assert "version" not in citation  # Tags have it.
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in stated["authors"]
    ]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_an_issue_form_asks_what_github_can_show(path: Path) -> None:
    form = read(path)
    assert form.keys() == {"name", "description", "labels", "body"}
    assert len(form["description"]) <= 200
    ids = [item["id"] for item in form["body"]]
    assert len(set(ids)) == len(ids)
    assert {item["type"] for item in form["body"]} <= {
        "textarea",
        "input",
        "dropdown",
        "checkboxes",
        "markdown",
    }
    assert all(item["attributes"]["label"] for item in form["body"])
    assert any(item.get("validations", {}).get("required") for item in form["body"])


@pytest.mark.parametrize(
    ("shell", "begins"), [("bash", "_opsetdocs_completion() {"), ("zsh", "#compdef"), ("fish", "function")]
)
def test_each_shell_gets_its_completion_as_documented(shell: str, begins: str) -> None:
    page = (TOP / "site_config/docs/project/commands.md").read_text(encoding="utf-8")
    assert f"_OPSETDOCS_COMPLETE={shell}_source opsetdocs" in page
    script = (
        "import sys; sys.argv[0] = 'opsetdocs'; from opsetdocs.cli import main; main(prog_name='opsetdocs')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"_OPSETDOCS_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(begins), done.stderr
