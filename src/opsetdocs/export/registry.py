"""ONNX's registry of schemas as OperatorSetProto messages."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

import onnx

from opsetdocs import schema as messages
from opsetdocs.docstring import Section, SectionKind, code_block, write
from opsetdocs.export.examples import Example, node_test_folder, read_examples
from opsetdocs.export.functions import example_body_text, later_body_text, own_body, with_defaults
from opsetdocs.export.schemas import Schema, all_schemas
from opsetdocs.export.signature import prose, signature
from opsetdocs.model import MAGIC, domain_name

if TYPE_CHECKING:
    from onnx import FunctionProto
    from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

STATUS: dict[str, Literal["STABLE", "EXPERIMENTAL"]] = {"COMMON": "STABLE", "EXPERIMENTAL": "EXPERIMENTAL"}
"""The status by the registry's support level."""


def opsets() -> tuple[tuple[str, int], ...]:
    """Return domain and version of every opset of the registry, in order."""
    highest = {
        domain: max(versions[-1].since_version for versions in operators.values())
        for domain, operators in _versions().items()
    }
    return tuple((domain, opset) for domain in sorted(highest) for opset in range(1, highest[domain] + 1))


def operator_sets(wanted: Iterable[tuple[str, int]]) -> Iterator[OperatorSetProto]:
    """Yield opsets, each with every operator that is active in it, sorted by name.

    A version has the same text and the same body in every opset that offers it: both are made once.

    Args:
        wanted: Domain and version of the opsets.
    """
    versions = _versions()
    examples = read_examples(node_test_folder())

    @functools.cache
    def member(domain: str, op_type: str, at: int) -> OperatorProto | FunctionProto:
        of_name = versions[domain][op_type]
        is_current = at == len(of_name) - 1
        return _member(of_name[at], _examples(examples, versions, domain, op_type) if is_current else [])

    for domain, opset in wanted:
        members = [
            member(domain, op_type, active - 1)
            for op_type, of_name in sorted(versions[domain].items())
            if (active := sum(schema.since_version <= opset for schema in of_name))
        ]
        yield _operator_set(domain, opset, members)


def _versions() -> dict[str, dict[str, list[Schema]]]:
    """All schemas by domain and op_type, ascending by since_version."""
    versions: dict[str, dict[str, list[Schema]]] = defaultdict(lambda: defaultdict(list))
    for schema in sorted(all_schemas(), key=lambda schema: schema.since_version):
        versions[schema.domain][schema.name].append(schema)
    return versions


def _examples(
    examples: dict[tuple[str, str], list[Example]],
    versions: dict[str, dict[str, list[Schema]]],
    domain: str,
    op_type: str,
) -> list[Example]:
    """The examples of an operator; those of a domain without a folder stand among the default domain's."""
    shared = [] if op_type in versions[""] else examples.get(("", op_type), [])
    return examples.get((domain, op_type), shared)


def _operator_set(domain: str, opset: int, members: list[OperatorProto | FunctionProto]) -> OperatorSetProto:
    operators = [item for item in members if isinstance(item, messages.OperatorProto)]
    functions = [item for item in members if isinstance(item, messages.FunctionProto)]
    return messages.OperatorSetProto(
        magic=MAGIC,
        ir_version=onnx.IR_VERSION,
        domain=domain,
        opset_version=opset,
        doc_string=(
            f"Operator set {opset} of the domain `{domain_name(domain)}`, "
            f"as the package onnx {onnx.__version__} defines it.\n"
        ),
        operator=operators,
        functions=functions,
    )


def _member(schema: Schema, examples: list[Example]) -> OperatorProto | FunctionProto:
    """A version as function if ONNX has a body for its own since_version, otherwise as operator."""
    status = STATUS[schema.support_level.name]
    text = doc_string(schema, examples)
    body = own_body(schema)
    if body is None:
        return messages.OperatorProto(
            op_type=schema.name, since_version=schema.since_version, status=status, doc_string=text
        )
    function = messages.FunctionProto.FromString(with_defaults(body, schema).SerializeToString())
    function.doc_string = text
    function.metadata_props.add(key="since_version", value=str(schema.since_version))
    function.metadata_props.add(key="status", value=status)
    return function


def doc_string(schema: Schema, examples: Iterable[Example] = ()) -> str:
    """Return ONNX's text about a version, and after it everything else that ONNX says, as sections."""
    deprecated = [f"**Deprecated** since opset {schema.since_version}."] if schema.deprecated else []
    example_code = (f"### {example.name}\n\n{code_block(example.code, 'python')}" for example in examples)
    sections = (
        *signature(schema),
        _words(SectionKind.FUNCTION_BODY, later_body_text(schema)),
        _words(SectionKind.FUNCTION_BODY, example_body_text(schema), note="example"),
        _words(SectionKind.EXAMPLES, example_code),
    )
    return write([*deprecated, prose(schema.doc), *(section for section in sections if section.blocks)])


def _words(kind: SectionKind, markdown: Iterable[str], note: str = "") -> Section:
    return Section(kind, kind.value, level=2, note=note, blocks=tuple(markdown))
