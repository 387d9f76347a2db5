"""No search for garbage while a site is built: nearly all that a build makes lives until its end.

Python would look through all pages again and again to find next to nothing; on large sites that takes longer
than to make them.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass


@dataclass(slots=True)
class Pause:
    """A time during which garbage is left where it is."""

    _was_enabled: bool = False

    def begin(self) -> None:
        """Stop Python from collecting garbage by itself."""
        self._was_enabled = self._was_enabled or gc.isenabled()
        gc.disable()

    def end(self, *, ends_process: bool = False) -> None:
        """Let Python collect garbage again, if it did before.

        Args:
            ends_process: Whether the process is about to end: then there is no last look at all that it has.
        """
        if ends_process:
            gc.freeze()
        if self._was_enabled:
            gc.enable()
        self._was_enabled = False
