"""opsetdocs: documentation sites for ONNX operator sets.

    from opsetdocs import SiteOptions, build_catalog, build_site, load

    loaded = load(["opsets/"], base=Path())          # files -> operator sets and findings
    catalog = build_catalog(loaded.sets)             # operator sets -> domains, operators, versions, events
    site = build_site(SiteOptions(sources=("opsets/",)))   # sources -> finished pages in memory

Names are imported when they are first used: reading a file does not load the Markdown parser, and nothing but
the source `onnx` and the printing of function bodies loads onnx.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opsetdocs.build import build_site
    from opsetdocs.catalog import Catalog
    from opsetdocs.docstring import DocString, parse, write
    from opsetdocs.errors import OpsetdocsError
    from opsetdocs.findings import Finding, Level
    from opsetdocs.history import build_catalog
    from opsetdocs.model import OperatorSet
    from opsetdocs.rules import run
    from opsetdocs.site import Site, SiteOptions
    from opsetdocs.sources import Loaded, load

__all__ = [
    "Catalog",
    "DocString",
    "Finding",
    "Level",
    "Loaded",
    "OperatorSet",
    "OpsetdocsError",
    "Site",
    "SiteOptions",
    "build_catalog",
    "build_site",
    "load",
    "parse",
    "run",
    "write",
]

_MODULES = {
    "Catalog": "catalog",
    "DocString": "docstring",
    "Finding": "findings",
    "Level": "findings",
    "Loaded": "sources",
    "OperatorSet": "model",
    "OpsetdocsError": "errors",
    "Site": "site",
    "SiteOptions": "site",
    "build_catalog": "history",
    "build_site": "build",
    "load": "sources",
    "parse": "docstring",
    "run": "rules",
    "write": "docstring",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"opsetdocs.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'opsetdocs' has no attribute '{name}'")
