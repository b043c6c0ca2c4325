"""The simulated robot: a scenario's world and robot in real time, moved only by commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_commanding.obeying.base import DrivenBase, MobileBase, RollingBase
from hetwin_commanding.obeying.faults import Fault, FaultKind, Faulty
from hetwin_commanding.obeying.localization import Localization
from hetwin_commanding.obeying.mismatch import Mismatch, as_it_is, believed, drawn, noise
from hetwin_commanding.obeying.response import Response
from hetwin_commanding.source.part import CommandedPart
from hetwin_suite.engine import (
    Body,
    Engine,
    EngineSettings,
    FittedLidar,
    MainPhysics,
    ParameterResolver,
    Settings,
    World,
    fitted_lidars,
    frame_name,
    load_world,
    make_engine,
)
from hetwin_suite.model import BadInput, Event, Floats
from hetwin_suite.robot import DifferentialDrive, PlanarPose, differential_drive
from hetwin_suite.runs import RunOptions, Scenario
from hetwin_suite.source import ALL, BaseKind, FollowedBase, Plans, open_source
from hetwin_suite.source import RobotSettings as Robot
from hetwin_suite.wire import ODOMETRY_TOPIC

SECOND = 1_000_000_000
TF = "tf"
"""In place of an odometry topic: the base moves as transforms specify."""
LOCALIZATION = "amcl_pose"


@dataclass(frozen=True, slots=True)
class SensorReadings:
    """The readings of the robot's sensors at one time.

    Attributes:
        stamp_ns: time on this machine's clock [ns].
        positions, velocities: (n,) of `ObeyingRobot.joints` [rad or m, rad/s or m/s].
        efforts: (n,) efforts [Nm or N].
    """

    stamp_ns: int
    positions: Floats
    velocities: Floats
    efforts: Floats


class ObeyingRobot:
    """Obeys commands within its physics and its faults.

    Args:
        scenario: scenario with the world and the robot; its source is not used.
        namespace: namespace of the command topics.
        seed: seed of the mismatch between this robot and its description.
        fault: the fault; None: none.
        packages: package name -> its folder, in addition to those of the scenario.
        start: actual initial pose of its base; None: the scenario's.

    Attributes:
        joints: names of the joints with sensors.
        base: the mobile base; None: it does not move.
        localization: localization of the base.
        lidars: laser scanners.
        base_topics: topics of odometry and localization.
        root: name of the root link.
        notes: notes for the user.

    Raises:
        BadInput: if the scenario has no robot, or its files cannot be used.
    """

    def __init__(
        self,
        scenario: Scenario,
        namespace: str = "",
        seed: int = 0,
        fault: Fault | None = None,
        packages: Mapping[str, str] | None = None,
        start: PlanarPose | None = None,
    ) -> None:
        options = RunOptions(source=f"commands:{namespace}", packages=packages or {})
        settings, spec = _settings(scenario, options)
        self.mismatch: Mismatch = drawn(seed)
        self._noise = noise(seed)
        world = as_it_is(load_world(settings), self.mismatch, _pulling(spec))
        body = _robot(world, scenario)
        robot = settings.robot or Robot(urdf=body.name)
        _check_start(start, robot, scenario)
        self._period_ns = round(SECOND / settings.rate)
        self._engine: Engine = make_engine("mujoco")
        remarks = self._engine.load(world, _engine_settings(settings))
        wheels = None
        if robot.wheels is not None:
            wheels = believed(differential_drive(body, robot.wheels), self.mismatch)
        plan = open_source(spec, robots=[body], wheels=wheels)
        (commanded,) = plan.parts
        assert isinstance(commanded, CommandedPart)
        self._commanded_by, self._plans = commanded, Plans({ALL: plan})
        self._plans.drive([body], robot.joints_at_start, self._period_ns)
        self.notes = [*world.warnings, *remarks, *plan.notes]
        self.joints, self.root = self._engine.driven, body.links[0].name
        self._faulty = Faulty(fault, self._plans.driven & ~_turning(self.joints, wheels))
        self._place()
        self._time_ns = 0
        self.base = self._mobile(body, robot, wheels, start)
        self.base_topics = _base_topics(robot)
        self.localization = Localization(self.mismatch, self._noise)
        links = {link.name: frame_name(body, link.name) for link in body.links}
        self.lidars = fitted_lidars(robot.lidars, links, self._engine.frames, settings.rate)

    def _mobile(
        self,
        body: Body,
        robot: Robot,
        wheels: DifferentialDrive | None,
        start: PlanarPose | None,
    ) -> MobileBase | None:
        if isinstance(robot.base, FollowedBase):
            scenario_start = None if isinstance(robot.base.start, str) else robot.base.start
            return DrivenBase(
                self._engine,
                body,
                scenario_start if start is None else list(start),
                self.mismatch,
                self._period_ns / SECOND,
            )
        if robot.base is BaseKind.FREE and wheels is not None:
            return RollingBase(self._engine, body, wheels)
        return None

    def _place(self) -> None:
        resting = self._plans.motion(0).positions
        positions = np.zeros(len(self._engine.joints))
        positions[: len(resting)] = resting
        self._engine.place_joints(positions, np.zeros_like(positions))
        mismatch = self.mismatch
        self._response = Response(
            mismatch.bandwidth, mismatch.feed_forward, self._period_ns / SECOND, resting
        )

    @property
    def period_ns(self) -> int:
        """Simulated time of a step [ns]."""
        return self._period_ns

    @property
    def silent(self) -> bool:
        """Whether the robot has stopped publishing."""
        return self._faulty.is_now(FaultKind.SILENCE, self._time_ns / SECOND)

    def start_clock(self) -> None:
        """Start the clock."""
        self._plans.start()

    def wait(self) -> None:
        """Wait until the next step is due in real time, and take the received commands."""
        then_ns = self._time_ns + self._period_ns
        self._commanded = self._plans.motion(then_ns), self._commanded_by.twist(then_ns)

    def step(self) -> list[Event]:
        """Advance by one period, after `wait`; return refused commands as events."""
        self._time_ns += self._period_ns
        time = self._time_ns / SECOND
        motion, twist = self._commanded
        if np.any(motion.velocities) or any((twist.forward, twist.sideways, twist.turn)):
            self._faulty.moves(time)
        motion, twist = self._faulty.spoiled(motion, twist, time)
        motion = self._response.to(motion)
        self._engine.command_joints(motion.positions, motion.velocities, motion.accelerations)
        if self.base is not None:
            self.base.command(twist)
        self._engine.step()
        if self.base is not None:
            self.base.read_pose()
        self._commanded_by.measured(self._time_ns, *self._true())
        return self._plans.events(self._time_ns)

    @property
    def stamp_ns(self) -> int:
        """Time of the state on this machine's clock [ns]."""
        return self._commanded_by.epoch_ns + self._time_ns

    def poses(self) -> dict[str, Floats]:
        """Return the true poses: entity -> (7,) x y z [m], qw qx qy qz in the world."""
        frames = np.zeros((len(self._engine.frames), 13))
        self._engine.read_frames(frames)
        return dict(zip(self._engine.frames, frames[:, :7], strict=True))

    def scan(self, lidar: FittedLidar) -> Floats:
        """Return the present ranges of a laser scanner (beams,) [m], with noise."""
        scan = lidar.scan(self._engine)
        hits = (scan > 0.0) & (scan < lidar.pattern.reach)
        noise = self.mismatch.range_noise * self._noise.standard_normal(len(scan))
        measured: Floats = np.where(hits, np.maximum(scan + noise, 0.0), scan)
        return measured

    def _true(self) -> tuple[Floats, Floats, Floats]:
        """Return true positions, velocities and efforts of the joints, each (n,) [rad or m, per second, Nm or N]."""
        count = len(self.joints)
        positions, velocities = np.zeros((2, len(self._engine.joints)))
        self._engine.read_joints(positions, velocities)
        efforts = np.full(count, np.nan)
        self._engine.read_efforts(efforts)
        unknown = np.isnan(efforts)
        if unknown.any():
            accelerations = np.zeros(count)
            needed = self._engine.expected_efforts(
                positions[:count], velocities[:count], accelerations
            )
            efforts[unknown] = needed[unknown]
        return positions[:count], velocities[:count], efforts

    def sensed(self) -> SensorReadings:
        """Return the present readings of the joint sensors."""
        count, drawn_ones = len(self.joints), self._noise.standard_normal
        mismatch = self.mismatch
        positions, velocities, efforts = self._true()
        return SensorReadings(
            self.stamp_ns,
            positions + mismatch.position_noise * drawn_ones(count),
            velocities + mismatch.velocity_noise * drawn_ones(count),
            efforts * (1.0 + mismatch.effort_noise * drawn_ones(count)),
        )

    def close(self) -> None:
        """Stop listening, and close the simulation."""
        self._plans.close()
        self._engine.close()


