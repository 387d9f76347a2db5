"""From a revision of a Git repository to all the operator sets that the same sources held then.

Git is asked for objects alone: `rev-parse` finds the revision, `ls-tree` lists its files, `cat-file` gives
their content. So the content is as it was committed, and the work tree and the index have no part in it. What
`git checkout-index` and `git archive` write, however, has gone through the attributes and filters of the
repository: line ends, LFS, `export-ignore`. Nothing is fetched.

The files that the sources lead to are written to a temporary folder, which `sources.load` reads like any
other.
"""

from __future__ import annotations

import bisect
import itertools
import os
import posixpath
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path, PurePath, PurePosixPath
from typing import BinaryIO

from opsetdocs.errors import SourceError
from opsetdocs.findings import Finding, Level
from opsetdocs.loader import ENDINGS, MAX_SIZE
from opsetdocs.plain_text import visible
from opsetdocs.sources import INSTALLED_ONNX, STANDARD_INPUT, Loaded, has_wildcard, load

PREFIX = "git:"
"""How a source begins that is a revision. A file of such a name is reached as `./git:...`."""

_SPEC = re.compile(rf"{PREFIX}(?P<revision>(?:\{{[^}}]*\}}|[^:])+)(?::(?P<path>.*))?", re.DOTALL)
"""No name in Git has a colon; `HEAD@{10:30}` and `HEAD^{/fix: it}` have theirs in braces."""

_MAX_LINKS = 40
"""How many links may lead to one another, as on Linux."""

_MAX_TARGET = 4_096
"""How long the path in a link may be, in bytes, as on Linux."""


def without_revision(name: str) -> str:
    """Return the name of a file of a revision without the latter: `git:ops.textproto`; any other as it is."""
    parts = _SPEC.fullmatch(name)
    return f"{PREFIX}{parts['path']}" if parts and parts["path"] is not None else name


def top_folder(base: Path) -> Path:
    """Return the folder at the top of the repository that a folder lies in.

    Raises:
        SourceError: Git is missing or fails, or the folder lies in no repository.
    """
    return Path(os.fsdecode(_git(base, "rev-parse", "--show-toplevel").removesuffix(b"\n")))


def load_revision(spec: str, sources: Sequence[str], *, base: Path) -> Loaded:
    """Read all operator sets that the sources held at a Git revision.

    Files are named after the revision, such as `git:v1.2:opsets/a.textproto`. Links are followed inside the
    revision. Nothing is watched, since a revision does not change.

    Args:
        spec: `git:REV` for the sources at a revision, or `git:REV:PATH` for another path there: a file, a
            folder or a pattern, relative to the base like any source. REV is what Git takes for a commit: a
            tag, a branch, a hash, `HEAD~2`.
        sources: The sources as the user named them; not looked at if there is a PATH.
        base: The folder to which relative ones refer. The repository is the one that it lies in.

    Raises:
        SourceError: Git is missing or fails, the base lies in no repository, the revision is unknown, a
            source did not exist then or is none that a revision can hold, or no source held an operator set.
    """
    parts = _SPEC.fullmatch(spec)
    if parts is None:
        raise SourceError(f"{visible(spec)}: write git:REV, or git:REV:PATH, with a revision that Git knows")
    revision, path = parts["revision"], parts["path"]
    shown = visible(f"{PREFIX}{revision}")
    base = base.absolute()
    try:
        named = _sources(sources, base) if path is None else (_relative(path or ".", base),)
        prefix = _git(base, "rev-parse", "--show-prefix").removesuffix(b"\n")
        tree = _Tree(base, _commit(base, revision))
        way_out = () if path else (f"  if it was elsewhere then, say where: {shown}:PATH",)
        loaded = _load(tree, named, os.fsdecode(prefix), way_out)
    except SourceError as err:
        raise SourceError(f"{shown}: {err}") from err
    except OSError as err:
        raise SourceError(f"{shown}: cannot be read: {err.strerror or err}") from err
    return Loaded(
        tuple(replace(item, source=f"{PREFIX}{revision}:{item.source}") for item in loaded.sets),
        tuple(replace(item, file=f"{PREFIX}{revision}:{item.file}") for item in loaded.findings),
        watched=(),
    )


