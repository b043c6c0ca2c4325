"""Where measured efforts part from those that the robot's model expects for the recorded motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Watch, WatchLayout
from model_nodes.robot_health.efforts.excursions import Excursion, ExcursionKind, Excursions
from model_nodes.robot_health.efforts.known_touches import KnownTouches
from model_nodes.robot_health.efforts.smoothing import Smoother
from model_nodes.robot_health.efforts.torque_check import TorqueCheck
from model_nodes.robot_health.view import View

BLOCK = 10
"""Reports that are judged at once."""
PUSHED = 0.25
"""A new level counts as something that pushes the robot, and not as a load, from this share of the limit on, unless
the robot began or ceased to touch something that the scene knows."""
MOVING = 0.05
"""A finger moves if it is faster than this share of its largest speed."""
NEAR_S = 0.1
"""A contact or a finger's motion so close to an excursion explains it [s]."""
LOAD_NEAR_S = 1.0
"""A contact so close to a new level explains it [s]."""
GRIPS_KEPT_NS = 2_000_000_000
"""Motions of fingers are remembered for so long [ns]."""
_NO_MOTION = 0.2  # rad/s or m/s, where a finger's largest speed is not known


class UnexpectedEffort:
    """Raises ``unexpected_effort``, ``unexplained_load`` and ``effort_no_torque``.

    The residual is the measured effort minus the expected one, both smoothed (`smoothing`). A joint without a limit of
    its effort, and one that never measures any, is not judged. What a finger feels while it moves, or while its hand
    begins or ceases to touch something, is its grip.

    Args:
        layout: the scene's.
        watched: the robot.

    Attributes:
        residual: (n,) the newest residual [Nm or N], NaN where it is unknown; `delay_ns` old.
        delay_ns: age of the residual [ns].
    """

    def __init__(self, layout: Layout, watched: WatchLayout) -> None:
        self._watched = watched
        count = len(watched.joints)
        self._scale = np.array([np.nan if limit is None else limit for limit in watched.effort])
        self._hand = _hands(layout, watched)
        self._arm = self._hand < 0
        speeds = [_NO_MOTION / MOVING if limit is None else limit for limit in watched.velocity]
        self._finger_speed = np.where(self._arm, np.inf, MOVING * np.array(speeds))
        self._touches = KnownTouches(layout)
        self._torque = TorqueCheck()
        self._said_no_torque = False
        self._last_ns: int | None = None
        self._smoother: Smoother | None = None
        self._block = np.empty((2, BLOCK, count))
        self._times: list[int] = []
        self._grips: list[tuple[int, int]] = []  # when fingers moved, and of which hand
        self._levels: dict[int, Excursion] = {}
        self._kinds: dict[int, tuple[str, str]] = {}
        self.residual: Floats = np.full(count, np.nan)
        self.delay_ns = 0

    def watch(self, view: View) -> list[Event]:
        """Update with a view; returns what stood out."""
        watch = view.watch
        if watch is None:
            return []
        self._touches.update(view.time_ns, view.snapshot.proximity, watch)
        if self._smoother is None and not self._begin(watch):
            return []
        self._add(watch)
        return self._judge() if len(self._times) == BLOCK else []

    def _begin(self, watch: Watch) -> bool:
        """Learn the period of the reports from the first two."""
        last, self._last_ns = self._last_ns, watch.time_ns
        if last is None:
            return False
        period_ns = watch.time_ns - last
        self._smoother = Smoother(len(self._scale), period_ns)
        self._excursions = Excursions(len(self._scale), period_ns)
        self.delay_ns = self._smoother.delay_ns
        return True

    def _add(self, watch: Watch) -> None:
        assert self._smoother is not None
        row = len(self._times)
        measured, expected = self._smoother.add(watch.measured_efforts, watch.expected_efforts)
        self._block[0, row], self._block[1, row] = measured, expected
        self._times.append(watch.time_ns - self.delay_ns)
        np.subtract(measured, expected, out=self.residual)
        if self._said_no_torque:
            self.residual[:] = np.nan
        moving = np.abs(watch.recorded_velocities) > self._finger_speed
        if moving.any():
            self._grips += [(watch.time_ns, hand) for hand in set(self._hand[moving].tolist())]

    def _judge(self) -> list[Event]:
        times, self._times = self._times, []
        shares = self._block / self._scale
        if not self._torque.decided:
            arms = shares[:, :, self._arm]
            self._torque.add(arms[0], arms[1])
        if not self._torque.is_torque:
            return self._no_torque(times[-1])
        found = self._excursions.add(times, shares[0] - shares[1])
        events = [event for one in found for event in self._events(one)]
        self._grips = [grip for grip in self._grips if grip[0] > times[0] - GRIPS_KEPT_NS]
        return events

    def _no_torque(self, time_ns: int) -> list[Event]:
        if self._said_no_torque:
            return []
        self._said_no_torque = True
        self.residual[:] = np.nan
        arguments: dict[str, Json] = {
            "robot": self._watched.robot,
            "ratio": self._torque.ratio,
            "severity": "note",
        }
        return [Event("effort_no_torque", time_ns, arguments=arguments)]

    def _events(self, found: Excursion) -> list[Event]:
        if found.kind is ExcursionKind.LEVEL:
            return self._level(found)
        explained = self._explained(found, NEAR_S)
        if explained and not self._arm[found.joint]:
            return []
        severity = "note" if explained else "warning"
        return [self._event("unexpected_effort", severity, found, found.to_ns)]

    def _level(self, found: Excursion) -> list[Event]:
        """What was put on a joint, or taken off again."""
        joint = found.joint
        if not self._arm[joint]:
            return []
        before = self._levels.pop(joint, None)
        if before is not None and before.size * found.size < 0.0:
            return [self._event(*self._kinds.pop(joint), before, found.from_ns)]
        if before is not None:  # more of the same
            self._levels[joint] = before
            return []
        pushed = abs(found.size) >= PUSHED and not self._explained(found, LOAD_NEAR_S)
        kind = ("unexpected_effort", "warning") if pushed else ("unexplained_load", "note")
        self._levels[joint], self._kinds[joint] = found, kind
        return [self._event(*kind, found)]

    def _explained(self, found: Excursion, near_s: float) -> bool:
        near_ns = round(near_s * 1e9)
        from_ns, to_ns = found.from_ns - near_ns, found.to_ns + near_ns
        hand = int(self._hand[found.joint])
        if any(from_ns <= time_ns <= to_ns for time_ns, moved in self._grips if moved == hand):
            return True
        return self._touches.changed(from_ns, to_ns)

    def _event(
        self, name: str, severity: str, found: Excursion, to_ns: int | None = None
    ) -> Event:
        arguments: dict[str, Json] = {
            "joint": self._watched.joints[found.joint],
            "residual": found.size * float(self._scale[found.joint]),
            "share": abs(found.size),
            "severity": severity,
            "from": found.from_ns / 1e9,
        }
        if to_ns is not None:
            arguments["to"] = to_ns / 1e9
        return Event(name, found.from_ns, arguments=arguments)


def _hands(layout: Layout, watched: WatchLayout) -> NDArray[np.intp]:
    """(n,) which hand each joint is a finger of, -1 for none."""
    hands = layout.of_kind(EntityKind.HAND)
    of = {joint: i for i, hand in enumerate(hands) for joint in hand.joints}
    return np.array([of.get(joint, -1) for joint in watched.joints], np.intp)
