"""From operator sets as written to operator sets as documented.

    operator sets -> claims by name -> timeline -> versions and events -> catalog

`timeline.py` holds the rules about what files prove, `events.py` those about what follows from it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache

from opsetdocs.caches import by_identity
from opsetdocs.catalog import (
    Catalog,
    Domain,
    Event,
    OperatorHistory,
    Opset,
    OpsetRange,
    Part,
    Revision,
    Version,
)
from opsetdocs.docstring import DocString
from opsetdocs.events import Content, events
from opsetdocs.identity import Name, entries, name_of, stated_since_version
from opsetdocs.meaning import as_part, parsed, part_meaning, part_signature, part_words
from opsetdocs.model import DEFAULT_DOMAIN, OperatorSet, domain_name
from opsetdocs.ranges import merged, without
from opsetdocs.timeline import Reach, Span, reaches, timeline

MAX_LISTED_SPAN = 1_000
"""Of a cumulative file that covers more opsets than this, only those where something happens are listed."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """An entry of a file: it says that a version exists."""

    opset: int
    cumulative: bool
    """Whether the file holds every version so far."""
    place: int = field(compare=False)
    """The entry's place among all entries of the opset, in file order."""
    stated: int | None
    """The since_version as stated."""
    part: Part = field(hash=False)


@dataclass(frozen=True, slots=True)
class _Files:
    """The files of a domain: what all names have in common."""

    sets: tuple[OperatorSet, ...]
    """By opset, then by file name."""
    loaded: tuple[int, ...]
    """Every opset that has a file, ascending."""
    reach: tuple[Reach, ...]
    """For which further opsets the cumulative files speak."""
    lowest: Mapping[int, int]
    """The lowest since_version that is stated in the cumulative files of an opset."""


def build_catalog(
    sets: Sequence[OperatorSet],
    *,
    order: str = "name",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> Catalog:
    """Return what operator sets document, taken together.

    Sets without an opset_version and entries without a name have no identity and are left out; the rules
    `OPSET_VERSION_PRESENT` and `OPERATOR_OP_TYPE_PRESENT` report them.

    Args:
        sets: The sets, in any order.
        order: `name` for alphabetical order, `file` for the order of the files.
        include: Patterns of domains (`com.acme*`) and operators (`ai.onnx/Conv*`) to document; none for all.
        exclude: Patterns of what is left out.
    """
    by_domain: dict[str, list[OperatorSet]] = defaultdict(list)
    for item in sets:
        if (item.opset_version or 0) >= 1:
            by_domain[domain_name(item.domain)].append(item)
    domains = []
    for name in sorted(by_domain, key=lambda name: (name != DEFAULT_DOMAIN, name)):
        files = _files(by_domain[name])
        claims = _claims(files)
        wanted = {key: items for key, items in claims.items() if _is_wanted(name, key, include, exclude)}
        if wanted or (not claims and _is_wanted(name, None, include, exclude)):
            domains.append(_domain(name, files, wanted, order))
    return Catalog(tuple(domains))


def _is_wanted(domain: str, name: Name | None, include: Sequence[str], exclude: Sequence[str]) -> bool:
    """Whether patterns ask for an operator, or for a domain without operators."""

    def matches(pattern: str) -> bool:
        of_operator = name is not None and "/" in pattern and fnmatchcase(f"{domain}/{name.op_type}", pattern)
        return of_operator or fnmatchcase(domain, pattern)

    return (not include or any(map(matches, include))) and not any(map(matches, exclude))


def unmatched(sets: Iterable[OperatorSet], patterns: Iterable[str]) -> tuple[str, ...]:
    """Return the patterns that fit no domain and no operator of these sets."""
    names = {
        text
        for item in sets
        for domain in (domain_name(item.domain),)
        for text in (domain, *(f"{domain}/{name.op_type}" for name in map(name_of, entries(item)) if name))
    }
    return tuple(pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names))


# Files and claims: what is written where.


def _version_of(operator_set: OperatorSet) -> int:
    return operator_set.opset_version or 0


