"""Types and values of the format as text: attribute types, attribute values, types of values.

Numbers, strings and lists of them are JSON. Everything else follows ONNX's own text form, as its printer and
its documentation write it; long tensors are shortened.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from opsetdocs import schema

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import (
        AttributeProto,
        GraphProto,
        NodeProto,
        SparseTensorProto,
        TensorProto,
        TensorShapeProto,
        TypeProto,
    )

MAX_TENSOR_VALUES = 10
"""How many values of a tensor are written; `...` stands for the rest."""

_SINGLE_FIELDS = {
    "FLOAT": "f",
    "INT": "i",
    "STRING": "s",
    "TENSOR": "t",
    "GRAPH": "g",
    "SPARSE_TENSOR": "sparse_tensor",
    "TYPE_PROTO": "tp",
}
"""The attribute types of one value, and the field of AttributeProto that holds it."""

_LIST_FIELDS = {
    "FLOATS": "floats",
    "INTS": "ints",
    "STRINGS": "strings",
    "TENSORS": "tensors",
    "GRAPHS": "graphs",
    "SPARSE_TENSORS": "sparse_tensors",
    "TYPE_PROTOS": "type_protos",
}
"""The attribute types of several values, and the field of AttributeProto that holds them."""


def attribute_type(name: str) -> str:
    """Return an attribute type in ONNX's words: `INTS` gives `list of ints`."""
    return f"list of {name.lower()}" if name in _LIST_FIELDS else name.lower()


def attribute_type_of(attribute: AttributeProto) -> str:
    """Return the type of an attribute in ONNX's words; `undefined` if it says none and has no value."""
    return attribute_type(_type_name(attribute))


def attribute_value(attribute: AttributeProto) -> str:
    """Return the value of an attribute as text; empty if it has none."""
    name = _type_name(attribute)
    if field := _SINGLE_FIELDS.get(name):
        return _VALUE_TEXTS[name](getattr(attribute, field))
    if field := _LIST_FIELDS.get(name):
        to_text = _VALUE_TEXTS[name.removesuffix("S")]
        return f"[{', '.join(to_text(value) for value in getattr(attribute, field))}]"
    return ""


def _type_name(attribute: AttributeProto) -> str:
    """Return the name of an attribute's type; in IR version 1 the field that has a value tells it."""
    if stated := attribute.type:
        return attribute.AttributeType.Name(stated)
    for name, field in (_SINGLE_FIELDS | _LIST_FIELDS).items():
        if getattr(attribute, field) if name in _LIST_FIELDS else attribute.HasField(field):
            return name
    return "UNDEFINED"


