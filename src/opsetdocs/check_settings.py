"""What a project says about checks: in the plugin's options in mkdocs.yml, or in pyproject.toml.

The same keys stand in both places, in pyproject.toml below `[tool.opsetdocs]`, and the options of the command
`check` have the same names.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from opsetdocs.check_options import LEVELS, NEVER, OFF, CheckOptions
from opsetdocs.errors import ConfigError
from opsetdocs.project import PluginEntry, find_entry
from opsetdocs.rules import RULES, near_rules
from opsetdocs.site import SiteOptions


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What is checked in a project, and how."""

    sources: tuple[str, ...]
    """What is checked where a call names nothing; empty where the settings name nothing either."""
    base: Path
    """The folder to which the sources refer."""
    options: CheckOptions
    is_listed: bool = True
    """Whether a site is described at all: mkdocs.yml lists our plugin."""


def find_settings(config_file: Path | None) -> CheckSettings:
    """Return the settings of the project in the current folder.

    Args:
        config_file: The mkdocs.yml to use; `None` for the one in the current folder, if there is one.

    Raises:
        ConfigError: A file cannot be read, or a key or value in it cannot be used.
    """
    return settings_of(find_entry(config_file))


def settings_of(entry: PluginEntry | None) -> CheckSettings:
    """Return the settings of a project.

    Args:
        entry: What its mkdocs.yml says; `None` where that does not list our plugin.

    Raises:
        ConfigError: pyproject.toml cannot be read, or a key or value cannot be used.
    """
    if entry is None:
        return replace(merged_settings({}, "", Path()), is_listed=False)
    file = entry.config_file
    _check_keys(entry.options, _PLUGIN_KEYS, f"{file}: the plugin opsetdocs")
    return merged_settings(entry.options, str(file), file.parent)


def merged_settings(options: Mapping[str, Any], where: str, folder: Path) -> CheckSettings:
    """Return what a project says: for each key counts mkdocs.yml, then the pyproject.toml beside it.

    Args:
        options: What mkdocs.yml says to our plugin, as written.
        where: The file, as an error names it.
        folder: The folder of the file.

    Raises:
        ConfigError: pyproject.toml cannot be read, or a value cannot be used.
    """
    pyproject = folder / "pyproject.toml"
    stated: dict[str, Any] = {}
    for file, settings in ((str(pyproject), read_pyproject(pyproject)), (where, options)):
        # Each is read by itself, so that an error names the file.
        read_options(settings, file, folder)
        read_sources(settings, file)
        stated |= {name: value for name, value in settings.items() if value is not None}
    return CheckSettings(
        sources=tuple(read_sources(stated, "")), base=folder, options=read_options(stated, "", folder)
    )


# Reading one place


@dataclass(frozen=True, slots=True)
class Key:
    """What the value of a key has to be, and how it is read."""

    expected: str
    """What the value has to be, in words."""
    is_right: Callable[[Any], bool]
    """Whether a value is that."""
    read: Callable[[Any, Path], Any] = lambda value, _: value
    """Gives what the value means; the folder is that to which file names refer."""


