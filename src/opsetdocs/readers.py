"""The three encodings of a file, each read into a message, with errors that point at the place.

Each reader takes the content of a file without a byte order mark and its name, returns an OperatorSetProto
message, and raises `FileError`. None of them leaves anything out in silence: what protobuf would skip, merge
or replace is refused here.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import json
import operator
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format, text_format
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message

from opsetdocs import schema
from opsetdocs.errors import FileError
from opsetdocs.places import TEXT_TOKEN, json_places, line_and_column_at, proto_name, text_places
from opsetdocs.plain_text import json_reason, visible
from opsetdocs.wire import (
    MAX_DEPTH,
    FaultKind,
    Path,
    depth,
    dotted,
    first_fault,
    has_more_fields,
    is_repeated,
)

if TYPE_CHECKING:
    from onnx.onnx_operators_ml_pb2 import OperatorSetProto

PARSE_ERRORS = (
    DecodeError,
    text_format.ParseError,
    json_format.ParseError,
    ValueError,
    TypeError,
    OverflowError,
    RecursionError,
)
"""All that the parsers of protobuf were seen to raise."""

MAX_MESSAGES = 100_000
"""How many messages a file may hold; the greatest operator set of ONNX holds about 850."""

LARGE = 4 * 2**20
"""The size in bytes above which a binary file is looked at before protobuf reads it."""

_MAX_FIELDS = 10 * MAX_MESSAGES
"""How many fields a large binary file may have."""

_MAX_QUOTED = 200
"""How much of a text from a file is quoted, or of a message of protobuf, which may quote a whole file."""

_NAME_FIELDS = ("op_type", "name")
"""Where an operator and a function have their names."""


def one_line(text: object) -> str:
    """Return a text from a file as a message may quote it: on one line, without its end if it is long."""
    start = str(text)[:_MAX_QUOTED]
    line = visible(start)
    return line if len(str(text)) <= _MAX_QUOTED else f"{line}..."


def labelled(path: Path, name: object) -> str:
    """Return a path as a message begins with it: `operator[3] Conv: doc_string`.

    Args:
        path: The way to an element.
        name: The name of the operator or function on that way, where it has a usable one.
    """
    if len(path) < 2 or not isinstance(path[1], int):
        return dotted(path)
    head = dotted(path[:2]) + (f" {one_line(name)}" if name and isinstance(name, str) else "")
    return ": ".join(part for part in (head, dotted(path[2:])) if part)


def too_deep(file: str, path: Path = ()) -> FileError:
    """Return the error about messages that nest deeper than all three encodings can be read."""
    place = f" in {dotted(path[:2])}" if path else ""
    return FileError(file, f"nested too deep{place}: more than {MAX_DEPTH} messages inside each other")


def too_many(file: str) -> FileError:
    """Return the error about a file of more than `MAX_MESSAGES` messages."""
    return FileError(file, f"too many operators, functions, nodes and the like: more than {MAX_MESSAGES:,}")


# Binary


def read_binary(data: bytes, file: str) -> OperatorSetProto:
    """Read a message in protobuf's binary encoding."""
    message = schema.OperatorSetProto()
    if len(data) > LARGE and has_more_fields(data, schema.descriptor("OperatorSetProto"), _MAX_FIELDS):
        raise too_many(file)
    try:
        message.ParseFromString(data)
    except PARSE_ERRORS as err:
        raise _binary_error(data, file) from err
    # Nothing was merged or replaced if what was read takes as many bytes as the file has.
    if message.ByteSize() != len(data):
        _refuse_repeated(data, file)
    return message


def _binary_error(data: bytes, file: str) -> FileError:
    fault = first_fault(data, schema.descriptor("OperatorSetProto"))
    if fault is None or fault.kind is FaultKind.TWICE:
        return FileError(file, f"truncated or damaged ({len(data)} bytes)")
    if fault.kind is FaultKind.TOO_DEEP:
        return too_deep(file, fault.path)
    if fault.kind is FaultKind.NOT_UTF8:
        return FileError(file, f"{dotted(fault.path)} {fault.detail}")
    place = f"in {dotted(fault.path)} " if fault.path else ""
    return FileError(file, f"truncated or damaged ({len(data)} bytes): {place}{fault.detail}")


