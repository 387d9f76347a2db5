"""What other documentation can link to by a permanent id, and the inventory that says so (`objects.inv`).

The inventory has the format of Sphinx, which mkdocstrings and others read too. It is a header of four lines
and one line for each name, compressed: too little to depend on a package for it (sphobjinv brings six others,
Sphinx itself twenty). https://sphobjinv.readthedocs.io/en/stable/syntax.html describes it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

from opsetdocs.addresses import Addresses, Place
from opsetdocs.catalog import Catalog
from opsetdocs.plain_text import one_line
from opsetdocs.site import RenderedPage, Target, TargetKind

INVENTORY = "objects.inv"
"""The address of the inventory below the section's root."""

_HEADER = """\
# Sphinx inventory version 2
# Project: {project}
# Version: {version}
# The remainder of this file is compressed using zlib.
"""
_ENTRY_ID = re.compile(
    r'<\w+ id="((?P<subject>[^"]+)\.(?P<kind>attribute|input|output|type)\.(?P<name>[^".]+))"'
)

# `:ref:` finds labels, without any extension of Sphinx; -1 is the priority that Sphinx gives to labels.
_LABEL = ("std:label", -1)
_ROLES = {
    TargetKind.OPERATOR: (_LABEL, ("onnx:operator", 1)),
    TargetKind.VERSION: (_LABEL, ("onnx:version", 1)),
    TargetKind.ATTRIBUTE: (_LABEL, ("onnx:attribute", 1)),
    TargetKind.OTHER: (_LABEL,),
}


def targets(catalog: Catalog, addresses: Addresses, pages: Iterable[RenderedPage]) -> tuple[Target, ...]:
    """Return everything that has a permanent id, each id once.

    These are operators, their versions, and the attributes, inputs, outputs and type constraints on the pages
    of both; then domains and opsets.

    Args:
        catalog: What the site documents.
        addresses: The addresses of its pages.
        pages: The finished pages: only what is on one of them can be linked to.
    """
    html = {page.address: page.html for page in pages}
    found: dict[str, Target] = {}
    for subject in _subjects(catalog, addresses):
        for target in (subject, *_entries(subject, html[subject.address])):
            found.setdefault(target.id, target)
    return tuple(found.values())


def _subjects(catalog: Catalog, addresses: Addresses) -> Iterator[Target]:
    """Yield what has a page of its own."""
    for domain in catalog.domains:
        for operator in domain.operators:
            yield Target(
                addresses.operator_id(operator),
                TargetKind.OPERATOR,
                operator.name,
                addresses.operator(operator),
            )
            for version in operator.versions:
                number = version.since_version
                yield Target(
                    addresses.operator_id(operator, number),
                    TargetKind.VERSION,
                    f"{operator.name}-{number}",
                    addresses.version(operator, number),
                )
    for domain in catalog.domains:
        prefix = addresses.domain_id(domain.name)
        id_ = addresses.domain_page_id(domain.name)
        yield Target(id_, TargetKind.OTHER, domain.name, addresses.domain(domain.name))
        for opset in domain.opsets:
            title = f"{domain.name} opset {opset.version}"
            address = addresses.opset(domain.name, opset.version)
            yield Target(f"{prefix}.opset-{opset.version}", TargetKind.OTHER, title, address)


def _entries(subject: Target, html: str) -> Iterator[Target]:
    """Yield the entries of a signature. Those of an earlier text of a version have other ids."""
    for match in _ENTRY_ID.finditer(html):
        if match["subject"] == subject.id:
            kind = TargetKind.ATTRIBUTE if match["kind"] == "attribute" else TargetKind.OTHER
            yield Target(match[1], kind, match["name"], subject.address)


def inventory(targets: Sequence[Target], *, project: str, directory_urls: bool) -> bytes:
    """Return the content of `objects.inv`.

    Args:
        targets: What can be linked to.
        project: The project's name, which readers show with a link.
        directory_urls: Whether addresses of pages end in `/` or in `/index.html`.
    """
    root = Place("", directory_urls=directory_urls)
    pages = {address: root.url(address) for address in {target.address for target in targets}}
    lines = [
        f"{target.id} {role} {priority} {pages[target.address]}#$ {one_line(target.title) or '-'}\n"
        for target in targets
        for role, priority in _ROLES[target.kind]
    ]
    header = _HEADER.format(project=one_line(project), version="")
    return header.encode() + zlib.compress("".join(lines).encode(), level=9)
