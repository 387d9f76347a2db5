"""Where the bodies of two functions differ, in words."""

from __future__ import annotations

import pytest

from opsetdocs.body_changes import MAX_CHANGES, body_changes
from opsetdocs.loader import parse
from opsetdocs.model import Function


def body(nodes: str) -> Function:
    content = f'magic: "ONNXOPSET" functions {{ name: "F" {nodes} }}'
    return parse(content.encode(), "a.textproto").functions[0]


def node(op_type: str, inputs: str = "x", outputs: str = "y", fields: str = "") -> str:
    values = [f'input: "{name}"' for name in inputs] + [f'output: "{name}"' for name in outputs]
    return f'node {{ op_type: "{op_type}" {" ".join(values)} {fields} }} '


def axis(value: int) -> str:
    return f'attribute {{ name: "axis" type: INT i: {value} }}'


ABC = node("A") + node("B") + node("C")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (ABC, ABC, []),
        (node("A"), node("A", fields='name: "n" doc_string: "Text." domain: "ai.onnx"'), []),
        (node("Neg"), node("Abs"), ["node[0]: op_type Neg became Abs"]),
        (node("A"), node("A", fields='domain: "b"'), ["node[0]: domain ai.onnx became b"]),
        (node("A"), node("A", fields='overload: "b"'), ["node[0]: overload nothing became b"]),
        (ABC + node("D", "ab"), ABC + node("D", "ac"), ["node[3]: input b became c"]),
        (node("A", "ab"), node("A", "a"), ["node[0]: input b removed"]),
        (node("A", "x", "a"), node("A", "x", "ab"), ["node[0]: output b added"]),
        (node("A", fields=axis(1)), node("A", fields=axis(2)), ["attribute axis of node[0] changed"]),
        (node("A"), node("A", fields=axis(0)), ["attribute axis of node[0] added"]),
        (node("A", fields=axis(0)), node("A"), ["attribute axis of node[0] removed"]),
        (ABC, node("A") + node("D") + node("B") + node("C"), ["node[1] D added"]),
        (ABC, node("A") + node("C"), ["node[1] B removed"]),
        (ABC, ABC + ABC, ["3 nodes added, the first of them node[3] A"]),
        (ABC + ABC, ABC, ["3 nodes removed, the first of them node[3] A"]),
        (
            ABC,
            node("X") + node("B") + node("C", "z") + node("D"),
            ["node[0]: op_type A became X", "node[2]: input x became z", "node[3] D added"],
        ),
    ],
)
def test_where_a_body_changed(old: str, new: str, expected: list[str]) -> None:
    assert list(body_changes(body(old), body(new))) == expected


def test_of_many_changes_the_first_are_told() -> None:
    old, new = ("".join(node(f"{name}{number}") for number in range(9)) for name in "AB")
    *told, more = body_changes(body(old), body(new))
    assert told == [f"node[{number}]: op_type A{number} became B{number}" for number in range(MAX_CHANGES)]
    assert more == f"and {9 - MAX_CHANGES} more"
