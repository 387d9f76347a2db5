"""Rules about single operators and functions."""

from __future__ import annotations

from collections.abc import Iterator

from opsetdocs.identity import (
    Name,
    entries,
    metadata,
    name_of,
    stated_since_version,
    status_number,
    whole_number,
)
from opsetdocs.model import Function, Operator, OperatorSet
from opsetdocs.rules.opset import by_opset, is_same_entry
from opsetdocs.rules.registry import (
    MUST,
    NOTE,
    SHOULD,
    Entry,
    Fault,
    Problem,
    Sets,
    Where,
    across_sets,
    each_entry,
    element_name,
    rule,
)
from opsetdocs.wire import Path

_Identity = tuple[Name, int | None]
"""The name of an entry and its stated since_version."""


@rule(
    "OPERATOR_OP_TYPE_PRESENT",
    MUST,
    "op_type MUST be present.",
    "onnx-operators-ml.proto, OperatorProto.op_type; onnx-ml.proto, FunctionProto.name",
)
@each_entry
def operator_op_type_present(_: OperatorSet, entry: Entry) -> Iterator[Fault]:
    """An operator has an op_type, and a function a name.

    It is what a node of a model refers to. What has no name cannot be used, and cannot be documented: it is
    left out of the site.

    To mend it, set `op_type` (of an operator) or `name` (of a function), or take the entry out.
    """
    if name_of(entry) is None:
        field = _name_field(entry)
        yield Fault(f"{field} is missing, expected a name; the entry is left out", (field,))


@rule(
    "OPERATOR_OP_TYPE_IDENTIFIER",
    SHOULD,
    "All names SHOULD adhere to the C90 identifier syntax rules.",
    "docs/IR.md, Names Within a Graph",
)
@each_entry
def operator_op_type_identifier(_: OperatorSet, entry: Entry) -> Iterator[Fault]:
    """The name is a C identifier: ASCII letters, digits and underscores, and no digit first.

    Names become class names, file names and parts of addresses, in this site and in the tools that read
    models. Such a name can stand in all these places as it is.

    To mend it, rename the operator before it is published: `aten_add` instead of `aten::add`. Once it is
    published, models refer to its name, and a new name is a new operator.
    """
    name = name_of(entry)
    if name and not (name.op_type.isascii() and name.op_type.isidentifier()):
        field = _name_field(entry)
        yield Fault(
            f'{field} is "{name.op_type}", expected a C identifier: '
            "ASCII letters, digits and underscores, no digit first",
            (field,),
        )


@rule(
    "OPERATOR_SINCE_VERSION_PRESENT",
    MUST,
    "since_version MUST be present.",
    "onnx-operators-ml.proto, OperatorProto.since_version",
)
@each_entry
def operator_since_version_present(_: OperatorSet, entry: Entry) -> Iterator[Fault]:
    """An operator states its since_version, a number from 1; a function need not.

    Domain, op_type and since_version together identify a version of an operator. Without a number, opsetdocs
    can only guess it: the first loaded opset that has this very entry. Since IR version 8, a function has no
    field for it. It may state one in its `metadata_props`, and then that has to be a number, too.

    To mend it, set `since_version` to the `opset_version` of the set that first published this version of the
    operator.
    """
    expected = "expected a number >= 1"
    if isinstance(entry, Operator) and entry.since_version is None:
        stands_for_it = "the first loaded opset that has this very entry stands for it"
        yield Fault(f"since_version is missing, {expected}; {stands_for_it}", ("since_version",))
    elif entry.since_version is not None and entry.since_version < 1:
        yield Fault(f"since_version is {entry.since_version}, {expected}; it is ignored", ("since_version",))
    text = metadata(entry, "since_version")
    if text is not None and not whole_number(text):
        yield Fault(
            f'metadata_props["since_version"] is "{text}", {expected}; it is ignored',
            _metadata_field(entry, "since_version"),
        )


@rule(
    "OPERATOR_SINCE_VERSION_WITHIN_SET",
    MUST,
    "All operators in a set MUST have since_version <= opset_version.",
    "onnx-operators-ml.proto, OperatorSetProto.opset_version",
)
@each_entry
def operator_since_version_within_set(item: OperatorSet, entry: Entry) -> Iterator[Fault]:
    """No since_version is above the set's opset_version.

    A version cannot be part of an opset that is older than itself. Usually an operator was given its next
    version and the set was not.

    To mend it, raise the set's `opset_version`, or correct the operator's `since_version`.
    """
    since_version = stated_since_version(entry)
    if since_version and item.opset_version and 1 <= item.opset_version < since_version:
        yield Fault(
            f"since_version is {since_version}, above this set's opset_version {item.opset_version}",
            _since_version_field(entry),
        )


