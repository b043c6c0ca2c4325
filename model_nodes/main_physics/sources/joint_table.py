"""Joint samples of a recording, collected in a few large arrays, and the topics that carry them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import PositionUnit
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag, Int64s, Publisher, ReadFault
from model_nodes.main_physics.sources.bag_types import JOINT_STATE
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_messages import (
    DecodeError,
    JointMessageDecoder,
    JointSample,
)
from model_nodes.main_physics.sources.repairs import Bools, Repair, RepairKind, date_messages

BASELINE_NS = 50_000_000
"""Minimum time over which speeds are measured, so that noise and jitter of stamps do not matter."""

_Layout: TypeAlias = tuple[Publisher, tuple[str, ...], bool]
"""Publisher, names of the joints in their order, and whether there are efforts."""


@dataclass(slots=True)
class Group:
    """Samples of the same joints from one publisher, in one order; numbers stay bytes until all messages are read."""

    publisher: Publisher
    names: tuple[str, ...]
    has_efforts: bool
    messages: list[int] = field(default_factory=list)
    positions: bytearray = field(default_factory=bytearray)
    efforts: bytearray = field(default_factory=bytearray)

    def add(self, message: int, positions: bytes, efforts: bytes) -> None:
        """Append one sample; its joints must have the group's order."""
        self.messages.append(message)
        self.positions += positions
        self.efforts += efforts

    def message_numbers(self) -> Int64s:
        """Return (n,) the number of each sample's message."""
        return np.array(self.messages, np.int64)

    def position_table(self) -> Floats:
        """Return (n, joints) positions [rad or m]."""
        return np.frombuffer(self.positions).reshape(-1, len(self.names))

    def effort_table(self) -> Floats:
        """Return (n, joints) efforts [Nm or N]; NaN where not recorded."""
        if not self.has_efforts:
            return np.full((len(self.messages), len(self.names)), np.nan)
        return np.frombuffer(self.efforts).reshape(-1, len(self.names))


