"""The message classes, and that they keep clear of those of the onnx package."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from opsetdocs import schema
from opsetdocs.errors import OpsetdocsError


def run_python(code: str) -> str:
    """Run code in a fresh interpreter, with warnings as errors."""
    result = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


READ = """
from opsetdocs.loader import parse
opset = parse(b'magic: "ONNXOPSET" functions { name: "F" since_version: 3 status: STABLE }', "a.textproto")
assert (opset.functions[0].since_version, opset.functions[0].status.number) == (3, 1)
"""
ONNX = """
import onnx
from onnx.onnx_operators_ml_pb2 import OperatorSetProto
from google.protobuf.descriptor_pool import Default
assert Default().FindMessageTypeByName("onnx.OperatorSetProto") is OperatorSetProto.DESCRIPTOR
assert "since_version" not in onnx.FunctionProto.DESCRIPTOR.fields_by_name
model = 'agraph (float x) => (float y) { y = Relu(x) }'
onnx.checker.check_graph(onnx.parser.parse_graph(model))
"""


@pytest.mark.parametrize("code", [READ + ONNX, ONNX + READ], ids=["before onnx", "after onnx"])
def test_classes_do_not_clash_with_those_of_onnx(code: str) -> None:
    run_python(code)


def test_reading_a_file_does_not_import_onnx() -> None:
    assert (
        run_python(f"{READ}\nimport sys\nprint('onnx' in sys.modules, 'numpy' in sys.modules)")
        == "False False"
    )


def test_the_classes_have_all_fields_of_the_onnx_package() -> None:
    from onnx import onnx_ml_pb2, onnx_operators_ml_pb2

    for module in (onnx_ml_pb2, onnx_operators_ml_pb2):
        for name, theirs in module.DESCRIPTOR.message_types_by_name.items():
            ours = schema.descriptor(name)
            added = set(ours.fields_by_name) - set(theirs.fields_by_name)
            assert set(theirs.fields_by_name) <= set(ours.fields_by_name), name
            assert added == ({"since_version", "status"} if name == "FunctionProto" else set())


def test_each_class_is_made_once() -> None:
    assert schema.OperatorSetProto is schema.message_class("OperatorSetProto")
    assert type(schema.OperatorSetProto().functions.add()) is schema.FunctionProto


@pytest.mark.parametrize("name", ["NoSuchProto", "__path__", "enumm"])
def test_other_names_are_no_attributes(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(schema, name)


@pytest.fixture
def fresh_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the classes be made anew, and the old ones come back afterwards."""
    monkeypatch.setattr(schema, "_pool", schema._pool.__wrapped__)


def onnx_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = ModuleSpec("onnx", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)


@pytest.mark.usefixtures("fresh_schema")
@pytest.mark.parametrize(
    "content", [None, "DESCRIPTOR = None\n", "not python ("], ids=["no file", "other", "broken"]
)
def test_another_layout_of_onnx_is_read_by_importing_it(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        for module in ("onnx_ml_pb2", "onnx_operators_ml_pb2"):
            (tmp_path / f"{module}.py").write_text(content)
    onnx_at(tmp_path, monkeypatch)
    assert "status" in schema.descriptor("FunctionProto").fields_by_name


@pytest.mark.usefixtures("fresh_schema")
def test_onnx_that_cannot_be_imported_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx_at(tmp_path, monkeypatch)
    monkeypatch.setitem(sys.modules, "onnx.onnx_ml_pb2", None)
    with pytest.raises(OpsetdocsError, match="does not give its descriptors"):
        schema.descriptor("OperatorSetProto")


@pytest.mark.usefixtures("fresh_schema")
def test_missing_onnx_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OpsetdocsError, match="not installed"):
        schema.descriptor("OperatorSetProto")


@pytest.mark.usefixtures("fresh_schema")
@pytest.mark.parametrize("data", [b"\xff", b""], ids=["damaged", "without the messages"])
def test_descriptors_that_are_not_understood_are_an_error(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("onnx_ml_pb2", "onnx_operators_ml_pb2"):
        (tmp_path / f"{module}.py").write_text(f"DESCRIPTOR = pool.AddSerializedFile({data!r})\n")
    onnx_at(tmp_path, monkeypatch)
    with pytest.raises(OpsetdocsError, match="does not understand"):
        schema.descriptor("OperatorSetProto")
