"""The findings as workflow commands of GitHub Actions, which shows them beside the lines that they are about.

See https://docs.github.com/actions/reference/workflow-commands-for-github-actions#setting-an-error-message.
"""

from __future__ import annotations

from collections.abc import Iterator

from opsetdocs.check_report.annotations import annotation_line
from opsetdocs.check_report.report import Report, summary
from opsetdocs.file_names import is_file
from opsetdocs.finding_groups import Group, below, grouped
from opsetdocs.findings import Level, shown
from opsetdocs.plain_text import inert

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def github_lines(report: Report) -> Iterator[str]:
    """Yield a command for each finding, like ones together and errors first, and a line with the summary.

    GitHub shows no more than ten annotations of each kind that a step prints.
    """
    groups = sorted(grouped(report.findings), key=lambda group: (not group.first.unusable, -group.level))
    yield from map(_command, groups)
    yield summary(report)


def _command(group: Group) -> str:
    finding = group.first
    in_file = is_file(finding.file)
    properties = {
        "file": in_file and inert(shown(finding.file)),
        "line": in_file and finding.line,
        "col": in_file and finding.column,
        "title": finding.rule,
    }
    stated = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value)
    command = f"{_COMMANDS[finding.level]} {stated}".rstrip()
    text = "\n".join([annotation_line(finding), *below(group)])
    return f"::{command}::{_data(inert(text))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
