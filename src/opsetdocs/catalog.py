"""Operator sets as documented: domains, their operators with every version and event, their opsets.

Everything here has a certain identity: a domain has a name, an operator a name in its domain, a version a
since_version. `history.py` says how versions, ranges and events follow from the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from opsetdocs.docstring import DocString
from opsetdocs.model import Function, Status


class Kind(Enum):
    """What an entry of an operator set is."""

    OPERATOR = "operator"
    FUNCTION = "function"


@dataclass(frozen=True, slots=True)
class Part:
    """One entry of an operator set: what an OperatorProto or a FunctionProto says about a version."""

    kind: Kind
    status: Status
    doc: DocString
    function: Function | None
    """The function as written; `None` for an operator."""


@dataclass(frozen=True, slots=True)
class Revision:
    """What one or more opsets say about a version; files that say the same by meaning share one.

    There is more than one part only where a file names the same version twice: as operator and as function,
    or by mistake.
    """

    opsets: tuple[int, ...]
    """The loaded opsets whose files say this, ascending."""
    parts: tuple[Part, ...]

    @property
    def status(self) -> Status:
        """The status that the first part states."""
        return self.parts[0].status

    @property
    def kind(self) -> Kind:
        """The kind of the first part."""
        return self.parts[0].kind

    @property
    def deprecated(self) -> bool:
        """Whether the text carries the mark **Deprecated**."""
        return any(part.doc.deprecated for part in self.parts)


@dataclass(frozen=True, slots=True)
class OpsetRange:
    """An unbroken run of opsets, both ends included."""

    first: int
    last: int

    def __contains__(self, opset: object) -> bool:
        return isinstance(opset, int) and self.first <= opset <= self.last

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


@dataclass(frozen=True, slots=True)
class Version:
    """One version of an operator: what `(domain, op_type, since_version)` identifies."""

    since_version: int
    derived: bool
    """Whether since_version is stated nowhere, and is the first loaded opset that carries the function."""
    revisions: tuple[Revision, ...]
    """Newest first: the text of the highest loaded opset is the one that is shown."""
    offered: tuple[OpsetRange, ...]
    """The opsets that are proved to offer this version, ascending, as few ranges as possible."""

    @property
    def current(self) -> Revision:
        """The revision of the highest loaded opset."""
        return self.revisions[0]

    @property
    def status(self) -> Status:
        """The status in the highest loaded opset."""
        return self.current.status

    @property
    def kind(self) -> Kind:
        """The kind in the highest loaded opset."""
        return self.current.kind

    @property
    def deprecated(self) -> bool:
        """Whether the text in the highest loaded opset carries the mark **Deprecated**."""
        return self.current.deprecated

    @property
    def prose(self) -> str:
        """The text in the highest loaded opset up to its first section: what the version does, in words."""
        first = self.current.parts[0].doc.blocks[:1]
        return first[0] if first and isinstance(first[0], str) else ""

    @property
    def in_conflict(self) -> bool:
        """Whether a published version says different things in different files, or states two statuses."""
        return len(self.revisions) > 1 and not all(item.status.is_experimental for item in self.revisions)


class EventKind(Enum):
    """What can happen to an operator at an opset; the value is the word that pages show."""

    INTRODUCED = "introduced"
    FIRST_SEEN = "first seen"
    CHANGED = "changed"
    PROMOTED = "promoted"
    DEMOTED = "demoted"
    REVISED = "revised"
    DEPRECATED = "deprecated"
    REMOVED = "removed"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to an operator, as far as the loaded files prove."""

    kind: EventKind
    opset: int
    """The opset in which it happened, which need not be loaded where a since_version gives the date; else the
    first known opset that shows it. With `missing`, it may have happened in one of those already."""
    since_version: int
    """The version concerned; for a removal the last one that was offered."""
    missing: tuple[OpsetRange, ...] = ()
    """The opsets that are not loaded and would be needed to date the event."""
    last_seen: int | None = None
    """For a removal, the last loaded or proved opset that had the operator."""


@dataclass(frozen=True, slots=True)
class OperatorHistory:
    """A name in a domain: all its versions and what happened to it."""

    domain: str
    """The domain's name, `ai.onnx` for the default domain."""
    op_type: str
    overload: str
    """The overload of a function; empty for operators and for most functions."""
    versions: tuple[Version, ...]
    """Ascending by since_version; never empty."""
    events: tuple[Event, ...]
    """Ascending by opset; within an opset in the order of `EventKind`."""
    position: int
    """Place in file order, in the domain's highest opset that has it; for `order: file`."""

    @property
    def name(self) -> str:
        """The name that pages show: the op_type, with the overload where there is one."""
        return f"{self.op_type}:{self.overload}" if self.overload else self.op_type

    @property
    def current(self) -> Version:
        """The version with the highest since_version."""
        return self.versions[-1]

    @property
    def removal(self) -> Event | None:
        """The removal, if the operator is gone in the highest loaded opset."""
        for event in reversed(self.events):
            if event.kind is EventKind.REMOVED:
                return event
            if event.kind is EventKind.RESTORED:
                return None
        return None

    def version(self, since_version: int) -> Version:
        """Return the version with this since_version; raise KeyError if there is none."""
        for version in self.versions:
            if version.since_version == since_version:
                return version
        raise KeyError(since_version)

    def offered_in(self, opset: int) -> Version | None:
        """Return the version that an opset is proved to offer, if there is one."""
        for version in reversed(self.versions):
            if any(opset in span for span in version.offered):
                return version
        return None


@dataclass(frozen=True, slots=True)
class Opset:
    """One opset of a domain: a loaded file, or one that a cumulative file of a later opset describes."""

    domain: str
    version: int
    loaded: bool
    """Whether a file of this very opset was loaded."""
    doc: DocString | None
    """The set's doc_string; `None` where it has none or the file is not loaded."""
    members: tuple[tuple[OperatorHistory, Version], ...]
    """Every operator that this opset is proved to offer, with its version, in the domain's order."""
    events: tuple[tuple[OperatorHistory, Event], ...]
    """What happened at this opset, or in one of those before it that are not known; in the domain's order."""
    missing_before: tuple[OpsetRange, ...]
    """The opsets between the one before it and this one that are not known."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain: its operators and its opsets."""

    name: str
    """`ai.onnx` for the default domain."""
    operators: tuple[OperatorHistory, ...]
    opsets: tuple[Opset, ...]
    """Ascending by version; never empty."""
    missing: tuple[OpsetRange, ...]
    """The opsets between 1 and the highest one of which nothing is known."""

    @property
    def latest(self) -> Opset:
        """The highest known opset."""
        return self.opsets[-1]

    def opset(self, version: int | None) -> Opset | None:
        """Return the opset of this version, if it is known."""
        return next((opset for opset in self.opsets if opset.version == version), None)


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything that was loaded, by domain."""

    domains: tuple[Domain, ...]
    """`ai.onnx` first, then by name."""

    def opset(self, domain: str, version: int | None) -> Opset | None:
        """Return the opset of this version of a domain, if it is known."""
        return next((item.opset(version) for item in self.domains if item.name == domain), None)

    def find(self, domain: str, op_type: str, overload: str = "") -> OperatorHistory | None:
        """Return the operator of this name in a domain, if there is one."""
        for item in self.domains:
            if item.name == domain:
                for operator in item.operators:
                    if operator.op_type == op_type and operator.overload == overload:
                        return operator
        return None