class JointTable:
    """All joint samples of some topics.

    Attributes:
        groups: samples by publisher and the set of joints in their messages.
        times_ns: (messages,) run time of each message [ns], from its stamp if that is plausible.
        kept: (messages,) whether each message is used.
        repairs: repairs of the messages.
        lost: (publisher, joints) -> number of messages without usable positions.
        left_out: topic -> number of its messages that the bag leaves out.
        fault: set if the recording cannot be read to its end.
    """

    def __init__(self, file: Path, renamed: Mapping[str, str]) -> None:
        self.groups: dict[tuple[Publisher, frozenset[str], bool], Group] = {}
        self.times_ns: Int64s = np.empty(0, np.int64)
        self.kept: Bools = np.empty(0, np.bool_)
        self.repairs: list[Repair] = []
        self.lost: dict[tuple[Publisher, tuple[str, ...]], int] = {}
        self.left_out: Mapping[str, int] = {}
        self.fault: ReadFault | None = None
        self._bad: dict[tuple[RepairKind, Publisher], list[int]] = {}
        self._file = file
        self._renamed = renamed
        self._layouts: dict[_Layout, tuple[Group, list[int] | None]] = {}
        self._topics: list[str] = []

    def read_bag(self, bag: Bag, topics: Collection[str]) -> None:
        """Read the messages to the end, or to the first one that cannot be read.

        Raises:
            BadInput: if a message contains a joint twice.
        """
        self.left_out = bag.left_out
        decoder = JointMessageDecoder()
        stamps: list[int] = []
        logged: list[int] = []
        for message in bag.published(topics):
            if isinstance(message, ReadFault):
                self.fault = message
                break
            publisher, log_ns, raw = message
            self._topics.append(publisher.topic)
            try:
                sample = decoder.decode(raw)
            except DecodeError as error:
                reason = f"{self._file}: {self.location(-1)} cannot be decoded: {error}"
                self.fault = ReadFault(log_ns, reason)
                break
            stamps.append(sample.stamp_ns - bag.start_ns)
            logged.append(log_ns)
            self._add(len(stamps) - 1, publisher, sample)
        self._date(bag, np.array(stamps, np.int64), np.array(logged, np.int64))

    def location(self, message: int) -> str:
        """Return the topic of a message and its number on that topic, from 1, for errors."""
        topic = self._topics[message]
        before = self._topics[:message] if message >= 0 else self._topics[:-1]
        return f"{topic}, message {before.count(topic) + 1}"

    @property
    def recorded_names(self) -> set[str]:
        """Names of the joints in the recording."""
        return {name for _, names, _ in self._layouts for name in names}

    @property
    def joints(self) -> set[str]:
        """Names of the joints with positions, as the robot has them."""
        return {name for group in self.groups.values() for name in group.names}

    def convert(self, units: Collection[PositionUnit], facts: JointFacts) -> None:
        """Convert the positions of all joints of the robot to SI units."""
        for group in self.groups.values() if units else ():
            factors = np.array([facts.si_per(name, units) for name in group.names])
            group.positions = bytearray((group.position_table() * factors).tobytes())

    def without_positions(self) -> int:
        """Return the number of messages that name joints but have no positions."""
        return sum(len(n) for (kind, _), n in self._bad.items() if kind is RepairKind.NO_POSITIONS)

    def _date(self, bag: Bag, stamps: Int64s, logged: Int64s) -> None:
        self.times_ns = logged.copy()
        self.kept = np.ones(len(logged), np.bool_)
        for publisher in dict.fromkeys(group.publisher for group in self.groups.values()):
            groups = [group for group in self.groups.values() if group.publisher == publisher]
            messages = np.sort(np.concatenate([group.message_numbers() for group in groups]))
            dated = date_messages(
                publisher.topic,
                stamps[messages],
                logged[messages],
                bag.start_ns,
                bag.tolerance_ns,
                _PositionsChange(groups, messages),
            )
            self.times_ns[messages], self.kept[messages] = dated.times_ns, dated.kept
            self.repairs += dated.repairs
        for (kind, publisher), numbers in self._bad.items():
            times = logged[numbers]
            total = self._topics.count(publisher.topic)
            first, last = int(times[0]), int(times[-1])
            self.repairs.append(Repair(kind, publisher.topic, len(numbers), total, first, last))

    def _add(self, message: int, publisher: Publisher, sample: JointSample) -> None:
        size = 8 * len(sample.names)
        if len(sample.positions) != size:
            kind = RepairKind.MISFIT if sample.positions else RepairKind.NO_POSITIONS
            self._bad.setdefault((kind, publisher), []).append(message)
            key = publisher, tuple(self._renamed.get(name, name) for name in sample.names)
            self.lost[key] = self.lost.get(key, 0) + 1
            return
        if not size:
            return
        if len(sample.efforts) not in (0, size):
            self._bad.setdefault((RepairKind.EFFORTS_MISFIT, publisher), []).append(message)
        efforts = sample.efforts if len(sample.efforts) == size else b""
        group, order = self._layout(message, (publisher, sample.names, bool(efforts)))
        positions = sample.positions
        if order is not None:
            positions = np.frombuffer(positions)[order].tobytes()
            efforts = np.frombuffer(efforts)[order].tobytes() if efforts else efforts
        group.add(message, positions, efforts)

    def _layout(self, message: int, layout: _Layout) -> tuple[Group, list[int] | None]:
        """Return the group of a layout, and the permutation of its joints to the group's order (None: identical)."""
        if (cached := self._layouts.get(layout)) is not None:
            return cached
        publisher, names, has_efforts = layout
        if len(set(names)) != len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise BadInput(
                "a message contains a joint twice",
                file=self._file,
                where=self.location(message),
                found=repeated,
                expected="each joint once per message",
            )
        robot_names = tuple(self._renamed.get(name, name) for name in names)
        group = self.groups.setdefault(
            (publisher, frozenset(robot_names), has_efforts),
            Group(publisher, robot_names, has_efforts),
        )
        same = group.names == robot_names
        order = None if same else [robot_names.index(name) for name in group.names]
        self._layouts[layout] = group, order
        return group, order


class _PositionsChange:
    """Checks whether a publisher's positions change between two of its messages.

    Args:
        groups: groups of the publisher.
        messages: (n,) numbers of all its messages, in increasing order.
    """

    def __init__(self, groups: Sequence[Group], messages: Int64s) -> None:
        self._groups, self._messages = groups, messages

    def __call__(self, first: int, last: int) -> bool:
        """Whether positions change from the first to the last message, given by their indices."""
        lowest, highest = self._messages[first], self._messages[last]
        for group in self._groups:
            begin, end = np.searchsorted(group.message_numbers(), [lowest, highest + 1])
            rows = group.position_table()[begin:end]
            if len(rows) > 1 and not np.array_equal(rows, rows[:1].repeat(len(rows), 0), True):
                return True
        return False


@dataclass(frozen=True, slots=True)
class RawSamples:
    """Samples of one joint by one publisher.

    Attributes:
        publisher: publisher of the samples.
        joint: name of the joint.
        times_ns: (n,) run time [ns], in the order of the log, where it may decrease slightly.
        positions: (n,) in rad or m.
        messages: (n,) numbers of the messages.
    """

    publisher: Publisher
    joint: str
    times_ns: Int64s
    positions: Floats
    messages: Int64s

    def in_order(self) -> RawSamples:
        """Return the same samples in chronological order."""
        return self.only(np.argsort(self.times_ns, kind="stable"))

    def only(self, indices: Int64s | NDArray[np.bool_]) -> RawSamples:
        """Return some of the samples, in the order of the indices."""
        return RawSamples(
            self.publisher,
            self.joint,
            self.times_ns[indices],
            self.positions[indices],
            self.messages[indices],
        )


