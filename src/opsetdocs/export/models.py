"""The functions that an ONNX model brings with it, as operator sets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import onnx
from onnx import serialization

from opsetdocs import schema as messages
from opsetdocs.docstring import code_span
from opsetdocs.errors import FileError
from opsetdocs.model import MAGIC, domain_name

if TYPE_CHECKING:
    from onnx import FunctionProto, ModelProto
    from onnx.onnx_operators_ml_pb2 import OperatorSetProto


def model_sets(data: bytes, name: str) -> list[OperatorSetProto]:
    """Return an operator set for each domain in which a model defines functions, in the order of the model.

    The opset_version is that with which the model imports the domain, or 1 if only functions call its
    functions and the model imports none. A function is what it is in the model; its text, too.

    Args:
        data: The content of the file, in an encoding that onnx knows by the ending of the name.
        name: The name of the file.

    Raises:
        FileError: The file is no model.
    """
    model = _read(data, name)
    versions = {domain_name(item.domain): item.version for item in model.opset_import}
    by_domain: dict[str, list[FunctionProto]] = defaultdict(list)
    for function in model.functions:
        by_domain[domain_name(function.domain)].append(function)
    return [
        function_set(functions, max(versions.get(domain, 1), 1), model.ir_version, name)
        for domain, functions in by_domain.items()
    ]


def function_set(
    functions: Sequence[FunctionProto], opset: int, ir_version: int, name: str
) -> OperatorSetProto:
    """Return an operator set of functions.

    Args:
        functions: The functions, all of one domain.
        opset: The set's opset_version.
        ir_version: The set's ir_version.
        name: The name of the file that defines the functions, for the text of the set.
    """
    domain = functions[0].domain
    return messages.OperatorSetProto(
        magic=MAGIC,
        ir_version=ir_version,
        domain=domain,
        opset_version=opset,
        doc_string=f"The functions of `{domain_name(domain)}` in {code_span(name)}.\n",
        functions=[messages.FunctionProto.FromString(item.SerializeToString()) for item in functions],
    )


def _read(data: bytes, name: str) -> ModelProto:
    ending = PurePath(name).suffix
    encoding = serialization.registry.get_format_from_file_extension(ending) or "protobuf"
    try:
        model = onnx.load_model_from_string(data, format=encoding)
    except Exception as err:  # each encoding has errors of its own
        raise FileError(name, f"is no ONNX model that onnx can read ({encoding}): {err}") from err
    if not model.HasField("graph"):
        raise FileError(name, "is no ONNX model: it has no graph")
    return model
