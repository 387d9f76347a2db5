"""What GitHub's annotations and SARIF have in common: both state the place in a file beside the text."""

from __future__ import annotations

from opsetdocs.file_names import is_file
from opsetdocs.findings import Finding, Place, shown


def place_in_text(place: Place) -> Place:
    """Return what is left for the text to say of a place: the element; all of it where there is no file."""
    return Place(element=place.element) if is_file(place.file) else place


def annotation_line(finding: Finding) -> str:
    """Return what a finding says, in one line."""
    return ": ".join(part for part in (str(place_in_text(finding.place)), shown(finding.message)) if part)
