"""The index of the theme's own search: small scripts, so that it works from disk and offline too.

`names.js` holds what the first results need: name, status and versions of every operator, and the titles of
all other pages. Everything else stands in further scripts, of which a query loads a few: the words of texts,
each with the operators and pages that have it; and what results show: a line of text, and the attributes,
inputs, outputs and types of an operator, to which a result can lead. The script of the search,
site_config/theme/assets/opsetdocs-search.js, reads them.

The further scripts have a digest in their name: a browser that kept an older `names.js` never takes a script
that does not belong to it.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, TypeVar

from opsetdocs.addresses import MAX_VERSIONS_WITH_ALL_PAIRS, Addresses
from opsetdocs.catalog import Catalog, Domain, OperatorHistory, Revision, Version
from opsetdocs.docstring import Section, SectionKind
from opsetdocs.operator_list import mark
from opsetdocs.pages import MAX_OPSETS_WITH_ALL_PAIRS
from opsetdocs.search_terms import key, words
from opsetdocs.searched import (
    Searched,
    SearchedDomain,
    SearchedEntry,
    SearchedOperator,
    SearchedPage,
    Weight,
)
from opsetdocs.signature import stated_blocks
from opsetdocs.site import DomainOptions, RenderedPage
from opsetdocs.type_groups import split_types
from opsetdocs.views import ENTRY_ID, entry_segment

FOLDER = "assets/opsetdocs-search/"
"""Where the scripts stand below the site's root, beside the files of the theme."""

NAMES = f"{FOLDER}names.js"
"""The script that is loaded first."""

SKIPPED = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "has", "have", "if", "in", "into"}
    | {"is", "it", "its", "may", "not", "of", "on", "or", "that", "the", "their", "then", "there", "these"}
    | {"this", "to", "was", "when", "where", "which", "will", "with"}
)
"""Words that nearly every English text has. Names of operators are found all the same: `If`, `Not`, `Or`."""

_MAX_WORD = 60
"""Longer words are data or digests, which nobody types."""

_WORDS_SIZE = 24_000
"""About how many bytes of words stand in a script."""

_LINES = 50
"""How many lines of results stand in a script, each with what is said about the signature."""

_MAX_LINE = 200

_NAMED = frozenset({SectionKind.ATTRIBUTES, SectionKind.INPUTS, SectionKind.OUTPUTS})
"""The sections whose entries are looked for by name."""


def searched(
    catalog: Catalog,
    addresses: Addresses,
    pages: Iterable[RenderedPage],
    summary: Callable[[OperatorHistory], str],
    about: Mapping[str, DomainOptions],
) -> Searched:
    """Return what can be found: operators by their current version, and pages that are about no operator.

    Args:
        catalog: What the site documents.
        addresses: The addresses of its pages.
        pages: All pages; what is said of one in a sentence is taken from these.
        summary: What an operator does, in a sentence of plain text.
        about: What the project says about domains.
    """
    return Searched(
        tuple(_domain(domain, addresses, summary) for domain in catalog.domains),
        tuple(_pages(catalog, addresses, pages, about)),
    )


def written_page(url: str, title: str, sections: Iterable[tuple[str, str, str]]) -> Iterator[SearchedPage]:
    """Yield a hand-written page and its sections.

    Args:
        url: The page's address below the site's root, as MkDocs gives it.
        title: Its title; plain text.
        sections: The id, the heading and the plain text of each section. The first one is what stands before
            any heading but the title, and has no id.
    """
    for id_, heading, text in sections:
        yield SearchedPage(
            address=f"{url}#{id_}" if id_ else url,
            title=heading if id_ else title,
            place=title if id_ else "",
            line=_line(text),
            texts=((Weight.TEXT, text),),
        )


