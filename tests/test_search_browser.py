"""The theme's search in Chromium, on all of ONNX and on the cases about search."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, Route, expect

from conftest import case_files
from html_site import BuiltSite
from opsetdocs.resources import site_config_dir
from opsetdocs.search_index import search_files
from opsetdocs.searched import Searched, SearchedDomain, SearchedOperator, SearchedPage, Weight
from search_cases import TERMS
from serving import serving

pytestmark = pytest.mark.browser

MkdocsSite = Callable[..., BuiltSite]
Open = Callable[..., Page]

OPERATORS = "ai.onnx/operators"
ML = "ai.onnx.ml/operators"

FIRST: dict[str, str] = {
    # Whole names, in any case, and with the domain.
    "Conv": f"{OPERATORS}/Conv/",
    "relu": f"{OPERATORS}/Relu/",
    "LOGSOFTMAX": f"{OPERATORS}/LogSoftmax/",
    "If": f"{OPERATORS}/If/",
    "not": f"{OPERATORS}/Not/",
    "rnn": f"{OPERATORS}/RNN/",
    "ai.onnx.ml.Scaler": f"{ML}/Scaler/",
    "scaler ai.onnx.ml": f"{ML}/Scaler/",
    # Beginnings and parts of names.
    "softm": f"{OPERATORS}/Softmax/",
    "matmul": f"{OPERATORS}/MatMul/",
    "qlinear": f"{OPERATORS}/QLinearConv/",
    "transpose": f"{OPERATORS}/Transpose/",
    "nonzero": f"{OPERATORS}/NonZero/",
    "unpool": f"{OPERATORS}/MaxUnpool/",
    "vectorizer": f"{ML}/DictVectorizer/",
    # Words joined or apart.
    "log softmax": f"{OPERATORS}/LogSoftmax/",
    "batch norm": f"{OPERATORS}/BatchNormalization/",
    "norm batch": f"{OPERATORS}/BatchNormalization/",
    "layer-norm": f"{OPERATORS}/LayerNormalization/",
    "reduce l2": f"{OPERATORS}/ReduceL2/",
    "col 2 im": f"{OPERATORS}/Col2Im/",
    # Attributes, inputs, outputs and types.
    "kernel_shape": f"{OPERATORS}/Conv/#ai.onnx.Conv.attribute.kernel_shape",
    "kernelshape": f"{OPERATORS}/Conv/#ai.onnx.Conv.attribute.kernel_shape",
    "hidden_size": f"{OPERATORS}/GRU/#ai.onnx.GRU.attribute.hidden_size",
    "cubic_coeff_a": f"{OPERATORS}/Resize/#ai.onnx.Resize.attribute.cubic_coeff_a",
    "storage_order": f"{OPERATORS}/MaxPool/#ai.onnx.MaxPool.attribute.storage_order",
    "conv dilations": f"{OPERATORS}/Conv/#ai.onnx.Conv.attribute.dilations",
    "pads": f"{OPERATORS}/Pad/#ai.onnx.Pad.input.pads",
    "roi": f"{OPERATORS}/RoiAlign/",
    "roi resize": f"{OPERATORS}/Resize/#ai.onnx.Resize.input.roi",
    "to": f"{OPERATORS}/TopK/",
    "bfloat16": f"{OPERATORS}/If/#ai.onnx.If.type.V",
    "float8e4m3fnuz": f"{OPERATORS}/If/#ai.onnx.If.type.V",
    "cast tensor(float8e4m3fn)": f"{OPERATORS}/Cast/#ai.onnx.Cast.type.T1",
    "type_proto": f"{OPERATORS}/Optional/#ai.onnx.Optional.attribute.type",
    # Words of texts.
    "pooling": f"{OPERATORS}/LpPool/",
    "bicubic interpolation": f"{OPERATORS}/Resize/",
    "support vector machine": f"{ML}/SVMClassifier/",
    "general matrix multiplication": f"{OPERATORS}/Gemm/",
    # Words of which a name has the beginnings, and other forms of words.
    "matrix multiply": f"{OPERATORS}/MatMul/",
    "maximum pooling": f"{OPERATORS}/MaxPool/",
    "normalize layer": f"{OPERATORS}/LayerNormalization/",
    "layer normalize": f"{OPERATORS}/LayerNormalization/",
    "multiply": f"{OPERATORS}/Mul/",
    # Typing errors of one letter.
    "sofmax": f"{OPERATORS}/Softmax/",
    "Convolutoin": f"{OPERATORS}/Conv/",
    "kernal_shape": f"{OPERATORS}/Conv/#ai.onnx.Conv.attribute.kernel_shape",
    # Versions, opsets, upgrades and domains.
    "Conv-11": f"{OPERATORS}/Conv/11/",
    "conv 11": f"{OPERATORS}/Conv/11/",
    "ReduceL2-13": f"{OPERATORS}/ReduceL2/13/",
    "conv 12": f"{OPERATORS}/Conv/11/",
    "Conv-12": f"{OPERATORS}/Conv/11/",
    "Gelu-5": f"{OPERATORS}/Gelu/20/",
    "opset 17": "ai.onnx/opsets/17/",
    "opset 18": "ai.onnx/opsets/18/",
    "opset 99": "ai.onnx/opsets/28/",
    "ai.onnx.ml opset 18": "ai.onnx.ml/opsets/5/",
    "ai.onnx.ml 3": "ai.onnx.ml/opsets/3/",
    "17 to 22": "ai.onnx/opsets/17-22/",
    "opset 17 to 22": "ai.onnx/opsets/17-22/",
    "17 to 99": "ai.onnx/opsets/17-28/",
    "upgrade from opset 22 to 17": "ai.onnx/opsets/17-22/",
    "ai.onnx.ml": "ai.onnx.ml/",
    "preview training": "ai.onnx.preview.training/",
    "opset": "ai.onnx/opsets/",
    "opsets": "ai.onnx/opsets/",
    "opsets of ai.onnx.ml": "ai.onnx.ml/opsets/",
    # Statuses.
    "experimental": "ai.onnx.preview/#status=experimental",
    "experimental attention": "ai.onnx.preview/operators/FlexAttention/",
    "deprecated": "ai.onnx/#status=deprecated",
    "deprecated operators of ai.onnx.ml": "ai.onnx.ml/#status=deprecated",
}
"""What a reader asks for, and the page that comes first."""


@pytest.fixture(scope="module")
def address(onnx_site: BuiltSite) -> Iterator[str]:
    with serving(onnx_site.folder) as served:
        yield served


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Return a function that opens a page. Messages in the console and requests to other hosts are faults."""
    contexts = []
    faults: list[str] = []

    def open_(base: str, place: str = "") -> Page:
        context = browser.new_context()
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda sent: None if sent.url.startswith(base) else faults.append(sent.url))
        page.goto(base + place)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert faults == []


