"""The operators that the installed onnxruntime adds to those of ONNX, as operator sets.

onnxruntime shows its schemas to Python where it was built with them, since its own page about them is made
that way. They have other names than ONNX's schemas, and say less: nothing about function bodies, nor about
what is differentiable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import onnx
from onnx import AttributeProto

from opsetdocs import schema as messages
from opsetdocs.docstring import Section, SectionKind, write
from opsetdocs.errors import SourceError
from opsetdocs.export.registry import STATUS
from opsetdocs.export.schemas import Schema
from opsetdocs.export.signature import prose, signature
from opsetdocs.links import is_onnx_domain
from opsetdocs.model import MAGIC, domain_name

if TYPE_CHECKING:
    from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

ONNXRUNTIME = "onnxruntime"
"""The source that stands for the installed onnxruntime package."""

_MODULE = "onnxruntime.capi.onnxruntime_pybind11_state"
_UNKNOWN_TO_IT = frozenset({"function"})
"""The properties of ONNX's schemas about which onnxruntime says nothing."""


def contrib_sets() -> list[OperatorSetProto]:
    """Return an operator set for each domain of the installed onnxruntime that is not one of ONNX's.

    Its opset_version is the highest since_version of its operators. Where there are several versions of an
    operator, the set is cumulative.

    Raises:
        SourceError: onnxruntime is not installed, or was built without its schemas.
    """
    by_domain: dict[str, list[Schema]] = defaultdict(list)
    version, schemas = _schemas()
    for theirs in schemas:
        if not is_onnx_domain(domain_name(theirs.domain)):
            by_domain[theirs.domain].append(as_schema(theirs))
    return [_operator_set(domain, of_domain, version) for domain, of_domain in sorted(by_domain.items())]


def _schemas() -> tuple[str, Sequence[Any]]:
    """Return the version of the installed onnxruntime, and its schemas."""
    try:
        package, module = import_module(ONNXRUNTIME), import_module(_MODULE)
    except ImportError as err:
        raise SourceError(
            f"the package onnxruntime cannot be imported: {err}; "
            'pip install "opsetdocs[onnxruntime]" brings it'
        ) from err
    if not hasattr(module, "get_all_operator_schema"):
        raise SourceError(f"onnxruntime {package.__version__} was built without the schemas of its operators")
    return package.__version__, module.get_all_operator_schema()


def _operator_set(domain: str, schemas: Sequence[Schema], version: str) -> OperatorSetProto:
    return messages.OperatorSetProto(
        magic=MAGIC,
        ir_version=onnx.IR_VERSION,
        domain=domain,
        opset_version=max(schema.since_version for schema in schemas),
        doc_string=f"The operators of `{domain}`, as the package onnxruntime {version} defines them.\n",
        operator=map(_operator, sorted(schemas, key=lambda schema: (schema.name, schema.since_version))),
    )


def _operator(schema: Schema) -> OperatorProto:
    deprecated = [f"**Deprecated** since opset {schema.since_version}."] if schema.deprecated else []
    return messages.OperatorProto(
        op_type=schema.name,
        since_version=schema.since_version,
        status=STATUS[schema.support_level.name],
        doc_string=write([*deprecated, prose(schema.doc), *_sections(schema)]),
    )


def _sections(schema: Schema) -> Iterator[Section]:
    for section in signature(schema):
        if section.kind is SectionKind.PROPERTIES:
            known = (entry for entry in section.entries if entry.name not in _UNKNOWN_TO_IT)
            yield replace(section, blocks=tuple(known))
        else:
            yield section


# Under the names of ONNX's schemas


def as_schema(theirs: Any) -> Schema:
    """Return a schema of onnxruntime as one of ONNX's.

    Args:
        theirs: An `OpSchema` of onnxruntime's Python module.
    """
    return cast(
        "Schema",
        SimpleNamespace(
            domain=theirs.domain,
            name=theirs.name,
            since_version=theirs.since_version,
            doc=theirs.doc,
            deprecated=theirs.deprecated,
            support_level=theirs.support_level,
            attributes={name: _attribute(item) for name, item in theirs.attributes.items()},
            inputs=_parameters(theirs.inputs, theirs.min_input),
            outputs=_parameters(theirs.outputs, theirs.min_output),
            min_input=theirs.min_input,
            max_input=theirs.max_input,
            min_output=theirs.min_output,
            max_output=theirs.max_output,
            type_constraints=theirs.type_constraints,
            has_type_and_shape_inference_function=theirs.has_type_and_shape_inference_function,
            has_function=False,
            function_opset_versions=(),
            has_context_dependent_function=False,
            context_dependent_function_opset_versions=(),
        ),
    )


def _attribute(theirs: Any) -> SimpleNamespace:
    return SimpleNamespace(
        name=theirs.name,
        description=theirs.description,
        type=theirs.type,
        required=theirs.required,
        # In onnxruntime's Python module the value is there under this name alone.
        default_value=AttributeProto.FromString(theirs._default_value),  # noqa: SLF001
    )


def _parameters(theirs: Sequence[Any], least: int) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(
            name=item.name,
            description=item.description,
            type_str=item.typeStr,
            option=item.option,
            # Only the last one may be variadic, and ONNX counts it after all that stand before it.
            min_arity=max(least - at, 0),
            is_homogeneous=item.isHomogeneous,
            differentiation_category=SimpleNamespace(name="Unknown"),
        )
        for at, item in enumerate(theirs)
    ]
