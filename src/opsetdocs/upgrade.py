"""Moving from one opset to a later one: everything in between, operator by operator, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from opsetdocs.catalog import Domain, Event, EventKind, OperatorHistory, Opset, OpsetRange, Revision, Version
from opsetdocs.diff import Comparison, Weight, compare_revisions
from opsetdocs.ranges import without


@dataclass(frozen=True, slots=True)
class Step:
    """What moving from one opset to another means for an operator."""

    operator: OperatorHistory
    old: Version | None
    """The version that the old opset offers; `None` where it is not known to have the operator."""
    new: Version | None
    """The version that the new opset offers; `None` where the operator is gone."""
    comparison: Comparison
    """What changed from the old version to the new one, all steps in between taken together. Empty for an
    operator that came or went."""
    weight: Weight
    """The comparison's weight, at least `TEXT` since the version is another one; `REMOVED` for an operator
    that is gone, `NOTHING` for one that came."""
    events: tuple[Event, ...]
    """What happened to the operator after the old opset, up to the new one."""

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions from the old one to the new one, those in between included."""
        ends = [item.since_version for item in (self.old, self.new) if item]
        return tuple(item for item in self.operator.versions if ends[0] <= item.since_version <= ends[-1])


def upgrade(domain: Domain, old: int, new: int) -> tuple[Step, ...]:
    """Return a step for each operator whose version at the new opset differs from that at the old one.

    An experimental version that was revised in between has a step too.

    The worst comes first: removed, signature narrowed, default changed, signature widened, signature kept;
    then the operators that are new. Within each the order is that of the domain. An operator that neither
    opset is proved to lack or to have in another version has no step: what is not known is not guessed.

    Args:
        domain: The domain.
        old: The opset to move from.
        new: A later opset.

    Raises:
        KeyError: Nothing is known about one of the two opsets.
    """
    before, after = _opset(domain, old), _opset(domain, new)
    steps = (step for operator in domain.operators if (step := _step(operator, before, after)))
    return tuple(sorted(steps, key=lambda step: -step.weight))


def unknown_between(domain: Domain, old: int, new: int) -> tuple[OpsetRange, ...]:
    """Return the opsets from the old one to the new one of which nothing is known."""
    return without(old, new, (OpsetRange(opset.version, opset.version) for opset in domain.opsets))


def _opset(domain: Domain, version: int) -> Opset:
    opset = domain.opset(version)
    if opset is None:
        raise KeyError(version)
    return opset


def _step(operator: OperatorHistory, before: Opset, after: Opset) -> Step | None:
    old, new = operator.offered_in(before.version), operator.offered_in(after.version)
    events = tuple(event for event in operator.events if before.version < event.opset <= after.version)
    if old is None and new is None:
        return None
    if old is None:
        return Step(operator, None, new, Comparison(()), Weight.NOTHING, events)
    if new is None:
        is_removed = after.loaded or any(event.kind is EventKind.REMOVED for event in events)
        return Step(operator, old, None, Comparison(()), Weight.REMOVED, events) if is_removed else None
    revisions = revision_in(old, before.version), revision_in(new, after.version)
    if revisions[0] is revisions[1]:
        return None
    comparison = compare_revisions(*revisions)
    return Step(operator, old, new, comparison, max(comparison.weight, Weight.TEXT), events)


def revision_in(version: Version, opset: int) -> Revision:
    """Return the revision that an opset has of a version; an experimental one may have changed since."""
    return next(_holding(version, opset), version.current)


def _holding(version: Version, opset: int) -> Iterator[Revision]:
    return (revision for revision in version.revisions if opset in revision.opsets)
