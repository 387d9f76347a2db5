"""A function's own fields and the sections of its text, put together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, helper

from operator_sets import operator
from opsetdocs.docstring import DocString, Entry, Section, SectionKind
from opsetdocs.export.registry import doc_string
from opsetdocs.export.schemas import Schema, all_schemas
from opsetdocs.meaning import as_part
from opsetdocs.model import STABLE, AttributeDefault, Function, Value
from opsetdocs.signature import Count, Signature, count_in_words, signature, with_function_fields


def function(**fields: object) -> Function:
    values: dict[str, object] = {
        "name": "F",
        "overload": "",
        "domain": "com.example",
        "since_version": None,
        "status": STABLE,
        "inputs": (),
        "outputs": (),
        "attributes": (),
        "attribute_defaults": (),
        "nodes": (),
        "opset_imports": (),
        "values": (),
        "metadata": (),
        "doc_string": None,
        "position": 0,
        "proto": b"",
        "body_key": "",
    }
    return Function(**(values | fields))  # type: ignore[arg-type]


def doc(*blocks: Section | str) -> DocString:
    return DocString(text="", blocks=blocks)


def test_without_sections_the_fields_follow_the_prose() -> None:
    blocks = with_function_fields(
        doc("Prose."),
        function(
            inputs=("x",),
            outputs=("y",),
            attributes=("size",),
            attribute_defaults=(AttributeDefault("alpha", "float", "0.25", "Slope."),),
            values=(Value("x", "tensor(float)"),),
        ),
    )
    assert blocks == (
        "Prose.",
        Section(
            SectionKind.ATTRIBUTES,
            "Attributes",
            2,
            blocks=(
                Entry("size", marks=("required",), required=True),
                Entry("alpha", type="float", description="Slope.", marks=("default `0.25`",), default="0.25"),
            ),
        ),
        Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("x", type="tensor(float)"),)),
        Section(SectionKind.OUTPUTS, "Outputs", 2, blocks=(Entry("y"),)),
    )


def test_fields_that_the_text_lacks_stand_before_its_first_section() -> None:
    examples = Section(SectionKind.EXAMPLES, "Examples", 2, blocks=("text",))
    blocks = with_function_fields(doc("Prose.", examples), function(inputs=("x",)))
    assert [block if isinstance(block, str) else block.kind.value for block in blocks] == [
        "Prose.",
        "Inputs",
        "Examples",
    ]


@pytest.mark.parametrize(
    ("written", "stated", "expected"),
    [
        pytest.param(
            Entry("a", type="float", description="Text.", marks=("default `1.0`",), default="1.0"),
            {"attribute_defaults": (AttributeDefault("a", "float", "2.0", None),)},
            Entry("a", type="float", description="Text.", marks=("default `2.0`",), default="2.0"),
            id="the field's default comes first",
        ),
        pytest.param(
            Entry("a", type="float", marks=("default `1.0`",), default="1.0"),
            {"attributes": ("a",)},
            Entry("a", type="float", marks=("default `1.0`",), default="1.0"),
            id="the text gives the default of an attribute that has none of its own",
        ),
        pytest.param(
            Entry("a", type="int"),
            {"attributes": ("a",)},
            Entry("a", type="int", marks=("required",), required=True),
            id="an attribute without a default is required",
        ),
        pytest.param(
            Entry("a", type="int", marks=("optional",), optional=True),
            {"attributes": ("a",)},
            Entry("a", type="int", marks=("optional",), optional=True),
            id="unless the text says that it is optional",
        ),
        pytest.param(
            Entry("a", type="int", marks=("experimental",)),
            {"attribute_defaults": (AttributeDefault("a", "float", "1.0", None),)},
            Entry("a", type="float (int)", marks=("default `1.0`", "experimental"), default="1.0"),
            id="nothing of the text is lost",
        ),
    ],
)
def test_an_entry_of_the_text_is_completed(
    written: Entry, stated: dict[str, object], expected: Entry
) -> None:
    section = Section(SectionKind.ATTRIBUTES, "Attributes", 2, blocks=("before", written, Entry("other")))
    (merged,) = with_function_fields(doc(section), function(**stated))
    assert isinstance(merged, Section)
    assert merged.blocks == ("before", expected, Entry("other"))


def test_a_second_section_of_a_kind_stays_as_it_is() -> None:
    first = Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("x"),))
    second = Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("z"),))
    assert with_function_fields(doc(first, second), function(inputs=("x", "y"))) == (
        Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("x"), Entry("y"))),
        second,
    )


REST = Entry("rest", variadic=True)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("x"), Entry("y"))), ""),
        (Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("x"), Entry("y", optional=True))), "1 to 2"),
        (Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("x"), REST)), "2 or more"),
        (
            Section(SectionKind.INPUTS, "Inputs", 2, blocks=(Entry("v", variadic=True, at_least=0),)),
            "0 or more",
        ),
        (
            Section(SectionKind.INPUTS, "Inputs", 2, minimum=2, unbounded=True, blocks=(Entry("x"),)),
            "2 or more",
        ),
        (Section(SectionKind.OUTPUTS, "Outputs", 2, minimum=1, maximum=3, blocks=(Entry("x"),)), "1 to 3"),
        (Section(SectionKind.OUTPUTS, "Outputs", 2, minimum=2, maximum=2, blocks=(Entry("x"),)), "2"),
        (Section(SectionKind.ATTRIBUTES, "Attributes", 2, blocks=(Entry("x", optional=True),)), ""),
    ],
)
def test_the_count_of_values_in_words(section: Section, words: str) -> None:
    assert count_in_words(section) == words


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        (Count(1, 3), Count(2, 2), True),
        (Count(1, 3), Count(0, 2), False),
        (Count(1, 3), Count(1, 4), False),
        (Count(1, 3), Count(1, None), False),
        (Count(1, None), Count(2, None), True),
        (Count(1, None), 2, False),
    ],
)
def test_a_count_within_another(one: Count, other: object, holds: bool) -> None:
    assert (other in one) is holds


# The signature as a whole


def read(text: str) -> Signature:
    return signature(as_part(operator("Op", 1, text)))


def test_the_signature_of_a_text() -> None:
    assert read("Text.") == Signature()
    found = read(
        "## Outputs (0 - 1)\n\n- `Y` : T\n\n## Type Constraints\n\n- `T` : tensor(float)\n\n"
        "## Properties\n\n- `deterministic` : yes\n\n## Outputs\n\n- `Z`\n"
    )
    assert found == Signature(
        outputs=(Entry("Y", "T"),),
        types=(Entry("T", "tensor(float)"),),
        properties=(Entry("deterministic", "yes"),),
        output_count=Count(0, 1),
    )


def test_the_signature_of_a_function_has_its_fields() -> None:
    part = as_part(
        function(
            inputs=("x", "z"),
            attributes=("size",),
            doc_string="## Inputs\n\n- `x` (optional) : T\n",
            metadata=(("status", "STABLE"),),
        )
    )
    found = signature(part)
    assert [entry.name for entry in found.inputs] == ["x", "z"]
    assert found.inputs[0].optional
    assert found.input_count == Count(1, 2)
    assert found.attributes[0].required


@pytest.mark.parametrize(
    ("bullet", "fields"),
    [
        ("- `a` : int", {"optional": True}),
        ("- `a` (default `1`) : int", {"optional": False}),
        ("- `a` (required) : int", {"optional": False}),
    ],
)
def test_an_attribute_that_can_be_left_out_is_optional(bullet: str, fields: dict[str, object]) -> None:
    [entry] = read(f"## Attributes\n\n{bullet}\n").attributes
    assert {name: getattr(entry, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("section", "at_least"),
    [
        ("## Inputs\n\n- `X`\n- `V` (variadic)", 1),
        ("## Inputs\n\n- `X`\n- `V` (variadic, at least 0)", 0),
        ("## Inputs (3 - ∞)\n\n- `X`\n- `V` (variadic)", 2),
        ("## Inputs (3 - ∞)\n\n- `X`\n- `V` (variadic, at least 0)", 0),
        ("## Inputs (0 - ∞)\n\n- `X`\n- `V` (variadic)", 0),
        ("## Inputs\n\n- `X` (optional)\n- `V` (variadic)", 1),
        ("## Inputs (2 - ∞)\n\n- `X` (optional)\n- `V` (variadic)", 1),
    ],
)
def test_how_many_values_a_variadic_input_needs(section: str, at_least: int) -> None:
    single, variadic = read(section).inputs
    assert (variadic.at_least, variadic.homogeneous) == (at_least, True)
    assert (single.at_least, single.homogeneous) == (None, None)


TYPES = (Entry("T", "tensor(float), tensor(double)"), Entry("U", "map(int64, string)"), Entry("V", ""))


@pytest.mark.parametrize(
    ("written", "types"),
    [
        ("", ()),
        ("T", ("tensor(float)", "tensor(double)")),
        ("T (on the host)", ("tensor(float)", "tensor(double)")),
        ("U", ("map(int64, string)",)),
        ("V", ()),
        ("W", ("W",)),
        ("tensor(int64)", ("tensor(int64)",)),
        ("tensor(float) (T)", ("tensor(float)",)),
        ("tensor(int64), map(int64, string)", ("tensor(int64)", "map(int64, string)")),
        ("seq(T)", ("seq(tensor(float))", "seq(tensor(double))")),
        ("map(string, T)", ("map(string, tensor(float))", "map(string, tensor(double))")),
        ("map(U, T)", ("map(U, T)",)),
        ("tensor(T2)", ("tensor(T2)",)),
    ],
)
def test_the_types_that_an_input_allows(written: str, types: tuple[str, ...]) -> None:
    assert Signature(types=TYPES).allowed(Entry("X", written)) == types


# The HTML of ONNX's Operators.md and onnxruntime's ContribOperators.md


def page_text(schema: Schema) -> str:
    """Write a signature as the generators of these pages do."""
    return "\n".join(
        [
            "#### Attributes\n",
            *description_list(attribute_terms(schema)),
            f"#### Inputs{heading_count(schema.min_input, schema.max_input)}\n",
            *description_list(parameter_terms(schema.inputs)),
            f"#### Outputs{heading_count(schema.min_output, schema.max_output)}\n",
            *description_list(parameter_terms(schema.outputs)),
            "#### Type Constraints\n",
            *description_list(
                (f"<tt>{item.type_param_str}</tt> : {', '.join(item.allowed_type_strs)}", item.description)
                for item in schema.type_constraints
            ),
        ]
    )


def description_list(terms: Iterable[tuple[str, str]]) -> Iterator[str]:
    items = [f"<dt>{term}</dt>\n<dd>{description}</dd>" for term, description in terms]
    if items:
        yield from ("<dl>", *items, "</dl>\n")


def heading_count(least: int, most: int) -> str:
    if least == most:
        return ""
    return f" ({least} - {'&#8734;' if most == 2**31 - 1 else most})"


def attribute_terms(schema: Schema) -> Iterator[tuple[str, str]]:
    for name, item in sorted(schema.attributes.items()):
        kind = item.type.name.lower()
        words = f"list of {kind}" if kind.endswith("s") else kind
        remark = ""
        if item.required:
            remark = " (required)"
        elif item.default_value.type != AttributeProto.UNDEFINED:
            remark = f" (default is {default_text(helper.get_attribute_value(item.default_value))})"
        yield f"<tt>{name}</tt> : {words}{remark}", item.description


def default_text(value: Any) -> str:
    """Write a default as the generators do: texts bare, lists as Python prints them.

    They also round numbers to five digits, so that 1e-6 becomes 0: that is lost, and is left out here.
    """
    if isinstance(value, list):
        return str([default_text(item) for item in value])
    if isinstance(value, bytes):
        return value.decode()
    return str(np.float32(value)) if isinstance(value, float) else str(value)


def parameter_terms(parameters: Any) -> Iterator[tuple[str, str]]:
    differentiable = {"Differentiable": "differentiable", "NonDifferentiable": "non-differentiable"}
    for item in parameters:
        option = item.option.name
        tags = [option.lower()] if option != "Single" else []
        tags += ["heterogeneous"] if option == "Variadic" and not item.is_homogeneous else []
        tags += filter(None, [differentiable.get(item.differentiation_category.name)])
        marks = f" ({', '.join(tags)})" if tags else ""
        yield f"<tt>{item.name}</tt>{marks} : {item.type_str}", item.description


def test_the_html_of_onnx_gives_the_same_signature() -> None:
    for schema in all_schemas():
        bullets = signature(as_part(operator("Op", 1, doc_string(schema))))
        page = signature(as_part(operator("Op", 1, page_text(schema))))
        # These pages have no properties. Nor do they give a count whose ends are equal, and for GRU 1 it does
        # not follow from the outputs.
        bullets = replace(bullets, properties=())
        if (schema.name, schema.since_version) == ("GRU", 1):
            assert page.output_count == Count(1, 2)
            page = replace(page, output_count=bullets.output_count)
        assert plain(page) == plain(bullets), (schema.name, schema.since_version)


def plain(item: Signature) -> list[object]:
    """A signature by its meaning: without marks as written, defaults by value."""
    entries = (item.attributes, item.inputs, item.outputs, item.types, item.properties)
    return [
        item.input_count,
        item.output_count,
        *([plain_entry(entry) for entry in group] for group in entries),
    ]


def plain_entry(entry: Entry) -> tuple[object, ...]:
    default: object = entry.default
    if entry.default is not None and entry.type in ("float", "int", "string", *LISTS):
        value = json.loads(entry.default)
        default = np.float32(value).tolist() if "float" in entry.type else value
    return replace(entry, marks=(), default=None, description=" ".join(entry.description.split())), default


LISTS = ("list of floats", "list of ints", "list of strings")
