"""Page snapshots: what is known of a small set of files, and the pages that come out, side by side.

A failure shows which of the two moved. `pytest tests/test_snapshots.py --renew-snapshots` writes them anew.
"""

from __future__ import annotations

import pprint
import re
from pathlib import Path

import pytest

from conftest import case_files
from opsetdocs.build import build_site
from opsetdocs.history import build_catalog
from opsetdocs.site import SiteOptions
from opsetdocs.sources import load

SNAPSHOTS = Path(__file__).parent / "snapshots"
RENEW = "pytest tests/test_snapshots.py --renew-snapshots"


@pytest.mark.parametrize("case", ["H4", "H5", "F1", "F4", "M11"])
def test_pages_are_those_of_the_snapshot(case: str, request: pytest.FixtureRequest) -> None:
    files = case_files(case)
    operators = [
        operator
        for domain in build_catalog(load(files, base=Path()).sets).domains
        for operator in domain.operators
    ]
    made = {"history.txt": pprint.pformat([(item.name, item.events) for item in operators], width=110) + "\n"}
    pages = build_site(SiteOptions(sources=files)).pages
    upgrades = [page for page in pages if re.search(r"/opsets/\d+-\d+/$", page.address)]
    for page in (page for page in pages if page not in upgrades[:-1]):  # One upgrade shows what all are like.
        name = page.address.strip("/").replace("/", "-") or "root"
        made[f"{name}.html"] = page.html + "\n"
    folder = SNAPSHOTS / case
    if request.config.getoption("--renew-snapshots"):
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        for name, text in made.items():
            (folder / name).write_text(text, encoding="utf-8")
    kept = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert sorted(made) == sorted(kept), f"other pages than in {folder.name}; renew them with `{RENEW}`"
    for name, text in made.items():
        assert text == kept[name], f"{folder.name}/{name} changed; if that is meant, renew it with `{RENEW}`"
