"""Permanent addresses and ids: one for everything that a catalog holds, the same in every build.

The rules stand in the contract under "Addresses": adding an operator never moves the address of another.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import TypeVar

from opsetdocs.catalog import Catalog, Domain, OperatorHistory
from opsetdocs.findings import Finding, Level
from opsetdocs.names import domain_segment, keep_plain, operator_segment

MAX_VERSIONS_WITH_ALL_PAIRS = 20
"""Up to how many versions of an operator each has a page that compares it with each other one."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The address of everything in a catalog, below the section's root; each ends in a slash."""

    domains: Mapping[str, str]
    """The segment of each domain."""
    operators: Mapping[tuple[str, str, str], str]
    """The segment of each operator, by domain, op_type and overload."""
    findings: tuple[Finding, ...] = ()
    """The names that do not stand for themselves because another one differs from them only in case."""

    def domain(self, domain: str) -> str:
        """Return the address of a domain's page."""
        return f"{self.domains[domain]}/"

    def operator(self, operator: OperatorHistory) -> str:
        """Return the address of an operator's page."""
        return f"{self.domain(operator.domain)}operators/{self.segment(operator)}/"

    def version(self, operator: OperatorHistory, since_version: int) -> str:
        """Return the address of the page of one version of an operator."""
        return f"{self.operator(operator)}{since_version}/"

    def difference(self, operator: OperatorHistory, old: int, new: int) -> str:
        """Return the address of the page that says what changed between two versions, in whichever order.

        Where these have none, that of the newer version, which says what changed there.
        """
        first, last = sorted((old, new))
        if not are_compared(operator, first, last):
            return self.version(operator, last)
        return f"{self.operator(operator)}{first}-{last}/"

    def opsets(self, domain: str) -> str:
        """Return the address of the page of all opsets of a domain."""
        return f"{self.domain(domain)}opsets/"

    def upgrade(self, domain: str, old: int, new: int) -> str:
        """Return the address of the page that says what moving from one opset to another means."""
        return f"{self.opsets(domain)}{old}-{new}/"

    def opset(self, domain: str, opset_version: int) -> str:
        """Return the address of an opset's page."""
        return f"{self.opsets(domain)}{opset_version}/"

    def operator_id(self, operator: OperatorHistory, since_version: int | None = None) -> str:
        """Return the permanent id of an operator (`ai.onnx.Conv`) or of a version (`ai.onnx.Conv-22`)."""
        name = f"{self.domain_id(operator.domain)}.{as_id(self.segment(operator))}"
        return name if since_version is None else f"{name}-{since_version}"

    def domain_id(self, domain: str) -> str:
        """Return what the ids of all that belongs to a domain begin with."""
        return as_id(self.domains[domain])

    def domain_page_id(self, domain: str) -> str:
        """Return the permanent id of a domain.

        It always has a dot, which no id of a theme's own has: a domain may be called `content` or `__config`.
        """
        id_ = self.domain_id(domain)
        return id_ if "." in id_ else f"{id_}.domain-page"

    def segment(self, operator: OperatorHistory) -> str:
        """Return what stands for an operator's name in addresses and ids."""
        return self.operators[operator.domain, operator.op_type, operator.overload]


def are_compared(operator: OperatorHistory, first: int, last: int) -> bool:
    """Whether two versions have a page that compares them.

    All have, where an operator has up to `MAX_VERSIONS_WITH_ALL_PAIRS`; of more, only neighbours.
    """
    versions = operator.versions
    if len(versions) <= MAX_VERSIONS_WITH_ALL_PAIRS:
        return True
    at = bisect_left(versions, first, key=attrgetter("since_version"))
    return [version.since_version for version in versions[at : at + 2]] == [first, last]


def as_id(segment: str) -> str:
    """Return an address segment as part of an id, which themes use as a selector as it stands."""
    plain = segment.replace("~", "_")
    return f"_{plain}" if plain[:1].isdigit() else plain


def assign(catalog: Catalog) -> Addresses:
    """Give everything in a catalog its permanent address."""
    domain_names = keep_plain((domain.name, 0) for domain in catalog.domains)
    domains = _distinct(
        (domain.name, domain_segment(domain.name, plain=domain.name in domain_names))
        for domain in catalog.domains
    )
    operators: dict[tuple[str, str, str], str] = {}
    findings: list[Finding] = list(
        _case_findings("domain", "", (item.name for item in catalog.domains), domain_names)
    )
    for domain in catalog.domains:
        plain = _plain_operators(domain)
        operators |= _distinct(
            (
                (domain.name, item.op_type, item.overload),
                operator_segment(item.op_type, item.overload, plain=item.op_type in plain),
            )
            for item in domain.operators
        )
        names = dict.fromkeys(item.op_type for item in domain.operators)
        findings += _case_findings("operator", f" of {domain.name}", names, plain)
    return Addresses(MappingProxyType(domains), MappingProxyType(operators), tuple(findings))


def _plain_operators(domain: Domain) -> frozenset[str]:
    return keep_plain(
        (item.op_type, item.versions[0].since_version) for item in domain.operators if not item.overload
    )


Key = TypeVar("Key")


def _distinct(segments: Iterable[tuple[Key, str]]) -> dict[Key, str]:
    """Tell apart segments whose shortened hashes are equal, so that no two names share a page."""
    taken: set[str] = set()
    result: dict[Key, str] = {}
    for key, segment in sorted(segments, key=lambda pair: str(pair[0])):
        candidate, number = segment, 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{segment}-{number}"
        taken.add(candidate.lower())
        result[key] = candidate
    return result


def _case_findings(what: str, where: str, names: Iterable[str], plain: frozenset[str]) -> Iterable[Finding]:
    winners = {name.casefold(): name for name in plain}
    for name in names:
        other = winners.get(name.casefold(), name)
        if other != name:
            yield Finding(
                Level.NOTE,
                f"the {what}s {other} and {name}{where} differ only in upper and lower case; "
                f"{name} has a page address of its own so that both exist on every file system",
                element=name,
            )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page stands: makes links to other pages relative to it."""

    address: str
    directory_urls: bool

    def url(self, target: str) -> str:
        """Return the link from this page to an address below the section's root, its fragment kept."""
        address, hash_, fragment = target.partition("#")
        path = relative(self.address, address)
        if address == "" or address.endswith("/"):
            path = (path or "./") if self.directory_urls else f"{path}index.html"
        return f"{path}{hash_}{fragment}"


def relative(page: str, target: str) -> str:
    """Return the way from a page to another address, such as `../Relu/`; empty for the page itself."""
    shared, up = page, ""
    while not target.startswith(shared):
        shared = folder(shared)
        up += "../"
    return up + target[len(shared) :]


def folder(address: str) -> str:
    """Return the address that a page stands in: that of `ai.onnx/operators/Conv/` is `ai.onnx/operators/`."""
    return address[: address.rfind("/", 0, -1) + 1]
