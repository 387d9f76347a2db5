"""Moving from one opset to a later one: everything in between, operator by operator, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from opsetdocs.catalog import Domain, EventKind, OperatorHistory, Opset, OpsetRange, Revision, Version
from opsetdocs.diff import Comparison, Weight, compare_revisions
from opsetdocs.ranges import without


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What moving from one opset to another means for an operator; the same object wherever it means that."""

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

    @property
    def versions(self) -> tuple[Version, ...]:
        """The versions from the old one to the new one, those in between included."""
        ends = [item.since_version for item in (self.old, self.new) if item]
        return tuple(item for item in self.operator.versions if ends[0] <= item.since_version <= ends[-1])


@dataclass(frozen=True, slots=True, eq=False)
class _Offer:
    """What an opset offers under a name; the same object in every opset that offers the same."""

    version: Version
    revision: Revision


class Upgrades:
    """Moving between any two opsets of a domain. What many moves have in common is compared once."""

    def __init__(self, domain: Domain) -> None:
        self._operators = domain.operators
        self._opsets = {opset.version: opset for opset in domain.opsets}
        self._offers = dict(_offers(domain))
        self._steps: dict[tuple[_Offer | None, _Offer | None], Step] = {}

    def steps(self, old: int, new: int) -> tuple[Step, ...]:
        """Return a step for each operator whose version at the new opset differs from that at the old one.

        An experimental version that was revised in between has a step too.

        The worst comes first: removed, signature narrowed, default changed, signature widened, signature
        kept; then the operators that are new. Within each the order is that of the domain. An operator that
        neither opset is proved to lack or to have in another version has no step: what is not known is not
        guessed.

        Args:
            old: The opset to move from.
            new: A later opset.

        Raises:
            KeyError: Nothing is known about one of the two opsets.
        """
        steps = [self._step(operator, was, is_now) for operator, was, is_now in self._moves(old, new)]
        return tuple(sorted(steps, key=lambda step: -step.weight))

    def moved(self, old: int, new: int) -> Iterator[OperatorHistory]:
        """Yield the operators that have a step, in the order of the domain; nothing is compared.

        Raises:
            KeyError: Nothing is known about one of the two opsets.
        """
        return (operator for operator, _, _ in self._moves(old, new))

    def _moves(self, old: int, new: int) -> Iterator[tuple[OperatorHistory, _Offer | None, _Offer | None]]:
        before, after = self._opsets[old], self._opsets[new]
        for operator, was, is_now in zip(self._operators, self._offers[old], self._offers[new], strict=True):
            if was is not is_now and (is_now or _is_gone(operator, before, after)):
                yield operator, was, is_now

    def _step(self, operator: OperatorHistory, old: _Offer | None, new: _Offer | None) -> Step:
        step = self._steps.get((old, new))
        if step is None:
            step = self._steps[old, new] = _step(operator, old, new)
        return step


def _offers(domain: Domain) -> Iterator[tuple[int, tuple[_Offer | None, ...]]]:
    """Yield each opset of a domain with what it offers under the name of each of the domain's operators."""
    offers = {
        id(revision): _Offer(version, revision)
        for operator in domain.operators
        for version in operator.versions
        for revision in version.revisions
    }
    for opset in domain.opsets:
        members = {
            id(operator): offers[id(revision_in(version, opset.version))]
            for operator, version in opset.members
        }
        yield opset.version, tuple(members.get(id(operator)) for operator in domain.operators)


def _is_gone(operator: OperatorHistory, before: Opset, after: Opset) -> bool:
    """Whether it is proved that an operator is gone which the later of two opsets is not known to offer."""
    return after.loaded or any(
        event.kind is EventKind.REMOVED and before.version < event.opset <= after.version
        for event in operator.events
    )


def _step(operator: OperatorHistory, old: _Offer | None, new: _Offer | None) -> Step:
    if old and new:
        comparison = compare_revisions(old.revision, new.revision)
        return Step(operator, old.version, new.version, comparison, max(comparison.weight, Weight.TEXT))
    if new:
        return Step(operator, None, new.version, Comparison(()), Weight.NOTHING)
    return Step(operator, old.version if old else None, None, Comparison(()), Weight.REMOVED)


def unknown_between(domain: Domain, old: int, new: int) -> tuple[OpsetRange, ...]:
    """Return the opsets from the old one to the new one of which nothing is known."""
    return without(old, new, (OpsetRange(opset.version, opset.version) for opset in domain.opsets))


def revision_in(version: Version, opset: int) -> Revision:
    """Return the revision that an opset has of a version; an experimental one may have changed since."""
    return next(_holding(version, opset), version.current)


def _holding(version: Version, opset: int) -> Iterator[Revision]:
    return (revision for revision in version.revisions if opset in revision.opsets)
