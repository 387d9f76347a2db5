"""What findings call the files that they are about."""

from __future__ import annotations

from opsetdocs.git_source import PREFIX
from opsetdocs.sources import INSTALLED_ONNX, STANDARD_INPUT


def is_file(name: str) -> bool:
    """Return whether a name is that of a file, as a user named it.

    It is not where a set came from standard input (`-`), from the installed onnx package (`onnx: ai.onnx-13`)
    or from a Git revision (`git:v1.2:ops.textproto`), nor where a finding belongs to no file.
    """
    other_sources = (f"{INSTALLED_ONNX}: ", PREFIX)
    return name not in ("", STANDARD_INPUT) and not name.startswith(other_sources)
