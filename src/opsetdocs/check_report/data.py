"""The findings for programs: `check --format json`.

`site_config/check.schema.json` is the contract of it.
"""

from __future__ import annotations

from collections import Counter

from opsetdocs.catalog_json import Json, given
from opsetdocs.check_report.report import Report
from opsetdocs.finding_groups import in_order
from opsetdocs.findings import Finding, Level, Place
from opsetdocs.rules import RULES

SCHEMA = "check.schema.json"
"""The file, among those of the default site, that describes the data."""

FORMAT_VERSION = 1
"""Rises when a program that reads the data would have to change; new fields alone do not raise it."""


def check_data(report: Report) -> Json:
    """Return the findings as data, each by itself; what has nothing to say is left out."""
    levels = Counter(finding.level for finding in report.findings)
    rules = Counter(finding.rule for finding in report.findings if finding.rule)
    return {
        "version": FORMAT_VERSION,
        "findings": [_finding(finding) for finding in in_order(report.findings)],
        "summary": {
            "files": report.files,
            "unusable": report.unusable,
            "findings": len(report.findings),
            **{f"{level.word}s": levels[level] for level in reversed(Level)},
            "rules": dict(sorted(rules.items())),
            "known": report.known,
            "gone": report.gone,
        },
    }


def _finding(finding: Finding) -> Json:
    rule = RULES.get(finding.rule)
    return {
        **given(rule=finding.rule, sentence=rule and rule.sentence, source=rule and rule.source),
        "level": finding.level.word,
        **_place(finding.place),
        **given(name=finding.name, field=finding.field),
        "message": finding.message,
        **given(details=list(finding.details), others=[_place(place) for place in finding.others]),
        "unusable": finding.unusable,
    }


def _place(place: Place) -> Json:
    return given(file=place.file, line=place.line, column=place.column, element=place.element)
