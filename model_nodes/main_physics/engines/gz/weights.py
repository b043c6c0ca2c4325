"""What the driven joints move: their inertia, and the efforts that their motion needs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.shadow import Shadow
from model_nodes.main_physics.engines.mujoco.feed_forward import FeedForward
from model_nodes.main_physics.engines.mujoco.inverse_dynamics import InverseDynamics
from model_nodes.main_physics.world.drives import Base, JointDrive


class Weights:
    """The efforts of all driven joints, by inverse dynamics of the robots.

    In Gazebo, gravity acts on the links of a robot only if its base is free (see `SdfWriter`); what it would ask of
    the joints of others is carried for them.

    Attributes:
        drives: of the driven joints.
    """

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow
        self.drives: tuple[JointDrive, ...] = shadow.tables.drives
        robots = [body for body in shadow.world.bodies if body.robot]
        falling = [b.base is Base.FREE for b in robots for _ in b.driven_joints]
        self._falling = np.array(falling, np.bool_)
        self._inverse: InverseDynamics | None = None
        self._forward: FeedForward | None = None

    def inertias(self) -> Floats:
        """Return (n,) the inertia that each driven joint moves, with all joints at zero [kg m^2 or kg]."""
        return self._shadow.inertias()[: len(self.drives)]

    def efforts(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return (n,) efforts [Nm or N]; see `Engine.expected_efforts`."""
        if self._inverse is None:
            self._inverse = InverseDynamics(self._shadow.world)
        poses = {name: state[:7] for name, state in self._shadow.bases.items()}
        return self._inverse.efforts(positions, velocities, accelerations, poses)

    def shares(
        self, accelerations: Floats, of_bases: Mapping[str, Floats]
    ) -> tuple[Floats, Floats]:
        """Return (n,) the efforts that are carried for the joints, and those that they need besides [Nm or N].

        Args:
            accelerations: (n,) of the driven joints.
            of_bases: (6,) of each base that follows; see `FeedForward.efforts`.
        """
        if self._forward is None:
            self._forward = self._shadow.feed_forward()
        whole = self._forward.efforts(accelerations, of_bases)
        carried = np.where(self._falling, 0.0, self._forward.weights())
        return carried, whole - carried
