"""Objects in Gazebo: reads their poses, places them, moves them, and shows them to other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hetwin_gazebo.bindings import Gazebo, gazebo
from hetwin_suite.engine import (
    CARRYING_GAIN,
    POSE_SIZE,
    Inertial,
    Quaternion,
    Vector,
    normalized,
    rotation_vector,
)
from hetwin_suite.model import Floats, conjugate, cross, multiply, rotate


@dataclass(frozen=True, slots=True)
class MassFrame:
    """Centre of mass and principal axes in the frame of a link.

    bullet-featherstone sets and reports the linear velocity of the centre instead of that of the link's origin, and
    rotates a torque along the world's axes by the orientation of the principal axes once more.
    """

    centre: Vector
    axes: Quaternion

    def arm_velocity(self, rotation: Sequence[float], turn: Sequence[float]) -> Vector:
        """The velocity of the centre relative to the origin, along the world's axes [m/s].

        Args:
            rotation: rotation of the link.
            turn: angular velocity along the world's axes [rad/s].
        """
        return cross(turn, rotate(rotation, self.centre))

    def torque(self, rotation: Sequence[float], torque: Sequence[float]) -> Vector:
        """What to command for a torque along the world's axes; `rotation` is the link's."""
        return rotate(conjugate(multiply(rotation, self.axes)), torque)


def mass_frame(of: Inertial) -> MassFrame:
    """Return the frame of a mass, with the principal axes that Gazebo finds for its inertia."""
    math = gazebo().math
    xx, yy, zz, xy, xz, yz = of.inertia
    inertia = math.MassMatrix3d(of.mass, math.Vector3d(xx, yy, zz), math.Vector3d(xy, xz, yz))
    turn = inertia.principal_axes_offset()
    axes = multiply(of.pose[3:], (turn.w(), turn.x(), turn.y(), turn.z()))
    return MassFrame(of.pose[:3], axes)


_JUMP = 0.01
"""An object whose error is larger than this is placed instead of driven [m or rad]."""

FAR = 1000.0
"""Where inactive proxies wait, away from everything [m]."""


def waiting_place(x: float, y: float) -> Floats:
    """Return the (13,) pose and twist of an inactive proxy above x, y [m]; planes are boxes below the ground."""
    home = np.zeros(POSE_SIZE)
    home[:4] = (x, y, FAR, 1.0)
    return home


class Proxy:
    """One of an object's models in Gazebo, with a single link.

    Gazebo expects velocities along the link's axes as they were after the last step, even if the same step
    sets a new pose of the model.

    Args:
        gz: the bindings.
        ecm: ecm of the simulation.
        model: in Gazebo.
        link: its only link.
        home: (13,) where it waits while it is not active.
        mass: the frame to which Gazebo's physics engine refers velocities and torques; None: the link's.
    """

    away_steps: ClassVar[int] = 64
    """Steps after which a parked proxy is put back to where it waits; it falls some centimetres meanwhile."""

    def __init__(
        self,
        gz: Gazebo,
        ecm: Any,
        model: Any,
        link: Any,
        home: Floats,
        mass: MassFrame | None = None,
    ) -> None:
        self._gz, self._model = gz, model
        self.entity = int(model.entity())
        self.link = link
        self.link.enable_velocity_checks(ecm)
        self._home, self._mass = home, mass
        self._rotation = tuple(home[3:7].tolist())
        self._placed = False
        self._away = 0
        self._known: Floats = home
        self._told: tuple[float, ...] = ()

    def read(self, ecm: Any) -> Floats:
        """Return (13,) pose and twist after the last step.

        Gazebo updates neither pose nor velocity of a link that moves by less than 1e-6 m in a step.
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
        twist = (linear.x(), linear.y(), linear.z(), angular.x(), angular.y(), angular.z())
        if self._mass is None:
            return twist
        dx, dy, dz = self._mass.arm_velocity(self._rotation, twist[3:])
        return (twist[0] - dx, twist[1] - dy, twist[2] - dz, *twist[3:])

    @property
    def known(self) -> Floats:
        """(13,) pose and twist when it was last read."""
        return self._known

    def place(self, ecm: Any, pose: Floats) -> None:
        """Set (13,) pose and twist at the beginning of the next step."""
        self.put(ecm, pose)
        self.move(ecm, pose[7:10], pose[10:13])
        self._placed = True
        self._away = 0

    @property
    def placed(self) -> bool:
        """Whether `place` was the last command."""
        return self._placed

    def settle(self, ecm: Any) -> None:
        """Repeat the current pose in the step after `place`, since Gazebo executes a pose command twice."""
        if self._placed:
            self.put(ecm, self._known)
            self._placed = False

    def park(self, ecm: Any) -> None:
        """Stay outside the scene; called in each step in which the proxy is not active."""
        if self._away % self.away_steps == 0:
            self.put(ecm, self._home)
            self.move(ecm, np.zeros(3), np.zeros(3))
            self._rotation = tuple(self._home[3:7].tolist())
            self._placed = False
        self._away += 1

    def move(self, ecm: Any, linear: Floats, angular: Floats) -> None:
        """Set the velocity at the beginning of the next step, along the world's axes."""
        back = conjugate(self._rotation)
        vector = self._gz.math.Vector3d
        ahead = linear.tolist()
        if self._mass is not None:
            arm = self._mass.arm_velocity(self._rotation, angular.tolist())
            ahead = [a + b for a, b in zip(ahead, arm, strict=True)]
        self.link.set_linear_velocity(ecm, vector(*rotate(back, ahead)))
        self.link.set_angular_velocity(ecm, vector(*rotate(back, angular.tolist())))

    def push(self, ecm: Any, wrench: Floats) -> None:
        """Apply (6,) a force and a torque about the origin in the next step, along the world's axes."""
        vector = self._gz.math.Vector3d
        force, torque = wrench[:3].tolist(), wrench[3:].tolist()
        if self._mass is not None:
            torque = self._mass.torque(self._rotation, torque)
        self.link.add_world_wrench(ecm, vector(*force), vector(*torque))

    def start(self, ecm: Any, begin: Floats, end: Floats, seconds: float) -> None:
        """Place the object at the start of a prescribed path; see `drive`."""
        linear = (end[:3] - begin[:3]) / seconds
        angular = rotation_vector(begin[3:7], end[3:7]) / seconds
        self.place(ecm, np.concatenate([begin[:7], linear, angular]))

    def drive(self, ecm: Any, begin: Floats, end: Floats, seconds: float) -> None:
        """Move along a prescribed path in the next step; the deviation from `begin` decays.

        Args:
            ecm: ecm of the simulation.
            begin: (13,) prescribed pose and twist now.
            end: (13,) prescribed pose and twist after the step.
            seconds: duration of the step.
        """
        error, turned = begin[:3] - self._known[:3], rotation_vector(self._known[3:7], begin[3:7])
        if max(float(np.abs(error).max()), float(np.abs(turned).max())) > _JUMP:
            self.start(ecm, begin, end, seconds)
            return
        linear = (end[:3] - begin[:3]) / seconds
        angular = rotation_vector(begin[3:7], end[3:7]) / seconds
        self.move(ecm, linear + CARRYING_GAIN * error, angular + CARRYING_GAIN * turned)

    def put(self, ecm: Any, pose: Floats) -> None:
        """Set the pose at the beginning of the next step, and of the one after; the velocity stays."""
        math = self._gz.math
        x, y, z, w, i, j, k = pose[:7].tolist()
        self._model.set_world_pose_cmd(
            ecm, math.Pose3d(math.Vector3d(x, y, z), math.Quaterniond(w, i, j, k))
        )


