"""Resolves the penetrations of objects that are handed back to physics, without ejecting them.

An object that penetrates a robot is replaced by a proxy that passes through robots until the two are 1 mm apart, for at
most 0.5 s. DART resolves the remaining penetrations, and those of other bodies, at 1 mm/s; in addition the object is
moved out along the contact normals at 1 cm/s. bullet-featherstone separates bodies faster the deeper they overlap;
speed that it adds along the normals beyond 1 cm/s is removed again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hetwin_gazebo.shadow import Shadow
from hetwin_suite.engine import BodyKind, Nearest, Remark
from hetwin_suite.model import Floats

CLEARANCE = 1e-3
"""Distance from robots at which a returned object collides with them again [m]."""
PASSING_TIME = 0.5
"""Maximum time for which a returned object passes through robots [s]."""
SEPARATION_SPEED = 0.01
"""Speed at which an object is moved out [m/s]."""
_RESTING_DEPTH = 1e-4
"""Depth of resting contacts; deeper penetrations are resolved [m]."""


@dataclass(slots=True)
class _Monitored:
    deadline: float
    velocity: Floats
    """Velocity after the last step [m/s]."""
    passed_links: set[int] = field(default_factory=set)
    """Links of robots that the object passes through."""


class Depenetration:
    """The objects that were handed back and still penetrate other bodies."""

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow
        self._monitored: dict[str, _Monitored] = {}
        self._remarks: list[Remark] = []

    @property
    def any(self) -> bool:
        """Whether any object is monitored."""
        return bool(self._monitored)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the monitored objects."""
        return tuple(self._monitored)

    @property
    def passing(self) -> frozenset[str]:
        """The objects that currently pass through robots."""
        return frozenset(name for name, r in self._monitored.items() if r.passed_links)

    def monitor(self, name: str, time: float) -> None:
        """Monitor an object that is handed back at `time` [s]; the shadow must be up to date."""
        self.end(name)
        monitored = _Monitored(time + PASSING_TIME, self._shadow.poses[name][7:10])
        overlaps = False
        for (_, other), nearest in self._shadow.nearest_to(name, CLEARANCE).items():
            if nearest.distance >= 0:
                continue
            if self._shadow.tables.body_kinds[other] is BodyKind.DRIVEN:
                monitored.passed_links.add(other)
                self._remark_overlap(name, other, nearest, "they do not collide for now")
            elif nearest.distance < -_RESTING_DEPTH:
                overlaps = True
                self._remark_overlap(name, other, nearest, "they are parted slowly")
        if monitored.passed_links or overlaps:
            self._monitored[name] = monitored

    def end(self, name: str) -> None:
        """Stop monitoring an object."""
        self._monitored.pop(name, None)

    def corrected_poses(self, time: float, period: float) -> dict[str, Floats]:
        """Return object -> (13,) corrected pose and twist at this time."""
        poses: dict[str, Floats] = {}
        for name, monitored in list(self._monitored.items()):
            near = {
                other: nearest
                for (_, other), nearest in self._shadow.nearest_to(name, CLEARANCE).items()
            }
            self._end_passing(name, monitored, near, time)
            colliding = [n for other, n in near.items() if other not in monitored.passed_links]
            deep = [nearest for nearest in colliding if nearest.distance < -_RESTING_DEPTH]
            if deep:
                poses[name] = _separated(self._shadow.poses[name], monitored.velocity, deep, period)
                monitored.velocity = poses[name][7:10]
            elif not monitored.passed_links:
                del self._monitored[name]
            else:
                monitored.velocity = self._shadow.poses[name][7:10]
        return poses

    def _end_passing(
        self, name: str, monitored: _Monitored, near: dict[int, Nearest], time: float
    ) -> None:
        for other in sorted(monitored.passed_links):
            if other not in near:
                monitored.passed_links.discard(other)
                self._add_remark(
                    name, other, f"are {1e3 * CLEARANCE:g} mm apart; they collide again"
                )
            elif time >= monitored.deadline:
                monitored.passed_links.discard(other)
                if near[other].distance < -_RESTING_DEPTH:
                    self._remark_overlap(name, other, near[other], "they are parted slowly")
                else:
                    self._add_remark(name, other, "collide again")

    def _remark_overlap(self, name: str, other: int, nearest: Nearest, what: str) -> None:
        self._add_remark(name, other, f"overlap by {-1e3 * nearest.distance:.2f} mm; {what}")

    def _add_remark(self, name: str, other: int, text: str) -> None:
        tables = self._shadow.tables
        self._remarks.append(Remark(name, tables.frames[tables.body_frames[other]], text))

    def take_remarks(self) -> list[Remark]:
        """Return the remarks since the last call."""
        remarks, self._remarks = self._remarks, []
        return remarks

    def save(self) -> object:
        """Return the state for `restore`."""
        return {
            n: _Monitored(r.deadline, r.velocity, set(r.passed_links))
            for n, r in self._monitored.items()
        }

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, dict)
        self._monitored = {
            n: _Monitored(r.deadline, r.velocity, set(r.passed_links)) for n, r in state.items()
        }


def _separated(
    pose: Floats, velocity: Floats, penetrations: list[Nearest], period: float
) -> Floats:
    """Return (13,) an object's pose and twist moved along the normals of deep penetrations.

    Args:
        pose: (13,) pose and twist of the object after a step.
        velocity: (3,) its velocity before that step [m/s].
        penetrations: penetrations to resolve.
        period: duration of the step [s].
    """
    moved = pose.copy()
    for nearest in penetrations:
        normal = np.array(nearest.normal)
        allowed = max(SEPARATION_SPEED, float(velocity @ normal))
        excess = max(0.0, float(moved[7:10] @ normal) - allowed)
        moved[7:10] -= excess * normal
        moved[:3] += (min(SEPARATION_SPEED * period, -nearest.distance) - excess * period) * normal
    return moved
