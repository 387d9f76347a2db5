"""Operators in the Markdown of ONNX's Operators.md and Changelog.md and of onnxruntime's ContribOperators.md.

These pages are made by onnx/defs/gen_doc.py and by onnxruntime's copy of it. Each operator stands below a
heading of level 3 that holds an anchor and its name, `### <a name="Conv"></a>**Conv**`; its text is indented
by two, so that no heading in it is taken for one of the page's own; sections of level 4 hold the rest.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import onnx
from markdown_it import MarkdownIt

from opsetdocs import schema as messages
from opsetdocs.docstring import Entry, Section, SectionKind, code_span, counted, parse, stated_marks, write
from opsetdocs.links import versioned_name
from opsetdocs.model import MAGIC, domain_name

if TYPE_CHECKING:
    from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

_OPERATOR_LEVEL = 3
_SECTION_LEVEL = 4
_VERSION = "version"
"""The section that says since when a version is available, or deprecated."""

_SINCE_VERSION = re.compile(r"(available|deprecated)\s+since\s+version\s+([0-9]{1,18})\b")
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)

_EMPTY_LIST = "</dl>"
"""What stands in ContribOperators.md where an operator has no inputs or no outputs: the end of no list."""

_INLINE = MarkdownIt("commonmark")
_BLOCKS = MarkdownIt("commonmark").disable(["inline", "text_join"])


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading of the page itself, at the beginning of a line."""

    first: int
    content: int
    """The line that follows it."""
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class _Title:
    """What the heading of an operator says."""

    domain: str
    op_type: str
    since_version: int | None
    """Stated in Changelog.md only."""
    experimental: bool


@dataclass(frozen=True, slots=True)
class _Described:
    """An operator as the page describes it."""

    title: _Title
    since_version: int | None
    """`None` for experimental ones, of which these pages keep no versions."""
    doc_string: str


def markdown_sets(text: str, name: str) -> list[OperatorSetProto]:
    """Return an operator set for each domain that a page describes, in the order of the page.

    Its opset_version is the highest since_version of the page. A page that holds several versions of an
    operator, as Changelog.md does, gives a cumulative set. What the page does not say, such as the properties
    of an operator, is not in the set.

    Args:
        text: The page.
        name: The name of the page, for the text of the set.
    """
    by_domain: dict[str, list[_Described]] = defaultdict(list)
    for described in _described(text):
        by_domain[described.title.domain].append(described)
    return [_operator_set(domain, members, name) for domain, members in by_domain.items()]


def _operator_set(domain: str, members: Sequence[_Described], name: str) -> OperatorSetProto:
    opset = max((member.since_version or 1 for member in members), default=1)
    return messages.OperatorSetProto(
        magic=MAGIC,
        ir_version=onnx.IR_VERSION,
        domain=domain,
        opset_version=opset,
        doc_string=f"The operators of `{domain_name(domain)}`, as {code_span(name)} describes them.\n",
        operator=[_operator(member, opset) for member in members],
    )


def _operator(described: _Described, opset: int) -> OperatorProto:
    status: Literal["STABLE", "EXPERIMENTAL"] = "EXPERIMENTAL" if described.title.experimental else "STABLE"
    return messages.OperatorProto(
        op_type=described.title.op_type,
        # An experimental operator without versions is published anew with each opset.
        since_version=described.since_version or opset,
        status=status,
        doc_string=described.doc_string,
    )


# The parts of a page


def _described(text: str) -> Iterator[_Described]:
    lines = text.replace("\r\n", "\n").split("\n")
    headings = list(_headings(lines))
    ends = [*(heading.first for heading in headings), len(lines)][1:]
    below: list[tuple[_Heading, Sequence[str]]] = [
        (heading, lines[heading.content : end]) for heading, end in zip(headings, ends, strict=True)
    ]
    for at, (heading, prose) in enumerate(below):
        if heading.level == _OPERATOR_LEVEL and (title := _title(heading.text)):
            yield _operator_of(title, prose, list(_sections(below[at + 1 :])))


