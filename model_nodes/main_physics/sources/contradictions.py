"""Finds publishers that contradict each other about the same joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Int64s, Publisher
from model_nodes.main_physics.sources.joint_facts import JointFacts, fast, intervals
from model_nodes.main_physics.sources.joint_table import RawSamples

DELAY_NS = 150_000_000
"""Maximum offset in time of two publishers that still agree."""
_MIN_RUN = 3
"""Minimum number of successive samples that differ."""
_ALTERNATIONS = 8
"""Minimum number of successive jumps back and forth from which two publishers on one topic are inferred."""
_ALTERNATING_ACCELERATION = 50.0
"""Minimum acceleration of a jump [rad/s^2 or m/s^2]; no robot moves back and forth so fast between samples."""
_ALIKE = 0.5
"""A jump back equals the jump before if they differ by less than this fraction."""
_SMOOTH = 0.2
"""Maximum step within the series of each publisher, as a fraction of the jump between the two series."""
_PAUSE_NS = 1_000_000_000


@dataclass
class Contradictions:
    """Contradictions, and the samples that are unused because of them.

    Attributes:
        findings: one finding for each pair of publishers and joint.
        unused: (publisher, joint) whose samples are not used.
        strange: numbers of the messages of a second publisher on the same topic.
    """

    findings: list[Finding] = field(default_factory=list)
    unused: set[tuple[Publisher, str]] = field(default_factory=set)
    strange: set[int] = field(default_factory=set)


def find_contradictions(
    used: Sequence[RawSamples], others: Sequence[RawSamples], facts: JointFacts
) -> Contradictions:
    """Compare all publishers of each joint; if two contradict each other, the first one is used.

    Args:
        used: samples of the publishers that are used, the preferred ones first.
        others: samples of publishers that are not used.
        facts: the robots' joints; other joints are not compared.
    """
    found = Contradictions()
    mine = [one for one in used if facts.has(one.joint) and len(one.times_ns)]
    single = _separate(mine, facts, found)
    for joint in {one.joint for one in mine}:
        same = [one.in_order() for one in single if one.joint == joint]
        more = [one.in_order() for one in others if one.joint == joint and len(one.times_ns)]
        for first, second in combinations([*same, *more], 2):
            if first.publisher in {one.publisher for one in same}:
                _compare(first, second, facts, found)
    return found


def _separate(
    samples: Sequence[RawSamples], facts: JointFacts, found: Contradictions
) -> list[RawSamples]:
    """Drop the samples of a second publisher on the same topic where the recording does not distinguish the two."""
    alternating = []
    for one in samples:
        if parts := list(_find_alternations(one, facts)):
            size = max(float(np.abs(np.diff(one.positions[a:b])).max()) for a, b, _ in parts)
            times = one.times_ns[[i for a, b, _ in parts for i in (a, b - 1)]]
            found.findings.append(_finding(one, one.publisher, times, size))
            alternating.append((size, one))
    # The joint with the largest jumps separates the two best; messages found with it are left out for all joints.
    for _, one in sorted(alternating, key=lambda pair: -pair[0]):
        remaining = _without(one, found.strange)
        for begin, end, strange in _find_alternations(remaining, facts):
            found.strange.update(remaining.messages[begin:end][strange].tolist())
    return [_without(one, found.strange) for one in samples]


def _without(samples: RawSamples, excluded: set[int]) -> RawSamples:
    return samples.only(~np.isin(samples.messages, list(excluded))) if excluded else samples


def _compare(
    first: RawSamples, second: RawSamples, facts: JointFacts, found: Contradictions
) -> None:
    """Compare two publishers, whose samples are in the order of time."""
    sizes = _distances(first, second, facts)
    differs = _runs(sizes > facts.least_step(first.joint), _MIN_RUN)
    if not differs.any():
        return
    times = second.times_ns[differs]
    size = float(sizes[differs].max())
    found.findings.append(_finding(first, second.publisher, times, size))
    found.unused.add((second.publisher, second.joint))


def _finding(one: RawSamples, other: Publisher, times: Int64s, size: float) -> Finding:
    arguments: dict[str, Json] = {
        "topic": one.publisher.topic,
        "other": str(other),
        "joint": one.joint,
        "size": size,
    }
    return Finding("contradiction", int(times.min()), int(times.max()), arguments)


def _distances(first: RawSamples, second: RawSamples, facts: JointFacts) -> Floats:
    """Return (n,) the distance of each sample of `second` from the range of `first` around that time."""
    times, positions = first.times_ns, first.positions
    low = np.maximum(np.searchsorted(times, second.times_ns - DELAY_NS) - 1, 0)
    high = np.minimum(np.searchsorted(times, second.times_ns + DELAY_NS, "right") + 1, len(times))
    ends = np.stack((low, high), axis=1).ravel()
    padded = np.append(positions, positions[-1])
    lowest = np.minimum.reduceat(padded, ends)[::2]
    highest = np.maximum.reduceat(padded, ends)[::2]
    middle = (lowest + highest) / 2.0
    distance = np.abs(facts.differences(first.joint, second.positions - middle))
    sizes = np.maximum(distance - (highest - lowest) / 2.0, 0.0)
    sizes[(second.times_ns < times[0]) | (second.times_ns > times[-1])] = 0.0
    return sizes


def _runs(differs: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Return which samples differ in runs of at least `least` (or in all samples, if there are fewer)."""
    kept = np.zeros_like(differs)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], differs, [False]))))
    for begin, end in edges.reshape(-1, 2):
        kept[begin:end] = end - begin >= min(least, len(differs))
    return kept


