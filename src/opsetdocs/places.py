"""Where each element of an operator set stands in the text or JSON file that it was read from.

The parsers of protobuf give no place for what they have read. So the tokens of a text are gone through once
more, which needs no care for what is not valid: a parser has accepted the text, or its beginning.
"""

from __future__ import annotations

import functools
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from google.protobuf.descriptor import Descriptor

from opsetdocs import schema
from opsetdocs.model import Format, SourceText
from opsetdocs.wire import Path, is_repeated


def line_and_column(text: SourceText | None, path: Path) -> tuple[int, int] | None:
    """Return line and column, from 1 and in characters, of a field; `None` where there is no text.

    A field begins with its name, and so does an item of a repeated field that stands in no list in brackets.

    Args:
        text: What the operator set was read from.
        path: The way to the field from the set, such as `("operator", 3, "since_version")`. Where the field
            is absent, its nearest enclosing element that is there stands for it; the set itself begins where
            the file does.
    """
    if text is None:
        return None
    index = _index(text)
    while path not in index:
        path = path[:-1]
    return index[path]


def line_and_column_at(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, from 1, of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


@functools.lru_cache(maxsize=64)
def _index(text: SourceText) -> Mapping[Path, tuple[int, int]]:
    """Return line and column of all elements of a text: one file may have many findings."""
    lines = [0, *(match.end() for match in re.finditer("\n", text.content))]
    places = json_places if text.format is Format.JSON else text_places
    index: dict[Path, tuple[int, int]] = {(): (1, 1)}
    for path, offset, *_ in places(text.content):
        if path not in index:
            line = bisect_right(lines, offset)
            index[path] = line, offset - lines[line - 1] + 1
    return index


# Text

TEXT_TOKEN = re.compile(
    r"""
    (?P<string>"(?:[^"\\\n]++|\\.)*+"?+ | '(?:[^'\\\n]++|\\.)*+'?+)
    | \#[^\n]*+
    | (?P<open>[{<]) | (?P<close>[}>])
    | (?P<open_list>\[) | (?P<close_list>\]) | (?P<comma>,)
    | (?P<word>[^\s"'\#{<}>\[\],;:]++)
    """,
    re.VERBOSE,
)
"""A piece of text format (https://protobuf.dev/reference/protobuf/textformat-spec/), or a comment."""


_Fields = Mapping[str, tuple[bool, Descriptor | None]]
"""Of each field of a message, whether it is repeated, and the message that it holds."""


@dataclass(slots=True)
class _OpenMessage:
    """A message of a text that is being gone through."""

    path: Path
    fields: _Fields
    counts: Counter[str] = field(default_factory=Counter)
    """How many items of each repeated field have begun."""
    name: str = ""
    """The field that began last."""
    start: int = 0
    """Where it began."""
    awaits_value: bool = False
    in_list: bool = False


def text_places(text: str) -> Iterator[tuple[Path, int]]:
    """Yield path and offset of each field and item of a text as it begins.

    At the end of a message the path of the one around it comes again, so that the last path always tells
    where the text ends; the first offset of a path is the place of the element. A field that the format does
    not know counts as not repeated.
    """
    stack = [_OpenMessage((), _fields(schema.descriptor("OperatorSetProto")))]
    for token in TEXT_TOKEN.finditer(text):
        message = stack[-1]
        match token.lastgroup:
            case "word" if not message.awaits_value:
                message.name, message.start, message.awaits_value = token[0], token.start(), True
                yield (*message.path, message.name), message.start
            case "word" | "string" | "open" as kind if message.awaits_value:
                message.awaits_value = False
                path: Path = (*message.path, message.name)
                repeated, descriptor = message.fields.get(message.name, (False, None))
                if repeated:
                    path = (*path, message.counts[message.name])
                    message.counts[message.name] += 1
                    yield path, token.start() if message.in_list else message.start
                if kind == "open":
                    stack.append(_OpenMessage(path, _fields(descriptor)))
            case "open_list":
                message.in_list = True
            case "close_list":
                message.in_list = message.awaits_value = False
            case "comma":
                message.awaits_value = message.in_list
            case "close":
                stack.pop()
                yield stack[-1].path, token.start()


@functools.cache
def _fields(descriptor: Descriptor | None) -> _Fields:
    fields = descriptor.fields if descriptor else ()
    return {item.name: (is_repeated(item), item.message_type) for item in fields}


# JSON

_JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)


def json_places(text: str) -> Iterator[tuple[Path, int, bool]]:
    """Yield path, offset, and whether it is a value of each name and value of a valid JSON text.

    The paths have the names as the .proto spells them, in whichever spelling they stand in the text.
    """
    here: list[str | int] = []
    is_name = False
    for token in _JSON_TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            yield tuple(here), token.start(), True
            here.append("" if mark == "{" else 0)
            is_name = mark == "{"
        elif mark in "}]":
            here.pop()
        elif mark == ",":
            last = here[-1]
            is_name = isinstance(last, str)
            here[-1] = last if isinstance(last, str) else last + 1
        elif mark == ":":
            is_name = False
        else:
            if is_name:
                here[-1] = proto_name(json.loads(mark))
            yield tuple(here), token.start(), not is_name


def proto_name(name: str) -> str:
    """Return a name of a JSON file as the .proto spells it: `op_type` for both `opType` and `op_type`."""
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
