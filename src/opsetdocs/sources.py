"""From the SOURCE arguments of a command to all the operator sets in them.

A source is a file, a folder, a pattern with `*`, `?`, `[...]` or `**`, `-` for standard input, or `onnx` for
the installed onnx package. A file or folder of the name `onnx` is reached as `./onnx`.

Links are followed wherever they lead. A folder that is reached again is not searched again, so that a link to
a folder above it does no harm; a file that is reached again is read once.
"""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import BinaryIO

from opsetdocs import foreign
from opsetdocs.errors import FileError, SourceError
from opsetdocs.findings import Finding, Level
from opsetdocs.loader import ENDINGS, MAX_SIZE, from_message, parse
from opsetdocs.model import OperatorSet, domain_name
from opsetdocs.progress import tracked

STANDARD_INPUT = "-"
INSTALLED_ONNX = "onnx"


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the sources hold."""

    sets: tuple[OperatorSet, ...]
    """Ascending by domain, opset_version and name of the file, whatever the order of the sources."""
    findings: tuple[Finding, ...]
    """Files that cannot be used (errors), or were passed over (notes)."""
    watched: tuple[Path, ...]
    """The files and folders whose change makes the result stale, at their real place."""
    digest: str = ""
    """Of everything that was read; empty where that is not known."""


def load(
    sources: Sequence[str],
    *,
    base: Path,
    stdin: BinaryIO | None = None,
    allow_unusable: bool = False,
    known: Mapping[str, OperatorSet] | None = None,
) -> Loaded:
    """Read all operator sets of the sources.

    One broken file is a finding and does not keep the others from being read. In a folder, or among the files
    that match a pattern, what is surely not meant as an operator set is passed over with a note.

    Args:
        sources: The sources as the user named them.
        base: The folder to which relative ones refer.
        stdin: Where the source `-` is read from; standard input if it is `None`.
        allow_unusable: Whether files that cannot be used are a result, even if there are no others.
        known: What was read before, by the digest of the file: it is not taken apart again.

    Raises:
        SourceError: A source does not exist or cannot be read at all, or no source holds an operator set.
        OpsetdocsError: The installed onnx package is not usable.
    """
    search = _search(sources, base)
    results: list[_Result] = []
    digests = _Digests(sources, search)
    for file in tracked("files read", search.sorted_files()):
        content = _content(file)
        digest = digests.add(file, content)
        results.append((known or {}).get(digest) or _read_file(file, content, digest))
    if STANDARD_INPUT in sources:
        results.append(_read_standard_input(stdin))
    if INSTALLED_ONNX in sources:
        results.extend(_read_installed_onnx())
    findings = (*search.sorted_findings(), *(item for item in results if isinstance(item, Finding)))
    sets = [item for item in results if isinstance(item, OperatorSet)]
    if not sets and not (allow_unusable and any(finding.unusable for finding in findings)):
        raise SourceError(_nothing_found(sources, findings))
    sets.sort(key=lambda item: (domain_name(item.domain), item.opset_version or 0, item.source))
    return Loaded(tuple(sets), findings, tuple(sorted(search.watched)), digests.of_all())


@dataclass(frozen=True, slots=True)
class Seen:
    """What the sources hold, as far as one sees that without taking files apart; see `Loaded`."""

    digest: str
    watched: tuple[Path, ...]


def look(sources: Sequence[str], *, base: Path) -> Seen:
    """Read all files of the sources without taking them apart.

    Args:
        sources: The sources as the user named them.
        base: The folder to which relative ones refer.

    Raises:
        SourceError: A source does not exist or cannot be read at all.
    """
    search = _search(sources, base)
    digests = _Digests(sources, search)
    for file in search.sorted_files():
        digests.add(file, _content(file))
    return Seen(digests.of_all(), tuple(sorted(search.watched)))


class _Digests:
    """Adds up the digests of everything that sources lead to."""

    def __init__(self, sources: Sequence[str], search: _Search) -> None:
        self._is_complete = STANDARD_INPUT not in sources  # which can be read only once
        self._whole = hashlib.sha256()
        for finding in search.sorted_findings():
            self._whole.update(_encoded(f"{finding}\n"))
        if INSTALLED_ONNX in sources:
            try:
                self._whole.update(_encoded(f"onnx {metadata.version('onnx')}"))
            except metadata.PackageNotFoundError:
                self._is_complete = False

    def add(self, file: _File, content: bytes | Finding) -> str:
        """Return the digest of a file: of its name and its content."""
        self._is_complete &= isinstance(content, bytes)
        digest = hashlib.sha256(_encoded(f"{file.named} {len(file.name)} {file.name} "))
        digest.update(content if isinstance(content, bytes) else b"")
        self._whole.update(digest.digest())
        return digest.hexdigest()

    def of_all(self) -> str:
        return self._whole.hexdigest() if self._is_complete else ""


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # as file names may have surrogates


def _search(sources: Sequence[str], base: Path) -> _Search:
    search = _Search(base.absolute())
    if "" in sources:
        raise SourceError("a source is empty; expected a file, a folder, a pattern, - or onnx")
    for source in sorted(set(sources) - {STANDARD_INPUT, INSTALLED_ONNX}):
        search.add(source)
    return search


def _nothing_found(sources: Sequence[str], findings: Iterable[Finding]) -> str:
    looked_at = ", ".join(dict.fromkeys(sources)) or "no source is given"
    return "\n".join([f"no operator sets found ({looked_at})", *(f"  {finding}" for finding in findings)])


# Finding files


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    """The file as the user named it: relative to the base where it lies below it, with `/`."""
    path: Path
    named: bool
    """Whether a source is this very file, rather than a folder or a pattern that leads to it."""


class _Search:
    """Collects the files that sources lead to."""

    def __init__(self, base: Path) -> None:
        self.watched: set[Path] = set()
        self._base = base
        self._files: dict[object, _File] = {}
        self._findings: dict[Finding, None] = {}

    def sorted_files(self) -> list[_File]:
        return sorted(self._files.values(), key=lambda file: file.name)

    def sorted_findings(self) -> list[Finding]:
        return sorted(self._findings, key=str)

    def add(self, source: str) -> None:
        path = self._base / source
        try:
            status = path.stat()
        except (OSError, ValueError, RuntimeError) as err:  # RuntimeError: links that lead in a circle
            if not has_wildcard(source):
                raise SourceError(f"{source}: {_reason(err)}") from err
            self._add_matches(source)
            return
        if stat.S_ISDIR(status.st_mode):
            self._add_folder(path)
        elif stat.S_ISREG(status.st_mode):
            self._add_file(path, named=True)
        else:
            raise SourceError(f"{source}: neither a file nor a folder; give the source - to read a stream")

    def _add_file(self, path: Path, *, named: bool = False) -> None:
        file = _File(self._name(path), path, named)
        identity = _identity(path)
        known = self._files.setdefault(identity, file)
        # Of several names the first in order is shown, so that the order of sources means nothing.
        self._files[identity] = min(known, file, key=lambda item: (not item.named, item.name))
        self.watched.add(_real(path))

    def _add_folder(self, root: Path) -> None:
        """Add the files with known endings in a folder and below it."""
        self.watched.add(_real(root))
        for folder in self._tree(root):
            for path, status in self._entries(folder):
                if stat.S_ISREG(status.st_mode) and path.suffix.lower() in ENDINGS:
                    self._add_file(path)

    def _add_matches(self, pattern: str) -> None:
        """Add the files that match a pattern and have an ending that is known or stands in the pattern."""
        parts = Path(pattern).parts
        fixed = list(itertools.takewhile(lambda part: not has_wildcard(part), parts[:-1]))
        root = self._base.joinpath(*fixed)
        before = len(self._findings)
        matches = list(self._matches(root, parts[len(fixed) :])) if root.is_dir() else []
        if not matches and len(self._findings) == before:
            raise SourceError(f"{pattern}: no file matches")
        for path in matches:
            self._add_file(path)
        # Not the base itself: the site that is being built may lie in it.
        if root not in (self._base, *self._base.parents):
            self.watched.add(_real(root))

    def _matches(self, root: Path, segments: Sequence[str]) -> Iterator[Path]:
        *inner, last = segments if segments[-1] != "**" else (*segments, "*")
        folders = [root]
        for segment in inner:
            folders = [child for folder in folders for child in self._children(folder, segment)]
        for folder in folders:
            for path, status in self._entries(folder, last):
                ending = path.suffix.lower()
                is_wanted = ending in ENDINGS or (ending and last.endswith(ending))
                if stat.S_ISREG(status.st_mode) and is_wanted:
                    yield path

    def _children(self, folder: Path, segment: str) -> Iterator[Path]:
        """Yield the folders that one segment of a pattern leads to."""
        if segment == "**":
            yield from self._tree(folder)
        elif has_wildcard(segment):
            for path, status in self._entries(folder, segment):
                if stat.S_ISDIR(status.st_mode):
                    yield path
        elif (folder / segment).is_dir():
            yield folder / segment

    def _tree(self, root: Path) -> Iterator[Path]:
        """Yield a folder and all folders below it that are not hidden, each once."""
        seen: set[object] = set()
        pending = [root]
        while pending:
            folder = pending.pop()
            identity = _identity(folder)
            if identity in seen:
                continue
            seen.add(identity)
            if folder.is_symlink():
                self.watched.add(_real(folder))
            yield folder
            pending.extend(path for path, status in self._entries(folder) if stat.S_ISDIR(status.st_mode))

    def _entries(self, folder: Path, pattern: str = "*") -> Iterator[tuple[Path, os.stat_result]]:
        """Yield what a folder holds that matches a pattern; hidden names only if the pattern begins so."""
        try:
            names = [path.name for path in folder.iterdir()]
        except OSError as err:
            self._report(Level.ERROR, folder, f"cannot be read: {_reason(err)}")
            return
        for name in fnmatch.filter(names, pattern):
            if name.startswith(".") and not pattern.startswith("."):
                continue
            path = folder / name
            try:
                yield path, path.stat()
            except OSError as err:
                level = Level.ERROR if path.suffix.lower() in ENDINGS else Level.WARNING
                kind = "broken link" if path.is_symlink() else "cannot be read"
                self._report(level, path, f"{kind}: {_reason(err)}")

    def _report(self, level: Level, path: Path, message: str) -> None:
        finding = Finding(level, message, file=self._name(path), unusable=level is Level.ERROR)
        self._findings[finding] = None

    def _name(self, path: Path) -> str:
        return (path.relative_to(self._base) if path.is_relative_to(self._base) else path).as_posix()


def has_wildcard(text: str) -> bool:
    """Return whether a source, or a part of it, is a pattern, unless something has this very name."""
    return any(mark in text for mark in "*?[")


def _identity(path: Path) -> object:
    """Return what two names of the same file or folder share."""
    try:
        status = path.stat()
    except OSError:  # gone meanwhile, which reading it will report
        return path
    # Not every file system numbers its files.
    return (status.st_dev, status.st_ino) if status.st_ino else _real(path)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _reason(err: OSError | ValueError | RuntimeError) -> str:
    if isinstance(err, FileNotFoundError):
        return "does not exist"
    return (err.strerror if isinstance(err, OSError) else None) or str(err)


# Reading


_Result = OperatorSet | Finding
"""The operator set, or why there is none."""


def _read_file(file: _File, content: bytes | Finding, digest: str) -> _Result:
    if isinstance(content, Finding):
        return content
    try:
        return replace(parse(content, file.name), digest=digest)
    except FileError as err:
        # Nothing but an operator set has the ending that is named after it.
        by_chance = not file.named and file.path.suffix.lower() != ".onnxopset"
        if by_chance and (reason := foreign.unrelated(content)):
            return Finding(Level.NOTE, f"skipped: {reason}", file=file.name)
        return _unusable(err)


def _content(file: _File) -> bytes | Finding:
    """Return what is in a file, or why it cannot be read."""
    try:
        return _bytes(file)
    except OSError as err:
        return Finding(Level.ERROR, f"cannot be read: {_reason(err)}", file=file.name, unusable=True)
    except FileError as err:
        return _unusable(err)


def _bytes(file: _File) -> bytes:
    """Return what is in a file, which others may be writing or replacing; of one that is too large, enough.

    Raises:
        FileError: The file is no file any more, or changes while it is read.
        OSError: The file cannot be read.
    """
    # Without waiting for a writer, if it has become a pipe.
    descriptor = os.open(file.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as stream:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise FileError(file.name, "cannot be read: it is not a file any more")
        data = stream.read(MAX_SIZE + 1)
        after = os.fstat(descriptor)
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise FileError(file.name, "cannot be read: it changes while it is read")
    return data


def read_standard_input(stdin: BinaryIO | None = None) -> bytes:
    """Return what comes in by standard input; of what is too large for an operator set, enough to see that.

    Args:
        stdin: What to read instead.

    Raises:
        SourceError: There is none, or it cannot be read.
    """
    stream = stdin or getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise SourceError("-: there is no standard input")
    try:
        return bytes(stream.read(MAX_SIZE + 1))
    except (OSError, ValueError) as err:
        raise SourceError(f"-: standard input cannot be read: {_reason(err)}") from err


def _read_standard_input(stdin: BinaryIO | None) -> _Result:
    try:
        return parse(read_standard_input(stdin), STANDARD_INPUT)
    except FileError as err:
        return _unusable(err)


def _read_installed_onnx() -> Iterator[_Result]:
    # Here, since it imports all of onnx, which no other source needs.
    from opsetdocs.export import registry_sets

    for message in tracked("opsets read", registry_sets()):
        name = f"{INSTALLED_ONNX}: {domain_name(message.domain)}-{message.opset_version}"
        yield from_message(message, name)


def _unusable(err: FileError) -> Finding:
    return Finding(
        Level.ERROR,
        err.message,
        file=err.file,
        rule=err.rule,
        line=err.line,
        column=err.column,
        unusable=True,
    )
