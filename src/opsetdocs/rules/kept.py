"""Rules about what is kept from one opset to the next, and from what was published to what is to be.

With `--against`, what the checked sets say about a version is also compared with what was published: with the
same opset, or else with the highest one below it, or else with the lowest one. A version is kept if any of
the published files says the same. The published sets alone are not checked, and nothing is said that the
loaded files do not prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, groupby, product

from opsetdocs.diff import Change
from opsetdocs.identity import Name, metadata, status_number
from opsetdocs.membership import offered
from opsetdocs.model import Operator, OperatorSet, Status
from opsetdocs.rules.differences import MAX_LINES, changes, is_of_meaning, is_of_words, limited, lines
from opsetdocs.rules.registry import MUST, NOTE, SHOULD, Problem, Sets, Where, across_sets, rule
from opsetdocs.rules.releases import Opset, Release, Statement, VersionKey, released, speaker
from opsetdocs.wire import Path


@dataclass(frozen=True, slots=True)
class _Compared:
    """The checked sets and the published ones, version by version."""

    checked: Release
    published: Release
    disputed: Sequence[VersionKey]
    """The versions of the checked sets of which not all files say the same in the same letters."""


@lru_cache(maxsize=1)
def _compared(sets: Sets) -> _Compared:
    checked, published = released(sets.sets), released(sets.published)
    disputed = [
        version
        for version, (first, *others) in checked.versions.items()
        if any(item != first for item in chain(others, published.versions.get(version, ())))
    ]
    return _Compared(checked, published, disputed)


# What a new opset is for


@rule(
    "OPSET_MEMBERSHIP_CHANGED",
    SHOULD,
    "The opset_version is a monotonically increasing integer that indicates changes to the membership of the "
    "operator set.",
    "onnx-operators-ml.proto, OperatorSetProto",
)
@across_sets
def opset_membership_changed(sets: Sets) -> Iterator[Problem]:
    """An opset differs from the opset before it.

    A new `opset_version` makes everybody who writes models or runtimes look for what is new. One that has the
    same members, and says the same of each, makes them look in vain. Only opsets with neighbouring numbers
    are compared; with `--against` the one before may be a published one. An opset in which an experimental
    operator says something new has its reason, and a stable one that does is the matter of other rules.

    To mend it, leave the file of the new opset out until there is something new to put in.
    """
    compared = _compared(sets)
    for domain, opsets in compared.checked.opsets.items():
        published = compared.published.opsets.get(domain, {})
        for number, opset in opsets.items():
            before = opsets.get(number - 1) or published.get(number - 1)
            if before and _says_the_same(before, opset):
                yield Problem(
                    f"opset_version is {number}, but the set says what opset {number - 1} in "
                    f"{before.set.source} says; expected other members",
                    Where(opset.set, field=("opset_version",)),
                    others=(Where(before.set, field=("opset_version",)),),
                )


def _says_the_same(old: Opset, new: Opset) -> bool:
    return old.members.keys() == new.members.keys() and all(
        _is_same_version(old.members[name], member)
        and old.members[name].status == member.status
        and not changes(old.members[name], member)
        for name, member in new.members.items()
    )


def _is_same_version(old: Statement, new: Statement) -> bool:
    if old.since_version == new.since_version:
        return True
    # From which opset a function without a since_version dates depends on which opsets are loaded.
    return (old.derived or new.derived) and not any(map(is_of_meaning, changes(old, new)))


@rule(
    "OPERATOR_SINCE_VERSION_IS_FIRST_SET",
    MUST,
    "The since_version MUST be the opset_version of the operator set that first published the operator.",
    "onnx-operators-ml.proto, OperatorProto.since_version",
)
@across_sets
def operator_since_version_is_first_set(sets: Sets) -> Iterator[Problem]:
    """The opset that a since_version names has that version.

    A model imports an opset and gets, of each operator, the version with the highest `since_version` that is
    not above it. A `since_version` that is too low gives models of earlier opsets a version that those opsets
    never had. The rule needs the file of the opset that the `since_version` names, or a later cumulative
    file, which holds every version so far and so tells what that opset offered. Without one it says nothing.

    To mend it, set `since_version` to the `opset_version` of the first set that has this version. If the
    version was forgotten in the opset that its `since_version` names, and that one is not published yet, add
    it there.
    """
    compared = _compared(sets)
    for version, (first, *_) in compared.checked.versions.items():
        if proof := _proof_of_another_first_set(compared, version):
            yield Problem(
                f"since_version is {first.since_version}, but {proof.words}; "
                f"opset {first.opset} is the first known to have it",
                first.where(_since_version_field(first)),
                others=(Where(proof.file, field=("opset_version",)),),
            )


def _since_version_field(statement: Statement) -> Path:
    return ("since_version",) if isinstance(statement.entry, Operator) else ()


@dataclass(frozen=True, slots=True)
class _Absence:
    """The proof that an opset does not have a version."""

    file: OperatorSet
    words: str


def _proof_of_another_first_set(compared: _Compared, version: VersionKey) -> _Absence | None:
    """Return the proof that the opset named by a version's since_version lacks it, if there is one."""
    statements = compared.checked.versions[version]
    first = statements[0]
    if first.derived or first.opset <= first.since_version:
        return None
    told = speaker(compared.checked, version[0], first.since_version)
    if told and any(item.opset == told.number for item in statements):
        return None
    return _absence(compared.checked if told else compared.published, version)


