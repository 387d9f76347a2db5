"""Runs benches and prints what they found, as ratios above all: these depend less on the machine.

To add a bench, write a module with a function that makes its input in a folder and returns what is compared,
and name it in BENCHES.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path

from bench import check, site
from bench.measure import Comparison, Cost, Program, measure

BENCHES: Mapping[str, Callable[[Path], tuple[Comparison, ...]]] = {
    "check": check.comparisons,
    "onnx": site.onnx,
    "250": partial(site.made, 250),
    "1000": partial(site.made, 1_000),
    "4000": partial(site.made, 4_000),
    "20000": partial(site.made, 20_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure what opsetdocs costs.")
    parser.add_argument(
        "names", nargs="*", metavar="BENCH", help=f"one of {', '.join(BENCHES)}  (default: all)"
    )
    parser.add_argument("--runs", type=int, default=7, help="runs of each program  (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON, too")
    options = parser.parse_args()
    names = options.names or list(BENCHES)
    if unknown := [name for name in names if name not in BENCHES]:
        parser.error(f"there is no bench {unknown[0]}; there are {', '.join(BENCHES)}")
    if options.runs < 1:
        parser.error("--runs has to be at least 1")
    results: list[dict[str, object]] = []
    for name in names:
        with tempfile.TemporaryDirectory(prefix="opsetdocs-bench-") as folder:
            compared = BENCHES[name](Path(folder))
            costs = measure([program for item in compared for program in item.programs], options.runs)
        for item in compared:
            found = rows(item, costs)
            print("\n".join(table(item.title, found)), end="\n\n")
            results.append({"bench": name, "title": item.title, "programs": list(map(asdict, found))})
    if options.json:
        data = {"runs": options.runs, "versions": versions(), "results": results}
        options.json.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    cpu_seconds: float
    cpu_ratio: float
    peak_mb: float
    peak_ratio: float
    html_mb: float


def rows(compared: Comparison, costs: Mapping[Program, Cost]) -> list[Row]:
    found = [costs[program] for program in compared.programs]
    first = found[0]
    return [
        Row(
            program.name,
            cost.cpu_seconds,
            cost.cpu_seconds / first.cpu_seconds,
            cost.peak_mb,
            cost.peak_mb / first.peak_mb,
            cost.html_mb,
        )
        for program, cost in zip(compared.programs, found, strict=True)
    ]


def table(title: str, rows: Sequence[Row]) -> Iterator[str]:
    width = max(len(text) for text in (title, *(row.name for row in rows)))
    yield f"{title:{width}}  {'CPU s':>8}  {'ratio':>6}  {'peak MB':>8}  {'ratio':>6}  {'HTML MB':>8}"
    for row in rows:
        yield (
            f"{row.name:{width}}  {row.cpu_seconds:8.3f}  {row.cpu_ratio:6.2f}"
            f"  {row.peak_mb:8.1f}  {row.peak_ratio:6.2f}"
            f"  {f'{row.html_mb:8.1f}' if row.html_mb else ''}".rstrip()
        )


def versions() -> dict[str, str]:
    packages = {name: metadata.version(name) for name in ("opsetdocs", "onnx", "protobuf")}
    return {"python": platform.python_version(), "platform": platform.platform(), **packages}


if __name__ == "__main__":
    main()
