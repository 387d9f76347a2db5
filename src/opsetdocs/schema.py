"""The message classes of the format, made from the descriptors of the installed onnx package.

They live in a descriptor pool of their own. A second copy in protobuf's default pool would clash with onnx,
whichever of the two is imported first, and importing all of onnx only to read a file is slow. So the
serialized descriptors are read out of onnx's generated modules as syntax, and nothing of onnx is run.

The copy differs from the original in two points, so that a file reads alike in binary, text and JSON:

- FunctionProto has its fields 2 (`since_version`) and 3 (`status`) again, which IR version 8 retired and
  which files of earlier IR versions carry.
- `OperatorStatus` is an open enum: a status that the format does not know is kept as a number. A closed enum
  would hide it among the unknown fields of a binary file and refuse it in the other two encodings.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from google.protobuf.descriptor import Descriptor, EnumDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from opsetdocs.errors import OpsetdocsError

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import (
        AttributeProto,
        FunctionProto,
        GraphProto,
        ModelProto,
        NodeProto,
        OperatorSetIdProto,
        SparseTensorProto,
        TensorProto,
        TypeProto,
        ValueInfoProto,
    )
    from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

__all__ = [
    "AttributeProto",
    "FunctionProto",
    "GraphProto",
    "ModelProto",
    "NodeProto",
    "OperatorProto",
    "OperatorSetIdProto",
    "OperatorSetProto",
    "SparseTensorProto",
    "TensorProto",
    "TypeProto",
    "ValueInfoProto",
    "descriptor",
    "enum",
    "message_class",
]

_PACKAGE = "onnx"
_MODULES = ("onnx_ml_pb2", "onnx_operators_ml_pb2")
"""The generated modules that hold the descriptors, each after those that it imports."""
_STATUS_FILE = "opsetdocs/operator-status.proto"
_STATUS = "OperatorStatus"


def __getattr__(name: str) -> type[Message]:
    # The classes are made when one is first asked for: most commands that fail early never need them.
    if name in __all__ and name.endswith("Proto"):
        return message_class(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def message_class(name: str) -> type[Message]:
    """Return the class of a message of the package `onnx`, such as `OperatorSetProto`.

    Raises:
        OpsetdocsError: The installed onnx package does not give its descriptors.
        KeyError: The format has no message of this name.
    """
    return GetMessageClass(descriptor(name))


def descriptor(name: str) -> Descriptor:
    """Return the descriptor of a message of the package `onnx`, such as `TypeProto.Tensor`.

    Raises:
        OpsetdocsError: The installed onnx package does not give its descriptors.
        KeyError: The format has no message of this name.
    """
    return _pool().FindMessageTypeByName(f"{_PACKAGE}.{name}")


def enum(name: str) -> EnumDescriptor:
    """Return an enum of the package `onnx`, such as `OperatorStatus` or `TensorProto.DataType`.

    Raises:
        OpsetdocsError: The installed onnx package does not give its descriptors.
        KeyError: The format has no enum of this name.
    """
    return _pool().FindEnumTypeByName(f"{_PACKAGE}.{name}")


@functools.cache
def _pool() -> DescriptorPool:
    pool = DescriptorPool()
    try:
        files = [FileDescriptorProto.FromString(_serialized_descriptor(module)) for module in _MODULES]
        _restore_retired_fields(files[0])
        pool.Add(_with_open_status(files[0]))
        for file in files:
            pool.Add(file)
    except (DecodeError, TypeError, StopIteration) as err:
        raise OpsetdocsError(
            "the installed onnx package has descriptors that opsetdocs does not understand"
        ) from err
    return pool


def _serialized_descriptor(module: str) -> bytes:
    """Return the serialized descriptor of a generated module of onnx, without importing it if possible."""
    folder = _onnx_folder()
    try:
        tree = ast.parse((folder / f"{module}.py").read_bytes())
    except (OSError, SyntaxError):
        return _imported_descriptor(module)
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="AddSerializedFile"), args=[ast.Constant(value=bytes(data))]
            ):
                return data
    return _imported_descriptor(module)


def _onnx_folder() -> Path:
    try:
        spec = importlib.util.find_spec(_PACKAGE)
    except ValueError:  # a module of that name without a spec is already there
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise OpsetdocsError(
            "the package onnx is not installed: its descriptors are needed to read operator sets"
        )
    return Path(next(iter(spec.submodule_search_locations)))


def _imported_descriptor(module: str) -> bytes:
    """Return the descriptor of a module that is not laid out as expected, being zipped or compiled."""
    try:
        data: bytes = importlib.import_module(f"{_PACKAGE}.{module}").DESCRIPTOR.serialized_pb
    except Exception as err:
        raise OpsetdocsError(
            f"the installed onnx package does not give its descriptors ({module}: {err})"
        ) from err
    return data


def _restore_retired_fields(file: FileDescriptorProto) -> None:
    """Give FunctionProto the two fields that IR version 8 retired."""
    function: DescriptorProto = next(item for item in file.message_type if item.name == "FunctionProto")
    del function.reserved_range[:]
    del function.reserved_name[:]
    optional = FieldDescriptorProto.LABEL_OPTIONAL
    function.field.add(name="since_version", number=2, label=optional, type=FieldDescriptorProto.TYPE_INT64)
    function.field.add(
        name="status",
        number=3,
        label=optional,
        type=FieldDescriptorProto.TYPE_ENUM,
        type_name=f".{_PACKAGE}.{_STATUS}",
    )


def _with_open_status(file: FileDescriptorProto) -> FileDescriptorProto:
    """Move OperatorStatus to a file of its own: an enum is open if the file that defines it is proto3."""
    index = next(index for index, item in enumerate(file.enum_type) if item.name == _STATUS)
    status = FileDescriptorProto(name=_STATUS_FILE, package=_PACKAGE, syntax="proto3")
    status.enum_type.add().CopyFrom(file.enum_type[index])
    del file.enum_type[index]
    # Public, since the other files see the enum through this one.
    file.public_dependency.append(len(file.dependency))
    file.dependency.append(_STATUS_FILE)
    return status
