"""The motion of robots' bases that follow odometry."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from hetwin_core.ensemble.base_words import BASE_ALIGNED
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.poses import extrapolate, relative_to
from hetwin_core.ensemble.scene.values import POSE, POSE_SIZE, Floats
from hetwin_core.kinematics.planar import PlanarPose
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.sources.plans import Plans

BASE_CORRECTED = "base_corrected"


class BaseDrives:
    """Moves the bases of robots by their plans.

    Args:
        robots: all of them; those whose base follows odometry are moved.
        plans: of the robots.
        period_ns: of the steps [ns].

    Attributes:
        motions: robot -> its base's last motion.
        any: whether it moves any.

    Raises:
        BadInput: if no plan moves a base.
    """

    def __init__(self, robots: Sequence[SceneRobot], plans: Plans, period_ns: int) -> None:
        self._plans = plans
        self._where: dict[str, str] = {}
        self._period = period_ns * 1e-9
        self.motions: dict[str, BaseMotion] = {}
        self._first = next((robot.body.name for robot in robots), "")
        for robot in robots:
            base = None if robot.said is None else robot.said.base
            if isinstance(base, FollowedBase):
                self._bind(robot, base, period_ns)
        self.any = bool(self._where)

    def _bind(self, robot: SceneRobot, base: FollowedBase, period_ns: int) -> None:
        try:
            self._plans.bind_base(robot.body, base, period_ns)
        except BadInput as error:
            where = (error.where or "robot").replace("robot", robot.where, 1)
            raise error.at(where, error.file) from None
        self._where[robot.body.name] = robot.where

    def place(self, engine: Engine) -> None:
        """Put the bases where they are at the start.

        Raises:
            BadInput: if the engine has no such bases.
        """
        for robot, where in self._where.items():
            self.motions[robot] = motion = self._plans.base(robot, 0)
            try:
                engine.place_base(robot, motion.state)
            except Unsupported as error:
                raise BadInput(str(error), where=f"{where}.base") from error

    def command(self, engine: Engine, time_ns: int) -> list[Event]:
        """Command the bases for the step that ends at a time; returns the events of corrections."""
        events: list[Event] = []
        for robot in self._where:
            self.motions[robot] = motion = self._plans.base(robot, time_ns)
            if motion.corrected:
                engine.place_base(robot, extrapolate(motion.state, -self._period))
                arguments: dict[str, Json] = {"object": robot, "remark": motion.corrected}
                events.append(Event(BASE_CORRECTED, time_ns, arguments=arguments))
        engine.command_bases(np.stack([self.motions[robot].state for robot in engine.bases]))
        return events

    def align(
        self,
        engine: Engine,
        pose: Callable[[str, str], Floats],
        placement: tuple[float, float, float],
        time_ns: int,
    ) -> Event:
        """Put the base of the first robot somewhere, at rest and as high and upright as its root stands.

        Args:
            engine: moves it.
            pose: returns an attribute of an entity.
            placement: x, y [m] and yaw [rad] in the world.
            time_ns: for the event that is returned.

        Raises:
            Unsupported: if the engine has no such base.
        """
        x, y, yaw = placement
        before = pose(self._first, POSE.name)
        state = np.zeros(POSE_SIZE)
        state[:7] = PlanarPose(x, y, yaw).in_space
        state[2] = before[2]
        engine.place_base(self._first, state)
        off = relative_to(before, state)
        way, turned = math.hypot(off[0], off[1]), 2.0 * math.atan2(off[6], off[3])
        remark = (
            f"the real robot is {way * 100.0:.2f} cm and {math.degrees(turned):.2f} degrees off"
        )
        arguments: dict[str, Json] = {"object": self._first, "remark": remark}
        return Event(BASE_ALIGNED, time_ns, arguments=arguments)
