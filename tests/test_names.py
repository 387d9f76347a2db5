"""Segments of addresses: safe everywhere, free of collisions, never moved."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsetdocs.names import MAX_LENGTH, domain_segment, keep_plain, operator_segment

SAFE = re.compile(r"[A-Za-z0-9_.]*(~[0-9a-f]{8})?\Z")


@pytest.mark.parametrize("name", ["Conv", "_private", "index", "README", "Null", "templates", "a" * 80])
def test_an_identifier_stands_for_itself(name: str) -> None:
    assert operator_segment(name) == name


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("aten::add", "atenadd~"),
        ("a|b", "ab~"),
        ("What?", "What~"),
        ("Top#1", "Top1~"),
        ("100%", "100~"),
        ("LayerNorm(x)_14", "LayerNormx_14~"),
        ("Con", "Con~"),
        ("aux", "aux~"),
        ("Nul", "Nul~"),
        ("COM1", "COM1~"),
        ("Pad.", "Pad~"),
        ("../../outside", "outside~"),
        ("a/../b", "ab~"),
        ("a\\..\\b", "ab~"),
        ("1e3", "1e3~"),
        ("~", "~"),
        ("", "~"),
        ("ключ", "~"),
        ("a" * 81, "a" * 80 + "~"),
    ],
)
def test_another_name_gets_its_safe_characters_and_a_hash(name: str, start: str) -> None:
    assert re.fullmatch(re.escape(start) + "[0-9a-f]{8}", operator_segment(name))


def test_an_overload_is_part_of_the_hash() -> None:
    one, two, none = (operator_segment("Gelu", overload) for overload in ("tanh", "erf", ""))
    assert none == "Gelu"
    assert len({one, two, none}) == 3


@pytest.mark.parametrize("domain", ["ai.onnx", "com.acme.dnnops", "templates", "a.1"])
def test_a_plain_domain_stands_for_itself(domain: str) -> None:
    assert domain_segment(domain) == domain


@pytest.mark.parametrize(
    "domain",
    [
        "../up",
        ".lab",
        "a..b",
        "a.",
        "con.acme",
        "!aux.txt",
        "index.html",
        "search.html",
        "Sitemap.xml",
        "com.my-company",
        "&<",
        "C:\\x",
    ],
)
def test_another_domain_is_hashed_and_safe(domain: str) -> None:
    segment = domain_segment(domain)
    assert "~" in segment
    assert not segment.startswith(".")
    assert segment.partition(".")[0].lower() not in ("con", "aux")
    assert ".." not in segment.partition("~")[0] or domain == "a..b"


@given(st.text(max_size=200))
def test_segments_are_safe_for_every_name(name: str) -> None:
    for segment in (operator_segment(name), domain_segment(name)):
        assert SAFE.match(segment)
        assert 0 < len(segment) <= MAX_LENGTH + 9
        assert segment.partition("~")[0] not in (".", "..")
        assert not segment.endswith((".", " "))


@given(st.lists(st.text(max_size=12), unique=True, max_size=20))
def test_no_two_names_share_a_segment_even_without_case(names: list[str]) -> None:
    plain = keep_plain((name, 1) for name in names)
    segments = [operator_segment(name, plain=name in plain).lower() for name in names]
    assert len(set(segments)) == len(names)


@pytest.mark.parametrize(
    ("names", "winner"),
    [
        ([("Relu", 1), ("ReLU", 1)], "ReLU"),
        ([("Relu", 1), ("ReLU", 6)], "Relu"),
        ([("relu", 14), ("RELU", 14), ("Relu", 13)], "Relu"),
    ],
)
def test_the_oldest_of_names_that_differ_in_case_keeps_its_address(
    names: list[tuple[str, int]], winner: str
) -> None:
    assert keep_plain(names) == {winner}
