"""MuJoCo worlds in which a gripper on a gantry grasps, lifts, turns and shakes an object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats

SHAPES = {
    "ball": 'type="sphere" size="0.025"',
    "box": 'type="box" size="0.025 0.02 0.03"',
    "can": 'type="cylinder" size="0.025 0.04"',
}
TWO_SLIDES = """
<body name="left" pos="0 0 -0.10"><joint name="left" type="slide" axis="1 0 0" range="-0.05 0" damping="5"/>
  <geom type="box" size="0.006 0.012 0.05" pos="-0.006 0 0" mass="0.1" friction="{friction}"/></body>
<body name="right" pos="0 0 -0.10"><joint name="right" type="slide" axis="1 0 0" range="0 0.05" damping="5"/>
  <geom type="box" size="0.006 0.012 0.05" pos="0.006 0 0" mass="0.1" friction="{friction}"/></body>"""
TWO_DRIVES = """
<position name="left" joint="left" kp="400" kv="10" forcerange="-15 15"/>
<position name="right" joint="right" kp="400" kv="10" forcerange="-15 15"/>"""
COUPLED = (
    '<position name="left" joint="left" kp="800" kv="10" forcerange="-30 30"/>',
    '<joint joint1="right" joint2="left" polycoef="0 -1 0 0 0"/>',
)
JAWS = """
<body name="left" pos="-0.06 0 -0.02"><joint name="left" axis="0 -1 0" range="-0.9 0.3" damping="0.1"/>
  <geom type="box" size="0.006 0.012 0.05" pos="0 0 -0.05" mass="0.1" friction="{friction}"/>
  <geom type="box" size="0.010 0.012 0.02" pos="0.012 0 -0.09" mass="0.05" friction="{friction}"/></body>
<body name="right" pos="0.06 0 -0.02"><joint name="right" axis="0 1 0" range="-0.9 0.3" damping="0.1"/>
  <geom type="box" size="0.006 0.012 0.05" pos="0 0 -0.05" mass="0.1" friction="{friction}"/>
  <geom type="box" size="0.010 0.012 0.02" pos="-0.012 0 -0.09" mass="0.05" friction="{friction}"/></body>"""
JAW_DRIVES = """
<position name="left" joint="left" kp="20" kv="0.5" forcerange="-2 2"/>
<position name="right" joint="right" kp="20" kv="0.5" forcerange="-2 2"/>"""
ONE_JAW = """
<geom type="box" size="0.006 0.012 0.05" pos="-0.031 0 -0.10" mass="0.1" friction="{friction}"/>
<body name="right" pos="0.025 0 -0.10"><joint name="right" type="slide" axis="1 0 0" range="-0.05 0.05" damping="5"/>
  <geom type="box" size="0.006 0.012 0.05" pos="0.006 0 0" mass="0.1" friction="{friction}"/></body>"""
CUP = '<geom type="cylinder" size="0.01 0.01" pos="0 0 -0.03" mass="0.05"/>'
WORLD = """<mujoco><compiler angle="radian"/><option timestep="{step}" integrator="implicitfast"/>
<worldbody>
  <geom name="table" type="plane" size="2 2 0.1"/>
  <body name="x"><joint name="x" type="slide" axis="1 0 0" damping="20"/>
    <inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .1"/>
  <body name="y"><joint name="y" type="slide" axis="0 1 0" damping="20"/>
    <inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .1"/>
  <body name="z" pos="0 0 0.4"><joint name="z" type="slide" axis="0 0 1" damping="20"/>
    <inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .1"/>
  <body name="roll"><joint name="roll" axis="0 1 0" damping="1"/>
    <inertial pos="0 0 0" mass="0.3" diaginertia=".01 .01 .01"/>
  <body name="gripper"><joint name="yaw" axis="0 0 1" range="-3 3" damping="1"/>
    <geom type="box" size="0.06 0.03 0.02" mass="0.6"/>{fingers}
  </body></body></body></body></body>
  <body name="thing" pos="0 0 {height}"><freejoint/><geom {shape} mass="{mass}" friction="{friction}"/></body>
  <body name="other" pos="0.5 0 0.03"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.2"/></body>
</worldbody>
<equality>{equality}</equality>
<actuator>
  <position name="x" joint="x" kp="20000" kv="600"/><position name="y" joint="y" kp="20000" kv="600"/>
  <position name="z" joint="z" kp="20000" kv="600"/>
  <position name="roll" joint="roll" kp="600" kv="12"/><position name="yaw" joint="yaw" kp="600" kv="12"/>
  {drives}
