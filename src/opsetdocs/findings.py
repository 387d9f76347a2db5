"""What opsetdocs has to say about its input, as data: the caller decides how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from opsetdocs.plain_text import visible

MAX_LENGTH = 2_000
"""The greatest length of a part of a finding that is printed whole."""


class Level(IntEnum):
    """How much a finding weighs."""

    NOTE = 0
    """Worth knowing; nothing has to be done."""
    WARNING = 1
    """A SHOULD of the format is not kept, or a page cannot say all that it would."""
    ERROR = 2
    """A MUST of the format is not kept, or a file cannot be used."""

    @property
    def word(self) -> str:
        """The level as it is written: `error`, `warning` or `note`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands."""

    file: str = ""
    """The file as the user named it; empty where the finding belongs to no single file."""
    element: str = ""
    """The element inside the file, such as `operator[3] Conv`."""
    line: int | None = None
    """Line in a text or JSON file, from 1."""
    column: int | None = None
    """Column in that line, from 1, in characters."""

    def __str__(self) -> str:
        """The place in one line: `ops.textproto:12:3: operator[3] Conv`."""
        where = ":".join(
            str(part) for part in (self.file or None, self.line, self.column) if part is not None
        )
        return ": ".join(shown(part) for part in (where, self.element) if part)


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact about the input that its author should hear of."""

    level: Level
    message: str
    """What was found and what was expected, in one sentence without the file's name."""
    file: str = ""
    """The file as the user named it; empty where the finding belongs to no single file."""
    element: str = ""
    """The element inside the file, such as `operator[3] Conv`."""
    rule: str = ""
    """The id of the rule that was not kept, such as `OPERATOR_STATUS_KNOWN`."""
    line: int | None = None
    """Line in a text or JSON file, from 1."""
    column: int | None = None
    """Column in that line, from 1, in characters."""
    name: str = ""
    """The name of the operator or function, such as `Conv`."""
    field: str = ""
    """The field inside the element, such as `since_version` or `node[2].input[0]`."""
    others: tuple[Place, ...] = ()
    """What the finding is in conflict with."""
    details: tuple[str, ...] = ()
    """What differs, a line each."""
    unusable: bool = False
    """Whether the file cannot be used at all."""

    @property
    def place(self) -> Place:
        """Where the finding stands."""
        return Place(self.file, self.element, self.line, self.column)

    def __str__(self) -> str:
        """The finding in one line: control characters are escaped, what has no end is cut."""
        text = ": ".join(part for part in (str(self.place), shown(self.message)) if part)
        return f"{text} [{self.rule}]" if self.rule else text


def shown(text: str) -> str:
    """Return a part of a finding as it is printed: control characters are escaped, what has no end is cut."""
    # Names come from files: a control character would move the cursor, or begin a line of its own.
    text = visible(text)
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH // 2]} ... {text[-MAX_LENGTH // 4 :]}"
