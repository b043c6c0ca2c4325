"""A recording as the main model's input."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.saving.plain import Plain, numbers_of
from hetwin_core.ensemble.scenario.recorded import JointsFrom, Stamps, Units
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scenario.source import Annotations, Beliefs
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.annotations import readers_for, unread_notes
from model_nodes.main_physics.sources.bag import Bag, ReadFault, TopicSummary
from model_nodes.main_physics.sources.base.recorded_base import RecordedBase
from model_nodes.main_physics.sources.clock_offsets import find_offsets
from model_nodes.main_physics.sources.event_stream import EventStream
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.mending import of_files
from model_nodes.main_physics.sources.playback import Playback
from model_nodes.main_physics.sources.recorded_motion import read_motion
from model_nodes.main_physics.sources.source import BaseMotion, JointMotion, Source
from model_nodes.main_physics.sources.told.recorded import belief_readers, task_readers
from model_nodes.main_physics.world.description import Body

_SHOWN_NAMES = 12


class RecordedSource(Source):
    """Plays back a recording.

    A sample's time is its header stamp if that is within 1 s of the log time, else the log time. All
    joint states are read and validated here; events are read on demand. If the recording cannot be read
    to its end, `motion` or `events` raise an error when they reach that time.

    Args:
        path: a rosbag2 folder, a single .mcap or .db3 file, or a ROS 1 bag.
        joint_states: topics of type sensor_msgs/msg/JointState; None for those that carry the robots' joints.
        joints: the robot's name of a joint, by its recorded name, where they differ.
        annotations: topics with action annotations; None for all topics of their type.
        topics: topics whose messages become events.
        joints_from: joint states or transforms; None for joint states if there are some.
        robots: those whose joints are moved; without them nothing is known of the joints.
        clock_offset: added to `start_ns` [s].
        tasks: topics with tasks; None for all topics of their type.
        beliefs: topics that say what the robot believes, beside those of type hetwin/msg/Belief.
        others: namespaces of other robots, whose tasks and beliefs are only read if they are named.
        stamps: what dates the messages; None: stamps that are near the log times, else these.
        units: of the positions, where they are not rad and m.

    Attributes:
        path: of the recording.
        notes: notes for the user about the recording; `bind` and `bind_base` add to them.

    Raises:
        BadInput: if the recording cannot be played back.
    """

    def __init__(
        self,
        path: Path,
        *,
        joint_states: Sequence[str] | None = None,
        joints: Mapping[str, str] | None = None,
        annotations: Sequence[Annotations] | None = None,
        topics: Sequence[str] = (),
        joints_from: JointsFrom | None = None,
        robots: Sequence[Body] = (),
        clock_offset: float = 0.0,
        tasks: Sequence[str] | None = None,
        beliefs: Sequence[Beliefs] = (),
        others: Sequence[str] = (),
        stamps: Stamps | None = None,
        units: Collection[Units] = (),
    ) -> None:
        self.path = path
        self._clock_offset_ns = round(clock_offset * 1e9)
        self._bag = Bag(path, stamps)
        try:
            recorded = read_motion(
                self._bag, joint_states, joints or {}, joints_from, robots, units
            )
            readers = readers_for(self._bag, annotations, topics, others)
            told = [
                task_readers(self._bag, tasks, others),
                belief_readers(self._bag, beliefs, others),
            ]
            for topic, reader in (item for found in told for item in found.items()):
                readers.setdefault(topic, []).append(reader)
            self._duration_ns = self._checked_duration(recorded.series)
        except BaseException:
            self._bag.close()
            raise
        self.notes = recorded.notes
        if annotations is None:
            self.notes += unread_notes(self._bag, others)
        self._series = recorded.series
        offsets = find_offsets(self._bag, recorded.series)
        self._findings = (*of_files(self._bag), *recorded.findings, *offsets)
        self._fault: ReadFault | None = recorded.fault
        self._events = EventStream(self._bag, readers)
        self._playback: Playback | None = None
        self._base: RecordedBase | None = None

    def _checked_duration(self, series: Sequence[Series]) -> int:
        last = max((int(one.times_ns[-1]) for one in series), default=0)
        duration_ns = max(self._bag.duration_ns, last)
        if duration_ns <= 0:
            raise BadInput(
                "the recording has no duration",
                file=self.path,
                found="all messages at the same time",
                expected="messages whose stamps or log times differ",
            )
        return duration_ns

    @property
    def start_ns(self) -> int:
        """When the recording begins, by the robot's clock, corrected [ns since the epoch]."""
        return self._bag.start_ns + self._clock_offset_ns

    @property
    def topics(self) -> tuple[TopicSummary, ...]:
        """The recorded topics, sorted by name."""
        return tuple(self._bag.topics.values())

    @property
    def joint_names(self) -> tuple[str, ...]:
        """All recorded joints by the robot's names, sorted."""
        return tuple(sorted(name for one in self._series for name in one.names))

    @property
    def duration_ns(self) -> int:
        """Run time of the last message [ns]: the later one of its stamp and its log time."""
        return self._duration_ns

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the files lack; jumps, gaps, contradictions and what was mended, by time; clocks; those of odometry."""
        return self._findings if self._base is None else (*self._findings, *self._base.findings)

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Read what moves the base of a robot.

        Raises:
            BadInput: if the recording does not say how it moves, or its odometry jumps.
        """
        self._base = RecordedBase(self._bag, robot, base, period_ns)
        self.notes += self._base.notes

    def base(self, time_ns: int) -> BaseMotion:
        """Return the base at a time; at rest before the first and after the last message of odometry.

        Raises:
            RunFailed: at a time from which on the messages cannot be read.
        """
        if self._base is None:
            raise RuntimeError("no base is bound; call bind_base before base")
        return self._base.at(time_ns)

    def bind(self, joints: Sequence[str], period_ns: int) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them were recorded.

        Raises:
            BadInput: if none of them was recorded, and no base is bound.
        """
        self._playback = Playback(self._series, joints, period_ns)
        driven = self._playback.driven
        if not driven.any() and self._base is None:
            raise BadInput(
                "no recorded joint belongs to the robot",
                file=self.path,
                found=some(self.joint_names, _SHOWN_NAMES),
                expected=f"some of {some(joints, _SHOWN_NAMES)} (`joints` can rename them)",
            )
        unused = sorted(set(self.joint_names) - set(joints))
        if unused:
            self.notes.append(f"recorded joints that are not used: {some(unused, _SHOWN_NAMES)}")
        resting = [joint for joint, is_driven in zip(joints, driven, strict=True) if not is_driven]
        if resting:
            self.notes.append(
                f"joints of the robot that were not recorded: {some(resting, _SHOWN_NAMES)}"
            )
        return driven

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time; at rest before the first and after the last sample.

        Raises:
            RunFailed: at a time from which on the joint states cannot be read.
        """
        if self._fault is not None and time_ns >= self._fault.time_ns:
            raise RunFailed("recording", "read", self._fault.time_ns, self._fault.reason)
        if self._playback is None:
            raise RuntimeError("the source is not bound; call bind before motion")
        return self._playback.at(time_ns)

    def events(self, time_ns: int) -> list[Event]:
        """Return action annotations and topic values since the last call, up to and including `time_ns`.

        Raises:
            RunFailed: if they cannot be read further; raised after all events before that were returned.
        """
        return self._events.until(time_ns)

    def ended(self, time_ns: int) -> bool:
        """Whether neither events nor motion nor a failure follow after `time_ns`."""
        broken = self._fault is not None and self._fault.time_ns <= time_ns
        return time_ns >= self._duration_ns and not broken and not self._events.failing(time_ns)

    def save(self) -> Plain:
        """Return up to when events were read, and which part of the motion was evaluated ahead."""
        playback = None if self._playback is None else self._playback.save()
        base = None if self._base is None else self._base.save()
        return {"events_ns": self._events.returned_ns, "playback": playback, "base": base}

    def restore(self, saved: Plain) -> None:
        """Go to there, and drop the events until then.

        Raises:
            Unsaveable: if a source of another kind was saved.
        """
        (until,) = numbers_of(saved, "events_ns")
        assert isinstance(saved, dict)
        self._events.go_to(until)
        if self._playback is not None:
            self._playback.restore(saved["playback"])
        if self._base is not None:
            self._base.restore(saved["base"])

    def close(self) -> None:
        """Close the recording."""
        self._events.close()
        self._bag.close()