</actuator></mujoco>"""
HEIGHTS = {"ball": 0.025, "box": 0.03, "can": 0.04}
BOTH_OPEN, BOTH_CLOSED = {"left": -0.05, "right": 0.05}, {"left": 0.0, "right": 0.0}
HANDS: dict[str, dict[str, Any]] = {
    "two fingers": {},
    "one drive": {
        "drives": COUPLED[0],
        "equality": COUPLED[1],
        "opened": {"left": -0.05},
        "closed": {"left": 0.0},
    },
    "jaws that turn": {
        "fingers": JAWS,
        "drives": JAW_DRIVES,
        "opened": {"left": -0.3, "right": -0.3},
        "closed": {"left": 0.3, "right": 0.3},
        "down": -0.25,
    },
    "a jaw and a fixed one": {
        "fingers": ONE_JAW,
        "drives": '<position name="right" joint="right" kp="800" kv="10" forcerange="-30 30"/>',
        "opened": {"right": 0.05},
        "closed": {"right": -0.05},
    },
    "suction": {"fingers": CUP, "drives": "", "opened": {}, "closed": {}, "down": -0.3},
}


@dataclass
class Gantry:
    """A world with a gripper, and what its controllers are told."""

    shape: str = "ball"
    friction: float = 0.5
    mass: float = 0.2
    fingers: str = TWO_SLIDES
    drives: str = TWO_DRIVES
    equality: str = ""
    opened: dict[str, float] = field(default_factory=BOTH_OPEN.copy)
    closed: dict[str, float] = field(default_factory=BOTH_CLOSED.copy)
    down: float = -0.24
    step: float = 0.002

    def __post_init__(self) -> None:
        text = WORLD.format(
            step=self.step,
            fingers=self.fingers.format(friction=self.friction),
            height=HEIGHTS[self.shape],
            shape=SHAPES[self.shape],
            mass=self.mass,
            friction=self.friction,
            equality=self.equality,
            drives=self.drives,
        )
        self.model = mj.MjModel.from_xml_string(text)
        self.data = mj.MjData(self.model)
        self.thing, self.hand = self.model.body("thing").id, self.model.body("gripper").id
        self.tell(self.opened)
        for name, position in self.opened.items():
            self.data.joint(name).qpos[0] = position
        mj.mj_forward(self.model, self.data)

    def tell(self, targets: dict[str, float]) -> None:
        """Set targets of the controllers."""
        for name, target in targets.items():
            self.data.ctrl[self.model.actuator(name).id] = target

    def run(
        self, seconds: float, after: Callable[[], None], goals: dict[str, float] | None = None
    ) -> None:
        """Step, with arm joints going smoothly to goals."""
        start = {name: float(self.data.actuator(name).ctrl[0]) for name in goals or {}}
        count = round(seconds / self.step)
        for i in range(1, count + 1):
            share = 0.5 - 0.5 * np.cos(np.pi * i / count)
            self.tell(
                {n: start[n] + share * (goal - start[n]) for n, goal in (goals or {}).items()}
            )
            mj.mj_step(self.model, self.data)
            after()

    def close_on_it(self, after: Callable[[], None]) -> None:
        """Go down and close."""
        self.run(0.5, after, {"z": self.down})
        self.run(0.3, after, self.closed)
        self.run(0.4, after)

    def carry(self, after: Callable[[], None], ways: int = 2) -> None:
        """Lift, turn and accelerate by up to 5 m/s2."""
        self.run(0.4, after, {"z": -0.1})
        for way in range(ways):
            self.run(0.4, after, {"x": 0.08, "y": 0.08 * (-1) ** way, "roll": 0.6})
            self.run(0.4, after, {"x": -0.08, "roll": -0.6, "yaw": 1.0 - way})

    def touched(self) -> bool:
        """Whether anything touches the thing."""
        bodies = self.model.geom_bodyid[self.data.contact.geom]
        return bool((bodies == self.thing).any())

    def in_hand(self) -> Floats:
        """Where the thing is in the hand's frame [m]."""
        data = self.data
        mj.mj_kinematics(self.model, data)
        turned = data.xmat[self.hand].reshape(3, 3)
        return np.asarray(turned.T @ (data.xpos[self.thing] - data.xpos[self.hand]))
