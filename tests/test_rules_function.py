"""The rules about functions: what keeps them, what does not, and what is said about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import case_files
from opsetdocs.loader import parse
from opsetdocs.model import OperatorSet
from opsetdocs.rules import RULES, run
from opsetdocs.sources import load


def read(content: str, *, source: str = "a", opset: int = 1, ir_version: int = 10) -> OperatorSet:
    head = f'magic: "ONNXOPSET" ir_version: {ir_version} domain: "com.acme" opset_version: {opset}'
    return parse(f"{head}\n{content}".encode(), source)


def with_function(body: str, *, opset: int = 1, ir_version: int = 10) -> OperatorSet:
    content = f'functions {{ name: "F" domain: "com.acme" {body} }}'
    return read(content, opset=opset, ir_version=ir_version)


def messages(rule: str, *sets: OperatorSet) -> list[str]:
    """Return what a rule says, without file, line and element."""
    return [finding.message for finding in run(sets, rules=[RULES[rule]])]


def fields(rule: str, *sets: OperatorSet) -> list[str]:
    return [finding.field for finding in run(sets, rules=[RULES[rule]])]


X_TO_Y = 'input: "X" output: "Y"'
NAME = "expected a name of its own"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ('input: "X" input: "B" output: "Y" output: "X" attribute: "X"', []),
        ('input: "X" input: ""', ["input[1] has no name, expected one"]),
        ('input: "X" input: "X"', [f'input[1] is named "X" as input[0] is, {NAME}']),
        (
            'output: "Y" output: "Z" output: "Y" output: "Y"',
            [f'output[{index}] is named "Y" as output[0] is, {NAME}' for index in (2, 3)],
        ),
        ('attribute: "a" attribute: "a"', [f'attribute[1] is named "a" as attribute[0] is, {NAME}']),
        (
            'attribute: "b" attribute_proto { name: "a" } attribute_proto { name: "a" }',
            [f'attribute_proto[1] is named "a" as attribute_proto[0] is, {NAME}'],
        ),
        (
            'attribute: "a" attribute_proto { name: "a" } attribute_proto { type: INT }',
            [
                f'attribute_proto[0] is named "a" as attribute[0] is, {NAME}',
                "attribute_proto[1] has no name, expected one",
            ],
        ),
    ],
)
def test_signature(function: str, expected: list[str]) -> None:
    assert messages("FUNCTION_SIGNATURE", with_function(function)) == expected


OF_ONNX = "opset_import { version: 1 }"
OF_ACME = 'opset_import { domain: "com.acme" version: 1 }'
IMPORT = "which is not imported, expected an opset_import of it"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ('node { op_type: "A" } opset_import { version: 1 }', []),
        ('node { op_type: "A" } opset_import { domain: "ai.onnx" version: 1 }', []),
        ('node { op_type: "A" domain: "ai.onnx" } opset_import { domain: "" version: 1 }', []),
        ("opset_import { version: 1 }", []),
        ('node { op_type: "A" }', [f"node[0] A is of ai.onnx, {IMPORT}"]),
        (
            'node { op_type: "A" domain: "b" } node { op_type: "C" } node { op_type: "D" }' + OF_ACME,
            [
                f"node[0] A is of b, {IMPORT}",
                f"node[1] C is of ai.onnx, {IMPORT} (nodes that need it: 2)",
            ],
        ),
        (
            'node { op_type: "A" attribute { name: "g" g { node { op_type: "B" domain: "b" } } } }' + OF_ONNX,
            [f"node[0].attribute[0].g.node[0] B is of b, {IMPORT}"],
        ),
        (
            'node { op_type: "A" attribute { name: "g" graphs {} graphs { node { domain: "b" } } } }'
            + OF_ONNX,
            [f"node[0].attribute[0].graphs[1].node[0] is of b, {IMPORT}"],
        ),
        (
            'opset_import { version: 1 } opset_import { domain: "ai.onnx" version: 2 }',
            ["opset_import[1] imports ai.onnx as opset_import[0] does, expected one import"],
        ),
        (
            'opset_import { domain: "b" } opset_import { version: 0 }',
            [
                "opset_import[0], of b, has no version, expected a number >= 1",
                "opset_import[1], of ai.onnx, has version 0, expected a number >= 1",
            ],
        ),
    ],
)
def test_opset_import(function: str, expected: list[str]) -> None:
    assert messages("FUNCTION_OPSET_IMPORT", with_function(function)) == expected


def node(op_type: str, inputs: Sequence[str], outputs: Sequence[str], *attributes: str) -> str:
    values = [f'input: "{name}"' for name in inputs] + [f'output: "{name}"' for name in outputs]
    return f'node {{ op_type: "{op_type}" {" ".join([*values, *attributes])} }}'


def graph(name: str, content: str) -> str:
    return f'attribute {{ name: "{name}" type: GRAPH g {{ {content} }} }}'


ANOTHER = "expected another one"
INNER = "node[1].attribute[0].g"
BEFORE = "expected a value that is there before the node"
GIVEN = "expected a value that a node gives"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (X_TO_Y + node("A", "X", "T") + node("B", ["T", "", "X"], ["Y", ""]), []),
        ('input: "X" output: "X"', []),
        (node("A", "", ["", ""]) + node("B", "", ["", ""]), []),
        (
            X_TO_Y + node("A", "T", "Y") + node("B", "X", "T"),
            [f'node[0] A reads "T", which only node[1] B gives, {BEFORE}'],
        ),
        (X_TO_Y + node("A", "Y", "Y"), [f'node[0] A reads "Y", which only node[0] A gives, {BEFORE}']),
        (X_TO_Y + node("A", ["X", "Z"], "Y"), [f'node[0] A reads "Z", which nothing gives, {BEFORE}']),
        (
            X_TO_Y + 'output: "Z"' + node("A", "X", "T"),
            [
                f'output[0] is "Y", which nothing gives, {GIVEN}',
                f'output[1] is "Z", which nothing gives, {GIVEN}',
            ],
        ),
        (
            X_TO_Y + node("A", "X", "Y") + node("B", "X", ["Y", "X"]),
            [
                f'node[1] B gives "Y", a name that node[0] A has taken, {ANOTHER}',
                f'node[1] B gives "X", a name that input[0] has taken, {ANOTHER}',
            ],
        ),
        (
            X_TO_Y + node("A", "X", ["Y", "Y"]),
            [f'node[0] A gives "Y", a name that node[0] A has taken, {ANOTHER}'],
        ),
    ],
)
def test_body(function: str, expected: list[str]) -> None:
    assert messages("FUNCTION_BODY", with_function(function)) == expected


def in_loop(content: str, after: str = "") -> str:
    """Return a function whose second node holds a graph; X and T are visible there, and Y and Z are not."""
    first = node("A", "X", "T")
    return f"{X_TO_Y} {first} {node('Loop', 'T', 'Y', graph('body', content))} {after}"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (in_loop('input { name: "i" } output { name: "o" }' + node("B", ["i", "T", "X"], "o")), []),
        (in_loop('initializer { name: "c" } output { name: "o" }' + node("B", "c", "o")), []),
        (in_loop('sparse_initializer { values { name: "c" } } output { name: "c" }'), []),
        (in_loop('input { name: "c" } initializer { name: "c" } output { name: "T" }'), []),
        (in_loop(node("B", "T", "o"), node("C", "T", "o")), []),
        (in_loop('input { name: "X" }' + node("B", "X", "o")), []),
        (
            in_loop(node("B", "Z", "o"), node("C", "X", "Z")),
            [f'{INNER}.node[0] B reads "Z", which only node[2] C gives, {BEFORE}'],
        ),
        (
            in_loop(node("B", "X", "o"), node("C", "o", "Z")),
            [f'node[2] C reads "o", which nothing gives, {BEFORE}'],
        ),
        (
            in_loop('output { name: "o" }'),
            [f'node[1] Loop, body: output[0] is "o", which nothing gives, {GIVEN}'],
        ),
        (
            in_loop(node("B", "", ["T", "X"])),
            [
                f'{INNER}.node[0] B gives "T", a name that node[0] A has taken, {ANOTHER}',
                f'{INNER}.node[0] B gives "X", a name that input[0] has taken, {ANOTHER}',
            ],
        ),
        (
            in_loop('input { name: "i" }' + node("B", "", "i")),
            [f'{INNER}.node[0] B gives "i", a name that input[0] of the graph has taken, {ANOTHER}'],
        ),
        (
            in_loop('input { name: "i" } input { name: "i" } initializer { data_type: 1 }'),
            [
                "node[1] Loop, body: initializer[0] has no name, expected one",
                f'node[1] Loop, body: input[1] is named "i" as input[0] is, {NAME}',
            ],
        ),
    ],
)
def test_graphs_in_a_body(function: str, expected: list[str]) -> None:
    assert messages("FUNCTION_BODY", with_function(function)) == expected


def test_the_branches_of_a_node_may_use_the_same_names() -> None:
    branch = 'output { name: "o" }' + node("B", "X", "o")
    both = graph("then_branch", branch) + graph("else_branch", branch)
    assert messages("FUNCTION_BODY", with_function(X_TO_Y + node("If", "X", "Y", both))) == []


def test_attributes_of_nodes_refer_to_those_of_the_function() -> None:
    references = 'attribute { name: "p" ref_attr_name: "a" } attribute { name: "q" ref_attr_name: "b" }'
    inner = graph("body", node("B", "", "", references))
    function = 'attribute: "a" attribute_proto { name: "b" type: INT i: 1 }'
    assert messages("FUNCTION_BODY", with_function(function + node("A", "", "", references, inner))) == []
    [message] = messages("FUNCTION_BODY", with_function('attribute: "a"' + node("A", "", "", inner)))
    refers = 'node[0].attribute[0].g.node[0] B refers to the attribute "b"'
    assert message == f"{refers}, expected one that the function declares"


def test_where_the_faults_of_a_body_are() -> None:
    function = in_loop(node("B", ["T", "Z"], "T"))
    assert fields("FUNCTION_BODY", with_function(function)) == [
        f"{INNER}.node[0].input[1]",
        f"{INNER}.node[0].output[0]",
    ]


def of_acme(
    name: str, *called: str, opset: int = 3, since: int | None = None, domain: str = "com.acme"
) -> str:
    """Return a function of a set that calls others of it."""
    nodes = "".join(f'node {{ op_type: "{item}" domain: "{domain}" }}' for item in called)
    dated = f'metadata_props {{ key: "since_version" value: "{since}" }}' if since else ""
    imports = f'opset_import {{ domain: "{domain}" version: {opset} }}'
    return f'functions {{ name: "{name}" domain: "com.acme" {nodes} {imports} {dated} }}'


NO_RECURSION = "expected a body without recursion"


@pytest.mark.parametrize(
    ("functions", "expected"),
    [
        (of_acme("F", "G") + of_acme("G", "H", "H") + of_acme("H"), []),
        (of_acme("F", "A", "F"), [f"node[1] F calls the function itself, {NO_RECURSION}"]),
        (
            of_acme("E", "F")
            + of_acme("F", "H", "G")
            + of_acme("G", "G2")
            + of_acme("G2", "F")
            + of_acme("H"),
            [f"node[1] G leads back to the function, by way of G, G2, {NO_RECURSION}"],
        ),
        (
            of_acme("F", "F") + of_acme("G", "H") + of_acme("H", "G"),
            [
                f"node[0] F calls the function itself, {NO_RECURSION}",
                f"node[0] H leads back to the function, by way of H, {NO_RECURSION}",
            ],
        ),
        # Another domain's F, that of another opset, an earlier version, and an operator.
        (of_acme("F", "F", domain="com.other"), []),
        (of_acme("F", "F", opset=4), []),
        (of_acme("F", "F", opset=2), []),
        (of_acme("F", "F", opset=2, since=3), []),
        (of_acme("F", "F", opset=2, since=3) + of_acme("F", since=1), []),
        (of_acme("F", "F", opset=2, since=2), [f"node[0] F calls the function itself, {NO_RECURSION}"]),
        (
            of_acme("F", "F", since=2) + of_acme("F", "F", opset=2, since=1),
            [f"node[0] F calls the function itself, {NO_RECURSION}"],
        ),
        (of_acme("F", "G") + 'operator { op_type: "G" since_version: 1 }', []),
        (
            'functions { name: "F" domain: "com.acme" opset_import { domain: "com.acme" version: 3 } '
            + node("If", "", "", graph("b", 'node { op_type: "F" domain: "com.acme" }'))
            + "}",
            [f"node[0].attribute[0].g.node[0] F calls the function itself, {NO_RECURSION}"],
        ),
    ],
)
def test_functions_that_call_themselves(functions: str, expected: list[str]) -> None:
    assert messages("FUNCTION_BODY", read(functions, opset=3)) == expected


def test_a_circle_of_many_functions_is_told_once() -> None:
    names = [f"F{number}" for number in range(200)]
    ring = "".join(of_acme(name, names[place - 1]) for place, name in enumerate(names))
    [message] = messages("FUNCTION_BODY", read(ring, opset=3))
    assert message.startswith("node[0] F199 leads back to the function, by way of F199, F198, ")


@pytest.mark.parametrize(
    ("domain", "ir_version", "expected"),
    [
        ('domain: "com.acme"', 10, []),
        ('domain: "com.other"', 7, ["domain is com.other, expected that of the set, com.acme"]),
        ("", 7, []),
        ("", 8, ["domain is not stated and means ai.onnx, expected that of the set, com.acme"]),
    ],
)
def test_domain(domain: str, ir_version: int, expected: list[str]) -> None:
    item = read(f'functions {{ name: "F" {domain} }}', ir_version=ir_version)
    assert messages("FUNCTION_DOMAIN", item) == expected


def calls(op_type: str, version: int, *, overload: str = "", domain: str = "com.acme") -> str:
    called = f'op_type: "{op_type}" domain: "{domain}" overload: "{overload}"'
    return f'node {{ {called} }} opset_import {{ domain: "{domain}" version: {version} }}'


def operators(*names: str, since_version: int = 1) -> str:
    return "".join(f'operator {{ op_type: "{name}" since_version: {since_version} }}' for name in names)


MEMBER = "expected an operator of that opset"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (calls("A", 1), []),
        (calls("A", 2), [f"node[0] A is not in com.acme opset 2, {MEMBER}"]),
        (calls("B", 1), [f"node[0] B is not in com.acme opset 1, {MEMBER}"]),
        (calls("B", 2), []),
        (calls("G", 2, overload="x"), []),
        (calls("G", 2), [f"node[0] G is not in com.acme opset 2, {MEMBER}"]),
        (
            calls("B", 2, overload="x"),
            [f"node[0] B:x is not in com.acme opset 2, {MEMBER}"],
        ),
        (calls("Z", 3), []),
        (calls("Z", 1, domain="com.other"), []),
        ('node { op_type: "Z" domain: "com.acme" }', []),
        (
            node("If", "", "", graph("b", 'node { op_type: "C" domain: "com.acme" }'))
            + 'opset_import { domain: "com.acme" version: 2 }',
            [f"node[0].attribute[0].g.node[0] C is not in com.acme opset 2, {MEMBER}"],
        ),
    ],
)
def test_calls(function: str, expected: list[str]) -> None:
    first = read(operators("A"), source="1")
    second = f'{operators("B")} functions {{ name: "G" domain: "com.acme" overload: "x" }}'
    caller = f'functions {{ name: "F" domain: "com.acme" {function} }}'
    assert messages("FUNCTION_CALLS_KNOWN", first, read(second + caller, opset=2)) == expected


def test_the_file_of_the_imported_opset_is_named() -> None:
    imported, caller = read(operators("A"), source="1"), with_function(calls("B", 1), opset=2)
    [finding] = run([imported, caller], rules=[RULES["FUNCTION_CALLS_KNOWN"]])
    assert [place.file for place in finding.others] == ["1"]


@pytest.mark.parametrize(
    ("function", "ir_version", "expected"),
    [
        ("since_version: 1 status: STABLE", 7, []),
        ('metadata_props { key: "since_version" value: "1" }', 8, []),
        (
            "since_version: 1",
            8,
            ['since_version is 1 in a file of IR version 8, expected metadata_props["since_version"]'],
        ),
        (
            "status: EXPERIMENTAL",
            10,
            ['status is experimental in a file of IR version 10, expected metadata_props["status"]'],
        ),
    ],
)
def test_retired_fields(function: str, ir_version: int, expected: list[str]) -> None:
    assert messages("FUNCTION_RETIRED_FIELDS", with_function(function, ir_version=ir_version)) == expected


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("F1", [f'node[1] Mul reads "c", which nothing gives, {BEFORE}']),
        ("F2", []),
        ("F3", []),
        ("F4", []),
    ],
)
def test_functions_of_cases(case: str, expected: list[str]) -> None:
    rules = [rule for rule in RULES.values() if rule.id.startswith("FUNCTION_")]
    sets = load(case_files(case), base=Path()).sets
    assert [finding.message for finding in run(sets, rules=rules)] == expected
