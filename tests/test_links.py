"""Where relative links of texts, and operators named in code, lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import case_files
from opsetdocs.addresses import Addresses, assign
from opsetdocs.catalog import Catalog
from opsetdocs.errors import ConfigError
from opsetdocs.history import build_catalog
from opsetdocs.links import ONNX_DOCS, link_resolver, operator_linker
from opsetdocs.markdown import internal
from opsetdocs.sources import load


@pytest.fixture(scope="module")
def site() -> tuple[Catalog, Addresses]:
    catalog = build_catalog(load(case_files("H2", "N8"), base=Path()).sets)
    return catalog, assign(catalog)


GELU = "ai.onnx/operators/Gelu/"


@pytest.mark.parametrize(
    ("href", "domain", "link_map", "expected"),
    [
        ("Broadcasting.md", "com.example", {}, None),
        ("Broadcasting.md", "ai.onnx", {}, f"{ONNX_DOCS}Broadcasting.md"),
        ("../docs/Syntax.md#x", "ai.onnx.ml", {}, "https://github.com/onnx/onnx/blob/main/docs/Syntax.md#x"),
        ("Broadcasting.md", "ai.onnx", {"Broadcasting.md": "https://a.example/b"}, "https://a.example/b"),
        ("docs/Syntax.md#x", "com.example", {"Syntax.md": "https://a.example/s"}, "https://a.example/s#x"),
        (
            "docs/Syntax.md",
            "com.example",
            {"Syntax.md": "https://no.example/", "docs/Syntax.md": "https://a.example/"},
            "https://a.example/",
        ),
        ("Other.md", "com.example", {"*": "https://a.example/docs/"}, "https://a.example/docs/Other.md"),
        ("Operators.md#Gelu", "ai.onnx", {}, internal(GELU)),
        ("Operators.md#ai.onnx.Gelu", "ai.onnx", {}, internal(GELU)),
        ("docs/Changelog.md#Gelu-20", "ai.onnx", {}, internal(f"{GELU}20/")),
        ("Changelog.md#Gelu-7", "ai.onnx", {}, f"{ONNX_DOCS}Changelog.md#Gelu-7"),
        ("Operators.md#Absent", "com.microsoft", {}, None),
    ],
)
def test_relative_links(
    site: tuple[Catalog, Addresses], href: str, domain: str, link_map: dict[str, str], expected: str | None
) -> None:
    assert link_resolver(*site, link_map)(href, domain) == expected


@pytest.mark.parametrize(
    ("name", "domain", "expected"),
    [
        ("Sub", "com.example", "com.example/operators/Sub/"),
        ("Gelu", "com.microsoft", "com.microsoft/operators/Gelu/"),
        ("Gelu", "ai.onnx", GELU),
        ("Gelu", "com.example", GELU),
        ("Sub", "com.microsoft", None),
        ("gelu", "ai.onnx", None),
    ],
)
def test_an_operators_own_domain_comes_first(
    site: tuple[Catalog, Addresses], name: str, domain: str, expected: str | None
) -> None:
    assert operator_linker(*site)(name, domain) == expected


@pytest.mark.parametrize("target", ["guide.md", "javascript:alert(1)", "//a.example/", ""])
def test_a_link_is_mapped_to_an_address(site: tuple[Catalog, Addresses], target: str) -> None:
    with pytest.raises(ConfigError, match=r"link_map: handbook\.md leads to"):
        link_resolver(*site, {"handbook.md": target})
