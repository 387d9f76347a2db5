"""Which pages a site has and what each of them is about: from a catalog to pages, without any HTML frame.

A page names its template and the variables that the template receives; `render.py` brings the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations, pairwise
from operator import itemgetter
from typing import Any

from markupsafe import Markup

from opsetdocs.addresses import Addresses, Place
from opsetdocs.catalog import (
    Catalog,
    Domain,
    Event,
    EventKind,
    OperatorHistory,
    Opset,
    Revision,
    Version,
)
from opsetdocs.comparisons import Changes, ChangeView, compared_with, steps_between, version_pairs
from opsetdocs.digests import Digests, digest
from opsetdocs.docstring import DocString, Section, SectionKind, parse
from opsetdocs.operator_list import offered_versions, status_keys
from opsetdocs.pictures import growth, lifeline, matrix
from opsetdocs.site import DomainOptions, SiteOptions
from opsetdocs.upgrade import unknown_between
from opsetdocs.views import Ids, PartView, Views

MAX_OPSETS_WITH_ALL_PAIRS = 40
"""In a domain of more opsets, only neighbours have a page of what moving from one to the other means."""

MAX_DESCRIPTION = 160
"""Search engines show about as many characters of a description."""

MAX_EXAMPLES = 32_000
"""Longer examples stand on the page of the version alone, so that the page of the operator stays light."""

_STATUSES = ("stable", "experimental", "not-stated", "unknown", "deprecated", "removed")
"""What the table of a domain can be filtered by, in this order."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page before it is rendered."""

    address: str
    title: str
    """Plain text for the browser's title and the nav."""
    description: str
    """One plain sentence for search engines."""
    template: str
    variables: Mapping[str, Any] = field(repr=False)
    parent: str | None
    in_nav: bool = False
    searched: bool = True
    status: str = ""


@dataclass(frozen=True, slots=True)
class Planned:
    """A page that can be made."""

    address: str
    digest: str
    """Of what it is made from, besides what all pages depend on."""
    make: Callable[[], Page]


@dataclass(frozen=True, slots=True)
class RevisionView:
    """One text of a version, as its page shows it."""

    id: str
    opsets: tuple[int, ...]
    status: str
    status_key: str
    parts: tuple[PartView, ...]


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A line of an operator's history: a version, and what happened while it was the one offered."""

    version: Version
    events: tuple[Event, ...]
    previous: Version | None
    changes: tuple[ChangeView, ...]
    """What changed since the previous version."""


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """An operator in the table of its domain."""

    operator: OperatorHistory
    summary: Markup
    versions: str
    """Its versions and the opsets that offer them, as the script reads them: see `offered_versions`."""
    changed: int
    """The last opset in which something happened to it."""

    @property
    def marks(self) -> tuple[str, ...]:
        """The statuses that the row can be found by; a removed or a deprecated operator has several."""
        removed = ("removed",) if self.operator.removal else ()
        return (*status_keys(self.operator.current), *removed)


@dataclass(frozen=True, slots=True)
class OpsetChange:
    """Something that an opset brought."""

    operator: OperatorHistory
    event: Event
    previous: Version | None
    """Of a changed operator, the version before."""
    changes: tuple[ChangeView, ...]
    """What changed since that version."""


