"""The files of a report as services see them: by their names from the top of the repository.

A check may run anywhere in a repository, while annotations and code scanning look for files from its top.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from opsetdocs.check_report.report import Report
from opsetdocs.errors import SourceError
from opsetdocs.file_names import is_file
from opsetdocs.git_source import top_folder


def in_repository(report: Report, base: Path, variables: Mapping[str, str] = os.environ) -> Report:
    """Return a report in which files are named from the top of the repository.

    Files outside it keep their names, and so does what is no file.

    Args:
        report: The report.
        base: The folder to which the names of files refer.
        variables: The variables of the environment: on GitHub, one says where the repository is.
    """
    base = Path(os.path.realpath(base))
    top = _top(base, variables)

    def renamed(name: str) -> str:
        path = Path(os.path.normpath(base / name))
        return path.relative_to(top).as_posix() if is_file(name) and path.is_relative_to(top) else name

    findings = (
        replace(
            finding,
            file=renamed(finding.file),
            others=tuple(replace(place, file=renamed(place.file)) for place in finding.others),
        )
        for finding in report.findings
    )
    return replace(report, findings=tuple(findings), names=tuple(map(renamed, report.names)))


def _top(base: Path, variables: Mapping[str, str]) -> Path:
    workspace = variables.get("GITHUB_WORKSPACE")
    if workspace and base.is_relative_to(os.path.realpath(workspace)):
        return Path(os.path.realpath(workspace))
    try:
        return Path(os.path.realpath(top_folder(base)))
    except SourceError:  # no Git, or no repository
        return Path.cwd()
