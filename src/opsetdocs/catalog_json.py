"""Everything that a site documents, as data for programs: `catalog.json`.

`site_config/catalog.schema.json` is the contract of the file, and is published beside it. What it allows to
be left out is left out where there is nothing to say.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from opsetdocs.addresses import Addresses
from opsetdocs.catalog import Catalog, Domain, Event, OperatorHistory, Opset, OpsetRange, Version
from opsetdocs.diff import Comparison, compare_versions
from opsetdocs.docstring import Entry
from opsetdocs.signature import Count, Signature, signature
from opsetdocs.site import DomainOptions, SiteOptions
from opsetdocs.type_groups import split_types

CATALOG = "catalog.json"
"""The address of the file below the section's root."""

SCHEMA = "catalog.schema.json"
"""The address of its JSON Schema."""

FORMAT_VERSION = 1
"""Rises when a program that reads the file would have to change; new fields alone do not raise it."""

Json = dict[str, Any]


def catalog_json(
    catalog: Catalog,
    addresses: Addresses,
    options: SiteOptions,
    summary: Callable[[OperatorHistory], str],
) -> bytes:
    """Return the content of the file; the arguments are those of `catalog_data`."""
    data = catalog_data(catalog, addresses, options, summary)
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # What no encoding can hold, as half of a surrogate pair, is written as JSON escapes it.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def catalog_data(
    catalog: Catalog,
    addresses: Addresses,
    options: SiteOptions,
    summary: Callable[[OperatorHistory], str],
) -> Json:
    """Return what the file says.

    Args:
        catalog: What is documented: all that a site shows, or a part of it.
        addresses: The addresses of all pages of the site.
        options: The titles that a project gives to the section and to domains.
        summary: What an operator does, in a sentence of plain text.
    """
    write = _Writer(addresses, options, summary)
    return {
        "$schema": SCHEMA,
        "version": FORMAT_VERSION,
        "title": options.title,
        "domains": [write.domain(domain) for domain in catalog.domains],
    }


def changes_data(comparison: Comparison) -> list[Json]:
    """Return what changed, the worst first."""
    return [
        {
            "kind": change.kind.name.lower().replace("_", " "),
            "weight": change.weight.name.lower(),
            **given(subject=change.subject),
            "words": change.plain,
        }
        for change in comparison.changes
    ]


@dataclass(frozen=True, slots=True)
class _Writer:
    """Turns what has an address into data."""

    addresses: Addresses
    options: SiteOptions
    summary: Callable[[OperatorHistory], str]

    def domain(self, domain: Domain) -> Json:
        return {
            "name": domain.name,
            **given(title=self._title(domain.name)),
            "id": self.addresses.domain_page_id(domain.name),
            "address": self.addresses.domain(domain.name),
            "missing": _ranges(domain.missing),
            "opsets": [self._opset(opset) for opset in domain.opsets],
            "operators": [self._operator(operator) for operator in domain.operators],
        }

    def _title(self, domain: str) -> str:
        return self.options.domains.get(domain, DomainOptions()).title

    def _opset(self, opset: Opset) -> Json:
        return {
            "version": opset.version,
            "id": f"{self.addresses.domain_id(opset.domain)}.opset-{opset.version}",
            "address": self.addresses.opset(opset.domain, opset.version),
            "loaded": opset.loaded,
            "missing_before": _ranges(opset.missing_before),
            "members": {
                self.addresses.operator_id(operator): version.since_version
                for operator, version in opset.members
            },
            "events": [
                {"operator": self.addresses.operator_id(operator), **_event(event)}
                for operator, event in opset.events
            ],
        }

    def _operator(self, operator: OperatorHistory) -> Json:
        return {
            "name": operator.name,
            "op_type": operator.op_type,
            **given(overload=operator.overload),
            "id": self.addresses.operator_id(operator),
            "address": self.addresses.operator(operator),
            "current": operator.current.since_version,
            "status": operator.current.status.key,
            "deprecated": operator.current.deprecated,
            **given(removal=operator.removal and _event(operator.removal)),
            "summary": self.summary(operator),
            "events": [_event(event) for event in operator.events],
            "versions": [
                self._version(operator, version, previous)
                for previous, version in zip((None, *operator.versions), operator.versions, strict=False)
            ],
        }

    def _version(self, operator: OperatorHistory, version: Version, previous: Version | None) -> Json:
        return {
            "since_version": version.since_version,
            "derived": version.derived,
            "id": self.addresses.operator_id(operator, version.since_version),
            "address": self.addresses.version(operator, version.since_version),
            "kind": version.kind.value,
            "status": version.status.key,
            "deprecated": version.deprecated,
            "in_conflict": version.in_conflict,
            "offered": _ranges(version.offered),
            **given(changes=previous and changes_data(compare_versions(previous, version))),
            "signature": _signature(signature(version.current.parts[0])),
        }


def given(**fields: object) -> Json:
    """Return the fields that say something; a number always does."""
    return {name: value for name, value in fields.items() if value or type(value) is int}


def _ranges(ranges: Iterable[OpsetRange]) -> list[Json]:
    return [{"first": item.first, "last": item.last} for item in ranges]


def _event(event: Event) -> Json:
    return {
        "kind": event.kind.value,
        "opset": event.opset,
        "since_version": event.since_version,
        **given(missing=_ranges(event.missing), last_seen=event.last_seen),
    }


def _signature(stated: Signature) -> Json:
    return {
        "attributes": [_attribute(entry) for entry in stated.attributes],
        "inputs": [_value(entry, stated) for entry in stated.inputs],
        "input_count": _count(stated.input_count),
        "outputs": [_value(entry, stated) for entry in stated.outputs],
        "output_count": _count(stated.output_count),
        "type_constraints": [
            {"name": entry.name, "types": list(split_types(entry.type))} for entry in stated.types
        ],
        "properties": [{"name": entry.name, "value": entry.type} for entry in stated.properties],
    }


def _attribute(entry: Entry) -> Json:
    attribute = {"name": entry.name, "type": entry.type, "required": entry.required}
    if entry.default is not None:
        attribute |= {"default_text": entry.default, **_json_value(entry.default)}
    return attribute


def _json_value(text: str) -> Json:
    """Return the default that a text states in JSON; nothing where it is no JSON, as for a tensor."""
    try:
        return {"default": json.loads(text, parse_constant=_finite, parse_float=_finite)}
    except (ValueError, RecursionError):
        return {}


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"JSON has no number {number}")
    return value


def _value(entry: Entry, stated: Signature) -> Json:
    return {
        "name": entry.name,
        "type": entry.type,
        "types": list(stated.allowed(entry)),
        **given(optional=entry.optional, variadic=entry.variadic, at_least=entry.at_least),
        **({} if entry.homogeneous is None else {"homogeneous": entry.homogeneous}),
        **({} if entry.differentiable is None else {"differentiable": entry.differentiable}),
    }


def _count(count: Count) -> Json:
    return {"least": count.least, "most": count.most}
