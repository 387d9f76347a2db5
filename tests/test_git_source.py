"""What sources were at a Git revision: found, read as committed, and nothing else touched."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from opsetdocs.errors import SourceError
from opsetdocs.git_source import load_revision
from opsetdocs.loader import MAX_SIZE
from opsetdocs.sources import Loaded

LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


def opset(version: int, domain: str = "com.example") -> str:
    return f'magic: "ONNXOPSET"\nir_version: 10\ndomain: "{domain}"\nopset_version: {version}\n'


FILES = {
    "README.md": "# Operators\n",
    "a.textproto": opset(1),
    "ops/b.textproto": opset(2),
    "ops/deep/er/c.textproto": opset(3),
    "ops/d.bin": opset(4),
    "ops/notes.md": "# Notes\n",
    "with space/ä ö [1].textproto": opset(5),
    "onnx": opset(6),
    "-": opset(7),
    ".hidden/e.textproto": opset(8),
    "docs/index.md": "# Docs\n",
    "lfs/f.textproto": LFS_POINTER,
}

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_NAME": "Test" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "test@example.com" for role in ("AUTHOR", "COMMITTER")},
}


@dataclass(frozen=True)
class Repository:
    """A real repository; files are text, or a link where the text begins with `-> `."""

    folder: Path

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, env=ENVIRONMENT, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.unlink(missing_ok=True)
            if text is None:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("-> "):
                path.symlink_to(text.removeprefix("-> "))
            else:
                path.write_bytes(text.encode())

    def commit(self, tag: str, files: Mapping[str, str | None]) -> None:
        self.write(files)
        self.git("add", "--all")
        self.record(tag)

    def record(self, tag: str) -> None:
        self.git("commit", "--quiet", "--allow-empty", "--message", tag)
        self.git("tag", tag)

    def load(self, spec: str, *sources: str, sub: str = "") -> Loaded:
        return load_revision(spec, sources, base=self.folder / sub)

    def error(self, spec: str, *sources: str, sub: str = "") -> str:
        with pytest.raises(SourceError) as caught:
            self.load(spec, *sources, sub=sub)
        return str(caught.value)


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's settings of Git out of a test, and have temporary files where it can see them."""
    for name in {name for name in os.environ.keys() | ENVIRONMENT.keys() if name.startswith("GIT_")}:
        monkeypatch.delenv(name, raising=False)
        if name in ENVIRONMENT:
            monkeypatch.setenv(name, ENVIRONMENT[name])
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))


def new_repository(folder: Path) -> Repository:
    folder.mkdir()
    made = Repository(folder)
    made.git("init", "--quiet", "--initial-branch=main")
    return made


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return new_repository(tmp_path / "repository")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository for tests that only read it."""
    made = new_repository(tmp_path_factory.mktemp("published") / "repository")
    made.commit("v1", FILES)
    made.commit("v2", {**dict.fromkeys(FILES), "x.textproto": opset(9)})
    for name in ("ops/deep", "with space", "new/sub"):
        (made.folder / name).mkdir(parents=True, exist_ok=True)
    return made


def names(loaded: Loaded) -> list[str]:
    return [item.source for item in loaded.sets]


def said(loaded: Loaded) -> list[tuple[str, str, str]]:
    return [(item.level.name, item.file, item.message) for item in loaded.findings]


def content(folder: Path) -> dict[str, bytes]:
    """Return all that stands below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


# What is found