def _files(sets: Iterable[OperatorSet]) -> _Files:
    ordered = tuple(sorted(sets, key=lambda item: (_version_of(item), item.source)))
    loaded = tuple(sorted({_version_of(item) for item in ordered}))
    lowest: dict[int, int] = {}
    for item in ordered:
        if is_cumulative(item):
            opset = _version_of(item)
            stated = [number for entry in entries(item) if (number := stated_since_version(entry))]
            lowest[opset] = min(lowest.get(opset, opset), *stated)
    return _Files(ordered, loaded, reaches(lowest, loaded), lowest)


@by_identity(512)
def is_cumulative(operator_set: OperatorSet) -> bool:
    """Whether a file holds every version so far: it has two versions of some name."""
    versions: dict[Name, int] = {}
    for entry in entries(operator_set):
        name, version = name_of(entry), stated_since_version(entry)
        if name and version and versions.setdefault(name, version) != version:
            return True
    return False


def _claims(files: _Files) -> dict[Name, list[_Claim]]:
    """Return what the files say, by name and in the order of the opsets."""
    claims: dict[Name, list[_Claim]] = defaultdict(list)
    places: dict[int, int] = defaultdict(int)
    for item in files.sets:
        opset, cumulative = _version_of(item), is_cumulative(item)
        for entry in entries(item):
            places[opset] += 1
            if name := name_of(entry):
                stated = stated_since_version(entry)
                claims[name].append(_Claim(opset, cumulative, places[opset], stated, as_part(entry)))
    return dict(claims)


# Versions of a name.


def _since_versions(claims: Sequence[_Claim], loaded: Sequence[int]) -> list[tuple[int, _Claim]]:
    """Return each claim with its since_version.

    Where none is stated it is that of the same entry in the opset loaded before, or else the opset itself: so
    it is the first of an unbroken run of loaded opsets that carry this very function.
    """
    if all(claim.stated for claim in claims):
        return [(claim.stated or 0, claim) for claim in claims]
    by_opset: dict[int, list[_Claim]] = defaultdict(list)
    for claim in claims:
        by_opset[claim.opset].append(claim)
    result = []
    before: dict[Hashable, int] = {}
    for opset in loaded:
        now: dict[Hashable, int] = {}
        for claim in by_opset.get(opset, ()):
            identity = (claim.part.status, part_signature(claim.part))
            now[identity] = claim.stated or before.get(identity, opset)
            result.append((now[identity], claim))
        before = now
    return result


@lru_cache(maxsize=16_384)
def _history(
    domain: str,
    name: Name,
    claims: tuple[_Claim, ...],
    loaded: tuple[int, ...],
    reach: tuple[Reach, ...],
    position: int,
) -> OperatorHistory:
    """Return the history of a name. While a site is served, most are those of the build before."""
    dated = _since_versions(claims, loaded)
    derived = {version for version, _ in dated} - {claim.stated for _, claim in dated}
    spans = _timeline(dated, loaded, reach)
    said: dict[int, dict[int, dict[Hashable, Part]]] = defaultdict(lambda: defaultdict(dict))
    for version, claim in dated:
        said[version][claim.opset].setdefault(part_meaning(claim.part), claim.part)
    return OperatorHistory(
        domain=domain,
        op_type=name.op_type,
        overload=name.overload,
        versions=tuple(
            Version(
                since_version=version,
                derived=version in derived,
                revisions=_revisions(said[version]),
                offered=merged(
                    OpsetRange(span.first, span.last) for span in spans if span.since_version == version
                ),
            )
            for version in sorted(said)
        ),
        events=events(spans, lambda opset, version: _content(said[version][opset]), derived=derived),
        position=position,
    )


def _timeline(
    dated: Iterable[tuple[int, _Claim]], loaded: Sequence[int], reach: Sequence[Reach]
) -> tuple[Span, ...]:
    members: dict[int, set[int]] = defaultdict(set)
    cumulative: dict[int, set[int]] = defaultdict(set)
    for since_version, claim in dated:
        members[claim.opset].add(since_version)
        if claim.cumulative and claim.stated:
            cumulative[claim.opset].add(since_version)
    return timeline(members, cumulative, loaded, reach)


def _content(parts: Mapping[Hashable, Part]) -> Content:
    return Content(
        status=next(iter(parts.values())).status,
        deprecated=any(part.doc.deprecated for part in parts.values()),
        meaning=tuple((part_words(part), part_signature(part)) for part in parts.values()),
    )


