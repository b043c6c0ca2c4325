"""Repairs of a recording's samples, and the times of its messages.

The messages of one publisher are in the order of the log. Their stamps are used where they are near the log times,
since log times include the delays of the network. If a stamp decreases, either this message arrived late, or a clock
was set back and all following stamps are affected. The lag (log time minus stamp) distinguishes the cases: it returns
to its former value in the first case, and keeps its new value in the second one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Bag, Int64s
from model_nodes.main_physics.sources.joint_facts import median


class RepairKind(StrEnum):
    """Kinds of repairs of messages or samples."""

    SORTED = "sorted"
    """Messages arrived out of order and were sorted."""
    LATE = "late"
    """Messages arrived so far out of order that they are left out."""
    SET_BACK = "set_back"
    """The clock of the stamps was set back; later stamps are shifted so that they keep increasing."""
    SET_FORWARD = "set_forward"
    """The clock that had been set back was set forward again."""
    STOOD = "stood"
    """The clock of the stamps stood still; its messages get times from the log."""
    UNSET = "unset"
    """Stamps are 0; the log times are used."""
    OTHER_CLOCK = "other_clock"
    """Stamps differ by more than 1 s from the log times, which are used."""
    OTHER_PACE = "other_pace"
    """As `OTHER_CLOCK`, and the clock of the stamps is simulated or runs at another rate."""
    BEFORE_CLOCK = "before_clock"
    """Messages were logged long before or after the others, by a clock that was not set; they are left out."""
    SAME_TIME = "same_time"
    """Samples have the same time as later ones but other positions; the later ones are used."""
    NOT_A_NUMBER = "not_a_number"
    """Positions are NaN or infinite and are left out."""
    NO_POSITIONS = "no_positions"
    """Messages have names but no positions."""
    MISFIT = "misfit"
    """Messages have different numbers of positions and names and are left out."""
    EFFORTS_MISFIT = "efforts_misfit"
    """Messages have different numbers of efforts and names; the efforts are left out."""
    EFFORTS_NOT_A_NUMBER = "efforts_not_a_number"
    """Efforts are infinite and are left out."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of messages or samples.

    Attributes:
        kind: kind of the repair.
        topic: topic of the messages.
        count: number of messages or positions that were repaired.
        total: number of all messages or positions.
        from_ns, to_ns: run time of the first and the last repair.
        size: size of the repair: seconds, a ratio of clock rates, or a factor; None if not applicable.
        joints: names of the joints; empty for all joints of the topic.
    """

    kind: RepairKind
    topic: str
    count: int
    total: int
    from_ns: int = 0
    to_ns: int = 0
    size: float | None = None
    joints: tuple[str, ...] = ()

    def finding(self) -> Finding:
        """Return the repair as a finding before the run."""
        arguments: dict[str, Json] = {
            "what": self.kind.value,
            "topic": self.topic,
            "count": self.count,
            "of": self.total,
            "size": self.size,
            "joints": list(self.joints),
        }
        return Finding("mended", max(self.from_ns, 0), max(self.to_ns, 0), arguments)


@dataclass(slots=True)
class UsageReport:
    """All repairs of the samples of some topics, and the numbers of used samples.

    Attributes:
        repairs: the repairs.
        recorded, used: joint -> number of its samples.
    """

    repairs: list[Repair] = field(default_factory=list)
    recorded: dict[str, int] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)

    def count(self, joints: Iterable[str], recorded: int, used: int) -> None:
        """Add samples of some joints."""
        for joint in joints:
            self.recorded[joint] = self.recorded.get(joint, 0) + recorded
            self.used[joint] = self.used.get(joint, 0) + used

    def findings(self, duration_ns: int) -> list[Finding]:
        """Return the repairs and, if samples are left out, a finding with their number and the most affected joint."""
        found = [repair.finding() for repair in self.repairs]
        lost = {joint: 1.0 - self.used[joint] / n for joint, n in self.recorded.items() if n}
        if any(share > 0.0 for share in lost.values()):
            found.append(_left_out(self.recorded, self.used, lost, duration_ns))
        return found


def _left_out(
    recorded: Mapping[str, int], used: Mapping[str, int], lost: Mapping[str, float], end_ns: int
) -> Finding:
    worst = max(lost, key=lambda joint: lost[joint])
    arguments: dict[str, Json] = {
        "joint": worst,
        "share": lost[worst],
        "count": sum(recorded.values()) - sum(used.values()),
        "of": sum(recorded.values()),
        "joints": [joint for joint, share in lost.items() if share > 0.0],
    }
    return Finding("left_out", 0, end_ns, arguments)


def file_findings(bag: Bag) -> Iterator[Finding]:
    """Yield the defects of a recording's files: truncated files, and messages from a clock that was not set."""
    if bag.truncated:
        arguments: dict[str, Json] = {
            "file": ", ".join(bag.truncated),
            "share": max(bag.truncated.values()),
            "until": bag.duration_ns / 1e9,
        }
        yield Finding("breaks_off", 0, bag.duration_ns, arguments)
    for topic, count in bag.left_out.items():
        total = bag.topics[topic].messages + count
        logged_at_s = bag.left_out_at_s[0]
        yield Repair(RepairKind.BEFORE_CLOCK, topic, count, total, size=logged_at_s).finding()


