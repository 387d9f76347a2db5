"""What `opsetdocs build` hands to our plugin in the MkDocs that it starts, and gets back from it.

MkDocs passes no options of ours on, so environment variables carry them. Without them the plugin does what
mkdocs.yml says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from opsetdocs.cache_folder import OFF
from opsetdocs.finding_groups import warnings_in_words
from opsetdocs.findings import Finding
from opsetdocs.site import Summary
from opsetdocs.timings import Stage

_SOURCES = "OPSETDOCS_SOURCES"
_QUIET = "OPSETDOCS_QUIET"
_REPORT = "OPSETDOCS_REPORT"
_TIMINGS = "OPSETDOCS_TIMINGS"
_CACHE = "OPSETDOCS_CACHE"
_PUBLISHED = "OPSETDOCS_PUBLISHED"


@dataclass(frozen=True, slots=True)
class Report:
    """What comes back."""

    summary: Summary
    stages: tuple[Stage, ...]
    """What the stages took, if that was asked for."""
    warnings: str
    """How many findings of each level there are, in words; empty where none is a warning or an error."""
    kept: tuple[str, ...]
    """The addresses of files that were not written, since they are published as they are."""


def environment(
    *,
    sources: Sequence[str],
    quiet: bool,
    report: Path,
    published: Path | None = None,
    timings: bool = False,
    cache: str | None = None,
) -> dict[str, str]:
    """Return the variables for the MkDocs process.

    Args:
        sources: Take the place of the sources in mkdocs.yml, relative to the current folder; none keep those.
        quiet: Whether MkDocs logs warnings and errors only.
        report: The file that receives the report once every page is written.
        published: The folder whose place the site is going to take, if there is one.
        timings: Whether that says what the stages took.
        cache: Takes the place of the option `cache` in mkdocs.yml: a folder, or `off`.
    """
    variables = {_REPORT: str(report)}
    if published is not None:
        variables[_PUBLISHED] = str(published)
    if sources:
        variables[_SOURCES] = json.dumps(list(sources))
    if quiet:
        variables[_QUIET] = "1"
    if timings:
        variables[_TIMINGS] = "1"
    if cache is not None:
        variables[_CACHE] = cache if cache == OFF else str(Path(cache).absolute())
    return variables


def sources() -> tuple[str, ...] | None:
    """Return the sources that take the place of those in mkdocs.yml, if there are any."""
    value = os.environ.get(_SOURCES)
    return tuple(json.loads(value)) if value else None


def cache() -> str | None:
    """Return what takes the place of the option `cache` in mkdocs.yml, if anything does."""
    return os.environ.get(_CACHE)


def is_quiet() -> bool:
    """Return whether MkDocs is to log warnings and errors only."""
    return bool(os.environ.get(_QUIET))


def is_command() -> bool:
    """Return whether it is `opsetdocs build` that runs MkDocs."""
    return bool(os.environ.get(_REPORT))


def published() -> Path | None:
    """Return the folder whose place the site is going to take, if there is one."""
    value = os.environ.get(_PUBLISHED)
    return Path(value) if value else None


def wants_timings() -> bool:
    """Return whether the command wants to know what the stages take."""
    return bool(os.environ.get(_TIMINGS))


def write_report(
    summary: Summary, stages: Sequence[Stage], findings: Iterable[Finding] = (), kept: Sequence[str] = ()
) -> None:
    """Write the report where the command asked for it."""
    if file := os.environ.get(_REPORT):
        report = Report(summary, tuple(stages), warnings_in_words(findings), tuple(kept))
        Path(file).write_text(json.dumps(asdict(report)), encoding="utf-8")


def read_report(report: Path) -> Report | None:
    """Return the report that MkDocs left, or `None` if it did not get as far as writing every page."""
    try:
        data = json.loads(report.read_text(encoding="utf-8"))
        stages = tuple(Stage(**stage) for stage in data["stages"])
        return Report(Summary(**data["summary"]), stages, data["warnings"], tuple(data["kept"]))
    except (FileNotFoundError, ValueError):  # ValueError: the disk was full
        return None
