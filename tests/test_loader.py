"""From bytes to an operator set: the same in the three encodings, and a plain message for everything else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from opsetdocs import loader, readers, schema
from opsetdocs.errors import FileError
from opsetdocs.loader import from_message, parse
from opsetdocs.model import (
    EXPERIMENTAL,
    NOT_STATED,
    STABLE,
    AttributeDefault,
    Format,
    OperatorSet,
    SourceText,
    Status,
    UnknownField,
)

CASES = Path(__file__).parent / "cases"


def content(name: str) -> bytes:
    """Return the content of a case, such as `L3-plain.textproto`; what is given as hex is decoded."""
    data = (CASES / name).read_bytes()
    return bytes.fromhex(data.decode()) if name.endswith(".hex") else data


def message_of(text: str | bytes) -> Any:
    return text_format.Parse(text, schema.OperatorSetProto())


def twins(text: str | bytes) -> dict[str, bytes]:
    """Return the binary and the JSON forms of a text, by the names of files."""
    message = message_of(text)
    return {
        "twin.pb": message.SerializeToString(),
        "camel.json": json_format.MessageToJson(message).encode(),
        "snake.json": json_format.MessageToJson(message, preserving_proto_field_name=True).encode(),
    }


def read(data: bytes | str, name: str = "ops.pb") -> OperatorSet:
    opset = parse(data.encode() if isinstance(data, str) else data, name)
    assert opset.unknown_fields == ()
    return opset


def refusal(data: bytes | str, name: str = "ops.pb") -> FileError:
    with pytest.raises(FileError) as caught:
        parse(data.encode() if isinstance(data, str) else data, name)
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)
    return caught.value


def without_source(opset: OperatorSet) -> dict[str, Any]:
    return {
        name: getattr(opset, name) for name in opset.__dataclass_fields__ if name not in ("source", "text")
    }


# The three encodings

READABLE = [
    path.name
    for path in sorted(CASES.glob("*.textproto"))
    if path.name.split("-")[0] not in ("L1", "L2", "L6", "L8", "L11")
]


@pytest.mark.parametrize("name", READABLE)
def test_text_binary_and_json_read_alike(name: str) -> None:
    data = content(name)
    expected = without_source(read(data, name))
    for twin, twin_data in twins(data.decode("utf-8-sig")).items():
        assert without_source(read(twin_data, twin)) == expected, twin


FULL = r"""
magic: "ONNXOPSET"
ir_version: 7
ir_version_prerelease: "rc.1"
ir_build_metadata: "abc"
domain: "com.example"
opset_version: 5
doc_string: "About the set."
operator { op_type: "A" since_version: 1 status: STABLE doc_string: "Does a." }
operator { op_type: "B" since_version: 2 status: EXPERIMENTAL }
operator { op_type: "C" status: 7 }
operator { }
functions {
  name: "F" domain: "com.example" since_version: 3 status: EXPERIMENTAL overload: "o"
  input: ["X", "Y"] output: "Z" attribute: "axis"
  attribute_proto { name: "alpha" type: FLOAT f: 0.1 doc_string: "Slope." }
  opset_import { domain: "" version: 18 }
  opset_import { domain: "com.example" }
  node {
    op_type: "If" input: "X" output: "Z"
    attribute {
      name: "then_branch" type: GRAPH
      g {
        node { op_type: "A" domain: "com.example" overload: "p" }
        input { name: "i" } output { name: "o" }
        initializer { name: "w" } sparse_initializer { values { name: "s" } }
      }
    }
    attribute { name: "others" type: GRAPHS graphs { } graphs { node { op_type: "B" } } }
    attribute { name: "slope" type: FLOAT ref_attr_name: "alpha" }
  }
  value_info {
    name: "X"
    type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 3 } dim { } } } }
  }
  metadata_props { key: "since_version" value: "4" }
  doc_string: "Does f."
}
functions { status: STABLE }
functions { name: "G" }
"""


@pytest.mark.parametrize("name", ["full.textproto", "twin.pb", "camel.json", "snake.json"])
def test_everything_in_a_file_is_read(name: str) -> None:
    opset = read(({"full.textproto": FULL.encode()} | twins(FULL))[name], name)
    assert (opset.source, opset.magic, opset.ir_version) == (name, "ONNXOPSET", 7)
    assert (opset.ir_version_prerelease, opset.ir_build_metadata) == ("rc.1", "abc")
    assert (opset.domain, opset.opset_version, opset.doc_string) == ("com.example", 5, "About the set.")
    assert [(item.op_type, item.since_version, item.status, item.doc_string) for item in opset.operators] == [
        ("A", 1, STABLE, "Does a."),
        ("B", 2, EXPERIMENTAL, None),
        ("C", None, Status(7), None),
        (None, None, NOT_STATED, None),
    ]
    assert [item.position for item in opset.operators] == [0, 1, 2, 3]
    first, second, third = opset.functions
    assert (first.name, first.domain, first.overload) == ("F", "com.example", "o")
    assert (first.since_version, first.status) == (3, EXPERIMENTAL)
    assert (first.inputs, first.outputs, first.attributes) == (("X", "Y"), ("Z",), ("axis",))
    assert first.attribute_defaults == (AttributeDefault("alpha", "float", "0.1", "Slope."),)
    assert [(item.domain, item.version) for item in first.opset_imports] == [
        ("ai.onnx", 18),
        ("com.example", None),
    ]
    (node,) = first.nodes
    assert (node.op_type, node.domain, node.inputs, node.outputs) == ("If", "ai.onnx", ("X",), ("Z",))
    assert node.attribute_references == ("alpha",)
    assert [graph.attribute for graph in node.graphs] == ["then_branch", "others", "others"]
    graph = node.graphs[0]
    assert (graph.inputs, graph.initializers, graph.outputs) == (("i",), ("w", "s"), ("o",))
    (inner,) = graph.nodes
    assert (inner.op_type, inner.domain, inner.overload) == ("A", "com.example", "p")
    assert [len(graph.nodes) for graph in node.graphs] == [1, 0, 1]
    assert [(item.name, item.type) for item in first.values] == [("X", "tensor(float)[N, 3, ?]")]
    assert first.metadata == (("since_version", "4"),)
    assert first.doc_string == "Does f."
    assert schema.FunctionProto.FromString(first.proto).name == "F"
    assert (second.name, second.since_version, second.status, second.position) == (None, None, STABLE, 1)
    assert (third.status, third.opset_imports) == (NOT_STATED, ())
    assert len({item.body_key for item in opset.functions}) >= 2


def test_what_is_unset_differs_from_what_is_empty() -> None:
    unset = read('magic: "ONNXOPSET"')
    empty = read('magic: "ONNXOPSET" domain: "" doc_string: "" opset_version: 0 ir_version: 0')
    assert (unset.domain, unset.doc_string, unset.opset_version, unset.ir_version) == (None, None, None, None)
    assert (empty.domain, empty.doc_string, empty.opset_version, empty.ir_version) == ("", "", 0, 0)


def test_messages_of_the_onnx_package_are_read_too() -> None:
    from onnx.onnx_operators_ml_pb2 import OperatorSetProto

    message = OperatorSetProto.FromString(twins(FULL)["twin.pb"])
    opset = from_message(message, "onnx: com.example-5")
    assert without_source(opset) == without_source(read(FULL))


# L1, L2, L11: other files


@pytest.mark.parametrize("name", ["L1-model-mistaken.textproto", "twin.pb", "camel.json"])
def test_a_model_that_reads_as_a_set_is_refused(name: str) -> None:
    data = content("L1-model-mistaken.textproto")
    error = refusal(
        {name: data, **twins(data)}[name] if name != "L1-model-mistaken.textproto" else data, name
    )
    assert "looks like an ONNX model rather than an operator set" in error.message


@pytest.mark.parametrize(
    ("data", "name", "place"),
    [
        ('ir_version: 8\n  magic: "ONNX"', "a.textproto", (2, 3)),
        ("# A comment.\nopset_version: 3", "a.textproto", (1, 1)),
        ('{"opsetVersion": 3,\n "magic": ""}', "a.json", (2, 2)),
        (b"\x0a\x04ONNX\x28\x03", "a.pb", (None, None)),
    ],
)
def test_another_magic_breaks_a_rule(
    data: bytes | str, name: str, place: tuple[int | None, int | None]
) -> None:
    error = refusal(data, name)
    assert (error.rule, error.line, error.column) == ("OPSET_MAGIC", *place)


def onnx_files() -> dict[str, tuple[bytes, str]]:
    from onnx import helper

    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [], [])
    model = helper.make_model(graph)
    function = helper.make_function("d", "F", ["x"], ["y"], graph.node, [helper.make_opsetid("", 18)])
    return {
        "model.onnx": (model.SerializeToString(), "an ONNX model"),
        "model.textproto": (text_format.MessageToString(model).encode(), "an ONNX model"),
        "model.json": (json_format.MessageToJson(model).encode(), "an ONNX model"),
        "graph.pb": (graph.SerializeToString(), "an ONNX graph"),
        "function.pb": (function.SerializeToString(), "a single ONNX function"),
        "tensor.pb": (helper.make_tensor("t", 1, [2], [1.0, 2.0]).SerializeToString(), "an ONNX tensor"),
    }


@pytest.mark.parametrize("name", onnx_files())
def test_other_files_of_onnx_are_named(name: str) -> None:
    data, kind = onnx_files()[name]
    assert f"looks like {kind} rather than an operator set" in refusal(data, name).message


OTHER_FILES = [
    (content("L2-lfs-pointer.textproto"), "Git LFS pointer: the real content was not downloaded"),
    (b"", "Empty file"),
    (b" \r\n\t ", "Empty file"),
    (b"\xef\xbb\xbf\n", "Empty file"),
    (b"# only a comment\n", "magic is absent"),
    (b"{}", "magic is absent"),
    (b'{"magic": null}', "magic is absent"),
    (b'magic: "ONNX\\nOPSET"', r'magic is "ONNX\nOPSET"'),
    (b'magic: "ONNXOPSEX"', 'magic is "ONNXOPSEX", expected "ONNXOPSET"'),
    (b"<!DOCTYPE html>\n<html><body>404</body></html>", "an HTML page"),
    (b"\n<HTML lang=en>", "an HTML page"),
    (b'<?xml version="1.0"?>', "an XML file"),
    ('magic: "ONNXOPSET"'.encode("utf-16"), "UTF-16"),
    ('{"magic": "ONNXOPSET"}'.encode("utf-16-le"), "UTF-16"),
    ('{"magic": "ONNXOPSET"}'.encode("utf-16-be"), "UTF-16"),
    (b"PK\x03\x04" + bytes(30), "a zip archive"),
    (b"\x1f\x8b\x08\x00" + bytes(30), "a gzip archive"),
    (b'\x20\x00\x00\x00\x00\x00\x00\x00{"a":{"dtype":"F32"}}', "a safetensors file"),
    (b"\x89PNG\r\n\x1a\n", "a picture"),
    (b"\x7fELF\x02\x01\x01", "a program or library"),
    (b"\x1c\x00\x00\x00TFL3", "a TensorFlow Lite"),
    (b"\x80\x04\x95\x1a\x00\x00\x00", "a Python pickle"),
    (b"# Copyright\n\nfrom onnx import helper\n", "a Python file"),
    (b"#!/usr/bin/env python3\nx = 1\n", "a Python file"),
]


@pytest.mark.parametrize(("data", "expected"), OTHER_FILES)
@pytest.mark.parametrize("name", ["ops.pb", "ops.textproto", "ops.json", "-"])
def test_other_files_are_refused_with_what_they_seem_to_be(data: bytes, expected: str, name: str) -> None:
    assert expected in refusal(data, name).message


def test_a_file_of_no_format_is_refused_with_each_reason() -> None:
    message = refusal(b"hello world", "ops.pb").message
    assert re.search(r"as text: 1:1: .*as binary: truncated or damaged .*as JSON: 1:1: ", message)


def test_a_large_file_is_refused_for_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "MAX_SIZE", 10)
    assert refusal('magic: "ONNXOPSET"').message == "too large for an operator set: more than 10 bytes"


@pytest.mark.parametrize(
    "content", ["operator {}", "operator {} functions { node {} }", 'functions { input: ["a", "b"] }']
)
@pytest.mark.parametrize("large", [10**6, 0], ids=["read whole", "counted first"])
def test_more_messages_than_any_operator_set_has_are_refused(
    content: str, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f'magic: "ONNXOPSET" {content * 5}'
    message = text_format.Parse(text, schema.OperatorSetProto())
    forms = (message.SerializeToString(), text.encode(), json_format.MessageToJson(message).encode())
    for number, refused in ((4, True), (100, False)):
        monkeypatch.setattr(loader, "MAX_MESSAGES", number)
        monkeypatch.setattr(readers, "MAX_MESSAGES", number)
        monkeypatch.setattr(readers, "_MAX_FIELDS", number)
        monkeypatch.setattr(readers, "LARGE", large)
        for data in forms:
            if refused:
                assert refusal(data).message.startswith("too many operators, functions, nodes and the like")
            else:
                assert loader.parse(data, "ops").magic


AMOUNTS = {
    "operators and functions: 4, more than 3": ("MAX_ENTRIES", 3),
    "versions of F: 3, more than 2": ("MAX_VERSIONS", 2),
    "text: 15 characters in doc_strings, more than 14": ("MAX_TEXTS", 14),
}


@pytest.mark.parametrize(("words", "limit"), AMOUNTS.items(), ids=[name for name, _ in AMOUNTS.values()])
def test_more_than_a_site_can_hold_is_refused(
    words: str, limit: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, number = limit
    text = """
        magic: "ONNXOPSET" doc_string: "Text."
        operator { op_type: "F" since_version: 1 doc_string: "Te" }
        operator { op_type: "F" since_version: 2 }
        functions { name: "F" attribute_proto { name: "a" doc_string: "Text" } }
        functions { name: "F" overload: "x" doc_string: "Text" }
    """
    monkeypatch.setattr(loader, name, number)
    assert re.match(f"too (many|much) {re.escape(words)}", refusal(text).message)
    monkeypatch.setattr(loader, name, number + 1)
    assert loader.parse(text.encode(), "ops").magic


# L3, L4, T2, T3: names, byte order mark, characters, line endings


@pytest.mark.parametrize(
    "name", ["a.pb", "a.onnx", "a.onnxopset", "a.textproto", "a.json", "a", "-", "a.JSON"]
)
def test_the_content_tells_the_format(name: str) -> None:
    data = content("L3-plain.textproto")
    expected = without_source(read(data, "L3-plain.textproto"))
    for form in (data, *twins(data).values()):
        assert without_source(read(form, name)) == expected


def test_the_name_decides_where_the_content_does_not() -> None:
    # The first field is not one of a set, and there is a control character: text only by its name.
    said = [refusal(b'foo: "\x01"', name).message for name in ("a.textproto", "a.pb", "a.json")]
    assert [re.findall(r"as (\w+):", message) for message in said] == [
        ["binary", "text", "JSON"],
        ["binary", "text", "JSON"],
        ["binary", "JSON", "text"],
    ]


def test_a_control_character_in_a_text_file_is_kept() -> None:
    assert read('magic: "ONNXOPSET" doc_string: "a\x07b"', "a.pb").doc_string == "a\x07b"


@pytest.mark.parametrize("form", ["text", "twin.pb", "camel.json"])
def test_a_byte_order_mark_is_skipped(form: str) -> None:
    text = content("L4-bom.textproto")
    assert text.startswith(b"\xef\xbb\xbf")
    plain = {"text": text[3:], **twins(text.decode("utf-8-sig"))}[form]
    assert read(b"\xef\xbb\xbf" + plain) == read(plain)


def test_other_characters_than_ascii_are_read() -> None:
    opset = read(content("T2-non-ascii.textproto"))
    assert opset.operators[0].doc_string == "S = β (k ⊗ v), result in ±∞, done 👍🏽.\n"


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
@pytest.mark.parametrize("name", ["T3-line-endings.textproto", "L3-plain.textproto"])
def test_line_endings_of_a_text_file_mean_nothing(name: str, ending: str) -> None:
    text = content(name).decode()
    assert read(text.replace("\n", ending)) == read(text)


# L5, L8, L9 and others like them: content that protobuf would drop or replace

PLAIN = '"magic": "ONNXOPSET", "opset_version": 3'


@pytest.mark.parametrize(
    ("name", "place", "message"),
    [
        (
            "L5-unknown-status.json",
            (10, 14),
            'operator[0] Old: status is "DEPRECATED", expected EXPERIMENTAL or STABLE',
        ),
        (
            "L8-typo-field.textproto",
            (6, 1),
            'OperatorSetProto has no field "operater"; did you mean "operator"?',
        ),
        (
            "L9-both.json",
            (6, 2),
            'opset_version stands twice, as "opset_version" and as "opsetVersion", with two values',
        ),
    ],
)
def test_given_files_with_wrong_content(name: str, place: tuple[int, int], message: str) -> None:
    error = refusal(content(name), name)
    assert (error.message, error.line, error.column) == (message, *place)
    assert str(error) == f"{name}:{place[0]}:{place[1]}: {message}"


# The sign ▸ stands before the place that the error gives; the files do not have it.
WRONG_JSON = [
    (f'{{{PLAIN}, ▸"operater": []}}', 'has no field "operater"; did you mean "operator"?'),
    (
        f'{{{PLAIN},\n"operator": [{{}}, {{"opType": "A",\n ▸"sinceVersio": 1}}]}}',
        'operator[1] A: OperatorProto has no field "sinceVersio"; did you mean "sinceVersion"',
    ),
    (f'{{{PLAIN}, ▸"zzz": 1}}', "the fields are magic, ir_version, ir_version_prerelease"),
    (f'{{{PLAIN},\n ▸"magic": "ONNXOPSET"}}', '"magic" stands twice'),
    (f'{{{PLAIN}, "domain": ▸5}}', "domain is 5, expected a string"),
    (f'{{{PLAIN}, "domain": ▸"\\ud800"}}', "unpaired surrogates"),
    (f'{{{PLAIN}, "ir_version": ▸"x"}}', 'ir_version is "x", expected a whole number'),
    (f'{{{PLAIN}, "ir_version": ▸1.5}}', "ir_version is 1.5, expected a whole number"),
    (f'{{{PLAIN}, "ir_version": ▸NaN}}', "ir_version is NaN, expected a whole number"),
    (f'{{{PLAIN}, "ir_version": ▸1e400}}', "ir_version is Infinity, expected a whole number"),
    (f'{{{PLAIN}, "ir_version": ▸true}}', "ir_version is true, expected a whole number"),
    (f'{{{PLAIN}, "ir_version": ▸9223372036854775808}}', "expected a whole number of 64 bits"),
    (f'{{{PLAIN}, "ir_version": {"9" * 5000}}}', "not valid JSON"),
    (f'{{{PLAIN}, "operator": ▸{{}}}}', "operator must be a list, found an object"),
    (f'{{{PLAIN}, "operator": [▸null]}}', "operator[0] must be an object, found null"),
    (f'{{{PLAIN}, "operator": [{{}}, ▸[]]}}', "operator[1] must be an object, found a list"),
    (
        f'{{{PLAIN}, "functions": [{{"attribute_proto": [{{"s": ▸"!"}}]}}]}}',
        'functions[0]: s is "!", expected a string in base64',
    ),
    (
        f'{{{PLAIN}, "functions": [{{"name": "F", "attribute_proto": [{{"f": ▸1e300}}]}}]}}',
        "functions[0] F: f: Float value too large",
    ),
    (
        f'{{{PLAIN}, "functions": [{{"attributeProto": [{{"type": ▸"X"}}]}}]}}',
        "expected one of UNDEFINED, FLOAT",
    ),
    ("▸[]", "the file's content must be an object, found a list"),
    (f"{{{PLAIN}▸", "not valid JSON: Expecting"),
    (f'{{{PLAIN}, ▸"domain', "not valid JSON: Unterminated string"),
    (f"{{{PLAIN}}} ▸{{}}", "not valid JSON: Extra data"),
]
WRONG_TEXT = [
    (
        'operator { op_type: "A" }\noperator { op_type: "B" status: ▸DEPRECATED }',
        "operator[1] B: DEPRECATED is not a value of OperatorStatus, expected EXPERIMENTAL or",
    ),
    ("operator [{}, { status: ▸STABEL }]", "operator[1]: STABEL is not a value"),
    ("# operator {\noperator < doc_string: '}' status: ▸STABEL >", "operator[0]: STABEL is not a value"),
    (
        'functions { name: "F" ▸opset_imports { } }',
        'functions[0] F: FunctionProto has no field "opset_imports"; did you mean "opset_import"',
    ),
    (
        "functions { value_info { type { tensor_type { ▸elemtype: 1 } } } }",
        'Tensor has no field "elemtype"; did you mean "elem_type"?',
    ),
    ("functions { attribute_proto { type: ▸99 } }", "99 is not a value of AttributeType, expected one of"),
    ('magic: ▸"ONNXOPSET"', 'should not have multiple "magic" fields'),
    ("opset_version: ▸99999999999999999999", "Value out of range"),
    ("opset_version: ▸" + "9" * 5000, "Couldn't parse integer"),
    ('domain: ▸"com.', "String missing ending quote"),
    (r'operator { doc_string: "\\ \n \x41 \101 é ▸\sum" }', r"operator[0]: \s is not an escape sequence"),
    ("operator ▸{", 'Expected "}"'),
    ("▸1: 5", 'has no field "1"'),
    ("[a.▸b]: 5", "does not have extensions"),
]


@pytest.mark.parametrize(
    ("marked", "words"),
    [*WRONG_JSON, *((f'magic: "ONNXOPSET"\n{text}', words) for text, words in WRONG_TEXT)],
)
def test_wrong_content_is_an_error_with_its_place(marked: str, words: str) -> None:
    error = refusal(marked.replace("▸", ""))
    assert words in error.message
    assert len(error.message) < 500
    before, mark, _ = marked.partition("▸")
    lines = before.split("\n")
    assert (error.line, error.column) == ((len(lines), len(lines[-1]) + 1) if mark else (None, None))


def test_json_in_both_spellings_reads_alike() -> None:
    assert without_source(read(content("L9-camel.json"))) == without_source(read(content("L9-snake.json")))


def test_both_spellings_with_one_value_are_no_conflict() -> None:
    assert read(f'{{{PLAIN}, "opsetVersion": 3}}').opset_version == 3


@pytest.mark.parametrize("number", ["7", '"7"', "-1"])
def test_a_status_that_the_format_does_not_know_is_kept(number: str) -> None:
    opset = read(f'{{{PLAIN}, "operator": [{{"status": {number}}}]}}')
    assert opset.operators[0].status == Status(int(number.strip('"')))


# L6: nesting

NESTED = ("node", "attribute", "g")


def nested(depth: int) -> dict[str, bytes]:
    """Return a set with so many messages inside each other, in the three encodings."""
    names = ["functions", *(NESTED[index % 3] for index in range(depth - 1))]
    numbers = {"functions": 9, "node": 7, "attribute": 5, "g": 6}
    binary, json_text = b"", "{}"
    for index in reversed(range(depth)):
        name = names[index]
        # A node of a graph has another number than a node of a function.
        number = 1 if name == "node" and index > 1 else numbers[name]
        length = bytearray()
        size = len(binary)
        while size > 0x7F:
            length.append(size & 0x7F | 0x80)
            size >>= 7
        binary = bytes([number << 3 | 2, *length, size]) + binary
        json_text = f'{{"{name}": {json_text if name == "g" else f"[{json_text}]"}}}'
    text = 'magic: "ONNXOPSET"' + "".join(f" {name} {{" for name in names) + "}" * depth
    return {
        "text": text.encode(),
        "binary": b"\n\x09ONNXOPSET" + binary,
        "json": f'{{"magic": "ONNXOPSET", {json_text[1:]}'.encode(),
    }


@pytest.mark.parametrize("form", ["text", "binary", "json"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 99, 100])
def test_nesting_up_to_the_limit_is_read(form: str, depth: int) -> None:
    assert len(read(nested(depth)[form]).functions) == 1


@pytest.mark.parametrize("form", ["text", "binary", "json"])
@pytest.mark.parametrize("depth", [101, 102, 103, 400, 3000, 30000])
def test_deeper_nesting_is_the_same_error_in_all_encodings(form: str, depth: int) -> None:
    assert refusal(nested(depth)[form]).message.startswith("nested too deep")


def test_the_given_deep_file_is_refused() -> None:
    assert refusal(content("L6-deep-nesting.textproto")).message.startswith("nested too deep")


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"operator":' * 100_000, b"a{" * 100_000])
def test_endless_nesting_is_no_traceback(data: bytes) -> None:
    refusal(data)


# L7: damage


def test_a_cut_file_is_refused_at_every_place_inside_a_field() -> None:
    whole = twins(content("L3-plain.textproto"))["twin.pb"]
    message = schema.OperatorSetProto()
    for end in range(3, len(whole)):
        try:
            message.ParseFromString(whole[:end])
        except Exception:
            assert f"truncated or damaged ({end} bytes)" in refusal(whole[:end], f"{end}.pb").message
        else:
            # Cut between two fields: a valid file, as its writer may have meant it.
            assert read(whole[:end]).magic == "ONNXOPSET"


def test_cut_json_is_refused_at_every_place() -> None:
    whole = twins(content("L3-plain.textproto"))["camel.json"]
    for end in range(1, len(whole)):
        refusal(whole[:end], "cut.json")


def test_a_cut_text_file_is_refused_inside_a_field() -> None:
    whole = content("L3-plain.textproto")
    for end in range(1, len(whole)):
        check_any(whole[:end], "cut.textproto")
        if whole[:end].count(b"{") != whole[:end].count(b"}"):
            refusal(whole[:end], "cut.textproto")


@pytest.mark.parametrize("form", ["L3-plain.textproto", "twin.pb", "camel.json"])
def test_a_file_with_any_bit_flipped_is_read_or_refused(form: str) -> None:
    text = content("L3-plain.textproto")
    whole = {"L3-plain.textproto": text, **twins(text)}[form]
    for at, bit in itertools.product(range(len(whole)), range(8)):
        flipped = bytearray(whole)
        flipped[at] ^= 1 << bit
        check_any(bytes(flipped), form)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[:-3], "(151 bytes): the field at byte 109 needs 43 bytes, but only 40 follow"),
        (lambda data: data + b"\0", "(155 bytes): the field at byte 154 has the number 0"),
        (
            lambda data: data + b"\x42\x02\x0a\x05",
            "in operator[2] the field at byte 156 needs 5 bytes, but only 0 follow",
        ),
        (lambda data: data + b"\x7f", "the unknown wire type 7"),
        (lambda data: data + b"\x10" + b"\xff" * 11, "has no end"),
        (lambda data: data + b"\x42", "has no end"),
        (lambda data: data + b"\x09\x00", "needs 8 bytes, but only 1 follow"),
        (lambda data: data + b"\x0d\x00", "needs 4 bytes, but only 1 follow"),
    ],
)
def test_damage_is_one_line_with_size_and_place(damage: Callable[[bytes], bytes], words: str) -> None:
    message = refusal(damage(twins(content("L3-plain.textproto"))["twin.pb"])).message
    assert message.startswith("truncated or damaged (")
    assert words in message


def test_joined_files_are_refused() -> None:
    whole = twins(content("L3-plain.textproto"))["twin.pb"]
    joined = "looks like several operator sets joined in one file: magic stands twice, again at byte 154"
    assert refusal(whole + whole).message == joined
    assert "magic" in refusal(content("L3-plain.textproto") * 2).message
    assert "Extra data" in refusal(content("L9-camel.json") * 2).message


def test_a_field_that_stands_twice_is_refused_wherever_it_is() -> None:
    whole = twins(content("L3-plain.textproto"))["twin.pb"]
    error = refusal(whole + b"\x42\x06\x0a\x01A\x0a\x01B")
    assert error.message == "damaged: in operator[2] op_type stands twice, again at byte 159"


def test_numbers_of_more_bytes_than_needed_are_read() -> None:
    assert read(b"\n\x09ONNXOPSET\x28\x83\x80\x00").opset_version == 3


# T1: text that is not UTF-8


@pytest.mark.parametrize(
    ("data", "words", "place"),
    [
        (
            content("T1-invalid-utf8.hex"),
            "operator[0] Bytes: doc_string is not valid UTF-8 at byte 4",
            (None, None),
        ),
        (b"\n\x09ONNXOPSET\x22\x02\xff\xfe", "domain is not valid UTF-8 at byte 0", (None, None)),
        (
            b"\n\x09ONNXOPSET\x4a\x09\x0a\x01F\x22\x01X\x22\x01\xff",
            "functions[0] F: input[1] is not valid UTF-8",
            (None, None),
        ),
        (b'magic: "ONNXOPSET"\ndomain: "com.\xff"', "domain is not valid UTF-8", (2, 14)),
        (b'magic: "ONNXOPSET"\n# \xff', "not valid UTF-8", (2, 3)),
        (b'{"magic": "ONNXOPSET",\n"domain": "com.\xff"}', "domain is not valid UTF-8", (2, 16)),
        (
            rb'magic: "ONNXOPSET" operator { op_type: "A" doc_string: "\377" }',
            "operator[0] A: doc_string is not valid UTF-8",
            (1, 63),
        ),
    ],
)
def test_text_that_is_not_utf8_is_an_error_that_names_the_field(
    data: bytes, words: str, place: tuple[int | None, int | None]
) -> None:
    error = refusal(data)
    assert words in error.message
    assert (error.line, error.column) == place


# Unknown fields


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        (b"\x78\x05\x78\x06", UnknownField((), "", 15, "")),
        (b"\x42\x06\x0a\x01A\xf8\x01\x05", UnknownField(("operator", 2), "A", 31, "")),
        (b"\x4a\x07\x0a\x01F\x3a\x02\x78\x05", UnknownField(("functions", 0, "node", 0), "F", 15, "")),
        # The field is known, what stands in it is not.
        (b"\x42\x06\x0a\x01A\x1a\x01x", UnknownField(("operator", 2), "A", 3, "status")),
        (
            b"\x4a\x05\x5a\x03\xa0\x01\x63",
            UnknownField(("functions", 0, "attribute_proto", 0), "", 20, "type"),
        ),
    ],
)
def test_an_unknown_field_is_remembered(extra: bytes, expected: UnknownField) -> None:
    plain = twins(content("L3-plain.textproto"))["twin.pb"]
    opset = parse(plain + extra, "ops.pb")
    assert opset.unknown_fields == (expected,)
    if not expected.path:
        assert without_source(opset) | {"unknown_fields": ()} == without_source(read(plain))


# The text is kept


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.pb", 'magic: "ONNXOPSET"\r\n', (Format.TEXT, 'magic: "ONNXOPSET"\r\n')),
        ("a.pb", '\ufeffmagic: "ONNXOPSET" # é', (Format.TEXT, 'magic: "ONNXOPSET" # é')),
        ("a.pb", '# A comment.\rmagic: "ONNXOPSET"\r', (Format.TEXT, '# A comment.\nmagic: "ONNXOPSET"\n')),
        ("a.pb", f"{{\r{PLAIN}}}", (Format.JSON, f"{{\n{PLAIN}}}")),
        ("a.json", "\n\x09ONNXOPSET", None),
    ],
)
def test_a_text_is_kept_for_whoever_looks_for_a_line(
    name: str, data: str, expected: tuple[Format, str] | None
) -> None:
    assert read(data, name).text == (expected and SourceText(*expected))


# Whatever the bytes are


def check_any(data: bytes, name: str) -> None:
    """Anything is read, or refused with a FileError of one line."""
    try:
        opset = parse(data, name)
    except FileError as err:
        assert "\n" not in str(err) and str(err).startswith(name)
    else:
        assert opset.magic == "ONNXOPSET"


NAMES = st.sampled_from(["a.pb", "a.textproto", "a.json", "-"])
FORMS = [FULL.encode(), *twins(FULL).values()]


@given(st.binary(max_size=200), NAMES)
@settings(deadline=None)
def test_random_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    check_any(data, name)
    check_any(b"\n\x09ONNXOPSET" + data, name)


@given(st.text(max_size=100), NAMES, st.sampled_from(['magic: "ONNXOPSET" ', '{"magic": "ONNXOPSET", ', ""]))
@settings(deadline=None)
def test_random_text_is_read_or_refused(text: str, name: str, start: str) -> None:
    check_any((start + text).encode("utf-8", "surrogatepass"), name)


@given(st.data(), st.sampled_from(FORMS), NAMES)
@settings(deadline=None, max_examples=300)
def test_changed_files_are_read_or_refused(data: st.DataObject, form: bytes, name: str) -> None:
    start = data.draw(st.integers(0, len(form)))
    length = data.draw(st.integers(0, 8))
    check_any(form[:start] + data.draw(st.binary(max_size=8)) + form[start + length :], name)


JSON_NAMES = st.sampled_from(["name", "op_type", "node", "f", "s", "t", "dims", "type"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(JSON_NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["domain", "opsetVersion", "operator", "functions"]), JSON_VALUES))
@settings(deadline=None)
def test_random_json_is_read_or_refused(values: dict[str, Any]) -> None:
    import json

    check_any(json.dumps({"magic": "ONNXOPSET", **values}).encode(), "a.json")
