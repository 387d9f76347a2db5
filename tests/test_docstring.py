"""The doc_string conventions: what is read from any text, and that what is written is read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from textwrap import dedent

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from opsetdocs import docstring
from opsetdocs.docstring import (
    MAX_TEXT,
    DocString,
    Entry,
    Section,
    SectionKind,
    code_block,
    code_span,
    counted,
    parse,
    stated_marks,
    write,
    write_entry,
)

# Entries: the first line


def only_entry(bullet: str) -> Entry | str:
    [section] = parse(f"## Attributes\n\n{bullet}\n").blocks
    assert isinstance(section, Section)
    [block] = section.blocks
    return block


ENTRIES = [
    ("- `axis` : int", Entry("axis", "int")),
    ("* `axis`: int", Entry("axis", "int")),
    ("+   `axis`   :   int", Entry("axis", "int")),
    ("-\t`axis` : int", Entry("axis", "int")),
    ("- `axis`", Entry("axis")),
    ("- `axis` : `list of ints`", Entry("axis", "list of ints")),
    ("- ``a`b`` : int", Entry("a`b", "int")),
    ("- `` ` `` : int", Entry("`", "int")),
    ("- `a (b) : c` : int", Entry("a (b) : c", "int")),
    ("- `axis` () : int", Entry("axis", "int")),
    ("- `axis` (required)", Entry("axis", marks=("required",), required=True)),
    (
        "- `axis` (OPTIONAL,differentiable): T",
        Entry("axis", "T", marks=("OPTIONAL", "differentiable"), optional=True, differentiable=True),
    ),
    (
        "- `X` (heterogeneous, at least 2, non-differentiable, variadic) : T",
        Entry(
            "X",
            "T",
            marks=("heterogeneous", "at least 2", "non-differentiable", "variadic"),
            variadic=True,
            at_least=2,
            homogeneous=False,
            differentiable=False,
        ),
    ),
    (
        "- `X` (variadic, homogeneous) : T",
        Entry("X", "T", marks=("variadic", "homogeneous"), variadic=True, homogeneous=True),
    ),
    (
        "- `X` (since 3 (really, or later), optional) : T",
        Entry("X", "T", marks=("since 3 (really, or later)", "optional"), optional=True),
    ),
    ("- `T` : map(string, float), seq(tensor(float))", Entry("T", "map(string, float), seq(tensor(float))")),
    (
        "- `T` : tensor(float16),\n  tensor(float),\n  tensor(double)\n\n  Floats.",
        Entry("T", "tensor(float16), tensor(float), tensor(double)", "Floats."),
    ),
]


@pytest.mark.parametrize(("bullet", "entry"), ENTRIES, ids=[bullet for bullet, _ in ENTRIES])
def test_entry(bullet: str, entry: Entry) -> None:
    assert only_entry(bullet) == entry


@pytest.mark.parametrize(
    ("mark", "default"),
    [
        ("default `-1`", "-1"),
        ("default: `-1`", "-1"),
        ("Default=`-1`", "-1"),
        ("default is 1", "1"),
        ("default [1, 2]", "[1, 2]"),
        ('default `"a, b) : c"`', '"a, b) : c"'),
        ('default ``"`"``', '"`"'),
        ("default ` a `", "a"),
        ("default `1` or `2`", "`1` or `2`"),
    ],
)
def test_default(mark: str, default: str) -> None:
    entry = only_entry(f"- `x` ({mark}, optional) : string")
    assert entry == Entry("x", "string", marks=(mark, "optional"), default=default, optional=True)


@pytest.mark.parametrize("mark", ["defaults to 1", "default", "at least many", "at least 99999999999", "new"])
def test_an_unknown_mark_is_kept(mark: str) -> None:
    assert only_entry(f"- `x` ({mark}) : int") == Entry("x", "int", marks=(mark,))


@pytest.mark.parametrize(
    "bullet",
    [
        "- axis : int",
        "- `axis` is an int",
        "- `axis` (optional : int",
        "- `axis` (optional) of type : int",
        "- `axis",
        "-     `axis` : int",
        "-\n  `axis` : int",
        "- # `axis` : int",
        "- > `axis` : int",
        "1. `axis` : int",
        "> - `axis` : int",
        "    - `axis` : int",
        "-",
    ],
)
def test_what_is_no_entry_stays_markdown(bullet: str) -> None:
    assert only_entry(bullet) == bullet


# Entries: the description


@pytest.mark.parametrize(
    ("below", "description"),
    [
        ("\n  One.\n\n  Two.\n", "One.\n\nTwo."),
        ("  On the next line.\n", "On the next line."),
        ("Not indented.\n", "Not indented."),
        ("        Deep, then\n  less.\n", "Deep, then\nless."),
        ("\n  - a\n    - b\n\n  1. c\n", "- a\n  - b\n\n1. c"),
        ("\n      code\n", "    code"),
        ("\n  ```\n  ## Inputs\n    - `x` : T\n  ```\n", "```\n## Inputs\n  - `x` : T\n```"),
        ("\n  | a | b |\n  |---|---|\n  | 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("\n\ttab\n", "  tab"),
        ("\n  ## Inputs\n\n  - `x` : T\n", "## Inputs\n\n- `x` : T"),
        ("\n\n\n", ""),
    ],
)
def test_description(below: str, description: str) -> None:
    assert only_entry(f"- `a` : int\n{below}") == Entry("a", "int", description)


def test_an_open_fence_in_a_description_ends_with_it() -> None:
    doc = parse("## Inputs\n\n- `a` : T\n\n  ```\n  code\n- `b` : T\n\n## Outputs\n\n- `c` : T\n")
    assert [[entry.name for entry in section.entries] for section in sections(doc)] == [["a", "b"], ["c"]]


# Sections


def sections(doc: DocString) -> list[Section]:
    return [block for block in doc.blocks if isinstance(block, Section)]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("## Inputs", Section(SectionKind.INPUTS, "Inputs", 2)),
        ("###### OUTPUTS ##", Section(SectionKind.OUTPUTS, "OUTPUTS", 6)),
        ("Type  constraints\n===", Section(SectionKind.TYPE_CONSTRAINTS, "Type  constraints", 1)),
        ("Properties:\n---", Section(SectionKind.PROPERTIES, "Properties", 2)),
        ("# Inputs (2)", Section(SectionKind.INPUTS, "Inputs", 1, minimum=2, maximum=2)),
        ("# Inputs (1 - 3)", Section(SectionKind.INPUTS, "Inputs", 1, minimum=1, maximum=3)),
        ("# Inputs (1–3):", Section(SectionKind.INPUTS, "Inputs", 1, minimum=1, maximum=3)),
        ("# outputs (1 - ∞)", Section(SectionKind.OUTPUTS, "outputs", 1, minimum=1, unbounded=True)),
        ("# Function Body (example)", Section(SectionKind.FUNCTION_BODY, "Function Body", 1, note="example")),
        (
            "# Inputs (1 - 2) (new)",
            Section(SectionKind.INPUTS, "Inputs", 1, note="new", minimum=1, maximum=2),
        ),
        ("# Attributes (2)", Section(SectionKind.ATTRIBUTES, "Attributes", 1, note="2")),
        ("# Inputs () (a)", Section(SectionKind.INPUTS, "Inputs", 1, note="a")),
        ("# Inputs (1 - x)", Section(SectionKind.INPUTS, "Inputs", 1, note="1 - x")),
    ],
)
def test_section_heading(heading: str, expected: Section) -> None:
    assert parse(heading).blocks == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "## Input",
        "## The Inputs",
        "## Inputs (all (of them))",
        "Inputs",
        "    ## Inputs\ntext",
        "```\n## Inputs\n```",
        "~~~~\n## Inputs\n~~~",
        "> ## Inputs",
        "- ## Inputs",
        "\\## Inputs",
        "####### Inputs",
        "$$\n## Inputs\n$$",
    ],
)
def test_what_is_no_section(text: str) -> None:
    assert parse(text).blocks == (text,)


def test_everything_stays_in_its_place() -> None:
    doc = parse(
        dedent(
            """
            Prose.

            ## Attributes

            Before.

            - `a` : int
            - no entry
              - `nested` : int
            - `b` : int

            ### Rarely used

            - `c` : int

            After.

            # Notes

            A note.

            ## Attributes
            * `d` : int
            ## Examples

            ### first

            - `x` : here a bullet is a bullet

            ## Other
            """
        )
    )
    assert doc.blocks == (
        "Prose.",
        Section(
            SectionKind.ATTRIBUTES,
            "Attributes",
            2,
            blocks=(
                "Before.",
                Entry("a", "int"),
                "- no entry\n  - `nested` : int",
                Entry("b", "int"),
                "### Rarely used",
                Entry("c", "int"),
                "After.",
            ),
        ),
        "# Notes\n\nA note.",
        Section(SectionKind.ATTRIBUTES, "Attributes", 2, blocks=(Entry("d", "int"),)),
        Section(
            SectionKind.EXAMPLES,
            "Examples",
            2,
            blocks=("### first\n\n- `x` : here a bullet is a bullet",),
        ),
        "## Other",
    )


# Entries in other forms


def blocks_of(kind: SectionKind, text: str) -> tuple[Entry | str, ...]:
    [section] = parse(f"#### {kind.value}\n\n{text}\n").blocks
    assert isinstance(section, Section)
    return section.blocks


def entry(name: str, kind: str = "", **fields: object) -> Entry:
    made = Entry(name, kind, **fields)  # type: ignore[arg-type]
    return replace(made, marks=stated_marks(made))


ATTRIBUTES, INPUTS = SectionKind.ATTRIBUTES, SectionKind.INPUTS

OTHER_FORMS = [
    (
        ATTRIBUTES,
        """
        <dl>
        <dt><tt>axis</tt> : int (default is 1)</dt>
        <dd>Axis.</dd>
        <dt><tt>k</tt> : list of ints (required)</dt>
        <dd></dd>
        </dl>
        """,
        (entry("axis", "int", description="Axis.", default="1"), entry("k", "list of ints", required=True)),
    ),
    (
        ATTRIBUTES,
        """
        Before.

        <DL><DT><CODE>a</CODE> : float (default is (1e-05))
        <DD>One.

        - b (c)

            d</DL>

        After.
        """,
        ("Before.", entry("a", "float", description="One.\n\n- b (c)\n\n    d", default="1e-05"), "After."),
    ),
    (
        ATTRIBUTES,
        """
        <dl>
        <dt><tt>a</tt> : string (default is b (c), d)</dt>
        <dt><tt>e</tt> : string (default is )</dt>
        <dt><tt>f</tt> : list of strings (default is ['g, h', 'i'])</dt>
        <dt><tt>j</tt> : list of floats (default is ['1.0', '0.5'])</dt>
        <dt><tt>k</tt> : list of ints (default is none)</dt>
        <dt><tt>l</tt> : string (default is "m")</dt>
        </dl>
        """,
        (
            entry("a", "string", default='"b (c), d"'),
            entry("e", "string", default='""'),
            entry("f", "list of strings", default='["g, h", "i"]'),
            entry("j", "list of floats", default="[1.0, 0.5]"),
            entry("k", "list of ints", default="none"),
            entry("l", "string", default='"m"'),
        ),
    ),
    (
        INPUTS,
        """
        <dl>
        <dt><tt>X</tt> (optional, non-differentiable) : T</dt>
        <dd>One.</dd>
        <dd>Two.</dd>
        <dt><tt>V</tt> (variadic, heterogeneous) : map(string, T&lt;2&gt;)</dt>
        </dl>
        """,
        (
            entry("X", "T", description="One.\n\nTwo.", optional=True, differentiable=False),
            entry("V", "map(string, T<2>)", variadic=True, homogeneous=False),
        ),
    ),
    (
        SectionKind.TYPE_CONSTRAINTS,
        r"""
        | Name | Type | Description |
        |---|---|---|
        | T | `tensor(float)`, tensor(int8) | a \| b |
        | `U` | | |
        """,
        (entry("T", "tensor(float), tensor(int8)", description="a | b"), entry("U")),
    ),
    (
        INPUTS,
        """
        Before.

        | type | NAME |
        |---|---|
        | T | X.1 (optional, differentiable) |

        After.
        """,
        ("Before.", entry("X.1", "T", optional=True, differentiable=True), "After."),
    ),
    (
        ATTRIBUTES,
        """
        | Name | Type | Default | Description |
        |---|---|---|---|
        | `a` | string | `"b"` | One. |
        | c | int | - | Two. |
        | d (required) | int | | |
        """,
        (
            entry("a", "string", description="One.", default='"b"'),
            entry("c", "int", description="Two."),
            entry("d", "int", required=True),
        ),
    ),
]


@pytest.mark.parametrize(("kind", "text", "blocks"), OTHER_FORMS)
def test_other_forms_of_entries(kind: SectionKind, text: str, blocks: tuple[Entry | str, ...]) -> None:
    assert blocks_of(kind, dedent(text)) == blocks
    # As bullets they are written, and read back.
    section = Section(kind, kind.value, 4, blocks=blocks)
    assert parse(write([section])).blocks == (section,)


@pytest.mark.parametrize(
    "text",
    [
        "<dl>\n<dt><tt>X</tt> : T</dt>\n<dd>No end.</dd>",
        "<dl>\n<dt><tt>X</tt> : T</dt>\n</dl> More.",
        "<dl>\nText.\n<dt><tt>X</tt> : T</dt>\n</dl>",
        "<dl>\n<dt>X; </dt>\n<br/></dl>",
        "<dl>\n<dd>One.</dd>\n</dl>",
        "<dl>\n<dt><tt>X</tt> or so : T</dt>\n</dl>",
        "<dl>\n<dt><tt>X</tt> : T</dt>\n<dd>\n<dl>\n<dt>Y</dt>\n</dl>\n</dd>\n</dl>",
        "<dl>\n</dl>",
        "</dl>",
        "| Name | Type | Unit |\n|---|---|---|\n| X | T | m |",
        "| Type | Description |\n|---|---|\n| T | One. |",
        "| Name | Name |\n|---|---|\n| X | Y |",
        "| Name | Type |\n|---|---|\n| X | T |\n| two words | T |",
        "| Name | Type |\n|---|---|",
    ],
)
def test_what_is_no_list_of_entries_stays_as_it_is(text: str) -> None:
    assert "\n\n".join(map(str, blocks_of(INPUTS, text))) == text
    assert not any(isinstance(block, Entry) for block in blocks_of(INPUTS, text))


def test_the_html_of_onnx_counts_in_entities() -> None:
    [section] = parse("#### Inputs (2 - &#8734;)\n").blocks
    assert section == Section(INPUTS, "Inputs", 4, minimum=2, unbounded=True)


@pytest.mark.parametrize(
    "filler", ["<dl>\n\n", "<dl>\n<dt>\n\n", "<dt>", " ", "| Name | Type |\n|---|---|\n"]
)
def test_a_great_deal_of_html_is_read_in_no_time(filler: str) -> None:
    text = f"## Inputs\n\n<dl>\n{filler * 20_000}\n</dl>\n"
    assert parse(text).text == text


def test_a_section_ends_at_a_heading_of_its_level_or_above() -> None:
    doc = parse("## Inputs\n\n### Outputs\n\n- `a` : T\n\n# Attributes\n\n- `b` : int\n")
    inputs, attributes = doc.blocks
    assert inputs == Section(SectionKind.INPUTS, "Inputs", 2, blocks=("### Outputs", Entry("a", "T")))
    assert attributes == Section(SectionKind.ATTRIBUTES, "Attributes", 1, blocks=(Entry("b", "int"),))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\n" + "".join(f"    {line}" for line in text.splitlines(keepends=True)),
        lambda text: "\n\n" + "".join(f"\t{line}" for line in text.splitlines(keepends=True)) + "\n\n",
    ],
    ids=["CR LF", "CR", "indented by spaces", "indented by tabs"],
)
def test_line_ends_and_common_indentation_mean_nothing(change: Callable[[str], str]) -> None:
    text = "Prose.\n\n    code\n\n## Inputs\n\n- `X` : T\n\n  Text.\n"
    changed = change(text)
    assert parse(changed).blocks == parse(text).blocks
    assert parse(changed).text == changed


@pytest.mark.parametrize("text", [None, "", "\n \n"])
def test_no_text(text: str | None) -> None:
    assert parse(text) == DocString(text or "")


def test_definitions_are_known_to_every_block() -> None:
    doc = parse('See [this][a].\n\n## Examples\n\n[A]: /x "say \\"hi\\""\n[a]: /second\n[b]: <c d>\n')
    alone = MarkdownIt().render(f"{doc.blocks[0]}\n\n{doc.definitions}")
    assert alone == '<p>See <a href="/x" title="say &quot;hi&quot;">this</a>.</p>\n'
    assert doc.definitions.splitlines()[1:] == ["[B]: <c%20d>"]


# Deprecated


@pytest.mark.parametrize(
    ("text", "deprecated"),
    [
        ("**Deprecated** since opset 10. Use `Resize`.", True),
        ("**Deprecated.** Use `Resize`.", True),
        ("__DEPRECATED__: use `Resize`.", True),
        ("\n    **Deprecated**\n    Use it no more.\n", True),
        ("# Foo\n\n**Deprecated** since opset 10.", True),
        ("This is **Deprecated**.", False),
        ("Deprecated.", False),
        ("**Deprecated types** are refused.", False),
        ("Prose.\n\n**Deprecated**", False),
        ("- **Deprecated**", False),
        ("## Attributes\n\n**Deprecated**", False),
        ("", False),
    ],
)
def test_deprecated(text: str, deprecated: bool) -> None:
    assert parse(text).deprecated is deprecated


# Writing


def test_write() -> None:
    blocks = (
        "**Deprecated** since opset 3.",
        "Prose.",
        Section(
            SectionKind.ATTRIBUTES,
            "Attributes",
            2,
            blocks=(
                Entry("axis", "int", "Axis to split on.\n\n- a\n\n```\ncode\n```", default="-1"),
                Entry("mode", "string", default='"`"'),
                "Some words.",
                Entry("pads", "list of ints", optional=True),
            ),
        ),
        Section(
            SectionKind.INPUTS,
            "Inputs",
            2,
            minimum=1,
            unbounded=True,
            blocks=(Entry("rest", "V", variadic=True, at_least=0, homogeneous=False, differentiable=True),),
        ),
        Section(SectionKind.FUNCTION_BODY, "Function Body", 2, note="example", blocks=("Words.",)),
    )
    text = dedent(
        """\
        **Deprecated** since opset 3.

        Prose.

        ## Attributes

        - `axis` (default `-1`) : int

          Axis to split on.

          - a

          ```
          code
          ```
        - `mode` (default ``"`"``) : string

        Some words.

        - `pads` (optional) : list of ints

        ## Inputs (1 - ∞)

        - `rest` (variadic, at least 0, heterogeneous, differentiable) : V

        ## Function Body (example)

        Words.
        """
    )
    assert write(blocks) == text
    assert write(parse(text).blocks) == write([f"{blocks[0]}\n\n{blocks[1]}", *blocks[2:]])


@pytest.mark.parametrize(
    ("prose", "written"),
    [
        ("## Inputs\n\n- `x` : T", "\\## Inputs\n\n- `x` : T"),
        ("Inputs\n======\n\ntext", "Inputs\n\\======\n\ntext"),
        ("  ### examples ###", "  \\### examples ###"),
        ("```\ncode", "```\ncode\n```"),
        ("~~~~ x\n```", "~~~~ x\n```\n~~~~"),
        ("```", "```\n```"),
        ("```\n```", "```\n```"),
        ("# Title\n\ntext", "# Title\n\ntext"),
    ],
)
def test_prose_begins_no_section_and_leaves_no_fence_open(prose: str, written: str) -> None:
    section = Section(SectionKind.OUTPUTS, "Outputs", 2, blocks=(Entry("Y", "T"),))
    text = write([prose, section])
    assert text == f"{written}\n\n## Outputs\n\n- `Y` : T\n"
    assert parse(text).blocks == (written, section)


def test_code_is_fenced_by_more_back_ticks_than_it_holds() -> None:
    assert [code_span(text) for text in ("a", "`", "a``b", " a", " ")] == [
        "`a`",
        "`` ` ``",
        "```a``b```",
        "`  a `",
        "` `",
    ]
    assert code_block("```\n````\n", "x") == "`````x\n```\n````\n\n`````"


@pytest.mark.parametrize(
    ("entries", "count"),
    [
        ((), (0, 0)),
        ((Entry("a"), Entry("b", optional=True)), (1, 2)),
        ((Entry("a"), Entry("b", variadic=True)), (2, None)),
        ((Entry("a"), Entry("b", variadic=True, at_least=0)), (1, None)),
        ((Entry("a", variadic=True, at_least=3),), (3, None)),
    ],
)
def test_counted(entries: tuple[Entry, ...], count: tuple[int, int | None]) -> None:
    assert counted(entries) == count


# Whatever is written is read back

_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1, max_size=12)
"""Without NUL, which Markdown replaces."""
_NAMES = _WORDS.filter(lambda name: name.strip())
_TYPES = st.sampled_from(["", "int", "list of ints", "T", "tensor(float), map(string, float)", "seq(T:1)"])
_MARKDOWN = """
text
- item
  - nested
