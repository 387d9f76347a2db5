"""Fuzzes one format, or catalogs: `python -m fuzz binary --runs 1000000`. See README.md."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path


def main() -> None:
    options = _options()
    if options.what == "catalog":
        from fuzz import catalogs

        catalogs.fuzz(runs=options.runs, seconds=options.seconds, seed=options.seed)
        return
    if options.what == "dense":
        from fuzz import dense

        dense.fuzz(**({} if options.length is None else {"length": options.length}))
        return
    if options.inputs:
        from fuzz import examine
        from opsetdocs.model import Format

        for path in options.inputs:
            read = examine.examine(path.read_bytes(), Format(options.what))
            print(f"{path}: {'read' if read else 'refused'}")
        return
    folder: Path = options.folder / options.what
    folder.mkdir(parents=True, exist_ok=True)
    if options.unguided or importlib.util.find_spec("atheris") is None:
        from fuzz import unguided as engine
    else:
        from fuzz import guided as engine  # type: ignore[no-redef]
    # Only now: with atheris our modules are instrumented when they are first imported.
    from opsetdocs.model import Format

    engine.fuzz(Format(options.what), folder, runs=options.runs, seconds=options.seconds, seed=options.seed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz", description="Look for inputs that break opsetdocs."
    )
    parser.add_argument("what", choices=("binary", "text", "json", "catalog", "dense"))
    parser.add_argument(
        "inputs",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="examine these alone: inputs that were found before",
    )
    parser.add_argument("--runs", type=int, help="how many inputs  (default: no limit)")
    parser.add_argument("--seconds", type=float, help="how long  (default: no limit)")
    parser.add_argument("--seed", type=int, default=1, help="what chance begins with  (default: %(default)s)")
    parser.add_argument("--length", type=int, help="of dense texts, in characters  (default: the greatest)")
    parser.add_argument("--unguided", action="store_true", help="do without atheris, even if it is there")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("build/fuzz"),
        help="where inputs are kept, and those that found something  (default: %(default)s)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
