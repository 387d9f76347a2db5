"""Templates stay compiled while a site is served: MkDocs begins each build with a new environment."""

from __future__ import annotations

import jinja2
from jinja2.bccache import Bucket


class CompiledTemplates(jinja2.BytecodeCache):
    """Keeps what templates were compiled to in memory, until their source changes."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give Jinja what it compiled before; it checks that this belongs to the source."""
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what Jinja compiled."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()
