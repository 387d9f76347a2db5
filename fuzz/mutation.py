"""Inputs made of other inputs: by bytes, and by fields of the message that they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from google.protobuf import json_format, text_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from opsetdocs import schema
from opsetdocs.model import Format
from opsetdocs.readers import PARSE_ERRORS, parse_text
from opsetdocs.wire import is_repeated

TEXTS = (
    "",
    "\n",
    "\n\n",
    "    ",
    "\t",
    "\\",
    "\0",
    "\x01",
    "\x02",
    "\x1b[31m",
    "\r",
    "\u2028",
    "\u202e",
    "\ufeff",
    "\U0001f600",
    "é",
    "ai.onnx",
    "com.acme.ops",
    "ONNXOPSET",
    "Conv",
    "T",
    "tensor(float)",
    "since_version",
    "status",
    "STABLE",
    "13",
    "-1",
    "1e999",
    "**Deprecated** since opset 3.",
    "\n\n## Attributes\n\n- `a` (default `-1`) : int\n\n  Text.\n- `b` (required) : list of floats\n",
    "\n\n## Inputs (1 - ∞)\n\n- `X` (variadic, at least 2, heterogeneous) : T\n",
    "\n\n## Outputs\n\n- `Y` (optional, non-differentiable) : map(string, T)\n",
    "\n\n## Type Constraints\n\n- `T` : tensor(float16), tensor(float), seq(tensor(T))\n\n  Words.\n",
    "\n\n## Properties\n\n- `deterministic` : yes\n",
    "\n\n## Function Body (example)\n\n```onnx\nf (x) => (y) { y = Conv(x) }\n```\n",
    "\n\n## Examples\n\n### one\n\n```python\nimport onnx\n```\n",
    "<dl><dt><tt>axis</tt> : int (default is 1)</dt><dd>Text.</dd></dl>",
    "| Name | Type | Description |\n|---|---|---|\n| `a` | int | text |\n",
    "```",
    "~~~",
    "`",
    "- ",
    "1. ",
    "> ",
    "# ",
    "===\n",
    "* * *\n",
    "[a]: b\n",
    "[x](../Conv.md#c)",
    "![p](https://x.example/p.png)",
    "<https://x.example/%01>",
    "http://x.example",
    "$x^{2}$",
    "$$\\frac{1}{2}$$",
    "\\begin{matrix}a&b\\\\c\\end{matrix}",
    "<br>",
    "<b>x</b>",
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "&#x3c;",
    "<!--",
    "-->",
    "]]>",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "_",
    "*",
    "|",
    ":",
)
"""What means something somewhere: to Markdown, to the conventions of doc_strings, to a terminal, a page."""

NUMBERS = (0, 1, 2, 3, 7, 10, 13, 21, 40, 41, 1000, -1, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63))

MAX_REPEATS = 100
"""How often a piece is repeated, at most: what is nested deep or takes quadratic time shows by then."""


# By bytes


def _flip(data: bytearray, random: Random) -> None:
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _cut(data: bytearray, random: Random) -> None:
    start = random.randrange(len(data))
    del data[start : start + random.choice((1, 2, 4, 16, len(data)))]


def _copy(data: bytearray, random: Random) -> None:
    start, to = random.randrange(len(data)), random.randrange(len(data))
    data[to:to] = data[start : start + random.randint(1, 32)] * random.choice((1, 1, 2, 8))


def _insert(data: bytearray, random: Random) -> None:
    place = random.randrange(len(data))
    data[place:place] = (
        random.choice(TEXTS).encode() if random.random() < 0.5 else random.randbytes(random.randint(1, 4))
    )


def _overwrite(data: bytearray, random: Random) -> None:
    place = random.randrange(len(data))
    piece = random.choice((b"\x00", b"\xff", b"\x7f", b"\x80\x80\x80\x80\x10", b'"', b"{", b"}", b"[", b"<"))
    data[place : place + len(piece)] = piece


_BYTE_STEPS = (_flip, _cut, _copy, _insert, _overwrite)


# By fields


def _text(old: str, random: Random) -> str:
    piece = random.choice(TEXTS)
    match random.randrange(5):
        case 0:
            return piece
        case 1:
            return piece * random.randint(2, MAX_REPEATS)
        case 2:
            return old + piece
        case 3:
            start = random.randrange(len(old) + 1)
            return old[:start] + old[start + random.randint(1, 40) :]
    place = random.randrange(len(old) + 1)
    return old[:place] + piece + old[place:]


def _number(field: FieldDescriptor, random: Random) -> Any:
    if field.enum_type is not None:
        return random.choice([*field.enum_type.values_by_number, 99])
    if field.cpp_type in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return random.choice((0.0, -0.0, 0.1, 1e30, float("inf"), float("nan")))
    low, high = _RANGES.get(field.cpp_type, (-(2**63), 2**63))
    return random.choice([number for number in NUMBERS if low <= number < high])


_RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64),
}


def _value(field: FieldDescriptor, old: Any, random: Random) -> Any:
    """Return a value for a field that holds no message."""
    if field.type == FieldDescriptor.TYPE_STRING:
        return _text(old if isinstance(old, str) else "", random)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return random.randbytes(random.choice((0, 1, 3, 4, 8, 16)))
    return _number(field, random)


def _change(message: Message, random: Random) -> None:
    """Change one field of a message, or go on to a message in it."""
    content: Any = message
    fields: list[Any] = list(message.DESCRIPTOR.fields)
    set_ones = [field for field, _ in message.ListFields()]
    field = random.choice(set_ones if set_ones and random.random() < 0.7 else fields)
    if is_repeated(field):
        _change_items(getattr(content, field.name), field, random)
    elif random.random() < 0.1:
        message.ClearField(field.name)
    elif field.message_type is not None:
        _change(getattr(content, field.name), random)
        getattr(content, field.name).SetInParent()
    else:
        setattr(content, field.name, _value(field, getattr(content, field.name), random))


def _change_items(items: Any, field: FieldDescriptor, random: Random) -> None:
    choice = random.random()
    if items and choice < 0.1:
        del items[random.randrange(len(items))]
    elif items and choice < 0.25:
        items.append(random.choice(items))
    elif field.message_type is not None:
        _change(random.choice(items) if items and choice < 0.9 else items.add(), random)
    elif items and choice < 0.7:
        index = random.randrange(len(items))
        items[index] = _value(field, items[index], random)
    else:
        items.append(_value(field, None, random))


_WRITERS: Mapping[Format, Callable[[Any], bytes]] = {
    Format.BINARY: lambda message: message.SerializeToString(),
    Format.TEXT: lambda message: text_format.MessageToString(message, as_utf8=True).encode(),
    Format.JSON: lambda message: json_format.MessageToJson(message).encode(),
}


def written(message: Message, file_format: Format) -> bytes:
    """Return a message in a format."""
    return _WRITERS[file_format](message)


def read(data: bytes, file_format: Format) -> Message | None:
    """Return the message that an input holds, without any check of ours; `None` if it cannot be read."""
    message = schema.OperatorSetProto()
    try:
        match file_format:
            case Format.BINARY:
                message.ParseFromString(data)
            case Format.TEXT:
                parse_text(data.decode(), message)
            case Format.JSON:
                json_format.Parse(data.decode(), message)
    except PARSE_ERRORS:
        return None
    return message


def mutated_fields(data: bytes, file_format: Format, random: Random) -> bytes | None:
    """Return an input with some fields changed; `None` if its message cannot be read or written."""
    message = read(data, file_format)
    if message is None:
        return None
    try:
        for _ in range(random.choice((1, 1, 2, 4))):
            _change(message, random)
        return written(message, file_format)
    except (*PARSE_ERRORS, json_format.SerializeToJsonError):
        return None


def mutated_bytes(data: bytes, random: Random) -> bytes:
    """Return an input with some bytes changed."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4, 8))):
        if not changed:
            changed += random.randbytes(4)
        random.choice(_BYTE_STEPS)(changed, random)
    return bytes(changed)


def mutated(data: bytes, file_format: Format, random: Random) -> bytes:
    """Return another input: as often by fields as by bytes."""
    by_fields = mutated_fields(data, file_format, random) if random.random() < 0.5 else None
    return mutated_bytes(data, random) if by_fields is None else by_fields
