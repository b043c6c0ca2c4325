"""Publishers that contradict each other about the same joints."""

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
"""Two publishers may be offset in time by up to this much and still agree."""
_IN_A_ROW = 3
"""So many samples in a row must differ."""
_ALTERNATIONS = 8
"""This many jumps back and forth in a row mean that two publishers share the topic."""
_ALTERNATING_ACCELERATION = 50.0
"""Faster than a robot goes there and back at the pace of its samples [rad/s^2 or m/s^2]."""
_ALIKE = 0.5
"""A jump back counts as equal to the jump before if they differ by less than this fraction."""
_SMOOTH = 0.2
"""Within the series of each publisher, steps are below this fraction of the jump between the two series."""
_PAUSE_NS = 1_000_000_000


@dataclass
class Contradictions:
    """Contradictions, and the samples that are unused because of them.

    Attributes:
        findings: one for each two publishers and joint.
        unused: of which publisher's joints no sample is used.
        strange: messages of a second publisher on the same topic, by their numbers.
    """

    findings: list[Finding] = field(default_factory=list)
    unused: set[tuple[Publisher, str]] = field(default_factory=set)
    strange: set[int] = field(default_factory=set)


def find_contradictions(
    used: Sequence[RawSamples], others: Sequence[RawSamples], facts: JointFacts
) -> Contradictions:
    """Compare all publishers of each joint; of two that contradict each other the first one is used.

    Args:
        used: samples of the publishers that are used, the preferred ones first.
        others: of those that are not used.
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
    """Where two publishers share a topic and the recording does not tell them apart, drop the samples of the second."""
    alternating = []
    for one in samples:
        if parts := list(_alternations(one, facts)):
            size = max(float(np.abs(np.diff(one.positions[a:b])).max()) for a, b, _ in parts)
            times = one.times_ns[[i for a, b, _ in parts for i in (a, b - 1)]]
            found.findings.append(_finding(one, one.publisher, times, size))
            alternating.append((size, one))
    # The largest difference distinguishes the two best; messages that it finds are left out for all joints.
    for _, one in sorted(alternating, key=lambda pair: -pair[0]):
        rest = _without(one, found.strange)
        for begin, end, strange in _alternations(rest, facts):
            found.strange.update(rest.messages[begin:end][strange].tolist())
    return [_without(one, found.strange) for one in samples]


def _without(samples: RawSamples, messages: set[int]) -> RawSamples:
    return samples.only(~np.isin(samples.messages, list(messages))) if messages else samples


def _compare(
    first: RawSamples, second: RawSamples, facts: JointFacts, found: Contradictions
) -> None:
    """Compare two publishers, each in the order of time."""
    sizes = _distances(first, second, facts)
    differs = _runs(sizes > facts.least_step(first.joint), _IN_A_ROW)
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
    """Return (n,) how far each sample of `second` is from all of `first` about that time."""
    times, positions = first.times_ns, first.positions
    low = np.maximum(np.searchsorted(times, second.times_ns - DELAY_NS) - 1, 0)
    high = np.minimum(np.searchsorted(times, second.times_ns + DELAY_NS, "right") + 1, len(times))
    ends = np.stack((low, high), axis=1).ravel()
    padded = np.append(positions, positions[-1])
    least = np.minimum.reduceat(padded, ends)[::2]
    most = np.maximum.reduceat(padded, ends)[::2]
    middle = (least + most) / 2.0
    away = np.abs(facts.differences(first.joint, second.positions - middle))
    sizes = np.maximum(away - (most - least) / 2.0, 0.0)
    sizes[(second.times_ns < times[0]) | (second.times_ns > times[-1])] = 0.0
    return sizes


def _runs(differs: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Return which of the samples differ together with their neighbours, `least` in a row (or all there are)."""
    kept = np.zeros_like(differs)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], differs, [False]))))
    for begin, end in edges.reshape(-1, 2):
        kept[begin:end] = end - begin >= min(least, len(differs))
    return kept


def _alternations(
    one: RawSamples, facts: JointFacts
) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Yield begin and end of samples that go there and back too fast, again and again; and which are the second's."""
    if len(one.times_ns) < _ALTERNATIONS:
        return
    steps = facts.differences(one.joint, np.diff(one.positions))
    seconds = intervals(one.times_ns)
    leaps = np.flatnonzero(fast(steps, seconds, one.joint, facts, _ALTERNATING_ACCELERATION))
    sizes = steps[leaps]
    back = sizes[:-1] * sizes[1:] < 0.0
    back &= np.abs(sizes[:-1] + sizes[1:]) < _ALIKE * np.abs(sizes[:-1])
    back &= np.abs(np.diff(one.times_ns[leaps])) < _PAUSE_NS
    edges = np.flatnonzero(np.diff(np.concatenate(([False], back, [False]))))
    for first, last in edges.reshape(-1, 2):
        if last - first < _ALTERNATIONS:
            continue
        begin, end = int(leaps[first]), _end(one, leaps, last)
        second = _of_second(one.positions[begin:end])
        if second is not None:
            yield begin, end, second


def _end(one: RawSamples, leaps: Int64s, last: int) -> int:
    """Return the end of the stretch after the last leap of some without another one, for at most a pause."""
    begin = int(leaps[last]) + 1
    end = int(leaps[last + 1]) + 1 if last + 1 < len(leaps) else len(one.times_ns)
    later = one.times_ns[begin:end] - one.times_ns[begin] > _PAUSE_NS
    return begin + int(np.argmax(later)) if later.any() else end


def _of_second(positions: Floats) -> NDArray[np.bool_] | None:
    """Return which samples are of a second series, each going on from where it was; None if these are not two."""
    largest = float(np.abs(np.diff(positions)).max())
    last: list[float | None] = [float(positions[0]), None]
    second = np.zeros(len(positions), np.bool_)
    within = []
    for i, position in enumerate(positions.tolist()):
        distances = [largest / 2.0 if at is None else abs(position - at) for at in last]
        track = int(distances[1] < distances[0])
        if last[track] is not None:
            within.append(distances[track])
        last[track] = position
        second[i] = bool(track)
    return second if max(within) < _SMOOTH * largest else None