@dataclass(frozen=True, slots=True)
class Pages:
    """Makes the pages of a site."""

    catalog: Catalog
    addresses: Addresses
    views: Views
    changes: Changes
    options: SiteOptions
    digests: Digests = field(default_factory=Digests)

    def __iter__(self) -> Iterator[Planned]:
        """Yield every page, each after its parent."""
        domains = {domain.name: self._domain_digest(domain) for domain in self.catalog.domains}
        yield Planned("", digest(domains), self._root)
        for domain in self.catalog.domains:
            whole = domains[domain.name]
            yield Planned(self.addresses.domain(domain.name), whole, partial(self._domain, domain))
            for operator in domain.operators:
                yield from self._planned_operator(domain, operator)
            yield Planned(self.addresses.opsets(domain.name), whole, partial(self._opsets, domain))
            for index, opset in enumerate(domain.opsets):
                yield Planned(
                    self.addresses.opset(domain.name, opset.version),
                    self.digests.opset(opset),
                    partial(self._opset, domain, index, opset),
                )
            for old, new in opset_pairs(domain):
                yield Planned(
                    self.addresses.upgrade(domain.name, old.version, new.version),
                    self.digests.operators(self.changes.moved(domain, old, new)),
                    partial(self._upgrade, domain, old, new),
                )

    def _domain_digest(self, domain: Domain) -> str:
        doc = domain.latest.doc
        return digest(doc and doc.text, self.digests.operators(domain.operators))

    def _planned_operator(self, domain: Domain, operator: OperatorHistory) -> Iterator[Planned]:
        made_from = self.digests.operator(operator)
        users = [self.addresses.operator(user) for user in self.views.bodies.users(operator)]
        yield Planned(
            self.addresses.operator(operator),
            digest(made_from, users),
            partial(self._operator, domain, operator),
        )
        for version in operator.versions:
            address = self.addresses.version(operator, version.since_version)
            yield Planned(address, made_from, partial(self._version, domain, operator, version))
        for old, new in version_pairs(operator):
            address = self.addresses.difference(operator, old.since_version, new.since_version)
            yield Planned(address, made_from, partial(self._difference, domain, operator, old, new))

    def _root(self) -> Page:
        names = ", ".join(domain.name for domain in self.catalog.domains)
        return Page(
            address="",
            title=self.options.title,
            description=f"All operators of {names}, with every version and its status.",
            template="catalog.html.jinja",
            variables={
                "title": self.options.title,
                "domains": [(domain, self._about(domain)) for domain in self.catalog.domains],
            },
            parent=None,
            in_nav=True,
        )

    def _domain(self, domain: Domain) -> Page:
        address = self.addresses.domain(domain.name)
        place = self._place(address)
        about = self._about(domain)
        prefix = self.addresses.domain_page_id(domain.name)
        doc = parse(about.description) if about.description else domain.latest.doc
        rows = [self._row(operator, domain.latest.version) for operator in domain.operators]
        marks = set(chain.from_iterable(row.marks for row in rows))
        return Page(
            address=address,
            title=about.title or domain.name,
            description=f"{_counted_operators(domain)} of {domain.name}: status, version, opsets.",
            template="domain.html.jinja",
            variables={
                "domain": domain,
                "about": about,
                "id": prefix,
                "text": self._text(doc, domain.name, f"{prefix}.text", place),
                "rows": rows,
                "statuses": [status for status in _STATUSES if status in marks],
                "kinds": sorted({operator.current.kind.value for operator in domain.operators}, reverse=True),
                "opsets_list": [(opset, _counts(opset)) for opset in reversed(domain.opsets)],
                "matrix": matrix(domain, url=place.url, addresses=self.addresses),
                "growth": growth(domain),
            },
            parent="",
            in_nav=True,
        )

    def _operator(self, domain: Domain, operator: OperatorHistory) -> Page:
        address = self.addresses.operator(operator)
        version = operator.current
        prefix = self.addresses.operator_id(operator)
        return Page(
            address=address,
            title=f"{operator.name} - {domain.name} {version.kind.value}",
            description=self._description(f"{operator.name}, {version.kind.value} of {domain.name}", version),
            template="operator.html.jinja",
            variables={
                "domain": domain,
                "operator": operator,
                "version": version,
                "id": prefix,
                "parts": self._current_parts(operator, self._place(address)),
                "history": self._history(operator),
                "users": self.views.bodies.users(operator),
                "life_line": self._life_line(domain, operator, prefix, self._place(address)),
            },
            parent=self.addresses.domain(domain.name),
            status=_status(version),
        )

    def _version(self, domain: Domain, operator: OperatorHistory, version: Version) -> Page:
        address = self.addresses.version(operator, version.since_version)
        prefix = self.addresses.operator_id(operator, version.since_version)
        index = operator.versions.index(version)
        name = f"{operator.name}-{version.since_version}"
        opsets = _opsets_in_words(version)
        return Page(
            address=address,
            title=f"{name}, {domain.name} ({opsets})",
            description=self._description(
                f"{name} of {domain.name}, {version.status.label}, {opsets}", version
            ),
            template="version.html.jinja",
            variables={
                "domain": domain,
                "operator": operator,
                "version": version,
                "id": prefix,
                "revisions": self._revisions(operator, version, prefix, self._place(address)),
                "previous": _previous(operator, version),
                "next": operator.versions[index + 1] if index + 1 < len(operator.versions) else None,
                "changes": self._since_previous(operator, version),
                "compared_with": compared_with(operator, version),
                "life_line": self._life_line(
                    domain, operator, prefix, self._place(address), shown=version.since_version
                ),
                "events": _events(operator, version),
            },
            parent=self.addresses.operator(operator),
            searched=False,
            status=_status(version),
        )

    def _opset(self, domain: Domain, index: int, opset: Opset) -> Page:
        address = self.addresses.opset(domain.name, opset.version)
        prefix = f"{self.addresses.domain_id(domain.name)}.opset-{opset.version}"
        return Page(
            address=address,
            title=f"{domain.name} opset {opset.version}",
            description=f"What opset {opset.version} of {domain.name} brought, and every operator in it.",
            template="opset.html.jinja",
            variables={
                "domain": domain,
                "opset": opset,
                "id": prefix,
                "text": self._text(opset.doc, domain.name, f"{prefix}.text", self._place(address)),
                "changes": [
                    (kind, [self._change(operator, event) for operator, event in pairs])
                    for kind, pairs in _by_kind(opset)
                ],
                "upgrades": [(old, new) for old, new in opset_pairs(domain) if opset is old or opset is new],
                "previous": domain.opsets[index - 1] if index else None,
                "next": domain.opsets[index + 1] if index + 1 < len(domain.opsets) else None,
            },
            parent=self.addresses.domain(domain.name),
        )

    def _difference(self, domain: Domain, operator: OperatorHistory, old: Version, new: Version) -> Page:
        numbers = f"{old.since_version} to {new.since_version}"
        changes = self.changes.between(old, new)
        return Page(
            address=self.addresses.difference(operator, old.since_version, new.since_version),
            title=f"{operator.name}: version {numbers}, {domain.name}",
            description=f"What changed in {operator.name} of {domain.name} from version {numbers}.",
            template="difference.html.jinja",
            variables={
                "domain": domain,
                "operator": operator,
                "old": old,
                "new": new,
                "id": f"{self.addresses.operator_id(operator)}-{old.since_version}-{new.since_version}",
                "changes": changes,
                "steps": steps_between(operator, old, new),
                "diffs": self.changes.texts(old, new),
            },
            parent=self.addresses.operator(operator),
            searched=False,
        )

    def _opsets(self, domain: Domain) -> Page:
        pairs = opset_pairs(domain)
        return Page(
            address=self.addresses.opsets(domain.name),
            title=f"Opsets of {domain.name}",
            description=f"Every opset of {domain.name}: what it brought, what moving to a later one means.",
            template="opsets.html.jinja",
            variables={
                "domain": domain,
                "id": f"{self.addresses.domain_id(domain.name)}.opsets",
                "opsets_list": [
                    (opset, _counts(opset), [new for old, new in pairs if old is opset])
                    for opset in reversed(domain.opsets)
                ],
                "all_pairs": len(domain.opsets) <= MAX_OPSETS_WITH_ALL_PAIRS,
            },
            parent=self.addresses.domain(domain.name),
            searched=False,
        )

    def _upgrade(self, domain: Domain, old: Opset, new: Opset) -> Page:
        address = self.addresses.upgrade(domain.name, old.version, new.version)
        return Page(
            address=address,
            title=f"{domain.name}: opset {old.version} to {new.version}",
            description=f"What moving from opset {old.version} to {new.version} of {domain.name} means.",
            template="upgrade.html.jinja",
            variables={
                "domain": domain,
                "old": old,
                "new": new,
                "id": f"{self.addresses.domain_id(domain.name)}.opset-{old.version}-{new.version}",
                "groups": self.changes.upgrade(domain, old, new),
                "missing": unknown_between(domain, old.version, new.version),
            },
            parent=self.addresses.opsets(domain.name),
            searched=False,
        )

    def _revisions(
        self, operator: OperatorHistory, version: Version, prefix: str, place: Place
    ) -> tuple[RevisionView, ...]:
        """The texts of a version: the latest under the version's own id, earlier ones under their own."""
        ids = Ids()
        views = []
        for number, revision in enumerate(version.revisions):
            own = prefix if number == 0 else ids.take(f"{prefix}.opset-{revision.opsets[-1]}")
            # The operator's page has the same text, and the examples are the larger half of it.
            is_there = number == 0 and version is operator.current and not _has_large_examples(revision)
            there = f"{place.url(self.addresses.operator(operator))}#{self.addresses.operator_id(operator)}"
            views.append(
                RevisionView(
                    id=own,
                    opsets=revision.opsets,
                    status=revision.status.label,
                    status_key=revision.status.key,
                    parts=self._parts(operator, revision, own, ids, place, there if is_there else ""),
                )
            )
        return tuple(views)

    def _current_parts(self, operator: OperatorHistory, place: Place) -> tuple[PartView, ...]:
        """The current text, with a link to the page of the version in the place of large examples."""
        version = operator.current
        there = ""
        if _has_large_examples(version.current):
            page = place.url(self.addresses.version(operator, version.since_version))
            there = f"{page}#{self.addresses.operator_id(operator, version.since_version)}"
        prefix = self.addresses.operator_id(operator)
        return self._parts(operator, version.current, prefix, Ids(), place, there)

    def _parts(
        self,
        operator: OperatorHistory,
        revision: Revision,
        prefix: str,
        ids: Ids,
        place: Place,
        examples: str = "",
    ) -> tuple[PartView, ...]:
        views = []
        for number, part in enumerate(revision.parts, 1):
            own = prefix if number == 1 else ids.take(f"{prefix}.part-{number}")
            there = examples and f"{examples}{own.removeprefix(prefix)}"
            views.append(self.views.part(operator, part, own, ids, place.url, there))
        return tuple(views)

    def _history(self, operator: OperatorHistory) -> list[HistoryRow]:
        """The history of an operator, newest version first."""
        return [
            HistoryRow(
                version,
                _events(operator, version),
                _previous(operator, version),
                self._since_previous(operator, version),
            )
            for version in reversed(operator.versions)
        ]

    def _since_previous(self, operator: OperatorHistory, version: Version) -> tuple[ChangeView, ...]:
        previous = _previous(operator, version)
        return () if previous is None else self.changes.between(previous, version)

    def _change(self, operator: OperatorHistory, event: Event) -> OpsetChange:
        """An event of an opset, with the words of the change where a version followed another."""
        if event.kind is not EventKind.CHANGED:
            return OpsetChange(operator, event, None, ())
        previous = _replaced(operator, event)
        changes = self.changes.between(previous, operator.version(event.since_version))
        return OpsetChange(operator, event, previous, changes)

    def _life_line(
        self, domain: Domain, operator: OperatorHistory, prefix: str, place: Place, shown: int | None = None
    ) -> Markup:
        return lifeline(
            operator, domain, id_prefix=prefix, url=place.url, addresses=self.addresses, shown=shown
        )

    def _text(self, doc: DocString | None, domain: str, prefix: str, place: Place) -> Markup:
        return Markup() if doc is None else self.views.text(doc, domain, prefix, place.url)

    def _about(self, domain: Domain) -> DomainOptions:
        return self.options.domains.get(domain.name, DomainOptions())

    def _row(self, operator: OperatorHistory, latest: int) -> OperatorRow:
        return OperatorRow(
            operator,
            self.views.renderer.summary(operator.current.prose),
            offered_versions(operator, latest),
            max((event.opset for event in operator.events), default=operator.current.since_version),
        )

    def _description(self, start: str, version: Version) -> str:
        """What a version is and does, in a sentence that search engines show whole."""
        summary = self.views.renderer.plain(version.prose)
        text = f"{start}: {summary}" if summary else f"{start}."
        if len(text) > MAX_DESCRIPTION:
            text = f"{text[: MAX_DESCRIPTION - 1].rpartition(' ')[0].rstrip(' ,;:')}…"
        return text

    def _place(self, address: str) -> Place:
        return Place(address, directory_urls=self.options.directory_urls)


