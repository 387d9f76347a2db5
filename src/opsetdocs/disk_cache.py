"""A cache on disk: one SQLite file for each project, in a folder that nobody else can write to.

A build that is killed leaves what was there before, and two builds at once wait for each other or do without:
SQLite sees to both. What cannot be read is made again. Nothing in the file is code.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path

import msgspec

from opsetdocs.cache import MadePage, MadeSite
from opsetdocs.model import OperatorSet

log = logging.getLogger("mkdocs.plugins.opsetdocs")

_FORMAT = 1
"""Is part of the file's name: what another release keeps may have another form."""

_ENDING = ".sqlite"
_KEPT_SITES = 2
"""What the last builds with different results used is kept, so that one can go back and forth."""

_KEPT_SECONDS = 30 * 24 * 3600
"""The file of a project that has not been built for so long is removed."""

_KEPT_SIZE = 2**30
"""Bytes of all projects together; of more, those that were not built for the longest time are removed."""

_PATIENCE = 1.0
"""Seconds to wait for another build that is writing."""

_TABLES = """
CREATE TABLE IF NOT EXISTS piece (digest TEXT PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS used (digest TEXT PRIMARY KEY, build INTEGER NOT NULL) WITHOUT ROWID;
"""

_MANY = 500
"""How many digests are asked for at once."""

_page_decoder = msgspec.msgpack.Decoder(MadePage)
_site_decoder = msgspec.msgpack.Decoder(MadeSite)
_encoder = msgspec.msgpack.Encoder()


class DiskCache:
    """Keeps what the last builds of a project made."""

    def __init__(self, folder: Path, project: str, *, is_asked_for: bool = False) -> None:
        """Use a file in a folder; both are made when there is something to keep.

        Args:
            folder: Where caches are. If others can write to it, nothing is read or kept.
            project: What the builds of one project have in common, and no other; fit for a file's name.
            is_asked_for: Whether somebody has named the folder, and wants to hear that nothing can be kept.
        """
        self._folder = folder
        self._is_asked_for = is_asked_for
        self._is_broken = False
        self._file = folder / f"{project}-{_FORMAT}{_ENDING}"

    def site(self, digest: str) -> MadeSite | None:
        """Return the site that was made from what has this digest."""
        with self._reading() as database:
            if database is not None:
                for content in _contents(database, (digest,)).values():
                    return _site_decoder.decode(content)
        return None

    def pages(self, digests: Iterable[str]) -> Mapping[str, MadePage]:
        """Return the pages that were made from what has one of these digests, as far as they are kept."""
        with self._reading() as database:
            if database is not None:
                contents = _contents(database, digests)
                return {digest: _page_decoder.decode(content) for digest, content in contents.items()}
        return {}

    def sets(self) -> Mapping[str, OperatorSet]:
        """Return nothing: it takes as long to read a set here as in its file."""
        return {}

    def keep(
        self,
        digest: str,
        site: MadeSite,
        pages: Sequence[MadePage],
        sets: Iterable[OperatorSet] = (),  # noqa: ARG002 - as all caches
    ) -> None:
        """Keep a site and its pages, and remove what the builds before the last ones used."""
        try:
            self._make_folder()
            if reason := _unsafe(self._folder):
                log.warning("nothing is kept for the next build in %s: %s", self._folder, reason)
                return
            if self._is_broken:
                self._file.unlink(missing_ok=True)
                self._is_broken = False
            try:
                self._write(digest, site, pages)
            except sqlite3.DatabaseError as err:
                if not _says_broken(err):  # Another build is writing, or the disk is full.
                    raise
                self._file.unlink()
                self._write(digest, site, pages)
            self._tidy()
        except (sqlite3.Error, OSError) as err:
            level = logging.WARNING if self._is_asked_for else logging.DEBUG
            log.log(level, "nothing is kept for the next build in %s: %s", self._folder, err)

    def _write(self, digest: str, site: MadeSite, pages: Sequence[MadePage]) -> None:
        with closing(sqlite3.connect(self._file, timeout=_PATIENCE)) as database:
            database.executescript(_TABLES)
            with database:
                _keep(database, digest, site, pages)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        """Open the file, if it is there and nobody else can have written it; what goes wrong is no fault."""
        if not self._file.is_file() or _unsafe(self._folder):
            yield None
            return
        try:
            with closing(sqlite3.connect(self._file, timeout=_PATIENCE)) as database:
                yield database
        except (sqlite3.Error, msgspec.MsgspecError, OSError) as err:
            log.debug("what earlier builds kept in %s cannot be used: %s", self._file, err)
            self._is_broken = _says_broken(err)

    def _make_folder(self) -> None:
        if not self._folder.is_dir():
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)

    def _tidy(self) -> None:
        """Remove the files of projects that nobody builds any more, and of others if there are too many."""
        total = 0
        with suppress(OSError):  # Another build removes one, too.
            files = {file: file.stat() for file in self._folder.glob(f"*{_ENDING}")}
            for file, status in sorted(files.items(), key=lambda item: -item[1].st_mtime):
                total += status.st_size
                is_old = status.st_mtime < time.time() - _KEPT_SECONDS
                if file != self._file and (is_old or total > _KEPT_SIZE):
                    file.unlink()


