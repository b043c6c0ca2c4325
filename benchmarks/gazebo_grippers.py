"""Gazebo worlds in which a gripper on a gantry grasps, lifts, turns and shakes an object, under Gazebo's controllers.

A JointTrajectoryController of gz-sim moves the gantry, and with it the fingers that slide; JointPositionControllers of
gz-sim move the jaws that turn.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_gazebo.bindings import Gazebo, gazebo
from hetwin_suite.model import Floats

STEP = 0.002
EVENTS = "/hetwin/grasp/gripper/events"
ENGINES = ("dartsim", "bullet-featherstone")
SHAPES = {
    "ball": "<sphere><radius>0.025</radius></sphere>",
    "box": "<box><size>0.05 0.04 0.06</size></box>",
    "can": "<cylinder><radius>0.025</radius><length>0.08</length></cylinder>",
}
HEIGHTS = {"ball": 0.025, "box": 0.03, "can": 0.04}
DOWN = {"two fingers": -0.235, "jaws that turn": -0.245, "suction": -0.29}
OPENED = {
    "two fingers": {"left": 0.0, "right": 0.0},
    "jaws that turn": {"left": -0.3, "right": -0.3},
    "suction": {},
}
CLOSED = {
    "two fingers": {"left": 0.05, "right": 0.05},
    "jaws that turn": {"left": 0.3, "right": 0.3},
    "suction": {},
}
ARM = ("x", "y", "z", "roll", "yaw")
_STIFF = {"x": 20000, "y": 20000, "z": 20000, "roll": 300, "yaw": 100}
_DAMPED = {"x": 600, "y": 600, "z": 600, "roll": 6, "yaw": 3}
_FINGER = "<box><size>0.012 0.024 0.1</size></box>"
_PAD = "<box><size>0.02 0.024 0.04</size></box>"
_CUP = "<cylinder><radius>0.01</radius><length>0.02</length></cylinder>"
_TOP = "0 0 0.4 0 0 0"
_POINT = 0.005
"""Between two points of a trajectory [s]."""
_DISCOVERY = 20.0
"""Controllers have found a new topic within this much real time [s]."""
_numbers = count()


def inertial(mass: float, inertia: float) -> str:
    """A link's mass [kg] and inertia about each axis [kg m2]."""
    axes = "".join(f"<i{a}>{inertia}</i{a}>" for a in ("xx", "yy", "zz"))
    return f"<inertial><mass>{mass}</mass><inertia>{axes}</inertia></inertial>"


def collision(name: str, shape: str, friction: float, pose: str = "0 0 0 0 0 0") -> str:
    """A shape with its friction, as each of Gazebo's physics engines reads it."""
    ode = f"<ode><mu>{friction}</mu><mu2>{friction}</mu2></ode>"
    bullet = f"<bullet><friction>{friction}</friction><friction2>{friction}</friction2></bullet>"
    return f"""<collision name="{name}"><pose>{pose}</pose><geometry>{shape}</geometry>
      <surface><friction>{ode}{bullet}</friction></surface></collision>"""


def link(name: str, pose: str, mass: float, inertia: float, solid: str = "") -> str:
    """A link of a model."""
    return f'<link name="{name}"><pose>{pose}</pose>{inertial(mass, inertia)}{solid}</link>'


def joint(kind: str, name: str, links: tuple[str, str], axis: str, low: float, high: float) -> str:
    """A joint between two links."""
    parent, child = links
    return f"""<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child><axis>
      <xyz>{axis}</xyz><limit><lower>{low}</lower><upper>{high}</upper></limit></axis></joint>"""


def fingers(gripper: str, friction: float) -> str:
    """The links and joints of a gripper, below the link `gripper` at a height of 0.4 m."""
    parts = []
    for side, sign in (("left", -1), ("right", 1)):
        if gripper == "two fingers":
            solid = collision("c", _FINGER, friction)
            parts += [
                link(f"{side}_finger", f"{0.056 * sign} 0 0.3 0 0 0", 0.1, 2e-4, solid),
                joint("prismatic", side, ("gripper", f"{side}_finger"), f"{-sign} 0 0", 0.0, 0.05),
            ]
        if gripper == "jaws that turn":
            solid = collision("c", _FINGER, friction, "0 0 -0.05 0 0 0")
            solid += collision("pad", _PAD, friction, f"{-0.012 * sign} 0 -0.09 0 0 0")
            parts += [
                link(f"{side}_finger", f"{0.06 * sign} 0 0.38 0 0 0", 0.15, 3e-4, solid),
                joint("revolute", side, ("gripper", f"{side}_finger"), f"0 {sign} 0", -0.9, 0.3),
            ]
    return "".join(parts)


