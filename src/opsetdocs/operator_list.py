"""The operators of a domain as a small script: pages load it for the list that they show beside the text.

A list written into every page would make a site of quadratic size. It is a script rather than JSON because a
page that is opened from disk may load scripts, but may not read other files.
"""

from __future__ import annotations

import json

from opsetdocs.addresses import Addresses
from opsetdocs.catalog import Catalog, Domain, OperatorHistory

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


def mark(operator: OperatorHistory) -> str:
    """Return what sets the operator apart; stable ones, which most are, have no mark."""
    if operator.removal:
        return "removed"
    if operator.current.deprecated:
        return "deprecated"
    status = operator.current.status
    return "" if status.is_stable else status.key.replace("-", " ")
