"""Which pages a site has and what each of them is about: from a catalog to pages, without any HTML frame.

A page names its template and the variables that the template receives; `render.py` brings the two together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
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
from opsetdocs.comparisons import Changes, ChangeView, steps_between, version_pairs
from opsetdocs.docstring import DocString, parse
from opsetdocs.pictures import growth, lifeline, matrix
from opsetdocs.site import DomainOptions, SiteOptions
from opsetdocs.upgrade import unknown_between
from opsetdocs.views import Ids, PartView, Views

MAX_OPSETS_WITH_ALL_PAIRS = 40
"""In a domain of more opsets, only neighbours have a page of what moving from one to the other means."""


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

    def __iter__(self) -> Iterator[Page]:
        """Yield every page, each after its parent."""
        yield self._root()
        for domain in self.catalog.domains:
            yield self._domain(domain)
            for operator in domain.operators:
                yield self._operator(domain, operator)
                for version in operator.versions:
                    yield self._version(domain, operator, version)
                for old, new in version_pairs(operator):
                    yield self._difference(domain, operator, old, new)
            yield self._opsets(domain)
            for index, opset in enumerate(domain.opsets):
                yield self._opset(domain, index, opset)
            for old_opset, new_opset in opset_pairs(domain):
                yield self._upgrade(domain, old_opset, new_opset)

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
        prefix = self.addresses.domain_id(domain.name)
        doc = parse(about.description) if about.description else domain.latest.doc
        return Page(
            address=address,
            title=about.title or domain.name,
            description=f"The {len(domain.operators)} operators of {domain.name}: status, version, opsets.",
            template="domain.html.jinja",
            variables={
                "domain": domain,
                "about": about,
                "id": prefix,
                "text": self._text(doc, domain.name, f"{prefix}.text", place),
                "rows": [
                    (operator, self._summary(operator), operator.removal) for operator in domain.operators
                ],
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
            title=f"{operator.name} ({domain.name})",
            description=self._description(operator, version),
            template="operator.html.jinja",
            variables={
                "domain": domain,
                "operator": operator,
                "version": version,
                "id": prefix,
                "parts": self._parts(operator, version.current, prefix, Ids(), self._place(address)),
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
        return Page(
            address=address,
            title=f"{operator.name}-{version.since_version} ({domain.name})",
            description=self._description(operator, version),
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
            title=f"{operator.name}: version {numbers} ({domain.name})",
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
            views.append(
                RevisionView(
                    id=own,
                    opsets=revision.opsets,
                    status=revision.status.label,
                    status_key=revision.status.key,
                    parts=self._parts(operator, revision, own, ids, place),
                )
            )
        return tuple(views)

    def _parts(
        self, operator: OperatorHistory, revision: Revision, prefix: str, ids: Ids, place: Place
    ) -> tuple[PartView, ...]:
        return tuple(
            self.views.part(
                operator, part, prefix if number == 1 else ids.take(f"{prefix}.part-{number}"), ids, place.url
            )
            for number, part in enumerate(revision.parts, 1)
        )

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
        version = operator.version(event.since_version)
        follows = event.kind is EventKind.CHANGED
        return OpsetChange(
            operator,
            event,
            _previous(operator, version) if follows else None,
            self._since_previous(operator, version) if follows else (),
        )

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

    def _summary(self, operator: OperatorHistory) -> Markup:
        return self.views.renderer.summary(operator.current.prose)

    def _description(self, operator: OperatorHistory, version: Version) -> str:
        summary = self.views.renderer.plain(version.prose)
        start = f"{operator.name}, version {version.since_version}, {version.status.label}"
        return f"{start}: {summary}" if summary else f"{start}."

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


def _status(version: Version) -> str:
    return "deprecated" if version.deprecated else version.status.key


def _by_kind(opset: Opset) -> list[tuple[EventKind, list[tuple[OperatorHistory, Event]]]]:
    """The events of an opset, gathered by kind in the order of `EventKind`."""
    groups = {kind: [pair for pair in opset.events if pair[1].kind is kind] for kind in EventKind}
    return [(kind, pairs) for kind, pairs in groups.items() if pairs]


def _counts(opset: Opset) -> list[tuple[EventKind, int]]:
    return [(kind, len(pairs)) for kind, pairs in _by_kind(opset)]
