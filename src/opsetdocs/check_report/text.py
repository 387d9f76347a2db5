"""The findings for people: like ones together, the first ones of many, and a summary at the end."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from opsetdocs.check_report.report import Report
from opsetdocs.finding_groups import LIMIT, Group, grouped, shortened
from opsetdocs.findings import Finding, Level, Place, shown
from opsetdocs.terminal import Line, counted, table, wrapped

_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "cyan"}

# Every line begins with something of ours: GitHub Actions takes a line for a command that begins with `::`,
# even after spaces.
_BELOW = "  | "

_COMMAND = re.compile(r"(##\w*)\[")
"""How a command to GitHub Actions or Azure Pipelines begins, wherever in a line it stands."""

_NAMED = 3
"""How many places of a list are named."""


def text_lines(report: Report, width: int, *, all_: bool) -> Iterator[Line]:
    """Yield the findings, a line each and what there is to say about it below, and a summary.

    The line of a finding is not broken, whatever the width: programs look for places in it.

    Args:
        report: What was found.
        width: How many cells of the terminal a line may take.
        all_: Whether to show everything, however many findings are alike.
    """
    limit = None if all_ else LIMIT
    for item in shortened(grouped(report.findings), limit):
        if isinstance(item, Group):
            yield _line(item.level, str(item.first))
            for text in _about(item, limit):
                yield from (Line(_harmless(line)) for line in wrapped(text, width, _BELOW, _BELOW))
        else:
            yield _line(item.level, f"{item} (--all shows them)")
    if report.findings:
        yield Line()
    rules = _rules(report.findings)
    if len(rules) > 1:
        yield from map(Line, table(rules, width))
        yield Line()
    yield Line(_summary(report), bold=True)


def _line(level: Level, text: str) -> Line:
    return Line(f": {_harmless(text)}", bold=True, colour=_COLOURS[level], label=level.word)


def _harmless(text: str) -> str:
    return _COMMAND.sub(r"\1\\x5b", text)


def _about(group: Group, limit: int | None) -> Iterator[str]:
    """What stands below a finding: what differs, what it is in conflict with, and where else it is."""
    details = group.first.details
    yield from map(shown, details[:limit])
    if hidden := len(details) - len(details[:limit]):
        yield f"and {counted(hidden, 'more lines')} (--all shows them)"
    named = None if limit is None else _NAMED
    if group.first.others:
        yield f"in conflict with {_listed(group.first.others, named)}"
    if group.others:
        yield f"{group.elsewhere}: {_listed(group.others, named)}"


def _listed(places: Iterable[Place], limit: int | None) -> str:
    names = list(dict.fromkeys(map(str, places)))
    more = f" and {len(names) - limit:,} more" if limit and len(names) > limit else ""
    return ", ".join(names[:limit]) + more


# The summary


def _rules(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """How many findings each rule has, and the rule; the gravest and then the most frequent first."""
    counts: dict[str, Counter[Level]] = defaultdict(Counter)
    for finding in findings:
        counts[finding.rule or "(no rule)"][finding.level] += 1
    rules = sorted(counts, key=lambda rule: (-max(counts[rule]), -counts[rule].total(), rule))
    return [(_levels(counts[rule]), rule) for rule in rules]


def _levels(counts: Mapping[Level, int]) -> str:
    """How many findings of each level there are: `3 errors, 1 note`."""
    stated = (counted(counts[level], f"{level.word}s") for level in reversed(Level) if counts[level])
    return ", ".join(stated) or "no findings"


def _summary(report: Report) -> str:
    levels = Counter(finding.level for finding in report.findings)
    parts = [f"{_levels(levels)} in {counted(report.files, 'files')}"]
    if report.unusable:
        parts.append(f"{counted(report.unusable, 'files')} cannot be used")
    if report.known:
        verb = "is" if report.known == 1 else "are"
        parts.append(f"{counted(report.known, 'known findings')} of the baseline {verb} not shown")
    if report.gone:
        verb = "matches" if report.gone == 1 else "match"
        parts.append(f"{counted(report.gone, 'lines')} of the baseline {verb} no finding")
    return "; ".join(parts)
