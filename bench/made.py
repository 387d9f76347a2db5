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

_WORD = re.compile(r"\b[a-z]{5,}\b")


def write_domain(file: Path, pages: int) -> None:
    """Write an operator set whose site has about so many pages.

    Args:
        file: The file, in binary form.
        pages: How many.
    """
    texts = sorted({entry.doc_string for item in registry_sets() for entry in item.operator})
    made = OperatorSetProto(magic="ONNXOPSET", ir_version=10, domain="com.example.made", opset_version=1)
    for number, text in enumerate(islice(cycle(texts), pages // PAGES_PER_OPERATOR)):
        made.operator.add(
            op_type=f"Operator{number}", since_version=1, status=STABLE, doc_string=_distinct(text, number)
        )
    file.write_bytes(made.SerializeToString())


def main(file: str, pages: str) -> None:
    write_domain(Path(file), int(pages))


def _distinct(text: str, number: int) -> str:
    """Return a text with some of its words changed, and a sentence more."""
    changed = _WORD.sub(
        lambda match: f"{match[0]}{number}" if (match.start() + number) % 17 == 0 else match[0], text
    )
    return f"Operator {number} of a made domain. {changed}"


if __name__ == "__main__":
    main(*sys.argv[1:])
