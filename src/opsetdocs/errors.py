"""The errors that opsetdocs raises. Each message is written for the person who has to mend it.

OpsetdocsError
├── SourceError      a source does not exist, cannot be read, or holds no operator set
├── FileError        one file is not a usable OperatorSetProto
├── TemplateError    a template does not compile, or fails while a page is rendered
└── ConfigError      an option has a value that cannot be used
"""


class OpsetdocsError(Exception):
    """Any failure that opsetdocs reports instead of a traceback."""


class SourceError(OpsetdocsError):
    """A source does not exist, cannot be read, or holds no operator set."""


class FileError(OpsetdocsError):
    """One file is not a usable OperatorSetProto; the others can still be read.

    Args:
        file: The file as the user named it.
        message: What is wrong with it, without the file's name.
        line: Line in a text or JSON file, from 1.
        column: Column in that line, from 1.
        rule: The id of the rule of `check` that the file does not keep, if it is one of them.
    """

    def __init__(
        self,
        file: str,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        rule: str = "",
    ) -> None:
        self.file = file
        self.message = message
        self.line = line
        self.column = column
        self.rule = rule
        where = ":".join([file, *(str(part) for part in (line, column) if part is not None)])
        super().__init__(f"{where}: {message}")


class TemplateError(OpsetdocsError):
    """A template does not compile, or fails while a page is rendered."""


class ConfigError(OpsetdocsError):
    """An option has a value that cannot be used."""
