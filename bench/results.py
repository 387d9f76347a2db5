"""What a run of benches found, as it is printed and written."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from bench.measure import Comparison, Cost, Program

_KINDS = ("HTML", "Markdown", "catalog", "search")
"""The kinds of files whose size a table in Markdown shows."""


@dataclass(frozen=True, slots=True)
class Result:
    """A comparison, measured."""

    bench: str
    title: str
    costs: Mapping[str, Cost]
    """By the names of the programs."""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, bench: str, compared: Comparison, costs: Mapping[Program, Cost]) -> Self:
        """Return what was found of a comparison."""
        found = {program.name: costs[program] for program in compared.programs}
        return cls(bench, compared.title, found, compared.notes)

    def lines(self) -> Iterator[str]:
        """Yield a table. The ratios are those to the first program."""
        heads = ("CPU s", "ratio", "wall s", "peak MB", "ratio", "HTML MB", "runs")
        rows = [(self.title, heads), *self._rows()]
        width = max(len(name) for name, _ in rows)
        for name, cells in rows:
            yield f"{name:{width}}  {'  '.join(f'{cell:>8}' for cell in cells)}".rstrip()
        for name, cost in self.costs.items():
            if len(cost.site_mb) > 1:
                parts = (f"{kind} {size:.1f}" for kind, size in sorted(cost.site_mb.items()))
                yield f"  {name}, MB: {', '.join(parts)}"
        yield from (f"  {note}" for note in self.notes)

    def markdown(self) -> Iterator[str]:
        """Yield the table as Markdown."""
        kinds = [kind for kind in _KINDS if any(kind in cost.site_mb for cost in self.costs.values())]
        heads = ("CPU s", "ratio", "peak MB", *(f"{kind} MB" for kind in kinds))
        yield f"| {' | '.join((self.title, *heads))} |"
        yield f"|---|{'---:|' * len(heads)}"
        for name, (cpu, ratio, _, peak, *_) in self._rows():
            sizes = self.costs[name.strip()].site_mb if name.strip() in self.costs else {}
            written = (f"{sizes[kind]:.1f}" if kind in sizes else "" for kind in kinds)
            yield f"| {' | '.join((name.strip(), cpu, ratio, peak, *written))} |"

    def _rows(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        first = next(iter(self.costs.values()))
        for name, cost in self.costs.items():
            yield (
                f"  {name}",
                (
                    f"{cost.cpu_seconds:.2f}",
                    f"{cost.cpu_seconds / first.cpu_seconds:.2f}",
                    f"{cost.wall_seconds:.2f}",
                    f"{cost.peak_mb:.0f}",
                    f"{cost.peak_mb / first.peak_mb:.2f}",
                    f"{cost.site_mb['HTML']:.1f}" if "HTML" in cost.site_mb else "",
                    str(cost.runs),
                ),
            )
            for stage, (cpu, wall) in cost.stages.items():
                ratio = cpu / first.cpu_seconds
                yield f"    of that: {stage}", (f"{cpu:.2f}", f"{ratio:.2f}", f"{wall:.2f}", *[""] * 4)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of benches."""

    versions: Mapping[str, str]
    results: tuple[Result, ...]

    def cost(self, bench: str, program: str) -> Cost | None:
        """Return what a program took, if it was run."""
        found = (
            result.costs[program]
            for result in self.results
            if result.bench == bench and program in result.costs
        )
        return next(found, None)

    def write(self, file: Path) -> None:
        """Write the run as JSON."""
        file.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, file: Path) -> Self:
        """Return a run that was written."""
        data = json.loads(file.read_text(encoding="utf-8"))
        return cls(data["versions"], tuple(map(_result, data["results"])))


def _result(data: Mapping[str, Any]) -> Result:
    costs = {name: Cost(**cost) for name, cost in data["costs"].items()}
    return Result(data["bench"], data["title"], costs, tuple(data["notes"]))


def versions() -> dict[str, str]:
    """Return what a run depends on besides the code."""
    names = ("opsetdocs", "onnx", "protobuf", "mkdocs", "jinja2", "markdown-it-py")
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        **{name: metadata.version(name) for name in names},
    }
