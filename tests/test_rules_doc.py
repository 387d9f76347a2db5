"""The rules about doc_strings: what keeps them, what does not, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from operator_sets import function, operator, opset
from opsetdocs.model import AttributeDefault, OperatorSet
from opsetdocs.rules import RULES, run

LINKS, SIGNATURE = RULES["DOC_LINKS"], RULES["DOC_SIGNATURE"]


def links(text: str, *others: OperatorSet, domain: str | None = "com.example") -> list[str]:
    """Return what is said of the links in a text of a set that has Conv 1 and 11 and a function Norm."""
    members = (operator("Conv", 1), operator("Conv", 11), operator("Text", 1, text), function("Norm"))
    return [item.message for item in run([opset(11, *members, domain=domain), *others], rules=[LINKS])]


ML = opset(1, operator("Scaler", 1), domain="ai.onnx.ml")


@pytest.mark.parametrize(
    "text",
    [
        "[a](Operators.md#Conv) [b](docs/Changelog.md#Conv-11) [c](Operators.md#com.example.Conv)",
        "[a](Operators.md#Norm) [b](Changelog.md#Norm-4)",
        "[a](Operators-ml.md#ai.onnx.ml.Scaler) [b](#ai.onnx.ml.Scaler-1)",
        "[a](#com.example.Conv) [b](#com.example.Conv-11.attribute.pads) [c](#com.example.Conv-1.opset-3)",
        # What is no link between operators, or means a domain that is not loaded.
        "[a](Operators.md) [b](#heading) [c](#Cnv) [d](Broadcasting.md#Cnv) ![e](picture.png)",
        "[a](Operators.md#com.other.Cnv) [b](#com.other.Cnv) [c](#ai.onnx.Cnv)",
        "[a](https://example.com/Operators.md#Cnv) <https://example.com/> <mailto:a@example.com>",
        # No links.
        "`[a](javascript:b)`\n\n    [a](javascript:b)\n\n```\n[a](javascript:b) <file:///a>\n```\n",
        "[a](javascript: b) x[0](c) [a]: javascript:b <value: tensor>",
    ],
)
def test_links_that_are_in_order(text: str) -> None:
    assert links(text, ML) == []


NOT_LOADED = "which no loaded file has, expected an operator that is there"


@pytest.mark.parametrize(
    ("text", "target", "means"),
    [
        ("[a](Operators.md#Cnv)", "Operators.md#Cnv", "Cnv of com.example"),
        ("[a](../docs/Changelog.md#Conv-7)", "../docs/Changelog.md#Conv-7", "Conv-7 of com.example"),
        ("[a]\n\n[a]: Operators.md#conv", "Operators.md#conv", "conv of com.example"),
        ("[a](Operators.md#ai.onnx.ml.Scalar)", "Operators.md#ai.onnx.ml.Scalar", "Scalar of ai.onnx.ml"),
        ("[a](#com.example.Cnv)", "#com.example.Cnv", "Cnv of com.example"),
        ("[a](#ai.onnx.ml.Scaler-2.input.X)", "#ai.onnx.ml.Scaler-2.input.X", "Scaler-2 of ai.onnx.ml"),
        ("## Inputs\n\n- `X` : T\n\n  As [a](Operators.md#Cnv).", "Operators.md#Cnv", "Cnv of com.example"),
    ],
)
def test_links_to_operators_that_are_not_there(text: str, target: str, means: str) -> None:
    assert links(text, ML) == [f'the link to "{target}" means {means}, {NOT_LOADED}']


def test_names_that_are_not_plain_have_their_own_ids() -> None:
    item = opset(
        1,
        operator("aten::add", 1, "[a](#com.example.atenadd_1efe4e35)"),
        operator("B", 1, "[b](#com.example.atenadd_00000000)"),
    )
    assert [finding.element for finding in run([item], rules=[LINKS])] == ["operator[1] B"]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[a](javascript:b)", "javascript:b"),
        ("[a](JavaScript:b)", "JavaScript:b"),
        ("[a](java&#115;cript:b)", "javascript:b"),
        ("[a](javascript&colon;b)", "javascript:b"),
        ("[a](java\x01script:b)", "javascript:b"),
        ("[a](\\javascript:b)", "%5Cjavascript:b"),
        ("[a](&Tab;javascript:b)", "javascript:b"),
        ("<javascript:b>", "javascript:b"),
        ("[a]\n\n[a]: <vbscript:b>", "vbscript:b"),
        ("![a](data:text/html,b)", "data:text/html,b"),
        ("## Inputs\n\n- `X` : T\n\n  [a](file:///b)", "file:///b"),
        ("[a](ftp://example.com)", "ftp://example.com"),
        ("[a](//example.com)", "//example.com"),
    ],
)
def test_refused_links(text: str, target: str) -> None:
    expected = "expected a relative address or one with http, https, mailto"
    assert links(text) == [f'the link to "{target}" is refused and shown as text, {expected}']


def test_all_texts_are_looked_at() -> None:
    text = "[a](javascript:b)"
    default = AttributeDefault("axis", "int", "1", text)
    with_default = replace(function("F", doc=None), attribute_defaults=(default,))
    item = opset(1, operator("A", 1, text), function("F", doc=text), with_default, doc=text)
    found = run([item], rules=[LINKS])
    assert [(finding.element, finding.field) for finding in found] == [
        ("", "doc_string"),
        ("operator[0] A", "doc_string"),
        ("functions[0] F", "doc_string"),
        ("functions[1] F", "attribute_proto[0].doc_string"),
    ]


def signature(text: str, *, of_function: bool = False) -> list[str]:
    entry = function("F", doc=text) if of_function else operator("A", 1, text)
    return [item.message for item in run([opset(1, entry)], rules=[SIGNATURE])]


SUCH_AS = "expected one such as optional, required, variadic or default `1`"
BULLET = "expected a bullet such as - `name` (optional) : type"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- in prose\n\n## Examples\n\n- a\n\n## Function Body\n\n- b", []),
        ("## Inputs\n\nWords.\n\n- `X` : tensor(float)\n\n  - a\n  - b", []),
        ("## Inputs\n\n```\n- a\n```", []),
        (
            "## Attributes\n\n- axis : int\n* `mode` is a string\n\n## Properties\n\n  1. x\n- y",
            [
                f'Attributes: "- axis : int" is no entry, {BULLET}',
                f'Attributes: "* `mode` is a string" is no entry, {BULLET}',
                f'Properties: "- y" is no entry, {BULLET}',
            ],
        ),
        ("## Inputs\n\n- `X`\n\n## Outputs\n\n- `X`\n\n## Attributes\n\n- `X`", []),
        ("## Inputs\n\n- `X`\n- `Y`\n- `X`\n", ['Inputs: "X" has 2 entries, expected one']),
        (
            "# INPUTS\n\n- `X`\n\n# Inputs\n\n- `X`\n\n# Examples\n\n# Examples\n",
            ["the section Inputs stands twice, expected once; the first counts"],
        ),
        ("## Inputs\n\n- `X` (optional, non-differentiable, variadic, at least 2, heterogeneous)", []),
        (
            "## Inputs\n\n- `X` (optinal, new)",
            [f'Inputs: the mark "{mark}" of "X" is unknown, {SUCH_AS}' for mark in ("optinal", "new")],
        ),
    ],
)
def test_entries(text: str, expected: list[str]) -> None:
    assert signature(text) == expected


@pytest.mark.parametrize(
    ("kind", "default", "example"),
    [
        ("int", "-1", None),
        ("int", "1.0", "1"),
        ("int", "true", "1"),
        ("float", "1", None),
        ("float", "1e-05", None),
        ("float", "-Infinity", None),
        ("float", "1.", "1.0"),
        ("float", '"1"', "1.0"),
        ("string", '"a"', None),
        ("string", "a", '"text"'),
        ("string", "1", '"text"'),
        ("list of ints", "[]", None),
        ("list of ints", "[1, 2]", None),
        ("list of ints", "1", "[1]"),
        ("list of ints", "[1, 2.5]", "[1]"),
        ("list of floats", "[1, 2.5]", None),
        ("list of strings", '["a"]', None),
        ("list of strings", "[a]", '["text"]'),
        ("int", "9" * 5000, "1"),
        ("list of ints", "[" * 20_000, "[1]"),
        ("tensor", "float {1.0}", None),
        ("", "anything", None),
    ],
)
def test_defaults(kind: str, default: str, example: str | None) -> None:
    quoted = default if len(default) <= 200 else f"{default[:200]}..."
    expected = f'the default of "a" is `{quoted}`, expected JSON for {kind}, such as {example}'
    found = signature(f"## Attributes\n\n- `a` (default `{default}`) : {kind}")
    assert found == ([] if example is None else [f"Attributes: {expected}"])


T = "\n\n## Type Constraints\n\n- `T` : tensor(float)\n- `T1` : tensor(int8)"


@pytest.mark.parametrize(
    ("types", "constraints", "undefined"),
    [
        (["T", "T1", "seq(T)", "map(int64, T1)", "T (any shape)"], T, []),
        (["tensor(float)", "seq(tensor(int64))", "optional(sparse_tensor(float16))", "float"], T, []),
        (["tensor(float)", "map(string, tensor(float))"], "", []),
        (["", "a float tensor", "T or tensor(float)", "tensor(float)[N, M]", "opaque(com.acme, A)"], T, []),
        (["T2"], T, ['T2 of "X0"']),
        (["tensor(T2)", "V", "T2"], T, ['T2 of "X0" and 1 more', 'V of "X1"']),
        (["T"], "", ['T of "X0"']),
        (["seq(T)"], "\n\n## Type Constraints\n", ['T of "X0"']),
    ],
)
def test_types(types: Sequence[str], constraints: str, undefined: list[str]) -> None:
    bullets = "\n".join(f"- `X{index}` : {text}" for index, text in enumerate(types))
    expected = "expected a type of ONNX or an entry in Type Constraints"
    for section in ("Inputs", "Outputs"):
        found = signature(f"## {section}\n\n{bullets}{constraints}")
        assert found == [f"the type {name} is not defined, {expected}" for name in undefined]


X, Y = "- `X`\n", "- `Y` (optional)\n"
REST, SOME = "- `Z` (variadic)\n", "- `Z` (variadic, at least 2)\n"


@pytest.mark.parametrize(
    ("heading", "entries", "in_words"),
    [
        ("1", X, None),
        ("1 - 2", X + Y, None),
        ("2", X + Y, None),
        ("2", Y + X, None),
        ("1 - ∞", X + REST, None),
        ("2 - ∞", Y + REST, None),
        ("0 - 5", Y + REST, None),
        ("3 - ∞", X + SOME, None),
        ("3", "Words alone.", None),
        ("2", X, "2 and the entries 1"),
        ("0 - 1", X, "0 to 1 and the entries 1"),
        ("1", X + Y, "1 and the entries 1 to 2"),
        ("1 - 2", Y + X, "1 to 2 and the entries 2"),
        ("1 - ∞", X, "1 or more and the entries 1"),
        ("1 - 3", X + Y, "1 to 3 and the entries 1 to 2"),
        ("2 - ∞", X + SOME, "2 or more and the entries 3 or more"),
        ("2 - 1", Y, "2 to 1 and the entries 0 to 1"),
    ],
)
def test_counts(heading: str, entries: str, in_words: str | None) -> None:
    found = signature(f"## Inputs ({heading})\n\n{entries}")
    agree = "expected counts that agree"
    assert found == ([] if in_words is None else [f"Inputs: the heading counts {in_words}, {agree}"])


def test_the_fields_of_a_function_count_as_entries() -> None:
    assert signature("## Inputs (3)\n\n- `X`\n", of_function=True) == []


def test_what_is_found_points_at_the_text() -> None:
    [finding] = run([opset(1, operator("A", 1, "## Inputs\n\n- X"))], rules=[SIGNATURE])
    assert (finding.level, finding.element, finding.field) == (SIGNATURE.level, "operator[0] A", "doc_string")


def test_what_is_said_of_very_long_texts_is_short() -> None:
    def said(text: str) -> list[str]:
        return [item.message for item in run([opset(1, operator("Text", 1, text))], rules=[SIGNATURE])]

    [message] = said("- a" * 100_000)
    assert message == "the text has 300,000 characters and is shown as it is, expected 200,000 at most"
    messages = said(f"## Attributes\n\n- `{'a' * 50_000}` ({'x, ' * 20_000}) : int\n")
    assert len(messages) == 20_000
    assert max(map(len, messages)) < 400