def _refuse_repeated(data: bytes, file: str) -> None:
    fault = first_fault(data, schema.descriptor("OperatorSetProto"))
    if fault is None or fault.kind is not FaultKind.TWICE:
        return
    if fault.path:
        raise FileError(file, f"damaged: in {dotted(fault.path)} {fault.detail}")
    raise FileError(file, f"looks like several operator sets joined in one file: {fault.detail}")


# Text

_TEXT_ERROR = re.compile(r"\d+:\d+ : (?P<text>.*)", re.DOTALL)
_NO_FIELD = re.compile(r'Message type "(?P<message>[\w.]+)" has no field named "(?P<name>[^"]*)"')
_NO_VALUE = re.compile(r'Enum type "(?P<enum>[\w.]+)" has no value (?:named|with number) (?P<name>\w+)')
_ESCAPE = re.compile(
    r"""\\(?:[abfnrtv\\'"]|[0-3][0-7]{2}|[0-7]{1,2}(?![0-7])|x[0-9A-Fa-f]|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|(?P<wrong>.))"""
)


def read_text(data: bytes, file: str) -> OperatorSetProto:
    """Read a message in protobuf's text format."""
    text = decode(data, file)
    message = schema.OperatorSetProto()
    try:
        parse_text(text, message)
    except text_format.ParseError as err:
        raise _text_error(err, text, file, message) from err
    except RecursionError as err:
        raise too_deep(file) from err
    except PARSE_ERRORS as err:
        raise FileError(file, f"not valid text format: {one_line(err)}") from err
    return message


def parse_text(text: str, message: Message) -> None:
    """Parse text format into a message, and refuse an unknown escape sequence instead of keeping it.

    Raises:
        text_format.ParseError: The text is not valid; the parser has other exceptions too (`PARSE_ERRORS`).
    """
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "invalid .*escape", DeprecationWarning)
            text_format.Parse(text, message)
    except DeprecationWarning as err:
        strings = (token for token in TEXT_TOKEN.finditer(text) if token["string"])
        escapes = (item for token in strings for item in _ESCAPE.finditer(text, token.start(), token.end()))
        for wrong in filter(lambda item: item["wrong"], escapes):
            place = line_and_column_at(text, wrong.start())
            raise text_format.ParseError(f"{wrong[0]} is not an escape sequence", *place) from err
        raise text_format.ParseError(str(err)) from err


def _text_error(err: text_format.ParseError, text: str, file: str, message: OperatorSetProto) -> FileError:
    line, column = err.GetLine(), err.GetColumn()
    match = _TEXT_ERROR.match(str(err))
    said = match["text"] if match else str(err)
    if line is None or column is None:
        return FileError(file, f"not valid text format: {_improve(said)}")
    lines = [*text.split("\n"), ""]
    for quoted in (lines[line - 1], ""):
        said = said.removeprefix(f"'{quoted}': ")
    offset = sum(len(item) + 1 for item in lines[: line - 1]) + column - 1
    element, field = _place_at(text, offset, message)
    said = f"{field} is not valid UTF-8" if "'utf-8' codec" in said else _improve(said)
    return FileError(file, ": ".join(filter(None, (element, said))), line=line, column=column)


def _place_at(text: str, offset: int, message: OperatorSetProto) -> tuple[str, str]:
    """Return which operator or function a place in the text belongs to, and the last field before it."""
    path = [(), *(path for path, _ in text_places(text[:offset]))][-1]
    field = next((part for part in reversed(path) if isinstance(part, str)), "")
    match path:
        case ("operator" | "functions" as kind, int(index), *_):
            items: Any = getattr(message, kind)
            names = (getattr(items[index], name, "") for name in _NAME_FIELDS) if index < len(items) else ()
            return labelled((kind, index), next(filter(None, names), "")), field
    return "", field


def _improve(said: str) -> str:
    """Add to a message of the text parser what would have been right."""
    if match := _NO_FIELD.search(said):
        descriptor = schema.descriptor(match["message"].partition(".")[2])
        return _unknown_field(match["name"], descriptor, descriptor.fields_by_name)
    if match := _NO_VALUE.search(said):
        enum = schema.enum(match["enum"].partition(".")[2])
        return f"{match['name']} is not a value of {enum.name}, expected {_choices(enum)}"
    return one_line(said)


