"""Nothing that a file says runs, loads or breaks out: every payload in every text field, in every theme.

By default each theme gets a quarter of the payloads in Chromium, and all of them are looked at without a
browser. With OPSETDOCS_ALL_INJECTIONS each theme gets all of them, and every page is opened.
"""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from google.protobuf.message import Message
from markdown_it import MarkdownIt
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from playwright.sync_api import Browser, BrowserContext, Page

from fuzz.examine import live_markup
from opsetdocs import cli, schema
from opsetdocs.build import build_site
from opsetdocs.markdown import is_allowed
from opsetdocs.plain_text import inert
from opsetdocs.resources import templates_dir
from opsetdocs.rules import RULES
from opsetdocs.site import Site, SiteOptions
from payloads import PAYLOADS
from test_browser import serving

# What the themes load by themselves from other hosts is switched off: then no request to one is right.
THEMES = {
    "opsetdocs": {},
    "mkdocs": {"highlightjs": False},
    "readthedocs": {"highlightjs": False},
    "material": {"font": False},
}
ALL = bool(os.environ.get("OPSETDOCS_ALL_INJECTIONS"))
DOMAIN = "com.example"
CHUNK = 60
"""So many payloads share a site where all are opened: the nav names a domain for each of them."""

FIELDS = (
    "OperatorSetProto.ir_version_prerelease",
    "OperatorSetProto.ir_build_metadata",
    "OperatorSetProto.domain",
    "OperatorSetProto.doc_string",
    "OperatorProto.op_type",
    "OperatorProto.doc_string",
    "FunctionProto.name",
    "FunctionProto.overload",
    "FunctionProto.domain",
    "FunctionProto.input",
    "FunctionProto.output",
    "FunctionProto.attribute",
    "FunctionProto.doc_string",
    "AttributeProto.name",
    "AttributeProto.doc_string",
    "AttributeProto.ref_attr_name",
    "AttributeProto.s",
    "AttributeProto.strings",
    "NodeProto.op_type",
    "NodeProto.domain",
    "NodeProto.overload",
    "NodeProto.name",
    "NodeProto.input",
    "NodeProto.output",
    "NodeProto.doc_string",
    "GraphProto.name",
    "GraphProto.doc_string",
    "TensorProto.name",
    "TensorProto.doc_string",
    "TensorProto.string_data",
    "ValueInfoProto.name",
    "ValueInfoProto.doc_string",
    "TypeProto.denotation",
    "Dimension.dim_param",
    "Dimension.denotation",
    "OperatorSetIdProto.domain",
    "StringStringEntryProto.key",
    "StringStringEntryProto.value",
)
"""The fields of the format that hold text, each of which gets every payload."""


# Operator sets full of payloads


def doc_string(payload: str) -> str:
    """Return a text with a payload in its prose and at every place that the conventions know."""
    line = " ".join(payload.split())
    return (
        f"{payload}\n\nText {line} and `{line}`.\n\n"
        f"## Attributes\n\n- `{line}` (default `{line}`, {line}) : {line}\n\n  {line}\n"
        f"- `a` (default `{line}`) : string\n\n"
        f"## Inputs ({line})\n\n- `{line}` ({line}) : {line}\n\n  {line}\n- `X` : T\n\n"
        f"## Outputs (1 - 2)\n\n- `{line}` (variadic, {line}) : {line}\n\n  {line}\n\n"
        f"## Type Constraints\n\n- `{line}` : {line}, {line}\n\n  {line}\n- `T` : tensor({line})\n\n"
        f"## Properties\n\n- `{line}` : {line}\n\n"
        f"## Function Body ({line})\n\n```onnx\n{line}\n```\n\n"
        f"## {line}\n\n{line}\n\n"
        f"## Examples\n\n### {line}\n\n```python\n{line} # {line}\n```\n"
    )


