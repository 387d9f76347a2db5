"""Pages at the addresses that people link to today, which lead to the pages that say the same here.

A site that takes the place of ONNX's documentation, or of that of a runtime, keeps their links alive. The
addresses are those of https://onnx.ai/onnx/operators/ (`docs/docsgen/source/onnx_sphinx.py` of ONNX) and of
copies of `Operators.md`, `Changelog.md` (`onnx/defs/gen_doc.py`) and onnxruntime's `ContribOperators.md`.

A link to a place on a page is followed by a script, which finds the place in the page's own list of links. A
reader without a script sees that list, scrolled to the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import jinja2

from opsetdocs.addresses import Addresses, Place, folder
from opsetdocs.catalog import Catalog, Domain, OperatorHistory
from opsetdocs.comparisons import version_pairs
from opsetdocs.links import is_onnx_domain
from opsetdocs.render import render_template, without_controls
from opsetdocs.resources import site_config_dir
from opsetdocs.site import Site, SiteOptions

REDIRECT_SCRIPT = "assets/opsetdocs-redirects.js"
"""The address of the script below the section's root."""

_TEMPLATE = "redirect.html.jinja"
_ONNX_ML = "ai.onnx.ml"


@dataclass(frozen=True, slots=True)
class Entry:
    """A place on a page that stood here before, and what is said there now."""

    ids: tuple[str, ...]
    """The fragments that lead to it, without `#`."""
    title: str
    address: str
    """Below the section's root."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A page that stood here before."""

    address: str
    """Of its file, below the folder of such pages."""
    title: str
    target: str
    """The page that is shown instead, below the section's root."""
    entries: tuple[Entry, ...] = ()
    is_list: bool = False
    """Whether the entries are what the page is for: then it stays where nothing says which of them is meant,
    and there is no script."""


_Names = Callable[[OperatorHistory, Addresses], Iterator[Entry]]


def redirects(catalog: Catalog, addresses: Addresses, options: SiteOptions) -> tuple[Redirect, ...]:
    """Return the pages whose addresses lead to a catalog's, each address once.

    Args:
        catalog: What the site documents.
        addresses: The addresses of its pages.
        options: The title of the page of all domains.
    """
    found: dict[str, Redirect] = {}
    for redirect in (
        *_lists(catalog, addresses, options.title),
        *_onnx_pages(catalog, addresses, options.title),
    ):
        found.setdefault(redirect.address, redirect)
    return tuple(found.values())


def with_redirects(
    site: Site,
    catalog: Catalog,
    addresses: Addresses,
    options: SiteOptions,
    environment: jinja2.Environment,
) -> Site:
    """Return the site with the files of all redirects, if the options ask for them.

    None stands where the site has a page, a file or a folder.

    Args:
        site: The finished site.
        catalog: What it documents.
        addresses: The addresses of its pages.
        options: Where the section stands, and where the pages stood.
        environment: Where the template is found.

    Raises:
        TemplateError: The template does not compile, or fails.
    """
    if options.redirects is None:
        return site
    taken = set(_taken(site, options.path))
    files: dict[str, bytes] = {}
    for redirect in redirects(catalog, addresses, options):
        address = options.redirects + redirect.address
        if address not in taken:
            files[address] = _html(redirect, address, options, environment)
    script = (site_config_dir() / "opsetdocs-redirects.js").read_bytes()
    return replace(site, assets={**site.assets, REDIRECT_SCRIPT: script}, redirects=files)


def _taken(site: Site, path: str) -> Iterator[str]:
    """Yield the addresses of all files of the site below its root, and those of all folders."""
    for address in (*(f"{page.address}index.html" for page in site.pages), *site.assets):
        yield path + address
        while address := folder(address):
            yield f"{path}{address}".rstrip("/")


def _html(redirect: Redirect, address: str, options: SiteOptions, environment: jinja2.Environment) -> bytes:
    # From the root of the site, to which links of pages elsewhere in it refer.
    place = Place(folder(address), directory_urls=options.directory_urls)
    variables = {
        "redirect": redirect,
        "url": lambda target: place.url(options.path + target),
        "script": place.url(options.path + REDIRECT_SCRIPT),
    }
    text = render_template(environment, _TEMPLATE, variables, address)
    return without_controls(f"{text}\n").encode()


# The pages of https://onnx.ai/onnx/operators/