def _absence(release: Release, version: VersionKey) -> _Absence | None:
    """Return the proof that the opset named by a since_version lacks that version, if there is one."""
    domain, name, number = version
    told = speaker(release, domain, number)
    if told is None:
        return None
    offer = _offer(release, domain, number)
    if name in offer and offer[name] in (None, number):
        return None
    has = f"has since_version {offer[name]} of it" if name in offer else "does not have it"
    by = f" in {told.set.source}"
    if told.number != number:
        by = f", of which the cumulative {told.set.source} tells,"
    return _Absence(told.set, f"opset {number}{by} {has}")


@lru_cache(maxsize=256)
def _offer(release: Release, domain: str, opset: int) -> Mapping[Name, int | None]:
    return offered(release.sets, domain, opset) or {}


# What is said about a version


@rule(
    "OPERATOR_STABLE_SIGNATURE_KEPT",
    MUST,
    "Subsequent versions of the operator set MUST NOT alter the signature or semantics of the operator once "
    "published as STABLE.",
    "onnx-operators-ml.proto, OperatorProto.since_version",
)
@across_sets
def operator_stable_signature_kept(sets: Sets) -> Iterator[Problem]:
    """A stable version has the same signature in every file, and a function the same body.

    Models are made for a published version and runtimes implement it, so it stays as it is: names, order,
    types and defaults, what is required, optional or variadic, and how many inputs and outputs there are; of
    a function also the nodes and the opsets that they import. It may not accept more either, since a model
    that uses what was added is refused by a runtime that follows the version as it was first published.
    Signatures are compared by what they mean. The order of inputs and outputs counts, since a node gives them
    by place; the order of attributes, which have names, does not, nor do the order of types, white space and
    the form in which a section is written.

    To mend it, put back the signature and the body as they were published, and add what is new as a version
    of its own, with the `opset_version` of the next opset as its `since_version`.
    """
    for found in _breaks(sets, _is_stable, _has_same_meaning):
        what = "signature" if isinstance(found.new.entry, Operator) else "signature or body"
        yield found.problem(
            f"the {what} of {found.version}, which is STABLE, differs from that {found.place}",
            is_of_meaning,
        )


@rule(
    "OPERATOR_STABLE_DOC_KEPT",
    SHOULD,
    "An OperatorProto represents the immutable specification of the signature and semantics of an operator.",
    "onnx-operators-ml.proto, OperatorProto",
)
@across_sets
def operator_stable_doc_kept(sets: Sets) -> Iterator[Problem]:
    """A stable version is described in the same words in every file.

    As long as the format has no place for the semantics of an operator, the text is all that tells them. With
    two texts for one version readers cannot know which one holds, and whoever implemented the first is not
    told of the second. White space, the order of sets and examples do not count, nor do properties that only
    one of the files states. What is part of the signature is the matter of OPERATOR_STABLE_SIGNATURE_KEPT.

    To mend it, put back the words as they were published. If the new words mean the same and are better, use
    them in the files of all opsets that have the version; if they mean something else, they belong to a new
    version.
    """
    for found in _breaks(sets, _is_stable, _has_same_words):
        yield found.problem(
            f"the text of {found.version}, which is STABLE, differs from that {found.place}", is_of_words
        )


