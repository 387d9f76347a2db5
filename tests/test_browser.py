"""The built site in a real browser: Chromium by playwright."""

from __future__ import annotations

import functools
import http.server
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from conftest import run_opsetdocs
from html_site import BuiltSite

pytestmark = pytest.mark.browser


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a browser that leaves a page closes the connections that it has open."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder, and give its address."""
    handler = functools.partial(_QuietHandler, directory=str(folder))
    with _Server(("127.0.0.1", 0), handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_address[1]}/"
        httpd.shutdown()


@pytest.fixture(scope="session")
def server(onnx_site: BuiltSite) -> Iterator[str]:
    with serving(onnx_site.folder) as address:
        yield address


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """A page that fails the test on script errors and on any request to another host."""
    context = browser.new_context(base_url=server)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(server) else faults.append(request.url))
    yield page
    context.close()
    assert faults == []


def test_a_reader_walks_from_the_domains_to_an_old_version(page: Page) -> None:
    page.goto("/")
    page.get_by_role("main").get_by_role("link", name="ai.onnx", exact=True).click()
    page.get_by_role("row", name="Conv stable").get_by_role("link", name="Conv", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conv")
    expect(page.locator(".opsetdocs-facts")).to_contain_text("stable")
    page.locator(".opsetdocs-history").get_by_role("link", name="1", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conv-1")
    page.locator(".opsetdocs-note").get_by_role("link", name="Conv-22").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conv")


def test_an_opset_leads_to_what_it_changed(page: Page) -> None:
    page.goto("/ai.onnx/opsets/13/")
    page.get_by_role("link", name="opset 14").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ai.onnx opset 14")
    page.locator(".opsetdocs-changes").get_by_role("link", name="HardSwish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("HardSwish-14")


@pytest.mark.parametrize("width", [320, 768, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "address",
    [
        "",
        "ai.onnx/",
        "ai.onnx/operators/Conv/",
        "ai.onnx/operators/Attention/",
        "ai.onnx/operators/Resize/",
        "ai.onnx/operators/Gelu/",
        "ai.onnx/operators/Resize/10-19/",
        "ai.onnx/operators/AffineGrid/",
        "ai.onnx/opsets/",
        "ai.onnx/opsets/13/",
        "ai.onnx/opsets/13-21/",
    ],
)
def test_no_page_scrolls_sideways(
    browser: Browser, server: str, width: int, scheme: str, address: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    page.goto(server + address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if folder := os.environ.get("OPSETDOCS_SCREENSHOTS"):
        name = address.strip("/").replace("/", "-") or "root"
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}-{width}-{scheme}.png"), full_page=True)
    context.close()


def test_an_upgrade_can_be_cut_to_the_operators_in_use(page: Page) -> None:
    page.goto("/ai.onnx/opsets/13-21/")
    entries = page.locator("[data-operators] > ul > li")
    everything = entries.count()
    status = page.locator("[data-opsetdocs-filter] output")
    assert everything > 50
    page.get_by_label("Only the operators that you use").fill("resize, castlike")
    expect(entries.filter(visible=True)).to_have_count(2)
    expect(status).to_have_text(f"2 of {everything} operators that changed")
    page.get_by_label("Only the operators that you use").fill("resize, conv")
    expect(status).to_contain_text("not among them, so unchanged or unknown: conv")
    page.get_by_label("Only the operators that you use").fill("ai.onnx.Cast;Reshape")  # not CastLike
    expect(status).to_have_text(f"2 of {everything} operators that changed")
    page.get_by_label("Only the operators that you use").fill("resize, castlike")
    expect(page).to_have_url(re.compile(r"#ops=resize,castlike$"))
    page.goto("/ai.onnx/opsets/13-21/#ops=Resize")
    page.reload()
    expect(entries.filter(visible=True)).to_have_count(1)


def test_an_upgrade_is_chosen_from_two_opsets(page: Page) -> None:
    page.goto("/ai.onnx/opsets/")
    page.get_by_label("From opset").select_option("17")
    page.get_by_label("to", exact=True).select_option("22")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ai.onnx: from opset 17 to 22")


def large_domain(folder: Path) -> None:
    """Write a domain of 60 opsets, whose only operator has a new version every ten opsets."""
    for opset in range(1, 61):
        since_version = (opset - 1) // 10 * 10 + 1
        (folder / f"{opset}.textproto").write_text(
            f'magic: "ONNXOPSET" ir_version: 13 domain: "com.large" opset_version: {opset}\n'
            f'operator {{ op_type: "Slow" since_version: {since_version} status: STABLE\n'
            f'doc_string: "Slow.\\n\\n## Attributes\\n\\n- `a` (default `{since_version}`) : int\\n" }}\n',
            encoding="utf-8",
        )


def test_a_domain_of_many_opsets_tells_upgrades_by_script(browser: Browser, tmp_path: Path) -> None:
    large_domain(tmp_path)
    assert run_opsetdocs("build", ".", "-d", "out/site", cwd=tmp_path).returncode == 0
    site = BuiltSite(tmp_path / "out/site")
    assert "com.large/opsets/10-11/index.html" in site.pages
    assert "com.large/opsets/5-25/index.html" not in site.pages
    with serving(site.folder) as address:
        page = browser.new_page()
        page.goto(f"{address}com.large/opsets/#from=5&to=25")
        result = page.locator(".opsetdocs-upgrade-result")
        expect(result.get_by_role("heading")).to_have_text("From opset 5 to 25, step by step")
        expect(result.locator("dt")).to_have_text(["Slow 1 to 21"])
        expect(result.locator("li").first).to_have_text("11: default of a changed from 1 to 11")
        page.get_by_label("to", exact=True).select_option("9")
        page.get_by_role("button", name="Show").click()
        expect(result).to_contain_text("Every operator has the same version in both opsets.")
        page.close()


def test_without_a_script_an_upgrade_is_whole(browser: Browser, server: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server}ai.onnx/opsets/13-21/")
    expect(page.locator("form.opsetdocs-filter")).to_be_hidden()
    assert page.locator("[data-operators] > ul > li:visible").count() > 50
    context.close()
