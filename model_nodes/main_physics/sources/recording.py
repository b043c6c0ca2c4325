"""Summary of a recording, without a robot or a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.concern_words import MENDED, concern_text
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import Stamps
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Bag, Int64s, ReadFault
from model_nodes.main_physics.sources.bag_types import TRANSFORMS
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_table import (
    JointTable,
    RawSamples,
    choose_topics,
    joint_topics,
    max_speed,
    raw_samples,
    tables_of,
)
from model_nodes.main_physics.sources.recorded_motion import examine

STRING = "std_msgs/msg/String"
_DESCRIPTION = "robot_description"


@dataclass(frozen=True, slots=True)
class RecordedTopic:
    """A topic of a recording.

    Attributes:
        count: number of messages.
        rate_hz: mean rate between the first and the last message; None with fewer than two.
        longest_gap_s: longest interval between two messages [s]; None with fewer than two.
        publishers: names of the nodes that published on it; empty if unknown (ROS 2).
    """

    name: str
    type: str
    count: int
    rate_hz: float | None
    longest_gap_s: float | None
    publishers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JointRange:
    """Range of a joint's motion and speed.

    Attributes:
        lower, upper: minimum and maximum position [rad or m].
        speed: maximum mean speed over 50 ms [rad/s or m/s].
        longest_gap_s: longest interval between two of its samples [s]; 0 with fewer than two.
    """

    lower: float
    upper: float
    speed: float
    longest_gap_s: float

    def times(self, factor: float) -> JointRange:
        """Return the range in other units."""
        return replace(
            self,
            lower=self.lower * factor,
            upper=self.upper * factor,
            speed=self.speed * factor,
        )


@dataclass(frozen=True, slots=True)
class JointTopic:
    """A topic with joint states.

    Attributes:
        name: name of the topic.
        joints: recorded name of a joint -> its range; empty if there are no positions.
        has_efforts: whether some messages have efforts.
        findings: jumps, gaps and contradictions that are detectable without a robot.
        problem: the reason why the topic cannot be used, or None.
    """

    name: str
    joints: Mapping[str, JointRange]
    has_efforts: bool = False
    findings: tuple[Finding, ...] = ()
    problem: BadInput | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """Summary of a recording.

    Attributes:
        path: a folder or a file.
        duration_s: time from the first to the last message [s].
        topics: all topics, by name.
        joint_topics: topics with joint states, the usual one first, commands last.
        robot_description: a URDF that was recorded, as text; None if there is none.
        unreadable: the reason why it cannot be read to its end, or None.
    """

    path: Path
    duration_s: float
    topics: Mapping[str, RecordedTopic]
    joint_topics: tuple[JointTopic, ...]
    robot_description: str | None
    unreadable: str | None = None

    @classmethod
    def open(cls, path: Path, stamps: Stamps | None = None) -> Recording:
        """Summarize a recording: a rosbag2 folder, a bare .mcap or .db3 file, or a ROS 1 bag.

        Args:
            path: the file or folder.
            stamps: the clock that defines the messages' times; see `RecordingSpec`.

        Raises:
            BadInput: if it cannot be opened, or has no message.
        """
        bag = Bag(path, stamps)
        try:
            times, fault = bag.log_times()
            tables = tables_of(bag, joint_topics(bag), {})
            faults = [t.fault for t in tables.values() if isinstance(t, JointTable)]
            fault = next((found for found in (*faults, fault) if found is not None), None)
            return cls(
                path,
                bag.duration_ns / 1e9,
                {name: _topic(bag, name, found) for name, found in times.items()},
                tuple(_joint_topic(bag, name, table) for name, table in tables.items()),
                _description(bag),
                None if fault is None else fault.reason,
            )
        finally:
            bag.close()

    @property
    def has_tf(self) -> bool:
        """Whether it has transforms."""
        return any(topic.type in TRANSFORMS and topic.count for topic in self.topics.values())

    def joints(self, wanted: set[str] | None = None) -> dict[str, JointRange]:
        """The joints that a source takes from the recording, by their recorded names.

        Args:
            wanted: recorded names of the robot's joints; None for all.
        """
        found: dict[str, JointRange] = {}
        by_name = {topic.name: topic for topic in self.joint_topics}
        for name in self.chosen_topics(wanted):
            found |= {k: v for k, v in by_name[name].joints.items() if k not in found}
        return found

    def chosen_topics(self, wanted: set[str] | None = None) -> list[str]:
        """The topics with joint states that a source uses unless a scenario names others."""
        return choose_topics({topic.name: topic.joints for topic in self.joint_topics}, wanted)


def _topic(bag: Bag, name: str, times: Int64s) -> RecordedTopic:
    rate = gap = None
    if len(times) > 1:
        gap = float(np.max(np.diff(times))) / 1e9
        seconds = float(times[-1] - times[0]) / 1e9
        rate = (len(times) - 1) / seconds if seconds else None
    nodes = tuple(p.node for p in bag.publishers(name) if p.node)
    return RecordedTopic(name, bag.topics[name].type, len(times), rate, gap, nodes)


def _joint_topic(bag: Bag, name: str, table: JointTable | BadInput) -> JointTopic:
    if isinstance(table, BadInput):
        return JointTopic(name, {}, problem=table)
    _, findings = examine(bag, table, (), JointFacts())
    ranges = {s.joint: _range(s.in_order()) for s in raw_samples(table)}
    mended = [concern_text(f.name, f.arguments) for f in findings if f.name == MENDED]
    mended += [concern_text(MENDED, repair.finding().arguments) for repair in table.repairs]
    if not ranges and mended:
        problem = BadInput(
            "no joint position on this topic can be used",
            file=bag.path,
            where=name,
            found="; ".join(dict.fromkeys(mended)),
            expected="messages with as many positions as names, which are numbers",
        )
        return JointTopic(name, {}, problem=problem)
    has_efforts = any(group.has_efforts for group in table.groups.values())
    return JointTopic(name, ranges, has_efforts, tuple(findings))


def _range(samples: RawSamples) -> JointRange:
    positions = samples.positions
    gap = float(np.max(np.diff(samples.times_ns), initial=0)) / 1e9
    return JointRange(float(np.min(positions)), float(np.max(positions)), max_speed(samples), gap)


def _description(bag: Bag) -> str | None:
    """The last robot description, from the topic with the shortest name."""
    named = [
        t.name
        for t in bag.topics.values()
        if t.type == STRING and t.name.endswith(_DESCRIPTION) and t.messages
    ]
    found = (_last_text(bag, topic) for topic in sorted(named, key=len))
    return next((text for text in found if "<robot" in text), None)


def _last_text(bag: Bag, topic: str) -> str:
    """The last text on a topic; empty if it cannot be read."""
    last = b""
    for message in bag.messages([topic]):
        if not isinstance(message, ReadFault):
            last = message[2]
    try:
        return str(bag.decoder(topic)(last).data)
    except Exception:  # for a damaged message the decoder may raise anything
        return ""
