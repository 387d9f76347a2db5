"""Operator sets from what describes operators in other ways than OperatorSetProto files do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opsetdocs.errors import FileError, SourceError
from opsetdocs.export import choose, write_sets
from opsetdocs.export.contrib import ONNXRUNTIME, contrib_sets
from opsetdocs.export.models import model_sets
from opsetdocs.export.operators_md import markdown_sets
from opsetdocs.export.scripts import script_sets
from opsetdocs.model import Format, domain_name
from opsetdocs.readers import decode
from opsetdocs.sources import INSTALLED_ONNX

if TYPE_CHECKING:
    from onnx.onnx_operators_ml_pb2 import OperatorSetProto

_MARKDOWN = (".md", ".markdown")
_SCRIPT = ".py"
_EXPECTED = f"expected a model, a page in Markdown (.md), a Python file (.py), or {ONNXRUNTIME}"


def export_described(
    folder: Path,
    sources: Sequence[str],
    *,
    domain: str | None = None,
    opset: int | None = None,
    format: Format = Format.BINARY,  # noqa: A002 - the command's option has this name
) -> tuple[Path, ...]:
    """Write the operators that other sources describe as operator sets, and return the paths.

    Args:
        folder: Where the sets are written; it is made if it does not exist.
        sources: Models with functions, Python files with functions of onnxscript, pages in the Markdown of
            ONNX's Operators.md, and `onnxruntime` for the installed package of that name.
        domain: Only the sets of this domain; the default domain is `ai.onnx` or empty.
        opset: Only the sets of this version.
        format: The encoding of the sets.

    Raises:
        SourceError: A source cannot be read.
        FileError: A file describes no operators, or another operator under a name that is taken.
        ConfigError: There is no such domain or opset, or the folder cannot be written.
    """
    sets = _merged((source, described_sets(source)) for source in sources)
    chosen = choose(list(sets), domain, opset, ", ".join(sources))
    return write_sets(folder, (sets[key] for key in chosen), format)


def described_sets(source: str) -> list[OperatorSetProto]:
    """Return the operator sets that a source describes.

    Args:
        source: `onnxruntime`, or a file: a page if its name ends in `.md`, a script if it ends in `.py`,
            otherwise a model.

    Raises:
        SourceError: The source cannot be read.
        FileError: The file describes no operators.
    """
    if source == ONNXRUNTIME:
        return contrib_sets()
    file = Path(source)
    ending = file.suffix.lower()
    data = _content(file)
    if ending in _MARKDOWN:
        sets, missing = markdown_sets(decode(data, source), file.name), "operator in the form of Operators.md"
    elif ending == _SCRIPT:
        sets, missing = script_sets(file), "function of onnxscript"
    else:
        sets, missing = _of_model(data, file), "function of its own"
    if not sets:
        raise FileError(source, f"there is no {missing} in it")
    return sets


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as err:
        reason = err.strerror or err
        if str(file) == INSTALLED_ONNX:
            reason = "the operators of the installed onnx package are written without --from"
        raise SourceError(f"{file}: {reason}; {_EXPECTED}") from err


def _of_model(data: bytes, file: Path) -> list[OperatorSetProto]:
    try:
        return model_sets(data, file.name)
    except FileError as err:
        # Whatever no ending tells apart is taken for a model.
        raise FileError(str(file), f"{err.message}; {_EXPECTED}") from err


def _merged(
    described: Iterable[tuple[str, list[OperatorSetProto]]],
) -> dict[tuple[str, int], OperatorSetProto]:
    """Make one set of those with the same domain and opset_version.

    Raises:
        FileError: Two files say different things under one name.
    """
    merged: dict[tuple[str, int], OperatorSetProto] = {}
    for source, sets in described:
        for item in sets:
            known = merged.setdefault((domain_name(item.domain), item.opset_version), item)
            if known is not item:
                _add(known, item, source)
    return merged


def _add(known: OperatorSetProto, item: OperatorSetProto, source: str) -> None:
    operators = {(operator.op_type, operator.since_version): operator for operator in known.operator}
    functions = {(function.name, function.overload): function for function in known.functions}
    for operator in item.operator:
        if operators.setdefault((operator.op_type, operator.since_version), operator) is operator:
            known.operator.append(operator)
        elif operators[operator.op_type, operator.since_version] != operator:
            raise FileError(source, f"{operator.op_type} is another operator than in the files before")
    for function in item.functions:
        if functions.setdefault((function.name, function.overload), function) is function:
            known.functions.append(function)
        elif functions[function.name, function.overload] != function:
            raise FileError(source, f"{function.name} is another function than in the files before")
