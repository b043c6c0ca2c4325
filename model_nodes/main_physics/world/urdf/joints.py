"""Reads the joints of a URDF file, including those with more than one axis.

At the root, below a link that is only a frame such as `world` or `odom`, such a joint represents the robot's base, and
the frame is left out. Elsewhere it becomes a chain of joints with one axis each, with nearly massless links between
them.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Inertial,
    Joint,
    JointKind,
    Link,
    Mimic,
    Vector,
)
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.transforms import MIN_MASS, compose
from model_nodes.main_physics.world.xml_file import Element

PLANAR, FLOATING = "planar", "floating"
_NEGLIGIBLE = Inertial(MIN_MASS, IDENTITY, (1e-9, 1e-9, 1e-9, 0.0, 0.0, 0.0))
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def split_joints(body: Body, multi_axis: Mapping[str, str], notes: Notes, label: str) -> Body:
    """Replace each joint with more than one axis by a chain of joints with one axis each.

    Args:
        body: the robot; such joints are fixed ones in it.
        multi_axis: joint -> `PLANAR` or `FLOATING`.
        notes: collects a note on each replacement.
        label: name of the robot for notes.
    """
    if _is_base(body, multi_axis):
        base = body.joints[0].name
        notes.add(
            f"{label}: joint {base}: type {multi_axis[base]} is the robot's base; robot.base determines its motion"
        )
        links = (replace(body.links[1], pose=IDENTITY), *body.links[2:])
        pose = compose(body.pose, body.links[1].pose)
        body = replace(body, pose=pose, links=links, joints=body.joints[1:])
    all_links, all_joints = [body.links[0]], list[Joint]()
    for link, joint in zip(body.links[1:], body.joints, strict=True):
        if joint.name not in multi_axis:
            all_links.append(link)
            all_joints.append(joint)
            continue
        chain = split_joint(joint, multi_axis[joint.name])
        names = ", ".join(part.name for part in chain)
        notes.add(
            f"{label}: joint {joint.name}: type {multi_axis[joint.name]} has the joints {names}"
        )
        all_links += _chain_links(chain, link)
        all_joints += chain
    return replace(body, links=tuple(all_links), joints=tuple(all_joints))


def _is_base(body: Body, multi_axis: Mapping[str, str]) -> bool:
    """Whether the root link is only a frame, with a planar or floating joint to the robot below it."""
    root = body.links[0]
    below = [joint.name in multi_axis for joint in body.joints if joint.parent == root.name]
    massless = root.inertial is not None and root.inertial.mass == 0.0
    return massless and not root.geometries and below == [True]


def _chain_links(chain: Sequence[Joint], link: Link) -> list[Link]:
    """Return the links of a chain of joints that ends with this link."""
    links = [Link(part.child, IDENTITY, (), _NEGLIGIBLE) for part in chain[:-1]]
    return [replace(links[0], pose=link.pose), *links[1:], replace(link, pose=IDENTITY)]


def split_joint(joint: Joint, kind: str) -> list[Joint]:
    """Return the chain of joints that replaces a joint, from its parent to its child."""
    axes = _planar(joint.axis) if kind == PLANAR else _FLOATING
    chain, parent = [], joint.parent
    for name, joint_kind, axis in axes:
        part = f"{joint.name}/{name}"
        child = joint.child if name == axes[-1][0] else part
        chain.append(
            replace(
                joint,
                name=part,
                kind=joint_kind,
                axis=axis,
                parent=parent,
                child=child,
                whole=joint.name,
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
    """Return the axes of a planar joint; the frame's own x and y if its x-y plane is the plane."""
    x, y = _in_plane(normal)
    return (
        ("x", JointKind.SLIDE, x),
        ("y", JointKind.SLIDE, y),
        ("yaw", JointKind.HINGE, normal),
    )


def _in_plane(normal: Vector) -> tuple[Vector, Vector]:
    # x is the frame's x axis (its y axis if x is nearly the normal), without its component along the normal.
    first = np.array(_X if abs(normal[0]) < 0.9 else _Y)
    z = np.array(normal)
    x = first - (first @ z) * z
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    return _vector(x), _vector(y)


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (float(value) + 0.0 for value in values)
    return (x, y, z)


