"""What every input has to survive: reading, checking, documenting, and showing all of its texts.

A file may be refused with `FileError`. Any other exception is a fault of ours, and so is an assertion below
that does not hold.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Iterator
from html import unescape

import jinja2

from opsetdocs import docstring, rules
from opsetdocs.build import makers
from opsetdocs.catalog import Catalog
from opsetdocs.catalog_json import catalog_json
from opsetdocs.errors import FileError
from opsetdocs.harmless_markdown import harmless
from opsetdocs.history import build_catalog
from opsetdocs.inventory import inventory, targets
from opsetdocs.loader import parse
from opsetdocs.markdown import Renderer, is_allowed
from opsetdocs.model import Format, Function, Operator, OperatorSet
from opsetdocs.render import environment, without_controls
from opsetdocs.site import RenderedPage, SiteOptions

NAMES = {Format.BINARY: "input.onnxopset", Format.TEXT: "input.textproto", Format.JSON: "input.json"}
"""What an input is called, by its format."""

PAGES_OF_EACH = 32
"""Of so many inputs that can be read one becomes pages: these take ten times as long as all the rest."""

MAX_OPSETS = 12
"""Of more opsets no pages are made: their number grows with the square."""

_SEGMENT = re.compile(
    r"[A-Za-z0-9_][A-Za-z0-9_.]*(?:~[0-9a-f]{8})?(?:-[0-9]+)?|~[0-9a-f]{8}|[0-9]+(?:-[0-9]+)?"
)
_TAG = re.compile(r"""<([A-Za-z][^\s/>]*)((?:"[^"]*"|[^">])*)>""")
_ATTRIBUTE = re.compile(r"""([^\s="]+)(?:="([^"]*)")?""")
_LIVE_ELEMENTS = frozenset(
    [
        "applet",
        "audio",
        "base",
        "embed",
        "frame",
        "iframe",
        "link",
        "meta",
        "object",
        "script",
        "style",
        "video",
    ]
)
_LIVE_ATTRIBUTES = re.compile(r"on.*|style|srcdoc|formaction|action|autofocus|name", re.IGNORECASE)
_TARGETS = frozenset(["href", "src", "xlink:href"])
_NAMED = frozenset(["select", "input"])
"""The elements of our own pages that have a name."""

_OPTIONS = SiteOptions()


def examine(data: bytes, file_format: Format) -> bool:
    """Do with an input all that is done with a file; return whether it could be read.

    Raises:
        Exception: The input has found a fault.
    """
    try:
        opset = parse(data, NAMES[file_format])
    except FileError as err:
        assert _is_one_line(str(err)), f"a message of several lines: {err!r}"
        return False
    for finding in rules.run((opset,)):
        str(finding)
    catalog = build_catalog((opset,))
    for text in texts(opset):
        show_text(text)
    if zlib.crc32(data) % PAGES_OF_EACH == 0:
        make_site(catalog)
    return True


@functools.lru_cache(maxsize=4_096)
def show_text(text: str) -> None:
    """Take a text apart, and make HTML of it, in full and as a summary; a text that was seen lately once."""
    doc = docstring.parse(text)
    again = docstring.write(doc.blocks)
    assert docstring.parse(again).deprecated == doc.deprecated, "written anew, a text says something else"
    renderer = Renderer()
    for rendered in (renderer.render(text), renderer.inline(text)):
        html = rendered.place("id", str)
        assert not live_markup(html), f"live markup in {html}"
    renderer.summary(text)
    renderer.plain(text)
    harmless(without_controls(text))


def make_site(catalog: Catalog) -> list[RenderedPage]:
    """Make all pages of a catalog, their twins, and the files for programs; return the pages."""
    if max((len(domain.opsets) for domain in catalog.domains), default=0) > MAX_OPSETS:
        return []
    make = makers(catalog, _OPTIONS, _templates())
    pages: list[RenderedPage] = []
    for planned in make.pages:
        page = planned.make()
        pages.append(make.page_renderer.render(page))
        make.twins.page(page)
    addresses = [page.address.lower() for page in pages]
    assert len(set(addresses)) == len(addresses), "two pages share an address"
    for made in pages:
        assert all(map(_SEGMENT.fullmatch, made.address.split("/")[:-1])), f"address {made.address!r}"
        assert not live_markup(made.html), f"live markup on {made.address}"
    make.twins.llms("Operators", "")
    catalog_json(catalog, make.addresses, _OPTIONS, make.twins.summary)
    inventory(targets(catalog, make.addresses, pages), project="Operators", directory_urls=True)
    return pages


def live_markup(html: str) -> str:
    """Return a tag in finished HTML that does more than show something; empty where there is none."""
    for tag in _TAG.finditer(html):
        element = tag[1].lower()
        if element in _LIVE_ELEMENTS:
            return tag[0]
        for name, value in _ATTRIBUTE.findall(tag[2]):
            if _LIVE_ATTRIBUTES.fullmatch(name) and element not in _NAMED:
                return tag[0]
            if name in _TARGETS and not is_allowed(unescape(value)):
                return tag[0]
    return ""


@functools.cache
def _templates() -> jinja2.Environment:
    return environment(())


def _is_one_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and "\x1b" not in text


def texts(opset: OperatorSet) -> Iterator[str]:
    """Yield every doc_string of a set and of its entries."""
    entries: tuple[OperatorSet | Operator | Function, ...] = (opset, *opset.operators, *opset.functions)
    yield from (entry.doc_string for entry in entries if entry.doc_string)
