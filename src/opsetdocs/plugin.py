"""The MkDocs plugin: it translates between MkDocs and `build_site`, which works without MkDocs."""

from __future__ import annotations

import io
import logging
import posixpath
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click
from mkdocs.config import config_options as c
from mkdocs.config.base import Config, ValidationError
from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.contrib.search import SearchPlugin
from mkdocs.exceptions import Abort, PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import BasePlugin, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.utils import is_markdown_file

from opsetdocs import handover, mkdocs_nav
from opsetdocs.build import SCRIPT, STYLESHEET, build_site
from opsetdocs.check_settings import read_options
from opsetdocs.errors import OpsetdocsError
from opsetdocs.finding_groups import LIMIT
from opsetdocs.inventory import INVENTORY
from opsetdocs.mkdocs_page import FinishedPage, TextTitleIndex
from opsetdocs.model import domain_name
from opsetdocs.reporting import log_findings
from opsetdocs.site import DomainOptions, Site, SiteOptions

log = get_plugin_logger("opsetdocs")

_DEFAULTS = SiteOptions()


class FolderOption(c.Type[str]):
    """A folder below the docs root, written with `/`; the value is empty or ends in `/`."""

    def run_validation(self, value: object) -> str:
        """Return the folder in its plain form.

        Raises:
            ValidationError: The value is no text, or leads out of the docs root.
        """
        parts = [part for part in super().run_validation(value).split("/") if part not in ("", ".")]
        if any(part == ".." or "\\" in part for part in parts):
            raise ValidationError(
                f"Expected a folder below docs_dir, such as `reference/ops`, but got: {value}"
            )
        return "".join(f"{part}/" for part in parts)


class DomainConfig(Config):
    """What a project says about a domain."""

    title = c.Type(str, default="")
    description = c.Type(str, default="")


class OpsetDocsConfig(Config):
    """The plugin's options: `path`, and the fields of `SiteOptions` that MkDocs itself does not decide."""

    path = FolderOption(str, default="")
    sources = c.ListOfItems(c.Type(str), default=list(_DEFAULTS.sources))
    templates = c.ListOfItems(c.Dir(exists=True), default=[])
    title = c.Type(str, default=_DEFAULTS.title)
    domains = c.DictOfItems(c.SubConfig(DomainConfig), default={})
    order = c.Choice(("name", "file"), default=_DEFAULTS.order)
    include = c.ListOfItems(c.Type(str), default=[])
    exclude = c.ListOfItems(c.Type(str), default=[])
    link_map = c.DictOfItems(c.Type(str), default={})
    remote_images = c.Type(bool, default=_DEFAULTS.remote_images)
    rules = c.Type(bool, default=_DEFAULTS.rules)
    # What is in these is looked at by `read_options`, as it is for the command `check`.
    select = c.Type(list, default=[])
    ignore = c.Type(list, default=[])
    levels = c.Type(dict, default={})
    fail_on = c.Optional(c.Type(str))
    baseline = c.Optional(c.Type(str))
    against = c.Optional(c.Type(str))


