r"""How a text is taken apart for search.

The script of the search does the same with what a reader asks for, in `termsOf` of
site_config/theme/assets/opsetdocs-search.js; a test holds the two together. That is why what separates words
is written out, rather than left to `\w`: the two languages may know different versions of Unicode.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

SEPARATORS = (
    r"\u0000-\u002f\u003a-\u0040\u005b-\u005e\u0060\u007b-\u00bf\u00d7\u00f7\u05be\u060c\u061b\u061f\u0964\u0965"
    r"\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\u30fb"
    r"\ufe00-\ufe6f\ufffd\U0001f000-\U0001faff"
)
"""What stands between words: white space, punctuation, signs and pictures. An underscore does not."""

DENSE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without spaces between words, such as Chinese, Japanese and Thai; Korean too, which has few."""

_RUNS = re.compile(rf"[{DENSE}]+|[^{DENSE}{SEPARATORS}]+")
_IS_DENSE = re.compile(rf"[{DENSE}]")
_HUMPS = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

Term = tuple[str, ...]
"""The parts of a word, in lower case: of `LogSoftmax` `log` and `softmax`, of most words one."""


def terms(text: str) -> list[Term]:
    """Return the words of a text, in order.

    Names are cut at underscores and where CamelCase begins a new word, but acronyms are not: `QLinearConv`,
    `kernel_shape`, `RNN` have three parts, two, and one. Where words have no spaces between them, every two
    neighbouring characters are a word.
    """
    return [term for run in _runs(text) for term in _terms_of(run)]


def words(text: str) -> frozenset[str]:
    """Return all words under which a text is found: the parts of names, and names as one word."""
    return frozenset().union(*map(_words_of, set(_runs(text))))


def key(text: str) -> str:
    """Return a name as it is compared: the parts of its words without anything between them."""
    return "".join(part for run in _runs(text) for part in _parts(run))


def _runs(text: str) -> list[str]:
    """Return the runs of characters between separators."""
    # Characters that differ in width or form only, such as full-width letters, become the same.
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _RUNS.findall(plain)


@lru_cache(maxsize=16_384)
def _terms_of(run: str) -> tuple[Term, ...]:
    """Return the words of characters among which there is no separator."""
    if not _IS_DENSE.match(run):
        return (parts,) if (parts := _parts(run)) else ()
    return tuple((run[at : at + 2],) for at in range(max(1, len(run) - 1)))


@lru_cache(maxsize=16_384)
def _words_of(run: str) -> frozenset[str]:
    found = _terms_of(run)
    return frozenset(part for term in found for part in term) | frozenset(map("".join, found))


def _parts(run: str) -> Term:
    return tuple(part.lower() for part in _HUMPS.split(run) if part)
