"""Comparisons as pages show them: the words of each change, texts side by side, upgrades by weight."""

from __future__ import annotations

import html
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, pairwise
from operator import attrgetter

from markupsafe import Markup

from opsetdocs.addresses import MAX_VERSIONS_WITH_ALL_PAIRS, Addresses
from opsetdocs.bodies import body_text
from opsetdocs.caches import by_identity
from opsetdocs.catalog import Domain, OperatorHistory, Opset, Part, Version
from opsetdocs.change_kinds import Change, Comparison, Weight
from opsetdocs.diff import compare_versions
from opsetdocs.textdiff import Row, Segment, SegmentKind, compare_texts, text_of
from opsetdocs.upgrade import Step, Upgrades
from opsetdocs.views import code_spans

_TITLES = {
    Weight.REMOVED: ("removed", "Removed"),
    Weight.NARROWED: ("narrower", "Signature narrowed"),
    Weight.DEFAULT: ("default", "Default or body changed"),
    Weight.WIDENED: ("wider", "Signature widened"),
    Weight.TEXT: ("words", "Signature kept"),
    Weight.NOTHING: ("new", "New"),
}
"""The groups of an upgrade: key and title. What weighs nothing is a new operator."""

_WORDS = _TITLES[Weight.TEXT][0]

_TAGS = {
    SegmentKind.SAME: ("", ""),
    SegmentKind.REMOVED: ("<del>", "</del>"),
    SegmentKind.ADDED: ("<ins>", "</ins>"),
}
"""What stands before and after a piece of text."""


@dataclass(frozen=True, slots=True)
class ChangeView:
    """One change, in words."""

    words: Markup
    markdown: str
    """The words as Markdown."""
    weight: str
    """The weight's key for style sheets."""
    label: str
    """The weight in one word."""


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of two texts beside each other."""

    old: Markup | None
    """`None` where only the new text has the block."""
    new: Markup | None
    """`None` where only the old text has the block."""
    same: bool
    skipped: int
    """How many blocks that are the same are left out here; such a row has no text."""


@dataclass(frozen=True, slots=True)
class TextDiff:
    """Two texts, block by block and word by word."""

    key: str
    title: str
    code: bool
    rows: tuple[RowView, ...]
    lines: tuple[str, ...]
    """The same as the lines of a patch: what is old behind `-`, what is new behind `+`."""


@dataclass(frozen=True, slots=True)
class StepView:
    """What an upgrade means for one operator."""

    operator: OperatorHistory
    address: str
    """The page that says most about the step: the difference of two versions, or one of them."""
    versions: str
    """The versions in words: `11 to 22`, or the one version of an operator that came or went."""
    changes: tuple[ChangeView, ...]
    """What changed, but for words."""
    words: int
    """How many further changes are words alone; the page of the difference tells them."""

    @property
    def by_weight(self) -> tuple[tuple[ChangeView, ...], ...]:
        """The changes, those of one weight together."""
        return tuple(tuple(items) for _, items in groupby(self.changes, key=lambda change: change.weight))


@dataclass(frozen=True, slots=True)
class StepGroup:
    """The steps of one weight."""

    key: str
    title: str
    label: str
    """What follows the number of operators in a sentence."""
    steps: tuple[StepView, ...]


@dataclass(slots=True)
class Changes:
    """Compares the versions of a site's operators; each pair once, however many pages show it."""

    addresses: Addresses
    _upgrades: dict[str, Upgrades] = field(default_factory=dict)
    _steps: dict[Step, StepView] = field(default_factory=dict)

    def between(self, old: Version, new: Version) -> tuple[ChangeView, ...]:
        """Return what changed from one version to another."""
        return _change_views(compare_versions(old, new))

    def texts(self, old: Version, new: Version) -> tuple[TextDiff, ...]:
        """Return the texts of two versions beside each other, and their bodies if both are functions."""
        before, after = old.current.parts[0], new.current.parts[0]
        diffs = [_text_diff("text", "Text", text_of(before), text_of(after))]
        if before.function is not None and after.function is not None:
            diffs.append(_text_diff("body", "Function body", _body(before), _body(after), code=True))
        return tuple(diff for diff in diffs if diff.rows)

    def upgrade(self, domain: Domain, old: Opset, new: Opset) -> tuple[StepGroup, ...]:
        """Return what moving from one opset to another means, the worst first.

        A step that several moves have in common is the same object in each.
        """
        steps = self._upgrades_of(domain).steps(old.version, new.version)
        groups = []
        for weight, items in groupby(steps, key=lambda step: step.weight):
            key, title = _TITLES[weight]
            groups.append(StepGroup(key, title, weight.of_operators, tuple(map(self._step, items))))
        return tuple(groups)

    def moved(self, domain: Domain, old: Opset, new: Opset) -> Iterator[OperatorHistory]:
        """Yield the operators to which moving from one opset to another means something."""
        return self._upgrades_of(domain).moved(old.version, new.version)

    def _upgrades_of(self, domain: Domain) -> Upgrades:
        if domain.name not in self._upgrades:
            self._upgrades[domain.name] = Upgrades(domain)
        return self._upgrades[domain.name]

    def _step(self, step: Step) -> StepView:
        if step not in self._steps:
            self._steps[step] = self._step_view(step)
        return self._steps[step]

    def _step_view(self, step: Step) -> StepView:
        operator, old, new = step.operator, step.old, step.new
        if old is not None and old is new:
            address = self.addresses.version(operator, new.since_version)
            versions = f"{new.since_version}, revised"
        elif old is not None and new is not None:
            address = self.addresses.difference(operator, old.since_version, new.since_version)
            versions = f"{old.since_version} to {new.since_version}"
        else:
            (only,) = (version for version in (old, new) if version is not None)
            address = self.addresses.version(operator, only.since_version)
            versions = str(only.since_version)
        changes = _change_views(step.comparison)
        told = tuple(change for change in changes if change.weight != _WORDS)
        return StepView(operator, address, versions, told, len(changes) - len(told))


