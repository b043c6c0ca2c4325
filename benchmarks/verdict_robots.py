"""Three robots of example-robot-data in a MuJoCo of the generator's own: postures, distances, efforts.

Nothing of hetwin's physics is used, so that what is true of a recording does not come from what is judged.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import mujoco
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world.resources import Resources

GRAVITY = 9.81
_PACKAGE = "package://"
_FOLDER = "package://example-robot-data/robots"
_UR_JOINTS = ("shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3")
_BOXES = 1
"""Boxes that a lab can place around its robot, one at a time."""


@dataclass(frozen=True)
class Kind:
    """A robot.

    Attributes:
        name: of the robot, and of its part of the table.
        urdf: its description.
        home: posture in the middle of what it does [rad].
        joints: of the arm, from the base on.
        fingers: joints of the two fingers; empty without a gripper.
        hand: link that the fingers start from, and point between their tips.
        hand_links: the links of the hand.
        effort: limit of each joint of the arm [Nm].
        speed: the same [rad/s].
        opened, closed: positions of the fingers [rad or m].
        tip: z of the point between the tips, in the link of the hand [m].
    """

    name: str
    urdf: str
    home: tuple[float, ...]
    joints: tuple[str, ...]
    fingers: tuple[str, ...]
    hand: tuple[str, str]
    hand_links: frozenset[str]
    effort: tuple[float, ...]
    speed: tuple[float, ...]
    opened: tuple[float, ...] = ()
    closed: tuple[float, ...] = ()
    tip: float = 0.0


PANDA = Kind(
    "panda",
    f"{_FOLDER}/panda_description/urdf/panda.urdf",
    (0.0, -0.5, 0.0, -2.2, 0.0, 1.7, 0.785),
    tuple(f"panda_joint{number}" for number in range(1, 8)),
    ("panda_finger_joint1", "panda_finger_joint2"),
    ("panda_hand", "panda_hand_tcp"),
    frozenset({"panda_hand", "panda_leftfinger", "panda_rightfinger", "panda_hand_tcp"}),
    (87.0,) * 4 + (12.0,) * 3,
    (2.175,) * 4 + (2.61,) * 3,
    (0.04, 0.04),
    (0.0, 0.0),
    0.1034,
)
UR5 = Kind(
    "ur5",
    f"{_FOLDER}/ur_description/urdf/ur5_robot.urdf",
    (0.0, -1.3, 1.4, -1.6, -1.5, 0.0),
    tuple(f"{name}_joint" for name in _UR_JOINTS),
    (),
    ("", ""),
    frozenset(),
    (150.0,) * 3 + (28.0,) * 3,
    (3.15,) * 3 + (3.2,) * 3,
)
SO101 = Kind(
    "so101",
    f"{_FOLDER}/so_arm_description/urdf/so101.urdf",
    (0.0, -0.4, 0.4, 0.6, 0.0),
    ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll"),
    ("gripper",),
    ("gripper_link", "gripper_frame_link"),
    frozenset({"gripper_link", "gripper_frame_link", "moving_jaw_so101_v1_link"}),
    (10.0,) * 5,
    (10.0,) * 5,
    (1.74533,),
    (-0.174533,),
    -0.0977,
)
"""Its hand is one jaw against a fixed side."""
KINDS = {kind.name: kind for kind in (PANDA, UR5, SO101)}


@dataclass(frozen=True)
class Cuboid:
    """A box around the robot, in the frame of the robot's base.

    Attributes:
        size: its sides [m].
        at: its middle [m].
        yaw: its turn about the vertical [rad].
    """

    size: tuple[float, float, float]
    at: tuple[float, float, float]
    yaw: float = 0.0

    @property
    def turn(self) -> Floats:
        """(3, 3) its axes as columns."""
        c, s = float(np.cos(self.yaw)), float(np.sin(self.yaw))
        return np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


class Lab:
    """A robot at the origin, alone with some boxes.

    Attributes:
        kind: the robot.
        joints: all its joints, as a recording has them.
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._model: Any = _model(kind)
        self._data: Any = mujoco.MjData(self._model)
        self.joints = _names(self._model, mujoco.mjtObj.mjOBJ_JOINT)
        links = _names(self._model, mujoco.mjtObj.mjOBJ_BODY)
        self._first_box = self._model.ngeom - _BOXES
        self._of = [int(body) for body in self._model.geom_bodyid[: self._first_box]]
        self._links = [links[body] for body in self._of]
        self._base = {g for g, b in enumerate(self._of) if self._depth(b) == 0}
        self._model.geom_margin[:] = 0.01  # of both geoms of a pair, as contacts are looked for

    @cached_property
    def shaped(self) -> frozenset[str]:
        """The links that have a shape."""
        return frozenset(self._links)

    @cached_property
    def limits(self) -> Floats:
        """(n, 2) lowest and highest position of each joint [rad or m]."""
        return np.array(self._model.jnt_range)

    def _depth(self, body: int) -> int:
        """How many joints move a body."""
        count = 0
        while body:
            count += int(self._model.body_jntnum[body])
            body = int(self._model.body_parentid[body])
        return count

    def place(self, positions: Floats) -> None:
        """Take a posture (n,)."""
        self._data.qpos[:] = positions
        mujoco.mj_kinematics(self._model, self._data)

    def point(self, positions: Floats, link: str) -> tuple[Floats, Floats]:
        """(3,) place [m] and (3, 3) axes of a link in a posture."""
        self.place(positions)
        body = self._data.body(link)
        return np.array(body.xpos), np.array(body.xmat).reshape(3, 3)

    def is_clear(self, positions: Floats) -> bool:
        """Whether links with more than two joints between them are farther from each other than 1 cm."""
        self.place(positions)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)
        for contact in self._data.contact:
            one, other = contact.geom1, contact.geom2
            if max(one, other) >= self._first_box:
                continue
            if abs(self._depth(self._of[one]) - self._depth(self._of[other])) > 2:
                return False
        return True

    def efforts(self, motion: Floats, period: float, load: Floats) -> Floats:
        """(m, n) what the joints' motors do for a motion (m, n) [Nm or N].

        Args:
            motion: positions at equal times.
            period: between them [s].
            load: (m,) mass of a point between the fingers' tips [kg].
        """
        speeds = np.gradient(motion, period, axis=0)
        accelerations = np.gradient(speeds, period, axis=0)
        found = np.zeros_like(motion)
        tips, levers = [], []
        for row, (q, v, a) in enumerate(zip(motion, speeds, accelerations, strict=True)):
            found[row] = self._inverse(q, v, a) + self._model.dof_damping * v
            if load.any():
                tips.append(np.array(self._data.body(self.kind.hand[1]).xpos))
                levers.append(self._lever())
        if load.any():
            pull = np.gradient(np.gradient(np.array(tips), period, axis=0), period, axis=0)
            pull[:, 2] += GRAVITY
            found += np.einsum("mij,mi->mj", np.array(levers), load[:, None] * pull)
        return found

    def _inverse(self, q: Floats, v: Floats, a: Floats) -> Floats:
        model, data = self._model, self._data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        efforts = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 1, efforts)
        return efforts

    def _lever(self) -> Floats:
        """(3, n) how fast the point between the tips moves with each joint."""
        jacobian = np.zeros((3, self._model.nv))
        tip = self._data.body(self.kind.hand[1])
        mujoco.mj_jac(self._model, self._data, jacobian, None, tip.xpos, tip.id)
        return jacobian

    def support(self, positions: Floats, geom: int, direction: Floats) -> Floats:
        """(3,) the point of a shape that is farthest in a direction [m]."""
        self.place(positions)
        corners = self._corners[geom] @ self._data.geom_xmat[geom].reshape(3, 3).T
        points = corners + self._data.geom_xpos[geom]
        found: Floats = points[int(np.argmax(points @ direction))]
        return found

    @cached_property
    def _corners(self) -> list[Floats]:
        """Corners of each shape in its own frame."""
        signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
        found = []
        for geom in range(self._first_box):
            mesh = int(self._model.geom_dataid[geom])
            if mesh < 0:  # a box, or a cylinder in the box around it
                found.append(signs * self._model.geom_size[geom])
                continue
            begin = int(self._model.mesh_vertadr[mesh])
            count = int(self._model.mesh_vertnum[mesh])
            found.append(np.array(self._model.mesh_vert[begin : begin + count], np.float64))
        return found

    def moving_geoms(self, without: frozenset[str] = frozenset()) -> list[int]:
        """The shapes of links that joints move, but for some links."""
        return [g for g, n in enumerate(self._links) if g not in self._base and n not in without]

    def distances(self, motion: Floats, box: Cuboid, most: float = 0.05) -> dict[str, Floats]:
        """(m,) distance of each link that has a shape to a box, in each posture of (m, n) [m].

        Negative inside of each other; none is more than `most`.
        """
        geom = self._first_box
        self._model.geom_size[geom] = 0.5 * np.array(box.size)
        reach = 0.5 * float(np.linalg.norm(box.size)) + most
        found = {link: np.full(len(motion), most) for link in self.shaped}
        bounds = self._model.geom_rbound[:geom] + reach
        for row, positions in enumerate(motion):
            self.place(positions)
            self._data.geom_xpos[geom] = box.at
            self._data.geom_xmat[geom] = box.turn.reshape(9)
            away = np.linalg.norm(self._data.geom_xpos[:geom] - np.array(box.at), axis=1)
            for near in np.flatnonzero(away < bounds).tolist():
                between = mujoco.mj_geomDistance(self._model, self._data, near, geom, most, None)
                link = self._links[near]
                found[link][row] = min(found[link][row], between)
        return found


