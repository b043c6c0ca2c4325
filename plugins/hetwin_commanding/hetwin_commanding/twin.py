"""The main model of a scenario, stepped along a plan, and its observed states."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_commanding.plan import TOUCHING_M, Look, Plan
from hetwin_suite.engine import (
    POSE_SIZE,
    PROXIMITY,
    Body,
    MainPhysics,
    ParameterResolver,
    Settings,
    World,
    entities_of,
    load_world,
)
from hetwin_suite.model import (
    CLEARANCES,
    POSE,
    BadInput,
    Floats,
    Layout,
    MainChanges,
    MainContribution,
    MainTick,
    Snapshot,
)
from hetwin_suite.robot import PlanarPose
from hetwin_suite.runs import RunOptions, Scenario
from hetwin_suite.source import BaseMotion, FollowedBase, JointMotion, Part, odometry_state

LOOKS_PER_SECOND = 100.0
"""Rate of distance measurements in a rehearsal, limited by the scenario's rate [Hz of simulated time]."""
REST_S = 0.1
"""Duration of the rest before and after the plan [s]."""


class Twin:
    """The main model of a scenario, prepared for rehearsals.

    Args:
        scenario: the scenario; its source is not used.
        options: engine, scene and packages.

    Attributes:
        robot: description of the robot.
        settings: settings of the main model.
        wheels: wheels of the robot in the scenario.
        entities: entities of the main model, with the scenario's tags and attributes.
        hands: frames of the hands.
        place: initial pose of the base.
        resting: joint -> position while no command moves it [rad or m].

    Raises:
        BadInput: if the main model is not `main_physics`, or there is no robot.
    """

    def __init__(self, scenario: Scenario, options: RunOptions) -> None:
        plan = scenario.main
        if not issubclass(plan.cls, MainPhysics):
            raise scenario.placed(
                BadInput(
                    "a motion can be rehearsed only in the physics of hetwin",
                    where=f"models.{plan.name}.type",
                    found=plan.type,
                    expected="main_physics",
                )
            )
        self._scenario, self._options = scenario, options
        requests = MainPhysics.requests()
        resolver = ParameterResolver(scenario, options)
        self._parameters = resolver.resolve(plan, requests)
        try:
            self.settings = Settings.read(self._parameters)
            self._world: World = load_world(self.settings)
        except BadInput as error:
            raise resolver.placed(plan, error) from None
        robots = [body for body in self._world.bodies if body.robot]
        if len(robots) != 1:
            raise scenario.placed(
                BadInput(
                    "commands need one robot",
                    where="commands",
                    found=", ".join(body.name for body in robots) or "none",
                    expected="robot: a URDF file, or a mapping",
                )
            )
        self.robot: Body = robots[0]
        given = {} if self.settings.robot is None else self.settings.robot.joints_at_start
        robot_entry = self.settings.robot
        self.wheels = None if robot_entry is None else robot_entry.wheels
        self.entities = tuple(entities_of(self._world, self.settings.tags))
        self.hands = self._world.hands
        self.place = PlanarPose.of(self.robot.pose)
        self.resting = {
            joint.name: given.get(joint.name, joint.resting) for joint in self.robot.moving_joints
        }

    def looks(self, plan: Plan, positions: Mapping[str, float], reach: float) -> Iterator[Look]:
        """Step the twin along a plan, and yield its state before, during and after the plan.

        Args:
            plan: plan for joints of the robot.
            positions: joint -> position of the other joints [rad or m].
            reach: maximum distance that is measured [m].

        Raises:
            RunFailed: if the main model fails.
        """
        model = MainPhysics()
        try:
            given = self._for(plan, positions, reach)
            scene = _Scene(model.contribute(given, self._scenario.file.seed))
            model.start(scene.snapshot(0))
            step, output = 0, None
            while output is None or not output.ended:
                step += 1
                time_ns = self._scenario.clock.time_of(step)
                before_ns = self._scenario.clock.time_of(step - 1)
                tick = MainTick(time_ns, time_ns - before_ns, scene.snapshot(before_ns))
                output = model.step(tick)
                if CLEARANCES in output.tables or output.ended:
                    yield scene.look(output, time_ns * 1e-9 - REST_S)
        finally:
            model.stop()

    def poses(
        self, names: Sequence[str], positions: Mapping[str, float], place: PlanarPose
    ) -> Mapping[str, Floats]:
        """Return entity -> (7,) initial pose in the world.

        Args:
            names: names of the joints that may be commanded.
            positions: joint -> position, of all joints of the robot [rad or m].
            place: pose of its base.

        Raises:
            RunFailed: if the main model fails.
        """
        resting = Plan(names, np.array([positions[name] for name in names]), [], place)
        return next(self.looks(resting, positions, TOUCHING_M)).poses

    def _for(self, plan: Plan, positions: Mapping[str, float], reach: float) -> dict[str, Any]:
        """Return the main model's parameters for a rehearsal."""
        held = {name: at for name, at in positions.items() if name not in plan.names}
        robot = self._parameters["robot"]
        if isinstance(robot, Mapping):
            known = {joint.name for joint in self.robot.moving_joints}
            at_start = {**robot.get("joints_at_start", {}), **held}
            robot = {
                **robot,
                "joints_at_start": {name: at for name, at in at_start.items() if name in known},
            }
            commands = self._scenario.file.commands
            if commands is not None and commands.base is not None:
                # the plan alone moves the base, whatever moves it in the scenario
                robot["base"] = {"odometry": "plan"}
        return {
            **self._parameters,
            "robot": robot,
            "source": PlannedPart(plan, REST_S),
            "watch_rate": min(LOOKS_PER_SECOND, self._scenario.clock.rate),
            "clearance_range": reach,
            "proximity_range": reach,
            "proximity_objects": tuple(
                body.name for body in self._world.bodies if not (body.static or body.robot)
            ),
        }


