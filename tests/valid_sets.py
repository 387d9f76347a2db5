"""Operator sets that keep every rule, made by hypothesis: a published domain with its history."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from hypothesis import strategies as st
from onnx import AttributeProto, FunctionProto, NodeProto, helper
from onnx.onnx_ml_pb2 import EXPERIMENTAL, STABLE
from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

IR_VERSION = 10
OTHER = "com.other.ops"
"""A domain that is never among the sets: what is said about it cannot be judged."""

WORDS = st.sampled_from(["scales", "shifts", "the", "values", "of", "a", "tensor", "along", "its", "axis"])
PROSE = st.lists(WORDS, min_size=1, max_size=8).map(lambda words: " ".join(words).capitalize() + ".")
TYPES = st.lists(
    st.sampled_from(["tensor(float)", "tensor(double)", "tensor(int64)", "tensor(bool)"]),
    min_size=1,
    max_size=4,
    unique=True,
)
DEFAULTS = st.sampled_from(
    [("int", "-1"), ("float", "0.5"), ("string", '"linear"'), ("list of ints", "[1, 2]")]
)


@dataclass
class Entry:
    """A version of an operator or function, and the opsets whose snapshots hold it."""

    message: OperatorProto | FunctionProto
    first: int
    """The opset that brings the version: its since_version."""
    last: int | None = None
    """The last opset that has it; `None` for as long as there are opsets."""

    def is_in(self, opset: int) -> bool:
        return self.first <= opset and (self.last is None or opset <= self.last)


@dataclass
class Catalog:
    """A domain as it is published: entries, and which of its opsets have a file."""

    domain: str
    last: int
    """The highest opset."""
    loaded: list[int]
    cumulative: bool
    """Whether each file holds every version so far."""
    entries: list[Entry] = field(default_factory=list)

    def messages(self) -> list[OperatorSetProto]:
        return [self._message(opset) for opset in self.loaded]

    def _message(self, opset: int) -> OperatorSetProto:
        result = OperatorSetProto(
            magic="ONNXOPSET", ir_version=IR_VERSION, domain=self.domain, opset_version=opset
        )
        for entry in self.entries:
            if entry.first <= opset if self.cumulative else entry.is_in(opset):
                add(result, entry.message)
        return result


def add(message: OperatorSetProto, entry: OperatorProto | FunctionProto) -> None:
    if isinstance(entry, OperatorProto):
        message.operator.append(entry)
    else:
        message.functions.append(entry)


@st.composite
def doc_strings(draw: st.DrawFn) -> str:
    """A text with a signature that follows the conventions."""
    parts = [draw(PROSE)]
    if attributes := draw(st.lists(DEFAULTS, max_size=2)):
        parts.append("## Attributes")
        parts.append(
            "\n".join(
                f"- `a{n}` (default `{default}`) : {kind}" for n, (kind, default) in enumerate(attributes)
            )
        )
    marks = draw(st.sampled_from(["", " (optional)", " (variadic)"]))
    parts += ["## Inputs", f"- `X` : T\n- `more`{marks} : T", "## Outputs", "- `Y` : T\n\n  " + draw(PROSE)]
    parts += ["## Type Constraints", f"- `T` : {', '.join(draw(TYPES))}\n\n  " + draw(PROSE)]
    return "\n\n".join(parts) + "\n"


def operator(name: str, since_version: int, doc: str, status: int = STABLE) -> OperatorProto:
    return OperatorProto(op_type=name, since_version=since_version, status=status, doc_string=doc)  # type: ignore[arg-type]


def function(
    name: str, domain: str, since_version: int, doc: str, nodes: list[NodeProto], *, imports: list[str]
) -> FunctionProto:
    result = helper.make_function(
        domain,
        name,
        ["X"],
        ["Y"],
        nodes,
        [helper.make_opsetid(item, 1) for item in imports],
        ["alpha"],
        [helper.make_attribute("beta", 0.5)],
        doc,
    )
    for key, value in (("since_version", str(since_version)), ("status", "STABLE")):
        result.metadata_props.add(key=key, value=value)
    return result


@st.composite
def bodies(draw: st.DrawFn) -> list[NodeProto]:
    """Nodes from `X` to `Y`, one of them perhaps with a graph that reads values from outside."""
    count = draw(st.integers(1, 3))
    names = ["X", *(f"v{n}" for n in range(1, count)), "Y"]
    nodes = [
        helper.make_node("Step", [before, ""], [after], domain=OTHER) for before, after in pairwise(names)
    ]
    reference = AttributeProto(name="alpha", ref_attr_name="alpha", type=AttributeProto.FLOAT)
    nodes[0].attribute.append(reference)
    if draw(st.booleans()):
        inner = [helper.make_node("Step", ["X", "inside"], ["outcome"], domain=OTHER)]
        graph = helper.make_graph(
            inner,
            "body",
            [helper.make_tensor_value_info("inside", 1, [])],
            [helper.make_tensor_value_info("outcome", 1, [])],
        )
        nodes[-1].attribute.append(helper.make_attribute("body", graph))
    return nodes


@st.composite
def _history(draw: st.DrawFn, catalog: Catalog, name: str, first: int) -> list[Entry]:
    """The versions of one name: experimental ones first, stable ones after."""
    starts = sorted({first, *draw(st.lists(st.integers(first, catalog.last), max_size=2))})
    experimental = draw(st.integers(0, len(starts)))
    found = []
    for index, start in enumerate(starts):
        end = starts[index + 1] - 1 if index + 1 < len(starts) else None
        status = EXPERIMENTAL if index < experimental else STABLE
        doc = draw(doc_strings())
        if status == STABLE and draw(st.booleans()) and catalog.domain:
            message: OperatorProto | FunctionProto = function(
                name, catalog.domain, start, doc, draw(bodies()), imports=[OTHER]
            )
        else:
            message = operator(name, start, doc, status)
        found.append(Entry(message, start, end))
    if experimental == len(starts) and not catalog.cumulative and draw(st.booleans()):
        # Of what is experimental the last version may go.
        found[-1].last = draw(st.integers(found[-1].first, catalog.last))
    return found


@st.composite
def catalogs(draw: st.DrawFn) -> Catalog:
    """A domain that keeps every rule, with two to five opsets, of which some files may be missing."""
    last = draw(st.integers(2, 5))
    loaded = sorted(draw(st.sets(st.integers(1, last), min_size=1)) | {last - 1, last})
    catalog = Catalog(
        domain=draw(st.sampled_from(["com.acme.ops", "ai.onnx", "", "org.example.dnn_2"])),
        last=last,
        loaded=loaded,
        cumulative=draw(st.booleans()),
    )
    # Each opset brings something, or it would need no number of its own.
    firsts = [*range(1, last + 1), *draw(st.lists(st.integers(1, last), max_size=2))]
    for number, first in enumerate(firsts):
        catalog.entries += draw(_history(catalog, f"Op{number}", first))
    return catalog
