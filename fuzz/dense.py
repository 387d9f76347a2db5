"""Texts that are one piece of Markdown over and over: what is slow shows in the time that they take.

All of them have the same length. What takes far longer than the others is a fault, and so is what takes four
times as long for twice the length.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from fuzz.limits import MAX_SECONDS
from opsetdocs import docstring
from opsetdocs.docstring import MAX_TEXT
from opsetdocs.harmless_markdown import harmless
from opsetdocs.markdown import Renderer, link_targets
from opsetdocs.markdown_text import moved, relinked
from opsetdocs.plain_text import visible

PIECES = (
    *(
        "a",
        "word ",
        "word\n",
        "word\n\n",
        "    a\n",
        " a\n",
        "a  \n",
        "\n",
        "\t",
        "a. ",
        "e.g. ",
        "。",
        "\\",
        "\\*",
    ),
    *("*", "_", "*a ", "a* ", "*a*", "**a** ", "*_", "a**b*c**d*", "*a **b _c __d ", "**_* "),
    *(
        "[",
        "]",
        "![",
        "[]",
        "](",
        "](x",
        "[a](",
        "[a](b[",
        "[a](<b",
        '[a](b "',
        "[a](b) ",
        "![a](b) ",
        "[a][b] ",
    ),
    *("[a]:", "[a]: b\n", "[a]: b\n\n", "[a]: javascript:b\n\n", "[a](javascript:b) ", "[a](&"),
    *("`", "` ", "`` ` ", "`a` ", "```\n", "```\na\n```\n", "~~~\na\n", "```c\n/\n```\n", "`<a "),
    *("$", "$a ", "$a$ ", "$$a$$\n\n", "$\\frac{a}{b}$ ", "$$", "{"),
    *("> ", "> a\n", ">>>> a\n", "- ", "- a\n", "- a\n\n", "1. ", "1. a\n", "- > ", "  - a\n"),
    *("|", "|\n", "-|-\n", "|a|b|\n|-|-|\n|c|d|\n\n", "|-|-|\n", "---\n\n"),
    *("#", "# a\n", "## a\n\n", "a\n=\n", "## Attributes\n\n- `a` : int\n\n", "- `a` (default `b`) : int\n"),
    *(
        "- `a` (",
        "(`",
        "(a) ",
        "## Examples\n\n### a\n\n```\nx\n```\n\n",
        "<dl>\n\n",
        "<dl><dt><tt>a</tt> : int</dt>",
    ),
    *(
        "<",
        "<a ",
        "<b>",
        "</b>",
        "<b>a</b>",
        "<b><i>",
        "<br>",
        "<?",
        "<!--",
        "<![CDATA[",
        "<script>",
        "&",
        "&amp;",
    ),
    *("<http://a", "<http://a> ", "http://", "http://a.b ", "http://a.b/(", "mailto:a@b.c ", "a@b.c "),
)
"""What Markdown gives a meaning, alone, begun and not ended, and whole."""


def _written_anew(text: str) -> str:
    return docstring.write(docstring.parse(text).blocks)


_STAGES: dict[str, Callable[[str], object]] = {
    "render": lambda text: Renderer().render(text),
    "inline": lambda text: Renderer().inline(text),
    "summary": lambda text: Renderer().summary(text),
    "links": link_targets,
    "doc_string": _written_anew,
    "harmless": harmless,
    "moved": lambda text: moved(text, 1),
    "relinked": lambda text: relinked(text, lambda _: None),
    "visible": visible,
}
"""All that is done with a text."""


def fuzz(*, length: int = MAX_TEXT) -> None:
    """Do with each text all that is done with texts, and print what took longest, in seconds.

    Raises:
        TimeoutError: Something took too long.
    """
    slowest: list[tuple[float, str]] = []
    for piece in PIECES:
        text = (piece * (length // len(piece) + 1))[:length]
        for name, stage in _STAGES.items():
            start = time.process_time()
            stage(text)
            slowest.append((time.process_time() - start, f"{name} of {piece!r}"))
            if slowest[-1][0] > MAX_SECONDS:
                raise TimeoutError(f"{slowest[-1][1]} takes {slowest[-1][0]:.1f} seconds")
    for seconds, what in sorted(slowest, reverse=True)[:10]:
        print(f"{seconds:6.2f} {what}")
    print(f"dense: {len(PIECES)} texts of {length} characters, nothing found")
