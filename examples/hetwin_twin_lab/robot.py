"""Body and reactive layer of the stand-in for the lab robot: a second twin with hidden parameters."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_machines.machine_network import MachineNetwork
from hetwin_suite.engine import Body, MainPhysics, Settings, load_world
from hetwin_suite.model import (
    ALIGN_BASE,
    BadInput,
    Contribution,
    Event,
    Floats,
    Json,
    Layout,
    MainTick,
    Model,
    Snapshot,
    Tick,
)
from hetwin_suite.robot import DifferentialDrive, differential_drive
from hetwin_suite.runs import ModelPlan, Scenario, one_of, parameters_of
from hetwin_twin_lab.hidden import HiddenParameters, urdf_with_hidden

SCALED_INPUTS = ("speed", "acceleration", "turn_speed", "turn_acceleration")
"""Inputs of the reactive layer that hidden factors scale."""
_ALIGNING = "aligning"


class LabRobot:
    """Moves in a world of its own by the commands of its reactive layer.

    Args:
        scenario: scenario with the world, the robot and the reactive layer.
        controller: name of the model that is the reactive layer.
        hidden: differences from the data sheet, unknown to the twin.

    Attributes:
        name: name of the robot.
        wheels: wheels according to the data sheet.
        controller: name of the reactive layer.
        period_ns: simulated duration of a step of its physics [ns].

    Raises:
        BadInput: if the scenario has no such robot or controller.
    """

    def __init__(self, scenario: Scenario, controller: str, hidden: HiddenParameters) -> None:
        plan = _controller(scenario, controller)
        settings = parameters_of(scenario, scenario.main, Settings.requests())
        body = _body(settings, scenario)
        self.wheels = _wheels(settings, body)
        self.name, self.controller = body.name, controller
        self._physics, self._reactive = MainPhysics(), MachineNetwork()
        parameters = parameters_of(scenario, plan, self._reactive.requests())
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            physics_part = self._physics.contribute(_hidden_body(settings, hidden, self, file), 0)
        reactive_part = self._reactive.contribute(_hidden_controller(parameters, hidden), 0)
        self._layout, self._values = _scene((physics_part, reactive_part))
        self._physics_size = sum(start.attribute.size for start in physics_part.attributes)
        self._start()
        self._clock, self._every, self._step = scenario.clock, plan.every, 0
        self.period_ns = scenario.clock.period_ns
        self._for_physics: tuple[Event, ...] = ()

    def _start(self) -> None:
        models: tuple[Model, ...] = (self._physics, self._reactive)
        for model in models:
            model.start(self.scene)

    @property
    def time_ns(self) -> int:
        """Simulated time [ns]."""
        return self._clock.time_of(self._step)

    @property
    def scene(self) -> Snapshot:
        """The current scene of its own world."""
        slots = len(self._layout.slots)
        return Snapshot(
            self._layout,
            ("physics", self.controller),
            self._clock.time_of(self._step) if hasattr(self, "_clock") else 0,
            self._values,
            np.zeros(slots, np.int32),
            np.full(slots, -1, np.int32),
        )

    @property
    def joint_positions(self) -> dict[str, float]:
        """Joint -> position [rad]."""
        joints = self._layout.entity(self.name).joints
        return dict(zip(joints, self.scene.get(self.name, "joint_positions").tolist(), strict=True))

    @property
    def wheel_angles(self) -> Floats:
        """(2,) mean angles of the left and right wheels, forward [rad]."""
        positions = self.joint_positions
        angles = self.wheels.signs * [positions[name] for name in self.wheels.joints]
        count = len(self.wheels.left)
        return np.array([angles[:count].mean(), angles[count:].mean()])

    @property
    def pose(self) -> Floats:
        """(13,) pose and twist of its base in the world."""
        return self.scene.pose(self.name).copy()

    def step(self, commands: Sequence[Event]) -> list[Event]:
        """Advance physics by one step; return the events of the reactive layer if it is due.

        Args:
            commands: events for the reactive layer; they wait until it is due.
        """
        self._step += 1
        time_ns = self._clock.time_of(self._step)
        output = self._physics.step(
            MainTick(time_ns, self.period_ns, self.scene, self._for_physics)
        )
        assert output.block is not None
        self._values[: self._physics_size] = output.block
        self._for_physics = ()
        if self._step % self._every:
            return []
        tick = Tick(time_ns, self._every * self.period_ns, self.scene, tuple(commands))
        events = [replace(e, source=self.controller) for e in self._reactive.step(tick).events]
        self._for_physics = tuple(events)
        return events

    def align(self, x: float, y: float, yaw: float) -> None:
        """Place the robot at a pose in its next step, at rest: x, y [m], yaw [rad]."""
        specification: dict[str, Json] = {"x": x, "y": y, "yaw": yaw}
        event = Event(ALIGN_BASE, self.time_ns, source=_ALIGNING, arguments=specification)
        self._for_physics = (*self._for_physics, event)

    @property
    def takes_commands(self) -> bool:
        """Whether the reactive layer is due in the next step."""
        return (self._step + 1) % self._every == 0

    def close(self) -> None:
        """End the simulation."""
        self._physics.stop()
        self._reactive.stop()


def _controller(scenario: Scenario, name: str) -> ModelPlan:
    plan = scenario.plan(name)
    networks = [p.name for p in scenario.models if issubclass(p.cls, MachineNetwork)]
    if plan is None or name not in networks:
        raise BadInput(
            "not a machine_network of the scenario",
            where="controller",
            found=name,
            expected=one_of(name, networks),
        )
    return plan


def _body(settings: Mapping[str, Any], scenario: Scenario) -> Body:
    world = load_world(Settings.read(settings))
    robot = next((body for body in world.bodies if body.robot), None)
    if robot is None or not (settings["robot"] or {}).get("wheels"):
        raise BadInput(
            "the scenario has no robot with wheels",
            file=scenario.path,
            where="robot",
            expected="a robot with wheels: {left, right}",
        )
    return robot


def _wheels(settings: Mapping[str, Any], body: Body) -> DifferentialDrive:
    specification = Settings.read(settings).robot
    assert specification is not None
    assert specification.wheels is not None
    return differential_drive(body, specification.wheels)


def _hidden_body(
    settings: Mapping[str, Any], hidden: HiddenParameters, robot: LabRobot, file: Path
) -> dict[str, Any]:
    """Return parameters of a main model whose robot has hidden dimensions, but odometry of the data sheet."""
    sheet, specification = robot.wheels, settings["robot"]
    radii = dict.fromkeys(sheet.left, hidden.left_radius) | dict.fromkeys(
        sheet.right, hidden.right_radius
    )
    text = urdf_with_hidden(Path(specification["urdf"]), radii, hidden.base, hidden.friction)
    file.write_text(text, encoding="utf-8")
    odometry = {**specification["wheels"], "radius": sheet.radius, "separation": sheet.separation}
    if hidden.tyre_width:
        odometry["tyre_width"] = hidden.tyre_width
    bodies = dict(settings.get("bodies") or {})
    if hidden.friction is not None:
        bodies["ground"] = {"friction": hidden.friction}
    return {
        **settings,
        "robot": {**specification, "urdf": str(file), "name": robot.name, "wheels": odometry},
        "source": {"model": robot.controller, "aligned_by": _ALIGNING},
        "engine": "mujoco",
        "watch_rate": 0.0,
        "proximity_objects": (),
        "bodies": bodies,
    }


def _hidden_controller(parameters: Mapping[str, Any], hidden: HiddenParameters) -> dict[str, Any]:
    inputs = dict(parameters["inputs"])
    for name in SCALED_INPUTS:
        if isinstance(inputs.get(name), int | float):
            inputs[name] = inputs[name] * getattr(hidden, name)
    return {**parameters, "inputs": inputs}


def _scene(parts: Sequence[Contribution]) -> tuple[Layout, Floats]:
    """Return the layout of all contributions, and its initial values."""
    starts = [start for part in parts for start in part.attributes]
    entities = [entity for part in parts for entity in part.entities]
    layout = Layout.build(entities, [(s.entity, s.attribute) for s in starts])
    values = np.zeros(layout.size)
    for start in starts:
        values[layout.range_of(start.entity, start.attribute.name)] = start.value.data
    return layout, values
