"""What `opsetdocs rules` says: the list of all rules, and one of them explained, as lines and as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from opsetdocs.rule_book import MEANINGS, ExplainedRule, RuleExample, count_by_level
from opsetdocs.rules import Rule
from opsetdocs.terminal import Line, counted, folded, visible_lines, wrapped

Json = dict[str, Any]

_INDENT = "  "
_MIN_SUMMARY = 30
"""Where a summary has less room than this beside the other columns, it stands below them."""

_FENCE = re.compile(r"^ *(?:```|~~~)", re.MULTILINE)
_NO_PARAGRAPH = re.compile(r"^(?: |[-*+#>|]|[0-9]+\.)", re.MULTILINE)
"""What a line of a list, a table, a heading, a quotation or indented code begins with."""


# Text


def rule_lines(rules: Sequence[Rule], width: int) -> Iterator[Line]:
    """Yield the list of rules: id, level and summary of each, and how many there are.

    Args:
        rules: The rules.
        width: How many cells of the terminal a line may take.
    """
    ids = max(len(rule.id) for rule in rules)
    words = max(len(rule.word) for rule in rules)
    for rule in rules:
        start = f"{rule.id:{ids}}  {rule.word:{words}}  "
        if width - len(start) >= _MIN_SUMMARY:
            yield from map(Line, wrapped(rule.summary, width, start, " " * len(start)))
        else:
            yield from map(Line, wrapped(f"{rule.id} {rule.word}", width))
            yield from map(Line, wrapped(rule.summary, width, _INDENT, _INDENT))
    yield Line()
    summary = f"{counts_in_words(rules)}. `opsetdocs rules ID` explains one of them."
    yield from map(Line, wrapped(summary, width))


def counts_in_words(rules: Iterable[Rule]) -> str:
    """Return how many rules there are of each level: `31 rules: 14 MUST, 13 SHOULD, 4 NOTE`."""
    rules = tuple(rules)
    words = {rule.level: rule.word for rule in rules}
    counts = [f"{count} {words[level]}" for level, count in count_by_level(rules).items() if count]
    return f"{counted(len(rules), 'rules')}: {', '.join(counts)}"


def explained_lines(explained: ExplainedRule, width: int) -> Iterator[Line]:
    """Yield everything about one rule: what it says, what it means, how to mend what breaks it, its examples.

    Args:
        explained: The rule.
        width: How many cells of the terminal a line may take. Lines of the examples' files are not broken.
    """
    rule = explained.rule
    texts = {
        rule.id: f"{rule.word}: {MEANINGS[rule.level]}",
        "The specification": f"{rule.sentence}\n\n{_INDENT}{rule.source}",
        "What it means": rule.purpose,
        "How to mend it": rule.mend,
    }
    for title, text in texts.items():
        yield Line(title, bold=True)
        yield Line()
        yield from _text(text, width)
        yield Line()
    yield from _example("An example that breaks it", explained.bad, width)
    yield Line()
    yield from _example("An example that keeps it", explained.good, width)


def _text(markdown: str, width: int) -> Iterator[Line]:
    for line in folded(visible_lines(_reflowed(markdown)), width - len(_INDENT)):
        yield Line(_INDENT + line if line else "")


def _reflowed(markdown: str) -> str:
    """A text whose paragraphs are a line each, since they are broken anew; other blocks stay as they are."""
    if _FENCE.search(markdown):
        return markdown
    blocks = markdown.split("\n\n")
    return "\n\n".join(item if _NO_PARAGRAPH.search(item) else " ".join(item.split()) for item in blocks)


def _example(title: str, example: RuleExample, width: int) -> Iterator[Line]:
    yield Line(title, bold=True)
    for item in (*example.files, *example.published):
        yield Line()
        yield Line(f"{_INDENT}{item.name}")
        yield Line()
        yield from (Line(_INDENT * 2 + line if line else "") for line in visible_lines(item.text))
    if example.findings:
        yield Line()
        yield Line(f"{_INDENT}$ {example.command}")
        yield Line()
        for line in example.findings.split("\n"):
            yield from _finding_line(line, width)


def _finding_line(line: str, width: int) -> Iterator[Line]:
    indent = " " * (len(line) - len(line.lstrip())) + _INDENT * 2
    return map(Line, wrapped(line, width, indent, indent + _INDENT))


# JSON


def rules_data(rules: Iterable[Rule]) -> Json:
    """Return the list of rules as data."""
    return {"rules": [_rule_data(rule) for rule in rules]}


def explained_data(explained: ExplainedRule) -> Json:
    """Return one rule as data, with its examples."""
    examples = {"bad": _example_data(explained.bad), "good": _example_data(explained.good)}
    return {**_rule_data(explained.rule), "examples": examples}


def _rule_data(rule: Rule) -> Json:
    return {
        "id": rule.id,
        "level": rule.word,
        "summary": rule.summary,
        "sentence": rule.sentence,
        "source": rule.source,
        "purpose": rule.purpose,
        "mend": rule.mend,
    }


def _example_data(example: RuleExample) -> Json:
    return {
        "files": {item.name: item.text for item in example.files},
        "published": {item.name: item.text for item in example.published},
        "findings": example.findings.split("\n") if example.findings else [],
    }
