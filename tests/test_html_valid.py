"""The Nu HTML checker finds no fault on a page of each kind. Where it is missing, that is skipped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from html_site import BuiltSite

MkdocsSite = Callable[..., BuiltSite]

JAR = "OPSETDOCS_VNU_JAR"
"""The variable that says where the checker is: the file vnu.jar of the npm package vnu-jar. It needs Java."""

OF_ONNX = [
    "index.html",
    "404.html",
    *(f"{domain}/index.html" for domain in ("ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training")),
    *(
        f"ai.onnx/operators/{name}/index.html"
        for name in (
            "Attention",
            "Conv",
            "Gelu",
            "If",
            "Loop",
            "Resize",
            "Scan",
            "StringNormalizer",
            "Upsample",
        )
    ),
    *(f"ai.onnx/operators/{name}/index.html" for name in ("Conv/11", "GroupNormalization/18", "Resize/19")),
    *(f"ai.onnx/operators/{name}/index.html" for name in ("Conv/1-11", "Resize/10-19", "Gelu/20")),
    *(f"ai.onnx/opsets/{name}index.html" for name in ("", "1/", "13/", "28/", "1-28/", "13-21/", "27-28/")),
    "ai.onnx.ml/operators/TreeEnsembleRegressor/index.html",
]
"""Pages of all of ONNX: of each kind some, those that have much among them."""

PAGES = {
    "index.md": "# Start\n\nText.\n\n## One\n\n| a |\n|---|\n| 1 |\n\n## Two & three\n\n```python\n1\n```\n",
    "guide/one.md": '---\ndescription: A "guide" & more\n---\n# One <b>guide</b>\n\n!!! note\n\n    Text.\n',
    "guide/two.md": "No title.\n",
}
CASES = ("F1", "F4", "H1", "H4", "H5", "H6", "M3", "N1", "N8", "Q4", "Q5")
"""Inputs of all sorts: functions, gaps, versions in conflict, wide tables, odd names, other scripts."""


def faults(files: list[Path]) -> list[str]:
    """Return the errors and warnings of the checker about files, each on a line."""
    jar, java = os.environ.get(JAR), shutil.which("java")
    if not jar:
        pytest.skip(f"the Nu HTML checker is not there: {JAR} does not say where")
    assert java, "there is no Java to run the Nu HTML checker"
    assert Path(jar).is_file(), f"{JAR} names no file: {jar}"
    command = [java, "-Xss4m", "-jar", jar, "--format", "json", "--exit-zero-always", *map(str, files)]
    result = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=600, check=True
    )
    messages = json.loads(result.stderr)["messages"]
    return [
        f"{item['url']}:{item.get('lastLine')}: {item['type']}: {item['message']}: {item.get('extract', '')}"
        for item in messages
        # What else it tells is taste: MkDocs itself writes `<br />`.
        if "error" in (item["type"], item.get("subType")) or item.get("subType") == "warning"
    ]


def test_every_kind_of_page_is_valid(onnx_site: BuiltSite, mkdocs_site: MkdocsSite) -> None:
    made = mkdocs_site(
        *CASES,
        theme="opsetdocs",
        pages=PAGES,
        plugin={"path": "ops", "rules": True},
        markdown_extensions=[
            "admonition",
            {"toc": {"permalink": True}},
            {"tables": {"use_align_attribute": True}},
        ],
        repo_url="https://code.example/acme",
        edit_uri="edit/main/docs/",
        strict=False,
    )
    rules = sorted(made.folder.glob("ops/rules/*/index.html"))
    files = [
        *(onnx_site.folder / name for name in OF_ONNX),
        *(file for file in made.folder.rglob("*.html") if "rules" not in file.parts),
        made.folder / "ops/rules/index.html",
        *rules[::8],
    ]
    assert len(files) > 60
    assert faults(files) == []
