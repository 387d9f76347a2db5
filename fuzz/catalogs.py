"""Catalogs of several files, made by hypothesis: each field has a value that somebody may write, or worse."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, TypeProto
from onnx.onnx_operators_ml_pb2 import OperatorProto, OperatorSetProto

from fuzz.examine import make_site, show_text, texts
from fuzz.mutation import NUMBERS, TEXTS
from opsetdocs import difference_report, rules, show
from opsetdocs.catalog import Catalog
from opsetdocs.compare_sets import compare_sets
from opsetdocs.errors import ConfigError, FileError
from opsetdocs.history import build_catalog
from opsetdocs.loader import from_message
from opsetdocs.lookup import Found
from opsetdocs.model import OperatorSet

ACTIVE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\A\s*::[A-Za-z]|##\w*\[")
"""What does something in a terminal or to a CI system."""

_CHARACTERS = st.characters(codec="utf-8")
_ANY_TEXT = st.text(_CHARACTERS, max_size=12)
NAMES = st.one_of(
    st.sampled_from(
        ["Conv", "conv", "CONV", "Relu", "Con", "aux.h", "index", "templates", "..", "a/../b", "\\\\a"]
    ),
    st.sampled_from(
        ["x" * 81, "X" * 81, "~1a2b3c4d", "Straße", "STRASSE", "é", "e\u0301", "", " ", "1-2", "opsets"]
    ),
    _ANY_TEXT,
)
DOMAINS = st.one_of(
    st.sampled_from(
        ["", "ai.onnx", "com.acme", "com.Acme", "content", "__config", "..", ".lab", "a/b", "com.acme."]
    ),
    _ANY_TEXT,
)
VERSIONS = st.one_of(st.integers(1, 5), st.sampled_from(NUMBERS))
DOCS = st.one_of(
    st.none(),
    st.lists(st.sampled_from(TEXTS), max_size=6).map("".join),
    st.lists(st.sampled_from(TEXTS), max_size=4).map("\n\n".join),
    _ANY_TEXT,
)
VALUES = st.one_of(st.sampled_from(["x", "y", "z", "", "X"]), _ANY_TEXT)


def _filled(message_class: type, **fields: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Return messages some of whose fields are set."""
    return st.fixed_dictionaries({}, optional=fields).map(
        lambda values: message_class(**{name: value for name, value in values.items() if value is not None})
    )


_TENSORS = _filled(
    TensorProto,
    data_type=st.integers(0, 27),
    dims=st.lists(st.sampled_from([0, 1, 2, 3, -1, 2**40]), max_size=3),
    float_data=st.lists(st.floats(width=32), max_size=4),
    int32_data=st.lists(st.integers(-(2**31), 2**31 - 1), max_size=4),
    int64_data=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4),
    string_data=st.lists(st.binary(max_size=4), max_size=2),
    raw_data=st.binary(max_size=16),
    name=VALUES,
)
_TYPES = st.builds(
    lambda kind: TypeProto(tensor_type=TypeProto.Tensor(elem_type=kind)),
    st.sampled_from([0, 1, 7, 8, 16, 99]),
)
_PLAIN_ATTRIBUTES = _filled(
    AttributeProto,
    name=VALUES,
    ref_attr_name=VALUES,
    type=st.sampled_from(AttributeProto.AttributeType.values()),
    f=st.floats(width=32),
    i=st.sampled_from(NUMBERS),
    s=st.one_of(st.binary(max_size=6), _ANY_TEXT.map(str.encode)),
    t=_TENSORS,
    tp=_TYPES,
    floats=st.lists(st.floats(width=32), max_size=3),
    strings=st.lists(st.binary(max_size=4), max_size=3),
    doc_string=DOCS,
)


