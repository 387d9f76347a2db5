"""What a run of the benches has to show: ratios, and limits that do not depend on the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench import serve, site
from bench.measure import Cost
from bench.results import Run

Value = Callable[[Cost], float | None]


@dataclass(frozen=True, slots=True)
class Place:
    """A number in a run: something that a program of a bench takes."""

    bench: str
    program: str
    value: Value

    def find(self, run: Run) -> float | None:
        """Return the number, if the program was run and has it."""
        cost = run.cost(self.bench, self.program)
        return None if cost is None else self.value(cost)


@dataclass(frozen=True, slots=True)
class Limit:
    """A number, or the ratio of two, that is to be so high at most, or so high at least."""

    what: str
    number: Place
    at_most: float | None = None
    at_least: float | None = None
    by: Place | None = None
    unit: str = ""

    def found(self, run: Run) -> float | None:
        """Return the number or the ratio, if the run has what it takes."""
        number, by = self.number.find(run), self.by.find(run) if self.by else 1.0
        return None if number is None or by is None else number / by

    def keeps(self, found: float) -> bool:
        """Return whether a number keeps the limit."""
        return (self.at_most is None or found <= self.at_most) and (
            self.at_least is None or found >= self.at_least
        )

    @property
    def words(self) -> str:
        """The limit in words."""
        most = f"at most {self.at_most:g}" if self.at_most is not None else f"at least {self.at_least:g}"
        return f"{most} {self.unit}".rstrip()


def _cpu(cost: Cost) -> float:
    return cost.cpu_seconds


def _wall(cost: Cost) -> float:
    return cost.wall_seconds


def _peak(cost: Cost) -> float:
    return cost.peak_mb


def _html(cost: Cost) -> float | None:
    return cost.site_mb.get("HTML")


def _touched(cost: Cost) -> float | None:
    return cost.touched


def _per(pages: int) -> Value:
    return lambda cost: cost.cpu_seconds / pages


LIMITS = (
    Limit(
        "all of ONNX, by a MkDocs site of one page",
        Place("onnx", site.COLD, _cpu),
        at_most=6,
        by=Place("onnx", site.ONE_PAGE, _cpu),
    ),
    Limit("all of ONNX: memory", Place("onnx", site.COLD, _peak), at_most=300, unit="MB"),
    Limit("all of ONNX: HTML", Place("onnx", site.COLD, _html), at_most=45, unit="MB"),
    Limit(
        "all of ONNX unchanged, by the same cold",
        Place("onnx", site.UNCHANGED, _cpu),
        at_most=0.25,
        by=Place("onnx", site.COLD, _cpu),
    ),
    Limit("all of ONNX unchanged: files touched", Place("onnx", site.UNCHANGED, _touched), at_most=0),
    Limit(
        "2,000 operators: MkDocs with all pages in the nav, by opsetdocs",
        Place("4000", site.IN_NAV, _cpu),
        at_least=40,
        by=Place("4000", site.COLD, _cpu),
    ),
    Limit(
        "2,000 operators: MkDocs with its pages not in the nav, by opsetdocs",
        Place("4000", site.OUT_OF_NAV, _cpu),
        at_least=5,
        by=Place("4000", site.COLD, _cpu),
    ),
    Limit(
        "1,000 pages: zensical, by opsetdocs",
        Place("1000", site.ZENSICAL, _cpu),
        at_least=5,
        by=Place("1000", site.COLD, _cpu),
    ),
    Limit(
        "4,000 pages, by the floor",
        Place("4000", site.COLD, _cpu),
        at_most=4,
        by=Place("4000", site.FLOOR, _cpu),
    ),
    Limit(
        "a page of 20,000, by a page of 1,000",
        Place("20000", site.COLD, _per(20_000)),
        at_most=1.2,
        by=Place("1000", site.COLD, _per(1_000)),
    ),
    Limit("20,000 pages: memory", Place("20000", site.COLD, _peak), at_most=1024, unit="MB"),
    Limit(
        "an edit under mkdocs serve, at the size of ONNX",
        Place("serve", serve.ONNX, _wall),
        at_most=1,
        unit="s",
    ),
    Limit(
        "an edit under mkdocs serve, among 10,000 operators",
        Place("serve", serve.MADE, _wall),
        at_most=1.5,
        unit="s",
    ),
)


def rows(run: Run) -> Iterator[tuple[str, str, str, str]]:
    """Yield what, the number that was found, the limit, and whether it is kept, as far as the run tells."""
    for limit in LIMITS:
        found = limit.found(run)
        if found is not None:
            yield limit.what, _shown(found), limit.words, "yes" if limit.keeps(found) else "no"


def _shown(number: float) -> str:
    return f"{number:.0f}" if number == round(number) or number >= 100 else f"{number:.2f}"


def lines(run: Run) -> Iterator[str]:
    """Yield the limits as a table."""
    table = [("limits", "found", "limit", "kept"), *rows(run)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for what, found, limit, kept in table:
        yield f"{what:{widths[0]}}  {found:>{widths[1]}}  {limit:{widths[2]}}  {kept}"


def markdown(run: Run) -> Iterator[str]:
    """Yield the limits as a table in Markdown."""
    yield "| | found | aim |"
    yield "|---|---:|---|"
    for what, found, limit, kept in rows(run):
        yield f"| {what} | {found} | {limit}{'' if kept == 'yes' else ' (missed)'} |"