def searched(page: Page, query: str) -> Locator:
    """Ask for something, and return the dialog."""
    dialog = page.get_by_role("dialog", name="Search")
    if not dialog.is_visible():
        page.keyboard.press("/")
    dialog.get_by_role("searchbox").fill(query)
    return dialog


def addresses(dialog: Locator, base: str) -> list[str]:
    links: list[str] = dialog.locator("li a").evaluate_all("links => links.map(link => link.href)")
    return [link.removeprefix(base) for link in links]


def results(page: Page, base: str, query: str) -> list[dict[str, str]]:
    """Return what the engine itself gives for a query, on a page that has used it."""
    found: list[dict[str, str]] = page.evaluate(
        """async ([base, query]) => {
            while (!window.opsetdocsSearch) await new Promise(resolve => setTimeout(resolve, 20));
            const found = await (await opsetdocsSearch(new URL(base))).search(query);
            return Promise.all(found.map(async result => ({ ...result, text: await result.text })));
        }""",
        [base, query],
    )
    return found


def titles(page: Page, base: str, query: str) -> list[str]:
    return [result["title"] for result in results(page, base, query)]


def test_forty_queries_and_what_comes_first(opened: Open, address: str) -> None:
    page = opened(address, f"{OPERATORS}/Abs/")
    wrong = {}
    for query, wanted in FIRST.items():
        dialog = searched(page, query)
        try:
            expect(dialog.locator("li a").first).to_have_attribute("href", address + wanted, timeout=2000)
        except AssertionError:
            wrong[query] = addresses(dialog, address)[:3]
    assert wrong == {}


