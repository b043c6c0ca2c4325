"""Compares two runs, and finds the chain of events from their inputs to their outcomes."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hetwin_compare.comparison import (
    DISTANCE,
    TOLERANCE_NS,
    Apart,
    Comparison,
    Difference,
    Divergence,
    Side,
    What,
    open_side,
    unpaired,
)
from hetwin_compare.given import compare_given
from hetwin_compare.happenings import (
    Disagreement,
    EventSplit,
    TaskSplit,
    disagreements,
    parting_of_event,
    parting_of_occasions,
    parting_of_task,
    split_events,
    split_tasks,
    split_words,
)
from hetwin_compare.motion import Motion, compare_motion, first_belief
from hetwin_suite.episode import folder_of
from hetwin_suite.model import Json
from hetwin_suite.runs import BadInput
from hetwin_suite.tables import Floats, Interval

_MOST_GIVEN = 5
_MOST_LINKS = 12
"""Maximum number of lines between input and outcome; the earliest are kept, as they explain most."""
_CAUSE_NS = 1_000_000_000
"""A contact in one run alone explains differences of motion within this time after it [ns]."""
_TELLING = ("on", "held", "in_container", "connected")


class Found(NamedTuple):
    """The differences found between two runs."""

    given: Sequence[Difference]
    motion: Motion
    occasions: Sequence[Disagreement]
    events: Sequence[EventSplit]
    tasks: Sequence[TaskSplit]


class _Link(NamedTuple):
    time_ns: int
    words: str


def chain(here: Side, there: Side, found: Found, span: Interval) -> tuple[str, ...]:
    """Return sentences: differing inputs, differing events in order, and the ends of the runs."""
    parts = sorted(dict.fromkeys(_links(found)), key=lambda link: link.time_ns)
    shown = [f"{link.time_ns / 1e9:.2f} s: {link.words}" for link in parts[:_MOST_LINKS]]
    if len(parts) > _MOST_LINKS:
        shown.append(f"{len(parts) - _MOST_LINKS} more until {span.to_ns / 1e9:.2f} s")
    return (*_given(found.given), *shown, *_outcome(here, there, found))


def _given(given: Sequence[Difference]) -> Iterator[str]:
    for item in given[:_MOST_GIVEN]:
        yield f"before the first step: {_given_words(item)}"
    if len(given) > _MOST_GIVEN:
        yield f"before the first step: {len(given) - _MOST_GIVEN} more differences"


def _given_words(item: Difference) -> str:
    here, there = item.here, item.there
    name = item.name
    if item.what is not What.SCENE and item.what.value != name:
        name = f"{item.what.value} {name}"
    if here is None or there is None:
        return f"{name} only {'there' if here is None else 'here'}"
    if item.what is What.SCENE and isinstance(here, list) and isinstance(there, list):
        return _moved_words(name, np.array(here, np.float64), np.array(there, np.float64))
    if isinstance(here, str | int | float) and isinstance(there, str | int | float):
        return f"{name}: {here} here, {there} there"
    return f"{name} differs"


def _moved_words(name: str, here: Floats, there: Floats) -> str:
    x, y, z = moved = there[:3] - here[:3]
    distance = float(np.linalg.norm(moved))
    if distance > 0.0:
        return f"{name} stands {distance:.3f} m off there ({x:+.3f} {y:+.3f} {z:+.3f})"
    return f"{name} is turned there"


def _links(found: Found) -> Iterator[_Link]:
    for name, time_ns in found.motion.parted.items():
        yield _Link(time_ns, f"{name} moves differently")
    for event in found.events:
        yield _Link(event.time_ns, split_words(event))
    for task in found.tasks:
        yield _Link(task.time_ns, task.words())
    for item in found.occasions:
        if _is_telling(item, found.motion.parted):
            yield _Link(item.span.from_ns, item.words())


def _is_telling(item: Disagreement, parted: Mapping[str, int]) -> bool:
    """Whether an occasion is the final state of an object, or a contact that starts a difference of motion."""
    if item.fact.fluent in _TELLING:
        return True
    if item.fact.fluent != "contact":
        return False
    times = (parted[name] for name in (item.fact.a, item.fact.b) if name in parted)
    begin = item.span.from_ns
    return any(begin - TOLERANCE_NS <= time_ns <= begin + _CAUSE_NS for time_ns in times)


def _outcome(here: Side, there: Side, found: Found) -> Iterator[str]:
    for name, apart in found.motion.objects.items():
        if apart.end > DISTANCE and _counts(name, apart, found):
            yield f"at the end: {name} is {apart.end:.3f} m from where it is in the other run"
    states = [side.summary.get("state", {}) for side in (here, there)]
    for name in dict.fromkeys([*states[0], *states[1]]):
        if any(here.has(entity) != there.has(entity) for entity in re.split(r"[(), ]+", name)):
            continue  # follows from the input
        one, other = (state.get(name) for state in states)
        if one is not other and True in (one, other):
            where, elsewhere = ("here", "there") if one is True else ("there", "here")
            yield f"at the end: {name} {where}, not {elsewhere}"
    endings = [_ending(side.summary) for side in (here, there)]
    if endings[0] != endings[1]:
        yield f"at the end: {endings[0]} here, {endings[1]} there"


def _counts(name: str, apart: Apart, found: Found) -> bool:
    """Whether the distance of an object at the end is more than its difference at the start."""
    return name in found.motion.parted or apart.first_ns != 0


def _ending(summary: Mapping[str, Any]) -> str:
    """Return how and when a run ended, as text."""
    error = summary.get("error") or {}
    reason = f" ({error['reason']})" if error.get("reason") else ""
    at = summary.get("simulated_time")
    when = "" if at is None else f" at {at:.2f} s"
    return f"{summary.get('ended', 'no summary')}{when}{reason}"


def compare_runs(run: str | Path, other: str | Path) -> Comparison:
    """Compare two runs of any rates and engines over the time that both cover.

    Args:
        run: folder or log of the first run, "here" in the result.
        other: folder or log of the other run, "there" in the result.

    Raises:
        BadInput: if a run cannot be read or is not over, or the runs do not overlap in time.
    """
    return compare_sides(open_side(folder_of(run)), open_side(folder_of(other)))


def compare_sides(here: Side, there: Side) -> Comparison:
    """Compare two runs whose logs were read.

    Raises:
        BadInput: if the runs do not overlap in time.
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
        BadInput: if the runs do not overlap in time.
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
    assert isinstance(seconds, float)  # as in a row of handovers
    return round(seconds * 1e9)
