"""Where the templates and the default site are: data that is shipped beside the package.

A wheel carries both folders inside the package. A checkout, an unpacked sdist and an editable install have
them at the top, next to `src`.
"""

from __future__ import annotations

from pathlib import Path

from opsetdocs.errors import OpsetdocsError

_PACKAGE = Path(__file__).resolve().parent


def templates_dir() -> Path:
    """Return the folder of our Jinja templates.

    Raises:
        OpsetdocsError: The installation lacks the folder.
    """
    return _find("templates")


def site_config_dir() -> Path:
    """Return the folder of the default site's mkdocs.yml and of our stylesheet.

    Raises:
        OpsetdocsError: The installation lacks the folder.
    """
    return _find("site_config")


def _find(name: str) -> Path:
    source_tree = _PACKAGE.parent
    parents = [_PACKAGE, source_tree.parent] if source_tree.name == "src" else [_PACKAGE]
    for parent in parents:
        if (parent / name).is_dir():
            return parent / name
    raise OpsetdocsError(
        f"this installation of opsetdocs is incomplete: there is no folder {_PACKAGE / name}"
    )
