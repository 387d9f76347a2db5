"""What changed between two versions of an operator, in words, by structure.

One comparison serves pages, commands and the checker. White space, the order of sets, and `Examples` are
never a change, and a type constraint that nothing uses is words; see "Saying the same" in the conventions.
"""

from __future__ import annotations

import ctypes
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any

from opsetdocs import schema as messages
from opsetdocs.bodies import FENCED, body_key, parse_body
from opsetdocs.caches import by_identity
from opsetdocs.catalog import Kind, Part, Revision, Version
from opsetdocs.change_kinds import Change, ChangeKind, Comparison, Role, Weight, folded
from opsetdocs.docstring import Entry, SectionKind, counted, is_known_mark, write
from opsetdocs.meaning import attribute_type
from opsetdocs.model import Function
from opsetdocs.signature import Count, Signature, signature

__all__ = [
    "Change",
    "ChangeKind",
    "Comparison",
    "Role",
    "Weight",
    "compare",
    "compare_revisions",
    "compare_versions",
]

_K = ChangeKind


# Moving between opsets asks for the same pairs again and again: ONNX has 1,114 of them.
_once = by_identity(maxsize=4096)


@_once
def compare(old: Part, new: Part) -> Comparison:
    """Return what changed from one entry of an operator set to another; empty where both say the same."""
    return _sorted(_changes(old, new))


@_once
def compare_revisions(old: Revision, new: Revision) -> Comparison:
    """Return what changed from what some opsets say about a version to what others say.

    Where files name a version twice, as operator and as function, each is compared with its like.
    """
    before, after = _by_kind(old), _by_kind(new)
    shared = [kind for kind in Kind if kind in before and kind in after]
    if not shared:
        return compare(old.parts[0], new.parts[0])
    changes = chain.from_iterable(compare(before[kind], after[kind]).changes for kind in shared)
    return _sorted(dict.fromkeys(chain(_kind_change(before, after), changes)))


def compare_versions(old: Version, new: Version) -> Comparison:
    """Return what changed from one version to another, by what the highest loaded opset says of each."""
    return compare_revisions(old.current, new.current)


def _sorted(changes: Iterable[Change]) -> Comparison:
    return Comparison(tuple(sorted(changes, key=lambda change: -change.weight)))


def _by_kind(revision: Revision) -> dict[Kind, Part]:
    return {part.kind: part for part in reversed(revision.parts)}


def _changes(old: Part, new: Part) -> Iterator[Change]:
    before, after = signature(old), signature(new)
    if old.kind is not new.kind:
        # That the property `function` changed with it goes without saying.
        before, after = _without_property(before, "function"), _without_property(after, "function")
    values = [_Values(role, before, after) for role in (Role.INPUT, Role.OUTPUT)]
    yield from _whole(old, new)
    yield from _with_new_roles(
        [
            *_attributes(before.attributes, after.attributes),
            *chain.from_iterable(item.changes() for item in values),
        ]
    )
    yield from _compared_types(before, after, chain.from_iterable(item.pairs for item in values)).changes()
    yield from _counts(before, after)
    yield from _properties(before.properties, after.properties)
    yield from _bodies(old.function, new.function)
    yield from _texts(old, new)


# The version as a whole


def _whole(old: Part, new: Part) -> Iterator[Change]:
    if old.doc.deprecated != new.doc.deprecated:
        yield Change(_K.DEPRECATED if new.doc.deprecated else _K.UNDEPRECATED)
    if old.status != new.status:
        yield _status_change(old, new)
    yield from _kind_change({old.kind}, {new.kind})


def _status_change(old: Part, new: Part) -> Change:
    if old.status.is_experimental and new.status.is_stable:
        return Change(_K.PROMOTED)
    if old.status.is_stable and new.status.is_experimental:
        return Change(_K.DEMOTED)
    return Change(_K.STATUS_CHANGED, old=old.status.label, new=new.status.label)


def _kind_change(old: Iterable[Kind], new: Iterable[Kind]) -> Iterator[Change]:
    was, is_now = Kind.FUNCTION in set(old), Kind.FUNCTION in set(new)
    if was != is_now:
        yield Change(_K.BECAME_FUNCTION if is_now else _K.NO_LONGER_FUNCTION)


