"""A function's body as boxes and the edges between them, before anything has a place.

Like `bodies.py`, this module sees protobuf messages: what a constant holds stands nowhere else.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from opsetdocs import schema
from opsetdocs.model import DEFAULT_DOMAIN, Function, Node
from opsetdocs.values import attribute_value, tensor_text

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto

MAX_NODES = 80
"""With more nodes a picture explains nothing any more: the body as text is easier to read."""

MAX_OPEN_NODES = 40
"""With more nodes, nested graphs are drawn on their own and not within the node that they belong to."""

SHORT_CONSTANT = 12
"""A constant of no more characters stands in each node that uses it; a longer one only if it is used once."""


class BoxKind(Enum):
    """What a box stands for; the value is its class in the picture."""

    NODE = "node"
    GRAPH = "graph"
    INPUT = "input"
    OUTPUT = "output"
    ATTRIBUTE = "attribute"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Box:
    """A node, a graph among a node's attributes, or a place where a value comes in or goes out."""

    kind: BoxKind
    lines: tuple[str, ...]
    """What stands in the box: a name; for a node then its constants, attributes and graphs."""
    title: str
    """The same in full."""
    parent: int | None
    """The index of the box that this one stands in."""
    node: Node | None = None
    """The node, if the box stands for one."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A value that goes from one box to another."""

    source: int
    """The index of the box that gives the value."""
    target: int
    """The index of the box that takes it."""
    is_attribute: bool
    """Whether the value is an attribute of the function."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """The boxes of a graph and the edges between them."""

    caption: str
    """Which nested graph it is; empty for the body itself."""
    boxes: tuple[Box, ...]
    """Each after the box that it stands in."""
    edges: tuple[Edge, ...]
    """At most one between two boxes."""

    @property
    def nodes(self) -> int:
        """How many boxes are nodes."""
        return sum(box.kind is BoxKind.NODE for box in self.boxes)


def diagrams(function: Function) -> tuple[Diagram, ...]:
    """Return the graph of a function's body, and then the nested graphs that are too large to stand in it.

    A constant that is short, or used once, is no box: it stands in the node that uses it. An attribute that
    no node refers to is left out.
    """
    message: FunctionProto = schema.FunctionProto.FromString(function.proto)
    nodes = tuple(zip(message.node, function.nodes, strict=False))
    body = _Graph("", nodes, function.inputs, (), function.outputs)
    return tuple(_diagrams(body, ChainMap()))


@dataclass(frozen=True, slots=True)
class _Graph:
    """A graph of the body: that of the function itself, or one among a node's attributes."""

    name: str
    nodes: tuple[tuple[NodeProto, Node], ...]
    """Each node as message and as dataclass."""
    inputs: Sequence[str]
    initializers: Sequence[TensorProto]
    outputs: Sequence[str]

    @property
    def own(self) -> set[str]:
        """The values that the graph itself has; every other one that is used comes from outside."""
        names = {*self.inputs, *(tensor.name for tensor in self.initializers)}
        return names.union(*(node.outputs for _, node in self.nodes))


@dataclass(frozen=True, slots=True)
class _Constant:
    """A constant that stands in the nodes that use it."""

    text: str
    reference: str = ""
    """The attribute of the function that gives the value."""


_Scope = ChainMap[str, "int | _Constant"]
"""What gives a value, by its name: a box, as its index, or a constant. Inner graphs see outer values."""


def _nested(message: NodeProto, node: Node) -> Iterator[_Graph]:
    """Yield the graphs among a node's attributes, in the order of the node's own list."""
    messages: list[GraphProto] = []
    for attribute in message.attribute:
        messages += [attribute.g] if attribute.HasField("g") else []
        messages += attribute.graphs
    for content, graph in zip(messages, node.graphs, strict=False):
        yield _Graph(
            graph.attribute,
            tuple(zip(content.node, graph.nodes, strict=False)),
            graph.inputs,
            tuple(content.initializer),
            graph.outputs,
        )


def _uses(graph: _Graph) -> Counter[str]:
    """Count how often each value is used: by nodes, by nodes of nested graphs, and as an output."""
    uses = Counter(name for message, _ in graph.nodes for name in message.input if name)
    uses.update(graph.outputs)
    for message, node in graph.nodes:
        for nested in _nested(message, node):
            uses.update(_captured(nested))
    return uses


