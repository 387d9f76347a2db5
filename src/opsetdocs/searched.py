"""What a search can find, as data: `search_index.py` writes it down for the theme's search."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Weight(IntEnum):
    """Where a word stands; a greater one comes first among results."""

    TEXT = 0
    SUMMARY = 1
    SIGNATURE = 2
    """In a type, or as a part of the name of an attribute, an input or an output."""
    NAME = 3
    """As the whole name of an attribute, an input or an output."""


Texts = tuple[tuple[Weight, str], ...]
"""Texts in which words are found. The order does not matter."""


@dataclass(frozen=True, slots=True)
class SearchedEntry:
    """An attribute, an input, an output or a type constraint: the place on a page to which a result leads."""

    kind: str
    """The word for it in ids: attribute, input, output, type."""
    name: str
    id: str
    """What stands for the name in ids."""
    type: str
    """Its type; of a constraint, the types that it allows."""


@dataclass(frozen=True, slots=True)
class SearchedOperator:
    """An operator, as search knows it."""

    name: str
    segment: str
    """What stands for the name in addresses."""
    mark: str
    """Its status in a word."""
    versions: tuple[tuple[int, str], ...]
    """Each version with its status in a word, ascending."""
    line: str
    """What the operator does, in a line."""
    texts: Texts
    entries: tuple[SearchedEntry, ...] = ()
    """What has an id on its page, in the order of the page."""


@dataclass(frozen=True, slots=True)
class SearchedDomain:
    """A domain, as search knows it: opsets and upgrades are found by their numbers."""

    name: str
    address: str
    opsets: tuple[int, ...]
    has_all_upgrades: bool
    """Whether every pair of opsets has a page; otherwise the page of all opsets tells of most."""
    operators: tuple[SearchedOperator, ...]


@dataclass(frozen=True, slots=True)
class SearchedPage:
    """A page, or a section of one, that is found by its title and its words."""

    address: str
    title: str
    place: str
    """What it belongs to, in words."""
    line: str
    texts: Texts
    is_opset: bool = False
    """Whether it is an opset's page, which is found by its number rather than its title."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Everything of an operator set section that can be found."""

    domains: tuple[SearchedDomain, ...]
    pages: tuple[SearchedPage, ...]
