"""What builds keep for the next one: the pages that they made, and whole sites.

Whatever is kept is found by a digest of all that it was made from, so that it is never out of date.
`disk_cache.py` keeps it between runs of a command, `MemoryCache` while a site is served.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from opsetdocs.model import OperatorSet
from opsetdocs.site import RenderedPage, Site
from opsetdocs.views import Problem


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page, and what else came of making it."""

    page: RenderedPage
    twin: bytes | None
    """The page as Markdown; `None` if that is left to be made later."""
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class MadeSite:
    """A site as it is kept."""

    digests: tuple[str, ...]
    """The digest of each page, in their order."""
    site: Site
    """The site without its pages and twins, and without the paths of what was read."""


class Cache(Protocol):
    """Keeps what builds made. It may lose anything at any time: then it is made again."""

    def site(self, digest: str) -> MadeSite | None:
        """Return the site that was made from what has this digest."""

    def pages(self, digests: Iterable[str]) -> Mapping[str, MadePage]:
        """Return the pages that were made from what has one of these digests, as far as they are kept."""

    def sets(self) -> Mapping[str, OperatorSet]:
        """Return the operator sets that were read before, by the digest of their file."""

    def keep(
        self, digest: str, site: MadeSite, pages: Sequence[MadePage], sets: Iterable[OperatorSet] = ()
    ) -> None:
        """Keep a site and what it was made from.

        Args:
            digest: Of all that the site was made from; empty if that is not known.
            site: The site.
            pages: Its pages, in their order.
            sets: The operator sets, if they were read.
        """


class NoCache:
    """Keeps nothing."""

    def site(self, digest: str) -> None:
        """Return nothing."""

    def pages(self, digests: Iterable[str]) -> Mapping[str, MadePage]:  # noqa: ARG002 - as all caches
        """Return nothing."""
        return {}

    def sets(self) -> Mapping[str, OperatorSet]:
        """Return nothing."""
        return {}

    def keep(
        self, digest: str, site: MadeSite, pages: Sequence[MadePage], sets: Iterable[OperatorSet] = ()
    ) -> None:
        """Do nothing."""


NO_CACHE = NoCache()


class MemoryCache:
    """Keeps the last site in memory. A page is the same object in each site that it is in."""

    def __init__(self, before: Cache) -> None:
        """Begin with nothing.

        Args:
            before: Where the first build looks instead, and leaves what it made.
        """
        self._before: Cache | None = before
        self._site: tuple[str, MadeSite] | None = None
        self._pages: dict[str, MadePage] = {}
        self._sets: dict[str, OperatorSet] = {}

    def site(self, digest: str) -> MadeSite | None:
        """Return the last site, if it was made from the same."""
        if self._before:
            return self._before.site(digest)
        return self._site[1] if self._site and self._site[0] == digest else None

    def pages(self, digests: Iterable[str]) -> Mapping[str, MadePage]:
        """Return the pages of the last site that are made from the same."""
        if self._before:
            return self._before.pages(digests)
        return {digest: self._pages[digest] for digest in digests if digest in self._pages}

    def sets(self) -> Mapping[str, OperatorSet]:
        """Return the operator sets that the last site was made from, as far as they came from files."""
        return self._sets

    def keep(
        self, digest: str, site: MadeSite, pages: Sequence[MadePage], sets: Iterable[OperatorSet] = ()
    ) -> None:
        """Keep them, and forget those of the site before."""
        if self._before:
            self._before.keep(digest, site, pages)
        self._before = None
        self._site = digest, site
        self._pages = dict(zip(site.digests, pages, strict=True))
        if read := {item.digest: item for item in sets if item.digest}:
            self._sets = read
