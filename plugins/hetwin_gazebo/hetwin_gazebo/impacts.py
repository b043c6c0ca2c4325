"""Contact forces from the change of momentum in a step, and corrections of objects that flew into others.

Gazebo's engines detect a contact only when bodies overlap, by as much as they have moved in the step. DART then
separates them at 1 mm/s, so that a ball dropped from 20 cm would rise for seconds and never come to rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

import numpy as np

from hetwin_gazebo.depenetration import CLEARANCE
from hetwin_gazebo.objects import Objects
from hetwin_gazebo.shadow import Shadow
from hetwin_suite.engine import POSE_SIZE
from hetwin_suite.model import Floats

_IMPACT_SPEED_CHANGE = 0.1
"""Minimum change of velocity by contacts in a step that counts as an impact [m/s]."""
_MIN_OFFSET = 1e-9
"""Distance of a centre of mass from the origin below which it is 0 [m]."""


class Momentum:
    """The momentum of the objects before and after the last step, and the frames before it.

    Args:
        shadow: shadow of the world.
        objects: free bodies.
        period: duration of a step [s].

    Attributes:
        period: the argument.
    """

    def __init__(self, shadow: Shadow, objects: Objects, period: float) -> None:
        self._shadow, self._objects, self.period = shadow, objects, period
        gravity = np.array(shadow.world.gravity)
        self._weights = shadow.masses[:, None] * gravity
        self._fall = (gravity * period).tolist()
        offsets = shadow.mass_offsets()
        offsets[offsets < _MIN_OFFSET] = 0.0
        self._offsets = dict(zip(shadow.tables.free, offsets.tolist(), strict=True))
        self._pushed: Mapping[str, Floats] = {}
        self._frames: Floats = np.zeros((0, POSE_SIZE))
        self._before = self._after = shadow.momenta()

    def begin_step(self, pushed: Mapping[str, Floats]) -> None:
        """Store the state before a step, and the forces on objects in it (the first 3 numbers of each wrench)."""
        self._before, self._pushed = self._shadow.momenta(), pushed
        self._frames = self._shadow.moving_frames()

    @property
    def is_simple(self) -> bool:
        """Whether the centres of mass of all objects are their origins."""
        return not any(self._offsets.values())

    def set_step(self, before: Mapping[str, Floats]) -> None:
        """Store the momenta of the last step, from the objects' (13,) poses and twists before; see `is_simple`."""
        self._after = self._shadow.momenta()
        shadow = self._shadow
        changes = [shadow.poses[name][7:10] - pose[7:10] for name, pose in before.items()]
        self._before, self._pushed = self._after.copy(), {}
        indices = [self._objects.indices[name] for name in before]
        self._before[indices] -= shadow.masses[indices, None] * np.reshape(changes, (-1, 3))

    def end_step(self) -> None:
        """Store the state after a step; the shadow must be up to date."""
        self._after = self._shadow.momenta()

    def contact_forces(self) -> Floats:
        """Return (n, 3) mean contact forces on the objects in the last step [N]; 0 for attached objects."""
        totals: Floats = (self._after - self._before) / self.period - self._weights
        indices = self._objects.indices
        for name, wrench in self._pushed.items():
            totals[indices[name]] -= wrench[:3]
        for name, carrier in self._objects.carriers().items():
            if carrier in indices:
                totals[indices[carrier]] += totals[indices[name]]
            totals[indices[name]] = 0.0
        return totals

    def may_include_impact(self, before: Mapping[str, Floats], after: Mapping[str, Floats]) -> bool:
        """Whether contacts may have struck an object in a step; quicker than `Impacts.shifts`.

        Args:
            before, after: object -> (13,) pose and twist before and after the step.
        """
        fall_x, fall_y, fall_z = self._fall
        for name, pose in after.items():
            x, y, z, *turn = before[name][7:].tolist()
            new_x, new_y, new_z, *new_turn = pose[7:].tolist()
            speed = hypot(new_x - x - fall_x, new_y - y - fall_y, new_z - z - fall_z)
            if offset := self._offsets[name]:
                speed += 2.0 * offset * (hypot(*turn) + hypot(*new_turn))
            if not speed < _IMPACT_SPEED_CHANGE:
                return True
        return False

    def velocity_before(self, frame: int, point: Floats) -> Floats:
        """Return (3,) the velocity before the last step of a frame's material at a point [m/s]."""
        if frame >= len(self._frames):
            return np.zeros(3)
        twist = self._frames[frame]
        found: Floats = twist[7:10] + np.cross(twist[10:13], point - twist[:3])
        return found


_REMAINING_DEPTH = 5e-5
"""Remaining penetration after the correction of an impact [m]."""


class Impacts:
    """Detects the objects that have hit something in the last step."""

    def __init__(self, shadow: Shadow, objects: Objects, momentum: Momentum) -> None:
        self._shadow, self._objects, self._momentum = shadow, objects, momentum
        self._names = tuple(shadow.tables.free)

    def shifts(self) -> dict[str, Floats]:
        """Return object -> (3,) displacement that undoes its penetration [m]."""
        impulses = np.linalg.norm(self._momentum.contact_forces(), axis=1) * self._momentum.period
        struck = np.flatnonzero(impulses > _IMPACT_SPEED_CHANGE * self._shadow.masses).tolist()
        corrections = {
            self._names[i]: self._correction(self._names[i])
            for i in struck
            if self._is_moved_by_physics(i)
        }
        return {name: shift for name, shift in corrections.items() if shift.any()}

    def _is_moved_by_physics(self, number: int) -> bool:
        name = self._names[number]
        frame = self._shadow.tables.frames.index(name)
        return (
            self._shadow.tables.free[name].rigid
            and self._objects.free_object_index(frame) == number
        )

    def _correction(self, name: str) -> Floats:
        shift: Floats = np.zeros(3)
        frames, momentum = self._shadow.tables.body_frames, self._momentum
        for (body, other), nearest in self._shadow.nearest_to(name, CLEARANCE).items():
            frame, other_frame = int(frames[body]), int(frames[other])
            if nearest.distance > -_REMAINING_DEPTH or not self._objects.collide(
                frame, other_frame
            ):
                continue
            normal, point = np.array(nearest.normal), np.array(nearest.point)
            own_speed = -float(momentum.velocity_before(frame, point) @ normal)
            other_speed = float(momentum.velocity_before(other_frame, point) @ normal)
            if own_speed <= 0.0 or own_speed + other_speed <= 0.0:
                continue
            overshoot = min(
                -nearest.distance - _REMAINING_DEPTH, (own_speed + other_speed) * momentum.period
            )
            shift += overshoot * own_speed / (own_speed + max(0.0, other_speed)) * normal
        return shift
