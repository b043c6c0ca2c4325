"""What leads from the difference between two runs to their outcomes, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.comparing.comparison import (
    DISTANCE,
    TOLERANCE_NS,
    Apart,
    Differing,
    Side,
    What,
)
from hetwin_core.episodes.comparing.happenings import (
    Disagreement,
    EventSplit,
    TaskSplit,
    split_words,
)
from hetwin_core.episodes.comparing.motion import Motion
from hetwin_core.episodes.tables.rows import Interval

_MOST_GIVEN = 5
_MOST_LINKS = 12
"""Lines between what was given and the outcome; what comes first explains most."""
_CAUSE_NS = 1_000_000_000
"""A contact that only one run has explains what moves differently within this time."""
_TELLING = ("on", "held", "in_container", "connected")


class Found(NamedTuple):
    """What has been found of two runs."""

    given: Sequence[Differing]
    motion: Motion
    occasions: Sequence[Disagreement]
    events: Sequence[EventSplit]
    tasks: Sequence[TaskSplit]


class _Link(NamedTuple):
    time_ns: int
    words: str


def chain(here: Side, there: Side, found: Found, span: Interval) -> tuple[str, ...]:
    """Return sentences: what was given differently, what happened differently in order, and how the runs end."""
    parts = sorted(dict.fromkeys(_links(found)), key=lambda link: link.time_ns)
    shown = [f"{link.time_ns / 1e9:.2f} s: {link.words}" for link in parts[:_MOST_LINKS]]
    if len(parts) > _MOST_LINKS:
        shown.append(f"{len(parts) - _MOST_LINKS} more until {span.to_ns / 1e9:.2f} s")
    return (*_given(found.given), *shown, *_outcome(here, there, found))


def _given(given: Sequence[Differing]) -> Iterator[str]:
    for item in given[:_MOST_GIVEN]:
        yield f"before the first step: {_given_words(item)}"
    if len(given) > _MOST_GIVEN:
        yield f"before the first step: {len(given) - _MOST_GIVEN} more differences"


def _given_words(item: Differing) -> str:
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
    """Whether an occasion says what an object came to, or is the contact that something moves differently by."""
    if item.fact.fluent in _TELLING:
        return True
    if item.fact.fluent != "contact":
        return False
    times = (parted[name] for name in (item.fact.a, item.fact.b) if name in parted)
    begun = item.span.from_ns
    return any(begun - TOLERANCE_NS <= time_ns <= begun + _CAUSE_NS for time_ns in times)


def _outcome(here: Side, there: Side, found: Found) -> Iterator[str]:
    for name, apart in found.motion.objects.items():
        if apart.end > DISTANCE and _counts(name, apart, found):
            yield f"at the end: {name} is {apart.end:.3f} m from where it is in the other run"
    states = [side.summary.get("state", {}) for side in (here, there)]
    for name in dict.fromkeys([*states[0], *states[1]]):
        if any(here.has(entity) != there.has(entity) for entity in re.split(r"[(), ]+", name)):
            continue  # it follows from what was given
        one, other = (state.get(name) for state in states)
        if one is not other and True in (one, other):
            where, elsewhere = ("here", "there") if one is True else ("there", "here")
            yield f"at the end: {name} {where}, not {elsewhere}"
    endings = [_ending(side.summary) for side in (here, there)]
    if endings[0] != endings[1]:
        yield f"at the end: {endings[0]} here, {endings[1]} there"


def _counts(name: str, apart: Apart, found: Found) -> bool:
    """Whether an object is not just where it was put differently."""
    return name in found.motion.parted or apart.first_ns != 0


def _ending(summary: Mapping[str, Any]) -> str:
    """Return how a run ended, and when."""
    error = summary.get("error") or {}
    reason = f" ({error['reason']})" if error.get("reason") else ""
    at = summary.get("simulated_time")
    when = "" if at is None else f" at {at:.2f} s"
    return f"{summary.get('ended', 'no summary')}{when}{reason}"