_KINDS = {
    "fixed": JointKind.FIXED,
    "revolute": JointKind.HINGE,
    "continuous": JointKind.HINGE,
    "prismatic": JointKind.SLIDE,
    "ball": JointKind.BALL,
    FLOATING: JointKind.FIXED,
    PLANAR: JointKind.FIXED,
}
_WITH_AXIS = ("revolute", "continuous", "prismatic", PLANAR)
SEVERAL_AXES = (PLANAR, FLOATING)


def read_joint(element: Element, links: Container[str]) -> Joint:
    """Read a joint; one with several axes is read as a fixed joint, with the normal of its plane as axis.

    Raises:
        BadInput: if its type, links, axis or limits are invalid.
    """
    name = element.need_attribute("name")
    kind = _kind(element)
    parent = _link(element, "parent", links)
    child = _link(element, "child", links)
    lower, upper = _limits(element)
    dynamics = element.child("dynamics")
    return Joint(
        name,
        kind,
        parent,
        child,
        _axis(element) if element.attributes["type"] in _WITH_AXIS else (0.0, 0.0, 1.0),
        lower=lower,
        upper=upper,
        damping=0.0 if dynamics is None else dynamics.number_attribute("damping", 0.0),
        friction=0.0 if dynamics is None else dynamics.number_attribute("friction", 0.0),
        mimic=_mimic(element),
        max_velocity=_maximum(element, "velocity"),
        max_effort=_maximum(element, "effort"),
    )


def _kind(element: Element) -> JointKind:
    text = element.need_attribute("type")
    if text not in _KINDS:
        raise element.bad("has an unknown type", text, ", ".join(_KINDS))
    return _KINDS[text]


def _link(element: Element, tag: str, links: Container[str]) -> str:
    part = element.need(tag)
    link = part.need_attribute("link")
    if link not in links:
        raise part.bad(f"names a {tag} link that does not exist", link, "a link of this file")
    return link


def _axis(element: Element) -> Vector:
    axis = element.child("axis")
    if axis is None:
        return (1.0, 0.0, 0.0)
    x, y, z = axis.numbers(3, axis.need_attribute("xyz"))
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-9:
        raise axis.bad("has no direction", axis.attributes["xyz"], "a vector that is not zero")
    return (x / length, y / length, z / length)


def _limits(element: Element) -> tuple[float | None, float | None]:
    limit = element.child("limit")
    if limit is None or element.attributes["type"] == "continuous":
        return None, None
    lower, upper = limit.number_attribute("lower", 0.0), limit.number_attribute("upper", 0.0)
    if lower > upper:
        raise limit.bad("has lower above upper", [lower, upper], "lower <= upper")
    return lower, upper


def _maximum(element: Element, name: str) -> float | None:
    """Return the maximum velocity or effort; None unless it is finite and positive, as exporters write 0 for none."""
    limit = element.child("limit")
    try:
        value = math.nan if limit is None else float(limit.attributes.get(name, "nan"))
    except ValueError:
        return None
    return value if 0.0 < value < math.inf else None


def with_control_mimics(root: Element, joints: Sequence[Joint]) -> list[Joint]:
    """Add the mimic relations that are only given by <param name="mimic"> of <ros2_control>; returns all joints."""
    known = {joint.name: joint for joint in joints}
    for control in root.all("ros2_control"):
        for element in control.all("joint"):
            given = {p.attributes.get("name"): p.text.strip() for p in element.all("param")}
            leader, name = known.get(given.get("mimic", "")), element.attributes.get("name", "")
            follower = known.get(name)
            if leader is None or follower is None or follower.mimic or leader.mimic:
                continue
            if leader is not follower:
                multiplier = _number(given.get("multiplier"), 1.0)
                mimic = Mimic(leader.name, multiplier, _number(given.get("offset"), 0.0))
                known[name] = replace(follower, mimic=mimic)
    return [known[joint.name] for joint in joints]


def _number(text: str | None, default: float) -> float:
    """Return the number in a text, or the default if it is not a number."""
    try:
        return default if text is None else float(text)
    except ValueError:
        return default


def _mimic(element: Element) -> Mimic | None:
    mimic = element.child("mimic")
    if mimic is None:
        return None
    return Mimic(
        mimic.need_attribute("joint"),
        mimic.number_attribute("multiplier", 1.0),
        mimic.number_attribute("offset", 0.0),
    )
