"""Many of a kind in one file: all are shown, each in its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from opsetdocs import schema
from opsetdocs.addresses import MAX_VERSIONS_WITH_ALL_PAIRS
from opsetdocs.build import build_site
from opsetdocs.site import Site, SiteOptions

MANY = 1_000


def site_of(folder: Path, **fields: Any) -> Site:
    message = schema.OperatorSetProto(
        magic="ONNXOPSET", ir_version=10, domain="com.example", **{"opset_version": 1, **fields}
    )
    (folder / "ops.onnxopset").write_bytes(message.SerializeToString())
    return build_site(SiteOptions(sources=(str(folder / "ops.onnxopset"),)))


def documented(doc: str) -> dict[str, Any]:
    return {"operator": [{"op_type": "F", "since_version": 1, "status": 1, "doc_string": doc}]}


def function(**fields: Any) -> dict[str, Any]:
    return {"functions": [{"name": "F", **fields}]}


NAMES = [f"name{number}" for number in range(MANY)]
NODES = [{"op_type": f"Op{name}", "input": ["x"], "output": [name]} for name in NAMES]
KINDS = {
    "attributes": function(attribute=NAMES),
    "defaults": function(attribute_proto=[{"name": name, "type": 2, "i": 1} for name in NAMES]),
    "inputs": function(input=NAMES),
    "nodes": function(node=NODES),
    "inputs of a node": function(node=[{"op_type": "Concat", "input": NAMES, "output": ["y"]}]),
    "strings": function(attribute_proto=[{"name": "a", "type": 8, "strings": [n.encode() for n in NAMES]}]),
    "entries": documented("## Attributes\n\n" + "".join(f"- `{name}` : int\n" for name in NAMES)),
    "types": documented("## Type Constraints\n\n- `T` : " + ", ".join(f"tensor({name})" for name in NAMES)),
    "sections": documented("".join(f"## Attributes\n\n- `{name}` : int\n\n" for name in NAMES)),
    "sections of one kind with one name": documented("## Attributes\n\n- `a` : int\n\n" * MANY),
    "headings": documented("".join(f"## {name}\n\n" for name in NAMES)),
    "headings with one name": documented("## a\n\n" * MANY),
    "examples": documented("## Examples\n\n" + "".join(f"### {name}\n\n```\nx\n```\n\n" for name in NAMES)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_are_shown(kind: str, tmp_path: Path) -> None:
    pages = {page.address: page.html for page in site_of(tmp_path, **KINDS[kind]).pages}
    html = pages["com.example/operators/F/"]
    ids = re.findall(r' id="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    shown = {name for name in NAMES if name in html}
    if "one name" in kind:
        assert len(ids) > MANY
    elif kind in ("nodes", "inputs of a node", "strings"):  # of a long body or value only the beginning
        assert shown
    else:
        assert len(shown) == MANY


def operators(number: int, versions: int) -> Iterator[dict[str, Any]]:
    for name in range(number):
        for version in range(1, versions + 1):
            yield {"op_type": f"Op{name}", "since_version": version, "status": 1, "doc_string": f"{version}."}


def test_of_many_versions_only_neighbours_are_compared(tmp_path: Path) -> None:
    most = MAX_VERSIONS_WITH_ALL_PAIRS
    pages = {
        versions: {
            page.address: page.html
            for page in site_of(tmp_path, operator=[*operators(2, versions)], opset_version=versions).pages
        }
        for versions in (most, most + 1)
    }
    pairs = {
        versions: [address for address in found if re.search(r"operators/Op0/\d+-\d+/", address)]
        for versions, found in pages.items()
    }
    assert {versions: len(found) for versions, found in pairs.items()} == {
        most: most * (most - 1) // 2,
        most + 1: most,
    }
    # Where no page compares two versions, links lead to the newer one.
    for address, html in pages[most + 1].items():
        for target in re.findall(r'href="([^"#]*/)["#]', html):
            if not target.startswith("http"):
                resolved = str(Path("/", address, target).resolve()).strip("/") + "/"
                assert resolved.removeprefix("/") in pages[most + 1], f"{address}: {target}"