1. one
```
~~~
## Inputs
- `x` (optional) : T
    code
> quote
| a | b |
|---|---|
---
===
* * *
\ttab
`
$$
[a]: b
<!--
<div>
\\"""
_LINES = st.sampled_from(_MARKDOWN.split("\n")) | _WORDS
_TEXTS = st.lists(_LINES, max_size=8).map("\n".join)
_DESCRIPTIONS = _TEXTS.map(
    lambda text: re.sub(r"\A([ \t]*\n)+|(\n[ \t]*)+\Z", "", text if text.strip(" \t\n") else "")
)
_ENTRIES = st.builds(
    Entry,
    name=_NAMES,
    type=_TYPES,
    description=_DESCRIPTIONS,
    default=st.none() | _NAMES,
    required=st.booleans(),
    optional=st.booleans(),
    variadic=st.booleans(),
    at_least=st.none() | st.integers(0, 99),
    homogeneous=st.none() | st.booleans(),
    differentiable=st.none() | st.booleans(),
)
_KINDS = st.sampled_from([SectionKind.ATTRIBUTES, SectionKind.INPUTS, SectionKind.TYPE_CONSTRAINTS])


@settings(deadline=None)
@given(_KINDS, st.lists(_ENTRIES, max_size=4))
def test_entries_are_read_back(kind: SectionKind, entries: list[Entry]) -> None:
    section = Section(kind, kind.value, 2, blocks=tuple(entries))
    [read] = parse(write([section])).blocks
    assert isinstance(read, Section)
    assert [(*_fields(entry), entry.marks) for entry in read.entries] == [
        (*_fields(entry), stated_marks(entry)) for entry in entries
    ]
    assert read.blocks == read.entries


def _fields(entry: Entry) -> tuple[object, ...]:
    return (
        entry.name,
        entry.type,
        entry.description,
        entry.default,
        (entry.required, entry.optional, entry.variadic, entry.at_least),
        (entry.homogeneous, entry.differentiable),
    )


@settings(deadline=None)
@given(_ENTRIES)
def test_an_entry_is_one_bullet_for_any_reader(entry: Entry) -> None:
    tokens = MarkdownIt("commonmark").parse(f"{write_entry(entry)}\n- `next`\n")
    assert [token.type for token in tokens if token.level == 0] == ["bullet_list_open", "bullet_list_close"]
    assert sum(token.type == "list_item_open" and token.level == 1 for token in tokens) == 2


_ANY = st.text() | st.lists(
    _LINES
    | st.sampled_from(
        ["## Inputs (1 - 2)", "# Outputs", "### Examples", "- `a` (default `1`, x) : T", "- `b`: `T`", ""]
    ),
    max_size=20,
).map("\n".join)


@settings(deadline=None)
@given(_ANY)
def test_nothing_is_lost(text: str) -> None:
    doc = parse(text)
    assert doc.text == text
    assert re.findall(r"\w+", _all_words(doc)) == re.findall(r"\w+", text)


def _all_words(doc: DocString) -> str:
    words: list[object] = []
    for block in doc.blocks:
        if isinstance(block, str):
            words.append(block)
            continue
        words += [block.title, block.minimum, block.maximum, block.note]
        for part in block.blocks:
            words += (
                [part] if isinstance(part, str) else [part.name, *part.marks, part.type, part.description]
            )
    return "\n".join(str(word) for word in words if word is not None)


@settings(deadline=None)
@given(_TEXTS, st.lists(_ENTRIES, min_size=1, max_size=2))
def test_prose_does_not_touch_the_section_after_it(prose: str, entries: list[Entry]) -> None:
    section = Section(SectionKind.INPUTS, "Inputs", 2, blocks=tuple(entries))
    alone, after = parse(write([section])), parse(write([prose, section]))
    assert sections(after) == sections(alone)


# A text is parsed in pieces


def parsed_as_a_whole(text: str) -> DocString:
    """Parse a text in one piece, by the Markdown parser alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docstring, "_cuts", lambda source: [0, len(source)])
        patch.setattr(docstring, "_WRITTEN_SECTION", re.compile(r"(?!)"))
        patch.setattr(docstring, "_piece", docstring._piece.__wrapped__)
        return parse(text)


