"""Where the bytes of a binary message go wrong.

protobuf says of a damaged file that it is one, not where, and merges in silence what stands twice. This reads
the bytes once more, by the rules of protobuf's wire format (https://protobuf.dev/programming-guides/encoding/),
to name the place. It is needed only for files that are not in order, so it may be slow.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from google.protobuf.descriptor import Descriptor, FieldDescriptor

MAX_DEPTH = 100
"""How deep messages may nest below the operator set: what protobuf reads of a binary file."""

Path = tuple[str | int, ...]
"""The way to an element: field names, each followed by the index where the field is repeated."""


class FaultKind(Enum):
    """What can be wrong with the bytes."""

    DAMAGED = "damaged"
    TOO_DEEP = "too deep"
    TWICE = "twice"
    NOT_UTF8 = "not UTF-8"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first thing that is wrong with the bytes of a message."""

    kind: FaultKind
    path: Path
    detail: str
    """The fault in words, with the place in bytes from the start of the file."""


class _FaultFound(Exception):  # noqa: N818 - carries a result out of the recursion, and never leaves this module
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


_VARINT, _LENGTH_DELIMITED = 0, 2
_FIXED_LENGTHS = {1: 8, 5: 4}
"""The wire types of fixed length, and that length. Groups (3 and 4) occur nowhere in the format."""


@dataclass(frozen=True, slots=True)
class _Field:
    number: int
    wire_type: int
    start: int
    """Where the field's tag begins."""
    value: int
    """Where its value begins: that of a length-delimited field after the length."""
    end: int


def dotted(path: Path) -> str:
    """Return a path as people read it, such as `functions[0].node[2]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def depth(path: Path) -> int:
    """Return how many messages deep a path leads."""
    return sum(isinstance(part, str) for part in path)


def is_repeated(field: FieldDescriptor) -> bool:
    """Return whether a field is repeated; `label`, which protobuf 4 needs, is deprecated in later ones."""
    repeated = getattr(field, "is_repeated", None)
    if repeated is None:
        repeated = field.label == FieldDescriptor.LABEL_REPEATED  # type: ignore[attr-defined]
    return bool(repeated)


def first_fault(data: bytes, descriptor: Descriptor) -> Fault | None:
    """Return the first thing that is wrong with the bytes of a message, if there is one.

    Besides damage that is a field which stands twice although it is not repeated, since protobuf keeps one of
    the two: a sign of files that were joined.
    """
    try:
        _check_message(data, 0, len(data), descriptor, ())
    except _FaultFound as found:
        return found.fault
    return None


def has_more_fields(data: bytes, descriptor: Descriptor, limit: int) -> bool:
    """Return whether a message and those inside it have more fields than a limit.

    It makes nothing of them, while two bytes of a file can become a hundred in protobuf's memory. Damage ends
    the count.
    """
    fields = _fields(data, 0, len(data), descriptor, 0)
    try:
        return next(itertools.islice(fields, limit, None), None) is not None
    except _FaultFound:
        return False


def _fields(data: bytes, position: int, end: int, descriptor: Descriptor, depth: int) -> Iterator[_Field]:
    while position < end:
        field = _read_field(data, position, end, ())
        yield field
        known = descriptor.fields_by_number.get(field.number)
        inner = known.message_type if known and field.wire_type == _LENGTH_DELIMITED else None
        if inner is not None and depth < MAX_DEPTH:
            yield from _fields(data, field.value, field.end, inner, depth + 1)
        position = field.end


def _check_message(data: bytes, position: int, end: int, descriptor: Descriptor, path: Path) -> None:
    seen: Counter[int] = Counter()
    while position < end:
        field = _read_field(data, position, end, path)
        known = descriptor.fields_by_number.get(field.number)
        if known is not None:
            count = seen[field.number]
            seen[field.number] += 1
            _check_field(data, field, known, count, path)
        position = field.end


def _check_field(data: bytes, field: _Field, known: FieldDescriptor, count: int, path: Path) -> None:
    if is_repeated(known):
        here = (*path, known.name, count)
    elif count:
        detail = f"{known.name} stands twice, again at byte {field.start}"
        raise _FaultFound(Fault(FaultKind.TWICE, path, detail))
    else:
        here = (*path, known.name)
    if field.wire_type != _LENGTH_DELIMITED:
        return
    if known.message_type is not None:
        if depth(here) > MAX_DEPTH:
            raise _FaultFound(Fault(FaultKind.TOO_DEEP, here, ""))
        _check_message(data, field.value, field.end, known.message_type, here)
    elif known.type == FieldDescriptor.TYPE_STRING:
        try:
            data[field.value : field.end].decode()
        except UnicodeDecodeError as err:
            detail = f"is not valid UTF-8 at byte {err.start}"
            raise _FaultFound(Fault(FaultKind.NOT_UTF8, here, detail)) from None


def _read_field(data: bytes, start: int, end: int, path: Path) -> _Field:
    tag, value = _read_varint(data, start, end, path)
    number, wire_type = tag >> 3, tag & 7
    length = _FIXED_LENGTHS.get(wire_type, 0)
    if not number:
        raise _damaged(path, f"the field at byte {start} has the number 0")
    if wire_type == _VARINT:
        _, value = _read_varint(data, value, end, path)
    elif wire_type == _LENGTH_DELIMITED:
        length, value = _read_varint(data, value, end, path)
    elif not length:
        raise _damaged(path, f"the field at byte {start} has the unknown wire type {wire_type}")
    if value + length > end:
        left = end - value
        raise _damaged(path, f"the field at byte {start} needs {length} bytes, but only {left} follow")
    return _Field(number, wire_type, start, value, value + length)


def _read_varint(data: bytes, start: int, end: int, path: Path) -> tuple[int, int]:
    """Return a number and the position after it."""
    number = 0
    for index, byte in enumerate(data[start : min(start + 10, end)]):
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return number, start + index + 1
    raise _damaged(path, f"the number at byte {start} has no end")


def _damaged(path: Path, detail: str) -> _FaultFound:
    return _FaultFound(Fault(FaultKind.DAMAGED, path, detail))
