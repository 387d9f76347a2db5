"""Fuzzing for a short while, always the same; and what it has found. `fuzz/README.md` has the long runs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from google.protobuf import text_format

from fuzz import catalogs
from fuzz.examine import examine, live_markup, make_site
from fuzz.inputs import seeds
from fuzz.mutation import mutated, read, written
from opsetdocs import schema
from opsetdocs.history import build_catalog
from opsetdocs.loader import from_message
from opsetdocs.model import Format

ROOT = Path(__file__).parent.parent

SET = 'magic: "ONNXOPSET" ir_version: 10 domain: "com.example" opset_version: %d\n'

FOUND = {
    "a node without an op_type": [SET % 1 + 'functions { name: "F" node { metadata_props { key: "a" } } }'],
    "a version that follows a higher one": [
        SET % 2 + 'functions { name: "F" }',
        SET % 3 + 'operator { op_type: "F" since_version: 1 status: EXPERIMENTAL }',
    ],
}
"""What once broke opsetdocs, as files that belong together."""


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND)
def test_what_was_found_is_survived(files: list[str]) -> None:
    messages = [text_format.Parse(text, schema.OperatorSetProto()) for text in files]
    for message in messages:
        for file_format in Format:
            assert examine(written(message, file_format), file_format)
    catalogs.examine(messages)


def test_a_version_that_follows_a_higher_one_is_compared_with_that() -> None:
    def file(opset: int, since_version: int, default: int) -> str:
        doc = f"## Attributes\\n\\n- `a` (default `{default}`) : int\\n"
        return (
            SET % opset
            + f'operator {{ op_type: "F" since_version: {since_version} status: STABLE doc_string: "{doc}" }}'
        )

    files = [file(1, 1, 10), file(2, 2, 20), file(3, 1, 10)]
    sets = [
        from_message(text_format.Parse(text, schema.OperatorSetProto()), f"{number}")
        for number, text in enumerate(files)
    ]
    pages = {page.address: page.html for page in make_site(build_catalog(sets))}
    assert 'operators/F/1-2/">F</a> 2 to 1' in pages["com.example/opsets/3/"]
    assert "20" in pages["com.example/opsets/3/"]
    assert "com.example/operators/F/1-2/" in pages


@pytest.mark.parametrize("what", ["binary", "text", "json"])
def test_some_inputs_of_each_format_are_survived(what: str, tmp_path: Path) -> None:
    result = fuzz(what, "--unguided", "--runs", "1000", "--seed", "3", "--folder", str(tmp_path))
    assert f"{what}: 1000 inputs" in result.stderr
    assert not list(tmp_path.glob("*/*")), "the input is left where something is found"


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_some_inputs_are_guided_by_coverage(tmp_path: Path) -> None:
    result = fuzz("binary", "--runs", "1000", "--folder", str(tmp_path))
    assert "Done 1000 runs" in result.stderr
    assert len(list((tmp_path / "binary" / "corpus").iterdir())) > len([*seeds(Format.BINARY)])


def test_some_catalogs_are_survived() -> None:
    assert "catalog: 100 catalogs" in fuzz("catalog", "--runs", "100").stdout


def test_dense_texts_are_survived() -> None:
    assert "texts of 500 characters, nothing found" in fuzz("dense", "--length", "500").stdout


def fuzz(*arguments: str) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        [sys.executable, "-m", "fuzz", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-4000:]
    return result


@pytest.mark.parametrize("file_format", Format)
def test_seeds_can_be_read(file_format: Format) -> None:
    for name, content in seeds(file_format):
        assert examine(content, file_format), name


@pytest.mark.parametrize("file_format", Format)
def test_mutated_inputs_are_of_both_kinds(file_format: Format) -> None:
    """Were all of them refused, or none of them, half of the code would never be reached."""
    [(_, seed), *_] = seeds(file_format)
    inputs = [mutated(seed, file_format, Random(number)) for number in range(200)]
    readable = sum(read(data, file_format) is not None for data in inputs)
    assert 40 < readable < 190
    assert len(set(inputs)) > 150


@pytest.mark.parametrize(
    ("html", "live"),
    [
        ("<p>text</p>", ""),
        ('<a href="https://x.example/">x</a> <a href="../y/#z">y</a>', ""),
        ('<p title="a > b onclick=c">x</p>', ""),
        ("<p>x</p><script>", "<script>"),
        ('<p onclick="x">', '<p onclick="x">'),
        ("<p onclick>", "<p onclick>"),
        ('<a href="javascript:x">', '<a href="javascript:x">'),
        ('<a href="&#106;avascript:x">', '<a href="&#106;avascript:x">'),
        ('<i style="a">', '<i style="a">'),
    ],
)
def test_live_markup_is_seen(html: str, live: str) -> None:
    assert live_markup(html) == live
