"""Small worlds for tests of physics, made without files."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats, ShapeKind, Value, pose_value
from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Geometry,
    HandFrame,
    Inertial,
    Joint,
    JointKind,
    Link,
    Pose,
    World,
)
from model_nodes.main_physics.world.meshes import hull_of_points

PERIOD = 0.0025


def at(x: float, y: float, z: float) -> Pose:
    return (x, y, z, 1.0, 0.0, 0.0, 0.0)


def box_link(name: str, size: tuple[float, float, float], mass: float, mu: float | None) -> Link:
    x, y, z = (length**2 * mass / 12 for length in size)
    form = Geometry(ShapeKind.BOX, size, friction=mu)
    return Link(name, IDENTITY, (form,), Inertial(mass, IDENTITY, (y + z, x + z, x + y, 0, 0, 0)))


def box(
    name: str,
    pose: Pose,
    size: tuple[float, float, float] = (0.1, 0.1, 0.1),
    mass: float = 0.5,
    *,
    static: bool = False,
    mu: float | None = 0.6,
) -> Body:
    return Body(name, (box_link(name, size, mass, mu),), (), pose, static)


def ball(name: str, pose: Pose, radius: float = 0.05, mass: float = 0.5) -> Body:
    moment = 0.4 * mass * radius**2
    form = Geometry(ShapeKind.SPHERE, (radius,), friction=0.6)
    inertial = Inertial(mass, IDENTITY, (moment, moment, moment, 0.0, 0.0, 0.0))
    return Body(name, (Link(name, IDENTITY, (form,), inertial),), (), pose)


def wedge(name: str, pose: Pose, length: float = 0.1, mass: float = 0.5) -> Body:
    """A mesh: half of a cube, cut along a diagonal; its origin is the cube's middle, its mass far below that."""
    half = length / 2
    points = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    hull = hull_of_points(np.array([p for p in points if p[:1] != (half,) or p[2] < 0]))
    form = Geometry(ShapeKind.MESH, (1.0, 1.0, 1.0), friction=0.6, hull=hull)
    moment = mass * length**2 / 6
    low = (-0.1 * length, 0.0, -0.4 * length, 1.0, 0.0, 0.0, 0.0)
    inertial = Inertial(mass, low, (moment, moment, moment, 0.0, 0.0, 0.0))
    return Body(name, (Link(name, IDENTITY, (form,), inertial),), (), pose)


def floor() -> Body:
    form = Geometry(ShapeKind.PLANE, (10.0, 10.0), friction=0.6)
    return Body("floor", (Link("floor", IDENTITY, (form,), Inertial(1.0)),), (), IDENTITY, True)


def gripper(pose: Pose = IDENTITY, gap: float = 0.2) -> Body:
    """A carriage on three slides x, y, z with two fingers that close along y; `gap` with all at 0."""
    massive = Inertial(1.0, IDENTITY, (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    links = [Link("base", IDENTITY, (), massive)]
    joints = []
    parent = "base"
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        links.append(Link(f"carriage_{name}", IDENTITY, (), massive))
        axis = (float(axis[0]), float(axis[1]), float(axis[2]))
        joints.append(Joint(f"move_{name}", JointKind.SLIDE, parent, f"carriage_{name}", axis))
        parent = f"carriage_{name}"
    for name, side in (("left", 1.0), ("right", -1.0)):
        finger = box_link(name, (0.04, 0.02, 0.06), 0.1, 0.8)
        links.append(
            Link(name, at(0, side * (gap / 2 + 0.01), 0), finger.geometries, finger.inertial)
        )
        joints.append(Joint(f"close_{name}", JointKind.SLIDE, parent, name, (0.0, -side, 0.0)))
    return Body("gripper", tuple(links), tuple(joints), pose, True, True)


HAND = HandFrame(
    "hand", "gripper", "carriage_z", "carriage_z", IDENTITY, ("carriage_z", "left", "right")
)
"""The frame between the gripper's fingers."""


def sprung(mass: float = 0.1) -> Body:
    """A robot whose only driven joint lifts a plate; under it a weight hangs on a spring of 20 N/m."""
    massive = Inertial(mass, IDENTITY, (1e-4, 1e-4, 1e-4, 0.0, 0.0, 0.0))
    links = (
        Link("base"),
        Link("plate", IDENTITY, (), massive),
        Link("plunger", IDENTITY, (), massive),
    )
    lift = Joint("lift", JointKind.SLIDE, "base", "plate")
    spring = Joint("spring", JointKind.SLIDE, "plate", "plunger", damping=1.0, spring=20.0)
    return Body("robot", links, (lift, spring), at(0, 0, 1), True, True)


def loaded(engine: Engine, *bodies: Body, hands: bool = False, **settings: object) -> Engine:
    """The engine with a world of these bodies, ready to step."""
    world = World("test", bodies, hands=(HAND,) if hands else ())
    engine.load(world, EngineSettings(PERIOD, **settings))  # type: ignore[arg-type]
    zeros = np.zeros(len(engine.joints))
    engine.place_joints(zeros, zeros)
    return engine


def frame(engine: Engine, name: str) -> Floats:
    """(13,) pose and twist of one frame."""
    out = np.empty((len(engine.frames), 13))
    engine.read_frames(out)
    return out[engine.frames.index(name)].copy()


def everything(engine: Engine) -> Floats:
    """All frames, joints and rows of proximity as one array."""
    out = np.empty((len(engine.frames), 13))
    engine.read_frames(out)
    joints = np.empty((2, len(engine.joints)))
    engine.read_joints(joints[0], joints[1])
    return np.concatenate([out.ravel(), joints.ravel(), engine.proximity().ravel()])


def command(engine: Engine, positions: Floats, velocities: Floats | None = None) -> None:
    zeros = np.zeros_like(positions)
    engine.command_joints(positions, zeros if velocities is None else velocities, zeros)


def rest(engine: Engine, steps: int) -> None:
    """Step with the robot at rest where it is."""
    count = len(engine.driven)
    positions, velocities = np.empty(len(engine.joints)), np.empty(len(engine.joints))
    engine.read_joints(positions, velocities)
    for _ in range(steps):
        command(engine, positions[:count])
        engine.step()


def still_at(pose: Floats, time_ns: int, parent: str = "world") -> Value:
    return pose_value(pose[:3], pose[3:7], time_ns=time_ns, parent=parent)
