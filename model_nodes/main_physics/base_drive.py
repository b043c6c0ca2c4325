"""Moves the bases of robots that follow odometry."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from hetwin_core.ensemble.base_events import BASE_ALIGNED
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
    """Moves the bases of robots according to their plans.

    Args:
        robots: all robots; those whose base follows odometry are moved.
        plans: plans of the robots.
        period_ns: duration of a step [ns].

    Attributes:
        motions: robot -> its base's latest motion.
        any: whether there is any base to move.

    Raises:
        BadInput: if a base follows odometry, but no plan moves it.
    """

    def __init__(self, robots: Sequence[SceneRobot], plans: Plans, period_ns: int) -> None:
        self._plans = plans
        self._keys: dict[str, str] = {}
        self._period = period_ns * 1e-9
        self.motions: dict[str, BaseMotion] = {}
        self._first_robot = next((robot.body.name for robot in robots), "")
        for robot in robots:
            base = None if robot.entry is None else robot.entry.base
            if isinstance(base, FollowedBase):
                self._bind(robot, base, period_ns)
        self.any = bool(self._keys)

    def _bind(self, robot: SceneRobot, base: FollowedBase, period_ns: int) -> None:
        try:
            self._plans.bind_base(robot.body, base, period_ns)
        except BadInput as error:
            where = (error.where or "robot").replace("robot", robot.where, 1)
            raise error.at(where, error.file) from None
        self._keys[robot.body.name] = robot.where

    def place(self, engine: Engine) -> None:
        """Place the bases at their initial poses.

        Raises:
            BadInput: if the engine has no such bases.
        """
        for robot, where in self._keys.items():
            self.motions[robot] = motion = self._plans.base(robot, 0)
            try:
                engine.place_base(robot, motion.state)
            except Unsupported as error:
                raise BadInput(str(error), where=f"{where}.base") from error

    def command(self, engine: Engine, time_ns: int) -> list[Event]:
        """Command the bases for the step that ends at a time; returns the events about corrected poses."""
        events: list[Event] = []
        for robot in self._keys:
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
        value_of: Callable[[str, str], Floats],
        placement: tuple[float, float, float],
        time_ns: int,
    ) -> Event:
        """Put the base of the first robot at a pose in the plane, at rest and upright; its root keeps its height.

        Args:
            engine: engine that holds the base.
            value_of: returns the value of an entity's attribute by their names.
            placement: x, y [m] and yaw [rad] in the world.
            time_ns: time of the event that is returned [ns].

        Raises:
            Unsupported: if the engine has no such base.
        """
        x, y, yaw = placement
        current = value_of(self._first_robot, POSE.name)
        state = np.zeros(POSE_SIZE)
        state[:7] = PlanarPose(x, y, yaw).in_space
        state[2] = current[2]
        engine.place_base(self._first_robot, state)
        offset = relative_to(current, state)
        distance, angle = math.hypot(offset[0], offset[1]), 2.0 * math.atan2(offset[6], offset[3])
        remark = (
            f"the real robot is {distance * 100.0:.2f} cm and {math.degrees(angle):.2f} degrees off"
        )
        arguments: dict[str, Json] = {"object": self._first_robot, "remark": remark}
        return Event(BASE_ALIGNED, time_ns, arguments=arguments)
