"""A site as a tree of Markdown pages, for site generators that do not run our plugin.

Each page is `<address>index.md`: front matter, and the finished HTML in one block element, which Markdown
passes on as it is. What comes before Markdown, such as code fences, macros and other extensions that work on
lines, looks into HTML too: in texts every character that may mean something there is written as a reference.
Headings, and the elements in which they stand, are marked for the extension md_in_html: where it is on, the
page gets its contents list.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from opsetdocs.errors import ConfigError
from opsetdocs.plain_text import one_line
from opsetdocs.site import RenderedPage, Site
from opsetdocs.twins import LLMS
from opsetdocs.work_folder import work_folder

MANIFEST = ".opsetdocs-tree.json"
"""The file in a tree that says which files were written, with a hash of each. Generators pass it over."""

# Texts have their angle brackets and quotation marks escaped in finished HTML.
_TAG = re.compile(r"""(<(?:[^>"]|"[^"]*")*>)""")
_PREFORMATTED = re.compile(r"<(/?)pre[\s>]")
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]*)")
_ID = re.compile(r' id="([^"]*)"')
_BARE_ATTRIBUTE = re.compile(r"""("[^"]*")|(\s[A-Za-z-]+)(?=[\s/>])""")

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = _HEADINGS | {
    *("article", "aside", "blockquote", "details", "div", "dl", "figure", "footer", "form", "header", "hr"),
    *("main", "nav", "ol", "p", "pre", "section", "table", "ul"),
}
"""Elements that md_in_html takes as they stand, one beside the other; of all others it makes a paragraph."""
_VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})


def _references(characters: str) -> dict[int, str]:
    return {ord(character): f"&#{ord(character)};" for character in characters}


_IN_TEXT = _references("`~{}[]*_\\$:-!=+^/?|@\t")
_IN_CODE = _references("`~{}[]*_\\$:-!=+^/?|@\t\n")
"""Lines of code may be blank or look like anything, so that they must not be lines."""
_IN_TAG = _references("`{}")
"""Attributes are names, classes and addresses, which some generators read as they stand."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What was written."""

    pages: int
    kept: tuple[str, ...]
    """Files of somebody else, or changed by hand since, that stand where one of ours would."""


