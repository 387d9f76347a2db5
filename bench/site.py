"""Building sites: all of ONNX, and made domains of many sizes, by what others take for the same pages."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mkdocs.utils.yaml import yaml_load

from bench.edit import Edit
from bench.measure import Comparison, Program, nothing, part, python
from opsetdocs.sources import load

ONE_PAGE = "mkdocs build, one page"
COLD = "opsetdocs build"
UNCHANGED = "opsetdocs build, nothing changed"
EDITED = "opsetdocs build, one operator edited"
FLOOR = "the floor: read, and write the same bytes"
OUT_OF_NAV = "mkdocs build, one page in the nav"
IN_NAV = "mkdocs build, all pages in the nav"
ZENSICAL = "zensical build"

MOST_PAGES_IN_NAV = 4_000
"""MkDocs takes time that grows with the square of these; 4,000 take five minutes."""

ONNX_WORDS = "as a preprocessing step"
"""Words in the text of `CausalConvWithState`, which only the latest opsets of ONNX have."""

MADE_WORDS = "r 7 of a made domain"
"""Words in the text of `Operator7` of a made domain."""

_CONFIG = """\
site_name: Bench
use_directory_urls: true
theme: {{name: {theme}, highlightjs: false}}
docs_dir: {docs}
site_dir: {site}
{more}
"""

_SMALLEST = """\
magic: "ONNXOPSET" ir_version: 10 domain: "com.example.small" opset_version: 1
operator { op_type: "Halve" since_version: 1 status: STABLE doc_string: "Halves." }
"""


@dataclass(frozen=True, slots=True)
class _Folders:
    """Where the parts of a comparison lie."""

    root: Path

    @property
    def sources(self) -> Path:
        return self.root / "sources"

    @property
    def site(self) -> Path:
        return self.root / "site"

    @property
    def docs(self) -> Path:
        """The pages of the site as Markdown files, for those who start from these."""
        return self.root / "docs"


def start(folder: Path) -> tuple[Comparison, ...]:
    """Compare what programs take before they do anything."""
    (folder / "sources").mkdir()
    (folder / "sources/small.textproto").write_text(_SMALLEST)
    programs = (
        Program("python", python("-c", "pass")),
        Program("opsetdocs --version", _opsetdocs("--version")),
        Program("import mkdocs.commands.build", python("-c", "import mkdocs.commands.build")),
        _one_page(folder),
        _cold("opsetdocs build, one operator", _Folders(folder)),
    )
    return (Comparison("start-up", programs),)


def onnx(folder: Path) -> tuple[Comparison, ...]:
    """Compare the site of all of ONNX, cold, unchanged and with an edit, with a site of one page."""
    place = _Folders(folder)
    _run(*_opsetdocs("export", str(place.sources)))
    programs = (_one_page(folder), _cold(COLD, place), *_again(place, ONNX_WORDS))
    return (Comparison("all of ONNX, every version, pair and opset", programs),)


def made(pages: int, folder: Path) -> tuple[Comparison, ...]:
    """Compare the site of a made domain with the floor, and with MkDocs and zensical on the same pages."""
    place = _Folders(folder)
    write_made(place.sources, pages)
    _run(*_build(place.sources, place.site), folder=folder)
    _write_docs(place)
    programs = tuple(_programs(place, pages))
    missing = () if shutil.which("zensical") else (f"{ZENSICAL}: it is not installed",)
    return (Comparison(f"a made domain of {pages:,} pages", programs, missing),)


def write_made(sources: Path, pages: int) -> None:
    """Write made domains to a new folder."""
    sources.mkdir()
    # In a process of its own: what a program takes at its start counts what the one that starts it has taken.
    _run(*python("-m", "bench.made", str(sources), str(pages)))


def _programs(place: _Folders, pages: int) -> Iterator[Program]:
    short_nav = 'nav: [index.md]\nnot_in_nav: "*"'
    yield _cold(COLD, place)
    yield from _again(place, MADE_WORDS)
    yield part(FLOOR, "bench.site:floor", place.root)
    # What others take for many pages is minutes; what is compared with it varies by far less than the ratio.
    few = 1 if pages >= MOST_PAGES_IN_NAV else None
    yield _mkdocs(OUT_OF_NAV, place.root / "out", docs=place.docs, more=short_nav, most_runs=few)
    if pages <= MOST_PAGES_IN_NAV:
        yield _mkdocs(IN_NAV, place.root / "in", docs=place.docs, most_runs=few)
    if found := shutil.which("zensical"):
        site = place.root / "zensical"
        config = _config(site, docs=place.docs, theme="material", more=short_nav)
        command = (found, "build", "--clean", "--config-file", str(config))
        yield _fresh(ZENSICAL, site, *command, most_runs=few)


def floor(root: str) -> Callable[[], object]:
    """Read the input, and write the bytes of the finished site to as many files."""
    place = _Folders(Path(root))
    target = place.root / "floor"
    shutil.rmtree(target, ignore_errors=True)
    files = {
        file.relative_to(place.site): file.read_bytes() for file in place.site.rglob("*") if file.is_file()
    }

    def measured() -> None:
        load((str(place.sources),), base=Path())
        for name, content in files.items():
            file = target / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    return measured


def _one_page(folder: Path) -> Program:
    docs = folder / "one-page-docs"
    docs.mkdir()
    (docs / "index.md").write_text("# One page\n")
    return _mkdocs(ONE_PAGE, folder / "one-page", docs=docs)


def _cold(name: str, place: _Folders) -> Program:
    return _fresh(name, place.site, *_build(place.sources, place.site))


def _again(place: _Folders, words: str) -> Iterator[Program]:
    """Yield the builds of a site that is there, each in a folder of its own, with what the last one kept."""
    for name, again in ((UNCHANGED, "unchanged"), (EDITED, "edited")):
        folder = place.root / again
        sources, site = folder / "sources", folder / "site"
        shutil.copytree(place.sources, sources)
        command = _build(sources, site, cache=str(folder / "cache"))
        _run(*command, folder=folder)
        before = Edit(sources, words).toggle if name == EDITED else nothing
        yield Program(name, command, site=site, folder=folder, before=before)


def _mkdocs(name: str, site: Path, *, docs: Path, more: str = "", most_runs: int | None = None) -> Program:
    config = _config(site, docs=docs, more=more)
    command = python("-m", "mkdocs", "build", "--quiet", "--config-file", str(config))
    return _fresh(name, site, *command, most_runs=most_runs)


def _fresh(name: str, site: Path, *command: str, most_runs: int | None = None) -> Program:
    return Program(
        name,
        command,
        site=site,
        folder=site.parent,  # Away from the project's own mkdocs.yml.
        before=partial(shutil.rmtree, site, ignore_errors=True),
        most_runs=most_runs,
    )


def _config(site: Path, *, docs: Path, theme: str = "mkdocs", more: str = "") -> Path:
    file = site.with_name(f"{site.name}.yml")
    text = _CONFIG.format(docs=docs.name, site=site.name, theme=theme, more=more)
    assert yaml_load(text)
    file.write_text(text)
    return file


def _write_docs(place: _Folders) -> None:
    """Make Markdown files of the pages, from the Markdown that stands beside each."""
    for twin in place.site.rglob("index.md"):
        file = place.docs / twin.relative_to(place.site)
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(twin, file)


def _build(sources: Path, site: Path, *, cache: str = "off") -> tuple[str, ...]:
    return _opsetdocs("build", str(sources), "-d", str(site), "--cache", cache)


def _opsetdocs(*arguments: str) -> tuple[str, ...]:
    return python("-m", "opsetdocs", *arguments)


def _run(*command: str, folder: Path | None = None) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=folder)
