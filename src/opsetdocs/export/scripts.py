"""The functions that a Python file defines with onnxscript, as operator sets."""

from __future__ import annotations

import contextlib
import runpy
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnx

from opsetdocs.errors import FileError, SourceError
from opsetdocs.export.models import function_set
from opsetdocs.model import domain_name

if TYPE_CHECKING:
    from onnx.onnx_operators_ml_pb2 import OperatorSetProto


def script_sets(file: Path) -> list[OperatorSetProto]:
    """Run a Python file, and return an operator set for each opset of its onnxscript functions.

    Args:
        file: The file. It is run as Python runs it, from its own folder, so that it has to be one to trust.

    Raises:
        SourceError: onnxscript is not installed.
        FileError: The file fails.
    """
    try:
        onnxscript: Any = import_module("onnxscript")
    except ImportError as err:
        raise SourceError(
            f"the package onnxscript, which {file} needs, cannot be imported: {err}; "
            'pip install "opsetdocs[onnxscript]" brings it'
        ) from err
    by_opset: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for value in _run(file).values():
        if isinstance(value, onnxscript.OnnxFunction):
            by_opset[domain_name(value.opset.domain), value.opset.version].append(value)
    return [
        function_set(_messages(functions, file), opset, onnx.IR_VERSION, file.name)
        for (_, opset), functions in by_opset.items()
    ]


def _run(file: Path) -> dict[str, Any]:
    sys.path.insert(0, str(file.parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return runpy.run_path(str(file))
    except (Exception, SystemExit) as err:
        raise FileError(str(file), f"fails when it is run: {type(err).__name__}: {err}") from err
    finally:
        sys.path.remove(str(file.parent))


def _messages(functions: list[Any], file: Path) -> list[onnx.FunctionProto]:
    """Translate functions; one that has two names in the file counts once."""
    try:
        return [function.to_function_proto() for function in dict.fromkeys(functions)]
    except Exception as err:  # whatever onnxscript does not translate
        raise FileError(str(file), f"onnxscript cannot translate it: {type(err).__name__}: {err}") from err
