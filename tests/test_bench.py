"""The benches: what is measured, what is made for it, and what is said of it. No number is judged."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bench import limits, made, serve, site
from bench.__main__ import BENCHES, main, markdown, run_bench
from bench.edit import Edit
from bench.limits import LIMITS, Limit, Place
from bench.measure import Comparison, Cost, Program, measure, part, python
from bench.results import Result, Run
from opsetdocs.history import build_catalog
from opsetdocs.rules import run as run_rules
from opsetdocs.sources import load

TOP = Path(__file__).parent.parent

WRITE = "from pathlib import Path; import sys; Path(sys.argv[1], sys.argv[2]).write_text('x' * 1000)"


def cost_of(program: Program, runs: int = 1) -> Cost:
    return measure([program], runs)[program]


# What is measured


def test_a_program_takes_time_and_memory_with_the_processes_that_it_starts() -> None:
    work = "print(len(str(list(range(10**6)))))"
    alone = cost_of(Program("alone", python("-c", work)))
    inside = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}], check=True)"
    started = cost_of(Program("started", python("-c", inside)))
    for cost in (alone, started):
        assert cost.cpu_seconds > 0
        assert cost.wall_seconds > 0
        assert cost.peak_mb > 40, "a list of a million numbers"


def test_the_files_of_a_site_are_told_by_kind(tmp_path: Path) -> None:
    names = ["index.html", "a/index.html", "a/index.md", "catalog.json", "assets/search/words.js", "a.css"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * 1000)
    cost = cost_of(Program("nothing", python("-c", "pass"), site=tmp_path))
    assert cost.site_mb == {
        "HTML": 0.002,
        "Markdown": 0.001,
        "catalog": 0.001,
        "search": 0.001,
        "other": 0.001,
    }


@pytest.mark.parametrize(
    ("before", "written", "touched"),
    [([], "a.html", None), (["a.html"], "a.html", 1), (["a.html"], "b.html", 1), (["a.html"], None, 0)],
)
def test_files_that_a_program_touches_are_counted(
    tmp_path: Path, before: list[str], written: str | None, touched: int | None
) -> None:
    for name in before:
        (tmp_path / name).write_text("")
    command = python("-c", WRITE, str(tmp_path), written) if written else python("-c", "pass")
    assert cost_of(Program("program", command, site=tmp_path)).touched == touched


def test_what_goes_before_a_run_goes_before_each(tmp_path: Path) -> None:
    done: list[str] = []
    often = Program("often", python("-c", "pass"), before=partial(done.append, "often"))
    once = Program("once", python("-c", "pass"), before=partial(done.append, "once"), most_runs=1)
    costs = measure([often, once], 3)
    assert done == ["often", "once", "often", "often"]
    assert [cost.runs for cost in costs.values()] == [3, 1]


def test_a_part_is_measured_without_what_makes_it_ready(cases: Path) -> None:
    parsing = part("a part", "bench.check:parse", cases / "L3-plain.textproto")
    whole = replace(parsing, is_part=False)
    assert 0 < cost_of(parsing).cpu_seconds < cost_of(whole).cpu_seconds


def test_stages_that_a_program_reports_are_read() -> None:
    command = python("-c", r"print('reading\t0.5\t1.5\npages: views\t2\t3')")
    cost = cost_of(Program("stages", command, reports_stages=True), runs=2)
    assert cost.stages == {"reading": (0.5, 1.5), "pages: views": (2, 3)}


def test_a_program_that_fails_is_an_error_with_what_it_said() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)^broken failed: .*no such thing"):
        cost_of(Program("broken", python("-c", "raise SystemExit('no such thing')")))


# What is made and edited


def test_an_edit_changes_the_words_and_no_length_and_changes_them_back(tmp_path: Path) -> None:
    for name, text in {"one": b"the words are here", "two": b"and the words there", "three": b"none"}.items():
        (tmp_path / name).write_bytes(text)
    edit = Edit(tmp_path, "the words")
    assert [edit.toggle() for _ in range(3)] == ["THE WORDS", "the words", "THE WORDS"]
    assert (tmp_path / "two").read_bytes() == b"and THE WORDS there"
    with pytest.raises(ValueError, match="other words"):
        Edit(tmp_path, "other words").toggle()


def test_a_made_domain_has_distinct_texts_and_breaks_no_rule(tmp_path: Path) -> None:
    made.write_domains(tmp_path, 2_000)
    sets = load((str(tmp_path),), base=tmp_path).sets
    assert run_rules(sets) == ()
    (domain,) = build_catalog(sets).domains
    assert len(domain.operators) == 1_000
    assert len({operator.current.prose for operator in domain.operators}) == 1_000
    assert sum(site.MADE_WORDS in operator.current.prose for operator in domain.operators) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="reads what a process takes from /proc")
def test_an_edit_under_serve_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_EDITS", 1)
    serve.write_project(tmp_path)
    site.write_made(tmp_path / "sources", 20)
    address = "com.example.made/operators/Operator7/"
    seconds = serve.edits(str(tmp_path), site.MADE_WORDS, address, "http")()
    assert seconds.wall > 0


# What is said


def run_of(**costs: dict[str, Cost]) -> Run:
    return Run({"python": "3"}, tuple(Result(name, f"{name}.", found) for name, found in costs.items()))


ONE = Place("small", "one", lambda cost: cost.cpu_seconds)
TWO = Place("small", "two", lambda cost: cost.cpu_seconds)


@pytest.mark.parametrize(
    ("limit", "row"),
    [
        (Limit("two", TWO, at_most=6), ("two", "6", "at most 6", "yes")),
        (Limit("two", TWO, at_most=5, unit="s"), ("two", "6", "at most 5 s", "no")),
        (Limit("two by one", TWO, at_most=3.9, by=ONE), ("two by one", "4", "at most 3.9", "no")),
        (Limit("two by one", TWO, at_least=4, by=ONE), ("two by one", "4", "at least 4", "yes")),
        (Limit("one by two", ONE, at_least=40, by=TWO), ("one by two", "0.25", "at least 40", "no")),
        (Limit("another program", replace(ONE, program="three"), at_most=1), None),
        (Limit("another bench", ONE, at_most=1, by=replace(ONE, bench="large")), None),
    ],
    ids=lambda value: value.what if isinstance(value, Limit) else "",
)
def test_limits_are_told_as_far_as_a_run_goes(
    limit: Limit, row: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LIMITS", (limit,))
    run = run_of(small={"one": Cost(1.5, 2, 50), "two": Cost(6, 7, 60)})
    assert list(limits.rows(run)) == ([row] if row else [])


def test_each_limit_is_about_a_bench_that_there_is() -> None:
    places = {place for limit in LIMITS for place in (limit.number, limit.by) if place}
    assert {place.bench for place in places} <= set(BENCHES)


def test_a_table_has_ratios_to_the_first_program() -> None:
    costs = {
        "mkdocs": Cost(0.5, 1, 50, site_mb={"HTML": 0.04}),
        "opsetdocs": Cost(2, 3, 100, 5, {"HTML": 40.04, "Markdown": 12}, {"pages": (1.5, 2)}, 0),
    }
    result = Result("onnx", "all of ONNX", costs, ("zensical: it is not installed",))
    assert list(result.lines()) == [
        "all of ONNX            CPU s     ratio    wall s   peak MB     ratio   HTML MB      runs",
        "  mkdocs                0.50      1.00      1.00        50      1.00       0.0         1",
        "  opsetdocs             2.00      4.00      3.00       100      2.00      40.0         5",
        "    of that: pages      1.50      3.00      2.00",
        "  opsetdocs, MB: HTML 40.0, Markdown 12.0",
        "  zensical: it is not installed",
    ]
    assert list(result.markdown()) == [
        "| all of ONNX | CPU s | ratio | peak MB | HTML MB | Markdown MB |",
        "|---|---:|---:|---:|---:|---:|",
        "| mkdocs | 0.50 | 1.00 | 50 | 0.0 |  |",
        "| opsetdocs | 2.00 | 4.00 | 100 | 40.0 | 12.0 |",
        "| of that: pages | 1.50 | 3.00 |  |  |  |",
    ]


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = run_of(onnx={"mkdocs": Cost(0.5, 1, 50, 1, {"HTML": 1}, {}, 3)})
    run.write(tmp_path / "run.json")
    again = Run.read(tmp_path / "run.json")
    assert again == run
    assert again.cost("onnx", "mkdocs") == run.results[0].costs["mkdocs"]


def test_programs_are_left_out_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tuple(Program(name, python("-c", "pass")) for name in ("mkdocs, all", "mkdocs, one"))
    monkeypatch.setitem(BENCHES, "small", lambda _: (Comparison("small", programs),))
    (result,) = run_bench("small", 1, ["all"])
    assert list(result.costs) == ["mkdocs, one"]
    assert run_bench("small", 1, ["mkdocs"]) == []


def test_the_command_prints_writes_and_prints_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = Program("nothing", python("-c", "pass"))
    monkeypatch.setitem(BENCHES, "small", lambda _: (Comparison("small", (program,)),))
    file = tmp_path / "run.json"
    monkeypatch.setattr(sys, "argv", ["bench", "small", "--runs", "1", "--json", str(file)])
    main()
    assert "  nothing " in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["bench", "--table", str(file)])
    main()
    assert "| nothing |" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["bench", "smal"])
    with pytest.raises(SystemExit):
        main()
    assert "there is no bench smal; there are start, " in capsys.readouterr().err


def test_every_bench_is_in_the_table_of_contributing() -> None:
    text = (TOP / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("\n## Bench\n")[2].partition("\n## ")[0]
    for name in BENCHES:
        assert f"`{name}`" in section, name


def test_the_page_on_speed_shows_the_run_that_is_kept() -> None:
    page = (TOP / "site_config/docs/project/speed.md").read_text(encoding="utf-8")
    assert "\n".join(markdown(Run.read(TOP / "bench/results.json"))) in page
