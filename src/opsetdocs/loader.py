"""From the bytes of a file to an operator set as written.

The format is told by content first, then by the file's name. A file is taken only if its `magic` says that it
is an operator set, because nearly any message parses as one: a model does, and so does an empty file.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from opsetdocs import foreign, schema
from opsetdocs.bodies import body_key
from opsetdocs.errors import FileError
from opsetdocs.model import (
    MAGIC,
    NOT_STATED,
    AttributeDefault,
    Format,
    Function,
    Graph,
    Node,
    Operator,
    OperatorSet,
    OpsetImport,
    SourceText,
    Status,
    UnknownField,
    Value,
    domain_name,
)
from opsetdocs.places import line_and_column
from opsetdocs.readers import (
    MAX_MESSAGES,
    decode,
    labelled,
    one_line,
    read_binary,
    read_json,
    read_text,
    too_deep,
    too_many,
)
from opsetdocs.values import attribute_type_of, attribute_value, type_text
from opsetdocs.wire import MAX_DEPTH, Path, depth, is_repeated

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import AttributeProto, FunctionProto, GraphProto, NodeProto
    from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

MAX_SIZE = 16 * 2**20
"""The greatest size of a file in bytes; the greatest operator set of ONNX has some 1.2 million."""

ENDINGS = {
    ".pb": Format.BINARY,
    ".onnx": Format.BINARY,
    ".onnxopset": Format.BINARY,
    ".textproto": Format.TEXT,
    ".prototxt": Format.TEXT,
    ".pbtxt": Format.TEXT,
    ".txtpb": Format.TEXT,
    ".json": Format.JSON,
    ".onnxjson": Format.JSON,
}
"""The endings that onnx uses for files, and the format that each stands for."""

MAX_ENTRIES = 20_000
"""How many operators and functions a file may hold: each has pages. ONNX has 660, with all versions."""

MAX_VERSIONS = 100
"""How many of them may have one name: each page of a version names the others. ONNX has 9 of Cast."""

MAX_TEXTS = 10_000_000
"""How many characters all doc_strings of a file may have together; those of ONNX, with all versions, have 2.2
million, most of them examples, and 2,000 operators with texts as long have 7 million."""

_READERS: dict[Format, Callable[[bytes, str], OperatorSetProto]] = {
    Format.BINARY: read_binary,
    Format.TEXT: read_text,
    Format.JSON: read_json,
}

_WORDS = {Format.BINARY: "binary", Format.TEXT: "text", Format.JSON: "JSON"}

_BINARY_START = b"\n\tONNXOPSET"
"""The field `magic`, with which a binary file begins if its writer keeps the order of fields."""
_JSON_START = re.compile(rb"\s*+[{\[]")
_TEXT_START = re.compile(rb"(?:\s|#[^\n]*+(?:\n|\Z))*+(?P<name>[A-Za-z_]\w*+)\s*+[:{<]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that no text has, and nearly every binary file has among the first."""


def parse(data: bytes, name: str) -> OperatorSet:
    """Read an operator set from the content of a file.

    A binary file that was cut exactly between two fields of the set is a valid file without the rest: this
    cannot be told from one that was written so.

    Args:
        data: The content, in binary, text or JSON form. A UTF-8 byte order mark is skipped.
        name: The file as the user named it. Its ending decides where the content leaves the format open.

    Raises:
        FileError: The content is not an operator set, or is not wholly readable.
    """
    if len(data) > MAX_SIZE:
        raise FileError(name, f"too large for an operator set: more than {MAX_SIZE:,} bytes")
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise FileError(name, "Empty file")
    message, text = _read(data, name)
    return replace(from_message(message, name), text=text)


def from_message(message: Message, name: str) -> OperatorSet:
    """Return the operator set that an OperatorSetProto message holds.

    Args:
        message: The message, of `schema`'s class or of the onnx package's own.
        name: The file as the user named it, or what stands for it.

    Raises:
        FileError: A text is not valid UTF-8, messages nest too deep, or there is more than a site can hold.
    """
    if not isinstance(message, schema.message_class("OperatorSetProto")):
        message = schema.OperatorSetProto.FromString(message.SerializeToString())
    _check_amount(message, name)
    return _operator_set(message, name, tuple(_unknown_fields(message, name)))


