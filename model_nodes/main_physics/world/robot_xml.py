"""A robot's description as the elements of a URDF, whatever its file is: URDF, xacro, MJCF or USD.

A xacro file is a program; see `xacro_file`.
"""

from __future__ import annotations

from pathlib import Path

from model_nodes.main_physics.world.mjcf.as_urdf import robot_of_mjcf
from model_nodes.main_physics.world.mjcf.compiled import is_usd
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.xml_file import Element, as_text, read_xml

_PREFIX = "xacro:"
_READ = ("link", "joint", "material")
"""Elements of a robot of which a URDF reader reads all."""


def is_xacro(root: Element) -> bool:
    """Whether a robot is still to become a URDF.

    It is if it has instructions of xacro, or expressions in what is read; those in comments, and in what
    belongs to ros2_control, Gazebo's plugins or others, are text.
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


MJCF = "mujoco"
"""Tag of the root of an MJCF file."""
_FIXED = ("fixed", "ball")


def read_robot_xml(
    file: Path, notes: Notes | None = None, resources: Resources | None = None
) -> Element:
    """Read a robot.

    Args:
        file: its description.
        notes: what becomes of an MJCF that a URDF has no words for is added here, by name.
        resources: search path for the packages of xacro; by default relative to the file.

    Returns:
        The element ``<robot>``.

    Raises:
        BadInput: if the file is neither URDF, xacro nor MJCF, or cannot be made into a URDF.
    """
    if is_usd(file):
        return robot_of_mjcf(file, notes or Notes())
    root = read_xml(file)
    if root.tag == MJCF:
        return robot_of_mjcf(file, notes or Notes())
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
    if not is_usd(file):
        root = read_xml(file)
        if root.tag == "robot" and not is_xacro(root):
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
