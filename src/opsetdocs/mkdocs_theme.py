"""Where MkDocs finds our theme: what the entry point `opsetdocs` in the group `mkdocs.themes` names."""

from __future__ import annotations

from types import SimpleNamespace

from opsetdocs.resources import site_config_dir

THEME_DIR = (site_config_dir() / "theme").absolute()
"""The folder of the theme."""

theme = SimpleNamespace(__file__=str(THEME_DIR / "mkdocs_theme.yml"))
"""MkDocs takes the folder of the `__file__` of what it loads, and looks there for mkdocs_theme.yml.

A module's own folder cannot be that place: the theme lies beside the package in a checkout, in an sdist and
behind an editable install, and inside of it in a wheel.
"""
