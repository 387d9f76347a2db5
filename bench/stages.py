"""Where the time of building all of ONNX goes: each stage of a build, and parts of the stages alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from bench.measure import Comparison, Program, part, python
from opsetdocs import handover
from opsetdocs.addresses import Place, assign
from opsetdocs.body_views import Bodies
from opsetdocs.catalog import Catalog, Part, Version
from opsetdocs.comparisons import Changes, version_pairs
from opsetdocs.docstring import Section
from opsetdocs.history import build_catalog
from opsetdocs.markdown import Renderer
from opsetdocs.pages import opset_pairs
from opsetdocs.pictures import growth, lifeline, matrix
from opsetdocs.resources import site_config_dir
from opsetdocs.rules import run
from opsetdocs.search_index import search_files, searched
from opsetdocs.signature import signature, stated_blocks
from opsetdocs.sources import Loaded, load
from opsetdocs.twins import plain_summaries


def comparisons(folder: Path) -> tuple[Comparison, ...]:
    """Compare a whole build with its stages, and with parts of these that are done alone."""
    sources = folder / "sources"
    subprocess.run(python("-m", "opsetdocs", "export", str(sources)), stdout=subprocess.DEVNULL, check=True)
    alone = {
        "reading": reading,
        "history": history,
        "checking": checking,
        "signatures of all versions": signatures,
        "differences of all pairs": differences,
        "Markdown of all texts": markdown,
        "pictures": pictures,
        "search index": search_index,
    }
    whole = python("-m", "bench.stages", str(sources), str(folder / "site"), str(folder / "report.json"))
    return (
        Comparison(
            "all of ONNX, stage by stage",
            (
                Program("one build by MkDocs", whole, reports_stages=True),
                *(
                    part(f"alone: {name}", f"bench.stages:{function.__name__}", sources)
                    for name, function in alone.items()
                ),
            ),
        ),
    )


def reading(folder: str) -> Callable[[], object]:
    return lambda: _load(folder)


def history(folder: str) -> Callable[[], object]:
    sets = _load(folder).sets
    return lambda: build_catalog(sets)


def checking(folder: str) -> Callable[[], object]:
    sets = _load(folder).sets
    return lambda: run(sets)


def signatures(folder: str) -> Callable[[], object]:
    parts = list(_parts(_catalog(folder)))
    return lambda: list(map(signature, parts))


def differences(folder: str) -> Callable[[], object]:
    catalog = _catalog(folder)

    def measured() -> None:
        changes = Changes(assign(catalog))
        for domain in catalog.domains:
            for old, new in chain.from_iterable(map(version_pairs, domain.operators)):
                changes.between(old, new)
                changes.texts(old, new)
            for old_opset, new_opset in opset_pairs(domain):
                changes.upgrade(domain, old_opset, new_opset)

    return measured


def markdown(folder: str) -> Callable[[], object]:
    texts = set(chain.from_iterable(map(_texts, _parts(_catalog(folder)))))

    def measured() -> None:
        renderer = Renderer()
        for text in texts:
            renderer.render(text)

    return measured


def pictures(folder: str) -> Callable[[], object]:
    catalog = _catalog(folder)
    addresses = assign(catalog)
    url = Place("", directory_urls=True).url
    parts = list(_parts(catalog))

    def measured() -> None:
        bodies = Bodies(catalog, addresses)
        for item in parts:
            for text in _texts(item):
                list(bodies.in_text(text, "id", url))
            if item.function:
                bodies.of_function(item.function, "id", url)
        for domain in catalog.domains:
            growth(domain)
            matrix(domain, url=url, addresses=addresses)
            for operator in domain.operators:
                lifeline(operator, domain, id_prefix="id", url=url, addresses=addresses)

    return measured


def search_index(folder: str) -> Callable[[], object]:
    catalog = _catalog(folder)
    addresses = assign(catalog)
    summary = plain_summaries(Renderer())

    def measured() -> None:
        found = searched(catalog, addresses, (), summary, {})
        search_files(found, (), section="", directory_urls=True)

    return measured


def _load(folder: str) -> Loaded:
    return load((folder,), base=Path())


def _catalog(folder: str) -> Catalog:
    return build_catalog(_load(folder).sets)


def _parts(catalog: Catalog) -> Iterator[Part]:
    operators = chain.from_iterable(domain.operators for domain in catalog.domains)
    versions: Iterable[Version] = chain.from_iterable(operator.versions for operator in operators)
    for revision in chain.from_iterable(version.revisions for version in versions):
        yield from revision.parts


def _texts(item: Part) -> Iterator[str]:
    for block in stated_blocks(item):
        for content in block.blocks if isinstance(block, Section) else (block,):
            yield content if isinstance(content, str) else content.description


def main(sources: str, site: str, report: str) -> None:
    """Do what the child process of `opsetdocs build` does, and print its stages."""
    variables = handover.environment(
        sources=[sources], quiet=True, report=Path(report), timings=True, cache="off"
    )
    config_file = site_config_dir() / "mkdocs.yml"
    subprocess.run(
        python("-m", "mkdocs", "build", "--config-file", str(config_file), "--site-dir", site),
        env=os.environ | variables,
        check=True,
    )
    found = handover.read_report(Path(report))
    assert found is not None
    for stage in found.stages:
        print(stage.name, stage.cpu, stage.wall, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
