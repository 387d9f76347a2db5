"""The frame once: what a theme writes around pages that are alike to it is made for one of them.

A theme takes longer for a page than all else that MkDocs does with it, and writes nearly the same around
each. So a stand-in goes through the theme: a page with marks in the places where those of its class differ.
Its output is cut at the marks, and joined again with what a page has in these places. The frame of a class
counts only if it gives two of its pages the very text that the theme gives them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from html import escape
from itertools import chain, pairwise
from typing import Any, Self, TypeVar
from urllib.parse import unquote, urlsplit

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure import StructureItem
from mkdocs.structure.files import File
from mkdocs.structure.nav import Link, Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents

from opsetdocs.mkdocs_page import FinishedPage, HtmlTitle

Render = Callable[[FinishedPage], str]
"""Puts a page through the theme, and tells no plugin."""

_AnyPage = TypeVar("_AnyPage", bound=Page)

_FEW = 5
"""A class of fewer pages is not worth a stand-in and two pages to compare."""

_MARK = re.compile(r"opsetdocs9mark[a-z0-9]+Z")
"""How every mark begins, in whichever way it is written."""

_ENTRIES = ("title", "description")
"""The entries of the metadata that differ from page to page; all others are the same within a class."""

_VALUES = frozenset(
    {"file", "title", "content", "toc", "meta", "canonical_url", "abs_url", "parent", "rendered"}
    | {"present_anchor_ids"}  # for links from other pages
)
"""The attributes of a page that differ within a class, or of which `_kind` looks at parts."""

_AS_IT_STANDS = "value"
_WAYS = (
    _AS_IT_STANDS,
    "value | striptags",
    "value | e",
    "value | striptags | e",
    "(value | tojson)[1:-1]",
    "value | urlencode",
)
"""How themes write a text, as expressions of their own Jinja environment."""

_PLAIN = re.compile(r"[\w.~-]+", re.ASCII)
"""Parts of addresses and ids that look the same in whichever way they are written."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What the theme writes around the pages of a class."""

    pieces: tuple[str, ...]
    """The theme's own text, cut where it writes a value of the page."""
    slots: tuple[tuple[int, str], ...]
    """What stands between two pieces: which of the page's values, and in which of the ways."""
    answers: tuple[tuple[str, bool], ...]
    """What the theme asked whether the content holds it, and what it was told."""

    def suits(self, page: Page) -> bool:
        """Return whether the theme would be told the same of this page."""
        return all((text in (page.content or "")) is answer for text, answer in self.answers)


