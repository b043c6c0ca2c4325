"""Hands of real robots, as their URDF files describe them, hold in MuJoCo without being told where they open."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from xml.etree import ElementTree as ET

import mujoco as mj
import numpy as np
from support.robot_files import example

from hetwin_core.ensemble.scene.values import Floats
from hetwin_grasp import Hold, find_hand

PANDA = "panda_description/urdf/panda.urdf"
ALLEGRO = "allegro_hand_description/urdf/allegro_right_hand.urdf"
READY = {"panda_joint2": -0.785, "panda_joint4": -2.356, "panda_joint6": 1.571}
TURNED = {"panda_joint1": 0.5, "panda_joint4": -1.9, "panda_joint7": 0.8}

SPREADS = {"joint_0.0": 0.0, "joint_4.0": 0.0, "joint_8.0": 0.0, "joint_12.0": 1.4}


class World:
    """A robot that weighs nothing, whose joints are driven and of which some links have shapes, and a can.

    Args:
        path: of its file.
        links: pattern of the links that keep their simple shapes.
        gains: stiffness of the drives of fingers, and their damping.
        radius, turn: of the can, and its orientation.
    """

    def __init__(
        self,
        path: str,
        links: str,
        gains: tuple[float, float],
        radius: float,
        turn: Sequence[float],
    ) -> None:
        spec = mj.MjSpec.from_string(_with_simple_shapes(path, links))
        spec.option.timestep = 0.002
        spec.option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.gravity = [0.0, 0.0, 0.0]
        for body in spec.bodies[1:]:
            body.gravcomp = 1.0
        for joint in spec.joints:
            arm = re.fullmatch(r"panda_joint\d", joint.name)
            kp, kv = (4000.0, 200.0) if arm else gains
            drive = spec.add_actuator(name=joint.name, target=joint.name)
            drive.trntype = mj.mjtTrn.mjTRN_JOINT
            drive.set_to_position(kp=kp, kv=kv)
        can = spec.worldbody.add_body(name="can", pos=[0.0, 0.0, 2.0], quat=list(turn))
        can.add_freejoint()
        size, friction = [radius, 0.05, 0.0], [0.3, 0.005, 0.0001]
        kind = mj.mjtGeom.mjGEOM_CYLINDER
        can.add_geom(type=kind, size=size, mass=0.1, friction=friction)
        self.model = spec.compile()
        self.model.dof_damping[:] = self.model.dof_frictionloss[:] = 0.0  # the drives damp
        self.data = mj.MjData(self.model)

    def stand(self, positions: Mapping[str, float]) -> None:
        """Place joints, and tell their drives to stay there."""
        for name, position in positions.items():
            self.data.joint(name).qpos[0] = self.data.actuator(name).ctrl[0] = position
        mj.mj_forward(self.model, self.data)

    def put_can(self, at: Floats | Sequence[float]) -> None:
        self.data.qpos[-7:-4] = at
        mj.mj_forward(self.model, self.data)

    def run(
        self, seconds: float, after: Callable[[], None], goals: Mapping[str, float] | None = None
    ) -> None:
        goals = goals or {}
        start = {name: float(self.data.actuator(name).ctrl[0]) for name in goals}
        count = round(seconds / self.model.opt.timestep)
        for i in range(1, count + 1):
            share = min(1.0, 1.5 * i / count)
            for name, goal in goals.items():
                self.data.actuator(name).ctrl[0] = start[name] + (goal - start[name]) * share
            mj.mj_step(self.model, self.data)
            after()

    def in_hand(self, hand: str) -> Floats:
        """Where the can is in the hand's frame [m]."""
        mj.mj_kinematics(self.model, self.data)
        palm = self.data.body(hand)
        return np.asarray(palm.xmat.reshape(3, 3).T @ (self.data.body("can").xpos - palm.xpos))


def _with_simple_shapes(path: str, links: str) -> str:
    root = ET.fromstring(example(path).read_text())
    for link in root.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            is_mesh = shape.find("geometry/mesh") is not None
            if is_mesh or shape.tag == "visual" or not re.fullmatch(links, link.attrib["name"]):
                link.remove(shape)
    options = {"fusestatic": "false", "balanceinertia": "true"}
    ET.SubElement(ET.SubElement(root, "mujoco"), "compiler", options)
    return ET.tostring(root, "unicode")


def test_the_panda_holds() -> None:
    world = World(PANDA, "panda_(left|right)finger", (2000.0, 40.0), 0.02, (1.0, 0.0, 0.0, 0.0))
    world.stand({**READY, "panda_finger_joint1": 0.04, "panda_finger_joint2": 0.04})
    world.put_can(world.data.body("panda_hand_tcp").xpos)
    hold = Hold(world.model, world.data, hand="panda_hand")
    fingers = {"panda_finger_joint1": 0.01, "panda_finger_joint2": 0.01}
    world.run(0.5, hold, fingers)
    assert hold.held == "can"
    before = world.in_hand("panda_hand")
    world.model.opt.gravity[2] = -9.81
    world.run(0.6, hold, TURNED)
    np.testing.assert_allclose(world.in_hand("panda_hand"), before, atol=0.001)
    world.run(0.2, hold, dict.fromkeys(fingers, 0.04))
    assert hold.held == ""
    assert np.abs(world.in_hand("panda_hand") - before).max() > 0.02


def test_the_fingers_of_an_allegro_hand_hold() -> None:
    """Three of them against the thumb, whose first joint has turned it before; the joints that spread them stay."""
    world = World(ALLEGRO, ".*", (1.0, 0.02), 0.026, (0.7071, 0.7071, 0.0, 0.0))
    hand = find_hand(world.model, "palm_link", {})
    names = [world.model.joint(joint).name for joint in hand.joints]
    bends = [name for name in names if name not in SPREADS]
    world.stand(dict.fromkeys(bends, 0.2) | SPREADS)
    world.put_can((0.093, 0.0, 0.025))
    hold = Hold(world.model, world.data, hand="palm_link")
    world.run(0.8, hold, dict.fromkeys(bends, 0.9))
    assert hold.held == "can"
    before = world.in_hand("palm_link")
    for gravity in ((0.0, 0.0, -9.8), (5.0, 0.0, -9.8), (9.8, 5.0, 0.0)):
        world.model.opt.gravity[:] = gravity
        world.run(0.2, hold)
    np.testing.assert_allclose(world.in_hand("palm_link"), before, atol=0.001)
    world.run(0.3, hold, dict.fromkeys(bends, 0.0))
    assert hold.held == ""