def tree_files(site: Site) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of a tree: the pages, then everything that belongs to them.

    The Markdown twins of pages are left out, since their names are those of the pages' sources here, and so
    is the list of them.

    Args:
        site: The finished site.
    """
    for page in site.pages:
        yield f"{page.address}index.md", page_source(page).encode()
    for address, content in site.assets.items():
        if not address.endswith(".md") and address != LLMS:
            yield address, content


def page_source(page: RenderedPage) -> str:
    """Return a page as Markdown: front matter, and its HTML as one block."""
    pieces = _TAG.split(page.html)
    _mark_headings(pieces, frozenset(heading.id for heading in page.headings))
    return f"---\n{''.join(_front_matter(page))}---\n\n{''.join(_shielded_pieces(pieces))}\n"


def _front_matter(page: RenderedPage) -> Iterator[str]:
    """Yield the lines that say what our plugin says to MkDocs.

    Themes print both texts as they stand, some after resolving references, so that an escaped angle bracket
    would become one again.
    """
    title = page.title.replace("<", "‹").replace(">", "›")
    for name, text in (("title", title), ("description", page.description)):
        # JSON is YAML, as long as nothing in it is invisible.
        yield f"{name}: {json.dumps(escape(one_line(text)), ensure_ascii=False)}\n"
    if page.status:
        yield f"status: {page.status}\n"
    if not page.searched:
        yield "search:\n  exclude: true\n"


def shielded(html: str) -> str:
    """Return HTML that says the same, and in which nothing has a meaning in Markdown or its extensions.

    Args:
        html: Finished HTML: a block element.
    """
    return "".join(_shielded_pieces(_TAG.split(html)))


def _shielded_pieces(pieces: Sequence[str]) -> Iterator[str]:
    """Yield texts and tags, which take turns, a text first."""
    in_code = False
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            yield piece.translate(_IN_CODE if in_code else _IN_TEXT)
        else:
            # md_in_html would give an attribute without a value its own name as value.
            yield _BARE_ATTRIBUTE.sub(lambda found: found[1] or f'{found[2]}=""', piece).translate(_IN_TAG)
            if edge := _PREFORMATTED.match(piece):
                in_code = not edge[1]


@dataclass(slots=True)
class _Element:
    """An element that is open while a page is read."""

    start: int
    """The piece that opens it."""
    name: str
    holds_blocks: bool = True
    """Whether nothing but blocks stands in it directly."""


def _mark_headings(pieces: list[str], ids: frozenset[str]) -> None:
    """Mark headings, and the elements in which they stand, as Markdown.

    Python-Markdown's contents list takes up what is parsed only. A heading stays as it is where the parser
    would make a paragraph of something beside it.

    Args:
        pieces: Texts and tags of the page, which take turns, a text first. They are changed.
        ids: Those of the headings.
    """
    found = _with_headings(pieces, ids)
    fit = (above for above in found if all(element.holds_blocks for element in above[:-1]))
    for start in {element.start for above in fit for element in above}:
        pieces[start] = f'{pieces[start].removesuffix(">")} markdown="1">'


def _with_headings(pieces: Sequence[str], ids: frozenset[str]) -> list[tuple[_Element, ...]]:
    """Return the headings, each after the elements in which it stands, the outermost first."""
    found = []
    above: list[_Element] = []
    for at, piece in enumerate(pieces):
        tag = _TAG_NAME.match(piece) if at % 2 else None
        if tag is None:
            if above and piece.strip():
                above[-1].holds_blocks = False
            continue
        name = tag[2].lower()
        if tag[1]:
            while above and above.pop().name != name:
                pass
            continue
        if above and name not in _BLOCKS:
            above[-1].holds_blocks = False
        if name not in _VOID:
            above.append(_Element(at, name))
            id_ = _ID.search(piece)
            if name in _HEADINGS and id_ and id_[1] in ids:
                found.append(tuple(above))
    return found


# Writing


def write_tree(folder: Path, site: Site) -> Tree:
    """Write a site as a tree into a folder, and remove what is left of the last one.

    The folder may hold other files. Those of somebody else stay: a hand-written page at one of our addresses
    wins. So does a file of ours that was changed by hand. A file that has its content already is not touched.

    Args:
        folder: The folder, below the docs folder of a site generator; it is made if it does not exist.
        site: The finished site.

    Raises:
        ConfigError: The folder cannot be read or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _write(folder, dict(tree_files(site)), len(site.pages))
    except OSError as err:
        raise ConfigError(f"{folder}: the tree cannot be written here: {err.strerror or err}") from err


def _write(folder: Path, files: Mapping[str, bytes], pages: int) -> Tree:
    with work_folder(folder / ".opsetdocs") as work:
        work.clear()
        known = _read_manifest(folder)
        found = {name: _hash(folder / name) for name in files.keys() | known.keys()}
        made = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        kept = {
            name for name, held in found.items() if held and held not in (known.get(name), made.get(name))
        }
        new = [name for name in files if name not in kept and found[name] != made[name]]
        for name in new:
            _put(work.path / name, files[name])
        _put(work.path / MANIFEST, _manifest({name: made[name] for name in files if name not in kept}))
        for name in (*new, MANIFEST):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (work.path / name).replace(folder / name)
        for name in known.keys() - files.keys() - kept:
            _remove(folder, name)
    return Tree(pages, tuple(sorted(kept & files.keys())))


def _put(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def _hash(file: Path) -> str | None:
    """Return the hash of a file; `None` where there is none."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _manifest(hashes: Mapping[str, str]) -> bytes:
    return (json.dumps({"files": hashes}, indent=0, sort_keys=True) + "\n").encode()


def _read_manifest(folder: Path) -> dict[str, str]:
    """Return the files that the last tree wrote here, with their hashes, as far as they are inside."""
    try:
        stated = json.loads((folder / MANIFEST).read_bytes())["files"]
        names = {str(name): str(digest) for name, digest in stated.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError) as err:
        raise ConfigError(
            f"{folder / MANIFEST} is not what a tree leaves; remove it, and the tree with it"
        ) from err
    top = folder.resolve()
    return {name: digest for name, digest in names.items() if (top / name).resolve().is_relative_to(top)}


def _remove(folder: Path, name: str) -> None:
    """Remove a file, and the folders above it that are empty then."""
    path = folder / name
    path.unlink(missing_ok=True)
    for parent in path.relative_to(folder).parents[:-1]:
        try:
            (folder / parent).rmdir()
        except OSError:
            return
