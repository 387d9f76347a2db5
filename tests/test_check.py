"""`opsetdocs check` as a user runs it: what it reads, what it prints, and with what it exits."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from html_site import BuiltSite
from opsetdocs import check_settings
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


def test_where_nothing_is_named_it_says_that_onnx_is_checked(check: Check, tmp_path: Path) -> None:
    said = "all of ONNX is checked, as installed: no source is named"
    arguments = ("--select", "OPSET_MAGIC", "--format", "json")
    assert said in check(*arguments, code=0).stderr
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nplugins: [search]\n")
    result = check(*arguments, code=0)
    assert said in result.stderr
    assert json.loads(result.stdout)["summary"]["files"] > 30
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nplugins: [opsetdocs]\n")
    assert check(*arguments, code=0).stderr == ""


@pytest.mark.parametrize(
    ("plugins", "words"),
    [
        ("[{opsetdocs: {ignored: [DOC_LINKS]}}]", "has an unknown key 'ignored'; is ignore meant?"),
        ("[{opsetdocs: {source: [a]}}]", "has an unknown key 'source'; is sources meant?"),
        ("{opsetdocs: {zzz: 1}}", "has an unknown key 'zzz'; expected sources, "),
        ("[{opsetdocs: {fail_on: fatal}}]", "fail_on is 'fatal', expected note, warning, error or never"),
    ],
)
def test_what_mkdocs_yml_says_is_looked_at(check: Check, tmp_path: Path, plugins: str, words: str) -> None:
    (tmp_path / "mkdocs.yml").write_text(f"site_name: x\nplugins: {plugins}\n")
    result = check(code=2)
    assert "Error: mkdocs.yml: " in result.stderr
    assert words in result.stderr


@pytest.mark.parametrize("text", ["5", "text", "- a", "plugins: 5"])
def test_an_mkdocs_yml_of_another_kind(check: Check, tmp_path: Path, text: str) -> None:
    (tmp_path / "mkdocs.yml").write_text(text)
    result = check("--config-file", "mkdocs.yml", code=2)
    expected = "mkdocs.yml: expected settings, such as site_name: a name for the site"
    assert (expected in result.stderr) or ("does not list the plugin opsetdocs" in result.stderr)


def test_the_keys_of_mkdocs_yml_are_the_options_of_the_plugin() -> None:
    from opsetdocs.plugin_options import OpsetDocsConfig

    assert set(check_settings._PLUGIN_KEYS) == {name for name, _ in OpsetDocsConfig._schema} | {"enabled"}


@pytest.mark.parametrize(("fail_on", "code"), [("warning", 1), ("error", 2), ("never", 2), ("note", 2)])
def test_strict_stands_beside_no_other_level(check: Check, fail_on: str, code: int) -> None:
    case = str(CASES / "V4-placeholder-domain.textproto")
    result = check(case, "--strict", "--fail-on", fail_on, code=code)
    assert ("--strict means --fail-on warning" in result.stderr) == (code == 2)


# Known findings


def test_known_findings_are_not_reported_again(check: Check, tmp_path: Path) -> None:
    write(tmp_path / "ops", 1, 2)
    (tmp_path / "ops/2.textproto").write_text(GOOD.format(opset=2, text="Other words."))
    check("ops", "--strict", code=1)
    result = check("ops", "--strict", "--write-baseline", "known.json", code=0)
    assert result.stderr == "wrote 1 finding to known.json\n"
    result = check("ops", "--strict", "--baseline", "known.json", code=0)
    assert "1 known finding" in result.stdout
    write(tmp_path / "ops", 3, text="A third text.")
    text = (tmp_path / "ops/3.textproto").read_text()
    (tmp_path / "ops/3.textproto").write_text(text.replace("status: STABLE\n", "", 1))
    assert "OPERATOR_STATUS_KNOWN" in check("ops", "--strict", "--baseline", "known.json", code=1).stdout


def test_a_conflict_that_changed_is_not_known(check: Check, tmp_path: Path) -> None:
    write(tmp_path / "ops", 1)
    write(tmp_path / "ops", 2, text="Other words.")
    check("ops", "--write-baseline", "known.json", code=0)
    (tmp_path / "ops/1.textproto").rename(tmp_path / "ops/first.textproto")
    (tmp_path / "ops/2.textproto").write_text("# A comment.\n" + (tmp_path / "ops/2.textproto").read_text())
    check("ops", "--strict", "--baseline", "known.json", code=0)
    write(tmp_path / "ops", 2, text="Words again.")
    check("ops", "--strict", "--baseline", "known.json", code=1)


def test_a_baseline_does_not_depend_on_the_revision(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    write(tmp_path / "ops", 1, 2)
    for command in ("init -q", "add .", "-c user.name=x -c user.email=x commit -qm x", "tag v1", "tag v2"):
        subprocess.run(["git", *command.split()], check=True, capture_output=True)
    (tmp_path / "ops/1.textproto").unlink()
    write(tmp_path / "ops", 2, text="Other words.")
    check("ops", "--against", "git:v1", "--write-baseline", "known.json", code=0)
    result = check("ops", "--against", "git:v2", "--baseline", "known.json", "--strict", code=0)
    assert "2 known findings" in result.stdout
    assert "v1" not in (tmp_path / "known.json").read_text()


def test_no_baseline_is_written_while_a_file_is_unusable(check: Check, tmp_path: Path) -> None:
    write(tmp_path / "ops", 1)
    (tmp_path / "ops/2.textproto").write_text('magic: "ONNXOPSET" operater {}')
    result = check("ops", "--write-baseline", "known.json", code=2)
    assert "known.json is not written: 1 file cannot be used" in result.stderr
    assert "2.textproto" in result.stdout
    assert not (tmp_path / "known.json").exists()


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
    assert "git:REV:PATH" in result.stderr


@pytest.mark.parametrize("broken", ['magic: "ONNXOPSET" operater {}', GOOD.format(opset=2, text="Scales.")])
def test_an_opset_is_not_gone_that_may_be_in_an_unusable_file(
    check: Check, tmp_path: Path, broken: str
) -> None:
    write(tmp_path / "old", 1, 2)
    write(tmp_path / "new", 1)
    gone = {("OPSET_KEPT", "2.textproto", "")}
    assert gone <= found(check("new", "--against", "old", "--format", "json"))
    (tmp_path / "new/2.textproto").write_text(broken.replace("opset_version: 2\n", ""))
    assert not gone & found(check("new", "--against", "old", "--format", "json"))


# For programs


def test_half_a_character_is_replaced_in_json(check: Check, tmp_path: Path) -> None:
    name = b"ops-\xff\\ud800-\xf0\x9f\x98\x80.textproto"
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(GOOD.format(opset=1, text="").replace("com.", "").encode())
    text = check(".", "--format", "json", code=0).stdout
    assert text.isascii()
    names = {item["file"] for item in json.loads(text)["findings"]}
    assert names == {"ops-\ufffd\\ud800-\N{GRINNING FACE}.textproto"}


@pytest.mark.parametrize("format_", ["github", "sarif"])
def test_files_are_named_from_the_top_of_the_repository(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_: str
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    (tmp_path / "docs").mkdir()
    write(tmp_path / "docs/ops", 1)
    monkeypatch.chdir(tmp_path / "docs")
    text = check("ops", "--select", "OPERATOR_DOC*", "--format", format_).stdout
    write(tmp_path / "docs/ops", 1, text="")
    assert "docs/ops/1.textproto" not in text
    assert "docs/ops/1.textproto" in check("ops", "--format", format_).stdout


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


def published_before(folder: Path) -> None:
    """What is published says one thing, and what is to be another one."""
    write(folder / "old", 1)
    write(folder / "ops", 1, text="Other words.")


@pytest.fixture
def built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Callable[[str], list[str]]:
    """Build a site with options of the plugin, and return what the log says of rules, level first."""
    monkeypatch.chdir(tmp_path)
    published_before(tmp_path)
    (tmp_path / "docs").mkdir()

    def build(options: str) -> list[str]:
        (tmp_path / "mkdocs.yml").write_text(f"site_name: x\nplugins: [search, {{opsetdocs: {options}}}]\n")
        config = load_config(str(tmp_path / "mkdocs.yml"))
        config.plugins.on_startup(command="build", dirty=False)
        mkdocs_build(config)
        return [f"{item.levelname} {item.getMessage()}" for item in caplog.records if "_KEPT" in item.message]

    return build


def test_a_build_compares_with_what_was_published(built: Callable[[str], list[str]]) -> None:
    (message,) = built("{sources: [ops], against: old}")
    assert message.split("\n") == [
        (
            "WARNING opsetdocs: ops/1.textproto:9:3: operator[0] Scale: "
            "the text of since_version 1, which is STABLE, "
            "differs from that published in old/1.textproto (opset 1) [OPERATOR_STABLE_DOC_KEPT]"
        ),
        '  | text changed: "Scales." became "Other words."',
        "  | in conflict with old/1.textproto:9:3: operator[0] Scale",
    ]


def test_a_build_follows_pyproject_too(built: Callable[[str], list[str]], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.opsetdocs]\nsources = ["ops"]\nagainst = "old"\n'
        'levels = {OPERATOR_STABLE_DOC_KEPT = "error"}\n'
    )
    (message,) = built("{}")
    assert message.startswith("ERROR opsetdocs: ops/1.textproto")


def test_mkdocs_yml_counts_before_pyproject_in_a_build(
    built: Callable[[str], list[str]], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.opsetdocs]\nsources = ["nowhere"]\nagainst = "old"\nignore = ["OPERATOR_*"]\n'
    )
    (message,) = built("{sources: [ops], ignore: []}")
    assert message.startswith("WARNING opsetdocs: ops/1.textproto")


def test_a_build_says_what_pyproject_has_wrong(
    built: Callable[[str], list[str]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.opsetdocs]\nignored = ["OPERATOR_*"]\n')
    with pytest.raises(Abort):
        built("{sources: [ops]}")
    assert "pyproject.toml: tool.opsetdocs has an unknown key 'ignored'; is ignore meant?" in caplog.text
