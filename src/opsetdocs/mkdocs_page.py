"""Finished pages as MkDocs knows pages: their frame, contents list and search entries are MkDocs' own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from html import escape, unescape
from types import SimpleNamespace
from typing import Any, TypeVar, cast

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.contrib.search.search_index import ContentParser, SearchIndex
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents, get_toc
from mkdocs.utils import get_build_date

from opsetdocs.search_terms import words
from opsetdocs.site import Heading, RenderedPage

# Texts have no `<` in finished HTML, so that this finds attributes only.
_ID = re.compile(r'<\w[^<>]*?\sid="([^"]+)"')

# What separates words for MkDocs' search, unless a site sets another `separator`.
_BETWEEN_WORDS = re.compile(r"[\s\-]+")

# What our templates mark as Material's search knows it; none of these holds another one.
_NOT_SEARCHED = re.compile(r"<(\w+)[^>]* data-search-exclude>.*?</\1>", re.DOTALL)


class HtmlTitle(str):
    """A title as HTML, because themes print titles as they stand.

    Some ask for it as text by `striptags`, which resolves the character references, and print the result as
    it stands too: a name that looks like a tag would become one. That filter takes what `__html__` returns,
    which therefore is escaped once more.
    """

    __slots__ = ()

    def __html__(self) -> str:
        return escape(self)


class FinishedPage(Page):
    """A page whose HTML is finished: Python-Markdown never sees it, and no extension acts on its texts."""

    def __init__(self, rendered: RenderedPage, file: File, config: MkDocsConfig, title: str | None) -> None:
        """Attach the page to its file.

        Args:
            rendered: What the page holds.
            file: The virtual file that gives the page its address.
            config: The site's configuration.
            title: The title that the site's nav states, as HTML; `None` for the page's own.
        """
        super().__init__(title or HtmlTitle(escape(rendered.title)), file, config)
        self.rendered = rendered
        self.stated_title = title

    def __str__(self) -> str:
        """Return the page's URL: autorefs before 1.4 takes a page as text."""
        return self.url

    @property
    def section(self) -> str:
        """The address of the section's root below the site's: empty, or with a slash at its end."""
        return self.file.src_uri.removesuffix(f"{self.rendered.address}index.md")

    def read_source(self, config: MkDocsConfig) -> None:  # noqa: ARG002 -- MkDocs' signature
        """Set the metadata, under the keys that themes look for; there is no Markdown."""
        self.markdown = ""
        self.meta = self._metadata()

    def _metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {"title": self.title, "description": escape(self.rendered.description)}
        if self.rendered.status:
            metadata["status"] = self.rendered.status
        if not self.rendered.searched:
            metadata["search"] = {"exclude": True}
        return metadata

    def render(self, config: MkDocsConfig, files: Files) -> None:  # noqa: ARG002 -- MkDocs' signature
        """Set the content; the contents list is made when somebody asks for it."""
        self.content = self.rendered.html
        vars(self).pop("toc", None)

    @cached_property
    def toc(self) -> TableOfContents:  # type: ignore[override]
        """The contents list."""
        return table_of_contents(self.rendered.headings, as_title=escape)

    @cached_property
    def present_anchor_ids(self) -> set[str]:  # type: ignore[override]
        """Every id on the page; sought only where a hand-written page links into this one."""
        return {unescape(value) for value in _ID.findall(self.rendered.html)}


def table_of_contents(headings: Iterable[Heading], *, as_title: Callable[[str], str]) -> TableOfContents:
    """Nest the headings by level.

    Args:
        headings: In the order of the page.
        as_title: Turns a heading's text into what is shown: `escape` for HTML, `str` for text.
    """
    top: list[Any] = []
    enclosing: list[Any] = []
    for heading in headings:
        entry = {"level": heading.level, "id": heading.id, "name": as_title(heading.title), "children": []}
        while enclosing and enclosing[-1]["level"] >= heading.level:
            enclosing.pop()
        siblings = enclosing[-1]["children"] if enclosing else top
        siblings.append(entry)
        enclosing.append(entry)
    return get_toc(top)


def finished_page(
    rendered: RenderedPage, uri: str, config: MkDocsConfig, title: str | None = None
) -> FinishedPage:
    """Return a page on a virtual file.

    Args:
        rendered: What the page holds.
        uri: The address of the file, as that of Markdown.
        config: The site's configuration.
        title: As for `FinishedPage`.
    """
    return FinishedPage(rendered, virtual_file(uri, b"", config), config, title)


