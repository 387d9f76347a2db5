"""From sources to a finished site in memory: the one path that the plugin and the commands follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

import jinja2

from opsetdocs.addresses import Addresses, assign
from opsetdocs.body_views import Bodies
from opsetdocs.catalog import Catalog
from opsetdocs.catalog_json import CATALOG, SCHEMA, catalog_json
from opsetdocs.check import check, load_published
from opsetdocs.comparisons import Changes
from opsetdocs.errors import SourceError
from opsetdocs.findings import Finding, Level
from opsetdocs.history import build_catalog, unmatched
from opsetdocs.inventory import INVENTORY, inventory, targets
from opsetdocs.links import link_resolver, operator_linker
from opsetdocs.markdown import DARK_STYLE, Renderer, highlight_css
from opsetdocs.model import OperatorSet
from opsetdocs.operator_list import operator_lists
from opsetdocs.pages import Pages
from opsetdocs.render import PageRenderer, environment
from opsetdocs.resources import site_config_dir
from opsetdocs.rule_book import ExplainedRule, rule_book
from opsetdocs.rule_pages import check_free, rule_address, rule_pages, rule_targets
from opsetdocs.search_index import searched
from opsetdocs.site import RenderedPage, Site, SiteOptions, Summary
from opsetdocs.sources import load
from opsetdocs.twins import LLMS, Twins, plain_summaries, twin_address, twin_environment
from opsetdocs.views import Views

STYLESHEET = "assets/opsetdocs.css"
"""The address of the style sheet below the section's root."""

FINDINGS_SCHEMA = "check.schema.json"
"""The schema of what `opsetdocs check --format json` prints, below the section's root."""

SCRIPT = "assets/opsetdocs.js"
"""The address of the script below the section's root."""


@dataclass(frozen=True, slots=True)
class Makers:
    """What makes the pages of a catalog, set up once."""

    addresses: Addresses
    pages: Pages
    page_renderer: PageRenderer
    twins: Twins


def makers(catalog: Catalog, options: SiteOptions, templates: jinja2.Environment | None = None) -> Makers:
    """Return what makes the pages of a catalog.

    Args:
        catalog: What is documented.
        options: How it is shown.
        templates: The environment of the templates, where one made before serves several catalogs.

    Raises:
        ConfigError: `link_map` leads to something that is no address.
    """
    addresses = assign(catalog)
    resolve = link_resolver(catalog, addresses, options.link_map)
    renderer = Renderer(
        resolve=resolve,
        operator=operator_linker(catalog, addresses),
        remote_images=options.remote_images,
    )
    views = Views(addresses, renderer, Bodies(catalog, addresses))
    templates = templates or environment(options.templates)
    return Makers(
        addresses,
        Pages(catalog, addresses, views, Changes(addresses), options),
        PageRenderer(templates, addresses, options.directory_urls),
        Twins(catalog, addresses, twin_environment(templates), plain_summaries(renderer), resolve),
    )


def build_site(options: SiteOptions, *, stdin: BinaryIO | None = None) -> Site:
    """Read the sources, and return the finished site.

    Files that cannot be used are findings of level ERROR without a rule: the others are read all the same,
    and the caller decides whether to publish.

    Args:
        options: What to read and how to show it.
        stdin: Where the source `-` is read from.

    Raises:
        SourceError: A source does not exist, or no source holds an operator set; or what was published before
            cannot be compared with.
        TemplateError: A template does not compile, or fails.
        ConfigError: An option cannot be used with what is documented.
    """
    loaded = load(options.sources, base=options.base, stdin=stdin)
    catalog = build_catalog(
        loaded.sets, order=options.order, include=options.include, exclude=options.exclude
    )
    against = options.check.against
    published = load_published(against, options.sources, base=options.base) if against else ()
    report = check(loaded, options.check, base=options.base, published=published)
    if not catalog.domains:
        raise SourceError(_nothing_to_document(options, report.findings))
    make = makers(catalog, options)
    book = _rule_book(catalog, options)
    pages: list[RenderedPage] = []
    texts: dict[str, bytes] = {}
    for page in chain(make.pages, rule_pages(book, directory_urls=options.directory_urls)):
        pages.append(make.page_renderer.render(page))
        texts[twin_address(page.address)] = make.twins.page(page)
    ids = (*targets(catalog, make.addresses, pages), *rule_targets(book))
    return Site(
        pages=tuple(pages),
        assets={
            **_assets(),
            **texts,
            LLMS: make.twins.llms(
                options.title,
                pages[0].description,
                [(item.rule, rule_address(item.rule.id)) for item in book],
            ),
            CATALOG: catalog_json(catalog, make.addresses, options, make.twins.summary),
            **{name: (site_config_dir() / name).read_bytes() for name in _schemas(options)},
            **operator_lists(catalog, make.addresses, directory_urls=options.directory_urls),
            INVENTORY: inventory(ids, project=options.title, directory_urls=options.directory_urls),
        },
        findings=(
            *report.findings,
            *_idle_patterns(loaded.sets, options),
            *make.addresses.findings,
            *make.pages.views.findings(),
        ),
        watched=(*loaded.watched, *options.templates),
        summary=_summary(catalog, len(pages)),
        targets=ids,
        search=searched(catalog, make.addresses, pages, make.twins.summary, options.domains)
        if options.search
        else None,
    )


def _rule_book(catalog: Catalog, options: SiteOptions) -> tuple[ExplainedRule, ...]:
    """The rules that the site explains."""
    if not options.rules:
        return ()
    check_free(catalog)
    return rule_book()


def _schemas(options: SiteOptions) -> tuple[str, ...]:
    """Return the schemas of what programs read: of the catalog, and with the rules that of their findings."""
    return (SCHEMA, FINDINGS_SCHEMA) if options.rules else (SCHEMA,)


def _nothing_to_document(options: SiteOptions, findings: Iterable[Finding]) -> str:
    if options.include or options.exclude:
        return "nothing to document: the patterns of include and exclude leave no operator set"
    return "\n".join(["nothing to document", *(f"  {finding}" for finding in findings)])


def _idle_patterns(sets: Iterable[OperatorSet], options: SiteOptions) -> Iterator[Finding]:
    """Yield a finding for each pattern of include and exclude that fits nothing."""
    for name in ("include", "exclude"):
        for pattern in unmatched(sets, getattr(options, name)):
            yield Finding(
                Level.WARNING,
                f"{name}: {pattern} fits no domain (as com.acme* does) and no operator (as ai.onnx/Conv*)",
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
