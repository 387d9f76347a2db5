"""Looks at a built site as a browser would: pages, ids, links, visible words."""

from __future__ import annotations

import html.parser
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = frozenset(
    ["area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
OPTIONAL_END = frozenset(["li", "p", "tr", "td", "th", "thead", "tbody", "dt", "dd", "option", "colgroup"])
UNSEEN = frozenset({"script", "style", "title", "template"})


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find_all(self, *tags: str) -> list[Node]:
        return [node for node in self.walk() if node.tag in tags]

    def by_class(self, name: str) -> list[Node]:
        return [node for node in self.walk() if name in node.attributes.get("class", "").split()]

    def by_id(self, id_: str) -> Node:
        (node,) = [node for node in self.walk() if node.attributes.get("id") == id_]
        return node

    @property
    def text(self) -> str:
        """The visible text, blocks and cells apart."""
        return "".join(self._pieces())

    @property
    def words(self) -> list[str]:
        return self.text.split()

    def _pieces(self) -> Iterator[str]:
        if self.tag in UNSEEN:
            return
        inline = self.tag in {"a", "b", "i", "em", "strong", "code", "span", "sub", "sup", "mi", "mn", "mo"}
        if not inline:
            yield " "
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._pieces()
        if not inline:
            yield " "


class _Builder(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("#root", {})
        self.open = [self.root]
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(set(names)) != len(names):
            self.faults.append(f"<{tag}> repeats an attribute")
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        while self.open[-1].tag != tag and self.open[-1].tag in OPTIONAL_END:
            self.open.pop()
        if self.open[-1].tag == tag and len(self.open) > 1:
            self.open.pop()
        else:
            self.faults.append(f"</{tag}> closes <{self.open[-1].tag}>")

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


@dataclass(frozen=True)
class Page:
    path: Path
    address: str
    """Path below the site's root, with `index.html`."""

    @cached_property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def _parsed(self) -> _Builder:
        builder = _Builder()
        builder.feed(self.source)
        builder.close()
        return builder

    @property
    def root(self) -> Node:
        return self._parsed.root

    @property
    def faults(self) -> list[str]:
        return self._parsed.faults

    @property
    def main(self) -> Node:
        """The content: what the theme's frame is around."""
        marked = [
            node for node in self.root.walk() if node.attributes.get("role") == "main" or node.tag == "main"
        ]
        return marked[0] if marked else self.root  # MkDocs' own 404.html marks nothing.

    @property
    def title(self) -> str:
        return "".join(str(child) for child in self.root.find_all("title")[0].children)

    @property
    def ids(self) -> list[str]:
        return [node.attributes["id"] for node in self.root.walk() if "id" in node.attributes]

    @property
    def links(self) -> list[str]:
        return [
            node.attributes[name]
            for node in self.root.walk()
            for name in ("href", "src")
            if name in node.attributes
        ]


@dataclass(frozen=True)
class BuiltSite:
    folder: Path

    @cached_property
    def pages(self) -> dict[str, Page]:
        return {
            path.relative_to(self.folder).as_posix(): Page(path, path.relative_to(self.folder).as_posix())
            for path in sorted(self.folder.rglob("*.html"))
        }

    def page(self, address: str) -> Page:
        return self.pages[f"{address}index.html"]

    def broken_links(self) -> list[str]:
        """Return every link to a file or an anchor that is not in the site."""
        anchors = {address: set(page.ids) | {"", "top"} for address, page in self.pages.items()}
        broken = []
        for address, page in self.pages.items():
            if address == "404.html":  # Served for any address, so its links start at the root.
                continue
            for link in page.links:
                target = self._target(address, link)
                if target is None:
                    continue
                path, fragment = target
                if path not in anchors and not (self.folder / path).is_file():
                    broken.append(f"{address}: {link}")
                elif path in anchors and fragment not in anchors[path]:
                    broken.append(f"{address}: {link} (no such anchor)")
        return broken

    def foreign_links(self, page: Page) -> list[str]:
        """Return what the page would load from another host by itself."""
        found = []
        for node in page.root.walk():
            loads = "src" in node.attributes or (
                node.tag == "link"
                and node.attributes.get("rel") not in ("canonical", "alternate", "prev", "next")
            )
            address = node.attributes.get("src", node.attributes.get("href", ""))
            if loads and (urlsplit(address).netloc or address.startswith("/")):
                found.append(address)
        return found

    def _target(self, address: str, link: str) -> tuple[str, str] | None:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        base = "/" + address.rpartition("/")[0]
        path = unquote(parts.path)
        joined = re.sub(r"/+", "/", f"{base}/{path}") if path else f"/{address}"
        segments: list[str] = []
        for segment in joined.split("/"):
            if segment == "..":
                segments[-1:] = []
            elif segment not in ("", "."):
                segments.append(segment)
        target = "/".join(segments)
        if path in (".", "..") or path.endswith(("/", "/..")):
            target = f"{target}/index.html".lstrip("/")
        return target, unquote(parts.fragment)


def is_subsequence(wanted: list[str], found: list[str]) -> str | None:
    """Return the first wanted word that does not follow in order; `None` if all do."""
    rest = iter(found)
    for number, word in enumerate(wanted):
        if word not in rest:
            return f"{word} (word {number}, after {' '.join(wanted[max(0, number - 8) : number])})"
    return None
