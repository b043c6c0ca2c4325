"""Publishes the state of a run and its identity: ``hetwin/status`` and ``hetwin/run``."""

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

SEARCH_S = 8.0
"""Time to search for other runs [s]: two nodes may only discover each other at their second announcement."""
QUICK_SEARCH_S = 6.0
"""The same with the profile for quick discovery (`fast_dds_variables`) [s]."""
_REPEAT_S = 0.5
MAX_CONDUCTORS = 100
"""Maximum number of conductors in one namespace whose identities are kept."""


def identity_text(identity: Any) -> str:
    """Describe a run by its identity, e.g. ``3f2a91c0 (process 4711 on host arm2)``."""
    return f"{identity.run} (process {identity.pid} on host {identity.host})"


def identities_qos() -> QoSProfile:
    """QoS to receive all identities: with the depth 1 of a latched topic only the newest would be kept."""
    qos = latched()
    qos.depth = MAX_CONDUCTORS
    return qos


def search_time_s() -> float:
    """Time to search for runs on other machines [s]; 0 if this process's environment excludes other machines."""
    if os.environ.get("ROS_LOCALHOST_ONLY") == "1":
        return 0.0
    if os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") in ("LOCALHOST", "OFF"):
        return 0.0
    return QUICK_SEARCH_S if discovers_quickly() else SEARCH_S


class NamespaceGuard:
    """Publishes the run's identity on ``hetwin/run``, and searches there for other runs in the namespace.

    Args:
        node: the conductor's node.
        run: token of this run.
        search_time_s: time to search for other runs before a run may start [s].
    """

    def __init__(self, node: Any, run: str, search_time_s: float) -> None:
        self._node = node
        self._run = run
        self._search_end_s = time.monotonic() + search_time_s
        self._other_runs: dict[str, Any] = {}
        self._identity = RunIdentity(
            run=run,
            host=socket.gethostname(),
            pid=os.getpid(),
            place=here(),
            looks=search_time_s > 0.0,
        )
        self._topic = node.create_publisher(RunIdentity, RUN.name, latched())
        node.create_subscription(RunIdentity, RUN.name, self._on_identity, identities_qos())
        self._topic.publish(self._identity)
        self._next_publication_s = time.monotonic() + _REPEAT_S

    @property
    def is_searching(self) -> bool:
        """Whether the search for other runs is in progress; no run may start before its end."""
        return bool(self._identity.looks)

    def check(self) -> None:
        """Check for other runs, until the search time is over.

        Raises:
            BadInput: if another run uses the namespace, or has precedence (the smaller token) among those that start.
        """
        if not self.is_searching:
            return
        for other in self._other_runs.values():
            if not other.looks or other.run < self._run:
                raise self._refusal(other)
        now = time.monotonic()
        if now >= self._search_end_s:
            self._identity.looks = False
        elif now < self._next_publication_s:
            return
        self._next_publication_s = now + _REPEAT_S
        self._topic.publish(self._identity)

    def _on_identity(self, other: Any) -> None:
        if other.run == self._run:
            return
        if not self.is_searching and not other.looks and other.run not in self._other_runs:
            self._node.get_logger().error(
                f"another run, {identity_text(other)}, publishes in this namespace too; this is run {self._run}"
            )
        self._other_runs[other.run] = other

    def _refusal(self, other: Any) -> BadInput:
        return taken_by_another(
            self._node.get_namespace(), self._node.context.get_domain_id(), identity_text(other)
        )


PERIOD_S = 0.1


class StatusPublisher(RunListener):
    """Publishes the state of a run every `PERIOD_S` of wall time.

    Args:
        node: the conductor's node.
        run: token of the run.

    Attributes:
        conductor: the run's conductor, once it exists.
    """

    needs_each_state = False

    def __init__(self, node: Any, run: str) -> None:
        self._run = run
        self._topic = node.create_publisher(RunStatus, topics.STATUS.name, latched())
        self._next = 0.0
        self.conductor: Conductor | None = None

    def started(self, start: RunStart) -> None:
        """Publish that the run starts."""
        self._publish(start.snapshot.time_ns)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Publish if the period is over."""
        if time.monotonic() >= self._next:
            self._publish(scene.time_ns)

    def keep_alive(self) -> None:
        """Publish if the period is over, while the run is paused or waits for its pace."""
        scene = None if self.conductor is None else self.conductor.scene
        if scene is not None and time.monotonic() >= self._next:
            self._publish(scene.time_ns)

    def ended(self, summary: RunSummary) -> None:
        """Publish how the run ended."""
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
            fields["phase"] = "paused" if conductor.pausing.counts_as_paused else "running"
            fields["pace"] = conductor.pace.factor or 0.0
            lag_s = conductor.lag_s
            fields["lag"] = -1.0 if lag_s is None else lag_s
        message = RunStatus(**{"lag": -1.0, "run": self._run, **fields})
        fill_time(message.stamp, time_ns)
        self._topic.publish(message)
