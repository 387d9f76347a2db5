"""What `opsetdocs build` hands to our plugin in the MkDocs that it starts, and gets back from it.

MkDocs passes no options of ours on, so environment variables carry them. Without them the plugin does what
mkdocs.yml says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from opsetdocs.site import Summary

_SOURCES = "OPSETDOCS_SOURCES"
_QUIET = "OPSETDOCS_QUIET"
_REPORT = "OPSETDOCS_REPORT"


def environment(*, sources: Sequence[str], quiet: bool, report: Path) -> dict[str, str]:
    """Return the variables for the MkDocs process.

    Args:
        sources: Take the place of the sources in mkdocs.yml, relative to the current folder; none keep those.
        quiet: Whether MkDocs logs warnings and errors only.
        report: The file that receives the summary once every page is written.
    """
    variables = {_REPORT: str(report)}
    if sources:
        variables[_SOURCES] = json.dumps(list(sources))
    if quiet:
        variables[_QUIET] = "1"
    return variables


def sources() -> tuple[str, ...] | None:
    """Return the sources that take the place of those in mkdocs.yml, if there are any."""
    value = os.environ.get(_SOURCES)
    return tuple(json.loads(value)) if value else None


def is_quiet() -> bool:
    """Return whether MkDocs is to log warnings and errors only."""
    return bool(os.environ.get(_QUIET))


def write_report(summary: Summary) -> None:
    """Write the summary where the command asked for it."""
    if report := os.environ.get(_REPORT):
        Path(report).write_text(json.dumps(asdict(summary)), encoding="utf-8")


def read_report(report: Path) -> Summary | None:
    """Return the summary that MkDocs left, or `None` if it did not get as far as writing every page."""
    try:
        return Summary(**json.loads(report.read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError):  # ValueError: the disk was full
        return None
