"""Publishes a run: state, joints, frames, responsibilities, registry, events, clock, diagnostics, description."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rclpy.node import Node

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    ModelRecord,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.topics import Encoded
from hetwin_core.episodes import run_messages
from hetwin_core.episodes.encoder import RunEncoder
from hetwin_core.episodes.markers import WorldMarkers
from hetwin_core.wire.publishing import PublishedTopics

PAUSED_PERIOD_S = 0.1
"""Interval at which the state of a paused run is published."""

_TOPICS = (
    topics.STATE,
    topics.EVENTS,
    topics.HANDOVERS,
    topics.RESPONSIBILITIES,
    topics.REGISTRY,
    topics.ROBOT_DESCRIPTION,
    topics.DIAGNOSTICS,
    topics.MARKERS,
    topics.CONTACTS,
)
_ROBOT_TOPICS = (topics.TRANSFORMS, topics.STATIC_TRANSFORMS, topics.JOINT_STATES)
"""Topics that a real robot publishes itself; offered early, so that listeners find them."""


class Publisher(RunListener):
    """Publishes a run while it proceeds.

    States and the clock are published at every step if a model steps on the clock or freely, since that model reads the
    time there; otherwise at most `state_rate` times per simulated second, which keeps the cost low. Frames are
    published with the states if a robot's base moves, since navigation looks them up for each scan.

    Args:
        node: the conductor's node.
        state_rate: states per simulated second.
        marker_rate: marker arrays for RViz, and frames, per simulated second.
        run: token of the run.
        live: whether the robot is real and publishes its joints and frames itself.
        localized: whether frames include the origin of a mobile robot's odometry.
    """

    def __init__(
        self,
        node: Node,
        state_rate: float = 100.0,
        marker_rate: float = 20.0,
        *,
        run: str = "",
        live: bool = False,
        localized: bool = True,
    ) -> None:
        self._topics = PublishedTopics(node)
        self._topics.offer(*_TOPICS, *(() if live else _ROBOT_TOPICS))
        # with simulated time another node publishes the clock
        if not node.get_parameter("use_sim_time").value:
            self._topics.offer(topics.CLOCK)
        self._run, self._live, self._localized = run, live, localized
        self._period_ns = round(1e9 / state_rate)
        self._marker_period_ns = round(1e9 / marker_rate)
        self._next_state_ns = 0
        self._next_marker_ns = 0
        self._next_repeat_s = 0.0
        self._step = 0
        self._every_step = False
        self._encoder: RunEncoder | None = None
        self._markers: WorldMarkers | None = None
        self._scene: Snapshot | None = None

    def started(self, start: RunStart) -> None:
        """Publish the latched topics and the first state."""
        self._every_step = any(m.stepping != "service" for m in start.models)
        self._next_state_ns = self._next_marker_ns = 0
        main = next((m.name for m in start.models if m.main), "")
        self._markers = WorldMarkers(start.layout, main)
        encoder = self.offer(start.layout, start.models)
        scene = self._scene = start.snapshot
        self._topics.publish(encoder.fixed_frames(scene.time_ns, scene.values))
        for message in encoder.start(start, self._run):
            self._topics.offer(message.topic)
            self._topics.publish([message])
        encoder.set_owners(scene.owners)
        self._topics.publish([encoder.responsibilities(scene.time_ns)])
        self.stepped(0, scene)

    def offer(self, layout: Layout, models: Sequence[ModelRecord] = ()) -> RunEncoder:
        """Offer the topics that depend on the robots, and return the encoder for them."""
        self._encoder = RunEncoder(layout, models, localized=self._localized)
        if not self._live:
            self._topics.offer(*self._encoder.topics)
        return self._encoder

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Publish state and clock if they are due."""
        self._scene, self._step = scene, step
        if self._every_step or scene.time_ns >= self._next_state_ns:
            self._next_state_ns = scene.time_ns + self._period_ns
            self._publish_state(step, scene)
        if self._encoder is not None and self._encoder.has_scans:
            self._topics.publish(self._encoder.scans(scene.time_ns, scene.values))
        if scene.time_ns >= self._next_marker_ns:
            self._next_marker_ns = scene.time_ns + self._marker_period_ns
            self._publish_markers(scene)

    def next_ns(self, now_ns: int) -> int:
        """The next time at which a state, scans or markers are due [ns]."""
        if self._every_step or (self._encoder is not None and self._encoder.has_scans):
            return now_ns
        due = (self._next_state_ns, self._period_ns), (self._next_marker_ns, self._marker_period_ns)
        return min(now_ns + period if next_ns <= now_ns else next_ns for next_ns, period in due)

    def keep_alive(self) -> None:
        """Publish the state of a paused run again every `PAUSED_PERIOD_S`."""
        now = time.monotonic()
        if self._scene is not None and now >= self._next_repeat_s:
            self._next_repeat_s = now + PAUSED_PERIOD_S
            self._publish_state(self._step, self._scene)
            self._publish_markers(self._scene)

    def _publish_state(self, step: int, scene: Snapshot) -> None:
        encoder, time_ns, values = self._encoder, scene.time_ns, scene.values
        if encoder is None:
            return
        owners, parents, proximity = scene.owners, scene.parents, scene.proximity
        self._topics.publish([encoder.state(time_ns, step, values, owners, parents, proximity)])
        self._topics.publish(encoder.robots(time_ns, values))
        if encoder.has_odometry:
            self._topics.publish(encoder.frames(time_ns, values))
        self._topics.publish([run_messages.clock(time_ns)])

    def _publish_markers(self, scene: Snapshot) -> None:
        encoder, markers, time_ns = self._encoder, self._markers, scene.time_ns
        if encoder is None or markers is None:
            return
        if self._topics.is_heard(topics.MARKERS):
            self._topics.publish([Encoded(topics.MARKERS, time_ns, markers.fill(scene))])
        if self._topics.is_heard(topics.CONTACTS):
            self._topics.publish(encoder.contacts(time_ns, scene.proximity, always=True))
        if not encoder.has_odometry:
            self._topics.publish(encoder.frames(time_ns, scene.values))

    def event(self, event: Event) -> None:
        """Publish an event."""
        self._topics.publish(run_messages.event(event))

    def belief(self, event: Event) -> None:
        """Publish nothing: the robot has published it."""

    def handover(self, handover: Handover) -> None:
        """Publish a handover and the new table of responsibilities."""
        self._topics.publish([run_messages.handover(handover)])
        if self._encoder is not None and self._scene is not None:
            self._encoder.owners[handover.entity, handover.attribute] = handover.to_model
            self._topics.publish([self._encoder.responsibilities(self._scene.time_ns)])

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Publish a diagnostic."""
        self._topics.publish([run_messages.note(time_ns, level, f"hetwin: {source}", text)])

    def ended(self, summary: RunSummary) -> None:
        """Publish how the run ended."""
        level = "error" if summary.ended == "failed" else "info"
        text = f"{summary.scenario} ended: {summary.ended}"
        self.note(round(summary.simulated_time * 1e9), level, "conductor", text)
