"""Reads a URDF file, with its geometries, into a `Body`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from pathlib import Path
from tempfile import TemporaryDirectory

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import ShapeKind
from model_nodes.main_physics.world.description import (
    GREY,
    IDENTITY,
    Body,
    Colour,
    Geometry,
    Hull,
    Inertial,
    Joint,
    JointKind,
    Link,
    MeshFile,
    Pose,
)
from model_nodes.main_physics.world.meshes import hull_of_file
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.robot_xml import read_robot_xml
from model_nodes.main_physics.world.transforms import from_rpy
from model_nodes.main_physics.world.urdf.joints import (
    SEVERAL_AXES,
    read_joint,
    split_joint,
    split_joints,
    with_control_mimics,
)
from model_nodes.main_physics.world.xml_file import Element, read_xml


def origin_of(element: Element) -> Pose:
    """Return the pose in the child ``<origin>``, or the identity."""
    origin = element.child("origin")
    if origin is None:
        return IDENTITY
    position = origin.numbers(3, origin.attributes.get("xyz", "0 0 0"))
    return from_rpy(position, origin.numbers(3, origin.attributes.get("rpy", "0 0 0")))


class GeometryReader:
    """Reads geometries, using the robot's named materials."""

    def __init__(self, root: Element, notes: Notes, label: str, resources: Resources) -> None:
        self._notes = notes
        self._label = label
        self._resources = resources
        self._friction = _friction_of_links(root)
        self._colours: dict[str, Colour] = {}
        for material in (*root.all("material"), *_materials_in_links(root)):
            colour = material.child("color")
            if colour is not None:
                name = material.attributes.get("name", "")
                self._colours.setdefault(name, _rgba(colour))

    def of_link(self, link: Element) -> tuple[Geometry, ...]:
        """Read all geometries of a link, collisions first."""
        return tuple(
            geometry
            for tag in ("collision", "visual")
            for element in link.all(tag)
            if (geometry := self._geometry(element, link.attributes["name"])) is not None
        )

    def _geometry(self, element: Element, link: str) -> Geometry | None:
        geometry = element.need("geometry")
        if not geometry.children:
            raise geometry.bad("is empty", expected="box, cylinder, sphere, capsule or mesh")
        shape = geometry.children[0]
        pose, colour = origin_of(element), self._colour(element)
        collides = element.tag == "collision"
        friction = self._friction.get(link) if collides else None
        if shape.tag == "mesh":
            read = self._mesh(shape)
            if read is None:
                return None
            hull, mesh = read
            return Geometry(ShapeKind.MESH, (), pose, colour, collides, friction, hull, mesh=mesh)
        kind, size = _primitive(shape)
        return Geometry(kind, size, pose, colour, collides, friction)

    def _mesh(self, mesh: Element) -> tuple[Hull, MeshFile] | None:
        reference = mesh.need_attribute("filename")
        x, y, z = mesh.numbers(3, mesh.attributes.get("scale", "1 1 1"))
        try:
            file = MeshFile(self._resources.find(reference), (x, y, z))
            return hull_of_file(file.path, file.scale), file
        except BadInput as error:
            self._notes.leave_out(self._label, reference, error)
            return None

    def _colour(self, element: Element) -> Colour:
        material = element.child("material")
        if material is None:
            return GREY
        colour = material.child("color")
        if colour is not None:
            return _rgba(colour)
        return self._colours.get(material.attributes.get("name", ""), GREY)


def _friction_of_links(root: Element) -> dict[str, float]:
    # Gazebo reads friction from <gazebo reference="LINK"><mu1>; URDF itself has no element for it.
    friction: dict[str, float] = {}
    for gazebo in root.all("gazebo"):
        element = gazebo.child("mu1") or gazebo.child("mu")
        if element is not None and "reference" in gazebo.attributes:
            text = element.attributes.get("value", element.text)
            friction[gazebo.attributes["reference"]] = element.numbers(1, text, minimum=0.0)[0]
    return friction


def _materials_in_links(root: Element) -> list[Element]:
    visuals = [visual for link in root.all("link") for visual in link.all("visual")]
    return [material for visual in visuals for material in visual.all("material")]


def _rgba(colour: Element) -> Colour:
    r, g, b, a = colour.numbers(4, colour.need_attribute("rgba"), minimum=0.0)
    return (r, g, b, a)


