"""Caching by identity."""

from __future__ import annotations

from opsetdocs.caches import by_identity


def test_only_the_very_same_objects_are_found_again() -> None:
    calls: list[tuple[list[int], list[int]]] = []

    @by_identity(maxsize=8)
    def joined(first: list[int], second: list[int]) -> list[int]:
        """Join two lists."""
        calls.append((first, second))
        return first + second

    one, two = [1], [2]
    assert joined(one, two) == [1, 2]
    assert joined(one, two) is joined(one, two)
    assert len(calls) == 1
    assert joined([1], two) == [1, 2]
    assert joined(two, one) == [2, 1]
    assert len(calls) == 3
    assert joined.__doc__ == "Join two lists."


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    calls: list[str] = []

    @by_identity(maxsize=2)
    def seen(name: str) -> int:
        calls.append(name)
        return len(calls)

    assert [seen(name) for name in ("a", "b", "a", "c", "a", "b")] == [1, 2, 1, 3, 1, 4]
