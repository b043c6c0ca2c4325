"""The system for Gazebo on a world that stands in for it: MuJoCo steps what the SDFormat says, as Gazebo would.

The stand-in has the same mirror, joints, poses and velocity commands; only Gazebo's bindings are not Gazebo's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, Protocol

import mujoco as mj
import numpy as np
import pytest

from hetwin_gazebo_grasp import get_system, system
from hetwin_gazebo_grasp.gazebo_world import NoPositionsYet
from hetwin_gazebo_grasp.holding import (
    MAX_CONTACT_FORCE_N,
    ContactCompensation,
    GraspSettings,
    ObjectHolder,
)
from hetwin_grasp import mujoco_model_of
from hetwin_suite.model import BadInput, Event, Floats

STEP = 0.001
MASS = "<inertial><mass>{m}</mass><inertia><ixx>{i}</ixx><iyy>{i}</iyy><izz>{i}</izz></inertia></inertial>"


def solid(shape: str, mass: float, friction: float) -> str:
    rough = f"<surface><friction><ode><mu>{friction}</mu><mu2>{friction}</mu2></ode></friction></surface>"
    inertia = MASS.format(m=mass, i=mass * 4e-4)
    return f'{inertia}<collision name="c"><geometry>{shape}</geometry>{rough}</collision>'


def slide(name: str, parent: str, child: str, axis: str, low: float, high: float) -> str:
    return f"""<joint name="{name}" type="prismatic"><parent>{parent}</parent><child>{child}</child><axis>
      <xyz>{axis}</xyz><limit><lower>{low}</lower><upper>{high}</upper></limit></axis></joint>"""


FINGER = "<box><size>0.012 0.024 0.1</size></box>"
CRATE = "<box><size>0.4 0.4 0.4</size></box>"
SHAPES = {
    "ball": "<sphere><radius>0.025</radius></sphere>",
    "box": "<box><size>0.05 0.04 0.06</size></box>",
    "can": "<cylinder><radius>0.025</radius><length>0.08</length></cylinder>",
}


def world_of(shape: str, friction: float, mass: float = 0.2) -> str:
    return f"""<sdf version="1.9"><world name="hall">
<model name="table"><static>true</static><link name="top"><collision name="c">
  <geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
<model name="arm"><joint name="stands" type="fixed"><parent>world</parent><child>foot</child></joint>
  <link name="foot"><pose>0 0 0.5 0 0 0</pose>{MASS.format(m=1, i=0.01)}</link>
  <link name="boom"><pose>0 0 0.5 0 0 0</pose>{MASS.format(m=2, i=0.01)}</link>
  <link name="palm"><pose>0 0 0.4 0 0 0</pose>{solid("<box><size>0.12 0.06 0.04</size></box>", 0.6, 0.5)}</link>
  <link name="left_finger"><pose>-0.046 0 0.3 0 0 0</pose>{solid(FINGER, 0.1, friction)}</link>
  <link name="right_finger"><pose>0.046 0 0.3 0 0 0</pose>{solid(FINGER, 0.1, friction)}</link>
  {slide("along", "foot", "boom", "0 1 0", -1, 1)}
  {slide("lift", "boom", "palm", "0 0 1", -1, 1)}
  {slide("left", "palm", "left_finger", "1 0 0", -0.01, 0.04)}
  {slide("right", "palm", "right_finger", "1 0 0", -0.04, 0.01)}
