"""`catalog.json`: what it says of all of ONNX and of the cases, and that its schema holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnx
import onnx.defs
import pytest
from jsonschema import Draft202012Validator

from conftest import CASES
from html_site import BuiltSite
from opsetdocs.build import build_site
from opsetdocs.catalog_json import CATALOG, SCHEMA
from opsetdocs.resources import site_config_dir
from opsetdocs.site import DomainOptions, Site, SiteOptions

Json = dict[str, Any]

USABLE = sorted(
    {path.name.split("-")[0] for path in CASES.glob("*.textproto")} - {"L1", "L11", "L2", "L6", "L8"}
)
"""The cases with files that can be read."""


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = json.loads((site_config_dir() / SCHEMA).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.fixture(scope="module")
def onnx_catalog(onnx_site: BuiltSite) -> Json:
    read: Json = json.loads((onnx_site.folder / CATALOG).read_text(encoding="utf-8"))
    return read


def catalog_of(site: Site) -> Json:
    read: Json = json.loads(site.assets[CATALOG], parse_constant=pytest.fail)
    return read


def operators(catalog: Json) -> Iterator[tuple[str, Json]]:
    for domain in catalog["domains"]:
        for operator in domain["operators"]:
            yield domain["name"], operator


def versions(catalog: Json) -> dict[tuple[str, str, int], Json]:
    return {
        (domain, operator["name"], version["since_version"]): version
        for domain, operator in operators(catalog)
        for version in operator["versions"]
    }


def only_version(site: Site) -> Json:
    [version] = versions(catalog_of(site)).values()
    return version


# The schema


@pytest.mark.parametrize("case", USABLE)
def test_the_catalog_of_a_case_keeps_the_schema(
    site_of: Callable[..., Site], validator: Draft202012Validator, case: str
) -> None:
    assert [error.message for error in validator.iter_errors(catalog_of(site_of(case)))] == []


def test_the_catalog_of_onnx_keeps_the_schema(onnx_catalog: Json, validator: Draft202012Validator) -> None:
    assert [error.message for error in validator.iter_errors(onnx_catalog)] == []


def test_the_schema_is_beside_the_catalog(site_of: Callable[..., Site]) -> None:
    site = site_of("L3")
    assert catalog_of(site)["$schema"] == SCHEMA
    assert site.assets[SCHEMA] == (site_config_dir() / SCHEMA).read_bytes()


def test_the_schema_allows_nothing_that_it_does_not_describe(validator: Draft202012Validator) -> None:
    def objects(schema: Any) -> Iterator[Json]:
        if isinstance(schema, dict):
            if schema.get("type") == "object" or "unevaluatedProperties" in schema:
                yield schema
            for value in schema.values():
                yield from objects(value)

    schema: Any = validator.schema
    closed = ("additionalProperties", "unevaluatedProperties")
    found = list(objects(schema))
    assert len(found) > 10
    # An event is closed where it is used: that of an opset names its operator, too.
    open_ones = [item for item in found if all(item.get(name, True) is True for name in closed)]
    assert open_ones == [schema["$defs"]["event"]]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"more": 1},
        {"domains": [{}]},
        {"title": None},
    ],
)
def test_the_schema_refuses(
    site_of: Callable[..., Site], validator: Draft202012Validator, change: Json
) -> None:
    assert not validator.is_valid(catalog_of(site_of("L3")) | change)


@pytest.mark.parametrize("where", ["events", "removal"])
def test_the_schema_refuses_an_unknown_field_of_an_event(
    tmp_path: Path, validator: Draft202012Validator, where: str
) -> None:
    sources = (
        set_file(tmp_path, 1, operator("Goes"), operator("Stays")),
        set_file(tmp_path, 2, operator("Stays")),
    )
    catalog = catalog_of(build_site(SiteOptions(sources=sources)))
    assert validator.is_valid(catalog)
    [removed] = [item for _, item in operators(catalog) if "removal" in item]
    event = removed["removal"] if where == "removal" else removed["events"][0]
    event["operator"] = removed["id"]
    assert not validator.is_valid(catalog)


# All of ONNX


def schemas() -> list[onnx.defs.OpSchema]:
    return list(onnx.defs.get_all_schemas_with_history())


def key(schema: onnx.defs.OpSchema) -> tuple[str, str, int]:
    return schema.domain or "ai.onnx", schema.name, schema.since_version


def test_every_version_is_in_it_once(onnx_catalog: Json) -> None:
    found = versions(onnx_catalog)
    assert set(found) == set(map(key, schemas()))
    assert len(found) == len(schemas())
    for schema in schemas():
        version = found[key(schema)]
        assert version["deprecated"] == schema.deprecated, key(schema)
        experimental = schema.support_level == onnx.defs.OpSchema.SupportType.EXPERIMENTAL
        assert version["status"] == ("experimental" if experimental else "stable"), key(schema)


def test_every_opset_offers_what_the_registry_offers(onnx_catalog: Json) -> None:
    for domain in onnx_catalog["domains"]:
        registry = [key(schema) for schema in schemas() if key(schema)[0] == domain["name"]]
        top = max(version for *_, version in registry)
        if domain["name"] == "ai.onnx":
            top = onnx.defs.onnx_opset_version()
        assert [opset["version"] for opset in domain["opsets"]] == list(range(1, top + 1))
        assert domain["missing"] == []
        for opset in domain["opsets"]:
            expected: dict[str, int] = {}
            for name, _, since_version in sorted((f"{d}.{n}", n, v) for d, n, v in registry):
                if since_version <= opset["version"]:
                    expected[name] = max(since_version, expected.get(name, 0))
            assert opset["members"] == expected, (domain["name"], opset["version"])


def test_ranges_and_members_agree(onnx_catalog: Json) -> None:
    for domain in onnx_catalog["domains"]:
        from_ranges = {
            (number, operator["id"]): version["since_version"]
            for operator in domain["operators"]
            for version in operator["versions"]
            for offered in version["offered"]
            for number in range(offered["first"], offered["last"] + 1)
        }
        assert from_ranges == {
            (opset["version"], id_): since_version
            for opset in domain["opsets"]
            for id_, since_version in opset["members"].items()
        }


def test_the_events_of_opsets_are_those_of_operators(onnx_catalog: Json) -> None:
    for domain in onnx_catalog["domains"]:
        of_operators = [
            {"operator": operator["id"], **event}
            for operator in domain["operators"]
            for event in operator["events"]
        ]
        of_opsets = [event for opset in domain["opsets"] for event in opset["events"]]
        assert sorted(of_opsets, key=repr) == sorted(of_operators, key=repr)
        assert all(
            event["opset"] == opset["version"] for opset in domain["opsets"] for event in opset["events"]
        )


def test_signatures_are_those_of_the_registry(onnx_catalog: Json) -> None:
    found = versions(onnx_catalog)
    for schema in schemas():
        stated = found[key(schema)]["signature"]
        constraints = {item.type_param_str: list(item.allowed_type_strs) for item in schema.type_constraints}
        assert {item["name"]: item["types"] for item in stated["type_constraints"]} == constraints
        for kind in ("inputs", "outputs"):
            formal = getattr(schema, kind)
            assert [(item["name"], item["type"]) for item in stated[kind]] == [
                (item.name, item.type_str) for item in formal
            ]
            for item, parameter in zip(stated[kind], formal, strict=True):
                option = parameter.option
                assert item.get("optional", False) == (option == option.Optional), key(schema)
                assert item.get("variadic", False) == (option == option.Variadic), key(schema)
                assert item["types"] == constraints.get(parameter.type_str, [parameter.type_str])
        assert {item["name"]: item["required"] for item in stated["attributes"]} == {
            name: attribute.required for name, attribute in schema.attributes.items()
        }
        for count, least, most in (
            ("input_count", schema.min_input, schema.max_input),
            ("output_count", schema.min_output, schema.max_output),
        ):
            assert stated[count] == {"least": least, "most": None if most == 2**31 - 1 else most}


def test_defaults_are_json_values(onnx_catalog: Json) -> None:
    found = versions(onnx_catalog)
    compared = 0
    for schema in schemas():
        stated = {item["name"]: item for item in found[key(schema)]["signature"]["attributes"]}
        for name, attribute in schema.attributes.items():
            default = attribute.default_value
            assert ("default_text" in stated[name]) == bool(default.name), (key(schema), name)
            if not default.name or default.HasField("t"):
                assert "default" not in stated[name]
                continue
            value = onnx.helper.get_attribute_value(default)
            text = json.loads(json.dumps(value, default=lambda item: item.decode()))
            expected = pytest.approx(text, rel=1e-6) if isinstance(text, float) else text
            assert stated[name]["default"] == expected, (key(schema), name)
            compared += 1
    assert compared > 500


def test_addresses_and_ids_are_those_of_the_site(onnx_catalog: Json, onnx_site: BuiltSite) -> None:
    for domain in onnx_catalog["domains"]:
        operators = domain["operators"]
        everything = [domain, *domain["opsets"], *operators, *(v for o in operators for v in o["versions"])]
        for item in everything:
            folder = onnx_site.folder / item["address"]
            assert f'id="{item["id"]}"' in (folder / "index.html").read_text(encoding="utf-8")
            assert (folder / "index.md").is_file()


# Cases


@pytest.mark.parametrize(
    ("default", "expected"),
    [
        ("1", {"default": 1}),
        ("-0.5", {"default": -0.5}),
        ("1e-05", {"default": 1e-05}),
        ('"none"', {"default": "none"}),
        ("[1, 2]", {"default": [1, 2]}),
        ("[]", {"default": []}),
        ("0", {"default": 0}),
        ('""', {"default": ""}),
        ("none", {}),
        ("NaN", {}),
        ("-Infinity", {}),
        ("1e999", {}),
        ("float {1e-05}", {}),
        ("9" * 5000, {}),
        ("[" * 100_000, {}),
    ],
)
def test_a_default(
    site_from_text: Callable[[str], Site], validator: Draft202012Validator, default: str, expected: Json
) -> None:
    site = site_from_text(f"Text.\n\n## Attributes\n\n- `a` (default `{default}`) : int\n")
    assert only_version(site)["signature"]["attributes"] == [
        {"name": "a", "type": "int", "required": False, "default_text": default, **expected}
    ]
    assert validator.is_valid(catalog_of(site))


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("- `X`", {"name": "X", "type": "", "types": []}),
        ("- `X` : T", {"name": "X", "type": "T", "types": ["tensor(float)", "map(int64, string)"]}),
        ("- `X` (optional) : S", {"name": "X", "type": "S", "types": ["S"], "optional": True}),
        (
            "- `X` (variadic, at least 0, heterogeneous, non-differentiable) : int64",
            {
                "name": "X",
                "type": "int64",
                "types": ["int64"],
                "variadic": True,
                "at_least": 0,
                "homogeneous": False,
                "differentiable": False,
            },
        ),
    ],
)
def test_an_input(site_from_text: Callable[[str], Site], entry: str, expected: Json) -> None:
    constraint = "## Type Constraints\n\n- `T` : tensor(float), map(int64, string)\n"
    site = site_from_text(f"Text.\n\n## Inputs\n\n{entry}\n\n{constraint}")
    assert only_version(site)["signature"]["inputs"] == [expected]


def set_file(folder: Path, opset_version: int, *operators: Json) -> str:
    """Write an operator set of the domain `com.x` in JSON form."""
    written = {"magic": "ONNXOPSET", "irVersion": 10, "domain": "com.x", "opsetVersion": opset_version}
    file = folder / f"{opset_version}.json"
    file.write_text(json.dumps({**written, "operator": operators}), encoding="utf-8")
    return str(file)


def operator(name: str, text: str = "Text.\n") -> Json:
    return {"opType": name, "sinceVersion": 1, "status": 1, "docString": text}


@pytest.fixture
def site_from_text(tmp_path: Path) -> Callable[[str], Site]:
    """Return a function that builds the site of one operator with this doc_string."""

    def build(text: str) -> Site:
        return build_site(SiteOptions(sources=(set_file(tmp_path, 1, operator("Op", text)),)))

    return build


def test_what_is_not_proved_is_not_said(tmp_path: Path) -> None:
    sources = (
        set_file(tmp_path, 3, operator("Stays"), operator("Goes")),
        set_file(tmp_path, 6, operator("Stays")),
    )
    [domain] = catalog_of(build_site(SiteOptions(sources=sources)))["domains"]
    assert domain["missing"] == [{"first": 1, "last": 2}, {"first": 4, "last": 5}]
    assert [opset["missing_before"] for opset in domain["opsets"]] == [
        [{"first": 1, "last": 2}],
        [{"first": 4, "last": 5}],
    ]
    removal = {
        "kind": "removed",
        "opset": 6,
        "since_version": 1,
        "missing": [{"first": 4, "last": 5}],
        "last_seen": 3,
    }
    assert {item["name"]: item.get("removal") for item in domain["operators"]} == {
        "Stays": None,
        "Goes": removal,
    }
    assert {"operator": "com.x.Goes", **removal} in domain["opsets"][1]["events"]


def test_the_title_of_a_domain(site_of: Callable[..., Site]) -> None:
    titled = site_of("L3", title="All", domains={"com.example": DomainOptions(title="Examples")})
    assert catalog_of(titled)["title"] == "All"
    assert [domain.get("title") for domain in catalog_of(titled)["domains"]] == ["Examples"]
    assert "title" not in catalog_of(site_of("L3"))["domains"][0]


def test_names_of_any_kind_have_addresses(site_of: Callable[..., Site]) -> None:
    for case in ("S2", "N4", "T2"):
        site = site_of(case)
        addresses = {page.address for page in site.pages}
        for _, operator in operators(catalog_of(site)):
            assert operator["address"] in addresses


def test_changes_of_a_version(onnx_catalog: Json) -> None:
    found = versions(onnx_catalog)
    assert "changes" not in found["ai.onnx", "Softmax", 1]
    first, *_ = found["ai.onnx", "Softmax", 13]["changes"]
    assert first == {
        "kind": "default changed",
        "weight": "default",
        "subject": "axis",
        "words": "default of axis changed from 1 to -1",
    }
