"""From the Markdown of doc_strings to HTML: the only place that turns untrusted text into markup.

A text passes through four lists, each read from top to bottom: `_TEXT_STAGES` mends the text, `_SYNTAX`
changes what markdown-it-py understands, `_CORE_RULES` works on the parsed tokens, `_RENDER_RULES` writes
them. Raw HTML is off: whatever a text says, the only elements that come out are those of CommonMark, tables
and MathML, without a style or an event handler.

The same text stands on several pages, so its HTML is made once and belongs to none: the ids in it and the
links to pages of our own are marked by control characters, which no text can contain, until `Rendered.place`
fills them in.
"""

from __future__ import annotations

import functools
import hashlib
import html
import os.path
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

import nh3
from markdown_it import MarkdownIt, rules_block, rules_inline
from markdown_it.common.utils import escapeHtml, unescapeAll
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.emphasis import tokenize as commonmark_emphasis
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import format as format_tokens
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_all_lexers, get_lexer_by_name
from pygments.token import Name, Operator, Punctuation, Text, Whitespace

from opsetdocs import python_code
from opsetdocs.docstring import MAX_TEXT
from opsetdocs.site import Heading

SCHEMES = frozenset({"http", "https", "mailto"})
"""The schemes that a link may have."""

MAX_FORMULA = 1_000
"""The greatest length of a formula that is typeset; a longer one is shown as its source."""

MAX_MARKS = 500
"""The greatest number of marks of one kind, such as dollar signs, for which a text is searched."""

MAX_HIGHLIGHTED = 20_000
"""The greatest length of code that is highlighted, in a language whose time grows with the length alone."""

MAX_HIGHLIGHTED_SLOWLY = 1_000
"""The greatest length of code that is highlighted in other languages: for hostile code Pygments takes time
that grows with the square of it."""

MAX_SUMMARY = 300
"""The greatest length of a summary."""

MAX_INDENT = 40
"""The greatest indentation that is kept for a line of a paragraph."""

LIGHT_STYLE = "xcode"
"""The style of Pygments whose contrast on #f5f5f5 is at least 4.5 to 1."""

DARK_STYLE = "lightbulb"
"""The style of Pygments whose contrast on #1e1e1e is at least 4.5 to 1."""

_ID = "\x01"
_ADDRESS = "\x02"
_ADDRESSES = re.compile(f"{_ADDRESS}([^{_ADDRESS}]*){_ADDRESS}")
_INDENT = "\N{NO-BREAK SPACE}"


# What comes out


def internal(address: str) -> str:
    """Return a page of our own as a link target: `Rendered.place` makes it relative to the page it stands on.

    Args:
        address: The page's address, such as `ai.onnx/operators/Conv/`, with or without a fragment.
    """
    page, mark, fragment = address.partition("#")
    return f"{_ADDRESS}{page}{_ADDRESS}{mark}{fragment}"


def located(target: str, url: Callable[[str], str]) -> str:
    """Return a link target, which may be one of `internal`, as it is written on one page.

    Args:
        target: The target.
        url: Turns the address of a page of our own into a link target for this page.
    """
    return _ADDRESSES.sub(lambda match: url(match[1]), target)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text as HTML that belongs to no page yet."""

    html: Markup
    """The HTML, with marked ids and addresses; `place` gives what can be published."""
    headings: tuple[Heading, ...] = ()
    """The headings of the text; their ids lack the page's prefix, their titles are not escaped."""
    unresolved: tuple[str, ...] = ()
    """The targets of relative links that lead nowhere and so are shown as text, in order."""
    problem: str = ""
    """Why the text is shown as it was written and not as Markdown; empty where it is not."""

    def place(self, id_prefix: str, url: Callable[[str], str]) -> Markup:
        """Return the HTML for one place on one page.

        Args:
            id_prefix: What every id begins with, before a dot; unique on the page.
            url: Turns the address of a page of our own into a link target for this page.
        """
        text = str(self.html)
        if _ID in text:
            text = text.replace(_ID, str(escape(f"{id_prefix}.")))
        if _ADDRESS in text:
            text = _ADDRESSES.sub(lambda match: str(escape(url(html.unescape(match[1])))), text)
        return Markup(text)  # noqa: S704 - escaped in all its parts


# The text before it is parsed


def _unify_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


