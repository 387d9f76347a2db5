"""Of operator sets that keep every rule nothing is said; one broken promise gives its rule and no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper
from onnx.onnx_ml_pb2 import EXPERIMENTAL, STABLE
from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

from opsetdocs.loader import from_message
from opsetdocs.model import OperatorSet
from opsetdocs.rules import RULES, run
from valid_sets import OTHER, Catalog, Entry, bodies, catalogs, function, operator

Messages = list[OperatorSetProto]
Break = Callable[[Catalog, st.DrawFn], tuple[Messages, Messages]]

DOC = "Text.\n\n## Attributes\n\n- `a` (default `1`) : int\n"
BREAKS: list[tuple[str, Break]] = []

# Hypothesis measures nothing here: the machines that run this are noisy.
relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def breaks(rule: str) -> Callable[[Break], Break]:
    def register(look: Break) -> Break:
        BREAKS.append((rule, look))
        return look

    return register


def sets(messages: Messages) -> list[OperatorSet]:
    return [from_message(item, f"opset{number}") for number, item in enumerate(messages)]


def found(messages: Messages, published: Messages) -> Sequence[str]:
    return [finding.rule for finding in run(sets(messages), sets(published))]


# The set as a whole


def _changed(**fields: object) -> Break:
    """Give a field of the last file a value, or take it away."""

    def look(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
        messages = catalog.messages()
        for name, value in fields.items():
            if value is None:
                messages[-1].ClearField(name)
            else:
                setattr(messages[-1], name, value)
        return messages, []

    look.__name__ = "_".join(f"{name}_{value}" for name, value in fields.items())
    return look


for _rule, _fields in (
    ("OPSET_MAGIC", {"magic": None}),
    ("OPSET_MAGIC", {"magic": "ONNX"}),
    ("OPSET_IR_VERSION_PRESENT", {"ir_version": None}),
    ("OPSET_IR_VERSION_PRESENT", {"ir_version": 0}),
    ("OPSET_IR_VERSION_KNOWN", {"ir_version": 9999}),
    ("OPSET_IR_VERSION_SEMVER", {"ir_version_prerelease": "rc..1"}),
    ("OPSET_IR_VERSION_SEMVER", {"ir_build_metadata": "build+1"}),
    ("OPSET_VERSION_PRESENT", {"opset_version": None}),
    ("OPSET_VERSION_PRESENT", {"opset_version": -3}),
):
    breaks(_rule)(_changed(**_fields))


@breaks("OPSET_DOMAIN_REVERSE_DNS")
def domain_without_a_dot(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    catalog.domain = "this"
    for entry in catalog.entries:
        if not isinstance(entry.message, OperatorProto):
            entry.message.domain = "this"
    return catalog.messages(), []


@breaks("OPSET_UNKNOWN_FIELDS")
def unknown_field(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    messages = catalog.messages()
    messages[-1].MergeFromString(b"\xc0\x3e\x01")  # field 1000
    return messages, []


@breaks("OPSET_UNIQUE")
def second_file(catalog: Catalog, draw: st.DrawFn) -> tuple[Messages, Messages]:
    messages = catalog.messages()
    again = OperatorSetProto()
    again.CopyFrom(messages[-1])
    again.doc_string = draw(st.sampled_from(["", "Other words."]))
    return [*messages, again], []


@breaks("OPSET_MEMBERSHIP_CHANGED")
def opset_without_news(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    messages = catalog.messages()
    again = OperatorSetProto()
    again.CopyFrom(messages[-1])
    again.opset_version += 1
    return [*messages, again], []


@breaks("OPSET_KEPT")
def opset_gone(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    catalog.cumulative = False
    messages = catalog.messages()
    return messages[:-1], messages


@breaks("OPSET_KEPT")
def published_opset_with_one_more(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    published = catalog.messages()
    catalog.entries.append(Entry(operator("Fresh", catalog.last, DOC), catalog.last))
    return catalog.messages(), published


# One entry more, in the last opset or in the last two


def _fresh(rule: str, message: Callable[[Catalog, st.DrawFn], object], name: str, *, since: int = 0) -> None:
    def look(catalog: Catalog, draw: st.DrawFn) -> tuple[Messages, Messages]:
        made = message(catalog, draw)
        catalog.entries.append(Entry(made, catalog.last + since))  # type: ignore[arg-type]
        return catalog.messages(), []

    look.__name__ = name
    breaks(rule)(look)


def _operator(name: str, doc: str = DOC, status: int | None = STABLE) -> Callable[..., OperatorProto]:
    def make(catalog: Catalog, _: st.DrawFn) -> OperatorProto:
        made = operator(name, catalog.last, doc, STABLE if status is None else status)
        if status is None:
            made.ClearField("status")
        if not name:
            made.ClearField("op_type")
        return made

    return make


for _name, _made, _id in (
    ("OPERATOR_OP_TYPE_PRESENT", _operator(""), "no_name"),
    ("OPERATOR_OP_TYPE_IDENTIFIER", _operator("1-bad"), "no_identifier"),
    ("OPERATOR_OP_TYPE_IDENTIFIER", _operator("Größe"), "no_ascii"),
    ("OPERATOR_STATUS_KNOWN", _operator("Fresh", status=None), "no_status"),
    ("OPERATOR_DOC_STRING_PRESENT", _operator("Fresh", ""), "no_text"),
    ("OPERATOR_DOC_STRING_PRESENT", _operator("Fresh", " \n "), "blank_text"),
    ("DOC_LINKS", _operator("Fresh", "See [this](javascript:alert(1))."), "script_link"),
    ("DOC_LINKS", _operator("Fresh", "See <vbscript:run>."), "script_autolink"),
    ("DOC_SIGNATURE", _operator("Fresh", DOC + "- `a` (required) : int\n"), "name_twice"),
    ("DOC_SIGNATURE", _operator("Fresh", DOC + "- a bullet without a name\n"), "no_entry"),
):
    _fresh(_name, _made, _id)


@breaks("OPERATOR_SINCE_VERSION_PRESENT")
def no_since_version(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    messages = catalog.messages()
    messages[-1].operator.add(op_type="Fresh", status=STABLE, doc_string="Text.")
    return messages, []


@breaks("OPERATOR_SINCE_VERSION_WITHIN_SET")
def since_version_of_the_future(catalog: Catalog, draw: st.DrawFn) -> tuple[Messages, Messages]:
    messages = catalog.messages()
    messages[-1].operator.append(operator("Fresh", catalog.last + draw(st.integers(1, 9)), DOC))
    return messages, []


@breaks("OPERATOR_SINCE_VERSION_IS_FIRST_SET")
def since_version_of_an_opset_without_it(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    messages = catalog.messages()
    messages[-1].operator.append(operator("Fresh", catalog.last - 1, DOC))
    return messages, []


@breaks("OPERATOR_UNIQUE")
def entry_twice(catalog: Catalog, draw: st.DrawFn) -> tuple[Messages, Messages]:
    messages = catalog.messages()
    members = [*messages[-1].operator, *messages[-1].functions]
    again = draw(st.sampled_from(members))
    target = messages[-1].operator if isinstance(again, OperatorProto) else messages[-1].functions
    target.append(again)  # type: ignore[arg-type]
    if draw(st.booleans()):
        target[-1].doc_string = "Other words."
    return messages, []


def _changing(
    rule: str, name: str, old: Callable[[], object], new: Callable[[], object], *, against: bool = False
) -> None:
    """An entry of the last opset but one that the next opset, or the next release, has otherwise."""

    def look(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
        versions = []
        for make in (old, new):
            made = make()
            made.since_version = catalog.last - 1  # type: ignore[attr-defined]
            messages = catalog.messages()
            for message in messages:
                if message.opset_version >= catalog.last - 1:
                    message.operator.append(made)  # type: ignore[arg-type]
            versions.append(messages)
        before, after = versions
        return (after, before) if against else ([*before[:-1], after[-1]], [])

    look.__name__ = f"{name}_against" if against else name
    breaks(rule)(look)


def _named(doc: str, status: int = STABLE) -> Callable[[], OperatorProto]:
    return lambda: operator("Fresh", 1, doc, status)


TYPES = "Text.\n\n## Inputs\n\n- `X` : T\n\n## Type Constraints\n\n- `T` : tensor(float){more}\n"

for _against in (False, True):
    for _name, _id, _old, _new in (
        (
            "OPERATOR_STABLE_SIGNATURE_KEPT",
            "another_default",
            _named(DOC),
            _named(DOC.replace("`1`", "`2`")),
        ),
        (
            "OPERATOR_STABLE_SIGNATURE_KEPT",
            "narrower",
            _named(TYPES.format(more=", tensor(bool)")),
            _named(TYPES.format(more="")),
        ),
        (
            "OPERATOR_STABLE_SIGNATURE_KEPT",
            "wider",
            _named(TYPES.format(more="")),
            _named(TYPES.format(more=", tensor(bool)")),
        ),
        ("OPERATOR_STABLE_DOC_KEPT", "other_words", _named(DOC), _named(DOC.replace("Text.", "Words."))),
        ("OPERATOR_STATUS_KEPT", "promoted", _named(DOC, EXPERIMENTAL), _named(DOC)),
        ("OPERATOR_STATUS_KEPT", "demoted", _named(DOC), _named(DOC, EXPERIMENTAL)),
        (
            "OPERATOR_EXPERIMENTAL_CHANGED",
            "revised",
            _named(DOC, EXPERIMENTAL),
            _named("Other words.", EXPERIMENTAL),
        ),
    ):
        _changing(_name, _id, _old, _new, against=_against)


@breaks("OPERATOR_STABLE_REMOVED")
def stable_one_gone(catalog: Catalog, _: st.DrawFn) -> tuple[Messages, Messages]:
    catalog.cumulative = False
    catalog.entries.append(
        Entry(operator("Fresh", catalog.last - 1, DOC), catalog.last - 1, catalog.last - 1)
    )
    return catalog.messages(), []


# Functions


def _function(catalog: Catalog, draw: st.DrawFn, **changed: object) -> object:
    arguments = {
        "name": "Fresh",
        "domain": catalog.domain,
        "since_version": catalog.last,
        "doc": "Text.",
        "nodes": draw(bodies()),
        "imports": [OTHER],
        **changed,
    }
    return function(**arguments)  # type: ignore[arg-type]


def repeated_input(catalog: Catalog, draw: st.DrawFn) -> object:
    made = _function(catalog, draw)
    made.input.append("X")  # type: ignore[attr-defined]
    return made


def attribute_in_both_lists(catalog: Catalog, draw: st.DrawFn) -> object:
    made = _function(catalog, draw)
    made.attribute.append("beta")  # type: ignore[attr-defined]
    return made


def nothing_imported(catalog: Catalog, draw: st.DrawFn) -> object:
    return _function(catalog, draw, imports=[])


def imported_twice(catalog: Catalog, draw: st.DrawFn) -> object:
    return _function(catalog, draw, imports=[OTHER, OTHER])


def reads_what_is_not_there(catalog: Catalog, draw: st.DrawFn) -> object:
    made = _function(catalog, draw)
    made.node[0].input.append("nowhere")  # type: ignore[attr-defined]
    return made


def wrong_order(catalog: Catalog, draw: st.DrawFn) -> object:
    nodes = [
        helper.make_node("Step", ["first"], ["Y"], domain=OTHER),
        helper.make_node("Step", ["X"], ["first"], domain=OTHER),
    ]
    return _function(catalog, draw, nodes=nodes)


def output_not_produced(catalog: Catalog, draw: st.DrawFn) -> object:
    made = _function(catalog, draw)
    made.output.append("Z")  # type: ignore[attr-defined]
    return made


def attribute_not_declared(catalog: Catalog, draw: st.DrawFn) -> object:
    made = _function(catalog, draw)
    made.attribute[0] = "gamma"  # type: ignore[attr-defined]
    return made


def foreign_domain(catalog: Catalog, draw: st.DrawFn) -> object:
    return _function(catalog, draw, domain="com.third.ops")


def calls_what_is_not_there(catalog: Catalog, draw: st.DrawFn) -> object:
    nodes = [helper.make_node("Missing", ["X"], ["Y"], domain=catalog.domain)]
    made = _function(catalog, draw, nodes=nodes, imports=[catalog.domain])
    made.opset_import[0].version = catalog.last  # type: ignore[attr-defined]
    return made


def retired_since_version(catalog: Catalog, draw: st.DrawFn) -> object:
    made = _function(catalog, draw)
    made.MergeFromString(bytes([2 << 3, catalog.last]))  # type: ignore[attr-defined]
    return made


def retired_status(catalog: Catalog, draw: st.DrawFn) -> object:
    made = _function(catalog, draw)
    made.MergeFromString(bytes([3 << 3, STABLE]))  # type: ignore[attr-defined]
    return made


for _rule, _function_break in (
    ("FUNCTION_SIGNATURE", repeated_input),
    ("FUNCTION_SIGNATURE", attribute_in_both_lists),
    ("FUNCTION_OPSET_IMPORT", nothing_imported),
    ("FUNCTION_OPSET_IMPORT", imported_twice),
    ("FUNCTION_BODY", reads_what_is_not_there),
    ("FUNCTION_BODY", wrong_order),
    ("FUNCTION_BODY", output_not_produced),
    ("FUNCTION_BODY", attribute_not_declared),
    ("FUNCTION_DOMAIN", foreign_domain),
    ("FUNCTION_CALLS_KNOWN", calls_what_is_not_there),
    ("FUNCTION_RETIRED_FIELDS", retired_since_version),
    ("FUNCTION_RETIRED_FIELDS", retired_status),
):
    _fresh(_rule, _function_break, _function_break.__name__)


# What is tested


@relaxed
@given(catalogs())
def test_nothing_is_said_of_sets_that_keep_every_rule(catalog: Catalog) -> None:
    messages = catalog.messages()
    assert found(messages, []) == []
    assert found(messages, messages) == []


@relaxed
@given(catalogs(), st.randoms(use_true_random=False))
def test_the_order_of_files_means_nothing(catalog: Catalog, random: Random) -> None:
    messages = catalog.messages()
    random.shuffle(messages)
    assert found(messages, []) == []


@pytest.mark.parametrize(("rule", "look"), [pytest.param(*item, id=item[1].__name__) for item in BREAKS])
@settings(relaxed, max_examples=25)
@given(data=st.data())
def test_one_broken_promise_gives_its_rule_and_no_other(rule: str, look: Break, data: st.DataObject) -> None:
    catalog = data.draw(catalogs())
    messages, published = look(catalog, data.draw)  # type: ignore[arg-type]
    assert set(found(messages, published)) == {rule}


def test_every_rule_is_broken_once() -> None:
    assert {rule for rule, _ in BREAKS} == set(RULES)
