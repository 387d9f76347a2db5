"""Rules about doc_strings."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from itertools import chain, starmap

from markdown_it import MarkdownIt

from opsetdocs import schema
from opsetdocs.addresses import as_id
from opsetdocs.docstring import MAX_TEXT, WITH_ENTRIES, Entry, Section, SectionKind, is_known_mark
from opsetdocs.identity import entries, name_of, stated_since_version
from opsetdocs.links import operator_fragment, versioned_name
from opsetdocs.markdown import SCHEMES, is_absolute, is_allowed, link_targets
from opsetdocs.meaning import parsed
from opsetdocs.model import Function, Operator, OperatorSet, domain_name
from opsetdocs.names import operator_segment
from opsetdocs.rules.registry import (
    NOTE,
    SHOULD,
    Fault,
    Problem,
    Sets,
    Where,
    across_sets,
    each_entry,
    rule,
)
from opsetdocs.signature import Count, count
from opsetdocs.wire import Path

# Most files repeat the texts of the one before: each distinct text is looked at once.
_cached = lru_cache(maxsize=16_384)

_Versions = Mapping[str, Mapping[str, AbstractSet[int | None]]]
"""The since_versions of each operator, by domain and op_type; `None` stands for one that is not stated."""


@rule(
    "DOC_LINKS",
    SHOULD,
    "doc_string is documentation for people, in Markdown: a link in it leads where it says.",
    "onnx-operators-ml.proto, OperatorSetProto.doc_string and OperatorProto.doc_string; "
    "onnx-ml.proto, FunctionProto.doc_string and AttributeProto.doc_string",
)
@across_sets
def doc_links(checked: Sets) -> Iterator[Problem]:
    """Links between operators lead to one that is there, and no link may run something.

    `Operators.md#Conv`, `Changelog.md#Conv-11` and `Operators-ml.md#ai.onnx.ml.Scaler`, as ONNX's own texts
    have them, become links to pages of the site, if the operator and the version are in a loaded file. The
    same is asked of the permanent ids of pages, `#ai.onnx.Conv-11`. Where no file of the domain is loaded,
    nothing is said. Other relative links are not looked at: the options of a site decide where they lead.

    A link with a scheme such as `javascript`, `data` or `file` is refused: readers did not ask for what it
    does, and it is shown as the text that it is. The same holds for an address without a scheme that names a
    host, `//example.com`. Links in code are none.

    To mend it, correct the name or load the files of the opset that has the operator, and give other links an
    address with `http`, `https` or `mailto`.
    """
    versions = cache(lambda: _versions(checked.sets))
    for item in checked.sets:
        for entry, field, text in _texts(item):
            for target in _targets(text):
                if fault := _link_fault(target, domain_name(item.domain), versions):
                    yield Problem(fault, Where(item, entry, field))


def _texts(item: OperatorSet) -> Iterator[tuple[Operator | Function | None, Path, str]]:
    """Yield the texts of a set that are Markdown, and where each stands."""
    if item.doc_string:
        yield None, ("doc_string",), item.doc_string
    for entry in entries(item):
        if entry.doc_string:
            yield entry, ("doc_string",), entry.doc_string
        for index, attribute in enumerate(entry.attribute_defaults if isinstance(entry, Function) else ()):
            if attribute.doc_string:
                yield entry, ("attribute_proto", index, "doc_string"), attribute.doc_string


_INLINE_LINK = re.compile(r"""\]\(\s*(?:<|[^\s)]+\s*["'()])""")
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>")


def _may_link(text: str) -> bool:
    """Whether a text can have a link, so that it has to be parsed: few have one."""
    return bool("]:" in text or _INLINE_LINK.search(text) or _AUTOLINK.search(text))


_link_targets = _cached(link_targets)


@_cached
def _targets(text: str) -> tuple[str, ...]:
    """Return where the links of a text lead."""
    # A link definition counts for the whole text. Without one, the parts of a text stand by themselves.
    parts = (text,) if "]:" in text else filter(_may_link, _parts(parsed(text).blocks))
    return tuple(chain.from_iterable(map(_link_targets, parts))) if _may_link(text) else ()


def _parts(blocks: Iterable[Section | Entry | str]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Section):
            yield from _parts(block.blocks)
        else:
            yield block.description if isinstance(block, Entry) else block


def _link_fault(target: str, own: str, versions: Callable[[], _Versions]) -> str:
    """Return what is wrong with a link in a text of a domain; empty if nothing is."""
    if not is_allowed(target):
        expected = f"expected a relative address or one with {', '.join(sorted(SCHEMES))}"
        return f'the link to "{target}" is refused and shown as text, {expected}'
    if is_absolute(target):
        return ""
    is_id = target.startswith("#")
    fragment = target[1:] if is_id else operator_fragment(target)
    meant = _meant(fragment, None if is_id else own, versions()) if fragment else None
    if meant is None or _is_there(*meant, versions()):
        return ""
    domain, name = meant
    means = f"means {name} of {domain}, which no loaded file has"
    return f'the link to "{target}" {means}, expected an operator that is there'


_ID = re.compile(r"(?P<name>[^.]+)(?:\.opset-[0-9]+)?(?:\.(?:attribute|input|output|type)\..+)?")


def _meant(fragment: str, own: str | None, versions: _Versions) -> tuple[str, str] | None:
    """Return the domain and the name that a fragment means; `None` where the domain is not loaded.

    Args:
        fragment: `Conv`, `Conv-11`, `ai.onnx.ml.Scaler`, `ai.onnx.Conv-11.attribute.pads`.
        own: The domain that a name by itself belongs to; `None` if it belongs to none.
        versions: The operators of the domains that are loaded.
    """
    domain = max((name for name in versions if fragment.startswith(f"{name}.")), key=len, default=own)
    match = _ID.fullmatch(fragment.removeprefix(f"{domain}."))
    return (domain, match["name"]) if domain and match else None


def _is_there(domain: str, name: str, versions: _Versions) -> bool:
    known = versions[domain]
    if name in known:
        return True
    op_type, since_version = versioned_name(name) or ("", 0)
    return not {since_version, None}.isdisjoint(known.get(op_type, ()))


def _versions(sets: Iterable[OperatorSet]) -> _Versions:
    """Return the versions of all operators, each under its op_type and under its permanent ids."""
    result: dict[str, dict[str, set[int | None]]] = {}
    for item in sets:
        operators = result.setdefault(domain_name(item.domain), defaultdict(set))
        for entry in entries(item):
            if name := name_of(entry):
                ids = {as_id(operator_segment(*name, plain=plain)) for plain in (True, False)}
                for known_as in (name.op_type, *ids):
                    operators[known_as].add(stated_since_version(entry))
    return result


@rule(
    "DOC_SIGNATURE",
    NOTE,
    "Sections of a doc_string that state a signature follow the conventions, and agree with themselves.",
    "doc_string conventions of opsetdocs",
)
@each_entry
def doc_signature(_: OperatorSet, entry: Operator | Function) -> Iterator[Fault]:
    """What a doc_string says of attributes, inputs, outputs and types can be read as it is meant.

    The format has no place for a signature, so sections of the doc_string carry it. What does not follow
    their form is shown as ordinary text, and is missing from tables, comparisons and `catalog.json`: bullets
    that are no entries, marks that are unknown, a default that is no JSON. Names and sections that stand
    twice, types that name a constraint which is not there, and a heading that counts other inputs than the
    entries leave readers with two answers, or with none. A text of more than 200,000 characters is not read
    at all.

    To mend it, write each entry as a bullet with the name as code, marks in parentheses, a colon and the
    type, such as ``- `axis` (default `-1`) : int``. Give each name one entry and each kind one section, and
    define the constraints that types name in the section Type Constraints.
    """
    for message in _signature_faults(entry.doc_string or "", isinstance(entry, Function)):
        yield Fault(message, ("doc_string",))


@_cached
def _signature_faults(text: str, is_function: bool) -> tuple[str, ...]:
    if len(text) > MAX_TEXT:
        limit = f"{MAX_TEXT:,}"
        return (f"the text has {len(text):,} characters and is shown as it is, expected {limit} at most",)
    return tuple(_faults_of(parsed(text).blocks, is_function))


_MAX_QUOTED = 200
"""How much of a text is quoted: one file can say very long things of very many."""


def _brief(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}..."


def _faults_of(blocks: Iterable[Section | str], is_function: bool) -> Iterator[str]:
    first: dict[SectionKind, Section] = {}
    for section in blocks:
        if isinstance(section, str) or section.kind not in WITH_ENTRIES:
            continue
        kind = section.kind.value
        if first.setdefault(section.kind, section) is not section:
            yield f"the section {kind} stands twice, expected once; the first counts"
        yield from (f"{kind}: {fault}" for look in _LOOKS for fault in look(section))
        # The fields of a function may name more inputs and outputs than its text describes.
        if not is_function:
            yield from (f"{kind}: {fault}" for fault in _contradicted_count(section))
    yield from _undefined_types(first)


_BULLETS = MarkdownIt("commonmark", {"html": False}).disable("inline")


def _bullets_that_are_no_entries(section: Section) -> Iterator[str]:
    for block in section.blocks:
        if isinstance(block, str):
            lines = block.split("\n")
            for token in _BULLETS.parse(block):
                if (
                    token.type == "list_item_open"
                    and token.level == 1
                    and token.markup in "-+*"
                    and token.map
                ):
                    bullet = _brief(lines[token.map[0]].strip())
                    yield f'"{bullet}" is no entry, expected a bullet such as - `name` (optional) : type'


def _repeated_names(section: Section) -> Iterator[str]:
    for name, number in Counter(entry.name for entry in section.entries).items():
        if number > 1:
            yield f'"{_brief(name)}" has {number} entries, expected one'


def _unknown_marks(section: Section) -> Iterator[str]:
    for entry in section.entries:
        for mark in entry.marks:
            if not is_known_mark(mark):
                expected = "expected one such as optional, required, variadic or default `1`"
                yield f'the mark "{_brief(mark)}" of "{_brief(entry.name)}" is unknown, {expected}'


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_int(value) or isinstance(value, float)


def _is_string(value: object) -> bool:
    return isinstance(value, str)


_JSON: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "int": (_is_int, "1"),
    "float": (_is_number, "1.0"),
    "string": (_is_string, '"text"'),
}
"""The types whose values are JSON, alone and in lists: what a value is, and an example of one."""


