"""Reads a robot's description as the elements of a URDF, from a URDF, a xacro file, or a format of a package.

A xacro file is a program; see `xacro_file`. MJCF and USD are read by a package.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import DESCRIPTIONS, Group
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.xml_file import Element, as_text, read_xml

_PREFIX = "xacro:"
_URDF_TAGS = ("link", "joint", "material")
"""Elements of which URDF readers read the whole content."""


class Description(Protocol):
    """A robot or a world in a file that a package reads."""

    def robot(self, notes: Notes) -> Element:
        """Return the robot in the file as URDF's element ``<robot>``; left-out parts are added to the notes.

        Raises:
            BadInput: if the file cannot be read.
        """

    def world(self, notes: Notes) -> World:
        """Return everything in the file as bodies; left-out parts are added to the notes.

        Raises:
            BadInput: if the file cannot be read.
        """

    def is_robot(self) -> bool:
        """Whether anything in the file has joints.

        Raises:
            BadInput: if the file cannot be read.
        """


_GROUP = Group(
    "hetwin.descriptions",
    "reader of robots and worlds",
    "a function of a file that returns a Description of hetwin_suite.engine",
    DESCRIPTIONS,
)


def open_description(file: Path) -> Element | Description:
    """Return the root element of an XML file, or its description if a package reads such files.

    The name of the package's entry point is the file's suffix or the root's tag.

    Raises:
        BadInput: if the package is not installed, or the file is not XML.
    """
    names = _GROUP.known()
    suffix = file.suffix.lower().removeprefix(".")
    if suffix in names:
        return _read_description(suffix, file)
    root = read_xml(file)
    return _read_description(root.tag, file) if root.tag in names else root


def _read_description(name: str, file: Path) -> Description:
    try:
        read: Callable[[Path], Description] = _GROUP.load(name)
    except BadInput as error:
        raise error.at(error.where, file) from error
    return read(file)


def is_xacro(root: Element) -> bool:
    """Whether a robot is a xacro program that must be expanded to a URDF.

    It is one if it contains instructions of xacro, or expressions in elements that URDF readers read; expressions in
    comments, and in elements of ros2_control, Gazebo's plugins and others, are plain text.
    """
    if root.file.name.endswith(".xacro"):
        return True
    return any(
        child.tag.startswith(_PREFIX) or (child.tag in _URDF_TAGS and _has_expressions(child))
        for child in root.children
    )


def _has_expressions(element: Element) -> bool:
    if element.tag.startswith(_PREFIX) or "${" in "".join(element.attributes.values()):
        return True
    return any(_has_expressions(child) for child in element.children)


_WITHOUT_POSITION = ("fixed", "ball")


def read_robot_xml(
    file: Path, notes: Notes | None = None, resources: Resources | None = None
) -> Element:
    """Read a robot.

    Args:
        file: file with the robot's description.
        notes: collects notes on the parts that a URDF cannot express.
        resources: search path for the packages of xacro; by default relative to the file.

    Returns:
        The element ``<robot>``.

    Raises:
        BadInput: if the file is neither URDF, xacro nor a format of a package, or cannot be converted to a URDF.
    """
    root = open_description(file)
    if not isinstance(root, Element):
        return root.robot(notes or Notes())
    if root.tag != "robot":
        raise root.bad(
            "is not a robot", f"<{root.tag}>", "<robot name=...> of URDF, or <mujoco> of MJCF"
        )
    if not is_xacro(root):
        return root
    from model_nodes.main_physics.world.xacro_file import expand_xacro  # imports the xacro library

    return expand_xacro(file, resources or Resources(file.parent))


def urdf_of(file: Path, resources: Resources | None = None) -> bytes:
    """Return the URDF of the robot in a file; a URDF file is returned unchanged.

    Raises:
        BadInput: see `read_robot_xml`.
    """
    root = open_description(file)
    if isinstance(root, Element) and root.tag == "robot" and not is_xacro(root):
        return file.read_bytes()
    return as_text(read_robot_xml(file, resources=resources)).encode()


def joints_of(file: Path, resources: Resources | None = None) -> tuple[str, ...]:
    """Return the names of all joints of a robot that have a position, in the file's order.

    Raises:
        BadInput: see `read_robot_xml`; or if no joint moves.
    """
    root = read_robot_xml(file, resources=resources)
    joints = (
        e.attributes for e in root.all("joint") if e.attributes.get("type") not in _WITHOUT_POSITION
    )
    names = tuple(dict.fromkeys(j["name"] for j in joints if j.get("name")))
    if not names:
        raise root.bad("has no joint that moves", expected="a robot that the recording can move")
    return names