_CONTROLS: dict[int, str | None] = dict.fromkeys((*range(0x20), 0x7F, 0xFEFF))
_CONTROLS |= {ord(character): " " for character in "\v\f"}
del _CONTROLS[ord("\t")], _CONTROLS[ord("\n")]


def _drop_controls(text: str) -> str:
    """Drop byte order marks and control characters: they mean nothing, and two of them are our own marks."""
    return text.translate(_CONTROLS)


# A line that holds nothing but a break is often not indented where all others are (ai.onnx.ml.Normalizer-1).
_MARGIN = re.compile(r"^[ \t]*(?=\S)(?!<br */?>[ \t]*$)", re.MULTILINE | re.IGNORECASE)


def _dedent(text: str) -> str:
    """Take away the indentation that all lines share, left over from C++ raw strings."""
    margin = os.path.commonprefix(_MARGIN.findall(text))  # noqa: RUF071 - of characters, indeed
    return re.sub(f"^{margin}", "", text, flags=re.MULTILINE) if margin else text


_TEXT_STAGES: tuple[Callable[[str], str], ...] = (
    _unify_line_ends,
    _drop_controls,
    _dedent,
)


# What markdown-it-py understands


class _Parser(MarkdownIt):
    """markdown-it-py with our rule of what a link may lead to; any other link stays the text that it was."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the names are markdown-it-py's
        return is_allowed(url)

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        # It decodes percent signs: the text of `<https://x/%01>` would hold one of our marks.
        return _drop_controls(super().normalizeLinkText(link))


def is_allowed(url: str) -> bool:
    """Whether a link may have this target: a relative one, or one of a scheme that runs nothing.

    An address of the web has to name its host. Without one, `https:x` means different things to different
    programs, and a browser opens a blank page.
    """
    first_segment = re.split(r"[/?#]", url, maxsplit=1)[0]
    scheme, colon, _ = first_segment.partition(":")
    if not colon:
        return not url.startswith("//")
    return scheme.lower() in SCHEMES and (scheme.lower() == "mailto" or _names_a_host(url))


def _names_a_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:  # the port is no number, or the brackets of an IPv6 address are not in order
        return False
    return bool(host)


def _use_tables(md: MarkdownIt) -> None:
    md.enable("table")


def _use_linkify(md: MarkdownIt) -> None:
    """Link bare URLs; without fuzzy matching, which takes `input.In` for a host."""
    md.enable("linkify")
    md.options["linkify"] = True
    if md.linkify is not None:
        md.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})


def _use_math(md: MarkdownIt) -> None:
    dollarmath_plugin(
        md,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
        double_inline=True,
    )


def _use_emphasis(md: MarkdownIt) -> None:
    md.inline.ruler.at("emphasis", _emphasis)


def _emphasis(state: StateInline, silent: bool) -> bool:
    """CommonMark's rule, but for `*` as a sign of multiplication and as a wildcard.

    Inside a word `*` follows the rule of `_`, except beside scripts that put no space between words. It
    opens nothing after `_`, `)` or `]`. And `_` closes nothing before a `*` that closes nothing: `values_*`.
    """
    start, known = state.pos, len(state.delimiters)
    if not commonmark_emphasis(state, silent):
        return False
    before, after = state.src[start - 1 : start], state.src[state.pos : state.pos + 1]
    may_open = may_close = True
    if state.src[start] == "_":
        near = state.delimiters[max(0, known - 32) : known]
        may_close = after != "*" or any(item.marker == ord("*") and item.open for item in near)
    else:
        if not _is_wide(before) and not _is_wide(after):
            may_open, may_close, _ = state.scanDelims(start, False)
        may_open = may_open and before not in ("_", ")", "]")
    for delimiter in state.delimiters[known:]:
        delimiter.open = delimiter.open and may_open
        delimiter.close = delimiter.close and may_close
    return True


def _is_wide(character: str) -> bool:
    """Whether a character is of a script such as Chinese, Japanese or Korean."""
    return bool(character) and unicodedata.east_asian_width(character) in ("W", "F")


def _use_kept_lines(md: MarkdownIt) -> None:
    md.block.ruler.at("paragraph", _paragraph)
    md.inline.ruler.at("newline", _newline)


_LINE_START = re.compile(r"\n([ \t]*)")


def _paragraph(state: StateBlock, start: int, end: int, silent: bool = False) -> bool:
    """CommonMark's paragraph, with continuation lines measured from the first one.

    A line that is set two spaces or more deeper than the text around the paragraph keeps its break; in the
    content it begins with two spaces, and those by which it is deeper than the paragraph's first line.
    """
    found = rules_block.paragraph(state, start, end, silent)
    if found and not silent:
        depth = max(0, state.sCount[start] - state.blkIndent)

        def measure(match: re.Match[str]) -> str:
            spaces = len(match[1].expandtabs(4))
            return "\n" + " " * (max(0, spaces - depth) + 2) if spaces >= 2 else match[0]

        inline = state.tokens[-2]
        inline.content = _LINE_START.sub(measure, inline.content)
    return found


def _newline(state: StateInline, silent: bool) -> bool:
    """CommonMark's line break, but a line that is set deeper keeps its break and its indentation."""
    start = state.pos
    if not rules_inline.newline(state, silent):
        return False
    if not silent and (_deeper(state.src, start) or _deeper(state.src, state.src.rfind("\n", 0, start))):
        state.tokens[-1].type = "hardbreak"
        state.pending += _indentation(state.src, start)
    return True


