"""Which names an opset offers, as far as the loaded files tell.

The file of an opset tells what that opset offers. A cumulative file, one that holds every version so far,
also tells for the opsets before its own that are not loaded when each of its names came; it never tells that
a name went. See `timeline.py`, which follows one name through all opsets by the same rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from opsetdocs.history import is_cumulative
from opsetdocs.identity import Name, entries, name_of, stated_since_version
from opsetdocs.model import OperatorSet, domain_name
from opsetdocs.timeline import selected


def offered(sets: Iterable[OperatorSet], domain: str, opset: int) -> Mapping[Name, int | None] | None:
    """Return what an opset offers: for each name the since_version of its version.

    Where the file of the opset itself is not loaded, the nearest later cumulative file speaks for it. A name
    of which that one cannot tell whether it was there already is in the result too, so what is not in it is
    proved not to be offered.

    Args:
        sets: The loaded sets.
        domain: The domain's name, `ai.onnx` for the default one.
        opset: The opset_version.

    Returns:
        The since_version by name: `None` for a function that states none, and for a name that may be offered.
        `None` instead of all that where no loaded file tells what the opset offers.
    """
    same_domain = [item for item in sets if domain_name(item.domain) == domain and item.opset_version]
    own = [item for item in same_domain if item.opset_version == opset]
    if own:
        return {name: selected(stated, opset) for name, stated in _stated_versions(own).items()}
    later = [item for item in same_domain if (item.opset_version or 0) > opset and is_cumulative(item)]
    nearest = min((item.opset_version or 0 for item in later), default=None)
    if opset < 1 or nearest is None:
        return None
    speaks = [item for item in later if item.opset_version == nearest]
    return dict(_as_told_by(speaks, same_domain, opset))


def _as_told_by(
    cumulative: Sequence[OperatorSet], sets: Sequence[OperatorSet], opset: int
) -> Iterable[tuple[Name, int | None]]:
    """Yield what cumulative files of one later opset tell of an opset that is not loaded."""
    told = _stated_versions(cumulative)
    seen = _stated_versions(item for item in sets if (item.opset_version or 0) < opset)
    for name, stated in _stated_versions(sets).items():
        version = selected(told.get(name, ()), opset)
        # A file lists what is there: what it lacks, or dates later than a file that saw it, may have been
        # there before. So may a function that states no since_version.
        is_dated = bool(told.get(name)) and name not in seen
        may_be_there = not is_dated and (selected(stated, opset) is not None or not stated)
        if version is not None or may_be_there:
            yield name, version


def _stated_versions(sets: Iterable[OperatorSet]) -> dict[Name, set[int]]:
    """Return the since_versions that are stated under each name, which may be none."""
    result: dict[Name, set[int]] = defaultdict(set)
    for item in sets:
        for entry in entries(item):
            if name := name_of(entry):
                result[name] |= {stated_since_version(entry) or 0} - {0}
    return result
