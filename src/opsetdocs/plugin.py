"""The MkDocs plugin: it translates between MkDocs and `build_site`, which works without MkDocs."""

from __future__ import annotations

import io
import logging
import posixpath
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import unescape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
import jinja2
from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.contrib.search import SearchPlugin
from mkdocs.exceptions import Abort, PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import is_markdown_file
from mkdocs.utils.templates import TemplateContext

from opsetdocs import handover, mkdocs_nav
from opsetdocs.build import SCRIPT, STYLESHEET, build_site
from opsetdocs.cache import NO_CACHE, Cache, MemoryCache
from opsetdocs.cache_folder import OFF, cache_of
from opsetdocs.check_settings import SHARED_KEYS, merged_settings
from opsetdocs.compiled_templates import CompiledTemplates
from opsetdocs.errors import OpsetdocsError
from opsetdocs.finding_groups import LIMIT
from opsetdocs.framing import HeldBack, participants, readers
from opsetdocs.garbage import Pause
from opsetdocs.inventory import INVENTORY
from opsetdocs.late_files import FileMaker, FolderMaker, LateFiles
from opsetdocs.mkdocs_page import (
    FinishedPage,
    KeptPages,
    TextTitleIndex,
    finished_page,
    sections,
    virtual_file,
)
from opsetdocs.mkdocs_theme import THEME_DIR
from opsetdocs.plain_text import visible
from opsetdocs.plugin_options import OpsetDocsConfig
from opsetdocs.progress import show_progress
from opsetdocs.reporting import log_findings
from opsetdocs.resources import site_config_dir
from opsetdocs.search_index import FOLDER as SEARCH_FOLDER
from opsetdocs.search_index import search_files, written_page
from opsetdocs.searched import SearchedPage
from opsetdocs.site import Site, SiteOptions
from opsetdocs.site_options import site_options
from opsetdocs.site_writer import write_files
from opsetdocs.sources import STANDARD_INPUT, read_standard_input
from opsetdocs.terminal import visible_lines
from opsetdocs.timings import count, record, stage, staged, stop, timing_lines

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer

log = get_plugin_logger("opsetdocs")

_CLOCK = 0.01
"""By so many seconds the time of a file may be behind the clock."""


