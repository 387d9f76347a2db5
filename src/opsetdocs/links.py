"""Where the relative links of doc_strings lead: to our own pages, or to where a project says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import urljoin, urlsplit

from opsetdocs.addresses import Addresses
from opsetdocs.catalog import Catalog
from opsetdocs.errors import ConfigError
from opsetdocs.markdown import internal

ONNX_DOCS = "https://github.com/onnx/onnx/blob/main/docs/"
"""Where the pages stand that ONNX's own texts name by file name alone, such as `Broadcasting.md`."""

ANY = "*"
"""The key of `link_map` whose value is the base address of every link that has no entry of its own."""

_OPERATOR_PAGE = re.compile(r"(?:.*/)?(?:Operators|Changelog|Operators-ml|Changelog-ml)\.md\Z")
_LOCAL_PATH = re.compile(r"/(?!/)")
_VERSIONED = re.compile(r"(?P<op_type>.+)-(?P<since_version>[0-9]{1,18})\Z")


def is_onnx_domain(domain: str) -> bool:
    """Whether a domain is one of the ONNX project's own."""
    return domain == "ai.onnx" or domain.startswith("ai.onnx.")


def operator_fragment(href: str) -> str:
    """Return what names an operator in a link to ONNX's Operators.md or Changelog.md; empty in any other."""
    parts = urlsplit(href)
    return parts.fragment if _OPERATOR_PAGE.match(parts.path) else ""


def versioned_name(name: str) -> tuple[str, int] | None:
    """Return the op_type and the since_version in a name such as `Conv-11`; `None` if it is no such name."""
    match = _VERSIONED.match(name)
    return (match["op_type"], int(match["since_version"])) if match else None


def link_resolver(
    catalog: Catalog, addresses: Addresses, link_map: Mapping[str, str]
) -> Callable[[str, str], str | None]:
    """Return the function that says where a relative link of a text leads.

    A link is looked up in `link_map` by the whole path, then by its file name, then under `*`. A link to an
    operator in ONNX's own Operators.md or Changelog.md leads to that operator's page here. Other relative
    links in texts of ONNX's domains lead to ONNX's documentation.

    Args:
        catalog: What the site documents.
        addresses: The addresses of its pages.
        link_map: File names or paths, and the addresses to which they lead.

    Raises:
        ConfigError: A link is mapped to something that is no address.
    """
    for key, target in link_map.items():
        if urlsplit(target).scheme not in ("http", "https") and not _LOCAL_PATH.match(target):
            raise ConfigError(
                f"link_map: {key} leads to {target!r}; expected an address that begins with http:// or "
                "https://, or a path of this host that begins with /"
            )

    def resolve(href: str, domain: str) -> str | None:
        parts = urlsplit(href)
        name = parts.path.rpartition("/")[2]
        for key in (parts.path, name):
            if key in link_map:
                return link_map[key] + (f"#{parts.fragment}" if parts.fragment else "")
        if (fragment := operator_fragment(href)) and (page := _operator_page(fragment, domain)):
            return page
        if ANY in link_map:
            return urljoin(link_map[ANY], href)
        if is_onnx_domain(domain) and parts.path:
            return urljoin(ONNX_DOCS, href)
        return None

    def _operator_page(fragment: str, domain: str) -> str | None:
        # ONNX's own anchors: `Conv`, `Conv-11`, `ai.onnx.ml.Scaler`.
        name = fragment.removeprefix(f"{domain}.")
        operator = catalog.find(domain, name)
        if operator is not None:
            return internal(addresses.operator(operator))
        versioned = versioned_name(name)
        if versioned is None:
            return None
        op_type, since_version = versioned
        operator = catalog.find(domain, op_type)
        if operator is None or all(item.since_version != since_version for item in operator.versions):
            return None
        return internal(addresses.version(operator, since_version))

    return resolve


def operator_linker(catalog: Catalog, addresses: Addresses) -> Callable[[str, str], str | None]:
    """Return the function that finds the page of an operator which a text names in code.

    The text's own domain is searched first, then `ai.onnx`.
    """
    index = {
        (domain.name, operator.op_type): addresses.operator(operator)
        for domain in catalog.domains
        for operator in reversed(domain.operators)
        if not operator.overload
    }

    def find(name: str, domain: str) -> str | None:
        return index.get((domain, name)) or index.get(("ai.onnx", name))

    return find
