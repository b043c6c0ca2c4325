"""Rows of a run's summary, as in `summary.json` and in the output of ``hetwin run --json``."""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Json


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
