"""Rules about a set as a whole."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from opsetdocs import schema
from opsetdocs.identity import entries, name_of, stated_since_version
from opsetdocs.meaning import as_part, part_meaning, words_key
from opsetdocs.model import MAGIC, OperatorSet, UnknownField, domain_name
from opsetdocs.rules.registry import (
    MUST,
    SHOULD,
    Entry,
    Fault,
    Problem,
    Sets,
    Where,
    across_sets,
    each_set,
    rule,
)
from opsetdocs.wire import Path, dotted


@rule(
    "OPSET_MAGIC",
    MUST,
    f'magic MUST be present, and MUST be "{MAGIC}".',
    "onnx-operators-ml.proto, OperatorSetProto.magic",
)
@each_set
def opset_magic(item: OperatorSet) -> Iterator[Fault]:
    """A file says in its first field that it is an operator set.

    Nothing else tells an operator set from other protobuf content: a model parses as one without an error,
    and so does an empty file. A file without the right `magic` is therefore refused before anything else in
    it is believed, and no page is made from it.

    To mend it, add `magic: "ONNXOPSET"`, if the file is meant as an operator set. If it is a model, take it
    out of the sources.
    """
    if item.magic != MAGIC:
        found = "absent" if item.magic is None else f'"{item.magic}"'
        yield Fault(f'magic is {found}, expected "{MAGIC}"', ("magic",))


@rule(
    "OPSET_IR_VERSION_PRESENT",
    MUST,
    "ir_version MUST be present.",
    "onnx-operators-ml.proto, OperatorSetProto.ir_version",
)
@each_set
def opset_ir_version_present(item: OperatorSet) -> Iterator[Fault]:
    """A set states which version of the ONNX IR it follows.

    The version decides how the rest of the file is read: before IR version 8, for example, a function stated
    its `since_version` and its `status` in fields of its own. IR versions count from 1.

    To mend it, set `ir_version` to the version of the ONNX release that the file was written for: 8 for ONNX
    1.10, 10 for ONNX 1.16.
    """
    expected = "expected a number >= 1"
    if item.ir_version is None:
        yield Fault(f"ir_version is missing, {expected}", ("ir_version",))
    elif item.ir_version < 1:
        yield Fault(f"ir_version is {item.ir_version}, {expected}", ("ir_version",))


@rule(
    "OPSET_IR_VERSION_KNOWN",
    SHOULD,
    "ir_version is the version of the IR syntax and semantics that the set adheres to.",
    "onnx-operators-ml.proto, OperatorSetProto.ir_version; onnx-ml.proto, Version",
)
@each_set
def opset_ir_version_known(item: OperatorSet) -> Iterator[Fault]:
    """The IR version is one that the installed onnx package knows.

    Each IR version may add fields to the format. What a newer one says in them cannot be read here, and would
    be missing from the pages.

    To mend it, install an onnx package that knows the version, or correct `ir_version` if it is not meant: it
    is neither an opset_version nor the version of the onnx package.
    """
    newest = newest_ir_version()
    if item.ir_version is not None and item.ir_version > newest:
        yield Fault(
            f"ir_version is {item.ir_version}, expected at most {newest}, "
            "the newest that the installed onnx knows",
            ("ir_version",),
        )


@cache
def newest_ir_version() -> int:
    """Return the newest IR version that the installed onnx package knows."""
    return max(schema.enum("Version").values_by_number)


_PRERELEASE = re.compile(r"0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*")
_BUILD_METADATA = re.compile(r"[0-9A-Za-z-]+")
_DOTTED = "identifiers of ASCII letters, digits and hyphens, separated by dots"


@rule(
    "OPSET_IR_VERSION_SEMVER",
    SHOULD,
    "ir_version_prerelease and ir_build_metadata are components of the SemVer of the IR.",
    "onnx-operators-ml.proto, OperatorSetProto.ir_version_prerelease and ir_build_metadata; "
    "Semantic Versioning 2.0.0, items 9 and 10",
)
@each_set
def opset_ir_version_semver(item: OperatorSet) -> Iterator[Fault]:
    """Prerelease and build metadata are well-formed parts of a semantic version.

    Both are identifiers of ASCII letters, digits and hyphens, separated by dots. Only in build metadata may a
    number begin with a zero. The hyphen and the plus sign that set the parts off in a version,
    `1.0.0-rc.1+build.7`, are not written: identifiers have no plus sign, and a hyphen in front would be read
    as the first character of one. Tools that compare versions cannot order anything else.

    To mend it, write `rc.1` instead of `rc.01` or `rc 1`, and leave a part out that says nothing.
    """
    if not _is_semver_part(item.ir_version_prerelease, _PRERELEASE):
        yield Fault(
            f'ir_version_prerelease is "{item.ir_version_prerelease}", '
            f"expected {_DOTTED}, numbers without leading zeros",
            ("ir_version_prerelease",),
        )
    if not _is_semver_part(item.ir_build_metadata, _BUILD_METADATA):
        yield Fault(
            f'ir_build_metadata is "{item.ir_build_metadata}", expected {_DOTTED}', ("ir_build_metadata",)
        )


def _is_semver_part(text: str | None, identifier: re.Pattern[str]) -> bool:
    # An empty text is the same as none.
    return not text or all(map(identifier.fullmatch, text.split(".")))


# Underscores are in order: IR.md asks for the names of Java packages, not for host names.
_REVERSE_DNS = re.compile(r"[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9](?:\.\w(?:[\w-]*\w)?)+", re.ASCII)


@rule(
    "OPSET_DOMAIN_REVERSE_DNS",
    SHOULD,
    "Operator sets other than the default one SHOULD use reverse domain names.",
    "docs/IR.md, Operator Sets; onnx-operators-ml.proto, OperatorSetProto.domain",
)
@each_set
def opset_domain_reverse_dns(item: OperatorSet) -> Iterator[Fault]:
    """The domain is a reverse-DNS name, such as `com.acme.dnnops`.

    A name that begins with a domain its author owns never meets the name of somebody else. Placeholders such
    as `this` or `custom` do, as soon as one model uses the operators of two authors. The default domain,
    which is empty or `ai.onnx`, is that of the ONNX standard.

    To mend it, choose a name below a domain that you own, and use it in the models, too: a domain is part of
    the identity of its operators, so a published one cannot be renamed in silence.
    """
    if item.domain and not _REVERSE_DNS.fullmatch(item.domain):
        yield Fault(
            f'domain is "{item.domain}", expected a reverse-DNS name such as com.example.ops', ("domain",)
        )


@rule(
    "OPSET_VERSION_PRESENT",
    MUST,
    "Operator sets are uniquely identified by a two part identifier, (domain, opset_version).",
    "onnx-operators-ml.proto, OperatorSetProto",
)
@each_set
def opset_version_present(item: OperatorSet) -> Iterator[Fault]:
    """A set states its opset_version, a number from 1.

    Without it a set has no identity: neither can a model import it, nor is it known which set comes before or
    after it. It is left out of the site.

    To mend it, set `opset_version`: 1 for the first set of a domain, and one more each time that its
    membership changes.
    """
    expected = "expected a number >= 1; the set is left out"
    if item.opset_version is None:
        yield Fault(f"opset_version is missing, {expected}", ("opset_version",))
    elif not has_version(item):
        yield Fault(f"opset_version is {item.opset_version}, {expected}", ("opset_version",))


@rule(
    "OPSET_UNKNOWN_FIELDS",
    SHOULD,
    "The .proto files form the normative specification of the syntax.",
    "docs/IR.md, Purpose",
)
@across_sets
def opset_unknown_fields(checked: Sets) -> Iterator[Problem]:
    """A file has no field that the format does not know.

    In a binary file, fields are numbers, and protobuf passes over a number that it does not know. So what a
    newer version of the format says, or a private extension, would be missing from the pages without a word.
    In text and JSON form, fields have names, and a file with an unknown one is refused as a whole.

    To mend it, install an onnx package that knows the field, or write the file without it.
    """
    for item in checked.sets:
        for unknown in item.unknown_fields:
            where = _whereabouts(item, unknown.path)
            yield Problem(
                f"{_unknown(unknown, where.field)}; it is left out",
                replace(where, field=(*where.field, unknown.known_as)) if unknown.known_as else where,
            )


def _unknown(field: UnknownField, inside: Path) -> str:
    of = f" of {dotted(inside)}" if inside else ""
    if field.known_as:
        return f"field {field.number} ({field.known_as}){of} has a value that the format does not know"
    return f"field {field.number}{of} is unknown to the format"


def _whereabouts(item: OperatorSet, path: Path) -> Where:
    """Return the place to which a path from the set leads."""
    match path:
        case ("operator", int(position), *field):
            return Where(item, item.operators[position], tuple(field))
        case ("functions", int(position), *field):
            return Where(item, item.functions[position], tuple(field))
        case _:
            return Where(item, field=path)


@rule(
    "OPSET_UNIQUE",
    MUST,
    "Operator sets are uniquely identified by a two part identifier, (domain, opset_version).",
    "onnx-operators-ml.proto, OperatorSetProto",
)
@across_sets
def opset_unique(checked: Sets) -> Iterator[Problem]:
    """No two files hold the same opset of a domain.

    Of two files that say different things, nobody can tell which of them a model means that imports the
    opset. This happens when somebody adds operators of their own to the domain of others, or when a set is
    changed and keeps its number. Two files that say the same are untidy only, so they are a warning.

    To mend it, keep one of the files. If both are meant, give your own operators a domain of your own, or the
    changed set the next `opset_version`.
    """
    for first, *others in by_opset(checked.sets):
        for other in others:
            same = _is_same_set(first, other)
            yield Problem(
                f"{first.source} is {domain_name(first.domain)} opset {first.opset_version} as well "
                f"and says {'the same' if same else 'something else'}; expected one file",
                Where(other, field=("opset_version",)),
                others=(Where(first, field=("opset_version",)),),
                level=SHOULD if same else None,
            )


def has_version(item: OperatorSet) -> bool:
    """Return whether a set states an opset_version that can be one."""
    return item.opset_version is not None and item.opset_version >= 1


def by_opset(sets: Sequence[OperatorSet]) -> Collection[Sequence[OperatorSet]]:
    """Return the sets of each domain and opset_version, in the order in which they were loaded.

    A set without an opset_version stands alone.
    """
    groups: dict[Hashable, list[OperatorSet]] = defaultdict(list)
    for position, item in enumerate(sets):
        groups[(domain_name(item.domain), item.opset_version) if has_version(item) else position].append(item)
    return groups.values()


def is_same_entry(one: Entry, other: Entry) -> bool:
    """Return whether two entries of one name and version say the same."""
    # Equal texts are equal in meaning: the Markdown is parsed only where they differ.
    return _written(one) == _written(other) or _meaning(one) == _meaning(other)


def _is_same_set(one: OperatorSet, other: OperatorSet) -> bool:
    mine, theirs = set(map(_written, entries(one))), set(map(_written, entries(other)))
    same_text = words_key(one.doc_string or "") == words_key(other.doc_string or "")
    return same_text and _meanings(mine - theirs) == _meanings(theirs - mine)


def _written(entry: Entry) -> Entry:
    """Return an entry apart from where it stands in its file."""
    return replace(entry, position=0)


def _meanings(found: Iterable[Entry]) -> frozenset[Hashable]:
    return frozenset((name_of(entry), stated_since_version(entry), _meaning(entry)) for entry in found)


def _meaning(entry: Entry) -> Hashable:
    return part_meaning(as_part(entry))