MAX_SORTED_DELAY_NS = 500_000_000
"""Maximum delay of messages that are sorted; later ones are left out."""
_MIN_SET_NS = 20_000_000
"""Minimum step of a clock that was set; a smaller one is jitter."""
_MIN_STOOD_NS = 50_000_000
_WINDOW_NS = 1_200_000_000
"""Time before and after a message in which lags are compared; exceeds the maximum delay of sorted messages."""
_MIN_MESSAGES = 3
_NEIGHBOURS = 15
"""Number of messages on either side from which the usual lag is computed."""
_MIN_WALL_STAMP_NS = 1_000_000_000 * 10**9
"""Earliest stamp of a wall clock [ns since the epoch]: year 2001."""
_TAIL = 5
"""One of this many lags may overlap when the lags before and after a clock was set are compared."""
_SAME_PACE = 0.1

Bools = NDArray[np.bool_]
MotionCheck = Callable[[int, int], bool]
"""Whether positions change between two messages, given by their indices."""


class MessageTimes(NamedTuple):
    """The times at which a publisher's messages were sent.

    Attributes:
        times_ns: (n,) run time; need not increase.
        kept: (n,) whether each message is used.
        repairs: the repairs.
    """

    times_ns: Int64s
    kept: Bools
    repairs: list[Repair]

    def in_order(self) -> Int64s:
        """Return the indices of the used messages in chronological order; for equal times only the last one."""
        used = np.flatnonzero(self.kept)
        order = used[np.argsort(self.times_ns[used], kind="stable")]
        last: Int64s = order[np.append(np.diff(self.times_ns[order]) > 0, True)]
        return last


def moved_in(rows: Floats) -> MotionCheck:
    """Return a function that checks whether the rows of a table change between two messages."""
    return lambda first, last: bool((rows[first + 1 : last + 1] != rows[first]).any())


def date_messages(
    topic: str, stamps: Int64s, logged: Int64s, start_ns: int, tolerance_ns: int, moved: MotionCheck
) -> MessageTimes:
    """Determine the times of one publisher's messages.

    Args:
        topic: topic of the messages.
        stamps, logged: (n,) run times by stamp and by log, in the order of the log.
        start_ns: run time 0 since the epoch.
        tolerance_ns: maximum difference between a stamp that is used and its log time; negative: no stamp is used.
        moved: whether positions change between two of the messages.
    """
    uses_stamp = np.abs(stamps - logged) <= tolerance_ns
    times = np.where(uses_stamp, stamps, logged)
    kept = np.ones(len(times), np.bool_)
    repairs: list[Repair] = []
    if tolerance_ns < 0:
        return MessageTimes(times, kept, repairs)
    if not uses_stamp.all():
        repairs += _find_unusable_stamps(topic, ~uses_stamp, stamps, logged, start_ns)
    if (np.diff(times) <= 0).any():
        repairs += _repair_clock(topic, times, logged, moved)
        repairs += _repair_set_clock(topic, times, logged)
        kept = _in_time(times, logged)
        repairs += _out_of_order(topic, times, kept)
    return MessageTimes(times, kept, repairs)


def _repair(
    kind: RepairKind, topic: str, times: Int64s, mask: Bools, size: float | None = None
) -> Repair:
    selected = times[mask]
    return Repair(
        kind, topic, len(selected), len(times), int(selected.min()), int(selected.max()), size=size
    )


def _find_unusable_stamps(
    topic: str, unusable: Bools, stamps: Int64s, logged: Int64s, start_ns: int
) -> Iterator[Repair]:
    """Yield repairs of unusable stamps, which are 0 or from another clock."""
    unset = unusable & (stamps + start_ns == 0)
    if unset.any():
        yield _repair(RepairKind.UNSET, topic, logged, unset)
    other = unusable & ~unset
    if not other.any():
        return
    pace = _pace(stamps[other], logged[other])
    simulated = int(stamps[other].max()) + start_ns < _MIN_WALL_STAMP_NS
    if pace is not None and (simulated or abs(pace - 1.0) > _SAME_PACE):
        yield _repair(RepairKind.OTHER_PACE, topic, logged, other, pace)
    else:
        yield _repair(RepairKind.OTHER_CLOCK, topic, logged, other)


