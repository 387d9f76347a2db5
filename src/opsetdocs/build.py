"""From sources to a finished site in memory: the one path that the plugin and the commands follow."""

from __future__ import annotations

from typing import BinaryIO

from opsetdocs.addresses import assign
from opsetdocs.catalog import Catalog
from opsetdocs.history import build_catalog
from opsetdocs.links import link_resolver, operator_linker
from opsetdocs.markdown import DARK_STYLE, Renderer, highlight_css
from opsetdocs.pages import Pages
from opsetdocs.render import PageRenderer, environment
from opsetdocs.resources import site_config_dir
from opsetdocs.rules import run
from opsetdocs.site import Site, SiteOptions, Summary
from opsetdocs.sources import load
from opsetdocs.views import Views

STYLESHEET = "assets/opsetdocs.css"
"""The address of the style sheet below the section's root."""


def build_site(options: SiteOptions, *, stdin: BinaryIO | None = None) -> Site:
    """Read the sources, and return the finished site.

    Files that cannot be used are findings of level ERROR without a rule: the others are read all the same,
    and the caller decides whether to publish.

    Args:
        options: What to read and how to show it.
        stdin: Where the source `-` is read from.

    Raises:
        SourceError: A source does not exist, or no source holds an operator set.
        TemplateError: A template does not compile, or fails.
    """
    loaded = load(options.sources, base=options.base, stdin=stdin)
    catalog = build_catalog(
        loaded.sets, order=options.order, include=options.include, exclude=options.exclude
    )
    addresses = assign(catalog)
    renderer = Renderer(
        resolve=link_resolver(catalog, addresses, options.link_map),
        operator=operator_linker(catalog, addresses),
        remote_images=options.remote_images,
    )
    views = Views(catalog, addresses, renderer)
    page_renderer = PageRenderer(environment(options.templates), addresses, options.directory_urls)
    pages = tuple(page_renderer.render(page) for page in Pages(catalog, addresses, views, options))
    return Site(
        pages=pages,
        assets=_assets(),
        findings=(*loaded.findings, *run(loaded.sets), *addresses.findings, *views.findings()),
        watched=(*loaded.watched, *options.templates),
        summary=_summary(catalog, len(pages)),
    )


def _assets() -> dict[str, bytes]:
    folder = site_config_dir() / "assets"
    files = {f"assets/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}
    files[STYLESHEET] += _highlight_css().encode()
    return files


def _highlight_css() -> str:
    """The colours of fenced code, for the light and the dark scheme of the themes that have two."""
    dark = [
        f"{scheme} .opsetdocs-code"
        for scheme in (':root[data-bs-theme="dark"]', '[data-md-color-scheme="slate"]')
    ]
    return "\n".join([highlight_css(), *(highlight_css(scope, DARK_STYLE) for scope in dark), ""])


def _summary(catalog: Catalog, pages: int) -> Summary:
    operators = [operator for domain in catalog.domains for operator in domain.operators]
    return Summary(
        domains=len(catalog.domains),
        operators=len(operators),
        versions=sum(len(operator.versions) for operator in operators),
        opsets=sum(len(domain.opsets) for domain in catalog.domains),
        pages=pages,
    )
