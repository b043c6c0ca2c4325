"""Rows of a run's summary, as in `summary.json` and in the output of ``hetwin run --json``."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.consistency import CONSISTENCY, Consistency
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE


def error_row(error: RunFailed | None) -> dict[str, Json] | None:
    """The row of an error; None if there is none."""
    if error is None:
        return None
    return {
        "model": error.model,
        "call": error.call,
        "time": error.time_ns / 1e9,
        "reason": error.reason,
    }


def handover_row(handover: Handover) -> dict[str, Json]:
    """The row of a handover."""
    return {
        "time": handover.time_ns / 1e9,
        "entity": handover.entity,
        "attribute": handover.attribute,
        "from": handover.from_model,
        "to": handover.to_model,
        "cause": handover.cause,
    }


def robot_rows(first: Snapshot, last: Snapshot) -> list[dict[str, Json]]:
    """The row of each robot.

    Args:
        first, last: the scene at the start and at the end of the run.
    """
    rows: list[dict[str, Json]] = []
    for robot in last.layout.of_kind(EntityKind.ROBOT):
        name = robot.name
        has = last.layout.has
        base: dict[str, Json] | None = None
        if has(name, POSE.name):
            base = {
                "start": first.pose(name)[:7].tolist(),
                "end": last.pose(name)[:7].tolist(),
            }
        consistency: dict[str, Json] | None = None
        if has(name, CONSISTENCY.name):
            consistency = Consistency.of(last.get(name, CONSISTENCY.name)).row()
        rows.append({"name": name, "base": base, "consistency": consistency})
    return rows
