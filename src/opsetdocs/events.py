"""What happened to a name, read off its timeline: the events of an operator's history.

A stated since_version dates a new version. Everything else is dated by the first known opset that shows it,
and the opsets in between that are not loaded are named.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from opsetdocs.catalog import Event, EventKind, OpsetRange
from opsetdocs.model import Status
from opsetdocs.ranges import without
from opsetdocs.timeline import Span

_ORDER = {kind: index for index, kind in enumerate(EventKind)}


@dataclass(frozen=True, slots=True)
class Content:
    """What a file says about a version."""

    status: Status
    deprecated: bool
    meaning: Hashable
    """Equal where words, signature and body are the same."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """A version that a span of the timeline offers."""

    span: Span
    version: int
    content: Content
    date: int
    """The first opset that is proved to offer the version: its since_version, or else the span's first."""
    dates_itself: bool
    """Whether the since_version gives the date, so that no other file is needed for it."""
    known: int
    """The last opset before the date about which something is known; 0 where nothing is."""

    @property
    def has_known_text(self) -> bool:
        """Whether these very opsets had this text; an experimental one may have changed before its file."""
        return self.span.loaded or not self.content.status.is_experimental

    def event(self, kind: EventKind, opset: int, *, after: int) -> Event:
        """Return an event that an opset shows, and that was not there yet in another one."""
        return Event(kind, opset, self.version, _between(after, opset))


def events(
    timeline: Sequence[Span], content: Callable[[int, int], Content], *, derived: Collection[int] = ()
) -> tuple[Event, ...]:
    """Return what happened, ascending by opset and within an opset in the order of `EventKind`.

    Args:
        timeline: What is proved about the name.
        content: What the file of an opset, the first argument, says about a version, the second.
        derived: The since_versions that no file states, and that therefore date nothing.
    """
    loaded = [OpsetRange(span.first, span.last) for span in timeline if span.loaded]
    found: dict[tuple[int, EventKind], Event] = {}
    for event in _walk(timeline, content, derived):
        missing = (part for span in event.missing for part in without(span.first, span.last, loaded))
        found.setdefault((event.opset, event.kind), replace(event, missing=tuple(missing)))
    return tuple(sorted(found.values(), key=lambda event: (event.opset, _ORDER[event.kind])))


def _walk(
    timeline: Sequence[Span], content: Callable[[int, int], Content], derived: Collection[int]
) -> Iterator[Event]:
    """Yield each event; its `missing` still has the loaded opsets of that time."""
    previous: _Offer | None = None
    read: _Offer | None = None  # The last offer whose text is known.
    unread_since = 0
    for index, span in enumerate(timeline):
        before = timeline[index - 1] if index else None
        arrives = before is None or before.since_version is None
        if span.since_version is None:
            if previous and before and not arrives:
                missing = _between(before.last, span.first)
                yield Event(EventKind.REMOVED, span.first, previous.version, missing, last_seen=before.last)
            continue
        offer = _offer(timeline, index, span.since_version, content(span.file, span.since_version), derived)
        if previous is None:
            yield _first(offer)
            unread_since = offer.known
        else:
            if before and arrives:
                opset = offer.date if offer.date > before.last else span.first
                yield offer.event(EventKind.RESTORED, opset, after=before.last)
            yield from _new_version(offer, previous)
        if offer.has_known_text:
            yield from _new_text(offer, read, unread_since)
            read, unread_since = offer, span.last
        previous = offer


def _between(known: int, opset: int) -> tuple[OpsetRange, ...]:
    """The opsets between two, if there are any."""
    return (OpsetRange(known + 1, opset - 1),) if known + 1 < opset else ()


def _offer(
    timeline: Sequence[Span], index: int, version: int, content: Content, derived: Collection[int]
) -> _Offer:
    """Date the version that a span offers: by its since_version, unless known opsets contradict that."""
    span = timeline[index]
    start = index
    while start and timeline[start - 1].since_version is None and timeline[start - 1].last >= version:
        start -= 1
    known = timeline[start - 1].last if start else 0
    known_without = start < index and timeline[start].first <= version
    if version not in derived and known < version <= span.first and not known_without:
        # Where opsets in between lack the name, it was removed and came back as it was.
        return _Offer(span, version, content, date=version, dates_itself=True, known=known)
    known = timeline[index - 1].last if index else 0
    return _Offer(span, version, content, date=span.first, dates_itself=False, known=known)


def _first(offer: _Offer) -> Event:
    """The name comes, or is there and nobody knows since when."""
    missing = _between(offer.known, offer.date)
    if missing:
        return Event(EventKind.FIRST_SEEN, offer.span.first, offer.version, missing)
    return Event(EventKind.INTRODUCED, offer.date, offer.version)


def _new_version(offer: _Offer, previous: _Offer) -> Iterator[Event]:
    """A version follows one with another since_version."""
    if previous.version == offer.version:
        return
    since = previous.span.last
    yield offer.event(EventKind.CHANGED, offer.date, after=offer.date - 1 if offer.dates_itself else since)
    old, new = previous.content.status, offer.content.status
    if old.is_experimental and new.is_stable:
        yield offer.event(EventKind.PROMOTED, offer.date, after=since)
    if old.is_stable and new.is_experimental:
        yield offer.event(EventKind.DEMOTED, offer.date, after=since)


def _new_text(offer: _Offer, read: _Offer | None, unread_since: int) -> Iterator[Event]:
    """An experimental version says something else, or the mark **Deprecated** comes or goes."""
    new = offer.content
    old = read.content if read else None
    same_version = read is not None and read.version == offer.version
    may_change = old is not None and old.status.is_experimental and new.status.is_experimental
    if old and same_version and may_change and old.meaning != new.meaning:
        yield offer.event(EventKind.REVISED, offer.span.first, after=unread_since)
    if new.deprecated != (old is not None and old.deprecated):
        kind = EventKind.DEPRECATED if new.deprecated else EventKind.RESTORED
        # A published version had its mark from the start; an experimental one may have got it later.
        since_start = not same_version and not new.status.is_experimental
        yield offer.event(kind, offer.date if since_start else offer.span.first, after=unread_since)
