"""Checking operator sets: what is read, the rules that count, and what is known already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from opsetdocs import baseline
from opsetdocs.check_options import CheckOptions
from opsetdocs.check_report import Report
from opsetdocs.errors import SourceError
from opsetdocs.findings import Finding, Level
from opsetdocs.git_source import PREFIX, load_revision
from opsetdocs.model import OperatorSet
from opsetdocs.rules import RULES, run
from opsetdocs.sources import Loaded, load


def check(
    loaded: Loaded, options: CheckOptions, *, base: Path, published: Sequence[OperatorSet] = ()
) -> Report:
    """Check operator sets against the rules.

    Args:
        loaded: What was read.
        options: Which rules count, and what is known.
        base: The folder to which the names of files refer.
        published: What was published before.

    Raises:
        ConfigError: The baseline cannot be read.
    """
    findings = (*loaded.findings, *check_sets(loaded.sets, options, published=published))
    unusable = sum(finding.unusable for finding in findings)
    known = gone = 0
    if options.baseline is not None:
        findings, known, gone = baseline.without_known(findings, baseline.read(options.baseline), base)
    return Report(findings, known=known, gone=gone, files=len(loaded.sets) + unusable)


def check_sets(
    sets: Sequence[OperatorSet], options: CheckOptions, *, published: Sequence[OperatorSet] = ()
) -> tuple[Finding, ...]:
    """Return the findings of the rules that count, each at the level that the options give it."""
    rules = [item for item in RULES.values() if options.count(item.id)]
    return tuple(map(options.apply, run(sets, published, rules=rules)))


def load_published(against: str, sources: Sequence[str], *, base: Path) -> tuple[OperatorSet, ...]:
    """Read what was published before.

    Args:
        against: A source, or `git:` and a revision: then the sources as they were in it.
        sources: The sources of what is to be published.
        base: The folder to which relative sources refer.

    Raises:
        SourceError: It cannot be read, wholly: what is in an unusable file would not be compared.
    """
    if against.startswith(PREFIX):
        loaded = load_revision(against, sources, base=base)
    else:
        loaded = load((against,), base=base)
    if unusable := [finding for finding in loaded.findings if finding.level is Level.ERROR]:
        raise SourceError(
            "\n".join([f"{against}: cannot be compared with", *(f"  {finding}" for finding in unusable)])
        )
    return loaded.sets