def _captured(graph: _Graph) -> Counter[str]:
    """Count how often a graph uses each value that comes from outside."""
    own = graph.own
    return Counter({name: count for name, count in _uses(graph).items() if name not in own})


def _diagrams(graph: _Graph, outside: _Scope, caption: str = "") -> Iterator[Diagram]:
    """Yield the diagram of a graph, and those of the nested graphs that are too large to stand in it."""
    opened = _Reader(opens_graphs=True)
    opened.read(graph, outside.new_child(), parent=None)
    whole = opened.diagram(caption)
    if whole.nodes <= MAX_OPEN_NODES or all(box.parent is None for box in whole.boxes):
        yield whole
        return
    reader = _Reader(opens_graphs=False)
    reader.read(graph, outside.new_child(), parent=None)
    yield reader.diagram(caption)
    for closed in reader.closed:
        yield from _diagrams(closed.graph, ChainMap(closed.constants), closed.caption)


@dataclass(frozen=True, slots=True)
class _Closed:
    """A nested graph that is drawn on its own."""

    caption: str
    graph: _Graph
    constants: dict[str, int | _Constant]
    """The constants from outside that it uses."""


@dataclass(slots=True)
class _Reader:
    """Gathers boxes and edges on a walk through a graph and, if it opens them, the graphs nested in it."""

    opens_graphs: bool
    closed: list[_Closed] = field(default_factory=list)
    _boxes: list[Box] = field(default_factory=list)
    _edges: dict[tuple[int, int], Edge] = field(default_factory=dict)
    _attributes: dict[str, int] = field(default_factory=dict)

    def diagram(self, caption: str) -> Diagram:
        """Return what was gathered."""
        return Diagram(caption, tuple(self._boxes), tuple(self._edges.values()))

    def read(self, graph: _Graph, scope: _Scope, parent: int | None) -> None:
        """Add what stands in a graph.

        Args:
            graph: The graph.
            scope: What gives the values from outside; receives the graph's own.
            parent: The box of the graph, if it is nested.
        """
        self._add_sources(graph, scope, parent)
        nodes = [(message, node) for message, node in graph.nodes if not _is_held(node, scope)]
        boxes = [self._add_node(message, node, scope, parent) for message, node in nodes]
        for (_, node), box in zip(nodes, boxes, strict=True):
            scope.update({name: box for name in node.outputs if name})
        for (message, node), box in zip(nodes, boxes, strict=True):
            self._connect(message, box, scope)
            for nested in _nested(message, node):
                if self.opens_graphs:
                    inner = self._add(BoxKind.GRAPH, (nested.name,), f"graph {nested.name}", box)
                    self.read(nested, scope.new_child(), inner)
                else:
                    self._close(nested, node, box, scope)
        for name in graph.outputs:
            self._edge(name, self._add(BoxKind.OUTPUT, (name,), f"output {name}", parent), scope)

    def _add_sources(self, graph: _Graph, scope: _Scope, parent: int | None) -> None:
        """Add what gives values without taking any: values from outside, inputs and constants."""
        uses = _uses(graph)
        if parent is None:
            own = graph.own
            for name in uses:
                if name not in own and name not in scope:
                    scope[name] = self._add(BoxKind.INPUT, (name,), f"{name}, from outside", parent)
        for name in graph.inputs:
            scope[name] = self._add(BoxKind.INPUT, (name,), f"input {name}", parent)

        def is_held(name: str, constant: _Constant) -> bool:
            return name not in graph.outputs and (len(constant.text) <= SHORT_CONSTANT or uses[name] == 1)

        for tensor in graph.initializers:
            constant = _Constant(_tensor_text(tensor))
            title = f"{tensor.name} = {constant.text}"
            scope[tensor.name] = (
                constant
                if is_held(tensor.name, constant)
                else self._add(BoxKind.CONSTANT, (tensor.name, constant.text), title, parent)
            )
        for message, node in graph.nodes:
            if _is_constant(node) and is_held(node.outputs[0], constant := _constant(message)):
                scope[node.outputs[0]] = constant

    def _add(
        self, kind: BoxKind, lines: Sequence[str], title: str, parent: int | None, node: Node | None = None
    ) -> int:
        name, *more = lines  # The name may be empty, too: no rule of protobuf's asks for one.
        self._boxes.append(Box(kind, (name, *filter(None, more)), title, parent, node))
        return len(self._boxes) - 1

    def _add_node(self, message: NodeProto, node: Node, scope: _Scope, parent: int | None) -> int:
        name = _operator(node)
        if _is_constant(node):
            more = [_constant(message).text]
        else:
            more = [_arguments(node, scope), _attributes(message)]
        if node.graphs and not self.opens_graphs:
            more.append(", ".join(f"{graph.attribute} ↓" for graph in node.graphs))
        attributes = f" <{_attributes(message)}>" if message.attribute else ""
        title = f"{', '.join(node.outputs)} = {name}{attributes} ({', '.join(node.inputs)})"
        return self._add(BoxKind.NODE, [name, *more], title, parent, node)

    def _close(self, graph: _Graph, node: Node, box: int, scope: _Scope) -> None:
        """Leave a nested graph to a diagram of its own; the values that it captures lead to its node."""
        captured = _captured(graph)
        for name in captured:
            self._edge(name, box, scope)
        constants = {name: source for name in captured if isinstance(source := scope.get(name), _Constant)}
        caption = f"{graph.name} of {', '.join(node.outputs)} = {_operator(node)}"
        self.closed.append(_Closed(caption, graph, {**constants}))

    def _connect(self, message: NodeProto, box: int, scope: _Scope) -> None:
        for name in message.input:
            self._edge(name, box, scope)
        for attribute in message.attribute:
            if attribute.ref_attr_name:
                self._edge_from_attribute(attribute.ref_attr_name, box)

    def _edge(self, name: str, target: int, scope: _Scope) -> None:
        source = scope.get(name)
        if isinstance(source, int):
            self._edges.setdefault((source, target), Edge(source, target, is_attribute=False))
        elif source is not None and source.reference:
            self._edge_from_attribute(source.reference, target)

    def _edge_from_attribute(self, name: str, target: int) -> None:
        if name not in self._attributes:
            self._attributes[name] = self._add(BoxKind.ATTRIBUTE, (f"@{name}",), f"attribute {name}", None)
        source = self._attributes[name]
        self._edges.setdefault((source, target), Edge(source, target, is_attribute=True))