@dataclass(frozen=True, slots=True)
class Framed:
    """A page in its frame."""

    frame: Frame
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a page stands in the site."""

    fixed: tuple[str, ...]
    """The last folder on the way to the page that anything in a frame leads to: from there on, relative links
    of two pages to all these places differ in nothing but the number of folders."""
    further: tuple[str, ...]
    """The folders from there to the page."""
    above: tuple[Page, ...]
    """The pages above the page that differ within its class, the nearest one first."""
    root: StructureItem | None
    """What is above these."""
    anchors: tuple[AnchorLink, ...]
    """The headings in the contents list of the page, nested ones too."""

    @property
    def folder(self) -> tuple[str, ...]:
        return self.fixed + self.further


@dataclass(slots=True)
class _Class:
    """Pages that a theme can tell apart by their values only."""

    pages: list[FinishedPage] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    refused: bool = False
    """Whether the theme looks at more of these pages than can be filled in."""


class Frames:
    """The frames of one build, each made when it is first needed."""

    def __init__(
        self,
        pages: Iterable[FinishedPage],
        render: Render,
        *,
        environment: jinja2.Environment,
        config: MkDocsConfig,
        nav: Navigation,
    ) -> None:
        """Divide the pages into classes.

        Args:
            pages: All pages that will be asked for, as the plugins left them.
            render: Puts a page through the theme.
            environment: The theme's.
            config: The site's configuration.
            nav: The site's nav.
        """
        pages = list(pages)
        self._render = render
        self._config = config
        self._ways = {way: environment.compile_expression(way) for way in _WAYS}
        self._in_nav = {id(page) for page in nav.pages}
        self._landmarks = _landmarks(pages, config, nav)
        self._places = {id(page): self._place(page) for page in pages}
        self._classes: dict[int, _Class] = {}
        kinds: dict[Hashable, _Class] = {}
        for page in pages:
            if (kind := self._kind(page)) is not None:
                alike = self._classes[id(page)] = kinds.setdefault(kind, _Class())
                alike.pages.append(page)

    def framed(self, page: FinishedPage) -> Framed | None:
        """Return a page in its frame, or `None` if it has to go through the theme by itself."""
        alike = self._classes.get(id(page))
        if alike is None or alike.refused or len(alike.pages) < _FEW:
            return None
        frame = next((frame for frame in alike.frames if frame.suits(page)), None)
        if frame is None:
            frame = self._frame(page, alike.pages)
            if frame is None:
                alike.refused = True
                return None
            alike.frames.append(frame)
        return Framed(frame, _values(page, self._places[id(page)]))

    def output(self, framed: Framed) -> str:
        """Return what the theme would have written."""
        pieces, slots = framed.frame.pieces, framed.frame.slots
        written = (self._written(framed.values[place], way) for place, way in slots)
        return "".join(chain.from_iterable(zip(pieces, chain(written, [""]), strict=True)))

    def refused(self) -> int:
        """Return of how many pages the theme saw more than can be filled in."""
        return sum(alike.refused for alike in self._classes.values())

    def _written(self, value: str, way: str) -> str:
        return str(value) if way == _AS_IT_STANDS else str(self._ways[way](value=value))

    def _frame(self, page: FinishedPage, alike: Sequence[FinishedPage]) -> Frame | None:
        """Make the frame of a page, and compare two pages in it with what the theme makes of them."""
        stand_in, place = self._stand_in(page)
        try:
            output = self._render(stand_in)
        except Exception:  # Whatever the theme does with a stand-in: it gets the page itself then.
            return None
        frame = self._cut(output, _values(stand_in, place), _answers(stand_in))
        if frame is None:
            return None
        # The shortest and the longest have the least and the most of what a theme may look for.
        suited = sorted(filter(frame.suits, alike), key=lambda other: len(other.content or ""))
        for other in (suited[0], suited[-1]):
            values = _values(other, self._places[id(other)])
            if self.output(Framed(frame, values)) != self._render(other):
                return None
        return frame

    def _cut(self, output: str, marks: Sequence[str], answers: Mapping[str, bool]) -> Frame | None:
        """Cut what the theme made of a stand-in at its marks; `None` where it wrote one in an unknown way."""
        places = {match[0]: place for place, mark in enumerate(marks) if (match := _MARK.match(mark))}
        pieces, slots, end = [], [], 0
        for match in _MARK.finditer(output):
            start, place = match.start(), places[match[0]]
            texts = {self._written(marks[place], way): way for way in reversed(_WAYS)}
            found = [text for text in texts if output.startswith(text, start)]
            if not found:
                return None
            text = max(found, key=len)
            pieces.append(output[end:start])
            slots.append((place, texts[text]))
            end = start + len(text)
        return Frame((*pieces, output[end:]), tuple(slots), tuple(answers.items()))

    def _place(self, page: FinishedPage) -> _Place:
        fixed, further = self._divided(page)
        above: list[Page] = []
        root: StructureItem | None = page.parent
        while isinstance(root, Page) and id(root) not in self._in_nav and self._divided(root)[1]:
            above.append(root)
            root = root.parent
        return _Place(fixed, further, tuple(above), root, tuple(_anchors(page.toc)))

    def _divided(self, page: Page) -> tuple[tuple[str, ...], tuple[str, ...]]:
        folder = tuple(page.file.dest_uri.split("/")[:-1])
        size = next(size for size in range(len(folder), -1, -1) if folder[:size] in self._landmarks)
        return folder[:size], folder[size:]

    def _kind(self, page: FinishedPage) -> Hashable | None:
        """Return everything that a theme may see of a page but its values; `None` for one that is unique."""
        place = self._places[id(page)]
        folders = [place.folder, *(tuple(item.file.dest_uri.split("/")[:-1]) for item in place.above)]
        parts = (*place.further, *(anchor.id for anchor in place.anchors))
        if (
            not place.further
            or any(longer[: len(shorter)] != shorter for longer, shorter in pairwise(folders))
            or not all(map(_PLAIN.fullmatch, parts))
        ):
            return None
        return (
            place.fixed,
            tuple(map(len, folders)),
            tuple(type(item.title) for item in (page, *place.above)),
            id(place.root),
            page.section,
            page.rendered.domain,
            bool(page.title),
            tuple(bool(page.meta.get(entry)) for entry in _ENTRIES),
            *((entry, repr(value)) for entry, value in page.meta.items() if entry not in _ENTRIES),
            *((name, repr(value)) for name, value in vars(page).items() if name not in _VALUES),
            tuple(anchor.level for anchor in place.anchors),
        )

    def _stand_in(self, page: FinishedPage) -> tuple[FinishedPage, _Place]:
        """Return a page of the same class that has marks for its values."""
        place = self._places[id(page)]
        further = tuple(_mark(f"folder{number}") for number in range(len(place.further)))
        folder = place.fixed + further
        stand_in = self._moved(page, folder)
        address = "/".join((*folder, "")).removeprefix(page.section)
        stand_in.rendered = replace(page.rendered, address=address)
        stand_in.title = _marked("title", page.title)
        stand_in.content = _Content(_mark("content"), page.content or "")
        stand_in.toc = TableOfContents(_marked_anchors("heading", page.toc))
        stand_in.meta = {
            entry: _marked(f"meta{entry}", value) if entry in _ENTRIES else value
            for entry, value in page.meta.items()
        }
        above: list[Page] = []
        for item in place.above:
            higher = self._moved(item, folder[: item.file.dest_uri.count("/")])
            higher.title = _marked(f"above{len(above)}", item.title)
            above.append(higher)
        for lower, parent in pairwise([stand_in, *above, place.root]):
            lower.parent = parent  # type: ignore[union-attr]
        anchors = tuple(_anchors(stand_in.toc))
        return stand_in, _Place(place.fixed, further, tuple(above), place.root, anchors)

    def _moved(self, page: _AnyPage, folder: Sequence[str]) -> _AnyPage:
        """Return a page as it would be in another folder."""
        address = "/".join((*folder, "index.md"))
        file = File.generated(self._config, address, content=b"", inclusion=page.file.inclusion)
        placed = Page("", file, self._config)
        moved = copy(page)
        moved.file, file.page = file, moved
        moved.canonical_url, moved.abs_url = placed.canonical_url, placed.abs_url
        return moved


class _Content(str):
    """The mark of a page's content, which answers as the content itself when it is asked what it holds."""

    def __new__(cls, mark: str, _: str) -> Self:
        return super().__new__(cls, mark)

    def __init__(self, _: str, content: str) -> None:
        self.content = content
        self.answers: dict[str, bool] = {}

    def __contains__(self, text: object) -> bool:
        return self.answers.setdefault(str(text), str(text) in self.content)