def _sources(sources: Iterable[str], base: Path) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(sources))
    for source in named:
        if source in (STANDARD_INPUT, INSTALLED_ONNX):
            raise SourceError(f"{source} is in no revision; name what to compare with as git:REV:PATH")
    return tuple(_relative(source, base) for source in named)


def _relative(source: str, base: Path) -> str:
    """Return a source in a form that leads to a file below any folder that stands for the base."""
    path = Path(source)
    if path.is_absolute() and path.is_relative_to(base):
        path = path.relative_to(base)
    elif path.is_absolute():
        try:
            path = Path(os.path.relpath(os.path.realpath(path), os.path.realpath(base)))
        except ValueError as err:  # another drive
            raise SourceError(f"{source}: leads out of the repository") from err
    name = path.as_posix()
    return f"./{name}" if name in (STANDARD_INPUT, INSTALLED_ONNX) else name


def _load(tree: _Tree, sources: Sequence[str], prefix: str, way_out: Sequence[str]) -> Loaded:
    """Read the sources in a folder that holds what they need of the tree.

    Args:
        tree: What the revision holds.
        sources: The sources, relative to the prefix.
        prefix: The way from the top of the repository to the base.
        way_out: What the last lines of an error say if a source is not there.
    """
    files, passed_over = _select(tree, sources, prefix)
    findings = tuple(
        replace(item, file=posixpath.relpath(item.file, prefix or posixpath.curdir)) for item in passed_over
    )
    with tempfile.TemporaryDirectory(prefix="opsetdocs-") as folder:
        top = Path(os.path.realpath(folder))
        tree.write(files, top)
        (top / prefix).mkdir(parents=True, exist_ok=True)
        try:
            loaded = load(sources, base=top / prefix)
        except SourceError as err:
            lines = [str(err), *(f"  {finding}" for finding in findings), *way_out]
            raise SourceError("\n".join(lines)) from err
    return replace(loaded, findings=(*findings, *loaded.findings))


def _select(tree: _Tree, sources: Sequence[str], prefix: str) -> tuple[list[str], list[Finding]]:
    """Return the files of a tree that sources lead to, and what else there is to say about it."""
    endings = {*ENDINGS, *(PurePosixPath(source).suffix.lower() for source in sources)}
    pending = [_start(tree, source, prefix) for source in sources]
    files: set[str] = set()
    findings: dict[str, Finding] = {}
    seen: set[str] = set()
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        for name in tree.below(place):
            if tree.is_submodule(name):
                message = "skipped: a submodule, whose files are not in this repository"
                findings[name] = Finding(Level.WARNING, message, file=name)
            elif tree.is_link(name):
                try:
                    pending.append(tree.resolve(name))
                except SourceError as err:
                    findings[name] = _broken_link(name, str(err))
            elif name == place or PurePosixPath(name).suffix.lower() in endings:
                files.add(name)
    return sorted(files), [findings[name] for name in sorted(findings)]


def _start(tree: _Tree, source: str, prefix: str) -> str:
    """Return the place in the tree that a source names, without the part of it that is a pattern."""
    try:
        place = tree.resolve(posixpath.join(prefix, source))
        if place in tree or not has_wildcard(source):
            return place
        fixed = itertools.takewhile(lambda part: not has_wildcard(part), PurePath(source).parts)
        return tree.resolve(posixpath.join(prefix, *fixed))
    except SourceError as err:
        raise SourceError(f"{source}: {err}") from err


def _broken_link(name: str, reason: str) -> Finding:
    is_wanted = PurePosixPath(name).suffix.lower() in ENDINGS
    level = Level.ERROR if is_wanted else Level.WARNING
    return Finding(level, f"broken link: {reason}", file=name, unusable=is_wanted)


# What a revision holds


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    object_id: str


_FOLDER = "040000"
_LINK = "120000"
_SUBMODULE = "160000"