@rule(
    "OPERATOR_STATUS_KEPT",
    MUST,
    "Operators become stable by deprecating the experimental version and introducing a new stable operator "
    "with the same op_type.",
    "onnx-operators-ml.proto, OperatorProto.status",
)
@across_sets
def operator_status_kept(sets: Sets) -> Iterator[Problem]:
    """A version has the same status in every file.

    Whoever used an experimental version knew that it might change; whoever uses a stable one relies on it. If
    one version were both, its `since_version` would no longer tell which of its texts is the one that holds.
    So a stable version begins with a `since_version` of its own. A status that is not stated counts as
    EXPERIMENTAL.

    To mend it, give the version the status with which it was published. To make an experimental version
    stable, end it and add a STABLE one with the same op_type and the `opset_version` of the new opset as its
    `since_version`.
    """
    for found in _breaks(sets, _has_known_status, _has_same_status):
        new, old = (_in_words(item.status) for item in (found.new, found.old))
        place = f"as {found.place}" if found.against else found.place
        yield found.problem(f"the status of {found.version} is {new}, but {old} {place}")


@rule(
    "OPERATOR_EXPERIMENTAL_CHANGED",
    NOTE,
    "When an operator is published as EXPERIMENTAL, the syntax and semantics of the operator MAY change "
    "across operator set versions.",
    "onnx-operators-ml.proto, OperatorProto.status",
)
@across_sets
def operator_experimental_changed(sets: Sets) -> Iterator[Problem]:
    """An experimental version says the same as in the opset before.

    It may change from one opset to the next, so this is a note and no fault: whoever tries the version out
    should hear of the change, and the pages show it as revised. Within one opset it may not: a published one
    is immutable, so a version that differs from what was published for the same opset is a warning.

    To mend it, there is nothing to do if the change is meant and comes with a new opset. Otherwise put back
    the text as it was.
    """
    for found in _breaks(sets, _is_experimental, _says_nothing_else, by_opset=True):
        problem = found.problem(
            f"{found.version}, which is EXPERIMENTAL, differs from that {found.place}", lambda _: True
        )
        yield replace(problem, level=SHOULD) if found.is_republished else problem


def _is_stable(statement: Statement) -> bool:
    return statement.status.is_stable


def _is_experimental(statement: Statement) -> bool:
    return statement.status.is_experimental


def _has_known_status(statement: Statement) -> bool:
    # Of a status that is none, OPERATOR_STATUS_KNOWN tells.
    text = metadata(statement.entry, "status")
    return text is None or status_number(text) in (0, 1)


def _says_nothing_else(old: Statement, new: Statement) -> bool:
    return not changes(old, new)


def _has_same_meaning(old: Statement, new: Statement) -> bool:
    return not any(map(is_of_meaning, changes(old, new)))


def _has_same_words(old: Statement, new: Statement) -> bool:
    return not any(map(is_of_words, changes(old, new)))


def _has_same_status(old: Statement, new: Statement) -> bool:
    return old.status == new.status or (old.status.is_experimental and new.status.is_experimental)


def _in_words(status: Status) -> str:
    return {0: "EXPERIMENTAL", 1: "STABLE", None: "not stated"}.get(status.number, str(status.number))


@dataclass(frozen=True, slots=True)
class _Break:
    """A version of which a file says something else than was published before."""

    old: Statement
    new: Statement
    again: Sequence[Statement]
    """Of the opsets that say something else again the first files, each text once."""
    against: bool
    """Whether the old statement is one of the published sets."""

    @property
    def is_republished(self) -> bool:
        """Whether the very opset of the new statement was published with the old one."""
        return self.against and self.old.opset == self.new.opset

    @property
    def version(self) -> str:
        """The version, in words."""
        derived = " (derived)" if self.new.derived else ""
        return f"since_version {self.new.since_version}{derived}"

    @property
    def place(self) -> str:
        """Where the old statement stands, in words."""
        file = f"{self.old.set.source} (opset {self.old.opset})"
        return f"published in {file}" if self.against else f"in {file}"

    def problem(self, message: str, counts: Callable[[Change], bool] | None = None) -> Problem:
        """Return what breaks the rule.

        Args:
            message: What was found.
            counts: Which changes are told one by one; `None` where it is the status that changed.
        """
        is_operator = isinstance(self.new.entry, Operator)
        told = [item for item in changes(self.old, self.new) if counts(item)] if counts else []
        name = "doc_string" if counts else "status"
        path = (name,) if is_operator else ()
        return Problem(
            message,
            self.new.where(path),
            others=tuple(
                item.where((name,) if isinstance(item.entry, Operator) else ())
                for item in (self.old, *self.again)
            ),
            details=lines(told, self.old, self.new),
        )


_Same = Callable[[Statement, Statement], bool]


