"""Positions that look as if they were in degrees or millimetres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.recorded import Units
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.joint_facts import SI_PER, JointFacts
from model_nodes.main_physics.sources.joint_series import Series

_BEYOND = 2.0
"""A joint that passes a limit by this factor or more is in other units, or another robot's."""
_TOLERANCE = 1.02
"""In the right units its limits are passed by at most this factor."""


def unlike_si(series: Sequence[Series], facts: JointFacts) -> Iterator[Finding]:
    """Yield which joints pass their limits by so much that their positions look to be in other units.

    All joints of that kind must be within their limits in the other unit, and half of those that move beyond them in
    SI units. The arguments are unit, factor (how many of the unit are one rad or m), joints and topic.
    """
    for unit in Units:
        ratios = _ratios(series, facts, unit)
        beyond = [joint for joint, ratio in ratios.items() if ratio > _BEYOND]
        moving = [joint for joint, ratio in ratios.items() if ratio > 0.0]
        fits = all(ratio * SI_PER[unit] <= _TOLERANCE for ratio in ratios.values())
        if beyond and fits and 2 * len(beyond) >= len(moving):
            topics = {one.topic: None for one in series if not set(beyond).isdisjoint(one.names)}
            arguments: dict[str, Json] = {
                "unit": unit.value,
                "factor": round(1.0 / SI_PER[unit]),
                "topic": ", ".join(topics),
                "joints": list(beyond),
            }
            yield Finding("other_units", 0, 0, arguments)


def _ratios(series: Sequence[Series], facts: JointFacts, unit: Units) -> dict[str, float]:
    """Return joint -> its greatest position in shares of its limit, of the joints that may have this unit."""
    found = {}
    for one in series:
        for column, joint in enumerate(one.names):
            limits = facts.limits(joint)
            if limits is None or facts.slides(joint) is not (unit is Units.MILLIMETRES):
                continue
            limit = max(abs(limits[0]), abs(limits[1]))
            if limit > 0.0:
                found[joint] = float(np.max(np.abs(one.positions[:, column]))) / limit
    return found