_INPUTS = "\n## Inputs\n\n- `x` : T\n"
_PIECES = st.sampled_from(
    [
        *("# Inputs\n", _INPUTS, "\n### Type Constraints ##\n\n", "## Outputs (1)\n\n", "# a\n", "#", "##\n"),
        *("\n## Examples\n", "\n### a\n\n```python\n# code\n```\n", "### b\n\n```\n ```\n"),
        *("- `x` : T\n", "- `y` (optional, default `1`) : int\n", "- `z`,\n", "- a\n", "- ```\n", "-\n"),
        *("\n  text\n", "  more\n", "\n  ```\n", "    code\n", " odd\n", "  \n", "\n", "\t- a\n", "  1. a\n"),
        *("```\n", "~~~\n", "````\n", "``` a`b\n", "   ```\n", "    ```\n", "```\xa0\n", "$$\n", "  $$ a\n"),
        *("[a]: b\n", "\n[A]: c\n[b]: d 'e\n", "\n  [c]: d\n", "text\n", "---\n", "===\n", "| a |\n|---|\n"),
        *("> a\n", f"  {'- ' * 12}a\n", f"{'- ' * 12}a\n", f"  {'> ' * 20}a\n", "\0\n", "<dl>\n", "</dl>\n"),
    ]
)