def controllers(gripper: str) -> str:
    """Gazebo's controllers of the arm and of the fingers."""
    joints = [*ARM, *(OPENED[gripper] if gripper == "two fingers" else ())]
    rows = []
    for name in joints:
        most = 100000 if name in ARM else 15
        rows.append(f"""<joint_name>{name}</joint_name>
          <position_p_gain>{_STIFF.get(name, 400)}</position_p_gain>
          <velocity_p_gain>{_DAMPED.get(name, 10)}</velocity_p_gain>
          <position_cmd_min>{-most}</position_cmd_min><position_cmd_max>{most}</position_cmd_max>""")
    trajectories = f"""<plugin filename="gz-sim-joint-trajectory-controller-system"
      name="gz::sim::systems::JointTrajectoryController"><topic>/arm</topic>{"".join(rows)}</plugin>"""
    if gripper != "jaws that turn":
        return trajectories
    return trajectories + "".join(
        f"""<plugin filename="gz-sim-joint-position-controller-system"
        name="gz::sim::systems::JointPositionController"><joint_name>{side}</joint_name><topic>/{side}</topic>
        <p_gain>20</p_gain><i_gain>0</i_gain><d_gain>0.5</d_gain><cmd_max>2</cmd_max><cmd_min>-2</cmd_min>
        <initial_position>-0.3</initial_position></plugin>"""
        for side in OPENED[gripper]
    )


def holding(hand: str = "gripper", **elements: str) -> str:
    """The system that holds, as users write it."""
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in elements.items())
    return f"""<plugin filename="gz-sim-python-system-loader-system" name="gz::sim::systems::PythonSystemLoader">
      <module_name>hetwin_gazebo_grasp</module_name><hand>{hand}</hand>{inner}</plugin>"""


@dataclass(frozen=True)
class Setting:
    """A world: what is grasped, with what, and which of Gazebo's physics engines computes it.

    Several arms stand side by side, each with an object, and move alike.
    """

    shape: str = "ball"
    friction: float = 0.5
    mass: float = 0.2
    at: tuple[float, float] = (0.0, 0.0)
    gripper: str = "two fingers"
    engine: str = "dartsim"
    arms: int = 1
    step: float = STEP

    def sdf(self, plugins: str) -> str:
        """The world as SDFormat, with plugins in it."""
        return f"""<sdf version="1.9" xmlns:gz="http://gazebosim.org/schema"><world name="picks">
<gz:policies><include_server_config_plugins>false</include_server_config_plugins>
  <parallel_postupdates>false</parallel_postupdates></gz:policies>
<physics name="p" type="dart"><max_step_size>{self.step}</max_step_size><real_time_factor>0</real_time_factor></physics>
<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics">
  <engine><filename>gz-physics-{self.engine}-plugin</filename></engine></plugin>
{plugins}
<model name="table"><static>true</static><link name="top">
  {collision("c", "<plane><normal>0 0 1</normal><size>4 4</size></plane>", 1.0)}</link></model>
<model name="other"><pose>0.5 0 0.03 0 0 0</pose><link name="body">
  {inertial(0.2, 1e-4)}{collision("c", "<box><size>0.06 0.06 0.06</size></box>", 0.5)}</link></model>
{"".join(self._arm(number) for number in range(self.arms))}
</world></sdf>"""

    def _arm(self, number: int) -> str:
        """An arm and the object below it."""
        (x, y), suffix = self.at, f"_{number}" if number else ""
        links = [link("foot", _TOP, 1, 0.01)]
        links += [link(f"{name}_slide", _TOP, 2, 0.1) for name in "xyz"]
        solid = collision("c", "<box><size>0.12 0.06 0.04</size></box>", 0.5)
        if self.gripper == "suction":
            solid += collision("cup", _CUP, 0.5, "0 0 -0.03 0 0 0")
        links += [link("wrist", _TOP, 0.3, 0.01), link("gripper", _TOP, 0.6, 0.01, solid)]
        joints = [
            joint("prismatic", "x", ("foot", "x_slide"), "1 0 0", -1.0, 1.0),
            joint("prismatic", "y", ("x_slide", "y_slide"), "0 1 0", -1.0, 1.0),
            joint("prismatic", "z", ("y_slide", "z_slide"), "0 0 1", -1.0, 1.0),
            joint("revolute", "roll", ("z_slide", "wrist"), "0 1 0", -3.0, 3.0),
            joint("revolute", "yaw", ("wrist", "gripper"), "0 0 1", -3.0, 3.0),
        ]
        return f"""<model name="arm{suffix}"><pose>0 {number} 0 0 0 0</pose>{controllers(self.gripper)}
  <joint name="stands" type="fixed"><parent>world</parent><child>foot</child></joint>
  {"".join(links + joints)}{fingers(self.gripper, self.friction)}</model>
<model name="thing{suffix}"><pose>{x} {y + number} {HEIGHTS[self.shape]} 0 0 0</pose><link name="body">
  {inertial(self.mass, self.mass * 4e-4)}{collision("c", SHAPES[self.shape], self.friction)}</link></model>"""


