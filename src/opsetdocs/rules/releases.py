"""What the sets of a release say, version by version: what the rules about keeping compare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from opsetdocs.history import is_cumulative
from opsetdocs.identity import Name, entries, name_of, stated_since_version, stated_status
from opsetdocs.meaning import as_part, part_signature
from opsetdocs.model import Operator, OperatorSet, Status, domain_name
from opsetdocs.rules.registry import Entry, Where
from opsetdocs.wire import Path


@dataclass(frozen=True, slots=True)
class Statement:
    """What a file says about a version. Two are equal if they say the same in the same letters."""

    set: OperatorSet = field(compare=False)
    entry: Entry = field(compare=False)
    since_version: int = field(compare=False)
    derived: bool = field(compare=False)
    """Whether the entry states no since_version; it is then that of the opset with which an unbroken run of
    loaded opsets begins that carry this very entry."""
    status: Status
    content: Hashable

    @property
    def opset(self) -> int:
        """The opset_version of the file."""
        return self.set.opset_version or 0

    def where(self, path: Path = ()) -> Where:
        """Return where the entry stands, or a field of it."""
        return Where(self.set, self.entry, path)


VersionKey = tuple[str, Name, int]
"""What identifies a version: domain, name and since_version."""


@dataclass(frozen=True, slots=True)
class Opset:
    """An opset that is loaded."""

    set: OperatorSet
    """Its file; of several the first by name."""
    cumulative: bool
    """Whether a file of it holds every version so far."""
    members: Mapping[Name, Statement]
    """What it offers: of each name the highest version that is not above the opset."""

    @property
    def number(self) -> int:
        """The opset_version."""
        return self.set.opset_version or 0


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Operator sets that are published together."""

    sets: Sequence[OperatorSet]
    versions: Mapping[VersionKey, Sequence[Statement]]
    """What is said about each version: by opset, then by file name."""
    opsets: Mapping[str, Mapping[int, Opset]]
    """The loaded opsets of each domain, ascending."""


def released(sets: Sequence[OperatorSet]) -> Release:
    """Return what sets say, version by version. What has no name or no opset_version is left out."""
    by_opset: dict[tuple[str, int], list[OperatorSet]] = defaultdict(list)
    for item in sets:
        if item.opset_version and item.opset_version >= 1:
            by_opset[domain_name(item.domain), item.opset_version].append(item)
    versions: dict[VersionKey, list[Statement]] = defaultdict(list)
    opsets: dict[str, dict[int, Opset]] = defaultdict(dict)
    ordered = sorted(by_opset)
    for domain, keys in groupby(ordered, key=lambda key: key[0]):
        files = [sorted(by_opset[key], key=lambda item: item.source) for key in keys]
        for same_opset, said in zip(files, _statements(files), strict=True):
            for name, statements in said.items():
                for statement in statements:
                    versions[domain, name, statement.since_version].append(statement)
            first = same_opset[0]
            opsets[domain][first.opset_version or 0] = Opset(
                first,
                any(map(is_cumulative, same_opset)),
                {name: _offered(statements) for name, statements in said.items()},
            )
    return Release(sets, dict(versions), dict(opsets))


def speaker(release: Release, domain: str, opset: int) -> Opset | None:
    """Return the opset whose file tells what an opset offers: its own, or else the next cumulative one."""
    opsets = release.opsets.get(domain, {})
    later = (item for number, item in opsets.items() if number > opset and item.cumulative)
    return opsets.get(opset) or next(later, None)


def _offered(statements: Sequence[Statement]) -> Statement:
    # Of versions that are too new for the opset, one stands for the name: it is there, whatever it states.
    return max(statements, key=lambda item: (item.since_version <= item.opset, item.since_version))


def _statements(files: Sequence[Sequence[OperatorSet]]) -> Iterator[Mapping[Name, Sequence[Statement]]]:
    """Yield what the files of each opset of a domain say, by name.

    Args:
        files: The files of each opset, by opset.
    """
    undated = {
        name_of(entry)
        for same_opset in files
        for item in same_opset
        for entry in entries(item)
        if stated_since_version(entry) is None
    }
    before: dict[Hashable, int] = {}
    for same_opset in files:
        now: dict[Hashable, int] = {}
        result: dict[Name, list[Statement]] = defaultdict(list)
        for item in same_opset:
            for entry in entries(item):
                name, stated = name_of(entry), stated_since_version(entry)
                if name is None:
                    continue
                status, since_version = stated_status(entry), stated
                if name in undated:
                    identity = (name, status, part_signature(as_part(entry)))
                    since_version = stated or before.get(identity, item.opset_version)
                    now[identity] = since_version or 0
                result[name].append(
                    Statement(item, entry, since_version or 0, stated is None, status, _content(entry))
                )
        yield result
        before = now


def _content(entry: Entry) -> Hashable:
    """Everything that an entry says but for its name and version, quick to compare."""
    text = entry.doc_string or ""
    if isinstance(entry, Operator):
        return text
    return entry.body_key, domain_name(entry.domain), entry.attribute_defaults, text
