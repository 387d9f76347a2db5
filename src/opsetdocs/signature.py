"""What a function's own fields say about its signature, put together with the sections of its text.

By the contract a function's own fields (names, attribute defaults, value_info types) come first; its
sections add what the fields do not say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from opsetdocs.docstring import DocString, Entry, Section, SectionKind, code_span
from opsetdocs.model import Function

_SIGNATURE = (SectionKind.ATTRIBUTES, SectionKind.INPUTS, SectionKind.OUTPUTS)


def with_function_fields(doc: DocString, function: Function) -> tuple[Section | str, ...]:
    """Return the blocks of a function's text with the signature that its fields state.

    Sections stand where the text has them; those that it lacks follow its first prose.
    """
    fields = dict(zip(_SIGNATURE, (_attributes(function), *_values(function)), strict=True))
    blocks: list[Section | str] = []
    for block in doc.blocks:
        if isinstance(block, Section) and (stated := fields.pop(block.kind, None)) is not None:
            blocks.append(_merged(block, stated))
        else:
            blocks.append(block)
    level = doc.heading_level or 2
    missing = [
        Section(kind, kind.value, level, blocks=entries) for kind, entries in fields.items() if entries
    ]
    at = next((i for i, block in enumerate(blocks) if isinstance(block, Section)), len(blocks))
    return (*blocks[:at], *missing, *blocks[at:])


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
    """Return how many attributes, inputs or outputs there may be, in words such as `2 to 3` or `1 or more`.

    The count of the heading comes first; without it the entries are counted. The words are empty where all
    entries are needed and nothing has to be said.
    """
    if section.kind not in (SectionKind.INPUTS, SectionKind.OUTPUTS):
        return ""
    if section.minimum is not None:
        return _range_in_words(section.minimum, None if section.unbounded else section.maximum)
    entries = section.entries
    least = sum(_least(entry) for entry in entries)
    if any(entry.variadic for entry in entries):
        return _range_in_words(least, None)
    return "" if least == len(entries) else _range_in_words(least, len(entries))


def _range_in_words(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def _least(entry: Entry) -> int:
    if entry.optional:
        return 0
    if entry.variadic:
        return 1 if entry.at_least is None else entry.at_least
    return 1