def function(payload: str, since_version: int, doc: str) -> Any:
    """Return a function with a payload in every field, as far down as there are any."""
    value_info = {
        "name": payload,
        "doc_string": payload,
        "type": {
            "denotation": payload,
            "tensor_type": {
                "elem_type": 1,
                "shape": {"dim": [{"dim_param": payload}, {"dim_value": 1, "denotation": payload}]},
            },
        },
    }
    constant = {
        "name": "value",
        "type": "TENSOR",
        "t": {
            "name": payload,
            "doc_string": payload,
            "data_type": 8,
            "dims": [1],
            "string_data": [payload.encode()],
        },
    }
    inner = {
        "name": payload,
        "doc_string": payload,
        "node": [{"op_type": payload, "name": payload, "input": [payload], "output": [payload]}],
        "output": [value_info],
    }
    attributes: list[Any] = [
        {"name": payload, "type": "STRING", "s": payload.encode(), "doc_string": payload},
        {"name": f"{payload}s", "type": "STRINGS", "strings": [payload.encode()]},
        {"name": f"{payload}r", "type": "STRING", "ref_attr_name": payload},
        {"name": f"{payload}g", "type": "GRAPH", "g": inner},
    ]
    node = {
        "op_type": payload,
        "domain": payload,
        "overload": payload,
        "name": payload,
        "input": [payload],
        "output": [f"{payload}o"],
        "doc_string": payload,
        "attribute": attributes,
    }
    return schema.FunctionProto(
        name=payload,
        domain=DOMAIN,
        input=[payload],
        output=[f"{payload}o", payload],
        attribute=[payload],
        attribute_proto=[
            {"name": f"{payload}d", "type": "STRING", "s": payload.encode(), "doc_string": payload}
        ],
        node=[{"op_type": "Constant", "output": [f"{payload}c"], "attribute": [constant]}, node],
        opset_import=[{"domain": payload, "version": 1}],
        value_info=[value_info],
        metadata_props=[
            {"key": payload, "value": payload},
            {"key": "since_version", "value": str(since_version)},
            {"key": "status", "value": payload},
        ],
        doc_string=doc,
    )


def main_sets(payloads: Sequence[str], *, changed: int) -> Iterator[Message]:
    """Yield two opsets of a domain whose operators have payloads for names; some of them change."""
    for opset in (1, 2):
        message = schema.OperatorSetProto(
            magic="ONNXOPSET", ir_version=10, domain=DOMAIN, opset_version=opset, doc_string="Text."
        )
        for number, payload in enumerate(payloads):
            since_version = opset if number < changed else 1
            doc = doc_string(payload) if since_version == opset or since_version == 1 else ""
            before = f"Before.\n\n## Attributes\n\n- `a` (default `b{payload.split()[0]}`) : string\n"
            old = number < changed and opset == 1
            message.functions.append(function(payload, since_version, before if old else doc))
            if number % 7 == 0:
                overloaded = function(payload, since_version, doc)
                overloaded.overload = overloaded.domain = payload
                message.functions.append(overloaded)
        yield message


def own_set(payload: str) -> Message:
    """Return a set that has a payload in all fields of its own, with an operator that has it, too."""
    return schema.OperatorSetProto(
        magic="ONNXOPSET",
        ir_version=10,
        ir_version_prerelease=payload,
        ir_build_metadata=payload,
        domain=payload,
        opset_version=1,
        doc_string=doc_string(payload),
        operator=[{"op_type": payload, "since_version": 1, "status": 1, "doc_string": payload}],
    )


