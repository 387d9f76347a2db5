"""From SOURCE arguments to operator sets: what is found, what is said, what is watched."""

from __future__ import annotations

import io
import os
import shutil
import socket
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format

from opsetdocs import schema
from opsetdocs.errors import SourceError
from opsetdocs.findings import Level
from opsetdocs.loader import MAX_SIZE
from opsetdocs.sources import Loaded, load

CASES = Path(__file__).parent / "cases"
PLAIN = (CASES / "L3-plain.textproto").read_bytes()


def opset(version: int = 1, domain: str = "com.example") -> str:
    return f'magic: "ONNXOPSET" ir_version: 10 domain: "{domain}" opset_version: {version}'


def model() -> bytes:
    message = schema.ModelProto(ir_version=8, producer_name="test")
    message.graph.node.add(op_type="Relu", input=["x"], output=["y"])
    return message.SerializeToString()


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes files below a folder and returns it; `None` makes a folder."""

    def write(files: dict[str, str | bytes | None]) -> Path:
        for name, data in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if data is None:
                path.mkdir()
            else:
                path.write_bytes(data.encode() if isinstance(data, str) else data)
        return tmp_path

    return write


def names(loaded: Loaded) -> list[str]:
    return [item.source for item in loaded.sets]


def said(loaded: Loaded) -> list[tuple[str, str, str]]:
    return [(item.level.name, item.file, item.message) for item in loaded.findings]


# What the sources lead to

FILES: dict[str, str | bytes | None] = {
    "a.textproto": opset(1),
    "sets/b.prototxt": opset(2),
    "sets/deep/er/c.PBTXT": opset(3),
    "sets/d.txtpb": opset(4),
    "sets/e.onnxopset": text_format.Parse(opset(5), schema.OperatorSetProto()).SerializeToString(),
    "sets/f.json": '{"magic": "ONNXOPSET", "domain": "com.example", "opsetVersion": 6}',
    "sets/g.onnxjson": '{"magic": "ONNXOPSET", "domain": "com.example", "opset_version": 7}',
    "sets/h.pb": opset(8),
    "sets/i.onnx": opset(9),
    "sets/notes.md": "# Notes\n",
    "sets/j.bin": opset(10),
    "sets/.hidden.textproto": opset(11),
    "sets/.git/k.textproto": opset(12),
    "onnx": opset(13),
    "odd[1].textproto": opset(14),
}
SETS = [
    "sets/b.prototxt",
    "sets/deep/er/c.PBTXT",
    "sets/d.txtpb",
    "sets/e.onnxopset",
    "sets/f.json",
    "sets/g.onnxjson",
    "sets/h.pb",
    "sets/i.onnx",
]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a.textproto"], ["a.textproto"]),
        (["./a.textproto"], ["a.textproto"]),
        (["sets"], SETS),
        (["sets/"], SETS),
        (["."], ["a.textproto", *SETS, "odd[1].textproto"]),
        (["sets/j.bin"], ["sets/j.bin"]),
        (["sets/.hidden.textproto"], ["sets/.hidden.textproto"]),
        (["sets/.git"], ["sets/.git/k.textproto"]),
        (["./onnx"], ["onnx"]),
        (["odd[1].textproto"], ["odd[1].textproto"]),
        (["*.textproto"], ["a.textproto", "odd[1].textproto"]),
        (["sets/*.p*"], ["sets/b.prototxt", "sets/h.pb"]),
        (["s?ts/[bd].*"], ["sets/b.prototxt", "sets/d.txtpb"]),
        (["**/*.prototxt"], ["sets/b.prototxt"]),
        (["**/c.PBTXT"], ["sets/deep/er/c.PBTXT"]),
        (["*/deep/*/c.PBTXT"], ["sets/deep/er/c.PBTXT"]),
        (["*/**/c.PBTXT"], ["sets/deep/er/c.PBTXT"]),
        (["sets/**"], SETS),
        (["sets/*.bin"], ["sets/j.bin"]),
        (["sets/.h*"], ["sets/.hidden.textproto"]),
        (["sets/b.prototxt", "sets", "sets/*.prototxt", "**/b.prototxt"], SETS),
    ],
    ids=" ".join,
)
def test_files_are_found(given: Sequence[str], expected: list[str], tree: Callable[..., Path]) -> None:
    loaded = load(given, base=tree(FILES))
    assert names(loaded) == expected
    assert loaded.findings == ()
    assert load(given[::-1], base=tree(FILES)) == loaded


def test_names_are_those_that_the_user_gave(tree: Callable[..., Path]) -> None:
    base = tree(FILES)
    assert names(load([str(base / "a.textproto")], base=base)) == ["a.textproto"]
    assert names(load([str(base / "a.textproto")], base=base / "sets")) == [(base / "a.textproto").as_posix()]
    assert names(load(["../a.textproto"], base=base / "sets")) == ["../a.textproto"]


def test_a_relative_base_is_below_the_current_folder(
    tree: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree(FILES)
    monkeypatch.chdir(base)
    assert names(load([str(base / "sets" / "b.prototxt")], base=Path())) == ["sets/b.prototxt"]


def test_sets_are_in_order_of_domain_and_version(tree: Callable[..., Path]) -> None:
    files = {
        "1.textproto": opset(10),
        "2.textproto": opset(9),
        "3.textproto": opset(1, "com.abc"),
        "4.textproto": opset(2, ""),
        "5.textproto": opset(1, "ai.onnx"),
        "6.textproto": 'magic: "ONNXOPSET" domain: "com.abc"',
    }
    expected = [f"{number}.textproto" for number in (5, 4, 6, 3, 2, 1)]
    base = tree(files)
    assert names(load(list(files), base=base)) == expected
    assert names(load(list(reversed(files)), base=base)) == expected


# Standard input and the onnx package


def test_standard_input_is_read_once(tree: Callable[..., Path]) -> None:
    loaded = load(["-", "-"], base=tree({}), stdin=io.BytesIO(PLAIN))
    assert names(loaded) == ["-"]
    assert loaded.watched == ()


def test_standard_input_of_the_process_is_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN)))
    assert names(load(["-"], base=tmp_path)) == ["-"]


@pytest.mark.parametrize("stdin", [None, io.StringIO("text")])
def test_missing_standard_input_is_an_error(
    stdin: object, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(SourceError, match="there is no standard input"):
        load(["-"], base=tmp_path)


def test_closed_standard_input_is_an_error(tmp_path: Path) -> None:
    stream = io.BytesIO()
    stream.close()
    with pytest.raises(SourceError, match="standard input cannot be read"):
        load(["-"], base=tmp_path, stdin=stream)


def test_the_source_onnx_is_the_installed_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    export: Any = types.ModuleType("opsetdocs.export")
    messages = [text_format.Parse(opset(n, ""), schema.OperatorSetProto()) for n in (2, 1)]
    export.registry_sets = lambda: iter(messages)
    monkeypatch.setitem(sys.modules, "opsetdocs.export", export)
    (tmp_path / "onnx").mkdir()
    assert names(load(["onnx"], base=tmp_path)) == ["onnx: ai.onnx-1", "onnx: ai.onnx-2"]


# One broken file


def test_the_other_files_are_read_beside_broken_ones(tree: Callable[..., Path]) -> None:
    binary = text_format.Parse(PLAIN, schema.OperatorSetProto()).SerializeToString()
    base = tree(
        {
            "sets/bad.textproto": (CASES / "L8-typo-field.textproto").read_bytes(),
            "sets/cut.pb": binary[:-3],
            "sets/empty.json": b"",
            "sets/good.textproto": PLAIN,
            "sets/lfs.onnx": (CASES / "L2-lfs-pointer.textproto").read_bytes(),
            "sets/page.textproto": b"<!DOCTYPE html><html></html>",
            "sets/wrong.onnxopset": b"PK\x03\x04",
            "sets/extra.pb": binary + b"\x78\x05",
        }
    )
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/extra.pb", "sets/good.textproto"]
    assert [(level, file, message[:30]) for level, file, message in said(loaded)] == [
        ("ERROR", "sets/bad.textproto", "OperatorSetProto has no field "),
        ("ERROR", "sets/cut.pb", "truncated or damaged (151 byte"),
        ("ERROR", "sets/empty.json", "Empty file"),
        ("ERROR", "sets/lfs.onnx", "is a Git LFS pointer: the real"),
        ("ERROR", "sets/page.textproto", "looks like an HTML page rather"),
        ("ERROR", "sets/wrong.onnxopset", "looks like a zip archive (a wh"),
    ]
    assert (loaded.findings[0].line, loaded.findings[0].column) == (6, 1)
    assert all(finding.unusable for finding in loaded.findings)
    assert [field.number for field in loaded.sets[0].unknown_fields] == [15]


OTHERS = {
    "sets/model.onnx": model(),
    "sets/package.json": b'{"name": "x", "dependencies": {}}',
    "sets/graph.pbtxt": b'node { name: "a" op: "Relu" }',
    "sets/frozen.pb": b"\x0a\x0a\x0a\x01x\x12\x05Const\x22\x00",
    "sets/good.textproto": PLAIN,
}


@pytest.mark.parametrize("source", ["sets", "sets/*", "**/*"])
def test_what_is_no_operator_set_is_passed_over_with_a_note(source: str, tree: Callable[..., Path]) -> None:
    loaded = load([source], base=tree(OTHERS))
    assert names(loaded) == ["sets/good.textproto"]
    assert said(loaded) == [
        ("NOTE", "sets/frozen.pb", "skipped: nothing in it belongs to an operator set"),
        ("NOTE", "sets/graph.pbtxt", "skipped: nothing in it belongs to an operator set"),
        ("NOTE", "sets/model.onnx", "skipped: looks like an ONNX model rather than an operator set"),
        ("NOTE", "sets/package.json", "skipped: nothing in it belongs to an operator set"),
    ]


@pytest.mark.parametrize("name", [name for name in OTHERS if "good" not in name])
def test_what_is_no_operator_set_is_an_error_where_it_is_named(name: str, tree: Callable[..., Path]) -> None:
    loaded = load(["sets", name], base=tree(OTHERS))
    assert [finding.file for finding in loaded.findings if finding.level is Level.ERROR] == [name]


def test_a_file_that_cannot_be_read_is_an_error(
    tree: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree({"sets/a.textproto": PLAIN, "sets/b.textproto": PLAIN})
    open_file = os.open

    def refuse(path: Path, flags: int) -> int:
        if path.name == "b.textproto":
            raise PermissionError(13, "Permission denied")
        return open_file(path, flags)

    monkeypatch.setattr(os, "open", refuse)
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/a.textproto"]
    assert said(loaded) == [("ERROR", "sets/b.textproto", "cannot be read: Permission denied")]


def test_a_file_that_is_too_large_is_an_error_unless_it_is_something_else(tree: Callable[..., Path]) -> None:
    base = tree(
        {
            "sets/a.textproto": PLAIN,
            "sets/b.textproto": PLAIN + b"#" * MAX_SIZE,
            "sets/c.onnxopset": b"",
            "sets/d.pb": b"",
        }
    )
    for name in ("c.onnxopset", "d.pb"):  # as long as a disk, without a byte on it
        os.truncate(base / "sets" / name, 2**40)
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/a.textproto"]
    too_large = "too large for an operator set: more than 16,777,216 bytes"
    assert said(loaded) == [
        ("ERROR", "sets/b.textproto", too_large),
        ("ERROR", "sets/c.onnxopset", too_large),
        ("NOTE", "sets/d.pb", "skipped: nothing in it belongs to an operator set"),
    ]


def test_standard_input_is_read_up_to_the_greatest_size(tree: Callable[..., Path]) -> None:
    stream = io.BytesIO(PLAIN + b"#" * 2 * MAX_SIZE)
    with pytest.raises(SourceError, match="too large"):
        load(["-"], base=tree({}), stdin=stream)
    assert stream.tell() == MAX_SIZE + 1


def test_a_folder_that_cannot_be_read_is_an_error(
    tree: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree({"sets/a.textproto": PLAIN, "sets/secret": None})
    iterdir = Path.iterdir

    def refuse(path: Path) -> Any:
        if path.name == "secret":
            raise PermissionError(13, "Permission denied")
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert said(load(["sets"], base=base)) == [("ERROR", "sets/secret", "cannot be read: Permission denied")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_never_waited_for(tree: Callable[..., Path]) -> None:
    base = tree({"sets/a.textproto": PLAIN})
    os.mkfifo(base / "sets" / "pipe.textproto")
    for source in ("sets", "sets/*.textproto"):
        loaded = load([source], base=base)
        assert (names(loaded), said(loaded)) == (["sets/a.textproto"], [])
    with pytest.raises(SourceError, match="neither a file nor a folder"):
        load(["sets/pipe.textproto"], base=base)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_file_that_becomes_a_pipe_is_not_waited_for(
    tree: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree({"sets/a.textproto": opset(1), "sets/b.textproto": opset(2)})
    open_file = os.open

    def replace(path: Path, flags: int) -> int:
        if path.name == "b.textproto":
            path.unlink()
            os.mkfifo(path)
        return open_file(path, flags)

    monkeypatch.setattr(os, "open", replace)
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/a.textproto"]
    assert said(loaded) == [("ERROR", "sets/b.textproto", "cannot be read: it is not a file any more")]


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.write(b"# more"),
        lambda file: file.truncate(10),
        lambda file: os.utime(file.fileno(), (1, 1)),
    ],
    ids=["grows", "shrinks", "is written again"],
)
def test_a_file_that_changes_while_it_is_read_is_an_error(
    change: Callable[[Any], object], tree: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tree({"sets/a.textproto": opset(1), "sets/b.textproto": opset(2)})
    status = os.fstat
    asked: list[int] = []

    def then_change(descriptor: int) -> os.stat_result:
        found = status(descriptor)
        if os.path.samestat(found, (base / "sets/b.textproto").stat()) and not asked:
            asked.append(descriptor)
            with (base / "sets/b.textproto").open("ab") as file:
                change(file)
        return found

    monkeypatch.setattr(os, "fstat", then_change)
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/a.textproto"]
    assert said(loaded) == [("ERROR", "sets/b.textproto", "cannot be read: it changes while it is read")]


@pytest.mark.skipif(not Path("/dev/zero").is_char_device(), reason="the system has no such device")
def test_a_device_or_socket_is_no_file(tree: Callable[..., Path]) -> None:
    base = tree({"sets/a.textproto": PLAIN})
    link(base / "sets" / "zero.textproto", "/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(base / "sets" / "socket.textproto"))
        for source in ("sets", "sets/*.textproto"):
            loaded = load([source], base=base)
            assert (names(loaded), said(loaded)) == (["sets/a.textproto"], [])
        for name in ("zero", "socket"):
            with pytest.raises(SourceError, match="neither a file nor a folder"):
                load([f"sets/{name}.textproto"], base=base)


def test_a_folder_of_many_files_and_many_folders(tree: Callable[..., Path]) -> None:
    base = tree({"sets/a.textproto": PLAIN})
    for number in range(3000):
        (base / "sets" / f"{number}.txt").touch()
    deepest = base / "sets"
    while len(str(deepest)) < 900:  # on some systems a path has 1,024 characters at most
        deepest /= "d"
    deepest.mkdir(parents=True)
    (deepest / "b.textproto").write_text(opset(7))
    for source in ("sets", "sets/**", "**/*.textproto"):
        loaded = load([source], base=base)
        assert [Path(name).name for name in names(loaded)] == ["a.textproto", "b.textproto"]
        assert said(loaded) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_file_name_that_is_no_text(tree: Callable[..., Path]) -> None:
    base = tree({"sets/b\n\x1b[31m.textproto": opset(2), "sets/c\udcff.textproto": ""})
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/b\n\x1b[31m.textproto"]
    assert said(loaded) == [("ERROR", "sets/c\udcff.textproto", "Empty file")]


# No operator set at all


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no operator sets found (no source is given)"),
        (["empty"], "no operator sets found (empty)"),
        (["empty", "notes"], "no operator sets found (empty, notes)"),
        (["notes/a.md"], "no operator sets found (notes/a.md)\n  notes/a.md: not an operator set in any"),
        (["bad.textproto"], "no operator sets found (bad.textproto)\n  bad.textproto: Empty file"),
        (["missing.textproto"], "missing.textproto: does not exist"),
        (["a.textproto", "missing"], "missing: does not exist"),
        (["a.textproto/b"], "a.textproto/b: Not a directory"),
        (["*.nothing"], "*.nothing: no file matches"),
        (["missing/*.textproto"], "missing/*.textproto: no file matches"),
        (["no\0name"], "no\0name: "),
    ],
)
def test_sources_without_an_operator_set_are_an_error(
    given: Sequence[str], message: str, tree: Callable[..., Path]
) -> None:
    base = tree({"a.textproto": PLAIN, "empty": None, "notes/a.md": "# Notes\n", "bad.textproto": b""})
    with pytest.raises(SourceError) as caught:
        load(given, base=base)
    assert str(caught.value).startswith(message)


# S4: links


def link(path: Path, target: str | Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.symlink_to(target)
    except OSError:  # pragma: no cover - Windows without the right to make links
        pytest.skip("links cannot be made here")


def test_links_are_followed_and_watched_at_their_real_place(tree: Callable[..., Path]) -> None:
    base = tree({"sets/a.textproto": opset(1), "away/b.textproto": opset(2), "far/c.textproto": opset(3)})
    link(base / "sets" / "b.textproto", base / "away" / "b.textproto")
    link(base / "sets" / "far", base / "far")
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/a.textproto", "sets/b.textproto", "sets/far/c.textproto"]
    real = Path(os.path.realpath(base))
    assert {real / "sets", real / "away" / "b.textproto", real / "far"} <= set(loaded.watched)


def test_links_in_a_circle_end(tree: Callable[..., Path]) -> None:
    base = tree({"sets/a.textproto": opset(1), "sets/sub/b.textproto": opset(2)})
    for name in ("self", "again", "sub/up"):
        link(base / "sets" / name, base / "sets")
    for source in ("sets", "sets/**/*.textproto", "**"):
        loaded = load([source], base=base)
        assert [Path(name).name for name in names(loaded)] == ["a.textproto", "b.textproto"]
        assert loaded.findings == ()


def test_a_broken_link_is_a_finding(tree: Callable[..., Path]) -> None:
    base = tree({"sets/a.textproto": opset(1)})
    link(base / "sets" / "gone.textproto", base / "nowhere")
    link(base / "sets" / "folder", base / "nowhere")
    link(base / "sets" / "loop.pb", base / "sets" / "loop.pb")
    link(base / "sets" / ".hidden.pb", base / "nowhere")
    loaded = load(["sets"], base=base)
    assert names(loaded) == ["sets/a.textproto"]
    assert [item[:2] for item in said(loaded)] == [
        ("WARNING", "sets/folder"),
        ("ERROR", "sets/gone.textproto"),
        ("ERROR", "sets/loop.pb"),
    ]
    assert said(loaded)[1][2] == "broken link: does not exist"


def test_a_named_broken_link_is_an_error(tree: Callable[..., Path]) -> None:
    base = tree({})
    link(base / "gone.textproto", base / "nowhere")
    with pytest.raises(SourceError, match=r"gone\.textproto: does not exist"):
        load(["gone.textproto"], base=base)


def test_a_file_that_is_reached_twice_is_read_once(tree: Callable[..., Path]) -> None:
    base = tree({"sets/b.textproto": opset(1)})
    link(base / "sets" / "a.textproto", base / "sets" / "b.textproto")
    link(base / "more", base / "sets")
    given = ["sets", "more", "sets/b.textproto", "sets/*.textproto"]
    assert names(load(given, base=base)) == ["sets/b.textproto"]
    assert names(load(given[::-1], base=base)) == ["sets/b.textproto"]
    assert names(load(given[:2], base=base)) == ["more/a.textproto"]


# What is watched


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a.textproto"], ["a.textproto"]),
        (["sets"], ["sets", "sets/b.prototxt"]),
        (["sets/*.prototxt"], ["sets", "sets/b.prototxt"]),
        (["*.textproto"], ["a.textproto"]),
        (["**/*.prototxt"], ["sets/b.prototxt"]),
    ],
    ids=" ".join,
)
def test_what_is_read_is_watched(given: list[str], expected: list[str], tree: Callable[..., Path]) -> None:
    base = tree({"a.textproto": opset(1), "sets/b.prototxt": opset(2), "site/index.html": ""})
    real = Path(os.path.realpath(base))
    assert list(load(given, base=base).watched) == [real / name for name in expected]


def test_broken_files_are_watched_too(tree: Callable[..., Path]) -> None:
    base = tree({"a.textproto": PLAIN, "bad.textproto": b""})
    watched = load(["a.textproto", "bad.textproto"], base=base).watched
    assert [path.name for path in watched] == ["a.textproto", "bad.textproto"]


def test_all_given_cases_are_read_in_one_run(tmp_path: Path) -> None:
    shutil.copytree(CASES, tmp_path / "cases")
    loaded = load(["cases"], base=tmp_path)
    broken = {Path(item.file).name.split("-")[0] for item in loaded.findings if item.level is Level.ERROR}
    assert broken == {"L1", "L2", "L5", "L6", "L8", "L9", "L11"}
    assert not any(item.level is Level.NOTE for item in loaded.findings)
