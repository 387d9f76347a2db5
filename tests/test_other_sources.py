"""`opsetdocs export --from`: operator sets from pages in the form of Operators.md, and from models."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper

from opsetdocs import schema as messages
from opsetdocs.build import build_site
from opsetdocs.cli import main
from opsetdocs.docstring import DocString, Entry, SectionKind, parse
from opsetdocs.errors import ConfigError, FileError, SourceError
from opsetdocs.export import registry_sets
from opsetdocs.export.models import model_sets
from opsetdocs.export.operators_md import markdown_sets
from opsetdocs.export.other_sources import export_described
from opsetdocs.model import Format
from opsetdocs.site import SiteOptions
from opsetdocs.sources import load

CONTRIB = """\
## Contrib Operator Schemas
*This file is made from the registered contrib operator schemas.
Do not modify directly.*

* com.microsoft
  * <a href="#com.microsoft.SoftClip">com.microsoft.SoftClip</a>
  * <sub>experimental</sub> <a href="#com.microsoft.AllFinite">com.microsoft.AllFinite</a>
* org.other
  * <a href="#org.other.Twice">org.other.Twice</a>

## com.microsoft
### <a name="com.microsoft.SoftClip"></a><a name="com.microsoft.softclip">**com.microsoft.SoftClip**</a>

  Keeps a tensor within a limit: Y = limit * tanh(X / limit).
  ## Remarks
      - The limit is above zero.

      ```
      ### <a name="com.microsoft.Trap"></a>**com.microsoft.Trap**
      ```

#### Version

This version of the operator has been available since version 1 of the 'com.microsoft' operator set.

#### Attributes

<dl>
<dt><tt>limit</tt> : float (default is 6.0)</dt>
<dd>The limit.</dd>
<dt><tt>axes</tt> : list of ints</dt>
<dd>The axes, all without it.

Counted from 0.</dd>
<dt><tt>mode</tt> : string (required)</dt>
<dd>"hard" or "soft".</dd>
</dl>

#### Inputs (1 - 2)

<dl>
<dt><tt>X</tt> : T</dt>
<dd>Data</dd>
<dt><tt>mask</tt> (optional) : M</dt>
<dd>Where it is applied.</dd>
</dl>

#### Outputs

<dl>
<dt><tt>Y</tt> : T</dt>
<dd>Result</dd>
</dl>

#### Type Constraints

<dl>
<dt><tt>T</tt> : tensor(float), tensor(float16)</dt>
<dd>Floats.</dd>
<dt><tt>M</tt> : tensor(bool)</dt>
<dd>Mask.</dd>
</dl>

#### Examples

<details>
<summary>clip_it</summary>

```python
y = 6 * np.tanh(x / 6)
```

</details>


#### Sample Implementation

<details>
<summary>SoftClip</summary>

```python
def soft_clip(x): ...
```

</details>


### <a name="com.microsoft.Old"></a><a name="com.microsoft.old">**com.microsoft.Old** (deprecated)</a>

#### Version

This version of the operator has been deprecated since version 2 of the 'com.microsoft' operator set.

### <sub>experimental</sub> <a name="com.microsoft.AllFinite"></a>**com.microsoft.AllFinite**</a>

  AllFinite

#### Version

No versioning maintained for experimental ops.
#### Inputs (0 - &#8734;)

<dl>
<dt><tt>input</tt> (variadic) : V</dt>
<dd>Tensors</dd>
</dl>

#### Outputs

<dl>
<dt><tt>output</tt> : B</dt>
<dd>Result</dd>
</dl>

#### Type Constraints

<dl>
<dt><tt>V</tt> : tensor(float)</dt>
<dd>Floats.</dd>
<dt><tt>B</tt> : tensor(bool)</dt>
<dd>Result.</dd>
</dl>


## org.other
### <a name="org.other.Twice"></a><a name="org.other.twice">**org.other.Twice**</a>

#### Version

