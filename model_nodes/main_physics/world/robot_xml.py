"""A robot's description as the elements of a URDF, whatever its file is: URDF, xacro, MJCF or USD.

A xacro file is a program: the library evaluates its expressions in Python, without most built-in functions.
"""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

import xacro
from xacro import substitution_args

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.mjcf.as_urdf import robot_of_mjcf
from model_nodes.main_physics.world.mjcf.compiled import is_usd
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import SCHEMES, Resources
from model_nodes.main_physics.world.xml_file import Element, as_text, parse_xml, read_xml

_PREFIX = "xacro:"
_READ = ("link", "joint", "material")
"""Elements of a robot of which a URDF reader reads all."""
_ONE_AT_A_TIME = threading.Lock()
"""The library keeps where it is in variables of its module."""


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


def expanded(file: Path, resources: Resources) -> Element:
    """Return the URDF that a xacro file becomes with the defaults of its arguments.

    Args:
        file: the file.
        resources: search path for ``$(find PACKAGE)`` and ``package://``.

    Raises:
        BadInput: if the library cannot make it; its words are in the error.
    """
    said = io.StringIO()
    with _ONE_AT_A_TIME, _finding(resources), contextlib.redirect_stderr(said):
        try:
            text = xacro.process_file(str(file)).toxml(encoding="utf-8")
        except (Exception, RecursionError) as error:  # expressions raise whatever Python does
            where = next((str(name) for name in reversed(xacro.filestack or []) if name), None)
            raise _bad(error, file, where) from None
    root = parse_xml(text, file)
    if root.tag != "robot":
        raise root.bad("becomes no URDF robot", f"<{root.tag}>", "<robot name=...>")
    return root


def _bad(error: BaseException, file: Path, where: str | None) -> BadInput:
    cause = getattr(error, "exc", None) or error
    if isinstance(cause, BadInput):
        return cause.at(cause.where, file)
    if isinstance(error, ExpatError):
        return BadInput(f"is not well-formed XML: {error}", file=where or file, expected="xacro")
    inside = f"in {where}" if where and Path(where) != file else None
    return BadInput(
        f"xacro cannot expand this: {error or type(error).__name__}",
        file=file,
        where=inside,
        expected="a file that `xacro` expands with the defaults of its arguments",
    )


@contextlib.contextmanager
def _finding(resources: Resources) -> Iterator[None]:
    """Let the library find packages where all others are found."""

    def package(name: str) -> str:
        return str(resources.find(f"package://{name}"))

    def path(reference: str) -> Any:
        return str(resources.find(reference)) if reference.startswith(SCHEMES) else usual(reference)

    usual, table = xacro.abs_filename_spec, substitution_args._eval_dict
    before = substitution_args._eval_find, table["find"]
    substitution_args._eval_find = table["find"] = package
    xacro.abs_filename_spec = path
    try:
        yield
    finally:
        substitution_args._eval_find, table["find"] = before
        xacro.abs_filename_spec = usual


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
    return expanded(file, resources or Resources(file.parent)) if is_xacro(root) else root


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
