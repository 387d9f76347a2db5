"""Digests of what pages are made from: a page whose digests are the same is the same page."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from opsetdocs.caches import by_identity
from opsetdocs.catalog import Catalog, Domain, OperatorHistory, Opset, Part, Version
from opsetdocs.resources import site_config_dir, templates_dir

_DISTRIBUTION = re.compile(r"[\w.-]+")


def digest(*parts: object) -> str:
    """Return a digest of values whose `repr` says all that they are, the same in each process."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def folder_digest(folder: Path) -> str:
    """Return a digest of all files in a folder and below it: their names and what they hold."""
    return digest(
        *(
            (file.relative_to(folder).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest())
            for file in sorted(folder.rglob("*"))
            if file.is_file() and file.parent.name != "__pycache__"
        )
    )


@lru_cache(maxsize=1)
def program_digest() -> str:
    """Return a digest of the program that makes pages: of our own files and of the libraries' versions."""
    versions = (
        (requirement, _version_of(match[0]))
        for requirement in metadata.requires("opsetdocs") or ()
        if "extra ==" not in requirement and (match := _DISTRIBUTION.match(requirement))
    )
    folders = (Path(__file__).parent, templates_dir(), site_config_dir())
    return digest(sys.version, *versions, *map(folder_digest, folders))


def _version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:  # one that this platform does without
        return ""


def names_digest(catalog: Catalog) -> str:
    """Return a digest of what any page may see of things that are not its own.

    These are the names of all domains and operators, and the numbers of their versions and opsets: links lead
    to them, and addresses depend on which others there are.
    """
    return digest(*map(_names, catalog.domains))


def _names(domain: Domain) -> object:
    return (
        domain.name,
        domain.missing,
        [(opset.version, opset.loaded, opset.missing_before) for opset in domain.opsets],
        [
            (operator.op_type, operator.overload, [version.since_version for version in operator.versions])
            for operator in domain.operators
        ],
    )


@dataclass(slots=True)
class Digests:
    """Makes the digests of a catalog's operators and opsets, each once."""

    _operators: dict[int, tuple[OperatorHistory, str]] = field(default_factory=dict)
    _statuses: dict[int, tuple[Version, str]] = field(default_factory=dict)

    def operator(self, operator: OperatorHistory) -> str:
        """Return a digest of all that is known of an operator: its versions and their texts, its events."""
        # The operator is kept as well, so that its id stays its own.
        if id(operator) not in self._operators:
            self._operators[id(operator)] = operator, _operator(operator)
        return self._operators[id(operator)][1]

    def operators(self, operators: Iterable[OperatorHistory]) -> str:
        """Return a digest of all that is known of some operators, in their order."""
        return digest(*map(self.operator, operators))

    def opset(self, opset: Opset) -> str:
        """Return a digest of an opset: its text, its operators with their statuses, what happened in it."""
        return digest(
            opset.doc and opset.doc.text,
            [self._status(version) for _, version in opset.members],
            [(operator.op_type, operator.overload) for operator, _ in opset.members],
            [(self.operator(operator), event) for operator, event in opset.events],
        )

    def _status(self, version: Version) -> str:
        if id(version) not in self._statuses:
            text = (
                f"{version.since_version} {version.status.number} {version.kind.value} {version.deprecated}"
            )
            self._statuses[id(version)] = version, text
        return self._statuses[id(version)][1]


@by_identity(32_768)  # While a site is served, most are those of the build before.
def _operator(operator: OperatorHistory) -> str:
    return digest(
        operator.domain,
        operator.op_type,
        operator.overload,
        operator.events,
        *map(_version, operator.versions),
    )


def _version(version: Version) -> object:
    return (
        version.since_version,
        version.derived,
        version.offered,
        [(revision.opsets, *map(_part, revision.parts)) for revision in version.revisions],
    )


def _part(part: Part) -> object:
    body = part.function and hashlib.sha256(part.function.proto).hexdigest()
    return part.kind.value, part.status.number, part.doc.text, body