def is_texts(value: Any) -> bool:
    """Return whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_levels(value: Any) -> bool:
    # YAML reads a bare `off` as false.
    return isinstance(value, dict) and all(
        isinstance(rule, str) and (level in (*LEVELS, OFF) or level is False) for rule, level in value.items()
    )


_KEYS = {
    "select": Key("a list of rules", is_texts, lambda value, _: as_patterns(value)),
    "ignore": Key("a list of rules", is_texts, lambda value, _: as_patterns(value)),
    "levels": Key(
        f"rules and for each of them {', '.join(LEVELS)} or {OFF}",
        _is_levels,
        lambda value, _: {rule.upper(): level or OFF for rule, level in value.items()},
    ),
    "fail_on": Key(f"{', '.join(LEVELS)} or {NEVER}", lambda value: value in (*LEVELS, NEVER)),
    "baseline": Key(
        "the name of a file", lambda value: isinstance(value, str), lambda value, folder: folder / value
    ),
    "against": Key("a source", lambda value: isinstance(value, str)),
}

SOURCES = "sources"
"""The key that says what is read where a call names no source."""

SHARED_KEYS: Mapping[str, Key] = {SOURCES: Key("a list of sources", is_texts), **_KEYS}
"""The keys that both places have."""

_OF_MKDOCS = ("base", "check", "directory_urls", "search")
"""The fields of `SiteOptions` that are no options of the plugin: MkDocs decides, or other options do."""

_PLUGIN_KEYS = (
    *(field.name for field in fields(SiteOptions) if field.name not in _OF_MKDOCS),
    *_KEYS,
    *("frame", "cache", "enabled"),
)
"""The keys of the plugin in mkdocs.yml. Not from the plugin itself: MkDocs takes longer than a check."""

_RULE_KEYS = ("select", "ignore", "levels")


def read_options(settings: Mapping[str, Any], where: str, folder: Path) -> CheckOptions:
    """Return the options that a project's settings state.

    Args:
        settings: The settings. Keys that are not about checks are passed over, and so is `None`.
        where: The file, as an error names it.
        folder: The folder to which file names refer.

    Raises:
        ConfigError: A value cannot be used, or names no rule.
    """
    stated = {name: settings[name] for name in _KEYS if settings.get(name) is not None}
    for name, value in stated.items():
        if not _KEYS[name].is_right(value):
            raise ConfigError(f"{where}: {name} is {value!r}, expected {_KEYS[name].expected}")
        if name in _RULE_KEYS:
            as_patterns(value, f"{where}: {name}")
    return CheckOptions(**{name: _KEYS[name].read(value, folder) for name, value in stated.items()})


def as_patterns(texts: Iterable[str], where: str = "") -> tuple[str, ...]:
    """Return ids and patterns of rules as they are compared: in capital letters.

    Args:
        texts: Ids and patterns.
        where: The option, as an error names it.

    Raises:
        ConfigError: One fits no rule.
    """
    patterns = tuple(text.strip().upper() for text in texts)
    for pattern in patterns:
        if not any(fnmatchcase(rule, pattern) for rule in RULES):
            raise ConfigError(f"{where}: there is no rule {pattern!r}; {near_rules(pattern)}")
    return patterns


def read_pyproject(file: Path) -> Mapping[str, Any]:
    """Return `[tool.opsetdocs]` of a pyproject.toml; nothing where there is none.

    `fail-on` and `fail_on` are the same key, as in other tools.

    Raises:
        ConfigError: The file cannot be read, or has a key there that is unknown.
    """
    try:
        with file.open("rb") as stream:
            content = tomllib.load(stream)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as err:
        raise ConfigError(f"{file}: {getattr(err, 'strerror', None) or err}") from err
    tool = content.get("tool")
    table = tool.get("opsetdocs", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: tool.opsetdocs is {table!r}, expected a table")
    settings = {name.replace("-", "_"): value for name, value in table.items()}
    _check_keys(settings, SHARED_KEYS, f"{file}: tool.opsetdocs")
    return settings


def _check_keys(settings: Mapping[str, Any], known: Collection[str], where: str) -> None:
    for name in settings:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"is {near[0]} meant?" if near else f"expected {', '.join(known)}"
            raise ConfigError(f"{where} has an unknown key {name!r}; {hint}")


def read_sources(settings: Mapping[str, Any], where: str) -> Sequence[str]:
    """Return the sources that settings name; none where they name none.

    Raises:
        ConfigError: The value is no list of texts.
    """
    value = settings.get(SOURCES) or []
    key = SHARED_KEYS[SOURCES]
    if not key.is_right(value):
        raise ConfigError(f"{where}: {SOURCES} is {value!r}, expected {key.expected}")
    return tuple(value)
