"""`opsetdocs check` as a user runs it: what it reads, what it prints, and with what it exits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from html_site import BuiltSite
from opsetdocs.cli import main

CASES = Path(__file__).parent / "cases"

Check = Callable[..., Result]

GOOD = """\
magic: "ONNXOPSET"
ir_version: 10
domain: "com.acme.ops"
opset_version: {opset}
operator {{
  op_type: "Scale"
  since_version: 1
  status: STABLE
  doc_string: "{text}"
}}
operator {{
  op_type: "Shift"
  since_version: {opset}
  status: STABLE
  doc_string: "Shifts by {opset}."
}}
"""


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, code: int | None = None) -> Result:
        result = CliRunner().invoke(main, ["check", *arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        if code is not None:
            assert result.exit_code == code, result.output
        return result

    return run


def write(folder: Path, *opsets: int, text: str = "Scales.") -> None:
    folder.mkdir(exist_ok=True)
    for opset in opsets:
        (folder / f"{opset}.textproto").write_text(GOOD.format(opset=opset, text=text))


def found(result: Result) -> set[tuple[str, str, str]]:
    """Rule, file and element of each finding of the JSON output."""
    return {
        (item.get("rule", ""), Path(item["file"]).name, item.get("element", ""))
        for item in json.loads(result.stdout)["findings"]
    }


UNUSABLE = [
    ("L1", "OPSET_MAGIC"),
    ("L2", ""),
    ("L5", ""),
    ("L6", ""),
    ("L8", ""),
    ("L9-both", ""),
    ("L11", ""),
]


@pytest.mark.parametrize(("case", "rule"), UNUSABLE)
def test_an_unusable_file_is_the_one_finding(check: Check, case: str, rule: str) -> None:
    (file,) = (item for item in CASES.iterdir() if item.stem == case or item.name.startswith(f"{case}-"))
    result = check(str(file), "--format", "json", code=2)
    (finding,) = json.loads(result.stdout)["findings"]
    assert (finding.get("rule", ""), Path(finding["file"]).name) == (rule, file.name)
    assert finding["unusable"]
    assert check(str(file), "--ignore", "OPSET_MAGIC", "--fail-on", "never").exit_code == 2


def test_the_other_files_are_checked_all_the_same(check: Check) -> None:
    result = check(*(str(CASES / name) for name in ("L11-empty.textproto", "V2-since-too-new.textproto")))
    assert result.exit_code == 2
    assert "L11-empty.textproto: Empty file" in result.stdout
    assert "since_version is 17" in result.stdout


EXPECTED: list[tuple[str, int, set[tuple[str, str, str]]]] = [
    ("L3", 0, set()),
    ("L4", 0, set()),
    ("V1", 1, {("OPERATOR_UNIQUE", "V1-duplicate.textproto", "operator[2] Tanh")}),
    ("V2", 1, {("OPERATOR_SINCE_VERSION_WITHIN_SET", "V2-since-too-new.textproto", "operator[0] LayerNorm")}),
    (
        "V3",
        0,
        {
            ("OPERATOR_STABLE_DOC_KEPT", "V3-b-opset22.textproto", "operator[0] GlobalLpPool"),
            ("OPERATOR_EXPERIMENTAL_CHANGED", "V3-b-opset22.textproto", "operator[2] Draft"),
        },
    ),
    ("V4", 0, {("OPSET_DOMAIN_REVERSE_DNS", "V4-placeholder-domain.textproto", "")}),
    (
        "V5",
        1,
        {
            ("OPSET_UNIQUE", "V5-b-vendor.textproto", ""),
            ("OPERATOR_UNIQUE", "V5-b-vendor.textproto", "operator[0] Relu"),
        },
    ),
    ("H1", 0, set()),
    ("H2", 0, set()),
    ("H3", 0, set()),
    ("H4", 0, {("OPERATOR_STABLE_REMOVED", "H4-b-opset10.textproto", "")}),
    ("H5", 0, set()),
    ("H6", 0, {("OPERATOR_STATUS_KNOWN", "H6-status-unset.textproto", "operator[2] Silent")}),
    # Its second node reads a value that nothing gives.
    ("F1", 1, {("FUNCTION_BODY", "F1-function-body.textproto", "functions[0] ScaledRelu")}),
    ("F2", 0, {("OPERATOR_DOC_STRING_PRESENT", "F2-imports.textproto", "functions[0] Mixed")}),
    ("F3", 0, set()),
    ("F4", 0, {("OPERATOR_DOC_STRING_PRESENT", "F4-attribute-defaults.textproto", "functions[0] Window")}),
    ("S1", 0, set()),
    (
        "S2",
        0,
        {
            ("OPSET_DOMAIN_REVERSE_DNS", "S2-names.textproto", ""),
            (
                "OPERATOR_OP_TYPE_IDENTIFIER",
                "S2-names.textproto",
                "operator[0] <img src=x onerror=alert(1)>",
            ),
            ("OPERATOR_OP_TYPE_IDENTIFIER", "S2-names.textproto", 'operator[1] A" onmouseover="x'),
            ("OPERATOR_OP_TYPE_IDENTIFIER", "S2-names.textproto", "operator[2] B' onfocus='x"),
        },
    ),
    ("S3", 0, set()),
    ("S5", 0, set()),
]


@pytest.mark.parametrize(("case", "code", "expected"), EXPECTED, ids=[case for case, _, _ in EXPECTED])
def test_cases(check: Check, case: str, code: int, expected: set[tuple[str, str, str]]) -> None:
    files = sorted(map(str, CASES.glob(f"{case}-*")))
    assert found(check(*files, "--format", "json", code=code)) == expected


def test_a_finding_names_line_and_column(check: Check) -> None:
    result = check(str(CASES / "V2-since-too-new.textproto"), code=1)
    assert "V2-since-too-new.textproto:7:3: operator[0] LayerNorm: since_version is 17" in result.stdout


def test_like_findings_are_grouped_and_counted(check: Check, tmp_path: Path) -> None:
    (tmp_path / "many.textproto").write_text(
        GOOD.format(opset=1, text="Scales.")
        + "".join(
            f'operator {{ op_type: "A{n}" since_version: 1 doc_string: "Text." }}\n' for n in range(100)
        )
    )
    result = check("many.textproto", code=0)
    assert result.stdout.count("status is not stated") == 10
    assert "90 more" in result.stdout
    assert "100 warnings in 1 file" in result.stdout
    assert check("many.textproto", "--all").stdout.count("status is not stated") == 100


# Which rules count


def test_a_rule_is_selected_or_ignored_by_id_or_pattern(check: Check) -> None:
    files = sorted(map(str, CASES.glob("V5-*")))
    assert {rule for rule, _, _ in found(check(*files, "--format", "json", "--select", "opset_unique"))} == {
        "OPSET_UNIQUE"
    }
    result = check(*files, "--format", "json", "--ignore", "OPSET_UNIQUE,OPERATOR_*", code=0)
    assert found(result) == set()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), 0),
        (("--strict",), 1),
        (("--fail-on", "warning"), 1),
        (("--fail-on", "note"), 1),
        (("--fail-on", "never"), 0),
        (("--fail-on", "error"), 0),
    ],
)
def test_what_makes_it_fail(check: Check, arguments: tuple[str, ...], code: int) -> None:
    check(str(CASES / "V4-placeholder-domain.textproto"), *arguments, code=code)


def test_a_rule_that_is_not_there(check: Check) -> None:
    result = check(str(CASES / "L3-plain.textproto"), "--select", "OPSET_MAGICK", code=2)
    assert "--select: there is no rule 'OPSET_MAGICK'; is OPSET_MAGIC meant?" in result.stderr


# Settings


def test_pyproject_states_sources_and_levels(check: Check, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        f"[tool.opsetdocs]\nsources = [{str(CASES / 'V4-placeholder-domain.textproto')!r}]\n"
        'levels = { OPSET_DOMAIN_REVERSE_DNS = "error" }\n'
    )
    assert "1 error" in check(code=1).stdout


def test_mkdocs_yml_counts_before_pyproject(check: Check, tmp_path: Path) -> None:
    source = str(CASES / "V4-placeholder-domain.textproto")
    (tmp_path / "pyproject.toml").write_text(
        f'[tool.opsetdocs]\nfail-on = "warning"\nsources = [{source!r}]\nignore = ["OPSET_*"]\n'
    )
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: x\nplugins:\n  - opsetdocs:\n      ignore: [DOC_LINKS]\n"
        "      levels: {FUNCTION_BODY: off}\n"
    )
    assert "1 warning" in check(code=1).stdout
    check("--fail-on", "never", code=0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[tool.opsetdocs]\nignored = ["DOC_LINKS"]', "unknown key 'ignored'; is ignore meant?"),
        ('[tool.opsetdocs]\nselect = "DOC_LINKS"', "select is 'DOC_LINKS', expected a list of rules"),
        ('[tool.opsetdocs]\nselect = ["NOTHING"]', "select: there is no rule 'NOTHING'"),
        ('[tool.opsetdocs]\nlevels = {DOC_LINKS = "fatal"}', "expected rules and for each of them"),
        ('[tool.opsetdocs]\nfail_on = "fatal"', "expected note, warning, error or never"),
        ("[tool]\nopsetdocs = 3", "expected a table"),
        ("[tool.opsetdocs", "pyproject.toml: "),
    ],
)
def test_settings_that_cannot_be_used(check: Check, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    result = check(str(CASES / "L3-plain.textproto"), code=2)
    assert words in result.stderr
    assert "pyproject.toml" in result.stderr


# Known findings


def test_known_findings_are_not_reported_again(check: Check, tmp_path: Path) -> None:
    write(tmp_path / "ops", 1, 2)
    (tmp_path / "ops/2.textproto").write_text(GOOD.format(opset=2, text="Other words."))
    check("ops", "--strict", code=1)
    check("ops", "--strict", "--write-baseline", "known.json", code=0)
    result = check("ops", "--strict", "--baseline", "known.json", code=0)
    assert "1 known finding" in result.stdout
    write(tmp_path / "ops", 3, text="A third text.")
    text = (tmp_path / "ops/3.textproto").read_text()
    (tmp_path / "ops/3.textproto").write_text(text.replace("status: STABLE\n", "", 1))
    assert "OPERATOR_STATUS_KNOWN" in check("ops", "--strict", "--baseline", "known.json", code=1).stdout


def test_a_baseline_that_is_none(check: Check, tmp_path: Path) -> None:
    write(tmp_path / "ops", 1)
    (tmp_path / "known.json").write_text("[]")
    assert "known.json" in check("ops", "--baseline", "known.json", code=2).stderr
    assert "missing.json" in check("ops", "--baseline", "missing.json", code=2).stderr


# What was published before


def test_against_another_folder(check: Check, tmp_path: Path) -> None:
    write(tmp_path / "old", 1, 2)
    write(tmp_path / "new", 1, 2, 3)
    check("new", "--against", "old", "--strict", code=0)
    write(tmp_path / "new", 2, text="Other words.")
    write(tmp_path / "new", 1, 3, text="Other words.")
    result = check("new", "--against", "old", "--strict", code=1)
    assert "OPERATOR_STABLE_DOC_KEPT" in result.stdout
    assert '"Scales." became "Other words."' in " ".join(result.stdout.replace("|", " ").split())


def test_against_unusable_files_nothing_is_compared(check: Check, tmp_path: Path) -> None:
    write(tmp_path / "new", 1)
    write(tmp_path / "old", 1)
    (tmp_path / "old/broken.textproto").write_text('magic: "ONNXOPSET" operater {}')
    result = check("new", "--against", "old", code=2)
    assert "old: cannot be compared with" in result.stderr
    assert "broken.textproto" in result.stderr


# The site


def test_a_build_has_the_same_findings(
    mkdocs_site: Callable[..., BuiltSite], caplog: pytest.LogCaptureFixture
) -> None:
    mkdocs_site("V2", strict=False)
    levels = {
        record.levelname for record in caplog.records if "[OPERATOR_SINCE_VERSION_WITHIN" in record.message
    }
    assert levels == {"ERROR"}


def test_the_levels_of_the_plugin_count_in_a_strict_build(mkdocs_site: Callable[..., BuiltSite]) -> None:
    mkdocs_site("V4", plugin={"levels": {"OPSET_DOMAIN_REVERSE_DNS": "note"}})
    mkdocs_site("V4", plugin={"ignore": ["OPSET_DOMAIN_*"]})
