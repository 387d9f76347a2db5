"""Known findings: the file that lists them, and what is new beside them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsetdocs import baseline
from opsetdocs.errors import ConfigError, OpsetdocsError
from opsetdocs.findings import Finding, Level, Place

STATUS, LINKS = "OPERATOR_STATUS_KNOWN", "DOC_LINKS"


def finding(
    file: str = "opsets/a.textproto",
    rule: str = STATUS,
    name: str = "Conv",
    field: str = "status",
    line: int = 1,
    **fields: Any,
) -> Finding:
    message = fields.pop("message", "is wrong")
    return Finding(
        Level.WARNING, message, file=file, rule=rule, name=name, field=field, line=line, column=1, **fields
    )


UNUSABLE = Finding(Level.ERROR, "truncated or damaged", file="opsets/b.pb", unusable=True)


def new_ones(
    folder: Path, known: list[Finding], found: list[Finding], base: Path | None = None
) -> tuple[tuple[Finding, ...], int, int]:
    """Write known findings to a file in a folder, and divide what is found."""
    file = folder / "baseline.json"
    baseline.write(known, file, base or folder)
    return baseline.without_known(found, baseline.read(file), base or folder)


# What is known


def test_what_is_written_is_known(tmp_path: Path) -> None:
    findings = [finding(), finding(rule=LINKS), finding("-"), finding(name="", field=""), finding(rule="")]
    assert new_ones(tmp_path, findings, findings) == ((), len(findings), 0)


@pytest.mark.parametrize(
    "change",
    [
        {"file": "opsets/c.textproto"},
        {"rule": LINKS},
        {"name": "Relu"},
        {"field": "doc_string"},
        {"message": "is not right"},
        {"details": ("T lost tensor(int8)",)},
    ],
    ids=str,
)
def test_what_differs_is_new(tmp_path: Path, change: dict[str, Any]) -> None:
    other = finding(**change)
    assert new_ones(tmp_path, [finding()], [other]) == ((other,), 0, 1)


PUBLISHED = Place("git:v1:opsets/b.textproto", "operator[3] Conv", 7)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"line": 1}, {"line": 99}),
        ({"field": "node[2].input[0]"}, {"field": "node[3].input[0]"}),
        (
            {"message": 'node[2] Add reads "x", which only node[11] Mul gives', "element": "functions[0] F"},
            {"message": 'node[3] Add reads "x", which only node[12] Mul gives', "element": "functions[1] F"},
        ),
        (
            {"message": "differs from that in b.textproto (opset 1)", "others": (Place("b.textproto"),)},
            {"message": "differs from that in c.textproto (opset 1)", "others": (Place("c.textproto"),)},
        ),
        (
            {"message": f"differs from that published in {PUBLISHED.file} (opset 1)", "others": (PUBLISHED,)},
            {"message": "differs from that published in old/b.pb (opset 1)", "others": (Place("old/b.pb"),)},
        ),
        ({"file": "git:v1:opsets/a.textproto"}, {"file": "git:HEAD^{/fix: it}:opsets/a.textproto"}),
    ],
    ids=str,
)
def test_what_an_unrelated_edit_changes_may_differ(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert new_ones(tmp_path, [finding(**before)], [finding(**after)]) == ((), 1, 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("default of axis changed from [1] to [2]", "default of axis changed from [1] to [3]"),
        ('"see input[1]" became "see it"', '"see input[2]" became "see it"'),
        ("since_version is 3 in b (opset 3)", "since_version is 3 in b (opset 4)"),
        ("axis: b became bc", "axis: b became bd"),
    ],
)
def test_what_a_message_says_may_not_differ(tmp_path: Path, before: str, after: str) -> None:
    known, other = (finding(message=message, others=(Place("b"),)) for message in (before, after))
    assert new_ones(tmp_path, [known], [other]) == ((other,), 0, 1)


def test_of_more_than_are_known_the_last_is_new(tmp_path: Path) -> None:
    first, second, third = (finding(line=line) for line in (1, 2, 3))
    other = finding(rule=LINKS)
    found = [first, other, second, third]
    assert new_ones(tmp_path, [first, second], found) == ((other, third), 2, 0)


def test_fewer_than_are_known_are_known(tmp_path: Path) -> None:
    assert new_ones(tmp_path, [finding(line=1), finding(line=2)], [finding()]) == ((), 1, 0)


def test_entries_without_a_finding_are_counted(tmp_path: Path) -> None:
    gone = [finding(rule=LINKS), finding(rule=LINKS), finding(name="Relu")]
    assert new_ones(tmp_path, [finding(), *gone], [finding()]) == ((), 1, 2)


def test_an_unusable_file_is_never_known(tmp_path: Path) -> None:
    assert new_ones(tmp_path, [UNUSABLE, finding()], [UNUSABLE, finding()]) == ((UNUSABLE,), 1, 0)
    usable = Finding(Level.ERROR, UNUSABLE.message, file=UNUSABLE.file)
    assert new_ones(tmp_path, [usable], [UNUSABLE]) == ((UNUSABLE,), 0, 1)


@given(known=st.lists(st.sampled_from("abc")), found=st.lists(st.sampled_from("abcd")))
def test_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, known: list[str], found: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("baseline")
    findings = [finding(name=name, line=line) for line, name in enumerate(found)]
    new, number, gone = new_ones(folder, [finding(name=name) for name in known], findings)
    assert [item.name for item in new] == [
        name for place, name in enumerate(found) if found[:place].count(name) >= known.count(name)
    ]
    assert number + len(new) == len(found)
    assert gone == len(set(known) - set(found))


# Names of files


@pytest.mark.parametrize(
    ("folder", "base", "name", "written"),
    [
        (".", ".", "opsets/a.textproto", "opsets/a.textproto"),
        ("checks", ".", "opsets/a.textproto", "../opsets/a.textproto"),
        ("opsets", ".", "opsets/a.textproto", "a.textproto"),
        (".", "docs", "../opsets/a.textproto", "opsets/a.textproto"),
        (".", ".", "{root}/opsets/a.textproto", "opsets/a.textproto"),
        ("checks", ".", "-", "-"),
        ("checks", ".", "onnx: ai.onnx-13", "onnx: ai.onnx-13"),
        ("checks", ".", "git:v1.2:opsets/a.textproto", "git:opsets/a.textproto"),
        ("checks", ".", "", ""),
    ],
)
def test_a_file_is_named_relative_to_the_baseline(
    tmp_path: Path, folder: str, base: str, name: str, written: str
) -> None:
    for place in (folder, base):
        (tmp_path / place).mkdir(exist_ok=True)
    findings = [finding(name.format(root=tmp_path.as_posix()))]
    assert new_ones(tmp_path / folder, findings, findings, tmp_path / base) == ((), 1, 0)
    [entry] = json.loads((tmp_path / folder / "baseline.json").read_text("utf-8"))["findings"]
    assert entry["file"] == written


def test_a_project_may_move(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    baseline.write([finding()], before / "baseline.json", before)
    before.rename(after)
    known = baseline.read(after / "baseline.json")
    assert baseline.without_known([finding()], known, after) == ((), 1, 0)


def test_the_folder_of_the_command_means_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "opsets").mkdir()
    monkeypatch.chdir(tmp_path)
    baseline.write([finding()], Path("baseline.json"), Path())
    monkeypatch.chdir("opsets")
    known = baseline.read(Path("../baseline.json"))
    assert baseline.without_known([finding("a.textproto")], known, Path()) == ((), 1, 0)


# The file


def test_the_file_reads_well(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    a, b = (finding(name, "OPSET_MAGIC", "", "magic") for name in ("a.pb", "b.pb"))
    c = finding("a.pb", LINKS, "ü", "", message="c.pb", others=(Place("c.pb"),))
    assert baseline.write([b, a, c, b, UNUSABLE], file, tmp_path) == 4
    assert (
        file.read_bytes()
        == rb"""{
  "version": 1,
  "findings": [
    {"rule": "DOC_LINKS", "file": "a.pb", "name": "\u00fc", "field": "", "says": "another file", "count": 1},
    {"rule": "OPSET_MAGIC", "file": "a.pb", "name": "", "field": "magic", "says": "is wrong", "count": 1},
    {"rule": "OPSET_MAGIC", "file": "b.pb", "name": "", "field": "magic", "says": "is wrong", "count": 2}
  ]
}
"""
    )


def test_the_order_of_findings_means_nothing(tmp_path: Path) -> None:
    findings = [finding(name=name) for name in "abcdef"]
    texts = set()
    for order in (findings, findings[::-1]):
        baseline.write(order, tmp_path / "baseline.json", tmp_path)
        texts.add((tmp_path / "baseline.json").read_bytes())
    assert len(texts) == 1


def test_no_finding_makes_an_empty_baseline(tmp_path: Path) -> None:
    assert new_ones(tmp_path, [], [finding()]) == ((finding(),), 0, 0)


@pytest.mark.parametrize(
    "name", ["a\nb", "\x1b[2J", "\u202eevil", "\ud800", "\udcff", '"},{"', "%0A", "漢"], ids=ascii
)
def test_hostile_names_are_known_again(tmp_path: Path, name: str) -> None:
    findings = [finding(f"{name}.textproto", name=name, field=name)]
    assert new_ones(tmp_path, findings, findings) == ((), 1, 0)
    assert len((tmp_path / "baseline.json").read_bytes().decode("ascii").splitlines()) == 6


def test_the_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text("before")
    baseline.write([finding()], file, tmp_path)
    assert baseline.read(file).counts
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_to_the_file_stays(tmp_path: Path) -> None:
    (tmp_path / "checks").mkdir()
    file, link = tmp_path / "checks" / "baseline.json", tmp_path / "baseline.json"
    link.symlink_to(file)
    baseline.write([finding()], link, tmp_path)
    assert link.is_symlink()
    for name in (link, file):
        assert baseline.without_known([finding()], baseline.read(name), tmp_path) == ((), 1, 0)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_the_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    baseline.write([], tmp_path / "baseline.json", tmp_path)
    (tmp_path / "other").touch()
    assert (tmp_path / "baseline.json").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize("place", ["missing/baseline.json", "folder"])
def test_where_nothing_can_be_written(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OpsetdocsError, match=f"{place} cannot be written: "):
        baseline.write([finding()], tmp_path / place, tmp_path)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


ENTRY = {
    "rule": STATUS,
    "file": "a.textproto",
    "name": "Conv",
    "field": "status",
    "says": "is wrong",
    "count": 1,
}


def test_an_entry_that_stands_twice_counts_twice(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(json.dumps({"version": 1, "findings": [ENTRY, ENTRY]}))
    assert list(baseline.read(file).counts.values()) == [2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1:1: not a baseline: Expecting value"),
        ('["x', ":1:2: not a baseline: Unterminated string$"),
        ('{\n  "version": 1,\n  oops\n}', ":3:3: not a baseline: Expecting property name"),
        (b"\xff\xfe\xff", ": not a baseline: 'utf-16"),
        ("[" * 100_000, ": not a baseline: "),
        ("[]", ": not a baseline: the content is a list, expected an object"),
        ({}, ": not a baseline: version is missing, expected 1"),
        ({"version": 2, "findings": []}, ": not a baseline: version is 2, expected 1"),
        ({"version": 1}, ": not a baseline: findings is missing, expected a list"),
        ({"version": 1, "findings": "x"}, ': not a baseline: findings is "x", expected a list'),
        ({"version": 1, "findings": [ENTRY, 7]}, r": not a baseline: findings\[1\] is 7, expected an object"),
        (ENTRY | {"rule": None}, r"findings\[0\].rule is missing, expected a text"),
        (ENTRY | {"file": ["a"]}, r"findings\[0\].file is a list, expected a text"),
        (ENTRY | {"count": 0}, r"findings\[0\].count is 0, expected a number from 1 on"),
        (ENTRY | {"count": True}, r"findings\[0\].count is true, expected a number from 1 on"),
        (ENTRY | {"count": 1.5}, r"findings\[0\].count is 1.5, expected a number from 1 on"),
    ],
)
def test_what_is_no_baseline(tmp_path: Path, content: object, message: str) -> None:
    file = tmp_path / "baseline.json"
    if isinstance(content, dict):
        content = json.dumps({"version": 1, "findings": [content]} if "rule" in content else content)
    file.write_bytes(content if isinstance(content, bytes) else str(content).encode())
    with pytest.raises(ConfigError, match=f"^.*baseline.json.*{message}"):
        baseline.read(file)


@pytest.mark.parametrize("place", ["missing.json", "."])
def test_what_cannot_be_read(tmp_path: Path, place: str) -> None:
    with pytest.raises(ConfigError, match=r": cannot be read: "):
        baseline.read(tmp_path / place)
