"""The given cases, each fed to a MkDocs build and checked on the built page.

Cases of the areas Loading and Building are in test_loader.py, test_sources.py, test_cli.py and test_serve.py.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from html_site import BuiltSite, Node, Page

Build = Callable[..., BuiltSite]
EXAMPLE = "com.example/"


def operator_page(site: BuiltSite, name: str, domain: str = "com.example") -> Page:
    return site.page(f"{domain}/operators/{name}/")


def rows(node: Node) -> list[list[str]]:
    return [
        [" ".join(cell.words) for cell in row.find_all("td", "th")]
        for row in node.find_all("tr")
        if row.find_all("td")
    ]


def history(page: Page) -> dict[str, tuple[str, str, str]]:
    """The history table of an operator's page: status, opsets and changes by version, in its order."""
    table = page.main.by_class("opsetdocs-history")[0]
    return {row[0].partition(" ")[0]: (row[0].partition(" ")[2], row[1], row[2]) for row in rows(table)}


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def headings(page: Page) -> list[tuple[str, str]]:
    return [(node.tag, " ".join(node.words)) for node in page.main.find_all(*(f"h{n}" for n in range(1, 7)))]


# Version history and status


def test_h1_a_comparison_reads_old_to_new(mkdocs_site: Build) -> None:
    page = mkdocs_site("H1").page("com.example/operators/Split/13-18/")
    assert headings(page)[0] == ("h1", "Split: version 13 to 18")
    removed, added = (" ".join(node.text for node in page.main.find_all(tag)) for tag in ("del", "ins"))
    assert "must be of equal size" in removed
    assert "can be set with num_outputs" in added
    assert "The sizes of the parts" not in removed + added


def test_h1_h3_versions_are_in_numeric_order_newest_first(mkdocs_site: Build) -> None:
    site = mkdocs_site("H3")
    page = operator_page(site, "Resize")
    assert list(history(page)) == ["21", "11", "10", "9", "2"]
    assert "Text of version 21." in page.main.text
    older = site.page("com.example/operators/Resize/9/")
    assert {"../2/", "../10/"} <= set(older.links)


def test_h2_each_version_states_its_range_and_links_to_its_neighbours(mkdocs_site: Build) -> None:
    site = mkdocs_site("H2")
    ranges = {version: opsets for version, (_, opsets, _) in history(operator_page(site, "Sub")).items()}
    assert ranges == {"1": "1 to 5", "6": "6", "7": "7 to 12", "13": "13 to 20"}
    assert "offered in opset 6" in " ".join(site.page("com.example/operators/Sub/6/").main.words)
    page = site.page("com.example/operators/Sub/6/")
    assert {"../1/", "../7/"} <= set(page.links)


def test_h2_an_opset_tells_new_operators_from_changed_ones(mkdocs_site: Build) -> None:
    site = mkdocs_site("H2")
    assert ("h2", "Introduced (1)") in headings(site.page("com.example/opsets/18/"))
    assert ("h2", "Changed (1)") in headings(site.page("com.example/opsets/13/"))
    assert "Mish" in site.page("com.example/opsets/18/").main.by_class("opsetdocs-changes")[0].text


def test_w4_an_opset_lists_each_operator_with_the_version_in_force(mkdocs_site: Build) -> None:
    site = mkdocs_site("H2")
    assert [row[:2] for row in rows(site.page("com.example/opsets/11/").main)] == [["Sub", "7"]]
    assert [row[:2] for row in rows(site.page("com.example/opsets/19/").main)] == [
        ["Mish", "18"],
        ["Sub", "13"],
    ]


def test_h4_a_removed_operator_keeps_its_page(mkdocs_site: Build) -> None:
    site = mkdocs_site("H4", strict=False)
    for name in ("Upsample", "Affine"):
        text = " ".join(operator_page(site, name).main.words)
        assert "removed in opset 10, last seen in 9" in text
    members = [row[0] for row in rows(site.page("com.example/opsets/10/").main)]
    assert members == ["Resize"]
    removed = site.page("com.example/opsets/10/").main.by_id("com.example.opset-10.removed")
    assert removed.words == ["Removed", "(2)"]


