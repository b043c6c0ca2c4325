"""Whether a plan keeps the limits of its joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.commanding.commanded import Commanded
from hetwin_suite.commanding.plan import Plan
from hetwin_suite.commanding.refusal import Refusal, Rule

_PERIOD = 0.002
"""Between the looks at a motion [s]."""
_ROUNDING = 1e-6
"""Beyond a limit by less is rounding [rad or m]; relative for velocities."""


def joint_refusals(plan: Plan, commanded: Commanded) -> list[Refusal]:
    """Return where a plan first leaves the limits of each joint, of position and of velocity.

    A joint that stands beyond a limit at the start may stay there and come back, but not go further.
    """
    times = np.linspace(0.0, plan.duration, max(2, int(plan.duration / _PERIOD) + 1))
    positions, velocities, _ = plan.sample(times)
    lower = np.minimum(commanded.lower, plan.start) - _ROUNDING
    upper = np.maximum(commanded.upper, plan.start) + _ROUNDING
    outside = (positions < lower) | (positions > upper)
    fast = np.abs(velocities) > commanded.speed * (1.0 + _ROUNDING)
    return [
        *_first(outside, times, positions, plan, Rule.POSITION, _ranges(commanded)),
        *_first(fast, times, np.abs(velocities), plan, Rule.VELOCITY, commanded.speed.tolist()),
    ]


def _first(
    broken: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    times: Floats,
    values: Floats,
    plan: Plan,
    rule: Rule,
    allowed: list[Json],
) -> Iterator[Refusal]:
    """For each joint that breaks a rule at some time: when first, and its worst value."""
    for i in np.flatnonzero(broken.any(axis=0)).tolist():
        at = float(times[int(broken[:, i].argmax())])
        bad = values[broken[:, i], i]
        middle = float(plan.start[i]) if rule is Rule.POSITION else 0.0
        worst = float(bad[np.abs(bad - middle).argmax()])
        yield Refusal(rule, plan.names[i], at, round(worst, 6), allowed[i])


def _ranges(commanded: Commanded) -> list[Json]:
    limits = zip(commanded.lower.tolist(), commanded.upper.tolist(), strict=True)
    return [
        [None if np.isinf(lower) else lower, None if np.isinf(upper) else upper]
        for lower, upper in limits
    ]