This version of the operator has been available since version 3 of the 'org.other' operator set.
"""


# What else stands in onnxruntime's page: no inputs, and so the end of a list that never began; entries
# without words; code, lists, blank lines and comparisons in words; other versions, which are only named.
# Blank lines of a text are indented.
CONTRIB += """\

### <a name="org.other.Everything"></a><a name="org.other.everything">**org.other.Everything**</a>

  Packs a tensor, see [the formats](https://example.com/docs/Formats.md) and https://example.com/abs/1.
  Shapes are `(N, C)`; a `Tensor<T>` where N <= C; α is 0.5.
~~
  |N|Zero point|
  |---|---|
  |4|8|
~~
  Activation functions:
~~
    Relu(x)                - max(0, x)
~~
    `V' - a vector, out[:, 1:] = (A & 0xf) + 2**N

#### Version

This version of the operator has been available since version 14 of the 'org.other' operator set.

Other versions of this operator: org.other.Everything-7, org.other.Everything-9

#### Attributes

<dl>
<dt><tt>mode</tt> : string</dt>
<dd></dd>
<dt><tt>body</tt> : graph (required)</dt>
<dd>The graph:
```
if x < 0 and x > -1 : y
```

1. first
2. second

- `a` : b</dd>
<dt><tt>names</tt> : list of strings</dt>
<dd> Names, 'a' or "b" </dd>
<dt><tt>empty</tt> : string (default is )</dt>
<dd>It is nothing by default.</dd>
<dt><tt>scales</tt> : list of floats (default is ['1.0', '2.5'])</dt>
<dd>Scales (x, y).</dd>
</dl>

#### Inputs

</dl>

#### Outputs (1 - &#8734;)

<dl>
<dt><tt>Y</tt> : tensor(float)</dt>
<dd>The first.</dd>
<dt><tt>more</tt> (variadic, heterogeneous) : V</dt>
<dd></dd>
</dl>

#### Type Constraints

<dl>
<dt><tt>V</tt> : tensor(float), seq(tensor(float)), optional(map(int64, tensor(string)))</dt>
<dd>Anything.</dd>
</dl>

""".replace("~~\n", "  \n")


def texts(markdown: str) -> dict[str, str]:
    return {
        operator.op_type: operator.doc_string
        for item in markdown_sets(markdown, "x.md")
        for operator in item.operator
    }


def entries(doc: DocString, kind: SectionKind) -> tuple[Entry, ...]:
    section = doc.section(kind)
    return section.entries if section else ()


# Pages


def test_each_domain_of_a_page_becomes_a_set() -> None:
    sets = markdown_sets(CONTRIB, "ContribOperators.md")
    assert [(item.domain, item.opset_version) for item in sets] == [("com.microsoft", 2), ("org.other", 14)]
    assert "`ContribOperators.md`" in sets[0].doc_string
    stated = {
        operator.op_type: (operator.since_version, operator.status)
        for item in sets
        for operator in item.operator
    }
    experimental, stable = 0, 1
    assert stated == {
        "SoftClip": (1, stable),
        "Old": (2, stable),
        "AllFinite": (2, experimental),  # that of the opset, since none is maintained
        "Twice": (3, stable),
        "Everything": (14, stable),
    }


def test_a_signature_is_read_as_it_is_meant() -> None:
    doc = parse(texts(CONTRIB)["SoftClip"])
    limit, axes, mode = entries(doc, SectionKind.ATTRIBUTES)
    assert (limit.type, limit.default, limit.required, limit.optional) == ("float", "6.0", False, False)
    assert (axes.type, axes.default, axes.required, axes.optional) == ("list of ints", None, False, True)
    assert axes.description == "The axes, all without it.\n\nCounted from 0."
    assert (mode.type, mode.required, mode.description) == ("string", True, '"hard" or "soft".')
    assert [(item.name, item.optional, item.type) for item in entries(doc, SectionKind.INPUTS)] == [
        ("X", False, "T"),
        ("mask", True, "M"),
    ]
    assert [item.type for item in entries(doc, SectionKind.TYPE_CONSTRAINTS)] == [
        "tensor(float), tensor(float16)",
        "tensor(bool)",
    ]


def test_a_text_stays_what_it_was() -> None:
    prose = parse(texts(CONTRIB)["SoftClip"]).blocks[0]
    assert prose == (
        "Keeps a tensor within a limit: Y = limit * tanh(X / limit).\n"
        "## Remarks\n"
        "    - The limit is above zero.\n\n"
        "    ```\n"
        '    ### <a name="com.microsoft.Trap"></a>**com.microsoft.Trap**\n'
        "    ```"
    )


