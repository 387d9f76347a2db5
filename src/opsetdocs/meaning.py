"""When two entries of operator sets say the same: by meaning, not by bytes.

White space, line endings and `Examples` do not count, an unset text equals an empty one, and lists of types
have no order. Bodies of functions are compared by `bodies.body_key`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import lru_cache

from opsetdocs.catalog import Kind, Part
from opsetdocs.docstring import DocString, Entry, Section, SectionKind, parse
from opsetdocs.identity import stated_status
from opsetdocs.model import Function, Operator
from opsetdocs.type_groups import split_types

_SIGNATURE = (SectionKind.ATTRIBUTES, SectionKind.INPUTS, SectionKind.OUTPUTS)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# Most files repeat the texts of the one before: each distinct text is taken apart and compared once.
_cached = lru_cache(maxsize=16_384)


@_cached
def parsed(text: str) -> DocString:
    """Return a doc_string, taken apart."""
    return parse(text)


@_cached
def words_key(text: str) -> str:
    """Return a digest that is equal for two doc_strings with the same words, examples set aside."""
    return _digest(*(words for block in parsed(text).blocks if (words := _block_words(block))))


@_cached
def signature_key(text: str) -> str:
    """Return a digest that is equal for two doc_strings that state the same signature.

    It covers names, types, defaults, what is required, optional or variadic, and the numbers of inputs and
    outputs; the order of inputs and outputs, not that of attributes; and the types that the type constraints
    in use allow.
    """
    sections = [section for kind in _SIGNATURE if (section := parsed(text).section(kind))]
    used = {name for section in sections for entry in section.entries for name in _NAME.findall(entry.type)}
    constraints = parsed(text).section(SectionKind.TYPE_CONSTRAINTS)
    allowed = [entry for entry in constraints.entries if entry.name in used] if constraints else []
    return _digest(
        *(_section_signature(section) for section in sections),
        sorted((entry.name, *_types(entry.type)) for entry in allowed),
    )


_LISTS = {
    f"{item}s": f"list of {item}s"
    for item in ("int", "float", "string", "tensor", "sparse_tensor", "graph", "type_proto")
}
"""The types of attributes that hold several values, as onnx-ml.proto has them, and as its texts do."""


def attribute_type(text: str) -> str:
    """Return the type of an attribute in the form in which it is compared: `ints` is `list of ints`."""
    folded = _folded(text)
    return _LISTS.get(folded, folded)


def as_part(entry: Operator | Function) -> Part:
    """Return an entry of an operator set as it is documented: with its status and its text taken apart.

    It is the same object for all entries that say the same, of this build and of the one before.
    """
    return _part(replace(entry, position=0))


@_cached
def _part(entry: Operator | Function) -> Part:
    return Part(
        kind=Kind.FUNCTION if isinstance(entry, Function) else Kind.OPERATOR,
        status=stated_status(entry),
        doc=parsed(entry.doc_string or ""),
        function=entry if isinstance(entry, Function) else None,
    )


def part_words(part: Part) -> Hashable:
    """Return a value that is equal for two entries with the same words."""
    attributes = part.function.attribute_defaults if part.function else ()
    return words_key(part.doc.text), tuple(_folded(item.doc_string or "") for item in attributes)


def part_signature(part: Part) -> Hashable:
    """Return a value that is equal for two entries of the same kind, with the same signature and body."""
    return part.kind, part.function and part.function.body_key, signature_key(part.doc.text)


def part_meaning(part: Part) -> Hashable:
    """Return a value that is equal for two entries of the same kind and status that say the same."""
    # The words of a doc_string include its signature.
    return part.kind, part.status, part.function and part.function.body_key, part_words(part)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _folded(text: str) -> str:
    return " ".join(text.split())


def _block_words(block: Section | str) -> object:
    """The words of a block, in a form whose `repr` is the same for the same words; false without any."""
    if isinstance(block, str):
        return _folded(block)
    if block.kind is SectionKind.EXAMPLES:
        return None
    return (block.kind.value, _folded(block.note), _count(block), *map(_entry_words, _blocks(block)))


def _blocks(section: Section) -> Iterable[Entry | str]:
    if section.kind is not SectionKind.ATTRIBUTES:
        return section.blocks
    return (_with_list_type(block) if isinstance(block, Entry) else block for block in section.blocks)


def _with_list_type(attribute: Entry) -> Entry:
    return replace(attribute, type=attribute_type(attribute.type)) if attribute.type else attribute


def _entry_words(entry: Entry | str) -> object:
    if isinstance(entry, str):
        return _folded(entry)
    return (entry.name, *_types(entry.type), sorted(map(_folded, entry.marks)), _folded(entry.description))


def _section_signature(section: Section) -> object:
    if section.kind is SectionKind.ATTRIBUTES:
        attributes = map(_entry_signature, map(_with_list_type, section.entries))
        return section.kind.value, sorted(attributes, key=repr)
    return section.kind.value, _count(section), *map(_entry_signature, section.entries)


def _entry_signature(entry: Entry) -> object:
    return (
        entry.name,
        *_types(entry.type),
        entry.default,
        entry.required,
        entry.optional,
        (_least(entry), entry.homogeneous is not False) if entry.variadic else None,
    )


def _count(section: Section) -> tuple[int, int | None] | None:
    """The least and the greatest number of inputs or outputs, from the heading or else the entries."""
    if section.kind not in (SectionKind.INPUTS, SectionKind.OUTPUTS):
        return None
    if section.minimum is not None:
        return section.minimum, None if section.unbounded else section.maximum
    entries = section.entries
    unbounded = any(entry.variadic for entry in entries)
    return sum(map(_least, entries)), None if unbounded else len(entries)


def _least(entry: Entry) -> int:
    if entry.variadic:
        return 1 if entry.at_least is None else entry.at_least
    return 0 if entry.optional else 1


def _types(text: str) -> list[str]:
    """The types of a list of types, in no particular order: `map(int64, string), tensor(float)` are two."""
    return sorted(_folded(item) for item in split_types(text))
