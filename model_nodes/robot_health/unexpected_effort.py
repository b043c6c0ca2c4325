"""Finds measured efforts that deviate from those that the robot's model expects for the recorded motion."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Watch, WatchLayout
from model_nodes.robot_health.effort_residuals import (
    Excursion,
    ExcursionKind,
    Excursions,
    TorqueCheck,
)
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.view import View, is_of_hand

TOUCHING = 0.001
"""Maximum distance of bodies that touch [m]."""
CHATTER_S = 0.5
"""Maximum interruption that does not end a contact [s]."""
KEPT_S = 4.0
"""Time for which contacts are remembered [s]."""


class KnownTouches:
    """Remembers the main model's reports, and finds in them when contacts of the robot's links changed.

    Reports are only searched on a call of `changed`, which is rare.

    Args:
        layout: of the scene.
    """

    def __init__(self, layout: Layout) -> None:
        self._is_link = np.array([e.kind is EntityKind.LINK for e in layout.entities], np.bool_)
        self._is_of_hand = is_of_hand(layout)
        self._reports: deque[tuple[int, Floats, Floats]] = deque()

    def update(self, time_ns: int, proximity: Floats, watch: Watch) -> None:
        """Add the contacts at a time [ns]."""
        self._reports.append((time_ns, proximity[:, :3].copy(), watch.clearances[:, :3].copy()))
        if time_ns - self._reports[0][0] > KEPT_S * 1e9:
            self._reports.popleft()

    def changed(self, from_ns: int, to_ns: int, *, grips: bool) -> bool:
        """Return whether a contact started or ended within an interval.

        Args:
            from_ns, to_ns: the interval, within the last `KEPT_S` [ns].
            grips: whether contacts of hands with objects count.
        """
        changes = self._change_times(from_ns, to_ns, grips)
        return any(from_ns <= change <= to_ns for change in changes)

    def _change_times(self, from_ns: int, to_ns: int, grips: bool) -> Iterator[int]:
        """Yield times at which contacts near an interval changed [ns]; those in the oldest report started earlier."""
        chatter_ns = round(CHATTER_S * 1e9)
        last_ns: dict[tuple[int, int], int] = {}
        first_ns = newest_ns = self._reports[0][0] if self._reports else 0
        for time_ns, objects, bodies in self._reports:
            if not from_ns - chatter_ns <= time_ns <= to_ns + chatter_ns:
                continue
            newest_ns = time_ns
            for pair in {*self._touching(objects, grips), *self._touching(bodies, grips=True)}:
                before_ns = last_ns.get(pair)
                if before_ns is not None and time_ns - before_ns > chatter_ns:
                    yield before_ns
                if time_ns > first_ns and (before_ns is None or time_ns - before_ns > chatter_ns):
                    yield time_ns
                last_ns[pair] = time_ns
        yield from (last for last in last_ns.values() if last < newest_ns)

    def _touching(self, table: Floats, grips: bool) -> list[tuple[int, int]]:
        """Return the touching pairs, one of which is a link of the robot, in a table of (entity, entity, distance)."""
        if not len(table):
            return []
        entities = table[:, :2].astype(np.intp)
        is_counted = self._is_link if grips else self._is_link & ~self._is_of_hand
        touches = is_counted[entities].any(axis=1) & (table[:, 2] <= TOUCHING)
        return [(a, b) for a, b in entities[touches].tolist()]


BLOCK = 10
"""Number of reports that are judged at once."""
MEAN_S = 0.1
"""Residuals are averaged over this time [s]."""
MOVING = 0.1
"""Minimum speed of a moving finger, in two or more reports, as a fraction of its velocity limit."""
NEAR_S = 0.1
"""Maximum time between an excursion and a contact or a finger's motion that explains it [s]."""
LOAD_NEAR_S = 1.0
"""Maximum time between a new level and a contact that explains it [s]."""
BROKEN_NS = 200_000_000
"""Excursions within this time of a jump or a gap of the recording are ignored [ns]."""
VELOCITIES_KEPT_NS = 2_000_000_000
"""Time for which velocities are remembered [ns]."""
_MIN_SPEED = 0.2  # rad/s or m/s, for fingers without a velocity limit