class Controllers:
    """Gazebo's controllers of a world's arms, told by topics.

    Args:
        node: of gz-transport.
        setting: of the world.
        delivery: what is published reaches a controller within this much real time [s].
    """

    def __init__(self, node: Any, setting: Setting, delivery: float = 0.02) -> None:
        self._node, self._topics, self._delivery = node, dict[str, Any](), delivery
        self._targets = {**dict.fromkeys(ARM, 0.0), **OPENED[setting.gripper]}
        turn = setting.gripper == "jaws that turn"
        self._jaws = tuple(OPENED[setting.gripper]) if turn else ()

    def tell(self, seconds: float, goals: Mapping[str, float]) -> None:
        """Tell the controllers to go smoothly to goals of their joints; nothing is stepped."""
        start, self._targets = self._targets, {**self._targets, **goals}
        for side in self._jaws:
            self.publish(f"/{side}", "Double", self._targets[side])
        message = gazebo().message("joint_trajectory_pb2", "JointTrajectory")()
        message.joint_names.extend(name for name in start if name not in self._jaws)
        for at in np.linspace(0.0, 1.0, round(seconds / _POINT) + 1)[1:].tolist():
            point = message.points.add()
            point.time_from_start.nsec = round(at * seconds * 1e9) % 10**9
            point.time_from_start.sec = int(at * seconds)
            share, rate = 0.5 - 0.5 * np.cos(np.pi * at), np.sin(np.pi * at) * np.pi / 2 / seconds
            for name in message.joint_names:
                way = self._targets[name] - start[name]
                point.positions.append(start[name] + share * way)
                point.velocities.append(rate * way)
        self._send("/arm", message)

    def publish(self, topic: str, kind: str, data: float | bool) -> None:
        """Publish a message that holds a single value."""
        message = gazebo().message(f"{kind.lower()}_pb2", kind)()
        message.data = data
        self._send(topic, message)

    def _send(self, topic: str, message: Any) -> None:
        if topic not in self._topics:
            self._topics[topic] = self._node.advertise(topic, type(message))
            end = time.monotonic() + _DISCOVERY
            while not self._topics[topic].has_connections():
                if time.monotonic() > end:
                    raise RuntimeError(f"nothing has subscribed to {topic} within {_DISCOVERY:g} s")
                time.sleep(0.005)
        self._topics[topic].publish(message)
        time.sleep(self._delivery)