# JSON

_JSON_ERROR = re.compile(
    r'(?:Failed to parse \w+ field: )*(?P<text>.*?)(?: at "?OperatorSetProto\.?(?P<path>[\w.\[\]]*?)"?)?\.*',
    re.DOTALL,
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_INT64 = range(-(2**63), 2**63)


class _JsonObject(dict[str, Any]):
    """An object of a JSON file, and the names that stand in it more than once."""

    def __init__(self, pairs: Iterable[tuple[str, Any]]) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs)
        self.repeated = [name for name, count in counts.items() if count > 1]


def _object_maker(file: str) -> Callable[[Iterable[tuple[str, Any]]], _JsonObject]:
    """Return what makes the objects of a file, up to the greatest number."""
    numbers = itertools.count(1)

    def make(pairs: Iterable[tuple[str, Any]]) -> _JsonObject:
        if next(numbers) > MAX_MESSAGES:
            raise too_many(file)
        return _JsonObject(pairs)

    return make


class _JsonFault(Exception):  # noqa: N818 - becomes a FileError once its place is looked up
    """Something wrong at a place in a JSON file.

    Args:
        message: What is wrong.
        path: The way to the place, with the names as the file spells them.
        at_value: Whether the value is wrong rather than its name.
    """

    def __init__(self, message: str, path: Path, *, at_value: bool = False) -> None:
        super().__init__(message)
        self.path = path
        self.at_value = at_value


def read_json(data: bytes, file: str) -> OperatorSetProto:
    """Read a message in protobuf's JSON encoding, in either spelling of the names."""
    text = decode(data, file)
    message = schema.OperatorSetProto()
    content: Any = None
    try:
        content = json.loads(text, object_pairs_hook=_object_maker(file))
        _check_object(content, schema.descriptor("OperatorSetProto"), ())
        json_format.ParseDict(content, message, max_recursion_depth=2 * MAX_DEPTH)
    except json.JSONDecodeError as err:
        said = f"not valid JSON: {json_reason(err)}"
        raise FileError(file, said, line=err.lineno, column=err.colno) from err
    except _JsonFault as err:
        raise _json_error(err, text, content, file) from err
    except RecursionError as err:
        raise too_deep(file) from err
    except PARSE_ERRORS as err:
        raise _json_parser_error(str(err), text, content, file) from err
    return message


def _json_parser_error(said: str, text: str, content: Any, file: str) -> FileError:
    """Return the error for what only protobuf's own parser checks, such as the range of floats."""
    match = _JSON_ERROR.fullmatch(said)
    if match is None or not match["path"]:
        return FileError(file, f"not valid JSON: {one_line(match['text'] if match else said)}")
    parts = re.findall(r"\w+", match["path"])
    path = tuple(int(part) if part.isdecimal() else part for part in parts)
    return _json_error(
        _JsonFault(f"{dotted(path[-1:])}: {match['text']}", path, at_value=True), text, content, file
    )


def _json_error(fault: _JsonFault, text: str, content: Any, file: str) -> FileError:
    line = column = None
    sought = tuple(proto_name(part) if isinstance(part, str) else part for part in fault.path)
    for path, offset, is_value in json_places(text):
        if path == sought and is_value is fault.at_value:
            line, column = line_and_column_at(text, offset)
    element = _json_element(fault.path, content)
    return FileError(file, ": ".join(filter(None, (element, str(fault)))), line=line, column=column)


def _json_element(path: Path, content: Any) -> str:
    """Return which operator or function a path leads to or through, with its name."""
    if len(path) < 3:
        return ""
    item: Any = functools.reduce(operator.getitem, path[:2], content)
    names = (item.get(name) for name in ("op_type", "opType", "name"))
    return labelled(path[:2], next(filter(None, names), ""))


