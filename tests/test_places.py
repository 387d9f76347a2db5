"""Where the elements of an operator set stand in its text or JSON file."""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf import json_format, text_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from hypothesis import given
from hypothesis import strategies as st

from opsetdocs import schema
from opsetdocs.loader import parse
from opsetdocs.model import Format
from opsetdocs.places import line_and_column, proto_name
from opsetdocs.wire import Path, is_repeated

# The sign ▸ stands before the place of the path; the files do not have it, but have the magic as well.
IN_TEXT: list[tuple[Path, str]] = [
    ((), "▸"),
    ((), "▸\n# A comment.\n"),
    (("domain",), "\n▸domain: 'com.example'"),
    (("domain",), "\n▸domain # domain: {\n:\n'com.' \"example\""),
    (("domain",), 'doc_string: "domain: { \\" # [" ▸domain: "a"'),
    (("domain",), "doc_string: 'a\" domain: \\' \\\\'▸domain: 'a'"),
    (("domain",), 'doc_string: "é 👍🏽" ▸domain: "a"'),
    (("domain",), "ir_version: 8;▸domain:'a',opset_version:3"),
    (("opset_version",), "ir_version: 8;domain:'a',▸opset_version:3"),
    (("operator", 1, "status"), "operator { status: 7 }\noperator { op_type: 'A' ▸status: -1 }"),
    # What is absent: the operator, the list, or the file stands for it.
    (("domain",), "▸\noperator { }"),
    (("operator", 1, "status"), "operator { status: 7 }\n  ▸operator { op_type: 'A' }"),
    (("operator", 2), "\n▸operator { } operator { }"),
    (("functions", 0, "node", 2, "input", 1), "▸functions { input: 'x' }"),
    (("functions", 0, "input", 1), "functions { ▸input: 'x' }"),
    # The ways in which a message is written.
    (("operator", 1, "op_type"), "operator: { } operator <▸op_type: 'A'>"),
    (("operator", 1), "operator: { } ▸operator# <\n< >"),
    (("operator", 1), "operator [{ }, ▸{ op_type: 'A' }]"),
    (("operator", 1, "op_type"), "operator: [{ }, <▸op_type: 'A'>]"),
    (("operator", 1, "op_type"), "operator: [<>] operator: [] operator <▸op_type: 'A'>"),
    (("operator", 2), "operator: [<>, { }] ▸operator { }"),
    (("operator",), "▸operator: [{ }, { op_type: 'A' }]"),
    # Lists of values.
    (("functions", 0, "input", 1), "functions { input: 'a' output: 'b' ▸input: 'b' }"),
    (("functions", 0, "input", 1), "functions { input: ['a' \"c\", ▸'b' 'd'] output: 'b' }"),
    (("functions", 0, "input", 2), "functions { input: ['a', 'b'] input: [] ▸input: 'c' }"),
    (("functions", 0, "output", 0), "functions { input: ['a', 'b'] ▸output: 'c' }"),
    (
        ("functions", 0, "metadata_props", 1, "value"),
        "functions { metadata_props: [{ value: '0' }, {▸value: '1'}] }",
    ),
    (
        ("functions", 0, "attribute_proto", 0, "floats", 2),
        "functions { attribute_proto { type: FLOATS, floats: [-1.5e-3, inf, ▸nan], f: 1 } }",
    ),
]
IN_JSON: list[tuple[Path, str]] = [
    (("opset_version",), '▸"opsetVersion": 3'),
    (("opset_version",), '▸"opset_version": "3"'),
    (("opset_version",), '▸"opset\\u0056ersion": 3'),
    (("domain",), '"docString": "\\"domain\\": [{", ▸"domain": "a"'),
    (("operator", 1), '"operator": [{},\n ▸{"opType": "A"}]'),
    (("operator", 1, "op_type"), '"operator": [{},\n {▸"opType": "A"}]'),
    (("operator", 1, "status"), '"operator": [{"status": 1},\n ▸{"opType": "A"}]'),
    (("operator", 0, "status"), '"operator": [{▸"status": null}]'),
    (("operator",), '▸"operator": [{}]'),
    (("operator", 0), '▸"operator": []'),
    (("functions", 0, "input", 1), '"functions": [{"input": ["a", ▸"b"], "output": ["c"]}]'),
    (("functions", 0, "output"), '"functions": [{"input": ["a", "b"], ▸"output": ["c"]}]'),
]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("path", "marked"),
    [
        *((path, f'{marked} magic: "ONNXOPSET"') for path, marked in IN_TEXT),
        *((path, f'{{"magic": "ONNXOPSET", {marked}}}') for path, marked in IN_JSON),
        (("domain",), '▸\n{"magic": "ONNXOPSET"}'),
    ],
)
def test_a_field_is_found(path: Path, marked: str, ending: str) -> None:
    before = marked.partition("▸")[0].split("\n")
    content = marked.replace("▸", "").replace("\n", ending).encode()
    for start in (b"", b"\xef\xbb\xbf"):
        place = line_and_column(parse(start + content, "ops.textproto").text, path)
        assert place == (len(before), len(before[-1]) + 1)


def test_a_binary_file_has_no_lines() -> None:
    data = schema.OperatorSetProto(magic="ONNXOPSET", opset_version=3).SerializeToString()
    assert line_and_column(parse(data, "ops.pb").text, ("opset_version",)) is None


def descriptors(descriptor: Descriptor, found: dict[str, Descriptor]) -> dict[str, Descriptor]:
    if descriptor.full_name not in found:
        found[descriptor.full_name] = descriptor
        for field in descriptor.fields:
            if field.message_type:
                descriptors(field.message_type, found)
    return found


