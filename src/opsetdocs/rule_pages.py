"""The pages about the rules of `opsetdocs check`, made from the code: a table of all, a page for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from opsetdocs.addresses import Place
from opsetdocs.catalog import Catalog
from opsetdocs.digests import digest
from opsetdocs.errors import ConfigError
from opsetdocs.markdown import Renderer
from opsetdocs.pages import Page, Planned
from opsetdocs.rule_book import MEANINGS, ExplainedRule, count_by_level
from opsetdocs.rule_report import counts_in_words
from opsetdocs.rules import RULES, Rule
from opsetdocs.site import Target, TargetKind

ROOT = "rules/"
"""The address of the page of all rules below the section's root; those of single rules are below it."""

ROOT_ID = "rules"
"""The permanent id of that page; those of single rules begin with it and a dot."""

TITLE = "Rules for ONNX operator sets"


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A level of rules, as the page of all rules explains it."""

    word: str
    meaning: str
    count: int


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule in the table of all rules."""

    rule: Rule
    address: str
    summary: Markup
    sentence: Markup
    example: str
    """What is found in the bad example, in a line."""


def rule_address(id: str) -> str:  # noqa: A002 - its name
    """Return the address of the page of a rule."""
    return f"{ROOT}{id}/"


def rule_anchor(id: str) -> str:  # noqa: A002 - its name
    """Return the permanent id under which a rule can be linked to, such as `rules.OPSET_MAGIC`."""
    return f"{ROOT_ID}.{id}"


def rule_pages(book: Sequence[ExplainedRule], *, directory_urls: bool) -> Iterator[Planned]:
    """Yield the page of all rules, then that of each.

    Args:
        book: The rules; no page where there are none.
        directory_urls: Whether addresses of pages end in `/` or in `/index.html`.
    """
    renderer = Renderer(operator=_rule_in_code)
    # They depend on what all pages depend on, and on nothing else.
    made_from = digest()
    if book:
        url = Place(ROOT, directory_urls=directory_urls).url
        yield Planned(ROOT, made_from, partial(_page_of_all, book, renderer, url))
    for item in book:
        address = rule_address(item.rule.id)
        url = Place(address, directory_urls=directory_urls).url
        yield Planned(address, made_from, partial(_page_of_one, item, renderer, url))


def rule_targets(book: Iterable[ExplainedRule]) -> Iterator[Target]:
    """Yield what can be linked to by a permanent id."""
    for number, item in enumerate(book):
        if not number:
            yield Target(ROOT_ID, TargetKind.OTHER, TITLE, ROOT)
        id_ = item.rule.id
        yield Target(rule_anchor(id_), TargetKind.OTHER, id_, rule_address(id_))


def check_free(catalog: Catalog) -> None:
    """See that no domain has the addresses and ids of the pages about rules.

    Raises:
        ConfigError: One has.
    """
    for domain in catalog.domains:
        if domain.name.lower().partition(".")[0] == ROOT_ID:
            raise ConfigError(
                f"the option rules makes pages below {ROOT}, where those of the domain {domain.name} "
                "would stand as well"
            )


def _rule_in_code(text: str, _domain: str) -> str | None:
    """Where a word in code leads that is the id of a rule."""
    return rule_address(text) if text in RULES else None


def _page_of_all(book: Sequence[ExplainedRule], renderer: Renderer, url: Callable[[str], str]) -> Page:
    rules = [item.rule for item in book]
    return Page(
        address=ROOT,
        title=TITLE,
        description=(
            f"{counts_in_words(rules)}. What opsetdocs check asks of ONNX operator sets: each rule with the "
            "sentence of the specification, an example, and how to mend what breaks it."
        ),
        template="rules.html.jinja",
        variables={
            "id": ROOT_ID,
            "levels": list(_levels(rules)),
            "rows": [
                RuleRow(
                    rule=item.rule,
                    address=rule_address(item.rule.id),
                    summary=renderer.inline(item.rule.summary).place(rule_anchor(item.rule.id), url),
                    sentence=renderer.inline(item.rule.sentence).place(rule_anchor(item.rule.id), url),
                    example=item.brief,
                )
                for item in book
            ],
        },
        parent="",
        in_nav=True,
    )


def _levels(rules: Sequence[Rule]) -> Iterator[LevelRow]:
    words = {rule.level: rule.word for rule in rules}
    for level, count in count_by_level(rules).items():
        if count:
            yield LevelRow(words[level], MEANINGS[level], count)


def _page_of_one(explained: ExplainedRule, renderer: Renderer, url: Callable[[str], str]) -> Page:
    rule = explained.rule
    anchor = rule_anchor(rule.id)
    own = frozenset({rule.id})
    sentence = renderer.plain(rule.sentence)
    return Page(
        address=rule_address(rule.id),
        title=f"{rule.id}: a rule for ONNX operator sets",
        description=f"{rule.id} ({rule.word}): {renderer.plain(rule.summary)} {sentence}",
        template="rule.html.jinja",
        variables={
            "id": anchor,
            "rule": rule,
            "meaning": MEANINGS[rule.level],
            "sentence": renderer.inline(rule.sentence, own=own).place(anchor, url),
            "source": renderer.inline(rule.source, own=own).place(anchor, url),
            "purpose": renderer.render(rule.purpose, own=own).place(f"{anchor}.text", url),
            "mend": renderer.render(rule.mend, own=own).place(f"{anchor}.mend", url),
            "bad": explained.bad,
            "good": explained.good,
        },
        parent=ROOT,
    )
