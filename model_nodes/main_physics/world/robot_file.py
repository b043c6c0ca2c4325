"""A robot's URDF as links and joints, with its kinematic chains; meshes are not loaded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.resources import Kind
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.screws import Segment
from model_nodes.main_physics.world.description import Joint, JointKind, Pose
from model_nodes.main_physics.world.resources import Resources, find_description
from model_nodes.main_physics.world.robot_xml import open_description, read_robot_xml
from model_nodes.main_physics.world.urdf.joints import SEVERAL_AXES, read_joint
from model_nodes.main_physics.world.urdf.reader import (
    check_mimics,
    check_unique,
    origin_of,
    tree_order,
)
from model_nodes.main_physics.world.xml_file import Element


@dataclass(frozen=True, slots=True)
class RobotJoint:
    """A joint as described in its file.

    Attributes:
        joint: the joint.
        type: type in the file, such as ``revolute``.
        origin: pose of the child link in the parent link, with the joint at 0.
        element: the element of the file.
    """

    joint: Joint
    type: str
    origin: Pose
    element: Element


@dataclass(frozen=True, slots=True)
class RobotFile:
    """A robot as described in its file.

    Attributes:
        file: the URDF.
        root: root element of the URDF.
        links: names of the links, each one after its parent.
        joints: name of a joint -> the joint.
    """

    file: Path
    root: Element
    links: tuple[str, ...]
    joints: dict[str, RobotJoint]

    def missing_meshes(self) -> tuple[str, ...]:
        """Return the meshes that are not found, as the file names them."""
        return tuple(_missing(self.root, Resources(self.file.parent)))

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.root.need_attribute("name")

    def chain(self, base: str | None, tip: str | None, *, limited: bool = False) -> Chain:
        """Return the chain between two links.

        Args:
            base: first link; None: the robot's root.
            tip: last link; None: the only link without children.
            limited: whether every joint must have limits, unless it is continuous.

        Raises:
            BadInput: if there are no such links or no such chain, or limits are missing.
        """
        joint_of = {robot_joint.joint.child: robot_joint for robot_joint in self.joints.values()}
        start = self.links[0] if base is None else self._link(base, "--base")
        end = self._only_end(joint_of) if tip is None else self._link(tip, "--tip")
        path: list[RobotJoint] = []
        link = end
        while link != start:
            if link not in joint_of:
                raise BadInput(
                    f"this link is not below {start}",
                    file=self.file,
                    where="--tip",
                    found=end,
                    expected=f"a link below {start}, such as {self._example(start)}",
                )
            path.append(joint_of[link])
            link = joint_of[link].joint.parent
        segments = [self._segment(robot_joint, limited) for robot_joint in reversed(path)]
        if not any(segment.joint for segment in segments):
            raise BadInput(
                "no joint moves between these links",
                file=self.file,
                where="--base, --tip",
                found=f"{start} to {end}",
                expected="links with at least one revolute, continuous or prismatic joint between them",
            )
        return Chain(segments)

    def below(self, link: str) -> Iterator[str]:
        """Iterate over the links below a link, each one after its parent."""
        parent_of = {name.joint.child: name.joint.parent for name in self.joints.values()}
        reached = {link}
        for name in self.links:
            if parent_of.get(name) in reached:
                reached.add(name)
                yield name

    def joints_above(self, link: str) -> Iterator[str]:
        """Iterate over the joints between a link and the robot's root."""
        joint_of = {
            robot_joint.joint.child: robot_joint.joint for robot_joint in self.joints.values()
        }
        while link in joint_of:
            yield joint_of[link].name
            link = joint_of[link].parent

    def _link(self, name: str, option: str) -> str:
        if name not in self.links:
            raise BadInput(
                "the robot has no such link",
                file=self.file,
                where=option,
                found=name,
                expected=f"one of its {len(self.links)} links{perhaps(name, self.links)}",
            )
        return name

    def _only_end(self, joint_of: dict[str, RobotJoint]) -> str:
        parents = {robot_joint.joint.parent for robot_joint in joint_of.values()}
        ends = [link for link in self.links if link not in parents]
        if len(ends) != 1:
            raise BadInput(
                "the end of the chain is ambiguous",
                file=self.file,
                where="--tip",
                expected=f"a link of the robot, such as {ends[0]}",
            )
        return ends[0]

    def _example(self, link: str) -> str:
        below = list(self.below(link))
        return below[-1] if below else "one of another --base: nothing is below this one"

    def _segment(self, robot_joint: RobotJoint, limited: bool) -> Segment:
        joint = robot_joint.joint
        if robot_joint.type in SEVERAL_AXES:
            raise robot_joint.element.bad(
                "has several axes", robot_joint.type, "a chain of joints with one axis each"
            )
        if joint.kind is JointKind.FIXED:
            return Segment(joint.child, robot_joint.origin)
        lower, upper = self.limits(joint.name, needed=limited)
        mimic = joint.mimic
        if mimic is not None:
            ends = [
                end * mimic.multiplier + mimic.offset
                for end in self.limits(mimic.joint, needed=limited)
            ]
            lower, upper = max(lower, min(ends)), min(upper, max(ends))
        return Segment(
            joint.child,
            robot_joint.origin,
            joint.name,
            joint.kind is JointKind.SLIDE,
            joint.axis,
            joint.anchor,
            lower,
            upper,
            *(("", 1.0, 0.0) if mimic is None else (mimic.joint, mimic.multiplier, mimic.offset)),
        )

    def limits(self, name: str, *, needed: bool = True) -> tuple[float, float]:
        """Return lower and upper limit of a joint [rad or m], infinite if there are none.

        Raises:
            BadInput: if limits are needed but missing.
        """
        robot_joint = self.joints[name]
        limit = robot_joint.element.child("limit")
        has_limits = limit is not None and {"lower", "upper"} & set(limit.attributes)
        if needed and robot_joint.type != "continuous" and not has_limits:
            raise (limit or robot_joint.element).bad(
                f"joint {name} has no limits",
                expected='<limit lower="..." upper="..." .../>, or type continuous',
            )
        joint = robot_joint.joint
        if joint.lower is None or joint.upper is None or not has_limits:
            return -math.inf, math.inf
        return joint.lower, joint.upper


