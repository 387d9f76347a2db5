"""A finished site in memory, and the options that decide what it looks like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from opsetdocs.check_options import CheckOptions
from opsetdocs.findings import Finding
from opsetdocs.searched import Searched


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a finished page, for its table of contents."""

    level: int
    id: str
    title: str
    """Plain text, not escaped."""


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page whose HTML is finished; what is left to a site generator is the frame around it."""

    address: str
    """The permanent address below the section's root (`ai.onnx/operators/Conv/`); empty for the root."""
    title: str
    """Plain text, not escaped."""
    description: str
    """One plain sentence for search engines, not escaped."""
    html: str
    headings: tuple[Heading, ...]
    parent: str | None
    """The address of the page above it; `None` for the root."""
    in_nav: bool
    """Whether the page stands in the nav: the root and the domains."""
    searched: bool
    """Whether the page belongs into the search index."""
    status: str = ""
    """Of an operator's page, for themes that show it: `deprecated`, or the key of its status."""
    domain: str = ""
    """The address of the domain that the page belongs to; empty for pages of none."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a site holds, in numbers."""

    domains: int
    operators: int
    versions: int
    opsets: int
    pages: int


class TargetKind(Enum):
    """What a permanent id stands for; the value is its name among programs."""

    OPERATOR = "operator"
    VERSION = "version"
    ATTRIBUTE = "attribute"
    OTHER = "label"
    """An input, an output, a type constraint, an opset or a domain."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that other documentation can link to."""

    id: str
    """The permanent id, an id on the page too; it holds no space."""
    kind: TargetKind
    title: str
    """What a link shows that has no words of its own; plain text, not escaped."""
    address: str
    """The page, below the section's root."""


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that is to be published below the section's root."""

    pages: tuple[RenderedPage, ...]
    """The root first; each page after its parent."""
    assets: Mapping[str, bytes]
    """Further files by address."""
    findings: tuple[Finding, ...]
    watched: tuple[Path, ...]
    """The files and folders whose change makes the site stale: sources and templates."""
    summary: Summary
    targets: tuple[Target, ...] = ()
    """What has a permanent id."""
    search: Searched | None = None
    """What can be found, for the search of our own theme; `None` where that is not asked for."""
    late_search: Callable[[], Searched] | None = None
    """What returns `search`, where it was asked for that this is left to be made later."""
    late: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)
    """Further files by address that are yet to be made, where that was asked for."""
    redirects: Mapping[str, bytes] = field(default_factory=dict)
    """Files that lead from old addresses to pages, by address below the root of the whole site."""


@dataclass(frozen=True, slots=True)
class DomainOptions:
    """What a project says about a domain."""

    title: str = ""
    """The name shown beside the domain's own."""
    description: str = ""
    """Markdown, shown on the domain's page instead of the set's doc_string."""


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """Everything that decides what a site looks like; the plugin's options have the same names."""

    sources: tuple[str, ...] = ("onnx",)
    """Files, folders, globs, `-` for standard input, `onnx` for the installed onnx package."""
    base: Path = field(default_factory=Path)
    """The folder to which relative sources and template folders refer."""
    templates: tuple[Path, ...] = ()
    """Folders whose templates replace or extend ours, first one first."""
    title: str = "Operators"
    """The title of the page of all domains, and of the section in the nav."""
    domains: Mapping[str, DomainOptions] = field(default_factory=dict)
    """Title and description by domain."""
    order: str = "name"
    """`name` for alphabetical order, `file` for the order of the files."""
    include: tuple[str, ...] = ()
    """Patterns (`com.acme*`, `ai.onnx/Conv*`) of what is documented; empty for everything."""
    exclude: tuple[str, ...] = ()
    """Patterns of what is left out."""
    link_map: Mapping[str, str] = field(default_factory=dict)
    """Where relative links of texts lead: by file name, or `*` for a base address for all others."""
    remote_images: bool = False
    """Whether pictures on other hosts are shown; otherwise they become links."""
    check: CheckOptions = field(default_factory=CheckOptions)
    """Which rules count, and how much."""
    rules: bool = False
    """Whether the site explains the rules of `opsetdocs check`, on a page each."""
    directory_urls: bool = True
    """Whether links end in `/` (`use_directory_urls` of MkDocs) or in `/index.html`."""
    search: bool = False
    """Whether the site gets the search of our own theme."""
    path: str = ""
    """Where the section stands below the root of the whole site; empty, or with a slash at its end."""
    redirects: str | None = None
    """Where the pages stood that people link to today, below the root of the whole site: empty, or with a
    slash at its end. Their addresses lead to the pages of the section; `None` for none of that."""