def virtual_file(uri: str, content: bytes, config: MkDocsConfig) -> File:
    """Return a file that is in no folder."""
    # Said outright, or MkDocs would leave out what lies below `templates` or starts with a dot.
    # Not in the nav, or MkDocs would make a nav of all pages; `mkdocs_nav` adds the few that belong there.
    return File.generated(config, uri, content=content, inclusion=InclusionLevel.NOT_IN_NAV)


class KeptPages:
    """Makes the pages of one build after the other, and each that is the same in two of them once."""

    def __init__(self) -> None:
        self._settings: object = None
        self._before: dict[str, FinishedPage] = {}
        self._pages: dict[str, FinishedPage] = {}

    def begin(self, config: MkDocsConfig) -> None:
        """Begin a build."""
        # All that MkDocs looks at to make a file and a page, besides what these are made for.
        settings = (get_build_date(), *(config[name] for name in _SETTINGS))
        self._before = self._pages if settings == self._settings else {}
        self._settings, self._pages = settings, {}

    def page(
        self, rendered: RenderedPage, uri: str, config: MkDocsConfig, title: str | None = None
    ) -> FinishedPage:
        """Return a page as `finished_page` does; nobody else has the same object, or its file."""
        kept = self._before.get(uri)
        if kept is None or kept.rendered is not rendered or kept.stated_title != title:
            kept = finished_page(rendered, uri, config, title)
            # MkDocs' files find out these once.
            _ = kept.file.dest_uri, kept.file.url, kept.file.abs_dest_path
        self._pages[uri] = kept
        page, file = _copied(kept), _copied(kept.file)
        page.file, file.page = file, page
        return page


_SETTINGS = ("site_dir", "use_directory_urls", "site_url", "repo_url", "edit_uri", "edit_uri_template")

_Thing = TypeVar("_Thing")


def _copied(thing: _Thing) -> _Thing:
    # As copy.copy does, in a quarter of the time.
    new = object.__new__(type(thing))
    vars(new).update(vars(thing))
    return new


class TextTitleIndex(SearchIndex):
    """The index of MkDocs' own search plugin, fed with what it needs for finished pages.

    Its results page escapes titles itself, so it gets them as text. It has no setting that leaves a page out.
    """

    def add_entry_from_context(self, page: Page) -> None:
        """Add a page, unless it is a finished page that is not searched."""
        if not isinstance(page, FinishedPage):
            super().add_entry_from_context(page)
        elif page.rendered.searched:
            start = len(self._entries)
            super().add_entry_from_context(cast("Page", _with_text_titles(page)))
            entry = self._entries[start]  # The page's; those of its sections follow.
            entry["text"] += _joined_words(f"{entry['title']} {entry['text']}")


def _joined_words(text: str) -> str:
    """Return the words that stand in others, or are joined by signs, where MkDocs' search sees one word.

    Of `LogSoftmax` these are `log` and `softmax`, of `mode(linear)` `mode` and `linear`.
    """
    pieces = {piece for piece in _BETWEEN_WORDS.split(text) if not piece.isalpha() or not piece.islower()}
    found = {word for piece in pieces if (parts := words(piece)) and len(parts) > 1 for word in parts}
    return "".join(f" {word}" for word in sorted(found))


def sections(page: Page) -> list[tuple[str, str, str]]:
    """Return the sections of a hand-written page: the id, the heading and the plain text of each.

    The first one has no id: it is what stands before any heading but the title, the first of level 1. A
    heading that the contents list of the page lacks begins no section.
    """
    headings = {item.id: item for item in _all_items(page.toc)}
    title = next((id_ for id_, item in headings.items() if item.level == 1), None)
    parser = ContentParser()
    parser.feed(f"<h1></h1>{page.content or ''}")  # What stands before the first heading it leaves out.
    parser.close()
    found: list[tuple[str, str, list[str]]] = [("", "", [])]
    for section in parser.data:
        if section.id in headings and section.id != title:
            found.append((section.id, unescape(headings[section.id].title), []))
        found[-1][2].extend(section.text)
    return [(id_, heading, " ".join(" ".join(text).split())) for id_, heading, text in found]


def _all_items(items: Iterable[AnchorLink]) -> Iterator[AnchorLink]:
    for item in items:
        yield item
        yield from _all_items(item.children)


def _with_text_titles(page: FinishedPage) -> SimpleNamespace:
    return SimpleNamespace(
        title=unescape(page.title or ""),
        content=_NOT_SEARCHED.sub("", page.content or ""),
        url=page.url,
        toc=table_of_contents(page.rendered.headings, as_title=str),
    )