def _read(data: bytes, name: str) -> tuple[OperatorSetProto, SourceText | None]:
    """Read the message in the first format that fits; otherwise say what the file seems to be."""
    failures: dict[Format, FileError] = {}
    for file_format in _candidates(data, name):
        try:
            message = _READERS[file_format](data, name)
            text = None if file_format is Format.BINARY else SourceText(file_format, decode(data, name))
            _check_magic(message, text, name)
        except FileError as err:
            failures[file_format] = err
        else:
            return message, text
    kind = foreign.by_signature(data)
    if kind is None and not data.startswith(_BINARY_START):
        kind = foreign.by_content(data)
    if kind:
        raise FileError(name, kind.words) from next(iter(failures.values()))
    # Only what was read can break a rule: then it is in that format.
    likely = [err for err in failures.values() if err.rule] or list(failures.values())
    if len(likely) == 1:
        raise likely[0]
    tried = "; ".join(f"as {_WORDS[key]}: {_without_name(err)}" for key, err in failures.items())
    raise FileError(name, f"not an operator set in any of the formats ({tried})")


def _candidates(data: bytes, name: str) -> Iterable[Format]:
    """Return the formats to try: one if the content leaves no doubt, otherwise all, the likeliest first."""
    if _BINARY_START.startswith(data[: len(_BINARY_START)]):
        return (Format.BINARY,)
    is_text = _CONTROL.search(data, 0, 4096) is None
    if is_text and _JSON_START.match(data):
        return (Format.JSON,)
    start = _TEXT_START.match(data)
    if start and (is_text or start["name"].decode() in schema.descriptor("OperatorSetProto").fields_by_name):
        return (Format.TEXT,)
    by_content = Format.TEXT if is_text else Format.BINARY
    by_name = ENDINGS.get(PurePath(name).suffix.lower(), by_content)
    return dict.fromkeys((by_content, by_name, *Format))


def _check_magic(message: OperatorSetProto, text: SourceText | None, name: str) -> None:
    if message.HasField("magic") and message.magic == MAGIC:
        return
    # Refuses what cannot be written as bytes again, before it is.
    list(_unknown_fields(message, name))
    found = f'"{one_line(message.magic)}"' if message.HasField("magic") else "absent"
    is_operator_set = message.HasField("opset_version") or any(item.op_type for item in message.operator)
    kind = None if is_operator_set else foreign.by_content(message.SerializeToString())
    words = kind.words if kind else "not an operator set"
    line, column = line_and_column(text, ("magic",)) or (None, None)
    raise FileError(
        name,
        f'{words}: magic is {found}, expected "{MAGIC}"',
        line=line,
        column=column,
        # What holds no field at all, such as comments alone, belongs to no format.
        rule="OPSET_MAGIC" if message.ListFields() else "",
    )


def _check_amount(content: Message, file: str) -> None:
    """Refuse what would take hours to be made pages of."""
    message: OperatorSetProto = content  # type: ignore[assignment]
    entries: list[OperatorProto | FunctionProto] = [*message.operator, *message.functions]
    if len(entries) > MAX_ENTRIES:
        raise FileError(
            file, f"too many operators and functions: {len(entries):,}, more than {MAX_ENTRIES:,}"
        )
    names = Counter((_name(entry), getattr(entry, "overload", "")) for entry in entries if _name(entry))
    for (name, _), count in names.most_common(1):
        if count > MAX_VERSIONS:
            versions = f"versions of {one_line(name)}: {count:,}, more than {MAX_VERSIONS:,}"
            raise FileError(file, f"too many {versions}")
    texts = [message.doc_string, *(entry.doc_string for entry in entries)]
    texts += (item.doc_string for function in message.functions for item in function.attribute_proto)
    length = sum(map(len, texts))
    if length > MAX_TEXTS:
        raise FileError(file, f"too much text: {length:,} characters in doc_strings, more than {MAX_TEXTS:,}")


def _without_name(error: FileError) -> str:
    return str(error).removeprefix(f"{error.file}:").strip()


# What protobuf keeps to itself: unknown fields, text that is not text, depth


def _unknown_fields(message: Message, file: str) -> Iterator[UnknownField]:
    """Yield the fields that the format does not know.

    Raises:
        FileError: A text is not valid UTF-8, messages nest too deep, or there are too many of them and of
            names in lists.
    """
    number = -1  # The set itself is not counted.
    for path, owner, part in _parts(message, (), None):
        if depth(path) > MAX_DEPTH:
            raise too_deep(file, path)
        unknown = UnknownFieldSet(part)
        for field_number in dict.fromkeys(unknown[index].field_number for index in range(len(unknown))):
            known = part.DESCRIPTOR.fields_by_number.get(field_number)
            yield UnknownField(path, str(_name(owner)), field_number, known_as=known.name if known else "")
        number += 1
        for field, value in part.ListFields():
            if field.type == field.TYPE_STRING:
                number += len(value) if is_repeated(field) else 0
                _check_text(value, (*path, field.name), owner or part, file)
        if number > MAX_MESSAGES:
            raise too_many(file)