def _settings(scenario: Scenario, options: RunOptions) -> tuple[Settings, dict[str, Any]]:
    """Return the main model's settings, and the source of commands."""
    main = scenario.main
    if scenario.file.robots:
        raise scenario.placed(
            BadInput(
                "a stand-in is one robot, and the scenario has several",
                where="robots",
                found=", ".join(scenario.file.robots),
                expected="robot: the one that it stands in for, perhaps in a scenario that extends this one",
            )
        )
    if not issubclass(main.cls, MainPhysics):
        raise BadInput(
            "only a robot of the main model main_physics can be simulated",
            file=scenario.path,
            where=f"models.{main.name}.type",
            found=main.type,
            expected="main_physics",
        )
    resolver = ParameterResolver(scenario, options)
    resolved = resolver.resolve(main, Settings.requests())
    try:
        settings = Settings.read(resolved)
    except BadInput as error:
        raise resolver.placed(main, error) from None
    return settings, resolved["source"]


def _check_start(start: PlanarPose | None, robot: Robot, scenario: Scenario) -> None:
    if start is not None and not isinstance(robot.base, FollowedBase):
        raise scenario.placed(
            BadInput(
                "only a base that follows odometry can begin elsewhere",
                where="robot.base",
                found=robot.base if robot.base is None else robot.base.value,
                expected="base: {odometry: TOPIC}",
            )
        )


