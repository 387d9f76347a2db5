"""The rules of the format, as data: id, level, the sentence that a rule stands for, a function that looks.

To add a rule, write one function under two decorators: `rule`, and one of `each_set`, `each_entry` and
`across_sets`, which say what the function looks at. Its docstring is the rule's purpose. It yields a message,
or a `Problem`, for everything that does not keep the rule.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps

from opsetdocs.catalog import Part
from opsetdocs.findings import Finding, Level
from opsetdocs.identity import (
    Name,
    entries,
    metadata,
    name_of,
    stated_since_version,
    stated_status,
    status_number,
    whole_number,
)
from opsetdocs.meaning import as_part, part_meaning, part_signature, part_words, words_key
from opsetdocs.model import Function, Operator, OperatorSet, domain_name

MUST = Level.ERROR
SHOULD = Level.WARNING

IR_VERSION_OF_FUNCTION_DOMAIN = 8
"""Files of earlier IR versions are older than FunctionProto.domain."""

Sets = Sequence[OperatorSet]
Entry = Operator | Function


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not keep a rule."""

    message: str
    file: str
    element: str = ""
    level: Level | None = None
    """The level, where it is not that of the rule."""


Check = Callable[[Sets], Iterable[Problem]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the format."""

    id: str
    level: Level
    sentence: str
    """What the specification says, in a sentence."""
    purpose: str
    """What the rule looks at, and why."""
    check: Check


RULES: dict[str, Rule] = {}
"""All rules by id, in the order in which they are checked."""


def run(sets: Sets) -> tuple[Finding, ...]:
    """Check operator sets against all rules.

    Returns:
        The findings, rule by rule and in the order of the sets.
    """
    return tuple(
        Finding(
            level=item.level if problem.level is None else problem.level,
            message=problem.message,
            file=problem.file,
            element=problem.element,
            rule=item.id,
        )
        for item in RULES.values()
        for problem in item.check(sets)
    )


def rule(id: str, level: Level, sentence: str) -> Callable[[Check], Check]:  # noqa: A002 - a rule's id is its name
    """Register a rule."""

    def register(check: Check) -> Check:
        RULES[id] = Rule(id, level, sentence, purpose=(check.__doc__ or "").strip(), check=check)
        return check

    return register


def each_set(look: Callable[[OperatorSet], Iterable[str]]) -> Check:
    """Let a rule look at one set at a time."""

    @wraps(look)
    def check(sets: Sets) -> Iterator[Problem]:
        for item in sets:
            for message in look(item):
                yield Problem(message, item.source)

    return check


def each_entry(look: Callable[[OperatorSet, Entry], Iterable[str]]) -> Check:
    """Let a rule look at one operator or function at a time, and at the set that it belongs to."""

    @wraps(look)
    def check(sets: Sets) -> Iterator[Problem]:
        for item in sets:
            for entry in entries(item):
                for message in look(item, entry):
                    yield Problem(message, item.source, element_name(entry))

    return check


def across_sets(look: Callable[[Sets], Iterable[Problem]]) -> Check:
    """Let a rule look at all sets together."""
    return look


def element_name(entry: Entry) -> str:
    """Return where an entry stands in its file, and its name: `operator[3] Conv`."""
    field = "operator" if isinstance(entry, Operator) else "functions"
    name = name_of(entry)
    return f"{field}[{entry.position}] {name}" if name else f"{field}[{entry.position}]"


# The set as a whole.


@rule("OPSET_VERSION_PRESENT", MUST, "opset_version must be present.")
@each_set
def opset_version_present(item: OperatorSet) -> Iterator[str]:
    """Without its opset_version a set has no identity, so it cannot be documented."""
    if item.opset_version is None:
        yield "opset_version is missing, expected a number >= 1; the set is left out"
    elif item.opset_version < 1:
        yield f"opset_version is {item.opset_version}, expected a number >= 1; the set is left out"


_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_REVERSE_DNS = re.compile(rf"[A-Za-z]{{2,}}(?:\.{_LABEL})+\Z")


@rule("OPSET_DOMAIN_REVERSE_DNS", SHOULD, "The domain is a reverse-DNS name.")
@each_set
def opset_domain_reverse_dns(item: OperatorSet) -> Iterator[str]:
    """A name that belongs to its author never meets another one; the default domain is exempt."""
    if not _REVERSE_DNS.match(domain_name(item.domain)):
        yield f'domain is "{item.domain}", expected a reverse-DNS name such as com.example.ops'


@rule("OPSET_UNIQUE", MUST, "The domain and the opset_version identify an operator set.")
@across_sets
def opset_unique(sets: Sets) -> Iterator[Problem]:
    """Two files of one opset leave open which of them holds; two that say the same are only untidy."""
    for (domain, opset), (first, *others) in _by_opset(sets).items():
        for other in others:
            same = _set_meaning(first) == _set_meaning(other)
            says = "the same" if same else "something else"
            yield Problem(
                f"{first.source} is {domain} opset {opset} as well and says {says}; expected one file",
                other.source,
                level=SHOULD if same else None,
            )


# Operators and functions.


@rule("OPERATOR_OP_TYPE_PRESENT", MUST, "op_type must be present.")
@each_entry
def operator_op_type_present(_: OperatorSet, entry: Entry) -> Iterator[str]:
    """What has no name cannot be used, nor documented."""
    if name_of(entry) is None:
        yield f"{'op_type' if isinstance(entry, Operator) else 'name'} is missing; the entry is left out"


@rule("OPERATOR_SINCE_VERSION_PRESENT", MUST, "since_version must be present.")
@each_entry
def operator_since_version_present(_: OperatorSet, entry: Entry) -> Iterator[str]:
    """An operator states its version; a function need not, but what it states is a number from 1."""
    expected = "expected a number >= 1"
    derived = "the first loaded opset that has this very entry stands for it"
    if isinstance(entry, Operator) and entry.since_version is None:
        yield f"since_version is missing, {expected}; {derived}"
    elif entry.since_version is not None and entry.since_version < 1:
        yield f"since_version is {entry.since_version}, {expected}; {derived}"
    text = metadata(entry, "since_version")
    if text is not None and not whole_number(text):
        yield f'metadata_props["since_version"] is "{text}", {expected}; it is ignored'


@rule(
    "OPERATOR_SINCE_VERSION_WITHIN_SET",
    MUST,
    "Every operator of a set has a since_version that is not above the set's opset_version.",
)
@each_entry
def operator_since_version_within_set(item: OperatorSet, entry: Entry) -> Iterator[str]:
    """A version cannot be part of an opset that is older than itself."""
    since_version = stated_since_version(entry)
    if since_version and item.opset_version and since_version > item.opset_version:
        yield f"since_version is {since_version}, above this set's opset_version {item.opset_version}"


@rule("OPERATOR_STATUS_KNOWN", SHOULD, "status is EXPERIMENTAL or STABLE.")
@each_entry
def operator_status_known(_: OperatorSet, entry: Entry) -> Iterator[str]:
    """An operator without a status counts as experimental, which is rarely meant."""
    status = stated_status(entry)
    expected = "expected EXPERIMENTAL or STABLE"
    if status.number is None:
        yield f"status is not stated and counts as EXPERIMENTAL, {expected}"
    elif status.number not in (0, 1):
        yield f"status is {status.number}, {expected}"
    text = metadata(entry, "status")
    if text is not None and status_number(text) is None:
        yield f'metadata_props["status"] is "{text}", {expected}; it is ignored'


@rule(
    "OPERATOR_UNIQUE",
    MUST,
    "The pair of op_type and since_version is unique among the operators and functions of a set.",
)
@across_sets
def operator_unique(sets: Sets) -> Iterator[Problem]:
    """Of two entries for one version neither is preferred: pages show both, and the author decides."""
    for files in _by_opset(sets).values():
        first: dict[Hashable, tuple[OperatorSet, Entry]] = {}
        for item in files:
            for entry in entries(item):
                key = (name_of(entry), stated_since_version(entry))
                if key[0] is None:
                    continue
                before, known = first.setdefault(key, (item, entry))
                if known is not entry and (item is before or _meaning(entry) != _meaning(known)):
                    yield _duplicate(before, known, item, entry)


def _duplicate(before: OperatorSet, known: Entry, item: OperatorSet, entry: Entry) -> Problem:
    since_version = stated_since_version(entry)
    version = f"since_version {since_version} is" if since_version else "the name is"
    place = element_name(known) if item is before else f"{element_name(known)} in {before.source}"
    says = "the same" if _meaning(entry) == _meaning(known) else "something else"
    return Problem(
        f"{version} that of {place} as well, which says {says}",
        item.source,
        element_name(entry),
    )


@rule(
    "OPERATOR_STABLE_SIGNATURE_KEPT",
    MUST,
    "A version that is published STABLE does not change.",
)
@across_sets
def operator_stable_signature_kept(sets: Sets) -> Iterator[Problem]:
    """Models rely on the signature of a published version, and on the body of a published function."""
    yield from _not_kept(sets, "signature or body", part_signature)


@rule(
    "OPERATOR_STABLE_DOC_KEPT",
    SHOULD,
    "A version that is published STABLE does not change.",
)
@across_sets
def operator_stable_doc_kept(sets: Sets) -> Iterator[Problem]:
    """Readers rely on the words of a published version; white space and examples may change."""
    yield from _not_kept(sets, "text", part_words)


def _not_kept(sets: Sets, what: str, aspect: Callable[[Part], Hashable]) -> Iterator[Problem]:
    """Yield one problem for each published version of which files say different things."""
    for (_, _, since_version), stable in _stable_versions(sets).items():
        variants: dict[Hashable, list[tuple[OperatorSet, Entry]]] = defaultdict(list)
        for item, found in stable:
            variants[frozenset(aspect(as_part(entry)) for entry in found)].append((item, found[0]))
        # Two files of one opset are a matter of OPSET_UNIQUE and OPERATOR_UNIQUE.
        if len(variants) == 1 or len({item.opset_version for item, _ in stable}) == 1:
            continue
        *others, (item, entry) = [files[0] for files in variants.values()]
        yield Problem(
            f"the {what} of since_version {since_version}, which is STABLE, differs from that in "
            + " and ".join(f"{other.source} (opset {other.opset_version})" for other, _ in others),
            item.source,
            element_name(entry),
        )


def _stable_versions(
    sets: Sets,
) -> Mapping[tuple[str, Name, int], Sequence[tuple[OperatorSet, Sequence[Entry]]]]:
    """Return the published versions, each with the sets that have it, by opset, and its entries there."""
    versions: dict[tuple[str, Name, int], list[tuple[OperatorSet, Sequence[Entry]]]] = defaultdict(list)
    for item in sorted(sets, key=lambda item: (item.opset_version or 0, item.source)):
        found: dict[tuple[str, Name, int], list[Entry]] = defaultdict(list)
        for entry in entries(item):
            name, since_version = name_of(entry), stated_since_version(entry)
            if name and since_version and stated_status(entry).is_stable:
                found[domain_name(item.domain), name, since_version].append(entry)
        for key, same_version in found.items():
            versions[key].append((item, same_version))
    return versions


# Functions.


@rule("FUNCTION_DOMAIN", SHOULD, "A function belongs to the domain that its domain field names.")
@each_entry
def function_domain(item: OperatorSet, entry: Entry) -> Iterator[str]:
    """A function is documented in the domain of its set, so it should name that one."""
    if not isinstance(entry, Function) or domain_name(entry.domain) == domain_name(item.domain):
        return
    if entry.domain:
        yield f"domain is {entry.domain}, that of the set is {domain_name(item.domain)}"
    elif (item.ir_version or 0) >= IR_VERSION_OF_FUNCTION_DOMAIN:
        yield f"domain is not stated and means ai.onnx, that of the set is {domain_name(item.domain)}"


def _by_opset(sets: Sets) -> dict[tuple[str, int], list[OperatorSet]]:
    """Return the sets of each domain and opset_version, in the order in which they were loaded."""
    result: dict[tuple[str, int], list[OperatorSet]] = defaultdict(list)
    for position, item in enumerate(sets):
        # A set without an opset_version stands alone.
        result[domain_name(item.domain), item.opset_version or -position].append(item)
    return result


def _meaning(entry: Entry) -> Hashable:
    return part_meaning(as_part(entry))


def _set_meaning(item: OperatorSet) -> Hashable:
    said = frozenset(
        (name_of(entry), stated_since_version(entry), _meaning(entry)) for entry in entries(item)
    )
    return words_key(item.doc_string or ""), said