def test_what_is_rare_is_read_as_it_is_meant() -> None:
    doc = parse(texts(CONTRIB)["Everything"])
    assert [block for block in doc.blocks if not isinstance(block, str)] == [
        section for kind in SectionKind if (section := doc.section(kind))
    ]
    mode, body, names, empty, scales = entries(doc, SectionKind.ATTRIBUTES)
    assert (mode.type, mode.description, mode.optional) == ("string", "", True)
    assert (body.type, body.required) == ("graph", True)
    assert body.description == (
        "The graph:\n```\nif x < 0 and x > -1 : y\n```\n\n1. first\n2. second\n\n- `a` : b"
    )
    assert (names.type, names.description) == ("list of strings", "Names, 'a' or \"b\"")
    assert (empty.default, empty.optional) == ('""', False)
    assert (scales.type, scales.default) == ("list of floats", "[1.0, 2.5]")
    assert not doc.section(SectionKind.INPUTS)
    outputs = doc.section(SectionKind.OUTPUTS)
    assert outputs
    assert (outputs.minimum, outputs.maximum, outputs.unbounded) == (1, None, True)
    assert [(item.variadic, item.homogeneous) for item in outputs.entries] == [(False, None), (True, False)]
    (constraint,) = entries(doc, SectionKind.TYPE_CONSTRAINTS)
    assert constraint.type == "tensor(float), seq(tensor(float)), optional(map(int64, tensor(string)))"
    assert "Other versions" not in doc.text
    assert "org.other.Everything-7" not in doc.text


# Counted without a parser, so that nothing is lost that a parser does not see.

SECTIONS = {
    "Attributes": SectionKind.ATTRIBUTES,
    "Inputs": SectionKind.INPUTS,
    "Outputs": SectionKind.OUTPUTS,
    "Type Constraints": SectionKind.TYPE_CONSTRAINTS,
}


def counted(page: str) -> dict[str, dict[SectionKind, list[tuple[str, str]]]]:
    """Return the names and words of each operator's entries, by patterns alone."""
    found = {}
    for part in re.split(r"^### (?=.*<a name=)", page, flags=re.MULTILINE)[1:]:
        (name,) = re.findall(r"\*\*(.+?)\*\*", part.partition("\n")[0])
        sections = re.split(r"^#### ", re.split(r"^## ", part, flags=re.MULTILINE)[0], flags=re.MULTILINE)
        by_title = {re.split(r" \(|\n", section)[0]: section for section in sections[1:]}
        found[name] = {
            kind: re.findall(
                r"^<dt><tt>(.*?)</tt>.*?<dd>(.*?)</dd>(?=\n<dt>|\n</dl>)",
                by_title.get(title, ""),
                re.MULTILINE | re.DOTALL,
            )
            for title, kind in SECTIONS.items()
        }
        rows = sum(map(len, found[name].values()))
        assert rows == len(re.findall("^<dt>", "".join(map(by_title.get, SECTIONS, [""] * 4)), re.MULTILINE))
    return found


def check_nothing_is_lost(page: str) -> int:
    """Check that each operator and entry of a page is in its sets, in order; return the number of entries."""
    read = {
        f"{item.domain}.{operator.op_type}".removeprefix("."): parse(operator.doc_string)
        for item in markdown_sets(page, "x.md")
        for operator in item.operator
    }
    expected = counted(page)
    assert read.keys() == expected.keys()
    for name, by_kind in expected.items():
        for kind, rows in by_kind.items():
            held = [(item.name, item.description.split()) for item in entries(read[name], kind)]
            assert held == [(entry, words.split()) for entry, words in rows], (name, kind)
    return sum(len(rows) for by_kind in expected.values() for rows in by_kind.values())


