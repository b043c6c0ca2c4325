"""A live robot as the source of its twin's motion."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scenario.source import LiveSpec, OnSilence
from model_nodes.main_physics.sources.event_stream import THROTTLE, EventReader, stamp_of
from model_nodes.main_physics.sources.joint_messages import DecodeError, JointMessageDecoder
from model_nodes.main_physics.sources.live.arrivals import (
    BATCH_NS,
    MAX_ROWS,
    BadMessage,
    BaseSamples,
    JointSamples,
    Streams,
)
from model_nodes.main_physics.sources.live.base import BaseFeed
from model_nodes.main_physics.sources.live.readers import (
    EventQueue,
    action_reader,
    known_types,
    readers_of,
)
from model_nodes.main_physics.sources.live.report import ClockComparison, Health, Lateness, Silences
from model_nodes.main_physics.sources.part import BaseMotion, JointMotion, Part
from model_nodes.main_physics.sources.playback import BlockCache
from model_nodes.main_physics.sources.wrenches import WRENCH, LiveWrenches
from model_nodes.main_physics.world.description import Base, Body

if TYPE_CHECKING:
    from model_nodes.main_physics.sources.live.link import RobotLink

GAP_INTERVALS = 5
MIN_GAP_NS = 200_000_000
CLOCK_JUMP_NS = 1_000_000_000
SETTLE_S = 0.3
MAX_QUIET_NS = 100_000_000
SECOND_NS = 1_000_000_000
LISTENING_PAUSE_S = 0.006
"""Pause in listening after the samples for which the twin waits, so that what arrives meanwhile is read at once [s].