def write_sets(folder: Path, payloads: Sequence[str], *, changed: int, own: int) -> list[str]:
    """Write operator sets, and return the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    messages = [*main_sets(payloads, changed=changed), *map(own_set, payloads[:own])]
    files = [folder / f"{number}.onnxopset" for number in range(len(messages))]
    for file, message in zip(files, messages, strict=True):
        file.write_bytes(message.SerializeToString())
    return [str(file) for file in files]


def text_fields(message: Message) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of all texts in a message."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for item in [value] if isinstance(value, Message) else value:
                yield from text_fields(item)
        elif field.cpp_type == field.CPPTYPE_STRING:
            for text in [value] if isinstance(value, (str, bytes)) else value:
                name = ".".join(field.full_name.split(".")[-2:])
                yield name, text if isinstance(text, str) else text.decode()


def test_there_are_enough_payloads_in_every_field() -> None:
    assert len(set(PAYLOADS)) >= 400
    for payload in PAYLOADS:
        messages = [*main_sets([payload], changed=0), own_set(payload)]
        filled = {name for message in messages for name, text in text_fields(message) if payload in text}
        assert filled == set(FIELDS)


# Without a browser: all payloads in all fields


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("injected")
    files = write_sets(folder, PAYLOADS, changed=40, own=len(PAYLOADS))
    return build_site(SiteOptions(sources=tuple(files)))


def test_no_page_has_live_markup(site: Site) -> None:
    assert len(site.pages) > 5 * len(PAYLOADS)
    for page in site.pages:
        assert live_markup(page.html) == "", page.address
        for text in (page.html, page.title, page.description):
            assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), page.address


def test_addresses_and_ids_are_plain(site: Site) -> None:
    for page in site.pages:
        assert re.fullmatch(r"([A-Za-z0-9_.~-]+/)*", page.address)
        assert ".." not in page.address.split("/")
        ids = [unescape(found) for found in re.findall(r'<\w[^<>]*?\sid="([^"]*)"', page.html)]
        assert len(set(ids)) == len(ids), page.address
        # No theme has an id with a dot: nothing on the page can be taken for a part of it.
        assert [id_ for id_ in ids if "." not in id_ and id_ != "domains"] == []


def test_the_catalog_says_what_the_files_say(site: Site) -> None:
    content = site.assets["catalog.json"].decode()
    names = {item["op_type"] for domain in json.loads(content)["domains"] for item in domain["operators"]}
    assert set(PAYLOADS) <= names


def test_the_inventory_has_one_line_for_each_target(site: Site) -> None:
    head, body = site.assets["objects.inv"].split(b"zlib.\n", 1)
    lines = zlib.decompress(body).decode().splitlines()
    assert head.count(b"\n") == 3
    assert len(lines) == zlib.decompress(body).count(b"\n")
    for line in lines:
        assert re.fullmatch(r"\S+ (onnx:\w+|std:label) -?\d \S+ .+", line), line


def test_the_lists_of_operators_are_data(site: Site) -> None:
    lists = {name: content.decode() for name, content in site.assets.items() if name.endswith("operators.js")}
    assert len(lists) > len(PAYLOADS)
    for content in lists.values():
        # One statement with one literal: what is in quotes is all that a file has put there.
        assert not re.search(r"hit|evil|</", re.sub(r'"(?:[^"\\]|\\.)*"', '""', content)), content[:200]
        assert "</" not in content
        assert "<!--" not in content


class Trusting(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


HTML = Trusting("commonmark", {"html": True}).enable("table")
HARMLESS = re.compile(r"<br\s*/?>|</?(?:b|i|em|strong|sub|sup)>", re.IGNORECASE)


def live_markdown(text: str) -> Iterator[str]:
    """Yield what a renderer that lets everything through would make live."""
    for token in (inner for block in HTML.parse(text) for inner in (block, *(block.children or ()))):
        if token.type in ("html_inline", "html_block") and not HARMLESS.fullmatch(token.content.strip()):
            yield token.content
        for name in ("href", "src"):
            target = token.attrGet(name)
            if target is not None and not is_allowed(
                str(target).strip().lstrip("".join(map(chr, range(33))))
            ):
                yield str(target)


def test_twins_are_harmless_even_where_html_is_on(site: Site) -> None:
    twins = {
        name: content.decode() for name, content in site.assets.items() if name.endswith((".md", ".txt"))
    }
    assert len(twins) > len(site.pages)
    for name, text in twins.items():
        assert list(live_markdown(text)) == [], name


# In a terminal, and in reports

DANGEROUS = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|^\s*::[A-Za-z]|##\w*\[",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_sets(tmp_path_factory.mktemp("files"), PAYLOADS, changed=20, own=10)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "0", "1"],
        ["check", "0", "2", "--all"],
        ["check", "1", "--format", "json"],
        ["check", "1", "--format", "sarif"],
        ["show", "1"],
        ["show", "1", "--format", "json"],
        ["show", "2"],
        ["diff", "0", "1"],
        ["diff", "0", "1", "--format", "markdown"],
        ["diff", "0", "1", "--format", "json"],
        ["rules"],
    ],
    ids=" ".join,
)
def test_a_terminal_gets_no_orders(files: list[str], arguments: list[str]) -> None:
    result = CliRunner().invoke(
        cli.main, [files[int(item)] if item.isdigit() else item for item in arguments]
    )
    assert result.exit_code in (0, 1), result.output
    assert not DANGEROUS.search(result.output)


@pytest.mark.parametrize("payload", PAYLOADS[::60], ids=range(len(PAYLOADS[::60])))
@pytest.mark.parametrize("format_", ["text", "markdown", "json"])
def test_an_operator_is_shown_without_orders(files: list[str], payload: str, format_: str) -> None:
    result = CliRunner().invoke(
        cli.main, ["show", files[1], f"{DOMAIN}.{payload}", "--format", format_, "--examples"]
    )
    assert result.exit_code == 0, result.output
    assert not DANGEROUS.search(result.output)


ORDERS = "\x1b[31m\x1b]0;x\x07\n::error::hit\n##[error]x\r\u202e"


@pytest.mark.skipif(os.name == "nt", reason="no file of Windows has such a name")
@pytest.mark.parametrize(
    "command", ["check", "check --format github", "build", "build --strict", "tree out", "show"]
)
def test_names_of_files_give_no_orders(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / f"wrong{ORDERS}.textproto").write_bytes(own_set(ORDERS).SerializeToString())
    broken = folder / f"broken{ORDERS}.textproto"
    broken.write_text("magic: x")
    said = printed(command, tmp_path)
    broken.unlink()
    said += printed(command, tmp_path)
    assert r"\x1b[31m" in said
    assert "Traceback" not in said
    lines = [re.sub("^::(error|warning|notice) (?=file=)", "", line) for line in said.splitlines()]
    assert [line for line in lines if DANGEROUS.search(line)] == []


def printed(command: str, folder: Path) -> str:
    """Return all that a command prints about the sources in the folder `sets`."""
    arguments = [sys.executable, "-m", "opsetdocs", *command.split(), "sets"]
    done = subprocess.run(arguments, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode()


def test_github_gets_only_our_own_commands(files: list[str]) -> None:
    result = CliRunner().invoke(cli.main, ["check", *files[:2], "--format", "github"])
    *lines, summary = result.output.splitlines()
    assert re.fullmatch("[0-9,a-z ]+", summary)
    for line in lines:
        assert re.match(r"::(error|warning|notice) (file|title)=[^:]*::", line), line
        assert not DANGEROUS.search(line.removeprefix("::"))
    titles = (re.match(r"::\w+ (?:[^:]*,)?title=([^:,]*)", line) for line in lines)
    assert {title[1] for title in titles if title} <= set(RULES)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::error::x", "\\x3a:error::x"),
        ("  ::set-output name=a::b", "  \\x3a:set-output name=a::b"),
        ("a ##vso[task.complete]", "a ##vso\\x5btask.complete]"),
        ("##[error]", "##\\x5berror]"),
        ("std::move", "std::move"),
        ("::", "::"),
        ("::: note", "::: note"),
        ("## [a link](b)", "## [a link](b)"),
    ],
)
def test_ci_systems_get_no_orders(line: str, shown: str) -> None:
    assert inert(line) == shown


# In Chromium


@dataclass(frozen=True)
class Built:
    """A site made by MkDocs, and what ought to be on its pages."""

    folder: Path
    titles: dict[str, str]
    """The title of each of our pages, by address."""


def built(folder: Path, theme: str, payloads: Sequence[str], *, changed: int, own: int) -> Built:
    docs = folder / "docs"
    docs.mkdir(parents=True)
    sources = write_sets(folder / "sets", payloads, changed=changed, own=own)
    config = {
        "site_name": "Test",
        "theme": {"name": theme, **THEMES[theme]},
        "plugins": ["search", {"opsetdocs": {"sources": sources}}],
        "markdown_extensions": ["attr_list", "md_in_html", "admonition"],
    }
    (folder / "mkdocs.yml").write_text(json.dumps(config), encoding="utf-8")
    loaded = load_config(str(folder / "mkdocs.yml"))
    loaded.plugins.on_startup(command="build", dirty=False)
    logging.getLogger("mkdocs").setLevel(logging.CRITICAL)  # The sets break rules on purpose.
    mkdocs_build(loaded)
    logging.getLogger("mkdocs").setLevel(logging.NOTSET)
    pages = loaded.plugins["opsetdocs"]._built.pages  # type: ignore[attr-defined]
    return Built(folder / "site", {page.address: page.title for page in pages})


OUR_NAMES = sorted(
    {
        name
        for file in templates_dir().glob("*.jinja")
        for name in re.findall(r' name="(\w+)"', file.read_text())
    }
)
"""The names of our own form fields."""

SCRIPTS = Path(__file__).with_name("injection")
EXAMINE, PROVOKE, TYPE_QUERIES = (
    (SCRIPTS / f"{name}.js").read_text(encoding="utf-8").rstrip("\n;")
    for name in ("examine", "provoke", "type_queries")
)


class Watched:
    """Pages of a site, and everything that they do which they should not."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.base = base
        self.faults: list[str] = []
        context.expose_function("hit", lambda *_: self.faults.append(f"ran on {self.page.url}"))
        self.page: Page = context.new_page()
        self.page.on("dialog", self._dialog)
        self.page.on("pageerror", self._error)
        context.on("request", self._request)
        context.on("page", lambda page: self.faults.append(f"opened {page.url}"))

    def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog on {self.page.url}")
        dialog.dismiss()

    def _error(self, error: Exception) -> None:
        # Some signs in a query mean something to MkDocs' search, which fails where they stand wrongly.
        if "lunr.QueryParseError" not in str(error):
            self.faults.append(f"{self.page.url}: {error}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.faults.append(f"{self.page.url} asks for {request.url}")

    def open(self, address: str) -> dict[str, Any]:
        """Open a page, provoke it, and return what is on it."""
        self.page.goto(self.base + address, wait_until="load")
        found: dict[str, Any] = self.page.evaluate(EXAMINE, OUR_NAMES)
        self.page.evaluate(PROVOKE)
        assert self.page.url == self.base + address
        self.faults += [f"{address}: {fault}" for fault in found["faults"]]
        return found


def plain(text: str) -> str:
    """Return a text as a title can hold it."""
    return " ".join(
        "".join(" " if ord(letter) < 32 or ord(letter) == 127 else letter for letter in text).split()
    )


def role(address: str) -> str:
    """Return which kind of page stands at an address: all of one kind have the same frame."""
    parts = address.strip("/").split("/")
    return " ".join(["root" if not address else "domain", *parts[1:2], *("x" for _ in parts[2:])])


PATIENCE = 300_000
"""Milliseconds that a search may take to begin: MkDocs' own makes its index in the browser."""

MKDOCS_INDEX = "**/search/search_index.json"
NOTHING_TO_FIND = {
    "config": {"lang": ["en"], "separator": r"[\s\-]+", "pipeline": [], "fields": {}},
    "docs": [],
}
"""What pages find there that are not searched on: each of them would make the whole index anew."""


def search(watched: Watched, theme: str, query: str) -> int:
    """Search, and return the number of results."""
    page = watched.page
    page_of_results, results = {
        "mkdocs": ("", "#mkdocs-search-results article"),
        "readthedocs": ("search.html", "#mkdocs-search-results article"),
        "material": ("", ".md-search-result__item"),
        "opsetdocs": ("", "dialog.search li"),
    }[theme]
    page.goto(f"{watched.base}{page_of_results}?q={quote(query)}")
    page.locator(results).first.wait_for(state="attached", timeout=PATIENCE)
    page.evaluate(PROVOKE)
    return page.locator(results).count()


@pytest.fixture(scope="module")
def frames(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], dict[str, Any]]:
    """What the pages of a harmless site have around their content, by theme and kind of page."""
    found = {}
    for theme in THEMES:
        site = built(tmp_path_factory.mktemp("harmless") / "x", theme, ["Alpha", "Beta"], changed=1, own=1)
        context = browser.new_context()
        with serving(site.folder) as base:
            watched = Watched(context, base)
            for kind, address in {role(address): address for address in site.titles}.items():
                found[theme, kind] = watched.open(address)
            assert search(watched, theme, "Alpha")
        context.close()
        assert watched.faults == []
    return found