def test_old_versions_only_by_number_and_differences_never(opened: Open, address: str) -> None:
    page = opened(address)
    searched(page, "Conv")
    for query in FIRST:
        found = [result["address"] for result in results(page, address, query)]
        assert len(found) == len({place.partition("#")[0] for place in found}) <= 30
        assert not [place for place in found if re.search(r"/operators/[^/]+/\d+-\d+/", place)]
        assert re.search(r"\d", query) or not [
            place for place in found if re.search(r"/operators/.*/\d+/$", place)
        ]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("conv 1 to 11", ["Conv/1-11/", "Conv/11/", "Conv/1/"]),
        ("Conv 1 11", ["Conv/1-11/", "Conv/11/", "Conv/1/"]),
        ("Conv-11-1", ["Conv/1-11/", "Conv/11/", "Conv/1/"]),
        ("compare ai.onnx.Conv versions 11 and 22", ["Conv/11-22/", "Conv/22/", "Conv/11/"]),
        ("col 2 im 18 to 19", ["Col2Im/18/"]),  # There is one version only.
        ("And 1 to 7", ["And/1-7/", "And/7/", "And/1/"]),
        ("Conv 1 to 12", ["Conv/1-11/", "Conv/11/", "Conv/1/"]),
        ("conv 12 13", ["Conv/11/"]),
    ],
)
def test_two_versions_lead_to_the_page_that_compares_them(
    opened: Open, address: str, query: str, found: list[str]
) -> None:
    page = opened(address)
    searched(page, query)
    places = [result["address"] for result in results(page, address, query)]
    assert places == [f"{OPERATORS}/{place}" for place in found]


def test_a_page_that_compares_is_said_to_do_so(opened: Open, address: str) -> None:
    page = opened(address)
    first = searched(page, "conv 1 to 12").locator("li a").first
    expect(first.locator("b")).to_have_text("Conv 1 to 11")
    expect(first.locator("small")).to_have_text(["ai.onnx"])
    expect(first.locator("span")).to_have_text("Conv has no version 12: the one before it is 11.")


def test_all_words_in_a_summary_come_before_one_in_a_name(opened: Open, address: str) -> None:
    page = opened(address)
    searched(page, "matrix multiply")
    found = titles(page, address, "matrix multiply")
    assert found[:5] == ["MatMul", "MatMulInteger", "QLinearMatMul", "Gemm", "MelWeightMatrix"]


def test_operators_of_a_status_stand_behind_their_tables(opened: Open, address: str) -> None:
    page = opened(address)
    dialog = searched(page, "deprecated")
    expect(dialog.locator("li b")).to_contain_text(
        [
            "ai.onnx: 2 deprecated operators",
            "ai.onnx.ml: 2 deprecated operators",
            "Scatter",
            "Upsample",
            "TreeEnsembleRegressor",
            "TreeEnsembleClassifier",
        ]
    )
    expect(dialog.locator("li span").first).to_have_text("Scatter, Upsample")
    dialog.get_by_role("link").first.click()
    table = page.locator(".opsetdocs-operators tbody tr").filter(visible=True)
    expect(table.locator("th")).to_have_text(["Scatter", "Upsample"])


def test_names_come_before_texts_and_operators_before_pages(opened: Open, address: str) -> None:
    page = opened(address)
    searched(page, "conv")
    found = titles(page, address, "conv")
    assert found[:5] == ["Conv", "ConvInteger", "ConvTranspose", "DeformConv", "QLinearConv"]
    named = [bool(re.search("conv", title, re.IGNORECASE)) for title in found]
    assert named == sorted(named, reverse=True)
    texts = [result["address"] for result in results(page, address, "quantization")]
    assert len(texts) > 5
    are_operators = ["/operators/" in place for place in texts]
    assert are_operators == sorted(are_operators, reverse=True)