def _onnx_pages(catalog: Catalog, addresses: Addresses, title: str) -> Iterator[Redirect]:
    domains = [domain for domain in catalog.domains if is_onnx_domain(domain.name)]
    if domains:
        yield Redirect("operators/index.html", title, "")
    for domain in domains:
        prefix = "" if domain.name == "ai.onnx" else domain.name
        for operator in domain.operators:
            yield Redirect(
                f"operators/onnx_{prefix.replace('.', '')}_{operator.op_type}.html",
                operator.name,
                addresses.operator(operator),
                tuple(_onnx_places(operator, prefix, addresses)),
            )
            for old, new in version_pairs(operator):
                span = old.since_version, new.since_version
                yield Redirect(
                    "operators/text_diff_{}_{}_{}.html".format(operator.op_type, *span),
                    "{}: version {} to {}".format(operator.name, *span),
                    addresses.difference(operator, *span),
                )


def _onnx_places(operator: OperatorHistory, prefix: str, addresses: Addresses) -> Iterator[Entry]:
    """Yield the versions, each under the label that ONNX gives it and the id of its heading in Sphinx."""
    name, dashed = operator.op_type.lower(), prefix.replace(".", "-")
    for version in reversed(operator.versions):
        number = version.since_version
        heading = f"{name}-{number}-{dashed}".rstrip("-").replace("_", "-")
        yield Entry(
            (f"l-onnx-op{dashed}-{name}-{number}", heading),
            f"{operator.name}-{number}",
            addresses.version(operator, number),
        )


# The pages in Markdown


def _operator_entries(operator: OperatorHistory, addresses: Addresses) -> Iterator[Entry]:
    name = _name_on_lists(operator)
    yield Entry(_ids_on_lists(name), name, addresses.operator(operator))


def _version_entries(operator: OperatorHistory, addresses: Addresses) -> Iterator[Entry]:
    for version in operator.versions:
        name = f"{_name_on_lists(operator)}-{version.since_version}"
        yield Entry(_ids_on_lists(name), name, addresses.version(operator, version.since_version))


def _name_on_lists(operator: OperatorHistory) -> str:
    return operator.name if operator.domain == "ai.onnx" else f"{operator.domain}.{operator.name}"


def _ids_on_lists(name: str) -> tuple[str, ...]:
    """Return the anchors of a name: as it is, in lower case, and that which GitHub makes of the heading."""
    return name, name.lower(), name.lower().replace(".", "")


_LISTS: Mapping[str, tuple[Callable[[str], bool], _Names]] = {
    "Operators": (lambda domain: domain != _ONNX_ML, _operator_entries),
    "Operators-ml": (lambda domain: domain == _ONNX_ML, _operator_entries),
    "ContribOperators": (lambda domain: not is_onnx_domain(domain), _operator_entries),
    "Changelog": (lambda domain: domain != _ONNX_ML, _version_entries),
    "Changelog-ml": (lambda domain: domain == _ONNX_ML, _version_entries),
}
"""The pages by name: the domains that each of them is about, and what it lists of an operator."""

_FILES = ("{}.html", "{}.md/index.html")
"""Where such a page was published: as HTML, and as it is, which has to be a folder for hosts to send HTML."""


def _lists(catalog: Catalog, addresses: Addresses, title: str) -> Iterator[Redirect]:
    for name, (is_about, entries_of) in _LISTS.items():
        domains = [domain for domain in catalog.domains if is_about(domain.name)]
        entries = _distinct(
            entry
            for domain in domains
            for operator in domain.operators
            for entry in entries_of(operator, addresses)
        )
        if not entries:
            continue
        target = _common_page(domains, addresses)
        for file in _FILES:
            yield Redirect(
                file.format(name), domains[0].name if target else title, target, entries, is_list=True
            )


def _common_page(domains: Iterable[Domain], addresses: Addresses) -> str:
    """Return the address of the page of all the domains."""
    first, *others = domains
    return "" if others else addresses.domain(first.name)


def _distinct(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries with each id once: the first one keeps it."""
    taken: set[str] = set()
    result = []
    for entry in entries:
        ids = tuple(id_ for id_ in dict.fromkeys(entry.ids) if id_ not in taken)
        taken.update(ids)
        result.append(replace(entry, ids=ids))
    return tuple(result)
