"""What templates see of a doc_string and of a function's body: HTML where it is text, data where not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import groupby

from markupsafe import Markup, escape

from opsetdocs.addresses import Addresses, as_id
from opsetdocs.body_views import Bodies, BodyView
from opsetdocs.catalog import OperatorHistory, Part
from opsetdocs.docstring import DocString, Entry, Section, SectionKind
from opsetdocs.findings import Finding, Level
from opsetdocs.markdown import Renderer
from opsetdocs.model import Function
from opsetdocs.names import operator_segment
from opsetdocs.signature import count_in_words, stated_blocks
from opsetdocs.type_groups import in_words, split_types

MAX_UNFOLDED = 4
"""A list of more types is folded into words."""

ENTRY_ID = {
    SectionKind.ATTRIBUTES: "attribute",
    SectionKind.INPUTS: "input",
    SectionKind.OUTPUTS: "output",
    SectionKind.TYPE_CONSTRAINTS: "type",
}
"""The sections whose entries have an id of their own, by which they can be linked to, and the word in it."""
_cached = lru_cache(maxsize=16_384)
"""For what the entries of all versions and operators repeat: names, marks, lists of types."""

_CODE_SPAN = re.compile(r"(`+) ?(.*?) ?\1(?!`)", re.DOTALL)
_TYPE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_(])")


@dataclass(frozen=True, slots=True)
class EntryView:
    """An attribute, input, output, type constraint or property, ready to be laid out."""

    id: str
    """The permanent id; empty for a property, to which nothing links."""
    name: str
    marks: tuple[Markup, ...]
    """What stood in parentheses: optional, default and its value, variadic, ..."""
    type: Markup
    """The type, with links to the type constraints on the page; for a constraint the allowed types."""
    description: Markup


@dataclass(frozen=True, slots=True)
class SectionView:
    """A section that opsetdocs understands."""

    id: str
    level: int
    """The level of the heading on the page."""
    kind: str
    """The section's name for style sheets and conditions: attributes, inputs, type-constraints, ..."""
    title: str
    note: str
    """The remark after the title, such as `example`."""
    count: str
    """How many inputs or outputs there may be, in words; empty where there is nothing to say."""
    blocks: tuple[EntryView | BodyView | Markup, ...]
    """Entries, bodies, and the HTML of everything else, in the order in which they stood."""
    elsewhere: str = ""
    """The link to the section where another page has it and this one has only its heading."""

    @property
    def entries(self) -> tuple[EntryView, ...]:
        """The entries alone."""
        return tuple(block for block in self.blocks if isinstance(block, EntryView))

    @property
    def runs(self) -> tuple[tuple[EntryView, ...] | BodyView | Markup, ...]:
        """The blocks with neighbouring entries gathered, so that each run is one table."""
        runs: list[tuple[EntryView, ...] | BodyView | Markup] = []
        for _, blocks in groupby(self.blocks, key=lambda block: isinstance(block, EntryView)):
            run = tuple(blocks)
            entries = tuple(block for block in run if isinstance(block, EntryView))
            runs += [entries] if entries else [block for block in run if not isinstance(block, EntryView)]
        return tuple(runs)


@dataclass(frozen=True, slots=True)
class PartView:
    """What one entry of an operator set says about a version."""

    id: str
    kind: str
    """operator or function."""
    blocks: tuple[SectionView | Markup, ...]
    """Sections, and the HTML of the text between them, in the order in which they stood."""
    body: BodyView | None
    """The body of a function."""
    foreign_domain: str
    """The function's own domain, where that is not the domain of its set."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a text that cannot be shown as written."""

    what: str
    """A relative link that leads nowhere; or why the text is shown as it stands, in words."""
    where: str
    """The id of the place on the page."""
    is_link: bool