def _check_object(value: Any, descriptor: Descriptor, path: Path) -> None:
    """Refuse what protobuf's own JSON parser accepts in silence or refuses without a place."""
    if not isinstance(value, _JsonObject):
        raise _JsonFault(
            f"{_last_name(path)} must be an object, found {_json_kind(value)}", path, at_value=True
        )
    if depth(path) > MAX_DEPTH:
        raise RecursionError
    if value.repeated:
        raise _JsonFault(f'"{one_line(value.repeated[0])}" stands twice', (*path, value.repeated[0]))
    fields = _json_fields(descriptor)
    spellings: dict[str, str] = {}
    for name, item in value.items():
        here = (*path, name)
        if name not in fields:
            raise _JsonFault(_unknown_field(name, descriptor, fields), here)
        field = fields[name]
        other = spellings.setdefault(field.name, name)
        if other != name and value[other] != item:
            raise _JsonFault(
                f'{field.name} stands twice, as "{other}" and as "{name}", with two values', here
            )
        if item is not None:
            _check_field(item, field, here)


def _check_field(value: Any, field: FieldDescriptor, path: Path) -> None:
    if not is_repeated(field):
        _check_value(value, field, path)
        return
    if not isinstance(value, list):
        raise _JsonFault(f"{field.name} must be a list, found {_json_kind(value)}", path, at_value=True)
    for index, item in enumerate(value):
        _check_value(item, field, (*path, index))


def _check_value(value: Any, field: FieldDescriptor, path: Path) -> None:
    if field.message_type is not None:
        _check_object(value, field.message_type, path)
    elif (expected := _expected(value, field)) is not None:
        raise _JsonFault(f"{field.name} is {_json_kind(value)}, expected {expected}", path, at_value=True)


def _expected(value: Any, field: FieldDescriptor) -> str | None:
    """Return what a value should have been, or `None` if it is right or left to protobuf's own parser."""
    if field.enum_type is not None:
        known = isinstance(value, str) and (
            value in field.enum_type.values_by_name or _WHOLE.fullmatch(value)
        )
        return None if known or _is_whole(value) else _choices(field.enum_type)
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            if not isinstance(value, str):
                return "a string"
            return None if _is_unicode(value) else "text without unpaired surrogates"
        case FieldDescriptor.TYPE_BYTES:
            return None if isinstance(value, str) and _BASE64.fullmatch(value) else "a string in base64"
        case FieldDescriptor.TYPE_INT64:
            return None if _is_whole(value) else "a whole number of 64 bits"
    return None


def _is_whole(value: Any) -> bool:
    """Whether a number of a JSON file, or its text, is a whole one of 64 bits."""
    if isinstance(value, bool):
        return False
    if isinstance(value, str):
        return _WHOLE.fullmatch(value) is not None and int(value) in _INT64
    return (
        isinstance(value, int | float)
        and value == value
        and -(2**63) <= value < 2**63
        and value == int(value)
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@functools.cache
def _json_fields(descriptor: Descriptor) -> dict[str, FieldDescriptor]:
    return {name: field for field in descriptor.fields for name in (field.name, field.json_name)}


def _json_kind(value: Any) -> str:
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
    return one_line(json.dumps(value))


def _last_name(path: Path) -> str:
    return dotted(path) or "the file's content"


# What they share


_OPEN_STRING = re.compile(r'\b(?P<field>\w++)"?\s*+:\s*+"(?:[^"\\]|\\.)*+\Z', re.DOTALL)
"""The last field of a text that ends inside a string, in text format and JSON."""


def decode(data: bytes, file: str) -> str:
    """Return the text of a file in text or JSON form, with LF for line ends that are lone CRs.

    To the parser of text format a comment would go on from a lone CR to the end of the file.

    Raises:
        FileError: The content is not valid UTF-8.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as err:
        before = data[: err.start].decode()
        line, column = line_and_column_at(before, len(before))
        match = _OPEN_STRING.search(before)
        message = f"{match['field']} is not valid UTF-8" if match else "not valid UTF-8"
        raise FileError(file, message, line=line, column=column) from err
    return text if "\n" in text else text.replace("\r", "\n")


def _unknown_field(name: str, descriptor: Descriptor, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    hint = f'did you mean "{near[0]}"?' if near else f"the fields are {', '.join(descriptor.fields_by_name)}"
    return f'{descriptor.name} has no field "{one_line(name)}"; {hint}'


def _choices(enum: EnumDescriptor) -> str:
    names = [value.name for value in enum.values]
    return " or ".join(names) if len(names) == 2 else f"one of {', '.join(names)}"