# Entries with names: attributes, type constraints, properties


def _by_name(entries: Iterable[Entry]) -> dict[tuple[str, int], Entry]:
    """Entries by name; one that repeats a name also by how often that stood before."""
    seen: Counter[str] = Counter()
    result = {}
    for entry in entries:
        result[entry.name, seen[entry.name]] = entry
        seen[entry.name] += 1
    return result


def _merged(old: Iterable[Entry], new: Iterable[Entry]) -> Iterator[tuple[Entry | None, Entry | None]]:
    """Pair entries by name: in the order of the new ones, then those that are gone."""
    before, after = _by_name(old), _by_name(new)
    for key, entry in after.items():
        yield before.get(key), entry
    yield from ((entry, None) for key, entry in before.items() if key not in after)


def _attributes(old: Iterable[Entry], new: Iterable[Entry]) -> Iterator[Change]:
    for before, after in _merged(old, new):
        if before and after:
            yield from _attribute(before, after)
            yield from _common(Role.ATTRIBUTE, before, after)
        elif after:
            yield _added(Role.ATTRIBUTE, after)
        elif before:
            yield Change(_K.REMOVED, before.name, role=Role.ATTRIBUTE)


def _added(role: Role, entry: Entry) -> Change:
    if entry.default is not None:
        return Change(_K.ADDED_WITH_DEFAULT, entry.name, new=entry.default, role=role)
    can_be_left_out = entry.optional or (entry.variadic and not entry.at_least)
    return Change(_K.OPTIONAL_ADDED if can_be_left_out else _K.REQUIRED_ADDED, entry.name, role=role)


def _attribute(old: Entry, new: Entry) -> Iterator[Change]:
    def change(kind: ChangeKind) -> Change:
        return Change(kind, new.name, old.default or "", new.default or "", Role.ATTRIBUTE)

    if new.required and not old.required:
        yield change(_K.BECAME_REQUIRED)
    elif old.required and not new.required:
        yield change(_K.BECAME_OPTIONAL if new.default is None else _K.BECAME_OPTIONAL_WITH_DEFAULT)
    elif old.default is None and new.default is not None:
        yield change(_K.DEFAULT_GAINED)
    elif old.default is not None and new.default is None:
        yield change(_K.DEFAULT_LOST)
    elif _value(old) != _value(new):
        yield change(_K.DEFAULT_CHANGED)
    if old.type != new.type and _attribute_type(old) != _attribute_type(new):
        kind = (
            _K.TYPE_CHANGED if old.type and new.type else _K.TYPE_STATED if new.type else _K.TYPE_NOT_STATED
        )
        yield Change(kind, new.name, folded(old.type), folded(new.type), Role.ATTRIBUTE)


def _attribute_type(attribute: Entry) -> str:
    return _squeezed(attribute_type(attribute.type))


def _value(attribute: Entry) -> object:
    """The value of a default, so that two ways of writing it are the same; as text where it is no JSON."""
    text = attribute.default or ""
    try:
        value = json.loads(text)
        return repr(_as_float32(value) if "float" in attribute.type else value)
    except (ValueError, OverflowError, RecursionError):
        return folded(text)


def _as_float32(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_float32(item) for item in value]
    return ctypes.c_float(value).value if isinstance(value, (int, float)) else value


def _common(role: Role, old: Entry, new: Entry) -> Iterator[Change]:
    """What can change about any entry."""
    if old.differentiable is not new.differentiable:
        before, after = _DIFFERENTIABILITY[old.differentiable], _DIFFERENTIABILITY[new.differentiable]
        yield Change(_K.DIFFERENTIABILITY_CHANGED, new.name, before, after, role)
    if old.marks != new.marks and (before := _remarks(old)) != (after := _remarks(new)):
        yield Change(_K.REMARKS_CHANGED, new.name, before, after, role)
    if _differ(old.description, new.description):
        yield Change(_K.DESCRIPTION_CHANGED, new.name, role=role)


def _differ(old: str, new: str) -> bool:
    """Whether two texts differ in more than white space."""
    return old != new and folded(old) != folded(new)


def _remarks(entry: Entry) -> str:
    """The marks that opsetdocs does not understand."""
    return ", ".join(sorted(folded(mark) for mark in entry.marks if not is_known_mark(mark)))


