"""The place of finished pages in MkDocs' nav.

Themes write the whole nav into every page, so a nav of all pages makes a site of quadratic size. The nav
holds the root and the domains; every other page has its parent set, by which themes mark where one is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page

from opsetdocs.mkdocs_page import FinishedPage


def titles_in(nav: Any) -> Iterator[tuple[str, str]]:
    """Yield each path of the `nav` setting that has a title, with that title.

    MkDocs gives titles only to pages that it makes itself.
    """
    if isinstance(nav, Mapping):
        for title, value in nav.items():
            if isinstance(value, str):
                yield value, title
            else:
                yield from titles_in(value)
    elif isinstance(nav, list):
        for item in nav:
            yield from titles_in(item)


def place(nav: Navigation, pages: Mapping[str, Page], title: str) -> None:
    """Put the root and the domains into the nav, unless the site's own nav has a page of ours already.

    Args:
        nav: The nav as MkDocs and other plugins made it.
        pages: The pages by address; where a hand-written page stands at one of our addresses, that one.
        title: The title of the section, as text.
    """
    ours = [page for page in pages.values() if isinstance(page, FinishedPage)]
    if not any(isinstance(page, FinishedPage) for page in nav.pages):
        _append(nav, [page for page in ours if page.rendered.in_nav], title)
    in_nav = {id(page) for page in nav.pages}
    for page in ours:
        if id(page) not in in_nav and page.rendered.parent is not None:
            # MkDocs declares a section here. A page serves as well, and themes then lead back to it.
            page.parent = pages[page.rendered.parent]  # type: ignore[assignment]


def _append(nav: Navigation, pages: Sequence[FinishedPage], title: str) -> None:
    if nav.items:
        section = Section(escape(title), list(pages))
        for page in pages:
            page.parent = section
        nav.items.append(section)
    else:
        nav.items.extend(pages)
    for before, after in pairwise([*nav.pages[-1:], *pages]):
        before.next_page, after.previous_page = after, before
    nav.pages.extend(pages)
    if nav.homepage is None:
        nav.homepage = next((page for page in pages if page.url in ("", "index.html")), None)
