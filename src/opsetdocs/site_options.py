"""From the plugin's options to the options of a site."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opsetdocs.check_settings import CheckSettings, settings_of
from opsetdocs.errors import ConfigError
from opsetdocs.model import domain_name
from opsetdocs.project import find_entry
from opsetdocs.site import SiteOptions

if TYPE_CHECKING:
    from opsetdocs.plugin_options import OpsetDocsConfig


def find_site_options(config_file: Path | None, *, directory_urls: bool) -> SiteOptions:
    """Return what the project in the current folder says about its site.

    Args:
        config_file: The mkdocs.yml to use; `None` for the one in the current folder, if there is one.
        directory_urls: Whether links end in `/`.

    Raises:
        ConfigError: A file cannot be read, or a value in it cannot be used.
    """
    entry = find_entry(config_file)
    settings = settings_of(entry)
    if not settings.sources:
        settings = replace(settings, sources=SiteOptions().sources)
    if entry is None:
        return SiteOptions(
            settings.sources, settings.base, check=settings.options, directory_urls=directory_urls
        )
    # Here, since MkDocs takes longer to import than all the rest, and may not be needed.
    from opsetdocs.plugin_options import OpsetDocsConfig

    options = OpsetDocsConfig(str(entry.config_file))
    options.load_dict(dict(entry.options))
    errors, _ = options.validate()
    for name, error in errors:
        raise ConfigError(f"{entry.config_file}: the plugin opsetdocs: {name}: {error}")
    return site_options(options, settings, directory_urls=directory_urls)


def site_options(
    options: OpsetDocsConfig, settings: CheckSettings, *, directory_urls: bool, search: bool = False
) -> SiteOptions:
    """Return what the plugin's options say, once MkDocs has validated them.

    Args:
        options: The options.
        settings: The sources, the folder to which they refer, and what is said about checks.
        directory_urls: Whether links end in `/`.
        search: Whether the site gets the search of our own theme.
    """
    return SiteOptions(
        sources=settings.sources,
        base=settings.base,
        templates=tuple(map(Path, options.templates)),
        title=options.title,
        domains={domain_name(name): domain for name, domain in options.domains.items()},
        order=options.order,
        include=tuple(options.include),
        exclude=tuple(options.exclude),
        link_map=options.link_map,
        remote_images=options.remote_images,
        rules=options.rules,
        check=settings.options,
        directory_urls=directory_urls,
        search=search,
        path=options.path,
        redirects=options.redirects,
    )
