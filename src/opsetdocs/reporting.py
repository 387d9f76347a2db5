"""How findings reach the log of a site generator: each on its line, long lists of like ones cut short."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from opsetdocs.finding_groups import Group, below, grouped, shortened, warnings_in_words
from opsetdocs.findings import Finding, Level
from opsetdocs.plain_text import inert

# MkDocs' --strict counts warnings and errors; without it neither keeps a site from being built.
_LOG_LEVELS = {Level.NOTE: logging.INFO, Level.WARNING: logging.WARNING, Level.ERROR: logging.ERROR}

_Log = logging.Logger | logging.LoggerAdapter[logging.Logger]


def log_findings(findings: Iterable[Finding], log: _Log) -> int:
    """Log the findings, and return how many files cannot be used.

    Unusable files are all named. Of other findings with the same level and rule the first ones are. What
    differs, and with what, stands below a finding and is part of its message. If one is a warning or an
    error, all are counted at the end.
    """
    findings = tuple(findings)
    unusable = 0
    for item in shortened(grouped(findings)):
        text = str(item)
        if isinstance(item, Group):
            unusable += item.first.unusable
            text = "\n".join([str(item.first), *(f"  | {line}" for line in below(item))])
        log.log(_LOG_LEVELS[item.level], "%s", "\n".join(map(inert, text.split("\n"))))
    if counts := warnings_in_words(findings):
        log.info("%s", counts)
    return unusable