class OpsetDocsPlugin(BasePlugin[OpsetDocsConfig]):
    """Adds the pages of operator sets to a site."""

    def __init__(self) -> None:
        self._site: Site | None = None
        self._files: dict[str, File] = {}
        self._written: list[SearchedPage] = []
        self._twins: dict[str, bytes] = {}
        self._nav = Navigation([], [])
        self._held: HeldBack | None = None
        self._late_pages: dict[str, FileMaker] = {}
        self._published: tuple[str, ...] = ()
        self._no_garbage = Pause()
        self._late = LateFiles()
        self._serves = False
        """Whether what is not written yet can be written when somebody asks for it."""
        self._is_late = False
        """Whether that may be done in this build: nobody looks at the files when it ends."""
        self._began = 0.0
        self._server: LiveReloadServer | None = None
        self._stdin: bytes | None = None
        # What a rebuild takes over from the build before.
        self._compiled: CompiledTemplates | None = None
        self._kept: KeptPages | None = None
        self._cache: Cache | None = None

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], **_: object) -> None:
        """Begin anew. MkDocs keeps a plugin with this event while it serves, and so the last good site."""
        self._site = self._server = self._stdin = self._cache = None
        self._compiled = CompiledTemplates() if command == "serve" else None
        self._kept = KeptPages() if command == "serve" else None
        self._serves = command == "serve" and _live_reload() is True
        if handover.is_quiet():
            logging.getLogger("mkdocs").setLevel(logging.WARNING)
        elif handover.is_command():
            show_progress(sys.stderr)
        if command == "serve" and _is_broken_live_reload():
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
        has_search = any("search" in posixpath.basename(name) for name in config.plugins)
        if _has_own_search(config):
            if has_search:
                log.info("the theme opsetdocs has a search of its own; it does not need the plugin `search`")
        elif not has_search:
            log.warning("the site has no search: a `plugins` list in mkdocs.yml has to name `search` too")

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Build the site in memory, before MkDocs empties its folder: a broken file never wipes a good site.

        Raises:
            PluginError: The input cannot be used. Not while serving: MkDocs answers no request after a failed
                rebuild, so the pages of the last good one stay up.
        """
        if handover.wants_timings() or log.isEnabledFor(logging.DEBUG):
            record("MkDocs")
        self._no_garbage.begin()
        self._late.begin()
        self._is_late = self._serves and not readers(config)
        self._began = time.time()
        try:
            self._site = self._build(config)
        except PluginError as err:
            if self._site is None:
                raise
            log.error("%s; the pages stay as they were until that is mended", err)
        self._watch()

    def _build(self, config: MkDocsConfig) -> Site:
        try:
            options = self._options(config)
            if self._cache is None:
                self._cache = self._new_cache(config)
            site = build_site(
                options,
                stdin=self._standard_input(options.sources),
                cache=self._cache,
                # What is deferred is not kept on disk. And autorefs wants to know all that there is.
                defer=self._server is not None and self._is_late and "autorefs" not in config.plugins,
            )
        except OpsetdocsError as err:
            raise PluginError("\n".join(visible_lines(str(err)))) from err
        except Exception as err:
            log.debug("opsetdocs failed", exc_info=True)
            raise PluginError(
                f"opsetdocs failed with {type(err).__name__}: {visible(str(err))}; "
                "please report this with what `mkdocs build --verbose` prints"
            ) from err
        if unusable := log_findings(site.findings, log):
            raise PluginError(f"{unusable} {'files' if unusable > 1 else 'file'} cannot be used")
        return site

    def _new_cache(self, config: MkDocsConfig) -> Cache:
        stated = handover.cache()
        if stated is None:
            stated = self.config.cache
        if stated == OFF:
            cache: Cache = NO_CACHE
        else:
            project = f"{config.config_file_path} {Path.cwd()}"
            cache = cache_of(project, _folder(config) / stated if stated else None)
        return cache if self._compiled is None else MemoryCache(cache)

    def _options(self, config: MkDocsConfig) -> SiteOptions:
        folder = _folder(config)
        if folder == site_config_dir():  # The project has no mkdocs.yml, and may have a pyproject.toml.
            folder = Path.cwd()
        settings = merged_settings(
            {name: self.config[name] for name in SHARED_KEYS}, "the plugin opsetdocs", folder
        )
        sources, base = handover.sources(), Path.cwd()
        if sources is None:
            sources, base = settings.sources or SiteOptions().sources, folder
        return site_options(
            self.config,
            replace(settings, sources=sources, base=base),
            directory_urls=config.use_directory_urls,
            search=_has_own_search(config),
        )

    def _standard_input(self, sources: Sequence[str]) -> io.BytesIO | None:
        """Return what came in by standard input, which can be read once but is needed at each rebuild."""
        if STANDARD_INPUT not in sources:
            return None
        if self._stdin is None:
            self._stdin = read_standard_input()
        return io.BytesIO(self._stdin)

    def on_files(self, files: Files, /, *, config: MkDocsConfig) -> None:
        """Add the pages and assets as virtual files; a hand-written one at the same address wins."""
        _index_titles_as_text(config)
        written = {file.dest_uri: file for file in files if file.inclusion.is_included()}
        titles = dict(mkdocs_nav.titles_in(config.nav))
        self._files = {}
        self._written = []
        if self._kept is not None:
            self._kept.begin(config)
        page = finished_page if self._kept is None else self._kept.page
        for rendered in self._built.pages:
            uri = f"{self.config.path}{rendered.address}index.md"
            file = page(rendered, uri, config, titles.get(uri)).file
            self._files[rendered.address] = written.get(file.dest_uri, file)
            if file.dest_uri not in written:
                _put(files, file)
        # `on_post_build` writes these. The name of a twin would make it the source of a page.
        self._twins = {
            address: content
            for address, content in self._built.assets.items()
            if is_markdown_file(address) and self.config.path + address not in written
        }
        assets = [
            virtual_file(self.config.path + address, content, config)
            for address, content in self._built.assets.items()
            if address != INVENTORY and not is_markdown_file(address)
        ]
        assets += [virtual_file(uri, content, config) for uri, content in self._built.redirects.items()]
        for file in assets:
            if file.dest_uri not in written:
                _put(files, file)
        ours = {file.dest_uri for file in (*self._files.values(), *assets)}
        for message in _shortened([written[uri].src_uri for uri in sorted(ours & written.keys())]):
            log.info("a file of docs_dir is published where opsetdocs has one as well: %s", message)

    @event_priority(-100)  # After the plugins that make navs, so that what they placed is not placed twice.
    def on_nav(self, nav: Navigation, /, **_: object) -> None:
        """Put the root and the domains into the nav, and set every page's parent."""
        pages = {address: file.page for address, file in self._files.items() if file.page is not None}
        mkdocs_nav.place(nav, pages, self.config.title)
        self._nav = nav

    @event_priority(100)  # Before autorefs resolves what pages refer to.
    def _tell_autorefs(self, *_: object, config: MkDocsConfig, **__: object) -> None:
        """Tell the plugin autorefs our ids, if the site has it: by itself it finds those of Markdown only."""
        register = getattr(config.plugins.get("autorefs"), "register_anchor", None)
        if register is None:
            return
        for target in self._built.targets:
            page = self._files[target.address].page
            if isinstance(page, FinishedPage):
                register(page, target.id)

    @event_priority(-100)  # After the plugins that change what was read.
    def _hold_back(self, env: jinja2.Environment, /, *, config: MkDocsConfig, files: Files) -> None:
        """Keep our pages from going through the theme one by one, if nobody has a say in that."""
        self._held = None
        if self._compiled is not None:
            env.bytecode_cache = self._compiled
        if self.config.frame == "each":
            return
        if others := participants(config):
            log.info("our pages go through the theme one by one, for %s to take part", " and ".join(others))
            return
        pages = [
            file.page
            for file in self._files.values()
            if isinstance(file.page, FinishedPage) and files.src_uris.get(file.src_uri) is file
        ]
        # The first one stays: what MkDocs says of a site that has no page at all is another thing.
        self._held = HeldBack(pages[1:], files, environment=env, config=config, nav=self._nav)

    on_env = CombinedEvent(_tell_autorefs, _hold_back)

    @event_priority(100)  # Before the plugins that look at the pages.
    def on_template_context(self, context: TemplateContext, /, **_: object) -> None:
        """Have templates such as the sitemap see all pages."""
        if self._held is not None:
            context["pages"] = self._held.with_ours(context["pages"])

    @event_priority(100)  # Before the plugins that look at the pages.
    def on_page_context(
        self, context: TemplateContext, /, *, page: Page, config: MkDocsConfig, **_: object
    ) -> None:
        """Have a page see all pages, and take a hand-written one into the index of the theme's search."""
        if self._held is not None:
            context["pages"] = self._held.with_ours(context["pages"])
        if isinstance(page, FinishedPage) or not _has_own_search(config):
            return
        settings = page.meta.get("search")
        if not (isinstance(settings, dict) and settings.get("exclude")):
            self._written += written_page(page.url, unescape(str(page.title or "")), sections(page))

    @event_priority(100)  # Before the plugins that write down what they saw of the pages.
    def _write_pages(self, *, config: MkDocsConfig) -> None:
        """Write the pages that were held back, and the twins; or while serving, leave them for later."""
        held, self._held = self._held, None
        is_late = held is not None and self._is_late
        pages: Iterable[tuple[str, FileMaker]] = ()
        if held:
            pages = held.late_outputs() if is_late else staged("theme", held.outputs())
        twins = ((self.config.path + uri, partial(bytes, content)) for uri, content in self._twins.items())
        self._late_pages = dict(chain(pages, twins)) if is_late else {}
        self._published = ()
        if not is_late:
            published = None if held is None or readers(config) else handover.published()
            with stage("writing"):
                self._published = write_files(Path(config.site_dir), chain(pages, twins), published)
            count("writing", files=len(self._files) + len(self._twins))
        if held:
            held.give_back()

    @event_priority(-100)  # After the plugins that write an inventory.
    def _finish(self, *, config: MkDocsConfig) -> None:
        """Write the inventory, see that every page was published, and report to `opsetdocs build`.

        Raises:
            PluginError: A page is missing from the site.
        """
        elsewhere = {*self._late_pages, *self._published}
        missing = [
            file.src_uri
            for file in self._files.values()
            if file.dest_uri not in elsewhere and not Path(file.abs_dest_path).is_file()
        ]
        if missing:
            total = len(self._files)
            raise PluginError(
                f"{len(missing)} of {total} pages are missing from the site, such as {missing[0]}"
            )
        self._write_inventory(Path(config.site_dir, self.config.path, INVENTORY))
        folders: dict[str, FolderMaker] = {}
        if self._built.search or self._built.late_search:
            folders[SEARCH_FOLDER] = partial(self._search_files, config.use_directory_urls)
        programs = {self.config.path + uri: content for uri, content in self._built.late.items()}
        there = {uri for uri in programs if self._is_new(Path(config.site_dir, uri))}
        files = {uri: content for uri, content in programs.items() if uri not in there}
        self._late.end(Path(config.site_dir), {**self._late_pages, **files}, folders)
        if not self._is_late:
            with stage("catalog and search"):
                self._late.write_all()
        self._no_garbage.end(
            keeps=handover.is_command() or self._kept is not None, is_waited_for=self._server is not None
        )
        stages = stop()
        handover.write_report(self._built.summary, stages, self._built.findings, self._published)
        for line in timing_lines(stages) if stages else ():
            log.debug("%s", line)

    on_post_build = CombinedEvent(_write_pages, _finish)

    def _search_files(self, directory_urls: bool) -> Mapping[str, bytes]:
        found = self._built.late_search() if self._built.late_search else self._built.search
        assert found is not None, "the site has a search"
        return search_files(found, self._written, section=self.config.path, directory_urls=directory_urls)

    def _write_inventory(self, file: Path) -> None:
        if self._is_new(file):
            log.info("another inventory stays in the place of ours: %s%s", self.config.path, INVENTORY)
        elif content := self._built.assets.get(INVENTORY):
            file.write_bytes(content)

    def _is_new(self, file: Path) -> bool:
        """Return whether a file was written in this build: with `--dirty` there are others, too."""
        return file.exists() and file.stat().st_mtime >= self._began - _CLOCK

    def on_build_error(self, *, error: Exception, **_: object) -> None:
        """Say in one line that the disk is full, or what else the system refuses.

        Raises:
            Abort: Always for such an error.
        """
        self._no_garbage.end()
        self._late.end(Path(), {}, {})
        if isinstance(error, OSError):
            log.error("%s: %s", error.filename or "the site", error.strerror or error)
            raise Abort("The site could not be written.") from error

    def on_serve(self, server: LiveReloadServer, /, **_: object) -> None:
        """Watch the sources and templates; which these are is known once they are read."""
        self._server, self._serves = server, True
        served = server.get_app() or server.serve_request
        server.set_app(self._late.written_when_asked(served, server.mount_path))
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


def _live_reload() -> bool | None:
    """Return whether the command serves with live reload; `None` if none says so."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.params.get("livereload")


def _is_broken_live_reload() -> bool:
    """Return whether the command says no to live reload although nobody asked for that, as with click 8.3."""
    context = click.get_current_context(silent=True)
    source = context.get_parameter_source("livereload") if context else None
    return _live_reload() is False and source is not None and source.name == "DEFAULT"


def _folder(config: MkDocsConfig) -> Path:
    """Return the folder of mkdocs.yml."""
    return Path(config.config_file_path or "").resolve().parent


def _has_own_search(config: MkDocsConfig) -> bool:
    """Return whether the site's theme is ours, or is made from it."""
    return str(THEME_DIR) in config.theme.dirs


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
