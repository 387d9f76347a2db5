"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass

from opsetdocs.findings import Finding


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

    @property
    def unusable(self) -> int:
        """How many files cannot be used."""
        return sum(finding.unusable for finding in self.findings)