def _unreadable_defaults(section: Section) -> Iterator[str]:
    if section.kind is not SectionKind.ATTRIBUTES:
        return
    for entry in section.entries:
        of_list = entry.type.startswith("list of ")
        kind = entry.type.removeprefix("list of ").removesuffix("s") if of_list else entry.type
        if entry.default is None or kind not in _JSON:
            continue
        is_item, example = _JSON[kind]
        value = _json_value(entry.default)
        is_value = isinstance(value, list) and all(map(is_item, value)) if of_list else is_item(value)
        if not is_value:
            expected = f"expected JSON for {entry.type}, such as {f'[{example}]' if of_list else example}"
            yield f'the default of "{_brief(entry.name)}" is `{_brief(entry.default)}`, {expected}'


def _json_value(text: str) -> object:
    """Return what JSON stands for; `None` if it is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _contradicted_count(section: Section) -> Iterator[str]:
    described = section.entries
    if section.minimum is None or not described:
        return
    stated, places = count(section), len(described)
    unbounded = any(entry.variadic for entry in described)
    # A place that is needed needs those before it, too: an optional input before it is given without a name.
    allowed = Count(max(starmap(_needed, enumerate(described))), None if unbounded else places)
    if stated not in allowed or (stated.most is not None and stated.most < max(stated.least, places)):
        yield f"the heading counts {stated.words} and the entries {allowed.words}, expected counts that agree"


def _needed(place: int, entry: Entry) -> int:
    """Return how many values have to be given so that an entry has those that it needs."""
    least = (entry.at_least or 0) if entry.variadic else 1
    return place + least if least and not entry.optional else 0


_LOOKS: Sequence[Callable[[Section], Iterator[str]]] = (
    _bullets_that_are_no_entries,
    _repeated_names,
    _unknown_marks,
    _unreadable_defaults,
)
"""What is looked at in each section of entries."""

_REMARK = re.compile(r"\s+\(.*", re.DOTALL)
_TYPE = re.compile(r"\w+(?:[(,]\s*\w+|\))*", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WRAPPERS = frozenset({"tensor", "sparse_tensor", "seq", "map", "optional", "opaque"})


def _undefined_types(sections: Mapping[SectionKind, Section]) -> Iterator[str]:
    """Yield what is wrong with names in the types of inputs and outputs: each means a type constraint."""
    constraints = sections.get(SectionKind.TYPE_CONSTRAINTS)
    defined = {entry.name for entry in constraints.entries} if constraints else set()
    users: dict[str, list[str]] = {}
    for kind in (SectionKind.INPUTS, SectionKind.OUTPUTS):
        for entry in sections[kind].entries if kind in sections else ():
            for name in _names_in_type(entry.type) - defined - _type_words():
                users.setdefault(name, []).append(f'"{_brief(entry.name)}"')
    for name, (first, *others) in sorted(users.items()):
        more = f" and {len(others)} more" if others else ""
        yield (
            f"the type {name} of {first}{more} is not defined, "
            f"expected a type of ONNX or an entry in {SectionKind.TYPE_CONSTRAINTS.value}"
        )


def _names_in_type(text: str) -> set[str]:
    """Return the names in a type such as `seq(T)`; a type in other words has none."""
    written = _REMARK.sub("", text)
    return set(_NAME.findall(written)) if _TYPE.fullmatch(written) else set()


@cache
def _type_words() -> frozenset[str]:
    """Return the words of which ONNX makes types."""
    elements = schema.enum("TensorProto.DataType").values_by_name
    return _WRAPPERS.union(name.lower() for name in elements)
