"""The findings for people: like ones together, the first ones of many, and a summary at the end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from opsetdocs.check_report.report import Report, summary
from opsetdocs.finding_groups import LIMIT, Group, below, grouped, levels_in_words, shortened
from opsetdocs.findings import Finding, Level
from opsetdocs.terminal import Line, table, wrapped

_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "cyan"}

# Every line begins with something of ours: GitHub Actions takes a line for a command that begins with `::`,
# even after spaces.
_BELOW = "  | "


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
            for text in below(item, limit, hint=" (--all shows them)"):
                yield from map(Line, wrapped(text, width, _BELOW, _BELOW))
        else:
            yield _line(item.level, f"{item} (--all shows them)")
    if report.findings:
        yield Line()
    rules = _rules(report.findings)
    if len(rules) > 1:
        yield from map(Line, table(rules, width))
        yield Line()
    yield Line(summary(report), bold=True)


def _line(level: Level, text: str) -> Line:
    return Line(f": {text}", bold=True, colour=_COLOURS[level], label=level.word)


# The summary


def _rules(findings: Iterable[Finding]) -> list[tuple[str, str]]:
    """How many findings each rule has, and the rule; the gravest and then the most frequent first."""
    counts: dict[str, Counter[Level]] = defaultdict(Counter)
    for finding in findings:
        counts[finding.rule or "(no rule)"][finding.level] += 1
    rules = sorted(counts, key=lambda rule: (-max(counts[rule]), -counts[rule].total(), rule))
    return [(levels_in_words(counts[rule]), rule) for rule in rules]
