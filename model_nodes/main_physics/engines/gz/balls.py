"""The ball joints of a world loaded in Gazebo: DART reports each as a rotation vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.poses import rotation_by
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.gz.options import Physics
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.names import joint_name


class Balls(Copied):
    """The state of all ball joints.

    Attributes:
        turns: (n, 3) rotation vectors [rad].
        rates: (n, 3) angular velocities in the frames of the child links [rad/s].
    """

    saved_fields = ("turns", "rates")

    def __init__(self, world: World, model: mj.MjModel) -> None:
        self.names = ball_names(world)
        ids = [model.joint(name).id for name in self.names]
        self._positions = [int(model.jnt_qposadr[i]) for i in ids]
        self._velocities = [int(model.jnt_dofadr[i]) for i in ids]
        self.turns: Floats = np.zeros((len(ids), 3))
        self.rates: Floats = np.zeros((len(ids), 3))

    def show(self, data: mj.MjData) -> None:
        """Set positions and velocities of MuJoCo's joints."""
        for i, (q, v) in enumerate(zip(self._positions, self._velocities, strict=True)):
            data.qpos[q : q + 4] = rotation_by(self.turns[i].tolist())
            data.qvel[v : v + 3] = self.rates[i]

    def read_positions(self, ecm: Any, joints: Sequence[Any]) -> None:
        """Read the state after Gazebo's last step; `joints` are Gazebo's, in the order of `names`."""
        for i, joint in enumerate(joints):
            self.turns[i] = joint.position(ecm)
            self.rates[i] = joint.velocity(ecm)

    def reset(self, ecm: Any, joints: Sequence[Any]) -> None:
        """Set Gazebo's joints to this state at the beginning of the next step."""
        for i, joint in enumerate(joints):
            joint.reset_position(ecm, self.turns[i].tolist())
            joint.reset_velocity(ecm, self.rates[i].tolist())

    def keep_from(self, before: Balls) -> None:
        """Copy the state of the joints that still exist."""
        for i, name in enumerate(self.names):
            if name in before.names:
                at = before.names.index(name)
                self.turns[i], self.rates[i] = before.turns[at], before.rates[at]


def ball_names(world: World) -> tuple[str, ...]:
    """Return the names of all ball joints."""
    return tuple(joint_name(body, joint) for body in world.bodies for joint in body.ball_joints)


def check_balls(world: World, physics: Physics) -> None:
    """Raise an error if the physics engine does not report the world's ball joints.

    Raises:
        BadInput: if there are ball joints and it does not.
    """
    names = ball_names(world)
    if names and physics != "dartsim":
        raise BadInput(
            f"{physics} does not report how ball joints turn",
            where="options.physics",
            found=", ".join(names),
            expected="the physics engine dartsim, or a world without ball joints",
        )