def _pulling(spec: Mapping[str, Any]) -> Callable[[str], bool]:
    """Return a predicate for the joints that controllers move."""
    controllers = spec.get("controllers") or {"": ["*"]}
    patterns = [pattern for members in controllers.values() for pattern in members]
    return lambda name: any(fnmatchcase(name, pattern) for pattern in patterns)


def _turning(joints: Sequence[str], wheels: DifferentialDrive | None) -> NDArray[np.bool_]:
    turning = () if wheels is None else wheels.joints
    return np.array([joint in turning for joint in joints], np.bool_)


def _base_topics(robot: Robot) -> tuple[str, str]:
    """Return the topics of odometry and localization that the twin expects."""
    odometry, localization = ODOMETRY_TOPIC.name, LOCALIZATION
    if isinstance(robot.base, FollowedBase):
        if robot.base.odometry != TF:
            odometry = robot.base.odometry
        if isinstance(robot.base.start, str):
            localization = robot.base.start
    return odometry, localization


def _robot(world: World, scenario: Scenario) -> Body:
    robot = next((body for body in world.bodies if body.robot), None)
    if robot is None:
        raise BadInput(
            "the scenario has no robot that could obey",
            file=scenario.path,
            where="robot",
            expected="a URDF file, or a mapping with urdf",
        )
    return robot


def _engine_settings(settings: Settings) -> EngineSettings:
    return EngineSettings(
        period=1.0 / settings.rate,
        substeps=settings.substeps,
        proximity_objects=(),
        contact_time=settings.contact_time,
    )
