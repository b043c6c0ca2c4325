"""Recorded positions, speeds and efforts beyond the limits of the robot's description."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Watch, WatchLayout
from model_nodes.robot_health.lasting import Found, Key, Lasting
from model_nodes.robot_health.settings import Scale, Settings
from model_nodes.robot_health.view import View

WIDEST = 1.0
"""A range wider than this, in rad or m, counts as this wide."""
SPEED_DELAY_NS = 60_000_000
"""A speed between two noisy samples is no motion."""


class BeyondLimit:
    """Raises ``beyond_limit`` with ``joint``, ``quantity`` (position, velocity or effort), ``found`` and ``limit``.

    Args:
        settings: scales of the three quantities.
        layout: the limits.
    """

    def __init__(self, settings: Settings, layout: WatchLayout) -> None:
        self._joints = layout.joints
        self._position, self._velocity = settings.position_limit, settings.velocity_limit
        self._effort = settings.effort_limit
        self._lower, self._upper = _limits(layout.lower, -np.inf), _limits(layout.upper, np.inf)
        span = self._upper - self._lower
        self._width = np.where(span > 0, np.minimum(span, WIDEST), WIDEST)
        self._speeds = _limits(layout.velocity, np.inf, positive=True)
        self._efforts = _limits(layout.effort, np.inf, positive=True)
        self._lasting = Lasting("beyond_limit")
        self._fast = Lasting("beyond_limit", delay_ns=SPEED_DELAY_NS)

    def watch(self, view: View) -> list[Event]:
        """What is beyond a limit now."""
        report = view.watch
        if report is None:
            return []
        found = self._positions(report)
        found |= self._shares("effort", report.measured_efforts, self._efforts, self._effort)
        speeds = report.recorded_velocities
        fast = self._shares("velocity", speeds, self._speeds, self._velocity)
        now = view.time_ns
        return self._lasting.update(now, found) + self._fast.update(now, fast)

    def _positions(self, report: Watch) -> dict[Key, Found]:
        at = report.recorded
        below, above = self._lower - at, at - self._upper
        share = np.maximum(below, above) / self._width
        found: dict[Key, Found] = {}
        for i in np.flatnonzero(share >= self._position.least).tolist():
            limit = self._lower[i] if below[i] > above[i] else self._upper[i]
            self._add(found, "position", i, self._position, (share[i], at[i], limit))
        return found

    def _shares(self, name: str, values: Floats, limits: Floats, scale: Scale) -> dict[Key, Found]:
        share = np.abs(values) / limits
        found: dict[Key, Found] = {}
        for i in np.flatnonzero(share >= scale.least).tolist():
            self._add(found, name, i, scale, (share[i], values[i], limits[i]))
        return found

    def _add(
        self, found: dict[Key, Found], name: str, joint: int, scale: Scale, numbers: Sequence[float]
    ) -> None:
        share, at, limit = (float(number) for number in numbers)
        severity = scale.severity(share)
        if severity is not None:
            arguments: dict[str, Json] = {
                "joint": self._joints[joint],
                "quantity": name,
                "found": at,
                "limit": limit,
            }
            found[name, joint] = Found(severity, share, arguments)


def _limits(given: Sequence[float | None], none: float, *, positive: bool = False) -> Floats:
    """The limits as numbers, `none` where there is none."""
    return np.array(
        [none if limit is None or (positive and limit <= 0) else limit for limit in given],
        np.float64,
    )