@pytest.mark.parametrize(
    ("revision", "path", "sources", "sub", "expected"),
    [
        ("v1", "", ["ops"], "", ["ops/b.textproto", "ops/deep/er/c.textproto"]),
        ("v1", "", ["ops/"], "", ["ops/b.textproto", "ops/deep/er/c.textproto"]),
        ("v1", "", ["a.textproto", "ops/b.textproto"], "", ["a.textproto", "ops/b.textproto"]),
        ("v1", "", ["ops/d.bin"], "", ["ops/d.bin"]),
        ("v1", "", ["ops/*.bin"], "", ["ops/d.bin"]),
        ("v1", "", ["**/c.textproto"], "", ["ops/deep/er/c.textproto"]),
        ("v1", "", ["o*/[ab].*"], "", ["ops/b.textproto"]),
        ("v1", "", ["with space"], "", ["with space/ä ö [1].textproto"]),
        ("v1", "", ["with space/ä ö [1].textproto"], "", ["with space/ä ö [1].textproto"]),
        ("v1", "", ["./onnx"], "", ["onnx"]),
        ("v1", "", ["./-"], "", ["-"]),
        ("v1", "", [".hidden"], "", [".hidden/e.textproto"]),
        ("v1", "", ["deep", "../a.textproto"], "ops", ["../a.textproto", "deep/er/c.textproto"]),
        ("v1", "", ["."], "ops", ["b.textproto", "deep/er/c.textproto"]),
        ("v1", "", ["../../a.textproto"], "new/sub", ["../../a.textproto"]),
        ("v1", ":ops", ["anything"], "", ["ops/b.textproto", "ops/deep/er/c.textproto"]),
        ("v1", ":deep", [], "ops", ["deep/er/c.textproto"]),
        ("v1", ":onnx", ["onnx"], "", ["onnx"]),
        ("v1", ":*.textproto", [], "", ["a.textproto"]),
        ("v1", ":", [], "ops/deep", ["er/c.textproto"]),
        ("main~1", ":a.textproto", [], "", ["a.textproto"]),
        ("HEAD^{/v1}", ":a.textproto", [], "", ["a.textproto"]),
        ("HEAD@{2037-12-31 10:00}", ":x.textproto", [], "", ["x.textproto"]),
    ],
)
def test_sources_are_found_as_they_were(
    revision: str, path: str, sources: Sequence[str], sub: str, expected: list[str], published: Repository
) -> None:
    loaded = published.load(f"git:{revision}{path}", *sources, sub=sub)
    assert sorted(names(loaded)) == [f"git:{revision}:{name}" for name in expected]
    assert said(loaded) == []
    assert loaded.watched == ()


def test_a_whole_path_is_found_from_any_folder(published: Repository) -> None:
    whole = str(published.folder / "ops" / "b.textproto")
    assert names(published.load("git:v1", whole)) == ["git:v1:ops/b.textproto"]
    assert names(published.load("git:v1", whole, sub="with space")) == ["git:v1:../ops/b.textproto"]


def test_content_and_findings_are_those_of_the_revision(repository: Repository) -> None:
    repository.commit(
        "v1", {"ops/a.textproto": opset(1), "ops/b.textproto": 'magic: "ONNXOPSET" nonsense: 1'}
    )
    repository.commit("v2", {"ops/a.textproto": opset(2), "ops/b.textproto": opset(3)})
    repository.write({"ops/a.textproto": "neither"})
    old, new = (repository.load(f"git:{tag}", "ops") for tag in ("v1", "v2"))
    assert [item.opset_version for item in old.sets] == [1]
    assert [item.opset_version for item in new.sets] == [2, 3]
    (finding,) = old.findings
    assert (finding.file, finding.unusable) == ("git:v1:ops/b.textproto", True)


@pytest.mark.parametrize("tag", ["ver/1.2-rc", "größe", "a{b", "deadbeef"])
def test_any_name_of_a_revision_is_understood(tag: str, repository: Repository) -> None:
    repository.commit(tag, {"a.textproto": opset(1)})
    assert names(repository.load(f"git:{tag}", "a.textproto")) == [f"git:{tag}:a.textproto"]


def test_a_name_that_looks_like_an_option_is_a_name(repository: Repository) -> None:
    repository.commit("v1", {"a.textproto": opset(1)})
    repository.git("update-ref", "refs/tags/--all", "HEAD")
    assert names(repository.load("git:--all", "a.textproto")) == ["git:--all:a.textproto"]


# Where the repository is