def float_text(value: float, *, code: str = "f") -> str:
    """Return the shortest text that gives the same number again.

    Args:
        value: The number. What JSON has no word for is `NaN`, `Infinity` or `-Infinity`, as in Python's JSON.
        code: The precision, as a code of `struct`: `f` for 32 bits, `e` for 16.
    """
    if value != value or value in (float("inf"), float("-inf")):
        return json.dumps(value)
    packed = struct.pack(code, value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    # A few digits may round up beyond the greatest number of that precision.
    return repr(next(number for text in texts if _packs_as(number := float(text), code, packed)))


def _packs_as(number: float, code: str, packed: bytes) -> bool:
    try:
        return struct.pack(code, number) == packed
    except OverflowError:
        return False


def string_text(value: bytes | str) -> str:
    r"""Return a string as JSON, with bytes that are not UTF-8 as `\xff`, which JSON itself does not know."""
    text = value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
    return re.sub(
        "[\udc80-\udcff]",
        lambda match: f"\\x{ord(match[0]) - 0xDC00:02x}",
        json.dumps(text, ensure_ascii=False),
    )


_STRUCT_CODES = {
    "FLOAT": "f",
    "UINT8": "B",
    "INT8": "b",
    "UINT16": "H",
    "INT16": "h",
    "INT32": "i",
    "INT64": "q",
    "BOOL": "?",
    "FLOAT16": "e",
    "DOUBLE": "d",
    "UINT32": "I",
    "UINT64": "Q",
    "BFLOAT16": "H",
}
"""How a value of each type is packed in raw_data, for the types whose values are written."""

_DATA_FIELDS = {
    "FLOAT": "float_data",
    "DOUBLE": "double_data",
    "INT64": "int64_data",
    "UINT32": "uint64_data",
    "UINT64": "uint64_data",
    "STRING": "string_data",
}
"""The fields that hold the values of a tensor without raw_data; int32_data for all other types."""


def data_type(number: int) -> str:
    """Return a TensorProto.DataType in ONNX's words, such as `float16`; `type 99` if it is unknown."""
    name = _data_type_name(number)
    return name.lower() if name else f"type {number}"


def _data_type_name(number: int) -> str:
    value = schema.enum("TensorProto.DataType").values_by_number.get(number)
    return value.name if value else ""


def tensor_text(tensor: TensorProto) -> str:
    """Return a tensor as ONNX writes it, such as `float[2,3] {1.0, 2.0, ...}`; long ones are shortened."""
    dims = f"[{','.join(map(str, tensor.dims))}]" if tensor.dims else ""
    return f"{data_type(tensor.data_type)}{dims} {{{', '.join(_tensor_values(tensor))}}}"


def _tensor_values(tensor: TensorProto) -> list[str]:
    name = _data_type_name(tensor.data_type)
    data: Sequence[Any] = getattr(tensor, _DATA_FIELDS.get(name, "int32_data"))
    code = _STRUCT_CODES.get(name, "")
    if tensor.HasField("raw_data"):
        values = _unpacked(tensor.raw_data, f"<{code}") if code else []
        more = len(tensor.raw_data) > struct.calcsize(f"<{code}") * len(values)
    else:
        known = code or name == "STRING"
        values = [_from_bits(value, name) for value in data[:MAX_TENSOR_VALUES]] if known else []
        more = len(data) > len(values) or bool(tensor.external_data)
    return [*(_tensor_value(value, name) for value in values), *(["..."] if more else [])]


def _unpacked(data: bytes, code: str) -> list[Any]:
    """Return the first values of raw_data, as many as are written."""
    count = min(len(data) // struct.calcsize(code), MAX_TENSOR_VALUES)
    return [struct.unpack_from(code, data, struct.calcsize(code) * index)[0] for index in range(count)]


def _from_bits(value: Any, name: str) -> Any:
    """Return the number that an entry of int32_data stands for: a 16-bit float is kept there as its bits."""
    return struct.unpack("<e", struct.pack("<H", value & 0xFFFF))[0] if name == "FLOAT16" else value


def _tensor_value(value: Any, name: str) -> str:
    match name:
        case "FLOAT":
            return float_text(value)
        case "FLOAT16":
            return float_text(value, code="e")
        case "BFLOAT16":
            return float_text(struct.unpack("<f", struct.pack("<I", (value & 0xFFFF) << 16))[0])
        case "STRING":
            return string_text(value)
        case "DOUBLE":
            return float_text(value, code="d")
    return json.dumps(bool(value) if name == "BOOL" else value)


def sparse_tensor_text(tensor: SparseTensorProto) -> str:
    """Return a sparse tensor: its shape, its values that are not zero, their places."""
    dims = ",".join(map(str, tensor.dims))
    values, indices = tensor_text(tensor.values), tensor_text(tensor.indices)
    return f"sparse_tensor[{dims}] {{values: {values}, indices: {indices}}}"


def type_text(message: TypeProto) -> str:
    """Return a type as ONNX writes it, with the shape where one is stated: `tensor(float)[N, 3]`."""
    match message.WhichOneof("value"):
        case "tensor_type":
            return f"tensor({data_type(message.tensor_type.elem_type)}){_shape_text(message.tensor_type)}"
        case "sparse_tensor_type":
            sparse = message.sparse_tensor_type
            return f"sparse_tensor({data_type(sparse.elem_type)}){_shape_text(sparse)}"
        case "sequence_type":
            return f"seq({type_text(message.sequence_type.elem_type)})"
        case "optional_type":
            return f"optional({type_text(message.optional_type.elem_type)})"
        case "map_type":
            return f"map({data_type(message.map_type.key_type)}, {type_text(message.map_type.value_type)})"
        case "opaque_type":
            opaque = message.opaque_type
            return f"opaque({', '.join(filter(None, (opaque.domain, opaque.name)))})"
    return ""


def _shape_text(holder: TypeProto.Tensor | TypeProto.SparseTensor) -> str:
    if not holder.HasField("shape"):
        return ""
    return f"[{', '.join(_dimension_text(dimension) for dimension in holder.shape.dim)}]"


def _dimension_text(dimension: TensorShapeProto.Dimension) -> str:
    if dimension.HasField("dim_value"):
        return str(dimension.dim_value)
    return dimension.dim_param or "?"


def graph_text(graph: GraphProto) -> str:
    """Return a graph on one line: `name (X) => (Y) { Y = Relu (X) }`."""
    inputs, outputs = (", ".join(value.name for value in values) for values in (graph.input, graph.output))
    body = "; ".join(_node_text(node) for node in graph.node)
    return f"{graph.name} ({inputs}) => ({outputs}) {{ {body} }}".lstrip()


def _node_text(node: NodeProto) -> str:
    operator = ".".join(filter(None, (node.domain, node.op_type))) + (node.overload and f":{node.overload}")
    attributes = f" <{', '.join(map(_attribute_text, node.attribute))}>" if node.attribute else ""
    return f"{', '.join(node.output)} = {operator}{attributes} ({', '.join(node.input)})"


def _attribute_text(attribute: AttributeProto) -> str:
    value = f"@{attribute.ref_attr_name}" if attribute.ref_attr_name else attribute_value(attribute)
    return f"{attribute.name} = {value}"


_VALUE_TEXTS: dict[str, Callable[[Any], str]] = {
    "FLOAT": float_text,
    "INT": str,
    "STRING": string_text,
    "TENSOR": tensor_text,
    "GRAPH": graph_text,
    "SPARSE_TENSOR": sparse_tensor_text,
    "TYPE_PROTO": type_text,
}
"""How one value of an attribute type becomes text."""
