"""Where the body of a function changed: node by node, in words for terminals and reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from opsetdocs import schema as messages
from opsetdocs.bodies import body_key
from opsetdocs.model import Function, domain_name

MAX_CHANGES = 4
"""How many changes of a body are told one by one."""


def body_changes(old: Function, new: Function) -> tuple[str, ...]:
    """Return where the nodes of two bodies differ, in the order of the nodes; of many the first ones.

    Nodes are named by their place: in the new body, or where one is gone in the old one. What says nothing
    about what a body computes is passed over, as by `body_key`.
    """
    if not (old.proto and new.proto):
        return ()
    before, after = (messages.FunctionProto.FromString(item.proto).node for item in (old, new))
    found = list(_changes(before, after))
    left = len(found) - MAX_CHANGES
    return (*found[:MAX_CHANGES], f"and {left} more") if left > 0 else tuple(found)


def _changes(old: Sequence[Any], new: Sequence[Any]) -> Iterator[str]:
    keys, new_keys = ([body_key(node) for node in nodes] for nodes in (old, new))
    matcher = SequenceMatcher(None, keys, new_keys, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        both = min(end - start, new_end - new_start)
        for at in range(both):
            yield from _node_changes(f"node[{new_start + at}]", old[start + at], new[new_start + at])
        yield from _counted(f"node[{new_start + both}]", new[new_start + both : new_end], "added")
        yield from _counted(f"node[{start + both}]", old[start + both : end], "removed")


def _counted(first: str, nodes: Sequence[Any], verb: str) -> Iterator[str]:
    if len(nodes) == 1:
        yield f"{first} {nodes[0].op_type} {verb}"
    elif nodes:
        yield f"{len(nodes)} nodes {verb}, the first of them {first} {nodes[0].op_type}"


def _node_changes(place: str, old: Any, new: Any) -> Iterator[str]:
    for field in ("op_type", "domain", "overload"):
        before, after = getattr(old, field), getattr(new, field)
        if field == "domain":
            before, after = domain_name(before), domain_name(after)
        if before != after:
            yield f"{place}: {field} {before or 'nothing'} became {after or 'nothing'}"
    for field in ("input", "output"):
        for before, after in zip_longest(getattr(old, field), getattr(new, field), fillvalue=""):
            if before and after and before != after:
                yield f"{place}: {field} {before} became {after}"
            elif before != after:
                yield f"{place}: {field} {before or after} {'removed' if before else 'added'}"
    attributes, new_attributes = ({item.name: item for item in node.attribute} for node in (old, new))
    for name in dict.fromkeys((*attributes, *new_attributes)):
        before, after = attributes.get(name), new_attributes.get(name)
        if before is None or after is None:
            yield f"attribute {name} of {place} {'added' if before is None else 'removed'}"
        elif body_key(before) != body_key(after):
            yield f"attribute {name} of {place} changed"
