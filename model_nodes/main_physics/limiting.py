"""Gives fingers that close on something unknown drives of limited effort, so that they stop there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hetwin_core.ensemble.scenario.robot import DriveMode
from model_nodes.main_physics.driving import limited_drive
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.world.description import Joint
from model_nodes.main_physics.world.drives import JointDrive


class LimitedFingers:
    """Changes the drives of joints in a run, from following their command whatever they push.

    Args:
        joints: those that are driven, by the scene's names.

    Attributes:
        names: of the joints whose drives were changed, in that order.
    """

    def __init__(self, joints: Mapping[str, Joint]) -> None:
        self._joints = dict(joints)
        self.names: list[str] = []

    def update(self, engine: Engine, wanted: Sequence[str]) -> bool:
        """Limit the effort of some joints from now on; returns whether that is new.

        A joint whose URDF gives no effort goes on following its command, and all do where the engine cannot limit them.
        """
        if not wanted:
            return False
        new = {name: self._drive(name) for name in wanted if name not in self.names}
        if not new:
            return False
        self.names += new
        return self._limit(engine, new)

    def again(self, engine: Engine) -> bool:
        """Limit them in another engine; returns whether there are any."""
        return self._limit(engine, {name: self._drive(name) for name in self.names})

    def pressing(self, name: str, effort: float) -> float:
        """Return how far beyond where it is a joint is commanded, by its effort [rad or m]."""
        drive = self._drive(name) if name in self.names else self._joints[name].drive
        if drive is None or drive.mode is not DriveMode.LIMITED or not drive.stiffness:
            return 0.0
        return effort / drive.stiffness

    def _drive(self, name: str) -> JointDrive | None:
        joint = self._joints[name]
        return limited_drive(joint) if joint.drive.mode is DriveMode.FOLLOW else None

    def _limit(self, engine: Engine, drives: Mapping[str, JointDrive | None]) -> bool:
        known = {name: drive for name, drive in drives.items() if drive is not None}
        if not known:
            return False
        try:
            engine.limit_joints(known)
        except Unsupported:
            return False
        return True
