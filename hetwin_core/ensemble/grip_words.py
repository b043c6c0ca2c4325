"""The wording of grips on what the scene does not have: what the fingers of a hand say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.concern_words import (
    CLOSED_ON_SOMETHING,
    COVERAGE,
    LET_GO_OF_SOMETHING,
)
from hetwin_core.ensemble.event_codec import event_from_summary
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.sentences.catalogue import say

_AT_START_NS = 100_000_000
"""Fingers that stand closed so early were not seen to close [ns]."""


def grip_sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each time in which a hand closed on something that the scene does not have.

    Args:
        rows: the events of a run, as its summary has them.
    """
    names = (CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING, COVERAGE)
    return list(_sentences([event_from_summary(row) for row in rows if row["name"] in names]))


def _sentences(events: Sequence[Event]) -> Iterator[str]:
    widths = {
        (event.arguments.get("subject"), event.time_ns): event.arguments.get("width")
        for event in events
        if event.name == COVERAGE
    }
    for number, event in enumerate(events):
        if event.name != CLOSED_ON_SOMETHING:
            continue
        hand = event.arguments.get("hand")
        later = (e for e in events[number + 1 :] if e.name == LET_GO_OF_SOMETHING)
        over = next((e for e in later if e.arguments.get("hand") == hand), None)
        width = widths.get((hand, event.time_ns))
        until = None if over is None else over.time_ns
        if event.time_ns <= _AT_START_NS:
            yield say("state.closed_from_start", hand=hand, width=width, until=until)
        else:
            yield say("state.unseen_grip", hand=hand, width=width, begun=event.time_ns, until=until)
