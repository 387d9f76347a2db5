"""The signature of a version: what its text and, for a function, its own fields say together.

By the contract a function's own fields (names, attribute defaults, value_info types) come first; its
sections add what the fields do not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from opsetdocs.caches import by_identity
from opsetdocs.catalog import Part
from opsetdocs.docstring import DocString, Entry, Section, SectionKind, code_span, counted
from opsetdocs.model import Function
from opsetdocs.type_groups import split_types

_SIGNATURE = (SectionKind.ATTRIBUTES, SectionKind.INPUTS, SectionKind.OUTPUTS)
_REMARK = re.compile(r"\s+\(.*\Z", re.DOTALL)
_NESTED_NAME = re.compile(r"(?<=[(,])(\s*)([A-Za-z_][A-Za-z0-9_]*)(?=\s*[),])")


@dataclass(frozen=True, slots=True)
class Count:
    """How many values there may be."""

    least: int
    most: int | None
    """`None` where there is no upper bound."""

    @property
    def words(self) -> str:
        """The numbers in words: `2`, `2 to 3`, `1 or more`."""
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"

    def __contains__(self, other: object) -> bool:
        """Whether every number that another count allows is allowed by this one too."""
        if not isinstance(other, Count):
            return False
        below = self.most is None or (other.most is not None and other.most <= self.most)
        return self.least <= other.least and below


@dataclass(frozen=True, slots=True)
class Signature:
    """What a version takes and gives.

    What a text leaves open is filled in by what it means: an attribute that is not required is optional, a
    variadic input is homogeneous and needs the values that the count of the heading leaves for it, or one.
    The marks of an entry stay as written.
    """

    attributes: tuple[Entry, ...] = ()
    inputs: tuple[Entry, ...] = ()
    outputs: tuple[Entry, ...] = ()
    types: tuple[Entry, ...] = ()
    """The type constraints."""
    properties: tuple[Entry, ...] = ()
    input_count: Count = Count(0, 0)
    output_count: Count = Count(0, 0)

    def constraint(self, name: str) -> Entry | None:
        """Return the type constraint of this name, if there is one."""
        return next((entry for entry in self.types if entry.name == name), None)

    def constraint_of(self, entry: Entry) -> Entry | None:
        """Return the type constraint that an input or output names as its type, if it names one."""
        return self.constraint(_without_remark(entry.type))

    def allowed(self, entry: Entry) -> tuple[str, ...]:
        """Return the types that an input or output may have, in the order in which they are written.

        The name of a type constraint stands for its types, within another type too: `seq(T)`. What follows a
        type in parentheses is a remark. The result is empty where no type is stated.
        """
        if constraint := self.constraint_of(entry):
            return split_types(constraint.type)
        written = _without_remark(entry.type)
        names = {name for _, name in _NESTED_NAME.findall(written) if self.constraint(name)}
        if len(names) != 1:
            return split_types(written)
        [name] = names
        constraint = self.constraint(name)
        inner = split_types(constraint.type) if constraint else ()
        return tuple(_filled_in(outer, name, item) for outer in split_types(written) for item in inner)


def _filled_in(text: str, name: str, item: str) -> str:
    """Put a type where the name of its constraint stands within another type."""
    return _NESTED_NAME.sub(lambda match: match[1] + item if match[2] == name else match[0], text)


@lru_cache(maxsize=4096)
def _without_remark(text: str) -> str:
    return _REMARK.sub("", text).strip()


@by_identity(maxsize=4096)
def signature(part: Part) -> Signature:
    """Return the signature that an entry of an operator set states, a function's own fields included.

    Of several sections of one kind the first counts.
    """
    blocks = stated_blocks(part)
    sections = {block.kind: block for block in reversed(blocks) if isinstance(block, Section)}

    def section(kind: SectionKind) -> Section:
        return sections.get(kind) or Section(kind, kind.value, level=2)

    inputs, outputs = section(SectionKind.INPUTS), section(SectionKind.OUTPUTS)
    return Signature(
        attributes=tuple(map(_complete_attribute, section(SectionKind.ATTRIBUTES).entries)),
        inputs=tuple(_complete_values(inputs)),
        outputs=tuple(_complete_values(outputs)),
        types=section(SectionKind.TYPE_CONSTRAINTS).entries,
        properties=section(SectionKind.PROPERTIES).entries,
        input_count=count(inputs),
        output_count=count(outputs),
    )


def count(section: Section) -> Count:
    """Return how many values a section allows: by the count of its heading, or else by its entries."""
    if section.minimum is not None:
        return Count(section.minimum, None if section.unbounded else section.maximum)
    return Count(*counted(section.entries))


def _complete_attribute(entry: Entry) -> Entry:
    return replace(entry, optional=not entry.required and entry.default is None)


def _complete_values(section: Section) -> Iterator[Entry]:
    """Say of variadic inputs or outputs what they mean where they do not say it.

    The count of a heading counts places: those before a variadic entry are taken, by optional ones too.
    """
    for place, entry in enumerate(section.entries):
        if entry.variadic:
            least = 1 if section.minimum is None else max(section.minimum - place, 0)
            yield replace(
                entry,
                homogeneous=entry.homogeneous is not False,
                at_least=least if entry.at_least is None else entry.at_least,
            )
        else:
            yield entry


def stated_blocks(part: Part) -> tuple[Section | str, ...]:
    """Return the blocks of what an entry says: its text, for a function with the signature of its fields."""
    return part.doc.blocks if part.function is None else with_function_fields(part.doc, part.function)


def with_function_fields(doc: DocString, function: Function) -> tuple[Section | str, ...]:
    """Return the blocks of a function's text with the signature that its fields state.

    Sections stand where the text has them. One that it lacks stands before the next in the order Attributes,
    Inputs, Outputs that it has, otherwise before whatever section follows the signature.
    """
    fields = dict(zip(_SIGNATURE, (_attributes(function), *_values(function)), strict=True))
    blocks: list[Section | str] = []
    for block in doc.blocks:
        if isinstance(block, Section) and (stated := fields.pop(block.kind, None)) is not None:
            blocks.append(_merged(block, stated))
        else:
            blocks.append(block)
    level = doc.heading_level or 2
    for kind, entries in fields.items():
        if entries:
            blocks.insert(_place(kind, blocks), Section(kind, kind.value, level, blocks=entries))
    return tuple(blocks)


def _place(kind: SectionKind, blocks: Sequence[Section | str]) -> int:
    """Where a section of this kind is inserted: before the first that comes after it in a signature."""
    before = _SIGNATURE[: _SIGNATURE.index(kind)]
    later = (at for at, block in enumerate(blocks) if isinstance(block, Section) and block.kind not in before)
    return next(later, len(blocks))


def _attributes(function: Function) -> tuple[Entry, ...]:
    required = (Entry(name, marks=("required",), required=True) for name in function.attributes)
    optional = (
        Entry(
            item.name,
            type=item.type,
            description=item.doc_string or "",
            marks=(f"default {code_span(item.default)}",),
            default=item.default,
        )
        for item in function.attribute_defaults
    )
    return (*required, *optional)


def _values(function: Function) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    types = {value.name: value.type for value in function.values}
    inputs, outputs = (
        tuple(Entry(name, type=types.get(name, "")) for name in names)
        for names in (function.inputs, function.outputs)
    )
    return inputs, outputs


def _merged(section: Section, stated: Iterable[Entry]) -> Section:
    """Put the stated entries into a section: each where the text describes it, the others at the end."""
    left = {entry.name: entry for entry in stated}
    blocks = [
        _merged_entry(block, left.pop(block.name))
        if isinstance(block, Entry) and block.name in left
        else block
        for block in section.blocks
    ]
    return replace(section, blocks=(*blocks, *left.values()))


def _merged_entry(written: Entry, stated: Entry) -> Entry:
    """The fields of a function come before what its text says; the text's words are kept."""
    if stated.default is not None:
        kept = tuple(mark for mark in written.marks if not mark.startswith("default") and mark != "required")
        written = replace(written, default=stated.default, required=False, marks=(*stated.marks, *kept))
    elif stated.required and written.default is None and not written.optional and not written.required:
        written = replace(written, required=True, marks=("required", *written.marks))
    return replace(
        written,
        type=_merged_type(written.type, stated.type),
        description=written.description or stated.description,
    )


def _merged_type(written: str, stated: str) -> str:
    if not written or not stated or written == stated:
        return stated or written
    return f"{stated} ({written})"


def count_in_words(section: Section) -> str:
    """Return how many inputs or outputs there may be, in words such as `2 to 3` or `1 or more`.

    The words are empty where all entries are needed and nothing has to be said, and for other sections.
    """
    if section.kind not in (SectionKind.INPUTS, SectionKind.OUTPUTS):
        return ""
    stated = count(section)
    needed = len(section.entries)
    return "" if section.minimum is None and stated == Count(needed, needed) else stated.words
