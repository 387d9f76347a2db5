"""The function bodies of ONNX's registry.

A schema version may have a body of its own, bodies that ONNX added for later opsets, or bodies that depend on
the types and attributes of a node. Only the first kind is the same in every opset that has the version.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    NodeProto,
    TensorProto,
    TypeProto,
    helper,
    printer,
)

from opsetdocs.docstring import code_block, code_span
from opsetdocs.export.schemas import Parameter, Schema
from opsetdocs.model import domain_name
from opsetdocs.values import attribute_value

_LANGUAGE = "onnx"


def own_body(schema: Schema) -> FunctionProto | None:
    """Return the body that ONNX has for the opset of the version itself, if there is one."""
    return _body(schema, schema.since_version)


def later_bodies(schema: Schema) -> list[tuple[int, FunctionProto]]:
    """Return the bodies that ONNX added for later opsets, each with the first opset that has it."""
    later = [version for version in sorted(schema.function_opset_versions) if version > schema.since_version]
    return [(version, body) for version in later if (body := _body(schema, version))]


def _body(schema: Schema, opset: int) -> FunctionProto | None:
    if not schema.has_function:
        return None
    return _function(schema.get_function_with_opset_version(opset))


def _function(data: bytes) -> FunctionProto | None:
    """Read what the registry gives; the attributes are sorted by name, since it keeps them in no order."""
    if not data:
        return None
    function = FunctionProto.FromString(data)
    function.attribute.sort()
    return function


def with_defaults(function: FunctionProto, schema: Schema) -> FunctionProto:
    """Return a body whose attributes with a default are in `attribute_proto`.

    The registry lists all in `attribute`, which would make them required.
    """
    defaults = ((name, schema.attributes[name].default_value) for name in function.attribute)
    stated = {name: value for name, value in defaults if value.type != AttributeProto.UNDEFINED}
    result = FunctionProto()
    result.CopyFrom(function)
    del result.attribute[:]
    result.attribute.extend(name for name in function.attribute if name not in stated)
    result.attribute_proto.extend(stated.values())
    return result


# Words about bodies that do not stand in `functions`


def later_body_text(schema: Schema) -> Iterator[str]:
    """Yield Markdown for each body that ONNX added for a later opset."""
    other = "another body" if own_body(schema) else "a body"
    for opset, body in later_bodies(schema):
        yield f"From opset {opset} on ONNX has {other} for this version. It imports {_imports(body)}:"
        yield _printed(body)


def example_body_text(schema: Schema) -> Iterator[str]:
    """Yield Markdown for each body that depends on types and attributes, made for some of them."""
    if not schema.has_context_dependent_function:
        return
    yield "ONNX makes the body of this function for the types and attributes of a node."
    for call in _calls(schema):
        if bodies := _example_bodies(schema, call):
            yield call.sentence()
            for opset, body in bodies:
                yield f"From opset {opset} on the body imports {_imports(body)}:"
                yield _printed(body)
            return


def _printed(function: FunctionProto) -> str:
    return code_block(printer.to_text(function).strip("\n"), _LANGUAGE)


def _imports(function: FunctionProto) -> str:
    imports = sorted((domain_name(item.domain), item.version) for item in function.opset_import)
    return ", ".join(f"{code_span(domain)} {version}" for domain, version in imports)


# Bodies that depend on types and attributes

_LEFT_OUT = {("", "Attention"): {"nonpad_kv_seqlen"}}
"""Optional inputs that an example leaves out, because the text of the operator forbids them beside others."""

_SHAPES: dict[tuple[str, str], dict[str, tuple[str | int, ...]]] = {
    ("", "RotaryEmbedding"): {"X": ("batch_size", "num_heads", "sequence_length", "head_size")},
    ("", "CausalConvWithState"): {"input": ("batch_size", 4, "length"), "weight": (4, 1, "k")},
}
"""The shapes without which ONNX makes no body; a size may be left open by a name."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A node and the types of its inputs, for which ONNX makes a body."""

    node: NodeProto
    types: tuple[tuple[str, tuple[str | int, ...] | None], ...]
    """For each input its type in words, and its shape where one is stated."""
    left_out: tuple[str, ...]

    def sentence(self) -> str:
        """Say for which types and attributes the body is made."""
        inputs = ", ".join(
            f"{code_span(name)} : {type_text}"
            + (f" of shape ({', '.join(map(str, shape))})" if shape else "")
            for name, (type_text, shape) in zip(self.node.input, self.types, strict=True)
        )
        without = f", without {', '.join(map(code_span, self.left_out))}" if self.left_out else ""
        attributes = [f"{code_span(item.name)} is {_value_text(item)}" for item in self.node.attribute]
        return f"An example for {inputs}{without}; {', '.join(attributes) or 'no attribute is set'}."