_DIFFERENTIABILITY = {None: "not stated", True: "differentiable", False: "non-differentiable"}


def _properties(old: Iterable[Entry], new: Iterable[Entry]) -> Iterator[Change]:
    for before, after in _merged(old, new):
        if before and after:
            if _differ(before.type, after.type):
                yield Change(_K.PROPERTY_CHANGED, after.name, before.type, after.type, Role.PROPERTY)
            yield from _common(Role.PROPERTY, before, after)
        elif after:
            yield Change(_K.PROPERTY_ADDED, after.name, new=after.type, role=Role.PROPERTY)
        elif before:
            yield Change(_K.REMOVED, before.name, role=Role.PROPERTY)


def _without_property(item: Signature, name: str) -> Signature:
    return replace(item, properties=tuple(entry for entry in item.properties if entry.name != name))


def _with_new_roles(changes: Sequence[Change]) -> Iterator[Change]:
    """Join what is gone from the attributes and came to the inputs under the same name, and the reverse."""
    by_key = {(change.kind, change.role, change.subject): change for change in changes}
    joined: dict[Change, Change | None] = {}
    for (added, role), kind in _NEW_ROLES.items():
        before = Role.INPUT if role is Role.ATTRIBUTE else Role.ATTRIBUTE
        for change in changes:
            gone = by_key.get((_K.REMOVED, before, change.subject))
            if gone and (change.kind, change.role) == (added, role):
                joined |= {gone: Change(kind, change.subject, role=before), change: None}
    yield from (item for change in changes if (item := joined.get(change, change)))


_NEW_ROLES = {
    (_K.REQUIRED_ADDED, Role.INPUT): _K.BECAME_REQUIRED_INPUT,
    (_K.OPTIONAL_ADDED, Role.INPUT): _K.BECAME_OPTIONAL_INPUT,
    (_K.REQUIRED_ADDED, Role.ATTRIBUTE): _K.BECAME_ATTRIBUTE,
    (_K.OPTIONAL_ADDED, Role.ATTRIBUTE): _K.BECAME_ATTRIBUTE,
    (_K.ADDED_WITH_DEFAULT, Role.ATTRIBUTE): _K.BECAME_ATTRIBUTE,
}
"""What it is called that an input or attribute is added that was an attribute or input before."""


# Inputs and outputs


@dataclass(frozen=True, slots=True)
class _Pair:
    """An input or output of the old version and the one of the new version that it became."""

    role: Role
    old: Entry
    new: Entry


class _Values:
    """The inputs or the outputs of two versions, paired: by name, and where names differ by place."""

    def __init__(self, role: Role, before: Signature, after: Signature) -> None:
        self.role = role
        self.old, self.new = (item.inputs if role is Role.INPUT else item.outputs for item in (before, after))
        places, new_places = (
            {key: place for place, key in enumerate(_by_name(entries))} for entries in (self.old, self.new)
        )
        self.places = {place: new_places[key] for key, place in places.items() if key in new_places}
        """The place in the new version, by the place in the old one, counted from 0."""
        taken = set(self.places.values())
        for place, (old, new) in enumerate(zip(self.old, self.new, strict=False)):
            if place not in self.places and place not in taken and _may_be_one(before, old, after, new):
                self.places[place] = place
        self.pairs = [_Pair(role, self.old[old], self.new[new]) for old, new in sorted(self.places.items())]

    def changes(self) -> Iterator[Change]:
        """Yield what changed but for types: in the order of the new version, then those that are gone."""
        old_places = {new: old for old, new in self.places.items()}
        for place, entry in enumerate(self.new):
            old_place = old_places.get(place)
            if old_place is None:
                yield _added(self.role, entry)
                continue
            old = self.old[old_place]
            if old_place != place:
                yield Change(_K.MOVED, entry.name, str(old_place + 1), str(place + 1), self.role)
            if old.name != entry.name:
                yield Change(_K.RENAMED, old.name, old.name, entry.name, self.role)
            yield from _option(self.role, old, entry)
            yield from _common(self.role, old, entry)
        for place, entry in enumerate(self.old):
            if place not in self.places:
                yield Change(_K.REMOVED, entry.name, role=self.role)


