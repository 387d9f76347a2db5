"""Bodies of functions: whether two of them say the same, how one is printed, and where it names operators.

`body_key` works on any class of FunctionProto messages and needs neither onnx nor numpy, so that reading is
quick. Only `body_text` and `parse_body` import onnx, whose printer and parser they use.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from opsetdocs import schema
from opsetdocs.caches import by_identity
from opsetdocs.model import DEFAULT_DOMAIN, Function, Node

_SET_ASIDE = frozenset({"doc_string", "value_info", "metadata_props"})
"""Fields that say nothing about what a body computes, in whatever message they stand."""

_SET_ASIDE_IN = {
    "FunctionProto": {"since_version", "status"},
    "NodeProto": {"name"},
    "TensorProto": {"name"},
}
"""Further such fields by message. The name of an initializer does count: `_encode_value` puts it in front."""

_UNORDERED = {
    "FunctionProto": {"attribute", "attribute_proto", "opset_import"},
    "NodeProto": {"attribute"},
    "GraphProto": {"initializer", "sparse_initializer", "quantization_annotation"},
    "TensorAnnotation": {"quant_parameter_tensor_names"},
    "TensorProto": {"external_data"},
}
"""Repeated fields whose entries are found by name or key, so that their order means nothing."""

_DOMAINS = [["FunctionProto", "domain"], ["NodeProto", "domain"], ["OperatorSetIdProto", "domain"]]
"""Message and field where a domain of operators is named: the empty one is `ai.onnx`."""

_NUMBERS = {
    "FLOAT": ("float_data", "f"),
    "COMPLEX64": ("float_data", "f"),
    "DOUBLE": ("double_data", "d"),
    "COMPLEX128": ("double_data", "d"),
    "INT64": ("int64_data", "q"),
    "UINT64": ("uint64_data", "Q"),
    "UINT32": ("uint64_data", "I"),
}
"""The typed field of a data type and the struct code of an entry in raw_data (onnx.proto, TensorProto)."""

_INT32_WIDTHS = {
    "INT32": 4,
    **dict.fromkeys(("INT16", "UINT16", "FLOAT16", "BFLOAT16"), 2),
    **dict.fromkeys(("INT8", "UINT8", "BOOL", "INT4", "UINT4", "FLOAT4E2M1", "INT2", "UINT2"), 1),
    **dict.fromkeys(("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "FLOAT8E8M0"), 1),
}
"""The bytes in raw_data for each entry of int32_data. Four- and two-bit types are packed alike in both."""

_SIX_BITS = frozenset({"FLOAT6E2M3", "FLOAT6E3M2"})
"""Data types with one element for each entry of int32_data, but four elements in three bytes of raw_data."""

_PACKED_BITS = {
    **dict.fromkeys(("INT4", "UINT4", "FLOAT4E2M1"), 4),
    **dict.fromkeys(("INT2", "UINT2"), 2),
    **dict.fromkeys(_SIX_BITS, 6),
}
"""The bits of an element, where several share a byte."""


def body_key(message: Message) -> str:
    """Return a digest that is equal for two FunctionProto messages that say the same.

    Everything counts but texts, value_info, metadata, node names and the retired fields since_version and
    status. Unset equals empty, the domain `""` equals `ai.onnx`, attributes and opset imports have no order,
    and tensors are compared by type, shape and values, however these are stored. Data outside the file counts
    by its location.

    Args:
        message: A FunctionProto of any message class.
    """
    return hashlib.sha256(_encode(message)).hexdigest()


def _frame(payload: bytes) -> bytes:
    """Put the length in front, so that joined parts can be read in one way only."""
    return struct.pack("<Q", len(payload)) + payload


def _encode(message: Message) -> bytes:
    """Write a message in the canonical form. An empty message gives no bytes."""
    if message.DESCRIPTOR.name == "TensorProto":
        values, field = _tensor_values(message)
        fields = _encode_fields(message, set_aside={field})
        return _frame(values) + fields if values or fields else b""
    return _encode_fields(message)


def _encode_fields(message: Message, set_aside: Iterable[str] = ()) -> bytes:
    """Write the fields of a message that count and are not empty, by field number."""
    kind = message.DESCRIPTOR.name
    set_aside = _SET_ASIDE.union(_SET_ASIDE_IN.get(kind, ()), set_aside)
    unordered = _UNORDERED.get(kind, ())
    parts = []
    for field, value in message.ListFields():
        if field.name in set_aside:
            continue
        if isinstance(value, (str, bytes, int, float, Message)):
            payload = _encode_value(field, value)
            if not payload and not _presence_counts(field):
                continue
        else:
            items = [_frame(_encode_value(field, item)) for item in value]
            payload = b"".join(sorted(set(items)) if field.name in unordered else items)
        parts.append(struct.pack("<I", field.number) + _frame(payload))
    return b"".join(parts)


def _presence_counts(field: FieldDescriptor) -> bool:
    """Whether an empty field says something: one of a choice, or a shape, whose lack means "unknown"."""
    return field.containing_oneof is not None or field.name == "shape"


def _encode_value(field: FieldDescriptor, value: Any) -> bytes:
    """Write one value. The zero value of a type gives no bytes."""
    if isinstance(value, Message):
        is_initializer = field.name in ("initializer", "sparse_initializer")
        return (_frame(_initializer_name(value)) if is_initializer else b"") + _encode(value)
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        if value == DEFAULT_DOMAIN and field.full_name.split(".")[-2:] in _DOMAINS:
            return b""
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, float):
        packed = struct.pack("<f" if field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT else "<d", value)
        return packed if any(packed) else b""
    return str(int(value)).encode() if value else b""


def _initializer_name(initializer: Any) -> bytes:
    """Return the name by which nodes refer to an initializer; a sparse one goes by the name of its values."""
    tensor = initializer.values if initializer.DESCRIPTOR.name == "SparseTensorProto" else initializer
    return str(tensor.name).encode("utf-8", "surrogatepass")


def _tensor_values(tensor: Any) -> tuple[bytes, str]:
    """Return the values of a tensor as raw_data would hold them, and the field that they come from.

    Where that cannot be told, as for a data type of a newer onnx, there are no values and no field: whatever
    the message holds is then compared as it stands.
    """
    known = tensor.DESCRIPTOR.enum_types_by_name["DataType"].values_by_number.get(tensor.data_type)
    data_type = known.name if known else ""
    if tensor.raw_data:
        return _without_padding(tensor.raw_data, data_type, tensor.dims), "raw_data"
    if data_type == "STRING":
        return b"".join(map(_frame, tensor.string_data)), "string_data"
    if data_type in _NUMBERS:
        field, code = _NUMBERS[data_type]
        numbers = getattr(tensor, field)
        if code == "I":
            numbers = [number & 0xFFFFFFFF for number in numbers]
        return struct.pack(f"<{len(numbers)}{code}", *numbers), field
    if data_type in _INT32_WIDTHS:
        width = _INT32_WIDTHS[data_type]
        mask = (1 << 8 * width) - 1
        packed = b"".join((number & mask).to_bytes(width, "little") for number in tensor.int32_data)
        return _without_padding(packed, data_type, tensor.dims), "int32_data"
    if data_type in _SIX_BITS:
        return _pack_six_bits(tensor.int32_data), "int32_data"
    return b"", ""


def _without_padding(packed: bytes, data_type: str, dims: Iterable[int]) -> bytes:
    """Clear the bits of the last byte that belong to no element."""
    bits = _PACKED_BITS.get(data_type, 8) * prod(dims)
    if bits % 8 == 0 or len(packed) != bits // 8 + 1:
        return packed
    return packed[:-1] + bytes([packed[-1] & (1 << bits % 8) - 1])


def _pack_six_bits(numbers: Any) -> bytes:
    """Pack six-bit elements as raw_data does: four in three bytes, the first element in the lowest bits."""
    packed = bytearray()
    for start in range(0, len(numbers), 4):
        word = sum((number & 0x3F) << 6 * index for index, number in enumerate(numbers[start : start + 4]))
        packed += word.to_bytes(3, "little")
    return bytes(packed[: (6 * len(numbers) + 7) // 8])


_LONG_LIST = re.compile(r"(?<=\{)((?:[^{}\s,\x00]+,){16})[^{}\s]{256,}(?=\})")
"""The values of a large tensor as the printer writes them, on one line and without spaces."""

_UNTYPED_REFERENCE = re.compile(r": undefined(?= = @)")
"""The type that the printer writes for a reference without one. The parser does not know it, nor need it."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


