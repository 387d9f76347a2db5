"""The findings as workflow commands of GitHub Actions, which shows them beside the lines that they are about.

See https://docs.github.com/actions/reference/workflow-commands-for-github-actions#setting-an-error-message.
"""

from __future__ import annotations

from collections.abc import Iterator

from opsetdocs.check_report.annotations import annotation_text, conflict_text
from opsetdocs.check_report.report import Report
from opsetdocs.file_names import is_file
from opsetdocs.finding_groups import in_order
from opsetdocs.findings import Finding, Level, shown

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def github_lines(report: Report) -> Iterator[str]:
    """Yield a command for each finding."""
    return map(_command, in_order(report.findings))


def _command(finding: Finding) -> str:
    in_file = is_file(finding.file)
    properties = {
        "file": in_file and shown(finding.file),
        "line": in_file and finding.line,
        "col": in_file and finding.column,
        "title": finding.rule,
    }
    stated = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value)
    command = f"{_COMMANDS[finding.level]} {stated}".rstrip()
    text = "\n".join([annotation_text(finding), *map(conflict_text, finding.others)])
    return f"::{command}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