</model>
<model name="thing"><pose>0 0 0.04 0 0 0</pose><link name="body">{solid(SHAPES[shape], mass, friction)}</link></model>
<model name="crate"><pose>1 0 0.2 0 0 0</pose><link name="body">{solid(CRATE, 5, 1)}</link></model>
</world></sdf>"""


class Steps(Protocol):
    """Actions before each step."""

    def step(self, seconds: float) -> None: ...


class StandIn:
    """A world that MuJoCo steps, with position-controlled joints."""

    def __init__(self, sdf: str) -> None:
        self._sdf = sdf
        self.model = mujoco_model_of(sdf)
        self.model.opt.timestep = STEP
        self.data = mj.MjData(self.model)
        self.targets = {"along": 0.0, "lift": 0.0, "left": 0.0, "right": 0.0}
        mj.mj_forward(self.model, self.data)

    def sdf(self) -> str:
        return self._sdf

    def positions(self, joints: Iterable[str]) -> dict[str, float]:
        return {name: float(self.data.joint(name).qpos[0]) for name in joints}

    def pose(self, name: str) -> Floats:
        body = self.data.body(name)
        return np.concatenate([self.data.xpos[body.id], self.data.xquat[body.id]])

    def move(self, model: str, twist: Floats) -> None:
        dofs = self.data.qvel[self.model.body_dofadr[self.model.body(model).id] :][:6]
        turn = self.data.body(model).xmat.reshape(3, 3)
        dofs[:3], dofs[3:] = twist[:3], turn.T @ twist[3:]

    def run(
        self, seconds: float, holding: Steps | None, goals: Mapping[str, float] | None = None
    ) -> None:
        start, goals = dict(self.targets), goals or {}
        count = round(seconds / STEP)
        for i in range(1, count + 1):
            share = 0.5 - 0.5 * np.cos(np.pi * i / count)
            for name, goal in goals.items():
                self.targets[name] = start[name] + share * (goal - start[name])
            self._drive()
            mj.mj_kinematics(self.model, self.data)
            if holding is not None:
                holding.step(self.data.time)
            mj.mj_step(self.model, self.data)

    def _drive(self) -> None:
        for name, target in self.targets.items():
            joint = self.data.joint(f"arm::{name}")
            is_finger = name in ("left", "right")
            stiff, damp, most = (400.0, 15.0, 15.0) if is_finger else (40000.0, 900.0, 1e4)
            force = stiff * (target - joint.qpos[0]) - damp * joint.qvel[0]
            joint.qfrc_applied[0] = np.clip(force, -most, most)

    def in_hand(self) -> Floats:
        mj.mj_kinematics(self.model, self.data)
        palm = self.data.body("arm::palm")
        return np.asarray(palm.xmat.reshape(3, 3).T @ (self.data.body("thing").xpos - palm.xpos))


CLOSED = {"left": 0.045, "right": -0.045}
OPEN = {"left": 0.0, "right": 0.0}


def picked(world: StandIn, holding: Steps | None) -> float:
    """Pick, lift and accelerate by 5 m/s2; returns the motion of the object in the hand [m]."""
    world.run(0.3, holding, {"lift": -0.24})
    world.run(0.2, holding, CLOSED)
    world.run(0.25, holding)
    before = world.in_hand()
    world.run(0.3, holding, {"lift": -0.1})
    world.run(0.3, holding, {"along": 0.09})
    return float(np.abs(world.in_hand() - before).max())


def holding_in(world: StandIn, told: list[Event], **settings: object) -> ObjectHolder:
    return ObjectHolder(world, GraspSettings("palm", **settings), told.append)  # type: ignore[arg-type]


@pytest.mark.parametrize(("shape", "friction"), [("ball", 0.4), ("box", 0.1), ("can", 1.0)])
def test_it_stays_in_the_hand_until_the_fingers_open(shape: str, friction: float) -> None:
    world, told = StandIn(world_of(shape, friction)), list[Event]()
    holding = holding_in(world, told)
    assert picked(world, holding) < 0.002
    assert holding.held == "thing"
    assert [event.name for event in told] == ["grip_closed"]
    world.run(0.15, holding, OPEN)
    assert holding.held == ""
    world.run(0.3, holding)
    assert world.data.body("thing").xpos[2] < 0.1


def test_fingers_that_squeeze_a_light_thing_out_do_not_move_it() -> None:
    """Rotating jaws press a ball from above: 30 N change the velocity of 50 g by 0.6 m/s in a step."""
    world = StandIn(world_of("can", 0.1, mass=0.05))
    holding = holding_in(world, [])
    picked(world, holding)
    before = world.in_hand()
    world.data.body("thing").xfrc_applied[:3] = 4.0, 4.0, -30.0
    world.run(0.3, holding)
    assert holding.held == "thing"
    assert np.abs(world.in_hand() - before).max() < 0.0005


def test_what_is_held_pushes_on_what_stops_it_with_a_limited_force() -> None:
    push, still, period = (
        ContactCompensation(mass=0.5, radius=0.05),
        np.array([0.0] * 3 + [1.0] + [0.0] * 3),
        0.001,
    )
    twist = np.zeros(6)
    for _ in range(2000):
        twist = push.compensated_twist(still, np.full(6, 0.1), period)
    most = (MAX_CONTACT_FORCE_N + 2 * 0.5 * 9.81) / 0.5 * period
    np.testing.assert_allclose(twist[:3] - 0.1, most)
    np.testing.assert_allclose(twist[3:] - 0.1, most / 0.05)


def test_without_it_is_lost() -> None:
    assert picked(StandIn(world_of("box", 0.1)), None) > 0.05


def test_empty_fingers_hold_nothing() -> None:
    world, told = StandIn(world_of("ball", 1.0)), list[Event]()
    world.data.joint("free thing").qpos[1] = 0.2
    holding = holding_in(world, told)
    picked(world, holding)
    assert (holding.held, told) == ("", [])


def test_only_what_is_small_and_named_is_held() -> None:
    world, told = StandIn(world_of("can", 1.0)), list[Event]()
    for settings in ({"largest": 0.03}, {"objects": ["cra*"]}):
        holding = holding_in(world, told, **settings)
        picked(StandIn(world_of("can", 1.0)), holding)
        assert holding.held == ""


def test_an_object_without_a_shape_that_is_read_is_named() -> None:
    line = "<polyline><height>0.1</height><point>0 0</point><point>1 0</point></polyline>"
    sdf = world_of("can", 1.0).replace(CRATE, line)
    holding = holding_in(StandIn(sdf), [])
    assert holding.description.endswith(", and never crate: no shape that hetwin reads")


def test_what_is_not_there_is_named() -> None:
    world = StandIn(world_of("can", 1.0))
    with pytest.raises(BadInput, match=r"no link has this name.*plam.*arm::palm"):
        ObjectHolder(world, GraspSettings("plam"), lambda _event: None)
    with pytest.raises(BadInput, match=r"arm::lift_er.*arm::lift"):
        ObjectHolder(
            world, GraspSettings("palm", fingers={"lift_er": (0.0, 1.0)}), lambda _event: None
        )


@dataclass
class Message:
    data: Any = None


class Transport:
    """Gazebo's transport in this process."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.heard: dict[str, Callable[[Message], None]] = {}

    def Node(self) -> Transport:  # noqa: N802
        return self

    def advertise(self, topic: str, kind: object) -> Transport:
        assert topic.endswith("/events")
        return self

    def publish(self, message: Message) -> None:
        self.told.append(json.loads(message.data))

    def subscribe(self, kind: object, topic: str, callback: Callable[[Message], None]) -> None:
        self.heard[topic] = callback


