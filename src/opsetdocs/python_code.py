"""Python code as HTML: comments, strings and keywords in a colour, and nothing else.

Nearly all code in doc_strings is Python. Pygments tells 60 kinds of words apart, at a price: for the examples
of ONNX it takes longer than all Markdown together, and its tags are more than the code. Numbers have no
colour, because most of them are the data of tensors.
"""

from __future__ import annotations

import html
import keyword
import re


def _string(quote: str) -> str:
    """Return the pattern of strings in one kind of quotes; a long one without an end goes on to the end."""
    long = rf"{quote}{{3}}(?:[^{quote}\\]++|\\.|{quote}(?!{quote}{{2}}))*+(?:{quote}{{3}}|\\?\Z)"
    return rf"{long}|{quote}(?:[^{quote}\\\n]++|\\.)*+{quote}"


_COLOURED = re.compile(
    rf"""(?P<c>\#[^\n]*)"""
    rf"""|(?P<s>(?=["'BbFfRrTtUu])(?:\b[BbFfRrTtUu]{{1,2}})?(?:{_string('"')}|{_string("'")}))"""
    rf"""|["'][^\n]*"""  # A quotation mark that nothing ends: no string, and looked at once.
    rf"""|(?P<k>\b(?:{"|".join(keyword.kwlist)})\b)""",
    re.DOTALL,
)
"""What has a colour. A group's name is the short name of the kind in Pygments, whose styles know it."""


def coloured(code: str, prefix: str) -> str:
    """Return Python code as HTML.

    Args:
        code: The code.
        prefix: What the classes begin with: a keyword has the class `k` after it.
    """
    pieces: list[str] = []
    at = 0
    for match in _COLOURED.finditer(code):
        if match.lastgroup:
            before, found = html.escape(code[at : match.start()], False), html.escape(match[0], False)
            pieces.append(f'{before}<span class="{prefix}{match.lastgroup}">{found}</span>')
            at = match.end()
    return "".join([*pieces, html.escape(code[at:], False)])
