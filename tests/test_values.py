"""Types and values as text."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from opsetdocs import schema
from opsetdocs.values import attribute_type, attribute_type_of, attribute_value, float_text, type_text


def attribute(text: str) -> Any:
    return text_format.Parse(text, schema.AttributeProto())


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("type: FLOAT f: 0.1", "float", "0.1"),
        ("type: FLOAT f: 1", "float", "1.0"),
        ("type: FLOAT f: 1e-5", "float", "1e-05"),
        ("type: FLOAT f: 3.4028235e38", "float", "3.4028235e+38"),
        ("type: FLOAT f: -inf", "float", "-Infinity"),
        ("type: FLOAT f: nan", "float", "NaN"),
        ("type: FLOAT", "float", "0.0"),
        ("type: INT i: -7", "int", "-7"),
        (r'type: STRING s: "a \"b\" \303\251"', "string", r'"a \"b\" é"'),
        (r'type: STRING s: "\377\\\001"', "string", r'"\xff\\\u0001"'),
        ("type: STRING", "string", '""'),
        ("type: INTS", "list of ints", "[]"),
        ("type: INTS ints: [1, 2]", "list of ints", "[1, 2]"),
        ("type: FLOATS floats: [0.5, 2]", "list of floats", "[0.5, 2.0]"),
        ('type: STRINGS strings: ["a", "b"]', "list of strings", '["a", "b"]'),
        ("i: 3", "int", "3"),
        ("ints: [3]", "list of ints", "[3]"),
        ("", "undefined", ""),
        ("type: TENSOR t { data_type: 1 dims: 2 float_data: [1, 0.1] }", "tensor", "float[2] {1.0, 0.1}"),
        ("type: TENSOR t { data_type: 7 dims: [1, 1] int64_data: 5 }", "tensor", "int64[1,1] {5}"),
        (
            "type: TENSOR t { data_type: 7 dims: 12 int64_data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] }",
            "tensor",
            "int64[12] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...}",
        ),
        (
            r'type: TENSOR t { data_type: 6 dims: 2 raw_data: "\001\0\0\0\377\377\377\377" }',
            "tensor",
            "int32[2] {1, -1}",
        ),
        (
            r'type: TENSOR t { data_type: 6 dims: 2 raw_data: "\001\0\0\0\377" }',
            "tensor",
            "int32[2] {1, ...}",
        ),
        (r'type: TENSOR t { data_type: 10 dims: 1 raw_data: "f." }', "tensor", "float16[1] {0.1}"),
        ("type: TENSOR t { data_type: 10 dims: 1 int32_data: 11878 }", "tensor", "float16[1] {0.1}"),
        ("type: TENSOR t { data_type: 16 dims: 1 int32_data: 16256 }", "tensor", "bfloat16[1] {1.0}"),
        ("type: TENSOR t { data_type: 11 dims: 1 double_data: 0.1 }", "tensor", "double[1] {0.1}"),
        ("type: TENSOR t { data_type: 9 dims: 2 int32_data: [1, 0] }", "tensor", "bool[2] {true, false}"),
        ('type: TENSOR t { data_type: 8 dims: 1 string_data: "a" }', "tensor", 'string[1] {"a"}'),
        (r'type: TENSOR t { data_type: 17 dims: 1 raw_data: "\001" }', "tensor", "float8e4m3fn[1] {...}"),
        ("type: TENSOR t { data_type: 99 }", "tensor", "type 99 {}"),
        (r'type: TENSOR t { data_type: 8 raw_data: "a" }', "tensor", "string {...}"),
        (
            "type: TENSOR t { data_type: 1 dims: 9 external_data { } }",
            "tensor",
            "float[9] {...}",
        ),
        ("type: TENSORS tensors { data_type: 7 int64_data: 5 }", "list of tensors", "[int64 {5}]"),
        (
            """type: SPARSE_TENSOR sparse_tensor {
                dims: 9
                values { data_type: 7 dims: 1 int64_data: 5 }
                indices { data_type: 7 dims: 1 int64_data: 2 }
            }""",
            "sparse_tensor",
            "sparse_tensor[9] {values: int64[1] {5}, indices: int64[1] {2}}",
        ),
        (
            """type: GRAPH g {
                name: "g" input { name: "X" } output { name: "Y" }
                node {
                    op_type: "Concat" input: ["X", "X"] output: "Y"
                    attribute { name: "axis" type: INT i: 1 }
                    attribute { name: "to" ref_attr_name: "dtype" type: INT }
                }
                node { op_type: "F" domain: "d" overload: "o" output: "Z" }
            }""",
            "graph",
            "g (X) => (Y) { Y = Concat <axis = 1, to = @dtype> (X, X); Z = d.F:o () }",
        ),
        ("type: TYPE_PROTO tp { tensor_type { elem_type: 1 } }", "type_proto", "tensor(float)"),
        ("type: TYPE_PROTOS type_protos { }", "list of type_protos", "[]"),
    ],
)
def test_attribute_values_are_written_in_the_words_of_onnx(text: str, type_: str, value: str) -> None:
    message = attribute(text)
    assert (attribute_type_of(message), attribute_value(message)) == (type_, value)


def test_attribute_types_are_those_of_the_documentation_of_onnx() -> None:
    names = set(schema.enum("AttributeProto.AttributeType").values_by_name) - {"UNDEFINED"}
    words = {attribute_type(name) for name in names}
    single = {"float", "int", "string", "tensor", "graph", "sparse_tensor", "type_proto"}
    assert words == single | {f"list of {word}s" for word in single}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tensor_type { elem_type: 10 }", "tensor(float16)"),
        ("tensor_type { elem_type: 1 shape { } }", "tensor(float)[]"),
        (
            'tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 3 } dim { } } }',
            "tensor(float)[N, 3, ?]",
        ),
        ("tensor_type { }", "tensor(undefined)"),
        ("tensor_type { elem_type: 99 }", "tensor(type 99)"),
        ("sparse_tensor_type { elem_type: 8 shape { dim { dim_value: 2 } } }", "sparse_tensor(string)[2]"),
        ("sequence_type { elem_type { tensor_type { elem_type: 7 } } }", "seq(tensor(int64))"),
        (
            "optional_type { elem_type { sequence_type { elem_type { tensor_type { elem_type: 7 } } } } }",
            "optional(seq(tensor(int64)))",
        ),
        (
            "map_type { key_type: 8 value_type { tensor_type { elem_type: 1 } } }",
            "map(string, tensor(float))",
        ),
        ('opaque_type { domain: "com.example" name: "Handle" }', "opaque(com.example, Handle)"),
        ("", ""),
    ],
)
def test_types_are_written_as_onnx_does(text: str, expected: str) -> None:
    assert type_text(text_format.Parse(text, schema.TypeProto())) == expected


@given(st.floats(width=32, allow_nan=False))
def test_floats_are_the_shortest_text_that_gives_the_same_32_bits(value: float) -> None:
    text = float_text(value)
    assert struct.pack("f", json.loads(text)) == struct.pack("f", value)
    digits = len(text.partition("e")[0].strip("-0").replace(".", "").strip("0"))
    assert digits <= 9