@pytest.mark.parametrize(
    ("query", "title", "mark", "place", "text"),
    [
        ("Conv", "Conv", "stable", "ai.onnx", "The convolution operator consumes"),
        ("Upsample", "Upsample", "deprecated", "ai.onnx", "Deprecated since opset 10"),
        ("FlexAttention", "FlexAttention", "experimental", "ai.onnx.preview", "Computes scaled dot"),
        ("Upsample 7", "Upsample-7", "stable", "ai.onnx", "An older version of Upsample"),
        ("Conv 22", "Conv-22", "stable", "ai.onnx", "The convolution operator consumes"),
        ("Conv-12", "Conv-11", "stable", "ai.onnx", "Conv has no version 12: the one before it is 11."),
        ("Conv 99", "Conv-22", "stable", "ai.onnx", "Conv has no version 99: the newest one is 22."),
        ("Gelu-5", "Gelu-20", "stable", "ai.onnx", "Gelu has no version 5: the first one is 20."),
    ],
)
def test_a_result_says_status_domain_and_what_it_is(
    opened: Open, address: str, query: str, title: str, mark: str, place: str, text: str
) -> None:
    first = searched(opened(address), query).locator("li a").first
    expect(first.locator("b")).to_have_text(title)
    expect(first.locator("small")).to_have_text([mark, place])
    expect(first.locator("span")).to_contain_text(text)


@pytest.mark.parametrize(
    ("query", "why", "row"),
    [
        ("kernel_shape", "attribute kernel_shape", "kernel_shape"),
        ("pads", "input pads", "pads"),
        ("float8e4m3fn", "type tensor(float8e4m3fn) of V", "V"),
        ("tensor(uint8)", "type tensor(uint8) of T", "T"),
        ("seq(tensor(int64))", "type seq(tensor(int64)) of S", "S"),
        ("graph", "attribute else_branch: graph", "else_branch"),
        ("max pool storage", "attribute storage_order", "storage_order"),
    ],
)
def test_a_result_says_what_was_found_and_leads_to_it(
    opened: Open, address: str, query: str, why: str, row: str
) -> None:
    page = opened(address)
    first = searched(page, query).locator("li a").first
    expect(first.locator("em")).to_contain_text(why)
    first.click()
    target = page.locator("tr:target")
    expect(target).to_be_in_viewport()
    expect(target.locator("th code").first).to_have_text(row)


def test_every_result_for_a_name_has_it(opened: Open, address: str) -> None:
    page = opened(address)
    searched(page, "conv")
    found = results(page, address, "kernel_shape")
    assert {result["title"] for result in found} > {"Conv", "MaxPool", "MaxUnpool"}
    assert [result["title"] for result in found if result["why"] != "attribute kernel_shape"] == []


@pytest.mark.parametrize("query", ["opset", "pads", "shape", "version", "stable", "conv"])
def test_operators_come_before_opsets_and_these_before_other_pages(
    cases_site: Callable[..., Served], opened: Open, query: str
) -> None:
    pages = {
        "index.md": "# A",
        "guide.md": f"# The {query} guide\n\n## Pads of an opset\n\nAll about {query}.\n",
    }
    site = cases_site("Q1", "F1", "H4", "L3", pages=pages)
    page = opened(site.address)
    searched(page, query)
    kinds = [
        0 if "/operators/" in result["address"] else 1 if result["address"].startswith("ops/") else 2
        for result in results(page, site.address, query)
    ]
    assert kinds[-1] == 2
    # Who asks for opsets and for nothing else gets their list first.
    assert kinds[query == "opset" :] == sorted(kinds[query == "opset" :])


def test_by_keyboard(opened: Open, address: str) -> None:
    page = opened(address, f"{OPERATORS}/Abs/")
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    links = page.get_by_role("dialog").get_by_role("link")
    expect(links.nth(2)).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address}{OPERATORS}/SoftmaxCrossEntropyLoss/")
    page.keyboard.press("/")
    page.keyboard.type("conv 11")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address}{OPERATORS}/Conv/11/")