def raw_samples(table: JointTable) -> list[RawSamples]:
    """Return the samples of each joint from each publisher, without those that are unused or not finite."""
    groups: dict[tuple[Publisher, str], list[Group]] = {}
    for group in table.groups.values():
        for name in group.names:
            groups.setdefault((group.publisher, name), []).append(group)
    found = (_joined(key, carriers, table) for key, carriers in groups.items())
    return [samples for samples in found if len(samples.messages)]


def _joined(key: tuple[Publisher, str], groups: Sequence[Group], table: JointTable) -> RawSamples:
    publisher, joint = key
    messages = np.concatenate([group.message_numbers() for group in groups])
    positions = np.concatenate([g.position_table()[:, g.names.index(joint)] for g in groups])
    order = np.argsort(messages)
    messages, positions = messages[order], positions[order]
    samples = RawSamples(publisher, joint, table.times_ns[messages], positions, messages)
    used = np.isfinite(positions) & table.kept[messages]
    return samples if used.all() else samples.only(used)


def max_speed(samples: RawSamples) -> float:
    """Return the maximum mean speed over at least `BASELINE_NS` [rad/s or m/s]; 0 for a shorter recording."""
    times, positions = samples.times_ns, samples.positions
    later = np.searchsorted(times, times + BASELINE_NS)
    inside = later < len(times)
    later, earlier = later[inside], np.flatnonzero(inside)
    if not len(later):
        return 0.0
    seconds = (times[later] - times[earlier]) / 1e9
    return float(np.max(np.abs(positions[later] - positions[earlier]) / seconds))


USUAL_TOPIC = "/joint_states"
_COMMANDS = re.compile(r"command|cmd|desired|target|goal|setpoint|reference|fake", re.IGNORECASE)


def joint_topics(bag: Bag) -> list[str]:
    """Return the topics with joint states; topics with commands come last, and the usual topic first."""
    found = [topic for topic in bag.topics if JOINT_STATE in bag.types(topic)]
    return sorted(found, key=lambda name: (is_command_topic(name), name != USUAL_TOPIC, name))


def is_command_topic(topic: str) -> bool:
    """Whether a topic's name suggests that it carries commands."""
    return _COMMANDS.search(topic) is not None


def tables_of(
    bag: Bag, topics: Collection[str], renamed: Mapping[str, str]
) -> dict[str, JointTable | BadInput]:
    """Read each topic separately; returns its samples, or the error if they cannot be used."""
    return {topic: _table_of(bag, topic, renamed) for topic in topics}


def _table_of(bag: Bag, topic: str, renamed: Mapping[str, str]) -> JointTable | BadInput:
    table = JointTable(bag.path, renamed)
    try:
        check_joint_topic(bag, topic, "joint_states")
        table.read_bag(bag, [topic])
    except BadInput as error:
        return error
    return table


def check_joint_topic(bag: Bag, topic: str, where: str) -> None:
    """Check that a topic exists and carries joint states.

    Raises:
        BadInput: otherwise. `where` is the key in the scenario that names the topic.
    """
    summary = bag.require(topic, where)
    if summary.type != JOINT_STATE:
        others = ", ".join(str(t) for t in bag.topics.values() if t.name != topic)
        raise BadInput(
            f"topic {topic} does not contain joint states",
            file=bag.path,
            where=where,
            found=summary.type,
            expected=f"{JOINT_STATE}; there are {others or 'no other topics'}",
        )
    bag.check_fields(topic, JOINT_STATE, ("header", "name", "position", "velocity", "effort"))
    bag.check_fields(topic, "std_msgs/msg/Header", ("stamp", "frame_id"))


def choose_topics(
    joints: Mapping[str, Collection[str]], wanted: Collection[str] | None
) -> list[str]:
    """Choose topics that together have all joints, each joint from as few topics as possible.

    Args:
        joints: topic -> its joints with positions, in the order of `joint_topics`.
        wanted: the robot's joints; None for all.

    Returns:
        The chosen topics with joints of the robot: the usual one, then the one with most joints, then those that add
        joints. Topics with commands are only chosen if there are no others.
    """
    useful = {
        name: names
        for name, found in joints.items()
        if (names := set(found) if wanted is None else set(found) & set(wanted))
    }
    measured = {name: names for name, names in useful.items() if not is_command_topic(name)}
    remaining = measured or useful
    chosen: list[str] = []
    covered: set[str] = set()
    while remaining:
        best = min(
            remaining, key=lambda name: (name != USUAL_TOPIC, -len(remaining[name] - covered))
        )
        chosen.append(best)
        covered |= remaining[best]
        remaining = {name: names for name, names in remaining.items() if names - covered}
    return chosen
