"""What is read of ONNX's schemas, with types: the stubs of the onnx package lack half of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from onnx import AttributeProto, defs


class Named(Protocol):
    """A member of one of ONNX's enums."""

    @property
    def name(self) -> str: ...  # noqa: D102


class Attribute(Protocol):
    """`OpSchema.Attribute`."""

    name: str
    description: str
    type: Named
    required: bool
    default_value: AttributeProto
    """Of type UNDEFINED where there is no default."""


class Parameter(Protocol):
    """`OpSchema.FormalParameter`: an input or an output."""

    name: str
    description: str
    type_str: str
    """A type, or the name of a type constraint."""
    option: Named
    """Single, Optional or Variadic."""
    min_arity: int
    """The least number of values of a variadic one."""
    is_homogeneous: bool
    differentiation_category: Named
    """Unknown, Differentiable or NonDifferentiable."""


class TypeConstraint(Protocol):
    """`OpSchema.TypeConstraintParam`."""

    type_param_str: str
    description: str
    allowed_type_strs: Sequence[str]


class Schema(Protocol):
    """`OpSchema`: one version of an operator."""

    domain: str
    name: str
    since_version: int
    doc: str | None
    deprecated: bool
    support_level: Named
    """COMMON or EXPERIMENTAL."""
    attributes: Mapping[str, Attribute]
    """In no order."""
    inputs: Sequence[Parameter]
    outputs: Sequence[Parameter]
    min_input: int
    max_input: int
    min_output: int
    max_output: int
    type_constraints: Sequence[TypeConstraint]
    has_type_and_shape_inference_function: bool
    has_function: bool
    function_opset_versions: Sequence[int]
    has_context_dependent_function: bool
    context_dependent_function_opset_versions: Sequence[int]

    def get_function_with_opset_version(self, opset: int, /) -> bytes:
        """Return the serialized body for an opset; empty where there is none."""

    def get_context_dependent_function_with_opset_version(
        self, opset: int, node: bytes, input_types: Sequence[bytes], /
    ) -> bytes:
        """Return the serialized body for a node and the types of its inputs; empty where there is none."""


def all_schemas() -> Sequence[Schema]:
    """Return every version of every operator in the registry of the installed onnx package."""
    return cast("Sequence[Schema]", defs.get_all_schemas_with_history())
