"""What changed from the operator sets of one source to those of another, domain by domain.

The member that the one opset offers under a name is compared with the member that the other one offers: also
where both have the same version, or are two files of the same opset. Where one of the two is not known, it is
not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from opsetdocs.body_changes import body_changes
from opsetdocs.catalog import (
    Catalog,
    Domain,
    EventKind,
    OperatorHistory,
    Opset,
    OpsetRange,
    Revision,
    Version,
)
from opsetdocs.change_kinds import ChangeKind, Comparison, Weight, folded
from opsetdocs.diff import compare_revisions
from opsetdocs.errors import ConfigError
from opsetdocs.model import DEFAULT_DOMAIN, domain_name
from opsetdocs.ranges import merged
from opsetdocs.upgrade import revision_in


class Side(Enum):
    """One of the two sources."""

    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Difference:
    """An operator that is not the same in both opsets."""

    operator: OperatorHistory
    """The operator in the new source, or in the old one where it is gone."""
    old: Version | None
    """The version that the old opset offers; `None` where it has none."""
    new: Version | None
    """The version that the new opset offers; `None` where it has none."""
    comparison: Comparison
    """What changed; empty for an operator that came or went."""
    weight: Weight
    """The comparison's weight, at least `TEXT` since something differs; `REMOVED` for an operator that is
    gone, `NOTHING` for one that came."""
    was_stable: bool = False
    """Whether the old opset itself states that its version is stable."""
    body: tuple[str, ...] = ()
    """Where the body of a function changed, a line each; empty where it did not."""

    @property
    def versions(self) -> str:
        """The versions in words: `11 to 22`, or the only one."""
        numbers = dict.fromkeys(item.since_version for item in (self.old, self.new) if item)
        return " to ".join(map(str, numbers))

    @property
    def is_rewritten(self) -> bool:
        """Whether both opsets have the same version, and say different things about it."""
        return bool(self.old and self.new and self.old.since_version == self.new.since_version)

    @property
    def breaks_promise(self) -> bool:
        """Whether a version is rewritten that was published as stable."""
        return self.is_rewritten and self.was_stable


@dataclass(frozen=True, slots=True)
class DomainDifference:
    """What changed from one opset of a domain to another."""

    old: Opset
    new: Opset
    operators: tuple[Difference, ...]
    """The worst first: removed, signature narrowed, default changed, signature widened, signature kept; then
    the operators that are new. Within each by name."""
    unknown: tuple[OperatorHistory, ...]
    """The operators that one opset has, and of which is not known whether the other one does."""

    @property
    def text_changed(self) -> bool:
        """Whether two files of the same opset have different texts about it."""
        texts = [folded(opset.doc.text) if opset.doc else "" for opset in (self.old, self.new)]
        return self.old.version == self.new.version and texts[0] != texts[1]


@dataclass(frozen=True, slots=True)
class NotCompared:
    """A domain of which only one source has what was to be compared."""

    domain: str
    lacks: Side
    """The source that lacks it."""
    opset: int | None
    """The opset that it lacks; `None` where it lacks the domain."""
    known: tuple[OpsetRange, ...] = ()
    """The opsets that it has."""

    @property
    def words(self) -> str:
        """The fact in words: `com.acme: only in the new source`."""
        if self.opset is None:
            other = Side.NEW if self.lacks is Side.OLD else Side.OLD
            return f"{self.domain}: only in the {other.value} source"
        known = ", ".join(map(str, self.known))
        return f"{self.domain}: no opset {self.opset} in the {self.lacks.value} source, which has {known}"


@dataclass(frozen=True, slots=True)
class SetsDifference:
    """What changed from one source to another."""

    domains: tuple[DomainDifference, ...]
    """The domains that both have, those in which nothing changed too."""
    not_compared: tuple[NotCompared, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed, and both have the same domains."""
        changed = (item.operators or item.text_changed for item in self.domains)
        return not any(changed) and not any(item.opset is None for item in self.not_compared)


