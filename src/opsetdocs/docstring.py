"""The doc_string conventions: how a signature is written in Markdown, and how it is read back.

The format has no place for a signature, so the doc_string carries it: sections named Attributes, Inputs,
Outputs, Type Constraints, Properties, Function Body and Examples, whose bullets follow one form. Anything
else in a doc_string is Markdown and is never lost.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from html import unescape
from itertools import pairwise
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

MAX_TEXT = 200_000
"""The greatest length of a text that is read as Markdown; ONNX's longest has 110,000 characters, most of them
examples. A longer one is shown as it was written: Markdown that is made to be slow takes seconds."""


class SectionKind(Enum):
    """The sections that opsetdocs understands; the value is the heading that the exporter writes."""

    ATTRIBUTES = "Attributes"
    INPUTS = "Inputs"
    OUTPUTS = "Outputs"
    TYPE_CONSTRAINTS = "Type Constraints"
    PROPERTIES = "Properties"
    FUNCTION_BODY = "Function Body"
    EXAMPLES = "Examples"


@dataclass(frozen=True, slots=True)
class Entry:
    """One bullet of a section: an attribute, an input, an output, a type constraint or a property."""

    name: str
    type: str = ""
    """The text after the colon: a type, for a type constraint the allowed types, for a property its value."""
    description: str = ""
    """Markdown, without the bullet's indentation."""
    marks: tuple[str, ...] = ()
    """Everything that stood in the parentheses, as written and in order, such as ``default `-1` ``."""
    default: str | None = None
    """The default as written between back-ticks: JSON for numbers, strings and lists of them."""
    required: bool = False
    optional: bool = False
    variadic: bool = False
    at_least: int | None = None
    """The least number of values of a variadic input or output, where it is stated."""
    homogeneous: bool | None = None
    differentiable: bool | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A section that opsetdocs understands: its heading, and its content in order."""

    kind: SectionKind
    title: str
    """The heading as written, without a count and without a remark such as `(example)`."""
    level: int
    """The heading's level in the doc_string, from 1."""
    note: str = ""
    """The remark in parentheses after the title that is no count, such as `example`."""
    minimum: int | None = None
    """The least number of inputs or outputs, where the heading gives a count."""
    maximum: int | None = None
    """The greatest number, where the heading gives a count; `None` also where there is no upper bound."""
    unbounded: bool = False
    """Whether the heading's count has no upper bound (`∞`)."""
    blocks: tuple[Entry | str, ...] = ()
    """Entries, and Markdown that is no entry, in the order in which they stood."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries alone."""
        return tuple(block for block in self.blocks if isinstance(block, Entry))


@dataclass(frozen=True, slots=True)
class DocString:
    """A doc_string, taken apart."""

    text: str
    """The whole text as written."""
    blocks: tuple[Section | str, ...] = ()
    """Sections, and Markdown between them, in the order in which they stood."""
    deprecated: bool = False
    """Whether the first paragraph begins with **Deprecated**."""
    heading_level: int = 0
    """The level of the highest heading in the text, from 1; 0 where it has none."""
    definitions: str = ""
    """The link definitions (`[label]: target`) of the whole text: a block may use one of another block."""

    def section(self, kind: SectionKind) -> Section | None:
        """Return the first section of a kind, if there is one."""
        for block in self.blocks:
            if isinstance(block, Section) and block.kind is kind:
                return block
        return None


WITH_ENTRIES = frozenset(SectionKind) - {SectionKind.FUNCTION_BODY, SectionKind.EXAMPLES}
"""The sections whose bullets are entries; in the others a bullet is a bullet."""

_WITH_COUNT = frozenset({SectionKind.INPUTS, SectionKind.OUTPUTS})
"""The sections whose heading may give a count."""

_KINDS = {kind.value.casefold(): kind for kind in SectionKind}

_FLAGS = {
    "required": ("required", True),
    "optional": ("optional", True),
    "variadic": ("variadic", True),
    "homogeneous": ("homogeneous", True),
    "heterogeneous": ("homogeneous", False),
    "differentiable": ("differentiable", True),
    "non-differentiable": ("differentiable", False),
}
"""The marks without a value: the field of `Entry` that each sets, and to what."""

