"""From sources to a finished site in memory: the one path that the plugin and the commands follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import jinja2

from opsetdocs.addresses import Addresses, assign
from opsetdocs.body_views import Bodies
from opsetdocs.cache import NO_CACHE, Cache, MadePage, MadeSite
from opsetdocs.catalog import Catalog
from opsetdocs.catalog_json import CATALOG, SCHEMA, catalog_json
from opsetdocs.check import check, load_published
from opsetdocs.comparisons import Changes
from opsetdocs.digests import digest, folder_digest, names_digest, program_digest
from opsetdocs.errors import SourceError
from opsetdocs.findings import Finding, Level
from opsetdocs.history import build_catalog, unmatched
from opsetdocs.inventory import INVENTORY, inventory, targets
from opsetdocs.links import link_resolver, operator_linker
from opsetdocs.markdown import DARK_STYLE, Renderer, highlight_css
from opsetdocs.model import OperatorSet, domain_name
from opsetdocs.operator_list import operator_lists
from opsetdocs.pages import Pages, Planned
from opsetdocs.progress import tracked
from opsetdocs.redirects import with_redirects
from opsetdocs.render import PageRenderer, environment
from opsetdocs.resources import site_config_dir
from opsetdocs.rule_book import ExplainedRule, rule_book
from opsetdocs.rule_pages import check_free, rule_address, rule_pages, rule_targets
from opsetdocs.search_index import searched
from opsetdocs.site import RenderedPage, Site, SiteOptions, Summary, Target
from opsetdocs.sources import load, look
from opsetdocs.timings import count, stage
from opsetdocs.twins import LLMS, Twins, plain_summaries, twin_address, twin_environment
from opsetdocs.views import Views, problem_findings

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


def build_site(
    options: SiteOptions,
    *,
    stdin: BinaryIO | None = None,
    cache: Cache = NO_CACHE,
    defer: bool = False,
) -> Site:
    """Read the sources, and return the finished site.

    Files that cannot be used are findings of level ERROR without a rule: the others are read all the same,
    and the caller decides whether to publish.

    Args:
        options: What to read and how to show it.
        stdin: Where the source `-` is read from.
        cache: What earlier builds kept. The site is the same with it and without it.
        defer: Whether the search, the files that programs read and the twins of pages that changed are left
            to be made later; then the site has no targets.

    Raises:
        SourceError: A source does not exist, or no source holds an operator set; or what was published before
            cannot be compared with.
        TemplateError: A template does not compile, or fails.
        ConfigError: An option cannot be used with what is documented.
    """
    with stage("reading"):
        settings = _settings_digest(options)
        site = _kept_site(options, settings, cache)
        if site and (defer or not site.late):
            return site
        loaded = load(options.sources, base=options.base, stdin=stdin, known=cache.sets())
    count("reading", sets=len(loaded.sets))
    with stage("history"):
        catalog = build_catalog(
            loaded.sets, order=options.order, include=options.include, exclude=options.exclude
        )
    against = options.check.against
    with stage("checking"):
        published = load_published(against, options.sources, base=options.base) if against else ()
        report = check(loaded, options.check, base=options.base, published=published)
    if not catalog.domains:
        raise SourceError(_nothing_to_document(options, report.findings))
    with stage("pages: views"):
        make = makers(catalog, options)
        book = _rule_book(catalog, options)
        planned = [*make.pages, *rule_pages(book, directory_urls=options.directory_urls)]
        common = digest(settings, names_digest(catalog))
        made = _made_pages(planned, make, common, cache, defer=defer)
    pages = tuple(item.page for item in made.values())
    with stage("catalog and search"):
        programs = _for_programs(catalog, options, make, book, pages)
        search = partial(searched, catalog, make.addresses, pages, make.twins.summary, options.domains)
        ids = () if defer else _targets(catalog, make, book, pages)
        site = Site(
            pages=pages,
            assets={
                **_assets(),
                **{name: (site_config_dir() / name).read_bytes() for name in _schemas(options)},
                **operator_lists(catalog, make.addresses, directory_urls=options.directory_urls),
                **({} if defer else {name: content() for name, content in programs.items()}),
            },
            findings=(
                *report.findings,
                *_idle_settings(loaded.sets, options),
                *make.addresses.findings,
                *problem_findings(problem for item in made.values() for problem in item.problems),
            ),
            watched=(*loaded.watched, *options.templates),
            summary=_summary(catalog, len(pages)),
            targets=ids,
            search=search() if options.search and not defer else None,
            late_search=search if options.search and defer else None,
            late={**programs, **dict(_late_twins(planned, made.values(), make))} if defer else {},
        )
        site = with_redirects(site, catalog, make.addresses, options, make.page_renderer.environment)
    with stage("cache"):
        whole = _site_digest(settings, loaded.digest)
        kept = MadeSite(tuple(made), replace(site, pages=(), watched=()))
        cache.keep(whole, kept, tuple(made.values()), loaded.sets)
    return _with_twins(site, made.values())


def _targets(
    catalog: Catalog, make: Makers, book: Sequence[ExplainedRule], pages: Sequence[RenderedPage]
) -> tuple[Target, ...]:
    return (*targets(catalog, make.addresses, pages), *rule_targets(book))


def _for_programs(
    catalog: Catalog,
    options: SiteOptions,
    make: Makers,
    book: Sequence[ExplainedRule],
    pages: Sequence[RenderedPage],
) -> dict[str, Callable[[], bytes]]:
    """Return what makes the files that programs read."""

    def llms() -> bytes:
        rules = [(item.rule, rule_address(item.rule.id)) for item in book]
        return make.twins.llms(options.title, pages[0].description, rules)

    def inventory_of_all() -> bytes:
        ids = _targets(catalog, make, book, pages)
        return inventory(ids, project=options.title, directory_urls=options.directory_urls)

    return {
        LLMS: llms,
        CATALOG: lambda: catalog_json(catalog, make.addresses, options, make.twins.summary),
        INVENTORY: inventory_of_all,
    }


def _settings_digest(options: SiteOptions) -> str:
    """Return a digest of all that pages are made from besides what is read."""
    templates = tuple(map(folder_digest, options.templates))
    known = options.check.baseline
    baseline = known.read_bytes() if known and known.is_file() else None
    # Not where the project is: nothing that is published says so.
    settings = replace(options, base=Path(), templates=(), check=replace(options.check, baseline=None))
    return digest(program_digest(), templates, baseline, settings)


def _site_digest(settings: str, contents: str) -> str:
    """Return a digest of all that a site is made from; empty if not all of it is known."""
    return digest(settings, contents) if contents else ""


def _kept_site(options: SiteOptions, settings: str, cache: Cache) -> Site | None:
    """Return the site of an earlier build that was made from the same."""
    if options.check.against or cache is NO_CACHE:
        return None
    seen = look(options.sources, base=options.base)
    whole = _site_digest(settings, seen.digest)
    kept = cache.site(whole) if whole else None
    if kept is None:
        return None
    made = cache.pages(kept.digests)
    if len(made) != len(kept.digests):
        return None
    ordered = [made[key] for key in kept.digests]
    cache.keep(whole, kept, ordered)
    site = replace(
        kept.site,
        pages=tuple(item.page for item in ordered),
        watched=(*seen.watched, *options.templates),
    )
    return _with_twins(site, ordered)


def _with_twins(site: Site, made: Iterable[MadePage]) -> Site:
    twins = {twin_address(item.page.address): item.twin for item in made if item.twin is not None}
    return replace(site, assets={**site.assets, **twins})


def _late_twins(
    planned: Sequence[Planned], made: Iterable[MadePage], make: Makers
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield the addresses of the twins that are yet to be made, with what makes them."""
    for plan, item in zip(planned, made, strict=True):
        if item.twin is None:
            yield twin_address(plan.address), partial(_twin, plan, make)


