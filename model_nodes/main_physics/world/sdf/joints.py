"""Reads joints of SDFormat models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Extra,
    Inertial,
    Joint,
    JointKind,
    Link,
    Vector,
)
from model_nodes.main_physics.world.sdf.extras import Keeper
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
    "ball": JointKind.BALL,
}
_TWO_HINGES = ("universal", "revolute2")
_UNSUPPORTED = ("screw", "gearbox")
_KNOWN = {"parent", "child", "pose", "axis", "axis2"}
_NO_LIMIT = 1e15
_CROSS = Inertial(1e-4, IDENTITY, (1e-7, 1e-7, 1e-7, 0.0, 0.0, 0.0))
"""Of the link between the two hinges of a universal joint."""


@dataclass(frozen=True, slots=True)
class JointReader:
    """Reads the joints of a model.

    Attributes:
        frames: of the model.
        links: name of each link, and of each frame that is attached to one -> the link.
        keeper: of the file.
    """

    frames: Frames
    links: Mapping[str, str]
    keeper: Keeper

    def read(self, element: Element, context: Context) -> tuple[list[Joint], list[Link]]:
        """Read one joint; axis and anchor are in the child link's frame.

        A universal joint becomes two hinges, with a link between them, which is returned too.

        Raises:
            BadInput: if its type, links, axis or limits are invalid.
        """
        name = element.need_attribute("name")
        context = context.at(f"joint {name}")
        extras = self.keeper.unknown(element, _KNOWN, context)
        kind = element.need_attribute("type")
        parent = self._link(element, "parent", or_world=True)
        child = self._link(element, "child")
        if parent == child:
            raise element.bad("connects a link with itself", child, "two links")
        anchor = self.frames.between(child, name, element)[:3]
        if kind in _TWO_HINGES:
            joint = Joint(name, JointKind.HINGE, parent, child, anchor=anchor, extras=extras)
            return self._two_hinges(element, joint, context)
        joint = Joint(name, _kind(element, context), parent, child, anchor=anchor, extras=extras)
        if joint.kind not in (JointKind.HINGE, JointKind.SLIDE):
            return [joint], []
        return [self._with_axis(joint, element.need("axis"), element, context)], []

    def _two_hinges(
        self, element: Element, joint: Joint, context: Context
    ) -> tuple[list[Joint], list[Link]]:
        cross, second = f"{joint.name}_cross", f"{joint.name}_second"
        pose = self.frames.pose(joint.child, element)
        link = Link(cross, pose, (), replace(_CROSS, pose=pose))
        first = self._with_axis(joint, element.need("axis"), element, context)
        other = replace(joint, name=second, parent=cross, extras=())
        other = self._with_axis(other, element.need("axis2"), element, context)
        return [replace(first, child=cross), other], [link]

    def _with_axis(self, joint: Joint, axis: Element, element: Element, context: Context) -> Joint:
        keep = self.keeper.unknown
        extras: tuple[Extra, ...] = keep(
            axis, {"xyz", "limit", "dynamics", "use_parent_model_frame"}, context, inside="axis"
        )
        limit, dynamics = axis.child("limit"), axis.child("dynamics")
        damping = friction = 0.0
        if dynamics is not None:
            extras += keep(dynamics, {"damping", "friction"}, context, inside="axis/dynamics")
            damping = dynamics.number_in("damping", 0.0, least=0.0)
            friction = dynamics.number_in("friction", 0.0, least=0.0)
        if limit is not None:
            extras += keep(limit, {"lower", "upper"}, context, inside="axis/limit")
        lower, upper = _limits(limit, element)
        return replace(
            joint,
            axis=_axis(axis, element.attributes["name"], joint.child, self.frames, context),
            lower=lower,
            upper=upper,
            damping=damping,
            friction=friction,
            extras=joint.extras + extras,
        )

    def _link(self, element: Element, tag: str, *, or_world: bool = False) -> str:
        part = element.need(tag)
        link = part.required_text("a link's name")
        if or_world and link == WORLD:
            return link
        if link in self.links:
            return self.links[link]
        raise part.bad("names a link that does not exist", link, "a link of this model")


def _kind(element: Element, context: Context) -> JointKind:
    text = element.attributes["type"]
    if text in _UNSUPPORTED:
        context.note(f"type {text} is not carried over; it is fixed")
        return JointKind.FIXED
    if text not in _KINDS:
        known = ", ".join([*_KINDS, *_TWO_HINGES, *_UNSUPPORTED])
        raise element.bad("has an unknown type", text, known)
    return _KINDS[text]


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


def _limits(limit: Element | None, joint: Element) -> tuple[float | None, float | None]:
    if limit is None or joint.attributes["type"] == "continuous":
        return None, None
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
