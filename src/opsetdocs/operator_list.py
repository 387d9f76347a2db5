"""The operators of a domain as a small script: pages load it for the list that they show beside the text.

A list written into every page would make a site of quadratic size. It is a script rather than JSON because a
page that is opened from disk may load scripts, but may not read other files.
"""

from __future__ import annotations

import json

from opsetdocs.addresses import Addresses
from opsetdocs.catalog import Catalog, Domain, OperatorHistory, OpsetRange, Version

OPERATOR_LIST = "operators.js"
"""The name of the file below the domain's page."""


def operator_lists(catalog: Catalog, addresses: Addresses, *, directory_urls: bool) -> dict[str, bytes]:
    """Return the list of each domain by its address below the section's root.

    Args:
        catalog: What the site documents.
        addresses: The addresses of its pages.
        directory_urls: Whether links end in `/` or in `/index.html`.
    """
    return {
        addresses.domain(domain.name) + OPERATOR_LIST: _operator_list(domain, addresses, directory_urls)
        for domain in catalog.domains
    }


def _operator_list(domain: Domain, addresses: Addresses, directory_urls: bool) -> bytes:
    """Return a script with `[name, address segment, mark]` of each operator."""
    content = {
        "index": "" if directory_urls else "index.html",
        "operators": [
            [operator.name, addresses.segment(operator), mark(operator)] for operator in domain.operators
        ],
    }
    key, value = (
        json.dumps(item, ensure_ascii=True, separators=(",", ":"))
        for item in (addresses.domain(domain.name), content)
    )
    script = f"(window.opsetdocsOperators??={{}})[{key}]={value};\n"
    # Harmless where a theme puts it into the page, too.
    return script.replace("<", r"\u003c").encode()


def offered_versions(operator: OperatorHistory, latest: int) -> str:
    """Return which version each opset has, in a few characters: the script of the domain's table reads it.

    Versions stand in order: `1 11 22` says that each is offered up to the next one, and the last one up to
    the latest opset. Where that is not so, the opsets follow: `1=1-8,10`; nothing behind `=` stands for none.
    What sets a version apart from the current one stands behind a slash: `1/operator 3/stable+deprecated 5`.

    Args:
        operator: The operator.
        latest: The highest opset of its domain.
    """
    ends = [version.since_version - 1 for version in operator.versions[1:]] + [latest]
    return " ".join(
        f"{version.since_version}{_opsets(version, end)}{_differences(version, operator.current)}"
        for version, end in zip(operator.versions, ends, strict=True)
    )


def _opsets(version: Version, end: int) -> str:
    if version.offered == (OpsetRange(version.since_version, end),):
        return ""
    return "=" + ",".join(
        f"{span.first}-{span.last}" if span.first != span.last else f"{span.first}"
        for span in version.offered
    )


def _differences(version: Version, current: Version) -> str:
    words = [version.kind.value] if version.kind is not current.kind else []
    if status_keys(version) != status_keys(current):
        words += status_keys(version)
    return "/" + "+".join(words) if words else ""


def status_keys(version: Version) -> tuple[str, ...]:
    """Return the statuses of a version, as its page shows them."""
    return (version.status.key, "deprecated") if version.deprecated else (version.status.key,)


def mark(operator: OperatorHistory) -> str:
    """Return what sets the operator apart; stable ones, which most are, have no mark."""
    if operator.removal:
        return "removed"
    if operator.current.deprecated:
        return "deprecated"
    status = operator.current.status
    return "" if status.is_stable else status.key.replace("-", " ")
