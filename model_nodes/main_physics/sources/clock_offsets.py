"""Offsets between the clocks of a recording's topics, estimated from two reports of the same motion.

A wrist's wrench changes whenever the efforts of the arm's joints do, whatever the cause; the position that a gripper
or controller reports changes when the joints move. So the changes of one topic are fitted linearly by those of another
one at each shift of time. The shift that explains the largest share of the changes is the offset, if no other shift
explains half as much, if it is the same in each third of the motion, and if it is clearly larger than the interval
between two samples. Otherwise nothing is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Bag, ReadFault
from model_nodes.main_physics.sources.event_stream import stamp_of
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.wrenches import wrench_numbers

CLOCK_OFFSET = "clock_offset"
_STEP = 0.01
"""Step of the tested shifts [s]; messages within half of it after another one are left out."""
_MAX_DELAY, _MAX_SHIFT = 100, 200
"""Maximum delay either way, and maximum shift that is tested for a similarly good fit [steps]."""
_WIDTH = 0.06
"""Minimum time over which changes are computed [s]."""
_MAX_DURATION = 120.0
"""Maximum duration that is evaluated [s]; of longer recordings the part with the most changes is used."""
_MIN_DURATION = 8.0
_MAX_INTERVAL = 0.1
_MIN_MESSAGES = 100
_MIN_SHARE = 0.05
"""Minimum share of the changes that must be explained."""
_PARTS, _TOLERANCE = 3, 0.06
"""Number of parts of the motion in which the offset must agree, and the tolerance [s]."""


class Signal(NamedTuple):
    """Numbers over time.

    Attributes:
        topic: topic of the messages.
        times: (n,) run times [s], increasing.
        numbers: (n, m) numbers of each message.
    """

    topic: str
    times: Floats
    numbers: Floats


class Offset(NamedTuple):
    """Delay of the times of one topic relative to those of another one, and its uncertainty [s]."""

    seconds: float
    uncertainty: float


def find_offsets(bag: Bag, series: Sequence[Series]) -> list[Finding]:
    """Return the identifiable offsets between topics with joint states and topics of wrists, grippers and controllers.

    Args:
        bag: the recording.
        series: the joint states.
    """
    readers = {
        topic.name: read
        for topic in bag.topics.values()
        if (read := _NUMBERS.get(topic.type.rpartition("/")[2])) is not None
        and topic.messages >= _MIN_MESSAGES
        and bag.can_read(topic.name, read)
    }
    signals = list(_signals(bag, readers)) if readers and series else []
    found = []
    for topic, joint_series in _grouped_by_topic(series).items():
        for signal in signals:
            efforts = bag.topics[signal.topic].type.endswith("WrenchStamped")
            joints = _joints(topic, joint_series, efforts)
            offset = None if joints is None else offset_between(joints, signal)
            if offset is not None:
                found.append(_finding(signal, topic, offset))
    return found


def _finding(signal: Signal, other: str, offset: Offset) -> Finding:
    begin, end = (max(round(1e9 * float(signal.times[i])), 0) for i in (0, -1))
    arguments: dict[str, Json] = {
        "topic": signal.topic,
        "other": other,
        "offset": offset.seconds,
        "size": abs(offset.seconds),
        "way": "behind" if offset.seconds > 0.0 else "ahead of",
        "within": offset.uncertainty,
    }
    return Finding(CLOCK_OFFSET, begin, end, arguments)


def offset_between(first: Signal, other: Signal) -> Offset | None:
    """Return the delay of the other signal relative to the first one; None if it cannot be identified clearly."""
    interval = max(float(np.median(np.diff(signal.times))) for signal in (first, other))
    begin, end = (choose(first.times[i], other.times[i]) for choose, i in ((max, 0), (min, -1)))
    if interval > _MAX_INTERVAL or end - begin < _MIN_DURATION:
        return None
    grid = np.arange(begin, end, _STEP)
    width = max(round(max(_WIDTH, 3.0 * interval) / _STEP), 1)
    predictors, targets = (_changes(signal, grid, width) for signal in (first, other))
    energy = np.cumsum((targets**2).sum(axis=1))
    rows = _busiest(energy)
    if not predictors.shape[1] or not targets.shape[1] or rows.stop - rows.start <= 3 * _MAX_SHIFT:
        return None
    best = _best_shift(_shares(predictors, targets, rows.start, rows.stop))
    if best is None:
        return None
    steps = np.linspace(energy[rows.start], energy[rows.stop - 1], _PARTS + 1)
    edges = np.searchsorted(energy, steps).tolist()
    parts = [
        _shares(predictors, targets, a - _MAX_DELAY, b + _MAX_DELAY) for a, b in pairwise(edges)
    ]
    deviations = [abs(int(np.argmax(part)) - _MAX_SHIFT - best) * _STEP for part in parts]
    uncertainty = max(deviations) + _STEP
    if uncertainty > _TOLERANCE:
        return None
    seconds = best * _STEP
    return Offset(seconds, uncertainty) if abs(seconds) > 2.0 * interval + uncertainty else None


def _changes(signal: Signal, grid: Floats, width: int) -> Floats:
    """Return the changes (n, m) over `width` steps of the columns that change, divided by their standard deviation."""
    columns = [np.interp(grid, signal.times, column) for column in signal.numbers.T]
    changes = np.array([column[width:] - column[:-width] for column in columns]).T
    deviations = changes.std(axis=0)
    moving = deviations > 1e-9
    scaled: Floats = changes[:, moving] / deviations[moving]
    return scaled


def _busiest(energy: Floats) -> slice:
    """Return the rows with the most changes, over at most `_MAX_DURATION`."""
    count = round(_MAX_DURATION / _STEP)
    if len(energy) <= count:
        return slice(0, len(energy))
    begin = int(np.argmax(energy[count:] - energy[:-count]))
    return slice(begin, begin + count)


def _shares(predictors: Floats, targets: Floats, begin: int, end: int) -> Floats:
    """Return the share of the changes of `targets` that `predictors` explain, for each shift; 0 for too few rows."""
    begin, end = max(begin, _MAX_SHIFT), min(end, len(predictors) - _MAX_SHIFT)
    if end - begin < _MAX_DELAY:
        return np.zeros(2 * _MAX_SHIFT + 1)
    basis, _ = np.linalg.qr(predictors[begin:end] - predictors[begin:end].mean(axis=0))
    shifted = targets[begin - _MAX_SHIFT : end + _MAX_SHIFT]
    length = 1 << (len(shifted) - 1).bit_length()  # a power of two, for fast transforms
    spectra = [np.fft.rfft(rows, length, axis=0) for rows in (basis, shifted)]
    products = spectra[0].conj()[:, :, None] * spectra[1][:, None, :]
    correlations = np.fft.irfft(products, length, axis=0)[: 2 * _MAX_SHIFT + 1]
    return np.asarray((correlations**2).sum(axis=(1, 2)) / _energies(shifted, end - begin))


def _energies(rows: Floats, count: int) -> Floats:
    """Return the sum of squared deviations from the mean, for each window of `count` consecutive rows."""
    totals = np.stack((rows, rows**2)).cumsum(axis=1)
    before = np.concatenate((np.zeros_like(totals[:, :1]), totals), axis=1)
    sums, squares = before[:, count:] - before[:, :-count]
    energies: Floats = (squares - sums**2 / count).sum(axis=1)
    return np.maximum(energies, 1e-12)


def _best_shift(shares: Floats) -> int | None:
    """Return the shift that explains the most; None if it explains little, or another peak explains half as much."""
    best = int(np.argmax(shares))
    less = np.flatnonzero(shares <= shares[best] / 2.0)
    first = int(less[less < best].max(initial=-1)) + 1
    last = int(less[less > best].min(initial=len(shares)))
    rivals = np.concatenate((shares[:first], shares[last:]))
    is_clear = len(rivals) and rivals.max() <= shares[best] / 2.0
    is_near = abs(best - _MAX_SHIFT) <= _MAX_DELAY
    return best - _MAX_SHIFT if is_clear and is_near and shares[best] >= _MIN_SHARE else None


def _grouped_by_topic(series: Sequence[Series]) -> dict[str, list[Series]]:
    found: dict[str, list[Series]] = {}
    for samples in series:
        found.setdefault(samples.topic, []).append(samples)
    return found


def _joints(topic: str, series: Sequence[Series], efforts: bool) -> Signal | None:
    """Return the positions or efforts of a topic's joints, at the times of the series with most joints."""
    longest = max(series, key=lambda samples: len(samples.names))
    times = longest.times_ns / 1e9
    columns = [
        np.interp(times, samples.times_ns / 1e9, column)
        for samples in series
        for column in (samples.efforts if efforts else samples.positions).T
        if np.isfinite(column).all()
    ]
    return Signal(topic, times, np.array(columns).T) if columns and len(times) > 1 else None