def _may_be_one(before: Signature, old: Entry, after: Signature, new: Entry) -> bool:
    """Whether two entries at the same place may be one under two names: some type fits both."""
    types, new_types = _types(before, old), _types(after, new)
    return not types or not new_types or not types.keys().isdisjoint(new_types)


def _option(role: Role, old: Entry, new: Entry) -> Iterator[Change]:
    """How many values an input or output stands for."""
    least, new_least = _least(old), _least(new)
    if old.variadic != new.variadic:
        yield Change(_K.BECAME_VARIADIC if new.variadic else _K.BECAME_SINGLE, new.name, role=role)
    if least != new_least:
        if old.variadic or new.variadic:
            kind = _K.LEAST_RAISED if new_least > least else _K.LEAST_LOWERED
            yield Change(kind, new.name, str(least), str(new_least), role)
        else:
            yield Change(_K.BECAME_REQUIRED if new_least else _K.BECAME_OPTIONAL, new.name, role=role)
    if old.variadic and new.variadic and old.homogeneous is not new.homogeneous:
        kind = _K.BECAME_HOMOGENEOUS if new.homogeneous else _K.BECAME_HETEROGENEOUS
        yield Change(kind, new.name, role=role)


def _least(entry: Entry) -> int:
    least, _ = counted([entry])
    return least


def _counts(before: Signature, after: Signature) -> Iterator[Change]:
    """Yield how counts changed that a heading gives; others follow from the entries."""
    for role, old, old_entries, new, new_entries in (
        (Role.INPUT, before.input_count, before.inputs, after.input_count, after.inputs),
        (Role.OUTPUT, before.output_count, before.outputs, after.output_count, after.outputs),
    ):
        follows = old == Count(*counted(old_entries)) and new == Count(*counted(new_entries))
        if old != new and not follows:
            kind = _K.COUNT_WIDENED if old in new else _K.COUNT_NARROWED
            yield Change(kind, "", old.words, new.words, role)


# Types


def _squeezed(text: str) -> str:
    return "".join(text.split())


@_once
def _types(item: Signature, entry: Entry) -> Mapping[str, str]:
    """The types that an input or output may have, as written, by a spelling without white space."""
    return MappingProxyType({_squeezed(name): folded(name) for name in item.allowed(entry)})


def _listed(types: Mapping[str, str], but: Mapping[str, str]) -> str:
    return ", ".join(name for key, name in types.items() if key not in but)


def _sets(
    kinds: tuple[ChangeKind, ChangeKind],
    role: Role,
    name: str,
    old: Mapping[str, str],
    new: Mapping[str, str],
) -> Iterator[Change]:
    """Compare two sets of types, as `_types` gives them.

    Args:
        kinds: What it is called that types were gained, and that types were lost.
        role: What the types belong to.
        name: Its name.
        old: The old types.
        new: The new types.
    """
    gained, lost = _listed(new, but=old), _listed(old, but=new)
    if not old and new:
        yield Change(_K.TYPE_STATED, name, new=gained, role=role)
    elif old and not new:
        yield Change(_K.TYPE_NOT_STATED, name, old=lost, role=role)
    elif old.keys().isdisjoint(new):
        if old:
            yield Change(_K.TYPE_CHANGED, name, lost, gained, role)
    else:
        if lost:
            yield Change(kinds[1], name, old=lost, role=role)
        if gained:
            yield Change(kinds[0], name, new=gained, role=role)


class _Typed:
    """An input or output of one version with its types."""

    def __init__(self, item: Signature, entry: Entry) -> None:
        constraint = item.constraint_of(entry)
        self.types = _types(item, entry).keys()
        self.constraint = constraint.name if constraint and entry.homogeneous is not False else None

    def is_tied_to(self, other: _Typed) -> bool:
        """Whether both must have the same type."""
        return self.constraint is not None and self.constraint == other.constraint

    def may_differ_from(self, other: _Typed) -> bool:
        """Whether both may have different types."""
        known = bool(self.types) and bool(other.types)
        return known and not self.is_tied_to(other) and len(self.types | other.types) > 1


