"""Robots in a running Gazebo, each as one model with links and joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from hetwin_gazebo.sdf_parts import add, add_pose, format_numbers
from hetwin_gazebo.view.pictures import add_visuals, gazebo_name
from hetwin_suite.engine import Joint, JointKind
from hetwin_suite.model import Entity, EntityKind, Floats, Snapshot, relative_to

_TYPES = {JointKind.HINGE: "revolute", JointKind.SLIDE: "prismatic"}


@dataclass(frozen=True, slots=True)
class ShownRobot:
    """A robot in Gazebo, whose joints are at zero in the posture in which it was written.

    Attributes:
        entity: the robot.
        links: links of the robot, parents first.
        joints: name -> joint, for movable joints.
        initial_poses: link -> (13,) pose in its parent when the robot was written; empty before.
    """

    entity: Entity
    links: tuple[Entity, ...]
    joints: Mapping[str, Joint]
    initial_poses: dict[str, Floats]

    @classmethod
    def find(
        cls, entities: Sequence[Entity], joints: Mapping[str, Joint]
    ) -> tuple[ShownRobot, ...]:
        """Return the robots whose joints are all among the given ones."""
        robots = []
        for robot in (e for e in entities if e.kind is EntityKind.ROBOT):
            links_by_name = {
                e.name: e for e in entities if e.owner == robot.name and e.kind is EntityKind.LINK
            }
            roots = [e for e in links_by_name.values() if not e.parent]
            if len(roots) == 1 and set(robot.joints) <= set(joints):
                links = _parents_first(roots[0], list(links_by_name.values()))
                robots.append(cls(robot, tuple(links), {n: joints[n] for n in robot.joints}, {}))
        return tuple(robots)

    def sdf(self, scene: Snapshot, folder: Path) -> str:
        """Return the robot in its current posture as SDFormat, without mass and collisions; meshes go to the folder."""
        sdf = ET.Element("sdf", version="1.9")
        model = ET.SubElement(sdf, "model", name=gazebo_name(self.entity))
        root = scene.pose(self.links[0].name)
        add_pose(model, root)
        for link in self.links:
            element = ET.SubElement(model, "link", name=_unscoped(link.name))
            add_pose(element, relative_to(root, scene.pose(link.name)))
            add(element, "gravity", "false")
            add_visuals(element, link.shapes, folder)
            self._add_joint(model, link)
            if link.parent:
                self.initial_poses[link.name] = _in_parent(link, scene)
        return ET.tostring(sdf, "unicode")

    def _add_joint(self, model: ET.Element, link: Entity) -> None:
        joint = self.joints.get(link.joint)
        name = link.joint or f"{_unscoped(link.name)} is fixed"
        kind = "fixed" if joint is None else _TYPES[joint.kind]
        element = ET.SubElement(model, "joint", name=name, type=kind)
        add(element, "parent", _unscoped(link.parent) or "world")
        add(element, "child", _unscoped(link.name))
        if joint is not None:
            add(ET.SubElement(element, "axis"), "xyz", format_numbers(joint.axis))

    def positions(self, scene: Snapshot) -> dict[str, float]:
        """Return joint -> displacement since the robot was written [rad or m]."""
        displacements: dict[str, float] = {}
        for link in self.links:
            joint = self.joints.get(link.joint)
            if joint is not None:
                change = relative_to(self.initial_poses[link.name], _in_parent(link, scene))
                displacements[joint.name] = _joint_displacement(joint, change)
        return displacements


def _unscoped(name: str) -> str:
    """Return a link's name without the separator of SDFormat's scoped names."""
    return name.replace("::", " ")


def _parents_first(root: Entity, links: Sequence[Entity]) -> list[Entity]:
    found = [root]
    for link in found:  # grows in the loop
        found += [other for other in links if other.parent == link.name]
    return found


def _in_parent(link: Entity, scene: Snapshot) -> Floats:
    return relative_to(scene.pose(link.parent), scene.pose(link.name))


def _joint_displacement(joint: Joint, change: Floats) -> float:
    """Return the component of a displacement, in the child's frame, along or about the joint's axis."""
    if joint.kind is JointKind.SLIDE:
        return float(change[:3] @ joint.axis)
    return 2.0 * math.atan2(float(change[4:7] @ joint.axis), float(change[3]))