def _headings(lines: Sequence[str]) -> Iterator[_Heading]:
    for token, inline in pairwise(_BLOCKS.parse("\n".join(lines))):
        if token.type == "heading_open" and token.level == 0 and token.map:
            first, end = token.map
            if lines[first].startswith("#"):
                yield _Heading(first, end, int(token.tag[1:]), inline.content)


def _sections(below: Iterable[tuple[_Heading, Sequence[str]]]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield title and lines of the sections that follow an operator's heading."""
    for heading, lines in below:
        if heading.level < _SECTION_LEVEL:
            return
        yield heading.text, lines


def _title(heading: str) -> _Title | None:
    """Read the heading of an operator; `None` if it is the heading of something else."""
    children = _INLINE.parseInline(heading)[0].children or []
    has_anchor = any(
        child.type == "html_inline" and child.content.startswith("<a name=") for child in children
    )
    strong = [index for index, child in enumerate(children) if child.type in ("strong_open", "strong_close")]
    if not has_anchor or len(strong) < 2:
        return None
    name = "".join(child.content for child in children[strong[0] : strong[1]])
    before = "".join(child.content for child in children[: strong[0]] if child.type == "text")
    versioned, since_version = versioned_name(name) or (name, None)
    domain, _, op_type = versioned.rpartition(".")
    return _Title(domain, op_type, since_version, experimental="experimental" in before)


def _operator_of(
    title: _Title, prose: Sequence[str], sections: Sequence[tuple[str, Sequence[str]]]
) -> _Described:
    version = "\n".join(line for name, lines in sections if name.lower() == _VERSION for line in lines)
    said = _SINCE_VERSION.search(version)
    since_version = title.since_version or (int(said[2]) if said else None)
    is_deprecated = said is not None and said[1] == "deprecated"
    text = write(
        [
            *([f"**Deprecated** since opset {since_version}."] if is_deprecated else []),
            # The first line has lost the indentation that C++ raw strings leave in the others.
            inspect.cleandoc("\n".join(line.removeprefix("  ") for line in prose).strip("\n")),
            *(
                block
                for name, lines in sections
                if name.lower() != _VERSION
                for block in _section(name, lines)
            ),
        ]
    )
    return _Described(title, since_version, text)


def _section(title: str, lines: Sequence[str]) -> Iterator[Section | str]:
    """Yield a section in the form of the doc_string conventions."""
    content = _unfolded("\n".join(lines)).strip("\n")
    if content == _EMPTY_LIST:
        return
    for block in parse(f"## {title}\n\n{content}").blocks if content else ():
        yield _with_what_is_meant(block) if isinstance(block, Section) else block


def _with_what_is_meant(section: Section) -> Section:
    """Complete the entries, and leave a count out that follows from them."""
    section = replace(section, blocks=tuple(_completed(section.kind, block) for block in section.blocks))
    if (section.minimum, section.maximum) == counted(section.entries):
        return replace(section, minimum=None, maximum=None, unbounded=False)
    return section


def _completed(kind: SectionKind, block: Entry | str) -> Entry | str:
    """Add what these pages say by saying nothing: not required is optional, variadic is of one type."""
    if isinstance(block, str):
        return block
    if kind is SectionKind.ATTRIBUTES and not block.required and block.default is None:
        block = replace(block, optional=True)
    if block.variadic and block.homogeneous is None:
        block = replace(block, homogeneous=True)
    return replace(block, marks=stated_marks(block))


def _unfolded(text: str) -> str:
    """Write parts that are folded away, as examples are, below a heading of their own."""
    lines = text.split("\n")
    for token in reversed(_BLOCKS.parse(text)):
        if token.type == "html_block" and token.level == 0 and token.map:
            first, end = token.map
            if summary := _SUMMARY.search(token.content):
                lines[first:end] = [f"### {summary[1].strip()}"]
            elif token.content.strip() == "</details>":
                lines[first:end] = []
    return "\n".join(lines)
