"""What Gazebo is told before one of its steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.proxies.collision_masks import Form
from model_nodes.main_physics.engines.gz.proxies.proxy import Twin
from model_nodes.main_physics.engines.gz.simulation import Simulation

_STILL = 1e-9
"""A joint that shall move slower than this brakes instead [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class Orders:
    """Commands for joints and objects.

    Attributes:
        seconds: length of the step.
        target: (n,) where the driven joints shall be after the step.
        positions, velocities: of all joints before it, the driven ones first.
        reset: put the joints there first.
        stiff: which of the joints that are not driven hold still.
        active: the form of each object.
        placed: (13,) pose and twist to put an object at first.
        begins, ends: (13,) where objects that are told shall be before and after the step.
        wrenches: (6,) force [N] and torque [Nm] on an object, along the world's axes.
    """

    seconds: float
    target: Floats
    positions: Floats
    velocities: Floats
    reset: bool
    stiff: Collection[int]
    active: Mapping[str, Form | None]
    placed: Mapping[str, Floats]
    begins: Mapping[str, Floats]
    ends: Mapping[str, Floats]
    wrenches: Mapping[str, Floats]

    def give(self, ecm: Any, simulation: Simulation) -> None:
        """Tell Gazebo."""
        self._joints(ecm, simulation.joints)
        for (name, form), twin in simulation.twins.items():
            if form is self.active[name]:
                self._object(ecm, name, form, twin)
            else:
                twin.park(ecm)

    def _joints(self, ecm: Any, joints: Sequence[Any]) -> None:
        # The speed that leads there in one step: what was recorded is fed forward.
        speeds = ((self.target - self.positions[: len(self.target)]) / self.seconds).tolist()
        for joint, speed in zip(joints[: len(speeds)], speeds, strict=True):
            if self.reset or abs(speed) > _STILL:  # without a command Gazebo's joint brakes
                joint.set_velocity(ecm, [speed])
        if self.reset:
            self._reset(ecm, joints)

    def _reset(self, ecm: Any, joints: Sequence[Any]) -> None:
        positions, velocities = self.positions.tolist(), self.velocities.tolist()
        for i, joint in enumerate(joints):
            joint.reset_position(ecm, [positions[i]])
            if i in self.stiff:
                joint.set_velocity(ecm, [0.0])  # from now on it brakes by itself
            elif i >= len(self.target):
                joint.reset_velocity(ecm, [velocities[i]])

    def _object(self, ecm: Any, name: str, form: Form, twin: Twin) -> None:
        twin.settle(ecm)
        if form is Form.LED:
            move = twin.start if name in self.placed else twin.drive
            move(ecm, self.begins[name], self.ends[name], self.seconds)
            return
        if name in self.placed:
            twin.place(ecm, self.placed[name])
        if name in self.wrenches:
            twin.push(ecm, self.wrenches[name])


def taken(
    placed: dict[str, Floats], swapped: Collection[str], poses: Mapping[str, Floats]
) -> dict[str, Floats]:
    """All that is to be put somewhere: what was placed, and what changes its form."""
    return {**{name: poses[name] for name in swapped}, **placed}