def _signals(bag: Bag, readers: Mapping[str, Callable[[Any], list[float]]]) -> Iterator[Signal]:
    """Yield the values of some topics, by their readers; a topic whose messages differ in length is left out."""
    times: dict[str, list[float]] = {topic: [] for topic in readers}
    rows: dict[str, list[list[float]]] = {topic: [] for topic in readers}
    decoders = {topic: bag.decoder(topic) for topic in readers}
    due_ns = dict.fromkeys(readers, 0)
    for message in bag.messages(readers):
        if isinstance(message, ReadFault):
            break
        topic, log_ns, raw = message
        if log_ns >= due_ns[topic]:
            due_ns[topic] = log_ns + round(5e8 * _STEP)
            with suppress(Exception):  # such errors are reported where events are read
                content = decoders[topic](raw)
                row, time = readers[topic](content), _time_ns(bag, content, log_ns) / 1e9
                if row and np.isfinite(row).all():
                    rows[topic].append(row)
                    times[topic].append(time)
    for topic in readers:
        order = np.argsort(times[topic], kind="stable")
        lengths = {len(row) for row in rows[topic]}
        if len(lengths) == 1 and len(order) >= _MIN_MESSAGES:
            yield Signal(topic, np.array(times[topic])[order], np.array(rows[topic])[order])


def _time_ns(bag: Bag, content: Any, log_ns: int) -> int:
    """Return the run time of a message [ns]: its stamp if that is near the log time, otherwise the log time."""
    stamp = stamp_of(content)
    stamped = log_ns if stamp is None else stamp.sec * 10**9 + stamp.nanosec - bag.start_ns
    return stamped if abs(stamped - log_ns) <= bag.tolerance_ns else log_ns


def _controller(message: Any) -> list[float]:
    point = message.feedback if hasattr(message, "feedback") else message.actual
    return [float(position) for position in point.positions]


_NUMBERS: Mapping[str, Callable[[Any], list[float]]] = {
    "WrenchStamped": wrench_numbers,
    "JointTrajectoryControllerState": _controller,
    "GripperCommand_FeedbackMessage": lambda m: [float(m.feedback.position)],
    "ParallelGripperCommand_FeedbackMessage": lambda m: [float(m.feedback.state.position[0])],
    "GripperState": lambda m: [float(m.width)],
    "Robotiq2FGripper_robot_input": lambda m: [float(m.gPO)],
}
"""Name of a message type -> function that returns the numbers that change with the robot's joints."""
