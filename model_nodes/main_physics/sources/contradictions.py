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
from model_nodes.main_physics.sources.joint_facts import JointFacts, are_fast, intervals
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
        foreign: numbers of the messages of a second publisher on the same topic.
    """

    findings: list[Finding] = field(default_factory=list)
    unused: set[tuple[Publisher, str]] = field(default_factory=set)
    foreign: set[int] = field(default_factory=set)


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
    compared = [raw for raw in used if facts.has(raw.joint) and len(raw.times_ns)]
    single = _drop_second(compared, facts, found)
    for joint in {raw.joint for raw in compared}:
        used_samples = [raw.in_order() for raw in single if raw.joint == joint]
        unused_samples = [
            raw.in_order() for raw in others if raw.joint == joint and len(raw.times_ns)
        ]
        for first, second in combinations([*used_samples, *unused_samples], 2):
            if first.publisher in {raw.publisher for raw in used_samples}:
                _compare(first, second, facts, found)
    return found


def _drop_second(
    samples: Sequence[RawSamples], facts: JointFacts, found: Contradictions
) -> list[RawSamples]:
    """Drop the samples of a second publisher on the same topic where the recording does not distinguish the two."""
    alternating = []
    for raw in samples:
        if parts := list(_find_alternations(raw, facts)):
            size = max(float(np.abs(np.diff(raw.positions[a:b])).max()) for a, b, _ in parts)
            times = raw.times_ns[[i for a, b, _ in parts for i in (a, b - 1)]]
            found.findings.append(_finding(raw, raw.publisher, times, size))
            alternating.append((size, raw))
    # The joint with the largest jumps separates the two best; messages found with it are left out for all joints.
    for _, raw in sorted(alternating, key=lambda pair: -pair[0]):
        remaining = _without(raw, found.foreign)
        for begin, end, second in _find_alternations(remaining, facts):
            found.foreign.update(remaining.messages[begin:end][second].tolist())
    return [_without(raw, found.foreign) for raw in samples]


def _without(samples: RawSamples, excluded: set[int]) -> RawSamples:
    return samples.only(~np.isin(samples.messages, list(excluded))) if excluded else samples


def _compare(
    first: RawSamples, second: RawSamples, facts: JointFacts, found: Contradictions
) -> None:
    """Compare two publishers, whose samples are in chronological order."""
    sizes = _distances(first, second, facts)
    differs = _long_runs(sizes > facts.min_step(first.joint), _MIN_RUN)
    if not differs.any():
        return
    times = second.times_ns[differs]
    size = float(sizes[differs].max())
    found.findings.append(_finding(first, second.publisher, times, size))
    found.unused.add((second.publisher, second.joint))


def _finding(samples: RawSamples, other: Publisher, times: Int64s, size: float) -> Finding:
    arguments: dict[str, Json] = {
        "topic": samples.publisher.topic,
        "other": str(other),
        "joint": samples.joint,
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


def _long_runs(differs: NDArray[np.bool_], min_length: int) -> NDArray[np.bool_]:
    """Return which samples differ in runs of at least `min_length` (or in all samples, if there are fewer)."""
    kept = np.zeros_like(differs)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], differs, [False]))))
    for begin, end in edges.reshape(-1, 2):
        kept[begin:end] = end - begin >= min(min_length, len(differs))
    return kept


def _find_alternations(
    raw: RawSamples, facts: JointFacts
) -> Iterator[tuple[int, int, NDArray[np.bool_]]]:
    """Yield begin and end of samples that jump back and forth repeatedly, and which of them are the second's."""
    if len(raw.times_ns) < _ALTERNATIONS:
        return
    steps = facts.differences(raw.joint, np.diff(raw.positions))
    seconds = intervals(raw.times_ns)
    jumps = np.flatnonzero(are_fast(steps, seconds, raw.joint, facts, _ALTERNATING_ACCELERATION))
    sizes = steps[jumps]
    is_reversed = sizes[:-1] * sizes[1:] < 0.0
    is_reversed &= np.abs(sizes[:-1] + sizes[1:]) < _ALIKE * np.abs(sizes[:-1])
    is_reversed &= np.abs(np.diff(raw.times_ns[jumps])) < _PAUSE_NS
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_reversed, [False]))))
    for first, last in edges.reshape(-1, 2):
        if last - first < _ALTERNATIONS:
            continue
        begin, end = int(jumps[first]), _end(raw, jumps, last)
        second = _second_series(raw.positions[begin:end])
        if second is not None:
            yield begin, end, second


def _end(samples: RawSamples, jumps: Int64s, last: int) -> int:
    """Return the end of the samples after the last jump of a run: the next jump, or after a pause at the latest."""
    begin = int(jumps[last]) + 1
    end = int(jumps[last + 1]) + 1 if last + 1 < len(jumps) else len(samples.times_ns)
    later = samples.times_ns[begin:end] - samples.times_ns[begin] > _PAUSE_NS
    return begin + int(np.argmax(later)) if later.any() else end


def _second_series(positions: Floats) -> NDArray[np.bool_] | None:
    """Return which samples belong to the second of two continuous series; None if there are not two."""
    largest = float(np.abs(np.diff(positions)).max())
    latest: list[float | None] = [float(positions[0]), None]
    second = np.zeros(len(positions), np.bool_)
    steps = []
    for i, position in enumerate(positions.tolist()):
        distances = [largest / 2.0 if last is None else abs(position - last) for last in latest]
        track = int(distances[1] < distances[0])
        if latest[track] is not None:
            steps.append(distances[track])
        latest[track] = position
        second[i] = bool(track)
    return second if max(steps) < _SMOOTH * largest else None
