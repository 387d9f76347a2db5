"""Pictures: what they show, where it leads, how large it is, and that no name breaks them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from xml.etree.ElementTree import Element, fromstring

import pytest
from markupsafe import Markup

from conftest import CASES, case_files
from operator_sets import EXPERIMENTAL, NOT_STATED, function, operator, opset
from opsetdocs.addresses import Addresses, assign
from opsetdocs.bodies import parse_body
from opsetdocs.catalog import Catalog, Domain, OperatorHistory
from opsetdocs.docstring import Section, SectionKind
from opsetdocs.export import registry_sets
from opsetdocs.history import build_catalog
from opsetdocs.loader import from_message
from opsetdocs.model import Function, Node, OperatorSet, Status
from opsetdocs.pictures import body_graph, growth, lifeline, matrix
from opsetdocs.pictures.diagram import MAX_NODES, BoxKind, Diagram, diagrams
from opsetdocs.pictures.graph import placed
from opsetdocs.pictures.layout import Layout, Size, place
from opsetdocs.pictures.lifeline import NARROWEST
from opsetdocs.pictures.svg import shortened, text_width
from opsetdocs.sources import load

DEPRECATED = "**Deprecated** since opset 3."
HOSTILE = '"><script>alert(1)</script>&<!--\x01\u2028é' + "漢" * 10_000


@pytest.fixture(scope="module")
def onnx_catalog() -> Catalog:
    return build_catalog([from_message(message, "onnx") for message in registry_sets()])


def url(address: str) -> str:
    return f"/{address}"


def link(node: Node) -> str | None:
    return f"/{node.domain}/{node.op_type}/"


def xml(picture: Markup) -> Element:
    """Parse a picture; an attribute without a value is HTML only."""
    return fromstring(f"<root>{str(picture).replace(' data-search-exclude>', '>')}</root>")


def with_class(root: Element, name: str) -> list[Element]:
    return [item for item in root.iter() if name in item.get("class", "").split()]


def caption(root: Element) -> list[str]:
    return ["".join(key.itertext()).strip() for item in root.iter("figcaption") for key in item]


def domain_of(*sets: OperatorSet) -> tuple[Domain, Addresses]:
    catalog = build_catalog(sets)
    return catalog.domains[0], assign(catalog)


def life_line_of(domain: Domain, addresses: Addresses, name: str = "Foo") -> Element:
    history = next(item for item in domain.operators if item.op_type == name)
    return xml(lifeline(history, domain, id_prefix="x", url=url, addresses=addresses))


# All pictures


def every_picture(catalog: Catalog) -> Iterator[Markup]:
    addresses = assign(catalog)
    for domain in catalog.domains:
        yield growth(domain)
        yield matrix(domain, url=url, addresses=addresses)
        for history in domain.operators:
            prefix = addresses.operator_id(history)
            yield lifeline(history, domain, id_prefix=prefix, url=url, addresses=addresses)
            for number, body in enumerate(bodies(history)):
                yield body_graph(body, id_prefix=f"{prefix}.{number}", link=link)


def bodies(history: OperatorHistory) -> Iterator[Function]:
    """Every body of an operator: functions, and what the sections Function Body hold."""
    for version in history.versions:
        for part in version.current.parts:
            if part.function:
                yield part.function
            for block in part.doc.blocks:
                if isinstance(block, Section) and block.kind is SectionKind.FUNCTION_BODY:
                    for text in re.findall(
                        r"```onnx\n(.*?)\n```", "\n".join(map(str, block.blocks)), re.DOTALL
                    ):
                        body = parse_body(text)
                        assert body, text
                        yield body


def test_all_pictures_of_onnx(onnx_catalog: Catalog) -> None:
    pictures = [picture for picture in every_picture(onnx_catalog) if picture]
    root = xml(Markup().join(pictures))
    ids = [item.get("id") for item in root.iter() if item.get("id")]
    assert len(ids) == len(set(ids))
    for figure in root:
        assert figure.tag == "figure"
        assert "opsetdocs-picture" in figure.get("class", "").split()
    for svg in root.iter("svg"):
        assert svg.get("role") != "img" or not list(svg.iter("a")), "an image hides the links in it"
        if svg.get("role"):
            assert svg[0].tag == "title"
            assert svg[0].text
    assert all(item.text for item in root.iter("title"))
    assert not re.search(r"<style|<script|\son\w+=|\sstyle=|<foreignObject", "".join(pictures))
    references = re.findall(r"url\(#([^)]*)\)", "".join(pictures))
    assert set(references) <= set(ids)


@pytest.mark.parametrize(
    ("kind", "most"),
    [("life-line", 4_000), ("matrix", 120_000), ("growth", 4_000), ("graph", 25_000)],
)
def test_size(onnx_catalog: Catalog, kind: str, most: int) -> None:
    text = "".join(every_picture(onnx_catalog))
    sizes = [
        len(match[0])
        for match in re.finditer(rf'<figure class="[^"]*opsetdocs-{kind}".*?</figure>', text, re.DOTALL)
    ]
    assert sizes
    assert max(sizes) <= most


def test_hostile_names() -> None:
    catalog = build_catalog(
        [
            opset(1, operator(HOSTILE, 1), operator("B", 1), domain=HOSTILE),
            opset(2, operator(HOSTILE, 2), operator("B", 1), domain=HOSTILE),
        ]
    )
    pictures = list(every_picture(catalog))
    root = xml(Markup().join(pictures))
    assert not list(root.iter("script"))
    assert sum(map(len, pictures)) < 8_000
    assert "漢…" in "".join(pictures)


@pytest.mark.parametrize(
    ("text", "length", "expected"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("a\x00b\nc", 9, "a\ufffdb\ufffdc"), ("", 3, "")],
)
def test_shortened(text: str, length: int, expected: str) -> None:
    assert shortened(text, length) == expected


# Life lines


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        pytest.param([opset(1, operator("Foo", 1))], {"stable": 1}, id="stable"),
        pytest.param(
            [opset(1, operator("Foo", 1, status=EXPERIMENTAL))], {"experimental": 1}, id="experimental"
        ),
        pytest.param([opset(1, operator("Foo", 1, status=NOT_STATED))], {"not-stated": 1}, id="not stated"),
        pytest.param([opset(1, operator("Foo", 1, status=Status(7)))], {"unknown": 1}, id="unknown status"),
        pytest.param(
            [opset(1, operator("Foo", 1, status=EXPERIMENTAL)), opset(2, operator("Foo", 2))],
            {"experimental": 1, "stable": 1},
            id="promoted",
        ),
        pytest.param(
            [opset(1, operator("Foo", 1)), opset(2, operator("Foo", 2, DEPRECATED))],
            {"stable": 3, "deprecated": 2},
            id="deprecated: a double line",
        ),
        pytest.param([opset(1, operator("Foo", 1)), opset(2)], {"stable": 1, "removed": 1}, id="removed"),
        pytest.param(
            [opset(1, operator("Foo", 1)), opset(5, operator("Foo", 1))],
            {"stable": 2, "missing": 1},
            id="a gap",
        ),
        pytest.param([opset(3, operator("Foo", 2))], {"stable": 1, "missing": 1}, id="before the first file"),
    ],
)
def test_form_of_a_life_line(sets: Sequence[OperatorSet], expected: dict[str, int]) -> None:
    root = life_line_of(*domain_of(*sets))
    picture = root[0][0]
    found = Counter(
        name.removeprefix("is-")
        for item in picture.iter()
        for name in item.get("class", "").split()
        if name not in ("is-scale", "is-absent", "is-leader")
    )
    assert found == expected
    assert len(caption(root)) == len(expected), "each form is told in words"


def test_life_line_links_each_version_once(onnx_catalog: Catalog) -> None:
    addresses = assign(onnx_catalog)
    for domain in onnx_catalog.domains:
        for history in domain.operators:
            root = xml(lifeline(history, domain, id_prefix="x", url=url, addresses=addresses))
            assert [item.get("href") for item in root.iter("a")] == [
                f"/{addresses.version(history, version.since_version)}" for version in history.versions
            ]


def place_of(value: str | None) -> float:
    return float((value or "0").removesuffix("%"))


@pytest.mark.parametrize("count", [1, 2, 9, 40])
@pytest.mark.parametrize("last", [40, 120, 3_000, 2**62])
def test_labels_do_not_meet_on_a_phone(count: int, last: int) -> None:
    versions = [operator("Foo", since) for since in (*range(1, count), last)]
    root = life_line_of(*domain_of(opset(last, *versions)))
    rows: dict[float, list[tuple[float, float]]] = {}
    for item in root.iter("text"):
        width = text_width(item.text or "", 12)
        start = place_of(item.get("x")) * NARROWEST / 100
        start -= width if item.get("text-anchor") == "end" else 0
        rows.setdefault(float(item.get("y", "")), []).append((start, start + width))
    for row in rows.values():
        for (_, end), (start, _) in pairwise(sorted(row)):
            assert end <= start
    for leader in with_class(root, "is-leader"):
        at, top = place_of(leader.get("x1")) * NARROWEST / 100, float(leader.get("y1", ""))
        bottom = float(leader.get("y2", ""))
        crossed = [label for y, row in rows.items() if top < y < bottom for label in row]
        assert not any(start < at < end for start, end in crossed)
    places = [place_of(line.get(end)) for line in root.iter("line") for end in ("x1", "x2")]
    assert len(list(root.iter("a"))) == count
    assert 0 <= min(places) <= max(places) <= 100


def test_life_line_marks_the_version_of_the_page() -> None:
    domain, addresses = domain_of(opset(1, operator("Foo", 1)), opset(2, operator("Foo", 2)))
    root = xml(lifeline(domain.operators[0], domain, id_prefix="x", url=url, addresses=addresses, shown=1))
    assert [item.get("href", "")[-3:] for item in with_class(root, "is-shown")] == ["/1/"]


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ([opset(1, operator("Foo", 1)), opset(2)], "removed in opset 2"),
        ([opset(1, operator("Foo", 1)), opset(5)], "gone by opset 5"),
    ],
)
def test_a_removal_is_dated_only_where_it_is_proved(sets: Sequence[OperatorSet], words: str) -> None:
    root = life_line_of(*domain_of(*sets))
    assert words in [item.text for item in root.iter("title")]


def test_life_lines_of_cases() -> None:
    affine = domain_of(*load(case_files("H4"), base=CASES).sets)
    assert caption(life_line_of(*affine, name="Affine")) == ["experimental", "removed"]
    inverse = domain_of(*load(case_files("H5"), base=CASES).sets)
    assert caption(life_line_of(*inverse, name="Inverse")) == ["stable", "experimental"]


# Matrix and growth


def test_matrix_of_onnx(onnx_catalog: Catalog) -> None:
    addresses = assign(onnx_catalog)
    domain = onnx_catalog.domains[0]
    root = xml(matrix(domain, url=url, addresses=addresses))
    links = [item.get("href") for item in root.iter("a")]
    assert links == [
        *(f"/{addresses.opset(domain.name, item.version)}" for item in domain.opsets),
        *(f"/{addresses.operator(item)}" for item in domain.operators),
    ]
    rows = list(root.iter("tr"))[1:]
    for history, row in zip(domain.operators, rows, strict=True):
        names = "".join(next(row.iter("th")).itertext())
        assert names == history.name
        offered = [version for version in history.versions if version.offered]
        starts = sum(
            (path.get("d", "").count("M")) // (2 if "is-deprecated" in path.get("class", "") else 1)
            for path in row.iter("path")
        )
        assert starts == len(offered), history.name


def test_matrix_shows_what_is_not_known() -> None:
    domain, addresses = domain_of(
        opset(2, operator("A", 1), operator("B", 2, status=EXPERIMENTAL)),
        opset(9_000_000, operator("A", 1)),
    )
    root = xml(matrix(domain, url=url, addresses=addresses))
    assert ["".join(item.itertext()) for item in next(root.iter("tr"))[1]] == ["…", "2", "…", "9000000"]
    row_a, row_b = list(root.iter("tr"))[1:]
    assert {item.get("class"): item.get("d") for item in row_a.iter("path")} == {
        "is-stable": "M26 8H48M74 8H96",
        "is-missing": "M2 8h22M50 8h22",
    }
    assert [item.get("class") for item in row_b.iter("path")] == ["is-experimental", "is-missing"]
    assert caption(root) == ["stable", "experimental", "opsets not known"]


@pytest.mark.parametrize(
    "sets",
    [
        pytest.param([opset(1, operator("A", 1))], id="one opset"),
        pytest.param([opset(n, operator("A", 1)) for n in range(1, 62)], id="many opsets"),
        pytest.param(
            [opset(n, *(operator(f"Op{i}", 1) for i in range(401))) for n in (1, 2)], id="many operators"
        ),
    ],
)
def test_no_matrix_that_is_no_overview(sets: Sequence[OperatorSet]) -> None:
    domain, addresses = domain_of(*sets)
    assert matrix(domain, url=url, addresses=addresses) == ""


def test_growth_of_onnx(onnx_catalog: Catalog) -> None:
    domain = onnx_catalog.domains[0]
    root = xml(growth(domain))
    first, last = domain.opsets[0], domain.latest
    assert [item.text for item in root.iter("desc")] == [
        f"{len(first.members)} in opset 1, {len(last.members)} in opset {last.version}."
    ]
    assert sum(areas(root).values()) == sum(len(item.members) for item in domain.opsets)


def areas(root: Element) -> dict[str, int]:
    """The number of operators times opsets that each area stands for."""
    return {
        item.get("class", ""): sum(
            int(height) * int(width) for height, width in re.findall(r"v-(\d+)h(\d+)", item.get("d", ""))
        )
        for item in root.iter("path")
        if "v-" in item.get("d", "")
    }


def test_growth_counts_every_member_once() -> None:
    domain, _ = domain_of(
        opset(1, operator("A", 1), operator("B", 1, status=EXPERIMENTAL)),
        opset(2, operator("A", 1), operator("B", 2), operator("C", 2, DEPRECATED)),
        opset(5, operator("A", 1)),
    )
    root = xml(growth(domain))
    assert areas(root) == {"is-stable": 4, "is-experimental": 1, "is-deprecated": 1}
    assert len(with_class(root[0][0], "is-missing")) == 1
    assert caption(root) == ["stable", "experimental", "deprecated", "opsets not known"]


@pytest.mark.parametrize(
    "sets",
    [
        [opset(1, operator("A", 1), operator("B", 1))],
        [opset(1, operator("A", 1)), opset(2, operator("A", 2))],
        [opset(1), opset(2)],
    ],
)
def test_no_growth_where_there_is_none(sets: Sequence[OperatorSet]) -> None:
    assert not any(growth(domain) for domain in build_catalog(sets).domains)


# Graphs of bodies

NESTED = """<domain: "com.acme", opset_import: ["" : 22, "com.acme" : 1]>
Nested <alpha>(x, n, flag) => (y, trace)
{
  factor = Constant <value_float: float = @alpha> ()
  scaled = Mul (x, factor)
  y, trace = Loop <body =
   step (int64 i, bool cond, float state) => (bool cond_out, float state_out, float scan) {
     cond_out = Identity (cond)
     big = ReduceMax <keepdims = 0> (state)
     limit = Constant <value_float = 10.0> ()
     over = Greater (big, limit)
     state_out = If <
       then_branch = shrink () => (float s) { two = Constant <value_float = 2.0> () s = Div (state, two) },
       else_branch = grow () => (float g) { t = Add (state, scaled) g = com.acme.Fuse <mode = "fast"> (t) }
     > (over)
     scan = Identity (state_out)
   }> (n, flag, scaled)
}"""


def body(text: str) -> Function:
    found = parse_body(text)
    assert found, text
    return found


def chain(length: int, statement: str = "v{next} = Neg (v{this})") -> Function:
    lines = "\n".join(statement.format(this=n, next=n + 1) for n in range(length))
    return body(f'<domain: "", opset_import: ["" : 22]> F (v0) => (v{length}) {{ {lines} }}')


def test_nested_graphs_stand_in_their_node() -> None:
    (diagram,) = diagrams(body(NESTED))
    layout = layout_of(diagram)
    names = [box.lines[0] for box in diagram.boxes]
    parents = {
        names[index]: names[box.parent] for index, box in enumerate(diagram.boxes) if box.parent is not None
    }
    assert parents["body"] == "Loop"
    assert parents["If"] == "body"
    assert parents["then_branch"] == parents["else_branch"] == "If"
    assert parents["Div"] == "then_branch"
    assert parents["com.acme.Fuse"] == "else_branch"
    edges = {(names[edge.source], names[edge.target]) for edge in diagram.edges}
    assert {
        ("state", "Div"),
        ("Mul", "Add"),
        ("@alpha", "Mul"),
        ("Greater", "If"),
        ("Loop", "trace"),
    } <= edges
    details = {box.lines[0]: box.lines[1:] for box in diagram.boxes}
    assert details["Div"] == ("(·, 2.0)",)
    assert details["ReduceMax"] == ("keepdims = 0",)
    for box, at in zip(diagram.boxes, layout.boxes, strict=True):
        if box.parent is not None:
            outer = layout.boxes[box.parent]
            assert outer.x <= at.x
            assert at.x + at.width <= outer.x + outer.width
            assert outer.y <= at.y
            assert at.y + at.height <= outer.y + outer.height


def layout_of(diagram: Diagram) -> Layout:
    layout = placed(diagram)
    assert layout
    return layout


def all_diagrams(catalog: Catalog) -> Iterator[Diagram]:
    for domain in catalog.domains:
        for history in domain.operators:
            for item in bodies(history):
                yield from diagrams(item)


def test_layouts_of_onnx(onnx_catalog: Catalog) -> None:
    for diagram in all_diagrams(onnx_catalog):
        layout = layout_of(diagram)
        by_parent: dict[int | None, list[int]] = {}
        for index, box in enumerate(diagram.boxes):
            by_parent.setdefault(box.parent, []).append(index)
        for siblings in by_parent.values():
            for one, other in combinations([layout.boxes[index] for index in siblings], 2):
                assert (
                    one.x + one.width <= other.x
                    or other.x + other.width <= one.x
                    or one.y + one.height <= other.y
                    or other.y + other.height <= one.y
                )
        for points in layout.edges:
            heights = [y for _, y in points]
            assert heights == sorted(heights)
        assert all(box.x >= 0 and box.x + box.width <= layout.width + 1 for box in layout.boxes)


def test_every_node_is_a_link_or_in_one(onnx_catalog: Catalog) -> None:
    for name in ("AffineGrid", "Attention", "LayerNormalization", "SoftmaxCrossEntropyLoss"):
        history = onnx_catalog.find("ai.onnx", name)
        assert history
        for item in bodies(history):
            root = xml(body_graph(item, id_prefix="x", link=link))
            drawn = Counter(element.get("href") for element in root.iter("a"))
            expected = Counter(link(node) for node in walk(item.nodes))
            del expected["/ai.onnx/Constant/"], drawn["/ai.onnx/Constant/"]
            assert drawn == expected


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        for graph in node.graphs:
            yield from walk(graph.nodes)


def test_the_bodies_of_several_opsets_are_told_apart(onnx_catalog: Catalog) -> None:
    history = onnx_catalog.find("ai.onnx", "LayerNormalization")
    assert history
    roots = [xml(body_graph(item, id_prefix="x", link=link)) for item in bodies(history)]
    assert [root[0][0].get("aria-label") for root in roots] == [
        "Graph of LayerNormalization with ai.onnx 17",
        "Graph of LayerNormalization with ai.onnx 18",
    ]


def test_large_nested_graphs_are_pictures_of_their_own(onnx_catalog: Catalog) -> None:
    history = onnx_catalog.find("ai.onnx", "AffineGrid")
    assert history
    (affine_grid,) = bodies(history)
    root = xml(body_graph(affine_grid, id_prefix="x", link=link))
    assert caption_texts(root)[:2] == [
        "then_branch of N, C, D, H, W = If",
        "else_branch of N, C, D, H, W = If",
    ]
    assert len(list(root)) == 9
    ids = [item.get("id") for item in root.iter() if item.get("id")]
    assert len(ids) == len(set(ids)) == 18


def caption_texts(root: Element) -> list[str | None]:
    return [item.text for item in root.iter("figcaption")]


def test_a_node_that_the_site_does_not_have_is_no_link() -> None:
    root = xml(body_graph(body(NESTED), id_prefix="x", link=lambda node: None))
    assert not list(root.iter("a"))
    assert len(with_class(root, "is-node")) == 10


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("y = Pow (x, two) two = Constant <value: tensor = float {2}> ()", ("Pow", "(·, 2.0)")),
        (
            "two = Constant <value: tensor = int64[2] {1, -1}> () y = Reshape (x, two)",
            ("Reshape", "(·, [1, -1])"),
        ),
        (
            'w = Constant <value_string = "a"> () y = Foo <k = 1, m = "b"> (x, w)',
            ("Foo", '(·, "a")', 'k = 1, m = "b"'),
        ),
        ("y = Foo <k: int = @axis> (x)", ("Foo", "k = @axis")),
        ("c = Constant <value: tensor = float[1,1] {2}> () y = Add (x, c)", ("Add", "(·, float[1,1] {2.0})")),
    ],
)
def test_lines_of_a_node(statement: str, lines: tuple[str, ...]) -> None:
    function = body(f'<domain: "", opset_import: ["" : 22]> F <axis>(x) => (y) {{ {statement} }}')
    (diagram,) = diagrams(function)
    assert [box.lines for box in diagram.boxes if box.kind is BoxKind.NODE] == [lines]


def test_a_long_constant_with_several_uses_is_a_box() -> None:
    long = ", ".join(["100"] * 9)
    function = body(
        '<domain: "", opset_import: ["" : 22]> F (x) => (y, z) '
        f"{{ c = Constant <value_ints = [{long}]> () y = A (x, c) z = B (x, c) }}"
    )
    (diagram,) = diagrams(function)
    assert [box.lines for box in diagram.boxes if box.kind is BoxKind.NODE] == [
        ("Constant", f"[{long}]"),
        ("A",),
        ("B",),
    ]


def test_an_input_that_nothing_uses_stands_at_the_top() -> None:
    (diagram,) = diagrams(
        body('<domain: "", opset_import: ["" : 22]> F (x, unused) => (y) { t = A (x) y = B (t) }')
    )
    layout = layout_of(diagram)
    tops = {box.lines[0]: at.y for box, at in zip(diagram.boxes, layout.boxes, strict=True)}
    assert tops["unused"] < tops["A"]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        pytest.param(lambda: chain(MAX_NODES), True, id="as large as can be"),
        pytest.param(lambda: chain(MAX_NODES + 1), False, id="too large"),
        pytest.param(lambda: chain(2, "v{next} = Add (v{this}, v2)"), False, id="in a circle"),
        pytest.param(lambda: function("F"), False, id="no message"),
        pytest.param(lambda: chain(0), False, id="no node"),
    ],
)
def test_when_a_body_has_a_picture(make: Callable[[], Function], expected: bool) -> None:
    assert bool(body_graph(make(), id_prefix="x", link=link)) is expected


def test_no_picture_without_the_layout_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "graphlay", None)
    assert body_graph(replace(body(NESTED), name="Other"), id_prefix="x", link=link) == ""


def test_names_of_values_may_be_anything() -> None:
    text = HOSTILE.replace('"', "'").replace("\x01", "")
    hostile = body(f'<domain: "", opset_import: ["" : 22]> F ("{text}") => (y) {{ y = Neg ("{text}") }}')
    picture = body_graph(hostile, id_prefix="x", link=link)
    assert len(picture) < 3_000
    assert not list(xml(picture).iter("script"))


def test_edges_into_and_out_of_a_box_end_at_its_border() -> None:
    sizes = [Size(40, 24, None), Size(1, 1, None), Size(40, 24, 1), Size(40, 24, None)]
    layout = place(sizes, [(0, 1), (1, 3)])
    assert layout
    outer = layout.boxes[1]
    assert layout.edges[0][-1][1] == outer.y
    assert layout.edges[1][0][1] == outer.y + outer.height


def test_pictures_are_the_same_in_every_run() -> None:
    script = (
        "import hashlib, sys; from opsetdocs.bodies import parse_body;"
        "from opsetdocs.pictures import body_graph;"
        "text = body_graph(parse_body(sys.stdin.read()), id_prefix='x', link=lambda node: node.op_type);"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", script], input=NESTED, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(runs) == 1