def _deeper(content: str, newline: int) -> int:
    """Return the indentation of the line after a newline, if that line keeps its break; else 0."""
    match = _LINE_START.match(content, newline) if newline >= 0 else None
    return len(match[1]) if match and len(match[1]) >= 2 else 0


def _indentation(content: str, newline: int) -> str:
    """Return what shows the indentation of a line that keeps its break; empty for any other line."""
    return _INDENT * min(MAX_INDENT, _deeper(content, newline) - 2)


def _use_tags(md: MarkdownIt) -> None:
    md.inline.ruler.before("autolink", "tags", _tags)
    md.inline.ruler2.after("emphasis", "tags", _pair_tags)


_BREAK = re.compile(r"<br */?>[ \t]*\n?", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(b|i|em|strong|sub|sup)>", re.IGNORECASE)


def _tags(state: StateInline, silent: bool) -> bool:
    """The few HTML tags that mean the same without attributes; a line break in any spelling."""
    if state.src[state.pos] != "<":
        return False
    if match := _BREAK.match(state.src, state.pos, state.posMax):
        if not silent:
            state.push("hardbreak", "br", 0)
            if match[0].endswith("\n"):
                state.pending += _indentation(state.src, match.end() - 1)
        state.pos = match.end()
        while state.pos < state.posMax and state.src[state.pos] in " \t":
            state.pos += 1
        return True
    if match := _TAG.match(state.src, state.pos, state.posMax):
        if not silent:
            token = state.push("tag", match[2].lower(), 0)
            token.content, token.markup = match[0], match[1]
        state.pos = match.end()
        return True
    return False


def _pair_tags(state: StateInline) -> None:
    """Make elements of the tags that are properly nested; the others are text."""
    opened: list[Token] = []
    for token in state.tokens:
        if token.nesting == 1 or (token.type == "tag" and not token.markup):
            opened.append(token)
        elif token.nesting == -1:
            while opened and opened.pop().type == "tag":
                pass
        elif token.type == "tag" and opened and (opened[-1].type, opened[-1].tag) == ("tag", token.tag):
            opener = opened.pop()
            opener.type, opener.nesting, opener.content = "tag_open", 1, ""
            token.type, token.nesting, token.content = "tag_close", -1, ""
    for token in state.tokens:
        if token.type == "tag":
            token.type, token.tag = "text", ""


_SYNTAX: tuple[Callable[[MarkdownIt], None], ...] = (
    _use_tables,
    _use_linkify,
    _use_emphasis,
    _use_kept_lines,
    _use_tags,
    _use_math,
)


# What is done with the parsed tokens


@dataclass(slots=True)
class _Job:
    """A text in hand: what the rules need to know, and what they find."""

    resolve: Callable[[str, str], str | None]
    operator: Callable[[str, str], str | None]
    remote_images: bool
    domain: str
    own: frozenset[str]
    heading_level: int
    first_paragraph: bool = False
    """Whether nothing but the first paragraph is wanted."""
    headings: list[Heading] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    """Each id of the text, and how often headings have asked for it."""
    unresolved: list[str] = field(default_factory=list)


class _TooDeep(Exception):  # noqa: N818 - it never leaves this module
    """A text is nested so deep that markdown-it-py would leave some of it out."""


def _job(state: StateCore) -> _Job:
    job: _Job = state.env["job"]
    return job


def _check_depth(state: StateCore) -> None:
    deepest = state.md.options["maxNesting"] - 1
    for token in state.tokens:
        if token.level >= deepest and token.type in ("blockquote_open", "list_item_open"):
            raise _TooDeep(f"it is nested more than {deepest} levels deep")


def _keep_first_paragraph(state: StateCore) -> None:
    """Where nothing else is needed, keep the first paragraph; one in a list only if there is no other."""
    if not _job(state).first_paragraph:
        return
    paragraphs = [index for index, token in enumerate(state.tokens) if token.type == "paragraph_open"]
    first = min(paragraphs, key=lambda index: (state.tokens[index].level > 0, index), default=None)
    state.tokens = [] if first is None else state.tokens[first : first + 3]


def _place_headings(state: StateCore) -> None:
    """Move headings below those of the page, and give them ids that depend on their words alone."""
    job = _job(state)
    for index, token in enumerate(state.tokens):
        if token.type != "heading_open":
            continue
        level = min(6, int(token.tag[1:]) + job.heading_level - 1)
        title = " ".join(_plain(state.tokens[index + 1].children or ()).split())
        slug = _unused(_slug(title), job.ids)
        token.tag = state.tokens[index + 2].tag = f"h{level}"
        token.attrSet("id", _ID + slug)
        if title:
            job.headings.append(Heading(level, slug, title))


def _slug(title: str) -> str:
    """Return the words of a title, lower-case and joined by `-`, in any script; a hash where it has none."""
    kept = (
        character if character == "_" or unicodedata.category(character)[0] in "LMN" else " "
        for character in unicodedata.normalize("NFC", title).lower()
    )
    slug = "-".join("".join(kept).split())
    if any(character.isalnum() for character in slug):
        return slug
    return hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _unused(slug: str, ids: dict[str, int]) -> str:
    """Return the id, or where it is taken the id with the next free number, and take it."""
    candidate, number = slug, ids.get(slug, 0)
    while candidate in ids:
        number += 1
        candidate = f"{slug}-{number}"
    ids[slug] = max(number, 1)
    ids[candidate] = ids.get(candidate, 1)
    return candidate


def _place_links(state: StateCore) -> None:
    """Decide where links, pictures and names of operators lead."""
    job = _job(state)
    heading = False
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            heading = token.nesting == 1
        elif token.type == "inline":
            token.children = list(_linked(token.children or (), job, heading))


def _linked(children: Sequence[Token], job: _Job, heading: bool) -> Iterator[Token]:
    kept: list[bool] = []
    for token in children:
        if token.type == "link_open":
            target = None if any(kept) else _target(str(token.attrGet("href") or ""), job)
            kept.append(target is not None)
            if target is not None:
                token.attrSet("href", target)
                yield token
        elif token.type == "link_close":
            if kept.pop():
                yield token
        elif token.type == "image":
            yield from _picture(token, job, linked=any(kept))
        elif token.type == "code_inline" and not heading and not any(kept):
            yield from _operator_name(token, job)
        else:
            yield token


def _target(href: str, job: _Job) -> str | None:
    """Return where a link leads, or `None` if that is nowhere."""
    if href.startswith("#"):
        fragment = unquote(href[1:])
        target = next((f"#{_ID}{slug}" for slug in (fragment, _slug(fragment)) if slug in job.ids), None)
    elif is_absolute(href):
        target = href
    else:
        target = job.resolve(href, job.domain)
        if target is not None and not is_allowed(target):
            target = None
    if target is None:
        job.unresolved.append(href)
    return target


def is_absolute(url: str) -> bool:
    """Whether an allowed target names a scheme."""
    return ":" in re.split(r"[/?#]", url, maxsplit=1)[0]


def _picture(token: Token, job: _Job, *, linked: bool) -> Iterator[Token]:
    """Return a picture; one on another host as a link to it, unless such pictures are to be shown."""
    target = _target(str(token.attrGet("src") or ""), job)
    words = token.content if token.children is None else _plain(token.children)
    if target is None or (linked and is_absolute(target) and not job.remote_images):
        yield _text(words or str(token.attrGet("src") or ""))
    elif is_absolute(target) and not job.remote_images:
        yield from _link(target, _text(words or target))
    else:
        token.children = [_text(words)]
        token.attrSet("src", target)
        token.attrSet("loading", "lazy")
        yield token


def _operator_name(token: Token, job: _Job) -> Iterator[Token]:
    address = None if token.content in job.own else job.operator(token.content, job.domain)
    if address is None:
        yield token
    else:
        yield from _link(internal(address), token)


def _link(target: str, content: Token) -> Iterator[Token]:
    yield Token("link_open", "a", 1, attrs={"href": target})
    yield content
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _place_cells(state: StateCore) -> None:
    """Say alignment by a class, and give header cells their scope; one without words is no header."""
    for index, token in enumerate(state.tokens):
        if token.type not in ("th_open", "td_open"):
            continue
        style = str(token.attrs.pop("style", ""))
        if style:
            token.attrSet("class", f"opsetdocs-{style.removeprefix('text-align:')}")
        if token.type == "th_open" and state.tokens[index + 1].content:
            token.attrSet("scope", "col")
        elif token.type == "th_open":
            token.tag = state.tokens[index + 2].tag = "td"


_BLOCK_RULES: tuple[Callable[[StateCore], None], ...] = (
    _check_depth,
    _keep_first_paragraph,
)
"""What is done before the content of paragraphs and headings is parsed."""

_CORE_RULES: tuple[Callable[[StateCore], None], ...] = (
    _place_headings,
    _place_links,
    _place_cells,
)


# How tokens are written


def highlight(code: str, language: str = "") -> Markup:
    """Return a block of code, highlighted where its language is named and known, else as it was written.

    Args:
        code: The code.
        language: The name of its language, as Pygments knows it.
    """
    lexer = _lexer(language)
    if lexer is not None and len(code) > _HIGHLIGHTED[lexer.name]:
        lexer = None
    # `nohighlight`: the themes mkdocs and readthedocs load a script that guesses at languages.
    inner = escapeHtml(code) if lexer is None else _coloured(code, lexer)
    block = f'<pre class="opsetdocs-code" tabindex="0"><code class="nohighlight">{inner}</code></pre>'
    return Markup(block)  # noqa: S704 - the code is escaped either way


def _coloured(code: str, lexer: Lexer) -> str:
    if lexer.name == "Python":
        return python_code.coloured(code, _HIGHLIGHT_CLASS)
    # Names and punctuation are most tokens and have no colour: without tags the page is half the size.
    tokens = ((Text if kind in _COLOURLESS else kind, value) for kind, value in lexer.get_tokens(code))
    html: str = format_tokens(tokens, _FORMATTER)
    return html


_COLOURLESS = frozenset((Name, Operator, Punctuation, Whitespace))
_HIGHLIGHT_CLASS = "opsetdocs-hl-"
_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True, classprefix=_HIGHLIGHT_CLASS)


