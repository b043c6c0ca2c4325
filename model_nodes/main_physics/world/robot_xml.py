"""A robot's description as the elements of a URDF, whatever its file is: URDF, xacro, or a format that a package reads.

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
_READ = ("link", "joint", "material")
"""Elements of a robot of which a URDF reader reads all."""


class Description(Protocol):
    """A robot or a world in a file that a package reads."""

    def robot(self, notes: Notes) -> Element:
        """Return ``<robot>`` of URDF with all in the file that is the robot; left-out parts are added to the notes.

        Raises:
            BadInput: if the file cannot be read.
        """

    def world(self, notes: Notes) -> World:
        """Return all in the file as bodies; left-out parts are added to the notes.

        Raises:
            BadInput: if the file cannot be read.
        """

    def is_robot(self) -> bool:
        """Whether something in the file has joints.

        Raises:
            BadInput: if the file cannot be read.
        """


_GROUP = Group(
    "hetwin.descriptions",
    "reader of robots and worlds",
    "a function of a file that returns a Description of hetwin_suite.engine",
    DESCRIPTIONS,
)


def opened(file: Path) -> Element | Description:
    """Return the root of a file in XML, or its description if a package reads such files.

    The package's entry point has the name of the file's ending, or of the root's tag.

    Raises:
        BadInput: if the package is not installed, or the file is no XML.
    """
    names = _GROUP.known()
    ending = file.suffix.lower().removeprefix(".")
    if ending in names:
        return _described(ending, file)
    root = read_xml(file)
    return _described(root.tag, file) if root.tag in names else root


def _described(name: str, file: Path) -> Description:
    try:
        read: Callable[[Path], Description] = _GROUP.load(name)
    except BadInput as error:
        raise error.at(error.where, file) from error
    return read(file)


def is_xacro(root: Element) -> bool:
    """Whether a robot is still to become a URDF.

    It is if it has instructions of xacro, or expressions in parts that are read; those in comments, and in elements
    that belong to ros2_control, Gazebo's plugins or others, are text.
    """
    if root.file.name.endswith(".xacro"):
        return True
    return any(
        child.tag.startswith(_PREFIX) or (child.tag in _READ and _has_expressions(child))
        for child in root.children
    )


def _has_expressions(element: Element) -> bool:
    if element.tag.startswith(_PREFIX) or "${" in "".join(element.attributes.values()):
        return True
    return any(_has_expressions(child) for child in element.children)


_FIXED = ("fixed", "ball")


def read_robot_xml(
    file: Path, notes: Notes | None = None, resources: Resources | None = None
) -> Element:
    """Read a robot.

    Args:
        file: its description.
        notes: gets the parts that a URDF cannot express, by name.
        resources: search path for the packages of xacro; by default relative to the file.

    Returns:
        The element ``<robot>``.

    Raises:
        BadInput: if the file is neither URDF, xacro nor a format that a package reads, or cannot be made into a URDF.
    """
    root = opened(file)
    if not isinstance(root, Element):
        return root.robot(notes or Notes())
    if root.tag != "robot":
        raise root.bad(
            "is not a robot", f"<{root.tag}>", "<robot name=...> of URDF, or <mujoco> of MJCF"
        )
    if not is_xacro(root):
        return root
    from model_nodes.main_physics.world.xacro_file import expanded  # with the library

    return expanded(file, resources or Resources(file.parent))


def urdf_of(file: Path, resources: Resources | None = None) -> bytes:
    """The URDF of a robot as a file has it: of a URDF the file as it is.

    Raises:
        BadInput: as `read_robot_xml`.
    """
    root = opened(file)
    if isinstance(root, Element) and root.tag == "robot" and not is_xacro(root):
        return file.read_bytes()
    return as_text(read_robot_xml(file, resources=resources)).encode()


def joints_of(file: Path, resources: Resources | None = None) -> tuple[str, ...]:
    """Names of all joints of a robot that have a position, in the file's order.

    Raises:
        BadInput: as `read_robot_xml`, or if none moves.
    """
    root = read_robot_xml(file, resources=resources)
    joints = (e.attributes for e in root.all("joint") if e.attributes.get("type") not in _FIXED)
    names = tuple(dict.fromkeys(j["name"] for j in joints if j.get("name")))
    if not names:
        raise root.bad("has no joint that moves", expected="a robot that the recording can move")
    return names
