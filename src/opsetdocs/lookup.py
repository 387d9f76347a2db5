"""Which operator a name stands for that somebody typed."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from opsetdocs.catalog import Catalog, Domain, OperatorHistory, Version
from opsetdocs.errors import ConfigError
from opsetdocs.identity import whole_number


@dataclass(frozen=True, slots=True)
class Found:
    """The operator that a name stands for."""

    domain: Domain
    operator: OperatorHistory
    since_version: int | None
    """The version that the name gives, if it gives one."""

    @property
    def version(self) -> Version:
        """The version that the name gives, or else the current one."""
        if self.since_version is None:
            return self.operator.current
        return self.operator.version(self.since_version)

    @property
    def name(self) -> str:
        """The name in full: `ai.onnx.Conv`, or `ai.onnx.Conv-11`."""
        name = f"{self.domain.name}.{self.operator.name}"
        return name if self.since_version is None else f"{name}-{self.since_version}"


def find(catalog: Catalog, name: str) -> Found:
    """Return the operator that a name stands for: `Conv`, `ai.onnx.Conv`, `Conv-11`, `Foo:overload`.

    The exact name comes first, then the name in other cases, then that of a function without its overload.

    Raises:
        ConfigError: No operator has the name, or several have it, or the operator lacks the version.
    """
    for fold, own in _WAYS:
        found = _matches(catalog, name, fold, own)
        if len(found) > 1:
            names = ", ".join(item.name for item in found)
            raise ConfigError(f"{name} may be any of {names}; give the name in full")
        if found:
            return _checked(found[0])
    raise ConfigError(f"there is no operator {name}{_hint(catalog, name)}")


def _name(operator: OperatorHistory) -> str:
    return operator.name


def _op_type(operator: OperatorHistory) -> str:
    return operator.op_type


_WAYS: tuple[tuple[Callable[[str], str], Callable[[OperatorHistory], str]], ...] = (
    (str, _name),
    (str.casefold, _name),
    (str.casefold, _op_type),
)
"""How a name is read, and what it may be, until something fits."""


def _matches(
    catalog: Catalog, name: str, fold: Callable[[str], str], own: Callable[[OperatorHistory], str]
) -> list[Found]:
    """Return what a name fits. Only a name that nothing has as a whole may end with a version."""
    wanted = fold(name)
    whole, versioned = [], []
    for domain in catalog.domains:
        for operator in domain.operators:
            for spelled in (own(operator), f"{domain.name}.{own(operator)}"):
                start = f"{fold(spelled)}-"
                if f"{wanted}-" == start:
                    whole.append(Found(domain, operator, None))
                elif wanted.startswith(start) and (number := whole_number(wanted.removeprefix(start))):
                    versioned.append(Found(domain, operator, number))
    return whole or versioned


def _checked(found: Found) -> Found:
    known = [version.since_version for version in found.operator.versions]
    if found.since_version in (None, *known):
        return found
    name = f"{found.domain.name}.{found.operator.name}"
    raise ConfigError(f"{name} has no version {found.since_version}; it has {', '.join(map(str, known))}")


def _hint(catalog: Catalog, name: str) -> str:
    names = {
        spelled.casefold(): spelled
        for domain in catalog.domains
        for operator in domain.operators
        for spelled in (f"{domain.name}.{operator.name}", operator.name)
    }
    near = difflib.get_close_matches(name.casefold(), names)
    return f"; near to it: {', '.join(names[item] for item in near)}" if near else ""
