"""Domains of any size: operators with the texts of ONNX, each changed so that no two are the same."""

from __future__ import annotations

import re
import sys
from itertools import cycle, islice
from pathlib import Path

from onnx.onnx_ml_pb2 import STABLE
from onnx.onnx_operators_ml_pb2 import OperatorSetProto

from opsetdocs.export import registry_sets

PAGES_PER_OPERATOR = 2
"""The operator's own, and that of its one version."""

MOST_OPERATORS = 2_000
"""More than in any domain that there is. What goes beyond is another domain, in a file of its own."""

_WORD = re.compile(r"(?<=\s)[a-z]{5,}(?=[\s,])")
_RELATIVE_LINK = re.compile(r"\]\((?!https?:)")


def write_domains(folder: Path, pages: int) -> None:
    """Write operator sets whose site has about so many pages: `com.example.made`, `com.example.made1`, ...

    Args:
        folder: Where the files are written, in binary form.
        pages: How many.
    """
    texts = sorted({entry.doc_string for item in registry_sets() for entry in item.operator})
    entries = enumerate(islice(cycle(texts), pages // PAGES_PER_OPERATOR))
    while some := tuple(islice(entries, MOST_OPERATORS)):
        name = f"com.example.made{some[0][0] // MOST_OPERATORS or ''}"
        made = OperatorSetProto(magic="ONNXOPSET", ir_version=10, domain=name, opset_version=1)
        for number, text in some:
            made.operator.add(
                op_type=f"Operator{number}",
                since_version=1,
                status=STABLE,
                doc_string=_distinct(text, number),
            )
        (folder / f"{name}-1.onnxopset").write_bytes(made.SerializeToString())


def main(folder: str, pages: str) -> None:
    write_domains(Path(folder), int(pages))


def _distinct(text: str, number: int) -> str:
    """Return a text with some of its words changed, and a sentence more."""
    changed = "\n".join(
        # Entries and headings keep the words that say what they are.
        line if line.startswith(("- `", "#")) else _changed(line, number)
        for line in text.split("\n")
    )
    # Links between ONNX's own pages lead nowhere here, of which every program would warn.
    linked = _RELATIVE_LINK.sub("](https://example.com/", changed)
    return f"Operator {number} of a made domain. {linked}"


def _changed(line: str, number: int) -> str:
    return _WORD.sub(
        lambda match: f"{match[0]}{number}" if (match.start() + number) % 17 == 0 else match[0], line
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
