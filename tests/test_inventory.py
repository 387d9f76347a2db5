"""`objects.inv`, read by the tools that it is for."""

from __future__ import annotations

import io
import logging
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import onnx.defs
import pytest
from mkdocstrings import Inventory
from sphinx.util.inventory import InventoryFile

from html_site import BuiltSite
from opsetdocs.addresses import as_id
from opsetdocs.inventory import INVENTORY, inventory
from opsetdocs.names import operator_segment
from opsetdocs.site import Site, Target, TargetKind

KEPT = "opsetdocs: another inventory stays in the place of ours: objects.inv"
LINE = re.compile(r"(\S+) (std|onnx):(label|operator|version|attribute) (-?1) (\S+)#\$ (\S.*)")


def lines(content: bytes) -> list[str]:
    *_, compressed = content.split(b"\n", 4)
    return zlib.decompress(compressed).decode().split("\n")[:-1]


def locations(content: bytes) -> dict[str, dict[str, str]]:
    """Return what Sphinx reads: the location of each name, by role."""
    read = InventoryFile.load(io.BytesIO(content), "", lambda _, location: location)
    return {role: {name: item.uri for name, item in names.items()} for role, names in read.items()}


def test_each_name_is_there_as_sphinx_and_mkdocstrings_read_it(site_of: Callable[..., Site]) -> None:
    content = site_of("F4").assets[INVENTORY]
    read = locations(content)
    labels = read.pop("std:label")
    assert set(read) == {"onnx:operator", "onnx:version", "onnx:attribute"}
    for names in read.values():
        assert names.items() <= labels.items()
    assert {item.name: item.uri for item in Inventory.parse_sphinx(io.BytesIO(content)).values()} == labels


@pytest.mark.parametrize("directory_urls", [True, False])
@pytest.mark.parametrize("case", ["H2", "H5", "F3", "N1", "N4", "S2", "F4", "V1"])
def test_every_location_is_on_a_page(site_of: Callable[..., Site], case: str, directory_urls: bool) -> None:
    site = site_of(case, directory_urls=directory_urls)
    pages = {page.address + ("" if directory_urls else "index.html"): page.html for page in site.pages}
    labels = locations(site.assets[INVENTORY])["std:label"]
    assert len(labels) == len(site.targets)
    for name, location in labels.items():
        address, _, fragment = location.partition("#")
        assert fragment == name
        assert f' id="{name}"' in pages[address], location


def test_all_of_onnx_is_in_it(onnx_site: BuiltSite) -> None:
    read = locations((onnx_site.folder / INVENTORY).read_bytes())
    operators: dict[str, str] = {}
    versions: dict[str, str] = {}
    attributes: dict[str, str] = {}
    labels: dict[str, str] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        domain = schema.domain or "ai.onnx"
        latest = onnx.defs.get_schema(schema.name, schema.domain).since_version
        address = f"{domain}/operators/{schema.name}/"
        subjects = {f"{domain}.{schema.name}-{schema.since_version}": f"{address}{schema.since_version}/"}
        versions |= subjects
        if schema.since_version == latest:
            operators[f"{domain}.{schema.name}"] = address
            subjects[f"{domain}.{schema.name}"] = address
        for id_, page in subjects.items():
            attributes |= {
                f"{id_}.attribute.{as_id(operator_segment(name))}": page for name in schema.attributes
            }
            labels |= {f"{id_}.input.{as_id(operator_segment(item.name))}": page for item in schema.inputs}
            labels |= {f"{id_}.output.{as_id(operator_segment(item.name))}": page for item in schema.outputs}
            labels |= {f"{id_}.type.{item.type_param_str}": page for item in schema.type_constraints}
    expected = {"onnx:operator": operators, "onnx:version": versions, "onnx:attribute": attributes}
    for role, names in expected.items():
        assert read[role] == {name: f"{page}#{name}" for name, page in names.items()}, role
        labels |= names
    others = {name: uri for name, uri in read["std:label"].items() if name not in labels}
    assert set(labels) <= read["std:label"].keys()
    assert {re.sub(r"\d+", "N", name) for name in others} == {
        name
        for domain in {id_.rpartition(".")[0] for id_ in operators}
        for name in (domain, f"{domain}.opset-N")
    }


HOSTILE = [
    "two\nlines std:label -1 evil/ -",
    "next\x85line",
    "line\u2028separator",
    "\x00\x1b[31m",
    "  ",
    "# Project: other",
]


@pytest.mark.parametrize("title", HOSTILE)
def test_a_title_cannot_add_a_line(title: str) -> None:
    target = Target("com.x~12345678", TargetKind.OPERATOR, title, "com/operators/x~12345678/")
    content = inventory((target,), project=title, directory_urls=True)
    assert [LINE.fullmatch(line) is not None for line in lines(content)] == [True, True]
    assert len(content.split(b"\n# The remainder")[0].splitlines()) == 3
    assert set(locations(content)["std:label"]) == {target.id}


@pytest.mark.parametrize("case", ["S2", "N3", "N4", "N6", "T2"])
def test_names_that_are_no_identifiers_have_sound_lines(site_of: Callable[..., Site], case: str) -> None:
    found = [LINE.fullmatch(line) for line in lines(site_of(case).assets[INVENTORY])]
    assert found
    assert all(found)


@pytest.mark.parametrize("path", ["", "reference/ops"])
@pytest.mark.parametrize("directory_urls", [True, False])
def test_it_stands_at_the_root_of_the_section(
    mkdocs_site: Callable[..., BuiltSite], path: str, directory_urls: bool
) -> None:
    site = mkdocs_site("F4", plugin={"path": path}, use_directory_urls=directory_urls)
    root = site.folder / path
    for location in locations((root / INVENTORY).read_bytes())["std:label"].values():
        address, _, fragment = location.partition("#")
        file = root / address / ("index.html" if directory_urls else "")
        assert f'id="{fragment}"' in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("event", ["on_env(env, config, files)", "on_post_build(config)"])
def test_the_inventory_of_another_plugin_stays(
    mkdocs_site: Callable[..., BuiltSite], tmp_path: Path, caplog: pytest.LogCaptureFixture, event: str
) -> None:
    (tmp_path / "hook.py").write_text(
        f"import pathlib\ndef {event}:\n    folder = pathlib.Path(config.site_dir)\n"
        f"    folder.mkdir(exist_ok=True)\n    (folder / 'objects.inv').write_bytes(b'theirs')\n",
        encoding="utf-8",
    )
    site = mkdocs_site("F4", hooks=["hook.py"])
    assert (site.folder / INVENTORY).read_bytes() == b"theirs"
    assert KEPT in [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]


def test_that_of_the_docs_folder_stays(
    mkdocs_site: Callable[..., BuiltSite], caplog: pytest.LogCaptureFixture
) -> None:
    site = mkdocs_site("F4", pages={INVENTORY: "by hand"})
    assert (site.folder / INVENTORY).read_text(encoding="utf-8") == "by hand"
    messages = [record.getMessage() for record in caplog.records if record.levelno == logging.INFO]
    assert KEPT in messages