It is shorter than `BATCH_NS` by what the next samples may be early.
"""
SKIP_BRIDGE = 0.25
"""Ratio of the time in which the twin bridges skipped motion to the skipped time."""


class LivePart(Part):
    """Follows a robot's topics; run time 0 is the start of the run, by the robot's clock.

    `motion` blocks until the motion is certain, so the twin cannot run ahead of the robot and keeps its pace. While
    the robot is silent the twin waits, and the gap is bridged as in a recording.

    Args:
        spec: the topics, and the reactions to a silent robot and a late twin.
        robots: robots that the part moves; a base that follows odometry may move without joint states.
        listen: class that subscribes to topics.

    Raises:
        BadInput: if the robot publishes no joint states within `wait` seconds.
    """

    is_live = True

    def __init__(self, spec: LiveSpec, robots: Sequence[Body], listen: type[RobotLink]) -> None:
        self._spec = spec
        self._moves_base = any(robot.base is Base.FOLLOWED for robot in robots)
        self._updated = threading.Condition()
        self._samples = JointSamples(dict(spec.joints))
        self._decoder = JointMessageDecoder()
        self._clocks = ClockComparison()
        self._health = Health(self._clocks)
        self._waiting = EventQueue()
        self._silences = Silences()
        self._lateness = Lateness(spec, self._waiting.add_own)
        self._epoch_ns = 0
        self._skipped_ns = 0
        self._wanted_ns = self._awaited_ns = self._events_ns = 0
        self._bounds = (0, -1, 0)
        self._newest_arrival = time.monotonic()
        self._broken: str | None = None
        self._base: BaseFeed | None = None
        self._use_streams()
        self._use_period(1)
        self.wrenches = self._wrenches = LiveWrenches(
            lambda s, a: self._measured_ns(s, a) - self._epoch_ns, self._health.record_unusable
        )
        self.notes: list[str] = []
        readers = readers_of(spec)
        self._link = listen(
            spec.live,
            spec.joint_states,
            self._on_joints,
            {topic: self._event_callback(topic, of_topic) for topic, of_topic in readers.items()},
            known_types(spec),
            self._report,
            choose=self._choose_topic,
        )
        self._clocks.simulated = self._link.simulated
        try:
            if not robots or any(robot.driven_joints for robot in robots):
                self._wait_for_robot()
        except BaseException:
            self._link.close()
            raise

    @property
    def joint_names(self) -> tuple[str, ...]:
        """All joints received so far, sorted."""
        return self._samples.names

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them the robot publishes.

        Raises:
            BadInput: if it publishes none of them, and no base is bound.
        """
        self._use_period(period_ns)
        with self._updated:
            driven = self._samples.bind(joints)
            self._use_streams()
            if driven.any():
                self._epoch_ns = self._streams.certain_until_ns
        if not driven.any() and self._base is None:
            raise BadInput(
                "no joint of the live robot belongs to the robot of the scenario",
                where=f"source.live, {', '.join(self._link.topics)}",
                found=", ".join(self.joint_names),
                expected=f"some of {', '.join(joints)} (`joints` can rename them)",
            )
        silent = [joint for joint, is_driven in zip(joints, driven, strict=True) if not is_driven]
        if silent:
            self.notes.append(f"joints that the live robot does not publish: {', '.join(silent)}")
        if not self._clocks.agree:
            seconds = self._clocks.difference_ns / 1e9
            self.notes.append(
                f"the robot's clock is {seconds:+.3f} s behind this machine's; its stamps are used with that offset"
            )
        return driven

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Subscribe to the odometry of a robot's base, and wait until its pose and motion are known.

        Raises:
            BadInput: if they are unknown after `wait` seconds.
        """
        self._use_period(period_ns)
        unusable, paused = self._health.record_unusable, self._paused
        feed = BaseFeed(robot, base, self._updated, self._measured_ns, unusable, paused)
        feed.subscribe(self._link)
        with self._updated:
            self._updated.wait_for(lambda: feed.base.ready or feed.problem, self._spec.wait)
            if not feed.base.ready or feed.problem is not None:
                raise feed.missing(self._spec.wait, self._link)
            self._base = feed
            self._use_streams()
            self._epoch_ns = self._streams.certain_until_ns

    def base(self, time_ns: int) -> BaseMotion:
        """Return the motion of the base at a time; blocks until it is certain.

        Raises:
            RunFailed: see `motion`, or if odometry jumps.
        """
        assert self._base is not None, "no base is bound"
        motion = self._base_cache.at(time_ns)
        if not self._samples.selected:
            self._record_lag(time_ns)
        return motion

    def _base_from(self, time_ns: int, rows: int, before_ns: int) -> list[BaseMotion]:
        """The motion of the base, for as many periods as are known."""
        assert self._base is not None
        with self._updated:
            known = self._rows_known(time_ns, leading=not self._samples.selected)
            return self._base.base.motions(self._epoch_ns + time_ns, self._period_ns, known)

    def start(self) -> bool:
        """Set run time 0 to the next full second of the robot's clock; earlier events are dropped.

        The robot's last report of each task, and its beliefs, are kept: they still hold at the start.
        """
        with self._updated:
            self._epoch_ns = -(-self._streams.certain_until_ns // SECOND_NS) * SECOND_NS
            if self._base is not None:
                self._base.begin_run()
            self._waiting.set_epoch(self._epoch_ns)
        self._use_period(self._period_ns)
        self._health.begin_run()
        return True

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of the joints at a time; blocks until it is certain.

        Raises:
            RunFailed: if the robot is silent for too long, its clock jumps, or the twin is too late.
        """
        return self.motions((time_ns,))[0]

    def motions(self, times_ns: Sequence[int]) -> Sequence[JointMotion]:
        """Return the motion of the joints at each of some times; see `motion`."""
        motions = self._joint_cache.at_each(times_ns)
        self._record_lag(times_ns[-1])
        return motions

    def _joints_from(self, time_ns: int, rows: int, before_ns: int) -> list[JointMotion]:
        """The motion of the joints, for as many periods as are known."""
        with self._updated:
            known = self._rows_known(time_ns, leading=True)
            return self._samples.motion(self._epoch_ns + time_ns, self._period_ns, known)

    @property
    def quiet_ns(self) -> int:
        """Time before which no step has to wait for the robot, and no event is due [ns].

        It is at most `MAX_QUIET_NS` after the last call of `events`: late messages do not wait until a lag is made up.
        """
        with self._updated:
            if self.end_ns is not None:
                return 0
            known_ns = self._streams.certain_until_ns - self._period_ns + 1
            first_ns = min(known_ns, self._waiting.first_ns) - self._epoch_ns
            return min(first_ns, self._events_ns + MAX_QUIET_NS)

    def events(self, time_ns: int) -> list[Event]:
        """Return annotations, topic values and events about the robot up to and including `time_ns`."""
        with self._updated:
            self._events_ns = time_ns
            return self._waiting.due(time_ns)

    def close(self) -> None:
        """Unsubscribe."""
        self._link.close()

    def _use_period(self, period_ns: int) -> None:
        """Set the usual period between calls, and discard values that were evaluated ahead."""
        self._period_ns = period_ns
        self._joint_cache = BlockCache(self._joints_from, period_ns)
        self._base_cache = BlockCache(self._base_from, period_ns)

    def _use_streams(self) -> None:
        """Set the moving parts of the robot that are known."""
        self._streams = Streams([*self._samples.streams, *self._base_streams])

    @property
    def _base_streams(self) -> list[BaseSamples]:
        return [] if self._base is None else [self._base.base.samples]

    @property
    def _silent_since(self) -> float:
        """Last arrival on the topic that has been silent for longest, by the monotonic clock [s]."""
        since = self._newest_arrival
        return since if self._base is None else min(since, self._base.newest_arrival)

    def _measured_ns(self, stamp_ns: int, arrived_ns: int) -> int:
        """Return the time at which a message was measured, by the robot's clock without skipped time [ns]."""
        return (stamp_ns or arrived_ns - self._clocks.offset_ns) - self._skipped_ns

    def _paused(self, end_ns: int, length_ns: int) -> None:
        """Record a pause of the robot if it is long enough to be a gap."""
        # nearly always; avoids the slow computation of the usual interval
        if length_ns <= MIN_GAP_NS:
            return
        if length_ns > self._gap_ns() and self._silences.add(end_ns - length_ns, end_ns):
            seconds = round(length_ns / 1e9, 3)
            self._health.record_gap(seconds)
            self._waiting.add([Event("robot_gap", end_ns, arguments={"seconds": seconds})])

    def _on_joints(self, raw: bytes, arrived_ns: int) -> None:
        try:
            sample = self._decoder.decode(bytes(raw))
        except DecodeError as error:
            self._health.record_unusable(str(error))
            return
        stamp_ns = sample.stamp_ns or arrived_ns
        with self._updated:
            try:
                since = self._samples.add(sample, stamp_ns - self._skipped_ns)
            except BadMessage as error:
                self._reject(stamp_ns, str(error))
                return
            if since is None and self._samples.selected:
                self._health.record_unusable(f"first received too late: {', '.join(sample.names)}")
            self._clocks.add(stamp_ns, arrived_ns)
            self._newest_arrival = time.monotonic()
            self._health.count_message()
            if since is not None:
                self._paused(stamp_ns - self._skipped_ns, since)
            wanted_ns = self._wanted_ns
            is_known = not wanted_ns or self._streams.certain_until_ns >= wanted_ns
            if is_known:
                self._updated.notify_all()
        if wanted_ns and is_known:
            time.sleep(LISTENING_PAUSE_S)

    def _reject(self, stamp_ns: int, reason: str) -> None:
        known = self._samples.has_motion and self._samples.selected
        newest = Streams(self._samples.streams).newest_ns if known else stamp_ns
        step_back = newest + self._skipped_ns - stamp_ns
        if not self._joint_cache.empty and step_back > CLOCK_JUMP_NS:
            self._broken = f"the robot's clock jumped back by {step_back / 1e9:.3f} s"
            self._updated.notify_all()
        self._health.record_unusable(reason)

    def _gap_ns(self) -> int:
        joints = self._samples.streams or self._samples.all_streams
        streams = Streams([*joints, *self._base_streams])
        return max(MIN_GAP_NS, GAP_INTERVALS * streams.interval_ns())

    def _event_callback(
        self, topic: str, readers: Sequence[EventReader]
    ) -> Callable[[Any, int], None]:
        def on_message(message: Any, arrived_ns: int) -> None:
            stamp = stamp_of(message)
            time_ns = stamp.sec * 1_000_000_000 + stamp.nanosec if stamp is not None else 0
            with self._updated:
                time_ns = self._measured_ns(time_ns, arrived_ns)
                try:
                    for reader in readers:
                        self._waiting.add(reader(message, time_ns))
                # also another type with the same name
                except (ValueError, AttributeError) as error:
                    self._health.record_unusable(f"{topic}: {error}")

        return on_message

    def _choose_topic(
        self, topic: str, type_name: str, kind: Any
    ) -> tuple[Callable[[Any, int], None], int | None] | None:
        if type_name == WRENCH and kind is not None:
            return self._wrenches.add, None
        reader = action_reader(self._spec, topic, type_name)
        if reader is not None and kind is None:
            self._health.record_unusable(f"{topic}: {type_name.split('/')[0]} is not installed")
        if reader is None or kind is None:
            return None
        return self._event_callback(topic, [reader]), getattr(reader, THROTTLE, 0)

    def _report(self) -> tuple[bytes, str, Mapping[str, str]]:
        silent = time.monotonic() - self._silent_since
        return self._health.report(silent, self._gap_ns() / 1e9, self._skipped_ns, self._period_ns)

    def _wait_for_robot(self) -> None:
        """Wait for joint states, and a little longer, since there may be several publishers."""
        with self._updated:
            if not self._updated.wait_for(lambda: self._samples.has_motion, self._spec.wait):
                if self._moves_base:
                    self.notes.append("the robot publishes no joint states; its joints rest")
                    return
                raise BadInput(
                    "the robot publishes no joint states",
                    where=", ".join(self._link.topics),
                    found=f"no joint states within {self._spec.wait:g} s",
                    expected="sensor_msgs/msg/JointState on these topics, in this ROS domain"
                    + self._health.last_problem(),
                )
        time.sleep(SETTLE_S)

    def _wait_until_known(self, time_ns: int) -> int:
        """Wait for the samples on which the motion at a time depends; returns the time up to which it is known."""
        while True:
            broken = self._broken or (self._base.broken if self._base is not None else "")
            if broken:
                raise RunFailed("source", "read", time_ns, broken)
            known = self._streams.certain_until_ns - self._epoch_ns
            if known >= time_ns:
                return known
            if self.end_ns is not None:
                return time_ns
            silent = time.monotonic() - self._silent_since
            if silent >= self._spec.timeout:
                self._end_after_silence(time_ns)
                continue
            self._wanted_ns = self._epoch_ns + time_ns  # earlier arrivals do not wake this thread
            self._updated.wait(self._spec.timeout - silent)
            self._wanted_ns = 0

    def _rows_known(self, time_ns: int, *, leading: bool) -> int:
        """Wait until the motion at a time is known; returns the number of periods for which it is known.

        Args:
            time_ns: time of the run [ns].
            leading: whether to react to a lag, which either the joints or the base must do.
        """
        self._await_batch(time_ns)
        known = self._wait_until_known(time_ns)
        if leading:
            self._handle_lag(time_ns)
            known = max(known, self._streams.certain_until_ns - self._epoch_ns)
        return min(max(1, (known - time_ns) // self._period_ns + 1), MAX_ROWS)

    def await_input(self, time_ns: int) -> None:
        """Wait for the messages of the next period."""
        with self._updated:
            self._await_batch(time_ns + self._period_ns)

    def _await_batch(self, time_ns: int) -> None:
        """Wait once until all messages of a period have arrived, to wake up only once; not for a silent robot."""
        until_ns = self._epoch_ns + -(-time_ns // BATCH_NS) * BATCH_NS
        is_new = self.end_ns is None and until_ns > self._awaited_ns
        if is_new and self._streams.certain_until_ns < until_ns:
            self._awaited_ns = self._wanted_ns = until_ns
            self._updated.wait(BATCH_NS / 1e9)
            self._wanted_ns = 0

    def _record_lag(self, time_ns: int) -> None:
        at_ns = self._epoch_ns + time_ns
        if not self._bounds[0] <= at_ns <= self._bounds[1]:
            with self._updated:
                self._bounds = (at_ns, *self._streams.bounds(at_ns))
        measured_ns = self._bounds[2] + self._skipped_ns + self._clocks.offset_ns
        self.input_ns = None if self.end_ns is not None else measured_ns
        self._health.record_lag(time.time_ns() - measured_ns)

    def _end_after_silence(self, time_ns: int) -> None:
        if self._spec.on_silence is OnSilence.FAIL:
            reason = (
                f"the robot has been silent on {self._silent_topics} for {self._spec.timeout:g} s;"
                " expected messages (on_silence: end would end the run instead)"
            )
            raise RunFailed("source", "read", time_ns, reason)
        self.end_ns = max(self._streams.newest_ns - self._epoch_ns, time_ns)

    @property
    def _silent_topics(self) -> str:
        """The topics on which nothing has arrived for longest."""
        base = self._base
        if base is not None and base.newest_arrival < self._newest_arrival:
            return base.topic
        return ", ".join(self._link.topics)

    def _handle_lag(self, time_ns: int) -> None:
        """React as specified if the twin lags too far behind the newest known motion.

        Time in which the robot was silent is not counted, since the twin could not proceed.
        """
        backlog = self._streams.certain_until_ns - self._epoch_ns - time_ns
        lag = backlog - self._silences.total_after(self._epoch_ns + time_ns)
        skips = self._lateness.must_skip(time_ns, lag)
        self.late = self._lateness.lowers_rates
        if skips:
            self._skip(time_ns, backlog)

    def _skip(self, time_ns: int, backlog: int) -> None:
        bridge = max(self._period_ns, round(backlog * SKIP_BRIDGE))
        begin = self._epoch_ns + time_ns
        skipped = backlog - bridge
        if self._base is not None:
            self._base.base.skip(begin, skipped)
        self._bounds = (0, -1, 0)
        self._streams.remove_interval(begin, begin + backlog, bridge)
        self._base_cache.clear()
        self._silences.clear()
        self._skipped_ns += skipped
        self._waiting.skip(time_ns, skipped)
        self._waiting.add_own(time_ns, "motion_skipped", {"seconds": round(skipped / 1e9, 3)})