def test_no_entry_of_a_page_is_lost() -> None:
    assert check_nothing_is_lost(CONTRIB) == 20


@pytest.mark.parametrize("name", ["Operators.md", "Operators-ml.md"])
def test_no_entry_of_a_page_of_onnx_is_lost(onnx_pages: Path, name: str) -> None:
    assert check_nothing_is_lost((onnx_pages / name).read_text("utf-8")) > 100


def test_examples_are_unfolded() -> None:
    doc = parse(texts(CONTRIB)["SoftClip"])
    examples = doc.section(SectionKind.EXAMPLES)
    assert examples
    assert [str(block) for block in examples.blocks] == [
        "### clip_it\n\n```python\ny = 6 * np.tanh(x / 6)\n```"
    ]
    assert "## Sample Implementation\n\n### SoftClip\n\n```python\ndef soft_clip" in str(doc.blocks[-1])
    assert "details>" not in doc.text
    assert "Version" not in doc.text


def test_a_count_stays_where_the_entries_do_not_say_it() -> None:
    all_finite = parse(texts(CONTRIB)["AllFinite"])
    inputs = all_finite.section(SectionKind.INPUTS)
    assert inputs
    assert (inputs.minimum, inputs.maximum, inputs.unbounded) == (0, None, True)
    assert inputs.entries[0].homogeneous is True
    assert "## Inputs\n" in texts(CONTRIB)["SoftClip"]


def test_deprecation_is_marked() -> None:
    assert texts(CONTRIB)["Old"] == "**Deprecated** since opset 2.\n"
    assert not parse(texts(CONTRIB)["SoftClip"]).deprecated


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n\nProse.\n",
        "### Conv\n\ntext\n",
        "### **Conv**\n\n#### Version\n\nsince version 1\n",
        "<dl>\n",
    ],
)
def test_what_has_not_the_form_holds_no_operator(text: str) -> None:
    assert markdown_sets(text, "x.md") == []


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_contrib_page_becomes_a_site(tmp_path: Path, ending: str) -> None:
    page = tmp_path / "ContribOperators.md"
    page.write_bytes(CONTRIB.replace("\n", ending).encode())
    opsets = tmp_path / "opsets"
    done = CliRunner().invoke(main, ["export", str(opsets), "--from", str(page), "--domain", "com.microsoft"])
    assert done.exit_code == 0, done.output
    assert [path.name for path in opsets.iterdir()] == ["com.microsoft-2.onnxopset"]
    site = build_site(SiteOptions(sources=(str(opsets),)))
    assert not site.findings
    pages = {item.address: item.html for item in site.pages}
    assert 'id="com.microsoft.SoftClip.attribute.limit"' in pages["com.microsoft/operators/SoftClip/"]
    assert "experimental" in pages["com.microsoft/operators/AllFinite/"]


# The pages that ONNX makes of itself