def test_a_worktree_and_a_detached_head_do(repository: Repository, tmp_path: Path) -> None:
    repository.commit("v1", {"ops/a.textproto": opset(1)})
    repository.commit("v2", {"ops/a.textproto": opset(2)})
    repository.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"), "v2")
    loaded = Repository(tmp_path / "tree").load("git:v1", "ops")
    assert [item.opset_version for item in loaded.sets] == [1]


def test_a_shallow_clone_does_and_says_what_it_lacks(repository: Repository, tmp_path: Path) -> None:
    repository.commit("v1", {"a.textproto": opset(1)})
    repository.commit("v2", {"a.textproto": opset(2)})
    clone = Repository(tmp_path / "clone")
    repository.git("clone", "--quiet", "--depth=1", repository.folder.as_uri(), str(clone.folder))
    assert names(clone.load("git:HEAD", "a.textproto")) == ["git:HEAD:a.textproto"]
    assert clone.error("git:v1", "a.textproto") == (
        "git:v1: unknown revision; the nearest tags: v2. This clone is shallow:"
        " `git fetch --unshallow --tags`, or fetch depth 0 in CI, brings the rest"
    )


def test_a_bare_repository_does(repository: Repository, tmp_path: Path) -> None:
    repository.commit("v1", {"ops/a.textproto": opset(1)})
    repository.git("clone", "--quiet", "--bare", str(repository.folder), str(tmp_path / "bare"))
    assert names(Repository(tmp_path / "bare").load("git:v1", "ops")) == ["git:v1:ops/a.textproto"]


def test_variables_of_a_hook_do_not_lead_to_another_repository(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("v1", {"a.textproto": opset(1)})
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "objects"))
    (repository.folder / "docs").mkdir()
    assert names(repository.load("git:v1", "../a.textproto", sub="docs")) == ["git:v1:../a.textproto"]


# What cannot be read


ELSEWHERE = "\n  if it was elsewhere then, say where: git:v1:PATH"


@pytest.mark.parametrize(
    ("spec", "sources", "expected"),
    [
        ("git:", ["a.textproto"], "git:: write git:REV, or git:REV:PATH, with a revision that Git knows"),
        ("git::a", ["a.textproto"], "git::a: write git:REV, or git:REV:PATH, with a revision that Git knows"),
        ("git:v2.1", ["ops"], "git:v2.1: unknown revision; the nearest tags: v2, v1"),
        ("git:other", ["ops"], "git:other: unknown revision; the nearest tags: v2, v1"),
        ("git:-x", ["ops"], "git:-x: unknown revision; the nearest tags: v2, v1"),
        ("git:--help", ["ops"], "git:--help: unknown revision; the nearest tags: v2, v1"),
        ("git:--output=x", ["ops"], "git:--output=x: unknown revision; the nearest tags: v2, v1"),
        ("git:^v1", ["ops"], "git:^v1: unknown revision; the nearest tags: v1"),
        ("git:v1..v2", ["ops"], "git:v1..v2: unknown revision; the nearest tags: v2, v1"),
        ("git:a b\nc", ["ops"], r"git:a b\nc: unknown revision; the nearest tags: v2, v1"),
        ("git:v1\0", ["ops"], r"git:v1\x00: unknown revision; the nearest tags: v1"),
        ("git:\ud800", ["ops"], r"git:\ud800: unknown revision; the nearest tags: v2, v1"),
        ("git:v1", ["nope"], "git:v1: nope: does not exist" + ELSEWHERE),
        ("git:v1", ["ops", "x.textproto"], "git:v1: x.textproto: does not exist" + ELSEWHERE),
        ("git:v1:nope", ["ops"], "git:v1: nope: does not exist"),
        ("git:v1", ["ops/*.json"], "git:v1: ops/*.json: no file matches" + ELSEWHERE),
        ("git:v1", ["../ops"], "git:v1: ../ops: leads out of the repository"),
        ("git:v1:a\0b", ["ops"], "git:v1: a\0b: embedded null byte"),
        ("git:v1", ["docs"], "git:v1: no operator sets found (docs)" + ELSEWHERE),
        ("git:v1", [], "git:v1: no operator sets found (no source is given)" + ELSEWHERE),
        ("git:v1", ["ops", "-"], "git:v1: - is in no revision; name what to compare with as git:REV:PATH"),
        ("git:v1", ["onnx"], "git:v1: onnx is in no revision; name what to compare with as git:REV:PATH"),
        (
            "git:v1",
            ["lfs"],
            (
                "git:v1: no operator sets found (lfs)\n"
                "  lfs/f.textproto: is a Git LFS pointer: the real content was not downloaded"
                " (`git lfs pull` does it)"
            )
            + ELSEWHERE,
        ),
    ],
)
def test_what_cannot_be_read_is_said(
    spec: str, sources: Sequence[str], expected: str, published: Repository
) -> None:
    assert published.error(spec, *sources) == expected


