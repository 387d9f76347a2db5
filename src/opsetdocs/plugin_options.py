"""The options of the MkDocs plugin, as MkDocs reads and checks them.

What is wrong with a value is said in the words of the command `check`: what was found, and what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from mkdocs.config import config_options as c
from mkdocs.config.base import BaseConfigOption, Config, ValidationError

from opsetdocs.cache_folder import OFF
from opsetdocs.check_settings import SHARED_KEYS, is_texts
from opsetdocs.findings import shown
from opsetdocs.site import DomainOptions, SiteOptions

_Value = TypeVar("_Value")

_DEFAULTS = SiteOptions()


class Told(BaseConfigOption[_Value]):
    """An option whose values are looked at before MkDocs does, which would name classes of Python.

    An option with nothing behind it has its default.
    """

    def __init__(
        self, option: BaseConfigOption[_Value], expected: str, is_right: Callable[[object], bool]
    ) -> None:
        """Look at the values of an option.

        Args:
            option: The option.
            expected: What its values have to be, in words.
            is_right: Whether a value is that.
        """
        super().__init__()
        self.default = option.default
        self._option = option
        self._expected = expected
        self._is_right = is_right

    def pre_validation(self, config: Config, key_name: str) -> None:
        """Let the option see the configuration."""
        self._option.pre_validation(config, key_name)

    def run_validation(self, value: object, /) -> _Value:
        """Return what the option makes of a value.

        Raises:
            ValidationError: The value cannot be used.
        """
        if value is not None and not self._is_right(value):
            raise _wrong(value, self._expected)
        return self._option.validate(self.default if value is None else value)


def _wrong(value: object, expected: str, where: str = "") -> ValidationError:
    # YAML's words for what Python writes with a capital letter.
    written = str(value).lower() if isinstance(value, bool) else repr(value)
    found = "nothing" if value is None else shown(written)
    return ValidationError(f"{where}found {found}, expected {expected}")


class FolderOption(c.Type[str]):
    """A folder below the docs root, written with `/`; the value is empty or ends in `/`."""

    def run_validation(self, value: object) -> str:
        """Return the folder in its plain form.

        Raises:
            ValidationError: The value leads out of the docs root.
        """
        parts = [part for part in super().run_validation(value).split("/") if part not in ("", ".")]
        if any(part == ".." or "\\" in part for part in parts):
            raise _wrong(value, _FOLDER)
        return "".join(f"{part}/" for part in parts)


_FOLDER = "a folder below docs_dir, such as reference/ops"


class RedirectsOption(FolderOption):
    """Whether there are redirects, and for what folder; the value is `None`, or that of a folder."""

    def __init__(self) -> None:
        super().__init__(str, default=False)

    def run_validation(self, value: object) -> str | None:  # type: ignore[override]
        """Return the folder in its plain form.

        Raises:
            ValidationError: The value is a folder that leads out of the docs root.
        """
        if isinstance(value, bool):
            return "" if value else None
        return super().run_validation(value)


class CacheOption(c.Type[str]):
    """Where builds keep what they made; the value is `off` for nowhere, empty for the user's own folder."""

    def __init__(self) -> None:
        super().__init__(str, default="")

    def run_validation(self, value: object) -> str:
        """Return the folder, relative to that of mkdocs.yml."""
        if isinstance(value, bool):
            return "" if value else OFF
        return super().run_validation(value)


class DomainsOption(BaseConfigOption[dict[str, DomainOptions]]):
    """What a project says about domains, by their names."""

    def __init__(self) -> None:
        super().__init__()
        self.default = {}

    def run_validation(self, value: object, /) -> dict[str, DomainOptions]:
        """Return what is said about each domain.

        Raises:
            ValidationError: Something else is said than `title` and `description`, or it is no text.
        """
        assert isinstance(value, dict), "Told sees to that"
        return {name: _domain_options(name, stated) for name, stated in value.items()}


def _domain_options(name: str, stated: object) -> DomainOptions:
    if stated is None:
        return DomainOptions()
    if not isinstance(stated, dict):
        raise _wrong(stated, _OF_A_DOMAIN, f"{name}: ")
    for key, value in stated.items():
        if key not in _DOMAIN_KEYS:
            raise ValidationError(f"{shown(name)}: unknown key {key!r}, expected {_OF_A_DOMAIN}")
        if not isinstance(value, str | None):
            raise _wrong(value, "a text", f"{name}: {key}: ")
    return DomainOptions(**{key: value for key, value in stated.items() if value is not None})


_DOMAIN_KEYS = tuple(item.name for item in fields(DomainOptions))
_OF_A_DOMAIN = " or ".join(_DOMAIN_KEYS)


# What values have to be


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_switch(value: object) -> bool:
    return isinstance(value, bool)


def _is_text_or_switch(value: object) -> bool:
    return isinstance(value, str | bool)


def _is_by_name(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value))


def _are_texts_by_name(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_text, (*value, *value.values())))


def _texts(expected: str) -> Told[list[str]]:
    return Told(c.ListOfItems(c.Type(str), default=[]), expected, is_texts)


def _text(default: str) -> Told[str]:
    return Told(c.Type(str, default=default), "a text", _is_text)


def _switch(*, default: bool) -> Told[bool]:
    return Told(c.Type(bool, default=default), "true or false", _is_switch)


def _choice(*words: str, default: str) -> Told[str]:
    return Told(c.Choice(words, default=default), " or ".join(words), words.__contains__)


def _shared(name: str) -> Told[Any]:
    """An option that `merged_settings` reads, as it does for the command `check`."""
    key = SHARED_KEYS[name]
    return Told(c.Optional(BaseConfigOption()), key.expected, key.is_right)


class OpsetDocsConfig(Config):
    """The plugin's options: `frame`, `cache`, and the fields of `SiteOptions` that MkDocs does not decide."""

    path = Told(FolderOption(str, default=""), _FOLDER, _is_text)
    frame = _choice("once", "each", default="once")
    cache = Told(CacheOption(), "a folder, or off", _is_text_or_switch)
    sources = _shared("sources")
    templates = Told(c.ListOfItems(c.Dir(exists=True), default=[]), "a list of folders", is_texts)
    title = _text(_DEFAULTS.title)
    domains = Told(DomainsOption(), f"domains, and for each of them {_OF_A_DOMAIN}", _is_by_name)
    order = _choice("name", "file", default=_DEFAULTS.order)
    include = _texts("a list of patterns")
    exclude = _texts("a list of patterns")
    link_map = Told(
        c.DictOfItems(c.Type(str), default={}),
        "file names or paths, and for each of them an address",
        _are_texts_by_name,
    )
    remote_images = _switch(default=_DEFAULTS.remote_images)
    rules = _switch(default=_DEFAULTS.rules)
    redirects = Told(RedirectsOption(), f"true, false, or {_FOLDER}", _is_text_or_switch)
    select = _shared("select")
    ignore = _shared("ignore")
    levels = _shared("levels")
    fail_on = _shared("fail_on")
    baseline = _shared("baseline")
    against = _shared("against")
