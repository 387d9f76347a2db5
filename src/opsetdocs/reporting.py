"""How findings reach the log of a site generator: each on its line, long lists of like ones cut short."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable

from opsetdocs.findings import Finding, Level

LIMIT = 10
"""How many findings of one kind are logged one by one; the rest are counted."""

# A rule that is not kept is a warning here: the site can still be built, and MkDocs' --strict counts it.
_LOG_LEVELS = {Level.NOTE: logging.INFO, Level.WARNING: logging.WARNING, Level.ERROR: logging.WARNING}

_Log = logging.Logger | logging.LoggerAdapter[logging.Logger]


def is_unusable(finding: Finding) -> bool:
    """Return whether the finding says that a file cannot be used, rather than that it breaks a rule."""
    return finding.level is Level.ERROR and not finding.rule


def log_findings(findings: Iterable[Finding], log: _Log) -> int:
    """Log the findings, and return how many files cannot be used.

    Unusable files are all named. Of other findings with the same level and rule the first ones are.
    """
    unusable = 0
    seen: Counter[tuple[Level, str]] = Counter()
    for finding in findings:
        if is_unusable(finding):
            unusable += 1
            log.error("%s", finding)
            continue
        kind = (finding.level, finding.rule)
        seen[kind] += 1
        if seen[kind] <= LIMIT:
            log.log(_LOG_LEVELS[finding.level], "%s", finding)
    for (level, rule), count in seen.items():
        if count > LIMIT:
            log.log(
                _LOG_LEVELS[level], "and %d more like these%s", count - LIMIT, f" [{rule}]" if rule else ""
            )
    return unusable