def test_h5_an_operator_that_became_stable_shows_both_states(mkdocs_site: Build) -> None:
    site = mkdocs_site("H5")
    page = operator_page(site, "Inverse")
    facts = " ".join(page.main.by_class("opsetdocs-facts")[0].words)
    assert facts.startswith("stable version 2")
    (stable, _, happened), (experimental, _, _) = (history(page)[version] for version in ("2", "1"))
    assert (stable, experimental) == ("stable", "experimental")
    assert "promoted" in happened
    assert "may change from one opset to the next" in site.page("com.example/operators/Inverse/1/").main.text


def test_h6_a_status_that_is_not_stated_is_told_from_experimental(
    mkdocs_site: Build, caplog: pytest.LogCaptureFixture
) -> None:
    site = mkdocs_site("H6", strict=False)
    shown = {row[0]: row[1] for row in rows(site.page(EXAMPLE).main)}
    assert shown["Said"] == "stable"
    assert shown["Tried"] == "experimental"
    assert shown["Silent"] == "status not stated (counts as experimental)"
    assert [text for text in warnings(caplog) if "Silent" in text and "OPERATOR_STATUS_KNOWN" in text]


# Domains, names and file paths


def lower_case_paths(site: BuiltSite) -> list[str]:
    return [path.relative_to(site.folder).as_posix().lower() for path in site.folder.rglob("*")]


def test_n1_names_that_differ_in_case_have_two_pages(
    mkdocs_site: Build, caplog: pytest.LogCaptureFixture
) -> None:
    site = mkdocs_site("N1", strict=False)
    paths = lower_case_paths(site)
    assert len(set(paths)) == len(paths)
    links = {" ".join(node.words): node.attributes["href"] for node in site.page(EXAMPLE).main.find_all("a")}
    assert links["Relu"] != links["ReLU"]
    assert not site.broken_links()
    assert any("Relu" in text and "ReLU" in text for text in caplog.messages)


RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?\Z", re.IGNORECASE)


@pytest.mark.parametrize("case", ["N2", "N3-a", "N3-b", "N4", "N5", "N6", "N7", "S2"])
def test_n2_n7_every_name_has_a_safe_page_with_its_true_name(
    mkdocs_site: Build, case: str, tmp_path: Path
) -> None:
    site = mkdocs_site(case, strict=False)
    for path in site.folder.rglob("*"):
        assert not RESERVED.match(path.name), path
        assert not path.name.endswith((".", " ")), path
        assert not re.search(r'[<>:"|?*\\#%]', path.name), path
    assert {path.name for path in tmp_path.iterdir()} == {"docs", "site", "mkdocs.yml"}
    assert not site.broken_links()
    declared = re.findall(
        r'op_type: "((?:[^"\\]|\\.)*)"',
        "".join(path.read_text() for path in (Path(__file__).parent / "cases").glob(f"{case}*")),
    )
    shown = {
        page.main.find_all("h1")[0].text.strip()
        for address, page in site.pages.items()
        if re.search(r"/operators/[^/]+/index.html$", address)
    }
    assert shown == {json.loads(f'"{name}"') for name in declared}


def test_n5_and_n7_pass_a_strict_build(mkdocs_site: Build) -> None:
    assert len(mkdocs_site("N5").pages) > 5


def test_n6_domains_that_mkdocs_would_leave_out_are_in_the_site(mkdocs_site: Build) -> None:
    site = mkdocs_site("N6", strict=False)
    shown = {
        page.main.find_all("h1")[0].text.strip() for page in site.pages.values() if page.address != "404.html"
    }
    assert {"templates", ".lab"} <= shown


def test_n8_operators_of_one_name_in_two_domains_stay_apart(mkdocs_site: Build) -> None:
    site = mkdocs_site("N8", strict=False)
    for domain, version in (("ai.onnx", "20"), ("com.microsoft", "1")):
        page = operator_page(site, "Gelu", domain)
        assert domain in page.title
        assert list(history(page)) == [version]
    assert not site.broken_links()


def test_n9_the_empty_domain_is_ai_onnx(mkdocs_site: Build) -> None:
    site = mkdocs_site("N9", strict=False)
    domains = [row[0] for row in rows(site.page("").main)]
    assert domains == ["ai.onnx", "ai.onnx.ml"]
    assert list(history(operator_page(site, "Add", "ai.onnx"))) == ["13", "7"]
    for page in site.pages.values():
        assert (
            all(node.words for node in page.main.find_all("h1", "h2", "a", "th"))
            or page.address == "404.html"
        )


# Rendering doc_string Markdown, on the page