def search_files(
    found: Searched, written: Iterable[SearchedPage], *, section: str, directory_urls: bool
) -> dict[str, bytes]:
    """Return the scripts of the index, by their addresses below the site's root.

    Args:
        found: What can be found in the section of operator sets, with addresses below the section's root.
        written: Hand-written pages, with addresses below the site's root.
        section: The address of the section's root; empty, or with a slash at its end.
        directory_urls: Whether links end in `/` or in `/index.html`.
    """
    index = "" if directory_urls else "index.html"
    operators = list(chain.from_iterable(domain.operators for domain in found.domains))
    ours = [(f"{section}{page.address}{index}", page) for page in found.pages]
    pages = [*ours, *((page.address, page) for page in written)]
    documents: list[SearchedOperator | SearchedPage] = [*operators, *(page for _, page in pages)]
    marks = sorted({word for item in operators for word in (item.mark, *(word for _, word in item.versions))})
    words_scripts = [(first, *_script(words)) for first, words in _shelves(_postings(documents))]
    lines_scripts = [_script(_lines(items)) for items in _slices(documents, _LINES)]
    names = {
        "section": section,
        "index": index,
        "marks": marks,
        "pairs": MAX_VERSIONS_WITH_ALL_PAIRS,
        "domains": [_domain_data(domain, marks) for domain in found.domains],
        "pages": [
            [page.title, page.place, address, *([1] if page.is_opset else [])] for address, page in pages
        ],
        "skipped": sorted(SKIPPED),
        "words": [[first, name] for first, name, _ in words_scripts],
        "lines": [name for name, _ in lines_scripts],
    }
    return {
        NAMES: _assignment("names", names),
        **{f"{FOLDER}{name}.js": content for _, name, content in words_scripts},
        **{f"{FOLDER}{name}.js": content for name, content in lines_scripts},
    }


# What can be found


def _domain(
    domain: Domain, addresses: Addresses, summary: Callable[[OperatorHistory], str]
) -> SearchedDomain:
    return SearchedDomain(
        name=domain.name,
        address=addresses.domain(domain.name),
        opsets=tuple(opset.version for opset in domain.opsets),
        has_all_upgrades=len(domain.opsets) <= MAX_OPSETS_WITH_ALL_PAIRS,
        operators=tuple(
            _operator(operator, addresses.segment(operator), summary(operator))
            for operator in domain.operators
        ),
    )


def _operator(operator: OperatorHistory, segment: str, summary: str) -> SearchedOperator:
    return SearchedOperator(
        name=operator.name,
        segment=segment,
        mark=mark(operator) or "stable",
        versions=tuple((version.since_version, _status(version)) for version in operator.versions),
        line=summary,
        texts=((Weight.SUMMARY, summary), *_texts(operator.current.current)),
        entries=tuple(_entries(operator.current.current)),
    )


def _status(version: Version) -> str:
    return "deprecated" if version.deprecated else version.status.key.replace("-", " ")


def _texts(revision: Revision) -> Iterator[tuple[Weight, str]]:
    for block in chain.from_iterable(map(stated_blocks, revision.parts)):
        if isinstance(block, str):
            yield Weight.TEXT, block
        elif block.kind in ENTRY_ID:
            yield from _section_texts(block)


def _section_texts(section: Section) -> Iterator[tuple[Weight, str]]:
    for item in section.blocks:
        if isinstance(item, str):
            yield Weight.TEXT, item
            continue
        if section.kind in _NAMED:
            yield Weight.NAME, item.name
        yield Weight.SIGNATURE, item.type
        yield Weight.TEXT, item.description


def _entries(revision: Revision) -> Iterator[SearchedEntry]:
    """Yield what has an id: of a name that stands twice the first, of two parts those of the first."""
    known = set()
    for block in stated_blocks(revision.parts[0]):
        if isinstance(block, str) or block.kind not in ENTRY_ID:
            continue
        kind = ENTRY_ID[block.kind]
        for item in block.entries:
            id_ = entry_segment(item.name)
            if (kind, id_) not in known:
                known.add((kind, id_))
                yield SearchedEntry(kind, item.name, id_, item.type)


def _pages(
    catalog: Catalog, addresses: Addresses, pages: Iterable[RenderedPage], about: Mapping[str, DomainOptions]
) -> Iterator[SearchedPage]:
    titles: dict[str, str] = {}
    texts = dict(_set_texts(catalog, addresses, about))
    overviews = {addresses.opsets(domain.name) for domain in catalog.domains}
    opsets = {
        addresses.opset(domain.name, opset.version) for domain in catalog.domains for opset in domain.opsets
    }
    operators = {addresses.operator(operator) for domain in catalog.domains for operator in domain.operators}
    known = operators | (opsets - texts.keys())
    for page in pages:
        titles[page.address] = page.title
        if (page.searched and page.address not in known) or page.address in overviews:
            line = _line(page.description)
            yield SearchedPage(
                address=page.address,
                title=page.title,
                place="" if page.parent is None else titles[page.parent],
                line=line,
                texts=((Weight.SUMMARY, line), (Weight.TEXT, texts.get(page.address, ""))),
                is_opset=page.address in opsets,
            )