def _breaks(
    sets: Sets, counts: Callable[[Statement], bool], same: _Same, *, by_opset: bool = False
) -> Iterator[_Break]:
    """Yield the versions that are not kept, each once.

    Args:
        sets: What is checked.
        counts: Which statements are compared.
        same: Whether two statements say the same, as far as the rule goes.
        by_opset: Whether a statement of a published opset is first compared with that of the same opset.
    """
    compared = _compared(sets)
    for version in compared.disputed:
        published = list(filter(counts, compared.published.versions.get(version, ())))
        checked = filter(counts, compared.checked.versions[version])
        opsets = [tuple(group) for _, group in groupby(checked, key=lambda item: item.opset)]
        found = _first_republished(published, opsets, same) if by_opset else None
        found = found or _first_break(published, opsets, same, against=True)
        if found is None and opsets:
            # Several files of one opset are the matter of OPSET_UNIQUE and OPERATOR_UNIQUE.
            found = _first_break(opsets[0], opsets[1:], same, against=False)
        if found:
            yield found


def _first_republished(
    published: Sequence[Statement], opsets: Iterable[Sequence[Statement]], same: _Same
) -> _Break | None:
    """Return the first opset that says something else than was published for it."""
    breaks = (
        _first_break(
            [item for item in published if item.opset == group[0].opset], [group], same, against=True
        )
        for group in opsets
    )
    return next(filter(None, breaks), None)


def _first_break(
    promise: Sequence[Statement], opsets: Iterable[Sequence[Statement]], same: _Same, *, against: bool
) -> _Break | None:
    """Return the first opset of which no file says what was promised; none if nothing was."""
    broken = [group for group in opsets if not _any_same(promise, group, same)]
    if not broken or not promise:
        return None
    old, new = min(product(promise, broken[0]), key=_nearness)
    again: list[Statement] = []
    for first, *_ in broken[1:]:
        if len(again) < MAX_LINES and not _any_same([new, *again], [first], same):
            again.append(first)
    return _Break(old, new, again, against)


def _any_same(old: Iterable[Statement], new: Sequence[Statement], same: _Same) -> bool:
    return any(same(one, other) for one in old for other in new)


def _nearness(pair: tuple[Statement, Statement]) -> tuple[bool, bool, bool, int]:
    """Put like kinds first, then the same opset, then the highest one below, then the lowest one."""
    old, new = pair
    below = old.opset < new.opset
    return (
        type(old.entry) is not type(new.entry),
        old.opset != new.opset,
        not below,
        abs(old.opset - new.opset),
    )


# What is still there


@rule(
    "OPERATOR_STABLE_REMOVED",
    SHOULD,
    "The status indicates whether the syntax, semantics, or presence of an operator is in an experimental or "
    "stable stage.",
    "onnx-operators-ml.proto, OperatorProto.status",
)
@across_sets
def operator_stable_removed(sets: Sets) -> Iterator[Problem]:
    """A stable operator is still there in later opsets.

    The format lets an opset lose members. But a model that uses the operator cannot move to an opset that
    does not have it, so operators are better deprecated than removed: a deprecated version says what to use
    instead. A later opset that goes back to an earlier version of the operator has removed the later one. An
    experimental operator may go. Only a loaded opset without the name, or with an earlier version, proves a
    removal; if the opsets between are not loaded, it happened in one of them. With `--against`, what the
    highest published opset has counts too.

    To mend it, add the operator to the opset again, if it was forgotten. If it is not to be used any more,
    keep it as a new version whose text begins with **Deprecated**. To withdraw a version, publish what the
    earlier one said as a new version, with a `since_version` of its own.
    """
    compared = _compared(sets)
    for domain, opsets in compared.checked.opsets.items():
        published = compared.published.opsets.get(domain, {})
        for name, last, opset in _losses(opsets, _before_the_last(published, opsets)):
            now = opset.members.get(name)
            # A since_version that is wrong is the matter of another rule.
            if now is None or not _proof_of_another_first_set(compared, (domain, name, now.since_version)):
                yield _removal(name, last, opset, now)


def _before_the_last(published: Mapping[int, Opset], checked: Mapping[int, Opset]) -> Mapping[int, Opset]:
    """Return the highest published opset, unless it is among the checked ones or above them all."""
    highest = max(published, default=0)
    return (
        {highest: published[highest]}
        if published and highest not in checked and highest < max(checked)
        else {}
    )


