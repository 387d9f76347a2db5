"""Caching by identity: for things that are quick to recognise and slow to hash, as they hold whole texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def by_identity(maxsize: int) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Return a decorator that keeps the results of a function for the very objects that it was given.

    Two objects that say the same are two: what is made once and asked for often is found, all else is made
    again. The function takes positional arguments only, and they must not change.

    Args:
        maxsize: How many results are kept; those not asked for the longest are the first to go.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @lru_cache(maxsize)
        def kept(*arguments: _Itself) -> Result:
            return function(*(argument.value for argument in arguments))  # type: ignore[call-arg]

        @wraps(function)
        def found(*arguments: Parameters.args, **_: Parameters.kwargs) -> Result:
            return kept(*map(_Itself, arguments))

        return found

    return decorate


class _Itself:
    """An object that is equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)