def problem_findings(problems: Iterable[Problem]) -> tuple[Finding, ...]:
    """Return what could not be shown as written, each thing once."""
    places: dict[tuple[bool, str], set[str]] = {}
    for problem in problems:
        places.setdefault((problem.is_link, problem.what), set()).add(problem.where)
    found = [
        Finding(Level.WARNING, f"{what}: {', '.join(sorted(where))}: the text is shown as it stands")
        for (is_link, what), where in sorted(places.items())
        if not is_link
    ]
    links = sorted(what for is_link, what in places if is_link)
    if links:
        shown = ", ".join(links[:5]) + (f" and {len(links) - 5} more" if len(links) > 5 else "")
        found.append(
            Finding(
                Level.NOTE,
                f"relative links that lead nowhere are shown as text: {shown}; "
                "the option link_map says where such links lead",
            )
        )
    return tuple(found)


class Ids:
    """Hands out ids that are unique on a page."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}
        """Each id, and the number of the last one that was made from it."""

    def take(self, wanted: str) -> str:
        """Return the id itself, or the id with a number when the page has it already."""
        candidate, number = wanted, self._taken.get(wanted, 0)
        while candidate in self._taken:
            number += 1
            candidate = f"{wanted}-{number}"
        self._taken[wanted] = max(number, 1)
        self._taken.setdefault(candidate, 1)
        return candidate


@dataclass(slots=True)
class Views:
    """Makes views. One object serves a site: each text is rendered once and placed on every page."""

    addresses: Addresses
    renderer: Renderer
    bodies: Bodies
    problems: list[Problem] = field(default_factory=list)
    """What could not be shown as written; filled as views are made."""

    def text(self, doc: DocString, domain: str, prefix: str, url: Callable[[str], str]) -> Markup:
        """Return the whole of a text about a domain or an opset as HTML, its headings' ids below `prefix`."""
        return self._text(doc.text, domain=domain, prefix=prefix, url=url, heading_level=1 + _shift(doc))

    def _text(
        self,
        text: str,
        *,
        domain: str,
        prefix: str,
        url: Callable[[str], str],
        own: frozenset[str] = frozenset(),
        definitions: str = "",
        heading_level: int = 2,
    ) -> Markup:
        if definitions:
            text = f"{text}\n\n{definitions}"
        # Names matter in code alone: texts without any are the same for all operators.
        own = own if "`" in text else frozenset()
        rendered = self.renderer.render(text, domain=domain, own=own, heading_level=heading_level)
        self.problems += (Problem(href, prefix, is_link=True) for href in rendered.unresolved)
        if rendered.problem:
            self.problems.append(Problem(rendered.problem, prefix, is_link=False))
        return rendered.place(prefix, url)

    def take_problems(self) -> tuple[Problem, ...]:
        """Return what could not be shown as written since this was asked the last time."""
        problems = tuple(dict.fromkeys(self.problems))
        self.problems.clear()
        return problems

    def part(
        self,
        operator: OperatorHistory,
        part: Part,
        prefix: str,
        ids: Ids,
        url: Callable[[str], str],
        examples: str = "",
    ) -> PartView:
        """Return the view of one entry of an operator set, with every id below `prefix`.

        Args:
            operator: The operator.
            part: The entry.
            prefix: What its ids begin with.
            ids: The ids of the page.
            url: Makes an address below the section's root a link from the page.
            examples: The link to what is the same on another page that has the examples; this page then has
                only a link to them. Ids that begin with `prefix` here go on from this link there.
        """
        function = part.function
        blocks = stated_blocks(part)
        shift = _shift(part.doc)
        text = partial(
            self._text,
            definitions=part.doc.definitions,
            domain=operator.domain,
            own=frozenset((operator.op_type, *_own_names(blocks))),
            url=url,
            heading_level=1 + shift,
        )
        types = _defined_types(blocks)
        views: list[SectionView | Markup] = [
            self._section(block, shift, prefix, types, ids, text, url, examples)
            if isinstance(block, Section)
            else text(block, prefix=ids.take(f"{prefix}.text"))
            for block in blocks
        ]
        return PartView(
            id=prefix,
            kind=part.kind.value,
            blocks=tuple(views),
            body=None
            if function is None
            else self.bodies.of_function(function, ids.take(f"{prefix}.body"), url),
            foreign_domain=_foreign_domain(operator, function),
        )

    def _section(
        self,
        section: Section,
        shift: int,
        prefix: str,
        types: frozenset[str],
        ids: Ids,
        text: Callable[..., Markup],
        url: Callable[[str], str],
        examples: str,
    ) -> SectionView:
        slug = section.kind.value.lower().replace(" ", "-")
        section_id = ids.take(f"{prefix}.{slug}")
        elsewhere = ""
        if examples and section.kind is SectionKind.EXAMPLES:
            elsewhere = f"{examples}{section_id.removeprefix(prefix)}"

        def entry(item: Entry) -> EntryView:
            kind = ENTRY_ID.get(section.kind)
            entry_id = ids.take(f"{prefix}.{kind or slug}.{entry_segment(item.name)}")
            return EntryView(
                id=entry_id if kind else "",
                name=item.name,
                marks=tuple(map(code_spans, item.marks)),
                type=_type(item.type, prefix, types, listed=section.kind is SectionKind.TYPE_CONSTRAINTS),
                description=text(item.description, prefix=entry_id) if item.description else Markup(),
            )

        def blocks(item: Entry | str) -> Iterator[EntryView | BodyView | Markup]:
            if isinstance(item, Entry):
                yield entry(item)
                return
            of_body = section.kind is SectionKind.FUNCTION_BODY
            for piece in self.bodies.in_text(item, section_id, url) if of_body else (item,):
                if isinstance(piece, str):
                    yield text(piece, prefix=ids.take(f"{section_id}.text"))
                else:
                    yield piece

        return SectionView(
            id=section_id,
            level=min(section.level + shift, 6),
            kind=slug,
            title=section.title,
            note=section.note,
            count=count_in_words(section),
            blocks=() if elsewhere else tuple(view for item in section.blocks for view in blocks(item)),
            elsewhere=elsewhere,
        )