def _losses(
    checked: Mapping[int, Opset], published: Mapping[int, Opset]
) -> Iterator[tuple[Name, Statement, Opset]]:
    """Yield what is lost, each stable name once: its last version, and the opset that has it no more."""
    present: dict[Name, Statement] = {}
    told: set[Name] = set()
    for number, opset in sorted({**published, **checked}.items()):
        for name, last in list(present.items()) if number in checked else ():
            now = opset.members.get(name)
            if now is None:
                del present[name]
            is_lost = now is None or now.since_version < last.since_version <= last.opset
            if is_lost and last.status.is_stable and name not in told:
                told.add(name)
                yield name, last, opset
        present.update(opset.members)


def _removal(name: Name, last: Statement, opset: Opset, now: Statement | None) -> Problem:
    """Return what was removed: an operator, or its last version if the opset goes back to another one."""
    when = "in" if opset.number == last.opset + 1 else "by"
    what = "is gone" if now is None else f"went back to since_version {now.since_version}"
    return Problem(
        f"{name}, STABLE with since_version {last.since_version}, was last seen in opset {last.opset} in "
        f"{last.set.source} and {what} {when} opset {opset.number}",
        now.where(_since_version_field(now)) if now else Where(opset.set),
        others=(last.where(),),
    )


@rule(
    "OPSET_KEPT",
    MUST,
    "An OperatorSetProto represents an immutable set of immutable operator specifications.",
    "onnx-operators-ml.proto, OperatorSetProto",
)
@across_sets
def opset_kept(sets: Sets) -> Iterator[Problem]:
    """With `--against`: a published opset is still there, and has the members with which it was published.

    Models import an opset by its number. If the number means other operators than it did, a model means
    something else, or nothing any more; other members need another `opset_version`. If the opset is gone,
    whoever has a model that imports it finds nothing. What is checked is taken to be the whole new release:
    it has the file of every published opset, or a later cumulative file of the domain, which describes the
    opsets before it. Only a release of which every opset of a domain is newer than all that are published
    adds to them, and need not bring them again. While a file cannot be used, or a set has no
    `opset_version`, no opset is said to be gone: it may be that one.

    To mend it, put the published file back, and give the opset with the other members the next
    `opset_version`.
    """
    compared = _compared(sets)
    for domain, published in compared.published.opsets.items():
        checked = compared.checked.opsets.get(domain, {})
        adds = bool(checked) and min(checked) > max(published)
        for number, opset in published.items():
            told = speaker(compared.checked, domain, number)
            if told:
                yield from _contradiction(opset, told, _offer(compared.checked, domain, number))
            elif not adds and sets.complete:
                yield Problem(
                    f"opset {number} of {domain} was published and is gone; expected its file, or a later "
                    "cumulative one",
                    Where(opset.set, field=("opset_version",)),
                )


def _contradiction(published: Opset, told: Opset, offer: Mapping[Name, int | None]) -> Iterator[Problem]:
    """Compare a published opset with what the checked sets tell of it: its own file, or a cumulative one."""
    is_its_own = told.number == published.number
    found = list(_other_members(published, told) if is_its_own else _other_offer(published, offer))
    by = "" if is_its_own else f" as this cumulative file of opset {told.number} tells them"
    if found:
        yield Problem(
            f"the members of opset {published.number}{by} are not those published in {published.set.source}; "
            "expected a new opset_version",
            Where(told.set, field=("opset_version",)),
            others=(Where(published.set, field=("opset_version",)),),
            details=limited(found),
        )


def _other_members(published: Opset, checked: Opset) -> Iterator[str]:
    """Yield what an opset has otherwise than it was published."""
    for name in dict.fromkeys((*published.members, *checked.members)):
        old, new = published.members.get(name), checked.members.get(name)
        if old is None and new is not None:
            yield f"{name} was added, since_version {new.since_version}"
        elif old is not None and new is None:
            yield f"{name} is gone, since_version {old.since_version}"
        elif old and new and not _is_same_version(old, new):
            yield f"{name} has since_version {new.since_version}, before {old.since_version}"


def _other_offer(published: Opset, offer: Mapping[Name, int | None]) -> Iterator[str]:
    """Yield what an opset has, by a later cumulative file, otherwise than it was published.

    A cumulative file never tells that a name went.
    """
    for name, since_version in offer.items():
        old = published.members.get(name)
        if since_version is None or (old and (old.derived or old.since_version == since_version)):
            continue
        if old is None:
            yield f"{name} was added, since_version {since_version}"
        else:
            yield f"{name} has since_version {since_version}, before {old.since_version}"
