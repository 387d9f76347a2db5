"""Checking operator sets: what is read, the rules that count, and what is known already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from opsetdocs import baseline
from opsetdocs.check_options import CheckOptions
from opsetdocs.check_report import Report
from opsetdocs.errors import SourceError
from opsetdocs.findings import Level
from opsetdocs.git_source import PREFIX, load_revision
from opsetdocs.model import OperatorSet
from opsetdocs.plain_text import visible
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
    unusable = sum(finding.unusable for finding in loaded.findings)
    rules = [item for item in RULES.values() if options.count(item.id)]
    found = run(loaded.sets, published, rules=rules, complete=not unusable)
    findings = (*loaded.findings, *map(options.apply, found))
    known = gone = 0
    if options.baseline is not None:
        findings, known, gone = baseline.without_known(findings, baseline.read(options.baseline), base)
    names = tuple(item.source for item in loaded.sets)
    return Report(findings, known=known, gone=gone, files=len(names) + unusable, names=names)


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
        raise SourceError("\n".join([*_cannot_compare(against), *(f"  {finding}" for finding in unusable)]))
    return loaded.sets


def _cannot_compare(against: str) -> Iterator[str]:
    yield f"{visible(against)}: cannot be compared with, since not all of it can be used;"
    if against.startswith(PREFIX):
        yield "name a part of it that can, as git:REV:PATH (a file, a folder or a pattern):"
    else:
        yield "name a part of it that can (a file, a folder or a pattern), or a revision as git:REV:PATH:"