_FAST = frozenset(
    {"Bash", "CMake", "Docker", "GLSL", "HLSL", "JSON", "Julia", "Python", "Python console session", "TOML"}
)
_SLOW = frozenset(
    {"Bash Session", "C", "C++", "CSS", "CUDA", "Diff", "Fortran", "Go", "HTML", "INI", "Java", "JavaScript"}
    | {"Protocol Buffer", "Rust", "TypeScript", "XML", "YAML"}
)
_HIGHLIGHTED = dict.fromkeys(_FAST, MAX_HIGHLIGHTED) | dict.fromkeys(_SLOW, MAX_HIGHLIGHTED_SLOWLY)
"""The languages that are highlighted, by the name that Pygments gives them, and up to which length of code.
Pygments has 500 more: for most of them somebody can write code that takes hours."""


@functools.cache
def _lexers() -> dict[str, str]:
    """Return the names of the languages that are highlighted, by all that they are called."""
    known = ((name, aliases) for name, aliases, *_ in get_all_lexers(plugins=False) if name in _HIGHLIGHTED)
    return {alias: name for name, aliases in known for alias in aliases}


@functools.lru_cache(maxsize=256)
def _lexer(language: str) -> Lexer | None:
    if language.lower() not in _lexers():
        return None
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


def highlight_css(scope: str = ".opsetdocs-code", style: str = LIGHT_STYLE) -> str:
    """Return the style rules for the classes in highlighted code.

    Args:
        scope: The selector of what the rules hold for.
        style: The name of a style of Pygments.
    """
    formatter: HtmlFormatter[str] = HtmlFormatter(style=style, classprefix=_HIGHLIGHT_CLASS)
    rules: list[str] = formatter.get_token_style_defs(scope)  # type: ignore[no-untyped-call]
    return "\n".join(rules) + "\n"


