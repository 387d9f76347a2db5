"""Bodies of functions: what makes two of them equal, how they are printed, where operators stand in print."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import onnx
import pytest
from google.protobuf import text_format
from onnx import FunctionProto, TensorProto, helper

from opsetdocs import schema
from opsetdocs.bodies import MAX_PARSED_NESTING, body_key, body_links, body_text, parse_body
from opsetdocs.export import registry_sets
from opsetdocs.loader import from_message
from opsetdocs.model import NOT_STATED, Function, Graph, Node, OpsetImport

BODY = """
    name: "F" domain: "com.acme" input: "x" output: "y" attribute: "alpha" attribute: "beta"
    attribute_proto { name: "mode" type: STRING s: "linear" }
    opset_import { domain: "" version: 18 }
    opset_import { domain: "com.acme" version: 1 }
    node {
      input: "x" output: "r" op_type: "Clip" name: "first"
      attribute { name: "low" type: FLOAT f: 0.5 }
      attribute { name: "high" type: INT i: 2 }
    }
    node {
      input: "r" output: "y" op_type: "If"
      attribute {
        name: "then_branch" type: GRAPH
        g {
          name: "g"
          node { input: "r" output: "z" op_type: "Fuse" domain: "com.acme" }
          output { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
          initializer { name: "w" dims: 1 data_type: 1 float_data: 1.5 }
        }
      }
    }
"""


def message(text: str) -> FunctionProto:
    return text_format.Parse(text, FunctionProto())


def edited(*edits: tuple[str, str]) -> FunctionProto:
    text = BODY
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return message(text)


@pytest.mark.parametrize(
    "edit",
    [
        ('name: "first"', 'name: "other"'),
        ('name: "first"', 'doc_string: "Clips."'),
        ('name: "first"', 'metadata_props { key: "a" value: "b" }'),
        ('name: "F"', 'name: "F" doc_string: "Text."'),
        ('name: "F"', 'name: "F" metadata_props { key: "since_version" value: "3" }'),
        ('name: "F"', 'name: "F" value_info { name: "r" type { tensor_type { elem_type: 1 } } }'),
        ('name: "F"', 'name: "F" overload: ""'),
        ('s: "linear"', 's: "linear" doc_string: "The mode."'),
        ('name: "g"', 'name: "g" value_info { name: "z" } doc_string: "Text."'),
        ("float_data: 1.5", r'raw_data: "\000\000\300\077"'),
        ("float_data: 1.5", 'float_data: 1.5 doc_string: "Text."'),
        ('op_type: "Clip"', 'op_type: "Clip" domain: "ai.onnx"'),
        ('domain: "" version: 18', "version: 18"),
        ('domain: "" version: 18', 'domain: "ai.onnx" version: 18'),
        ('attribute: "alpha" attribute: "beta"', 'attribute: "beta" attribute: "alpha"'),
    ],
)
def test_says_the_same(edit: tuple[str, str]) -> None:
    assert body_key(edited(edit)) == body_key(message(BODY))


@pytest.mark.parametrize("field", ["opset_import", "attribute"])
def test_order_of_named_things_does_not_count(field: str) -> None:
    reordered = message(BODY)
    holder: Any = reordered if field == "opset_import" else reordered.node[0]
    items = [type(item).FromString(item.SerializeToString()) for item in getattr(holder, field)]
    del getattr(holder, field)[:]
    getattr(holder, field).extend(reversed(items))
    assert body_key(reordered) == body_key(message(BODY))


@pytest.mark.parametrize(
    "edit",
    [
        ('input: "x"', 'input: "a"'),
        ('attribute: "alpha"', ""),
        ('s: "linear"', 's: "cubic"'),
        ("version: 18", "version: 19"),
        ("f: 0.5", "f: -0.5"),
        ("f: 0.5", "f: 0"),
        ("i: 2", "i: 3"),
        ('op_type: "Clip"', 'op_type: "Clip" domain: "com.acme"'),
        ('op_type: "Clip"', 'op_type: "Clip" overload: "v2"'),
        ('op_type: "Fuse"', 'op_type: "Split"'),
        ('input: "r" output: "z"', 'input: "" output: "z"'),
        ("float_data: 1.5", "float_data: 2.5"),
        ("dims: 1 data_type: 1", "data_type: 1"),
        ('name: "w"', 'name: "v"'),
        ("shape { dim { dim_value: 2 } }", ""),
        ("shape { dim { dim_value: 2 } }", "shape {}"),
        ("dim { dim_value: 2 }", "dim {}"),
        ("dim { dim_value: 2 }", "dim { dim_value: 0 }"),
    ],
)
def test_says_something_else(edit: tuple[str, str]) -> None:
    assert body_key(edited(edit)) != body_key(message(BODY))


def test_unknown_shape_is_not_a_scalar() -> None:
    keys = {
        body_key(edited(("shape { dim { dim_value: 2 } }", shape)))
        for shape in ("", "shape {}", "shape { dim {} }", "shape { dim { dim_value: 0 } }")
    }
    assert len(keys) == 4


def test_retired_fields_do_not_count() -> None:
    proto = schema.message_class("FunctionProto").FromString(message(BODY).SerializeToString())
    key = body_key(proto)
    proto.MergeFromString(b"\x10\x05\x18\x01")
    assert getattr(proto, "since_version") == 5  # noqa: B009 - the class has no stub with this field
    assert key == body_key(proto) == body_key(message(BODY))


def test_order_of_nodes_counts() -> None:
    reordered = message(BODY)
    nodes = list(reordered.node)
    del reordered.node[:]
    reordered.node.extend(reversed(nodes))
    assert body_key(reordered) != body_key(message(BODY))


def constant(tensor: TensorProto) -> FunctionProto:
    function = message('name: "C" output: "y" node { op_type: "Constant" output: "y" }')
    function.node[0].attribute.append(helper.make_attribute("value", tensor))
    return function


def tensor(data_type: int, dims: list[int], **fields: Any) -> TensorProto:
    return TensorProto(data_type=data_type, dims=dims, **fields)


T = TensorProto

SAME_TENSORS: list[tuple[TensorProto, TensorProto]] = [
    (tensor(T.FLOAT, [1], float_data=[1.5]), tensor(T.FLOAT, [1], raw_data=b"\0\0\xc0?")),
    (tensor(T.DOUBLE, [1], double_data=[1.0]), tensor(T.DOUBLE, [1], raw_data=b"\0\0\0\0\0\0\xf0?")),
    (tensor(T.COMPLEX64, [1], float_data=[0, 1.5]), tensor(T.COMPLEX64, [1], raw_data=b"\0\0\0\0\0\0\xc0?")),
    (
        tensor(T.INT64, [2], int64_data=[-1, 2]),
        tensor(T.INT64, [2], raw_data=b"\xff" * 8 + b"\2" + b"\0" * 7),
    ),
    (tensor(T.UINT64, [1], uint64_data=[2**64 - 1]), tensor(T.UINT64, [1], raw_data=b"\xff" * 8)),
    (tensor(T.UINT32, [1], uint64_data=[2**32 - 1]), tensor(T.UINT32, [1], raw_data=b"\xff" * 4)),
    (tensor(T.INT32, [1], int32_data=[-2]), tensor(T.INT32, [1], raw_data=b"\xfe\xff\xff\xff")),
    (tensor(T.INT16, [1], int32_data=[-2]), tensor(T.INT16, [1], raw_data=b"\xfe\xff")),
    (tensor(T.FLOAT16, [1], int32_data=[0x3C00]), tensor(T.FLOAT16, [1], raw_data=b"\x00\x3c")),
    (tensor(T.BFLOAT16, [1], int32_data=[0x3F80]), tensor(T.BFLOAT16, [1], raw_data=b"\x80\x3f")),
    (tensor(T.INT8, [2], int32_data=[-1, 1]), tensor(T.INT8, [2], raw_data=b"\xff\x01")),
    (tensor(T.BOOL, [2], int32_data=[1, 0]), tensor(T.BOOL, [2], raw_data=b"\x01\x00")),
    (tensor(T.UINT4, [3], int32_data=[0x21, 0x03]), tensor(T.UINT4, [3], raw_data=b"\x21\x03")),
    (tensor(T.UINT4, [3], raw_data=b"\x21\xf3"), tensor(T.UINT4, [3], raw_data=b"\x21\x03")),
    (tensor(T.INT64, [0]), tensor(T.INT64, [0], raw_data=b"")),
    (tensor(T.FLOAT, [1], float_data=[1], name="a"), tensor(T.FLOAT, [1], float_data=[1], name="b")),
    (
        tensor(
            T.FLOAT,
            [1],
            data_location=1,
            external_data=[{"key": "location", "value": "w"}, {"key": "offset"}],
        ),
        tensor(
            T.FLOAT,
            [1],
            data_location=1,
            external_data=[{"key": "offset"}, {"key": "location", "value": "w"}],
        ),
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME_TENSORS)
def test_tensors_with_the_same_values(one: TensorProto, other: TensorProto) -> None:
    assert body_key(constant(one)) == body_key(constant(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tensor(T.FLOAT, [1], float_data=[0.0]), tensor(T.FLOAT, [1], float_data=[-0.0])),
        (tensor(T.FLOAT, [2], float_data=[1, 2]), tensor(T.FLOAT, [2, 1], float_data=[1, 2])),
        (tensor(T.INT32, [1], int32_data=[1]), tensor(T.UINT4, [1], int32_data=[1])),
        (tensor(T.UINT4, [2], raw_data=b"\x21"), tensor(T.UINT4, [2], raw_data=b"\x31")),
        (tensor(T.STRING, [2], string_data=[b"a", b"bc"]), tensor(T.STRING, [2], string_data=[b"ab", b"c"])),
        (tensor(T.STRING, [1], string_data=[b""]), tensor(T.STRING, [1])),
        (tensor(99, [1], int32_data=[1]), tensor(99, [1], int32_data=[2])),
        (tensor(T.FLOAT, [1], double_data=[1]), tensor(T.FLOAT, [1], double_data=[2])),
        (
            tensor(T.FLOAT, [1], data_location=1, external_data=[{"key": "location", "value": "v"}]),
            tensor(T.FLOAT, [1], data_location=1, external_data=[{"key": "location", "value": "w"}]),
        ),
    ],
)
def test_tensors_with_other_values(one: TensorProto, other: TensorProto) -> None:
    assert body_key(constant(one)) != body_key(constant(other))


def test_six_bit_tensors_are_packed_in_raw_data() -> None:
    number = getattr(TensorProto, "FLOAT6E2M3", None)
    if number is None:
        pytest.skip("this onnx has no six-bit types")
    typed = tensor(number, [5], int32_data=[1, 2, 3, 4, 5])
    bits = sum(value << 6 * index for index, value in enumerate(typed.int32_data))
    assert body_key(constant(typed)) == body_key(
        constant(tensor(number, [5], raw_data=bits.to_bytes(4, "little")))
    )


def test_sparse_tensors_by_values_and_indices() -> None:
    def sparse(value: float, index: int) -> FunctionProto:
        values = helper.make_tensor("v", T.FLOAT, [1], [value])
        indices = helper.make_tensor("i", T.INT64, [1], [index])
        node = helper.make_node(
            "Constant", [], ["y"], sparse_value=helper.make_sparse_tensor(values, indices, [3])
        )
        return helper.make_function("", "S", [], ["y"], [node], [])

    assert body_key(sparse(1, 1)) == body_key(sparse(1, 1))
    assert len({body_key(sparse(*case)) for case in ((1, 1), (2, 1), (1, 2))}) == 3


def test_key_needs_neither_onnx_nor_numpy() -> None:
    code = "import opsetdocs.bodies, sys; print(sorted({'onnx', 'numpy'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def as_node(node: onnx.NodeProto) -> Node:
    graphs = [
        (item.name, graph)
        for item in node.attribute
        for graph in ([item.g] if item.type == 5 else item.graphs)
    ]
    return Node(
        op_type=node.op_type,
        domain=node.domain or "ai.onnx",
        overload=node.overload,
        inputs=tuple(node.input),
        outputs=tuple(node.output),
        graphs=tuple(Graph(name, (), (), (), tuple(map(as_node, graph.node))) for name, graph in graphs),
    )


def as_function(proto: FunctionProto) -> Function:
    return Function(
        name=proto.name,
        overload=proto.overload,
        domain=proto.domain,
        since_version=None,
        status=NOT_STATED,
        inputs=tuple(proto.input),
        outputs=tuple(proto.output),
        attributes=tuple(proto.attribute),
        attribute_defaults=(),
        nodes=tuple(map(as_node, proto.node)),
        opset_imports=tuple(
            OpsetImport(item.domain or "ai.onnx", item.version) for item in proto.opset_import
        ),
        values=(),
        metadata=(),
        doc_string=None,
        position=0,
        proto=proto.SerializeToString(),
        body_key=body_key(proto),
    )


def make(nodes: list[onnx.NodeProto]) -> Function:
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
    return as_function(helper.make_function("com.acme", "F", ["x"], ["y"], nodes, imports))


def linked(function: Function) -> list[str]:
    text = body_text(function)
    return [text[start:end] for start, end, _ in body_links(text, function)]


def graph(name: str, *nodes: onnx.NodeProto) -> onnx.GraphProto:
    return helper.make_graph(list(nodes), name, [], [helper.make_tensor_value_info("z", 1, None)])


node = helper.make_node

LINKS: list[tuple[str, list[onnx.NodeProto], list[str]]] = [
    ("plain", [node("Relu", ["x"], ["r"]), node("Mul", ["r", "c"], ["y"])], ["Relu", "Mul"]),
    (
        "a value of the same name",
        [node("Relu", ["Relu"], ["Relu"]), node("Relu", ["Relu"], ["y"])],
        ["Relu", "Relu"],
    ),
    ("a node name that looks like a node", [node("Relu", ["x"], ["y"], name="a = Relu (")], ["Relu"]),
    (
        "domain and overload",
        [node("Fuse", ["x"], ["y"], domain="com.acme", overload="v2")],
        ["com.acme.Fuse:v2"],
    ),
    (
        "a look-alike in a string",
        [node("A", [], ["a"], s='\n b = B () "\\'), node("B", [], ["y"])],
        ["A", "B"],
    ),
    ("no outputs", [node("Print", ["x"], []), node("Relu", ["x"], ["y"])], ["Print", "Relu"]),
    ("an odd name", [node("aten::add", ["x"], ["y z"])], ["aten::add"]),
    (
        "nested graphs",
        [
            node(
                "If",
                ["c"],
                ["y"],
                then_branch=graph("If", node("Neg", ["x"], ["z"])),
                else_branch=graph("Abs"),
            ),
            node("Abs", ["y"], ["z"]),
        ],
        ["If", "Neg", "Abs"],
    ),
    (
        "a list of graphs",
        [node("S", [], ["y"], gs=[graph("a", node("A", [], ["z"])), graph("b")])],
        ["S", "A"],
    ),
]


@pytest.mark.parametrize(("nodes", "expected"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_links(nodes: list[onnx.NodeProto], expected: list[str]) -> None:
    assert linked(make(nodes)) == expected


@pytest.mark.parametrize(("nodes", "expected"), [row[1:] for row in LINKS], ids=[row[0] for row in LINKS])
def test_links_in_a_plain_listing(nodes: list[onnx.NodeProto], expected: list[str]) -> None:
    function = replace(make(nodes), proto=b"\xff")
    assert body_text(function).startswith("# The printer of onnx does not take this body")
    assert linked(function) == expected


def test_the_name_of_a_node_is_not_its_operator() -> None:
    function = make([node("Relu", ["x"], ["y"], name="a = Relu (")])
    text = body_text(function)
    ((start, end, _),) = body_links(text, function)
    assert text[:start].endswith("] y = ")
    assert text[end:].startswith(" (x)")


def test_every_operator_in_the_bodies_of_onnx_is_found() -> None:
    functions = [
        function for message in registry_sets() for function in from_message(message, "onnx").functions
    ]
    assert functions
    for function in {item.body_key: item for item in functions}.values():
        text = body_text(function)
        assert not text.startswith("#")
        assert len(body_links(text, function)) == len(list(all_nodes(function.nodes)))


def all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    for item in nodes:
        yield item
        for graph in item.graphs:
            yield from all_nodes(graph.nodes)


def test_links_are_left_out_where_the_text_is_another() -> None:
    assert body_links("nothing of the kind", make([node("Relu", ["x"], ["y"])])) == ()


def test_text_is_what_onnx_prints() -> None:
    text = body_text(as_function(message(BODY)))
    assert "y = If (r) <then_branch: graph = g" in text
    assert 'opset_import: ["" : 18,"com.acme" : 1]' in text


def break_raw_data(function: FunctionProto) -> None:
    function.node[0].attribute.append(helper.make_attribute("value", tensor(T.FLOAT, [3], raw_data=b"abc")))


def break_string(function: FunctionProto) -> None:
    function.node[0].attribute.append(helper.make_attribute("value", b"\xff\xfe"))


@pytest.mark.parametrize("damage", [break_raw_data, break_string])
def test_what_the_printer_refuses_is_listed(damage: Callable[[FunctionProto], None]) -> None:
    proto = message(BODY)
    damage(proto)
    text = body_text(as_function(proto))
    assert text.startswith("# ")
    assert "r = Clip (x)" in text
    assert "z = com.acme.Fuse (r)" in text


def test_retired_fields_are_no_obstacle() -> None:
    function = as_function(message(BODY))
    with_retired = replace(function, proto=function.proto + b"\x10\x05\x18\x01")
    assert body_text(with_retired) == body_text(function)


def test_large_tensors_are_shortened() -> None:
    values = helper.make_tensor("v", T.FLOAT, [5000], [0.5] * 5000)
    text = body_text(make([node("Constant", [], ["y"], value=values)]))
    assert "float[5000] v {0.5," in text
    assert ",...}" in text
    assert len(text) < 500


def test_a_long_string_is_not_shortened() -> None:
    long = "{" + "1," * 500 + "1}"
    assert long in body_text(make([node("Note", [], ["y"], s=long)]))


def test_defaults_of_attributes_are_printed_as_the_parser_of_onnx_reads_them() -> None:
    import onnx.parser

    written = onnx.parser.parse_function(
        """<domain: "a", opset_import: ["" : 18]>
        F <size, alpha: float = 0.25, mode: string = "<x> (y)"> (x) => (y)
        { y = Identity <k: float = @alpha> (x) }"""
    )
    text = body_text(as_function(written))
    assert 'F <size, alpha: float = 0.25, mode: string = "<x> (y)"> (x) => (y)' in text
    assert onnx.parser.parse_function(text) == written


# From print to functions


def test_every_body_of_onnx_is_read_back() -> None:
    functions = [item for message in registry_sets() for item in from_message(message, "onnx").functions]
    assert functions
    for function in {item.body_key: item for item in functions}.values():
        text = body_text(function)
        parsed = parse_body(text)
        assert parsed, text
        assert parsed.nodes == function.nodes
        assert parsed.opset_imports == function.opset_imports
        assert len(body_links(text, parsed)) == len(list(all_nodes(parsed.nodes)))


HEAD = '<domain: "", opset_import: ["" : 22]> F <axis>(x) => (y) '


def test_a_reference_without_a_type_is_read_as_printed() -> None:
    text = HEAD + '{ y = Foo <k: undefined = @axis, s = ": undefined = @axis"> (x) }'
    parsed = parse_body(text)
    assert parsed
    (node,) = FunctionProto.FromString(parsed.proto).node
    assert [(item.name, item.ref_attr_name, item.s) for item in node.attribute] == [
        ("k", "axis", b""),
        ("s", "", b": undefined = @axis"),
    ]


def nested(depth: int) -> str:
    return HEAD + "{" + " y = If <then_branch = g () => () {" * depth + "}> (x)" * depth + "}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not a function",
        HEAD,
        HEAD + "{ y = ",
        '"' * 9,
        "(" * 100_000,
        nested(MAX_PARSED_NESTING),
        nested(100_000),
    ],
    ids=["empty", "prose", "head", "cut off", "quotes", "brackets", "nested", "deeply nested"],
)
def test_what_is_no_function_is_none(text: str) -> None:
    assert parse_body(text) is None