_DEPRECATED = re.compile(r"(\*\*|__)deprecated[.:,!]?\1", re.IGNORECASE)
_COUNT = re.compile(r"([0-9]{1,9})(?:\s*[-–—]\s*(?:([0-9]{1,9})|(∞|inf|&#8734;|&infin;)))?\Z", re.IGNORECASE)
_DEFAULT = re.compile(r"default(?:\s*[:=]\s*|\s+is\s+|\s+|(?=`))(\S.*)\Z", re.IGNORECASE)
_AT_LEAST = re.compile(r"at\s+least\s+([0-9]{1,9})\Z", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+(?=`)")
_BACK_TICKS = re.compile(r"`+")
_CODE_SPAN = re.compile(r"(?<!`)(`++)(.*?)(?<!`)\1(?!`)", re.DOTALL)
_MARK_EDGE = re.compile(r"`+|[(\[{]|[)\]}]|,")
_HEADING_OR_FENCE = re.compile(r"^ {0,3}(?:#|=+[ \t]*$|-+[ \t]*$|```|~~~)|\r", re.MULTILINE)
"""What makes a heading or a fence at the top level of a text; a carriage return may end a line as well."""

_EDGE = re.compile(r"\n(?:#{1,6} | {0,3}(?P<fence>```+|~~~+)(?P<info>.*))")
# Nearly all text is written by `write`. Two of its forms are read without a parser: sections of bullets, with
# no line that might nest deeper than the parser goes, and examples at the end of a text.
_WRITTEN_BULLET = r"- `(?!``)[^\n\0]*\n(?:\n(?:(?:  (?![ >*+.)0-9-]{14}).*)?\n)*+)?+"
_WRITTEN_SECTION = re.compile(rf"(#{{1,6}} [^\n\0]*)\n\n((?:{_WRITTEN_BULLET})++)(#?)")
_BULLETS = re.compile(_WRITTEN_BULLET)
_EXAMPLE = r"\n(?P=signs)#+ .*\n\n```\w*\n(?:(?! {0,3}```).*\n)*+```\n"
_EXAMPLES = re.compile(rf"(?P<heading>(?P<signs>#{{1,5}}) Examples\n)(?:{_EXAMPLE})*+\Z")
_LIST_EDGE = re.compile(r"<(/?)dl>", re.IGNORECASE)
_ITEM_TAG = re.compile(r"<(dt|dd)>", re.IGNORECASE)
_TERM = re.compile(r"<(tt|code)>([^<]*)</\1>", re.IGNORECASE)
_LIST_ITEM = re.compile(r"""'([^']*)'|"([^"]*)"|([^\s,]+)""")
_PLAIN_NAME = re.compile(r"[\w.-]+(?=\s*(?:\(|\Z))")
_TAB = 4

# Blocks are found where a renderer with tables and display math and without raw HTML finds them.
_BLOCKS = (
    MarkdownIt("commonmark", {"html": False})
    .enable("table")
    .use(dollarmath_plugin, allow_blank_lines=False, allow_labels=False)
    .disable(["inline", "text_join", "html_block"])
)


# Reading


_Placed = tuple[int, int, Entry]
"""An entry, after its first line and the line that follows its last."""


class _Block(NamedTuple):
    """A block at the top level of a text, and what its tokens say. A tuple, since there are very many."""

    first: int
    end: int
    """The line that follows the last."""
    type: str
    """The type of the token that opens the block."""
    text: str = ""
    """The text of a heading or a paragraph."""
    level: int = 0
    """The level of a heading; 0 for any other block."""
    section: Section | None = None
    """The section that a heading begins, without its content."""
    bullets: tuple[_Placed, ...] = ()
    """The bullets of a list that are entries; their lines are counted from the block's first."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The texts of a table's cells, row by row, the header first."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A section, or what stands between sections."""

    start: int
    """The first line: that of the section's heading."""
    content: int
    """The first line after the heading."""
    section: Section | None = None
    blocks: list[_Block] = field(default_factory=list)


def parse(text: str | None) -> DocString:
    """Take a doc_string apart.

    Any text can be read. What does not follow the conventions stays Markdown, where it stood. Line ends
    become LF, indentation that all lines have in common is removed, blank lines around a block are dropped;
    nothing else is changed. A text of more than `MAX_TEXT` characters is one block, as it was written.

    Args:
        text: The doc_string, or `None` where the file has none.
    """
    if not text:
        return DocString("")
    if len(text) > MAX_TEXT:
        return DocString(text, (text,))
    source = _without_common_indentation(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = source.split("\n")
    top, definitions = _top_level(source)
    parts = _parts(top)
    ends = [*(part.start for part in parts[1:]), len(lines)]
    blocks = tuple(
        block for part, end in zip(parts, ends, strict=True) for block in _read_part(part, end, lines)
    )
    level = min((block.level for block in top if block.level), default=0)
    return DocString(text, blocks, _is_deprecated(top), level, "\n".join(definitions.values()))


def _without_common_indentation(text: str) -> str:
    """Remove common indentation; a text without any is returned as it is, with its blank lines untouched."""
    return textwrap.dedent(text) if text.lstrip("\n").startswith((" ", "\t")) else text


def _top_level(source: str) -> tuple[list[_Block], dict[str, str]]:
    """Return the blocks of a text, and its link definitions by label.

    A text is parsed in pieces, and each distinct piece once: versions of an operator have most in common.
    """
    # A piece includes the number sign that follows it. If that begins no heading, a block goes on beyond it.
    pieces = [_piece(source[start : end + 1]) for start, end in pairwise(_cuts(source))]
    if not all(blocks[-1].level for blocks, _ in pieces[:-1]):
        pieces = [_piece(source)]
    top: list[_Block] = []
    definitions: dict[str, str] = {}
    for blocks, found in pieces:
        # The number sign after the piece before is the first line of this one.
        offset = top.pop().first if top else 0
        top += [_Block(block.first + offset, block.end + offset, *block[2:]) for block in blocks]
        for label, definition in found:
            definitions.setdefault(label, definition)
    return top, definitions


def _cuts(source: str) -> list[int]:
    """Return where the pieces of a text begin, and where the last one ends.

    Examples as `write` writes them, code below deeper headings, end a text and hold nothing to be found: they
    are most of ONNX's text, and the last piece is their heading.
    """
    cuts = [0]
    for place in _likely_headings(source):
        cuts.append(place)
        if examples := _EXAMPLES.match(source, place):
            return [*cuts, examples.end("heading")]
    return [*cuts, len(source)]


def _likely_headings(source: str) -> Iterator[int]:
    """Yield the places of lines, after the first, that look like headings and do not seem to be code."""
    fence = ""
    # Nothing tells easily where a formula ends.
    for edge in _EDGE.finditer(f"\n{source}") if "$$" not in source else ():
        if edge["fence"] is None:
            if edge.start() and not fence:
                yield edge.start()
        elif not fence:
            fence = edge["fence"]
        elif edge["fence"].startswith(fence) and not edge["info"].strip():
            fence = ""


@lru_cache(maxsize=16_384)
def _piece(text: str) -> tuple[tuple[_Block, ...], tuple[tuple[str, str], ...]]:
    """Return the blocks at the top level of a text, and the labels and texts of its link definitions."""
    section = _WRITTEN_SECTION.fullmatch(text)
    # A link definition counts for the whole text, and a formula may go on beyond its bullet.
    if section and "]:" not in text and "$$" not in text:
        return tuple(_written_section(*section.groups())), ()
    environment: dict[str, Any] = {}
    tokens = _BLOCKS.parse(text, environment)
    lines = text.split("\n")
    return tuple(_blocks(tokens, lines)), tuple(_definitions(environment.get("references", {})))


def _written_section(heading: str, bullets: str, following: str) -> Iterator[_Block]:
    """Return the blocks of a section as `write` writes it, and that of a number sign after it."""
    yield from _piece(heading)[0]
    entries: list[_Placed] = []
    end = 0
    for bullet in _BULLETS.findall(bullets):
        first, (line, *description) = end, bullet[:-1].split("\n")
        end += 1 + len(description)
        if entry := _entry_of(line[2:], description, 2):
            entries.append((first, end, entry))
    yield _Block(2, 2 + end, "bullet_list_open", bullets=tuple(entries))
    if following:
        yield _Block(2 + end, 3 + end, "heading_open", level=1)


def _blocks(tokens: list[Token], lines: list[str]) -> Iterator[_Block]:
    start = 0
    for at, token in enumerate(tokens):
        if token.level == 0 and token.nesting >= 0:
            start = at
        if token.level == 0 and token.nesting <= 0 and (span := tokens[start].map):
            yield _block(span[0], span[1], tokens[start : at + 1], lines)


def _block(first: int, end: int, tokens: list[Token], lines: list[str]) -> _Block:
    opening = tokens[0]
    if opening.type == "heading_open":
        text, level = tokens[1].content, int(opening.tag[1:])
        return _Block(first, end, opening.type, text, level, _section(text, level))
    if opening.type == "paragraph_open":
        return _Block(first, end, opening.type, tokens[1].content)
    if opening.type == "bullet_list_open":
        return _Block(first, end, opening.type, bullets=tuple(_bullets(tokens, lines, first)))
    if opening.type == "table_open":
        return _Block(first, end, opening.type, rows=_rows(tokens))
    return _Block(first, end, opening.type)


def _definitions(references: dict[str, dict[str, str]]) -> Iterator[tuple[str, str]]:
    """Write the link definitions that the parser found."""
    for label, reference in references.items():
        title = reference["title"].replace("\\", r"\\").replace('"', r"\"")
        target = f"[{label}]: <{reference['href']}>"
        yield label, f'{target} "{title}"' if title else target


def _parts(blocks: list[_Block]) -> list[_Part]:
    """Divide a text at the headings of sections, and where a section ends.

    A section ends at the next heading of the same or a higher level; deeper headings belong to its content.
    """
    parts = [_Part(0, 0)]
    for block in blocks:
        current, section = parts[-1].section, block.section
        if block.level and (current is None or block.level <= current.level):
            if section or current:
                parts.append(_Part(block.first, block.end if section else block.first, section))
            if section:
                continue
        parts[-1].blocks.append(block)
    return parts


def _section(heading: str, level: int) -> Section | None:
    """Read the heading of a section: `Inputs (1 - 3)`, `Function Body (example)`."""
    title, remarks = _without_remarks(heading)
    kind = _KINDS.get(" ".join(title.split()).casefold())
    if kind is None:
        return None
    section = Section(kind, title, level)
    if kind in _WITH_COUNT and (counts := [match for remark in remarks if (match := _COUNT.match(remark))]):
        least, most, unbounded = counts[0].groups()
        remarks.remove(counts[0].string)
        maximum = None if unbounded else int(most or least)
        section = replace(section, minimum=int(least), maximum=maximum, unbounded=bool(unbounded))
    return replace(section, note=", ".join(filter(None, remarks)))


def _without_remarks(heading: str) -> tuple[str, list[str]]:
    """Divide a heading into its title and what stands in parentheses after it."""
    title, remarks = heading.strip().removesuffix(":").rstrip(), []
    while title.endswith(")") and (start := title.rfind("(")) >= 0 and title.count(")", start) == 1:
        remarks.append(title[start + 1 : -1].strip())
        title = title[:start].rstrip()
    return title, remarks[::-1]


def _read_part(part: _Part, end: int, lines: list[str]) -> Iterator[Section | str]:
    if part.section is None:
        yield from _markdown(lines[part.content : end])
        return
    content: list[Entry | str] = []
    at = part.content
    for first, after, entry in _entries(part, lines[:end]):
        content += [*_markdown(lines[at:first]), entry]
        at = after
    content += _markdown(lines[at:end])
    yield replace(part.section, blocks=tuple(content))


def _markdown(lines: list[str]) -> list[str]:
    """Lines without the blank ones around them, as one text; nothing if all are blank."""
    text = "\n".join(_trimmed(lines))
    return [text] if text else []


def _trimmed(lines: list[str]) -> list[str]:
    filled = [at for at, line in enumerate(lines) if line.strip(" \t")]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _entries(part: _Part, lines: list[str]) -> Iterator[_Placed]:
    """Yield the entries of a section, each with its lines."""
    if part.section and part.section.kind in WITH_ENTRIES:
        at = 0
        for block in part.blocks:
            read = _FORMS.get(block.type)
            if read and block.first >= at:
                for first, end, entry in read(block, lines, part.section.kind):
                    yield first, end, entry
                    at = end


def _bullets(tokens: list[Token], lines: list[str], start: int) -> Iterator[_Placed]:
    """Yield the bullets of a list that are entries; their lines are counted from its first, the start."""
    for at, item in enumerate(tokens):
        if item.type == "list_item_open" and item.level == 1 and item.map:
            first, end = item.map
            if entry := _entry(tokens[at + 1], tokens[at + 2].content, lines[first:end]):
                yield first - start, end - start, entry


def _bullet_list(block: _Block, _lines: list[str], _kind: SectionKind) -> Iterator[_Placed]:
    for first, end, entry in block.bullets:
        yield block.first + first, block.first + end, entry


def _description_list(block: _Block, lines: list[str], kind: SectionKind) -> Iterator[_Placed]:
    """Read a `<dl>` as ONNX's Operators.md and onnxruntime's ContribOperators.md have it, all or nothing.

    To Markdown it is a paragraph, and each blank line in it begins another block: it reaches to its `</dl>`.
    """
    if not _LIST_EDGE.match(lines[block.first].lstrip()):
        return
    edges = (
        (at, edge[1]) for at in range(block.first, len(lines)) for edge in _LIST_EDGE.finditer(lines[at])
    )
    (_, is_end), (last, ends) = next(edges), next(edges, (0, ""))
    text = "\n".join(lines[block.first : last + 1]).strip()
    if is_end or not ends or not text.lower().endswith("</dl>"):
        return
    before, *pieces = _ITEM_TAG.split(text[len("<dl>") : -len("</dl>")])
    entries = _described(pieces, kind)
    if before.strip() or not entries:
        return
    yield from _placed(entries, block.first, last + 1)


def _described(pieces: list[str], kind: SectionKind) -> list[Entry]:
    """Read the terms and descriptions of a list, tag and text by turns; nothing if one cannot be read."""
    entries: list[Entry] = []
    for tag, piece in zip(pieces[::2], pieces[1::2], strict=True):
        text = piece.strip()
        if text.lower().endswith(f"</{tag}>".lower()):
            text = text[: -len(f"</{tag}>")].rstrip()
        if tag.lower() == "dt" and (entry := _term(text, kind)):
            entries.append(entry)
        elif tag.lower() == "dd" and entries:
            texts = filter(None, (entries[-1].description, text))
            entries[-1] = replace(entries[-1], description="\n\n".join(texts))
        else:
            return []
    return entries


def _term(text: str, kind: SectionKind) -> Entry | None:
    """Read a term: `<tt>X</tt> (optional) : T`; of an attribute `<tt>axis</tt> : int (default is 1)`."""
    if not (name := _TERM.match(text)):
        return None
    line = unescape(f"{code_span(name[2])} {text[name.end() :].lstrip()}")
    entry = _read_first_line(" ".join(line.split()))
    if entry is None or kind is not SectionKind.ATTRIBUTES or not entry.type.endswith(")"):
        return entry
    kind_of_value, _, remark = entry.type[:-1].partition(" (")
    entry = replace(entry, type=kind_of_value)
    if remark.startswith("default is"):
        return _with_default(entry, _uncode(remark.removeprefix("default is").strip()))
    marks = tuple(mark.strip() for mark in remark.split(","))
    fields = dict(field for mark in marks if (field := _field(mark)))
    return replace(entry, marks=(*entry.marks, *marks), **fields)


def _with_default(entry: Entry, text: str) -> Entry:
    """Add a default that is written as in Python, or bare: it becomes JSON where its type tells how."""
    default = _as_json(text, entry.type)
    return replace(entry, default=default, marks=(*entry.marks, f"default {code_span(default)}"))


def _as_json(text: str, kind: str) -> str:
    if kind == "string":
        is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
        return text if is_quoted else json.dumps(text, ensure_ascii=False)
    if not kind.startswith("list of "):
        # ONNX's pages put a long number in parentheses of its own.
        return text.removeprefix("(").removesuffix(")")
    if not (text.startswith("[") and text.endswith("]")):
        return text
    # ONNX's pages quote the numbers of a list too.
    items = [match[1] or match[2] or match[3] or "" for match in _LIST_ITEM.finditer(text[1:-1])]
    is_string = kind == "list of strings"
    return f"[{', '.join(json.dumps(item, ensure_ascii=False) if is_string else item for item in items)}]"


def _table(block: _Block, _: list[str], kind: SectionKind) -> Iterator[_Placed]:
    """Read a table with the columns Name, Type, Description and perhaps Default, all or nothing."""
    header, *rows = block.rows
    names = [" ".join(cell.split()).casefold() for cell in header]
    if "name" not in names or len(set(names)) < len(names) or not _COLUMNS.issuperset(names):
        return
    cells = [dict(zip(names, row, strict=False)) for row in rows]
    entries = [entry for row in cells if (entry := _row(row, kind))]
    if entries and len(entries) == len(rows):
        yield from _placed(entries, block.first, block.end)


_COLUMNS = frozenset({"name", "type", "default", "description"})


def _rows(tokens: Iterable[Token]) -> tuple[tuple[str, ...], ...]:
    """The texts of a table's cells, row by row, the header first."""
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
    return tuple(map(tuple, rows))


def _row(cells: dict[str, str], kind: SectionKind) -> Entry | None:
    """Read a row: the name as code or not, with or without marks."""
    name = cells["name"].strip()
    if match := _PLAIN_NAME.match(name):
        name = f"{code_span(match[0])} {name[match.end() :].lstrip()}"
    entry = _read_first_line(name)
    if entry is None or entry.type:
        return None
    entry = replace(
        entry, type=_without_code(cells.get("type", "").strip()), description=cells.get("description", "")
    )
    default = _uncode(cells.get("default", "").strip())
    if kind is SectionKind.ATTRIBUTES and default not in _NO_DEFAULT:
        return _with_default(entry, default)
    return entry


_NO_DEFAULT = frozenset({"", "-", "–", "—"})
"""What stands in a cell for no default."""


def _placed(entries: list[Entry], first: int, end: int) -> Iterator[_Placed]:
    """Give the lines `[first, end)` to entries that together fill them."""
    *others, last = entries
    yield from ((first, first, entry) for entry in others)
    yield first, end, last


_FORMS: dict[str, Callable[[_Block, list[str], SectionKind], Iterator[_Placed]]] = {
    "bullet_list_open": _bullet_list,
    "paragraph_open": _description_list,
    "table_open": _table,
}
"""How entries are read, by the token that opens a block at the top level of a section."""


def _entry(paragraph: Token, text: str, lines: list[str]) -> Entry | None:
    """Read a list item.

    Args:
        paragraph: The token that opens the first block in the item.
        text: The text of that block, if it is a paragraph.
        lines: The lines of the item.
    """
    bullet = _BULLET.match(lines[0])
    if paragraph.type != "paragraph_open" or paragraph.map is None or bullet is None:
        return None
    first, *rest = text.split("\n")
    while first.endswith(",") and rest:
        first = f"{first} {rest.pop(0).strip()}"
    width = len(bullet[0].expandtabs(_TAB))
    later = lines[paragraph.map[1] - paragraph.map[0] :]
    return _entry_of(first, later, width, _continued(rest) if rest else ())


def _entry_of(first: str, later: Iterable[str], width: int, rest: Iterable[str] = ()) -> Entry | None:
    """Read the parts of a list item: the first line, the later ones, how far these are indented.

    The rest is that of the paragraph which the first line begins.
    """
    description = [*rest, *(_outdented(line, width) for line in later)]
    return _read_first_line(first, "\n".join(_trimmed(description)))


def _continued(lines: list[str]) -> list[str]:
    """The rest of a paragraph, as a paragraph of its own: its first line must not look like code."""
    first, *rest = textwrap.dedent("\n".join(lines)).split("\n")
    return [first.lstrip(), *rest]


def _outdented(line: str, columns: int) -> str:
    """Remove the indentation of a list item's content; a tab reaches up to the next tab stop."""
    if line.startswith(" " * columns):
        return line[columns:]
    content = line.lstrip(" \t")
    width = len(line[: len(line) - len(content)].expandtabs(_TAB))
    return " " * (width - columns) + content


def _read_first_line(line: str, description: str = "") -> Entry | None:
    """Read a name as code, marks in parentheses, a colon, a type: all but the name may be missing."""
    if (code := _CODE_SPAN.match(line)) is None:
        return None
    name, rest = _code_content(code), line[code.end() :].lstrip()
    marks: tuple[str, ...] = ()
    if rest.startswith("("):
        parsed = _marks(rest)
        if parsed is None:
            return None
        marks, rest = parsed
    if rest and not rest.startswith(":"):
        return None
    fields = dict(field for mark in marks if (field := _field(mark)))
    return Entry(name, _without_code(rest[1:].strip()), description, marks, **fields)


def _marks(text: str) -> tuple[tuple[str, ...], str] | None:
    """Split the marks that begin a text from what follows; `None` if the parentheses do not close."""
    marks: list[str] = []
    depth, start, after_code = 0, 1, 0
    for edge in _MARK_EDGE.finditer(text):
        at, character = edge.start(), edge[0]
        if at < after_code:
            continue
        if character[0] == "`":
            after_code = (_CODE_SPAN.match(text, at) or edge).end()
            continue
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 or (depth == 1 and character == ","):
            marks.append(text[start:at].strip())
            start = at + 1
        if depth == 0:
            return tuple(mark for mark in marks if mark), text[at + 1 :].lstrip()
    return None


def _field(mark: str) -> tuple[str, Any] | None:
    """The field of `Entry` that a mark sets, and to what; `None` for an unknown mark."""
    if flag := _FLAGS.get(mark.lower()):
        return flag
    if match := _DEFAULT.match(mark):
        return "default", _uncode(match[1])
    if match := _AT_LEAST.match(mark):
        return "at_least", int(match[1])
    return None


def is_known_mark(mark: str) -> bool:
    """Whether a mark in an entry's parentheses is one that opsetdocs understands."""
    return _field(mark) is not None


def _is_deprecated(blocks: list[_Block]) -> bool:
    """Whether the first paragraph, which only headings may precede, begins with **Deprecated**."""
    for block in blocks:
        if not block.level:
            return block.type == "paragraph_open" and bool(_DEPRECATED.match(block.text))
        if block.section:
            return False
    return False


def _code_content(span: re.Match[str]) -> str:
    """The content of a code span (CommonMark 6.1)."""
    content = span[2]
    padded = content.startswith(" ") and content.endswith(" ") and content.strip(" ")
    return content[1:-1] if padded else content


def _uncode(text: str) -> str:
    """The content of a code span; a text that is no single code span is returned as it is."""
    span = _CODE_SPAN.match(text)
    return _code_content(span) if span and span.end() == len(text) else text


def _without_code(text: str) -> str:
    """Replace code spans by their content: a type may be written either way."""
    return _CODE_SPAN.sub(_code_content, text)


def counted(entries: Iterable[Entry]) -> tuple[int, int | None]:
    """Return the least and the greatest number of values that inputs or outputs stand for.

    The greatest is `None` where there is no upper bound. A heading gives the count where this is not it.
    """
    least, most = 0, 0
    unbounded = False
    for entry in entries:
        needed = 1 if entry.at_least is None or not entry.variadic else entry.at_least
        least += 0 if entry.optional else needed
        most += 1
        unbounded = unbounded or entry.variadic
    return least, None if unbounded else most


# Writing


def write(blocks: Iterable[Section | str]) -> str:
    """Write a doc_string; what `parse` reads from it are these blocks.

    Sections are written as they are. A heading inside Markdown that `parse` would take for the beginning of
    a section is written as text, and a code fence that Markdown leaves open is closed, so that each block
    ends where it should. What is too long to be read as Markdown becomes a block of code.

    Args:
        blocks: Sections, and Markdown that stands before, between or after them.
    """
    texts = (_section_text(block) if isinstance(block, Section) else _contained(block) for block in blocks)
    return "\n\n".join(text for text in texts if text) + "\n"


def _section_text(section: Section) -> str:
    remarks = "".join(f" ({remark})" for remark in (_count(section), section.note) if remark)
    text = f"{'#' * section.level} {section.title}{remarks}"
    for before, block in zip((None, *section.blocks), section.blocks, strict=False):
        if isinstance(block, Entry):
            text += ("\n" if isinstance(before, Entry) else "\n\n") + write_entry(block)
        else:
            text += f"\n\n{block}"
    return text


def _contained(text: str) -> str:
    """Markdown that begins no section, and leaves no code fence open for what follows it."""
    if len(text) > MAX_TEXT:
        return code_block(text, "")
    if not _HEADING_OR_FENCE.search(text):
        return text
    lines = text.split("\n")
    tokens = _BLOCKS.parse(text)
    for block in list(_blocks(tokens, lines)):
        if block.section:
            # The last line holds the number signs, or the rule below the title: a backslash disarms both.
            last = lines[block.end - 1]
            content = last.lstrip()
            lines[block.end - 1] = f"{last.removesuffix(content)}\\{content}"
    if tokens and is_open_fence(tokens[-1], lines):
        lines.append(tokens[-1].markup)
    return "\n".join(lines)


def is_open_fence(token: Token, lines: list[str]) -> bool:
    """Return whether a token is a code fence at the top level of a text that nothing closes.

    Args:
        token: The last token of the text.
        lines: The lines of the text.
    """
    if token.type != "fence" or token.level or token.map is None:
        return False
    first, end = token.map
    last = lines[end - 1].strip()
    closed = last.startswith(token.markup) and not last.strip(token.markup[0])
    return end - first == 1 or not closed


def _count(section: Section) -> str:
    if section.minimum is None:
        return ""
    if section.minimum == section.maximum:
        return str(section.minimum)
    return f"{section.minimum} - {'∞' if section.maximum is None else section.maximum}"


def write_entry(entry: Entry) -> str:
    """Write an entry as a bullet: name, marks, type, and the description indented below."""
    marks = ", ".join(entry.marks or stated_marks(entry))
    first = f"- {code_span(entry.name)}"
    first += f" ({marks})" if marks else ""
    first += f" : {entry.type}" if entry.type else ""
    if not entry.description:
        return first
    # Not textwrap.indent: it takes other characters for line ends than Markdown does.
    return "\n".join([first, "", *(line and f"  {line}" for line in entry.description.split("\n"))])


def stated_marks(entry: Entry) -> tuple[str, ...]:
    """Return the marks that the fields of an entry stand for, in the order in which they are written."""
    fields = {
        "required": entry.required,
        "optional": entry.optional,
        f"default {code_span(entry.default or '')}": entry.default is not None,
        "variadic": entry.variadic,
        f"at least {entry.at_least}": entry.at_least is not None,
        "homogeneous": entry.homogeneous is True,
        "heterogeneous": entry.homogeneous is False,
        "differentiable": entry.differentiable is True,
        "non-differentiable": entry.differentiable is False,
    }
    return tuple(mark for mark, stated in fields.items() if stated)


def code_span(text: str) -> str:
    """Return text as a code span, fenced by more back-ticks than it holds in a row."""
    fence = "`" * (_longest_run(text) + 1)
    padded = text.strip(" ") and (text[0] in "` " or text[-1] in "` ")
    padding = " " if padded else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def code_block(text: str, language: str) -> str:
    """Return text as a fenced code block, fenced by more back-ticks than it holds in a row."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, _BACK_TICKS.findall(text)), default=0)
