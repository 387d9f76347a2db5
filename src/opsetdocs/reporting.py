"""How findings reach the log of a site generator: each on its line, long lists of like ones cut short."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from opsetdocs.finding_groups import Group, grouped, shortened
from opsetdocs.findings import Finding, Level

# MkDocs' --strict counts warnings and errors; without it neither keeps a site from being built.
_LOG_LEVELS = {Level.NOTE: logging.INFO, Level.WARNING: logging.WARNING, Level.ERROR: logging.ERROR}

_Log = logging.Logger | logging.LoggerAdapter[logging.Logger]


def log_findings(findings: Iterable[Finding], log: _Log) -> int:
    """Log the findings, and return how many files cannot be used.

    Unusable files are all named. Of other findings with the same level and rule the first ones are.
    """
    unusable = 0
    for item in shortened(grouped(findings)):
        unusable += isinstance(item, Group) and item.first.unusable
        log.log(_LOG_LEVELS[item.level], "%s", item)
    return unusable
