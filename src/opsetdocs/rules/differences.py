"""What changed from one statement about a version to another, sorted for the rules about keeping, in lines.

A published version keeps its meaning: the signature, and the body of a function. Everything else that it says
is words. Both come from the one comparison that pages and commands show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

from opsetdocs.body_changes import body_changes
from opsetdocs.catalog import Part
from opsetdocs.diff import Change, ChangeKind, Role, Weight, compare
from opsetdocs.docstring import Entry, Section, SectionKind
from opsetdocs.meaning import as_part
from opsetdocs.model import Function
from opsetdocs.rules.releases import Statement
from opsetdocs.signature import signature
from opsetdocs.textdiff import compare_texts

MAX_LINES = 20
"""How many changes are told one by one."""

_MAX_EXCERPT = 100
"""The greatest length of a text that is quoted, in characters."""

_CONTEXT = 3
"""How many unchanged words are quoted before and after changed ones."""

_K = ChangeKind

_OF_STATUS = frozenset({_K.PROMOTED, _K.DEMOTED, _K.STATUS_CHANGED})

_WORDS_OF_WEIGHT = frozenset({_K.DEPRECATED, _K.UNDEPRECATED, _K.BODY_TEXT_NODES_CHANGED})
"""What means more to a model than words, but is said in words: it is no part of the signature."""


def changes(old: Statement, new: Statement) -> tuple[Change, ...]:
    """Return what changed, the worst first.

    Changes of the status are left out, and properties that only one of the two states: what was not stated
    was unknown, so nothing is said otherwise.
    """
    return () if old.content == new.content else _changes(old, new)


@lru_cache(maxsize=4096)
def _changes(old: Statement, new: Statement) -> tuple[Change, ...]:
    found = tuple(item for item in compare(_part(old), _part(new)).changes if not _is_set_aside(item))
    if any(map(is_of_meaning, found)) or not _has_other_body(old.entry, new.entry):
        return found
    # What a body holds besides nodes and imports: a default too large to be compared as text, for example.
    return (Change(_K.BODY_CHANGED), *found)


def _is_set_aside(change: Change) -> bool:
    of_property = change.role is Role.PROPERTY and change.kind in (_K.PROPERTY_ADDED, _K.REMOVED)
    return of_property or change.kind in _OF_STATUS


def _part(statement: Statement) -> Part:
    """A statement as it is compared: the types that value_info states are set aside."""
    part = as_part(statement.entry)
    return replace(part, function=replace(part.function, values=())) if part.function else part


def _has_other_body(old: object, new: object) -> bool:
    # Functions of early files state no domain, which changes nothing.
    return (
        isinstance(old, Function)
        and isinstance(new, Function)
        and old.domain == new.domain
        and old.body_key != new.body_key
    )


def is_of_meaning(change: Change) -> bool:
    """Whether a change is one of the signature, or of a function's body."""
    if change.kind is _K.IMPORT_CHANGED:
        return True
    if change.kind is _K.RENAMED:
        return change.role in (Role.INPUT, Role.OUTPUT)
    return change.weight > Weight.TEXT and change.kind not in _WORDS_OF_WEIGHT


def is_of_words(change: Change) -> bool:
    """Whether a change is one of words alone."""
    return not is_of_meaning(change)


def lines(found: Sequence[Change], old: Statement, new: Statement) -> tuple[str, ...]:
    """Return changes in words, a line each."""
    return limited([line for change in found for line in _lines(change, old, new)])


def limited(found: Sequence[str]) -> tuple[str, ...]:
    """Return lines; of many the first ones, and how many are left."""
    left = len(found) - MAX_LINES
    return (*found[:MAX_LINES], f"and {left} more") if left > 0 else tuple(found)


def _lines(change: Change, old: Statement, new: Statement) -> Iterator[str]:
    yield _line(change, old, new)
    if change.kind is _K.BODY_CHANGED and isinstance(old.entry, Function) and isinstance(new.entry, Function):
        yield from body_changes(old.entry, new.entry)


def _line(change: Change, old: Statement, new: Statement) -> str:
    parts = _part(old), _part(new)
    if change.kind is _K.TEXT_CHANGED:
        before, after = map(_prose, parts)
    elif change.kind is _K.DESCRIPTION_CHANGED:
        before, after = (_description(part, change) for part in parts)
    else:
        return change.plain
    told = _difference(before, after)
    return f"{change.plain}: {told}" if told else change.plain


def _prose(part: Part) -> str:
    """All text of a version that is no entry of a section, `Examples` left out."""
    pieces: list[str] = []
    for block in part.doc.blocks:
        if isinstance(block, str):
            pieces.append(block)
        elif block.kind is not SectionKind.EXAMPLES:
            pieces += _texts_in(block)
    return "\n\n".join(pieces)


def _texts_in(section: Section) -> Iterable[str]:
    return (block for block in section.blocks if isinstance(block, str))


def _description(part: Part, change: Change) -> str:
    stated = signature(part)
    entries: dict[Role, tuple[Entry, ...]] = {
        Role.ATTRIBUTE: stated.attributes,
        Role.INPUT: stated.inputs,
        Role.OUTPUT: stated.outputs,
        Role.TYPE: stated.types,
        Role.PROPERTY: stated.properties,
    }
    found = (entry.description for entry in entries.get(change.role, ()) if entry.name == change.subject)
    return next(found, "")


def _difference(old: str, new: str) -> str:
    """Return the first place where two texts differ, in words."""
    changed = [row for row in compare_texts(old, new) if not row.skipped and not row.is_same]
    if not changed:
        return ""
    sides = ("".join(item.text for item in side) for side in (changed[0].old, changed[0].new))
    before, after = _around_the_change(*(side.split() for side in sides))
    more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
    if not before or not after:
        return f'"{before or after}" {"added" if after else "removed"}{more}'
    return f'"{before}" became "{after}"{more}'


def _around_the_change(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """Return the words in which two texts differ, with a few words before and after them."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    first, left = max(start - _CONTEXT, 0), max(end - _CONTEXT, 0)

    def quoted(words: Sequence[str]) -> str:
        text = " ".join(words[first : len(words) - left])
        if len(text) > _MAX_EXCERPT:
            text = f"{text[:_MAX_EXCERPT]} ..."
        elif left:
            text = f"{text} ..."
        return f"... {text}" if first else text

    return quoted(old), quoted(new)


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    """How many words at the start are the same."""
    pairs = zip(old, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
