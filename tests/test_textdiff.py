"""Two texts side by side: block by block, then word by word."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from operator_sets import function, operator
from opsetdocs.meaning import as_part
from opsetdocs.textdiff import Row, Segment, SegmentKind, compare_texts, text_of

SHOWN = {SegmentKind.SAME: "{}", SegmentKind.REMOVED: "[-{}-]", SegmentKind.ADDED: "[+{}+]"}


def side(segments: tuple[Segment, ...]) -> str:
    return "".join(SHOWN[item.kind].format(item.text) for item in segments)


def shown(rows: tuple[Row, ...]) -> list[str]:
    return [f"... {row.skipped}" if row.skipped else f"{side(row.old)} | {side(row.new)}" for row in rows]


NUMBERED = [f"Paragraph {number}." for number in range(9)]


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        pytest.param("", "", [], id="nothing"),
        pytest.param("One two\nthree.", " One  two three.\n\n", [], id="white space"),
        pytest.param("", "One.", [" | [+One.+]"], id="added"),
        pytest.param("One.", "", ["[-One.-] | "], id="removed"),
        pytest.param(
            "The axis to split on.",
            "The axis to cut on.",
            ["The axis to [-split -]on. | The axis to [+cut +]on."],
            id="a word",
        ),
        pytest.param(
            "The axis\nof the inputs.",
            "The axis of\nall the inputs.",
            ["The axis\nof the inputs. | The axis of\n[+all +]the inputs."],
            id="lines are broken elsewhere",
        ),
        pytest.param(
            "- `axis` (default `1`) : int",
            "- `axis` (default `-1`) : int",
            ["- `axis` (default `1`) : int | - `axis` (default `[+-+]1`) : int"],
            id="a default",
        ),
        pytest.param(
            "Same.\n\nOnly here.",
            "Something else altogether.\n\nSame.",
            [" | [+Something else altogether.+]", "Same. | Same.", "[-Only here.-] | "],
            id="blocks that are not alike",
        ),
        pytest.param(
            "- one thing\n- two things",
            "- one thing\n- another thing\n- two things",
            ["- one thing | - one thing", " | [+- another thing+]", "- two things | - two things"],
            id="list items",
        ),
        pytest.param(
            "```\na = 1\nb = 2\n\n# c\n```\nText.",
            "```\na = 1\nb = 3\n\n# c\n```\nText.",
            [
                "``` | ```",
                "a = 1 | a = 1",
                "b = [-2-] | b = [+3+]",
                "# c | # c",
                "``` | ```",
                "Text. | Text.",
            ],
            id="lines of code",
        ),
        pytest.param(
            "\n\n".join(NUMBERED),
            "\n\n".join([*NUMBERED[:-1], "Other words."]),
            [
                "... 6",
                *(f"{text} | {text}" for text in NUMBERED[6:8]),
                "[-Paragraph 8.-] | ",
                " | [+Other words.+]",
            ],
            id="long unchanged stretches are left out",
        ),
        pytest.param(
            "\n\n".join(NUMBERED[:4]),
            "\n\n".join([*NUMBERED[:3], "Paragraph 3 is new."]),
            [
                f"{NUMBERED[0]} | {NUMBERED[0]}",
                *(f"{text} | {text}" for text in NUMBERED[1:3]),
                "Paragraph 3. | Paragraph 3 [+is new+].",
            ],
            id="a single block is not left out",
        ),
        pytest.param(
            "It is a big house by the sea.",
            "It is a small hut by the sea.",
            ["It is a [-big house -]by the sea. | It is a [+small hut +]by the sea."],
            id="words in a row",
        ),
        pytest.param(
            "one two of three four and five six seven",
            "one zwei of drei four and five six seven",
            [
                "one [-two of three -]four and five six seven | one [+zwei of drei +]four and five six seven",
            ],
            id="no crumbs between changes",
        ),
    ],
)
def test_rows(old: str, new: str, rows: list[str]) -> None:
    assert shown(compare_texts(old, new)) == rows


_WORDS = st.lists(st.sampled_from(["a", "b", "the", ".", "\n", "\n\n", "- ", "```\n", "~~~~", " ", "| x |"]))
_TEXT = st.text(max_size=30) | _WORDS.map(" ".join)


def written(rows: tuple[Row, ...], old: bool) -> str:
    segments = (item for row in rows for item in (row.old if old else row.new))
    return "".join("".join(item.text for item in segments).split())


@given(_TEXT, _TEXT)
@example("a b " * 40_000, "b a " * 40_000)
@example("\n\n".join(map(str, range(2_000))), "\n\n".join(map(str, range(2_000, 0, -1))))
@example("\n\n".join(["a b c d"] * 2_000), "\n\n".join(["a b c e"] * 2_000))
@example(" " * 100_000, "```" * 50_000)
def test_both_texts_can_be_read_off(old: str, new: str) -> None:
    rows = compare_texts(old, new)
    if not rows:
        assert old.split() == new.split()
    if not any(row.skipped for row in rows) and rows:
        assert written(rows, old=True) == "".join(old.split())
        assert written(rows, old=False) == "".join(new.split())
    for row in rows:
        assert {item.kind for item in row.old} <= {SegmentKind.SAME, SegmentKind.REMOVED}
        assert {item.kind for item in row.new} <= {SegmentKind.SAME, SegmentKind.ADDED}
        assert row.is_same == all(item.kind is SegmentKind.SAME for item in (*row.old, *row.new))
    assert compare_texts(old, old) == ()


def test_the_text_that_is_compared() -> None:
    text = (
        "Text.\n\n## Attributes\n\n- `b` : int\n\n  About b.\n- `a` : int\n\nMore.\n\n"
        "## Inputs\n\n- `Y` : T\n- `X` : T\n\n## Type Constraints\n\n- `T` : tensor(float)\n\n  Numbers.\n\n"
        "## Examples\n\nOne.\n"
    )
    assert text_of(as_part(operator("Op", 1, text))) == (
        "Text.\n\n## Attributes\n\n- `a` : int\n- `b` : int\n\n  About b.\n\nMore.\n\n"
        "## Inputs\n\n- `Y` : T\n- `X` : T\n\n## Type Constraints\n\n- `T`\n\n  Numbers."
    )


def test_the_text_of_a_function_has_its_fields() -> None:
    assert text_of(as_part(function("Op"))) == "Text.\n\n## Inputs\n\n- `x`\n\n## Outputs\n\n- `y`"
