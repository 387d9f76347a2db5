"""What a check found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from opsetdocs.finding_groups import levels_in_words
from opsetdocs.findings import Finding
from opsetdocs.terminal import counted


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found, and what it looked at."""

    findings: tuple[Finding, ...]
    """What is reported, without what is known. Files that cannot be used are among it."""
    known: int
    """How many findings the baseline took away."""
    files: int
    """How many files, or sets of the installed onnx, were checked."""
    gone: int = 0
    """How many entries of the baseline match no finding."""
    names: tuple[str, ...] = ()
    """What the usable files are called, in the order of the sets."""

    @property
    def unusable(self) -> int:
        """How many files cannot be used."""
        return sum(finding.unusable for finding in self.findings)


def summary(report: Report) -> str:
    """Return in one line what was found: `3 errors, 1 note in 35 files`."""
    levels = Counter(finding.level for finding in report.findings)
    parts = [f"{levels_in_words(levels)} in {counted(report.files, 'files')}"]
    if report.unusable:
        parts.append(f"{counted(report.unusable, 'files')} cannot be used")
    if report.known:
        verb = "is" if report.known == 1 else "are"
        parts.append(f"{counted(report.known, 'known findings')} of the baseline {verb} not shown")
    if report.gone:
        verb = "matches" if report.gone == 1 else "match"
        parts.append(f"{counted(report.gone, 'lines')} of the baseline {verb} no finding")
    return "; ".join(parts)