_REST = 1e-6
"""A picture that is nearer than this to an object at rest does not move [m or rad]."""


class Picture:
    """A model that has the object's name and visuals, without collisions, and moves with the object.

    The object's proxies have neither, so that other programs see it once, wherever it is and whichever proxy is active.

    Args:
        proxy: handle of the model in Gazebo.
        pose: (13,) of the model when it is loaded.
    """

    def __init__(self, proxy: Proxy, pose: Floats) -> None:
        self._proxy = proxy
        self._loaded: Floats | None = pose
        self._is_placed = self._rests = False

    def follow(self, ecm: Any, pose: Floats, period: float, step: float) -> None:
        """Move so that it is where the object is after a period; called once in each.

        Args:
            ecm: ecm of the simulation.
            pose: (13,) pose and twist of the object now.
            period: duration until the next call [s].
            step: duration of one of Gazebo's steps [s].
        """
        known = self._proxy.read(ecm) if self._loaded is None else self._loaded
        self._loaded = None
        # Gazebo executes a pose command twice, the second time in the next of its steps.
        if self._is_placed and step >= period:
            self._proxy.put(ecm, known)
        self._is_placed = False
        away, turned = pose[:3] - known[:3], rotation_vector(known[3:7], pose[3:7])
        error = max(float(np.abs(away).max()), float(np.abs(turned).max()))
        if error > _JUMP:
            self._place(ecm, pose, period - step)
        elif error < _REST and not pose[7:].any():
            self._rest(ecm, pose)
        else:
            self._rests = False
            self._proxy.move(ecm, pose[7:10] + away / period, pose[10:13] + turned / period)

    def _place(self, ecm: Any, pose: Floats, ahead: float) -> None:
        at = pose.copy()
        at[:3] += ahead * pose[7:10]
        self._proxy.place(ecm, at)
        self._is_placed, self._rests = True, False

    def _rest(self, ecm: Any, pose: Floats) -> None:
        if not self._rests:
            self._proxy.move(ecm, pose[7:10], pose[10:13])
            self._rests = True