def _twin(planned: Planned, make: Makers) -> bytes:
    return make.twins.page(planned.make())


def _made_pages(
    planned: Sequence[Planned], make: Makers, common: str, cache: Cache, *, defer: bool
) -> dict[str, MadePage]:
    """Return all pages by digest: those of earlier builds as far as they are made from the same.

    Args:
        planned: The pages.
        make: What makes them.
        common: The digest of what all pages depend on.
        cache: What earlier builds kept.
        defer: Whether their twins are left to be made later.
    """
    digests = [digest(common, item.address, item.digest) for item in planned]
    kept = cache.pages(digests)
    if not defer:
        kept = {key: item for key, item in kept.items() if item.twin is not None}
    made = {}
    for key, item in zip(digests, tracked("pages made", planned), strict=True):
        made[key] = kept[key] if key in kept else _made(item, make, defer=defer)
    count("pages: templates", pages=len(made) - len(kept))
    return made


def _made(planned: Planned, make: Makers, *, defer: bool) -> MadePage:
    page = planned.make()
    with stage("pages: templates"):
        rendered = make.page_renderer.render(page)
    with stage("pages: twins"):
        twin = None if defer else make.twins.page(page)
    return MadePage(rendered, twin, make.pages.views.take_problems())


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


def _idle_settings(sets: Sequence[OperatorSet], options: SiteOptions) -> Iterator[Finding]:
    """Yield a finding for each pattern and each domain in the options that fits nothing."""
    known = {domain_name(item.domain) for item in sets}
    for domain in options.domains:
        if domain not in known:
            yield Finding(Level.WARNING, f"domains: the sources have no domain {domain}")
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