class OpsetDocsPlugin(BasePlugin[OpsetDocsConfig]):
    """Adds the pages of operator sets to a site."""

    def __init__(self) -> None:
        self._site: Site | None = None
        self._files: dict[str, File] = {}
        self._server: LiveReloadServer | None = None
        self._stdin: bytes | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], **_: object) -> None:
        """Begin anew. MkDocs keeps a plugin with this event while it serves, and so the last good site."""
        self._site = self._server = self._stdin = None
        if handover.is_quiet():
            logging.getLogger("mkdocs").setLevel(logging.WARNING)
        if command == "serve" and _live_reload_is_broken():
            log.warning(
                "this release of click switches MkDocs' live reload off: "
                "install another one, or run `mkdocs serve --livereload`"
            )

    def on_config(self, config: MkDocsConfig) -> None:
        """Put our stylesheet first, so that the site's own wins, and add our script."""
        config.extra_css.insert(0, self.config.path + STYLESHEET)
        script = ExtraScriptValue(self.config.path + SCRIPT)
        script.defer = True
        config.extra_javascript.append(script)
        if not any("search" in posixpath.basename(name) for name in config.plugins):
            log.warning("the site has no search: a `plugins` list in mkdocs.yml has to name `search` too")

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Build the site in memory, before MkDocs empties its folder: a broken file never wipes a good site.

        Raises:
            PluginError: The input cannot be used. Not while serving: MkDocs answers no request after a failed
                rebuild, so the pages of the last good one stay up.
        """
        try:
            self._site = self._build(config)
        except PluginError as err:
            if self._site is None:
                raise
            log.error("%s; the pages stay as they were until that is mended", err)
        self._watch()

    def _build(self, config: MkDocsConfig) -> Site:
        try:
            site = build_site(self._options(config), stdin=self._standard_input())
        except OpsetdocsError as err:
            raise PluginError(str(err)) from err
        except Exception as err:
            log.debug("opsetdocs failed", exc_info=True)
            raise PluginError(
                f"opsetdocs failed with {type(err).__name__}: {err}; "
                "please report this with what `mkdocs build --verbose` prints"
            ) from err
        if unusable := log_findings(site.findings, log):
            raise PluginError(f"{unusable} {'files' if unusable > 1 else 'file'} cannot be used")
        return site

    def _options(self, config: MkDocsConfig) -> SiteOptions:
        options = self.config
        folder = Path(config.config_file_path or "").resolve().parent
        sources, base = handover.sources(), Path.cwd()
        if sources is None:
            sources, base = tuple(options.sources), folder
        return SiteOptions(
            sources=sources,
            base=base,
            templates=tuple(Path(folder) for folder in options.templates),
            title=options.title,
            domains={
                domain_name(name): DomainOptions(domain.title, domain.description)
                for name, domain in options.domains.items()
            },
            order=options.order,
            include=tuple(options.include),
            exclude=tuple(options.exclude),
            link_map=options.link_map,
            remote_images=options.remote_images,
            rules=options.rules,
            check=read_options(options, "the plugin opsetdocs", folder),
            directory_urls=config.use_directory_urls,
        )

    def _standard_input(self) -> io.BytesIO | None:
        """Return what came in by standard input, which can be read once but is needed at each rebuild."""
        if "-" not in (handover.sources() or self.config.sources):
            return None
        if self._stdin is None:
            self._stdin = sys.stdin.buffer.read()
        return io.BytesIO(self._stdin)

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> None:
        """Add the pages and assets as virtual files; a hand-written one at the same address wins."""
        _index_titles_as_text(config)
        written = {file.dest_uri: file for file in files if file.inclusion.is_included()}
        titles = dict(mkdocs_nav.titles_in(config.nav))
        self._files = {}
        for rendered in self._built.pages:
            file = self._virtual(config, rendered.address + "index.md", b"")
            self._files[rendered.address] = written.get(file.dest_uri, file)
            if file.dest_uri not in written:
                _put(files, file)
                FinishedPage(rendered, file, config, titles.get(file.src_uri))
        assets = [
            self._asset(config, address, content)
            for address, content in self._built.assets.items()
            if address != INVENTORY  # `on_post_build` writes it
        ]
        for file in assets:
            if file.dest_uri not in written:
                _put(files, file)
        ours = {file.dest_uri for file in (*self._files.values(), *assets)}
        for message in _shortened([written[uri].src_uri for uri in sorted(ours & written.keys())]):
            log.info("published from docs_dir, in the place of a file of ours: %s", message)

    def _virtual(self, config: MkDocsConfig, address: str, content: bytes) -> File:
        # Said outright, or MkDocs would leave out what lies below `templates` or starts with a dot.
        # Not in the nav, or MkDocs would make a nav of all pages; `on_nav` adds the few that belong there.
        inclusion = InclusionLevel.NOT_IN_NAV
        return File.generated(config, self.config.path + address, content=content, inclusion=inclusion)

    def _asset(self, config: MkDocsConfig, address: str, content: bytes) -> File:
        if not is_markdown_file(address):
            return self._virtual(config, address, content)
        # Under its own name it would be the source of a page, of the very page whose twin it is.
        file = self._virtual(config, f"{address}.twin", content)
        file.dest_uri = self.config.path + address
        return file

    @event_priority(-100)  # After the plugins that make navs, so that what they placed is not placed twice.
    def on_nav(self, nav: Navigation, /, **_: object) -> None:
        """Put the root and the domains into the nav, and set every page's parent."""
        pages = {address: file.page for address, file in self._files.items() if file.page is not None}
        mkdocs_nav.place(nav, pages, self.config.title)

    @event_priority(100)  # Before autorefs resolves what pages refer to.
    def on_env(self, *_: object, config: MkDocsConfig, **__: object) -> None:
        """Tell the plugin autorefs our ids, if the site has it: by itself it finds those of Markdown only."""
        register = getattr(config.plugins.get("autorefs"), "register_anchor", None)
        if register is None:
            return
        for target in self._built.targets:
            page = self._files[target.address].page
            if isinstance(page, FinishedPage):
                register(page, target.id)

    @event_priority(-100)  # After the plugins that write an inventory.
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the inventory, see that every page was published, and report to `opsetdocs build`.

        Raises:
            PluginError: A page is missing from the site.
        """
        missing = [file.src_uri for file in self._files.values() if not Path(file.abs_dest_path).is_file()]
        if missing:
            total = len(self._files)
            raise PluginError(
                f"{len(missing)} of {total} pages are missing from the site, such as {missing[0]}"
            )
        self._write_inventory(Path(config.site_dir, self.config.path, INVENTORY))
        handover.write_report(self._built.summary)

    def _write_inventory(self, file: Path) -> None:
        if file.exists():
            log.info("another inventory stays in the place of ours: %s%s", self.config.path, INVENTORY)
        elif content := self._built.assets.get(INVENTORY):
            file.write_bytes(content)

    def on_build_error(self, *, error: Exception, **_: object) -> None:
        """Say in one line that the disk is full, or what else the system refuses.

        Raises:
            Abort: Always for such an error.
        """
        if isinstance(error, OSError):
            log.error("%s: %s", error.filename or "the site", error.strerror or error)
            raise Abort("The site could not be written.") from error

    def on_serve(self, server: LiveReloadServer, /, **_: object) -> None:
        """Watch the sources and templates; which these are is known once they are read."""
        self._server = server
        self._watch()

    def _watch(self) -> None:
        if self._server is not None:
            for path in self._built.watched:
                if path.exists():
                    self._server.watch(str(path))

    @property
    def _built(self) -> Site:
        assert self._site is not None, "MkDocs calls on_pre_build first"
        return self._site


def _live_reload_is_broken() -> bool:
    """Return whether the command says no to live reload although nobody asked for that, as with click 8.3."""
    context = click.get_current_context(silent=True)
    if context is None or context.params.get("livereload") is not False:
        return False
    source = context.get_parameter_source("livereload")
    return source is not None and source.name == "DEFAULT"


def _index_titles_as_text(config: MkDocsConfig) -> None:
    search = config.plugins.get("search")
    if isinstance(search, SearchPlugin):
        search.search_index = TextTitleIndex(**search.config)


def _put(files: Files, file: File) -> None:
    if excluded := files.src_uris.get(file.src_uri):
        files.remove(excluded)
    files.append(file)


def _shortened(messages: list[str]) -> Iterator[str]:
    yield from messages[:LIMIT]
    if len(messages) > LIMIT:
        yield f"and {len(messages) - LIMIT} more like these"