def chunks() -> Iterator[Any]:
    """Yield a theme and the payloads of a site."""
    for number, theme in enumerate(THEMES):
        if not ALL:
            yield pytest.param(theme, PAYLOADS[number :: len(THEMES)], id=theme)
            continue
        for start in range(0, len(PAYLOADS), CHUNK):
            yield pytest.param(theme, PAYLOADS[start : start + CHUNK], id=f"{theme}-{start}")


@pytest.mark.browser
@pytest.mark.parametrize(("theme", "payloads"), [*chunks()])
def test_nothing_runs_in_a_browser(
    browser: Browser,
    frames: dict[tuple[str, str], dict[str, Any]],
    tmp_path: Path,
    theme: str,
    payloads: Sequence[str],
) -> None:
    own = len(payloads) if ALL else 6
    usual = {item for (other, _), frame in frames.items() if other == theme for item in frame["frame"]}
    site = built(tmp_path / "x", theme, payloads, changed=own, own=own)
    assert len(site.titles) >= 2 * len(payloads)
    opened = 0
    context = browser.new_context()
    with serving(site.folder) as base:
        watched = Watched(context, base)
        if ALL:
            context.route(MKDOCS_INDEX, lambda route: route.fulfill(json=NOTHING_TO_FIND))
        for number, (address, title) in enumerate(site.titles.items()):
            if not (ALL or role(address) in ("root", "domain", "domain opsets x") or number % 16 == 0):
                continue
            found = watched.open(address)
            expected = frames[theme, role(address)]
            for key in ("counts", "way"):
                assert found[key] == expected[key], f"{address}: {key}"
            assert set(found["frame"]) <= usual, address
            assert plain(title) in plain(found["title"]) or not address, address
            opened += 1
        if ALL:
            context.unroute(MKDOCS_INDEX)
        # MkDocs' own index has the payloads as single words, most of them; not all are about scripts.
        for query in ("hit" if theme == "material" else "*hit*", *(() if ALL else ("script",))):
            assert search(watched, theme, query)
        type_queries(watched, theme, payloads)
    context.close()
    assert watched.faults == []
    assert opened >= 20


def type_queries(watched: Watched, theme: str, payloads: Sequence[str]) -> None:
    """Search for each payload itself."""
    watched.page.evaluate(
        TYPE_QUERIES,
        [
            {
                "mkdocs": "#mkdocs-search-query",
                "readthedocs": "#mkdocs-search-query",
                "material": ".md-search__input",
                "opsetdocs": "dialog.search input",
            }[theme],
            list(payloads),
        ],
    )
    watched.page.evaluate(PROVOKE)