@by_identity(maxsize=1_024)
def body_text(function: Function) -> str:
    """Return a function's body in ONNX's text form, as `onnx.printer.to_text` writes it.

    Of a large tensor only the first values are kept. A body that the printer refuses is listed by us, without
    the values of attributes, under a comment with the printer's reason. Never raises.
    """
    try:
        import onnx.printer  # Takes 0.7 s, and only a page with a body needs it.

        message = onnx.FunctionProto.FromString(function.proto)
        text: str = onnx.printer.to_text(message)
        if message.attribute_proto:
            holder = onnx.NodeProto(op_type="F", attribute=message.attribute_proto)
            text = _with_defaults(text, function, onnx.printer.to_text(holder))
    except Exception as err:  # Whatever the printer raises, the page still shows the nodes.
        return _plain_listing(function, reason=" ".join(str(err).split()) or type(err).__name__)
    return _shorten(text)


def _with_defaults(text: str, function: Function, holder: str) -> str:
    """Put the attributes that have a default into the head of a printed body, as ONNX's parser reads them.

    The printer leaves them out, and the body would seem to use attributes that nobody declares.

    Args:
        text: The printed body.
        function: The function.
        holder: A node with these attributes, as printed: `    = F <alpha: float = 0.25> ()`.
    """
    masked = _mask_strings(text)
    start = masked.index("\n>\n") + len("\n>\n")
    end = masked.index("(", start)
    name = text[start:end].partition("<")[0].strip()
    defaults = holder[holder.index("<") + 1 : holder.rindex(">")]
    declared = ", ".join([*(_names([item]) for item in function.attributes), defaults])
    return f"{text[:start]}{name} <{declared}> {text[end:]}"