def compare_sets(
    old: Catalog,
    new: Catalog,
    *,
    domain: str | None = None,
    old_opset: int | None = None,
    new_opset: int | None = None,
) -> SetsDifference:
    """Return what changed from one source to another.

    Args:
        old: What the old source holds.
        new: What the new source holds.
        domain: The only domain to compare; all if it is `None`.
        old_opset: The opset of the old source; the highest one of each domain if it is `None`.
        new_opset: The opset of the new source; likewise.

    Raises:
        ConfigError: There is no such domain, or no domain has these opsets.
    """
    before, after = (
        {item.name: item for item in catalog.domains if domain is None or item.name == domain_name(domain)}
        for catalog in (old, new)
    )
    names = sorted({*before, *after}, key=lambda name: (name != DEFAULT_DOMAIN, name))
    if not names:
        raise ConfigError(f"neither the old nor the new source has the domain {domain}")
    compared: list[DomainDifference] = []
    not_compared: list[NotCompared] = []
    for name in names:
        lacking = [
            *_lacking(name, Side.OLD, before.get(name), old_opset),
            *_lacking(name, Side.NEW, after.get(name), new_opset),
        ]
        if not lacking:
            compared.append(_domain_difference(before[name], old_opset, after[name], new_opset))
        not_compared += lacking
    if not compared and any(item.opset for item in not_compared):
        raise ConfigError("\n".join(["nothing to compare", *(f"  {item.words}" for item in not_compared)]))
    return SetsDifference(tuple(compared), tuple(not_compared))


def _lacking(name: str, side: Side, domain: Domain | None, wanted: int | None) -> Iterator[NotCompared]:
    if domain is None:
        yield NotCompared(name, side, None)
    elif wanted is not None and all(opset.version != wanted for opset in domain.opsets):
        known = merged(OpsetRange(opset.version, opset.version) for opset in domain.opsets)
        yield NotCompared(name, side, wanted, known)


def _domain_difference(
    old: Domain, old_opset: int | None, new: Domain, new_opset: int | None
) -> DomainDifference:
    before, after = _opset(old, old_opset), _opset(new, new_opset)
    was, is_now = ({_name(operator): operator for operator in domain.operators} for domain in (old, new))
    operators = was | is_now
    found: list[Difference] = []
    unknown: list[OperatorHistory] = []
    for name in sorted(operators, key=lambda name: (name[0].casefold(), name)):
        one, other = _offered(before, was.get(name)), _offered(after, is_now.get(name))
        if one is None and other is None:
            continue
        if (one or _is_lacking(before, was.get(name))) and (other or _is_lacking(after, is_now.get(name))):
            found += _difference(operators[name], one, before, other, after)
        else:
            unknown.append(operators[name])
    found.sort(key=lambda item: -item.weight)
    return DomainDifference(before, after, tuple(found), tuple(unknown))


def _opset(domain: Domain, version: int | None) -> Opset:
    return domain.opset(version) or domain.latest


def _name(operator: OperatorHistory) -> tuple[str, str]:
    return operator.op_type, operator.overload


def _offered(opset: Opset, operator: OperatorHistory | None) -> Version | None:
    return operator.offered_in(opset.version) if operator else None


def _is_lacking(opset: Opset, operator: OperatorHistory | None) -> bool:
    """Whether it is proved that an opset lacks an operator which it is not known to offer."""
    if opset.loaded or operator is None or not operator.events:
        return opset.loaded
    earlier = [event for event in operator.events if event.opset <= opset.version]
    if earlier:
        return earlier[-1].kind is EventKind.REMOVED
    return operator.events[0].kind is EventKind.INTRODUCED


def _difference(
    operator: OperatorHistory, old: Version | None, before: Opset, new: Version | None, after: Opset
) -> Iterator[Difference]:
    """Yield the difference of two versions, if there is one."""
    if old is None or new is None:
        weight = Weight.NOTHING if old is None else Weight.REMOVED
        yield Difference(operator, old, new, Comparison(()), weight)
        return
    old_revision, new_revision = revision_in(old, before.version), revision_in(new, after.version)
    comparison = compare_revisions(old_revision, new_revision)
    # Where no file states the number it follows from what is loaded, and says nothing.
    is_other = old.since_version != new.since_version and not (old.derived or new.derived)
    if is_other or comparison.changes:
        weight = max(comparison.weight, Weight.TEXT)
        body = tuple(_body_changes(comparison, old_revision, new_revision))
        yield Difference(operator, old, new, comparison, weight, old_revision.status.is_stable, body)


def _body_changes(comparison: Comparison, old: Revision, new: Revision) -> Iterator[str]:
    if any(change.kind is ChangeKind.BODY_CHANGED for change in comparison.changes):
        before, after = (
            [part.function for part in revision.parts if part.function] for revision in (old, new)
        )
        yield from body_changes(before[0], after[0])
