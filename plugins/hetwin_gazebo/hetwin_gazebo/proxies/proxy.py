"""An object's models in Gazebo: reads, sets and drives their poses, and shows the object to other programs."""

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

    bullet-featherstone sets and reports the linear velocity of the centre instead of the link's origin. It also rotates
    a torque in the world's axes by the orientation of the principal axes once more.
    """

    centre: Vector
    axes: Quaternion

    def arm_velocity(self, rotation: Sequence[float], turn: Sequence[float]) -> Vector:
        """Return the velocity of the centre relative to the origin, in the world's axes [m/s].

        Args:
            rotation: orientation of the link, w x y z.
            turn: angular velocity in the world's axes [rad/s].
        """
        return cross(turn, rotate(rotation, self.centre))

    def torque(self, rotation: Sequence[float], torque: Sequence[float]) -> Vector:
        """Return the command for a torque in the world's axes; `rotation` is the orientation of the link."""
        return rotate(conjugate(multiply(rotation, self.axes)), torque)


def mass_frame(inertial: Inertial) -> MassFrame:
    """Return the frame of a mass, with the principal axes that Gazebo finds for its inertia."""
    math = gazebo().math
    xx, yy, zz, xy, xz, yz = inertial.inertia
    inertia = math.MassMatrix3d(inertial.mass, math.Vector3d(xx, yy, zz), math.Vector3d(xy, xz, yz))
    offset = inertia.principal_axes_offset()
    axes = multiply(inertial.pose[3:], (offset.w(), offset.x(), offset.y(), offset.z()))
    return MassFrame(inertial.pose[:3], axes)


_NO_TWIST = (0.0,) * 6
_MAX_DRIVE_ERROR = 0.01
"""Error beyond which an object is set to its pose instead of driven [m or rad]."""

PARKING_DISTANCE = 1000.0
"""Distance of parked proxies from the scene [m]."""


def parking_pose(x: float, y: float) -> Floats:
    """Return the (13,) pose and twist of a parked proxy above x, y [m]; planes are boxes below the ground."""
    home = np.zeros(POSE_SIZE)
    home[:4] = (x, y, PARKING_DISTANCE, 1.0)
    return home


class Proxy:
    """One of an object's models in Gazebo, with a single link.

    Gazebo expects velocities in the link's axes as they were after the last step, even if the same step sets a new pose
    of the model.

    Args:
        gz: bindings of Gazebo.
        ecm: entity component manager of the simulation.
        model: handle of the model in Gazebo.
        link: handle of its only link.
        home: (13,) pose where it is parked.
        mass: frame to which Gazebo's physics engine refers velocities and torques; None: the link's.
    """

    parking_steps: ClassVar[int] = 64
    """Number of steps after which a parked proxy is put back; it falls some centimetres meanwhile."""

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
        self._steps_parked = 0
        self._last_state: Floats = home
        self._last_pose: tuple[float, ...] = ()

    def read(self, ecm: Any) -> Floats:
        """Return (13,) pose and twist after the last step.

        Gazebo updates neither pose nor velocity of a link that moves by less than 1e-6 m in a step.
        """
        previous = self._last_pose
        self.read_pose(ecm)
        if self._last_pose != previous:
            self._last_state[7:] = self._twist(ecm)
        return self._last_state

    def read_pose(self, ecm: Any) -> None:
        """Read the pose after the last step, which the next commands need."""
        pose = self.link.world_pose(ecm)
        position, rotation = pose.pos(), pose.rot()
        values = (
            position.x(),
            position.y(),
            position.z(),
            rotation.w(),
            rotation.x(),
            rotation.y(),
            rotation.z(),
        )
        self._last_pose, self._rotation = values, normalized(values[3:])
        self._last_state = np.array((*values[:3], *self._rotation, *_NO_TWIST))

    def _twist(self, ecm: Any) -> tuple[float, ...]:
        linear = self.link.world_linear_velocity(ecm)
        angular = self.link.world_angular_velocity(ecm)
        twist = (linear.x(), linear.y(), linear.z(), angular.x(), angular.y(), angular.z())
        if self._mass is None:
            return twist
        dx, dy, dz = self._mass.arm_velocity(self._rotation, twist[3:])
        return (twist[0] - dx, twist[1] - dy, twist[2] - dz, *twist[3:])

    @property
    def last_state(self) -> Floats:
        """(13,) pose and twist when last read."""
        return self._last_state

    def place(self, ecm: Any, pose: Floats) -> None:
        """Set (13,) pose and twist at the start of the next step."""
        self.put(ecm, pose)
        self.move(ecm, pose[7:10], pose[10:13])
        self._placed = True
        self._steps_parked = 0

    @property
    def placed(self) -> bool:
        """Whether `place` was the last command."""
        return self._placed

    def settle(self, ecm: Any) -> None:
        """Repeat the current pose in the step after `place`, since Gazebo executes a pose command twice."""
        if self._placed:
            self.put(ecm, self._last_state)
            self._placed = False

    def park(self, ecm: Any) -> None:
        """Keep the proxy parked; called in each step in which it is not active."""
        if self._steps_parked % self.parking_steps == 0:
            self.put(ecm, self._home)
            self.move(ecm, np.zeros(3), np.zeros(3))
            self._rotation = tuple(self._home[3:7].tolist())
            self._placed = False
        self._steps_parked += 1

    def move(self, ecm: Any, linear: Floats, angular: Floats) -> None:
        """Set the velocity at the start of the next step, in the world's axes."""
        inverse = conjugate(self._rotation)
        vector = self._gz.math.Vector3d
        velocity = linear.tolist()
        if self._mass is not None:
            arm = self._mass.arm_velocity(self._rotation, angular.tolist())
            velocity = [a + b for a, b in zip(velocity, arm, strict=True)]
        self.link.set_linear_velocity(ecm, vector(*rotate(inverse, velocity)))
        self.link.set_angular_velocity(ecm, vector(*rotate(inverse, angular.tolist())))

    def push(self, ecm: Any, wrench: Floats) -> None:
        """Apply (6,) a force and a torque about the origin in the next step, in the world's axes."""
        vector = self._gz.math.Vector3d
        force, torque = wrench[:3].tolist(), wrench[3:].tolist()
        if self._mass is not None:
            torque = self._mass.torque(self._rotation, torque)
        self.link.add_world_wrench(ecm, vector(*force), vector(*torque))

    def start(self, ecm: Any, begin: Floats, end: Floats, seconds: float) -> None:
        """Set the object to the start of a prescribed path; see `drive`."""
        linear = (end[:3] - begin[:3]) / seconds
        angular = rotation_vector(begin[3:7], end[3:7]) / seconds
        self.place(ecm, np.concatenate([begin[:7], linear, angular]))

    def drive(self, ecm: Any, begin: Floats, end: Floats, seconds: float) -> None:
        """Move along a prescribed path in the next step; the deviation from `begin` decays.

        Args:
            ecm: entity component manager of the simulation.
            begin: (13,) prescribed pose and twist before the step.
            end: (13,) prescribed pose and twist after the step.
            seconds: duration of the step [s].
        """
        error, rotation_error = (
            begin[:3] - self._last_state[:3],
            rotation_vector(self._last_state[3:7], begin[3:7]),
        )
        if max(map(abs, (*error.tolist(), *rotation_error.tolist()))) > _MAX_DRIVE_ERROR:
            self.start(ecm, begin, end, seconds)
            return
        linear = (end[:3] - begin[:3]) / seconds
        angular = rotation_vector(begin[3:7], end[3:7]) / seconds
        self.move(ecm, linear + CARRYING_GAIN * error, angular + CARRYING_GAIN * rotation_error)

    def put(self, ecm: Any, pose: Floats) -> None:
        """Set the pose at the start of the next step and of the one after, without changing the velocity."""
        math = self._gz.math
        x, y, z, w, i, j, k = pose[:7].tolist()
        self._model.set_world_pose_cmd(
            ecm, math.Pose3d(math.Vector3d(x, y, z), math.Quaterniond(w, i, j, k))
        )