def _says_broken(error: Exception) -> bool:
    """Whether a file is to blame, rather than what is going on around it."""
    if isinstance(error, sqlite3.DatabaseError):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return code & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    return isinstance(error, msgspec.MsgspecError)


def _unsafe(folder: Path) -> str:
    """Return why files in a folder may be from others; empty if they cannot be."""
    if not hasattr(os, "getuid"):  # Windows: what is below a user's profile is the user's.
        return ""
    status = folder.stat()
    if status.st_uid != os.getuid():
        return "it belongs to somebody else"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others can write to it"
    return ""


def _contents(database: sqlite3.Connection, digests: Iterable[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    remaining = iter(digests)
    while some := list(islice(remaining, _MANY)):
        marks = ",".join("?" * len(some))
        found.update(
            database.execute(f"SELECT digest, content FROM piece WHERE digest IN ({marks})", some)  # noqa: S608 - question marks alone
        )
    return found


def _encoded(site: MadeSite) -> bytes | None:
    """Return a site as it is kept; `None` if it cannot be."""
    if site.site.late:
        return None
    try:
        return _encoder.encode(site)
    except UnicodeEncodeError:  # The name of a file that is no text, in a finding.
        return None


def _keep(database: sqlite3.Connection, digest: str, site: MadeSite, pages: Sequence[MadePage]) -> None:
    digests = {*site.digests, digest} - {""}
    [[last]] = database.execute("SELECT ifnull(max(build), 0) FROM used")
    latest = {row[0] for row in database.execute("SELECT digest FROM used WHERE build = ?", (last,))}
    if latest == digests:
        return
    known = {row[0] for row in database.execute("SELECT digest FROM used")}
    # One after the other, since all of them together are as large as the site.
    made = zip(site.digests, pages, strict=True)
    pieces = ((key, _encoder.encode(page)) for key, page in made if key not in known)
    database.executemany("INSERT OR REPLACE INTO piece VALUES (?, ?)", pieces)
    if digest and digest not in known:
        content = _encoded(site)
        if content is None:
            digests.remove(digest)
        else:
            database.execute("INSERT OR REPLACE INTO piece VALUES (?, ?)", (digest, content))
    build = last + 1
    database.executemany("INSERT OR REPLACE INTO used VALUES (?, ?)", ((key, build) for key in digests))
    old = build - _KEPT_SITES
    database.execute("DELETE FROM piece WHERE digest IN (SELECT digest FROM used WHERE build <= ?)", (old,))
    database.execute("DELETE FROM used WHERE build <= ?", (old,))