# Texts in boxes


def _operator(node: Node) -> str:
    domain = "" if node.domain == DEFAULT_DOMAIN else f"{node.domain}."
    return f"{domain}{node.op_type}{f':{node.overload}' if node.overload else ''}"


def _is_constant(node: Node) -> bool:
    is_default = node.domain == DEFAULT_DOMAIN and node.op_type == "Constant"
    return is_default and not node.inputs and len(node.outputs) == 1


def _is_held(node: Node, scope: _Scope) -> bool:
    """Whether a node is a constant that stands in the nodes that use it."""
    return _is_constant(node) and isinstance(scope.get(node.outputs[0]), _Constant)


def _constant(message: NodeProto) -> _Constant:
    """Return the value of a Constant, of whatever attribute it is."""
    for attribute in message.attribute:
        if attribute.ref_attr_name:
            return _Constant(f"@{attribute.ref_attr_name}", attribute.ref_attr_name)
        return _Constant(_tensor_text(attribute.t) if attribute.HasField("t") else attribute_value(attribute))
    return _Constant("?")


def _tensor_text(tensor: TensorProto) -> str:
    """Return a tensor in short: a scalar as its value, a vector as a list, else as ONNX writes it."""
    text = tensor_text(tensor)
    if len(tensor.dims) > 1:
        return text
    values = text[text.index("{") + 1 : -1]
    return f"[{values}]" if tensor.dims else values


def _arguments(node: Node, scope: _Scope) -> str:
    """Return a node's inputs where constants are among them: `(·, 2.0)`, with a dot for what has an edge."""
    sources = [scope.get(name) for name in node.inputs]
    if not any(isinstance(source, _Constant) for source in sources):
        return ""
    texts = [source.text if isinstance(source, _Constant) else "·" for source in sources]
    return f"({', '.join(texts)})"


def _attributes(message: NodeProto) -> str:
    """Return a node's attributes on a line, without graphs."""
    return ", ".join(
        f"{item.name} = {_attribute_text(item)}"
        for item in message.attribute
        if not (item.HasField("g") or item.graphs)
    )


def _attribute_text(attribute: AttributeProto) -> str:
    return f"@{attribute.ref_attr_name}" if attribute.ref_attr_name else attribute_value(attribute)
