"""Publishing at one stroke: a site is built beside the old one, and takes its place as a whole or not at all.

Beside the folder `site` there are while a build runs:

- `.site.opsetdocs/`, the work folder: the new site, and what MkDocs reports. One build at a time has it.
- `.site.opsetdocs-old/`, the old site, for the moment between two renames, where the system cannot exchange
  folders in one step. A build that is killed just then leaves it, and the next one puts it back.
"""

from __future__ import annotations

import errno
import filecmp
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from opsetdocs.errors import ConfigError, OpsetdocsError
from opsetdocs.exchange import exchange
from opsetdocs.progress import tracked
from opsetdocs.work_folder import remove, work_folder

_MARKER = "sitemap.xml"
"""MkDocs writes this file into every site, whatever the theme."""

_INSTEAD = (
    "a site is built beside the old one, so that it can be replaced as a whole; name a folder inside {site}, "
    "or use `mkdocs build`, which replaces file by file"
)

_FIXED = frozenset({errno.EBUSY, errno.EXDEV})
"""What the system answers about a folder that cannot be moved: a mount point, or one of an image's layer."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a site is built before it is published."""

    staging: Path
    """The folder for the new site, on the file system of the old one."""
    report: Path
    """The file for what MkDocs reports."""
    lock: int
    """See `WorkFolder.lock`."""


def check_replaceable(site: Path, needed: Iterable[Path]) -> None:
    """Make sure that a build may put its result in the place of this folder.

    Args:
        site: The folder of the site, resolved.
        needed: Files and folders that a build reads, or that are precious for another reason.

    Raises:
        ConfigError: The folder holds something else than a site, or something that is needed, or it is a
            mount point, which cannot be exchanged.
    """
    for path in (Path.home(), Path.cwd(), *needed):
        if path.resolve().is_relative_to(site):
            raise ConfigError(f"the site cannot be written to {site}, because {path} is in there")
    if not os.path.lexists(site):
        return
    if not site.is_dir():
        raise ConfigError(f"the site cannot be written to {site}: that is not a folder")
    if any(not _is_hidden(path.name) for path in site.iterdir()) and not (site / _MARKER).exists():
        raise ConfigError(
            f"{site} holds something that is not a site built by MkDocs; empty it or name another folder"
        )
    if os.path.ismount(site):
        raise ConfigError(f"{site} is a mount point: {_INSTEAD.format(site=site)}")


@contextmanager
def workplace(site: Path, *, on_wait: Callable[[], None] = lambda: None) -> Iterator[Workplace]:
    """Give the place where a site is built; what is not published by the end is removed.

    What builds that were killed left behind is removed, and the old site is put back if one of them had just
    taken it away. While another process builds this site, this one waits.

    Args:
        site: The folder of the site, resolved.
        on_wait: Called once if there is another build to wait for.

    Raises:
        OpsetdocsError: Nothing can be written beside the site.
    """
    with ExitStack() as stack:
        try:
            site.parent.mkdir(parents=True, exist_ok=True)
            work = stack.enter_context(work_folder(_beside(site, "opsetdocs"), on_wait=on_wait))
            _put_back(site)
            work.clear()
            # Under a name of its own: on Windows the MkDocs of a killed build may still be writing.
            staging = work.path / f"site-{secrets.token_hex(4)}"
            staging.mkdir()
        except OSError as err:
            hint = f"; {_INSTEAD.format(site=site)}" if site.exists() else ""
            raise OpsetdocsError(f"{site.parent} cannot be written to: {err.strerror or err}{hint}") from err
        yield Workplace(staging, work.path / "report.json", work.lock)


def _put_back(site: Path) -> None:
    """Undo the first of two steps if there was no second one; otherwise remove the old site."""
    old = _beside(site, "opsetdocs-old")
    if old.exists() and not site.exists():
        old.rename(site)
    elif old.exists():
        remove(old)


def publish(staging: Path, site: Path, kept: Iterable[str] = ()) -> None:
    """Put the finished site in the place of the old one, which is whole until then.

    Files that have not changed stay the files that they are, with their times; if none has changed, nothing
    is touched. Hidden entries of the old folder, such as `.git`, are kept, as MkDocs does.

    Args:
        staging: The finished site, in its `Workplace`.
        site: The folder of the site, resolved.
        kept: The addresses of files of the old site that belong to the new one as they are; its folder lacks
            them.

    Raises:
        OpsetdocsError: The folders cannot be exchanged; the old site is as it was.
    """
    try:
        missing = {str(Path(address)) for address in kept}
        if not missing and not site.exists():
            staging.rename(site)
            return
        new, old = _entries(staging), _entries(site)
        common = tracked("files compared", new.keys() & old.keys())
        same = {name for name in common if _is_same(new[name], old[name])}
        folders = {parent for name in missing for parent in _parents(name)}
        gone = old.keys() - new.keys() - missing - folders
        if len(same) == len(new) and missing <= old.keys() and all(map(_is_hidden, gone)):
            return
        for name in folders:
            (staging / name).mkdir(exist_ok=True, parents=True)
        for name in same | missing:
            file = staging / name
            if not file.is_dir():
                file.unlink(missing_ok=True)
                # What is there by way of a linked folder is a file of somebody else.
                (_link if name in old else shutil.copy2)(site / name, file)
        _keep_hidden(staging, site)
        shutil.copymode(site, staging)
        if not exchange(staging, site):
            _replace_in_two_steps(staging, site)
    except OSError as err:
        hint = f"; {_INSTEAD.format(site=site)}" if err.errno in _FIXED else ""
        raise OpsetdocsError(f"{site} cannot be replaced: {err.strerror or err}{hint}") from err


def _entries(folder: Path) -> dict[str, str]:
    """Return all that is in a folder: its path there, and its whole path. Links are not followed."""
    start = len(str(folder)) + 1
    paths = (
        f"{parent}{os.sep}{name}" for parent, folders, files in os.walk(folder) for name in (*folders, *files)
    )
    return {path[start:]: path for path in paths}


def _parents(name: str) -> Iterator[str]:
    """Yield the folders on the way to a file."""
    return (str(parent) for parent in Path(name).parents if parent.name)


def _is_same(one: str, other: str) -> bool:
    """Return whether both are folders, or files with the same content."""
    kinds = {stat.S_IFMT(os.lstat(path).st_mode) for path in (one, other)}
    if kinds == {stat.S_IFDIR}:
        return True
    try:
        return kinds == {stat.S_IFREG} and filecmp.cmp(one, other, shallow=False)
    except OSError:  # an old file that cannot be read is replaced
        return False


def _link(source: str | Path, target: str | Path) -> None:
    """Let a second name be that of the same file, or of a copy of it where the file system has no links."""
    try:
        os.link(source, target, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(source, target, follow_symlinks=False)


def _keep_hidden(staging: Path, site: Path) -> None:
    for entry in site.iterdir():
        target = staging / entry.name
        if not _is_hidden(entry.name) or os.path.lexists(target):
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.copytree(entry, target, symlinks=True, copy_function=_link)
        else:
            _link(entry, target)


def _replace_in_two_steps(staging: Path, site: Path) -> None:
    site.rename(_beside(site, "opsetdocs-old"))
    try:
        staging.rename(site)
    finally:
        _put_back(site)


def _beside(site: Path, role: str) -> Path:
    return site.with_name(f".{site.name}.{role}")


def _is_hidden(name: str) -> bool:
    return name.startswith(".")