@pytest.fixture(scope="module")
def onnx_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages that the installed onnx writes about its own operators."""
    folder = tmp_path_factory.mktemp("onnx")
    (folder / "docs").mkdir()
    script = (
        "import sys, onnx.defs.gen_doc as pages\n"
        "pages.__file__ = sys.argv[1] + '/onnx/defs/gen_doc.py'\n"  # it writes two folders above itself
        "for end in ('', '-ml'): pages.main(pages.Args(f'Operators{end}.md', f'Changelog{end}.md'))\n"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True, capture_output=True, timeout=600)
    return folder / "docs"


def documented(sets: Any) -> Iterator[tuple[tuple[str, str, int], DocString]]:
    for item in sets:
        for operator in item.operator:
            yield (item.domain, operator.op_type, operator.since_version), parse(operator.doc_string)
        for function in item.functions:
            (since_version,) = (prop.value for prop in function.metadata_props if prop.key == "since_version")
            yield (item.domain, function.name, int(since_version)), parse(function.doc_string)


def described(doc: DocString, kind: SectionKind) -> list[tuple[object, ...]]:
    """Everything that the pages tell of entries. They round defaults."""
    fields = ("name", "type", "required", "optional", "variadic", "homogeneous", "differentiable")
    return [
        (
            *(getattr(item, field) for field in fields),
            item.default is None,
            " ".join(item.description.split()),
        )
        for item in entries(doc, kind)
    ]


@pytest.mark.parametrize("name", ["Operators", "Changelog"])
def test_the_pages_of_onnx_say_what_its_registry_says(onnx_pages: Path, name: str) -> None:
    registry = dict(documented(registry_sets()))
    sets = [
        item
        for file in (onnx_pages / f"{name}.md", onnx_pages / f"{name}-ml.md")
        for item in markdown_sets(file.read_text("utf-8"), file.name)
    ]
    read = dict(documented(sets))
    if name == "Changelog":
        assert read.keys() == registry.keys()
    else:
        newest = {(domain, op_type): since_version for domain, op_type, since_version in sorted(registry)}
        assert read.keys() == {(*names, since_version) for names, since_version in newest.items()}
    for key, doc in read.items():
        expected = registry[key]
        assert doc.deprecated == expected.deprecated, key
        assert leading_words(doc) == leading_words(expected), key
        if doc.deprecated:
            continue  # of these the pages tell no more
        for kind in (
            SectionKind.ATTRIBUTES,
            SectionKind.INPUTS,
            SectionKind.OUTPUTS,
            SectionKind.TYPE_CONSTRAINTS,
        ):
            assert described(doc, kind) == described(expected, kind), (key, kind)


def leading_words(doc: DocString) -> list[str]:
    """The words of the text before the sections, without the mark of deprecation."""
    text = doc.blocks[0] if doc.blocks and isinstance(doc.blocks[0], str) else ""
    return text.split()


# Models


def function(name: str, domain: str, **fields: Any) -> onnx.FunctionProto:
    node = helper.make_node("Relu", ["X"], ["Y"])
    made = helper.make_function(domain, name, ["X"], ["Y"], [node], [helper.make_opsetid("", 18)])
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def model(*functions: onnx.FunctionProto, imports: dict[str, int] | None = None) -> onnx.ModelProto:
    value = helper.make_tensor_value_info("X", TensorProto.FLOAT, ["N"])
    graph = helper.make_graph([helper.make_node("Relu", ["X"], ["Y"])], "g", [value], [value])
    opsets = [helper.make_opsetid(domain, version) for domain, version in {"": 18, **(imports or {})}.items()]
    return helper.make_model(graph, functions=list(functions), opset_imports=opsets, ir_version=10)


def test_each_domain_of_a_model_becomes_a_set() -> None:
    made = model(
        function("A", "pkg.one", doc_string="Says A."),
        function("B", "pkg.two"),
        function("C", "pkg.one"),
        imports={"pkg.one": 3},
    )
    sets = model_sets(made.SerializeToString(), "net.onnx")
    assert [(item.domain, item.opset_version, [fn.name for fn in item.functions]) for item in sets] == [
        ("pkg.one", 3, ["A", "C"]),
        ("pkg.two", 1, ["B"]),
    ]
    assert sets[0].functions[0].SerializeToString() == made.functions[0].SerializeToString()
    assert (sets[0].ir_version, sets[0].magic) == (10, "ONNXOPSET")
    assert "`net.onnx`" in sets[0].doc_string


@pytest.mark.parametrize("name", ["m.onnx", "m.textproto", "m.json"])
def test_a_model_may_have_any_encoding_of_onnx(tmp_path: Path, name: str) -> None:
    onnx.save(model(function("A", "pkg.one")), tmp_path / name)
    (written,) = export_described(tmp_path / "out", [str(tmp_path / name)], format=Format.TEXT)
    (item,) = load((str(written),), base=tmp_path).sets
    assert [entry.name for entry in item.functions] == ["A"]


def test_the_weights_of_a_model_are_not_looked_for(tmp_path: Path) -> None:
    made = model(function("A", "pkg.one"))
    weight = made.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[1 << 30])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="not-there.bin")
    onnx.save(made, tmp_path / "m.onnx")
    (written,) = export_described(tmp_path / "out", [str(tmp_path / "m.onnx")])
    assert written.name == "pkg.one-1.onnxopset"


def test_a_model_becomes_a_site(tmp_path: Path) -> None:
    onnx.save(
        model(function("A", "pkg.torch.2", doc_string="Says A."), imports={"pkg.torch.2": 1}),
        tmp_path / "m.onnx",
    )
    (written,) = export_described(tmp_path / "out", [str(tmp_path / "m.onnx")])
    site = build_site(SiteOptions(sources=(str(written),)))
    page = next(item.html for item in site.pages if item.address == "pkg.torch.2/operators/A/")
    assert "Says A." in page
    assert "Relu" in page


# Several files, and what is asked for of them


def test_files_of_one_opset_make_one_set(tmp_path: Path) -> None:
    shared = function("A", "pkg.one")
    for name, functions in (("1.onnx", [shared]), ("2.onnx", [shared, function("B", "pkg.one")])):
        onnx.save(model(*functions), tmp_path / name)
    (written,) = export_described(tmp_path / "out", [str(tmp_path / "1.onnx"), str(tmp_path / "2.onnx")])
    item = messages.OperatorSetProto.FromString(written.read_bytes())
    assert [fn.name for fn in item.functions] == ["A", "B"]


def test_two_functions_of_one_name_are_refused(tmp_path: Path) -> None:
    onnx.save(model(function("A", "pkg.one")), tmp_path / "1.onnx")
    onnx.save(model(function("A", "pkg.one", doc_string="Other.")), tmp_path / "2.onnx")
    with pytest.raises(FileError, match="A is another function than in the files before"):
        export_described(tmp_path / "out", [str(tmp_path / "1.onnx"), str(tmp_path / "2.onnx")])
    assert not (tmp_path / "out").exists()


def test_two_operators_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "1.md").write_text(CONTRIB, "utf-8")
    (tmp_path / "2.md").write_text(CONTRIB.replace("Data", "Other data"), "utf-8")
    with pytest.raises(FileError, match="SoftClip is another operator"):
        export_described(tmp_path / "out", [str(tmp_path / "1.md"), str(tmp_path / "2.md")])


def test_a_domain_that_is_no_file_name_gets_one(tmp_path: Path) -> None:
    onnx.save(model(function("A", "../up/pkg one")), tmp_path / "m.onnx")
    (written,) = export_described(tmp_path / "out", [str(tmp_path / "m.onnx")])
    assert written.parent == tmp_path / "out"
    assert messages.OperatorSetProto.FromString(written.read_bytes()).domain == "../up/pkg one"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"domain": "com.none"}, r"m\.onnx has no domain 'com\.none'; it has pkg\.one"),
        ({"opset": 7}, r"m\.onnx has no opset 7; it has pkg\.one 1 to 1"),
    ],
)
def test_what_is_not_there_is_said_in_words(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    onnx.save(model(function("A", "pkg.one")), tmp_path / "m.onnx")
    with pytest.raises(ConfigError, match=said):
        export_described(tmp_path / "out", [str(tmp_path / "m.onnx")], **options)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("m.onnx", b"", "is no ONNX model: it has no graph"),
        ("m.onnx", b"\xff\xff\xff", "is no ONNX model that onnx can read (protobuf)"),
        ("m.json", b"{", "is no ONNX model that onnx can read (json)"),
        ("m.textproto", b"graph: {", "is no ONNX model that onnx can read (textproto)"),
        ("m.onnx", model().SerializeToString(), "there is no function of its own in it"),
        ("m.md", b"# Nothing\n", "there is no operator in the form of Operators.md in it"),
        ("m.md", b"\xff\xfe\xff", "m.md"),
    ],
)
def test_a_file_that_describes_nothing_is_an_error_in_words(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = CliRunner().invoke(main, ["export", str(tmp_path / "out"), "--from", str(tmp_path / name)])
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()


EXPECTED = "expected a model, a page in Markdown (.md), a Python file (.py), or onnxruntime"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("none.onnx", f"none.onnx: No such file or directory; {EXPECTED}"),
        ("folder", f"folder: Is a directory; {EXPECTED}"),
        ("onnx", f"onnx: the operators of the installed onnx package are written without --from; {EXPECTED}"),
        ("text", EXPECTED),
    ],
)
def test_what_is_no_source_is_told_what_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_bytes(b"Hello")
    with pytest.raises((SourceError, FileError), match=re.escape(said)):
        export_described(tmp_path / "out", [source])


# onnxscript

SCRIPT = """\
import helpers
from onnxscript import opset18 as op, script
from onnxscript.values import Opset

