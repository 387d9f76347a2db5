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
class Graph:
    """A GraphProto among the attributes of a node."""

    attribute: str
    """The name of the attribute that holds the graph."""
    inputs: tuple[str, ...]
    initializers: tuple[str, ...]
    """The names of the initializers, the sparse ones included."""
    outputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    path: tuple[str | int, ...] = ()
    """The way to the graph from its node, such as `("attribute", 0, "g")`."""


@dataclass(frozen=True, slots=True)
class Node:
    """A NodeProto of a function body."""

    op_type: str
    domain: str
    """The domain's name; the default domain is `ai.onnx` here."""
    overload: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    graphs: tuple[Graph, ...] = ()
    """The graphs among the node's attributes."""
    attribute_references: tuple[str, ...] = ()
    """The attributes of the function to which attributes of the node refer (`ref_attr_name`)."""


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

    def __hash__(self) -> int:
        """Hash the message, which says all the rest."""
        return hash(self.proto)


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A field that the format does not know, or a value of a field that it does not know."""

    path: tuple[str | int, ...]
    """The way to the message that holds it, such as `("operator", 3)`."""
    name: str
    """The name of the operator or function on that way; empty if there is none."""
    number: int
    known_as: str
    """The field's name where only its value is unknown."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """The content of a file in text or JSON form, for whoever has to find a line in it."""

    format: Format
    content: str
    """The text without a byte order mark, with LF for line ends that are lone CRs."""


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
    unknown_fields: tuple[UnknownField, ...] = ()
    text: SourceText | None = field(default=None, repr=False, compare=False)
    """What was read, if it was text or JSON."""
    digest: str = field(default="", repr=False, compare=False)
    """Of the file's name and content, if it was a file."""
