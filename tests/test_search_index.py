"""The index of the theme's search: what is in it, and how it is written."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from html_site import BuiltSite
from opsetdocs.build import build_site
from opsetdocs.search_index import FOLDER, NAMES, search_files, written_page
from opsetdocs.search_terms import key, terms, words
from opsetdocs.searched import Searched, SearchedDomain, SearchedOperator, SearchedPage, Weight
from opsetdocs.site import Site, SiteOptions
from search_cases import TERMS

SiteOf = Callable[..., Site]
MkdocsSite = Callable[..., BuiltSite]

_ASSIGNMENT = re.compile(r'\(window\.opsetdocsSearchData\?\?=\{\}\)\["(\w+)"\]=(.*);\n')


@dataclass(frozen=True)
class Index:
    """The scripts of an index, read back."""

    scripts: Mapping[str, Any]

    @property
    def names(self) -> Any:
        return self.scripts["names"]

    @property
    def documents(self) -> list[str]:
        """The titles of all that can be found, by number."""
        operators = [item[0] for domain in self.names["domains"] for item in domain[4]]
        return [*operators, *(page[0] for page in self.names["pages"])]

    @property
    def lines(self) -> dict[str, str]:
        items = [item for name in self.names["lines"] for item in self.scripts[name][0]]
        lines = [item if isinstance(item, str) else item[0] for item in items]
        return dict(zip(self.documents, lines, strict=True))

    @property
    def words(self) -> dict[str, list[int]]:
        return {word: steps for _, name in self.names["words"] for word, steps in self.scripts[name].items()}

    def found(self, word: str) -> dict[str, Weight]:
        """The titles of what a word finds, with its weight there."""
        found, number = {}, 0
        for step in self.words.get(word, []):
            number = (number & ~3) + step
            found[self.documents[number >> 2]] = Weight(number & 3)
        return found


def read(files: Mapping[str, bytes]) -> Index:
    scripts = {}
    for address, content in files.items():
        match = _ASSIGNMENT.fullmatch(content.decode("ascii"))
        assert match, address
        assert address == f"{FOLDER}{match[1]}.js"
        scripts[match[1]] = json.loads(match[2])
    return Index(scripts)


def index_of(site: Site, written: Iterable[SearchedPage] = (), **options: Any) -> Index:
    assert site.search is not None
    return read(search_files(site.search, written, **{"section": "", "directory_urls": True, **options}))


def built_index(site: BuiltSite) -> Index:
    files = (site.folder / FOLDER).iterdir()
    return read({f"{FOLDER}{file.name}": file.read_bytes() for file in files})


def page(title: str, *texts: tuple[Weight, str]) -> SearchedPage:
    return SearchedPage(f"{title}/", title, "", "", texts)


def index_with(*pages: SearchedPage) -> Index:
    return read(search_files(Searched((), pages), (), section="", directory_urls=True))


@pytest.mark.parametrize("text", TERMS, ids=ascii)
def test_words_and_their_parts(text: str) -> None:
    assert [list(term) for term in terms(text)] == TERMS[text]


@given(st.text())
def test_a_text_is_found_by_its_words_and_their_parts(text: str) -> None:
    wanted = {part for term in terms(text) for part in term} | {"".join(term) for term in terms(text)}
    assert words(text) == wanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kernel_shape", "kernelshape"),
        ("aten::Add", "atenadd"),
        ("::", ""),
        ("选择元素", "选择元素"),
        ("X", "x"),
    ],
)
def test_a_name_as_it_is_compared(text: str, expected: str) -> None:
    assert key(text) == expected


def test_a_signature_is_found_by_its_names_and_types(site_of: SiteOf) -> None:
    index = index_of(site_of("F4", "H1", search=True))
    assert index.found("alpha") == {"Window": Weight.NAME}
    assert index.found("slope") == {"Window": Weight.TEXT}
    assert index.found("float") == {"Window": Weight.SIGNATURE}


@pytest.mark.parametrize(
    ("texts", "word", "weight"),
    [
        ([(Weight.TEXT, "pads"), (Weight.NAME, "pads")], "pads", Weight.NAME),
        ([(Weight.NAME, "pads"), (Weight.SUMMARY, "pads"), (Weight.TEXT, "pads")], "pads", Weight.NAME),
        ([(Weight.SUMMARY, "It pools."), (Weight.TEXT, "It pools.")], "pools", Weight.SUMMARY),
        ([(Weight.NAME, "kernel_shape")], "kernelshape", Weight.NAME),
        ([(Weight.NAME, "kernel_shape")], "shape", Weight.SIGNATURE),
        ([(Weight.NAME, "kernel_shape"), (Weight.NAME, "shape")], "shape", Weight.NAME),
        ([(Weight.NAME, "aten::add")], "atenadd", Weight.NAME),
        ([(Weight.NAME, "to")], "to", Weight.NAME),
        ([(Weight.NAME, "to_end")], "to", None),
        ([(Weight.NAME, "::")], "", None),
        ([(Weight.SIGNATURE, "tensor(int8)"), (Weight.TEXT, "int8")], "int8", Weight.SIGNATURE),
        ([(Weight.NAME, "X")], "x", Weight.NAME),
        ([(Weight.TEXT, "the input X")], "x", None),
        ([(Weight.TEXT, "the input X")], "the", None),
        ([(Weight.TEXT, "a" * 61)], "a" * 61, None),
        ([(Weight.TEXT, "选择元素")], "择元", Weight.TEXT),
        ([(Weight.TEXT, "量")], "量", Weight.TEXT),
    ],
)
def test_where_a_word_stands(texts: list[tuple[Weight, str]], word: str, weight: Weight | None) -> None:
    assert index_with(page("Other"), page("P", *texts)).found(word) == (
        {} if weight is None else {"P": weight}
    )


def test_words_stand_in_order_and_in_small_scripts() -> None:
    made = [f"{first}{second}{number}" for first in "azé\ue000" for second in "mb" for number in range(1000)]
    made += ["𠮷野", "\U00010330x"]
    index = index_with(*(page(word, (Weight.TEXT, word)) for word in made))
    order = sorted(index.words, key=lambda word: word.encode("utf-16-be"))
    assert list(index.words) == order
    assert all(index.found(word.lower()) for word in made if word != "𠮷野")
    shelves = index.names["words"]
    assert len(shelves) > 3
    assert all(first == next(iter(index.scripts[name])) for first, name in shelves)
    assert all(len(json.dumps(index.scripts[name])) < 60_000 for _, name in shelves)


def test_what_a_word_of_every_text_costs() -> None:
    index = index_with(*(page(f"P{number}", (Weight.TEXT, "tensor")) for number in range(2000)))
    assert len(index.found("tensor")) == 2000
    assert set(index.words["tensor"][1:]) == {4}  # Steps, not ever greater numbers.


def test_the_index_of_a_site(site_of: SiteOf) -> None:
    site = site_of("Q3", "H5", "H6", search=True)
    index = index_of(site)
    operators = {item[0]: item for domain in index.names["domains"] for item in domain[4]}
    marks = index.names["marks"]
    assert operators["Relu"] == ["Relu", marks.index("stable"), [1, 6, 13, 14, 20]]
    assert index.found("negatives") == {"Relu": Weight.SUMMARY}
    assert index.lines["Relu"] == "Sets negatives to zero."
    addresses = [entry[2] for entry in index.names["pages"]]
    assert "com.example/opsets/" in addresses
    assert not [address for address in addresses if re.search(r"operators/|\d+-\d+", address)]


def test_status_in_a_word() -> None:
    versions = ((1, "experimental"), (3, "stable"), (5, "deprecated"))
    operator = SearchedOperator("Old", "Old", "deprecated", versions, "", ())
    odd = SearchedOperator("a b", "ab~12345678", "not stated", ((2, "not stated"),), "", ())
    domain = SearchedDomain("com.x", "com.x/", (1, 3, 5), True, (operator, odd))
    index = read(search_files(Searched((domain,), ()), (), section="ops/", directory_urls=False))
    marks = index.names["marks"]
    assert marks == ["deprecated", "experimental", "not stated", "stable"]
    assert index.names["domains"] == [
        ["com.x", "com.x/", [1, 3, 5], 1, [["Old", 0, [[1, 1], [3, 3], 5]], ["a b", 2, [2], "ab~12345678"]]]
    ]


def test_what_has_an_id_is_in_the_index(tmp_path: Path) -> None:
    text = (
        "Text.\n\n## Attributes\n\n- `axis` : int\n- `con` : int\n- `axis` : float\n\n"
        "## Inputs\n\n- `X` : T\n- `at a` : tensor(int64)\n\n"
        "## Type Constraints\n\n- `T` : tensor(float), map(int64, tensor(float))\n\n"
        "## Properties\n\n- `shape inference` : yes\n"
    )
    operator = {"opType": "Op", "sinceVersion": 1, "status": "STABLE", "docString": text}
    head = {"magic": "ONNXOPSET", "irVersion": 10, "domain": "com.x", "opsetVersion": 1}
    file = tmp_path / "set.json"
    file.write_text(json.dumps({**head, "operator": [operator]}), encoding="utf-8")
    site = build_site(SiteOptions(sources=(str(file),), search=True))
    index = index_of(site)
    (name,) = index.names["lines"]
    items, types = index.scripts[name]
    reserved, odd = (hashlib.sha256(text).hexdigest()[:8] for text in (b"con", b"at a"))
    assert items[0] == [
        "Text.",
        ["axis", 0, ["con", f"con_{reserved}"], 0],
        ["X", 1, ["at a", f"ata_{odd}"], 2],
        [],
        ["T", 3],
    ]
    assert types == [["int"], ["T"], ["tensor(int64)"], ["tensor(float)", "map(int64, tensor(float))"]]
    page = next(page for page in site.pages if page.address == "com.x/operators/Op/")
    for kind, names in zip(("attribute", "input"), items[0][1:3], strict=True):
        for name in names[::2]:
            assert f'<tr id="com.x.Op.{kind}.{name if isinstance(name, str) else name[1]}">' in page.html


def test_the_size_of_the_index_of_onnx(onnx_site: BuiltSite) -> None:
    """Compressed: what the first results need at most 3 kB, everything at most 60 kB."""
    sizes = {
        file.name: len(gzip.compress(file.read_bytes(), 9)) for file in (onnx_site.folder / FOLDER).iterdir()
    }
    assert sizes["names.js"] < 3_000
    assert sum(sizes.values()) < 60_000


@pytest.mark.parametrize(
    ("section", "directory_urls", "expected"),
    [("", True, "com.example/"), ("ref/ops/", False, "ref/ops/com.example/index.html")],
)
def test_addresses(site_of: SiteOf, section: str, directory_urls: bool, expected: str) -> None:
    index = index_of(site_of("H2", search=True), section=section, directory_urls=directory_urls)
    assert expected in [entry[2] for entry in index.names["pages"]]
    assert index.names["section"] == section
    assert index.names["index"] == ("" if directory_urls else "index.html")


def test_opsets_with_a_text_are_found_by_it(site_of: SiteOf) -> None:
    index = index_of(site_of("L3", "H4", search=True))
    opsets = {entry[0] for entry in index.names["pages"] if len(entry) > 3}
    texts = {title for word in index.words for title in index.found(word)}
    assert opsets <= texts


def test_the_same_input_gives_the_same_files(site_of: SiteOf) -> None:
    sites = [site_of("H1", "Q3", "F4", search=True) for _ in range(2)]
    first, second = (
        search_files(site.search, (), section="", directory_urls=True) for site in sites if site.search
    )
    assert list(first.items()) == list(second.items())


def test_a_change_gives_other_names_to_the_files_it_concerns() -> None:
    old, new = (
        search_files(Searched((), (page("P", (Weight.TEXT, text)),)), (), section="", directory_urls=True)
        for text in ("one", "two")
    )
    assert old.keys() & new.keys() == {NAMES, *(name for name in old if old[name] == new.get(name))}
    assert len(old.keys() - new.keys()) == 1


def test_a_site_has_nothing_to_find_unless_asked(site_of: SiteOf) -> None:
    assert site_of("H2").search is None


def test_a_written_page_and_its_sections() -> None:
    sections = [("", "", "First words."), ("install", "How to install", "With pip.")]
    first, second = written_page("guide/", "The guide", sections)
    assert (first.address, first.title, first.place, first.line) == (
        "guide/",
        "The guide",
        "",
        "First words.",
    )
    assert (second.address, second.title, second.place) == ("guide/#install", "How to install", "The guide")


HAND_WRITTEN = {
    "index.md": "# Start\n\nWelcome.\n",
    "guide.md": (
        "# Guide & more\n\nA `quokka`.\n\n## Install <b>it</b>\n\nWith a *wombat*.\n\n"
        "### Deep\n\nAn echidna.\n"
    ),
    "hidden.md": "---\nsearch:\n  exclude: true\n---\n# Hidden\n\nA platypus.\n",
}


@pytest.mark.parametrize("directory_urls", [True, False])
def test_hand_written_pages_are_found(mkdocs_site: MkdocsSite, directory_urls: bool) -> None:
    site = mkdocs_site(
        "H2",
        theme="opsetdocs",
        pages=HAND_WRITTEN,
        plugin={"path": "ops"},
        use_directory_urls=directory_urls,
    )
    index = built_index(site)
    assert index.found("quokka") == {"Guide & more": Weight.TEXT}
    assert index.found("wombat") == {"Install it": Weight.TEXT}
    assert index.found("echidna") == {"Deep": Weight.TEXT}
    assert index.found("platypus") == {}
    for _, _, address, *_ in index.names["pages"]:
        assert (site.folder / address.partition("#")[0]).exists(), address