class Held:
    """Scripts that a browser asked for, and that come when they are let go."""

    def __init__(self, page: Page, scripts: str) -> None:
        self._waiting: list[Route] = []
        self._is_open = False
        page.route(re.compile(scripts), self._hold)

    def _hold(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._waiting.append(route)

    def let_go(self) -> None:
        self._is_open = True
        for route in self._waiting:
            route.continue_()


def test_what_is_typed_before_the_index_is_there_is_not_lost(opened: Open, address: str) -> None:
    page = opened(address)
    held = Held(page, r"names\.js$")
    page.keyboard.press("/")
    page.keyboard.type("log softmax")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text("Searching…")
    held.let_go()
    expect(page).to_have_url(f"{address}{OPERATORS}/LogSoftmax/")


def test_names_are_found_before_texts_are_there(opened: Open, address: str) -> None:
    page = opened(address)
    held = Held(page, r"opsetdocs-search/[0-9a-f]+\.js$")
    dialog = searched(page, "softmax")
    links = dialog.get_by_role("link")
    expect(links).to_have_count(3)
    page.keyboard.press("ArrowDown")
    held.let_go()
    expect(links.nth(5)).to_be_visible()
    expect(links.first).to_be_focused()
    expect(links.first).to_contain_text("normalized exponential")


def test_names_are_found_where_texts_cannot_be_loaded(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.route(re.compile(r"opsetdocs-search/[0-9a-f]+\.js$"), lambda route: route.abort())
    dialog = searched(page, "softmax")
    expect(dialog.get_by_role("link").first).to_contain_text("Softmax")
    expect(dialog.get_by_role("status")).to_contain_text("cannot be loaded")
    page.unroute_all()
    searched(page, "pooling")
    expect(dialog.get_by_role("link").first).to_contain_text("LpPool")
    page.close()


def test_little_is_loaded(opened: Open, address: str) -> None:
    page = opened(address)
    expect(searched(page, "kernel_shape").get_by_role("link").first).to_contain_text("consumes")
    sizes = page.evaluate(
        """() => Object.fromEntries(performance.getEntriesByType("resource")
            .filter(({name}) => name.includes("search"))
            .map(({name, decodedBodySize}) => [name, decodedBodySize]))"""
    )
    assert len(sizes) > 2
    assert sum(sizes.values()) < 150_000


def test_both_sides_take_texts_apart_alike(opened: Open, address: str) -> None:
    page = opened(address)
    searched(page, "Conv")
    expect(page.get_by_role("dialog").get_by_role("link").first).to_be_visible()
    # JSON, because a half of a surrogate pair gets lost on the way to a browser.
    found = page.evaluate(
        "texts => JSON.stringify(JSON.parse(texts).map(opsetdocsSearch.termsOf))", json.dumps(list(TERMS))
    )
    assert dict(zip(TERMS, json.loads(found), strict=True)) == TERMS


# The cases, below a path, from disk and with hand-written pages


WRITTEN: Mapping[str, str] = {
    "index.md": "# Start\n\nWelcome.\n",
    "guide.md": "# The guide\n\nOne quokka.\n\n## How to relu\n\nThe wombat and Relu.\n",
}
OPS = "ops/com.example/operators"


@dataclass(frozen=True)
class Served:
    folder: Path
    address: str


@pytest.fixture
def cases_site(mkdocs_site: MkdocsSite) -> Iterator[Callable[..., Served]]:
    """Return a function that builds a site of cases in the theme; MkDocs' plugin `search` is not in it."""
    with ExitStack() as servers:

        def build(*names: str, pages: Mapping[str, str] = WRITTEN, **options: object) -> Served:
            plugin = {"opsetdocs": {"sources": list(case_files(*names)), "path": "ops"}}
            site = mkdocs_site(theme="opsetdocs", pages=pages, plugins=[plugin], strict=False, **options)
            assert not (site.folder / "search").exists()
            return Served(site.folder, servers.enter_context(serving(site.folder)))

        yield build


CASES: Mapping[str, Mapping[str, str | None]] = {
    "Q1": {
        "softmax": f"{OPS}/LogSoftmax/",
        "conv": f"{OPS}/ConvTranspose/",
        "transpose": f"{OPS}/ConvTranspose/",
        "logsoftmax": f"{OPS}/LogSoftmax/",
        "LogSoftmax": f"{OPS}/LogSoftmax/",
        "rnn": f"{OPS}/RNN/",
        "im2col": None,
        "reducel2": f"{OPS}/ReduceL2/",
    },
    "Q3": {
        "relu": f"{OPS}/Relu/",
        "relu 13": f"{OPS}/Relu/13/",
        "wombat": "guide/#how-to-relu",
        "quokka": "guide/",
    },
    "Q4": {
        "add": "ops/com.acme.vision/operators/atenadd~",
        "aten::add": "ops/com.acme.vision/operators/atenadd~",
        "acme": "ops/com.acme.vision/",
        "linear": "ops/com.acme.vision/operators/atenadd~",
    },
    "Q5": {
        "张量中": f"{OPS}/Xuanze/",
        "选择元素": f"{OPS}/Xuanze/",
        "索": f"{OPS}/Xuanze/",
        "卷积核": None,
    },
}


@pytest.mark.parametrize("from_disk", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_a_case(cases_site: Callable[..., Served], opened: Open, case: str, from_disk: bool) -> None:
    site = cases_site(case, use_directory_urls=not from_disk)
    page = opened(f"{site.folder.as_uri()}/" if from_disk else site.address, "index.html")
    for query, wanted in CASES[case].items():
        dialog = searched(page, query)
        if wanted is None:
            expect(dialog.get_by_role("status")).to_have_text("Nothing found")
            continue
        pattern = re.escape(wanted).replace("guide/", r"guide(/|\.html)")
        expect(dialog.locator("li a").first).to_have_attribute("href", re.compile(pattern))


def test_what_mentions_a_name_comes_after_it(cases_site: Callable[..., Served], opened: Open) -> None:
    address = cases_site("Q3").address
    page = opened(address)
    searched(page, "relu")
    mentions = [f"Mention{number}" for number in range(1, 11)]
    assert titles(page, address, "relu") == ["Relu", *mentions, "How to relu"]


def test_status_that_is_not_stated(cases_site: Callable[..., Served], opened: Open) -> None:
    dialog = searched(opened(cases_site("H6").address), "com.example")
    expect(dialog.get_by_text("not stated", exact=True)).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_results(opened: Open, address: str, scheme: str) -> None:
    page = opened(address)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    expect(searched(page, "softmax").get_by_role("link").nth(5)).to_contain_text(re.compile("."))
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = Axe().run(page, options={"runOnly": rules}).response["violations"]
    assert [(item["id"], [node["html"] for node in item["nodes"]]) for item in found] == []


# What ONNX has none of, in an index that is made by hand


def engine(page: Page, folder: Path, files: Mapping[str, bytes]) -> str:
    """Open a page from disk that has the engine and an index, and return its address."""
    for place, content in files.items():
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    script = site_config_dir() / "theme/assets/opsetdocs-search.js"
    (folder / "index.html").write_text(f'<script src="{script.as_uri()}"></script>', encoding="utf-8")
    page.goto(f"{folder.as_uri()}/index.html")
    return f"{folder.as_uri()}/"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("1 to 2", "com.x/opsets/1-2/index.html"),
        ("2 to 4", "com.x/opsets/2-4/index.html"),
        ("1 to 4", "com.x/opsets/index.html#from=1&to=4"),
        ("com.x 1-4", "com.x/opsets/index.html#from=1&to=4"),
        ("opset4", "com.x/opsets/4/index.html"),
        ("3", None),
        ("com.y 4", None),
    ],
)
def test_upgrades_in_a_domain_of_many_opsets(
    browser: Browser, tmp_path: Path, query: str, first: str | None
) -> None:
    domain = SearchedDomain("com.x", "com.x/", (1, 2, 4), False, ())
    files = search_files(Searched((domain,), ()), (), section="", directory_urls=False)
    page = browser.new_page()
    base = engine(page, tmp_path, files)
    found = results(page, base, query)
    assert (found[0]["address"] if found else None) == first
    page.close()


@pytest.mark.parametrize(
    ("query", "address", "text"),
    [
        ("opset 99", "com.x/opsets/6/", "Opset 99 of com.x is not known here: the newest one is 6."),
        ("com.x opset 5", "com.x/opsets/4/", "Opset 5 of com.x is not known here: the one before it is 4."),
        ("x opset 1", "com.x/opsets/2/", "Opset 1 of com.x is not known here: the first one is 2."),
        ("opset 3 to 6", "com.x/opsets/2-6/", "Opset 3 of com.x is not known here: the one before it is 2."),
        ("removed", "com.x/#status=removed", "Old1, Old2, Old3, Old4, Old5, Old6, Old7, Old8, …"),
        ("not stated", "com.x/#status=not-stated", "Odd"),
        ("many 1 3", "com.x/operators/Many/3/", "An older version of Many: the current one is 25."),
        ("many 2 3", "com.x/operators/Many/2-3/", "What changed between versions 2 and 3 of Many."),
    ],
)
def test_what_there_is_in_the_place_of_what_there_is_not(
    browser: Browser, tmp_path: Path, query: str, address: str, text: str
) -> None:
    versions = tuple((number, "stable") for number in range(1, 26))
    operators = (
        SearchedOperator("Many", "Many", "stable", versions, "", ()),
        SearchedOperator("Odd", "Odd", "not stated", ((2, "not stated"),), "", ()),
        *(
            SearchedOperator(f"Old{at}", f"Old{at}", "removed", ((2, "stable"),), "", ())
            for at in range(1, 10)
        ),
    )
    domain = SearchedDomain("com.x", "com.x/", (2, 4, 6), True, operators)
    files = search_files(Searched((domain,), ()), (), section="", directory_urls=True)
    page = browser.new_page()
    base = engine(page, tmp_path, files)
    first = results(page, base, query)[0]
    assert (first["address"], first["text"]) == (address, text)
    page.close()


def test_every_word_of_many_is_found(browser: Browser, tmp_path: Path) -> None:
    made = sorted(
        {f"{first}{second}{number}" for first in "azé" for second in "mbz" for number in range(900)}
    )
    pages = [SearchedPage(f"{word}/", "Page", "", "", ((Weight.TEXT, word),)) for word in made]
    files = search_files(Searched((), tuple(pages)), (), section="", directory_urls=True)
    assert len(files) > 4
    page = browser.new_page()
    base = engine(page, tmp_path, files)
    missing = page.evaluate(
        """async ([base, words]) => {
            const engine = await opsetdocsSearch(new URL(base));
            const missing = [];
            for (const word of words) {
                if ((await engine.search(word))[0]?.address !== `${word}/`) missing.push(word);
            }
            return missing;
        }""",
        [base, made],
    )
    assert missing == []
    page.close()


# The search that MkDocs brings for other themes


@pytest.mark.parametrize("case", ["Q1", "Q3", "Q4"])
def test_a_case_in_the_search_of_mkdocs(mkdocs_site: MkdocsSite, browser: Browser, case: str) -> None:
    site = mkdocs_site(case, theme="mkdocs", plugin={"path": "ops"}, pages={"index.md": "# A"}, strict=False)
    queries = {
        query: wanted
        for query, wanted in CASES[case].items()
        # Neither old versions nor the guide are in it, and a colon means something to it.
        if not (query == "relu 13" or ":" in query or (wanted or "").startswith("guide/"))
    }
    page = browser.new_page()
    with serving(site.folder) as address:
        page.goto(f"{address}index.html")
        wrong = page.evaluate(
            """async ([address, queries]) => {
                const worker = new Worker(new URL("search/worker.js", address));
                let answer;
                const next = () => new Promise(resolve => { answer = resolve; });
                worker.onmessage = ({ data }) => (data.allowSearch || data.results) && answer(data);
                let ready = next();
                worker.postMessage({ init: true });
                await ready;
                const wrong = {};
                for (const [query, wanted] of Object.entries(queries)) {
                    ready = next();
                    worker.postMessage({ query });
                    const found = (await ready).results.map(result => result.location);
                    if (wanted ? !found[0]?.startsWith(wanted) : found.length) wrong[query] = found;
                }
                return wrong;
            }""",
            [address, queries],
        )
    page.close()
    assert wrong == {}