def is_robot(file: Path) -> bool:
    """Whether a file describes a robot rather than a world.

    Raises:
        BadInput: if it describes neither, or cannot be read.
    """
    root = open_description(file)
    if not isinstance(root, Element):
        return root.is_robot()
    if root.tag not in ("robot", "sdf"):
        expected = "<robot>, <sdf> or <mujoco>"
        raise root.bad("is neither a robot nor a world", f"<{root.tag}>", expected)
    return root.tag == "robot"


def find_robot(text: str) -> Path:
    """Return the file of the robot that a command's argument names.

    Raises:
        BadInput: if there is no such robot.
    """
    return find_description(text, Kind.ROBOT, where="ROBOT")


def read_robot(file: Path) -> RobotFile:
    """Read a robot without its meshes.

    Raises:
        BadInput: if the file is not a robot, or its links do not form a tree.
    """
    root = read_robot_xml(file)
    root.need_attribute("name")
    links = [element.need_attribute("name") for element in root.all("link")]
    if not links:
        raise root.bad("has no links", expected="at least one <link>")
    check_unique(root, "link")
    check_unique(root, "joint")
    joints = [
        RobotJoint(read_joint(e, links), e.attributes["type"], origin_of(e), e)
        for e in root.all("joint")
    ]
    check_mimics(root, [robot_joint.joint for robot_joint in joints])
    order = tree_order(root, links, [robot_joint.joint for robot_joint in joints])
    return RobotFile(
        file, root, tuple(order), {robot_joint.joint.name: robot_joint for robot_joint in joints}
    )


def _missing(root: Element, resources: Resources) -> Iterator[str]:
    """Yield the meshes that are not found, as the file names them."""
    seen = set()
    for link in root.all("link"):
        for shape in link.all("visual", "collision"):
            geometry = shape.child("geometry")
            mesh = None if geometry is None else geometry.child("mesh")
            name = "" if mesh is None else mesh.attributes.get("filename", "")
            if name and name not in seen:
                seen.add(name)
                if not _exists(resources, name):
                    yield name


def _exists(resources: Resources, name: str) -> bool:
    try:
        return resources.find(name).is_file()
    except BadInput:
        return False
