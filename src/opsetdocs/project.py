"""The project that `opsetdocs build` is about: an mkdocs.yml, or the one that is shipped with opsetdocs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opsetdocs.errors import ConfigError
from opsetdocs.resources import site_config_dir

_CONFIG_NAMES = ("mkdocs.yml", "mkdocs.yaml")
_GLOB_SIGNS = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Project:
    """What a build has to know of a project before MkDocs reads it."""

    config_file: Path
    site_dir: Path
    """Where the site goes if the call does not say."""
    reads: tuple[Path, ...]
    """The files and folders that a build reads, as far as the configuration names them."""


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """What an mkdocs.yml says to our plugin."""

    config_file: Path
    options: Mapping[str, Any]
    """As written."""


def find_project(config_file: Path | None) -> Project:
    """Return the project in the current folder.

    Args:
        config_file: The mkdocs.yml to use; `None` for the one in the current folder, or the default one.

    Raises:
        ConfigError: The file cannot be read, or does not list our plugin.
    """
    config_file = config_file or find_config()
    if config_file is None:
        return Project(site_config_dir() / "mkdocs.yml", Path("site"), ())
    folder = config_file.resolve().parent
    config = _load(config_file)
    options = _plugin_options(config.get("plugins"))
    if options is None:
        raise ConfigError(
            f"{config_file} does not list the plugin opsetdocs; add to it:\n\n"
            "plugins:\n  - search\n  - opsetdocs"
        )
    named = (config.get("docs_dir", "docs"), *_texts(options.get("templates")))
    sources = (fixed_part(source) for source in _texts(options.get("sources")))
    return Project(
        config_file=config_file,
        site_dir=folder / str(config.get("site_dir", "site")),
        reads=(config_file, *(folder / str(path) for path in (*named, *(path for path in sources if path)))),
    )


def find_config() -> Path | None:
    """Return the mkdocs.yml in the current folder, if there is one."""
    return next((path for path in map(Path, _CONFIG_NAMES) if path.is_file()), None)


def find_entry(config_file: Path | None) -> PluginEntry | None:
    """Return what an mkdocs.yml says to our plugin; `None` where there is no file, or it does not list it.

    Args:
        config_file: The mkdocs.yml to use; `None` for the one in the current folder, if there is one.

    Raises:
        ConfigError: The file cannot be read, or is named and does not list our plugin.
    """
    file = config_file or find_config()
    options = _plugin_options(_load(file).get("plugins")) if file else None
    if file is None or options is None:
        if config_file is not None:
            raise ConfigError(f"{config_file} does not list the plugin opsetdocs")
        return None
    return PluginEntry(file, options)


def fixed_part(source: str) -> Path | None:
    """Return the file or folder that a source reads, without the part of it that is a pattern.

    Standard input and the installed onnx package are none.
    """
    if source in ("-", "onnx"):
        return None
    fixed = Path()
    for part in Path(source).parts:
        if _GLOB_SIGNS & set(part):
            break
        fixed /= part
    return fixed


def _load(config_file: Path) -> Mapping[str, Any]:
    # Here, since MkDocs takes longer to import than a check takes, and there may be no file.
    from mkdocs.exceptions import ConfigurationError
    from mkdocs.utils.yaml import yaml_load

    try:
        with config_file.open("rb") as file:
            config = yaml_load(file)
    except (ConfigurationError, OSError) as err:
        raise ConfigError(f"{config_file}: {err}") from err
    except TypeError as err:  # MkDocs looks for a key in whatever the file holds
        raise ConfigError(
            f"{config_file}: expected settings, such as site_name: a name for the site"
        ) from err
    except Exception as err:  # tags of extensions run code while the file is read
        raise ConfigError(f"{config_file}: {type(err).__name__}: {err}") from err
    if not isinstance(config, Mapping):
        raise ConfigError(f"{config_file}: expected settings, such as site_name: a name for the site")
    return config


def _plugin_options(plugins: Any) -> Mapping[str, Any] | None:
    """Return the options of our plugin; `None` if it is not listed."""
    for name, options in _entries(plugins):
        if name.lstrip("/") == "opsetdocs":
            return options if isinstance(options, Mapping) else {}
    return None


def _entries(plugins: Any) -> Iterator[tuple[str, Any]]:
    listed = plugins if isinstance(plugins, list) else ()
    for entry in [plugins] if isinstance(plugins, Mapping) else listed:
        if isinstance(entry, Mapping):
            for name, options in entry.items():
                yield str(name), options
        else:
            yield str(entry), None


def _texts(value: Any) -> Sequence[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
