"""Drives of joints that do not follow their command whatever they push.

Their forces are applied as forces of the last state, and not by MuJoCo's actuators: those damp implicitly, which the
contacts do not know, so that a wheel would slip. Each gets as much armature as keeps its drive stable.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco as mj

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.mujoco.feed_forward import FeedForward
from model_nodes.main_physics.engines.mujoco.limited_drives import LimitedDrives
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.engines.mujoco.velocity_drives import VelocityDrives


class Motors(Copied):
    """The drives of all such joints.

    Args:
        model: before any armature was added.
        forward: makes what computes the efforts that the commanded motion needs.
    """

    saved_fields = ("_turning", "_limited")

    def __init__(
        self,
        model: mj.MjModel,
        data: mj.MjData,
        tables: Tables,
        forward: Callable[[], FeedForward],
    ) -> None:
        modes = {drive.mode for drive in tables.drives}
        self.any = modes - {DriveMode.FOLLOW} != set()
        self._turning = VelocityDrives(model, data, tables)
        self._limited: LimitedDrives | None = None
        if DriveMode.LIMITED in modes:
            self._limited = LimitedDrives(model, data, tables, forward())

    def add_armature(self) -> None:
        """Set the armatures of the joints in the model."""
        self._turning.add_armature()
        if self._limited is not None:
            self._limited.add_armature()

    def place(self) -> None:
        """Let the drives begin at the joints' current state."""
        self._turning.place()
        if self._limited is not None:
            self._limited.place()

    def command(self, velocities: Floats) -> None:
        """Set the commanded velocities of all driven joints."""
        self._turning.command(velocities)

    def push(self, begin: Floats, end: Floats) -> None:
        """Apply the forces of one substep; after those of bases.

        Args:
            begin, end: commanded positions of all driven joints, before the substep and after it.
        """
        if self._turning.any:
            self._turning.push()
        if self._limited is not None:
            self._limited.push(begin, end)

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the last substep; those of other joints stay."""
        self._turning.read_efforts(out)
        if self._limited is not None:
            self._limited.read_efforts(out)
