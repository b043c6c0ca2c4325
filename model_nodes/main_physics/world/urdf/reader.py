"""Reads a URDF file into a `Body`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from pathlib import Path
from tempfile import TemporaryDirectory

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Inertial,
    Joint,
    JointKind,
    Link,
    Pose,
)
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.robot_xml import read_robot_xml
from model_nodes.main_physics.world.urdf.geometry import GeometryReader, origin_of
from model_nodes.main_physics.world.urdf.joints import SEVERAL_AXES, read_joint, with_control_mimics
from model_nodes.main_physics.world.urdf.many_axes import in_single_axes, single_axes
from model_nodes.main_physics.world.xml_file import Element, read_xml

_KNOWN = {"link", "joint", "material"}
_LINK_PARTS = {"inertial", "visual", "collision"}
_GAZEBO_PARTS = {"mu", "mu1", "mu2", "material"}
"""Friction is read; Gazebo's colours are ignored, since URDF has its own."""


def read_urdf(
    robot: Path | Element,
    notes: Notes,
    *,
    name: str = "",
    pose: Pose = IDENTITY,
    static: bool = True,
    driven: bool = True,
    resources: Resources | None = None,
) -> Body:
    """Read a robot.

    Args:
        robot: the URDF, xacro or MJCF file, or the element ``<robot>``.
        notes: what is not carried over is added here, by name.
        name: of the body; empty for the robot's own name.
        pose: of the root link in the world.
        static: whether the root link is fixed to the world.
        driven: whether its joints are driven.
        resources: search path for meshes; by default relative to the file.

    Raises:
        BadInput: if the file is not a valid robot.
    """
    file = robot if isinstance(robot, Path) else robot.file
    resources = resources or Resources(file.parent)
    root = read_robot_xml(robot, notes, resources) if isinstance(robot, Path) else robot
    name = name or root.need_attribute("name")
    label = f"robot {file.name}"
    reader = GeometryReader(root, notes, label, resources)
    links = {e.need_attribute("name"): e for e in root.all("link")}
    if not links:
        raise root.bad("has no links", expected="at least one <link>")
    check_unique(root, "link")
    check_unique(root, "joint")
    joints = with_control_mimics(root, [read_joint(e, links) for e in root.all("joint")])
    check_mimics(root, joints)
    _note_ignored(root, notes, label)
    origins = {e.need("child").need_attribute("link"): origin_of(e) for e in root.all("joint")}
    order = tree_order(root, list(links), joints)
    read = tuple(_read_link(links[n], origins.get(n, IDENTITY), reader) for n in order)
    by_child = {joint.child: joint for joint in joints}
    ordered = tuple(by_child[n] for n in order if n in by_child)
    body = Body(name, read, ordered, pose, static, driven, file)
    several = {
        e.need_attribute("name"): e.need_attribute("type")
        for e in root.all("joint")
        if e.attributes.get("type") in SEVERAL_AXES
    }
    return in_single_axes(body, several, notes, label) if several else body


def check_unique(root: Element, tag: str) -> None:
    """Raise BadInput if two elements with this tag have the same name."""
    seen: set[str] = set()
    for element in root.all(tag):
        name = element.need_attribute("name")
        if name in seen:
            raise element.bad(f"is the second {tag} of this name", name, "unique names")
        seen.add(name)


def _read_link(element: Element, pose: Pose, reader: GeometryReader) -> Link:
    return Link(
        element.need_attribute("name"), pose, reader.of_link(element), _read_inertial(element)
    )


def _read_inertial(link: Element) -> Inertial | None:
    element = link.child("inertial")
    if element is None:
        # In URDF a link without <inertial> has no mass; it is not computed from its geometries.
        return Inertial(0.0, IDENTITY, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    mass = element.need("mass")
    value = mass.numbers(1, mass.need_attribute("value"), least=0.0)[0]
    inertia = element.need("inertia")
    ixx, iyy, izz, ixy, ixz, iyz = (
        inertia.number_attribute(k, 0.0) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    return Inertial(value, origin_of(element), (ixx, iyy, izz, ixy, ixz, iyz))


def tree_order(root: Element, links: list[str], joints: list[Joint]) -> list[str]:
    """Return the names of the links, each behind its parent.

    Raises:
        BadInput: if they are no tree.
    """
    children: dict[str, list[str]] = {}
    parents: dict[str, str] = {}
    for joint in joints:
        if joint.child in parents:
            raise root.bad(
                f"link {joint.child!r} has two parents",
                [parents[joint.child], joint.parent],
                "a tree of links",
            )
        parents[joint.child] = joint.parent
        children.setdefault(joint.parent, []).append(joint.child)
    tops = [link for link in links if link not in parents]
    if len(tops) != 1:
        raise root.bad(f"has {len(tops)} root links", tops, "exactly one link without a parent")
    order: list[str] = []
    waiting = [tops[0]]
    while waiting:  # depth first, so that the joints of an arm are contiguous
        order.append(waiting.pop())
        waiting += reversed(children.get(order[-1], []))
    if len(order) != len(links):
        raise root.bad("has a loop of joints", sorted(set(links) - set(order)), "a tree of links")
    return order


def check_mimics(root: Element, joints: list[Joint]) -> None:
    """Raise BadInput if a joint mimics one that does not exist or mimics another itself."""
    names = {joint.name: joint for joint in joints}
    for joint in joints:
        if joint.mimic is None:
            continue
        master = names.get(joint.mimic.joint)
        if master is None or master.mimic is not None or master is joint:
            raise BadInput(
                "mimics a joint that does not exist or mimics itself",
                file=root.file,
                where=f"joint {joint.name}",
                found=joint.mimic.joint,
                expected="the name of a joint without <mimic>",
            )


def _note_ignored(root: Element, notes: Notes, label: str) -> None:
    ignored = Counter(e.tag for e in root.children if e.tag not in (*_KNOWN, "gazebo"))
    ignored.update(
        f"gazebo/{part.tag}"
        for gazebo in root.all("gazebo")
        for part in gazebo.children
        if part.tag not in _GAZEBO_PARTS
    )
    ignored.update(
        f"link/{part.tag}"
        for link in root.all("link")
        for part in link.children
        if part.tag not in _LINK_PARTS
    )
    for tag, count in ignored.items():
        notes.add(f"{label}: <{tag}> is not carried over ({count} of them)")


def moving_joints(urdf: str) -> dict[str, Joint]:
    """Return the scalar joints of a robot's description that move, by name; none of an empty text."""
    if not urdf:
        return {}
    with TemporaryDirectory(prefix="hetwin_urdf_") as folder:
        file = Path(folder, "robot.urdf")
        file.write_text(urdf, "utf-8")
        root = read_xml(file)
    links = {link.need_attribute("name") for link in root.all("link")}
    joints = (joint for element in root.all("joint") for joint in _single(element, links))
    return {
        joint.name: joint for joint in joints if joint.kind in (JointKind.HINGE, JointKind.SLIDE)
    }


def _single(element: Element, links: Container[str]) -> list[Joint]:
    joint, kind = read_joint(element, links), element.need_attribute("type")
    return single_axes(joint, kind) if kind in SEVERAL_AXES else [joint]
