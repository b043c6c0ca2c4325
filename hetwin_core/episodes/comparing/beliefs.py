"""Where the robot's beliefs part in two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.comparing.comparison import TOLERANCE_NS, Parting
from hetwin_core.episodes.comparing.poses import Times, sampled, since
from hetwin_core.episodes.comparing.side import Side
from hetwin_core.episodes.tables.intervals import Intervals
from hetwin_core.episodes.tables.poses import ANGLE, DISTANCE_M, distances
from hetwin_core.episodes.tables.rows import Belief, Interval

Fact: TypeAlias = tuple[str, str, str]
"""Fluent, entity, other entity."""


def first_belief(here: Side, there: Side, span: Interval) -> Parting | None:
    """Return where the beliefs first part; None if they do not.

    Believed poses are compared as poses are: without what differs between the first ones. Other beliefs differ while
    the robot believes something in one run alone, for longer than the tolerance.
    """
    one, other = (_by_fact(side, span) for side in (here, there))
    found = []
    for fact in dict.fromkeys([*one, *other]):
        rows = one.get(fact, []), other.get(fact, [])
        time_ns = _parted(*rows, span)
        if time_ns is not None:
            found.append((time_ns, fact, rows))
    if not found:
        return None
    time_ns, fact, rows = min(found, key=lambda item: item[:2])
    entities = tuple(name for name in fact[1:] if name)
    return Parting(time_ns, entities, *(_row(_last(known, time_ns)) for known in rows))


def _by_fact(side: Side, span: Interval) -> dict[Fact, list[Belief]]:
    found: dict[Fact, list[Belief]] = {}
    for belief in side.tables.beliefs:
        if belief.span.from_ns < span.to_ns:
            found.setdefault((belief.fluent, belief.a, belief.b), []).append(belief)
    return found


def _parted(here: Sequence[Belief], there: Sequence[Belief], span: Interval) -> int | None:
    if not here or not there:
        return (here or there)[0].span.from_ns
    if here[0].pose is not None and there[0].pose is not None:
        return _parted_poses(here, there)
    one, other = (Intervals(row.span for row in rows if row.holds) for rows in (here, there))
    apart = [*(one - other).within(span), *(other - one).within(span)]
    long = (part.from_ns for part in apart if part.to_ns - part.from_ns > TOLERANCE_NS)
    return min((time_ns for time_ns in long if time_ns > span.from_ns), default=None)


def _parted_poses(here: Sequence[Belief], there: Sequence[Belief]) -> int | None:
    (one_ns, one), (other_ns, other) = (_poses(rows) for rows in (here, there))
    times = np.union1d(one_ns, other_ns)
    moved = [
        since(sampled(times, known_ns, poses), poses[:1])
        for known_ns, poses in ((one_ns, one), (other_ns, other))
    ]
    distance, angle = distances(*moved)
    off = np.nonzero((distance > DISTANCE_M) | (angle > ANGLE))[0]
    return int(times[off[0]]) if len(off) else None


def _poses(rows: Sequence[Belief]) -> tuple[Times, Floats]:
    """Return (n,) times [ns] and (n, 7) believed poses."""
    times = np.array([row.span.from_ns for row in rows], np.int64)
    poses = np.array([row.pose for row in rows], np.float64)
    return times, poses


def _last(rows: Sequence[Belief], time_ns: int) -> Belief | None:
    """Return the belief at a time; None if there was none yet."""
    before = [row for row in rows if row.span.from_ns <= time_ns]
    return before[-1] if before else None


def _row(belief: Belief | None) -> dict[str, Json] | None:
    if belief is None:
        return None
    return {
        "fluent": belief.fluent,
        "a": belief.a,
        "b": belief.b,
        "holds": belief.holds,
        "pose": None if belief.pose is None else list(belief.pose),
        "from": belief.span.from_ns / 1e9,
        "to": belief.span.to_ns / 1e9,
        "origin": belief.origin,
    }