def _revisions(said: Mapping[int, Mapping[Hashable, Part]]) -> tuple[Revision, ...]:
    """Gather the opsets that say the same about a version, the highest opset first."""
    opsets: dict[Hashable, list[int]] = defaultdict(list)
    for opset in sorted(said, reverse=True):
        opsets[tuple(said[opset])].append(opset)
    return tuple(
        Revision(tuple(reversed(items)), tuple(said[items[0]].values())) for items in opsets.values()
    )


# The domain as a whole.


def _domain(name: str, files: _Files, claims: Mapping[Name, Sequence[_Claim]], order: str) -> Domain:
    in_file_order = sorted(claims, key=lambda key: _file_place(claims[key]))
    histories = [
        _history(name, key, tuple(claims[key]), files.loaded, files.reach, place)
        for place, key in enumerate(in_file_order)
    ]
    if order == "name":
        histories.sort(key=lambda item: (item.op_type.casefold(), item.op_type, item.overload))
    known = _known(files)
    return Domain(
        name=name,
        operators=tuple(histories),
        opsets=_opsets(name, files, histories, known),
        missing=without(1, files.loaded[-1], known),
    )


def _file_place(claims: Iterable[_Claim]) -> tuple[int, int]:
    """Where the highest opset that has a name has it. What only earlier opsets have comes last."""
    return min((-claim.opset, claim.place) for claim in claims)


def _known(files: _Files) -> tuple[OpsetRange, ...]:
    """Return the opsets about which the files say something."""
    known = [OpsetRange(opset, opset) for opset in files.loaded]
    for reach in files.reach:
        # Before its lowest version there was nothing, says a cumulative file, unless another knows better.
        start = files.lowest[reach.file] if files.loaded[0] < files.lowest[reach.file] else 1
        known += [
            OpsetRange(max(free.first, start), free.last) for free in reach.unloaded if free.last >= start
        ]
    return merged(known)


def _listed(files: _Files, histories: Iterable[OperatorHistory]) -> list[int]:
    """Return the opsets that have a page: loaded ones, and those for which a cumulative file speaks."""
    listed = set(files.loaded)
    for reach in files.reach:
        lowest = files.lowest[reach.file]
        covered = [
            OpsetRange(max(free.first, lowest), free.last) for free in reach.unloaded if free.last >= lowest
        ]
        if reach.file - lowest < MAX_LISTED_SPAN:
            listed.update(opset for free in covered for opset in range(free.first, free.last + 1))
        else:
            happened = {event.opset for history in histories for event in history.events}
            listed.update(opset for opset in happened if any(opset in free for free in covered))
    return sorted(listed)


def _opsets(
    domain: str, files: _Files, histories: Sequence[OperatorHistory], known: Sequence[OpsetRange]
) -> tuple[Opset, ...]:
    listed = _listed(files, histories)
    members: dict[int, list[tuple[OperatorHistory, Version]]] = defaultdict(list)
    happened: dict[int, list[tuple[OperatorHistory, Event]]] = defaultdict(list)
    for history in histories:
        for version in history.versions:
            for span in version.offered:
                for opset in listed[bisect_left(listed, span.first) : bisect_right(listed, span.last)]:
                    members[opset].append((history, version))
        for event in history.events:
            # What happened in an opset that is not known shows in the next one that is.
            index = bisect_left(listed, event.opset)
            if index or event.opset == listed[0]:
                happened[listed[index]].append((history, event))
    texts = _texts(files)
    return tuple(
        Opset(
            domain=domain,
            version=opset,
            loaded=opset in texts,
            doc=texts.get(opset),
            members=tuple(members[opset]),
            events=tuple(happened[opset]),
            missing_before=without(before + 1, opset - 1, known),
        )
        for before, opset in zip([0, *listed], listed, strict=False)
    )


def _texts(files: _Files) -> dict[int, DocString | None]:
    """Return the doc_string of each loaded opset; where several files have one, all of them."""
    texts: dict[int, dict[str, None]] = {opset: {} for opset in files.loaded}
    for item in files.sets:
        if item.doc_string:
            texts[_version_of(item)][item.doc_string] = None
    return {opset: parsed("\n\n".join(distinct)) if distinct else None for opset, distinct in texts.items()}