def _nodes(attributes: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return _filled(
        NodeProto,
        op_type=NAMES,
        domain=DOMAINS,
        overload=st.sampled_from(["", "o"]),
        input=st.lists(VALUES, max_size=3),
        output=st.lists(VALUES, max_size=3),
        attribute=st.lists(attributes, max_size=2),
    )


_GRAPHS = _filled(GraphProto, name=VALUES, node=st.lists(_nodes(_PLAIN_ATTRIBUTES), max_size=2))
NODES = _nodes(st.one_of(_PLAIN_ATTRIBUTES, _filled(AttributeProto, name=VALUES, g=_GRAPHS)))
OPERATORS = _filled(
    OperatorProto, op_type=NAMES, since_version=VERSIONS, status=st.sampled_from([0, 1]), doc_string=DOCS
)
FUNCTIONS = st.builds(
    lambda function, stated: _with_metadata(function, stated),
    _filled(
        FunctionProto,
        name=NAMES,
        overload=st.sampled_from(["", "o"]),
        domain=DOMAINS,
        input=st.lists(VALUES, max_size=3),
        output=st.lists(VALUES, max_size=2),
        attribute=st.lists(VALUES, max_size=2),
        attribute_proto=st.lists(_PLAIN_ATTRIBUTES, max_size=2),
        node=st.lists(NODES, max_size=3),
        doc_string=DOCS,
    ),
    st.dictionaries(
        st.sampled_from(["since_version", "status", "other"]),
        st.one_of(st.sampled_from(["1", "2", "0", "-1", "²", "9" * 30, "STABLE", "EXPERIMENTAL"]), _ANY_TEXT),
    ),
)


def add(message: OperatorSetProto, entry: object) -> None:
    if isinstance(entry, OperatorProto):
        message.operator.append(entry)
    elif isinstance(entry, FunctionProto):
        message.functions.append(entry)


def _with_metadata(function: FunctionProto, stated: dict[str, str]) -> FunctionProto:
    for key, value in stated.items():
        function.metadata_props.add(key=key, value=value)
    for domain in {node.domain for node in function.node}:
        function.opset_import.add(domain=domain, version=1)
    return function


@st.composite
def published(draw: st.DrawFn) -> list[OperatorSetProto]:
    """Up to four files, most of them of one domain, that share some of their entries."""
    shared = draw(st.lists(st.one_of(OPERATORS, FUNCTIONS), max_size=4))
    main = draw(DOMAINS)
    files = []
    for _ in range(draw(st.integers(1, 4))):
        message = OperatorSetProto(magic="ONNXOPSET", ir_version=draw(st.sampled_from([3, 7, 8, 13])))
        message.domain = main if draw(st.integers(0, 3)) else draw(DOMAINS)
        message.opset_version = draw(VERSIONS)
        doc = draw(DOCS)
        if doc is not None:
            message.doc_string = doc
        for entry in [item for item in shared if draw(st.booleans())] + draw(
            st.lists(st.one_of(OPERATORS, FUNCTIONS), max_size=2)
        ):
            add(message, entry)
        files.append(message)
    return files


def examine(messages: Sequence[OperatorSetProto]) -> None:
    """Do with several files all that the commands and the plugin do with them.

    Raises:
        Exception: The files have found a fault.
    """
    sets: list[OperatorSet] = []
    for number, message in enumerate(messages):
        try:
            sets.append(from_message(message, f"{number}.onnxopset"))
        except FileError:
            continue
    for checked, old in ((sets, ()), (sets[1:], sets[:1])):
        for finding in rules.run(checked, old):
            str(finding)
    for item in sets:
        for text in texts(item):
            show_text(text)
    catalog = build_catalog(sets)
    make_site(catalog)
    _show(catalog)
    try:
        difference = compare_sets(build_catalog(sets[:1]), build_catalog(sets[1:]))
    except ConfigError:
        return
    for line in difference_report.difference_lines(difference, 80):
        assert not ACTIVE.search(str(line)), f"not safe to print: {line!r}"
    difference_report.difference_markdown(difference)
    difference_report.difference_data(difference)


def _show(catalog: Catalog) -> None:
    lines = list(show.list_lines(catalog, 80))
    for domain in catalog.domains:
        for operator in domain.operators:
            lines += show.operator_lines(Found(domain, operator, None), 80, examples=True)
    for line in lines:
        assert not ACTIVE.search(str(line)), f"not safe to print: {line!r}"


def fuzz(*, runs: int | None, seconds: float | None, seed: int) -> None:
    """Examine catalogs until there were as many as asked for, or the time is over.

    Raises:
        Exception: A catalog has found a fault; hypothesis prints the smallest one that does.
    """
    end = time.monotonic() + seconds if seconds else float("inf")
    count, step = 0, 100
    while (runs is None or count < runs) and time.monotonic() < end:
        _some(min(step, (runs or step + count) - count), seed + count)
        count += step
    print(f"catalog: {min(count, runs or count)} catalogs, nothing found")


def _some(number: int, start: int) -> None:
    @seed(start)
    @settings(
        max_examples=number,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(published())
    def survives(messages: list[OperatorSetProto]) -> None:
        examine(messages)

    survives()
