"""Two texts compared, old to new: first block by block, then word by word, as data for templates to lay out.

White space alone is no difference. The matcher is that of the standard library: it looks for the longest runs
that two texts share, which people read more easily than the fewest edits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import Enum
from functools import lru_cache
from itertools import groupby

from opsetdocs.caches import by_identity
from opsetdocs.catalog import Part
from opsetdocs.docstring import Entry, Section, SectionKind, write
from opsetdocs.signature import stated_blocks

_CONTEXT = 2
"""How many unchanged blocks are shown before and after a change."""

_ALIKE = 0.4
"""How much of their words two blocks must share to be shown side by side, word by word; 1 is all."""

_MOST_PAIRS = 100_000
"""How many pairs of equal words or blocks are looked at; texts with more are compared in a coarser way."""

# Of an operator's versions each is compared with each: the same blocks meet again and again.
_once = lru_cache(maxsize=4096)

_WORD = re.compile(r"(\w+|[^\w\s])\s*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINE_OF_ITS_OWN = re.compile(r"\s*(?:[-*+] |\d+[.)] |[|#>]|<)| {4}|\t")


class SegmentKind(Enum):
    """What happened to a piece of text; the value is a word for style sheets."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of one side of a row."""

    kind: SegmentKind
    text: str
    """As it stands in that side's text, with its white space."""


@dataclass(frozen=True, slots=True)
class Row:
    """A paragraph, a list item or a line of code, old beside new; or a stretch that is left out."""

    old: tuple[Segment, ...] = ()
    """The old side; empty where the new text adds the block."""
    new: tuple[Segment, ...] = ()
    """The new side; empty where the new text lacks the block."""
    skipped: int = 0
    """How many unchanged blocks are left out here; such a row has no text."""
    is_same: bool = False
    """Whether both sides say the same."""


@by_identity(maxsize=4096)
def text_of(part: Part) -> str:
    """Return the text of a version as it is compared: the whole of it without `Examples`.

    A function's own fields are included. Attributes, type constraints and properties, which have no order,
    are sorted by name. The types that a constraint allows are left out: they are compared as a set, in words.
    """
    blocks = stated_blocks(part)
    return "\n\n".join(
        write([_compared(block)]).strip("\n") if isinstance(block, Section) else block
        for block in blocks
        if not (isinstance(block, Section) and block.kind is SectionKind.EXAMPLES)
    )


def compare_texts(old: str, new: str) -> tuple[Row, ...]:
    """Compare two texts; the rows are empty where they differ in white space alone.

    A row is a paragraph, a list item, a table row, or a line of code. Long unchanged stretches are left out
    but for the two blocks next to a change. Any text can be compared, however long: what is too long to be
    compared word by word is compared block by block.
    """
    return _compare(old, new)


@_once
def _compare(old: str, new: str) -> tuple[Row, ...]:
    rows = tuple(_rows(_blocks(old), _blocks(new)))
    return () if all(row.is_same for row in rows) else tuple(_folded(rows))


_UNORDERED = (SectionKind.ATTRIBUTES, SectionKind.TYPE_CONSTRAINTS, SectionKind.PROPERTIES)


def _compared(section: Section) -> Section:
    blocks: Sequence[Entry | str] = section.blocks
    if section.kind is SectionKind.TYPE_CONSTRAINTS:
        blocks = [replace(item, type="") if isinstance(item, Entry) else item for item in blocks]
    if section.kind in _UNORDERED:
        # A text between entries stays behind all of them: it has no name.
        blocks = sorted(blocks, key=lambda item: (0, item.name) if isinstance(item, Entry) else (1, ""))
    return replace(section, blocks=tuple(blocks))


# Blocks


@_once
def _blocks(text: str) -> tuple[str, ...]:
    """Divide a text into what is laid out on its own: paragraphs, list items, table rows, lines of code."""
    blocks: list[list[str]] = []
    fence = ""
    joins = False
    for line in text.split("\n"):
        edge = _FENCE.match(line)
        if not line.strip():
            joins = False
            continue
        if fence or edge or not joins or _LINE_OF_ITS_OWN.match(line):
            blocks.append([line])
        else:
            blocks[-1].append(line)
        joins = not fence and not edge
        if edge and not fence:
            fence = edge[1]
        elif edge and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
    return tuple("\n".join(lines) for lines in blocks)


@_once
def _key(block: str) -> str:
    return " ".join(block.split())


