"""What a rule is, what it looks at, and how all rules are run.

A rule is a function under two decorators: `rule`, which states its id, its level and the sentence of the
specification, and one of `each_set`, `each_entry`, `each_function` and `across_sets`, which say what the
function looks at. It yields a `Fault` or a `Problem` for everything that does not keep the rule. Its
docstring says what the rule means, why it matters and, in a last paragraph that begins with "To mend it", how
to mend it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from inspect import cleandoc
from typing import Literal, TypeVar

from opsetdocs import places
from opsetdocs.caches import by_identity
from opsetdocs.findings import Finding, Level, Place
from opsetdocs.identity import entries, name_of
from opsetdocs.model import Function, Operator, OperatorSet
from opsetdocs.wire import Path, dotted

MUST = Level.ERROR
SHOULD = Level.WARNING
NOTE = Level.NOTE

Entry = Operator | Function


@dataclass(frozen=True, slots=True, eq=False)
class Sets:
    """What is checked; equal to itself alone, so that what one rule made of it can be kept for the next."""

    sets: Sequence[OperatorSet]
    published: Sequence[OperatorSet] = ()
    """What was published before, against which the sets are checked; empty without `--against`."""
    complete: bool = True
    """Whether the sets are all that there is: no file is unusable, and every set has an opset_version."""


@dataclass(frozen=True, slots=True)
class Where:
    """A place in an operator set, before it is known in which line that is."""

    set: OperatorSet
    entry: Entry | None = None
    """The operator or function; `None` for the set as a whole."""
    field: Path = ()
    """The way from the set, or from the entry, to a field that may be absent: `("node", 2, "input", 0)`."""

    @property
    def path(self) -> Path:
        """The way from the set to the field."""
        if self.entry is None:
            return self.field
        kind = "operator" if isinstance(self.entry, Operator) else "functions"
        return (kind, self.entry.position, *self.field)


@dataclass(frozen=True, slots=True)
class Fault:
    """What does not keep a rule in the set or entry that the rule looks at."""

    message: str
    """What was found and what was expected, in one sentence."""
    field: Path = ()
    """The way to the field, as in `Where`."""
    level: Level | None = None
    """The level, where it is not that of the rule."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What does not keep a rule, and where."""

    message: str
    """What was found and what was expected, in one sentence."""
    where: Where
    others: tuple[Where, ...] = ()
    """What it is in conflict with."""
    details: tuple[str, ...] = ()
    """What differs, a line each."""
    level: Level | None = None
    """The level, where it is not that of the rule."""


Check = Callable[[Sets], Iterable[Problem]]

_MOST_KEPT = 128
"""Of so many sets it is kept what does not keep a rule about single sets."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the format."""

    id: str
    level: Level
    sentence: str
    """What the specification says, in a sentence."""
    source: str
    """Where the specification says it: file and message, or section."""
    purpose: str
    """Markdown: what the rule means, and why."""
    mend: str
    """Markdown: how to mend what does not keep it."""
    check: Check

    @property
    def word(self) -> Literal["MUST", "SHOULD", "NOTE"]:
        """The level as the specification has it."""
        return {MUST: "MUST", SHOULD: "SHOULD", NOTE: "NOTE"}[self.level]  # type: ignore[return-value]

    @property
    def summary(self) -> str:
        """Markdown: what holds where the rule is kept, in a line. The purpose begins with it."""
        return " ".join(self.purpose.partition("\n\n")[0].split())


RULES: dict[str, Rule] = {}
"""All rules by id, in the order in which they are checked and listed."""


def near_rules(name: str) -> str:
    """Return in words which rules may be meant by an id or a pattern that fits none."""
    sought = name.upper().strip("*")
    near = (
        [id_ for id_ in RULES if sought and sought in id_]
        or get_close_matches(sought, RULES, n=1)
        or _with_near_words(sought)
    )
    *others, last = near[:_NEAR] or [""]
    either = f"{', '.join(others)} or {last}" if others else last
    return f"is {either} meant?" if near else "`opsetdocs rules` lists them all"


def _with_near_words(sought: str) -> list[str]:
    """Return the ids that have the most words near to those of a text."""
    known = {word for id_ in RULES for word in id_.split("_")}
    near = {
        word
        for asked in re.findall(r"[A-Z]+", sought)
        for word in get_close_matches(asked, known, n=1, cutoff=_NEAR_WORD)
    }
    shared = {id_: len(near.intersection(id_.split("_"))) for id_ in RULES}
    most = max(shared.values(), default=0)
    return [id_ for id_, number in shared.items() if number == most] if most else []


