"""Which rules of a project count, how much, and what is known already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from opsetdocs.findings import Finding, Level

LEVELS: Mapping[str, Level] = {"note": Level.NOTE, "warning": Level.WARNING, "error": Level.ERROR}
"""The levels by the names that options have for them."""

OFF = "off"
"""What `levels` says of a rule that does not count."""

NEVER = "never"
"""What `fail_on` says where no finding is to make the command fail."""


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Which findings are reported, and which of them make a check fail."""

    select: tuple[str, ...] = ()
    """Ids and patterns (`FUNCTION_*`) of the rules that count; empty for all."""
    ignore: tuple[str, ...] = ()
    """Ids and patterns of rules that do not."""
    levels: Mapping[str, str] = field(default_factory=dict)
    """By id or pattern: `error`, `warning`, `note` or `off`. What comes later wins."""
    fail_on: str = "error"
    """The lowest level that makes `check` fail: `error`, `warning`, `note`, or `never`."""
    baseline: Path | None = None
    """The file of findings that are known, and not reported again."""
    against: str | None = None
    """What was published before: a source, or `git:` and a revision."""

    def count(self, rule: str) -> bool:
        """Return whether a rule counts."""
        selected = not self.select or _matches(rule, self.select)
        return selected and not _matches(rule, self.ignore) and self._stated_level(rule) != OFF

    def _stated_level(self, rule: str) -> str | None:
        stated = [level for pattern, level in self.levels.items() if fnmatchcase(rule, pattern)]
        return stated[-1] if stated else None

    def apply(self, finding: Finding) -> Finding:
        """Give a finding the level that the options state for its rule. What is unusable stays so."""
        stated = self._stated_level(finding.rule)
        if stated in (None, OFF) or finding.unusable or not finding.rule:
            return finding
        return replace(finding, level=LEVELS[stated or ""])

    def fails(self, findings: Iterable[Finding]) -> bool:
        """Return whether findings make a check fail."""
        lowest = LEVELS.get(self.fail_on)
        return lowest is not None and any(finding.level >= lowest for finding in findings)


def _matches(rule: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(rule, pattern) for pattern in patterns)
