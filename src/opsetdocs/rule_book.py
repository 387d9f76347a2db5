"""The rules as people read them: each with its examples, and with what `opsetdocs check` says about these.

The examples of a rule are data of the package: `examples/<ID>/bad` holds the smallest files that break it,
`examples/<ID>/good` files that keep it. All files of a folder are checked together; where the rule compares
them with what was published before, that is in `published` below. `bad/findings.txt` holds the findings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable

from opsetdocs.errors import ConfigError, OpsetdocsError
from opsetdocs.findings import Level
from opsetdocs.rules import MUST, NOTE, RULES, SHOULD, Rule, near_rules

MEANINGS: Mapping[Level, str] = {
    MUST: "The format demands it; a finding is an error.",
    SHOULD: "The format asks for it, or readers are misled; a finding is a warning.",
    NOTE: "It is good to know; nothing has to be done.",
}
"""What the levels of rules mean, the weightiest first."""

_FINDINGS = "findings.txt"
_PLACE = re.compile(r"\A[^\s:]+(?::[0-9]+)*: ")
"""What a finding begins with: the file, and where known the line and the column."""
_PUBLISHED = "published"
_LANGUAGES = {"textproto": "textproto", "json": "json", "onnxjson": "json"}
_ROW = 16
"""How many bytes of a binary file stand in a line."""


@dataclass(frozen=True, slots=True)
class ExampleFile:
    """A file of an example."""

    name: str
    """The name, below the folder of the example."""
    text: str
    """What it holds; of a binary file, its bytes in hexadecimal digits with the letters beside them."""

    @property
    def language(self) -> str:
        """The language of the text, as blocks of code name it."""
        return _LANGUAGES.get(self.name.rpartition(".")[2], "text")


@dataclass(frozen=True, slots=True)
class RuleExample:
    """Files that break a rule, or keep it."""

    files: tuple[ExampleFile, ...]
    """What is checked, all of it together."""
    published: tuple[ExampleFile, ...]
    """What was published before (`--against published`); empty where the rule needs nothing of that kind."""
    findings: str
    """What `opsetdocs check` finds, a line for each finding and indented ones for its details; or nothing."""

    @property
    def command(self) -> str:
        """The command that checks the example, given in its folder."""
        names = " ".join(item.name for item in self.files)
        return f"opsetdocs check {names}" + (f" --against {_PUBLISHED}/" if self.published else "")


@dataclass(frozen=True, slots=True)
class ExplainedRule:
    """A rule and its examples."""

    rule: Rule
    bad: RuleExample
    good: RuleExample

    @property
    def brief(self) -> str:
        """The bad example in a line: what is found first, without the name of a file and that of the rule."""
        line = self.bad.findings.partition("\n")[0]
        return _PLACE.sub("", line).removesuffix(f" [{self.rule.id}]")


def rule_book() -> tuple[ExplainedRule, ...]:
    """Return all rules with their examples, in the order in which they are checked.

    Raises:
        OpsetdocsError: The installation lacks the examples of a rule.
    """
    return tuple(map(explained, RULES.values()))


def explained(rule: Rule) -> ExplainedRule:
    """Return a rule with its examples.

    Raises:
        OpsetdocsError: The installation lacks them.
    """
    folder = resources.files("opsetdocs").joinpath("examples", rule.id)
    try:
        return ExplainedRule(rule, _example(folder.joinpath("bad")), _example(folder.joinpath("good")))
    except OSError as err:
        raise OpsetdocsError(
            f"this installation of opsetdocs is incomplete: the examples of {rule.id} cannot be read: {err}"
        ) from err


def find_rule(name: str) -> Rule:
    """Return the rule that has an id, whatever the case in which that is written.

    Raises:
        ConfigError: No rule has it.
    """
    id_ = name.strip().upper()
    if id_ in RULES:
        return RULES[id_]
    raise ConfigError(f"there is no rule {name}; {near_rules(name)}")


def count_by_level(rules: Iterable[Rule]) -> dict[Level, int]:
    """Return how many rules each level has, the weightiest level first."""
    counts = Counter(rule.level for rule in rules)
    return {level: counts[level] for level in MEANINGS}


def _example(folder: Traversable) -> RuleExample:
    published = folder.joinpath(_PUBLISHED)
    findings = folder.joinpath(_FINDINGS)
    return RuleExample(
        files=_files(folder),
        published=_files(published, f"{_PUBLISHED}/") if published.is_dir() else (),
        findings=_text(findings) if findings.is_file() else "",
    )


def _files(folder: Traversable, prefix: str = "") -> tuple[ExampleFile, ...]:
    named = ((item.name, item) for item in folder.iterdir() if item.is_file() and item.name != _FINDINGS)
    return tuple(ExampleFile(prefix + name, _text(item)) for name, item in sorted(named))


def _text(file: Traversable) -> str:
    content = file.read_bytes()
    try:
        text = content.decode().rstrip("\n")
    except UnicodeDecodeError:
        return _dump(content)
    return text if all(line.isprintable() for line in text.split("\n")) else _dump(content)


def _dump(content: bytes) -> str:
    rows = (content[start : start + _ROW] for start in range(0, len(content), _ROW))
    return "\n".join(f"{row.hex(' '):{3 * _ROW + 1}}{_letters(row)}" for row in rows)


def _letters(row: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in row)
