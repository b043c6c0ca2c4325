"""Finds the first difference of the motion of bodies, and of the robot's beliefs about poses, between two runs.

Runs of different rates are compared at the union of their times, with interpolated poses. Differences of the initial
state are subtracted first: a box that starts elsewhere and stays there does not count as a difference of motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_compare.comparison import (
    ANGLE,
    DISTANCE,
    TOLERANCE_NS,
    Apart,
    Parting,
    Side,
)
from hetwin_suite.model import EntityKind, Json
from hetwin_suite.tables import (
    ANGLE as TURNED,
)
from hetwin_suite.tables import (
    DISTANCE_M,
    POSE,
    Belief,
    Floats,
    Interval,
    Intervals,
    distances,
    picked,
)

Times = NDArray[np.int64]
"""(n,) times in ns."""


def sampled(times: Times, known_ns: Times, poses: Floats) -> Floats:
    """Return (n, 7) poses at these times, interpolated linearly; outside of the known times, the nearest pose."""
    turns = (poses[1:, 3:] * poses[:-1, 3:]).sum(axis=1)
    signs = np.cumprod(np.concatenate([[1.0], np.where(turns < 0.0, -1.0, 1.0)]))
    steady = np.hstack([poses[:, :3], poses[:, 3:] * signs[:, None]])
    columns = [np.interp(times, known_ns, column) for column in steady.T]
    result: Floats = np.stack(columns, axis=1)
    return result


def since(poses: Floats, start: Floats) -> Floats:
    """Return (n, 7) translations and rotations since the start, in the world frame."""
    back = start[0, 3:] * np.array([1.0, -1.0, -1.0, -1.0])
    return np.hstack([poses[:, :3] - start[0, :3], _multiplied(poses[:, 3:], back)])


def _multiplied(first: Floats, second: Floats) -> Floats:
    """Return (n, 4) the products of quaternions (n, 4) with a quaternion (4,)."""
    w, x, y, z = first.T
    a, b, c, d = second
    return np.stack(
        [
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ],
        axis=1,
    )


def still(count: int) -> Floats:
    """Return (n, 7) identity motions."""
    return np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))


_WINDOW_NS = 60_000_000_000
"""Duration of a window that is compared at once, so that an hour fits into memory [ns]."""
_MARGIN_NS = 2_000_000_000
"""Margin of a window for interpolation; longer than the time between two states [ns]."""
SETTLING_NS = 500_000_000
"""Time in which an object of one run alone may settle where it was put [ns]."""
_POSE7 = 7


class _ComparedEntity(NamedTuple):
    """An entity whose motion is compared; a difference is reported under the name of its owner."""

    name: str
    owner: str


@dataclass
class _Body:
    """Progress of the comparison of an entity; `starts` are its poses in both runs at `from_ns`."""

    starts: list[Floats | None]
    from_ns: int
    apart_ns: int | None = None
    parted_ns: int | None = None
    most: float = 0.0
    end: float = 0.0


@dataclass
class Motion:
    """Differences of the motion of bodies in two runs.

    Attributes:
        objects: distances of the objects that both runs have.
        parted: entity -> time of its first difference of motion, without differences of the initial state [ns].
        parting: the first of these divergences.
    """

    objects: dict[str, Apart] = field(default_factory=dict)
    parted: dict[str, int] = field(default_factory=dict)
    parting: Parting | None = None


def compare_motion(here: Side, there: Side, span: Interval) -> Motion:
    """Compare the motion of objects and robots over an interval.

    An object of one run alone is compared with one at rest.
    """
    bodies = {entity: _body(here, there, entity, span.from_ns) for entity in _moving(here, there)}
    for times, *known in _windows(here, there, span):
        for entity, body in bodies.items():
            poses = []
            for side, (known_ns, values) in zip((here, there), known, strict=True):
                pose = _pose(side, entity.name, values)
                poses.append(None if pose is None else sampled(times, known_ns, pose))
            _look(body, times, poses)
    motion = Motion()
    for entity, body in bodies.items():
        if _is_object(here, entity.name) and _is_object(there, entity.name):
            motion.objects[entity.name] = Apart(body.apart_ns, body.most, body.end)
        if body.parted_ns is not None:
            before = motion.parted.get(entity.owner, body.parted_ns)
            motion.parted[entity.owner] = min(before, body.parted_ns)
    motion.parting = _first(here, there, motion.parted)
    return motion


def _first(here: Side, there: Side, parted: dict[str, int]) -> Parting | None:
    """Return the divergence of the first entity, with the entities that diverge simultaneously."""
    if not parted:
        return None
    order = sorted(parted, key=lambda name: (parted[name], name))
    time_ns = parted[order[0]]
    together = tuple(name for name in order if parted[name] <= time_ns + TOLERANCE_NS)
    poses = (_pose_at(side, order[0], time_ns) for side in (here, there))
    return Parting(time_ns, together, *poses)


def _pose_at(side: Side, name: str, time_ns: int) -> Json:
    """Return the pose of the last state at or before a time; None if the run has no such entity."""
    if not side.has(name):
        return None
    values = side.values_at(time_ns)
    pose: list[Json] = _pose(side, name, values[None])[0].tolist()  # type: ignore[index]
    return pose


def _moving(here: Side, there: Side) -> list[_ComparedEntity]:
    """Return the objects of either run, and the links of robots in both runs, except fingers.

    Fingers close on objects; their final positions depend more on the object than on the robot.
    """
    found: dict[str, _ComparedEntity] = {}
    for layout in (here.layout, there.layout):
        fingers = {joint for hand in layout.of_kind(EntityKind.HAND) for joint in hand.joints}
        for entity in layout.of_kind(EntityKind.OBJECT, EntityKind.LINK, EntityKind.ROBOT):
            is_finger = entity.kind is EntityKind.LINK and entity.joint in fingers
            if is_finger or not layout.has(entity.name, POSE.name):
                continue
            if entity.kind is EntityKind.OBJECT or _in_both(here, there, entity.name):
                found[entity.name] = _ComparedEntity(entity.name, entity.owner or entity.name)
    return list(found.values())


def _in_both(here: Side, there: Side, name: str) -> bool:
    return here.has(name) and there.has(name)


def _is_object(side: Side, name: str) -> bool:
    return side.has(name) and side.layout.entity(name).kind is EntityKind.OBJECT


def _windows(
    here: Side, there: Side, span: Interval
) -> Iterator[tuple[Times, tuple[Times, Floats], tuple[Times, Floats]]]:
    """Yield windows: (n,) times of the states of both runs, and the times and values of each run around them."""
    begin, end = span
    while begin < end:
        until = min(begin + _WINDOW_NS, end)
        around = Interval(begin - _MARGIN_NS, until + _MARGIN_NS)
        first, second = here.states(around), there.states(around)
        times = np.union1d(first[0], second[0])
        times = times[(times >= begin) & (times < until)]
        if len(times) and len(first[0]) and len(second[0]):
            yield times, first, second
        begin = until


def _pose(side: Side, name: str, values: Floats) -> Floats | None:
    """Extract (n, 7) poses from (n, size) values; None if the run has no such entity."""
    if not side.has(name):
        return None
    begin = side.layout.range_of(name, POSE.name).start
    return values[:, begin : begin + _POSE7]


def _body(here: Side, there: Side, entity: _ComparedEntity, begin_ns: int) -> _Body:
    """Return the initial progress of an entity's comparison."""
    lone = not _in_both(here, there, entity.name)
    from_ns = begin_ns + SETTLING_NS if lone else begin_ns
    starts = [_pose(side, entity.name, side.values_at(from_ns)[None]) for side in (here, there)]
    return _Body(starts, from_ns)


