"""Objects in Gazebo: reading them, placing them, and moving them as told."""

from __future__ import annotations

from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.poses import conjugate, multiply, normalized, rotate
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.bindings import Gazebo

GAIN = 50.0
"""How fast a led object's error decays [1/s]: slow enough to keep what it carries."""
_AWAY_STEPS = 64
"""How often a twin that is away is put back to where it waits: it falls meanwhile, by some centimetres."""
_JUMP = 0.01
"""An object that is told to be further away than this is put there [m or rad]."""


class Twin:
    """One model of an object in Gazebo, which has a single link.

    Gazebo takes velocities along the link's axes as they were after the last step, even if the same step
    places the model anew.
    """

    def __init__(self, gz: Gazebo, ecm: Any, model: Any, link: str, home: Floats) -> None:
        self._gz, self._model = gz, model
        self.entity = int(model.entity())
        self.link = gz.sim.Link(model.link_by_name(ecm, link))
        self.link.enable_velocity_checks(ecm)
        self._home = home
        self._rotation = tuple(home[3:7].tolist())
        self._placed = False
        self._away = 0
        self._known: Floats = home
        self._told: tuple[float, ...] = ()

    def read(self, ecm: Any) -> Floats:
        """(13,) pose and twist after the last step.

        Of what moves by less than 1e-6 m in a step Gazebo tells nothing new: neither pose nor velocity.
        """
        pose = self.link.world_pose(ecm)
        at, turn = pose.pos(), pose.rot()
        told = (at.x(), at.y(), at.z(), turn.w(), turn.x(), turn.y(), turn.z())
        rests, self._told = told == self._told, told
        self._rotation = normalized(told[3:])
        twist = (0.0,) * 6 if rests else self._twist(ecm)
        self._known = np.array((*told[:3], *self._rotation, *twist))
        return self._known

    def _twist(self, ecm: Any) -> tuple[float, ...]:
        linear = self.link.world_linear_velocity(ecm)
        angular = self.link.world_angular_velocity(ecm)
        return (linear.x(), linear.y(), linear.z(), angular.x(), angular.y(), angular.z())

    def place(self, ecm: Any, pose: Floats) -> None:
        """Be at (13,) pose and twist at the beginning of the next step."""
        self._put(ecm, pose)
        self.move(ecm, pose[7:10], pose[10:13])
        self._placed = True
        self._away = 0

    @property
    def placed(self) -> bool:
        """Whether `place` was the last that was asked."""
        return self._placed

    def settle(self, ecm: Any) -> None:
        """Say where it is in the step after `place`: Gazebo carries out a pose command twice."""
        if self._placed:
            self._put(ecm, self._known)
            self._placed = False

    def park(self, ecm: Any) -> None:
        """Stay away from the scene; asked for in each step in which it is not there."""
        if self._away % _AWAY_STEPS == 0:
            self._put(ecm, self._home)
            self.move(ecm, np.zeros(3), np.zeros(3))
            self._rotation = tuple(self._home[3:7].tolist())
            self._placed = False
        self._away += 1

    def move(self, ecm: Any, linear: Floats, angular: Floats) -> None:
        """Have this velocity in the world at the beginning of the next step."""
        back = conjugate(self._rotation)
        vector = self._gz.math.Vector3d
        self.link.set_linear_velocity(ecm, vector(*rotate(back, linear.tolist())))
        self.link.set_angular_velocity(ecm, vector(*rotate(back, angular.tolist())))

    def push(self, ecm: Any, wrench: Floats) -> None:
        """Let (6,) a force and a torque about the origin act in the next step, along the world's axes."""
        vector = self._gz.math.Vector3d
        fx, fy, fz, tx, ty, tz = wrench.tolist()
        self.link.add_world_wrench(ecm, vector(fx, fy, fz), vector(tx, ty, tz))

    def start(self, ecm: Any, begin: Floats, end: Floats, seconds: float) -> None:
        """Begin to move as told; see `drive`."""
        linear = (end[:3] - begin[:3]) / seconds
        angular = _turn(begin[3:7], end[3:7]) / seconds
        self.place(ecm, np.concatenate([begin[:7], linear, angular]))

    def drive(self, ecm: Any, begin: Floats, end: Floats, seconds: float) -> None:
        """Move as told in the next step; what it deviates from `begin` decays.

        Args:
            ecm: of the simulation.
            begin: (13,) where it shall be now.
            end: (13,) where it shall be after the step.
            seconds: the step's length.
        """
        error, turned = begin[:3] - self._known[:3], _turn(self._known[3:7], begin[3:7])
        if max(float(np.abs(error).max()), float(np.abs(turned).max())) > _JUMP:
            self.start(ecm, begin, end, seconds)
            return
        linear = (end[:3] - begin[:3]) / seconds
        angular = _turn(begin[3:7], end[3:7]) / seconds
        self.move(ecm, linear + GAIN * error, angular + GAIN * turned)

    def _put(self, ecm: Any, pose: Floats) -> None:
        math = self._gz.math
        x, y, z, w, i, j, k = pose[:7].tolist()
        self._model.set_world_pose_cmd(
            ecm, math.Pose3d(math.Vector3d(x, y, z), math.Quaterniond(w, i, j, k))
        )


def _turn(start: Floats, end: Floats) -> Floats:
    """The rotation vector [rad] that leads from one orientation to another, in the world."""
    w, x, y, z = multiply(end.tolist(), conjugate(start.tolist()))
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    sine = float(np.sqrt(x * x + y * y + z * z))
    factor = 2.0 if sine < 1e-9 else 2.0 * float(np.arctan2(sine, w)) / sine
    return np.array((factor * x, factor * y, factor * z))
