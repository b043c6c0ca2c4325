"""Tells the process that watches a run how far it is."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.supervision.heartbeat import STEP, TIME, Heartbeat


class StepCounter(RunListener):
    """Writes the last step and its time into the conductor's row.

    Args:
        heartbeat: shared with the process that watches.
    """

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._row = heartbeat.row(-1)

    def stepped(self, step: int, scene: Snapshot) -> None:
        """A step is done."""
        row = self._row
        row[TIME] = scene.time_ns
        row[STEP] = step
