"""The options of the MkDocs plugin, as MkDocs reads and checks them."""

from __future__ import annotations

from mkdocs.config import config_options as c
from mkdocs.config.base import Config, ValidationError

from opsetdocs.cache_folder import OFF
from opsetdocs.site import SiteOptions

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


class RedirectsOption(FolderOption):
    """Whether there are redirects, and for what folder; the value is `None`, or that of a folder."""

    def __init__(self) -> None:
        super().__init__(str, default=False)

    def run_validation(self, value: object) -> str | None:  # type: ignore[override]
        """Return the folder in its plain form.

        Raises:
            ValidationError: The value is neither true nor false, nor a folder below the docs root.
        """
        if isinstance(value, bool):
            return "" if value else None
        return super().run_validation(value)


class CacheOption(c.Type[str]):
    """Where builds keep what they made; the value is `off` for nowhere, empty for the user's own folder."""

    def __init__(self) -> None:
        super().__init__(str, default="")

    def run_validation(self, value: object) -> str:
        """Return the folder, relative to that of mkdocs.yml.

        Raises:
            ValidationError: The value is neither true nor false, nor a folder.
        """
        if isinstance(value, bool):
            return "" if value else OFF
        return super().run_validation(value)


class DomainConfig(Config):
    """What a project says about a domain."""

    title = c.Type(str, default="")
    description = c.Type(str, default="")


class OpsetDocsConfig(Config):
    """The plugin's options: `frame`, and the fields of `SiteOptions` that MkDocs does not decide."""

    path = FolderOption(str, default="")
    frame = c.Choice(("once", "each"), default="once")
    cache = CacheOption()
    sources = c.Optional(c.ListOfItems(c.Type(str)))
    templates = c.ListOfItems(c.Dir(exists=True), default=[])
    title = c.Type(str, default=_DEFAULTS.title)
    domains = c.DictOfItems(c.SubConfig(DomainConfig), default={})
    order = c.Choice(("name", "file"), default=_DEFAULTS.order)
    include = c.ListOfItems(c.Type(str), default=[])
    exclude = c.ListOfItems(c.Type(str), default=[])
    link_map = c.DictOfItems(c.Type(str), default={})
    remote_images = c.Type(bool, default=_DEFAULTS.remote_images)
    rules = c.Type(bool, default=_DEFAULTS.rules)
    redirects = RedirectsOption()
    # These and `sources` are looked at by `merged_settings`, as they are for the command `check`.
    select = c.Optional(c.Type(list))
    ignore = c.Optional(c.Type(list))
    levels = c.Optional(c.Type(dict))
    fail_on = c.Optional(c.Type(str))
    baseline = c.Optional(c.Type(str))
    against = c.Optional(c.Type(str))
