"""Reads the joints of a URDF file."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import replace

from model_nodes.main_physics.world.description import Joint, JointKind, Mimic, Vector
from model_nodes.main_physics.world.urdf.many_axes import FLOATING, PLANAR
from model_nodes.main_physics.world.xml_file import Element

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
    """Read one joint; one with several axes as if it were fixed, with the axis of its plane.

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
        max_velocity=_largest(element, "velocity"),
        max_effort=_largest(element, "effort"),
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


def _largest(element: Element, name: str) -> float | None:
    """The largest velocity or effort; None unless it is finite and above 0: exporters write 0 if none was given."""
    limit = element.child("limit")
    try:
        value = math.nan if limit is None else float(limit.attributes.get(name, "nan"))
    except ValueError:
        return None
    return value if 0.0 < value < math.inf else None


def with_control_mimics(root: Element, joints: Sequence[Joint]) -> list[Joint]:
    """The joints, those included that follow another only by the <param name="mimic"> of their <ros2_control>."""
    known = {joint.name: joint for joint in joints}
    for control in root.all("ros2_control"):
        for element in control.all("joint"):
            given = {p.attributes.get("name"): p.text.strip() for p in element.all("param")}
            leader, own = known.get(given.get("mimic", "")), element.attributes.get("name", "")
            follower = known.get(own)
            if leader is None or follower is None or follower.mimic or leader.mimic:
                continue
            if leader is not follower:
                multiplier = _number(given.get("multiplier"), 1.0)
                mimic = Mimic(leader.name, multiplier, _number(given.get("offset"), 0.0))
                known[own] = replace(follower, mimic=mimic)
    return [known[joint.name] for joint in joints]


def _number(text: str | None, default: float) -> float:
    """The number in a text that need not be one."""
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