def _shorten(text: str) -> str:
    """Cut the values of large tensors. What stands inside string literals is left alone."""
    pieces = []
    end = 0
    for match in _LONG_LIST.finditer(_mask_strings(text)):
        pieces.append(text[end : match.end(1)])
        pieces.append("...")
        end = match.end()
    return "".join([*pieces, text[end:]])


def _plain_listing(function: Function, reason: str) -> str:
    """List the nodes of a body in ONNX's text form, without node names and the values of attributes."""
    imports = ", ".join(f"{json.dumps(item.domain)} : {item.version or 0}" for item in function.opset_imports)
    attributes = [*function.attributes, *(item.name for item in function.attribute_defaults)]
    head = f"{function.name or '?'}{f' <{_names(attributes)}>' if attributes else ''}"
    return "\n".join(
        [
            f"# The printer of onnx does not take this body, so attribute values are left out: {reason}",
            "<",
            f"  domain: {json.dumps(function.domain or '')},",
            f"  opset_import: [{imports}]",
            ">",
            f"{head} ({_names(function.inputs)}) => ({_names(function.outputs)})",
            "{",
            *_node_lines(function.nodes, indent="   "),
            "}",
        ]
    )


def _node_lines(nodes: Iterable[Node], indent: str) -> Iterator[str]:
    for node in nodes:
        call = f"{indent}{_names(node.outputs)} = {_spelling(node)} ({_names(node.inputs)})"
        if not node.graphs:
            yield call
            continue
        yield f"{call} <"
        for graph in node.graphs:
            yield f"{indent}{graph.attribute}: graph = {{"
            yield from _node_lines(graph.nodes, indent + "   ")
            yield f"{indent}}}"
        yield f"{indent}>"


