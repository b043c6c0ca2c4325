"""When the recordings of several robots begin, by the clocks with which they were made."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.plan import Plan


def begins_of(plans: Mapping[str, Plan]) -> dict[str, int]:
    """Return robot -> the run time at which its recording begins [ns]; live robots begin together.

    Raises:
        BadInput: if some are recorded and others live, or recordings were not made at the same time.
    """
    starts = {robot: one.start_ns for robot, one in plans.items()}
    live = [robot for robot, start in starts.items() if start is None]
    recorded = {robot: start for robot, start in starts.items() if start is not None}
    if live and recorded:
        raise BadInput(
            "one robot is recorded and another one is not",
            where=f"robots.{live[0]}.source",
            expected="recordings of all robots, or none",
        )
    if not recorded:
        return dict.fromkeys(plans, 0)
    first = min(recorded.values())
    for robot, start in recorded.items():
        for other, other_start in recorded.items():
            end = other_start + (plans[other].duration_ns or 0)
            if start > end:
                raise BadInput(
                    f"this recording begins {(start - end) / 1e9:.3f} s after that of {other} ended, by the clocks of"
                    " the robots",
                    where=f"robots.{robot}.source",
                    expected="recordings of the same time; clock_offset: SECONDS in a source corrects a clock",
                )
    return {robot: start - first for robot, start in recorded.items()}