@rule(
    "OPERATOR_STATUS_KNOWN",
    SHOULD,
    "status is one of EXPERIMENTAL and STABLE.",
    "docs/IR.md, Operators; onnx-operators-ml.proto, OperatorProto.status",
)
@each_entry
def operator_status_known(_: OperatorSet, entry: Entry) -> Iterator[Fault]:
    """An operator states its status, and the status is EXPERIMENTAL or STABLE.

    What is STABLE never changes again; what is EXPERIMENTAL may change with every opset. Readers rely on
    that. An operator that states nothing counts as experimental, since EXPERIMENTAL is the zero value, and
    this is rarely what its author means. A function that states nothing counts as stable; it may state its
    status in its `metadata_props`.

    To mend it, set `status: STABLE` or `status: EXPERIMENTAL`.
    """
    expected = "expected EXPERIMENTAL or STABLE"
    number = entry.status.number
    if isinstance(entry, Operator) and number is None:
        yield Fault(f"status is not stated and counts as EXPERIMENTAL, {expected}", ("status",))
    elif number not in (None, 0, 1):
        yield Fault(f"status is {number}, {expected}", ("status",))
    text = metadata(entry, "status")
    if text is not None and status_number(text) not in (0, 1):
        yield Fault(f'metadata_props["status"] is "{text}", {expected}', _metadata_field(entry, "status"))


@rule(
    "OPERATOR_UNIQUE",
    MUST,
    "The pair of name and version MUST be unique across all operators and functions of a set.",
    "onnx-operators-ml.proto, OperatorSetProto.operator and functions",
)
@across_sets
def operator_unique(checked: Sets) -> Iterator[Problem]:
    """No two operators or functions of a set have the same name and since_version.

    Functions that differ in their `overload` have different names here. A function that states no
    since_version is compared with functions that state none. Of two entries for one version neither is
    preferred: its page shows both, and only their author can decide. If two files hold the same opset,
    entries that differ between them are reported as well.

    To mend it, take one of the two out. If both are meant, they are two versions, each with a `since_version`
    of its own, or two operators, each with an `op_type` of its own.
    """
    for files in by_opset(checked.sets):
        first: dict[_Identity, tuple[OperatorSet, Entry]] = {}
        for item in files:
            first_here: dict[_Identity, Entry] = {}
            for entry in entries(item):
                if (identity := _identity(entry)) is None:
                    continue
                here = first_here.setdefault(identity, entry)
                before, known = first.setdefault(identity, (item, entry))
                if here is not entry:
                    yield _duplicate(item, here, item, entry)
                elif before is not item and not is_same_entry(known, entry):
                    yield _duplicate(before, known, item, entry)


def _identity(entry: Entry) -> _Identity | None:
    """Return name and stated since_version; `None` where an entry lacks what would identify it."""
    name, since_version = name_of(entry), stated_since_version(entry)
    # A function need not state a since_version, an operator has to.
    if name is None or (since_version is None and isinstance(entry, Operator)):
        return None
    return name, since_version


def _duplicate(before: OperatorSet, known: Entry, item: OperatorSet, entry: Entry) -> Problem:
    since_version = stated_since_version(entry)
    version = f"since_version {since_version} is" if since_version else "the name is"
    place = element_name(known) if item is before else f"{element_name(known)} in {before.source}"
    says = "the same" if is_same_entry(known, entry) else "something else"
    return Problem(
        f"{version} that of {place} as well, which says {says}",
        Where(item, entry, (_name_field(entry),)),
        others=(Where(before, known, (_name_field(known),)),),
    )


@rule(
    "OPERATOR_DOC_STRING_PRESENT",
    NOTE,
    "doc_string is a human-readable documentation for the operator; Markdown is allowed.",
    "onnx-operators-ml.proto, OperatorProto.doc_string; onnx-ml.proto, FunctionProto.doc_string",
)
@each_entry
def operator_doc_string_present(_: OperatorSet, entry: Entry) -> Iterator[Fault]:
    """An operator or function has a doc_string.

    The format has no other place for what an operator does, or for its inputs, outputs and attributes.
    Without a doc_string, its page can tell readers no more than its name and its versions.

    To mend it, write a `doc_string`: what the operator computes, and the sections Attributes, Inputs, Outputs
    and Type Constraints.
    """
    if not entry.doc_string or entry.doc_string.isspace():
        yield Fault("doc_string is missing, expected a description in Markdown", ("doc_string",))


def _name_field(entry: Entry) -> str:
    return "op_type" if isinstance(entry, Operator) else "name"


def _since_version_field(entry: Entry) -> Path:
    """Return the way to the since_version that counts: that of the metadata_props, if it is a number."""
    if whole_number(metadata(entry, "since_version")):
        return _metadata_field(entry, "since_version")
    return ("since_version",)


def _metadata_field(entry: Entry, key: str) -> Path:
    """Return the way to a value of metadata_props; of several with one key the last one counts."""
    properties = entry.metadata if isinstance(entry, Function) else ()
    *_, position = (index for index, (name, _) in enumerate(properties) if name == key)
    return ("metadata_props", position, "value")