def _names(names: Iterable[str]) -> str:
    """Join names of values as the printer does: what is no identifier is quoted."""
    quoted = (name if _IDENTIFIER.match(name) else json.dumps(name, ensure_ascii=False) for name in names)
    return ", ".join(quoted)


def _spelling(node: Node) -> str:
    """Return a node's operator as the printer writes it: domain, name, overload."""
    domain = "" if node.domain == DEFAULT_DOMAIN else f"{node.domain}."
    overload = f":{node.overload}" if node.overload else ""
    return f"{domain}{node.op_type}{overload}"


MAX_PARSED_NESTING = 64
"""How deep brackets may nest in a text that is parsed: onnx's parser recurses until the process dies."""


FENCED = re.compile(r"^(?P<fence>`{3,})onnx\n(?P<text>.*?)\n(?P=fence)$\n?", re.DOTALL | re.MULTILINE)
"""A fenced `onnx` block at the left margin of a text, as the exporter writes bodies that are words."""


@lru_cache(maxsize=1_024)
def parse_body(text: str) -> Function | None:
    """Read a function from ONNX's text form, as the section Function Body of a doc_string has it.

    Args:
        text: The function, as `onnx.printer.to_text` writes it.

    Returns:
        The function, so that `body_links` finds its operators in the text; `None` if the text is no such
        function. Never raises.
    """
    masked = _mask_strings(text)
    if _nesting(masked) > MAX_PARSED_NESTING:
        return None
    pieces = []
    end = 0
    for match in _UNTYPED_REFERENCE.finditer(masked):
        pieces.append(text[end : match.start()])
        end = match.end()
    try:
        import onnx.parser  # Takes 0.7 s, and only a page with such an example needs it.

        from opsetdocs.loader import from_message  # The loader needs `body_key`.

        message = onnx.parser.parse_function("".join([*pieces, text[end:]]))
        holder: Any = schema.OperatorSetProto()
        holder.functions.add().MergeFromString(message.SerializeToString())
        operator_set = from_message(holder, "doc_string")
    except Exception:  # Whatever onnx raises for a text that is no function: it is then shown as it stands.
        return None
    return operator_set.functions[0]


def _nesting(masked: str) -> int:
    """Return how deep brackets nest in a text without string literals."""
    steps = ((bracket in "({") - (bracket in ")}") for bracket in masked)
    return max(accumulate(steps), default=0)


def body_links(text: str, function: Function) -> tuple[tuple[int, int, Node], ...]:
    """Find the operators that a printed body names, so that each can be linked.

    Args:
        text: What `body_text` returned for the function.
        function: The function.

    Returns:
        Start, end and node of each operator name with its domain and overload, in order, nested graphs
        included. Look-alikes inside string literals are never taken. What is not found is left out.
    """
    masked = _mask_strings(text)
    links = []
    position = 0
    for node in walk(function.nodes):
        # A statement is the only place where a line's first "=" stands before an operator's name.
        statement = (
            rf"^ *(?:\[[^\]\n]*\] )?[^=\[\n]*= (?P<name>(?:ai\.onnx\.)?{re.escape(_spelling(node))}) [<(]"
        )
        match = re.compile(statement, re.MULTILINE).search(masked, position)
        if match:
            links.append((*match.span("name"), node))
            position = match.end()
    return tuple(links)


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes in the order in which they are printed: each before the nodes of its graphs."""
    for node in nodes:
        yield node
        for graph in node.graphs:
            yield from walk(graph.nodes)


def _mask_strings(text: str) -> str:
    """Replace string literals by as many NUL characters: same length, and nothing to find inside."""
    return _STRING.sub(lambda match: "\0" * len(match[0]), text)
