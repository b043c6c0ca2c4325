"""Joints of URDF with more than one axis: planar and floating ones.

At the root, below a link that is nothing but a frame such as `world` or `odom`, such a joint is the robot's base, and
the frame is left out. Elsewhere it becomes a chain of scalar joints, with links of next to no mass between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Inertial,
    Joint,
    JointKind,
    Link,
    Vector,
)
from model_nodes.main_physics.world.inertias import MIN_MASS
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.transforms import compose

PLANAR, FLOATING = "planar", "floating"
_NOTHING = Inertial(MIN_MASS, IDENTITY, (1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0))
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def in_single_axes(body: Body, several: Mapping[str, str], notes: Notes, label: str) -> Body:
    """Return the body with a chain of scalar joints in place of each joint with more than one axis.

    Args:
        body: in which such joints are fixed ones.
        several: joint -> `PLANAR` or `FLOATING`.
        notes: what was made of each is added here.
        label: of the robot, for notes.
    """
    if _is_base(body, several):
        base = body.joints[0].name
        notes.add(
            f"{label}: joint {base}: type {several[base]} is the robot's base; robot.base says what moves it"
        )
        links = (replace(body.links[1], pose=IDENTITY), *body.links[2:])
        pose = compose(body.pose, body.links[1].pose)
        body = replace(body, pose=pose, links=links, joints=body.joints[1:])
    all_links, all_joints = [body.links[0]], list[Joint]()
    for link, joint in zip(body.links[1:], body.joints, strict=True):
        if joint.name not in several:
            all_links.append(link)
            all_joints.append(joint)
            continue
        chain = single_axes(joint, several[joint.name])
        names = ", ".join(part.name for part in chain)
        notes.add(f"{label}: joint {joint.name}: type {several[joint.name]} has the joints {names}")
        all_links += _between(chain, link)
        all_joints += chain
    return replace(body, links=tuple(all_links), joints=tuple(all_joints))


def _is_base(body: Body, several: Mapping[str, str]) -> bool:
    """Whether the root link is only a frame, from which a planar or floating joint leads to the robot."""
    root = body.links[0]
    below = [joint.name in several for joint in body.joints if joint.parent == root.name]
    massless = root.inertial is not None and root.inertial.mass == 0.0
    return massless and not root.geometries and below == [True]


def _between(chain: Sequence[Joint], link: Link) -> list[Link]:
    """The links of a chain of joints that ends with this one."""
    links = [Link(part.child, IDENTITY, (), _NOTHING) for part in chain[:-1]]
    return [replace(links[0], pose=link.pose), *links[1:], replace(link, pose=IDENTITY)]


def single_axes(joint: Joint, kind: str) -> list[Joint]:
    """Return the chain of joints in place of one, from its parent to its child."""
    axes = _planar(joint.axis) if kind == PLANAR else _FLOATING
    chain, parent = [], joint.parent
    for name, of, axis in axes:
        part = f"{joint.name}/{name}"
        child = joint.child if name == axes[-1][0] else part
        chain.append(
            replace(
                joint, name=part, kind=of, axis=axis, parent=parent, child=child, whole=joint.name
            )
        )
        parent = child
    return chain


_FLOATING: tuple[tuple[str, JointKind, Vector], ...] = (
    ("x", JointKind.SLIDE, _X),
    ("y", JointKind.SLIDE, _Y),
    ("z", JointKind.SLIDE, _Z),
    ("yaw", JointKind.HINGE, _Z),
    ("pitch", JointKind.HINGE, _Y),
    ("roll", JointKind.HINGE, _X),
)


def _planar(normal: Vector) -> tuple[tuple[str, JointKind, Vector], ...]:
    """The axes in a plane; along the frame's own x and y if it is its x-y plane."""
    x, y = _in_plane(normal)
    return (
        ("x", JointKind.SLIDE, x),
        ("y", JointKind.SLIDE, y),
        ("yaw", JointKind.HINGE, normal),
    )


def _in_plane(normal: Vector) -> tuple[Vector, Vector]:
    # x is the frame's own axis x, or y if that is the normal, without what it has along the normal.
    first = np.array(_X if abs(normal[0]) < 0.9 else _Y)
    z = np.array(normal)
    x = first - (first @ z) * z
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    return _vector(x), _vector(y)


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (float(value) + 0.0 for value in values)
    return (x, y, z)