def _rows(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    for same, first, second in _matched(list(map(_key, old)), list(map(_key, new))):
        if same:
            yield from (_same_row(*pair) for pair in zip(old[first], new[second], strict=True))
        else:
            yield from _changed_rows(old[first], new[second])


@_once
def _same_row(old: str, new: str) -> Row:
    return Row((Segment(SegmentKind.SAME, old),), (Segment(SegmentKind.SAME, new),), is_same=True)


@_once
def _removed_row(block: str) -> Row:
    return Row(old=(Segment(SegmentKind.REMOVED, block),))


@_once
def _added_row(block: str) -> Row:
    return Row(new=(Segment(SegmentKind.ADDED, block),))


def _changed_rows(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """Lay out blocks of which none is the same: those that are alike side by side, the others alone."""
    pairs = _alike(old, new)
    at, beside = 0, 0
    for first, second in [*pairs, (len(old), len(new))]:
        yield from map(_removed_row, old[at:first])
        yield from map(_added_row, new[beside:second])
        if first < len(old):
            yield _word_row(old[first], new[second])
        at, beside = first + 1, second + 1


def _alike(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pair blocks that share many words, in order, so that as much as possible is paired."""
    if not old or not new:
        return []
    words, new_words = ([_counted(item) for item in blocks] for blocks in (old, new))
    distinct, new_distinct = sum(map(len, words)), sum(map(len, new_words))
    if distinct * len(new) + new_distinct * len(old) > _MOST_PAIRS * 10:
        return []
    shared = [[_likeness(first, second) for second in new_words] for first in words]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
            paired = shared[i][j] + best[i + 1][j + 1] if shared[i][j] >= _ALIKE else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(old) and j < len(new):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


@_once
def _counted(block: str) -> Counter[str]:
    return Counter(_words(block))


def _likeness(old: Counter[str], new: Counter[str]) -> float:
    length, new_length = old.total(), new.total()
    if 2 * min(length, new_length) < _ALIKE * (length + new_length):
        return 0.0  # Too unlike in length, whatever the words.
    shared = sum(min(old[word], new[word]) for word in old.keys() & new.keys())
    return 2 * shared / (length + new_length) if length else 0.0


# Words


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


@_once
def _word_row(old: str, new: str) -> Row:
    """Compare two blocks word by word."""
    pieces = [_pieces(old), _pieces(new)]
    sides: tuple[list[Segment], list[Segment]] = ([], [])
    matched = _matched(_words(old), _words(new))
    for same, first, second in _without_crumbs(list(matched), pieces[0]):
        for side, part, changed, texts in zip(
            sides, (first, second), (SegmentKind.REMOVED, SegmentKind.ADDED), pieces, strict=True
        ):
            if text := "".join(texts[part]):
                side.append(Segment(SegmentKind.SAME if same else changed, text))
    is_same = all(item.kind is SegmentKind.SAME for side in sides for item in side)
    return Row(tuple(sides[0]), tuple(sides[1]), is_same=is_same)


def _pieces(text: str) -> list[str]:
    """The text cut before each word; what precedes the first word belongs to it."""
    pieces = [match[0] for match in _WORD.finditer(text)]
    if pieces:
        pieces[0] = text[: len(text) - len(text.lstrip())] + pieces[0]
    return pieces


_Match = tuple[bool, slice, slice]
"""Whether two stretches are the same, and where they are in the old and the new sequence."""


def _without_crumbs(matches: Sequence[_Match], pieces: Sequence[str]) -> Iterator[_Match]:
    """Join changes with no more than a short word or a sign between them: they read better as one."""

    def crumb(index: int) -> bool:
        same, first, _ = matches[index]
        inner = 0 < index < len(matches) - 1
        return same and inner and len("".join(pieces[first]).strip()) <= len("the")

    changed = [not same or crumb(index) for index, (same, _, _) in enumerate(matches)]
    for is_changed, group in groupby(zip(changed, matches, strict=True), key=lambda item: item[0]):
        run = [match for _, match in group]
        first, last = run[0], run[-1]
        yield not is_changed, slice(first[1].start, last[1].stop), slice(first[2].start, last[2].stop)


# Sequences


def _matched(old: Sequence[str], new: Sequence[str]) -> Iterator[_Match]:
    """Yield the stretches of two sequences in order, the same and the changed ones."""
    start = _common(old, new)
    ending = _common(old[start:][::-1], new[start:][::-1])
    middle = slice(start, len(old) - ending), slice(start, len(new) - ending)
    if start:
        yield True, slice(0, start), slice(0, start)
    yield from _matched_middle(old, new, *middle)
    if ending:
        yield True, slice(middle[0].stop, len(old)), slice(middle[1].stop, len(new))


def _common(old: Iterable[str], new: Iterable[str]) -> int:
    """How many items at the start are the same."""
    count = 0
    for first, second in zip(old, new, strict=False):
        if first != second:
            break
        count += 1
    return count


def _matched_middle(old: Sequence[str], new: Sequence[str], first: slice, second: slice) -> Iterator[_Match]:
    inner_old, inner_new = old[first], new[second]
    if not inner_old and not inner_new:
        return
    if not inner_old or not inner_new or _work(inner_old, inner_new) > _MOST_PAIRS:
        yield False, first, second
        return
    # Without autojunk=False words that occur often would not be matched in long texts.
    matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        yield (
            tag == "equal",
            slice(first.start + i, first.start + j),
            slice(second.start + k, second.start + m),
        )


def _work(old: Sequence[str], new: Sequence[str]) -> int:
    """The pairs of equal items: what the matcher has to look at."""
    occurrences = Counter(new)
    return sum(occurrences[item] for item in old)


# Rows


def _folded(rows: Sequence[Row]) -> Iterator[Row]:
    """Leave out unchanged rows that are not next to a change."""
    near = _near_a_change([row.is_same for row in rows])
    for shown, group in groupby(zip(near, rows, strict=True), key=lambda item: item[0]):
        run = [row for _, row in group]
        # A row that says that one block is left out would be as long as the block.
        yield from run if shown or len(run) == 1 else [Row(skipped=len(run), is_same=True)]


def _near_a_change(same: Sequence[bool]) -> list[bool]:
    changed = [index for index, is_same in enumerate(same) if not is_same]
    near = [False] * len(same)
    for index in changed:
        for beside in range(max(0, index - _CONTEXT), min(len(same), index + _CONTEXT + 1)):
            near[beside] = True
    return near