class _Scene:
    """The scene of the main model alone."""

    def __init__(self, contribution: MainContribution) -> None:
        starts = contribution.attributes
        self._layout = Layout.build(
            contribution.entities, [(start.entity, start.attribute) for start in starts]
        )
        self._values = np.concatenate([start.value.data for start in starts])
        self._owners = np.zeros(len(self._layout.slots), np.int32)
        self._parents = np.full(len(self._layout.slots), -1, np.int32)
        self._names = [entity.name for entity in contribution.entities]
        self._poses = {
            slot.entity: slice(slot.offset, slot.offset + 7)
            for slot in self._layout.slots
            if slot.attribute.name == POSE.name
        }

    def snapshot(self, time_ns: int) -> Snapshot:
        return Snapshot(self._layout, ("main",), time_ns, self._values, self._owners, self._parents)

    def look(self, output: MainChanges, time: float) -> Look:
        assert output.block is not None  # always set by the main model
        near: dict[tuple[str, str], float] = {}
        known = [output.tables[name] for name in (PROXIMITY, CLEARANCES) if name in output.tables]
        rows = [row for table in known for row in table.rows()[:, :3].tolist()]
        for one, other, distance in rows:
            pair = self._names[int(one)], self._names[int(other)]
            near[pair] = min(distance, near.get(pair, distance))
        block = output.block
        poses = {name: block[place].copy() for name, place in self._poses.items()}
        return Look(time, near, poses)


class PlannedPart(Part):
    """Moves the joints of a plan after a rest.

    Args:
        plan: plan for joints of the robot.
        rest: duration of the rest before the start and after the end [s].
    """

    presses = True

    def __init__(self, plan: Plan, rest: float) -> None:
        self._plan, self._rest = plan, rest
        self.end_ns = self.duration_ns
        self._of_joint: NDArray[np.intp] = np.zeros(0, np.intp)
        self._driven: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._height = 0.0

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of the plan."""
        return self._plan.names

    @property
    def duration_ns(self) -> int:
        """End of the motion, with the rest [ns]."""
        return round((self._plan.duration + 2.0 * self._rest) * 1e9)

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Store the order of the joints; return (joints,) whether the plan moves each joint."""
        names = self._plan.names
        self._driven = np.array([name in names for name in joints], np.bool_)
        self._of_joint = np.array([names.index(name) for name in joints if name in names], np.intp)
        return self._driven

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of the joints at a time."""
        time = time_ns * 1e-9 - self._rest
        state = self._plan.at(time)
        pressing = [stage.presses for stage in self._plan.stages if time >= stage.begin]
        self.limited = tuple(sorted(frozenset().union(*pressing)))
        spread = np.zeros((3, len(self._driven)))
        spread[:, self._driven] = np.array(state)[:, self._of_joint]
        unknown = np.full(len(self._driven), np.nan)
        return JointMotion(spread[0], spread[1], spread[2], unknown)

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Store the height of the base; its path is the plan's."""
        self._height = robot.pose[2]

    def base(self, time_ns: int) -> BaseMotion:
        """Return the state of the base at a time."""
        pose, forward, turn = self._plan.base_at(time_ns * 1e-9 - self._rest)
        state = np.zeros(POSE_SIZE)
        state[:7] = pose.in_space
        state[2] = self._height
        state[7], state[8] = forward * math.cos(pose.yaw), forward * math.sin(pose.yaw)
        state[12] = turn
        return BaseMotion(state, odometry_state(pose, forward, turn))