class GazeboGantry:
    """A running world.

    Args:
        setting: of the world.
        folder: for the world's file.
        plugins: of the world, as SDFormat.
        events: topic of systems that hold.

    Attributes:
        events: what has been published there.
        controllers: of the arm.
        time: of the simulation [s].
    """

    def __init__(
        self, setting: Setting, folder: Path, plugins: str = "", events: str = EVENTS
    ) -> None:
        self._gz: Gazebo = gazebo()
        self.setting, self.time = setting, 0.0
        number = next(_numbers)
        file = folder / f"picks_{number}.sdf"
        file.write_text(setting.sdf(plugins), "utf-8")
        os.environ["GZ_PARTITION"] = f"hetwin_picks_{os.getpid()}_{number}"
        self.events: list[str] = []
        self.node = self._gz.transport.Node()
        self.controllers = Controllers(self.node, setting)
        text = self._gz.message("stringmsg_pb2", "StringMsg")
        self.node.subscribe(text, events, lambda message: self.events.append(message.data))
        found: dict[str, Any] = {}
        self._fixture = self._gz.sim.TestFixture(str(file))
        self._fixture.on_pre_update(lambda _info, ecm: found.setdefault("ecm", ecm))
        self._fixture.finalize()
        self._server = self._fixture.server()
        self.step(1)
        self._ecm = found["ecm"]
        self._find()
        self.run(0.1)

    def _find(self) -> None:
        """Find the hand, its fingers and the object in Gazebo."""
        sim, ecm = self._gz.sim, self._ecm
        self._world = sim.World(sim.world_entity(ecm))
        arm = sim.Model(self._world.model_by_name(ecm, "arm"))
        self._hand = sim.Link(arm.link_by_name(ecm, "gripper"))
        self._thing = self._root("thing")
        fingers = [arm.joint_by_name(ecm, name) for name in OPENED[self.setting.gripper]]
        self._fingers = [sim.Joint(finger) for finger in fingers]
        for finger in self._fingers:
            finger.enable_position_check(ecm)

    def _root(self, model: str) -> Any:
        sim = self._gz.sim
        found = sim.Model(self._world.model_by_name(self._ecm, model))
        return sim.Link(found.canonical_link(self._ecm))

    def reset(self) -> None:
        """Set Gazebo back to its begin."""
        self._server.reset_all()
        self.controllers = Controllers(self.node, self.setting)
        self.step(2)
        self._find()
        self.run(0.1, {"z": 0.0, **OPENED[self.setting.gripper]})
        self.time = 0.0

    def step(self, count: int = 1) -> None:
        """Step, whatever the controllers do.

        Raises:
            RuntimeError: if Gazebo has ended.
        """
        if not self._server.run(True, count, False):
            raise RuntimeError("Gazebo does not step")
        self.time += count * self.setting.step

    def run(self, seconds: float, goals: Mapping[str, float] | None = None) -> None:
        """Go smoothly to goals of joints, and stay until the time is over."""
        if goals:
            self.controllers.tell(seconds, goals)
        self.step(round(seconds / self.setting.step))

    def close_on_it(self) -> None:
        """Go down and close."""
        gripper = self.setting.gripper
        self.run(0.6, {"z": DOWN[gripper]})
        opened, closed = OPENED[gripper], CLOSED[gripper]
        for share in np.linspace(0.0, 1.0, 9)[1:].tolist() if opened else ():
            self.run(0.05, {n: at + share * (closed[n] - at) for n, at in opened.items()})
        self.run(0.4)

    def lift(self) -> None:
        """Lift."""
        self.run(0.4, {"z": -0.1})

    def carry(self, ways: int = 2) -> None:
        """Turn and accelerate by up to 5 m/s2."""
        for way in range(ways):
            self.run(0.4, {"x": 0.08, "y": 0.08 * (-1) ** way, "roll": 0.6})
            self.run(0.4, {"x": -0.08, "roll": -0.6, "yaw": 1.0 - way})

    def fingers(self) -> Floats:
        """Positions of the finger joints [m or rad]."""
        return np.array([one.position(self._ecm)[0] for one in self._fingers])

    def thing(self) -> Floats:
        """Where the object is in the world [m]."""
        return _position(self._thing.world_pose(self._ecm))

    def in_hand(self) -> Floats:
        """Where the object is in the hand's frame [m]."""
        place = self._hand.world_pose(self._ecm).inverse() * self._thing.world_pose(self._ecm)
        return _position(place)

    def carried_to(self, place: Floats) -> Floats:
        """Where a place in the hand's frame is in the world [m]; bullet-featherstone says no velocities of links."""
        math = self._gz.math
        pose = math.Pose3d(math.Vector3d(*place.tolist()), math.Quaterniond(1, 0, 0, 0))
        return _position(self._hand.world_pose(self._ecm) * pose)

    def place(self, model: str) -> Floats:
        """(3,) of an object, in the world [m]."""
        return _position(self._root(model).world_pose(self._ecm))


def _position(pose: Any) -> Floats:
    at = pose.pos()
    return np.array((at.x(), at.y(), at.z()))