def _set_texts(
    catalog: Catalog, addresses: Addresses, about: Mapping[str, DomainOptions]
) -> Iterator[tuple[str, str]]:
    """Yield the text of each domain and opset that has one, by the address of its page."""
    for domain in catalog.domains:
        description = about.get(domain.name, DomainOptions()).description
        doc = domain.latest.doc
        if text := description or (doc.text if doc else ""):
            yield addresses.domain(domain.name), text
        for opset in domain.opsets:
            if opset.doc and opset.doc.text:
                yield addresses.opset(domain.name, opset.version), opset.doc.text


def _line(text: str) -> str:
    return textwrap.shorten(text, _MAX_LINE, placeholder="…")


# How it is written


def _domain_data(domain: SearchedDomain, marks: Sequence[str]) -> list[Any]:
    return [
        domain.name,
        domain.address,
        domain.opsets,
        int(domain.has_all_upgrades),
        [_operator_data(operator, marks) for operator in domain.operators],
    ]


def _operator_data(operator: SearchedOperator, marks: Sequence[str]) -> list[Any]:
    """Return name, status and versions; the status of a version, and the address, only where they differ."""
    versions = [
        number if word == operator.mark else [number, marks.index(word)] for number, word in operator.versions
    ]
    segment = () if operator.segment == operator.name else (operator.segment,)
    return [operator.name, marks.index(operator.mark), versions, *segment]


def _postings(documents: Iterable[SearchedOperator | SearchedPage]) -> dict[str, list[int]]:
    """Return each word with the documents that have it: four times their number, and the word's weight."""
    words_of = cache(words)
    postings: dict[str, list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        weights: dict[str, Weight] = {}
        for weight, text in sorted(document.texts, key=lambda pair: pair[0]):
            weights.update(dict.fromkeys(words_of(text), min(weight, Weight.SIGNATURE)))
        weights.update((key(text), weight) for weight, text in document.texts if weight is Weight.NAME)
        for word, weight in weights.items():
            if _is_found(word, weight):
                postings[word].append(4 * number + weight)
    return postings


def _is_found(word: str, weight: Weight) -> bool:
    """Whether a word of a text is looked for: one like `X` or `to` only where it is a name."""
    is_letter = len(word) == 1 and word.isascii()
    says_little = is_letter or word in SKIPPED
    return 0 < len(word) <= _MAX_WORD and (weight is Weight.NAME or not says_little)


def _shelves(postings: Mapping[str, list[int]]) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Yield words in order, a script's worth at a time, after the first of them.

    The numbers of a word are written as the steps from one to the next, which are small.
    """
    shelf: dict[str, list[int]] = {}
    size = 0
    # JavaScript, too, compares texts by UTF-16.
    for word in sorted(postings, key=lambda word: word.encode("utf-16-be", "surrogatepass")):
        shelf[word] = _steps(postings[word])
        size += len(word) + 4 + 3 * len(shelf[word])
        if size > _WORDS_SIZE:
            yield next(iter(shelf)), shelf
            shelf, size = {}, 0
    if shelf:
        yield next(iter(shelf)), shelf


def _steps(numbers: list[int]) -> list[int]:
    """Subtract from each number the document of the one before; the weight stays."""
    documents = [0, *(number & ~3 for number in numbers)]
    return [number - before for number, before in zip(numbers, documents, strict=False)]


def _lines(documents: Iterable[SearchedOperator | SearchedPage]) -> list[Any]:
    """Return the line of each document, with the entries of an operator: names, each before its type.

    Entries are gathered by kind. Types, which operators have in common, stand once, at the end.
    """
    types: dict[str, int] = {}
    lines: list[Any] = []
    for document in documents:
        if isinstance(document, SearchedPage) or not document.entries:
            lines.append(document.line)
            continue
        kinds: dict[str, list[Any]] = {kind: [] for kind in ENTRY_ID.values()}
        for item in document.entries:
            name = item.name if item.id == item.name else [item.name, item.id]
            kinds[item.kind] += [name, types.setdefault(item.type, len(types))]
        lines.append([document.line, *kinds.values()])
    return [lines, [split_types(text) for text in types]]


Item = TypeVar("Item")


def _slices(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    return (items[at : at + size] for at in range(0, len(items), size))


def _script(content: Any) -> tuple[str, bytes]:
    """Return the name and the content of a script, named after what it holds."""
    name = hashlib.sha256(_json(content).encode()).hexdigest()[:16]
    return name, _assignment(name, content)


def _assignment(key: str, content: Any) -> bytes:
    """Return a script that keeps a value where the script of the search finds it."""
    return f'(window.opsetdocsSearchData??={{}})["{key}"]={_json(content)};\n'.encode()


def _json(content: Any) -> str:
    # In ASCII, since a server may say nothing about the encoding, or something wrong.
    return json.dumps(content, separators=(",", ":"))
