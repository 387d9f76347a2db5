"""Building sites: all of ONNX, and made domains of many sizes, by what others take for the same pages."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from mkdocs.utils.yaml import yaml_load

from bench.measure import Comparison, Program, part, python
from opsetdocs.sources import load

MOST_PAGES_IN_NAV = 4_000
"""MkDocs takes time that grows with the square of these; 4,000 take five minutes."""

_CONFIG = """\
site_name: Bench
use_directory_urls: true
theme: {{name: {theme}, highlightjs: false}}
docs_dir: {docs}
site_dir: {site}
{more}
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


def onnx(folder: Path) -> tuple[Comparison, ...]:
    """Compare the site of all of ONNX, cold and unchanged, with a site of one page."""
    place = _Folders(folder)
    _run(*_opsetdocs("export", str(place.sources)))
    (folder / "one").mkdir()
    (folder / "one/index.md").write_text("# One page\n")
    one = _config(folder / "one.yml", docs=folder / "one", site=folder / "one-site")
    return (
        Comparison(
            "all of ONNX, every version, pair and opset",
            (
                _fresh("mkdocs build, one page", folder / "one-site", *_mkdocs(one)),
                _build("opsetdocs build", place),
                _unchanged("opsetdocs build, nothing changed", folder / "again", place.sources),
            ),
        ),
    )


def made(pages: int, folder: Path) -> tuple[Comparison, ...]:
    """Compare the site of a made domain with the floor, and with MkDocs and zensical on the same pages."""
    place = _Folders(folder)
    place.sources.mkdir()
    # In a process of its own: what a program takes at its start counts what the one that starts it has taken.
    _run(*python("-m", "bench.made", str(place.sources / "made.onnxopset"), str(pages)))
    _run(*_opsetdocs("build", str(place.sources), "-d", str(place.site)), folder=folder)
    _write_docs(place)
    return (Comparison(f"a made domain of {pages:,} pages", tuple(_programs(place, pages))),)


def _programs(place: _Folders, pages: int) -> Iterator[Program]:
    config = partial(_config, docs=place.docs)
    yield _build("opsetdocs build", place)
    yield _unchanged("opsetdocs build, nothing changed", place.root / "again", place.sources)
    yield part("the floor: read, and write the same bytes", "bench.site:floor", place.root)
    out = config(place.root / "out.yml", site=place.root / "out", more='nav: [index.md]\nnot_in_nav: "*"')
    yield _fresh("mkdocs build, pages not in the nav", place.root / "out", *_mkdocs(out))
    if pages <= MOST_PAGES_IN_NAV:
        inside = config(place.root / "in.yml", site=place.root / "in")
        yield _fresh("mkdocs build, pages in the nav", place.root / "in", *_mkdocs(inside))
    if find_spec("zensical"):
        other = config(place.root / "zensical.yml", site=place.root / "zensical", theme="material")
        command = python("-m", "zensical", "build", "--clean", "--config-file", str(other))
        yield _fresh("zensical build", place.root / "zensical", *command)


def _write_docs(place: _Folders) -> None:
    """Make Markdown files of the pages, from the Markdown that stands beside each."""
    for twin in place.site.rglob("index.md"):
        file = place.docs / twin.relative_to(place.site)
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(twin, file)


def floor(root: str) -> None:
    """Read the input, and write the bytes of the finished site to as many files."""
    place = _Folders(Path(root))
    load((str(place.sources),), base=Path())
    target = place.root / "floor"
    shutil.rmtree(target, ignore_errors=True)
    for file in place.site.rglob("*"):
        if file.is_file():
            copy = target / file.relative_to(place.site)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())


def _build(name: str, place: _Folders) -> Program:
    return _fresh(name, place.site, *_opsetdocs("build", str(place.sources), "-d", str(place.site)))


def _unchanged(name: str, site: Path, sources: Path) -> Program:
    command = _opsetdocs("build", str(sources), "-d", str(site))
    _run(*command, folder=site.parent)
    return Program(name, command, folder=site.parent)


def _fresh(name: str, site: Path, *command: str) -> Program:
    fresh = str(Path(__file__).with_name("fresh.py"))
    # Away from the project's own mkdocs.yml.
    return Program(name, python(fresh, str(site), *command), site=site, folder=site.parent)


def _config(file: Path, *, docs: Path, site: Path, theme: str = "mkdocs", more: str = "") -> Path:
    text = _CONFIG.format(docs=docs.name, site=site.name, theme=theme, more=more)
    assert yaml_load(text)
    file.write_text(text)
    return file


def _mkdocs(config: Path) -> tuple[str, ...]:
    return python("-m", "mkdocs", "build", "--quiet", "--config-file", str(config))


def _opsetdocs(*arguments: str) -> tuple[str, ...]:
    return python("-m", "opsetdocs", *arguments)


def _run(*command: str, folder: Path | None = None) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd=folder)
