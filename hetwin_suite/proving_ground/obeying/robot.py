"""The stand-in itself: a scenario's world and robot, simulated in real time, moved by commands alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.parameters import Known, ParameterResolver
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.proving_ground.obeying.faults import Fault, FaultKind, Faulty
from hetwin_suite.proving_ground.obeying.mismatch import Mismatch, as_it_is, drawn, noise
from hetwin_suite.proving_ground.obeying.response import Response
from model_nodes.main_physics.drive import Drive
from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.settings import Settings, read_settings
from model_nodes.main_physics.sources.commanded.source import CommandedSource
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.source import JointMotion
from model_nodes.main_physics.world.description import Body, World

SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Sensed:
    """What the robot's sensors say at one time.

    Attributes:
        stamp_ns: that time, by this machine's clock [ns].
        positions, velocities: (n,) of `ObeyingRobot.joints` [rad or m, and per second].
        efforts: (n,) [Nm or N].
    """

    stamp_ns: int
    positions: Floats
    velocities: Floats
    efforts: Floats


class ObeyingRobot:
    """Moves as commands say, as far as its physics and its faults let it.

    Args:
        scenario: whose world and robot it has; its source is not used.
        namespace: of the topics of its commands.
        seed: of what the twin does not know of it.
        fault: what goes wrong; None: nothing.
        packages: name of a package:// -> its folder, beside those of the scenario.

    Attributes:
        joints: names of the joints that it has sensors for.
        notes: notes for the user.

    Raises:
        BadInput: if there is no robot, or the scenario's files cannot be used.
    """

    def __init__(
        self,
        scenario: Scenario,
        namespace: str = "",
        seed: int = 0,
        fault: Fault | None = None,
        packages: Mapping[str, str] | None = None,
    ) -> None:
        options = RunOptions(source=f"commands:{namespace}", packages=packages or {})
        settings, spec = _settings(scenario, options)
        self.mismatch: Mismatch = drawn(seed)
        self._noise = noise(seed)
        world = as_it_is(load_world(settings), self.mismatch)
        body = _robot(world, scenario)
        self._period_ns = round(SECOND / settings.rate)
        self._engine: Engine = make_engine("mujoco")
        self._engine.load(world, _engine_settings(settings))
        source = open_source(spec, robots=[body])
        assert isinstance(source, CommandedSource)
        self._source = source
        start = {} if settings.robot is None else settings.robot.joints_at_start
        self._drive = Drive(list(body.driven_joints), source, start, self._period_ns)
        self.notes = [*world.warnings, *source.notes]
        self.joints = self._engine.driven
        self._faulty = Faulty(fault, self._drive.driven)
        self._place()
        self._time_ns = 0

    def _place(self) -> None:
        resting = self._drive.at(0).positions
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
        """Whether it publishes nothing any more."""
        return self._faulty.is_now(FaultKind.SILENCE, self._time_ns / SECOND)

    def begin(self) -> None:
        """Let time run."""
        self._source.begin()

    def wait(self) -> None:
        """Wait until the state of now is that of real time, and take the commands that have come."""
        self._commanded = self._drive.at(self._time_ns + self._period_ns)

    def step(self) -> list[Event]:
        """Go on by one period, after `wait`; returns commands that were refused, as events."""
        self._time_ns += self._period_ns
        time = self._time_ns / SECOND
        if np.any(self._commanded.velocities):
            self._faulty.moves(time)
        motion = self._response.to(self._faulty.spoiled(self._commanded, time))
        self._command(motion)
        self._engine.step()
        return self._source.events(self._time_ns)

    def _command(self, motion: JointMotion) -> None:
        self._engine.command_joints(motion.positions, motion.velocities, motion.accelerations)
        self._last = motion

    def sensed(self) -> Sensed:
        """Return what the sensors of the joints say now."""
        count, drawn_ones = len(self.joints), self._noise.standard_normal
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
        mismatch = self.mismatch
        return Sensed(
            self._source.epoch_ns + self._time_ns,
            positions[:count] + mismatch.position_noise * drawn_ones(count),
            velocities[:count] + mismatch.velocity_noise * drawn_ones(count),
            efforts * (1.0 + mismatch.effort_noise * drawn_ones(count)),
        )

    def close(self) -> None:
        """Stop listening, and end the simulation."""
        self._source.close()
        self._engine.close()


def _settings(scenario: Scenario, options: RunOptions) -> tuple[Settings, dict[str, object]]:
    """The main model's settings, and the source of commands."""
    main = scenario.main
    if not issubclass(main.cls, MainPhysics):
        raise BadInput(
            "only a robot of the main model main_physics can be simulated",
            file=scenario.path,
            where=f"models.{main.name}.type",
            found=main.type,
            expected="main_physics",
        )
    resolver = ParameterResolver(scenario, options)
    resolved = resolver.resolve(main, Settings.requests(), Known({}, {}, {}))
    try:
        settings = read_settings(resolved)
    except BadInput as error:
        raise resolver.placed(main, error) from None
    return settings, resolved["source"]


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
