"""Publishes a run: state, joints, frames, responsibilities, registry, events, clock, diagnostics, description."""

from __future__ import annotations

import json
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from conductor_node.frames import latched, make_frames
from conductor_node.joint_states import make_joint_states
from conductor_node.markers import MarkerWriter
from conductor_node.mobile_robots import TwinBases
from hetwin.msg import Event as EventMessage
from hetwin.msg import Handover as HandoverMessage
from hetwin.msg import ModelInfo, Registry, Responsibilities, Responsibility, SceneState
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
from hetwin_core.ensemble.scene.layout_json import layout_to_json
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.projection.run_messages import able_text
from hetwin_core.wire import messages

LEVELS = {
    "info": DiagnosticStatus.OK,
    "warning": DiagnosticStatus.WARN,
    "error": DiagnosticStatus.ERROR,
}

PAUSED_PERIOD_S = 0.1
"""Interval at which the state of a paused run is published."""


class Publisher(RunListener):
    """Publishes a run as it goes.

    States and the clock are published at every step if a model steps on the clock or free, since it reads the time
    there; else at most `state_rate` times a simulated second, so that watching costs little. Frames go with the states
    if a robot's base moves, since navigation looks them up for each scan.

    Args:
        node: the conductor's node.
        state_rate: states per simulated second.
        marker_rate: marker arrays for RViz, and frames, per simulated second.
        live: whether the robot is a real one, whose joints and frames are its own to publish.
        localized: whether frames say where the odometry of a mobile robot began.
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
        def publisher(kind: Any, topic: str, qos: QoSProfile) -> Any:
            # Parameters `qos_overrides.<topic>.publisher...` may override the QoS.
            return node.create_publisher(
                kind,
                topic,
                qos,
                qos_overriding_options=QoSOverridingOptions.with_default_policies(),
            )

        self._state = publisher(SceneState, topics.STATE.name, QoSProfile(depth=10))
        # With use_sim_time another node publishes the clock.
        follows = bool(node.get_parameter("use_sim_time").value)
        self._clock = None if follows else publisher(Clock, topics.CLOCK.name, QoSProfile(depth=10))
        self._events = publisher(EventMessage, topics.EVENTS.name, QoSProfile(depth=1000))
        self._handovers = publisher(HandoverMessage, topics.HANDOVERS.name, QoSProfile(depth=1000))
        self._table = publisher(Responsibilities, topics.RESPONSIBILITIES.name, latched())
        self._registry = publisher(Registry, topics.REGISTRY.name, latched())
        self._publisher = publisher
        self._descriptions = {"": publisher(String, topics.ROBOT_DESCRIPTION.name, latched())}
        self._diagnostics = publisher(
            DiagnosticArray, topics.DIAGNOSTICS.name, QoSProfile(depth=100)
        )
        self._marker_topic = publisher(MarkerArray, topics.MARKERS.name, QoSProfile(depth=1))
        self._contact_topic = publisher(MarkerArray, topics.CONTACTS.name, QoSProfile(depth=1))
        self._frames = make_frames(publisher, live=live, localized=localized)
        self._joints = make_joint_states(publisher, live=live)
        self._bases = TwinBases(publisher, live=live)
        self._run = run
        self._period_ns = round(1e9 / state_rate)
        self._marker_period_ns = round(1e9 / marker_rate)
        self._next_state_ns = 0
        self._next_marker_ns = 0
        self._next_paused = 0.0
        self._step = 0
        self._every_step = False
        self._markers: MarkerWriter | None = None
        self._scene: Snapshot | None = None

    def started(self, start: RunStart) -> None:
        """Publish the latched topics and the first state."""
        self._every_step = any(m.stepping != "service" for m in start.models)
        self._next_state_ns = self._next_marker_ns = 0
        self._markers = MarkerWriter(
            start.layout, next((m.name for m in start.models if m.main), "")
        )
        if self._frames is not None:
            self._frames.begin(start.snapshot)
        if self._joints is not None:
            self._joints.begin(start.layout)
        self.offer(start.layout)
        self._scene = start.snapshot
        registry = Registry(
            scenario=start.scenario,
            models=[_model_info(m) for m in start.models],
            layout=json.dumps(layout_to_json(start.layout)),
            source=start.source,
            duration=(start.duration_ns or 0) / 1e9,
            able=able_text(start.able),
            run=self._run,
        )
        self._registry.publish(registry)
        for robot, urdf in start.robot_descriptions.items():
            if robot not in self._descriptions:
                topic = topics.of_robot(topics.ROBOT_DESCRIPTION, robot)
                self._descriptions[robot] = self._publisher(String, topic.name, latched())
            self._descriptions[robot].publish(String(data=urdf))
        self._publish_table(start.snapshot)
        self.stepped(0, start.snapshot)

    def offer(self, layout: Layout) -> None:
        """Offer the topics that depend on what robots there are."""
        self._bases.begin(layout)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Publish state and clock if they are due."""
        self._scene, self._step = scene, step
        if self._every_step or scene.time_ns >= self._next_state_ns:
            self._next_state_ns = scene.time_ns + self._period_ns
            self._publish_state(step, scene)
        self._bases.publish_scans(scene)
        if scene.time_ns >= self._next_marker_ns:
            self._next_marker_ns = scene.time_ns + self._marker_period_ns
            self._show(scene)

    def catch_up(self) -> None:
        """Publish the state of a paused run again, several times a second."""
        now = time.monotonic()
        if self._scene is not None and now >= self._next_paused:
            self._next_paused = now + PAUSED_PERIOD_S
            self._publish_state(self._step, self._scene)
            self._show(self._scene)

    def _publish_state(self, step: int, scene: Snapshot) -> None:
        state = SceneState()
        messages.fill_state(state, scene, step)
        self._state.publish(state)
        if self._joints is not None:
            self._joints.publish(scene)
        self._bases.publish_odometry(scene)
        if self._frames is not None and self._bases.moving:
            self._frames.publish(scene)
        if self._clock is not None:
            clock = Clock()
            messages.fill_time(clock.clock, scene.time_ns)
            self._clock.publish(clock)

    def _show(self, scene: Snapshot) -> None:
        if self._markers is not None and self._marker_topic.get_subscription_count():
            self._marker_topic.publish(self._markers.markers(scene))
        if self._markers is not None and self._contact_topic.get_subscription_count():
            self._contact_topic.publish(self._markers.contacts(scene))
        if self._frames is not None and not self._bases.moving:
            self._frames.publish(scene)

    def event(self, event: Event) -> None:
        """Publish an event."""
        self._events.publish(messages.fill_event(EventMessage(), event))

    def belief(self, event: Event) -> None:
        """Publish nothing: the robot has published it."""

    def handover(self, handover: Handover) -> None:
        """Publish a handover and the new table of responsibilities."""
        message = HandoverMessage(
            entity=handover.entity,
            attribute=handover.attribute,
            from_model=handover.from_model,
            to_model=handover.to_model,
            cause=handover.cause,
            value=messages.doubles(handover.value.data),
            parent=handover.value.parent,
        )
        messages.fill_time(message.stamp, handover.time_ns)
        self._handovers.publish(message)
        if self._scene is not None:
            self._publish_table(self._scene)

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Publish a diagnostic."""
        status = DiagnosticStatus(
            level=LEVELS.get(level, DiagnosticStatus.WARN), name=f"hetwin: {source}", message=text
        )
        message = DiagnosticArray(status=[status])
        messages.fill_time(message.header.stamp, time_ns)
        self._diagnostics.publish(message)

    def ended(self, summary: RunSummary) -> None:
        """Publish how it ended."""
        level = "error" if summary.ended == "failed" else "info"
        text = f"{summary.scenario} ended: {summary.ended}"
        self.note(round(summary.simulated_time * 1e9), level, "conductor", text)

    def _publish_table(self, scene: Snapshot) -> None:
        rows = [
            Responsibility(
                entity=slot.entity, attribute=slot.attribute.name, model=scene.models[owner]
            )
            for slot, owner in zip(scene.layout.slots, scene.owners.tolist(), strict=True)
        ]
        message = Responsibilities(responsibilities=rows)
        messages.fill_time(message.stamp, scene.time_ns)
        self._table.publish(message)


def _model_info(record: ModelRecord) -> Any:
    return ModelInfo(
        id=record.id,
        name=record.name,
        type=record.type,
        kind=record.kind,
        stepping=record.stepping,
        coupling=record.coupling,
        rate=record.rate,
        main=record.main,
        host=record.host,
        pid=record.pid,
    )