@dataclass
class Bindings:
    """The part of Gazebo's bindings that a system needs in addition to its world."""

    transport: Transport

    def message(self, module: str, name: str) -> type[Message]:
        return Message


class Element(dict[str, str]):
    """The plugin's element, as Gazebo's bindings of SDFormat give it."""

    def get_string(self, name: str, usual: str) -> tuple[str, bool]:
        return self.get(name, usual), name in self


class InGazebo(StandIn):
    """The stand-in, with the system between its steps as Gazebo has it."""

    def __init__(self, sdf: str, element: Element, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(sdf)
        self.there, self.paused, self.transport = {4}, False, Transport()
        self.parameters: dict[str, bool] | None = {}
        monkeypatch.setattr(system, "gazebo", lambda: Bindings(self.transport))
        monkeypatch.setattr(system, "GazeboWorld", lambda _gz: self)
        self.system = get_system()
        self.system.configure(1, element, None, None)

    def use(self, ecm: object) -> None:
        assert ecm is self

    def models(self) -> frozenset[int]:
        return frozenset(self.there)

    def declare(self, parameter: str) -> bool:
        if self.parameters is not None:
            self.parameters.setdefault(parameter, True)
        return self.parameters is not None

    def set(self, parameter: str, on: bool) -> None:
        assert self.parameters is not None
        self.parameters[parameter] = on

    def is_on(self, parameter: str) -> bool:
        assert self.parameters is not None
        return self.parameters[parameter]

    def step(self, seconds: float) -> None:
        info = SimpleNamespace(paused=self.paused, sim_time=timedelta(seconds=seconds))
        self.system.pre_update(info, self)


def test_the_system_tells_what_it_does_and_can_be_switched_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = InGazebo(world_of("can", 1.0), Element(hand="arm::palm"), monkeypatch)
    assert picked(world, world) < 0.002
    assert "hetwin: arm::palm holds by its fingers" in capsys.readouterr().err
    assert [(one["event"], one["object"]) for one in world.transport.told] == [
        ("grip_closed", "thing")
    ]
    world.transport.heard["/hetwin/grasp/arm/palm/enable"](Message(False))
    world.run(0.03, world)  # type: ignore[arg-type]
    assert world.system.held == ""
    assert world.parameters == {"/hetwin/grasp/arm/palm/enable": False}
    world.parameters["/hetwin/grasp/arm/palm/enable"] = True
    world.run(0.3, world)  # type: ignore[arg-type]
    assert world.system.held == "thing"
    assert [one["event"] for one in world.transport.told] == [
        "grip_closed",
        "grip_lost",
        "grip_closed",
    ]
    world.system.reset(None, world)
    assert world.system.held == ""


def test_a_gazebo_without_parameters_is_switched_by_the_topic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = InGazebo(world_of("can", 1.0), Element(hand="palm", topic="/grip"), monkeypatch)
    world.parameters = None
    assert picked(world, world) < 0.002
    world.transport.heard["/grip/enable"](Message(False))
    world.run(0.03, world)  # type: ignore[arg-type]
    assert world.system.held == ""


def test_a_robot_that_comes_later_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = world_of("can", 1.0)
    world = InGazebo(whole, Element(hand="palm", topic="/grip"), monkeypatch)
    arm = whole[whole.index('<model name="arm">') : whole.index('<model name="thing">')]
    world._sdf = whole.replace(arm, "")
    world.run(0.6, world)  # type: ignore[arg-type]
    assert world.system.held == ""
    world._sdf, world.there = whole, {4, 5}
    assert picked(world, world) < 0.002
    assert world.transport.told[0]["object"] == "thing"


def test_a_hand_that_never_comes_is_named_and_ends_the_system(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = InGazebo(world_of("can", 1.0), Element(hand="paw"), monkeypatch)
    world.step(0.001)
    assert "paw" not in capsys.readouterr().err
    world.step(0.001 + system.SEARCH_PERIOD_S)
    assert re.search(r"searching for 10 s.*no link has this name.*paw", capsys.readouterr().err)
    with pytest.raises(BadInput, match=r"no link has this name.*paw"):
        world.step(system.HAND_TIMEOUT_S + 1.0)


def test_a_world_without_physics_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def positions(_joints: Iterable[str]) -> dict[str, float]:
        raise NoPositionsYet

    world = InGazebo(world_of("can", 1.0), Element(hand="palm"), monkeypatch)
    monkeypatch.setattr(world, "positions", positions)
    for now in (0.001, 0.002, 0.6):
        world.step(now)
    assert "expected the system Physics" in capsys.readouterr().err
    with pytest.raises(NoPositionsYet, match="joints have no positions"):
        world.step(system.HAND_TIMEOUT_S + 1.0)


@pytest.mark.parametrize(
    ("element", "says"),
    [
        ({}, "hand: is missing"),
        ({"hand": "palm", "largest": "big"}, "could not convert.*metres"),
        ({"hand": "palm", "fingers": "left 0"}, "joint opened closed"),
    ],
)
def test_a_wrong_element_is_refused(
    element: dict[str, str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInput, match=says):
        InGazebo(world_of("can", 1.0), Element(element), monkeypatch)


def test_lists_of_the_element_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Element(hand="palm", objects="cube* ball", fingers="left 0 0.04, right 0 -0.04")
    world = InGazebo(world_of("can", 1.0), given, monkeypatch)
    assert world.system.settings == GraspSettings(
        "palm", ["cube*", "ball"], fingers={"left": (0.0, 0.04), "right": (0.0, -0.04)}
    )
