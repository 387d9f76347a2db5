"""Our own MkDocs theme in Chromium: what its style and its script do."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from playwright.sync_api import Browser, Page, expect

from conftest import case_files
from serving import serving

pytestmark = pytest.mark.browser

HOME = """\
# Welcome

Text with `code` and a [link](guide.md).

!!! warning

    Careful.

| name | what it does |
|---|---|
| `a_name_that_is_very_long_indeed_and_does_not_break` | Makes the table wider than any telephone is. |

```python
def relu(x: float) -> float:  # a comment
    return max(x, 0.0) if x else print("a line of code that is wider than a telephone, by far")
```

## One

### Two

More.

## Three

More.
"""
RIGHT_TO_LEFT = "מחזיר את הערך המוחלט של כל איבר."

PLACES = {
    "": "the root",
    "com.example/": "a domain",
    "com.example/operators/Split/": "an operator",
    "com.example/operators/Split/13/": "a version",
    "com.example/operators/Split/13-18/": "a difference",
    "com.example/operators/ScaledRelu/": "a function",
    "com.example/operators/Wide/": "a wide table",
    "com.example/opsets/": "opsets",
    "com.example/opsets/18/": "an opset",
    "com.example/opsets/1-18/": "an upgrade",
    "home/": "a hand-written page",
}


def operators(folder: Path, count: int) -> Path:
    """Write a domain of many operators, one of them in a language that runs from right to left."""
    entries = "".join(
        f'operator {{ op_type: "Op{number}" since_version: 1 status: STABLE doc_string: "Text." }}\n'
        for number in range(count)
    )
    file = folder / "many.textproto"
    file.write_text(
        'magic: "ONNXOPSET" ir_version: 10 domain: "com.many" opset_version: 1\n'
        f"{entries}"
        f'operator {{ op_type: "Abs" since_version: 1 status: STABLE doc_string: "{RIGHT_TO_LEFT}" }}\n',
        encoding="utf-8",
    )
    return file


def build(folder: Path, **options: object) -> Path:
    docs = folder / "docs"
    docs.mkdir()
    (docs / "home.md").write_text(HOME, encoding="utf-8")
    (docs / "guide.md").write_text("# Guide\n\nText.\n", encoding="utf-8")
    sources = [*case_files("H1", "F1", "A2", "H6", "M3", "Q1"), str(operators(folder, 1200))]
    config = {
        "site_name": "Acme operators, a name that is longer than a telephone is wide",
        "theme": "opsetdocs",
        "nav": [{"Home": "home.md"}, {"Guides": ["guide.md"]}],
        "markdown_extensions": ["admonition", "codehilite", {"toc": {"permalink": True}}],
        "plugins": ["search", {"opsetdocs": {"sources": sources}}],
        **options,
    }
    (folder / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")
    loaded = load_config(str(folder / "mkdocs.yml"))
    loaded.plugins.on_startup(command="build", dirty=False)
    logging.getLogger("mkdocs").setLevel(logging.CRITICAL)  # The cases break rules on purpose.
    mkdocs_build(loaded)
    logging.getLogger("mkdocs").setLevel(logging.NOTSET)
    return folder / "site"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("themed"))


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with serving(site) as served:
        yield served


Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Open]:
    """Return a function that opens a page. Messages in the console and requests to other hosts are faults."""
    contexts = []
    faults: list[str] = []

    def open_(
        place: str, *, base: str = address, width: int = 1440, height: int = 900, **options: object
    ) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: faults.append(message.text) if message.type != "log" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda sent: None if sent.url.startswith(base) else faults.append(sent.url))
        page.goto(base + place)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES, ids=PLACES.values())
def test_axe_finds_nothing(opened: Open, place: str, scheme: str) -> None:
    page = opened(place, color_scheme=scheme)
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = Axe().run(page, options={"runOnly": rules}).response["violations"]
    assert [(item["id"], [node["html"] for node in item["nodes"]]) for item in found] == []


@pytest.mark.parametrize("width", [320, 768, 1440])
@pytest.mark.parametrize("place", PLACES, ids=PLACES.values())
def test_no_page_scrolls_sideways(opened: Open, place: str, width: int) -> None:
    page = opened(place, width=width, height=256 if width == 320 else 900)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_operators_are_listed_and_filtered(opened: Open) -> None:
    page = opened("com.example/operators/Split/")
    nav = page.get_by_role("navigation", name="Operators")
    links = nav.locator("li a")
    everything = links.count()
    assert everything > 10
    expect(nav.locator("[aria-current]")).to_have_text("Split")
    nav.get_by_label("Filter").fill("norm batch")
    expect(links).to_have_text(["BatchNormalization"])
    expect(nav.locator("output")).to_have_text(f"Operators: 1 of {everything}")
    nav.get_by_label("Filter").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("BatchNormalization")
    expect(links).to_have_text(["BatchNormalization"])  # The filter stays while one walks through the site.
    nav.get_by_label("Filter").press("Escape")
    expect(links).to_have_count(everything)


@pytest.mark.parametrize("width", [320, 1440])
def test_a_list_without_an_operator_that_fits_says_so_and_can_be_undone(opened: Open, width: int) -> None:
    page = opened("com.example/operators/Split/", width=width)
    if width == 320:
        page.get_by_role("button", name="Menu").click()
    nav = page.get_by_role("navigation", name="Operators")
    field, said = nav.get_by_label("Filter"), nav.get_by_role("status")
    everything = nav.get_by_role("button", name="Show all operators")
    all_links = nav.locator("li").count()
    expect(everything).to_be_hidden()
    field.fill("no such operator")
    expect(said).to_have_text("No operator fits")
    assert said.evaluate("output => output.offsetWidth") > 50  # It is to be seen, not only to be heard.
    everything.click()
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    expect(everything).to_be_hidden()
    expect(said).to_have_text("")
    expect(nav.locator("li")).to_have_count(all_links)


def test_a_long_list_is_cut_around_the_current_operator(opened: Open) -> None:
    page = opened("com.many/operators/Op1100/")
    nav = page.get_by_role("navigation", name="Operators")
    expect(nav.locator("li")).to_have_count(1000)
    expect(nav.locator("[aria-current]")).to_have_text("Op1100")
    expect(nav.locator("[aria-current]")).to_be_in_viewport()
    nav.get_by_label("Filter").fill("op7 ")
    expect(nav.locator("li")).to_have_count(111)


def test_the_list_keeps_its_place(opened: Open) -> None:
    page = opened("com.many/operators/Op500/")
    box = page.locator(".operators ul")
    before = box.evaluate("box => box.scrollTop")
    assert before > 0
    page.locator(".operators").get_by_role("link", name="Op501", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Op501")
    assert box.evaluate("box => box.scrollTop") == before


def test_the_contents_list_marks_where_one_reads(opened: Open) -> None:
    page = opened("com.example/operators/ScaledRelu/", height=500)
    contents = page.get_by_role("navigation", name="On this page")
    heading = page.locator("article h2").last
    heading.evaluate("heading => window.scrollTo(0, heading.offsetTop)")
    expect(contents.locator("[aria-current]")).to_have_attribute("href", f"#{heading.get_attribute('id')}")
    heading.hover()
    heading.get_by_role("link", name="Link to").click()
    expect(page).to_have_url(re.compile(rf"#{heading.get_attribute('id')}$"))


def test_the_choice_of_colours_is_remembered(opened: Open) -> None:
    def is_dark(page: Page) -> bool:
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        return sum(map(int, re.findall(r"\d+", ground)[:3])) < 200

    page = opened("com.example/", color_scheme="light")
    assert not is_dark(page)
    page.get_by_role("button", name="Dark colours").click()
    assert is_dark(page)
    page.get_by_role("link", name="Split", exact=True).first.click()
    assert is_dark(page)
    page.get_by_role("button", name="Light colours").click()
    page.emulate_media(color_scheme="dark")  # What the system prefers counts again.
    assert is_dark(page)


def test_the_menu_on_a_telephone(opened: Open) -> None:
    page = opened("com.example/operators/Split/", width=320, height=700)
    button = page.get_by_role("button", name="Menu")
    link = page.get_by_role("navigation", name="Operators").get_by_role("link", name="RNN")
    expect(link).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(link).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    link.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("RNN")


def test_search_by_keyboard(opened: Open) -> None:
    page = opened("com.example/operators/Split/")
    page.keyboard.press("/")
    dialog = page.get_by_role("dialog", name="Search")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("LogSoftmax")
    first = dialog.get_by_role("link").first
    expect(first).to_contain_text("LogSoftmax")
    page.keyboard.press("ArrowDown")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(dialog.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("LogSoftmax")


def test_nothing_of_search_is_loaded_before_it_is_used(opened: Open) -> None:
    page = opened("com.example/operators/Split/")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert not [name for name in loaded if "search" in name]
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("no such word")
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Nothing found")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_script_speaks_the_language_of_the_site(browser: Browser, tmp_path: Path) -> None:
    words = {
        "Operators: {found} of {all}": "{all} Operatoren, davon {found}",
        "1 result": "Ein Treffer",
        "Nothing found": "Nichts gefunden",
        "Dark colours": "<i>Dunkel</i>",
        "Search": "Suche",
    }
    with serving(build(tmp_path, theme={"name": "opsetdocs", "words": words})) as served:
        page = browser.new_page()
        page.goto(f"{served}com.example/operators/Split/")
        expect(page.locator(".color-button")).to_have_attribute("title", "<i>Dunkel</i>")
        nav = page.locator(".operators")
        nav.get_by_role("searchbox").fill("logsoftmax")
        expect(nav.locator("output")).to_have_text(re.compile(r"^\d+ Operatoren, davon 1$"))
        page.get_by_role("button", name="Suche").click()
        dialog = page.get_by_role("dialog", name="Suche")
        dialog.get_by_role("searchbox").fill("logsoftmax")
        expect(dialog.get_by_role("status")).to_have_text("Ein Treffer")
        dialog.get_by_role("searchbox").fill("no such word")
        expect(dialog.get_by_role("status")).to_have_text("Nichts gefunden")
        page.close()


def test_the_keyboard_reaches_the_content_at_once(opened: Open) -> None:
    page = opened("com.example/operators/Split/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


@pytest.mark.parametrize("width", [320, 1440])
def test_without_a_script(opened: Open, width: int) -> None:
    page = opened("com.example/operators/Split/", width=width, java_script_enabled=False)
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("searchbox")).to_have_count(0)
    page.get_by_role("link", name="All operators of com.example").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("com.example")
    expect(page.get_by_role("navigation", name="Site").get_by_role("link", name="Home")).to_be_visible()


def test_a_paragraph_runs_in_its_own_direction(opened: Open) -> None:
    page = opened("com.many/operators/Abs/")
    paragraph = page.get_by_text(RIGHT_TO_LEFT).first
    left_of_text = paragraph.evaluate(
        "p => { const range = document.createRange(); range.selectNodeContents(p);"
        " return range.getBoundingClientRect().left - p.getBoundingClientRect().left; }"
    )
    assert left_of_text > 100


def test_a_site_from_right_to_left(browser: Browser, tmp_path: Path) -> None:
    with serving(build(tmp_path, theme={"name": "opsetdocs", "dir": "rtl"})) as served:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{served}com.example/operators/Split/")
        sidebar, main = page.locator(".sidebar").bounding_box(), page.locator("main").bounding_box()
        assert sidebar and main
        assert sidebar["x"] > main["x"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 1440
        page.close()


def test_from_disk(opened: Open, tmp_path: Path) -> None:
    folder = build(tmp_path, use_directory_urls=False)
    page = opened("com.example/index.html", base=f"{folder.as_uri()}/")
    page.get_by_role("navigation", name="Operators").get_by_role("link", name="RNN").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("RNN")
    page.get_by_role("button", name="Dark colours").click()
    page.get_by_role("link", name="All domains").click()
    expect(page.locator("html")).to_have_attribute("data-color-mode", "dark")
    page.keyboard.press("/")
    page.keyboard.type("log softmax")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("LogSoftmax")


def test_from_disk_links_to_folders_lead_to_the_pages_in_them(opened: Open, site: Path) -> None:
    base = f"{site.as_uri()}/"
    page = opened("index.html", base=base)
    title = page.get_by_role("heading", level=1)
    page.get_by_role("main").get_by_role("link", name="com.example", exact=True).click()
    expect(title).to_have_text("com.example")
    page.get_by_role("navigation", name="Operators").get_by_role("link", name="RNN").click()
    expect(title).to_have_text("RNN")
    page.keyboard.press("/")
    page.keyboard.type("split")
    expect(page.get_by_role("dialog").get_by_role("link").first).to_contain_text("Split")
    page.keyboard.press("Enter")
    expect(title).to_have_text("Split")
    page.get_by_role("navigation", name="Versions").get_by_role("link", name="13").click()
    expect(title).to_have_text("Split-13")
    page.locator("svg a", has_text="18").locator("text").first.click()
    expect(title).to_have_text("Split-18")
    page.goto(f"{base}com.example/operators/Split/index.html#com.example.Split-13")
    expect(page).to_have_url(f"{base}com.example/operators/Split/13/index.html#com.example.Split-13")
    page.goto(f"{base}com.example/opsets/index.html")
    page.get_by_label("From opset").select_option("1")
    page.get_by_role("button", name="Show").click()
    expect(title).to_have_text(re.compile("from opset 1 to"))
    page.get_by_role("link", name="All domains").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{base}index.html")


def test_from_disk_a_link_opens_in_another_tab_too(opened: Open, site: Path) -> None:
    page = opened("com.example/index.html", base=f"{site.as_uri()}/")
    with page.context.expect_page() as other:
        page.locator(".opsetdocs-operators").get_by_role("link", name="Split").click(button="middle")
    expect(other.value.get_by_role("heading", level=1)).to_have_text("Split")


def test_a_link_is_left_alone_where_there_is_a_server(opened: Open) -> None:
    page = opened("com.example/")
    page.locator(".opsetdocs-operators").get_by_role("link", name="Split").click()
    expect(page).to_have_url(re.compile(r"/com\.example/operators/Split/$"))


def test_print_shows_the_text_alone(opened: Open) -> None:
    page = opened("com.example/operators/Split/", color_scheme="dark")
    page.emulate_media(media="print")
    for hidden in (".top", ".sidebar", ".bottom"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator("article")).to_be_visible()
