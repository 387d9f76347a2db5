"""From pages to finished HTML, through the templates."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
from jinja2.runtime import Macro
from markupsafe import Markup

from opsetdocs.addresses import Addresses, Place, folder
from opsetdocs.compiled_templates import CompiledTemplates
from opsetdocs.errors import TemplateError
from opsetdocs.pages import Page
from opsetdocs.resources import templates_dir
from opsetdocs.site import Heading, RenderedPage

_HEADING = re.compile(r'<h([1-6])[^>]*? id="([^"]*)"[^>]*>(.*?)</h\1>', re.DOTALL)
_CONTROLS = "".join(map(chr, (*range(0x09), *range(0x0B, 0x20), 0x7F)))
"""Control characters, which mean nothing in HTML and do something in a terminal."""

_EXAMPLES = re.compile(r'<details class="opsetdocs-examples".*?</details>', re.DOTALL)
"""The examples, whose names would drown the headings of a page. No text has a tag that ends them early."""

_TAG = re.compile(r"<[^>]*>")

_COMPILED = CompiledTemplates()
"""For the builds while a site is served."""


def environment(folders: Sequence[Path]) -> jinja2.Environment:
    """Return the Jinja environment in which pages are rendered.

    A template in one of the folders replaces ours of the same name; one that starts with
    `{% extends "default/operator.html.jinja" %}` changes single blocks of it.

    Args:
        folders: A project's own template folders, the first one first.
    """
    ours = jinja2.FileSystemLoader(templates_dir())
    return jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                *(jinja2.FileSystemLoader(folder) for folder in folders),
                ours,
                jinja2.PrefixLoader({"default": ours}),
            ]
        ),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=False,  # Each build has an environment of its own.
        bytecode_cache=_COMPILED,
    )


@dataclass(frozen=True, slots=True)
class Pieces:
    """What templates make of the things that many pages show: made once for all pages of a folder."""

    _made: dict[tuple[str, str, str], dict[int, tuple[object, str]]] = field(default_factory=dict)

    def of(self, template: str, address: str) -> Callable[[Macro, Iterable[object]], Markup]:
        """Return the function `once_each` for a page; see `README.md` of the templates.

        Args:
            template: The page's template.
            address: The page's address: from all pages of a folder the same links lead to the same place.
        """

        def once_each(macro: Macro, things: Iterable[object]) -> Markup:
            made = self._made.setdefault((template, folder(address), macro.name), {})
            pieces = []
            for thing in things:
                if id(thing) not in made:
                    # The thing is kept as well, so that its id stays its own.
                    made[id(thing)] = thing, macro(thing)
                pieces.append(made[id(thing)][1])
            return Markup("".join(pieces))  # noqa: S704 - a macro escapes what it shows

        return once_each


@dataclass(frozen=True, slots=True)
class PageRenderer:
    """Renders pages with one Jinja environment."""

    environment: jinja2.Environment
    addresses: Addresses
    directory_urls: bool
    pieces: Pieces = field(default_factory=Pieces)

    def render(self, page: Page) -> RenderedPage:
        """Return the finished page.

        Raises:
            TemplateError: A template does not compile, or fails.
        """
        place = Place(page.address, directory_urls=self.directory_urls)
        variables = {
            "page": page,
            "addresses": self.addresses,
            "url": place.url,
            "once_each": self.pieces.of(page.template, page.address),
            **page.variables,
        }
        text = render_template(self.environment, page.template, variables, page.address)
        text = without_controls(text)
        domain = page.variables.get("domain")
        return RenderedPage(
            address=page.address,
            title=without_controls(page.title),
            description=without_controls(page.description),
            html=f'<div class="opsetdocs-page">\n{text}\n</div>',
            headings=tuple(_headings(text)),
            parent=page.parent,
            in_nav=page.in_nav,
            searched=page.searched,
            status=page.status,
            domain=self.addresses.domain(domain.name) if domain else "",
        )


def without_controls(text: str) -> str:
    """Return a text without control characters other than tabs and line ends."""
    # To look for each is fifty times faster than `translate` on a text that has none, as nearly all.
    if any(character in text for character in _CONTROLS):
        return text.translate(dict.fromkeys(map(ord, _CONTROLS)))
    return text


def render_template(
    environment: jinja2.Environment, template: str, variables: Mapping[str, Any], address: str
) -> str:
    """Return what a template makes of its variables.

    Args:
        environment: Where the template is found.
        template: Its name.
        variables: What it receives.
        address: The page that is rendered, for the message of an error.

    Raises:
        TemplateError: A template does not compile, or fails.
    """
    try:
        return environment.get_template(template).render(variables)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"{error.filename or error.name}:{error.lineno}: {error.message}") from error
    except jinja2.TemplateNotFound as error:
        raise TemplateError(f"{template}: there is no template {error.name}") from error
    except Exception as error:  # whatever a project's own template does
        where = _template_line(error) or template
        raise TemplateError(f"{where}: page {address or '/'}: {error}") from error


def _template_line(error: BaseException) -> str:
    """The template's file and line that a traceback ends in."""
    where = ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith(".jinja"):
            where = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return where


def _headings(text: str) -> Iterable[Heading]:
    # What is not ours is escaped in the finished HTML, so that a pattern is enough to find headings.
    for match in _HEADING.finditer(_EXAMPLES.sub("", text)):
        title = html.unescape(_TAG.sub("", match[3]))
        yield Heading(int(match[1]), html.unescape(match[2]), " ".join(title.split()))