@_cached
def entry_segment(name: str) -> str:
    """What stands for a name of an entry in ids."""
    return as_id(operator_segment(name))


def _shift(doc: DocString) -> int:
    """How far headings move: the highest one of a text comes directly below the page's title."""
    return 2 - (doc.heading_level or 2)


def _defined_types(blocks: Iterable[Section | str]) -> frozenset[str]:
    return frozenset(
        entry.name
        for block in blocks
        if isinstance(block, Section) and block.kind is SectionKind.TYPE_CONSTRAINTS
        for entry in block.entries
    )


def _own_names(blocks: Iterable[Section | str]) -> Iterator[str]:
    """The names of a version's own attributes, inputs, outputs and type constraints."""
    return (entry.name for block in blocks if isinstance(block, Section) for entry in block.entries)


def _foreign_domain(operator: OperatorHistory, function: Function | None) -> str:
    own = "" if function is None or not function.domain else function.domain
    return own if own not in ("", operator.domain) else ""


@_cached
def code_spans(text: str) -> Markup:
    """Return a short text as HTML: what stands between back-ticks as code, everything else as it is."""
    pieces: list[Markup] = []
    at = 0
    for match in _CODE_SPAN.finditer(text):
        pieces += [escape(text[at : match.start()]), Markup("<code>{}</code>").format(match[2])]
        at = match.end()
    return Markup().join([*pieces, escape(text[at:])])


def _type(text: str, prefix: str, types: frozenset[str], *, listed: bool) -> Markup:
    """A type as HTML: a list of types as one code each, a constraint's name as a link to the constraint."""
    if not text:
        return Markup()
    if listed:
        return _listed(text)
    pieces = []
    at = 0
    for match in _TYPE_NAME.finditer(text):
        if match[0] in types:
            anchor = escape(f"#{prefix}.type.{entry_segment(match[0])}")
            pieces.append(f'{escape(text[at : match.start()])}<a href="{anchor}">{match[0]}</a>')
            at = match.end()
    inner = "".join([*pieces, escape(text[at:])])
    return Markup(f"<code>{inner}</code>")  # noqa: S704 - escaped in all its parts


@_cached
def _listed(text: str) -> Markup:
    """A list of types: each as code; a long one in a few words, which unfold to the list."""
    types = split_types(text)
    codes = Markup(", ").join(Markup("<code>{}</code>").format(item) for item in types)
    if len(types) <= MAX_UNFOLDED:
        return codes
    words = in_words(types)
    return Markup("<details><summary>{}</summary>{}</details>").format(words, codes)
