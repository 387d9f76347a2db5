"""The parts of reference pages that are made from the code: commands and data formats.

A page holds such a part between two comments, `<!-- made from the code: NAME -->` and `<!-- end -->`, so that
it can be read where it stands. `pytest tests/test_docs_reference.py --renew-snapshots` writes the parts anew.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from opsetdocs.cli import main

TOP = Path(__file__).parents[1]
PAGES = TOP / "site_config/docs/project"

_PART = re.compile(r"(<!-- made from the code: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
_WIDTH = 78
_CODE = re.compile(
    r"(?<![\w`])(--[a-z][a-z-]*|git:REV(?::PATH)?|[A-Z]+_\*|\w+\.(?:yml|json|toml|md)|\b[A-Z]{2,}(?=\W))(?!`)"
)
"""What stands in a help text and is code: options, names of files, patterns, what stands for a value."""
_NO_CODE = ("JSON", "SARIF", "GitHub", "HTML", "ONNX", "CPU")


def parts(page: str) -> dict[str, str]:
    """Return the names of the made parts of a page, and what stands there."""
    return {found[2]: found[0] for found in _PART.finditer(page)}


def renewed(page: str) -> str:
    """Return a page with its parts made anew."""
    return _PART.sub(lambda found: f"{found[1]}\n{MAKERS[found[2]]()}\n\n{found[3]}", page)


# Commands


def command(name: str) -> str:
    """Return how a command is called, what its options mean, and its exit codes."""
    made = main.commands[name]
    options = [item for item in made.params if isinstance(item, click.Option)]
    table = ["| option | meaning |", "|---|---|", *map(_option_row, options)] if options else []
    return "\n".join((_usage(name, made), "", *table)).rstrip()


def _usage(name: str, made: click.Command) -> str:
    arguments = [_argument(item) for item in made.params if isinstance(item, click.Argument)]
    options = [_call(item) for item in made.params if isinstance(item, click.Option)]
    start = f"opsetdocs {name} "
    # A bracket does not end a line.
    words = " ".join(word.replace(" ", "\0") for word in (*arguments, *options))
    lines = textwrap.wrap(words, _WIDTH - len(start), break_on_hyphens=False, break_long_words=False)
    text = f"\n{' ' * len(start)}".join(lines).replace("\0", " ")
    return f"```text\n{start}{text}\n```"


def _argument(argument: click.Argument) -> str:
    name = argument.metavar or (argument.name or "").upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _call(option: click.Option) -> str:
    short = min(option.opts, key=len)
    text = f"{short} {_value(option)}".rstrip()
    if option.required:
        return text
    return f"[{text}]{'...' if option.multiple else ''}"


def _value(option: click.Option) -> str:
    if option.is_flag:
        return ""
    if isinstance(option.type, click.Choice):
        return "|".join(map(str, option.type.choices))
    return option.metavar or ""


def _option_row(option: click.Option) -> str:
    value = "" if isinstance(option.type, click.Choice) else _value(option)
    names = ", ".join(f"`{name}`" for name in option.opts)
    names = f"{names[:-1]} {value}`" if value else names
    meaning, _, default = (option.help or "").partition("[default:")
    stated = default.strip(" ]") or (f"`{option.default}`" if option.show_default else "")
    sentence = _with_code(meaning.strip().replace("|", "\\|"))
    return f"| {names} | {sentence}{f' Default: {_with_code(stated)}.' if stated else ''} |"


def _with_code(text: str) -> str:
    return _CODE.sub(lambda found: found[0] if found[0] in _NO_CODE else f"`{found[0]}`", text)


def exit_codes() -> str:
    """Return what the exit codes of commands mean; where commands differ, by command."""
    by_code: dict[str, dict[str, str]] = defaultdict(dict)
    for name, made in main.commands.items():
        for code, meaning in re.findall(r"^ +(\d+) +(.*)$", made.epilog or "", re.MULTILINE):
            by_code[code][name] = _with_code(meaning)
    rows = []
    for code, by_command in sorted(by_code.items(), key=lambda item: int(item[0])):
        of_all = len(by_command) == len(main.commands) and len(set(by_command.values())) == 1
        stated = (f"`{name}`: {meaning}" for name, meaning in by_command.items())
        rows.append(f"| {code} | {next(iter(by_command.values())) if of_all else '; '.join(stated)} |")
    return "\n".join(("| code | meaning |", "|---|---|", *rows))


# Data formats


@dataclass(frozen=True)
class Format:
    """A JSON format, as its schema describes it."""

    schema: Mapping[str, Any]

    @classmethod
    def of(cls, name: str) -> Format:
        return cls(json.loads((TOP / "site_config" / name).read_text("utf-8")))

    def objects(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the objects of the format, each after its name; the whole has none."""
        yield "", self.schema
        for name, described in self.schema["$defs"].items():
            if "properties" in described:
                yield name, described

    def meaning(self, value: Mapping[str, Any]) -> str:
        """Return what is said about a property: at its place, or where its type is described."""
        if "description" in value or "$ref" not in value:
            return str(value.get("description", ""))
        return self.meaning(self._definition(value))

    def tables(self) -> str:
        return "\n\n".join(self._table(name, described) for name, described in self.objects())

    def _definition(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.schema["$defs"][_name(value)]
        return found

    def _table(self, name: str, described: Mapping[str, Any]) -> str:
        rows = [
            f"| `{key}` | {self._type(value)} | {self.meaning(value)}"
            f"{'' if key in described.get('required', ()) else ' May be absent.'} |"
            for key, value in described["properties"].items()
        ]
        head = [f"### {name.capitalize()}"] if name else []
        head += [described["description"]] if "description" in described else []
        return "\n\n".join((*head, "\n".join(("| property | value | meaning |", "|---|---|---|", *rows))))

    def _type(self, value: Mapping[str, Any]) -> str:
        if "$ref" in value:
            definition = self._definition(value)
            more = "".join(f", with `{key}`" for key in value.get("properties", ()))
            if "properties" in definition:
                return f"[{_name(value)}](#{_name(value)}){more}"
            return self._type(definition)
        if "enum" in value:
            return ", ".join(f"`{json.dumps(item)}`" for item in value["enum"])
        if "const" in value:
            return f"`{json.dumps(value['const'])}`"
        if "items" in value:
            return f"list: {self._type(value['items'])}"
        if "properties" in value:
            held = (f"`{key}` ({self._type(item)})" for key, item in value["properties"].items())
            return f"object: {', '.join(held)}"
        if isinstance(value.get("additionalProperties"), Mapping):
            return f"object: {self._type(value['additionalProperties'])} by name"
        stated = value.get("type", "any")
        return " or ".join(stated) if isinstance(stated, list) else str(stated)


def _name(value: Mapping[str, Any]) -> str:
    return str(value["$ref"]).rpartition("/")[2]


def _tables(schema_file: str) -> str:
    return Format.of(schema_file).tables()


MAKERS: dict[str, Callable[[], str]] = {
    **{f"opsetdocs {name}": partial(command, name) for name in main.commands},
    "exit codes": exit_codes,
    **{name: partial(_tables, name) for name in ("catalog.schema.json", "check.schema.json")},
}
"""What makes each part, by its name."""