@cache
def lab(name: str) -> Lab:
    """The lab of a robot, by its name."""
    return Lab(KINDS[name])


@cache
def description(name: str) -> ET.Element:
    """The URDF of a robot, which nobody may change."""
    return ET.parse(_found(KINDS[name].urdf)).getroot()


def _found(reference: str) -> str:
    from pathlib import Path

    return str(Resources(Path.cwd()).find(reference))


def _model(kind: Kind) -> Any:
    """The robot's shapes that collide, its masses and some boxes."""
    root = ET.fromstring(ET.tostring(description(kind.name)))
    for link in root.findall("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    for mesh in root.iter("mesh"):
        mesh.set("filename", _found(str(mesh.get("filename"))))
    extension = ET.SubElement(root, "mujoco")
    ET.SubElement(
        extension, "compiler", strippath="false", fusestatic="false", balanceinertia="true"
    )
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    for number in range(_BOXES):
        body = spec.worldbody.add_body(name=f"box_{number}", pos=[0.0, 0.0, -9.0 - number])
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.1, 0.1, 0.1])
    return spec.compile()


def _names(model: Any, kind: Any) -> list[str]:
    count = model.njnt if kind == mujoco.mjtObj.mjOBJ_JOINT else model.nbody
    return [str(mujoco.mj_id2name(model, kind, number)) for number in range(count)]
