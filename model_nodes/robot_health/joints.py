"""Finds joints beyond the limits of the robot's description, and joints of the twin that deviate from the recording."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.robot_health.lasting import Found, Key, LastingFindings
from model_nodes.robot_health.settings import Scale, Settings
from model_nodes.robot_health.view import View

MAX_RANGE = 1.0
"""Maximum range that is used to scale an excess over a position limit [rad or m]."""
SPEED_DELAY_NS = 60_000_000
"""Minimum duration of an excess of the velocity; a shorter one is noise between two samples [ns]."""
QUANTITIES = ("position", "velocity", "effort")
_UNLIMITED = 1e6
"""Position limit of joints without one [rad or m]."""


class LimitFinder:
    """Raises ``beyond_limit`` with ``joint``, ``quantity`` (one of `QUANTITIES`), ``found``, ``limit``, ``unit``.

    All three quantities of all joints are compared in one array, since most steps find nothing.

    Args:
        settings: scales of the three quantities.
        layout: limits of the joints.
    """

    def __init__(self, settings: Settings, layout: WatchLayout) -> None:
        self._layout, self._joints = layout, layout.joints
        self._scales = settings.position_limit, settings.velocity_limit, settings.effort_limit
        count = len(layout.joints)
        lower, upper = _limits(layout.lower, -_UNLIMITED), _limits(layout.upper, _UNLIMITED)
        width = np.clip(upper - lower, 0.0, MAX_RANGE)
        zeros = np.zeros(count)
        self._centers = np.concatenate([(upper + lower) / 2, zeros, zeros])
        self._half_ranges = np.concatenate([(upper - lower) / 2, zeros, zeros])
        shares = (width, _limits(layout.velocity, 0.0), _limits(layout.effort, 0.0))
        self._per_unit = np.concatenate([_inverse(share) for share in shares])
        self._least = np.repeat([scale.least for scale in self._scales], count)
        self._lasting = (
            LastingFindings("beyond_limit"),
            LastingFindings("beyond_limit", delay_ns=SPEED_DELAY_NS),
            LastingFindings("beyond_limit"),
        )

    def watch(self, view: View) -> list[Event]:
        """Return events about joints beyond a limit; those of efforts are dated back by the delay of the report."""
        report = view.watch
        if report is None:
            return []
        found = self._found(
            np.concatenate((report.recorded, report.recorded_velocities, report.measured_efforts))
        )
        position, velocity, effort = self._lasting
        return [
            *position.update(view.time_ns, found[0]),
            *velocity.update(view.time_ns, found[1]),
            *effort.update(view.time_ns - report.delay_ns, found[2]),
        ]

    def _found(self, values: Floats) -> tuple[dict[Key, Found], ...]:
        """Return the joints beyond a limit, for each quantity."""
        found: tuple[dict[Key, Found], ...] = ({}, {}, {})
        excess = np.abs(values - self._centers) - self._half_ranges
        shares = excess * self._per_unit
        beyond = shares >= self._least
        for i in beyond.nonzero()[0].tolist():
            quantity, joint = divmod(i, len(self._joints))
            severity = self._scales[quantity].severity(float(shares[i]))
            if severity is not None:
                arguments: dict[str, Json] = {
                    "joint": self._joints[joint],
                    "quantity": QUANTITIES[quantity],
                    "found": float(values[i]),
                    "limit": self._limit(i, float(values[i])),
                    "unit": self._layout.unit(self._joints[joint], QUANTITIES[quantity]),
                }
                found[quantity][(joint,)] = Found(severity, float(shares[i]), arguments)
        return found

    def _limit(self, i: int, value: float) -> float:
        if i < len(self._joints):
            side = 1.0 if value > self._centers[i] else -1.0
            return float(self._centers[i] + side * self._half_ranges[i])
        return float(1.0 / self._per_unit[i])


def _limits(limits: Sequence[float | None], none: float) -> Floats:
    """Return limits as numbers, with `none` for those that are None."""
    return np.array([none if limit is None else limit for limit in limits], np.float64)


def _inverse(widths: Floats) -> Floats:
    """Return 1 / width; 0 where the width is 0, so that nothing is beyond it."""
    inverse: Floats = np.divide(1.0, widths, out=np.zeros_like(widths), where=widths > 0.0)
    return inverse


class DeviationFinder:
    """Raises ``deviates`` with ``joint``, ``unit`` and ``deviation``, the twin's position minus the recorded one.

    Args:
        scale: of the deviations.
        layout: names of the joints.
    """

    def __init__(self, scale: Scale, layout: WatchLayout) -> None:
        self._scale, self._least = scale, scale.least
        self._layout, self._joints = layout, layout.joints
        self._lasting = LastingFindings("deviates")

    def watch(self, view: View) -> list[Event]:
        """Return events about joints that deviate; none if the report is about another time than the view."""
        report = view.watch
        if report is None or report.time_ns != view.snapshot.time_ns:
            return []
        deviation = view.positions - report.recorded
        found: dict[Key, Found] = {}
        beyond = np.abs(deviation) >= self._least
        for i in beyond.nonzero()[0].tolist():
            size = abs(float(deviation[i]))
            severity = self._scale.severity(size)
            if severity is not None:
                arguments: dict[str, Json] = {
                    "joint": self._joints[i],
                    "deviation": float(deviation[i]),
                    "unit": self._layout.unit(self._joints[i]),
                }
                found[(self._joints[i],)] = Found(severity, size, arguments)
        return self._lasting.update(view.time_ns, found)
