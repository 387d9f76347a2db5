"""Runs benches and prints what they found, as ratios above all: these depend less on the machine.

To add a bench, write a module with a function that makes its input in a folder and returns what is compared,
and name it in BENCHES.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench import check, limits, serve, site, stages
from bench.measure import Comparison, measure
from bench.results import Result, Run, versions

BENCHES: Mapping[str, Callable[[Path], tuple[Comparison, ...]]] = {
    "start": site.start,
    "stages": stages.comparisons,
    "check": check.comparisons,
    "onnx": site.onnx,
    "250": partial(site.made, 250),
    "1000": partial(site.made, 1_000),
    "4000": partial(site.made, 4_000),
    "20000": partial(site.made, 20_000),
    "serve": serve.comparisons,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure what opsetdocs costs.")
    parser.add_argument(
        "names", nargs="*", metavar="BENCH", help=f"one of {', '.join(BENCHES)}  (default: all)"
    )
    parser.add_argument("--runs", type=int, default=5, help="runs of each program  (default: %(default)s)")
    parser.add_argument(
        "--skip",
        action="append",
        default=[],
        metavar="WORDS",
        help="skip programs with these words in their names: 'all pages in the nav' takes minutes",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON, too")
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="run nothing; print such a file as Markdown"
    )
    options = parser.parse_args()
    if options.table:
        print("\n".join(markdown(Run.read(options.table))))
        return
    names = options.names or list(BENCHES)
    if unknown := [name for name in names if name not in BENCHES]:
        parser.error(f"there is no bench {unknown[0]}; there are {', '.join(BENCHES)}")
    if options.runs < 1:
        parser.error("--runs has to be at least 1")
    results: list[Result] = []
    for name in names:
        for result in run_bench(name, options.runs, options.skip):
            print("\n".join(result.lines()), end="\n\n", flush=True)
            results.append(result)
        if options.json:  # after each bench: some take long
            Run(versions(), tuple(results)).write(options.json)
    print("\n".join(limits.lines(Run(versions(), tuple(results)))))


def run_bench(name: str, runs: int, skipped: Sequence[str]) -> list[Result]:
    """Return what a bench finds."""
    with tempfile.TemporaryDirectory(prefix="opsetdocs-bench-") as folder:
        compared = [_without(item, skipped) for item in BENCHES[name](Path(folder).resolve())]
        costs = measure([program for item in compared for program in item.programs], runs)
    return [Result.of(name, item, costs) for item in compared if item.programs]


def _without(compared: Comparison, skipped: Iterable[str]) -> Comparison:
    kept = (item for item in compared.programs if not any(words in item.name for words in skipped))
    return replace(compared, programs=tuple(kept))


def markdown(run: Run) -> Iterator[str]:
    """Yield the tables of the page `speed.md`."""
    yield from limits.markdown(run)
    for result in run.results:
        yield ""
        yield from result.markdown()
    yield ""
    yield f"Measured with {', '.join(f'{name} {version}' for name, version in run.versions.items())}."


if __name__ == "__main__":
    main()