class UnexpectedEffort:
    """Raises ``unexpected_effort``, ``unexplained_load``, ``no_friction`` and ``effort_no_torque``.

    The residual is the measured effort minus the expected one, averaged over `MEAN_S`. Joints without an effort limit,
    and joints whose efforts are all 0, are not judged. A finger's residual is attributed to its grip while the finger
    moves, or while its hand starts or ceases to touch something.

    On recordings of three real arms, and of compliant simulated ones with intended touches, no pulse of a residual
    exceeds 0.076 of the limit.

    Args:
        settings: scales of the events.
        layout: of the scene.
        watched: the one robot whose efforts the views report.
    """

    def __init__(self, settings: Settings, layout: Layout, watched: WatchLayout) -> None:
        self._pulse, self._load = settings.unexpected_effort, settings.unexplained_load
        self._watched = watched
        self._scale = np.array([np.nan if limit is None else limit for limit in watched.effort])
        self._measured = np.zeros(len(watched.joints), np.bool_)
        self._hand_index = _hand_indices(layout, watched)
        self._is_arm = self._hand_index < 0
        speeds = [_MIN_SPEED / MOVING if limit is None else limit for limit in watched.velocity]
        self._finger_speed = np.where(self._is_arm, np.inf, MOVING * np.array(speeds))
        self._contacts = KnownTouches(layout)
        self._torque = TorqueCheck()
        self._reported_no_torque = False
        self._frictionless = bool(watched.rubs) and not any(watched.rubs)
        self._last_ns: int | None = None
        self._excursions: Excursions | None = None
        self._times: list[int] = []
        self._velocities: deque[tuple[int, Floats]] = deque()
        self._levels: dict[int, Excursion] = {}
        self._kinds: dict[int, tuple[str, Severity]] = {}

    @property
    def is_torque(self) -> bool:
        """Whether the recorded efforts are torques, as far as is known."""
        return self._torque.is_torque

    def watch(self, view: View) -> list[Event]:
        """Update with a view; returns events about the excursions."""
        watch = view.watch
        if watch is None:
            return []
        self._contacts.update(view.time_ns, view.snapshot.proximity, watch)
        excursions = self._excursions or self._create_buffers(watch)
        if excursions is None or not np.count_nonzero(np.isfinite(watch.measured_efforts)):
            return []
        row = self._overlap + len(self._times)
        self._block[0, row], self._block[1, row] = watch.measured_efforts, watch.expected_efforts
        self._times.append(watch.time_ns - watch.delay_ns - self._lag_ns)
        self._velocities.append((watch.time_ns, watch.recorded_velocities.copy()))
        return self._judge(excursions) if len(self._times) == BLOCK else []

    def _create_buffers(self, watch: Watch) -> Excursions | None:
        """Create the buffers, once two reports have shown their period; None before."""
        last, self._last_ns = self._last_ns, watch.time_ns
        if last is None:
            return None
        period_ns = watch.time_ns - last
        half = round(0.5e9 * MEAN_S / period_ns)
        self._overlap, self._lag_ns = 2 * half, half * period_ns
        count = len(self._scale)
        self._block = np.full((2, self._overlap + BLOCK, count), np.nan)
        min_size = min(self._pulse.least, self._load.least)
        self._excursions = Excursions(count, period_ns, min_size)
        return self._excursions

    def _judge(self, excursions: Excursions) -> list[Event]:
        """Judge a block of reports."""
        times, self._times = self._times, []
        self._measured |= (self._block[0, self._overlap :] != 0.0).any(axis=0)
        shares = self._block / np.where(self._measured, self._scale, np.nan)
        self._block[:, : self._overlap] = self._block[:, BLOCK:]
        if not self._torque.decided:
            self._torque.add(*shares[:, self._overlap :, self._is_arm])
        if not self._torque.is_torque:
            return self._no_torque_event(times[-1])
        residual = shares[0] - shares[1]
        windows = [residual[i : i + BLOCK] for i in range(self._overlap + 1)]
        excursions_found = excursions.add(times, sum(windows[1:], windows[0]) / len(windows))
        events = [event for excursion in excursions_found for event in self._events(excursion)]
        if self._frictionless and any(event.arguments["severity"] != "note" for event in events):
            self._frictionless = False
            events.append(self._no_friction_event(times[-1]))
        while times[0] - self._velocities[0][0] > VELOCITIES_KEPT_NS:
            self._velocities.popleft()
        return events

    def _no_torque_event(self, time_ns: int) -> list[Event]:
        if self._reported_no_torque:
            return []
        self._reported_no_torque = True
        arguments: dict[str, Json] = {
            "robot": self._watched.robots[0][0],
            "ratio": self._torque.ratio,
            "severity": "note",
        }
        return [Event("effort_no_torque", time_ns, arguments=arguments)]

    def _no_friction_event(self, time_ns: int) -> Event:
        robot = self._watched.robots[0][0]
        return Event("no_friction", time_ns, arguments={"robot": robot, "severity": "note"})

    def _events(self, excursion: Excursion) -> list[Event]:
        if self._is_recording_artifact(excursion):
            return []
        if excursion.kind is ExcursionKind.LEVEL:
            return self._load_events(excursion)
        severity = self._pulse.severity(abs(excursion.size))
        if severity is Severity.WARNING and self._is_explained(
            excursion, NEAR_S, grips=not self._is_arm[excursion.joint]
        ):
            severity = Severity.NOTE if self._is_arm[excursion.joint] else None
        if severity is None:
            return []
        return [self._event("unexpected_effort", severity, excursion, excursion.to_ns)]

    def _load_events(self, excursion: Excursion) -> list[Event]:
        """Return events about a load that was added to a joint, or removed again."""
        joint = excursion.joint
        if not self._is_arm[joint]:
            return []
        previous = self._levels.pop(joint, None)
        if previous is not None and previous.size * excursion.size < 0.0:
            return [self._event(*self._kinds.pop(joint), previous, excursion.from_ns)]
        if previous is not None:  # more of the same
            self._levels[joint] = previous
            return []
        severity = self._load.severity(abs(excursion.size))
        if severity is None:
            return []
        if severity is not Severity.NOTE and self._is_explained(excursion, LOAD_NEAR_S, grips=True):
            severity = Severity.NOTE
        name = "unexplained_load" if severity is Severity.NOTE else "unexpected_effort"
        self._levels[joint], self._kinds[joint] = excursion, (name, severity)
        return [self._event(name, severity, excursion)]

    def _is_recording_artifact(self, excursion: Excursion) -> bool:
        """Return whether the recording has a jump or a gap near an excursion, so that no effort can be expected."""
        from_ns, to_ns = excursion.from_ns - BROKEN_NS, excursion.to_ns + BROKEN_NS
        return any(
            from_ns <= finding.to_ns and finding.from_ns <= to_ns
            for finding in self._watched.findings
            if finding.name in ("jump", "gap")
        )

    def _is_explained(self, excursion: Excursion, near_s: float, *, grips: bool) -> bool:
        near_ns = round(near_s * 1e9)
        from_ns, to_ns = excursion.from_ns - near_ns, excursion.to_ns + near_ns
        hand = int(self._hand_index[excursion.joint])
        if hand >= 0 and self._moves(self._hand_index == hand, from_ns, to_ns):
            return True
        return self._contacts.changed(from_ns, to_ns, grips=grips)

    def _moves(self, fingers: NDArray[np.bool_], from_ns: int, to_ns: int) -> bool:
        """Return whether any of some fingers moves within an interval, in more than one report."""
        min_speeds = self._finger_speed[fingers]
        moving = (
            bool((np.abs(velocities[fingers]) > min_speeds).any())
            for time_ns, velocities in self._velocities
            if from_ns <= time_ns <= to_ns
        )
        return sum(moving) > 1

    def _event(
        self, name: str, severity: Severity, excursion: Excursion, to_ns: int | None = None
    ) -> Event:
        arguments: dict[str, Json] = {
            "joint": self._watched.joints[excursion.joint],
            "residual": excursion.size * float(self._scale[excursion.joint]),
            "unit": self._watched.unit(self._watched.joints[excursion.joint], "effort"),
            "share": abs(excursion.size),
            "severity": severity.value,
            "from": excursion.from_ns / 1e9,
        }
        if to_ns is not None:
            arguments["to"] = to_ns / 1e9
        return Event(name, excursion.from_ns, arguments=arguments)


def _hand_indices(layout: Layout, watched: WatchLayout) -> NDArray[np.intp]:
    """Return (n,) index of the hand that each joint is a finger of, -1 for none."""
    hands = layout.of_kind(EntityKind.HAND)
    hand_of_joint = {joint: i for i, hand in enumerate(hands) for joint in hand.joints}
    return np.array([hand_of_joint.get(joint, -1) for joint in watched.joints], np.intp)
