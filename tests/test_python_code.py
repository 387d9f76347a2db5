"""Python code in colour: what is a comment, a string, a keyword."""

from __future__ import annotations

import html
import io
import keyword
import re
import tokenize

import onnx.backend.test.case.node.maxpool
import pytest

from opsetdocs.python_code import coloured

CODE = {
    "a comment": ("x = 1  # 'no' string", "x = 1  [c:# 'no' string]"),
    "a string": ("""f("a # b", 'c"d')""", """f([s:"a # b"], [s:'c"d'])"""),
    "an escaped quotation mark": (r'"a\"b" + c', r'[s:"a\"b"] + c'),
    "a prefix": ("rb'x', f\"{y}\"", "[s:rb'x'], [s:f\"{y}\"]"),
    "no prefix": ("xr'x'", "xr[s:'x']"),
    "an empty string": ("x or ''", "x [k:or] [s:'']"),
    "a long string": ('''"""a\n"b" 'c'\\"""d""" + e''', '''[s:"""a\n"b" 'c'\\"""d"""] + e'''),
    "a long string that nothing ends": ("x = '''a\nif b", "x = [s:'''a\nif b]"),
    "a string that nothing ends": ("x = 'a if b\nif c:", "x = 'a if b\n[k:if] c:"),
    "a string over two lines": ('"a\\\nb" if', '[s:"a\\\nb"] [k:if]'),
    "keywords": ("def f(): return None", "[k:def] f(): [k:return] [k:None]"),
    "words with keywords in them": ("iffy = not_in + is1", "iffy = not_in + is1"),
    "numbers": ("x = [1, 2.5, 0x1f]", "x = [1, 2.5, 0x1f]"),
    "markup": ("a < b & '<c>'", "a &lt; b &amp; [s:'&lt;c&gt;']"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("code", "expected"), CODE.values(), ids=CODE.keys())
def test_coloured(code: str, expected: str) -> None:
    found = coloured(code, "")
    assert re.sub(r'<span class="(\w)">(.*?)</span>', r"[\1:\2]", found, flags=re.DOTALL) == expected
    assert html.unescape(re.sub(r"<[^>]*>", "", found)) == code


def test_real_code_is_read_as_python_reads_it() -> None:
    path = onnx.backend.test.case.node.maxpool.__file__
    with open(path, encoding="utf-8") as file:
        code = file.read()
    kinds = {tokenize.COMMENT: "c", tokenize.STRING: "s"}
    expected = [
        (kinds.get(token.type, "k"), token.string)
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type in kinds or (token.type == tokenize.NAME and keyword.iskeyword(token.string))
    ]
    found = re.findall(r'<span class="(\w)">(.*?)</span>', coloured(code, ""), re.DOTALL)
    assert [(kind, html.unescape(text)) for kind, text in found] == expected
