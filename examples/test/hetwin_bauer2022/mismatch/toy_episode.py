"""A small episode without files, for the axes of mismatch."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from hetwin_bauer2022.mismatch.facts import EpisodeFacts, HandFacts
from hetwin_bauer2022.mismatch.joint_states import JointStates
from hetwin_bauer2022.mismatch.twin_files import TwinFiles

START_NS = 1_700_000_000_000_000_000
MS = 1_000_000

ROBOT = """
<robot name="toy">
  <link name="base"/><link name="chest"/><link name="head"/><link name="upper"/><link name="palm"/>
  <link name="tip_1"><collision><geometry><cylinder radius="0.008" length="0.04"/></geometry></collision>
    <visual><geometry><sphere radius="0.01"/></geometry></visual></link>
  <link name="tip_2"/>
  <joint name="waist" type="revolute"><parent link="base"/><child link="chest"/></joint>
  <joint name="neck" type="revolute"><parent link="chest"/><child link="head"/></joint>
  <joint name="shoulder" type="revolute"><parent link="chest"/><child link="upper"/></joint>
  <joint name="wrist" type="revolute"><parent link="upper"/><child link="palm"/></joint>
  <joint name="finger_1" type="revolute"><parent link="palm"/><child link="tip_1"/></joint>
  <joint name="finger_2" type="revolute"><parent link="palm"/><child link="tip_2"/></joint>
</robot>"""

WORLD = """
<sdf version="1.9"><world name="toy">
  <model name="ball"><link name="link">
    <inertial><mass>0.058</mass><inertia><ixx>4e-5</ixx><ixy>0</ixy></inertia></inertial>
    <collision name="ball"><pose>0 0 0.01 0.1 0 0</pose><geometry><sphere><radius>0.033</radius></sphere></geometry>
      <surface><friction><ode><mu>0.6</mu><mu2>0.6</mu2></ode></friction></surface></collision>
  </link></model>
  <model name="probe"><link name="link">
    <collision name="handle"><geometry><cylinder><radius>0.024</radius><length>0.1</length></cylinder></geometry>
    </collision>
    <collision name="shaft"><geometry><cylinder><radius>0.012</radius><length>0.04</length></cylinder></geometry>
    </collision>
  </link></model>
</world></sdf>"""


def facts(thing: str = "ball", held_part: str = "", key: tuple[int, ...] = (3, 0)) -> EpisodeFacts:
    """A hand of two fingers, of which the second closes in the negative direction."""
    hand = HandFacts(
        "palm", {"finger_1": -0.4, "finger_2": 0.4}, {"finger_1": 0.1, "finger_2": -0.1}
    )
    robot = ET.fromstring(ROBOT)
    return EpisodeFacts(
        "toy", thing, ("stand",), "socket", held_part, (0.0, 0.0, 0.05), (hand,), robot, key
    )


def states(*names: str, count: int = 501, efforts: bool = True, late_ns: int = 0) -> JointStates:
    """Joint states at 100 Hz; the position of joint j in message i is i + j / 10, efforts are 1."""
    rows = np.arange(count)
    stamps = START_NS + 10 * MS * rows
    positions = rows[:, None] + np.arange(len(names)) / 10
    return JointStates(
        "/joint_states",
        "",
        names,
        stamps,
        stamps + late_ns,
        2 * rows,
        positions,
        np.zeros(positions.shape),
        np.ones(positions.shape) if efforts else np.empty((count, 0)),
    )


def twin() -> TwinFiles:
    """World and robot."""
    return TwinFiles(ET.fromstring(WORLD), ET.fromstring(ROBOT))
