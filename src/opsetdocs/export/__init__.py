"""The operator sets of the installed onnx package, as OperatorSetProto files.

Nobody publishes these files, so they are made from ONNX's own registry of schemas. Only this package imports
onnx: it is imported where the source is `onnx`, and by the command `export`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from google.protobuf import json_format, text_format

from opsetdocs.atomic import write_files
from opsetdocs.errors import ConfigError
from opsetdocs.export.registry import operator_sets, opsets
from opsetdocs.model import Format, domain_name
from opsetdocs.names import domain_segment

if TYPE_CHECKING:
    from onnx.onnx_operators_ml_pb2 import OperatorSetProto

__all__ = ["export", "registry_sets"]


def registry_sets() -> tuple[OperatorSetProto, ...]:
    """Return one OperatorSetProto per domain and opset of the registry, in the order of domain and opset.

    A domain's opsets are those from 1 to the highest since_version of its operators: a later one would have
    the same members, and a new opset means that they have changed.
    """
    return tuple(operator_sets(opsets()))


def export(
    folder: Path,
    *,
    domain: str | None = None,
    opset: int | None = None,
    format: Format = Format.BINARY,  # noqa: A002 - the command's option has this name
) -> tuple[Path, ...]:
    """Write operator sets of the registry to files named `<domain>-<opset_version>`, and return their paths.

    The same onnx package gives the same bytes each time, and a file that has them already is not touched.
    Nothing is written if one of the files cannot be made, and a file is whole at any moment.

    Args:
        folder: Where the files are written; it is made if it does not exist.
        domain: Only the sets of this domain; the default domain is `ai.onnx` or empty.
        opset: Only the sets of this version.
        format: The encoding of the files.

    Raises:
        ConfigError: The registry has no such domain or opset, or the folder cannot be written.
    """
    chosen = choose(opsets(), domain, opset, "the installed onnx package")
    return write_sets(folder, operator_sets(chosen), format)


def write_sets(
    folder: Path,
    sets: Iterable[OperatorSetProto],
    format: Format,  # noqa: A002 - the command's option has this name
) -> tuple[Path, ...]:
    """Write operator sets to files named `<domain>-<opset_version>`, all or none, and return their paths.

    Args:
        folder: Where the files are written; it is made if it does not exist.
        sets: The sets, of which no two have the same domain and opset_version.
        format: The encoding of the files.

    Raises:
        ConfigError: The folder cannot be written.
    """
    suffix, encode = _ENCODINGS[format]
    paths: list[Path] = []

    def files() -> Iterator[tuple[str, bytes]]:
        for item in sets:
            name = f"{domain_segment(domain_name(item.domain))}-{item.opset_version}{suffix}"
            paths.append(folder / name)
            yield name, encode(item)

    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_files(folder, files())
    except OSError as err:
        raise ConfigError(f"{folder}: operator sets cannot be written here: {err.strerror or err}") from err
    return tuple(paths)


def choose(
    known_opsets: Sequence[tuple[str, int]], domain: str | None, opset: int | None, source: str
) -> list[tuple[str, int]]:
    """Return the sets that are asked for.

    Args:
        known_opsets: Domain and version of the sets that there are.
        domain: The domain that is asked for; the default domain is `ai.onnx` or empty.
        opset: The version that is asked for.
        source: Where the sets come from, in words.

    Raises:
        ConfigError: There are none; the message says which domain or opset is unknown, and which exist.
    """
    of_domain = [
        item for item in known_opsets if domain is None or domain_name(item[0]) == domain_name(domain)
    ]
    if not of_domain:
        known = ", ".join(dict.fromkeys(domain_name(name) for name, _ in known_opsets))
        raise ConfigError(f"{source} has no domain {domain!r}; it has {known}")
    chosen = [item for item in of_domain if opset is None or item[1] == opset]
    if not chosen:
        highest = {domain_name(name): version for name, version in of_domain}
        known = ", ".join(f"{name} 1 to {version}" for name, version in highest.items())
        raise ConfigError(f"{source} has no opset {opset}; it has {known}")
    return chosen


def _binary(message: OperatorSetProto) -> bytes:
    return message.SerializePartialToString(deterministic=True)


def _text(message: OperatorSetProto) -> bytes:
    return text_format.MessageToString(message, as_utf8=True).encode()


def _json(message: OperatorSetProto) -> bytes:
    text = json_format.MessageToJson(message, preserving_proto_field_name=True, ensure_ascii=False)
    return f"{text}\n".encode()


_ENCODINGS: dict[Format, tuple[str, Callable[[OperatorSetProto], bytes]]] = {
    Format.BINARY: (".onnxopset", _binary),
    Format.TEXT: (".textproto", _text),
    Format.JSON: (".onnxjson", _json),
}