def _pace(stamps: Int64s, logged: Int64s) -> float | None:
    """Return the rate of the stamps relative to the log; None if the stamps do not increase steadily."""
    if len(stamps) < _NEIGHBOURS or logged[-1] <= logged[0] or stamps[-1] <= stamps[0]:
        return None
    if np.mean(np.diff(stamps) >= 0) < 0.95:
        return None
    return float(stamps[-1] - stamps[0]) / float(logged[-1] - logged[0])


def _repair_clock(
    topic: str, times: Int64s, logged: Int64s, moved: MotionCheck
) -> Iterator[Repair]:
    """Replace times by the log's while the clock stood still; repetitions of one message keep their time."""
    same = np.diff(times) == 0
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False]))))
    for begin, end in edges.reshape(-1, 2):
        duration = int(logged[end] - logged[begin])
        if end - begin + 1 < _MIN_MESSAGES or duration < _MIN_STOOD_NS:
            continue
        if not moved(int(begin), int(end)):
            continue
        t_ns = int(times[begin])
        times[begin : end + 1] = t_ns + logged[begin : end + 1] - logged[begin]
        count = int(end - begin)
        yield Repair(
            RepairKind.STOOD, topic, count, len(times), t_ns, t_ns + duration, duration / 1e9
        )


def _repair_set_clock(topic: str, times: Int64s, logged: Int64s) -> Iterator[Repair]:
    """Shift all stamps after a clock was set back so that they keep increasing, until it is set forward again."""
    shifted = 0
    for i in np.flatnonzero(np.diff(times) < 0):
        step_back = int(times[i] - times[i + 1])
        step = _step_of_lag(times, logged, int(i))
        if (
            step_back <= 0
            or step < _MIN_SET_NS
            or not step_back / 2 < step < 2 * step_back + _MIN_SET_NS
        ):
            continue
        times[i + 1 :] += step
        shifted += step
        t_ns = int(times[i])
        yield Repair(
            RepairKind.SET_BACK,
            topic,
            len(times) - int(i) - 1,
            len(times),
            t_ns,
            t_ns,
            step / 1e9,
        )
    if not shifted:
        return
    changes = np.diff(times) - np.diff(logged)
    for i in np.flatnonzero(changes > _MIN_SET_NS):
        step = -_step_of_lag(times, logged, int(i))
        if step < _MIN_SET_NS or step > shifted + _MIN_SET_NS or changes[i] < step / 2:
            continue
        times[i + 1 :] -= step
        shifted -= step
        t_ns = int(times[i])
        count = len(times) - int(i) - 1
        yield Repair(RepairKind.SET_FORWARD, topic, count, len(times), t_ns, t_ns, step / 1e9)


def _step_of_lag(times: Int64s, logged: Int64s, last: int) -> int:
    """Return the increase of the usual lag after a message [ns]; 0 if it is noise, or based on too few messages."""
    begin = int(np.searchsorted(logged, logged[last] - _WINDOW_NS))
    end = int(np.searchsorted(logged, logged[last + 1] + _WINDOW_NS, "right"))
    lag = logged[begin:end] - times[begin:end]
    before, after = lag[: last + 1 - begin], lag[last + 1 - begin :]
    if min(len(before), len(after)) < _MIN_MESSAGES:
        return 0
    step = float(median(after)) - float(median(before))
    lower, higher = (before, after) if step > 0.0 else (after, before)
    top, bottom = np.sort(lower)[-1 - len(lower) // _TAIL], np.sort(higher)[len(higher) // _TAIL]
    return round(step) if bottom - top > abs(step) / 2 else 0


def _in_time(times: Int64s, logged: Int64s) -> Bools:
    """Return which messages are neither far ahead of the usual lag, nor far behind earlier messages."""
    kept = np.ones(len(times), np.bool_)
    if (np.maximum.accumulate(times) - times <= MAX_SORTED_DELAY_NS).all():
        return kept
    kept = _usual_lag(logged - times) - (logged - times) <= MAX_SORTED_DELAY_NS
    minimum = np.iinfo(np.int64).min
    newest = np.maximum.accumulate(np.where(kept, times, minimum))
    in_time: Bools = kept & (newest - times <= MAX_SORTED_DELAY_NS)
    return in_time


def _usual_lag(lag: Int64s) -> Floats:
    """Return (n,) the median lag of the messages around each message."""
    padded = np.pad(lag, _NEIGHBOURS, mode="edge")
    return median(np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1))


def _out_of_order(topic: str, times: Int64s, kept: Bools) -> Iterator[Repair]:
    """Yield the repairs of sorted and of left-out messages."""
    if not kept.all():
        yield _repair(RepairKind.LATE, topic, times, ~kept)
    used = times[kept]
    late = np.maximum.accumulate(used) - used
    if (late > 0).any():
        max_delay = float(late.max()) / 1e9
        yield _repair(RepairKind.SORTED, topic, used, late > 0, max_delay)