class _Tree:
    """The files, folders and links of a commit, by their path from the top of the repository."""

    def __init__(self, base: Path, commit: str) -> None:
        self._base = base
        self._entries = dict(_entries(_git(base, "ls-tree", "-r", "-t", "-z", "--full-tree", commit)))
        self._names = sorted(self._entries)
        self._folders: set[str] = set()
        """The folders that were met on the way to a place."""
        self._targets: dict[str, str] = {}
        """The links that were met, and the places that they lead to."""

    def __contains__(self, name: str) -> bool:
        return not name or name in self._entries

    def is_link(self, name: str) -> bool:
        return self._has_mode(name, _LINK)

    def is_submodule(self, name: str) -> bool:
        return self._has_mode(name, _SUBMODULE)

    def _has_mode(self, name: str, mode: str) -> bool:
        return name in self._entries and self._entries[name].mode == mode

    def below(self, place: str) -> Iterator[str]:
        """Yield a place, if it is a file, and all that is not a folder below it."""
        if not place:
            names: Sequence[str] = self._names
        else:
            first, end = (bisect.bisect_left(self._names, place + mark) for mark in "/0")  # 0 follows /
            names = [*([place] if place in self._entries else []), *self._names[first:end]]
        return (name for name in names if not self._has_mode(name, _FOLDER))

    def resolve(self, path: str, links: int = 0) -> str:
        """Return the place that a path leads to when links are followed; there may be nothing.

        Raises:
            SourceError: It leads to what the revision does not hold. The message is the end of a sentence.
        """
        place = ""
        if posixpath.isabs(path):
            raise SourceError("leads out of the repository")
        for part in path.split("/"):
            if part in ("", posixpath.curdir):
                continue
            if part == posixpath.pardir:
                if not place:
                    raise SourceError("leads out of the repository")
                place = posixpath.dirname(place)
                continue
            _check_name(part)
            place = posixpath.join(place, part)
            if self.is_link(place):
                place = self._target(place, links + 1)
            elif self.is_submodule(place):
                raise SourceError(f"leads into the submodule {place}, whose files are not in this repository")
            elif self._has_mode(place, _FOLDER):
                self._folders.add(place)
        return place

    def _target(self, link: str, links: int) -> str:
        if links > _MAX_LINKS:
            raise SourceError("leads in a circle of links")
        if link not in self._targets:
            object_id = self._entries[link].object_id
            if int(_git(self._base, "cat-file", "-s", object_id)) > _MAX_TARGET:
                raise SourceError("leads to a path that is too long")
            text = os.fsdecode(_git(self._base, "cat-file", "blob", object_id))
            path = posixpath.join(posixpath.dirname(link), text)
            self._targets[link] = self.resolve(path, links)
        return self._targets[link]

    def write(self, files: Sequence[str], top: Path) -> None:
        """Write files to a folder, and with them the folders and links that were met.

        Links come last and lead to their real end, so that nothing is written through one, and none leads
        out of the folder, whatever a tree made by hand says.
        """
        for folder in self._folders:
            (top / folder).mkdir(parents=True, exist_ok=True)
        large = self._large(files)
        small = [name for name in files if name not in large]
        with tempfile.TemporaryFile() as contents:
            self._look_up(small, "--batch", "--buffer", stdout=contents)
            contents.seek(0)
            for name in small:
                _write(_next(contents, name), name, top)
        for name in files:
            if name in large:
                _write(_beginning(self._base, self._entries[name].object_id), name, top)
        for link, target in self._targets.items():
            (top / link).parent.mkdir(parents=True, exist_ok=True)
            (top / link).symlink_to(top / target, target_is_directory=(top / target).is_dir())

    def _large(self, files: Sequence[str]) -> set[str]:
        """Return those of the files that are larger than any operator set may be."""
        sizes = self._look_up(files, "--batch-check=%(objectsize)", "--buffer").decode().splitlines()
        # In the place of a size there may be a word such as `missing`.
        return {
            name for name, size in zip(files, sizes, strict=True) if size.isdecimal() and int(size) > MAX_SIZE
        }

    def _look_up(self, files: Sequence[str], *options: str, stdout: BinaryIO | None = None) -> bytes:
        """Return what `git cat-file` says about files, one after the other."""
        wanted = "".join(f"{self._entries[name].object_id}\n" for name in files)
        return _git(self._base, "cat-file", *options, stdin=wanted.encode(), stdout=stdout)


