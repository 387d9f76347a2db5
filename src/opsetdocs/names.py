"""Segments of permanent addresses: safe on every file system, free of collisions, and never moved.

The rules are those of the contract: a name stands for itself where it can; otherwise its safe characters are
followed by `~` and the first digits of a hash of the name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

MAX_LENGTH = 80
"""The greatest length of a name that stands for itself, and of the safe part of one that does not."""

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLAIN_DOMAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*\Z")
_UNSAFE_IN_NAME = re.compile(r"[^A-Za-z0-9_]+")
_UNSAFE_IN_DOMAIN = re.compile(r"[^A-Za-z0-9_.]+")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "clock$", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))]
)


_SITE_FILES = frozenset(
    [
        "index.html",
        "index.md",
        "404.html",
        "search.html",
        "robots.txt",
        "sitemap.xml",
        "sitemap.xml.gz",
        "catalog.json",
        "catalog.schema.json",
        "check.schema.json",
        "objects.inv",
        "llms.txt",
    ]
)
"""Files that stand beside the folders of domains, so that no domain can have a folder of that name."""


def _is_device(name: str) -> bool:
    """Whether Windows takes the name for a device: with or without an extension, in any case."""
    return name.partition(".")[0].lower() in _DEVICES


def _hashed(safe: str, identity: str) -> str:
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe[:MAX_LENGTH]}~{digest}"


def operator_segment(name: str, overload: str = "", *, plain: bool = True) -> str:
    """Return the address segment of an operator.

    Args:
        name: The op_type, or a function's name.
        overload: The function's overload; an overloaded function never has the plain form.
        plain: Whether the name may stand for itself; not where another one, equal without case, does.
    """
    if (
        plain
        and not overload
        and len(name) <= MAX_LENGTH
        and _PLAIN_NAME.match(name)
        and not _is_device(name)
    ):
        return name
    identity = f"{name}:{overload}" if overload else name
    return _hashed(_UNSAFE_IN_NAME.sub("", name), identity)


def domain_segment(domain: str, *, plain: bool = True) -> str:
    """Return the address segment of a domain: like an operator's, with dots allowed inside."""
    is_free = domain.lower() not in _SITE_FILES and not _is_device(domain)
    if plain and is_free and len(domain) <= MAX_LENGTH and _PLAIN_DOMAIN.match(domain):
        return domain
    safe = _UNSAFE_IN_DOMAIN.sub("", domain)[:MAX_LENGTH].strip(".")
    # `con~` is no device, but what stands before the first dot of `con.acme~` is one.
    return _hashed(safe.replace(".", "") if _is_device(safe) else safe, domain)


def keep_plain(names: Iterable[tuple[str, int]]) -> frozenset[str]:
    """Return the names that keep their plain form among those that are equal without case.

    Args:
        names: Each name with its lowest since_version. The lowest version wins, then the first in code point
            order, so that adding an operator never moves the address of another.
    """
    winners: dict[str, tuple[int, str]] = {}
    for name, since_version in names:
        folded = name.casefold()
        candidate = (since_version, name)
        if folded not in winners or candidate < winners[folded]:
            winners[folded] = candidate
    return frozenset(name for _, name in winners.values())
