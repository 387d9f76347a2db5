"""An edit of one operator in files of operator sets, and back again, run by run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Edit:
    """Words in the text of one operator, which become capitals and small letters again: no length changes."""

    sources: Path
    """A folder of operator sets in binary form."""
    words: str
    """In small letters."""

    def toggle(self) -> str:
        """Write the words in the other way, in all files that have them, and return them as they are then."""
        for old, new in ((self.words, self.words.upper()), (self.words.upper(), self.words)):
            contents = {file: file.read_bytes() for file in self.sources.iterdir()}
            found = {file: content for file, content in contents.items() if old.encode() in content}
            for file, content in found.items():
                file.write_bytes(content.replace(old.encode(), new.encode()))
            if found:
                return new
        raise ValueError(f"no file in {self.sources} has the words: {self.words}")