def test_the_names_of_all_fields_are_known_in_both_spellings() -> None:
    fields = [
        field
        for item in descriptors(schema.descriptor("OperatorSetProto"), {}).values()
        for field in item.fields
    ]
    assert {"dim_value", "int32_data", "key"} <= {field.name for field in fields}
    for field in fields:
        assert proto_name(field.json_name) == proto_name(field.name) == field.name


# Any operator set, written in any way

HOSTILE = "~ { } [ ] < > # ' \" \\ , ; : é \n"
"""What follows the number in each text."""

VALUES: dict[int, Any] = {
    FieldDescriptor.CPPTYPE_STRING: lambda number: f"{number}{HOSTILE}",
    FieldDescriptor.CPPTYPE_FLOAT: lambda number: number + 0.5,
    FieldDescriptor.CPPTYPE_DOUBLE: lambda number: -number - 0.5,
}


def fill(draw: st.DrawFn, message: Any, numbers: Iterator[int], depth: int) -> None:
    """Set some fields of a message, each to a value that occurs nowhere else."""
    # Fields with messages thrice, for the sake of depth.
    fields = [field for field in message.DESCRIPTOR.fields for _ in range(3 if field.message_type else 1)]
    chosen = st.lists(st.sampled_from(fields), max_size=4, unique_by=lambda field: field.number)
    for field in draw(chosen):
        count = draw(st.integers(1, 3)) if is_repeated(field) else 1
        for _ in range(count):
            if field.message_type:
                item = getattr(message, field.name)
                item = item.add() if is_repeated(field) else item
                item.SetInParent()
                if depth:
                    fill(draw, item, numbers, depth - 1)
                continue
            number = next(numbers)
            if field.enum_type:
                value = draw(st.sampled_from(list(field.enum_type.values))).number
            else:
                value = VALUES.get(field.cpp_type, int)(number)
            if field.type == FieldDescriptor.TYPE_BYTES:
                value = value.encode()
            if is_repeated(field):
                getattr(message, field.name).append(value)
            else:
                setattr(message, field.name, value)


@st.composite
def operator_sets(draw: st.DrawFn) -> Any:
    message = schema.OperatorSetProto()
    fill(draw, message, itertools.count(10), 7)
    message.magic = "ONNXOPSET"
    return message


def elements(message: Any, path: Path = ()) -> Iterator[tuple[Path, FieldDescriptor, Any]]:
    """Yield all fields and items in the order in which they are written."""
    for field, value in message.ListFields():
        here = (*path, field.name)
        for number, item in enumerate(value) if is_repeated(field) else [(None, value)]:
            inner = here if number is None else (*here, number)
            yield inner, field, item
            if field.message_type:
                yield from elements(item, inner)


def begins(field: FieldDescriptor, value: Any) -> str:
    """Return a pattern for the beginning of a value, in text and in JSON."""
    if field.message_type:
        return "[{<]"
    if field.enum_type:
        return f'"?{field.enum_type.values_by_number[value].name}\\b'
    if field.type == FieldDescriptor.TYPE_BYTES:
        return f'"({value.partition(b"~")[0].decode()}~|{re.escape(base64.b64encode(value).decode())}")'
    if isinstance(value, str):
        return '"' + re.escape(value.partition("~")[0])
    return f'"?{re.escape(str(value))}\\b'


def check_places(message: Any, text: str, name: str, *, in_lists: bool = False) -> None:
    """Check the place of every element; `in_lists` tells whether lists of numbers stand in brackets."""
    source = parse(text.encode(), name).text
    assert source is not None
    lines = re.sub("\r\n?|\n", "\n", text).split("\n")
    last = (0, 0)
    for path, field, value in elements(message):
        place = line_and_column(source, path)
        assert place is not None
        assert place > last, path
        last = place
        start = "\n".join(lines[place[0] - 1 :])[place[1] - 1 :]
        is_json = source.format is Format.JSON
        is_short = in_lists and field.cpp_type not in (field.CPPTYPE_MESSAGE, field.CPPTYPE_STRING)
        is_item = is_repeated(field) and (is_json or is_short)
        label = "" if is_item else rf'"?({field.name}|{field.json_name})"?:? ?'
        assert re.match(label + begins(field, value), start), (path, start[:80])


@given(
    operator_sets(),
    st.fixed_dictionaries(
        {
            "pointy_brackets": st.booleans(),
            "use_short_repeated_primitives": st.booleans(),
            "force_colon": st.booleans(),
            "as_utf8": st.booleans(),
        }
    ),
    st.sampled_from(["one line", "indented", "with comments", "with separators", "strings in pieces"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_every_field_of_a_text_is_found(message: Any, options: Any, style: str, ending: str) -> None:
    text = text_format.MessageToString(message, as_one_line=style == "one line", **options)
    if style == "with comments":
        text = '# magic: "\n' + text.replace("\n", " # } ] ' >\n")
    if style == "with separators":
        text = re.sub(r'(?<=[\w"\]])\n', ";\n", text).replace("}\n", "},\n")
    if style == "strings in pieces":
        text = text.replace("~ ", "~\"'' \" ")
    text = text.replace("\n", ending)
    check_places(message, text, "ops.textproto", in_lists=options["use_short_repeated_primitives"])


@given(operator_sets(), st.booleans(), st.sampled_from([None, 0, 2]))
def test_every_field_of_a_json_file_is_found(message: Any, names: bool, indent: int | None) -> None:
    text = json_format.MessageToJson(message, preserving_proto_field_name=names, indent=indent)
    check_places(message, text, "ops.json")