def _parts(
    message: Message, path: Path, owner: Message | None
) -> Iterator[tuple[Path, Message | None, Message]]:
    """Yield a message and all messages below it: the way there, the operator or function, the message."""
    yield path, owner, message
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if isinstance(value, Message):
            yield from _parts(value, (*path, field.name), owner or value)
        else:
            for index, item in enumerate(value):
                yield from _parts(item, (*path, field.name, index), owner or item)


def _check_text(value: Any, path: Path, owner: Message, file: str) -> None:
    if isinstance(value, str):
        return
    # Invalid text comes back from protobuf as bytes.
    texts = {path: value} if isinstance(value, bytes) else {(*path, i): text for i, text in enumerate(value)}
    for place, text in texts.items():
        if isinstance(text, bytes):
            try:
                text.decode()
            except UnicodeDecodeError as err:
                message = f"{labelled(place, _name(owner))} is not valid UTF-8 at byte {err.start}"
                raise FileError(file, message) from err


def _name(owner: Message | None) -> object:
    return getattr(owner, "op_type", "") or getattr(owner, "name", "")


# Messages to dataclasses


def _stated(message: Message, field: str) -> Any:
    """Return the value of a field, or `None` where the message does not state it."""
    return getattr(message, field) if message.HasField(field) else None


def _status(message: OperatorProto | FunctionProto) -> Status:
    number = _stated(message, "status")
    return NOT_STATED if number is None else Status(number)


def _operator_set(message: Message, source: str, unknown_fields: tuple[UnknownField, ...]) -> OperatorSet:
    content: OperatorSetProto = message  # type: ignore[assignment]
    return OperatorSet(
        source=source,
        magic=_stated(content, "magic"),
        ir_version=_stated(content, "ir_version"),
        ir_version_prerelease=_stated(content, "ir_version_prerelease"),
        ir_build_metadata=_stated(content, "ir_build_metadata"),
        domain=_stated(content, "domain"),
        opset_version=_stated(content, "opset_version"),
        doc_string=_stated(content, "doc_string"),
        operators=tuple(_operator(item, position) for position, item in enumerate(content.operator)),
        functions=tuple(_function(item, position) for position, item in enumerate(content.functions)),
        unknown_fields=unknown_fields,
    )


def _operator(message: OperatorProto, position: int) -> Operator:
    return Operator(
        op_type=_stated(message, "op_type"),
        since_version=_stated(message, "since_version"),
        status=_status(message),
        doc_string=_stated(message, "doc_string"),
        position=position,
    )


def _function(message: FunctionProto, position: int) -> Function:
    return Function(
        name=_stated(message, "name"),
        overload=message.overload,
        domain=_stated(message, "domain"),
        since_version=_stated(message, "since_version"),
        status=_status(message),
        inputs=tuple(message.input),
        outputs=tuple(message.output),
        attributes=tuple(message.attribute),
        attribute_defaults=tuple(_attribute_default(item) for item in message.attribute_proto),
        nodes=tuple(_node(item) for item in message.node),
        opset_imports=tuple(
            OpsetImport(domain_name(item.domain), _stated(item, "version")) for item in message.opset_import
        ),
        values=tuple(Value(item.name, type_text(item.type)) for item in message.value_info),
        metadata=tuple((item.key, item.value) for item in message.metadata_props),
        doc_string=_stated(message, "doc_string"),
        position=position,
        proto=message.SerializeToString(deterministic=True),
        body_key=body_key(message),
    )


def _attribute_default(message: AttributeProto) -> AttributeDefault:
    return AttributeDefault(
        name=message.name,
        type=attribute_type_of(message),
        default=attribute_value(message),
        doc_string=_stated(message, "doc_string"),
    )


def _node(message: NodeProto) -> Node:
    return Node(
        op_type=message.op_type,
        domain=domain_name(message.domain),
        overload=message.overload,
        inputs=tuple(message.input),
        outputs=tuple(message.output),
        graphs=tuple(_graphs(message.attribute)),
        attribute_references=tuple(item.ref_attr_name for item in message.attribute if item.ref_attr_name),
    )


def _graphs(attributes: Iterable[AttributeProto]) -> Iterator[Graph]:
    for index, attribute in enumerate(attributes):
        if attribute.HasField("g"):
            yield _graph(attribute.name, attribute.g, ("attribute", index, "g"))
        for number, graph in enumerate(attribute.graphs):
            yield _graph(attribute.name, graph, ("attribute", index, "graphs", number))


def _graph(attribute: str, message: GraphProto, path: Path) -> Graph:
    return Graph(
        attribute=attribute,
        inputs=tuple(item.name for item in message.input),
        initializers=(
            *(item.name for item in message.initializer),
            *(item.values.name for item in message.sparse_initializer),
        ),
        outputs=tuple(item.name for item in message.output),
        nodes=tuple(_node(item) for item in message.node),
        path=path,
    )
