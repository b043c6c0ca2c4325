"""The frame of an object's mass, to which bullet-featherstone refers velocities and torques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hetwin_core.ensemble.scene.poses import Quaternion, conjugate, cross, multiply, rotate
from model_nodes.main_physics.engines.gz.bindings import gazebo
from model_nodes.main_physics.world.description import Inertial, Vector


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
            rotation: of the link.
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