@dataclass(frozen=True, slots=True)
class _Types:
    """The types of two versions: their signatures, and the inputs and outputs that both have."""

    before: Signature
    after: Signature
    pairs: tuple[_Pair, ...]
    kept: Mapping[str, str]
    """The type constraints that some input or output has in both versions: the new name by the old one."""

    def changes(self) -> Iterator[Change]:
        """Yield what changed about the types of inputs and outputs, then about type constraints."""
        moved = [index for index, pair in enumerate(self.pairs) if not self._has_kept_its_constraint(pair)]
        for index in moved:
            yield from self._of_value(self.pairs[index])
        yield from self._ties(moved)
        yield from self._constraints()

    def _has_kept_its_constraint(self, pair: _Pair) -> bool:
        old, new = self.before.constraint_of(pair.old), self.after.constraint_of(pair.new)
        return old is not None and new is not None and self.kept.get(old.name) == new.name

    def _of_value(self, pair: _Pair) -> Iterator[Change]:
        """Compare the types of an input or output that has another constraint, or none."""
        old, new = _types(self.before, pair.old), _types(self.after, pair.new)
        name, new_name = folded(pair.old.type), folded(pair.new.type)
        if old.keys() != new.keys():
            yield from _sets((_K.MAY_BE, _K.MAY_NOT_BE), pair.role, pair.new.name, old, new)
        elif _squeezed(name) != _squeezed(new_name):
            yield Change(_K.TYPE_CALLED, pair.new.name, name, new_name, pair.role)

    def _ties(self, moved: Iterable[int]) -> Iterator[Change]:
        """Compare which inputs and outputs must have the same type, where one has another constraint."""
        old = [_Typed(self.before, pair.old) for pair in self.pairs]
        new = [_Typed(self.after, pair.new) for pair in self.pairs]
        told: set[int] = set()
        for index in moved:
            pair = self.pairs[index]
            told.add(index)
            freed = self._tied_only_in(old, new, index, told)
            tied = self._tied_only_in(new, old, index, told)
            if freed:
                yield Change(_K.TYPE_FREED, pair.new.name, old=freed, role=pair.role)
            if tied:
                yield Change(_K.TYPE_TIED, pair.new.name, new=tied, role=pair.role)

    def _tied_only_in(
        self, one: Sequence[_Typed], other: Sequence[_Typed], index: int, told: Collection[int]
    ) -> str:
        """The names of those that must have an entry's type in one version, and need not in the other."""
        return ", ".join(
            pair.new.name
            for place, pair in enumerate(self.pairs)
            if place not in told
            and one[index].is_tied_to(one[place])
            and other[index].may_differ_from(other[place])
        )

    def _constraints(self) -> Iterator[Change]:
        old, new = (
            {entry.name: entry for entry in reversed(item.types)} for item in (self.before, self.after)
        )
        names = {after: before for before, after in self.kept.items()}
        # A name of which nothing is known goes on with itself, unless its types go on under another one.
        names = {name: name for name in new if name in old and name not in self.kept} | names
        for name, entry in reversed(new.items()):
            if name in names:
                yield from self._constraint(old[names[name]], entry)
            else:
                yield Change(_K.CONSTRAINT_ADDED, name, new=entry.type, role=Role.TYPE)
        for name in reversed(old):
            if name not in names.values():
                yield Change(_K.REMOVED, name, role=Role.TYPE)

    def _constraint(self, old: Entry, new: Entry) -> Iterator[Change]:
        if old.name != new.name:
            yield Change(_K.RENAMED, old.name, old.name, new.name, Role.TYPE)
        types, new_types = _types(self.before, old), _types(self.after, new)
        if self.kept.get(old.name) == new.name:
            yield from _sets((_K.TYPES_GAINED, _K.TYPES_LOST), Role.TYPE, new.name, types, new_types)
        elif types.keys() != new_types.keys():
            yield Change(_K.TYPES_OTHER, new.name, folded(old.type), folded(new.type), Role.TYPE)
        yield from _common(Role.TYPE, old, new)


def _compared_types(before: Signature, after: Signature, pairs: Iterable[_Pair]) -> _Types:
    pairs = tuple(pairs)
    named = [(before.constraint_of(pair.old), after.constraint_of(pair.new)) for pair in pairs]
    names = [(old.name if old else None, new.name if new else None) for old, new in named]
    return _Types(before, after, pairs, dict(_kept(names, {entry.name for entry in before.types})))


