"""Text to HTML: made examples, the CommonMark specification, every text of ONNX, and the given cases."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

import markdown_it
import onnx
import onnx.defs
import pytest
from google.protobuf import text_format
from markdown_it import MarkdownIt
from onnx.onnx_operators_ml_pb2 import OperatorSetProto

from opsetdocs.docstring import MAX_TEXT
from opsetdocs.markdown import (
    DARK_STYLE,
    MAX_HIGHLIGHTED,
    MAX_HIGHLIGHTED_SLOWLY,
    MAX_SUMMARY,
    Rendered,
    Renderer,
    highlight,
    highlight_css,
    internal,
    is_allowed,
    link_targets,
)
from opsetdocs.site import Heading

HERE = Path(__file__).parent
CONV = "ai.onnx/operators/Conv/"

ATTRIBUTES = {
    "a": {"href", "title"},
    "code": {"class"},
    "div": {"aria-label", "class", "role", "tabindex"},
    "img": {"alt", "loading", "src", "title"},
    "ol": {"start"},
    "pre": {"class", "tabindex"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class", "scope"},
    **{f"h{level}": {"id"} for level in range(1, 7)},
}
PLAIN = {"b", "blockquote", "br", "em", "hr", "i", "li", "p", "strong", "sub", "sup", "ul"}
PLAIN |= {"table", "tbody", "thead", "tr"}
MATH = {"math", "mfrac", "mi", "mn", "mo", "mover", "mrow", "mspace", "msqrt", "mstyle", "mtext"}
MATH |= {"msub", "msubsup", "msup", "munder", "munderover"}
MATH_ATTRIBUTES = {
    "accent",
    "alttext",
    "display",
    "displaystyle",
    "movablelimits",
    "stretchy",
    "width",
    "xmlns",
}
EMPTY = {"br", "hr", "img"}
IN_LINE = {"a", "b", "code", "em", "i", "span", "strong", "sub", "sup"}


class Reader(HTMLParser):
    """Reads HTML as a browser does, and fails on anything that a text may not bring about."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        """What is seen; of a formula its source."""
        self._open: list[str] = []
        self.feed(str(html))
        self.close()
        assert not self._open, f"left open: {self._open}"

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        allowed = MATH_ATTRIBUTES if tag in MATH else ATTRIBUTES.get(tag, set())
        assert tag in ATTRIBUTES.keys() | PLAIN | MATH, f"<{tag}>"
        assert {name for name, _ in attrs} <= allowed, f"<{tag}> with {attrs}"
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self._open.append(tag)
        if tag == "math":
            self.text += dict(attrs)["alttext"] or ""
        elif tag not in IN_LINE | MATH:
            self.text += " "

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag
        if tag not in IN_LINE | MATH:
            self.text += " "

    def handle_data(self, data: str) -> None:
        if not set(self._open) & MATH:
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"<?{data}>")

    @property
    def tags(self) -> Counter[str]:
        return Counter(tag for tag, _ in self.elements)

    def values(self, tag: str, attribute: str) -> list[str | None]:
        return [attributes.get(attribute) for name, attributes in self.elements if name == tag]


def to_docs(href: str, _domain: str) -> str | None:
    return None if href.startswith("nowhere") else f"https://docs.example/{href}"


def to_conv(name: str, _domain: str) -> str | None:
    return CONV if name == "Conv" else None


RENDERER = Renderer()
LINKING = Renderer(resolve=to_docs, operator=to_conv)


def placed(rendered: Rendered) -> str:
    return str(rendered.place("page", lambda address: f"../../{address}"))


def read(text: str, renderer: Renderer = RENDERER) -> Reader:
    rendered = renderer.render(text)
    assert not rendered.problem
    return Reader(placed(rendered))


def sections(path: Path) -> Iterator[tuple[str, str]]:
    for block in re.split(r"^@@ ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = block.partition("\n")
        yield name, rest


# Made examples


@pytest.mark.parametrize(("name", "example"), list(sections(HERE / "markdown/syntax.txt")))
def test_syntax(name: str, example: str) -> None:
    text, html = example.split("@>\n")
    rendered = placed(LINKING.render(text))
    assert rendered == html
    Reader(rendered)


def test_a_heading_is_moved_by_the_level_that_is_asked_for() -> None:
    rendered = RENDERER.render("# A *b*\n\n##### Deep `x` & <y>\n\n#\n", heading_level=3)
    assert rendered.headings == (Heading(3, "a-b", "A b"), Heading(6, "deep-x-y", "Deep x & <y>"))
    assert Reader(placed(rendered)).tags == {"h3": 2, "em": 1, "h6": 1, "code": 1}


def test_place_fills_in_what_belongs_to_a_page() -> None:
    links = {"a.md": internal("x/operators/A/"), "b.md": internal("x/B/#x.B-1.input.X"), "c.md": internal("")}
    renderer = Renderer(resolve=lambda href, _domain: links[href])
    rendered = renderer.render("# T & t\n\n[a](a.md) [b](b.md) [c](c.md) [t](#t-t)")
    html = rendered.place('x.A-1"', lambda address: f"../?to={address or '.'}&<")
    assert '<h2 id="x.A-1&#34;.t-t">' in html
    assert Reader(html).values("a", "href") == [
        "../?to=x/operators/A/&<",
        "../?to=x/B/&<#x.B-1.input.X",
        "../?to=.&<",
        '#x.A-1".t-t',
    ]


def test_no_text_contains_the_marks_that_place_fills_in() -> None:
    text = (
        "\x01\x02a\x02 &#1; &#x2; `\x02b\x02` [c](https://c.example/%02d%02) <https://e.example/%01%02f%02>"
    )
    html = placed(RENDERER.render(text))
    assert "page." not in html
    assert "../../" not in html
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", html)


def test_the_same_text_is_rendered_once() -> None:
    asked: list[str] = []
    renderer = Renderer(resolve=lambda href, _domain: asked.append(href))
    first = renderer.render("[a](a.md)", domain="x")
    assert renderer.render("[a](a.md)", domain="x") is first
    assert asked == ["a.md"]
    renderer.render("[a](a.md)", domain="y")
    assert asked == ["a.md", "a.md"]


def test_resolve_is_told_the_domain_and_checked() -> None:
    answers = {
        "a": "javascript:alert(1)",
        "b": "//host.example",
        "c": "data:x",
        "d": "other/d.html",
        "e": None,
    }
    renderer = Renderer(resolve=lambda href, domain: f"https://{domain}/" if href == "f" else answers[href])
    rendered = renderer.render(" ".join(f"[{name}]({name})" for name in "abcdef"), domain="com.example")
    assert Reader(rendered.html).values("a", "href") == ["other/d.html", "https://com.example/"]
    assert rendered.unresolved == ("a", "b", "c", "e")


def test_remote_pictures_can_be_shown() -> None:
    renderer = Renderer(resolve=lambda href, _domain: internal(href), remote_images=True)
    html = placed(renderer.render('![a *b*](https://p.example/a.png "t") ![c](c.png) ![d](data:image/png,x)'))
    assert html == (
        '<p><img src="https://p.example/a.png" alt="a b" title="t" loading="lazy"> '
        '<img src="../../c.png" alt="c" loading="lazy"> ![d](data:image/png,x)</p>\n'
    )


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One *line*\nand `code`", "One <em>line</em>\nand <code>code</code>"),
        ("\n  First.\n\n\n  Second<br/>line", "First.<br>\nSecond<br>\nline"),
        ("a | b <T>", "a | b &lt;T&gt;"),
        ("# no heading\n- no list", "# no heading\n- no list"),
        ("see `Conv`", 'see <a href="../../ai.onnx/operators/Conv/"><code>Conv</code></a>'),
        ("[a](b.md)", '<a href="https://docs.example/b.md">a</a>'),
        ("", ""),
    ],
)  # fmt: skip
def test_inline(text: str, html: str) -> None:
    assert placed(LINKING.inline(text)) == html


@pytest.mark.parametrize(
    ("text", "html", "plain"),
    [
        ("One. Two.", "One.", "One."),
        ("One\nline, e.g. this, i.e. `a.b. C`. Two", "One line, e.g. this, i.e. <code>a.b. C</code>.",
         "One line, e.g. this, i.e. a.b. C."),
        ("# Title\n\n- item\n\nThe **first. Second** text", "The <strong>first.</strong>", "The first."),
        ("See [the *doc*](https://a.example). Or not.", "See the <em>doc</em>.", "See the doc."),
        ("Is it 1.5? Yes!", "Is it 1.5?", "Is it 1.5?"),
        ("A <b>b<br>c | `d|e`</b> & <T>", "A <b>b c | <code>d|e</code></b> &amp; &lt;T&gt;",
         "A b c | d|e & <T>"),
        ("See:\n  deep\nend", "See:   deep end", "See: deep end"),
        ("![a picture](https://a.example/b.png) here", "a picture here", "a picture here"),
        ("これは文です。次の文。", "これは文です。", "これは文です。"),
        ("- only\n- a list", "only", "only"),
        ("```\ncode\n```", "", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_summary(text: str, html: str, plain: str) -> None:
    assert LINKING.summary(text) == html
    assert LINKING.plain(text) == plain


def test_a_summary_has_an_end() -> None:
    summary = RENDERER.summary("**many words " * 200)
    assert summary.endswith("words…")
    assert len(summary) <= MAX_SUMMARY + 1
    assert RENDERER.summary("*" + "word " * 200 + "end*").endswith("word</em>…")


def test_code_is_highlighted_by_classes_of_our_own() -> None:
    html = highlight("# a < b\n\tx = 1", "python")
    classes = set(Reader(html).values("span", "class"))
    assert classes
    assert all(name and name.startswith("opsetdocs-hl-") for name in classes)
    assert Reader(html).text.strip() == "# a < b\n\tx = 1"
    assert highlight("a < b") == highlight("a < b", "no such language")
    assert ".scope .opsetdocs-hl-k " in highlight_css(".scope", DARK_STYLE)


@pytest.mark.parametrize(
    ("language", "piece", "length"),
    [
        ("python", "if ", MAX_HIGHLIGHTED),
        ("Bash", "if ", MAX_HIGHLIGHTED),
        ("c++", "if ", MAX_HIGHLIGHTED_SLOWLY),
        ("amdgpu", "s_endpgm ", 0),
        ("actionscript", "if ", 0),
    ],
)
def test_code_is_highlighted_up_to_the_length_that_its_language_allows(
    language: str, piece: str, length: int
) -> None:
    longest = piece * (length // len(piece))
    assert ("<span" in highlight(longest, language)) is bool(length)
    assert "<span" not in highlight(f"{longest}{piece}", language)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://x.example", True),
        ("HTTP://x.example:80/a:b?c#d", True),
        ("https://user@[::1]/", True),
        ("mailto:a@b.example", True),
        ("a/b:c", True),
        ("?a:b", True),
        ("#a:b", True),
        ("", True),
        ("https:x", False),
        ("https:/x", False),
        ("https:javascript:hit(1)", False),
        ("http://", False),
        ("http:///x", False),
        ("http://:80/", False),
        ("http://x:y/", False),
        ("http://x:99999/", False),
        ("http://[x/", False),
        ("//x.example", False),
        ("javascript:hit(1)", False),
        ("ftp://x.example", False),
    ],
)
def test_a_link_leads_to_a_host_or_a_place_of_the_site(url: str, expected: bool) -> None:
    assert is_allowed(url) is expected


def test_a_formula_that_cannot_be_typeset_is_shown_as_its_source() -> None:
    for tex in (r"\frac{", "x" * 5000, "{" * 900 + "}" * 900 + r"\frac", r"\text{<b>x</b>}"):
        reader = read(f"${tex}$")
        assert reader.tags == {"p": 1, "span": 1, "code": 1}
        assert reader.text.strip() == f"${tex}$"


# The specification of CommonMark

RULES = {
    "dedent": "the indentation that all lines share is left over from C++ raw strings",
    "kept line": "a continuation line that is set two spaces or more deeper keeps its break",
    "star": "`*` inside a word is multiplication; it opens nothing after `_`, `)` or `]`",
    "scheme": "a link leads to http, https, mailto or a relative target; any other one is text",
    "fragment": "a link to a heading that the text does not have is shown as text",
    "bare URL": "a bare URL is a link",
}
COMMONMARK = MarkdownIt("commonmark", {"xhtmlOut": False})
EXCEPTIONS = {
    int(name.split()[0]): (name.partition(" ")[2], html)
    for name, html in sections(HERE / "markdown/commonmark-exceptions.txt")
}


def has_raw_html(markdown: str) -> bool:
    tokens = COMMONMARK.parse(markdown)
    return any("html" in child.type for token in tokens for child in (token, *(token.children or ())))


EXAMPLES: dict[int, str] = {
    example["example"]: example["markdown"]
    for example in json.loads((HERE / "markdown/commonmark.json").read_text(encoding="utf-8"))["examples"]
    if not has_raw_html(example["markdown"])
}


@pytest.mark.skipif(markdown_it.__version__.startswith("3."), reason="it follows an older specification")
@pytest.mark.parametrize("number", EXAMPLES)
def test_commonmark(number: int) -> None:
    # What we add to every heading, block of code and picture is taken off; no example is about it.
    renderer = Renderer(resolve=lambda href, _domain: href, remote_images=True)
    html = str(renderer.render(EXAMPLES[number], heading_level=1).html)
    html = re.sub(r'(<h\d) id="[^"]*"', r"\1", html)
    html = re.sub(r'<pre class="opsetdocs-code" tabindex="0"><code class="nohighlight">', "<pre><code>", html)
    html = re.sub(r'<span class="opsetdocs-hl-\w+">|</span>| loading="lazy"', "", html)
    theirs = re.sub(r'<code class="language-[^"]*">', "<code>", COMMONMARK.render(EXAMPLES[number]))
    assert html == EXCEPTIONS.get(number, ("", theirs))[1]
    assert number not in EXCEPTIONS or html != theirs


def test_every_exception_has_a_rule_and_an_example() -> None:
    assert {rule for rule, _ in EXCEPTIONS.values()} == set(RULES)
    assert EXCEPTIONS.keys() <= EXAMPLES.keys()


# Every text of ONNX


def fields_of(schema: onnx.defs.OpSchema) -> Iterator[tuple[str, str]]:
    yield "doc", schema.doc or ""
    yield from ((f"attribute {name}", attribute.description) for name, attribute in schema.attributes.items())
    yield from ((f"input {value.name}", value.description) for value in schema.inputs)
    yield from ((f"output {value.name}", value.description) for value in schema.outputs)
    yield from ((f"type {value.type_param_str}", value.description) for value in schema.type_constraints)


TEXTS: dict[tuple[str, str], str] = {
    (f"{schema.domain or 'ai.onnx'}.{schema.name}-{schema.since_version}", field): text
    for schema in onnx.defs.get_all_schemas_with_history()
    for field, text in fields_of(schema)
}
DOCS = {name: text for (name, field), text in TEXTS.items() if field == "doc"}
KNOWN_ONNX = pytest.mark.skipif(onnx.__version__ != "1.23.2", reason="the counts are those of onnx 1.23.2")

# What is no word: the target of a link, a tag that is allowed, the language of code, the number of an item.
MARKUP = re.compile(r"(?<=\])\([^()\s]*\)|</?(?:br|i)\s*/?>|^ *```\w+|^ *\d+[.)] ", re.MULTILINE)
FENCE = re.compile(r"^ *```", re.MULTILINE)


def words(text: str) -> list[str]:
    """The runs of letters and digits; marks of Markdown, such as the underscore, are none."""
    return re.findall(r"[^\W_]+", text)


def test_every_word_of_onnx_is_shown_in_order() -> None:
    for where, text in TEXTS.items():
        rendered = LINKING.render(text, heading_level=3)
        assert not rendered.problem, where
        shown = iter(words(Reader(placed(rendered)).text))
        missing = [word for word in words(MARKUP.sub(" ", text).replace("`", "")) if word not in shown]
        assert not missing, where


def test_nothing_of_onnx_is_escaped_twice() -> None:
    for where, text in TEXTS.items():
        for html in (LINKING.render(text).html, LINKING.inline(text).html, LINKING.summary(text)):
            assert not re.search(r"&amp;(?:[a-z]+|#\d+);", html), where


def test_every_text_of_onnx_has_a_summary_of_plain_words() -> None:
    for where, text in DOCS.items():
        summary = Reader(LINKING.summary(text))
        assert not summary.tags.keys() & {"a", "br", "img", "p"}, where
        assert " ".join(summary.text.split()) == LINKING.plain(text), where
        assert bool(LINKING.plain(text)) == bool(text.strip()), where


def shown(name: str, field: str = "doc") -> str:
    return str(LINKING.render(TEXTS[name, field]).html)


HAZARDS = [
    # hazard, operator version, field, what must be there, what must not
    ("dedent", "OneHot-9", "doc", "<p>Produces a one-hot tensor", "<pre"),
    ("dedent", "ml.Scaler-1", "doc", "<p>Rescale input data", "<pre"),
    ("dedent, breaks alone", "ml.Normalizer-1", "doc", "<p>Normalize the input.", "<pre"),
    ("indented code", "ScatterND-11", "doc", "\n    output[tuple(indices[idx])] = updates[idx]\n</code>", ""),
    ("angle brackets", "Relu-6", "doc", "(Tensor&lt;T&gt;)", "<T"),
    ("angle brackets", "Dropout-1", "doc", "mask (Tensor&lt;bool&gt;)", "<bool"),
    ("angle brackets", "Shrink-9", "doc", "(Tensor&lt;numeric&gt;)", "<numeric"),
    ("real HTML", "ml.TreeEnsembleRegressor-3", "doc", "<i>_as_tensor</i>", "&lt;"),
    ("real HTML", "Resize-13", "attribute coordinate_transformation_mode", ", <br>\nx_original", "&lt;br"),
    ("star", "GRU-1", "doc", "alpha*Tanh(beta*x)", "<em>"),
    ("star", "BatchNormalization-9", "doc", "C*D1*D2 ..*Dn", "<em>"),
    ("star", "ml.LabelEncoder-2", "doc", "'keys_*' and\n'values_*'", "<em>"),
    ("star", "preview.training.Adam-1", "doc", "alpha**T&quot;/&quot;beta**T", "<strong>"),
    ("star", "Col2Im-18", "input input", "10*20 and block-size 9*18", "<em>"),
    ("underscore", "ml.LabelEncoder-4", "attribute default_tensor", "_Unused&quot;} if values_*", "<em>"),
    ("kept lines", "Pad-11", "doc", "<p>data =<br>\n[<br>\n\xa0\xa0\xa0\xa0[1.0, 1.2],<br>\n", ""),
    ("kept lines", "Mul-1", "doc", "B is a scalar tensor<br>\nshape(A)", ""),
    ("no list", "TopK-1", "doc", "<br>\n\xa0\xa0-Value tensor of shape", "<li>"),
    ("relative link", "Add-14", "doc", 'href="https://docs.example/Broadcasting.md"', ""),
    ("relative link", "BatchNormalization-9", "doc", 'href="https://docs.example/IR.md"', ""),
    ("bare URL", "BatchNormalization-9", "doc", '<a href="https://arxiv.org/abs/1502.03167">', '03167."'),
    ("table", "Cast-24", "doc", '<th scope="col">E4M3FN</th>', "|-"),
    ("math", "DFT-20", "doc", "<mo>∑</mo>", "$"),
    ("math", "Attention-23", "attribute scale", 'alttext="Q*K^T"', "$"),
    ("TeX without dollars", "Hardmax-1", "doc", r"input \in [a_0", "<math"),
    ("fence", "RotaryEmbedding-23", "doc", '<span class="opsetdocs-hl-k">def</span>', ""),
    ("fence", "AveragePool-11", "doc", '<code class="nohighlight">output_spatial_shape', "opsetdocs-hl"),
    ("picture", "AffineGrid-20", "doc", "|-------------------|------------------|\n-1    ", "<table"),
    ("list", "GRU-14", "doc", "<li><code>X</code> - input tensor</li>", ""),
    ("odd back-tick", "Slice-1", "attribute ends", "in axes`</p>", "<code>"),
]


@pytest.mark.parametrize(("hazard", "name", "field", "there", "not_there"), HAZARDS)
def test_hazard(hazard: str, name: str, field: str, there: str, not_there: str) -> None:
    where = (f"ai.onnx.{name}", field)
    if where not in TEXTS:
        pytest.skip(f"onnx {onnx.__version__} has no {name}")
    html = shown(*where)
    assert there in html, hazard
    assert not not_there or not_there not in html, hazard


def versions(holds: Callable[[str, str], object]) -> int:
    """The number of versions with a text for which something holds, given the text and its HTML."""
    return len({name for (name, field), text in TEXTS.items() if holds(text, shown(name, field))})


def tags(name: str) -> int:
    return sum(shown(*where).count(f"<{name}>") for where in TEXTS)


@KNOWN_ONNX
def test_hazards_are_counted() -> None:
    pre = '<pre class="opsetdocs-code" tabindex="0">'
    assert len(DOCS) == 659
    assert versions(lambda text, _: any(token.type == "code_block" for token in COMMONMARK.parse(text))) == 64
    assert versions(lambda text, html: html.count(pre) > len(FENCE.findall(text)) // 2) == 22
    assert versions(lambda _, html: re.search("&lt;(?:T|float|bool|numeric)&gt;", html)) == 66
    assert versions(lambda text, _: re.search("<(?:br|i)/?>", text)) == 28
    assert versions(lambda _, html: re.search("&lt;/?(?:br|i)/?&gt;", html)) == 0
    assert (tags("em"), tags("strong"), tags("i")) == (40, 86, 4)
    assert versions(lambda _, html: "<br>\n\xa0" in html) == 36
    assert versions(lambda _, html: "https://docs.example/Broadcasting.md" in html) == 62
    assert versions(lambda _, html: "https://docs.example/IR.md" in html) == 20
    assert versions(lambda _, html: re.search(r'<a href="([^"]*)">\1</a>', html)) == 73
    assert versions(lambda _, html: "<table>" in html) == 7
    assert versions(lambda text, _: "$" in text) == versions(lambda _, html: "<math " in html) == 7
    assert versions(lambda _, html: "opsetdocs-hl-" in html) == 1
    assert versions(lambda _, html: "<ul>" in html) == 46
    assert versions(lambda _, html: "<ol" in html) == 24
    assert versions(lambda _, html: "<img" in html) == 0


# The given cases


def docs(case: str) -> list[str]:
    """The doc_strings of a case: of its set, then of its operators in order."""
    (path,) = (HERE / "cases").glob(f"{case}-*.textproto")
    opset = text_format.Parse(path.read_text(encoding="utf-8"), OperatorSetProto())
    return [*filter(None, [opset.doc_string]), *(operator.doc_string for operator in opset.operator)]


def test_m1_breaks_and_code() -> None:
    reader = read(docs("M1")[0])
    assert reader.tags == {"p": 1, "br": 3, "code": 2, "em": 1}


def test_m2_paragraphs_and_code_keep_apart() -> None:
    reader = read(docs("M2")[0])
    assert (reader.tags["p"], reader.tags["pre"]) == (5, 4)
    assert "x = x_r * (n_o - 1) / (n_r - 1)\n" in reader.text


def test_m3_math_is_whole_and_prices_are_prices() -> None:
    reader = read(docs("M3")[0])
    assert reader.values("math", "alttext") == [
        "A_{i}, A_{i+1}",
        "a_{i} * b_{j} * c_{k}",
        r"y_{n} = \frac{x_{n} * (1 + erf(x_{n} / \sqrt{2}))}{2}",
    ]
    assert reader.values("math", "display") == ["inline", "inline", "block"]
    assert "It costs $5 and not $6." in reader.text
    assert not reader.tags["em"]


def test_m4_angle_brackets_are_seen() -> None:
    texts = docs("M4")
    assert [read(text).text.strip() for text in texts] == [text.strip() for text in texts]


def test_m5_summaries_fit_into_a_cell() -> None:
    first, second = docs("M5")
    assert RENDERER.summary(first) == "Takes a value and gives it back, or <code>a|b</code>, or a | b."
    assert RENDERER.summary(second) == "Starts with blank lines and ends late."


def test_m6_tables() -> None:
    reader = read(docs("M6")[0])
    assert reader.tags == {"p": 1, "div": 1, "table": 1, "thead": 1, "tbody": 1, "tr": 3, "th": 3, "td": 6}
    assert reader.values("td", "class") == [None, "opsetdocs-center", "opsetdocs-right"] * 2


def test_m7_lists_nest_by_two_spaces() -> None:
    html = placed(RENDERER.render(docs("M7")[0]))
    assert (
        "<p>Inputs are:</p>\n<ul>\n<li>data\n<ul>\n<li>of any type</li>\n<li>of rank 1 or more</li>\n" in html
    )
    assert "<ol>\n<li>first\n<ul>\n<li>nested</li>" in html


def test_m8_code_is_exactly_as_written() -> None:
    text = docs("M8")[0]
    code = text.split("```\n")[1]
    reader = read(text)
    assert code in reader.text
    assert reader.tags == {"p": 2, "pre": 1, "code": 1}


def test_m9_template_syntax_is_text() -> None:
    reader = read(docs("M9")[0])
    assert "Use {{ x }} and {% raw %} and {# note #}." in reader.text
    assert "key: {{ undefined_name | upper }}\n" in reader.text
    assert reader.values("math", "alttext") == [r"\{{a \mid b}\}"]


def test_m10_link_definitions_hold_for_their_own_text() -> None:
    old, new, other = (read(text) for text in docs("M10"))
    assert old.values("a", "href") == ["https://example.com/old"]
    assert new.values("a", "href") == ["https://example.com/new"]
    assert other.text.strip() == "An index like x[1] is not a link."


def test_m11_headings_stand_below_the_page() -> None:
    rendered = RENDERER.render(docs("M11")[0], heading_level=3)
    assert rendered.headings == (
        Heading(3, "overview", "Overview"),
        Heading(4, "inputs", "Inputs"),
        Heading(3, "old-style", "Old style"),
    )


def test_m12_common_indentation_goes() -> None:
    reader = read(docs("M12")[0])
    assert reader.tags == {"p": 2, "pre": 1, "code": 1}
    assert "code = True\n" in reader.text


def test_m13_front_matter_is_text() -> None:
    (of_set, of_operator) = docs("M13")
    assert words(read(of_set).text) == words(of_set)
    reader = read(of_operator)
    assert words(reader.text) == words(of_operator)
    assert reader.tags["hr"] == 2


def test_m14_braces_are_seen() -> None:
    rendered = RENDERER.render(docs("M14")[0])
    assert rendered.headings[0].title == "Shape {N, C}"
    assert [line for line in Reader(placed(rendered)).text.split() if "{" in line or "}" in line] == [
        "{N,", "C}", "{0,", "1}", "{linear}", "{cubic}",
    ]  # fmt: skip


def test_m15_colons_are_colons() -> None:
    text = docs("M15")[0]
    assert read(text).text.strip() == text.strip()


def test_s1_raw_html_is_text() -> None:
    for text in docs("S1"):
        reader = read(text)
        assert reader.tags.keys() <= {"p", "a"}  # a bare URL is a link
        assert reader.text.split() == text.split()


def test_s3_no_attribute_comes_out_of_a_text() -> None:
    reader = read(docs("S3")[0])
    assert reader.elements == [
        ("h3", {"id": "page.title-x-onclick-x"}),
        ("p", {}),
        ("p", {}),
        ("a", {"href": "https://example.com"}),
    ]
    assert 'Title {#x onclick="x()"}' in reader.text


def test_s5_pictures_of_other_hosts_are_links() -> None:
    text = docs("S5")[0]
    reader = read(text)
    assert (reader.tags["img"], reader.values("a", "href")) == (0, ["https://pictures.example/t.png"])
    assert reader.text.strip() == "A picture: chart"
    assert read(text, Renderer(remote_images=True)).values("img", "loading") == ["lazy"]


def test_t2_signs_of_any_script_are_kept() -> None:
    assert [read(text).text.strip() for text in docs("T2")] == [text.strip() for text in docs("T2")]


def test_t3_line_ends_make_no_difference() -> None:
    first, *others = (RENDERER.render(text) for text in docs("T3"))
    assert Reader(first.html).tags["table"] == 1
    assert others == [first, first]


def test_t4_ids_in_any_script_do_not_depend_on_order() -> None:
    rendered = RENDERER.render(docs("T4")[0])
    assert [heading.id for heading in rendered.headings][:2] == ["入力", "出力"]
    reverse = RENDERER.render("\n\n".join(f"## {heading.title}" for heading in reversed(rendered.headings)))
    assert {(item.id, item.title) for item in reverse.headings} == {
        (item.id, item.title) for item in rendered.headings
    }


def test_p1_one_escape() -> None:
    rendered = RENDERER.render(docs("P1")[1])
    assert rendered.headings[0].title == "Scale & Shift <fast>"
    assert "Scale &amp; Shift &lt;fast&gt;</h3>" in rendered.html
    assert 'Text about R&D, a < b and "quotes".' in Reader(placed(rendered)).text


def test_p2_ids_carry_what_the_page_says() -> None:
    ids = [
        Reader(RENDERER.render(text).place(f"com.example.Conv-{version}", str)).values("h3", "id")
        for version, text in enumerate(docs("P2"), start=1)
    ]
    assert ids == [[f"com.example.Conv-{n}.inputs", f"com.example.Conv-{n}.outputs"] for n in (1, 2, 3)]


def test_p4_relative_links_lead_somewhere_or_are_text() -> None:
    text = docs("P4")[0]
    rendered = RENDERER.render(text)
    assert rendered.unresolved == ("Broadcasting.md", "../docs/Syntax.md#x")
    reader = Reader(placed(rendered))
    assert reader.values("a", "href") == ["https://example.com/"]
    assert reader.text.strip() == "Supports broadcasting, see syntax and home."
    assert read(text, LINKING).tags["a"] == 3


def test_w11_names_of_operators_in_code_are_links() -> None:
    names = {name: f"com.example/operators/{name}/" for name in ("Conv", "ConvTranspose", "LogSoftmax")}
    renderer = Renderer(operator=lambda name, _domain: names.get(name))
    conv, transpose, _ = docs("W11")
    linked = Reader(renderer.render(conv, own=frozenset({"Conv"})).place("x", str))
    assert linked.values("a", "href") == [names["ConvTranspose"]]
    linked = Reader(renderer.render(transpose, own=frozenset({"ConvTranspose"})).place("x", str))
    assert linked.values("a", "href") == [names["Conv"], names["LogSoftmax"]]
    assert not read(conv).tags["a"]


def test_a2_a_wide_table_has_a_box_of_its_own() -> None:
    reader = read(docs("A2")[0])
    box = {"class": "opsetdocs-scroll", "tabindex": "0", "role": "region", "aria-label": "Table"}
    assert reader.elements[1:3] == [("div", box), ("table", {})]
    assert reader.tags["th"] == 12


# Text that is meant to hurt

PATHOLOGICAL = {
    **dict(zip(("R2 brackets", "R2 stars", "R2 quotes"), docs("R2"), strict=True)),
    "back-ticks": "`" * 20_000,
    "back-ticks of every length": "".join("`" * n + " " for n in range(1, 250)),
    "pictures": "![[[" * 5_000,
    "angles": "<" * 20_000,
    "tags": "<b>" * 5_000 + "</i>" * 5_000,
    "dollars": "$" * 20_000,
    "escaped dollars": "$" * 400 + r"\$" * 9_000,
    "formulas": "$$a\n# h\n" * 2_000,
    "links": "[a](" * 5_000,
    "nested links": "[a" * 300 + "](b)" * 300,
    "nested pictures": "![a" * 300 + "](b)" * 300,
    "definitions": "".join(f"[a{n}]: /u\n" for n in range(5_000)),
    "lists": "".join("  " * n + "- a\n" for n in range(200)),
    "numbers": "1. " * 5_000,
    "emphasis": "a**b" * 5_000 + "c* " * 5_000,
    "wildcards": "a_* " * 5_000,
    "URLs": "http://a." * 5_000,
    "schemes": "://" * 5_000,
    "cells": "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + "|\n" * 3_000,
    "headings": "## Inputs\n\n" * 3_000,
    "deeper and deeper": "a\n" + "\n".join(" " * n + "b" for n in range(1_500)),
    "entities": "&#" * 5_000,
    "fences": "```\n" * 5_000,
    "abbreviations": "e.g. " * 5_000,
    "white space": " " * 20_000 + "a" + "\t" * 20_000 + "\n" * 20_000 + "b",
    "lone surrogates": "# \ud800\n\n\udfff",
    "zero bytes": "a\0b" * 1_000,
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_no_text_is_too_much(name: str) -> None:
    text = PATHOLOGICAL[name]
    rendered = RENDERER.render(text)
    reader = Reader(placed(rendered))
    seen = iter(words(reader.text))
    if "](b)" not in text and name != "definitions":  # the target of a link is not seen
        assert not [word for word in words(text.replace("\0", "")) if word not in seen]
    Reader(placed(RENDERER.inline(text)))
    assert len(Reader(RENDERER.summary(text)).text) <= MAX_SUMMARY + 1


@pytest.mark.parametrize("name", ["R2 quotes", "lists", "numbers"])
def test_what_is_nested_too_deep_is_shown_as_it_was_written(name: str) -> None:
    rendered = RENDERER.render(PATHOLOGICAL[name])
    assert rendered.problem == "the text cannot be read as Markdown: it is nested more than 19 levels deep"
    reader = Reader(placed(rendered))
    assert reader.tags == {"pre": 1, "code": 1}
    assert reader.text.split() == PATHOLOGICAL[name].split()


def test_nine_lists_inside_each_other_are_rendered() -> None:
    reader = read("".join("  " * n + f"- item{n}\n" for n in range(9)))
    assert reader.tags["li"] == 9
    assert words(reader.text) == [f"item{n}" for n in range(9)]


def test_a_text_that_is_too_long_is_shown_as_it_was_written() -> None:
    longest = "# a\n" * (MAX_TEXT // 4)
    assert RENDERER.render(longest).headings
    text = f"{longest}[b](c)"
    for rendered in (RENDERER.render(text), RENDERER.inline(text)):
        assert rendered.problem == "a text of more than 200,000 characters is not read as Markdown"
        reader = Reader(placed(rendered))
        assert reader.tags == {"pre": 1, "code": 1}
        assert reader.text.strip() == text
    assert RENDERER.plain(text).startswith("# a # a")
    assert len(RENDERER.plain(text)) <= MAX_SUMMARY + 1
    assert link_targets(text) == ()
