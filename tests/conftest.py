"""What many tests share: the site of all of ONNX, built once, and sites made from cases."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config

from html_site import BuiltSite
from opsetdocs.build import build_site
from opsetdocs.site import Site, SiteOptions

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How long an example takes depends on the machine, and says nothing about the code.
settings.register_profile("without a deadline", deadline=None)
settings.load_profile("without a deadline")

CASES = Path(__file__).parent / "cases"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-snapshots", action="store_true", help="write the page snapshots anew")


@pytest.fixture(scope="session", autouse=True)
def own_folder_of_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what builds keep for the next one out of the user's own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture(scope="session")
def cases() -> Path:
    return CASES


def case_files(*names: str) -> tuple[str, ...]:
    """Return the files of cases such as `H4`, which may be several."""
    found = tuple(
        str(path) for name in names for path in sorted(CASES.glob(f"{name}-*")) if path.suffix == ".textproto"
    )
    assert found, f"no case {names}"
    return found


@pytest.fixture
def site_of() -> Callable[..., Site]:
    """Return a function that builds the site of cases in memory."""

    def build(*names: str, **options: object) -> Site:
        return build_site(SiteOptions(sources=case_files(*names), **options))  # type: ignore[arg-type]

    return build


def run_opsetdocs(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "opsetdocs", *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="session")
def onnx_site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """All of ONNX in the default design, built by the command in a folder without a mkdocs.yml."""
    folder = tmp_path_factory.mktemp("onnx")
    result = run_opsetdocs("build", "--strict", cwd=folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return BuiltSite(folder / "site")


@pytest.fixture
def mkdocs_site(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Callable[..., BuiltSite]:
    """Return a function that builds a MkDocs project with the plugin.

    The project holds the given pages and the operator sets of the named cases. The build fails on any
    warning, unless `strict` is off.
    """

    def build(
        *names: str,
        pages: Mapping[str, str] | None = None,
        plugin: Mapping[str, object] | None = None,
        strict: bool = True,
        sources: Sequence[str] = (),
        **options: object,
    ) -> BuiltSite:
        docs = tmp_path / "docs"
        docs.mkdir(exist_ok=True)
        for name, text in (pages or {}).items():
            path = docs / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        chosen = [*sources, *(case_files(*names) if names else ())]
        config = {
            "site_name": "Test",
            "plugins": ["search", {"opsetdocs": {"sources": chosen, **(plugin or {})}}],
            **options,
        }
        (tmp_path / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")
        loaded = load_config(str(tmp_path / "mkdocs.yml"))
        loaded.plugins.on_startup(command="build", dirty=False)
        with caplog.at_level(logging.INFO, "mkdocs"):
            mkdocs_build(loaded)
        warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert not (strict and warnings), warnings
        return BuiltSite(tmp_path / "site")

    return build


CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        if os.environ.get("OPSETDOCS_REQUIRE_BROWSER"):
            pytest.fail("there is no Chromium on this machine")
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        yield browser
        browser.close()