_MATH_ELEMENTS = frozenset(
    {"math", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom"}
    | {"mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable"}
    | {"mtd", "mtext", "mtr", "munder", "munderover", "none"}
)
_MATH_ATTRIBUTES = {
    "math": {"display", "xmlns"},
    "menclose": {"notation"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mn": {"mathvariant"},
    "mo": {"accent", "fence", "form", "lspace", "maxsize", "minsize", "movablelimits", "rspace", "stretchy"},
    "mover": {"accent"},
    "mspace": {"linebreak", "width"},
    "mstyle": {"displaystyle", "mathvariant", "scriptlevel"},
    "mtable": {"columnalign", "columnlines", "columnspacing", "displaystyle", "rowlines", "rowspacing"},
    "mtd": {"columnalign"},
    "mtext": {"mathvariant"},
    "munder": {"accentunder"},
}
_OPENING_TAG = re.compile(r"<[A-Za-z]")


@functools.lru_cache(maxsize=4_096)
def _formula(tex: str, *, block: bool) -> Markup:
    """Return a formula as MathML, or its source in code if it cannot be typeset whole.

    latex2mathml escapes nothing, so its output is cleaned. Where that takes out an element, the formula held
    markup of its own, and the reader is better served by the source.
    """
    # Here, since few texts have a formula.
    from latex2mathml.converter import convert

    try:
        raw = convert(tex, display="block" if block else "inline") if len(tex) <= MAX_FORMULA else ""
    except Exception:  # whatever a formula does to latex2mathml, recursion errors included
        raw = ""
    clean = nh3.clean(raw, tags=set(_MATH_ELEMENTS), attributes=_MATH_ATTRIBUTES, clean_content_tags=set())
    if not raw or len(_OPENING_TAG.findall(raw)) != len(_OPENING_TAG.findall(clean)):
        mark = "$$" if block else "$"
        return Markup("<code>{}</code>").format(f"{mark}{tex}{mark}")
    words = escape(" ".join(tex.split()))
    return Markup(clean.replace("<math", f'<math alttext="{words}"', 1))  # noqa: S704 - cleaned by nh3


_SCROLL = Markup('<div class="opsetdocs-scroll{}" tabindex="0" role="region" aria-label="{}">')

_Write = Callable[[Token], str]


def _write_code(token: Token) -> str:
    language = unescapeAll(token.info).split()[:1]
    return f"{highlight(token.content, *language)}\n"


def _write_table_open(_: Token) -> str:
    return f"{_SCROLL.format('', 'Table')}\n<table>\n"


def _write_table_close(_: Token) -> str:
    return "</table>\n</div>\n"


def _write_math(token: Token) -> str:
    formula = _formula(token.content.strip(), block=token.type != "math_inline")
    if token.type == "math_block":
        return f"{_SCROLL.format(' opsetdocs-math', 'Formula')}{formula}</div>\n"
    return f'<span class="opsetdocs-math">{formula}</span>'


_RENDER_RULES: dict[str, _Write] = {
    "code_block": _write_code,
    "fence": _write_code,
    "table_open": _write_table_open,
    "table_close": _write_table_close,
    "math_block": _write_math,
    "math_inline": _write_math,
    "math_inline_double": _write_math,
}


@functools.cache
def _parser(*unused: str) -> MarkdownIt:
    """Return the parser without some of its rules; it keeps nothing of a text, so that all texts share it."""
    md = _Parser("commonmark", {"html": False, "xhtmlOut": False})
    for use in _SYNTAX:
        use(md)
    for rule in reversed(_BLOCK_RULES):
        md.core.ruler.after("block", rule.__name__, rule)
    for rule in _CORE_RULES:
        md.core.ruler.push(rule.__name__, rule)
    for name, write in _RENDER_RULES.items():
        md.add_render_rule(name, _render_rule(write))
    return md.disable(unused)


def _cells(text: str) -> int:
    """Return the most cells that the tables of a text can have, in hundreds; short rows are filled up."""
    return max(line.count("|") for line in text.split("\n")) * text.count("\n") // 100


# What takes markdown-it-py quadratic time, in some version or in all, and the marks that bring it about.
# Where there are too many of them, the rules are left out, and the marks are text.
_COSTLY: tuple[tuple[tuple[str, ...], Callable[[str], int]], ...] = (
    (("linkify",), lambda text: text.count("://")),
    (("math_inline", "math_block"), lambda text: text.count("$")),
    (("reference",), lambda text: text.count("]:")),
    (("table",), _cells),
)


def _parser_for(text: str) -> MarkdownIt:
    return _parser(*_unused_rules(text))


def _unused_rules(text: str) -> Iterator[str]:
    if "://" not in text and "mailto:" not in text.lower():
        yield "linkify"  # Nothing to link, and to look for it takes a quarter of the time.
    yield from (rule for rules, count in _COSTLY if count(text) > MAX_MARKS for rule in rules)


def _render_rule(write: _Write) -> Callable[..., str]:
    def render(_self: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
        return write(tokens[index])

    return render


# Links alone


class _LinkFinder(_Parser):
    """The same parser, to which a link is one wherever it leads."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802
        return True


@functools.cache
def _link_finder(*unused: str) -> MarkdownIt:
    md = _LinkFinder("commonmark", {"html": False})
    for use in _SYNTAX:
        use(md)
    return md.disable(("linkify", *unused))


def link_targets(text: str) -> tuple[str, ...]:
    """Return the targets of the links and pictures in a text, in order, also of those that are refused.

    Bare addresses are not among them, and a text that cannot be read as Markdown has none.
    """
    if len(text) > MAX_TEXT:
        return ()
    text = _mend(text)
    try:
        tokens = _link_finder(*_unused_rules(text)).parse(text)
    except Exception:  # `render` reports it
        return ()
    inner = (child for token in tokens for child in token.children or ())
    return tuple(
        str(token.attrGet("href") or token.attrGet("src") or "")
        for token in inner
        if token.type in ("link_open", "image")
    )


# Summaries


_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?=\s+(?![\sa-z])|\s*\Z)|[。！？]+[」』）]*")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|fig|eq|resp|approx)\.\Z", re.IGNORECASE)
_BREAKS = ("softbreak", "hardbreak")


def _visible(token: Token) -> str:
    """Return the plain text of an inline token; of a picture its words."""
    if token.type in _BREAKS:
        return " "
    if token.type == "image":
        return _plain(token.children or ())
    return token.content


def _plain(tokens: Sequence[Token]) -> str:
    return "".join(_visible(token) for token in tokens)


def _first_sentence(children: Sequence[Token]) -> Iterator[Token]:
    """Return the first sentence without links, pictures and line breaks, and with every element closed."""
    tokens = [token for token in children if token.type not in ("link_open", "link_close")]
    rest, whole = _sentence_length(tokens)
    opened: list[Token] = []
    for token in tokens:
        if rest <= 0 and token.nesting != -1:
            break
        if token.nesting == 1:
            opened.append(token)
        elif token.nesting == -1:
            opened.pop()
        words = _visible(token)
        if token.type in ("text", "image", *_BREAKS):
            yield _text(words[:rest].replace(_INDENT, " "))
        elif len(words) <= rest:
            yield token
        rest = max(0, rest - len(words))
    if not whole:
        yield _text("…")
    for token in reversed(opened):
        yield Token(token.type.replace("_open", "_close"), token.tag, -1)


def _sentence_length(tokens: Sequence[Token]) -> tuple[int, bool]:
    """Return the length of the first sentence, as far as there is room for it, and whether that is all."""
    words = "".join(
        _visible(token) if token.type in ("text", *_BREAKS) else "x" * len(_visible(token))
        for token in tokens
    )[: MAX_SUMMARY + 1]
    for match in _SENTENCE_END.finditer(words):
        if not _ABBREVIATION.search(words[: match.end()]) and match.end() <= MAX_SUMMARY:
            return match.end(), True
    if len(words) <= MAX_SUMMARY:
        return len(words), True
    return max(words.rfind(" "), 1), False


# The whole way


def _nowhere(_target: str, _domain: str) -> str | None:
    return None


class Renderer:
    """Turns texts into HTML, each one once for all the pages of a site.

    Args:
        resolve: Where a relative link leads, given the link and the domain of the text: an absolute URL, a
            page of our own as `internal` gives it, or `None` for nowhere.
        operator: The address of the operator that a word in code names, given the word and the domain of the
            text; `None` if it names none.
        remote_images: Whether pictures on other hosts are shown; otherwise they become links.
    """

    def __init__(
        self,
        *,
        resolve: Callable[[str, str], str | None] = _nowhere,
        operator: Callable[[str, str], str | None] = _nowhere,
        remote_images: bool = False,
    ) -> None:
        self._resolve = resolve
        self._operator = operator
        self._remote_images = remote_images
        self._rendered = functools.cache(self._render)

    def render(
        self, text: str, *, domain: str = "", own: frozenset[str] = frozenset(), heading_level: int = 2
    ) -> Rendered:
        """Return a text as HTML.

        Args:
            text: Markdown that nobody has to trust.
            domain: The domain of the operator set that the text is from, for `resolve` and `operator`.
            own: Names in code that are no links: of the operator that the text is about, and of its own
                attributes, inputs and outputs, which may be called like an operator.
            heading_level: The level that a heading of level 1 gets; deeper ones follow, down to 6.
        """
        return self._rendered(_parse_blocks, text, domain, own, heading_level)

    def inline(self, text: str, *, domain: str = "", own: frozenset[str] = frozenset()) -> Rendered:
        """Return a text as HTML that fits into a line or a table cell; an empty line becomes a line break.

        The arguments are those of `render`.
        """
        return self._rendered(_parse_inline, text, domain, own, 1)

    def summary(self, text: str) -> Markup:
        """Return the first sentence of the first paragraph as HTML for a line, without links."""
        tokens = _summarised(text)
        parser = _parser()
        return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - the renderer escapes

    def plain(self, text: str) -> str:
        """Return the same sentence as plain text, not escaped."""
        return " ".join(_plain(_summarised(text)).split())

    def _render(
        self, parse: _Parse, text: str, domain: str, own: frozenset[str], heading_level: int
    ) -> Rendered:
        text = _mend(text)
        if len(text) > MAX_TEXT:
            problem = f"a text of more than {MAX_TEXT:,} characters is not read as Markdown"
            return Rendered(highlight(text), problem=problem)
        parser = _parser_for(text)
        job = _Job(self._resolve, self._operator, self._remote_images, domain, own, heading_level)
        try:
            made = parser.renderer.render(parse(parser, text, job), parser.options, {})
        except Exception as error:  # a text that the parser cannot take is shown as it was written
            reason = str(error) or type(error).__name__
            return Rendered(highlight(text), problem=f"the text cannot be read as Markdown: {reason}")
        return Rendered(Markup(made), tuple(job.headings), tuple(job.unresolved))  # noqa: S704 - the renderer escapes


@functools.lru_cache(maxsize=16_384)
def _summarised(text: str) -> tuple[Token, ...]:
    """Return the first sentence, which is the same wherever links lead: it has none."""
    if len(text) > MAX_TEXT:
        return (_text(_beginning(text)),)
    text = _mend(text)
    # A paragraph ends where a line is empty. Most texts are many times as long as what is wanted of them.
    end = text.find("\n\n", MAX_SUMMARY) if "]:" not in text else -1
    for part in (text[:end], text) if end > 0 else (text,):
        try:
            tokens = _first_paragraph(part)
        except Exception:  # `render` reports it
            return (_text(_beginning(text)),)
        if tokens and not tokens[0].level:
            break
    return tuple(_first_sentence(tokens[1].children or ())) if tokens else ()


def _first_paragraph(text: str) -> Sequence[Token]:
    job = _Job(
        _nowhere,
        _nowhere,
        remote_images=False,
        domain="",
        own=frozenset(),
        heading_level=1,
        first_paragraph=True,
    )
    return _parse_blocks(_parser_for(text), text, job)


def _beginning(text: str) -> str:
    """Return the first words of a text that is not read as Markdown."""
    words = textwrap.shorten(text[: 2 * MAX_SUMMARY], MAX_SUMMARY, placeholder="")
    return f"{words}…"


_Parse = Callable[[MarkdownIt, str, _Job], Sequence[Token]]


def _mend(text: str) -> str:
    return functools.reduce(lambda mended, stage: stage(mended), _TEXT_STAGES, text)


def _parse_blocks(parser: MarkdownIt, text: str, job: _Job) -> Sequence[Token]:
    return parser.parse(text, {"job": job})


def _parse_inline(parser: MarkdownIt, text: str, job: _Job) -> Sequence[Token]:
    tokens: list[Token] = []
    for part in re.split(r"\n[ \t]*(?:\n[ \t]*)+", text.strip()):
        if tokens:
            tokens.append(Token("hardbreak", "br", 0))
        tokens.extend(parser.parseInline(part, {"job": job}))
    return tokens