def _next(contents: BinaryIO, name: str) -> bytes:
    """Return the content of a file, the next in the output of `git cat-file --batch`."""
    _, *found = contents.readline().split()
    if len(found) != 2:
        raise SourceError(f"{name}: the repository lacks its content")
    content = contents.read(int(found[1]))
    contents.read(1)
    return content


def _write(content: bytes, name: str, top: Path) -> None:
    """Write a new file below a folder."""
    for part in name.split("/"):
        _check_name(part)
    path = top / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(content)


def _entries(listing: bytes) -> Iterator[tuple[str, _Entry]]:
    """Yield what the output of `git ls-tree -z` says."""
    for line in listing.split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, _, object_id = facts.decode().split()
        yield os.fsdecode(path), _Entry(mode, object_id)


def _check_name(part: str) -> None:
    """Refuse the name of a file or folder that would lead to another place.

    Git adds no such names, but reads them from a tree made by hand; and on Windows there are further ones.
    """
    if part in ("", posixpath.pardir) or PurePath(part).name != part:
        raise SourceError(f"{part!r} is no name of a file on this system")


# Git


_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
"""What Git sets for its hooks. The base tells where the repository is, which need not be that of the hook."""

_LOCAL = {
    "LC_ALL": "C",
    "GIT_NO_LAZY_FETCH": "1",
    # Versions of Git that do not know the former fetch what a partial clone lacks, by one of these protocols.
    "GIT_ALLOW_PROTOCOL": "none",
}


def _git(base: Path, *arguments: str, stdin: bytes = b"", stdout: BinaryIO | None = None) -> bytes:
    """Run Git in a folder, and return what it prints unless that goes to a file.

    Raises:
        SourceError: Git is missing, or fails; its own message in one line.
    """
    try:
        done = subprocess.run(  # noqa: S603
            _command(base, *arguments),
            input=stdin,
            stdout=stdout or subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(os.environ),
            check=False,
        )
    except ValueError as err:  # characters that no argument of a command can hold
        raise SourceError("no revision has such a name") from err
    if done.returncode:
        raise SourceError(_reason(done.stderr, base))
    return done.stdout or b""


def _beginning(base: Path, object_id: str) -> bytes:
    """Return as much of an object that is too large for an operator set as shows that it is."""
    with subprocess.Popen(  # noqa: S603
        _command(base, "cat-file", "blob", object_id),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(os.environ),
    ) as process:
        assert process.stdout is not None, "it was asked for"
        content = process.stdout.read(MAX_SIZE + 1)
        process.kill()
    return content


def _command(base: Path, *arguments: str) -> list[str]:
    program = shutil.which("git")
    if program is None:
        raise SourceError("the command git is needed to read a revision, and was not found")
    return [program, "-C", str(base), *arguments]


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name not in _ELSEWHERE} | _LOCAL


def _reason(stderr: bytes, base: Path) -> str:
    message = " ".join(os.fsdecode(stderr).split()).rpartition("fatal: ")[2]
    if "promisor" in message:
        return (
            "this is a partial clone that lacks files of the revision, and nothing is fetched: clone without"
            f" --filter, or check the revision out once (git: {message})"
        )
    return f"git in {base}: {message}"


def _commit(base: Path, revision: str) -> str:
    """Return the id of the commit that a revision names."""
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        commit = _git(base, *arguments).decode().strip()
    except SourceError as err:
        raise SourceError(_unknown(base, revision)) from err
    if not commit.isalnum():  # ^REV, which is what does not belong to REV
        raise SourceError(_unknown(base, revision))
    return commit


def _unknown(base: Path, revision: str) -> str:
    listing = _git(
        base, "for-each-ref", "--sort=-version:refname", "--format=%(refname:strip=2)", "refs/tags"
    )
    tags = os.fsdecode(listing).split()
    near = get_close_matches(revision, tags) or tags[:3]
    message = f"unknown revision; the nearest tags: {', '.join(near)}" if near else "unknown revision"
    if _git(base, "rev-parse", "--is-shallow-repository").strip() == b"true":
        fetch = "git fetch --unshallow --tags"
        return f"{message}. This clone is shallow: `{fetch}`, or fetch depth 0 in CI, brings the rest"
    return message if near else f"{message}. There are no tags: `git fetch --tags` brings them"
