"""No search for garbage while a site is built: nearly all that a build makes lives until its end.

Python would look through all pages again and again to find next to nothing; on large sites that takes longer
than to make them.
"""

from __future__ import annotations

import gc
import threading
from dataclasses import dataclass, field

_LATER = 1.0
"""Seconds after a build when Python may look for garbage, if somebody waits for the page until then."""


@dataclass(slots=True)
class Pause:
    """A time during which garbage is left where it is."""

    _was_enabled: bool = False
    _is_frozen: bool = False
    _timer: threading.Timer | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Stop Python from collecting garbage by itself."""
        if self._timer is not None:
            self._timer.cancel()
        self._was_enabled = self._was_enabled or gc.isenabled()
        gc.disable()

    def end(self, *, keeps: bool = False, is_waited_for: bool = False) -> None:
        """Let Python collect garbage again, if it did before.

        Args:
            keeps: Whether nearly all that there is lives as long as the process: then Python never looks at
                it again. What later pauses leave is looked at as always.
            is_waited_for: Whether somebody waits for what comes next: then Python collects garbage later.
        """
        if keeps and not self._is_frozen:
            gc.freeze()
            self._is_frozen = True
        if is_waited_for:
            self._timer = threading.Timer(_LATER, self._resume)
            self._timer.daemon = True
            self._timer.start()
        else:
            self._resume()

    def _resume(self) -> None:
        if self._was_enabled:
            gc.enable()
        self._was_enabled = False
