"""Reports about the robot, for models that watch it; see `hetwin_core.ensemble.scene.watch`."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import (
    CLEARANCE_COLUMNS,
    Finding,
    Watch,
    WatchLayout,
    watch_every,
)
from model_nodes.main_physics.drive import Drive
from model_nodes.main_physics.sources.source import JointMotion
from model_nodes.main_physics.world.description import Body, Joint
from model_nodes.main_physics.world.names import joint_name


class Watching:
    """Makes a report at every so many steps.

    Args:
        robot: the watched body.
        drive: commands its joints.
        rate: steps per simulated second.
        watch_rate: reports per simulated second.
        findings: what the source found in its recording.

    Attributes:
        layout: what does not change during the run.
    """

    def __init__(
        self,
        robot: Body,
        drive: Drive,
        rate: float,
        watch_rate: float,
        findings: tuple[Finding, ...] = (),
    ) -> None:
        joints = robot.moving_joints
        self._drive = drive
        self._commanded = np.flatnonzero([joint in robot.driven_joints for joint in joints])
        self._count = len(joints)
        self._rate, self._every = rate, watch_every(rate, watch_rate)
        driven = np.zeros(len(joints), np.bool_)
        driven[self._commanded] = drive.driven
        self.layout = _layout(robot, driven.tolist(), findings)

    def report(self, time_ns: int, motion: JointMotion) -> Floats | None:
        """Return a report as one flat array, if one is due with the step to `time_ns`.

        Args:
            time_ns: simulated time.
            motion: of the commanded joints at that time.
        """
        if round(time_ns * self._rate / 1e9) % self._every:
            return None
        drive = self._drive
        recorded = np.where(drive.driven, motion.positions, np.nan)
        velocities = np.where(drive.driven, motion.velocities, np.nan)
        watch = Watch(
            time_ns,
            self._of_all(recorded),
            self._of_all(velocities),
            self._of_all(drive.measured_efforts),
            np.full(self._count, np.nan),
            np.empty((0, CLEARANCE_COLUMNS)),
        )
        return watch.encode()

    def _of_all(self, commanded: Floats) -> Floats:
        """Spread numbers of the commanded joints over all joints of the robot; NaN for the passive ones."""
        if len(self._commanded) == self._count:
            return commanded
        spread = np.full(self._count, np.nan)
        spread[self._commanded] = commanded
        return spread


def _layout(robot: Body, driven: list[bool], findings: tuple[Finding, ...]) -> WatchLayout:
    joints = robot.moving_joints
    limits = [_limits(joint) for joint in joints]
    return WatchLayout(
        robot.name,
        tuple(joint_name(robot, joint) for joint in joints),
        tuple(driven),
        tuple(lower for lower, _ in limits),
        tuple(upper for _, upper in limits),
        tuple(joint.max_velocity for joint in joints),
        tuple(joint.max_effort for joint in joints),
        findings=findings,
    )


def _limits(joint: Joint) -> tuple[float | None, float | None]:
    # Exporters write 0 and 0 where no limits were given.
    if joint.lower is not None and joint.lower == joint.upper:
        return None, None
    return joint.lower, joint.upper
