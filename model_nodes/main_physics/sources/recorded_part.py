"""A recording, or a part of one, as a source of motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.nearest import one_of, some
from hetwin_core.ensemble.saving.plain import Plain, numbers_of
from hetwin_core.ensemble.scenario.recorded import recording_of
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scenario.source import RecordedStep, RecordingSpec
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.annotations import readers_for, unread_notes
from model_nodes.main_physics.sources.bag import Bag, ReadFault
from model_nodes.main_physics.sources.clock_offsets import find_offsets
from model_nodes.main_physics.sources.event_stream import EventReader, EventStream
from model_nodes.main_physics.sources.joint_series import KEPT_RECORDINGS, Series, are_kept
from model_nodes.main_physics.sources.part import BaseMotion, JointMotion, Part, SceneAt
from model_nodes.main_physics.sources.playback import Playback
from model_nodes.main_physics.sources.recorded_motion import RecordedJoints, read_motion
from model_nodes.main_physics.sources.repairs import file_findings
from model_nodes.main_physics.sources.reports.recorded import belief_readers, task_readers
from model_nodes.main_physics.sources.wrenches import wrenches_of
from model_nodes.main_physics.world.description import Body

if TYPE_CHECKING:
    from model_nodes.main_physics.sources.base.recorded_base import RecordedBase

_SHOWN_NAMES = 12
_MOTION = {"joint_states", "joints", "joints_from", "units"}
_KEPT: dict[object, RecordedJoints] = {}
"""The motion of the last recordings, for further runs of them; by content, keys of `_MOTION` and robots."""


class RecordedPart(Part):
    """Plays back a recording, or a part of one as a step of a plan.

    The time of a sample is its header stamp if that is within 1 s of the log time, otherwise the log time. All
    joint states are read and validated here; events are read on demand. If the recording cannot be read
    to its end, `motion` or `events` raise an error when they reach that time.

    Args:
        spec: the recording, and the parts to read.
        robots: robots whose joints are moved; without robots nothing is known about the joints.
        others: namespaces of other robots; topics in them are only read if the specification names them.

    Attributes:
        path: a rosbag2 folder, a single .mcap or .db3 file, or a ROS 1 bag.

    Raises:
        BadInput: if the recording cannot be played back.
    """

    is_recorded = takes_over = True

    def __init__(
        self,
        spec: RecordingSpec | RecordedStep,
        robots: Sequence[Body] = (),
        others: Sequence[str] = (),
    ) -> None:
        step = spec if isinstance(spec, RecordedStep) else None
        self._is_step, self._announces = step is not None, step is None or step.announces
        self.path = Path(recording_of(spec.recording)).expanduser()
        self._bag = bag = Bag(self.path, spec.stamps)
        try:
            key = bag.content, spec.model_dump_json(include=_MOTION), tuple(robots)
            recorded = _KEPT.pop(key, None) or read_motion(
                bag, spec.joint_states, spec.joints, spec.joints_from, robots, spec.units
            )
            if are_kept(recorded.series):
                _KEPT[key] = recorded
            if len(_KEPT) > KEPT_RECORDINGS:
                _KEPT.pop(next(iter(_KEPT)))
            self._series = recorded.series
            self._events = EventStream(bag, _readers(bag, spec, others))
            self._recorded_ns = self._checked_duration(recorded.series)
            self._names = self._matching_names(() if step is None else step.only or ())
        except BaseException:
            bag.close()
            raise
        self.notes: list[str] = [*recorded.notes]
        self.wrenches = self._wrenches = wrenches_of(bag, others)
        if self._wrenches is not None:
            self.notes += self._wrenches.notes(
                [link.name for body in robots for link in body.links]
            )
        if spec.annotations is None:
            self.notes += unread_notes(bag, others)
        if isinstance(spec, RecordingSpec):
            self.start_ns = bag.start_ns + round(spec.clock_offset * 1e9)
            offsets = find_offsets(bag, recorded.series)
            self.findings = (*file_findings(bag), *recorded.findings, *offsets)
        self._fault: ReadFault | None = recorded.fault
        self._playback: Playback | None = None
        self._base: RecordedBase | None = None
        self._shift(self._read_start(spec))

    def _read_start(self, spec: RecordingSpec | RecordedStep) -> int:
        """Store the start of the part; returns the offset from times of the recording to times of the run [ns]."""
        if isinstance(spec, RecordingSpec):
            self._from_ns: int | None = None
            return 0
        self.at_ns = None if spec.at is None else round(spec.at * 1e9)
        self._from_ns = None if spec.from_ is None else round(spec.from_ * 1e9)
        known = self.at_ns is not None and self._from_ns is not None
        return (self.at_ns or 0) - (self._from_ns or 0) if known else 0

    def _checked_duration(self, series: Sequence[Series]) -> int:
        last = max((int(samples.times_ns[-1]) for samples in series), default=0)
        duration_ns = max(self._bag.duration_ns, last)
        if duration_ns <= 0:
            raise BadInput(
                "the recording has no duration",
                file=self.path,
                found="all messages at the same time",
                expected="messages whose stamps or log times differ",
            )
        return duration_ns

    def _matching_names(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """The recorded joints that match a pattern, sorted; without patterns all of them."""
        names = tuple(sorted(name for samples in self._series for name in samples.names))
        matching = tuple(n for n in names if any(fnmatchcase(n, p) for p in patterns))
        if patterns and not matching:
            raise BadInput(
                "no such joint was recorded",
                where="only",
                found=", ".join(patterns),
                expected=one_of(patterns[0], names, "a pattern"),
            )
        return matching or names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the recorded joints that this part moves, by the names of the robot's description."""
        return self._names

    @property
    def duration_ns(self) -> int:
        """Duration of the rest of the recording [ns]; it ends with its last stamp or log time, whichever is later."""
        from_ns = self._from_ns if self._from_ns is not None else self.at_ns
        return max(0, self._recorded_ns - (from_ns or 0))

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Read the motion of a robot's base.

        Raises:
            BadInput: if the recording does not contain the base's motion, or its odometry jumps.
        """
        from model_nodes.main_physics.sources.base.recorded_base import RecordedBase

        self._base = RecordedBase(self._bag, robot, base, period_ns)
        self.notes += self._base.notes
        if not self._is_step:
            self.findings = (*self.findings, *self._base.findings)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the motion of the base at a time; it rests before the first and after the last message of odometry.

        Raises:
            RunFailed: if the messages cannot be read up to this time.
        """
        if self._base is None:
            raise RuntimeError("no base is bound; call bind_base before base")
        return self._base.at(max(0, time_ns - self._offset_ns))

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them were recorded.

        Raises:
            BadInput: if none of them was recorded, and no base is bound.
        """
        wanted = [name if name in self._names else "" for name in joints]
        self._playback = Playback(self._series, wanted, period_ns)
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
        resting_names = [n for n, is_driven in zip(joints, driven, strict=True) if not is_driven]
        if resting_names and not self._is_step:
            self.notes.append(
                f"joints of the robot that were not recorded: {some(resting_names, _SHOWN_NAMES)}"
            )
        return driven

    def begin(
        self, begin_ns: int, now_ns: int, current: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Move to the start of the part, and drop the events before."""
        self._shift(0 if self._from_ns is None else begin_ns - self._from_ns)
        before_ns = now_ns - self._offset_ns
        if before_ns > 0:
            self._events.until(before_ns)

    def _shift(self, offset_ns: int) -> None:
        self._offset_ns, self.end_ns = offset_ns, self._recorded_ns + offset_ns
        if self._wrenches is not None:
            self._wrenches.offset_ns = offset_ns

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of the joints at a time; they rest before the first and after the last sample.

        Raises:
            RunFailed: if the joint states cannot be read up to this time.
        """
        time_ns -= self._offset_ns
        if self._fault is not None and time_ns >= self._fault.time_ns:
            raise RunFailed("recording", "read", self._fault.time_ns, self._fault.reason)
        if self._playback is None:
            raise RuntimeError("the source is not bound; call bind before motion")
        return self._playback.at(time_ns)

    def motions(self, times_ns: Sequence[int]) -> Sequence[JointMotion]:
        """Return the motion of the joints at each of some times; see `motion`."""
        if self._fault is not None or self._offset_ns or self._playback is None:
            return super().motions(times_ns)
        return self._playback.at_each(times_ns)

    def events(self, time_ns: int) -> list[Event]:
        """Return action annotations and topic values since the last call, up to and including `time_ns`.

        Raises:
            RunFailed: if they cannot be read up to this time; raised after all earlier events were returned.
        """
        if not self._announces:
            return []
        found = self._events.until(time_ns - self._offset_ns)
        if not self._offset_ns:
            return found
        return [replace(event, time_ns=event.time_ns + self._offset_ns) for event in found]

    def ended(self, time_ns: int) -> bool:
        """Whether no event, motion or failure follows after `time_ns`."""
        recorded_ns = time_ns - self._offset_ns
        fails = self._fault is not None and self._fault.time_ns <= recorded_ns
        is_over = recorded_ns >= self._recorded_ns and not fails
        return is_over and not (self._announces and self._events.has_failure(recorded_ns))

    @property
    def quiet_ns(self) -> int:
        """Time before which `events` returns nothing and `ended` is false [ns]."""
        until_ns = self._recorded_ns if self._fault is None else self._fault.time_ns
        events_ns = self._events.quiet_ns if self._announces else until_ns
        return min(until_ns, events_ns, self._recorded_ns) + self._offset_ns

    def save(self) -> Plain:
        """Return the position in the recording: the time up to which events were read, and the evaluated motion."""
        playback = None if self._playback is None else self._playback.save()
        base = None if self._base is None else self._base.save()
        numbers: dict[str, Plain] = {
            "events_ns": self._events.returned_ns,
            "offset_ns": self._offset_ns,
        }
        return {**numbers, "playback": playback, "base": base}

    def restore(self, saved: Plain) -> None:
        """Move to the saved position, and drop the events before.

        Raises:
            StateError: if the state is of another kind of part.
        """
        until_ns, offset_ns = numbers_of(saved, "events_ns", "offset_ns")
        assert isinstance(saved, dict)
        self._shift(offset_ns)
        self._events.seek(until_ns)
        if self._playback is not None:
            self._playback.restore(saved["playback"])
        if self._base is not None:
            self._base.restore(saved["base"])

    def close(self) -> None:
        """Close the recording."""
        self._events.close()
        self._bag.close()


def _readers(
    bag: Bag, spec: RecordingSpec | RecordedStep, others: Sequence[str]
) -> dict[str, list[EventReader]]:
    """Return topic -> readers of events."""
    readers = readers_for(bag, spec.annotations, spec.topics, others)
    by_kind = [task_readers(bag, spec.tasks, others), belief_readers(bag, spec.beliefs, others)]
    for topic, reader in (item for found in by_kind for item in found.items()):
        readers.setdefault(topic, []).append(reader)
    return readers
