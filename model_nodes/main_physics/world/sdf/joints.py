"""Reads joints of SDFormat models, and splits links and joints into trees of rigid parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Extra,
    Geometry,
    Inertial,
    Joint,
    JointKind,
    Link,
    Pose,
    Vector,
)
from model_nodes.main_physics.world.sdf.frames import (
    Context,
    ExtraCollector,
    Frames,
    transformed_extras,
)
from model_nodes.main_physics.world.transforms import (
    compose,
    invert,
    joined_inertials,
    moved_inertial,
    rotate,
)
from model_nodes.main_physics.world.xml_file import Element, read_bool

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
"""Inertia of the link between the two hinges of a universal joint."""


@dataclass(frozen=True, slots=True)
class JointReader:
    """Reads the joints of a model.

    Attributes:
        frames: frames of the model.
        links: name of each link, and of each frame that is attached to one -> the link.
        keeper: keeps unsupported elements of the file.
    """

    frames: Frames
    links: Mapping[str, str]
    keeper: ExtraCollector

    def read(self, element: Element, context: Context) -> tuple[list[Joint], list[Link]]:
        """Read one joint; axis and anchor are in the child link's frame.

        A universal joint becomes two hinges with a link between them, which is returned as well.

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
        second_joint = replace(joint, name=second, parent=cross, extras=())
        second_joint = self._with_axis(second_joint, element.need("axis2"), element, context)
        return [replace(first, child=cross), second_joint], [link]

    def _with_axis(self, joint: Joint, axis: Element, element: Element, context: Context) -> Joint:
        keep = self.keeper.unknown
        extras: tuple[Extra, ...] = keep(
            axis, {"xyz", "limit", "dynamics", "use_parent_model_frame"}, context, inside="axis"
        )
        limit, dynamics = axis.child("limit"), axis.child("dynamics")
        damping = friction = 0.0
        if dynamics is not None:
            extras += keep(dynamics, {"damping", "friction"}, context, inside="axis/dynamics")
            damping = dynamics.number_in("damping", 0.0, minimum=0.0)
            friction = dynamics.number_in("friction", 0.0, minimum=0.0)
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
    if context.version <= (1, 4) or (in_model_frame is not None and read_bool(in_model_frame)):
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


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of connected links; `pose` is that of the root in the model's frame."""

    name: str
    pose: Pose
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    static: bool


def trees_of(
    model: str, element: Element, links: Sequence[Link], joints: Sequence[Joint], static: bool
) -> list[Tree]:
    """Split a model into trees; links with a fixed joint between them are merged, unless the joint is `apart`.

    Poses of `links`, their geometries and their inertials are in the model's frame. If there is only one tree, its root
    has the model's frame, so that the model's pose is the body's pose.

    Raises:
        BadInput: if joints form a loop or a link has two parents.
    """
    by_name = {link.name: link for link in links}
    parents = _parents(element, joints)
    roots = [link.name for link in links if parents.get(link.name, _ROOT).parent in ("", WORLD)]
    children: dict[str, list[Joint]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint)
    groups = [_Group(root, parents.get(root), children) for root in roots]
    reached = sum(len(group.order) for group in groups)
    if reached != len(links):
        raise element.bad("has a loop of joints", expected="a tree of links")
    is_single = len(groups) == 1
    return [group.tree(model, by_name, static, is_single) for group in groups]


_ROOT = Joint("", JointKind.FIXED, "", "")


def _parents(element: Element, joints: Sequence[Joint]) -> dict[str, Joint]:
    parents: dict[str, Joint] = {}
    for joint in joints:
        if joint.child in parents:
            raise element.bad(
                f"link {joint.child!r} has two parents",
                [parents[joint.child].name, joint.name],
                "a tree of links",
            )
        parents[joint.child] = joint
    return parents


class _Group:
    """The links below one root."""

    def __init__(self, root: str, anchor: Joint | None, children: dict[str, list[Joint]]) -> None:
        self.root = root
        self.anchor = anchor
        self.order = [root]
        self.joints: list[Joint] = []
        stack = list(reversed(children.get(root, [])))
        while stack:  # depth first, as the engines do
            joint = stack.pop()
            self.joints.append(joint)
            self.order.append(joint.child)
            stack += reversed(children.get(joint.child, []))

    def tree(self, model: str, links: dict[str, Link], static: bool, is_single: bool) -> Tree:
        anchored = static or self.anchor is not None
        name = model if is_single else f"{model}::{self.root}"
        base = IDENTITY if is_single else links[self.root].pose
        merged_into = {self.root: self.root}
        for joint in self.joints:
            merged_into[joint.child] = (
                merged_into[joint.parent] if _is_merged(joint) else joint.child
            )
        frames = {n: links[n].pose for n in self.order} | {self.root: base}
        parts = {
            n: [links[m] for m in self.order if merged_into[m] == n]
            for n in dict.fromkeys(merged_into.values())
        }
        kept = [j for j in self.joints if not _is_merged(j)]
        joints = [replace(j, parent=merged_into[j.parent]) for j in kept]
        if self.anchor is not None and self.anchor.kind is not JointKind.FIXED and not static:
            return self._hinged_to_world(name, base, frames, parts, joints, links)
        merged = [_merged_link(self.root, IDENTITY, base, parts[self.root])]
        merged += [_child_link(j, frames, parts) for j in joints]
        return Tree(name, base, tuple(merged), tuple(joints), anchored)

    def _hinged_to_world(
        self,
        name: str,
        base: Pose,
        frames: dict[str, Pose],
        parts: dict[str, list[Link]],
        joints: list[Joint],
        links: dict[str, Link],
    ) -> Tree:
        # The world's side of the joint becomes a root link without geometry.
        assert self.anchor is not None
        root = Link("__world__", IDENTITY, (), Inertial(1.0))
        frames = frames | {self.root: links[self.root].pose, root.name: base}
        first = replace(self.anchor, parent=root.name)
        all_joints = [first, *joints]
        merged = [root, *(_child_link(j, frames, parts) for j in all_joints)]
        return Tree(name, base, tuple(merged), tuple(all_joints), True)


def _is_merged(joint: Joint) -> bool:
    return joint.kind is JointKind.FIXED and not joint.apart


def _child_link(joint: Joint, frames: dict[str, Pose], parts: dict[str, list[Link]]) -> Link:
    frame = frames[joint.child]
    pose = compose(invert(frames[joint.parent]), frame)
    return _merged_link(joint.child, pose, frame, parts[joint.child])


def _merged_link(name: str, pose: Pose, frame: Pose, parts: Sequence[Link]) -> Link:
    inverse = invert(frame)
    geometries = tuple(_transformed(parts, inverse))
    extras = tuple(extra for part in parts for extra in transformed_extras(part.extras, inverse))
    specified = [part.inertial for part in parts if part.inertial is not None]
    if len(specified) < len(parts):
        return Link(name, pose, geometries, None, extras)
    inertial = joined_inertials([moved_inertial(inverse, i) for i in specified])
    return Link(name, pose, geometries, inertial, extras)


def _transformed(parts: Sequence[Link], inverse: Pose) -> Iterator[Geometry]:
    for part in parts:
        for geometry in part.geometries:
            yield replace(geometry, pose=compose(inverse, geometry.pose))
