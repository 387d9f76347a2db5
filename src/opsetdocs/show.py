"""What `opsetdocs show` prints: all operators of a source, or one operator with its history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from opsetdocs.addresses import assign
from opsetdocs.bodies import body_text
from opsetdocs.build import makers
from opsetdocs.catalog import (
    Catalog,
    Domain,
    Event,
    EventKind,
    OperatorHistory,
    OpsetRange,
    Part,
    Revision,
    Version,
)
from opsetdocs.catalog_json import Json, catalog_data
from opsetdocs.diff import compare_revisions, compare_versions
from opsetdocs.difference_report import change_lines
from opsetdocs.docstring import Section, SectionKind, write
from opsetdocs.lookup import Found
from opsetdocs.markdown import Renderer
from opsetdocs.model import Function, Status
from opsetdocs.plain_text import visible
from opsetdocs.signature import stated_blocks
from opsetdocs.site import SiteOptions
from opsetdocs.terminal import Line, folded, table, visible_lines, wrapped
from opsetdocs.twins import plain_summaries

_INDENT = "  "
_FACT = len("conflict  ")
"""The room for what a fact is called."""


# Text


def list_lines(catalog: Catalog, width: int) -> Iterator[Line]:
    """Yield, for each domain, its operators and its opsets."""
    summary = plain_summaries(Renderer())
    for place, domain in enumerate(catalog.domains):
        if place:
            yield Line()
        yield Line(_title(domain), bold=True)
        if domain.latest.doc:
            yield Line()
            yield from map(Line, folded(visible_lines(domain.latest.doc.text.strip("\n")), width))
        if domain.operators:
            yield Line()
            header = ("operator", "status", "since", "opsets", "summary")
            heading, *rows = table([header, *(_row(item, summary) for item in domain.operators)], width)
            yield Line(heading, bold=True)
            yield from map(Line, rows)
        yield Line()
        heading, *rows = table([("opset", "operators", "what it brought"), *_opset_rows(domain)], width)
        yield Line(heading, bold=True)
        yield from map(Line, rows)
        if domain.missing:
            missing = f"Not loaded, and therefore not known: {in_opsets(domain.missing)}."
            yield from map(Line, wrapped(missing, width))


def _title(domain: Domain) -> str:
    count = len(domain.operators)
    return f"{domain.name}, opset {domain.latest.version}: {count} operator{'s' if count != 1 else ''}"


def _row(operator: OperatorHistory, summary: Callable[[OperatorHistory], str]) -> tuple[str, ...]:
    version = operator.current
    marks = [happened(operator.removal)] if operator.removal else []
    marks += ["deprecated"] if version.deprecated else []
    about = f"({', '.join(marks)}) {summary(operator)}" if marks else summary(operator)
    return operator.name, _status(version.status), str(version.since_version), _short(version.offered), about


def _status(status: Status) -> str:
    """The status in as few words as a column has room for."""
    return f"unknown {status.number}" if status.key == "unknown" else status.key.replace("-", " ")


def _short(ranges: Iterable[OpsetRange]) -> str:
    return ", ".join(str(item).replace(" to ", "-") for item in ranges) or "none"


def _opset_rows(domain: Domain) -> Iterator[tuple[str, ...]]:
    """The opsets, the latest first, with the numbers of what happened in each."""
    for opset in reversed(domain.opsets):
        counts = Counter(event.kind for _, event in opset.events)
        brought = ", ".join(f"{counts[kind]} {kind.value}" for kind in EventKind if counts[kind])
        yield str(opset.version), str(len(opset.members)), brought or "nothing that the files show"


def operator_lines(found: Found, width: int, *, examples: bool) -> Iterator[Line]:
    """Yield everything about an operator: facts, the text of a version, and its history.

    Args:
        found: The operator and version.
        width: How many cells of the terminal a line may take.
        examples: Whether to show the section Examples of the text.
    """
    yield Line(found.name, bold=True)
    yield Line()
    for name, words in _facts(found):
        start = f"{_INDENT}{name:{_FACT}}"
        yield from map(Line, wrapped(words, width, start, " " * len(start)))
    revision = found.version.current
    for part in revision.parts:
        yield Line()
        yield Line(f"Text as {part.kind.value}" if len(revision.parts) > 1 else "Text", bold=True)
        yield Line()
        for line in folded(_part(part, examples=examples), width - len(_INDENT)):
            yield Line(_INDENT + line if line else "")
    yield Line()
    yield Line("History", bold=True)
    versions = found.operator.versions
    for version, previous in zip(reversed(versions), (*reversed(versions[:-1]), None), strict=True):
        yield Line()
        yield from _version(found.operator, version, previous, width)


def _facts(found: Found) -> Iterator[tuple[str, str]]:
    operator, version = found.operator, found.version
    derived = " (derived: the first loaded opset that has this function)" if version.derived else ""
    current = "" if version is operator.current else f"; the current one is {operator.current.since_version}"
    yield "domain", operator.domain
    yield "kind", version.kind.value
    yield "version", f"{version.since_version}{derived}{current}"
    yield "status", _status_in_words(version)
    yield "offered", in_opsets(version.offered)
    if operator.removal:
        yield "gone", happened(operator.removal)
    if version.in_conflict:
        yield "conflict", f"the files do not agree; this is what opset {version.current.opsets[-1]} says"


def _status_in_words(version: Version) -> str:
    return version.status.label + (", deprecated" if version.deprecated else "")


def _part(part: Part, *, examples: bool) -> Iterator[str]:
    """The text of an entry, with what a function's own fields say, as Markdown."""
    blocks = stated_blocks(part)
    shown = [block for block in blocks if examples or not _is_examples(block)]
    yield from visible_lines(write(shown).strip("\n") or "There is none.")
    if len(shown) < len(blocks):
        yield from ("", "Examples are left out; --examples shows them.")
    if part.function:
        yield from ("", "## Function body", "", *_body(part.function))