def test_a_path_outside_the_repository_is_none_of_a_revision(repository: Repository, tmp_path: Path) -> None:
    repository.commit("v1", {"a.textproto": opset(1)})
    outside = tmp_path / "a.textproto"
    outside.write_text(opset(2))
    assert repository.error("git:v1", str(outside)).endswith("leads out of the repository")


def test_without_tags_it_is_said_how_to_get_them(repository: Repository) -> None:
    repository.commit("v1", {"a.textproto": opset(1)})
    repository.git("tag", "--delete", "v1")
    assert repository.error("git:v1", "a.textproto") == (
        "git:v1: unknown revision. There are no tags: `git fetch --tags` brings them"
    )


def test_an_empty_repository_has_no_revision(repository: Repository) -> None:
    assert repository.error("git:HEAD", "a.textproto").startswith("git:HEAD: unknown revision")


def test_a_folder_in_no_repository_is_named(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert Repository(tmp_path).error("git:v1", "a.textproto") == (
        f"git:v1: git in {tmp_path}: not a git repository (or any of the parent directories): .git"
    )


def test_what_git_refuses_is_said_in_one_line(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("v1", {"a.textproto": opset(1)})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    message = repository.error("git:v1", "a.textproto")
    assert message.startswith(f"git:v1: git in {repository.folder}: detected dubious ownership in repository")
    assert message.endswith(f"git config --global --add safe.directory {repository.folder}")
    assert "\n" not in message


def test_a_missing_git_is_said(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert repository.error("git:v1", "a.textproto") == (
        "git:v1: the command git is needed to read a revision, and was not found"
    )


# Links

LINKED = {
    "real/a.textproto": opset(1),
    "real/data.bin": opset(2),
    "elsewhere/b.textproto": opset(3),
}


@pytest.mark.parametrize(
    ("links", "source", "expected"),
    [
        ({"ops/l.textproto": "-> ../real/a.textproto"}, "ops", ["ops/l.textproto"]),
        ({"ops/l.textproto": "-> ../real/data.bin"}, "ops", ["ops/l.textproto"]),
        ({"ops": "-> real"}, "ops", ["ops/a.textproto"]),
        ({"ops": "-> real"}, "ops/a.textproto", ["ops/a.textproto"]),
        ({"ops": "-> real"}, "ops/*.textproto", ["ops/a.textproto"]),
        ({"ops": "-> real"}, "o*/a.textproto", ["ops/a.textproto"]),
        ({"ops": "-> real", "x/y": "-> ../ops"}, "x", ["x/y/a.textproto"]),
        ({"ops/1": "-> 2", "ops/2": "-> ./../real/"}, "ops/1/a.textproto", ["ops/1/a.textproto"]),
        ({"real/top": "-> .."}, "real", ["real/a.textproto", "real/top/elsewhere/b.textproto"]),
        ({"real/self": "-> ."}, "real", ["real/a.textproto"]),
        ({"x/deep": "-> ../real", "ops": "-> x/deep/../elsewhere"}, "ops", ["ops/b.textproto"]),
        (
            {"ops/twice.textproto": "-> ../real/a.textproto"},
            ".",
            ["elsewhere/b.textproto", "ops/twice.textproto"],
        ),
    ],
)
def test_links_inside_a_revision_are_followed(
    links: Mapping[str, str], source: str, expected: list[str], repository: Repository
) -> None:
    repository.commit("v1", {**LINKED, **links})
    loaded = repository.load("git:v1", source)
    assert sorted(names(loaded)) == [f"git:v1:{name}" for name in expected]
    assert said(loaded) == []


def test_a_base_that_was_a_link_is_followed(repository: Repository) -> None:
    repository.commit("v1", {**LINKED, "project": "-> real"})
    repository.commit("v2", {"project": None, "project/c.textproto": opset(4)})
    assert names(repository.load("git:v1", "a.textproto", sub="project")) == ["git:v1:a.textproto"]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("{outside}/secret.textproto", "leads out of the repository"),
        ("../../outside/secret.textproto", "leads out of the repository"),
        ("up/../outside/secret.textproto", "leads out of the repository"),
        ("l.textproto", "leads in a circle of links"),
        ("circle", "leads in a circle of links"),
        ("sub/a.textproto", "leads into the submodule ops/sub, whose files are not in this repository"),
        ("gone.textproto", "does not exist"),
    ],
)
def test_links_that_lead_away_are_not_followed(
    target: str, reason: str, repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.textproto").write_text(opset(9))
    repository.commit(
        "v1",
        {
            "ops/a.textproto": opset(1),
            "ops/up": "-> ../ops/../.",
            "ops/circle": "-> circle2",
            "ops/circle2": "-> circle",
            "ops/l.textproto": f"-> {target.format(outside=outside)}",
        },
    )
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},ops/sub")
    repository.record("v2")
    loaded = repository.load("git:v2", "ops")
    assert [item.opset_version for item in loaded.sets] == [1]
    findings = {item.file: item for item in loaded.findings}
    link = findings["git:v2:ops/l.textproto"]
    assert (link.level.name, link.message, link.unusable) == ("ERROR", f"broken link: {reason}", True)
    assert findings["git:v2:ops/circle"].level.name == "WARNING"


def test_a_source_that_leads_away_is_an_error(repository: Repository) -> None:
    repository.commit("v1", {"ops/a.textproto": opset(1), "out": "-> /", "circle": "-> circle"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repository.record("v2")
    assert repository.error("git:v2", "out/x") == "git:v2: out/x: leads out of the repository"
    assert repository.error("git:v2", "circle") == "git:v2: circle: leads in a circle of links"
    assert repository.error("git:v2", "sub/ops") == (
        "git:v2: sub/ops: leads into the submodule sub, whose files are not in this repository"
    )


def test_a_submodule_is_passed_over_and_said(repository: Repository) -> None:
    repository.commit("v1", {"docs/ops/a.textproto": opset(1)})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},docs/ops/sub")
    repository.record("v2")
    assert said(repository.load("git:v2", "ops", sub="docs")) == [
        ("WARNING", "git:v2:ops/sub", "skipped: a submodule, whose files are not in this repository")
    ]
    assert repository.error("git:v2", "sub", sub="docs/ops").startswith(
        "git:v2: sub: leads into the submodule"
    )


# What is touched


def test_nothing_is_touched_and_nothing_runs(repository: Repository, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    hook = f"#!/bin/sh\ntouch {marker}\ncat\n"
    files = {
        ".gitattributes": "*.textproto filter=mark eol=crlf export-ignore export-subst ident diff=mark\n",
        "ops/a.textproto": "# $Id$ $Format:%H$\n" + opset(1),
    }
    repository.commit("v1", files)
    repository.commit("v2", {"ops/a.textproto": None})
    repository.write({"ops/b.textproto": "untracked"})
    for name in ("post-checkout", "post-index-change", "fsmonitor", "reference-transaction"):
        path = repository.folder / ".git" / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(hook)
        path.chmod(0o755)
    for key in ("filter.mark.smudge", "filter.mark.process", "diff.mark.textconv", "core.fsmonitor"):
        repository.git("config", key, str(repository.folder / ".git" / "hooks" / "post-checkout"))
    before = content(repository.folder)
    loaded = repository.load("git:v1", "ops")
    assert [item.text.content for item in loaded.sets if item.text] == [files["ops/a.textproto"]]
    assert content(repository.folder) == before
    assert not marker.exists()
    assert content(tmp_path / "temporary") == {}


@pytest.mark.parametrize("filter_", ["blob:none", "tree:0"])
def test_a_partial_clone_fetches_nothing(filter_: str, repository: Repository, tmp_path: Path) -> None:
    repository.commit("v1", {"ops/a.textproto": opset(1)})
    repository.commit("v2", {"ops/a.textproto": opset(2)})
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = Repository(tmp_path / "clone")
    where = (repository.folder.as_uri(), str(clone.folder))
    repository.git("clone", "--quiet", f"--filter={filter_}", *where)
    before = content(clone.folder)
    assert clone.error("git:v1", "ops").startswith("git:v1: this is a partial clone that lacks files")
    assert content(clone.folder) == before
    assert [item.opset_version for item in clone.load("git:v2", "ops").sets] == [2]


def tree(repository: Repository, *entries: tuple[str, str, str]) -> str:
    """Write a tree object that Git itself would not make, and return its id."""
    data = b"".join(f"{mode} {name}\0".encode() + bytes.fromhex(id_) for mode, name, id_ in entries)
    return repository.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=data)


@pytest.mark.parametrize("name", ["..", ".", "../../escape.textproto", "/escape.textproto"])
def test_names_that_lead_away_are_refused(name: str, repository: Repository, tmp_path: Path) -> None:
    blob = repository.git("hash-object", "-w", "--stdin", stdin=opset(1).encode())
    inner = tree(repository, ("100644", "escape.textproto", blob))
    is_file = name.endswith("textproto")
    entry = ("100644", name, blob) if is_file else ("40000", name, inner)
    top = tree(repository, ("40000", "ops", tree(repository, entry)))
    repository.git("tag", "v1", repository.git("commit-tree", top, "-m", "Odd"))
    before = content(tmp_path)
    assert repository.error("git:v1", "ops").endswith("is no name of a file on this system")
    assert content(tmp_path) == before


@pytest.mark.parametrize("link_first", [True, False])
def test_nothing_is_written_through_a_link(link_first: bool, repository: Repository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    blob = repository.git("hash-object", "-w", "--stdin", stdin=opset(1).encode())
    link = repository.git("hash-object", "-w", "--stdin", stdin=str(outside).encode())
    folder = tree(repository, ("100644", "a.textproto", blob))
    # A folder and a link of one name.
    entries = [("120000", "ops", link), ("40000", "ops", folder)]
    top = tree(repository, *(entries if link_first else reversed(entries)))
    repository.git("tag", "v1", repository.git("commit-tree", top, "-m", "Odd"))
    with contextlib.suppress(SourceError):
        repository.load("git:v1", ".")
    assert content(outside) == {}


def test_of_a_file_that_is_too_large_only_the_beginning_is_read(repository: Repository) -> None:
    large = opset(2) + "#" * 2 * MAX_SIZE
    repository.commit("v1", {"a.textproto": opset(1), "b.textproto": large, "c.textproto": opset(3)})
    loaded = repository.load("git:v1", ".")
    assert [item.opset_version for item in loaded.sets] == [1, 3]
    [finding] = loaded.findings
    assert str(finding) == "git:v1:b.textproto: too large for an operator set: more than 16,777,216 bytes"


def test_a_link_to_an_endless_path_is_broken(repository: Repository) -> None:
    target = repository.git("hash-object", "-w", "--stdin", stdin=b"./" * 5_000 + b"a.textproto")
    repository.write({"a.textproto": opset(1)})
    repository.git("add", "--all")
    repository.git("update-index", "--add", "--cacheinfo", f"120000,{target},b.textproto")
    repository.record("v1")
    loaded = repository.load("git:v1", ".")
    assert [item.opset_version for item in loaded.sets] == [1]
    [finding] = loaded.findings
    assert str(finding) == "git:v1:b.textproto: broken link: leads to a path that is too long"
