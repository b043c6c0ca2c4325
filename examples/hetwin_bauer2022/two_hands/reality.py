"""The real world of the two-hand robot: a separate, fine-grained simulation.

It shares no code with the twin's engine. Motors apply torques; no state is ever overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import mujoco as mj
from transforms3d.quaternions import qinverse, qmult, rotate_vector

from hetwin_bauer2022.mismatch import TrueValues
from hetwin_bauer2022.two_hands.joints import ALL, PALM, drives
from hetwin_stand_ins.physics import add_motors, add_solid, set_options
from hetwin_stand_ins.solids import Solid
from hetwin_suite.model import Floats

PERIOD_S = 0.001
"""Step of physics and controller."""

_STIFF_CONTACT = (0.004, 1.0)
"""Time constant [s] and damping ratio of contacts of static bodies."""
# Collision bits. The robot's links pass through each other, except for fingers.
_OBJECT_BIT, _ROBOT_BIT, _FINGER_BIT = 1, 2, 4


def build(robot: Path, solids: Sequence[Solid], truths: TrueValues) -> mj.MjModel:
    """Compile the real world.

    Args:
        robot: URDF of the robot, with its base at the origin.
        solids: solids from `read_solids`; moving ones get a free joint with their model's name.
        truths: true values.
    """
    spec = mj.MjSpec.from_file(str(robot))
    set_options(spec, PERIOD_S, noslip=4)
    add_motors(spec, dict(zip(ALL, drives().rotor, strict=True)))
    for name in ALL:
        if not name.startswith("right"):
            # These joints are at rest; their dry friction would cost time without effect.
            spec.joint(name).frictionloss = 0.0
    _set_robot_contacts(spec, truths)
    spec.worldbody.add_light(pos=[0.5, -1.0, 3.0], dir=[0.0, 0.3, -1.0])
    moving: dict[str, mj.MjsBody] = {}
    for solid in solids:
        _add_solid(spec, solid, truths, moving)
    for model, corners in truths.hulls.items():
        _add_hull(spec, model, corners, truths, moving[model])
    for model, pose in truths.fixtures.items():
        _add_fixture(spec, model, pose)
    return spec.compile()


def _set_robot_contacts(spec: mj.MjSpec, truths: TrueValues) -> None:
    """Enable collisions of the right hand and its forearm only."""
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
        if geom.name.startswith(("right_hand", "right_arm_link_5", "right_arm_link_6")):
            geom.contype, geom.conaffinity = _ROBOT_BIT, _OBJECT_BIT
        if geom.name.startswith("right_hand_finger"):
            geom.contype, geom.conaffinity = _ROBOT_BIT | _FINGER_BIT, _OBJECT_BIT | _FINGER_BIT
            geom.friction = [truths.finger_friction, 0.003, 0.0001]
            geom.condim = 4
            geom.solref = truths.touch
            geom.priority = 2


def _add_solid(
    spec: mj.MjSpec, solid: Solid, truths: TrueValues, moving: dict[str, mj.MjsBody]
) -> None:
    origin = truths.poses.get(solid.model, solid.origin)
    inverse = qinverse(solid.origin[3:])
    position = rotate_vector(solid.position - solid.origin[:3], inverse)
    quaternion = qmult(inverse, solid.quaternion)
    body = spec.worldbody
    if not solid.moves:
        position = origin[:3] + rotate_vector(position, origin[3:])
        quaternion = qmult(origin[3:], quaternion)
    elif solid.model in moving:
        body = moving[solid.model]
    else:
        body = moving[solid.model] = spec.worldbody.add_body(
            name=solid.model, pos=origin[:3], quat=origin[3:]
        )
        body.add_freejoint(name=solid.model)
    geom = add_solid(body, solid, position, quaternion)
    geom.friction, geom.solref = [solid.friction, 0.002, 0.001], _STIFF_CONTACT
    geom.rgba = [0.72, 0.55, 0.37, 1.0]
    geom.contype, geom.conaffinity = _OBJECT_BIT, _OBJECT_BIT | _ROBOT_BIT
    if solid.moves:
        mass = truths.masses.get(solid.model, solid.mass)
        # All of a model's mass is in its first shape.
        _make_movable(geom, truths, mass if len(body.geoms) == 1 else 0.0)


def _add_hull(
    spec: mj.MjSpec, model: str, corners: Floats, truths: TrueValues, body: mj.MjsBody
) -> None:
    spec.add_mesh(name=model, uservert=corners.ravel())
    geom = body.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname=model)
    geom.friction = body.geoms[0].friction
    geom.contype, geom.conaffinity = _OBJECT_BIT, _OBJECT_BIT | _ROBOT_BIT
    _make_movable(geom, truths, 0.0)


def _make_movable(geom: mj.MjsGeom, truths: TrueValues, mass: float) -> None:
    geom.mass = mass
    geom.solref = truths.bounce
    geom.condim = 6
    geom.priority = 1
    geom.rgba = [0.78, 0.88, 0.20, 1.0]


def _add_fixture(spec: mj.MjSpec, model: str, pose: Floats) -> None:
    weld = spec.add_equality(name=model, type=mj.mjtEq.mjEQ_WELD, objtype=mj.mjtObj.mjOBJ_BODY)
    weld.name1, weld.name2 = PALM, model
    weld.active = False
    weld.data[:3] = 0.0
    weld.data[3:10] = pose
    weld.data[10] = 1.0
