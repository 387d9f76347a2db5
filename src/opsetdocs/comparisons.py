"""Comparisons as pages show them: the words of each change, texts side by side, upgrades by weight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from markupsafe import Markup

from opsetdocs.addresses import Addresses
from opsetdocs.bodies import body_text
from opsetdocs.catalog import Domain, OperatorHistory, Opset, Part, Version
from opsetdocs.change_kinds import Change, Comparison, Weight
from opsetdocs.diff import compare_versions
from opsetdocs.textdiff import Row, Segment, SegmentKind, compare_texts, text_of
from opsetdocs.upgrade import Step, upgrade
from opsetdocs.views import code_spans

_TITLES = {
    Weight.REMOVED: ("removed", "Removed"),
    Weight.NARROWED: ("narrower", "Signature narrowed"),
    Weight.DEFAULT: ("default", "Default or body changed"),
    Weight.WIDENED: ("wider", "Signature widened"),
    Weight.TEXT: ("words", "Signature kept"),
    Weight.NOTHING: ("new", "New"),
}
"""The groups of an upgrade: key and title. What weighs nothing is an operator that came."""

_WORDS, _ = _TITLES[Weight.TEXT]

_TAGS = {SegmentKind.REMOVED: Markup("<del>{}</del>"), SegmentKind.ADDED: Markup("<ins>{}</ins>")}


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
    """The same as plain lines in the manner of diff: what is old behind `-`, what is new behind `+`."""


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


@dataclass(frozen=True, slots=True)
class StepGroup:
    """The steps of one weight."""

    key: str
    title: str
    label: str
    """The title within a sentence."""
    steps: tuple[StepView, ...]


@dataclass(slots=True)
class Changes:
    """Compares the versions of a site's operators; each pair once, however many pages show it."""

    addresses: Addresses
    _views: dict[Comparison, tuple[ChangeView, ...]] = field(default_factory=dict)

    def between(self, old: Version, new: Version) -> tuple[ChangeView, ...]:
        """Return what changed from one version to another."""
        return self._view(compare_versions(old, new))

    def texts(self, old: Version, new: Version) -> tuple[TextDiff, ...]:
        """Return the texts of two versions beside each other, and their bodies if both are functions."""
        before, after = old.current.parts[0], new.current.parts[0]
        diffs = [_text_diff("text", "Text", text_of(before), text_of(after))]
        if before.function is not None and after.function is not None:
            diffs.append(_text_diff("body", "Function body", _body(before), _body(after), code=True))
        return tuple(diff for diff in diffs if diff.rows)

    def upgrade(self, domain: Domain, old: Opset, new: Opset) -> tuple[StepGroup, ...]:
        """Return what moving from one opset to another means, the worst first."""
        steps = upgrade(domain, old.version, new.version)
        groups = []
        for weight, items in groupby(steps, key=lambda step: step.weight):
            key, title = _TITLES[weight]
            label = title[0].lower() + title[1:]
            groups.append(StepGroup(key, title, label, tuple(map(self._step, items))))
        return tuple(groups)

    def _step(self, step: Step) -> StepView:
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
        changes = self._view(step.comparison)
        told = tuple(change for change in changes if change.weight != _WORDS)
        return StepView(operator, address, versions, told, len(changes) - len(told))

    def _view(self, comparison: Comparison) -> tuple[ChangeView, ...]:
        if comparison not in self._views:
            self._views[comparison] = tuple(map(_change_view, comparison.changes))
        return self._views[comparison]


def version_pairs(operator: OperatorHistory) -> Iterable[tuple[Version, Version]]:
    """Return every pair of an operator's versions, the older one first."""
    versions = operator.versions
    return ((old, new) for at, new in enumerate(versions) for old in versions[:at])


def steps_between(operator: OperatorHistory, old: Version, new: Version) -> list[tuple[Version, Version]]:
    """Return the pairs of neighbouring versions that lead from one version to another."""
    versions = [v for v in operator.versions if old.since_version <= v.since_version <= new.since_version]
    return list(pairwise(versions))


def _change_view(change: Change) -> ChangeView:
    key, _ = _TITLES[change.weight]
    return ChangeView(code_spans(change.words), change.words, key, change.weight.label)


def _body(part: Part) -> str:
    return "" if part.function is None else body_text(part.function)


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
            yield from (f"  {line}" for line in _plain(row.new))
        else:
            yield from (f"- {line}" for line in _plain(row.old))
            yield from (f"+ {line}" for line in _plain(row.new))


def _plain(segments: Iterable[Segment]) -> list[str]:
    return "".join(segment.text for segment in segments).strip("\n").splitlines()


def _row_view(row: Row) -> RowView:
    old, new = (_side(segments) for segments in (row.old, row.new))
    return RowView(old, new, row.is_same, row.skipped)


def _side(segments: Iterable[Segment]) -> Markup | None:
    pieces = [_tagged(segment) for segment in segments]
    return Markup().join(pieces).rstrip("\n") if pieces else None


def _tagged(segment: Segment) -> Markup:
    return _TAGS.get(segment.kind, Markup("{}")).format(segment.text)
