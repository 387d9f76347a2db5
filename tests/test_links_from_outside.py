"""Other documentation links to a built site: with Sphinx, with mkdocstrings, and with autorefs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin

from conftest import case_files
from html_site import BuiltSite, Node
from opsetdocs.plugin import OpsetDocsPlugin

HOME = "https://ops.example.org/reference/"

SINCE = {
    "com.example.Window": "com.example/operators/Window/",
    "com.example.Window-1": "com.example/operators/Window/1/",
    "com.example.Window-1.attribute.alpha": "com.example/operators/Window/1/",
    "com.example.Window-1.input.x": "com.example/operators/Window/1/",
    "com.example": "com.example/",
    "com.example.opset-1": "com.example/opsets/1/",
}
"""Names of the site of the case F4, and the page of each."""


def targets(page: Node) -> dict[str, str]:
    """Return where links lead, by their words."""
    return {node.text.strip(): node.attributes.get("href", "") for node in page.find_all("a")}


@pytest.fixture
def documented(mkdocs_site: Callable[..., BuiltSite]) -> BuiltSite:
    return mkdocs_site("F4")


def sphinx(folder: Path, inventory: Path, text: str, conf: str = "") -> dict[str, str]:
    """Build a page that refers to names of the inventory; return where its links lead, by their words."""
    folder.mkdir()
    mapping = {"ops": (HOME, str(inventory))}
    (folder / "conf.py").write_text(
        f"extensions = ['sphinx.ext.intersphinx']\nintersphinx_mapping = {mapping}\n{conf}", encoding="utf-8"
    )
    (folder / "index.rst").write_text(f"Title\n=====\n\n{text}\n", encoding="utf-8")
    run("sphinx", "-q", "-W", "-n", "-b", "html", ".", "out", cwd=folder)
    return targets(BuiltSite(folder / "out").pages["index.html"].root)


def run(*command: str, cwd: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_sphinx(documented: BuiltSite, tmp_path: Path) -> None:
    lines = [
        f"* :ref:`{name}`\n* :ref:`words for {name} <{name}>`\n* :external+ops:ref:`there {name} <{name}>`"
        for name in SINCE
    ]
    found = sphinx(tmp_path / "sphinx", documented.folder / "objects.inv", "\n".join(lines))
    for name, page in SINCE.items():
        assert found[f"words for {name}"] == found[f"there {name}"] == f"{HOME}{page}#{name}"
    assert found["Window"] == f"{HOME}{SINCE['com.example.Window']}#com.example.Window"
    assert found["Window-1"] == f"{HOME}{SINCE['com.example.Window-1']}#com.example.Window-1"


SPHINX_DOMAIN = """
from sphinx.domains import Domain, ObjType
from sphinx.roles import XRefRole

class Onnx(Domain):
    name = label = "onnx"
    object_types = {kind: ObjType(kind, kind) for kind in ("operator", "version", "attribute")}
    roles = {kind: XRefRole() for kind in object_types}

def setup(app):
    app.add_domain(Onnx)
"""


def test_sphinx_with_a_domain_of_the_names(documented: BuiltSite, tmp_path: Path) -> None:
    names = {
        "operator": "com.example.Window",
        "version": "com.example.Window-1",
        "attribute": "com.example.Window-1.attribute.alpha",
    }
    lines = [
        f"* :onnx:{role}:`the {role} <{name}>`\n* :external+ops:onnx:{role}:`{role} there <{name}>`"
        for role, name in names.items()
    ]
    inventory = documented.folder / "objects.inv"
    found = sphinx(tmp_path / "sphinx", inventory, "\n".join(lines), SPHINX_DOMAIN)
    for role, name in names.items():
        assert found[f"the {role}"] == found[f"{role} there"] == f"{HOME}{SINCE[name]}#{name}"


def hand_written() -> str:
    return "# Hand\n\n" + "\n".join(f"- [words for {name}][{name}]\n- [{name}][]" for name in SINCE)


def test_mkdocstrings_in_another_project(documented: BuiltSite, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/index.md").write_text(f"{hand_written()}\n\n::: json.dumps\n", encoding="utf-8")
    inventory = (documented.folder / "objects.inv").as_uri()
    (folder / "mkdocs.yml").write_text(
        f"""
site_name: Other
plugins:
  - mkdocstrings:
      handlers:
        python:
          inventories:
            - url: {inventory}
              base_url: {HOME}
              domains: [std, onnx]
""",
        encoding="utf-8",
    )
    run("mkdocs", "build", "--strict", "--quiet", cwd=folder)
    found = targets(BuiltSite(folder / "site").page("").main)
    for name, page in SINCE.items():
        assert found[f"words for {name}"] == found[name] == f"{HOME}{page}#{name}"


@pytest.mark.parametrize("plugins", [["autorefs"], ["mkdocstrings"], ["autorefs", "mkdocstrings"]])
@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize("path", ["", "ops/"])
@pytest.mark.parametrize("directory_urls", [True, False])
def test_autorefs_on_the_same_site(
    mkdocs_site: Callable[..., BuiltSite],
    plugins: list[str],
    ours_first: bool,
    path: str,
    directory_urls: bool,
) -> None:
    ours = {"opsetdocs": {"sources": list(case_files("F4")), "path": path}}
    chosen = [ours, *plugins] if ours_first else [*plugins, ours]
    site = mkdocs_site(
        pages={"guide/hand.md": hand_written(), **({"index.md": "# Home"} if path else {})},
        plugins=["search", *chosen],
        use_directory_urls=directory_urls,
    )
    up, page = (
        ("../../", site.page("guide/hand/")) if directory_urls else ("../", site.pages["guide/hand.html"])
    )
    found = targets(page.main)
    file = "" if directory_urls else "index.html"
    for name, address in SINCE.items():
        assert found[f"words for {name}"] == found[name] == f"{up}{path}{address}{file}#{name}"
    assert site.broken_links() == []


def test_a_hand_written_page_keeps_its_own_ids(mkdocs_site: Callable[..., BuiltSite]) -> None:
    ours = {"opsetdocs": {"sources": list(case_files("F4"))}}
    name = "com.example.Window-1"
    site = mkdocs_site(
        pages={
            "hand.md": f"[words][{name}]",
            f"{SINCE[name]}index.md": f"# Window by hand {{ #{name} }}",
        },
        plugins=["search", "autorefs", ours],
        markdown_extensions=["attr_list"],
    )
    assert targets(site.page("hand/").main)["words"] == f"../{SINCE[name]}#{name}"
    assert site.broken_links() == []


class AutorefsBefore14(BasePlugin):  # type: ignore[type-arg]
    """What autorefs 0.4 to 1.3 has: a page is its URL, as text."""

    def __init__(self) -> None:
        self.urls: dict[str, str] = {}

    def register_anchor(self, page: str, identifier: str) -> None:
        self.urls[identifier] = f"{page}#{identifier}"


def test_earlier_releases_of_autorefs(
    mkdocs_site: Callable[..., BuiltSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = AutorefsBefore14()
    on_config = OpsetDocsPlugin.on_config

    def with_the_earlier_one(self: OpsetDocsPlugin, config: MkDocsConfig) -> None:
        config.plugins["autorefs"] = earlier
        on_config(self, config)

    monkeypatch.setattr(OpsetDocsPlugin, "on_config", with_the_earlier_one)
    mkdocs_site("F4")
    assert {name: earlier.urls[name] for name in SINCE} == {
        name: f"{page}#{name}" for name, page in SINCE.items()
    }