print("a script may say something")
ours = Opset("com.acme.ops", 2)

@script(ours, default_opset=op)
def Half(X):
    \\"\\"\\"Halves it.\\"\\"\\"
    return op.Mul(X, op.Constant(value_float=0.5))

@script(Opset("com.acme.other", 1), default_opset=op)
def Quarter(X):
    return ours.Half(ours.Half(X))

Again = Half
"""


def write_script(folder: Path, text: str) -> str:
    (folder / "helpers.py").write_text("", "utf-8")
    (folder / "ops.py").write_text(text.replace('\\"', '"'), "utf-8")
    return str(folder / "ops.py")


def test_functions_of_onnxscript_become_sets(tmp_path: Path) -> None:
    pytest.importorskip("onnxscript")
    script = write_script(tmp_path, SCRIPT)
    done = CliRunner().invoke(main, ["export", str(tmp_path / "out"), "--from", script])
    assert done.exit_code == 0, done.output
    sets = load((str(tmp_path / "out"),), base=tmp_path).sets
    assert [(item.domain, item.opset_version, [fn.name for fn in item.functions]) for item in sets] == [
        ("com.acme.ops", 2, ["Half"]),
        ("com.acme.other", 1, ["Quarter"]),
    ]
    assert sets[0].functions[0].doc_string == "Halves it."
    assert done.stdout.startswith("2 files in")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "fails when it is run: ZeroDivisionError: division by zero"),
        ("import sys; sys.exit(3)", "fails when it is run: SystemExit: 3"),
        ("def f(:", "fails when it is run: SyntaxError"),
        ("x = 1", "there is no function of onnxscript in it"),
    ],
)
def test_a_script_that_fails_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "onnxscript", SimpleNamespace(OnnxFunction=type("OnnxFunction", (), {})))
    done = CliRunner().invoke(main, ["export", str(tmp_path / "out"), "--from", write_script(tmp_path, text)])
    assert done.exit_code == 2
    assert said in done.output
    assert str(tmp_path) not in sys.path


def test_no_onnxscript_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(
        SourceError, match=r"the package onnxscript, which .*ops\.py needs, cannot be imported"
    ):
        export_described(tmp_path / "out", [write_script(tmp_path, SCRIPT)])


# onnxruntime


def their_schema(**fields: Any) -> SimpleNamespace:
    """A schema with the names that onnxruntime gives to its parts."""
    parameter = {"description": "", "typeStr": "T", "isHomogeneous": True}
    default = helper.make_attribute("alpha", 0.5).SerializeToString()
    attribute = {"description": "Says it.", "type": SimpleNamespace(name="FLOAT"), "required": False}
    stated = {
        "domain": "com.microsoft",
        "name": "Scale",
        "since_version": 1,
        "doc": "\n  Scales.\n",
        "deprecated": False,
        "support_level": SimpleNamespace(name="COMMON"),
        "attributes": {
            "alpha": SimpleNamespace(name="alpha", _default_value=default, **attribute),
            "beta": SimpleNamespace(name="beta", _default_value=b"", **attribute),
        },
        "inputs": [
            SimpleNamespace(name="X", option=SimpleNamespace(name="Single"), **parameter),
            SimpleNamespace(name="rest", option=SimpleNamespace(name="Variadic"), **parameter),
        ],
        "outputs": [SimpleNamespace(name="Y", option=SimpleNamespace(name="Single"), **parameter)],
        "min_input": 3,
        "max_input": 2**31 - 1,
        "min_output": 1,
        "max_output": 1,
        "type_constraints": [
            SimpleNamespace(type_param_str="T", allowed_type_strs=["tensor(float)"], description="Floats.")
        ],
        "has_type_and_shape_inference_function": True,
    }
    return SimpleNamespace(**(stated | fields))


@pytest.fixture
def onnxruntime(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """What stands for the installed onnxruntime; its schemas can be set."""
    module = SimpleNamespace(get_all_operator_schema=list)
    name = "onnxruntime.capi.onnxruntime_pybind11_state"
    for part, content in (
        ("onnxruntime", SimpleNamespace(__version__="1.2.3")),
        ("onnxruntime.capi", None),
        (name, module),
    ):
        monkeypatch.setitem(sys.modules, part, content)
    return module


def test_what_onnxruntime_adds_becomes_sets(onnxruntime: SimpleNamespace, tmp_path: Path) -> None:
    schemas = [
        their_schema(),
        their_schema(since_version=4, deprecated=True),
        their_schema(name="Try", support_level=SimpleNamespace(name="EXPERIMENTAL")),
        their_schema(domain="com.other"),
        *(their_schema(domain=domain) for domain in ("", "ai.onnx.ml")),
    ]
    onnxruntime.get_all_operator_schema = lambda: schemas
    written = export_described(tmp_path / "out", ["onnxruntime"])
    assert [path.name for path in written] == ["com.microsoft-4.onnxopset", "com.other-1.onnxopset"]
    item = messages.OperatorSetProto.FromString(written[0].read_bytes())
    assert "onnxruntime 1.2.3" in item.doc_string
    assert [(operator.op_type, operator.since_version, operator.status) for operator in item.operator] == [
        ("Scale", 1, 1),
        ("Scale", 4, 1),
        ("Try", 1, 0),
    ]
    doc, deprecated = (parse(operator.doc_string) for operator in item.operator[:2])
    assert doc.blocks[0] == "Scales."
    assert deprecated.deprecated
    alpha, beta = entries(doc, SectionKind.ATTRIBUTES)
    assert (alpha.default, alpha.optional, beta.default, beta.optional) == ("0.5", False, None, True)
    first, rest = entries(doc, SectionKind.INPUTS)
    assert (first.differentiable, rest.variadic, rest.at_least, rest.homogeneous) == (None, True, 2, True)
    assert [(entry.name, entry.type) for entry in entries(doc, SectionKind.PROPERTIES)] == [
        ("shape inference", "yes")
    ]


def test_an_onnxruntime_without_schemas_is_an_error_in_words(
    onnxruntime: SimpleNamespace, tmp_path: Path
) -> None:
    del onnxruntime.get_all_operator_schema
    with pytest.raises(SourceError, match=r"onnxruntime 1\.2\.3 was built without the schemas"):
        export_described(tmp_path / "out", ["onnxruntime"])


def test_no_onnxruntime_is_an_error_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    done = CliRunner().invoke(main, ["export", str(tmp_path / "out"), "--from", "onnxruntime"])
    assert done.exit_code == 2
    assert "the package onnxruntime cannot be imported" in done.output
    assert 'pip install "opsetdocs[onnxruntime]"' in done.output


def test_the_installed_onnxruntime(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", exc_type=ImportError)
    written = export_described(tmp_path / "out", ["onnxruntime"], domain="com.microsoft")
    site = build_site(SiteOptions(sources=(str(written[0]),)))
    assert not site.findings
    assert site.summary.operators > 50


def test_a_file_of_that_name_is_reached_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("onnxruntime").write_bytes(model(function("A", "pkg.one")).SerializeToString())
    (written,) = export_described(tmp_path / "out", ["./onnxruntime"])
    assert written.name == "pkg.one-1.onnxopset"
