"""Ids and addresses of a world's bodies and joints in MuJoCo's arrays, and the order of frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import Ints
from model_nodes.main_physics.world.description import (
    Base,
    Body,
    JointDrive,
    JointKind,
    World,
    frame_name,
    joint_name,
)


def moving_links(body: Body) -> dict[str, bool]:
    """Return link -> whether it can move relative to the world."""
    joints = {joint.child: joint for joint in body.joints}
    moving: dict[str, bool] = {}
    for link in body.links:
        joint = joints.get(link.name)
        if joint is None:
            moving[link.name] = not body.static
        else:
            moving[link.name] = moving[joint.parent] or joint.kind is not JointKind.FIXED
    return moving


def moving_frames(world: World) -> tuple[str, ...]:
    """Names of all frames that can move: those of objects, then of robots, then hands."""
    return _frames_in_order(world, moving=True)


def resting_frames(world: World) -> tuple[str, ...]:
    """Names of all frames that never move, in the same order."""
    return _frames_in_order(world, moving=False)


def _frames_in_order(world: World, *, moving: bool) -> tuple[str, ...]:
    names: list[str] = []
    moves: dict[str, bool] = {}
    for body in sorted(world.bodies, key=lambda body: body.robot):
        for link, moves_now in moving_links(body).items():
            name = frame_name(body, link)
            moves[name] = moves_now
            if moves_now is moving:
                names.append(name)
    names += [hand.name for hand in world.hands if moves[hand.frame] is moving]
    return tuple(names)


class BodyKind(Enum):
    """How the motion of a body is determined."""

    FREE = auto()
    """By forces: objects and the links of articulated models."""
    DRIVEN = auto()
    """Prescribed: the links of robots."""
    STATIC = auto()


@dataclass(frozen=True, slots=True)
class FreeBody:
    """A body with a free joint.

    Attributes:
        body: id of the root.
        position: address of its 7 coordinates in qpos.
        velocity: address of its 6 coordinates in qvel.
        members: ids of all bodies of the model.
        rigid: whether the model has no joints.
    """

    name: str
    body: int
    position: int
    velocity: int
    members: tuple[int, ...]
    rigid: bool


@dataclass(frozen=True, slots=True)
class Tables:
    """Ids and addresses in MuJoCo's arrays; frames and joints in the engine's order."""

    frames: tuple[str, ...]
    moving: int
    """Number of moving frames, which come first."""
    frame_bodies: Ints
    body_frames: Ints
    """(nbody,) frame of each body; -1 for the world."""
    body_kinds: tuple[BodyKind, ...]
    """Kind of each body, by id."""
    free: dict[str, FreeBody]
    """Free bodies by name, without robots."""
    bases: dict[str, FreeBody]
    """Bases of the robots that are not fixed, by robot."""
    followed: tuple[str, ...]
    """Robots whose base follows a command."""
    yielding: frozenset[int]
    """Ids of the robots' links that yield to resting bodies; see `yielding_links`."""
    joints: tuple[str, ...]
    joint_positions: Ints
    joint_velocities: Ints
    driven: tuple[str, ...]
    drives: tuple[JointDrive, ...]
    """Drives of the driven joints."""
    geoms: tuple[tuple[int, ...], ...]
    """Geoms of each body, by id."""

    def body_of(self, frame: str) -> int:
        """Return the id of a frame's body.

        Raises:
            KeyError: if there is no such frame.
        """
        try:
            return int(self.frame_bodies[self.frames.index(frame)])
        except ValueError:
            raise KeyError(frame) from None


def make_tables(world: World, model: mj.MjModel) -> Tables:
    """Look up the bodies and joints of `world` in `model`."""
    bodies = sorted(world.bodies, key=lambda body: body.robot)
    moving = moving_frames(world)
    frames = (*moving, *resting_frames(world))
    frame_bodies = np.array([model.body(name).id for name in frames], np.int32)
    body_frames = np.full(model.nbody, -1, np.int32)
    body_frames[frame_bodies] = np.arange(len(frames))
    robots = [b for b in bodies if b.robot]
    driven = [joint_name(b, j) for b in robots for j in b.driven_joints]
    all_joints = [joint_name(b, j) for b in (*robots, *bodies) for j in b.moving_joints]
    passive = [name for name in dict.fromkeys(all_joints) if name not in set(driven)]
    ids = [model.joint(name).id for name in (*driven, *passive)]
    geoms = tuple(
        tuple(range(model.body_geomadr[i], model.body_geomadr[i] + model.body_geomnum[i]))
        for i in range(model.nbody)
    )
    return Tables(
        frames,
        len(moving),
        frame_bodies,
        body_frames,
        _body_kinds(world, model),
        {b.name: _free_body(b, model) for b in bodies if not (b.static or b.robot)},
        {b.name: _free_body(b, model) for b in robots if not b.static},
        tuple(b.name for b in robots if b.base is Base.FOLLOWED),
        frozenset(
            model.body(name).id for b in robots if is_yielding(b) for name in yielding_links(b)
        ),
        (*driven, *passive),
        model.jnt_qposadr[ids].astype(np.int32),
        model.jnt_dofadr[ids].astype(np.int32),
        tuple(driven),
        tuple(j.drive for b in robots for j in b.driven_joints),
        geoms,
    )


def _frames(body: Body) -> Iterator[str]:
    return (frame_name(body, link.name) for link in body.links)


def is_yielding(body: Body) -> bool:
    """Whether forces move a robot's base or any of its driven joints."""
    limited = (joint.drive.mode is not DriveMode.FOLLOW for joint in body.driven_joints)
    return body.robot and (body.base is Base.FREE or any(limited))


def yielding_links(body: Body) -> Iterator[str]:
    """The frames of the links that yield to resting bodies.

    All links of a robot with a free base do, and links on a fixed base if none of the joints in between follows its
    command. Otherwise the force that makes a joint follow would press the link against resting bodies.
    """
    if body.base is Base.FREE:
        return _frames(body)
    yields = {body.links[0].name: False} if body.base is Base.FIXED else {}
    for joint in body.joints:  # parents come before their children
        if joint.parent not in yields:
            continue
        if joint.kind is JointKind.FIXED:
            yields[joint.child] = yields[joint.parent]
        elif joint.spring is not None or joint.drive.mode is not DriveMode.FOLLOW:
            yields[joint.child] = True
    return (frame_name(body, link) for link, is_yielding_link in yields.items() if is_yielding_link)


def _body_kinds(world: World, model: mj.MjModel) -> tuple[BodyKind, ...]:
    body_kinds = [BodyKind.STATIC] * model.nbody
    for hand in world.hands:
        body_kinds[model.body(hand.name).id] = BodyKind.DRIVEN
    for body in world.bodies:
        for link, moves in moving_links(body).items():
            kind = BodyKind.FREE if moves else BodyKind.STATIC
            body_kinds[model.body(frame_name(body, link)).id] = (
                BodyKind.DRIVEN if body.robot else kind
            )
    return tuple(body_kinds)


def _free_body(body: Body, model: mj.MjModel) -> FreeBody:
    root = frame_name(body, body.links[0].name)
    joint = model.joint(f"free {body.name}").id
    return FreeBody(
        body.name,
        model.body(root).id,
        int(model.jnt_qposadr[joint]),
        int(model.jnt_dofadr[joint]),
        tuple(model.body(name).id for name in _frames(body)),
        body.rigid,
    )
