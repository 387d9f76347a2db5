"""The examples of operators in ONNX's node tests, read as syntax.

ONNX keeps them in `onnx/backend/test/case/node`: a class named after the operator, with static methods
`export_<name of the example>`. Running them takes seconds and writes test data; reading them takes neither.
"""

from __future__ import annotations

import ast
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import onnx

_PREFIX = "export"


@dataclass(frozen=True, slots=True)
class Example:
    """An example of an operator."""

    name: str
    code: str
    """The body of the method, without its indentation."""


def node_test_folder() -> Path:
    """Return the folder of the node tests in the installed onnx package; it may not exist."""
    return Path(onnx.__file__).parent / "backend" / "test" / "case" / "node"


def read_examples(folder: Path) -> dict[tuple[str, str], list[Example]]:
    """Return the examples below a folder by domain and op_type, in the order of files and of methods.

    A subfolder is named after its domain (`ai_onnx_ml`). Those at the top belong to the default domain or to
    one without a folder of its own; they stand under the empty domain.
    """
    examples: dict[tuple[str, str], list[Example]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        domain = ".".join(path.relative_to(folder).parts[:-1]).replace("_", ".")
        source = path.read_text(encoding="utf-8")
        for node in ast.parse(source, str(path)).body:
            if isinstance(node, ast.ClassDef):
                examples[domain, node.name] += _examples(node, source.split("\n"))
    return {key: found for key, found in examples.items() if found}


def _examples(operator: ast.ClassDef, lines: list[str]) -> Iterator[Example]:
    methods = {node.name: node for node in operator.body if isinstance(node, ast.FunctionDef)}
    for name, method in methods.items():
        if name.startswith(_PREFIX):
            body = "\n".join(lines[_first_line(method) - 1 : method.end_lineno])
            short = name.removeprefix(_PREFIX).removeprefix("_")
            yield Example(short or operator.name.lower(), textwrap.dedent(body).strip("\n"))


def _first_line(method: ast.FunctionDef) -> int:
    """The line after the signature: a comment may stand before the first statement."""
    return max(method.lineno, (method.returns or method).lineno) + 1
