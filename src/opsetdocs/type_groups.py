"""Long lists of types, folded into a few groups in words, and never at the price of the truth.

A group's words say exactly which types it holds: by their size, or by the IR version whose tensor types they
are, because "all tensors" means other types in each IR version.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate

_SHORT = 4
"""A list of up to this many types is quicker read than words."""

_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_FLOATS = ("bfloat16", "float16", "float", "double")
_FLOAT8 = ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float8e8m0")
_FLOAT6 = ("float6e2m3", "float6e3m2")
_COMPLEX = ("complex64", "complex128")
_INT4 = ("int4", "uint4")
_INT2 = ("int2", "uint2")

_ADDED_BY_IR = {
    3: ("float16", "float", "double", *_SIGNED, *_UNSIGNED, "bool", "string", *_COMPLEX),
    4: ("bfloat16",),
    9: _FLOAT8[:4],
    10: _INT4,
    11: ("float4e2m1",),
    12: ("float8e8m0",),
    13: _INT2,
    14: _FLOAT6,
}
"""The element types that each IR version added to `TensorProto.DataType` (onnx.proto). The lists of the
operators' types follow them: `OpSchema::all_tensor_types_ir4` and so on in onnx/defs/schema.h."""


@dataclass(frozen=True, slots=True)
class Group:
    """Types that are named together; a type that stands for itself is a group of one."""

    words: str
    """What to call them: `all float8 tensors`; for a type by itself the type as written."""
    types: tuple[str, ...]

    @property
    def is_type(self) -> bool:
        """Whether the words are one type, as written."""
        return self.types == (self.words,)


@dataclass(frozen=True, slots=True)
class _Family:
    """Element types that have a name: the words before and after `tensors`."""

    before: str
    after: str
    elements: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    """Element types that the words cover and that are missing; they are named."""

    def words(self, wrapper: str) -> str:
        """What all types of this family are called that are made with a wrapper."""
        lacking = f" (not {', '.join(self.lacks)})" if self.lacks else ""
        return _WRAPPERS[wrapper].format(self.before, self.after) + lacking


def _without(family: _Family, *lacks: str) -> _Family:
    return replace(family, elements=tuple(item for item in family.elements if item not in lacks), lacks=lacks)


def _families() -> Iterator[_Family]:
    """Yield the families in the order in which they are tried: what covers more comes first."""
    by_ir = accumulate(_ADDED_BY_IR.values())
    for version, elements in reversed([*zip(_ADDED_BY_IR, by_ir, strict=True)]):
        family = _Family("", f" of IR version {version}", elements)
        yield from (family, _without(family, "string"), _without(family, *_COMPLEX))
    yield _Family("integer ", " of 2 to 64 bits", (*_SIGNED, *_UNSIGNED, *_INT4, *_INT2))
    yield _Family("integer ", " of 4 to 64 bits", (*_SIGNED, *_UNSIGNED, *_INT4))
    yield _Family("integer ", " of 8 to 64 bits", (*_SIGNED, *_UNSIGNED))
    yield _Family("integer ", " of 32 and 64 bits", ("int32", "int64", "uint32", "uint64"))
    yield _Family("integer ", " of 8 and 16 bits", ("int8", "int16", "uint8", "uint16"))
    yield _Family("signed integer ", " of 8 to 64 bits", _SIGNED)
    yield _Family("unsigned integer ", " of 8 to 64 bits", _UNSIGNED)
    floats = _Family("floating-point ", " of 16 to 64 bits", _FLOATS)
    yield from (floats, _without(floats, "bfloat16"))
    float8 = _Family("float8 ", "", _FLOAT8)
    yield from (float8, _without(float8, "float8e8m0"))
    yield _Family("float6 ", "", _FLOAT6)
    yield _Family("4-bit integer ", "", _INT4)
    yield _Family("2-bit integer ", "", _INT2)
    yield _Family("complex ", "", _COMPLEX)


_FAMILIES = tuple(_families())

_WRAPPERS = {
    "tensor({})": "all {}tensors{}",
    "sparse_tensor({})": "all sparse {}tensors{}",
    "seq(tensor({}))": "all sequences of {}tensors{}",
    "optional(tensor({}))": "all optional {}tensors{}",
    "optional(seq(tensor({})))": "all optional sequences of {}tensors{}",
}
"""The types that are made from an element type, and the words for all of a family."""

_ELEMENTS = (
    *_FLOATS,
    *_FLOAT8,
    *_FLOAT6,
    "float4e2m1",
    *_SIGNED,
    *_UNSIGNED,
    *_INT4,
    *_INT2,
    "bool",
    "string",
    *_COMPLEX,
)
_ELEMENT_ORDER = {name: index for index, name in enumerate(_ELEMENTS)}
_WRAPPER_ORDER = {wrapper: index for index, wrapper in enumerate(_WRAPPERS)}


@lru_cache(maxsize=16_384)
def split_types(text: str) -> tuple[str, ...]:
    """Split a list of types at the commas outside parentheses: `map(int64, string), T` are two."""
    items: list[str] = []
    depth = 0
    for piece in text.split(","):
        if depth > 0:
            items[-1] += f",{piece}"
        else:
            items.append(piece)
        depth += piece.count("(") - piece.count(")")
    return tuple(item.strip() for item in items if item.strip())


def fold(types: Iterable[str]) -> tuple[Group, ...]:
    """Return a set of types as groups in words, and what fits no group as groups of one.

    The groups together hold exactly the given types, each once. The order does not depend on that of the
    given types. A list of up to four types is not folded.
    """
    distinct = sorted(set(types), key=_order)
    if len(distinct) <= _SHORT:
        return tuple(Group(item, (item,)) for item in distinct)
    by_wrapper: dict[str, list[str]] = {}
    for item in distinct:
        by_wrapper.setdefault(_taken_apart(item)[0], []).append(item)
    return tuple(group for wrapper, items in by_wrapper.items() for group in _folded(wrapper, items))


def in_words(types: Iterable[str], show: Callable[[str], str] = str) -> str:
    """Return a set of types in words: `all float8 tensors, tensor(bool) and tensor(string)`.

    Args:
        types: The types.
        show: How a single type is written, such as in back-ticks.
    """
    return listed([show(group.words) if group.is_type else group.words for group in fold(types)])


def listed(words: Sequence[str]) -> str:
    """Return words as a list that people read: `a, b and c`."""
    *others, last = words or [""]
    return f"{', '.join(others)} and {last}" if others else last


def _taken_apart(item: str) -> tuple[str, str]:
    """The wrapper and the element of a type; any other type has no wrapper and is its own element."""
    for wrapper in _WRAPPERS:
        before, after = wrapper.split("{}")
        element = item.removeprefix(before).removesuffix(after)
        if wrapper.format(element) == item and element in _ELEMENT_ORDER:
            return wrapper, element
    return "", item


def _order(item: str) -> tuple[int, int, str]:
    wrapper, element = _taken_apart(item)
    return (
        _WRAPPER_ORDER.get(wrapper, len(_WRAPPER_ORDER)),
        _ELEMENT_ORDER.get(element, len(_ELEMENT_ORDER)),
        item,
    )


def _folded(wrapper: str, items: Collection[str]) -> Iterator[Group]:
    """Fold types of one wrapper."""
    left = {_taken_apart(item)[1]: item for item in items}
    for family in _FAMILIES if wrapper else ():
        if left.keys() >= set(family.elements) and left.keys().isdisjoint(family.lacks):
            yield Group(family.words(wrapper), tuple(left.pop(element) for element in family.elements))
    yield from (Group(item, (item,)) for item in left.values())
