"""What pages of operators do in Chromium: the filter of a domain, the way between versions, links to copy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from html_site import BuiltSite
from serving import serving
from test_theme_browser import operators

pytestmark = pytest.mark.browser

MkdocsSite = Callable[..., BuiltSite]
Open = Callable[..., Page]

AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

PLACES = [
    "",
    "ai.onnx/#name=conv&opset=13",
    "ai.onnx/operators/Conv/",
    "ai.onnx/operators/Resize/",
    "ai.onnx/operators/Attention/",
    "ai.onnx/operators/Gelu/",
    "ai.onnx/operators/GroupNormalization/18/",
    "ai.onnx/operators/Resize/10-19/",
    "ai.onnx/opsets/",
    "ai.onnx/opsets/13/",
    "ai.onnx/opsets/13-21/",
    "404.html",
]
"""A page of each kind."""


@pytest.fixture(scope="module")
def address(onnx_site: BuiltSite) -> Iterator[str]:
    """Where all of ONNX is served, below a path and with the strict policy."""
    with serving(onnx_site.folder) as served:
        yield served


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Open]:
    """Return a function that opens a page. Script errors and messages of the browser are faults."""
    contexts = []
    faults: list[str] = []

    def open_(place: str, *, base: str = address, width: int = 1440, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        if base == address:  # Scripts of other themes fail where they cannot reach other hosts.
            page.on("console", lambda sent: faults.append(sent.text) if sent.type == "error" else None)
            page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(base + place)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert faults == []


def rows(page: Page) -> Locator:
    return page.locator(".opsetdocs-operators tbody tr").filter(visible=True)


def count(page: Page) -> Locator:
    return page.locator("form[data-opsetdocs-operators] output")


def search_box(page: Page) -> Locator:
    return page.get_by_role("main").get_by_label("Name", exact=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_even_where_everything_is_unfolded(opened: Open, place: str, scheme: str) -> None:
    page = opened(place, width=320 if scheme == "dark" else 1440, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('main details').forEach((box) => (box.open = true))")
    page.wait_for_timeout(100)  # until the events of what unfolds have come
    found = Axe().run(page, options={"runOnly": AXE_RULES}).response["violations"]
    assert [(item["id"], [node["html"] for node in item["nodes"]]) for item in found] == []


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (
            "name=reducel",
            [f"{name} function" for name in ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp")],
        ),
        ("name=conv&opset=18", ["Conv", "ConvInteger", "ConvTranspose", "QLinearConv"]),
        ("name=TRANS+conv", ["ConvTranspose"]),
        ("status=deprecated", ["Scatter", "Upsample"]),
        ("status=stable&name=scatter", ["ScatterElements", "ScatterND", "TensorScatter"]),
        ("kind=function&name=grid", ["AffineGrid function"]),
        ("kind=operator&name=grid", ["GridSample"]),
        ("name=convt&since=22", ["ConvTranspose"]),
    ],
)
def test_the_address_filters_the_operators(opened: Open, asked: str, names: list[str]) -> None:
    page = opened(f"ai.onnx/#{asked}")
    expect(count(page)).to_have_text(re.compile(rf"^{len(names)} of \d+ operators$"))
    expect(rows(page).locator("th")).to_have_text(names)


@pytest.mark.parametrize(
    ("asked", "cells", "there"),
    [
        ("opset=11", ["Conv", "stable", "11 now 22", "11 to 21"], "Conv/11/"),
        ("opset=22", ["Conv", "stable", "22", "22 to 28"], "Conv/"),
        ("since=2", ["Conv", "stable", "22", "22 to 28"], "Conv/"),
        (
            "opset=19",
            ["GroupNormalization", "stable deprecated", "18 now 21", "18 to 20"],
            "GroupNormalization/18/",
        ),
        ("opset=8", ["Upsample", "stable", "7 now 10", "7 to 8"], "Upsample/7/"),
        ("opset=13", ["Relu", "stable", "13 now 14", "13"], "Relu/13/"),
    ],
)
def test_a_row_shows_the_version_that_an_opset_has(
    opened: Open, asked: str, cells: list[str], there: str
) -> None:
    page = opened(f"ai.onnx/#{asked}&name={cells[0]}")
    row = rows(page).filter(has=page.get_by_role("link", name=cells[0], exact=True))
    shown = row.locator("th, td").evaluate_all("cells => cells.map(cell => cell.innerText.trim())")
    assert [re.sub(r"\s+", " ", text) for text in shown[:4]] == cells
    row.get_by_role("link", name=cells[0], exact=True).click()
    expect(page).to_have_url(re.compile(re.escape(f"/ai.onnx/operators/{there}") + "$"))


def test_a_row_is_as_it_was_when_no_opset_is_asked_for_any_more(opened: Open) -> None:
    page = opened("ai.onnx/")
    table = page.locator(".opsetdocs-operators tbody")
    read = "body => Array.from(body.rows, row => [row.innerText, row.querySelector('a').href])"
    before = table.evaluate(read)
    for opset in ("1", "13", "20", ""):
        page.get_by_label("Offered in opset").select_option(opset)
        assert (table.evaluate(read) == before) == (opset == "")


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("status=deprecated&opset=18", ["GroupNormalization", "Scatter", "Upsample"]),
        ("status=deprecated&opset=21", ["Scatter", "Upsample"]),
        ("status=stable&opset=8&name=upsample", ["Upsample"]),
        ("status=stable&opset=18&name=groupnorm", []),
        ("status=stable&opset=21&name=groupnorm", ["GroupNormalization"]),
        ("kind=function&opset=13&name=relu", []),
        ("kind=operator&opset=13&name=leakyrelu", ["LeakyRelu"]),
        ("kind=function&opset=16&name=prelu", ["PRelu function"]),
    ],
)
def test_status_and_kind_are_those_of_the_version_that_the_opset_has(
    opened: Open, asked: str, names: list[str]
) -> None:
    page = opened(f"ai.onnx/#{asked}")
    expect(count(page)).to_have_text(re.compile(rf"\b{len(names)} of \d+ operators$"))
    expect(rows(page).locator("th")).to_have_text(names)


@pytest.mark.parametrize("asked", ["name=convi&since=22", "opset=1&name=attention", "name=no-such"])
def test_a_table_without_an_operator_that_fits_says_so_and_can_be_undone(opened: Open, asked: str) -> None:
    page = opened(f"ai.onnx/#{asked}", width=320)
    table = page.get_by_role("region", name="Operators")
    everything = page.get_by_role("main").get_by_role("button", name="Show all operators")
    said = page.get_by_role("main").get_by_role("status").first  # What is said aloud when it changes.
    expect(said).to_have_text(re.compile(r"^No operator fits: 0 of \d+ operators$"))
    expect(table).to_be_hidden()
    found = Axe().run(page, options={"runOnly": AXE_RULES}).response["violations"]
    assert [(item["id"], [node["html"] for node in item["nodes"]]) for item in found] == []
    everything.focus()
    page.keyboard.press("Enter")
    expect(table).to_be_focused()
    expect(everything).to_be_hidden()
    expect(said).to_have_text(re.compile(r"^\d+ operators$"))
    expect(page).to_have_url(re.compile(r"ai\.onnx/$"))
    page.go_back()
    expect(everything).to_be_visible()
    page.get_by_role("button", name="Reset").click()
    expect(everything).to_be_hidden()
    expect(table).to_be_visible()


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("opset=99&name=conv", "#name=conv"),
        ("status=no-such&kind=x", ""),
        ("opset=13&since=0", "#opset=13"),
        ("opset=13", "#opset=13"),
        ("elsewhere", "#elsewhere"),
    ],
)
def test_the_address_keeps_nothing_that_the_form_does_not_know(opened: Open, asked: str, left: str) -> None:
    page = opened(f"ai.onnx/#{asked}")
    expect(page).to_have_url(re.compile(rf"/ai\.onnx/{re.escape(left)}$"))


def test_the_filter_is_kept_by_the_address_and_undone_by_the_back_button(opened: Open) -> None:
    page = opened("ai.onnx/")
    expect(count(page)).to_have_text(re.compile(r"^\d+ operators$"))
    everything = rows(page).count()
    page.get_by_label("Offered in opset").select_option("13")
    search_box(page).press_sequentially("conv")
    expect(page).to_have_url(re.compile(r"#name=conv&opset=13$"))
    expect(rows(page)).to_have_count(4)
    page.go_back()
    expect(search_box(page)).to_have_value("")
    expect(page).to_have_url(re.compile(r"#opset=13$"))
    page.go_back()
    expect(rows(page)).to_have_count(everything)
    page.go_forward()
    page.go_forward()
    expect(search_box(page)).to_have_value("conv")
    page.get_by_role("button", name="Reset").click()
    expect(rows(page)).to_have_count(everything)
    expect(page).to_have_url(re.compile(r"ai\.onnx/$"))


def test_the_filter_works_by_keyboard(opened: Open) -> None:
    page = opened("ai.onnx/")
    search_box(page).focus()
    page.keyboard.type("logsoft")
    page.keyboard.press("Enter")
    expect(page.get_by_role("main").get_by_role("link", name="LogSoftmax")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("LogSoftmax")
    page.go_back()
    expect(rows(page)).to_have_count(1)


def test_another_place_of_the_page_leaves_the_filter_alone(opened: Open) -> None:
    page = opened("ai.onnx/#name=reducel")
    page.get_by_role("navigation", name="On this page").get_by_role("link", name="Opsets").click()
    expect(rows(page)).to_have_count(4)


def test_without_a_script_the_whole_table_stands_there(opened: Open) -> None:
    page = opened("ai.onnx/#name=conv", java_script_enabled=False)
    expect(page.locator("form")).to_have_count(1 + page.locator("dialog form").count())
    expect(page.locator("form[data-opsetdocs-operators]")).to_be_hidden()
    assert rows(page).count() > 200


@pytest.mark.parametrize("theme", ["opsetdocs", "material", "mkdocs", "readthedocs"])
@pytest.mark.parametrize("width", [320, 1440])
def test_twelve_hundred_operators_are_filtered_in_every_theme(
    opened: Open, mkdocs_site: MkdocsSite, tmp_path: Path, theme: str, width: int
) -> None:
    sources = [str(operators(tmp_path, 1200))]
    site = mkdocs_site(sources=sources, theme=theme, pages={"index.md": "# Home\n"}, strict=False)
    page = opened("com.many/index.html", base=f"{site.folder.as_uri()}/", width=width)
    expect(count(page)).to_have_text("1201 operators")
    search_box(page).fill("op119")
    expect(rows(page)).to_have_count(11)
    expect(count(page)).to_have_text("11 of 1201 operators")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_script_follows_where_material_puts_the_next_page_into_the_place_of_this_one(
    browser: Browser, mkdocs_site: MkdocsSite, tmp_path: Path
) -> None:
    (tmp_path / "site").mkdir()
    with serving(tmp_path / "site", strict=False) as base:
        mkdocs_site(
            "H5",
            sources=[str(operators(tmp_path, 20))],
            theme={"name": "material", "font": False, "features": ["navigation.instant"]},
            site_url=base,
            pages={"index.md": "# Home\n\n[Many](com.many/index.md) [Some](com.example/index.md)\n"},
            strict=False,
        )
        page = browser.new_page()
        page.goto(base)
        page.evaluate("window.isFirst = true")
        page.get_by_role("main").get_by_role("link", name="Many").click()
        search_box(page).fill("op1")
        expect(count(page)).to_have_text("11 of 21 operators")
        page.get_by_role("link", name="Op11", exact=True).click()
        expect(page.locator("h1 .opsetdocs-permalink")).to_have_count(1)
        page.go_back()
        expect(count(page)).to_have_text("11 of 21 operators")
        page.goto(f"{base}com.example/")
        page.evaluate("window.isFirst = true")
        for _ in range(2):  # The second time the script has seen both pages.
            page.locator(".opsetdocs-operators").get_by_role("link", name="Inverse").click()
            versions = page.get_by_role("navigation", name="Versions")
            versions.get_by_role("link", name="1").click()
            expect(page.locator("h1")).to_contain_text("Inverse-1")
            expect(page.locator("h1 .opsetdocs-permalink")).to_have_count(1)
            page.locator(".opsetdocs-trail").get_by_role("link", name="com.example").click()
            expect(page.locator("h1")).to_contain_text("com.example")
        assert page.evaluate("window.isFirst")
        page.close()


@pytest.mark.parametrize(
    ("place", "link", "there"),
    [
        ("Conv/11/#ai.onnx.Conv-11.attribute.pads", "1", "Conv/1/#ai.onnx.Conv-1.attribute.pads"),
        ("Conv/11/#ai.onnx.Conv-11.attribute.pads", "Conv-22", "Conv/#ai.onnx.Conv.attribute.pads"),
        ("Conv/#ai.onnx.Conv.type.T", "11", "Conv/11/#ai.onnx.Conv-11.type.T"),
        ("Conv/11/", "1", "Conv/1/"),
        ("Conv/11/#elsewhere", "1", "Conv/1/"),
    ],
)
def test_another_version_opens_at_the_same_place(opened: Open, place: str, link: str, there: str) -> None:
    page = opened(f"ai.onnx/operators/{place}")
    page.locator(".opsetdocs-versions, .opsetdocs-old").get_by_role("link", name=link, exact=True).click()
    expect(page).to_have_url(re.compile(re.escape(f"/operators/{there}") + "$"))
    if "#" in there:
        expect(page.locator(":target")).to_be_in_viewport()


def test_a_place_that_is_chosen_later_is_kept_too(opened: Open) -> None:
    page = opened("ai.onnx/operators/Conv/11/")
    page.locator(".opsetdocs-name", has_text="strides").click()
    page.locator(".opsetdocs-versions").get_by_role("link", name="1", exact=True).click()
    expect(page).to_have_url(re.compile(r"/Conv/1/#ai\.onnx\.Conv-1\.attribute\.strides$"))


@pytest.mark.parametrize(
    ("place", "there"),
    [
        # A version that has a page, and the place on it.
        ("Conv/#ai.onnx.Conv-11", "Conv/11/#ai.onnx.Conv-11"),
        ("Conv/#ai.onnx.Conv-11.attribute.pads", "Conv/11/#ai.onnx.Conv-11.attribute.pads"),
        ("Conv/1/#ai.onnx.Conv-11.type.T", "Conv/11/#ai.onnx.Conv-11.type.T"),
        # Of which that page does not have the place.
        ("Resize/#ai.onnx.Resize-10.attribute.cubic_coeff_a", "Resize/10/#ai.onnx.Resize-10.attributes"),
        # The version that this page shows, or no version.
        ("Conv/#ai.onnx.Conv-22.attribute.pads", "Conv/#ai.onnx.Conv.attribute.pads"),
        ("Gelu/#ai.onnx.Gelu-20.input.X", "Gelu/#ai.onnx.Gelu.input.X"),
        ("Conv/11/#ai.onnx.Conv.attribute.pads", "Conv/11/#ai.onnx.Conv-11.attribute.pads"),
        # A version that there is not, a place that there is not, and what is no such place.
        ("Conv/#ai.onnx.Conv-12.attribute.pads", "Conv/#ai.onnx.Conv.attribute.pads"),
        ("Conv/#ai.onnx.Conv.input.Z", "Conv/#ai.onnx.Conv.inputs"),
        ("Conv/#ai.onnx.Conv-12", "Conv/#ai.onnx.Conv-12"),
        ("Conv/#ai.onnx.ConvTranspose-11", "Conv/#ai.onnx.ConvTranspose-11"),
    ],
)
def test_an_id_of_another_version_leads_to_it(opened: Open, place: str, there: str) -> None:
    page = opened(f"ai.onnx/operators/{place}")
    expect(page).to_have_url(re.compile(re.escape(f"/operators/{there}") + "$"))
    target = page.locator(":target")
    if target.count():
        expect(target).to_be_in_viewport()
    else:
        assert place == there
    page.go_back()
    expect(page).to_have_url("about:blank")  # The address that led here is not in the way back.


def test_an_id_of_another_version_without_a_script(opened: Open) -> None:
    page = opened("ai.onnx/operators/Conv/#ai.onnx.Conv-11", java_script_enabled=False)
    expect(page).to_have_url(re.compile(r"/operators/Conv/#ai\.onnx\.Conv-11$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Conv")


def test_every_heading_and_parameter_has_a_link_that_is_quiet_until_it_is_reached(opened: Open) -> None:
    page = opened("ai.onnx/operators/Conv/")
    headings = page.locator(".opsetdocs-page :is(h1, h2, h3)")
    links = headings.locator("a.opsetdocs-permalink")
    expect(links).to_have_count(headings.count())
    for link in links.all():
        assert link.get_attribute("href") == f"#{link.locator('..').get_attribute('id')}"
    link = page.get_by_role("link", name="Link to Conv", exact=True)
    expect(link).to_have_css("opacity", "0")
    page.locator("h1").hover()
    expect(link).to_have_css("opacity", "1")
    page.mouse.move(0, 0)
    page.locator(".opsetdocs-trail a").last.focus()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    expect(link).to_have_css("opacity", "1")
    entries = page.locator(".opsetdocs-entries tr[id]")
    assert entries.count() > 8
    for entry in entries.all():
        assert entry.locator("th a").get_attribute("href") == f"#{entry.get_attribute('id')}"
