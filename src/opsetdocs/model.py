"""Operator sets as written: what a file says, and `None` where it says nothing.

The classes follow the messages of `onnx-operators-ml.proto` and `onnx-ml.proto`. They hold no opinion: names
may be empty, versions may be missing, entries may be repeated. What a site documents is in `catalog.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

MAGIC = "ONNXOPSET"
"""The value that `OperatorSetProto.magic` must have."""

DEFAULT_DOMAIN = "ai.onnx"
"""The name under which the default (empty) domain is shown."""


def domain_name(domain: str | None) -> str:
    """Return the name under which a domain is known: the empty one and `ai.onnx` are the same domain."""
    return domain or DEFAULT_DOMAIN


class Format(Enum):
    """The encodings in which an OperatorSetProto is read and written."""

    BINARY = "binary"
    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Status:
    """The status of an operator version: `OperatorStatus` of the format, or why there is none."""

    number: int | None
    """The enum number in the file; `None` where the file states no status."""

    @property
    def is_stable(self) -> bool:
        """Whether the version is published STABLE."""
        return self.number == 1

    @property
    def is_experimental(self) -> bool:
        """Whether the version counts as experimental: EXPERIMENTAL, or not stated."""
        return self.number in (0, None)

    @property
    def key(self) -> str:
        """One word for style sheets and data: stable, experimental, not-stated or unknown."""
        return {1: "stable", 0: "experimental", None: "not-stated"}.get(self.number, "unknown")

    @property
    def label(self) -> str:
        """The status in words, as pages show it."""
        return {
            1: "stable",
            0: "experimental",
            None: "status not stated (counts as experimental)",
        }.get(self.number, f"unknown status {self.number}")


STABLE = Status(1)
EXPERIMENTAL = Status(0)
NOT_STATED = Status(None)


@dataclass(frozen=True, slots=True)
class Operator:
    """An OperatorProto."""

    op_type: str | None
    since_version: int | None
    status: Status
    doc_string: str | None
    position: int
    """Index in the set's `operator` list, from 0."""


@dataclass(frozen=True, slots=True)
class AttributeDefault:
    """An entry of FunctionProto.attribute_proto: an attribute that has a default."""

    name: str
    type: str
    """The type in ONNX's words: int, float, string, tensor, graph, list of ints, ..."""
    default: str
    """The value: JSON for numbers, strings and lists of them, ONNX's text form for everything else."""
    doc_string: str | None


@dataclass(frozen=True, slots=True)
class OpsetImport:
    """An OperatorSetIdProto: a domain, and the opset of it that a function body uses."""

    domain: str
    """The domain's name; the default domain is `ai.onnx` here."""
    version: int | None


@dataclass(frozen=True, slots=True)
class Value:
    """A ValueInfoProto: a named value of a function body and its type."""

    name: str
    type: str
    """The type as ONNX writes it, such as `tensor(float)`, with the shape where one is stated."""


@dataclass(frozen=True, slots=True)
class Node:
    """A NodeProto of a function body."""

    op_type: str
    domain: str
    """The domain's name; the default domain is `ai.onnx` here."""
    overload: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    graphs: tuple[tuple[str, tuple[Node, ...]], ...] = ()
    """The graphs among the node's attributes: the attribute's name and the nodes of the graph."""


@dataclass(frozen=True, slots=True)
class Function:
    """A FunctionProto."""

    name: str | None
    overload: str
    domain: str | None
    since_version: int | None
    """Field 2, which files of IR version < 8 carry."""
    status: Status
    """Field 3, which files of IR version < 8 carry."""
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[str, ...]
    """The attributes without a default."""
    attribute_defaults: tuple[AttributeDefault, ...]
    nodes: tuple[Node, ...]
    opset_imports: tuple[OpsetImport, ...]
    values: tuple[Value, ...]
    metadata: tuple[tuple[str, str], ...]
    """The metadata_props in file order."""
    doc_string: str | None
    position: int
    """Index in the set's `functions` list, from 0."""
    proto: bytes = field(repr=False)
    """The serialized message, for what prints or compares bodies."""
    body_key: str = field(repr=False)
    """A digest that is equal for two functions that say the same; see `bodies.body_key`."""


@dataclass(frozen=True, slots=True)
class OperatorSet:
    """An OperatorSetProto and where it came from."""

    source: str
    """The file as the user named it, or what stands for it (`onnx`, `-`)."""
    magic: str | None
    ir_version: int | None
    ir_version_prerelease: str | None
    ir_build_metadata: str | None
    domain: str | None
    opset_version: int | None
    doc_string: str | None
    operators: tuple[Operator, ...]
    functions: tuple[Function, ...]
