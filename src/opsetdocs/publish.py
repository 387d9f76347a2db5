"""Publishing at one stroke: a site is built in a staging folder beside the old one, and takes its place."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from opsetdocs.errors import ConfigError, OpsetdocsError

_MARKER = "sitemap.xml"
"""MkDocs writes this file into every site, whatever the theme."""


@contextmanager
def staging_folder(site: Path) -> Iterator[Path]:
    """Give a folder in which a site can be built, and remove it if it is not published by the end.

    It lies beside the site, thus on the same file system, under a hidden name.

    Args:
        site: The folder of the site, resolved.

    Raises:
        OpsetdocsError: The folder cannot be made.
    """
    staging = _beside(site, "new")
    try:
        _make(staging)
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except OSError as err:
        raise OpsetdocsError(f"{folder.parent} cannot be written to: {err.strerror}") from err


def check_replaceable(site: Path, needed: Iterable[Path]) -> None:
    """Make sure that a build may put its result in the place of this folder.

    Args:
        site: The folder of the site, resolved.
        needed: Files and folders that a build reads, or that are precious for another reason.

    Raises:
        ConfigError: The folder holds something else than a site, or something that is needed.
    """
    for path in (Path.home(), Path.cwd(), *needed):
        if path.resolve().is_relative_to(site):
            raise ConfigError(f"the site cannot be written to {site}, because {path} is in there")
    if not site.exists():
        return
    if not site.is_dir():
        raise ConfigError(f"the site cannot be written to {site}: that is not a folder")
    if any(not _is_hidden(path) for path in site.iterdir()) and not (site / _MARKER).exists():
        raise ConfigError(
            f"{site} holds something that is not a site built by MkDocs; empty it or name another folder"
        )


def publish(staging: Path, site: Path) -> None:
    """Put the finished site in the place of the old one, which is whole until then.

    Files that have not changed keep their modification time, and hidden entries of the old folder, such as
    `.git`, are kept, as MkDocs does.

    Args:
        staging: The finished site; it is gone afterwards.
        site: The folder of the site, resolved.

    Raises:
        OpsetdocsError: The folders cannot be exchanged; the old site is as it was.
    """
    try:
        if site.exists():
            _keep_times(staging, site)
            _exchange(staging, site)
        else:
            staging.rename(site)
    except OSError as err:
        raise OpsetdocsError(f"{site} cannot be replaced: {err.strerror}") from err


def _keep_times(staging: Path, site: Path) -> None:
    for file in staging.rglob("*"):
        old = site / file.relative_to(staging)
        if file.is_file() and old.is_file() and _same_content(file, old):
            stat = old.stat()
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _same_content(one: Path, other: Path) -> bool:
    return one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()


def _exchange(staging: Path, site: Path) -> None:
    old = _beside(site, "old")
    site.rename(old)
    try:
        staging.rename(site)
    except BaseException:
        old.rename(site)
        raise
    for entry in old.iterdir():
        if _is_hidden(entry) and not (site / entry.name).exists():
            entry.rename(site / entry.name)
    shutil.rmtree(old, ignore_errors=True)


def _beside(site: Path, role: str) -> Path:
    return site.with_name(f".{site.name}.{role}-{secrets.token_hex(4)}")


def _is_hidden(path: Path) -> bool:
    return path.name.startswith(".")
