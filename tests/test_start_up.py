"""Nothing imports what it does not need: the start of a command is a large part of a small build."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("opsetdocs", {"click", "google.protobuf", "jinja2", "markdown_it", "mkdocs"}),
        (
            "opsetdocs.cli",
            {"google.protobuf", "importlib.metadata", "jinja2", "markdown_it", "mkdocs", "onnx"},
        ),
        ("opsetdocs.sources", {"click", "jinja2", "markdown_it", "mkdocs", "onnx"}),
        ("opsetdocs.check", {"jinja2", "mkdocs", "onnx"}),
        ("opsetdocs.build", {"latex2mathml", "mkdocs", "onnx"}),
        ("opsetdocs.plugin", {"latex2mathml", "onnx", "watchdog"}),
    ],
)
def test_modules_that_are_not_needed_are_not_imported(module: str, unneeded: set[str]) -> None:
    program = f"import {module}, sys; print(*sys.modules, sep='\\n')"
    output = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    assert unneeded & set(output.stdout.split()) == set()
