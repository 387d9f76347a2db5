"""Finished pages on their way through the theme, through which MkDocs sends each of them by itself.

MkDocs reads all pages as usual, so that every plugin meets them and hand-written pages can link to them. Then
ours are held back, and go through the theme in our way, unless a plugin may have a say in what that writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import jinja2
from mkdocs.commands.build import get_context
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation

from opsetdocs.mkdocs_page import FinishedPage
from opsetdocs.progress import tracked
from opsetdocs.splice import Framed, Frames

log = get_plugin_logger("opsetdocs")

_SEEN = "page_context"
"""The event by which plugins see a page as it goes through the theme."""

_EVENTS = (_SEEN, "post_page")
"""What MkDocs tells the plugins while a page goes through the theme."""

_OURS = "opsetdocs.plugin"
_ONLOOKERS = {"mkdocs.contrib.search", "material.plugins.search.plugin", _OURS}
"""The modules of plugins that hear of these events, and change nothing that a theme sees of other pages."""

_NO_READERS = {"mkdocs_autorefs", "mkdocs_redirects", "mkdocstrings"}
"""The packages of plugins that do something after a build, and look at no file of a page."""


def participants(config: MkDocsConfig) -> list[str]:
    """Return the modules of plugins and hooks that may have a say in what the theme writes for a page."""
    return sorted({module for event in _EVENTS for module in _listeners(config, event)} - _ONLOOKERS)


def readers(config: MkDocsConfig) -> list[str]:
    """Return the modules of plugins and hooks that may look at the files of pages when a build ends."""
    modules = set(_listeners(config, "post_build")) - _ONLOOKERS
    return sorted(module for module in modules if module.partition(".")[0] not in _NO_READERS)


def _listeners(config: MkDocsConfig, event: str) -> Iterator[str]:
    return (_owner(method).__module__ for method in config.plugins.events[event])


def _owner(method: Callable[..., object]) -> Any:
    """Return the class of the plugin that a method belongs to; of a hook, the function itself."""
    return type(method.__self__) if hasattr(method, "__self__") else method


class HeldBack:
    """Pages that MkDocs has read, and neither puts through the theme nor writes."""

    def __init__(
        self,
        pages: Sequence[FinishedPage],
        files: Files,
        *,
        environment: jinja2.Environment,
        config: MkDocsConfig,
        nav: Navigation,
    ) -> None:
        """Take the pages out of MkDocs' files until they are given back.

        Args:
            pages: The pages as all plugins left them.
            files: What MkDocs is going to write.
            environment: The theme's.
            config: The site's configuration.
            nav: The site's nav.
        """
        self._pages = pages
        self._files = files
        self._environment = environment
        self._config = config
        self._nav = nav
        for page in pages:
            files.remove(page.file)

    def with_ours(self, files: Sequence[File]) -> list[File]:
        """Return the files of all pages of the site, from those of which MkDocs is left to know."""
        return [*files, *(page.file for page in self._pages)]

    def give_back(self) -> None:
        """Put the pages back among MkDocs' files, for what other plugins do when all is written."""
        for page in self._pages:
            self._files.append(page.file)

    def outputs(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        """Yield the address of each page's file, and a function that makes it.

        Raises:
            PluginError: A template of the theme fails.
        """
        every = self.with_ours(self._files.documentation_pages())
        frames = Frames(
            self._pages,
            partial(self._render, every),
            environment=self._environment,
            config=self._config,
            nav=self._nav,
        )
        self._tell_onlookers(every)
        for page in tracked("pages written", self._pages):
            if framed := frames.framed(page):
                yield page.file.dest_uri, partial(_filled, frames, framed)
            else:
                yield page.file.dest_uri, partial(_encoded, self._render(every, page))
        if refused := frames.refused():
            log.info(
                "the theme looks closely at our pages: %d of %d went through it one by one",
                refused,
                len(self._pages),
            )

    def late_outputs(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        """Yield what `outputs` does, where few of these functions are going to be called.

        Each may raise a `PluginError`: a template of the theme fails.
        """
        every = self.with_ours(self._files.documentation_pages())
        self._tell_onlookers(every)
        for page in self._pages:
            yield page.file.dest_uri, partial(self._output, every, page)

    def _tell_onlookers(self, every: Sequence[File]) -> None:
        """Show each page to the plugins that take it into an index."""
        if set(_listeners(self._config, _SEEN)) == {_OURS}:
            return
        context = get_context(self._nav, every, self._config)
        for page in self._pages:
            context["page"] = page
            self._config.plugins.on_page_context(context, page=page, config=self._config, nav=self._nav)

    def _output(self, every: Sequence[File], page: FinishedPage) -> bytes:
        return _encoded(self._render(every, page))

    def _render(self, every: Sequence[File], page: FinishedPage) -> str:
        context = get_context(self._nav, every, self._config, page)
        page.active = True
        try:
            return self._environment.get_template(page.meta.get("template", "main.html")).render(context)
        except Exception as err:  # whatever an expression in a template does
            why = str(err) if isinstance(err, jinja2.TemplateError) else f"{type(err).__name__}: {err}"
            raise PluginError(f"the theme fails on the page {page.file.src_uri}: {why}") from err
        finally:
            page.active = False


def _filled(frames: Frames, framed: Framed) -> bytes:
    return _encoded(frames.output(framed))


def _encoded(output: str) -> bytes:
    return output.encode("utf-8", errors="xmlcharrefreplace")  # as MkDocs does