def _primitive(shape: Element) -> tuple[ShapeKind, tuple[float, ...]]:
    def number(name: str) -> float:
        value = shape.numbers(1, shape.need_attribute(name))[0]
        if value <= 0:
            raise shape.bad(f"has a {name} that is not positive", value, "a length above 0")
        return value

    if shape.tag in ("box", "ellipsoid"):
        size = shape.numbers(3, shape.need_attribute("size"))
        if min(size) <= 0:
            raise shape.bad("has a length that is not positive", size, "lengths above 0")
        return ShapeKind(shape.tag), tuple(size)
    if shape.tag == "plane":
        x, y = shape.numbers(2, shape.need_attribute("size"), minimum=0.0)
        return ShapeKind.PLANE, (x, y)
    if shape.tag == "sphere":
        return ShapeKind.SPHERE, (number("radius"),)
    if shape.tag in ("cylinder", "capsule"):
        return ShapeKind(shape.tag), (number("radius"), number("length"))
    raise shape.bad("is an unknown shape", shape.tag, "box, cylinder, sphere, capsule or mesh")


_KNOWN = {"link", "joint", "material"}
_LINK_PARTS = {"inertial", "visual", "collision"}
_GAZEBO_PARTS = {"mu", "mu1", "mu2", "material"}
"""Elements of <gazebo> that need no note: friction is read; colours are ignored, since URDF has its own."""


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
        robot: a URDF, xacro or MJCF file, or the element ``<robot>``.
        notes: collects notes on parts that are not carried over.
        name: name of the body; empty for the robot's own name.
        pose: pose of the root link in the world.
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
    read_links = tuple(_read_link(links[n], origins.get(n, IDENTITY), reader) for n in order)
    by_child = {joint.child: joint for joint in joints}
    ordered = tuple(by_child[n] for n in order if n in by_child)
    body = Body(name, read_links, ordered, pose, static, driven, file)
    multi_axis = {
        e.need_attribute("name"): e.need_attribute("type")
        for e in root.all("joint")
        if e.attributes.get("type") in SEVERAL_AXES
    }
    return split_joints(body, multi_axis, notes, label) if multi_axis else body


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
        # In URDF a link without <inertial> has no mass; its geometries do not matter.
        return Inertial(0.0, IDENTITY, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    mass = element.need("mass")
    value = mass.numbers(1, mass.need_attribute("value"), minimum=0.0)[0]
    inertia = element.need("inertia")
    ixx, iyy, izz, ixy, ixz, iyz = (
        inertia.number_attribute(k, 0.0) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    return Inertial(value, origin_of(element), (ixx, iyy, izz, ixy, ixz, iyz))


def tree_order(root: Element, links: list[str], joints: list[Joint]) -> list[str]:
    """Return the names of the links, each one after its parent.

    Raises:
        BadInput: if the links do not form a tree.
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
    roots = [link for link in links if link not in parents]
    if len(roots) != 1:
        raise root.bad(f"has {len(roots)} root links", roots, "exactly one link without a parent")
    order: list[str] = []
    stack = [roots[0]]
    while stack:  # depth first, so that the joints of an arm are contiguous
        order.append(stack.pop())
        stack += reversed(children.get(order[-1], []))
    if len(order) != len(links):
        raise root.bad("has a loop of joints", sorted(set(links) - set(order)), "a tree of links")
    return order


def check_mimics(root: Element, joints: list[Joint]) -> None:
    """Raise BadInput if a joint mimics itself, a missing joint, or one that mimics another."""
    names = {joint.name: joint for joint in joints}
    for joint in joints:
        if joint.mimic is None:
            continue
        mimicked = names.get(joint.mimic.joint)
        if mimicked is None or mimicked.mimic is not None or mimicked is joint:
            raise BadInput(
                "mimics itself, a missing joint, or one that mimics another",
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
        notes.add(f"{label}: <{tag}> is not carried over ({count} in the file)")


def moving_joints(urdf: str) -> dict[str, Joint]:
    """Return the moving joints in a robot's description by name, one per axis; empty for an empty text."""
    if not urdf:
        return {}
    with TemporaryDirectory(prefix="hetwin_urdf_") as folder:
        file = Path(folder, "robot.urdf")
        file.write_text(urdf, "utf-8")
        root = read_xml(file)
    links = {link.need_attribute("name") for link in root.all("link")}
    joints = (
        joint for element in root.all("joint") for joint in _single_axis_joints(element, links)
    )
    return {
        joint.name: joint for joint in joints if joint.kind in (JointKind.HINGE, JointKind.SLIDE)
    }


def _single_axis_joints(element: Element, links: Container[str]) -> list[Joint]:
    joint, kind = read_joint(element, links), element.need_attribute("type")
    return split_joint(joint, kind) if kind in SEVERAL_AXES else [joint]