_NEAR = 3
"""How many rules are named that may be meant."""

_NEAR_WORD = 0.75
"""How much two words have in common that may be the same, from 0 to 1."""


def run(
    sets: Sequence[OperatorSet],
    published: Sequence[OperatorSet] = (),
    *,
    rules: Iterable[Rule] | None = None,
    complete: bool = True,
) -> tuple[Finding, ...]:
    """Check operator sets against rules.

    Args:
        sets: The sets.
        published: What was published before. What is kept in the sets is then kept from there on, too.
        rules: The rules; all of them if it is `None`.
        complete: Whether all files could be used; otherwise what is missing may be in one of the others.

    Returns:
        The findings, rule by rule and in the order of the sets.
    """
    checked = Sets(sets, published, complete and all(item.opset_version for item in sets))
    chosen = RULES.values() if rules is None else rules
    return tuple(_finding(item, problem) for item in chosen for problem in item.check(checked))


def _finding(item: Rule, problem: Problem) -> Finding:
    where = problem.where
    place = _place(where)
    name = name_of(where.entry) if where.entry else None
    return Finding(
        level=item.level if problem.level is None else problem.level,
        message=problem.message,
        file=place.file,
        element=place.element,
        rule=item.id,
        line=place.line,
        column=place.column,
        name=str(name) if name else "",
        field=dotted(where.field),
        others=tuple(map(_place, problem.others)),
        details=problem.details,
    )


def _place(where: Where) -> Place:
    line, column = places.line_and_column(where.set.text, where.path) or (None, None)
    element = element_name(where.entry) if where.entry else ""
    return Place(where.set.source, element, line, column)


def rule(id: str, level: Level, sentence: str, source: str) -> Callable[[Check], Check]:  # noqa: A002 - its name
    """Register a rule."""

    def register(check: Check) -> Check:
        purpose, _, mend = cleandoc(check.__doc__ or "").partition("\n\nTo mend it")
        RULES[id] = Rule(id, level, sentence, source, purpose, f"To mend it{mend}" if mend else "", check)
        return check

    return register


def each_set(look: Callable[[OperatorSet], Iterable[Fault]]) -> Check:
    """Let a rule look at one set at a time."""
    # Most sets are those of the build before while a site is served: these are looked at once.
    found = by_identity(_MOST_KEPT)(lambda item: tuple(look(item)))

    @wraps(look)
    def check(checked: Sets) -> Iterator[Problem]:
        for item in checked.sets:
            for fault in found(item):
                yield Problem(fault.message, Where(item, field=fault.field), level=fault.level)

    return check


def each_entry(look: Callable[[OperatorSet, Entry], Iterable[Fault]]) -> Check:
    """Let a rule look at one operator or function at a time, and at the set that it belongs to."""
    return _each(entries, look)


def each_function(look: Callable[[OperatorSet, Function], Iterable[Fault]]) -> Check:
    """Let a rule look at one function at a time, and at the set that it belongs to."""
    return _each(lambda item: item.functions, look)


_Member = TypeVar("_Member", Function, Entry)


def _each(
    members: Callable[[OperatorSet], Iterable[_Member]],
    look: Callable[[OperatorSet, _Member], Iterable[Fault]],
) -> Check:
    @by_identity(_MOST_KEPT)
    def found(item: OperatorSet) -> tuple[tuple[_Member, Fault], ...]:
        return tuple((entry, fault) for entry in members(item) for fault in look(item, entry))

    @wraps(look)
    def check(checked: Sets) -> Iterator[Problem]:
        for item in checked.sets:
            for entry, fault in found(item):
                yield Problem(fault.message, Where(item, entry, fault.field), level=fault.level)

    return check


def across_sets(look: Check) -> Check:
    """Let a rule look at all sets together, and at what was published before."""
    return look


def element_name(entry: Entry) -> str:
    """Return where an entry stands in its file, and its name: `operator[3] Conv`."""
    field = "operator" if isinstance(entry, Operator) else "functions"
    name = name_of(entry)
    return f"{field}[{entry.position}] {name}" if name else f"{field}[{entry.position}]"
