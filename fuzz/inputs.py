"""What fuzzing begins with: the operator sets in `seeds/`, in each of the three formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from google.protobuf import text_format

from fuzz.mutation import written
from opsetdocs import schema
from opsetdocs.model import Format

SEEDS = Path(__file__).parent / "seeds"


def seeds(file_format: Format) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each seed, in a format."""
    for path in sorted(SEEDS.glob("*.textproto")):
        content = path.read_bytes()
        if file_format is not Format.TEXT:
            content = written(text_format.Parse(content.decode(), schema.OperatorSetProto()), file_format)
        yield path.stem, content
