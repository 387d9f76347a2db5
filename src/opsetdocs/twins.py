"""The Markdown twin of each page, and `llms.txt`: the same facts as text, for programs that read it.

A page and its twin are made from the same variables. The template of the twin stands below `markdown`:
`operator.html.jinja` has `markdown/operator.md.jinja`. Where a page shows a text as HTML, its twin has it as
Markdown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import jinja2

from opsetdocs.addresses import Addresses, relative
from opsetdocs.bodies import body_text
from opsetdocs.catalog import Catalog, OperatorHistory, Part
from opsetdocs.comparisons import TextDiff
from opsetdocs.docstring import Section, code_block, write
from opsetdocs.harmless_markdown import harmless
from opsetdocs.markdown import Renderer, located
from opsetdocs.markdown_text import escape, moved, relinked
from opsetdocs.meaning import parsed
from opsetdocs.model import Function
from opsetdocs.pages import Page
from opsetdocs.render import Pieces, render_template, without_controls
from opsetdocs.rules import Rule
from opsetdocs.signature import with_function_fields

LLMS = "llms.txt"
"""The address of the index for language models below the section's root; https://llmstxt.org has the form."""

Url = Callable[[str], str]


def twin_address(address: str) -> str:
    """Return the address of a page's twin, given that of the page."""
    return f"{address}index.md"


@dataclass(frozen=True, slots=True)
class Twins:
    """Makes twins. One object serves a site."""

    catalog: Catalog
    addresses: Addresses
    environment: jinja2.Environment
    """Where templates are found; see `twin_environment`."""
    summary: Callable[[OperatorHistory], str]
    """What an operator does, in a sentence of plain text."""
    resolve: Callable[[str, str], str | None]
    """Where a relative link of a text leads, given the link and the domain of the text."""
    texts: dict[str, str] = field(default_factory=dict)
    """Texts as they are written in twins, but for their links; each is made once."""
    pieces: Pieces = field(default_factory=Pieces)

    def page(self, page: Page) -> bytes:
        """Return the twin of a page.

        Raises:
            TemplateError: A template does not compile, or fails.
        """
        template = page.template.removesuffix(".html.jinja")
        return self._render(template, page.address, {"page": page, **page.variables})

    def llms(self, title: str, description: str, rules: Sequence[tuple[Rule, str]] = ()) -> bytes:
        """Return the content of `llms.txt`: a line for each operator and each rule, with a link to its twin.

        Args:
            title: The title of the section.
            description: A sentence about it, as plain text.
            rules: The rules that have a page, each with the address of that.

        Raises:
            TemplateError: A template does not compile, or fails.
        """
        variables = {
            "title": title,
            "description": description,
            "domains": self.catalog.domains,
            "rules": rules,
        }
        return self._render("llms", "", variables)

    def _render(self, template: str, address: str, variables: Mapping[str, Any]) -> bytes:
        url = partial(_relative, address)
        given = {
            **variables,
            "addresses": self.addresses,
            "url": url,
            "once_each": self.pieces.of(template, address),
            "summary": self.summary,
            "text": partial(self._text, url),
            "part_text": partial(self._part_text, url),
            "opset_page": self._opset,
            "body": _body,
            "difference": _difference,
            "code_block": code_block,
        }
        text = render_template(self.environment, f"markdown/{template}.md.jinja", given, address)
        return f"{without_controls(text).strip()}\n".encode("utf-8", "replace")

    def _text(self, url: Url, text: str | None, domain: str) -> str:
        """Return a text about a domain or an opset."""
        return self._linked(url, self._written(text), domain) if text else ""

    def _part_text(self, url: Url, part: Part, domain: str) -> str:
        """Return what an entry of an operator set says, with the signature that a function's fields state."""
        if part.function is None:
            return self._text(url, part.doc.text, domain)
        blocks = with_function_fields(part.doc, part.function)
        return self._linked(url, _below_a_title(blocks, part.doc.heading_level), domain)

    def _written(self, text: str) -> str:
        if text not in self.texts:
            doc = parsed(text)
            self.texts[text] = _below_a_title(doc.blocks, doc.heading_level)
        return self.texts[text]

    def _linked(self, url: Url, text: str, domain: str) -> str:
        def target(href: str) -> str | None:
            found = self.resolve(href, domain)
            return None if found is None else located(found, url)

        return relinked(harmless(without_controls(text)), target)

    def _opset(self, domain: str, version: int | None) -> str | None:
        """Return the address of an opset's page, if the site has one."""
        opset = self.catalog.opset(domain, version)
        return None if opset is None else self.addresses.opset(domain, opset.version)


def plain_summaries(renderer: Renderer) -> Callable[[OperatorHistory], str]:
    """Return the function that says what an operator does: the first sentence of its text, as plain text."""

    def summary(operator: OperatorHistory) -> str:
        return renderer.plain(operator.current.prose)

    return summary


@lru_cache(maxsize=8)
def twin_environment(pages: jinja2.Environment) -> jinja2.Environment:
    """Return the environment in which twins are rendered: that of the pages, without HTML's escaping.

    One for each, since what it compiles is kept in it.
    """
    environment = pages.overlay(autoescape=False)
    environment.filters = {**environment.filters, "md": escape}
    return environment


def _relative(page: str, target: str) -> str:
    """Return the link from the twin of one page to that of another one."""
    return twin_address(relative(page, target.partition("#")[0]))


def _below_a_title(blocks: Iterable[Section | str], highest_heading: int) -> str:
    """Return a text whose highest heading has level 2, as it has on the page."""
    text = write(blocks).strip()
    return moved(text, 2 - (highest_heading or 2))


def _body(function: Function) -> str:
    """Return a function's body in ONNX's text form, as a block of code."""
    return code_block(body_text(function), "onnx")


def _difference(diff: TextDiff) -> str:
    """Return two texts beside each other as one block of code, in the form of a patch."""
    return code_block("\n".join(diff.lines), "diff")