_REST_TOLERANCE = 1e-6
"""Distance to an object at rest below which its picture stays [m or rad]."""


class Picture:
    """A model with the object's name and visuals but without collisions, which moves with the object.

    The object's proxies have neither name nor visuals, so that other programs see the object once, at its pose,
    whichever proxy is active.

    Args:
        proxy: handle of the model in Gazebo.
        pose: (13,) pose of the model when it is loaded.
    """

    def __init__(self, proxy: Proxy, pose: Floats) -> None:
        self._proxy = proxy
        self._initial_pose: Floats | None = pose
        self._last_pose = pose
        self._is_placed = self._is_at_rest = False

    def follow(self, ecm: Any, pose: Floats, period: float, step: float) -> None:
        """Move so that the picture reaches the object's pose after a period; called once per period.

        Args:
            ecm: entity component manager of the simulation.
            pose: (13,) pose and twist of the object now.
            period: duration until the next call [s].
            step: duration of one of Gazebo's steps [s].
        """
        if self._is_at_rest and np.array_equal(pose, self._last_pose):
            return
        self._last_pose = pose
        current = self._proxy.read(ecm) if self._initial_pose is None else self._initial_pose
        self._initial_pose = None
        # Gazebo executes a pose command twice, the second time in the next of its steps.
        if self._is_placed and step >= period:
            self._proxy.put(ecm, current)
        self._is_placed = False
        position_error, rotation_error = (
            pose[:3] - current[:3],
            rotation_vector(current[3:7], pose[3:7]),
        )
        error = max(map(abs, (*position_error.tolist(), *rotation_error.tolist())))
        if error > _MAX_DRIVE_ERROR:
            self._place(ecm, pose, min(step, period - step))
        elif error < _REST_TOLERANCE and not pose[7:].any():
            self._rest(ecm, pose)
        else:
            self._is_at_rest = False
            self._proxy.move(
                ecm, pose[7:10] + position_error / period, pose[10:13] + rotation_error / period
            )

    def _place(self, ecm: Any, pose: Floats, ahead: float) -> None:
        target = pose.copy()
        target[:3] += ahead * pose[7:10]
        self._proxy.place(ecm, target)
        self._is_placed, self._is_at_rest = True, False

    def _rest(self, ecm: Any, pose: Floats) -> None:
        if not self._is_at_rest:
            self._proxy.move(ecm, pose[7:10], pose[10:13])
            self._is_at_rest = True
