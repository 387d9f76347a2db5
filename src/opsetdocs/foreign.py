"""What a file seems to be that is not an operator set."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from opsetdocs import schema
from opsetdocs.readers import LARGE, PARSE_ERRORS, parse_text


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file that is not an operator set."""

    words: str
    """What is wrong with the file, in words that follow its name."""
    stands_in: bool = False
    """Whether it stands where another file was meant to be, so that it never is there on purpose."""


def _other(what: str) -> Kind:
    return Kind(f"looks like {what} rather than an operator set")


_SIGNATURES = (
    (
        rb"version https://git-lfs\.github\.com/",
        Kind("is a Git LFS pointer: the real content was not downloaded (`git lfs pull` does it)", True),
    ),
    (
        rb"(?i)\s*(<!--.*?-->\s*)?<(!doctype\s+html|html|head|body)\b",
        Kind(_other("an HTML page").words, True),
    ),
    (rb"\xff\xfe|\xfe\xff|\x00\x00\xfe\xff", Kind("is UTF-16 or UTF-32 text: save it as UTF-8", True)),
    (rb"(?:[\t\n\r -~]\x00){8}|(?:\x00[\t\n\r -~]){8}", Kind("is UTF-16 text: save it as UTF-8", True)),
    (rb"\s*<(\?xml|svg)\b", _other("an XML file")),
    (rb"PK\x03\x04", _other("a zip archive (a wheel, or a PyTorch file)")),
    (rb"\x1f\x8b", _other("a gzip archive")),
    (rb"BZh\d1AY&SY", _other("a bzip2 archive")),
    (rb"\xfd7zXZ\0", _other("an xz archive")),
    (rb"\x28\xb5\x2f\xfd", _other("a zstandard archive")),
    (rb".{257}ustar[\0 ]", _other("a tar archive")),
    (rb".{5}\0\0\0\{\s*\"", _other("a safetensors file")),
    (rb".{4}(TFL3|ORTM)", _other("a TensorFlow Lite or ONNX Runtime model")),
    (rb"\x89HDF\r\n", _other("an HDF5 file")),
    (rb"\x93NUMPY", _other("a NumPy array")),
    (rb"\x80[\x02-\x05][\x95}\]c]", _other("a Python pickle")),
    (rb"GGUF", _other("a GGUF model")),
    (rb"\x89PNG\r\n|\xff\xd8\xff|GIF8|RIFF....WEBP", _other("a picture")),
    (rb"%PDF-", _other("a PDF document")),
    (rb"\x7fELF|MZ.{62}|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe", _other("a program or library")),
    (
        rb"#![^\n]*\bpython|(\s|#[^\n]*\n)*(from \w[\w.]* import |import \w[\w.]*\s*(#|\n|$)|def \w+\()",
        _other("a Python file"),
    ),
)
"""What the first bytes of a file tell: a pattern for its beginning, and the kind."""

_MESSAGES: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("ModelProto", "an ONNX model", lambda model: model.HasField("graph")),
    ("FunctionProto", "a single ONNX function", lambda function: bool(function.name and function.node)),
    ("GraphProto", "an ONNX graph", lambda graph: any(node.op_type for node in graph.node)),
    (
        "TensorProto",
        "an ONNX tensor",
        lambda tensor: tensor.HasField("data_type") and bool(tensor.name or tensor.dims),
    ),
)
"""Other messages of ONNX that are found in files, and what they have at least."""

_WORDS = re.compile(rb"ONNXOPSET|opset_?version|op_?type|since_?version", re.IGNORECASE)
"""Words of which every operator set has one, in whatever encoding."""

_PARSERS: tuple[Callable[[bytes, Message], object], ...] = (
    lambda data, message: message.ParseFromString(data),
    lambda data, message: parse_text(data.decode(), message),
    lambda data, message: json_format.Parse(data.decode(), message),
)


def by_signature(data: bytes) -> Kind | None:
    """Return what the first bytes of a file show it to be, if that is not an operator set."""
    head = data[:4096]
    return next((kind for pattern, kind in _SIGNATURES if re.match(pattern, head, re.DOTALL)), None)


def by_content(data: bytes) -> Kind | None:
    """Return which other message of ONNX a file in one of the three encodings holds, if it is one.

    A large file is not read as all of them.
    """
    if len(data) > LARGE:
        return None
    data = data.removeprefix(codecs.BOM_UTF8)
    for name, words, has_enough in _MESSAGES:
        for parse in _PARSERS:
            message = schema.message_class(name)()
            try:
                parse(data, message)
            except PARSE_ERRORS:
                continue
            if has_enough(message) and not len(UnknownFieldSet(message)):
                return _other(words)
    return None


def unrelated(data: bytes) -> str | None:
    """Return why a file is surely not meant as an operator set; `None` if it may be, however damaged."""
    if kind := by_signature(data) or by_content(data):
        return None if kind.stands_in else kind.words
    return "nothing in it belongs to an operator set" if data.strip() and not _WORDS.search(data) else None