@given(st.lists(_PIECES, max_size=14).map("".join))
@example(f"- a\n  ```\n\ntext\n```\n{_INPUTS}```\n")
@example(f"```\n    ```\n{_INPUTS}")
@example(f"$$\na\n## Inputs\nb$$\n{_INPUTS}")
@example("## Inputs\n\n- `x` : T\n\n  $$ a\n- `y` : $$\n- `z` : T\n")
@example("## Inputs\n\n- `x` : T\n\n  [a]: b\n")
@example(f"## Inputs\n\n- `x` : T\n\n  {'- ' * 12}a\n- `y` : T\n\n## Outputs\n\n- `z` : T\n")
@example("```\n\n## Examples\n\n### a\n\n```\n```\n```\n")
def test_pieces_say_what_the_whole_text_says(text: str) -> None:
    assert parse(text) == parsed_as_a_whole(text)


def test_a_text_that_is_too_long_is_one_block() -> None:
    longest = "## Attributes\n\n- `a` : int\n\n".ljust(MAX_TEXT, "x")
    assert isinstance(parse(longest).blocks[0], Section)
    text = f"{longest}x"
    doc = parse(text)
    assert (doc.text, doc.blocks, doc.heading_level, doc.deprecated) == (text, (text,), 0, False)
    assert write(doc.blocks) == f"```\n{text}\n```\n"
