"""What identifies an entry of an operator set: its name and its since_version; and the status of the two.

An OperatorProto states all three in fields of its own. A FunctionProto states since_version and status in its
metadata_props, or, in files of IR version < 8, in its fields 2 and 3; otherwise its status is STABLE.
"""

from __future__ import annotations

from typing import NamedTuple

from opsetdocs.model import STABLE, Function, Operator, OperatorSet, Status

_STATUS_WORDS = {"EXPERIMENTAL": 0, "STABLE": 1}


class Name(NamedTuple):
    """What an entry is called in its domain. Only functions have an overload."""

    op_type: str
    overload: str

    def __str__(self) -> str:
        return f"{self.op_type}:{self.overload}" if self.overload else self.op_type


def entries(operator_set: OperatorSet) -> tuple[Operator | Function, ...]:
    """Return all entries of a set in file order, operators before functions."""
    return (*operator_set.operators, *operator_set.functions)


def name_of(entry: Operator | Function) -> Name | None:
    """Return what an entry is called; `None` where it has no name."""
    if isinstance(entry, Operator):
        return Name(entry.op_type, "") if entry.op_type else None
    return Name(entry.name, entry.overload) if entry.name else None


def metadata(entry: Operator | Function, key: str) -> str | None:
    """Return a value of a function's metadata_props, if it is there. An operator has none."""
    return dict(entry.metadata).get(key) if isinstance(entry, Function) else None


def stated_since_version(entry: Operator | Function) -> int | None:
    """Return the since_version that an entry states; `None` where it states none, or none that is >= 1."""
    if isinstance(entry, Function) and (number := whole_number(metadata(entry, "since_version"))):
        return number
    return entry.since_version if entry.since_version and entry.since_version >= 1 else None


def stated_status(entry: Operator | Function) -> Status:
    """Return the status of an entry; for a function that states none, STABLE."""
    if isinstance(entry, Operator):
        return entry.status
    number = status_number(metadata(entry, "status"))
    if number is not None:
        return Status(number)
    return STABLE if entry.status.number is None else entry.status


def whole_number(text: str | None) -> int | None:
    """Read a number of metadata_props, such as a since_version; `None` where the text is none."""
    text = (text or "").strip()
    # Longer numbers than those of an int64 are refused before int() has to read them.
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else None


def status_number(text: str | None) -> int | None:
    """Read a status of metadata_props, a word of the format or a number; `None` where it is neither."""
    return _STATUS_WORDS.get((text or "").strip().upper(), whole_number(text))