def _value_text(attribute: AttributeProto) -> str:
    if attribute.type == AttributeProto.GRAPH:
        return "a graph that returns its input"
    return code_span(attribute_value(attribute))


def _calls(schema: Schema) -> Iterator[_Call]:
    """Yield nodes to try: with all optional inputs and outputs, then with none."""
    for with_optional in (True, False):
        inputs = list(_given(schema, schema.inputs, with_optional=with_optional))
        outputs = list(_given(schema, schema.outputs, with_optional=with_optional))
        names = [item.name for item in inputs]
        node = helper.make_node(schema.name, names, [item.name for item in outputs], domain=schema.domain)
        node.attribute.extend(_required_attributes(schema))
        shapes = _SHAPES.get((schema.domain, schema.name), {})
        types = tuple((_example_type(schema, item.type_str), shapes.get(item.name)) for item in inputs)
        yield _Call(node, types, tuple(item.name for item in schema.inputs if item.name not in names))


def _given(schema: Schema, parameters: Iterable[Parameter], *, with_optional: bool) -> Iterator[Parameter]:
    """The inputs or outputs that a node has: a variadic one once, if it needs a value."""
    excluded = _LEFT_OUT.get((schema.domain, schema.name), ())
    for parameter in parameters:
        by_option = {"Single": True, "Optional": with_optional, "Variadic": parameter.min_arity > 0}
        if by_option[parameter.option.name] and parameter.name not in excluded:
            yield parameter


def _example_type(schema: Schema, type_text: str) -> str:
    """A type that a parameter may have: one of 32-bit floats if it can, otherwise the first."""
    constraints = {item.type_param_str: item.allowed_type_strs for item in schema.type_constraints}
    allowed = constraints.get(type_text, [type_text])
    return next((item for item in allowed if "(float)" in item), allowed[0])


def _required_attributes(schema: Schema) -> Iterator[AttributeProto]:
    for name, attribute in sorted(schema.attributes.items()):
        if attribute.required and attribute.type.name in _EXAMPLE_VALUES:
            yield helper.make_attribute(name, _EXAMPLE_VALUES[attribute.type.name])


def _identity() -> GraphProto:
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, None)
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    return helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "identity", [value], [result])


_EXAMPLE_VALUES: dict[str, Any] = {
    "INT": 2,  # a number of heads or groups, a block size
    "FLOAT": 1.0,
    "STRING": "",
    "INTS": [0],
    "FLOATS": [1.0],
    "GRAPH": _identity(),
}
"""The values of required attributes by type."""


def _example_bodies(schema: Schema, call: _Call) -> list[tuple[int, FunctionProto]]:
    """The bodies that ONNX makes for a node, each with the first opset that has it."""
    opsets = sorted(schema.context_dependent_function_opset_versions)
    make = schema.get_context_dependent_function_with_opset_version
    try:
        node = call.node.SerializeToString()
        types = [_type_proto(text, shape).SerializeToString() for text, shape in call.types]
        return [(opset, body) for opset in opsets if (body := _function(make(opset, node, types)))]
    except Exception:  # Whatever ONNX raises for a node that it cannot take: the next one may do.
        return []


def _type_proto(text: str, shape: tuple[str | int, ...] | None = None) -> TypeProto:
    """Read a type in words, such as `seq(tensor(float))`."""
    kind, _, inner = text.removesuffix(")").partition("(")
    if kind == "tensor":
        return helper.make_tensor_type_proto(TensorProto.DataType.Value(inner.upper()), shape)
    wrap = {"seq": helper.make_sequence_type_proto, "optional": helper.make_optional_type_proto}[kind]
    return wrap(_type_proto(inner))
