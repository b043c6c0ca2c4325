"""The stand-in for the real robot and its surroundings: a separate, fine-grained simulation.

It shares no code with the twin's engine. Motors apply torques; no state is ever overwritten.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco as mj
import numpy as np

from hetwin_stand_ins.physics import add_motors, set_options
from hetwin_suite.model import Floats
from hetwin_suite.runs import resource
from hetwin_tables.blocks import Block

ARM_JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_roll_joint",
    "wrist_pitch_joint",
    "hand_roll_joint",
)
FINGER_JOINTS = ("gripper_left_finger_joint", "gripper_right_finger_joint")
HAND_LINK = "gripper_base"
GRASP_OFFSET = (0.0, 0.0, 0.12)
"""Centre between the pads in the frame of `HAND_LINK` [m]."""
OBJECT = "box"

PERIOD_S = 0.0005
"""Step of the physics; fine enough for stiff contacts between pads and box."""

_ROTORS = {
    **dict(zip(ARM_JOINTS, (0.30, 0.30, 0.20, 0.06, 0.06, 0.03), strict=True)),
    **dict.fromkeys(FINGER_JOINTS, 0.2),
}
"""Inertias of the arm's rotors [kg m^2], and masses of the fingers' rotors [kg]."""
_PAD_FRICTION = 0.6
"""Friction below the ratio of the widths of pad and box; otherwise a tilted box would jam between the pads."""
_RUBBER_CONTACT = (0.009, 1.0)
"""Time constant [s] and damping ratio of the pads' contacts: at 20 N a pad yields by about 0.1 mm."""
_STIFF_CONTACT = (0.002, 1.0)
"""Time constant [s] and damping ratio of contacts between blocks."""


@dataclass(frozen=True, slots=True)
class TruePose:
    """The true initial pose of an object: position (3,) in metres and yaw in radians."""

    position: Floats
    yaw: float


def build(blocks: tuple[Block, ...], objects: Mapping[str, TruePose]) -> mj.MjModel:
    """Compile the real world: robot with motors, static blocks, and objects at their true poses.

    Args:
        blocks: from `read_blocks`; the objects among them get free joints.
        objects: object -> its true pose.
    """
    spec = robot_with_motors()
    _add_surroundings(spec, blocks, objects)
    return spec.compile()


def surroundings(blocks: tuple[Block, ...], objects: Mapping[str, TruePose]) -> mj.MjSpec:
    """Return everything except the robot; see `build`."""
    spec = mj.MjSpec()
    spec.compiler.degree = False
    set_options(spec, PERIOD_S, noslip=5)
    _add_surroundings(spec, blocks, objects)
    return spec


def _add_surroundings(
    spec: mj.MjSpec, blocks: tuple[Block, ...], objects: Mapping[str, TruePose]
) -> None:
    spec.worldbody.add_geom(
        name="ground",
        type=mj.mjtGeom.mjGEOM_PLANE,
        size=[3, 3, 0.1],
        rgba=[0.8, 0.8, 0.8, 1],
    )
    spec.worldbody.add_light(pos=[0.5, -1.0, 3.0], dir=[0.0, 0.3, -1.0])
    for block in blocks:
        _add_block(spec, block, objects.get(block.model))


def robot_with_motors() -> mj.MjSpec:
    """Load the arm alone with its base at the origin, with motors, coupled fingers, rubber pads, and firm grasps."""
    spec = mj.MjSpec.from_file(str(resource("urdf", "tabletop_arm.urdf")))
    set_options(spec, PERIOD_S, noslip=5)
    add_motors(spec, _ROTORS)
    _couple_fingers(spec)
    for geom in spec.geoms:
        if "pad" in geom.name:
            geom.friction[0] = _PAD_FRICTION
            geom.condim = 4
            geom.solref = _RUBBER_CONTACT
    return spec


def _couple_fingers(spec: mj.MjSpec) -> None:
    """Couple both fingers, as by a spindle, so that they meet at the centre of the hand."""
    coupling = spec.add_equality(
        name="spindle",
        type=mj.mjtEq.mjEQ_JOINT,
        objtype=mj.mjtObj.mjOBJ_JOINT,
        name1=FINGER_JOINTS[0],
        name2=FINGER_JOINTS[1],
    )
    coupling.data[:5] = [0, 1, 0, 0, 0]
    coupling.solref = [0.004, 1]


def _add_block(spec: mj.MjSpec, block: Block, true_pose: TruePose | None) -> None:
    """Add a block; it is movable if it has a true pose."""
    body = spec.worldbody
    center = block.center
    if true_pose is not None:
        half = true_pose.yaw / 2
        body = spec.worldbody.add_body(
            name=block.model, pos=true_pose.position, quat=[np.cos(half), 0, 0, np.sin(half)]
        )
        body.add_freejoint(name=block.model)
        center = np.zeros(3)
    colours = {OBJECT: [0.8, 0.2, 0.18, 1], "tray": [0.3, 0.42, 0.55, 1]}
    geom = body.add_geom(
        type=mj.mjtGeom.mjGEOM_BOX,
        pos=center,
        size=block.size / 2,
        friction=[block.friction, 0.005, 0.0001],
        solref=_STIFF_CONTACT,
        rgba=colours.get(block.model, [0.72, 0.55, 0.37, 1]),
    )
    if true_pose is not None:
        geom.name = block.model
        geom.mass = block.mass
