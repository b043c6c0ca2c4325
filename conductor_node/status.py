"""How a run goes, on ``hetwin/status``."""

from __future__ import annotations

import os
import socket
import time
from typing import Any

from rclpy.qos import QoSProfile

from conductor_node.shared_memory import discovers_quickly
from hetwin.msg import RunIdentity, RunStatus
from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import (
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.supervision.watched import here
from hetwin_core.ensemble.topics import RUN
from hetwin_core.wire.messages import fill_time
from hetwin_core.wire.publishing import latched
from hetwin_core.wire.run_identity import taken_by_another

LOOK_S = 8.0
"""Longer than two nodes on one network need to discover each other, which may be at their second announcement."""
QUICK_LOOK_S = 6.0
"""The same with the profile for quick discovery (`fast_dds`)."""
_REPEAT_S = 0.5
MOST = 100
"""Conductors of one namespace that are heard at the same time."""


def in_words(identity: Any) -> str:
    """A run that was heard of, e.g. ``3f2a91c0 (process 4711 on host arm2)``."""
    return f"{identity.run} (process {identity.pid} on host {identity.host})"


def of_all() -> QoSProfile:
    """The QoS with which all identities are heard: with the depth of a latched topic one would hide the others."""
    qos = latched()
    qos.depth = MOST
    return qos


def look_s() -> float:
    """How long to look for runs on other machines; 0 where this process's environment discovers none [s]."""
    if os.environ.get("ROS_LOCALHOST_ONLY") == "1":
        return 0.0
    if os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") in ("LOCALHOST", "OFF"):
        return 0.0
    return QUICK_LOOK_S if discovers_quickly() else LOOK_S


class Presence:
    """Publishes the run's identity on ``hetwin/run``, and listens for others there.

    Args:
        node: the conductor's.
        run: its token.
        look_s: how long to look for others before anything begins [s].
    """

    def __init__(self, node: Any, run: str, look_s: float) -> None:
        self._node = node
        self._run = run
        self._until = time.monotonic() + look_s
        self._others: dict[str, Any] = {}
        self._identity = RunIdentity(
            run=run, host=socket.gethostname(), pid=os.getpid(), place=here(), looks=look_s > 0.0
        )
        self._topic = node.create_publisher(RunIdentity, RUN.name, latched())
        node.create_subscription(RunIdentity, RUN.name, self._on_identity, of_all())
        self._topic.publish(self._identity)
        self._again = time.monotonic() + _REPEAT_S

    @property
    def looks(self) -> bool:
        """Whether it still looks around; nothing may begin before it has."""
        return bool(self._identity.looks)

    def look(self) -> None:
        """Look once more, if it still looks around.

        Raises:
            BadInput: if another run has the namespace, or gets it.
        """
        if not self.looks:
            return
        for other in self._others.values():
            if not other.looks or other.run < self._run:
                raise self._refusal(other)
        now = time.monotonic()
        if now >= self._until:
            self._identity.looks = False
        elif now < self._again:
            return
        self._again = now + _REPEAT_S
        self._topic.publish(self._identity)

    def _on_identity(self, other: Any) -> None:
        if other.run == self._run:
            return
        if not self.looks and not other.looks and other.run not in self._others:
            self._node.get_logger().error(
                f"another run, {in_words(other)}, publishes in this namespace too; this is run {self._run}"
            )
        self._others[other.run] = other

    def _refusal(self, other: Any) -> BadInput:
        return taken_by_another(
            self._node.get_namespace(), self._node.context.get_domain_id(), in_words(other)
        )


PERIOD_S = 0.1


class StatusPublisher(RunListener):
    """Publishes how a run goes, some times a second of wall time.

    Args:
        node: the conductor's node.
        run: token of the run.

    Attributes:
        conductor: of the run.
    """

    needs_each_state = False

    def __init__(self, node: Any, run: str) -> None:
        self._run = run
        self._topic = node.create_publisher(RunStatus, topics.STATUS.name, latched())
        self._next = 0.0
        self.conductor: Conductor | None = None

    def started(self, start: RunStart) -> None:
        """Publish that it begins."""
        self._publish(start.snapshot.time_ns)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Publish if it is time to."""
        if time.monotonic() >= self._next:
            self._publish(scene.time_ns)

    def catch_up(self) -> None:
        """Publish if it is time to, while the run is paused or waits for its pace."""
        scene = None if self.conductor is None else self.conductor.scene
        if scene is not None and time.monotonic() >= self._next:
            self._publish(scene.time_ns)

    def ended(self, summary: RunSummary) -> None:
        """Publish how it ended."""
        reason = "" if summary.error is None else str(summary.error.get("reason", ""))
        self._publish(
            round(summary.simulated_time * 1e9),
            phase="over",
            ended=summary.ended,
            reason=reason,
            deterministic=summary.deterministic,
        )

    def _publish(self, time_ns: int, **fields: Any) -> None:
        self._next = time.monotonic() + PERIOD_S
        conductor = self.conductor
        if conductor is not None and "phase" not in fields:
            fields["phase"] = "paused" if conductor.pausing.stands else "running"
            fields["pace"] = conductor.pace.factor or 0.0
            lag_s = conductor.lag_s
            fields["lag"] = -1.0 if lag_s is None else lag_s
        message = RunStatus(**{"lag": -1.0, "run": self._run, **fields})
        fill_time(message.stamp, time_ns)
        self._topic.publish(message)
