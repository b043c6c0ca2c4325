"""Reads joints of SDFormat models."""

from __future__ import annotations

import math
from collections.abc import Container

from model_nodes.main_physics.world.description import IDENTITY, Joint, JointKind, Vector
from model_nodes.main_physics.world.sdf.frames import Frames
from model_nodes.main_physics.world.sdf.values import Context
from model_nodes.main_physics.world.transforms import invert, rotate
from model_nodes.main_physics.world.xml_file import Element, truth

WORLD = "world"
_KINDS = {
    "fixed": JointKind.FIXED,
    "revolute": JointKind.HINGE,
    "continuous": JointKind.HINGE,
    "prismatic": JointKind.SLIDE,
}
_UNSUPPORTED = ("ball", "universal", "screw", "gearbox", "revolute2")
_NO_LIMIT = 1e15


def read_joint(element: Element, frames: Frames, links: Container[str], context: Context) -> Joint:
    """Read one joint; axis and anchor are in the child link's frame.

    Raises:
        BadInput: if its type, links, axis or limits are invalid.
    """
    name = element.need_attribute("name")
    context = context.at(f"joint {name}")
    context.note_ignored(element, {"parent", "child", "pose", "axis"})
    kind = _kind(element, context)
    parent = _link(element, "parent", links, or_world=True)
    child = _link(element, "child", links)
    if parent == child:
        raise element.bad("connects a link with itself", child, "two links")
    anchor = frames.between(child, name, element)[:3]
    if kind is JointKind.FIXED:
        return Joint(name, kind, parent, child)
    axis = element.need("axis")
    context.note_ignored(axis, {"xyz", "limit", "dynamics", "use_parent_model_frame"})
    lower, upper = _limits(axis, element, context)
    dynamics = axis.child("dynamics")
    damping = friction = 0.0
    if dynamics is not None:
        context.note_ignored(dynamics, {"damping", "friction"})
        damping = dynamics.number_in("damping", 0.0, least=0.0)
        friction = dynamics.number_in("friction", 0.0, least=0.0)
    direction = _axis(axis, name, child, frames, context)
    return Joint(
        name, kind, parent, child, direction, anchor, lower, upper, damping, friction, None
    )


def _kind(element: Element, context: Context) -> JointKind:
    text = element.need_attribute("type")
    if text in _UNSUPPORTED:
        context.note(f"type {text} is not carried over; it is fixed")
        return JointKind.FIXED
    if text not in _KINDS:
        raise element.bad("has an unknown type", text, ", ".join([*_KINDS, *_UNSUPPORTED]))
    return _KINDS[text]


def _link(element: Element, tag: str, links: Container[str], *, or_world: bool = False) -> str:
    part = element.need(tag)
    link = part.required_text("a link's name")
    if link in links or (or_world and link == WORLD):
        return link
    raise part.bad("names a link that does not exist", link, "a link of this model")


def _axis(axis: Element, joint: str, child: str, frames: Frames, context: Context) -> Vector:
    xyz = axis.need("xyz")
    x, y, z = xyz.numbers(3)
    length = math.sqrt(x * x + y * y + z * z)
    if length < 1e-9:
        raise xyz.bad("has no direction", xyz.text.strip(), "a vector that is not zero")
    direction = (x / length, y / length, z / length)
    frame = xyz.attributes.get("expressed_in", "").strip() or joint
    in_model_frame = axis.child("use_parent_model_frame")
    if context.version <= (1, 4) or (in_model_frame is not None and truth(in_model_frame)):
        frame = frames.root
    outer = IDENTITY if frame == frames.root else frames.pose(frame, xyz)
    return rotate(invert(frames.pose(child, xyz)), rotate(outer, direction))


def _limits(axis: Element, joint: Element, context: Context) -> tuple[float | None, float | None]:
    limit = axis.child("limit")
    if limit is None or joint.attributes["type"] == "continuous":
        return None, None
    context.note_ignored(limit, {"lower", "upper"})
    lower = _bound(limit, "lower", -math.inf)
    upper = _bound(limit, "upper", math.inf)
    if lower > upper:
        raise limit.bad("has lower above upper", [lower, upper], "lower <= upper")
    return (
        lower if lower > -_NO_LIMIT else None,
        upper if upper < _NO_LIMIT else None,
    )


def _bound(limit: Element, tag: str, default: float) -> float:
    element = limit.child(tag)
    if element is None or element.text.strip().lower().lstrip("+-") in ("inf", "infinity"):
        return default
    return element.numbers(1)[0]