def _is_examples(block: Section | str) -> bool:
    return isinstance(block, Section) and block.kind is SectionKind.EXAMPLES


def _body(function: Function) -> Iterator[str]:
    for item in function.opset_imports:
        yield visible(
            f"It uses {item.domain} opset {'not stated' if item.version is None else item.version}."
        )
    if function.opset_imports:
        yield ""
    yield from visible_lines(body_text(function))


def _version(
    operator: OperatorHistory, version: Version, previous: Version | None, width: int
) -> Iterator[Line]:
    """A version in an operator's history: what happened, and what changed since the version before."""
    told = [happened(event) for event in operator.events if event.since_version == version.since_version]
    about = f"{version.since_version}, {_status_in_words(version)}, {in_opsets(version.offered)}"
    about = f"{about}: {'; '.join(told)}" if told else about
    yield from map(Line, wrapped(about, width, _INDENT, _INDENT * 3))
    if previous:
        yield from change_lines(compare_versions(previous, version), width)
    for newer, older in pairwise(version.revisions):
        yield from _revision(older, newer, width)


def _revision(older: Revision, newer: Revision, width: int) -> Iterator[Line]:
    """What changed from what earlier opsets said about the very same version."""
    yield Line(f"{_INDENT * 2}from the text of opset {older.opsets[-1]} to that of opset {newer.opsets[0]}:")
    yield from change_lines(compare_revisions(older, newer), width)


# Words


def in_opsets(ranges: Sequence[OpsetRange]) -> str:
    """Return ranges in words: `opset 5`, `opsets 1 to 4, 7`."""
    if not ranges:
        return "in no loaded opset"
    one = len(ranges) == 1 and ranges[0].first == ranges[0].last
    return f"opset{'' if one else 's'} {', '.join(map(str, ranges))}"


def happened(event: Event) -> str:
    """Return an event in the words that pages have for it: `changed in opset 13`."""
    missing = f" ({in_opsets(event.missing)} not loaded)" if event.missing else ""
    if event.kind is not EventKind.REMOVED:
        by = "by" if event.missing and event.kind is not EventKind.FIRST_SEEN else "in"
        return f"{event.kind.value} {by} opset {event.opset}{missing}"
    if event.missing:
        return f"last seen in opset {event.last_seen}, gone by {event.opset}{missing}"
    last_seen = "" if event.last_seen is None else f", last seen in {event.last_seen}"
    return f"removed in opset {event.opset}{last_seen}"


# JSON and Markdown


def data(catalog: Catalog, found: Found | None = None) -> Json:
    """Return a source in the form of `catalog.json`: all of it, or one operator, or one version of it."""
    shown = catalog if found is None else _only(found)
    result = catalog_data(shown, assign(catalog), SiteOptions(), plain_summaries(Renderer()))
    if found and found.since_version is not None:
        [operator] = result["domains"][0]["operators"]
        operator["versions"] = [
            version for version in operator["versions"] if version["since_version"] == found.since_version
        ]
    return result


def _only(found: Found) -> Catalog:
    """A catalog of one operator."""
    operator = found.operator
    opsets = tuple(
        replace(
            opset,
            members=tuple(pair for pair in opset.members if pair[0] is operator),
            events=tuple(pair for pair in opset.events if pair[0] is operator),
        )
        for opset in found.domain.opsets
    )
    return Catalog((replace(found.domain, operators=(operator,), opsets=opsets),))


def markdown(catalog: Catalog, found: Found | None = None) -> str:
    """Return the Markdown twin of each domain's page, or that of the page of an operator or version.

    Raises:
        TemplateError: A template fails.
    """
    make = makers(catalog, SiteOptions())
    addresses = make.addresses

    def twin(shown: Catalog, address: str) -> str:
        pages = replace(make.pages, catalog=shown)
        planned = next(item for item in pages if item.address == address)
        return make.twins.page(planned.make()).decode()

    if found is None:
        return "\n".join(twin(Catalog((item,)), addresses.domain(item.name)) for item in catalog.domains)
    if found.since_version is None:
        return twin(_only(found), addresses.operator(found.operator))
    return twin(_only(found), addresses.version(found.operator, found.since_version))
