"""Known findings: a file that lists what `check` is not to report again.

An entry says which rule is not kept, where, in what way, and how often. It says nothing that an unrelated
edit changes: neither the line, nor the position of an element among its like, nor the names of other files.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from opsetdocs.atomic import write_files
from opsetdocs.errors import ConfigError, OpsetdocsError
from opsetdocs.file_names import is_file
from opsetdocs.findings import Finding, shown
from opsetdocs.git_source import without_revision
from opsetdocs.plain_text import json_reason

FORMAT_VERSION = 1
"""Rises when an older opsetdocs could not read the file any more."""


class Known(NamedTuple):
    """What findings have in common that are the same for a baseline."""

    file: str
    """The file's name, relative to the folder of the baseline, with `/`; without the revision in Git."""
    rule: str
    name: str
    field: str
    """The field, without positions: `node.input`."""
    says: str
    """What was found: message and details, so that another conflict at the same place is a new one."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is known."""

    folder: Path
    """The folder to which the names of files refer."""
    counts: Mapping[Known, int]
    """How often each finding is known."""


def write(findings: Iterable[Finding], file: Path, base: Path) -> int:
    """Write findings as known ones, and return how many. That a file cannot be used is never known.

    The file is replaced at once, so that it is whole at any moment.

    Args:
        findings: The findings.
        file: The file to write.
        base: The folder to which the findings' files refer.

    Raises:
        OpsetdocsError: The file cannot be written.
    """
    target = _real(file)  # the file itself, where it is a link
    base = _real(base)
    counts = Counter(_known(finding, base, target.parent) for finding in findings if not finding.unusable)
    try:
        write_files(target.parent, [(target.name, _text(counts).encode("ascii"))])
    except OSError as err:
        raise OpsetdocsError(f"{file} cannot be written: {err.strerror or err}") from err
    return counts.total()


_KEYS = ("rule", "file", "name", "field", "says")
"""The keys of an entry as they are written; `count` follows."""


def _text(counts: Mapping[Known, int]) -> str:
    """Return an entry a line, so that a comparison of two baselines reads well."""
    entries = (
        json.dumps({**{key: getattr(known, key) for key in _KEYS}, "count": count})
        for known, count in sorted(counts.items())
    )
    lines = ",\n    ".join(entries)
    findings = f"[\n    {lines}\n  ]" if lines else "[]"
    return f'{{\n  "version": {FORMAT_VERSION},\n  "findings": {findings}\n}}\n'


def without_known(
    findings: Iterable[Finding], baseline: Baseline, base: Path
) -> tuple[tuple[Finding, ...], int, int]:
    """Divide findings into new ones and known ones.

    Of several that are the same for the baseline the first ones are the known ones.

    Args:
        findings: The findings.
        baseline: What is known.
        base: The folder to which the findings' files refer.

    Returns:
        The new findings in their order, how many are known, and how many entries of the baseline match
        none.
    """
    base = _real(base)
    new: list[Finding] = []
    seen: Counter[Known] = Counter()
    number = 0
    for finding in findings:
        known = _known(finding, base, baseline.folder)
        if not finding.unusable and seen[known] < baseline.counts.get(known, 0):
            seen[known] += 1
            number += 1
        else:
            new.append(finding)
    return tuple(new), number, len(baseline.counts.keys() - seen.keys())


def _known(finding: Finding, base: Path, folder: Path) -> Known:
    file = _relative(finding.file, base, folder) if is_file(finding.file) else finding.file
    field = _POSITION.sub("", finding.field)
    return Known(without_revision(file), finding.rule, finding.name, field, _says(finding))


_POSITION = re.compile(r"\[[0-9]+\]")

_ELEMENT = re.compile(
    r"""(?P<quoted>"[^"]*")
    |\b(?P<field>operator|functions|node|input|output|attribute(?:_proto)?|opset_import|metadata_props
    |initializer)\[[0-9]+\]""",
    re.VERBOSE,
)
"""An element and its position, in a message; texts and names in quotes are passed over."""


def _says(finding: Finding) -> str:
    text = "; ".join([finding.message, *finding.details])
    # The longest first: a name may be the end of another one.
    for name in sorted({place.file for place in finding.others if place.file}, key=len, reverse=True):
        text = re.sub(rf"(?<!\S){re.escape(name)}(?![^\s,;:)])", "another file", text)
    return shown(_ELEMENT.sub(lambda found: found["quoted"] or found["field"], text))


def _relative(name: str, base: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(base / name, folder)).as_posix()
    except ValueError:  # on another drive
        return (base / name).as_posix()


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


# Reading


_CALLED = {type(None): "missing", dict: "an object", list: "a list"}
"""What is found where something else is expected, if it is not short."""


def read(file: Path) -> Baseline:
    """Read known findings.

    Raises:
        ConfigError: The file cannot be read, or holds no known findings.
    """
    try:
        content = json.loads(file.read_bytes())
    except OSError as err:
        raise ConfigError(f"{file}: cannot be read: {err.strerror or err}") from err
    except json.JSONDecodeError as err:
        raise ConfigError(f"{file}:{err.lineno}:{err.colno}: not a baseline: {json_reason(err)}") from err
    except (ValueError, RecursionError) as err:
        raise ConfigError(f"{file}: not a baseline: {err}") from err
    if not isinstance(content, dict):
        raise _wrong(file, "the content", content, "an object")
    if content.get("version") != FORMAT_VERSION:
        raise _wrong(file, "version", content.get("version"), str(FORMAT_VERSION))
    entries = content.get("findings")
    if not isinstance(entries, list):
        raise _wrong(file, "findings", entries, "a list")
    counts: Counter[Known] = Counter()
    for index, entry in enumerate(entries):
        known, count = _entry(entry, file, f"findings[{index}]")
        counts[known] += count
    return Baseline(_real(file).parent, counts)


def _entry(entry: Any, file: Path, where: str) -> tuple[Known, int]:
    if not isinstance(entry, dict):
        raise _wrong(file, where, entry, "an object")
    for key in _KEYS:
        if not isinstance(entry.get(key), str):
            raise _wrong(file, f"{where}.{key}", entry.get(key), "a text")
    count = entry.get("count")
    if type(count) is not int or count < 1:
        raise _wrong(file, f"{where}.count", count, "a number from 1 on")
    return Known(**{key: entry[key] for key in _KEYS}), count


def _wrong(file: Path, where: str, found: Any, expected: str) -> ConfigError:
    stated = _CALLED.get(type(found)) or shown(json.dumps(found))
    return ConfigError(f"{file}: not a baseline: {where} is {stated}, expected {expected}")
