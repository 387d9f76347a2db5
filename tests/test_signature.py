"""A function's own fields and the sections of its text, put together."""

from __future__ import annotations

import pytest

from opsetdocs.docstring import DocString, Entry, Section, SectionKind
from opsetdocs.model import STABLE, AttributeDefault, Function, Value
from opsetdocs.signature import count_in_words, with_function_fields


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
