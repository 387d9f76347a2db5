"""Markdown in which nothing comes alive, whoever renders it."""

from __future__ import annotations

import pytest

from opsetdocs.docstring import MAX_TEXT, code_block
from opsetdocs.harmless_markdown import harmless
from opsetdocs.markdown_text import moved, relinked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain *text*, `code` and 1 < 2.", None),
        ("A Tensor<T> and a <b>bold</b> word.<br>", r"A Tensor\<T> and a <b>bold</b> word.<br>"),
        ("`Tensor<T>` and ``a`<b x>``", None),
        ("```\n<T>\n```", None),
        ("    <T>", None),
        ("- x\n\n  ```\n  <T>\n  ```\n  <T>", "- x\n\n  ```\n  <T>\n  ```\n  \\<T>"),
        ("<script>hit(1)</script>", r"\<script>hit(1)\</script>"),
        ("<!-- a -->", r"\<!-- a -->"),
        (r"\<script>", None),
        ("<b onclick=x>y</b>", r"\<b onclick=x>y</b>"),
        ("[a](b.md) [c](<d.md>) [e](https://f.example) <https://g.example>", None),
        ("[x](javascript:y)", r"[x]\(javascript:y)"),
        ("[x](<javascript:y>)", r"[x]\(\<javascript:y>)"),
        ("[x](javascript&colon;y)", r"[x]\(javascript&colon;y)"),
        ("<javascript:y>", r"\<javascript:y>"),
        ("[x]\n\n[x]: javascript:y", "[x]\n\n[x]\\: javascript:y"),
        ("[x](//host.example)", r"[x]\(//host.example)"),
        ("[x](<data:a,<b>>)", "```\n[x](<data:a,<b>>)\n```"),
        ("[x](https:y) [x](https://)", r"[x]\(https:y) [x]\(https://)"),
        (f"[x]({'y' * 299}/{'z' * 900}.md) [a](//b)", rf"[x]({'y' * 299}/{'z' * 900}.md) [a]\(//b)"),
        (f"[x]({'y' * 300}javascript:z)", rf"[x]\({'y' * 300}javascript:z)"),
        (f"[x]({'&Tab;' * 100}javascript:z)", rf"[x]\({'&Tab;' * 100}javascript:z)"),
        (">" * 200 + "<T>", ">" * 200 + r"\<T>"),
    ],
)
def test_what_would_come_alive_is_text(text: str, expected: str | None) -> None:
    assert harmless(text) == (text if expected is None else expected)


def test_a_text_that_is_too_long_becomes_code() -> None:
    text = "# [a](b) <T>\n" * (2 * MAX_TEXT // 13 + 1)
    code = code_block(text, "")
    assert harmless(text) == code
    assert harmless(code) == code
    assert harmless(f"{code}\n{code}") == code_block(f"{code}\n{code}", "")
    assert moved(text, 1) == code
    assert relinked(text, lambda _: "c") == text