def _answers(stand_in: Page) -> Mapping[str, bool]:
    return stand_in.content.answers if isinstance(stand_in.content, _Content) else {}


def _values(page: Page, place: _Place) -> tuple[str, ...]:
    """Return what differs from page to page, in an order that is the same within a class."""
    return (
        page.content or "",
        page.title or "",
        *(page.meta.get(entry, "") for entry in _ENTRIES),
        *place.further,
        *(item.title or "" for item in place.above),
        *chain.from_iterable((anchor.id, anchor.title) for anchor in place.anchors),
    )


def _anchors(toc: Iterable[AnchorLink]) -> Iterator[AnchorLink]:
    for anchor in toc:
        yield anchor
        yield from _anchors(anchor.children)


def _marked_anchors(name: str, anchors: Iterable[AnchorLink]) -> list[AnchorLink]:
    marked = []
    for at, anchor in enumerate(anchors):
        link = copy(anchor)
        link.id = _mark(f"{name}{at}id")
        link.title = _marked(f"{name}{at}", anchor.title)
        link.children = _marked_anchors(f"{name}{at}x", anchor.children)
        marked.append(link)
    return marked


def _mark(name: str) -> str:
    return f"opsetdocs9mark{name}Z"


def _marked(name: str, text: str | None) -> str:
    """Return a mark that looks different in each of the ways to write it; none for an empty text."""
    if not text:
        return ""
    mark = escape(f"{_mark(name)}<i>  &amp; \"'/% é")
    return HtmlTitle(mark) if isinstance(text, HtmlTitle) else mark


def _landmarks(pages: Iterable[FinishedPage], config: MkDocsConfig, nav: Navigation) -> set[tuple[str, ...]]:
    """Return the folders of all that frames lead to, and the folders that these are in."""
    addresses = [
        *(f"{page.section}{page.rendered.domain}" for page in pages),
        *(page.file.dest_uri for page in nav.pages),
        *(unquote(urlsplit(link.url).path) for link in _links(nav)),
        *map(str, config.extra_css),
        *map(str, config.extra_javascript),
    ]
    folders = {tuple(posixpath.dirname(address).split("/")) for address in addresses}
    return {(), *(folder[:size] for folder in folders for size in range(1, len(folder) + 1))}


def _links(items: Iterable[Any]) -> Iterator[Link]:
    for item in items:
        if isinstance(item, Link):
            yield item
        yield from _links(item.children or ())
