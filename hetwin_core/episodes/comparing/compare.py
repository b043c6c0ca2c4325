"""Compares two runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.episodes.comparing.chain import Found, chain
from hetwin_core.episodes.comparing.comparison import (
    Comparison,
    Divergence,
    Side,
    open_side,
    unpaired,
)
from hetwin_core.episodes.comparing.given import compare_given
from hetwin_core.episodes.comparing.happenings import (
    disagreements,
    parting_of_event,
    parting_of_occasions,
    parting_of_task,
    split_events,
    split_tasks,
)
from hetwin_core.episodes.comparing.motion import compare_motion, first_belief
from hetwin_core.episodes.run_folder import folder_of
from hetwin_core.episodes.tables.rows import Interval


def compare_runs(run: str | Path, other: str | Path) -> Comparison:
    """Compare two runs, whatever their rates and engines, over the time that both cover.

    Args:
        run: folder of the first, or the log in it; the result calls it here.
        other: that of the other, which it calls there.

    Raises:
        BadInput: if one of them cannot be read, is not over, or they have no time in common.
    """
    return compare_sides(open_side(folder_of(run)), open_side(folder_of(other)))


def compare_sides(here: Side, there: Side) -> Comparison:
    """Compare two runs that have been read.

    Raises:
        BadInput: if they have no time in common.
    """
    span = _common(here, there)
    given = compare_given(here, there)
    motion = compare_motion(here, there, span)
    held = disagreements(here, there, span)
    happened = split_events(here, there, span)
    done = split_tasks(here, there, span)
    found = Found(given, motion, held, happened, done)
    handovers = unpaired(_within(here, span), _within(there, span), _key, _time)
    return Comparison(
        divergence=Divergence(
            state=motion.parting,
            occasion=parting_of_occasions(held),
            event=parting_of_event(happened[0], here, there) if happened else None,
            task=parting_of_task(done[0], here, there) if done else None,
            belief=first_belief(here, there, span),
        ),
        given=given,
        chain=chain(here, there, found, span),
        objects=motion.objects,
        only_here=tuple(handovers[0]),
        only_there=tuple(handovers[1]),
        from_ns=span.from_ns,
        to_ns=span.to_ns,
    )


def _common(here: Side, there: Side) -> Interval:
    """Return the time that both runs cover.

    Raises:
        BadInput: if there is none.
    """
    tables = here.tables, there.tables
    begin = max(side.start_ns for side in tables)
    end = min(side.known_until_ns for side in tables)
    if end < begin:
        covered = [f"{t.start_ns / 1e9:g} to {t.known_until_ns / 1e9:g} s" for t in tables]
        raise BadInput(
            "the runs have no time in common",
            found=covered[1],
            expected=f"some of {covered[0]}",
        )
    return Interval(begin, end + 1)


def _within(side: Side, span: Interval) -> Sequence[Mapping[str, Json]]:
    return [row for row in side.handovers if _time(row) < span.to_ns]


def _key(handover: Mapping[str, Json]) -> Hashable:
    return tuple(str(handover[name]) for name in ("entity", "attribute", "from", "to"))


def _time(handover: Mapping[str, Json]) -> int:
    seconds = handover["time"]
    assert isinstance(seconds, float)  # of a handover's row
    return round(seconds * 1e9)
