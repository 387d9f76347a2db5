"""Operator sets made by hand, for the tests of what several of them say together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from opsetdocs.model import EXPERIMENTAL, MAGIC, NOT_STATED, STABLE, Function, Operator, OperatorSet, Status

__all__ = ["EXPERIMENTAL", "NOT_STATED", "STABLE", "function", "operator", "opset"]


def operator(
    op_type: str | None, since_version: int | None, doc: str | None = "Text.", *, status: Status = STABLE
) -> Operator:
    return Operator(op_type, since_version, status, doc, position=0)


def function(
    name: str | None,
    *,
    body: str = "body",
    doc: str | None = "Text.",
    overload: str = "",
    domain: str | None = "com.example",
    since_version: int | None = None,
    status: Status = NOT_STATED,
    metadata: Mapping[str, str] | None = None,
) -> Function:
    return Function(
        name=name,
        overload=overload,
        domain=domain,
        since_version=since_version,
        status=status,
        inputs=("x",),
        outputs=("y",),
        attributes=(),
        attribute_defaults=(),
        nodes=(),
        opset_imports=(),
        values=(),
        metadata=tuple((metadata or {}).items()),
        doc_string=doc,
        position=0,
        proto=b"",
        body_key=body,
    )


def opset(
    version: int | None,
    *entries: Operator | Function,
    domain: str | None = "com.example",
    source: str | None = None,
    doc: str | None = None,
    ir_version: int = 10,
) -> OperatorSet:
    operators = [entry for entry in entries if isinstance(entry, Operator)]
    functions = [entry for entry in entries if isinstance(entry, Function)]
    return OperatorSet(
        source=source or f"opset{version}.textproto",
        magic=MAGIC,
        ir_version=ir_version,
        ir_version_prerelease=None,
        ir_build_metadata=None,
        domain=domain,
        opset_version=version,
        doc_string=doc,
        operators=tuple(replace(entry, position=position) for position, entry in enumerate(operators)),
        functions=tuple(replace(entry, position=position) for position, entry in enumerate(functions)),
    )