def version_pairs(operator: OperatorHistory) -> Iterable[tuple[Version, Version]]:
    """Return the pairs of an operator's versions that have a page, the older one first."""
    versions = operator.versions
    if len(versions) > MAX_VERSIONS_WITH_ALL_PAIRS:
        return pairwise(versions)
    return ((old, new) for at, new in enumerate(versions) for old in versions[:at])


def compared_with(operator: OperatorHistory, version: Version) -> list[Version]:
    """Return the versions with which a page compares a version."""
    if len(operator.versions) <= MAX_VERSIONS_WITH_ALL_PAIRS:
        return [other for other in operator.versions if other is not version]
    at = bisect_left(operator.versions, version.since_version, key=attrgetter("since_version"))
    return [*operator.versions[at - 1 : at], *operator.versions[at + 1 : at + 2]]


def steps_between(operator: OperatorHistory, old: Version, new: Version) -> list[tuple[Version, Version]]:
    """Return the pairs of neighbouring versions that lead from one version to another."""
    versions = [v for v in operator.versions if old.since_version <= v.since_version <= new.since_version]
    return list(pairwise(versions))


@by_identity(maxsize=4096)
def _change_views(comparison: Comparison) -> tuple[ChangeView, ...]:
    return tuple(map(_change_view, comparison.changes))


@lru_cache(maxsize=4096)
def _change_view(change: Change) -> ChangeView:
    key = _TITLES[change.weight][0]
    words = change.words
    return ChangeView(code_spans(words), words, key, change.weight.label)


def _body(part: Part) -> str:
    return "" if part.function is None else body_text(part.function)


@lru_cache(maxsize=1024)
def _text_diff(key: str, title: str, old: str, new: str, *, code: bool = False) -> TextDiff:
    if code:
        old, new = (f"```\n{text}\n```" for text in (old, new))
    rows = [row for row in compare_texts(old, new) if not (code and _is_fence(row))]
    return TextDiff(key, title, code, tuple(map(_row_view, rows)), tuple(_lines(rows)))


def _is_fence(row: Row) -> bool:
    """Whether a row is one of the fences that make code of a text, for the comparison line by line."""
    sides = {"".join(segment.text for segment in side).strip() for side in (row.old, row.new)}
    return not row.skipped and sides <= {"```", ""}


def _lines(rows: Iterable[Row]) -> Iterator[str]:
    for row in rows:
        if row.skipped:
            yield f"@@ {row.skipped} the same @@"
        elif row.is_same:
            yield from (f" {line}" for line in _plain(row.new))
        else:
            yield from (f"-{line}" for line in _plain(row.old))
            yield from (f"+{line}" for line in _plain(row.new))


def _plain(segments: Iterable[Segment]) -> list[str]:
    text = "".join(segment.text for segment in segments).rstrip("\n")
    return text.split("\n") if text else []


@by_identity(maxsize=4096)
def _row_view(row: Row) -> RowView:
    old = _side(row.old)
    new = old if row.new == row.old else _side(row.new)
    return RowView(old, new, row.is_same, row.skipped)


def _side(segments: Sequence[Segment]) -> Markup | None:
    if not segments:
        return None
    return Markup("".join(map(_tagged, segments)).rstrip("\n"))  # noqa: S704 - escaped piece by piece


def _tagged(segment: Segment) -> str:
    before, after = _TAGS[segment.kind]
    return f"{before}{html.escape(segment.text, quote=False)}{after}"