def _look(body: _Body, times: Times, poses: list[Floats | None]) -> None:
    """Compare the motion of an entity over one window."""
    moved = [
        since(pose, start)
        for pose, start in zip(poses, body.starts, strict=True)
        if pose is not None and start is not None
    ]
    if body.parted_ns is None:
        first, second = moved[0], moved[1] if len(moved) > 1 else still(len(times))
        body.parted_ns = _first_time(times, *distances(first, second), body.from_ns)
    here, there = poses
    if here is None or there is None:
        return
    distance, angle = distances(here, there)
    if body.apart_ns is None:
        body.apart_ns = _first_time(times, distance, angle)
    body.most = max(body.most, float(distance.max()))
    body.end = float(distance[-1])


def _first_time(times: Times, distance: Floats, angle: Floats, from_ns: int = 0) -> int | None:
    """Return the first time from which on distance or angle exceed their limits; None if there is none."""
    off = np.nonzero(((distance > DISTANCE) | (angle > ANGLE)) & (times >= from_ns))[0]
    return int(times[off[0]]) if len(off) else None


Fact: TypeAlias = tuple[str, str, str]
"""Fluent, entity, other entity."""


def first_belief(here: Side, there: Side, span: Interval) -> Parting | None:
    """Return the first divergence of the robot's beliefs; None if there is none.

    Believed poses are compared like poses, without the difference of the first ones. Other beliefs differ while the
    robot holds one in one run alone for longer than the tolerance.
    """
    first, second = (_by_fact(side, span) for side in (here, there))
    found = []
    for fact in dict.fromkeys([*first, *second]):
        rows = first.get(fact, []), second.get(fact, [])
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
    first, second = (Intervals(row.span for row in rows if row.holds) for rows in (here, there))
    apart = [*(first - second).within(span), *(second - first).within(span)]
    long = (part.from_ns for part in apart if part.to_ns - part.from_ns > TOLERANCE_NS)
    return min((time_ns for time_ns in long if time_ns > span.from_ns), default=None)


def _parted_poses(here: Sequence[Belief], there: Sequence[Belief]) -> int | None:
    (one_ns, first), (other_ns, second) = (_poses(rows) for rows in (here, there))
    times = np.union1d(one_ns, other_ns)
    moved = [
        since(sampled(times, known_ns, poses), poses[:1])
        for known_ns, poses in ((one_ns, first), (other_ns, second))
    ]
    distance, angle = distances(*moved)
    off = np.nonzero((distance > DISTANCE_M) | (angle > TURNED))[0]
    return int(times[off[0]]) if len(off) else None


def _poses(rows: Sequence[Belief]) -> tuple[Times, Floats]:
    """Return (n,) times [ns] and (n, 7) believed poses."""
    times = np.array([row.span.from_ns for row in rows], np.int64)
    poses = np.array([row.pose for row in rows], np.float64)
    return times, poses


def _last(rows: Sequence[Belief], time_ns: int) -> Belief | None:
    """Return the belief that is held at a time; None before the first one."""
    before = [row for row in rows if row.span.from_ns <= time_ns]
    return before[-1] if before else None


def _row(belief: Belief | None) -> dict[str, Json] | None:
    names = ("fluent", "a", "b", "holds", "pose", "from", "to", "origin")
    return None if belief is None else picked(belief, *names)
