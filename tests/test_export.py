"""The operator sets of the installed onnx package: whole, true to the registry, the same each time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import onnx
import pytest
from google.protobuf import json_format, text_format
from markdown_it import MarkdownIt
from onnx import AttributeProto, FunctionProto, helper

from opsetdocs import schema as messages
from opsetdocs.docstring import DocString, Entry, Section, SectionKind, counted, parse
from opsetdocs.errors import ConfigError
from opsetdocs.export import export, registry_sets
from opsetdocs.export.examples import Example, node_test_folder, read_examples
from opsetdocs.export.functions import example_body_text
from opsetdocs.export.registry import doc_string, opsets
from opsetdocs.export.schemas import Schema, all_schemas
from opsetdocs.export.signature import prose
from opsetdocs.loader import from_message
from opsetdocs.meaning import as_part
from opsetdocs.model import Format, domain_name
from opsetdocs.signature import Signature, signature
from opsetdocs.type_groups import split_types

Key = tuple[str, str, int]
"""Domain, op_type and since_version."""

SCHEMAS = {(item.domain, item.name, item.since_version): item for item in all_schemas()}
CURRENT = {(domain, name): since for domain, name, since in sorted(SCHEMAS)}


@pytest.fixture(scope="module")
def sets() -> tuple[Any, ...]:
    return registry_sets()


def members(message: Any) -> Iterator[tuple[Key, Any]]:
    for item in message.operator:
        yield (message.domain, item.op_type, item.since_version), item
    for item in message.functions:
        metadata = {entry.key: entry.value for entry in item.metadata_props}
        yield (message.domain, item.name, int(metadata["since_version"])), item


@pytest.fixture(scope="module")
def by_key(sets: tuple[Any, ...]) -> dict[Key, Any]:
    return {key: member for message in sets for key, member in members(message)}


@pytest.fixture(scope="module")
def docs(by_key: dict[Key, Any]) -> dict[Key, DocString]:
    return {key: parse(member.doc_string) for key, member in by_key.items()}


def entries(doc: DocString, kind: SectionKind) -> tuple[Entry, ...]:
    section = doc.section(kind)
    return section.entries if section else ()


# The sets


@pytest.mark.skipif(onnx.__version__ != "1.23.2", reason="counts of onnx 1.23.2")
def test_counts(sets: tuple[Any, ...], by_key: dict[Key, Any]) -> None:
    assert Counter(domain_name(message.domain) for message in sets) == {
        "ai.onnx": 28,
        "ai.onnx.ml": 5,
        "ai.onnx.preview": 1,
        "ai.onnx.preview.training": 1,
    }
    assert len(by_key) == 659
    assert len({key[:2] for key in by_key}) == 227
    assert Counter(type(member).__name__ for member in by_key.values()) == {
        "OperatorProto": 625,
        "FunctionProto": 34,
    }


def test_every_version_of_the_registry_is_there(by_key: dict[Key, Any]) -> None:
    assert by_key.keys() == SCHEMAS.keys()


def test_the_sets_keep_the_rules_of_the_format(sets: tuple[Any, ...]) -> None:
    published: dict[Key, bytes] = {}
    membership: dict[str, set[Key]] = {}
    for message in sets:
        assert (message.magic, message.ir_version) == ("ONNXOPSET", onnx.IR_VERSION)
        assert message.HasField("domain")
        assert domain_name(message.domain) in message.doc_string
        keys = [key for key, _ in members(message)]
        assert len({key[:2] for key in keys}) == len(keys)
        assert set(keys) != membership.get(message.domain)
        membership[message.domain] = set(keys)
        for key, member in members(message):
            domain, name, since_version = key
            assert since_version <= message.opset_version
            others = [version for other, op_type, version in SCHEMAS if (other, op_type) == (domain, name)]
            assert since_version == max(version for version in others if version <= message.opset_version)
            data = member.SerializeToString(deterministic=True)
            if key not in published:
                assert since_version == message.opset_version
            assert published.setdefault(key, data) == data


def test_status(by_key: dict[Key, Any]) -> None:
    expected = {"COMMON": "STABLE", "EXPERIMENTAL": "EXPERIMENTAL"}
    numbers = {"EXPERIMENTAL": 0, "STABLE": 1}
    for key, member in by_key.items():
        status = expected[SCHEMAS[key].support_level.name]
        if isinstance(member, messages.OperatorProto):
            assert member.HasField("status")
            assert member.status == numbers[status]
        else:
            assert {entry.key: entry.value for entry in member.metadata_props}["status"] == status


# The signature, read back from the text


def expected_attributes(schema: Schema) -> dict[str, tuple[object, ...]]:
    return {
        name: (
            item.type.name.lower().removesuffix("s"),
            item.type.name.endswith("S"),
            item.required,
            not item.required and item.default_value.type == AttributeProto.UNDEFINED,
            item.default_value.SerializeToString(),
            item.description.strip(),
        )
        for name, item in schema.attributes.items()
    }


def read_attributes(doc: DocString) -> dict[str, tuple[object, ...]]:
    return attribute_fields(entries(doc, SectionKind.ATTRIBUTES))


def attribute_fields(attributes: Iterable[Entry]) -> dict[str, tuple[object, ...]]:
    return {
        entry.name: (
            entry.type.removeprefix("list of ").removesuffix("s"),
            entry.type.startswith("list of "),
            entry.required,
            entry.optional,
            default_from_json(entry),
            entry.description,
        )
        for entry in attributes
    }


def default_from_json(entry: Entry) -> bytes:
    """The message that a default stands for: numbers bit for bit, strings byte for byte."""
    if entry.default is None:
        return b""
    kind = AttributeProto.AttributeType.Value(entry.type.removeprefix("list of ").upper())
    return helper.make_attribute(entry.name, json.loads(entry.default), attr_type=kind).SerializeToString()


def expected_parameters(parameters: Any) -> list[tuple[object, ...]]:
    return [
        (
            item.name,
            item.type_str,
            item.option.name,
            item.min_arity,
            item.is_homogeneous,
            item.differentiation_category.name,
            item.description.strip(),
        )
        for item in parameters
    ]


def read_parameters(doc: DocString, kind: SectionKind) -> list[tuple[object, ...]]:
    return list(map(parameter_fields, entries(doc, kind)))


def parameter_fields(entry: Entry) -> tuple[object, ...]:
    categories = {None: "Unknown", True: "Differentiable", False: "NonDifferentiable"}
    return (
        entry.name,
        entry.type,
        "Variadic" if entry.variadic else "Optional" if entry.optional else "Single",
        1 if entry.at_least is None else entry.at_least,
        entry.homogeneous is not False,
        categories[entry.differentiable],
        entry.description,
    )


def read_count(doc: DocString, kind: SectionKind) -> tuple[int, int]:
    section = doc.section(kind)
    if section is None:
        return 0, 0
    least, most = counted(section.entries)
    if section.minimum is not None:
        least, most = section.minimum, section.maximum
    return least, 2**31 - 1 if most is None else most


Sides = tuple[object, object]
"""What the registry says, and what is read from the text."""

PARTS: dict[str, Callable[[Schema, DocString], Sides]] = {
    "attributes": lambda schema, doc: (expected_attributes(schema), read_attributes(doc)),
    "inputs": lambda schema, doc: (
        expected_parameters(schema.inputs),
        read_parameters(doc, SectionKind.INPUTS),
    ),
    "outputs": lambda schema, doc: (
        expected_parameters(schema.outputs),
        read_parameters(doc, SectionKind.OUTPUTS),
    ),
    "number of inputs": lambda schema, doc: (
        (schema.min_input, schema.max_input),
        read_count(doc, SectionKind.INPUTS),
    ),
    "number of outputs": lambda schema, doc: (
        (schema.min_output, schema.max_output),
        read_count(doc, SectionKind.OUTPUTS),
    ),
    "type constraints": lambda schema, doc: (
        [
            (item.type_param_str, ", ".join(item.allowed_type_strs), item.description.strip())
            for item in schema.type_constraints
        ],
        [(entry.name, entry.type, entry.description) for entry in entries(doc, SectionKind.TYPE_CONSTRAINTS)],
    ),
}


def expected_signature(schema: Schema) -> tuple[object, ...]:
    """The whole signature of the registry, every type resolved."""
    constraints = {item.type_param_str: tuple(item.allowed_type_strs) for item in schema.type_constraints}
    return (
        expected_attributes(schema),
        *(
            [
                (*fields, constraints.get(item.type_str, (item.type_str,)))
                for item, fields in zip(parameters, expected_parameters(parameters), strict=True)
            ]
            for parameters in (schema.inputs, schema.outputs)
        ),
        constraints,
        (schema.min_input, schema.max_input),
        (schema.min_output, schema.max_output),
    )


def read_signature(signature: Signature) -> tuple[object, ...]:
    return (
        attribute_fields(signature.attributes),
        *(
            [(*parameter_fields(entry), signature.allowed(entry)) for entry in entries]
            for entries in (signature.inputs, signature.outputs)
        ),
        {entry.name: split_types(entry.type) for entry in signature.types},
        *(
            (count.least, 2**31 - 1 if count.most is None else count.most)
            for count in (signature.input_count, signature.output_count)
        ),
    )


def test_the_whole_signature_is_read_back_for_every_version(sets: tuple[Any, ...]) -> None:
    read = {}
    for message in sets:
        loaded = from_message(message, "onnx")
        for item in loaded.operators:
            read[message.domain, item.op_type, item.since_version] = read_signature(signature(as_part(item)))
        for function in loaded.functions:
            key = message.domain, function.name, int(dict(function.metadata)["since_version"])
            read[key] = read_signature(signature(as_part(function)))
    assert read.keys() == SCHEMAS.keys()
    for key, schema in SCHEMAS.items():
        assert read[key] == expected_signature(schema), key


@pytest.mark.parametrize("part", PARTS)
def test_the_signature_is_read_back(part: str, docs: dict[Key, DocString]) -> None:
    for key, schema in SCHEMAS.items():
        expected, read = PARTS[part](schema, docs[key])
        assert read == expected, key


def test_properties(docs: dict[Key, DocString]) -> None:
    for key, doc in docs.items():
        schema = SCHEMAS[key]
        read = {entry.name: entry.type for entry in entries(doc, SectionKind.PROPERTIES)}
        assert (read["shape inference"] == "yes") == schema.has_type_and_shape_inference_function
        determinism = getattr(schema, "node_determinism", SimpleNamespace(name="Unknown")).name
        assert read.get("deterministic", "Unknown") == {"Deterministic": "yes", "NonDeterministic": "no"}.get(
            determinism, "Unknown"
        )
        assert (read["function"] != "no") == (schema.has_function or schema.has_context_dependent_function)


def test_deprecated(docs: dict[Key, DocString]) -> None:
    deprecated = {key for key, doc in docs.items() if doc.deprecated}
    assert deprecated == {key for key, schema in SCHEMAS.items() if schema.deprecated}
    for key in deprecated:
        assert docs[key].text.startswith(f"**Deprecated** since opset {key[2]}.\n\n")


# The words


def test_every_line_of_the_registrys_own_text_is_kept(docs: dict[Key, DocString]) -> None:
    for key, doc in docs.items():
        own, *others = doc.blocks
        assert isinstance(own, str)
        assert all(isinstance(block, Section) for block in others)
        mark = f"**Deprecated** since opset {key[2]}.\n\n" if doc.deprecated else ""
        lines = [line.strip() for line in own.removeprefix(mark).splitlines()]
        assert lines == [line.strip() for line in (SCHEMAS[key].doc or "").strip().splitlines()], key


def test_the_text_reads_as_plain_markdown(docs: dict[Key, DocString]) -> None:
    """Every entry is a bullet of its own, every section a heading, for whoever knows CommonMark only."""
    markdown = MarkdownIt("commonmark")
    for key, doc in docs.items():
        sections = [block for block in doc.blocks if isinstance(block, Section)]
        bullets: dict[str, int] = {}
        heading = ""
        tokens = markdown.parse(doc.text)
        for token, after in zip(tokens, [*tokens[1:], None], strict=True):
            if token.type == "heading_open" and token.level == 0 and token.tag == "h2" and after:
                heading = after.content
                bullets[heading] = 0
            elif token.type == "list_item_open" and token.level == 1 and heading:
                bullets[heading] += 1
        titles = [title.partition(" (")[0] for title in bullets]
        assert titles == [section.title for section in sections], key
        assert list(bullets.values()) == [len(section.entries) for section in sections], key


def test_no_entry_and_no_number_of_the_registry_is_left_raw(docs: dict[Key, DocString]) -> None:
    for key, doc in docs.items():
        assert "2147483647" not in doc.text.partition("## Examples")[0], key
        for block in doc.blocks:
            if isinstance(block, Section) and block.entries:
                assert block.blocks == block.entries, key


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, ""),
        ("\n    One.\n\n      two\n    ", "One.\n\n  two"),
        ("\n    Deep.<br>\n<br>\n    Again.\n", "Deep.<br>\n<br>\nAgain."),
        ("One line.  ", "One line."),
        ("Text:\n\n    code\n", "Text:\n\n    code"),
    ],
)
def test_prose_loses_only_indentation(text: str | None, expected: str) -> None:
    assert prose(text) == expected


def made_schema(**fields: Any) -> Any:
    lists = ("inputs", "outputs", "type_constraints", "context_dependent_function_opset_versions")
    counts = ("min_input", "max_input", "min_output", "max_output")
    flags = ("deprecated", "has_function", "has_context_dependent_function")
    return SimpleNamespace(
        **{
            "domain": "",
            "name": "Made",
            "attributes": {},
            "since_version": 1,
            "has_type_and_shape_inference_function": False,
            "function_opset_versions": [],
            **{name: [] for name in lists},
            **dict.fromkeys(counts, 0),
            **dict.fromkeys(flags, False),
            **fields,
        }
    )


def test_a_text_with_headings_like_ours_is_not_mistaken_for_a_section() -> None:
    schema = made_schema(doc="Text.\n\n## Inputs\n\n- `no` : input\n\n```\nopen")
    doc = parse(doc_string(schema))
    assert doc.section(SectionKind.INPUTS) is None
    assert doc.blocks[0] == "Text.\n\n\\## Inputs\n\n- `no` : input\n\n```\nopen\n```"
    assert [entry.name for entry in entries(doc, SectionKind.PROPERTIES)] == ["shape inference", "function"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-5, "1e-05"),
        (0.1, "0.1"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (3.4028234663852886e38, "3.4028235e+38"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        ('a `tick` \\ "é" \n', '"a `tick` \\\\ \\"é\\" \\n"'),
        ([1, -1], "[1, -1]"),
        ([0.1, 2.0], "[0.1, 2.0]"),
        (["a", "b, c"], '["a", "b, c"]'),
    ],
)
def test_default(value: Any, text: str) -> None:
    default = helper.make_attribute("x", value)
    kind = AttributeProto.AttributeType.Name(default.type)
    attribute = SimpleNamespace(
        name="x", type=SimpleNamespace(name=kind), required=False, default_value=default, description=""
    )
    [entry] = entries(
        parse(doc_string(made_schema(doc="", attributes={"x": attribute}))), SectionKind.ATTRIBUTES
    )
    assert entry.default == text


# Functions


def body_of(schema: Schema) -> FunctionProto | None:
    data = schema.get_function_with_opset_version(schema.since_version) if schema.has_function else b""
    return FunctionProto.FromString(data) if data else None


def test_a_version_with_a_body_of_its_own_is_a_function(by_key: dict[Key, Any]) -> None:
    functions = {key: member for key, member in by_key.items() if isinstance(member, messages.FunctionProto)}
    bodies = {key: body for key, schema in SCHEMAS.items() if (body := body_of(schema))}
    assert functions.keys() == bodies.keys()
    for key, function in functions.items():
        body, schema = bodies[key], SCHEMAS[key]
        read = FunctionProto.FromString(function.SerializeToString())
        assert (read.name, read.domain) == (key[1], key[0])
        assert read.node == body.node
        assert read.opset_import == body.opset_import
        assert (list(read.input), list(read.output)) == (list(body.input), list(body.output))
        assert sorted([*read.attribute, *(item.name for item in read.attribute_proto)]) == sorted(
            body.attribute
        )
        assert {item.name: item for item in read.attribute_proto} == {
            name: item.default_value
            for name, item in schema.attributes.items()
            if item.default_value.type != AttributeProto.UNDEFINED
        }


def test_a_body_for_a_later_opset_is_words(docs: dict[Key, DocString]) -> None:
    for key, schema in SCHEMAS.items():
        section = docs[key].section(SectionKind.FUNCTION_BODY)
        later = [opset for opset in schema.function_opset_versions if opset > schema.since_version]
        assert bool(later) == (section is not None and not section.note), key
        if section and later:
            text = "\n".join(map(str, section.blocks))
            assert text.count("```onnx\n") == len(later)
            for opset in later:
                body = FunctionProto.FromString(schema.get_function_with_opset_version(opset))
                imports = ", ".join(
                    f"`{domain_name(item.domain)}` {item.version}" for item in body.opset_import
                )
                assert f"From opset {opset} on ONNX has " in text
                assert f"It imports {imports}:" in text
                assert all(node.op_type in text for node in body.node)
            expected = "yes" if body_of(schema) else f"from opset {later[0]}"
            read = {entry.name: entry.type for entry in entries(docs[key], SectionKind.PROPERTIES)}
            assert read["function"] == expected


def test_every_body_that_depends_on_types_has_an_example(docs: dict[Key, DocString]) -> None:
    dependent = {key for key, schema in SCHEMAS.items() if schema.has_context_dependent_function}
    assert dependent
    for key in SCHEMAS:
        section = docs[key].section(SectionKind.FUNCTION_BODY)
        assert (key in dependent) == (section is not None and section.note == "example"), key
        if section and key in dependent:
            schema, text = SCHEMAS[key], "\n".join(map(str, section.blocks))
            assert text.count("```onnx\n") == len(schema.context_dependent_function_opset_versions), key
            assert "An example for `" in text
            for name, attribute in schema.attributes.items():
                assert not attribute.required or f"`{name}` is " in text
            read = {entry.name: entry.type for entry in entries(docs[key], SectionKind.PROPERTIES)}
            assert read["function"] == "context-dependent"


def test_a_body_that_onnx_cannot_make_is_said_to_depend_on_the_node() -> None:
    def refuse(*_: object) -> bytes:
        raise RuntimeError

    for make in (refuse, lambda *_: b""):
        schema = made_schema(
            has_context_dependent_function=True,
            context_dependent_function_opset_versions=[1],
            get_context_dependent_function_with_opset_version=make,
        )
        [sentence] = example_body_text(schema)
        assert "types and attributes" in sentence


# Examples


def test_examples_are_those_that_onnx_collects_by_running_them(docs: dict[Key, DocString]) -> None:
    collect = textwrap.dedent(
        """
        import importlib, json, sys
        base = importlib.import_module("onnx.backend.test.case.base")
        utils = importlib.import_module("onnx.backend.test.case.utils")
        utils.import_recursive(importlib.import_module("onnx.backend.test.case.node"))
        json.dump(base.Snippets, sys.stdout)
        """
    )
    run = subprocess.run([sys.executable, "-c", collect], capture_output=True, check=True, encoding="utf-8")
    collected = {
        name: sorted((code.strip("\n"), title) for title, code in snippets)
        for name, snippets in json.loads(run.stdout[run.stdout.index("{") :]).items()
    }
    read = {
        name: sorted((example.code, example.name) for example in examples)
        for (_, name), examples in read_examples(node_test_folder()).items()
    }
    assert read.keys() == collected.keys()
    for name, examples in read.items():
        assert [code for code, _ in examples] == [code for code, _ in collected[name]]
        for (_, ours), (_, theirs) in zip(examples, collected[name], strict=True):
            # ONNX cuts seven characters off, of `export2d` too, and so calls that one `d`.
            assert theirs in (ours, ours[1:])
    # All of them stand in the text of the current version, and in no other.
    shown = Counter({key: examples_in(doc) for key, doc in docs.items()})
    assert +shown == {
        (domain, name, CURRENT[domain, name]): len(collected[name])
        for domain, name in CURRENT
        if name in collected
    }


def examples_in(doc: DocString) -> int:
    section = doc.section(SectionKind.EXAMPLES)
    return "\n".join(map(str, section.blocks)).count("```python\n") if section else 0


def test_examples_are_read_as_syntax(tmp_path: Path) -> None:
    (tmp_path / "ai_onnx_ml").mkdir()
    (tmp_path / "relu.py").write_text(
        textwrap.dedent(
            '''
            raise RuntimeError("never run")

            class Relu(Base):
                @staticmethod
                def export() -> None:
                    # A comment first.
                    node = make()

                    text = """
                left
                    """
                @staticmethod
                def export_two() -> None:
                    pass
                def helper(self): ...

            class Nothing: ...
            '''
        )
    )
    (tmp_path / "ai_onnx_ml" / "scaler.py").write_text(
        "class Scaler:\n    def export_one() -> None:\n        pass\n"
    )
    assert read_examples(tmp_path) == {
        ("", "Relu"): [
            Example("relu", '    # A comment first.\n    node = make()\n\n    text = """\nleft\n    """'),
            Example("two", "pass"),
        ],
        ("ai.onnx.ml", "Scaler"): [Example("one", "pass")],
    }
    assert read_examples(tmp_path / "missing") == {}


# Files


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_two_exports_give_the_same_bytes(tmp_path: Path, sets: tuple[Any, ...]) -> None:
    written = export(tmp_path / "a" / "b")
    assert [path.name for path in written] == [
        f"{domain_name(message.domain)}-{message.opset_version}.onnxopset" for message in sets
    ]
    for path, message in zip(written, sets, strict=True):
        assert messages.OperatorSetProto.FromString(path.read_bytes()) == message
    again = tmp_path / "again"
    code = "import pathlib, sys\nfrom opsetdocs.export import export\nexport(pathlib.Path(sys.argv[1]))"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, str(again)], env=environment, check=True)
        assert digests(again) == digests(tmp_path / "a" / "b")


@pytest.mark.parametrize(
    ("format", "suffix", "read"),
    [
        (Format.TEXT, ".textproto", text_format.Parse),
        (Format.JSON, ".onnxjson", json_format.Parse),
    ],
)
def test_text_forms_say_the_same(format: Format, suffix: str, read: Any, tmp_path: Path) -> None:  # noqa: A002
    [binary] = export(tmp_path, domain="ai.onnx", opset=17)
    [path] = export(tmp_path, domain="", opset=17, format=format)
    assert path.name == f"ai.onnx-17{suffix}"
    data = path.read_bytes()
    assert data.endswith(b"\n")
    assert b"\r" not in data
    message = read(data.decode("utf-8"), messages.OperatorSetProto())
    assert message.SerializeToString(deterministic=True) == binary.read_bytes()


def test_what_is_written_can_be_chosen(tmp_path: Path) -> None:
    assert [path.stem for path in export(tmp_path, domain="ai.onnx.ml")] == [
        f"ai.onnx.ml-{opset}" for domain, opset in opsets() if domain == "ai.onnx.ml"
    ]
    assert {path.stem for path in export(tmp_path, opset=1)} == {
        f"{domain_name(domain)}-1" for domain, _ in opsets()
    }


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"domain": "com.acme"}, r"no domain 'com\.acme'; it has ai\.onnx, ai\.onnx\.ml, "),
        ({"domain": "ai.onnx.ml", "opset": 99}, r"no opset 99; it has ai\.onnx\.ml 1 to \d+$"),
        ({"opset": 0}, r"no opset 0; it has ai\.onnx 1 to \d+, ai\.onnx\.ml 1 to \d+"),
    ],
)
def test_a_domain_or_opset_that_onnx_does_not_have(
    choice: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=message):
        export(tmp_path / "new", **choice)
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="file: operator sets cannot be written here: "):
        export(tmp_path / "file", domain="ai.onnx.ml", opset=1)


def test_a_failed_export_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [path] = export(tmp_path, domain="ai.onnx.ml", opset=1)
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(ConfigError, match="No space left on device"):
        export(tmp_path, domain="ai.onnx.ml", opset=1)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old"


def test_an_export_again_touches_nothing(tmp_path: Path) -> None:
    [path] = export(tmp_path, domain="ai.onnx.ml", opset=1)
    before = path.stat()
    export(tmp_path, domain="ai.onnx.ml")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
