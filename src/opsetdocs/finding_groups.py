"""Findings in the order in which a person works, and like ones together.

Whoever mends files goes through them one by one, from the top to the bottom: that is the order, and at one
place the gravest comes first. Files that cannot be used precede everything, since findings about the others
may follow from what is missing. The order of the sources means nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from opsetdocs.findings import Finding, Level, Place, shown
from opsetdocs.terminal import counted

LIMIT = 10
"""How many groups of a rule and level are shown; the rest are counted."""

_NAMED = 3
"""How many places of a list are named."""

_NUMBER_OR_TEXT = re.compile(r"[0-9]+|[^0-9]+")


@dataclass(frozen=True, slots=True)
class Group:
    """A finding, and the same in other files."""

    first: Finding
    others: tuple[Place, ...] = ()
    """Where else it is, at most once in a file."""

    @property
    def level(self) -> Level:
        """The level of all of them."""
        return self.first.level

    def __str__(self) -> str:
        """The first one in one line, and in how many more files it is."""
        return f"{self.first} {self.elsewhere}" if self.others else str(self.first)

    @property
    def size(self) -> int:
        """How many findings it is."""
        return 1 + len(self.others)

    @property
    def elsewhere(self) -> str:
        """In how many more files the finding is: `and in 27 more files`."""
        return f"and in {len(self.others):,} more {'file' if len(self.others) == 1 else 'files'}"


@dataclass(frozen=True, slots=True)
class More:
    """Findings of a rule and level that are not shown one by one."""

    level: Level
    rule: str
    count: int

    def __str__(self) -> str:
        """How many there are: `and 1,162 more like these [DOC_LINKS]`."""
        return f"and {self.count:,} more like these" + (f" [{self.rule}]" if self.rule else "")


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order in which a person works."""
    return sorted(findings, key=_order)


def grouped(findings: Iterable[Finding]) -> list[Group]:
    """Return findings in order, each together with the same one in other files.

    Those are the same whose rule, level, message, name, field and details are. If a file has several of them,
    the second goes with the second of other files. What says that a file cannot be used stands by itself.
    """
    alike: dict[object, list[Finding]] = {}
    seen: Counter[object] = Counter()
    for finding in in_order(findings):
        kind = (
            finding.rule,
            finding.level,
            finding.message,
            finding.name,
            finding.field,
            finding.details,
            finding.unusable and finding.file,
        )
        in_file = (finding.file, kind)
        alike.setdefault((kind, seen[in_file]), []).append(finding)
        seen[in_file] += 1
    return [
        Group(first, tuple(Place(other.file, "", other.line, other.column) for other in others))
        for first, *others in alike.values()
    ]


def shortened(groups: Sequence[Group], limit: int | None = LIMIT) -> Iterator[Group | More]:
    """Yield groups; of those with the same rule and level only the first ones, then how many more there are.

    Args:
        groups: The groups. Files that cannot be used are never left out.
        limit: How many of a rule and level to yield; `None` for all.
    """
    left = Counter[object]()
    for group in groups:
        left[_kind(group)] += group.size
    yielded = Counter[object]()
    for group in groups:
        kind = _kind(group)
        is_cut = limit is not None and not group.first.unusable
        if is_cut and yielded[kind] == limit:
            continue
        yield group
        yielded[kind] += 1
        left[kind] -= group.size
        if is_cut and yielded[kind] == limit and left[kind]:
            yield More(group.level, group.first.rule, left[kind])


def below(group: Group, limit: int | None = LIMIT, *, hint: str = "") -> Iterator[str]:
    """Yield what stands below a finding: what differs, what it is in conflict with, and where else it is.

    Args:
        group: The finding.
        limit: How many of the lines that differ to yield; `None` for all, and for all names of files, too.
        hint: What to say where lines are left out.
    """
    details = group.first.details
    yield from map(shown, details[:limit])
    if hidden := len(details) - len(details[:limit]):
        yield f"and {counted(hidden, 'more lines')}{hint}"
    named = None if limit is None else _NAMED
    if group.first.others:
        yield f"in conflict with {_listed(group.first.others, named)}"
    if group.others:
        yield f"{group.elsewhere}: {_listed(group.others, named)}"


def levels_in_words(counts: Mapping[Level, int]) -> str:
    """Return how many findings of each level there are: `3 errors, 1 note`."""
    stated = (counted(counts[level], f"{level.word}s") for level in reversed(Level) if counts[level])
    return ", ".join(stated) or "no findings"


def warnings_in_words(findings: Iterable[Finding]) -> str:
    """Return how many findings of each level there are; nothing where none is a warning or an error."""
    counts = Counter(finding.level for finding in findings)
    return levels_in_words(counts) if max(counts, default=Level.NOTE) > Level.NOTE else ""


def _listed(places: Iterable[Place], limit: int | None) -> str:
    names = list(dict.fromkeys(map(str, places)))
    more = f" and {len(names) - limit:,} more" if limit and len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def _kind(group: Group) -> tuple[object, ...]:
    return group.level, group.first.rule, group.first.unusable


def _order(finding: Finding) -> tuple[object, ...]:
    return (
        not finding.unusable,
        *_natural(finding.file),
        finding.line or 0,
        finding.column or 0,
        *_natural(finding.element),
        -finding.level,
        finding.rule,
        *_natural(finding.field),
        finding.message,
        finding.details,
        tuple(map(str, finding.others)),
    )


def _natural(text: str) -> tuple[object, ...]:
    """Let `ops-2.textproto` come before `ops-10.textproto`."""
    return [_natural_part(part) for part in _NUMBER_OR_TEXT.findall(text)], text


def _natural_part(part: str) -> tuple[bool, int, str]:
    if part[0] not in "0123456789":
        return True, 0, part
    digits = part.lstrip("0")
    return False, len(digits), digits