def _find_alternations(
    one: RawSamples, facts: JointFacts
) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Yield begin and end of samples that jump back and forth repeatedly, and which of them are the second's."""
    if len(one.times_ns) < _ALTERNATIONS:
        return
    steps = facts.differences(one.joint, np.diff(one.positions))
    seconds = intervals(one.times_ns)
    jumps = np.flatnonzero(fast(steps, seconds, one.joint, facts, _ALTERNATING_ACCELERATION))
    sizes = steps[jumps]
    back = sizes[:-1] * sizes[1:] < 0.0
    back &= np.abs(sizes[:-1] + sizes[1:]) < _ALIKE * np.abs(sizes[:-1])
    back &= np.abs(np.diff(one.times_ns[jumps])) < _PAUSE_NS
    edges = np.flatnonzero(np.diff(np.concatenate(([False], back, [False]))))
    for first, last in edges.reshape(-1, 2):
        if last - first < _ALTERNATIONS:
            continue
        begin, end = int(jumps[first]), _end(one, jumps, last)
        second = _second_series(one.positions[begin:end])
        if second is not None:
            yield begin, end, second


def _end(one: RawSamples, jumps: Int64s, last: int) -> int:
    """Return the end of the samples after the last jump of a run: the next jump, or after a pause at the latest."""
    begin = int(jumps[last]) + 1
    end = int(jumps[last + 1]) + 1 if last + 1 < len(jumps) else len(one.times_ns)
    later = one.times_ns[begin:end] - one.times_ns[begin] > _PAUSE_NS
    return begin + int(np.argmax(later)) if later.any() else end


def _second_series(positions: Floats) -> NDArray[np.bool_] | None:
    """Return which samples belong to the second of two continuous series; None if there are not two."""
    largest = float(np.abs(np.diff(positions)).max())
    latest: list[float | None] = [float(positions[0]), None]
    second = np.zeros(len(positions), np.bool_)
    steps = []
    for i, position in enumerate(positions.tolist()):
        distances = [largest / 2.0 if at is None else abs(position - at) for at in latest]
        track = int(distances[1] < distances[0])
        if latest[track] is not None:
            steps.append(distances[track])
        latest[track] = position
        second[i] = bool(track)
    return second if max(steps) < _SMOOTH * largest else None
