"""The signature of a schema version as sections of a doc_string."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace

from onnx import AttributeProto

from opsetdocs.docstring import Entry, Section, SectionKind, counted
from opsetdocs.export.functions import later_bodies, own_body
from opsetdocs.export.schemas import Attribute, Parameter, Schema, TypeConstraint
from opsetdocs.values import attribute_type, attribute_value

_NO_BOUND = 2**31 - 1
"""What the registry gives for the greatest number of inputs or outputs where there is none (INT_MAX)."""

_CODE_INDENT = 4
"""The indentation from which on Markdown takes a line for code."""

_DIFFERENTIABLE = {"Differentiable": True, "NonDifferentiable": False}
_DETERMINISTIC = {"Deterministic": "yes", "NonDeterministic": "no"}


def prose(text: str | None) -> str:
    """Return a text of the registry without the indentation that C++ raw strings leave in it.

    Every word stays, line by line. A text never begins with code: where the first line is still indented like
    code, because others are not indented at all, its indentation is taken off every line.
    """
    lines = textwrap.dedent(text or "").rstrip().lstrip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    if indent >= _CODE_INDENT:
        lines = [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in lines]
    return "\n".join(lines)


def signature(schema: Schema) -> Iterator[Section]:
    """Yield the sections that have entries: attributes, inputs, outputs, type constraints, properties."""
    inputs = _section(SectionKind.INPUTS, map(_parameter, schema.inputs))
    outputs = _section(SectionKind.OUTPUTS, map(_parameter, schema.outputs))
    sections = (
        # The registry keeps attributes in no order; ONNX's own pages sort them too.
        _section(SectionKind.ATTRIBUTES, (_attribute(item) for _, item in sorted(schema.attributes.items()))),
        _with_count(inputs, schema.min_input, schema.max_input),
        _with_count(outputs, schema.min_output, schema.max_output),
        _section(SectionKind.TYPE_CONSTRAINTS, map(_type_constraint, schema.type_constraints)),
        _section(SectionKind.PROPERTIES, _properties(schema)),
    )
    return (section for section in sections if section.entries)


def _section(kind: SectionKind, entries: Iterable[Entry]) -> Section:
    return Section(kind, kind.value, level=2, blocks=tuple(entries))


def _attribute(attribute: Attribute) -> Entry:
    has_default = attribute.default_value.type != AttributeProto.UNDEFINED
    return Entry(
        attribute.name,
        type=attribute_type(attribute.type.name),
        description=prose(attribute.description),
        default=attribute_value(attribute.default_value) if has_default else None,
        required=attribute.required,
        optional=not (attribute.required or has_default),
    )


def _parameter(parameter: Parameter) -> Entry:
    variadic = parameter.option.name == "Variadic"
    return Entry(
        parameter.name,
        type=parameter.type_str,
        description=prose(parameter.description),
        optional=parameter.option.name == "Optional",
        variadic=variadic,
        at_least=parameter.min_arity if variadic else None,
        homogeneous=parameter.is_homogeneous if variadic else None,
        differentiable=_DIFFERENTIABLE.get(parameter.differentiation_category.name),
    )


def _with_count(section: Section, least: int, most: int) -> Section:
    """Give the count in the heading, where it does not follow from the entries."""
    maximum = None if most >= _NO_BOUND else most
    if counted(section.entries) == (least, maximum):
        return section
    return replace(section, minimum=least, maximum=maximum, unbounded=maximum is None)


def _type_constraint(constraint: TypeConstraint) -> Entry:
    return Entry(
        constraint.type_param_str,
        type=", ".join(constraint.allowed_type_strs),
        description=prose(constraint.description),
    )


def _properties(schema: Schema) -> Iterator[Entry]:
    yield Entry("shape inference", type="yes" if schema.has_type_and_shape_inference_function else "no")
    # onnx 1.16 does not say yet whether an operator is deterministic.
    determinism = getattr(schema, "node_determinism", None)
    if determinism is not None and determinism.name in _DETERMINISTIC:
        yield Entry("deterministic", type=_DETERMINISTIC[determinism.name])
    yield Entry("function", type=_function(schema))


def _function(schema: Schema) -> str:
    """Whether ONNX defines the version by a function: yes, from a later opset on, case by case, or no."""
    if schema.has_context_dependent_function:
        return "context-dependent"
    if own_body(schema):
        return "yes"
    later = later_bodies(schema)
    return f"from opset {later[0][0]}" if later else "no"