def _kept(
    names: Sequence[tuple[str | None, str | None]], known: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the type constraints that go on, with their new name: the same one, or one that all users took.

    Args:
        names: The old and the new constraint of each input and output, `None` where it names none.
        known: The names of the old version's constraints.
    """
    for old, new in dict.fromkeys(names):
        if old is None or new is None:
            continue
        users = {pair for pair in names if old == pair[0] or new == pair[1]}
        if old == new or (new not in known and users == {(old, new)}):
            yield old, new


# Bodies and texts


def _bodies(old: Function | None, new: Function | None) -> Iterator[Change]:
    if old is None or new is None or old.body_key == new.body_key:
        return
    if _nodes_key(old) != _nodes_key(new):
        yield Change(_K.BODY_CHANGED)
    imports, new_imports = (
        {item.domain: item.version for item in function.opset_imports} for function in (old, new)
    )
    for domain in dict.fromkeys((*imports, *new_imports)):
        before, after = imports.get(domain), new_imports.get(domain)
        if before != after:
            yield Change(_K.IMPORT_CHANGED, domain, _number(before), _number(after))


def _number(version: int | None) -> str:
    return "none" if version is None else str(version)


def _nodes_key(function: Function) -> str:
    """A digest that is equal for two functions whose bodies have the same nodes."""
    return _nodes_key_of(function.proto) if function.proto else function.body_key


@lru_cache(maxsize=4096)
def _nodes_key_of(proto: bytes) -> str:
    nodes = messages.FunctionProto()
    nodes.node.extend(messages.FunctionProto.FromString(proto).node)
    return body_key(nodes)


def _texts(old: Part, new: Part) -> Iterator[Change]:
    yield from _body_texts(*(_section_text(part, SectionKind.FUNCTION_BODY) for part in (old, new)))
    # The paragraph that marks a version deprecated comes and goes with the mark.
    with_mark = old.doc.deprecated == new.doc.deprecated
    if _prose(old, with_mark) != _prose(new, with_mark):
        yield Change(_K.TEXT_CHANGED)


def _body_texts(old: str, new: str) -> Iterator[Change]:
    """Compare bodies that are words: for a later opset, or an example."""
    if not _differ(old, new):
        return
    if not old or not new:
        yield Change(_K.BODY_TEXT_ADDED if new else _K.BODY_TEXT_REMOVED)
    else:
        same = _nodes_in(old) == _nodes_in(new)
        yield Change(_K.BODY_TEXT_CHANGED if same else _K.BODY_TEXT_NODES_CHANGED)


@lru_cache(maxsize=1024)
def _nodes_in(text: str) -> tuple[str, ...]:
    """Digests of the nodes of each body that a text holds; a body that cannot be read counts as written."""
    bodies = ((match["text"], parse_body(match["text"])) for match in FENCED.finditer(text))
    return tuple(_nodes_key(function) if function else written for written, function in bodies)


def _section_text(part: Part, kind: SectionKind) -> str:
    section = part.doc.section(kind)
    return write([section]) if section else ""


@_once
def _prose(part: Part, with_mark: bool) -> tuple[str, ...]:
    return tuple(_prose_words(part, with_mark=with_mark))


def _prose_words(part: Part, *, with_mark: bool) -> Iterator[str]:
    """The words of all text that is no entry, `Examples` and the section Function Body left out."""
    seen = {SectionKind.EXAMPLES, SectionKind.FUNCTION_BODY}
    is_marked = part.doc.deprecated and not with_mark
    for block in part.doc.blocks:
        if isinstance(block, str):
            yield from folded(_without_mark(block) if is_marked else block).split()
            is_marked = False
        elif block.kind not in seen:
            seen.add(block.kind)
            yield from (word for item in block.blocks if isinstance(item, str) for word in item.split())
        elif block.kind is not SectionKind.EXAMPLES and block is not part.doc.section(block.kind):
            # A second section of a kind is text: only the first one is the signature.
            yield from write([block]).split()


def _without_mark(text: str) -> str:
    """A text without its first paragraph, which headings may precede."""
    paragraphs = text.split("\n\n")
    marked = (at for at, item in enumerate(paragraphs) if item.lstrip().startswith(("**", "__")))
    at = next(marked, 0)
    return "\n\n".join(paragraphs[:at] + paragraphs[at + 1 :])
