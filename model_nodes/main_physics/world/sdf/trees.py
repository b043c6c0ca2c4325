"""Divides a model's links and joints into trees of rigid parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from model_nodes.main_physics.world.description import (
    IDENTITY,
    Geometry,
    Inertial,
    Joint,
    JointKind,
    Link,
    Pose,
)
from model_nodes.main_physics.world.sdf.extras import moved
from model_nodes.main_physics.world.sdf.joints import WORLD
from model_nodes.main_physics.world.transforms import (
    compose,
    invert,
    joined_inertials,
    moved_inertial,
)
from model_nodes.main_physics.world.xml_file import Element


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of connected links; `pose` is the root's in the model's frame."""

    name: str
    pose: Pose
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    static: bool


def trees_of(
    model: str, element: Element, links: Sequence[Link], joints: Sequence[Joint], static: bool
) -> list[Tree]:
    """Divide a model into trees, lumping links with fixed joints between them unless these are `apart`.

    Poses of `links`, their geometries and their inertials are in the model's frame. A tree's root has the
    model's frame if it is the only tree, so that the model's pose is the body's pose.

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
    alone = len(groups) == 1
    return [group.tree(model, by_name, static, alone) for group in groups]


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
        waiting = list(reversed(children.get(root, [])))
        while waiting:  # depth first, the order of the engines
            joint = waiting.pop()
            self.joints.append(joint)
            self.order.append(joint.child)
            waiting += reversed(children.get(joint.child, []))

    def tree(self, model: str, links: dict[str, Link], static: bool, alone: bool) -> Tree:
        anchored = static or self.anchor is not None
        name = model if alone else f"{model}::{self.root}"
        base = IDENTITY if alone else links[self.root].pose
        held_by = {self.root: self.root}
        for joint in self.joints:
            held_by[joint.child] = held_by[joint.parent] if _lumps(joint) else joint.child
        frames = {n: links[n].pose for n in self.order} | {self.root: base}
        parts = {
            n: [links[m] for m in self.order if held_by[m] == n]
            for n in dict.fromkeys(held_by.values())
        }
        kept = [j for j in self.joints if not _lumps(j)]
        joints = [replace(j, parent=held_by[j.parent]) for j in kept]
        if self.anchor is not None and self.anchor.kind is not JointKind.FIXED and not static:
            return self._hinged_to_world(name, base, frames, parts, joints, links)
        merged = [_merged(self.root, IDENTITY, base, parts[self.root])]
        merged += [_child(j, frames, parts) for j in joints]
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
        # The world's side of the joint is a root without geometry.
        assert self.anchor is not None
        root = Link("__world__", IDENTITY, (), Inertial(1.0))
        frames = frames | {self.root: links[self.root].pose, root.name: base}
        first = replace(self.anchor, parent=root.name)
        all_joints = [first, *joints]
        merged = [root, *(_child(j, frames, parts) for j in all_joints)]
        return Tree(name, base, tuple(merged), tuple(all_joints), True)


def _lumps(joint: Joint) -> bool:
    return joint.kind is JointKind.FIXED and not joint.apart


def _child(joint: Joint, frames: dict[str, Pose], parts: dict[str, list[Link]]) -> Link:
    frame = frames[joint.child]
    pose = compose(invert(frames[joint.parent]), frame)
    return _merged(joint.child, pose, frame, parts[joint.child])


def _merged(name: str, pose: Pose, frame: Pose, parts: Sequence[Link]) -> Link:
    inverse = invert(frame)
    geometries = tuple(_moved(parts, inverse))
    extras = tuple(extra for part in parts for extra in moved(part.extras, inverse))
    specified = [part.inertial for part in parts if part.inertial is not None]
    if len(specified) < len(parts):
        return Link(name, pose, geometries, None, extras)
    inertial = joined_inertials([moved_inertial(inverse, i) for i in specified])
    return Link(name, pose, geometries, inertial, extras)


def _moved(parts: Sequence[Link], inverse: Pose) -> Iterator[Geometry]:
    for part in parts:
        for geometry in part.geometries:
            yield replace(geometry, pose=compose(inverse, geometry.pose))