def test_m1_a_break_in_any_spelling_breaks_the_line(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M1"), "Scale")
    assert len(page.main.find_all("br")) == 3
    assert "x_original = (x + 0.5) / scale - 0.5" in [
        node.text.strip() for node in page.main.find_all("code")
    ]


def test_m2_paragraphs_stay_paragraphs(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M2"), "Resize")
    assert len([node for node in page.main.find_all("p") if node.text.strip().startswith("If mode")]) == 4
    assert len(page.main.find_all("pre")) == 4


def test_m3_formulas_are_whole_and_prices_are_no_formulas(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M3"), "Gelu")
    assert len(page.main.find_all("math")) == 3
    assert "It costs $5 and not $6." in page.main.text
    assert not page.main.find_all("em")


def test_m4_angle_brackets_are_visible(mkdocs_site: Build) -> None:
    site = mkdocs_site("M4")
    text = operator_page(site, "Wrap").main.text
    for piece in ("Tensor<T>", "map<string, int64>", "<axis=0>"):
        assert piece in text
    assert '<div class="box">' in operator_page(site, "Box").main.text
    assert operator_page(site, "Box").faults == []


def test_m5_the_list_has_one_row_an_operator(mkdocs_site: Build) -> None:
    table = mkdocs_site("M5").page(EXAMPLE).main.find_all("table")[0]
    found = rows(table)
    assert [len(row) for row in found] == [5, 5]
    assert found[0][4] == "Takes a value and gives it back, or a|b, or a | b."
    assert found[1][4] == "Starts with blank lines and ends late."


def test_m6_tables_are_tables(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M6"), "Cast")
    assert [["0", "0", "0"], ["NaN", "NaN", "NaN"]] in [rows(table) for table in page.main.find_all("table")]


def test_m7_lists_nest_as_commonmark_says(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M7"), "Pick")
    nested = [node for node in page.main.find_all("li") if node.find_all("ul")]
    assert [node.words[0] for node in nested] == ["data", "first"]


CODE = "for i in range(n):\n\n    # not a heading\n    x = <graph body>\n\n    - not a list\n\nreturn x\n"


@pytest.mark.parametrize("extensions", [[], ["md_in_html", "attr_list", "admonition"]])
def test_m8_code_is_shown_exactly_as_written(mkdocs_site: Build, extensions: list[str]) -> None:
    page = operator_page(mkdocs_site("M8", markdown_extensions=extensions), "Loop")
    assert [pre.text.strip(" ") for pre in page.main.find_all("pre")] == [CODE]


def test_m9_template_syntax_is_text(mkdocs_site: Build) -> None:
    page = next(
        page
        for address, page in mkdocs_site("M9").pages.items()
        if re.search(r"operators/\w+/index", address)
    )
    for piece in ("{{ x }}", "{% raw %}", "{# note #}"):
        assert piece in page.main.text


def test_m10_link_labels_stay_in_their_text(mkdocs_site: Build) -> None:
    site = mkdocs_site("M10")
    assert "https://example.com/old" in site.page("com.example/operators/Pool/1/").links
    assert "https://example.com/new" in site.page("com.example/operators/Pool/2/").links
    assert "x[1] is not a link" in operator_page(site, "Other").main.text


def test_m11_headings_of_a_text_stand_below_the_page_title(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M11"), "Attend")
    found = headings(page)
    assert found[0] == ("h1", "Attend")
    assert [tag for tag, _ in found].count("h1") == 1
    assert ("h2", "Overview") in found
    assert ("h2", "Old style") in found


def test_m12_shared_indentation_is_no_code(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M12"), "Scaler")
    assert [node.text.strip() for node in page.main.find_all("pre")] == ["code = True"]


def test_m13_page_metadata_comes_from_us(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M13"), "Meta")
    assert page.title.startswith("Meta")
    assert "title: Hacked" in " ".join(page.main.words)


def test_m14_m15_braces_and_colons_are_text(mkdocs_site: Build) -> None:
    extensions = ["attr_list", "pymdownx.emoji"]
    text = " ".join(operator_page(mkdocs_site("M14", markdown_extensions=extensions), "Shape").main.words)
    for piece in ("Shape {N, C}", "a value in {0, 1}", "mode {linear}", "mode {cubic}"):
        assert piece in text


def test_m15_words_between_colons_are_no_pictures(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("M15", markdown_extensions=["pymdownx.emoji"]), "Slice")
    assert "Take slice 0:x:2 at ratio :100: and a :smile: b, time 10:30:00." in page.main.text


# Pages, anchors, links, navigation


def test_p1_a_heading_shows_the_same_characters_everywhere(mkdocs_site: Build) -> None:
    site = mkdocs_site("P1")
    page = next(page for page in site.pages.values() if re.search(r"operators/\w+/index", page.address))
    shown = {" ".join(node.words) for node in page.root.find_all("h2", "a") if "Shift" in node.text}
    assert shown == {"Scale & Shift <fast>"}
    index = json.loads((site.folder / "search/search_index.json").read_text(encoding="utf-8"))
    assert "Scale & Shift <fast>" in {entry["title"] for entry in index["docs"]}


def test_p2_ids_are_unique_and_carry_the_version(mkdocs_site: Build) -> None:
    site = mkdocs_site("P2")
    for page in site.pages.values():
        assert len(page.ids) == len(set(page.ids)), page.address
    found = [address for address in site.pages if re.search(r"/operators/\w+/\d+/", address)]
    assert len(found) == 3
    for address in found:
        number = address.split("/")[-2]
        ids = [id_ for id_ in site.pages[address].ids if id_.startswith("com.example.")]
        assert len(ids) >= 3
        assert all(re.match(rf"com\.example\.\w+-{number}\b", id_) for id_ in ids)


def test_p3_every_anchor_is_known_to_mkdocs(mkdocs_site: Build) -> None:
    site = mkdocs_site(
        "H2",
        pages={"start.md": "[Sub](com.example/operators/Sub/6/index.md#com.example.Sub-6)"},
        validation={"anchors": "warn", "links": {"not_found": "warn"}},
    )
    assert not site.broken_links()


def test_p4_relative_links_are_text_unless_a_base_is_given(
    mkdocs_site: Build, caplog: pytest.LogCaptureFixture
) -> None:
    site = mkdocs_site("P4")
    assert not site.broken_links()
    said = [record.getMessage() for record in caplog.records if "Broadcasting.md" in record.getMessage()]
    assert len(said) == 1


def test_p4_a_base_makes_them_links(mkdocs_site: Build) -> None:
    base = "https://example.com/docs/"
    site = mkdocs_site("P4", plugin={"link_map": {"*": base, "Syntax.md": "https://example.com/syntax"}})
    links = {link for page in site.pages.values() for link in page.links}
    assert {f"{base}Broadcasting.md", "https://example.com/syntax#x"} <= links


@pytest.mark.parametrize("directory_urls", [True, False])
@pytest.mark.parametrize("path", ["", "reference/operators"])
def test_p5_every_link_leads_to_a_page(mkdocs_site: Build, directory_urls: bool, path: str) -> None:
    site = mkdocs_site(
        "N8",
        "H2",
        strict=False,
        pages={"index.md": "# Home"} if path else {},
        plugin={"path": path},
        use_directory_urls=directory_urls,
    )
    assert f"{path}/com.microsoft/operators/Gelu/index.html".lstrip("/") in site.pages
    assert not site.broken_links()


def test_p6_the_log_stays_short_beside_a_nav(mkdocs_site: Build, caplog: pytest.LogCaptureFixture) -> None:
    mkdocs_site(
        "H2",
        "H3",
        strict=False,
        pages={"index.md": "# Home"},
        nav=[{"Home": "index.md"}],
        plugin={"path": "ops"},
    )
    assert len(caplog.records) < 20


@pytest.mark.parametrize(
    "options",
    [
        {"repo_url": "https://example.com/acme/ops", "edit_uri": "edit/main/docs/"},
        {"repo_url": "https://example.com/acme/ops", "edit_uri_template": "edit/main/docs/{path}"},
    ],
)
def test_p7_generated_pages_have_no_edit_link(mkdocs_site: Build, options: Mapping[str, object]) -> None:
    site = mkdocs_site("H2", pages={"own.md": "# Own"}, **options)
    assert any("edit/main" in link for link in site.page("own/").links)
    assert not any("edit/main" in link for link in operator_page(site, "Sub").links)


# Text encodings and languages


def test_t2_signs_of_any_script_reach_the_page(mkdocs_site: Build) -> None:
    source = (Path(__file__).parent / "cases" / "T2-non-ascii.textproto").read_text(encoding="utf-8")
    source = "\n".join(line for line in source.splitlines() if not line.startswith("#"))
    site = mkdocs_site("T2")
    visible = "".join(page.main.text for page in site.pages.values())
    signs = {sign for sign in source if ord(sign) > 127}
    assert signs
    assert signs <= set(visible)


def test_t3_line_endings_make_no_difference(mkdocs_site: Build) -> None:
    site = mkdocs_site("T3")
    for page in site.pages.values():
        assert "\r" not in page.path.read_bytes().decode()
    differences = [page for name, page in site.pages.items() if re.search(r"/operators/\w+/\d+-\d+/", name)]
    assert len(differences) == 3
    for page in differences:
        assert "Nothing but the version's number." in page.main.text
        assert not page.main.by_class("opsetdocs-diff")


def test_t4_headings_in_other_scripts_have_stable_ids(mkdocs_site: Build) -> None:
    site = mkdocs_site("T4")
    for page in site.pages.values():
        assert not site.broken_links()
        assert not [
            id_ for id_ in page.ids if re.search(r"[._]_?\d*$", id_) and id_.startswith("com.example.")
        ]


# Functions


def test_f1_the_page_shows_what_a_function_expands_to(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("F1", strict=False), "ScaledRelu")
    body = page.main.by_class("opsetdocs-body")[0].text
    assert "r = Relu (x)" in body
    assert "y = Mul (r, c)" in body
    assert "scaled" in [node.text for node in page.main.find_all("em")]
    ids = {f"com.example.ScaledRelu.{suffix}" for suffix in ("input.x", "output.y", "attribute.alpha")}
    assert ids <= set(page.ids)


def test_f2_nodes_link_to_the_version_that_the_imports_select(mkdocs_site: Build) -> None:
    site = mkdocs_site("F2", strict=False, sources=["onnx"])
    page = operator_page(site, "Mixed")
    assert "ai.onnx opset 18 and com.acme opset 1" in " ".join(page.main.words)
    links = {
        node.text: node.attributes["href"] for node in page.main.by_class("opsetdocs-body")[0].find_all("a")
    }
    assert links == {"Split": "../../../ai.onnx/operators/Split/18/"}
    assert not site.broken_links()


def test_f3_operator_and_function_share_a_page(mkdocs_site: Build) -> None:
    site = mkdocs_site("F3", strict=False)
    text = operator_page(site, "Swish").main.text
    assert "described as an operator" in text
    assert "described as a function" in text
    assert len([address for address in site.pages if re.search(r"/operators/[^/]+/index", address)]) == 1


def test_f4_attributes_show_type_and_default(mkdocs_site: Build) -> None:
    page = operator_page(mkdocs_site("F4"), "Window")
    table = page.main.by_class("opsetdocs-attributes")[0]
    assert rows(table) == [
        ["size required", "", ""],
        ["alpha default 0.25", "float", "Slope."],
        ["axes default [0, -1]", "list of ints", ""],
        ['mode default "<fast> & \\"loose\\""', "string", ""],
    ]


# W11, W12, S


def test_w11_an_operator_named_in_code_is_a_link(mkdocs_site: Build) -> None:
    site = mkdocs_site("W11")
    assert not site.broken_links()
    linked = {
        node.text for page in site.pages.values() for node in page.main.find_all("a") if node.find_all("code")
    }
    assert linked & {"Conv", "LogSoftmax"}


@pytest.mark.parametrize(("order", "first"), [("name", "BatchNormalization"), ("file", "LogSoftmax")])
def test_w12_operators_stand_in_the_order_that_is_asked_for(
    mkdocs_site: Build, order: str, first: str
) -> None:
    site = mkdocs_site("Q1", plugin={"order": order})
    assert rows(site.page(EXAMPLE).main.find_all("table")[0])[0][0] == first


@pytest.mark.parametrize("case", ["S1", "S2", "S3", "S5"])
def test_s_nothing_of_a_file_becomes_live(mkdocs_site: Build, case: str) -> None:
    site = mkdocs_site(case, strict=False)
    for page in site.pages.values():
        if page.address == "404.html":
            continue
        main = page.main
        assert not main.find_all("script", "iframe", "style", "img", "object", "embed"), page.address
        ours = [svg for figure in main.by_class("opsetdocs-picture") for svg in figure.find_all("svg")]
        assert len(main.find_all("svg")) == len(ours), page.address
        for node in main.walk():
            assert not [name for name in node.attributes if name.startswith("on")], page.address
        assert page.faults == []