def opset_pairs(domain: Domain) -> list[tuple[Opset, Opset]]:
    """Return the pairs of opsets that have a page, the older one first.

    All pairs in a domain of up to `MAX_OPSETS_WITH_ALL_PAIRS` opsets, neighbours alone in a larger one.
    """
    if len(domain.opsets) <= MAX_OPSETS_WITH_ALL_PAIRS:
        return list(combinations(domain.opsets, 2))
    return list(pairwise(domain.opsets))


def _events(operator: OperatorHistory, version: Version) -> tuple[Event, ...]:
    """What happened to an operator while this version was the one offered."""
    return tuple(event for event in operator.events if event.since_version == version.since_version)


def _previous(operator: OperatorHistory, version: Version) -> Version | None:
    index = operator.versions.index(version)
    return operator.versions[index - 1] if index else None


def _replaced(operator: OperatorHistory, changed: Event) -> Version:
    """The version that was offered before a change: a later one where an opset has gone back."""
    before = (
        (min(span.last, changed.opset - 1), version)
        for version in operator.versions
        for span in version.offered
        if span.first < changed.opset and version.since_version != changed.since_version
    )
    return max(before, key=itemgetter(0))[1]


def _opsets_in_words(version: Version) -> str:
    """The opsets that offer a version, for titles; a template has a macro of the same name."""
    if not version.offered:
        return "in no loaded opset"
    ranges = ", ".join(map(str, version.offered))
    return f"opset {ranges}" if ranges.isdigit() else f"opsets {ranges}"


def _has_large_examples(revision: Revision) -> bool:
    sections = (block for part in revision.parts for block in part.doc.blocks if isinstance(block, Section))
    blocks = (block for item in sections if item.kind is SectionKind.EXAMPLES for block in item.blocks)
    return sum(len(block) for block in blocks if isinstance(block, str)) > MAX_EXAMPLES


def _status(version: Version) -> str:
    return "deprecated" if version.deprecated else version.status.key


def _by_kind(opset: Opset) -> list[tuple[EventKind, list[tuple[OperatorHistory, Event]]]]:
    """The events of an opset, gathered by kind in the order of `EventKind`."""
    groups = {kind: [pair for pair in opset.events if pair[1].kind is kind] for kind in EventKind}
    return [(kind, pairs) for kind, pairs in groups.items() if pairs]


def _counted_operators(domain: Domain) -> str:
    number = len(domain.operators)
    return f"{number} operator{'s' if number != 1 else ''}"


def _counts(opset: Opset) -> list[tuple[EventKind, int]]:
    return [(kind, len(pairs)) for kind, pairs in _by_kind(opset)]
