"""Long lists of types in a few words that say exactly the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto

from opsetdocs.export.schemas import all_schemas
from opsetdocs.type_groups import Group, fold, in_words, listed, split_types

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("bfloat16", "float16", "float", "double")
FIRST = (*INTEGERS, *FLOATS[1:], "bool", "string", "complex64", "complex128")
ALL = tuple(name.lower() for name, number in TensorProto.DataType.items() if number)


def tensors(*elements: str) -> list[str]:
    return [f"tensor({element})" for element in elements]


@pytest.mark.parametrize(
    ("types", "words"),
    [
        ([], ""),
        (["T"], "T"),
        (tensors("bool"), "tensor(bool)"),
        (tensors(*FLOATS), "tensor(bfloat16), tensor(float16), tensor(float) and tensor(double)"),
        (tensors(*INTEGERS), "all integer tensors of 8 to 64 bits"),
        (tensors(*INTEGERS, "int4", "uint4"), "all integer tensors of 4 to 64 bits"),
        (
            tensors(*FLOATS[1:], "int8", "bool"),
            "all floating-point tensors of 16 to 64 bits (not bfloat16), tensor(int8) and tensor(bool)",
        ),
        (
            tensors("double", "float", "float16", "int32", "int64", "uint32", "uint64"),
            (
                "all integer tensors of 32 and 64 bits and "
                "all floating-point tensors of 16 to 64 bits (not bfloat16)"
            ),
        ),
        (tensors(*FIRST), "all tensors of IR version 3"),
        (tensors(*FIRST, "bfloat16"), "all tensors of IR version 4"),
        (
            tensors(*FIRST[:-2], "bfloat16"),
            "all tensors of IR version 4 (not complex64, complex128)",
        ),
        (
            [f"{outer}(tensor({item}))" for item in FIRST for outer in ("seq", "optional")],
            "all sequences of tensors of IR version 3 and all optional tensors of IR version 3",
        ),
        (
            [f"optional(seq(tensor({item})))" for item in INTEGERS],
            "all optional sequences of integer tensors of 8 to 64 bits",
        ),
        ([f"sparse_tensor({item})" for item in INTEGERS], "all sparse integer tensors of 8 to 64 bits"),
        (
            ["map(int64, string)", "map(int64, float)", "tensor(int8)", "custom", "tensor(odd)"],
            "tensor(int8), custom, map(int64, float), map(int64, string) and tensor(odd)",
        ),
    ],
)
def test_words(types: list[str], words: str) -> None:
    assert in_words(types) == words
    assert in_words([*types[::-1], *types]) == words


def test_a_type_by_itself_is_shown_as_one() -> None:
    assert in_words(["tensor(bool)", *tensors(*INTEGERS)], "<{}>".format) == (
        "all integer tensors of 8 to 64 bits and <tensor(bool)>"
    )
    assert [group.is_type for group in fold(["T"])] == [True]
    assert not Group("all complex tensors", ("tensor(complex64)", "tensor(complex128)")).is_type


_TYPES = st.sampled_from(
    [
        *(wrapper.format(element) for element in ALL for wrapper in ("tensor({})", "seq(tensor({}))")),
        "tensor()",
        "tensor(tensor(float))",
        "seq(map(string, int64))",
        "T",
        "",
    ]
)


@given(st.lists(_TYPES | st.text(max_size=3)), st.randoms())
def test_unfolding_gives_the_same_types_whatever_their_order(types: list[str], random: object) -> None:
    groups = fold(types)
    assert sorted(item for group in groups for item in group.types) == sorted(set(types))
    assert fold(types[::-1]) == groups
    assert fold(sorted(types)) == groups


def test_words_stand_for_one_set_only() -> None:
    """No two sets of types have the same words: every list of ONNX's, and every part of a few."""
    lists = {
        frozenset(item.allowed_type_strs) for schema in all_schemas() for item in schema.type_constraints
    }
    lists |= {item - {lacking} for item in lists for lacking in item}
    by_words: dict[str, set[frozenset[str]]] = {}
    for item in lists:
        groups = fold(item)
        assert frozenset(name for group in groups for name in group.types) == item
        by_words.setdefault(in_words(item), set()).add(item)
    assert all(len(sets) == 1 for sets in by_words.values())


def test_the_longest_lists_of_onnx_are_short() -> None:
    longest = max(
        (item.allowed_type_strs for schema in all_schemas() for item in schema.type_constraints), key=len
    )
    assert len(fold(longest)) <= 4


def test_every_element_type_of_onnx_is_in_the_newest_group() -> None:
    assert len(fold(tensors(*ALL))) == 1


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("", ()),
        (" , ", ()),
        ("T", ("T",)),
        ("map(int64, string), tensor(float)", ("map(int64, string)", "tensor(float)")),
        ("map(int64, seq(tensor(float))),T", ("map(int64, seq(tensor(float)))", "T")),
        ("a), b", ("a)", "b")),
        ("a(, b", ("a(, b",)),
    ],
)
def test_split(text: str, types: tuple[str, ...]) -> None:
    assert split_types(text) == types


@pytest.mark.parametrize(
    ("words", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_listed(words: list[str], text: str) -> None:
    assert listed(words) == text
