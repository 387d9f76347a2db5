"""Rules about functions."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from opsetdocs.caches import by_identity
from opsetdocs.identity import Name, entries, name_of, stated_since_version
from opsetdocs.membership import offered
from opsetdocs.model import Function, Graph, Node, OperatorSet, domain_name
from opsetdocs.rules.registry import (
    MUST,
    SHOULD,
    Entry,
    Fault,
    Problem,
    Sets,
    Where,
    across_sets,
    each_function,
    rule,
)
from opsetdocs.wire import Path, dotted

IR_VERSION_OF_FUNCTION_DOMAIN = 8
"""The IR version that gave functions a domain, and took their fields since_version and status away."""


@rule(
    "FUNCTION_SIGNATURE",
    MUST,
    "Inputs, outputs and attributes have names, each its own; an attribute stands either in attribute or in "
    "attribute_proto.",
    "onnx-ml.proto, FunctionProto.attribute_proto; docs/IR.md, Functions and Names Within a Graph",
)
@each_function
def function_signature(_: OperatorSet, function: Function) -> Iterator[Fault]:
    """Every input, output and attribute of a function has a name, and no two of a kind share one.

    Nodes of the body refer to inputs and attributes by name, and so do the pages. An attribute with a default
    stands in `attribute_proto`, one without in `attribute`: an attribute that stands in both would have a
    default and have none.

    To mend it, name what has no name, rename one of two, and take an attribute that has a default out of
    `attribute`.
    """
    defaults = [item.name for item in function.attribute_defaults]
    yield from _unnamed_or_repeated(_placed("input", function.inputs))
    yield from _unnamed_or_repeated(_placed("output", function.outputs))
    yield from _unnamed_or_repeated(
        (*_placed("attribute", function.attributes), *_placed("attribute_proto", defaults))
    )


def _placed(field: str, names: Sequence[str]) -> Iterator[tuple[Path, str]]:
    return (((field, index), name) for index, name in enumerate(names))


def _unnamed_or_repeated(
    names: Iterable[tuple[Path, str]], place: Path = (), label: str = ""
) -> Iterator[Fault]:
    """Yield a fault for each name that is empty, or is that of one before.

    Args:
        names: The names, each after its place.
        place: The way from the function to what the names are in.
        label: What a message begins with.
    """
    first: dict[str, Path] = {}
    for path, name in names:
        if not name:
            yield Fault(f"{label}{dotted(path)} has no name, expected one", (*place, *path))
        elif name in first:
            found = f'{label}{dotted(path)} is named "{name}" as {dotted(first[name])} is'
            yield Fault(f"{found}, expected a name of its own", (*place, *path))
        else:
            first[name] = path


@rule(
    "FUNCTION_OPSET_IMPORT",
    MUST,
    "A function imports the operator sets that its body relies on, one version of each domain.",
    "onnx-ml.proto, FunctionProto.opset_import",
)
@each_function
def function_opset_import(_: OperatorSet, function: Function) -> Iterator[Fault]:
    """Each domain of which the body uses an operator is imported, once, and with a version from 1.

    The import decides which version of an operator a node means. Without it a body has no meaning, and with
    two versions of one domain it has two. Nodes of graphs inside the body count as well. The empty domain and
    `ai.onnx` are the same one; a body that uses it has to import it, too.

    To mend it, add an `opset_import` with the domain and the opset_version for which the body was written.
    Take a second one for the same domain out.
    """
    first: dict[str, int] = {}
    for index, item in enumerate(function.opset_imports):
        path = ("opset_import", index)
        if item.version is None or item.version < 1:
            found = "has no version" if item.version is None else f"has version {item.version}"
            yield Fault(f"{dotted(path)}, of {item.domain}, {found}, expected a number >= 1", path)
        if item.domain in first:
            before = dotted(("opset_import", first[item.domain]))
            yield Fault(f"{dotted(path)} imports {item.domain} as {before} does, expected one import", path)
        first.setdefault(item.domain, index)
    users: dict[str, list[_Call]] = defaultdict(list)
    for call in _calls(function.nodes):
        users[call.node.domain].append(call)
    for domain, (call, *others) in users.items():
        if domain not in first:
            more = f" (nodes that need it: {1 + len(others)})" if others else ""
            yield Fault(
                f"{call} is of {domain}, which is not imported, expected an opset_import of it{more}",
                call.path,
            )


@rule(
    "FUNCTION_BODY",
    MUST,
    "The nodes of a body are sorted topologically; each value is assigned once, and before it is used. "
    "Recursive reference is not allowed.",
    "docs/IR.md, Functions, Graphs and Nodes; onnx-ml.proto, AttributeProto.ref_attr_name and "
    "ModelProto.functions",
)
@each_function
def function_body(item: OperatorSet, function: Function) -> Iterator[Fault]:
    """A body can be computed from its first node to its last, and gives every output.

    A node reads inputs of the function and what nodes before it have given. A graph inside a node sees these
    values, too, and has inputs and initializers of its own; its nodes give no value a name that can be seen
    from there already. An empty name stands for an optional input or output that is left out. Where an
    attribute of a node refers to one of the function, the function declares it. No function calls itself,
    neither directly nor by way of other functions of its set: it would have no end.

    To mend it, move a node behind those whose values it reads, correct the names of values that nothing
    gives, give each value a name of its own, and declare the attribute in `attribute`, or with a default in
    `attribute_proto`. Where a function is meant to call an earlier version of itself, import the opset that
    has it.
    """
    known: dict[str, object] = {name: f"input[{at}]" for at, name in enumerate(function.inputs)}
    yield from _faults_of_nodes(function.nodes, (), known, {})
    yield from _outputs_not_given(function.outputs, (), "", known)
    declared = {*function.attributes, *(item.name for item in function.attribute_defaults)}
    for call in _calls(function.nodes):
        for name in call.node.attribute_references:
            if name not in declared:
                expected = "expected one that the function declares"
                yield Fault(f'{call} refers to the attribute "{name}", {expected}', call.path)
    if circle := _circles(item).get(function.position):
        leads = "calls the function itself"
        if circle.way:
            leads = f"leads back to the function, by way of {', '.join(map(str, circle.way))}"
        yield Fault(f"{circle.call} {leads}, expected a body without recursion", circle.call.path)


def _faults_of_nodes(
    nodes: Sequence[Node], place: Path, known: dict[str, object], later: Mapping[str, object]
) -> Iterator[Fault]:
    """Yield the faults of the nodes of a body or of a graph in it.

    Args:
        nodes: The nodes.
        place: The way from the function to what holds the nodes.
        known: What gives each value that the nodes see, by the name of the value. What they give is added.
        later: What gives each value that is there only after the nodes, by the name of the value.
    """
    calls = [_Call(node, (*place, "node", index)) for index, node in enumerate(nodes)]
    later = {**later, **{name: call for call in reversed(calls) for name in call.node.outputs}}
    for call in calls:
        for index, name in enumerate(call.node.inputs):
            if name and name not in known:
                why = f"only {later[name]} gives" if name in later else "nothing gives"
                yield Fault(
                    f'{call} reads "{name}", which {why}, expected a value that is there before the node',
                    (*call.path, "input", index),
                )
        for graph in call.node.graphs:
            yield from _faults_of_graph(graph, call, known, later)
        for index, name in enumerate(call.node.outputs):
            if name and name in known:
                yield Fault(
                    f'{call} gives "{name}", a name that {known[name]} has taken, expected another one',
                    (*call.path, "output", index),
                )
            elif name:
                known[name] = call


def _faults_of_graph(
    graph: Graph, holder: _Call, outer: Mapping[str, object], later: Mapping[str, object]
) -> Iterator[Fault]:
    """Yield the faults of a graph among the attributes of a node, as `_faults_of_nodes` does."""
    place = (*holder.path, *graph.path)
    label = f"{holder}, {graph.attribute}: "
    known = dict(outer)
    # An input and an initializer may share a name: the initializer is the input's default then.
    for field, names in (("initializer", graph.initializers), ("input", graph.inputs)):
        yield from _unnamed_or_repeated(_placed(field, names), place, label)
        known |= {name: f"{field}[{index}] of the graph" for index, name in enumerate(names)}
    yield from _faults_of_nodes(graph.nodes, place, known, later)
    yield from _outputs_not_given(graph.outputs, place, label, known)


def _outputs_not_given(
    outputs: Sequence[str], place: Path, label: str, known: Collection[str]
) -> Iterator[Fault]:
    for index, name in enumerate(outputs):
        if name and name not in known:
            message = f'{label}output[{index}] is "{name}", which nothing gives'
            yield Fault(f"{message}, expected a value that a node gives", (*place, "output", index))


@rule(
    "FUNCTION_DOMAIN",
    SHOULD,
    "domain is the domain to which the function belongs.",
    "onnx-ml.proto, FunctionProto.domain",
)
@each_function
def function_domain(item: OperatorSet, function: Function) -> Iterator[Fault]:
    """A function names the domain of the set that it stands in.

    The set says to which domain its members belong, and the function says it once more, since in a model it
    stands alone. A function is documented in the domain of its set: where the two differ, nodes that call it
    look in another one. A function that states no domain belongs to `ai.onnx`; files of IR version < 8 are
    older than the field, and need not state it.

    To mend it, set the function's `domain` to that of the set, or move the function to a set of its domain.
    """
    of_set = domain_name(item.domain)
    if domain_name(function.domain) == of_set:
        return
    if function.domain:
        yield Fault(f"domain is {function.domain}, expected that of the set, {of_set}", ("domain",))
    elif (item.ir_version or 0) >= IR_VERSION_OF_FUNCTION_DOMAIN:
        yield Fault(
            f"domain is not stated and means ai.onnx, expected that of the set, {of_set}", ("domain",)
        )


@rule(
    "FUNCTION_CALLS_KNOWN",
    SHOULD,
    "A node calls the operator of its domain and op_type with the highest version in the imported opset.",
    "onnx-ml.proto, FunctionProto.opset_import",
)
@across_sets
def function_calls_known(checked: Sets) -> Iterator[Problem]:
    """The operators that a body calls exist in the opsets that the function imports.

    A body that calls what is not there cannot be computed: usually a name is misspelt, or the operator came
    with a later opset, or went with an earlier one. A function with an overload is called by name and
    overload together. Where no loaded file tells what the imported opset holds, nothing is said.

    To mend it, correct the node's `op_type`, `domain` or `overload`, or import an opset that has the
    operator.
    """
    members = cache(lambda domain, opset: offered(checked.sets, domain, opset))
    for item in checked.sets:
        for function in item.functions:
            imports = {found.domain: found.version for found in function.opset_imports}
            for call in _calls(function.nodes):
                domain, version = call.node.domain, imports.get(call.node.domain)
                name = Name(call.node.op_type, call.node.overload)
                known = members(domain, version) if version else None
                if known is not None and name not in known:
                    yield Problem(
                        f"{call} is not in {domain} opset {version}, expected an operator of that opset",
                        Where(item, function, call.path),
                        others=tuple(
                            Where(other)
                            for other in checked.sets
                            if other is not item
                            and (domain_name(other.domain), other.opset_version) == (domain, version)
                        ),
                    )


@rule(
    "FUNCTION_RETIRED_FIELDS",
    SHOULD,
    "since_version (field 2) and status (field 3) of a function are retired since IR version 8.",
    "onnx-ml.proto, FunctionProto, reserved fields 2 and 3",
)
@each_function
def function_retired_fields(item: OperatorSet, function: Function) -> Iterator[Fault]:
    """From IR version 8 on, a function has no fields of its own for since_version and status.

    Readers of the format do not know the two fields any more and pass over them, so what they say is lost on
    everybody but opsetdocs. The metadata of a function has room for both.

    To mend it, move the values to `metadata_props`, under the keys `since_version` and `status`.
    """
    if (item.ir_version or 0) < IR_VERSION_OF_FUNCTION_DOMAIN:
        return
    status = None if function.status.number is None else function.status.label
    for field, value in {"since_version": function.since_version, "status": status}.items():
        if value is not None:
            found = f"{field} is {value} in a file of IR version {item.ir_version}"
            yield Fault(f'{found}, expected metadata_props["{field}"]', (field,))


class _Circle(NamedTuple):
    """Functions of a set that call one another."""

    call: _Call
    """The node of the first function from which the circle goes out."""
    way: tuple[Name, ...]
    """The other functions, in the order of the calls."""


@by_identity(maxsize=16)
def _circles(item: OperatorSet) -> Mapping[int, _Circle]:
    """Return the circles of calls in a set, each by the position of one function that is in it."""
    calls = {function.position: list(_own_calls(item, function)) for function in item.functions}
    circles: dict[int, _Circle] = {}
    told: set[int] = set()
    for start in calls:
        found = None if start in told else _shortest_circle(start, calls)
        if found:
            others = [at for _, at in found[:-1]]
            names = (name_of(item.functions[at]) for at in others)
            circles[start] = _Circle(found[0][0], tuple(filter(None, names)))
            told |= {start, *others}
    return circles


_Step = tuple["_Call", int]
"""A node, and the position of the function that it calls."""


def _shortest_circle(start: int, calls: Mapping[int, Sequence[_Step]]) -> list[_Step] | None:
    """Return the steps that lead from a function back to it, if there are any."""
    seen = {start}
    pending: deque[list[_Step]] = deque([[]])
    while pending:
        way = pending.popleft()
        for step in calls[way[-1][1] if way else start]:
            if step[1] == start:
                return [*way, step]
            if step[1] not in seen:
                seen.add(step[1])
                pending.append([*way, step])
    return None


def _own_calls(item: OperatorSet, function: Function) -> Iterator[_Step]:
    """Yield the nodes of a function that call functions of the very set that it stands in."""
    domain = domain_name(item.domain)
    opset = next((found.version for found in function.opset_imports if found.domain == domain), None)
    if opset is None or opset > (item.opset_version or 0):
        return
    functions = _functions(item)
    for call in _calls(function.nodes):
        name = Name(call.node.op_type, call.node.overload)
        if call.node.domain == domain and name in functions:
            meant = _member(functions[name], opset, item.opset_version or 0)
            if isinstance(meant, Function):
                yield call, meant.position


def _member(same_name: Iterable[Entry], opset: int, own: int) -> Entry | None:
    """Return which entry an opset offers that is the set's own, or before it.

    An entry without a since_version is only known to be in the set's own opset.
    """
    dated = [(stated_since_version(entry) or own, entry) for entry in same_name]
    return max((pair for pair in dated if pair[0] <= opset), key=itemgetter(0), default=(0, None))[1]


@by_identity(maxsize=16)
def _functions(item: OperatorSet) -> Mapping[Name, Sequence[Entry]]:
    """Return the entries of a set under each name that functions have."""
    members: dict[Name | None, list[Entry]] = {name_of(function): [] for function in item.functions}
    for entry in entries(item):
        if (name := name_of(entry)) in members:
            members[name].append(entry)
    return {name: same_name for name, same_name in members.items() if name}


class _Call(NamedTuple):
    """A node of a body, or of a graph in it, and the way to it from the function."""

    node: Node
    path: Path

    def __str__(self) -> str:
        return f"{dotted(self.path)} {Name(self.node.op_type, self.node.overload)}".rstrip()


def _calls(nodes: Sequence[Node], place: Path = ()) -> Iterator[_Call]:
    """Yield nodes, each before the nodes of its graphs."""
    for index, node in enumerate(nodes):
        path = (*place, "node", index)
        yield _Call(node, path)
        for graph in node.graphs:
            yield from _calls(graph.nodes, (*path, *graph.path))
