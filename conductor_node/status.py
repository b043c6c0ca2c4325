"""How a run goes, on ``hetwin/status``."""

from __future__ import annotations

import time
from typing import Any

from hetwin.msg import RunStatus
from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart, RunSummary
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.wire.messages import fill_time
from hetwin_core.wire.publishing import latched

PERIOD_S = 0.1


class StatusPublisher(RunListener):
    """Publishes how a run goes, some times a second of wall time.

    Args:
        node: the conductor's node.
        run: token of the run.

    Attributes:
        conductor: of the run.
    """

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
