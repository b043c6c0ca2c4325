"""Writes a URDF with other origins of some joints; all else stays as it is, letter by letter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from transforms3d.euler import mat2euler

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.writing import writing
from hetwin_core.kinematics.arm.model import small
from hetwin_core.kinematics.chains.screws import Frame, frame_of
from hetwin_suite.digital_robot.robot_file import RobotFile
from model_nodes.main_physics.world.robot_xml import urdf_of

_ATTRIBUTE = r"""\s+{}\s*=\s*("[^"]*"|'[^']*')"""


class _Tag(NamedTuple):
    """Where a start tag is in a file: its first byte."""

    joint: int
    origin: int | None


def with_errors(robot: RobotFile, errors: Mapping[str, Floats]) -> bytes:
    """Return the URDF of a robot whose joints' frames are off.

    Args:
        robot: as its file has it.
        errors: by joint, the way [m] and turn [rad] (6,) of its frame.
    """
    data = urdf_of(robot.file)
    tags = _tags(data)
    for name, error in sorted(errors.items(), key=lambda item: tags[item[0]].joint, reverse=True):
        frame = frame_of(robot.joints[name].origin).before(small(error))
        tag = tags[name]
        if tag.origin is None:
            at = _end_of_tag(data, tag.joint)
            data = data[:at] + f"<origin {_origin(frame)}/>".encode() + data[at:]
        else:
            end = _end_of_tag(data, tag.origin)
            data = data[: tag.origin] + _replaced(data[tag.origin : end], frame) + data[end:]
    return data


def write_with_errors(robot: RobotFile, errors: Mapping[str, Floats], out: Path) -> None:
    """Write the URDF of `with_errors`.

    Raises:
        BadInput: if the file cannot be written.
    """
    content = with_errors(robot, errors)
    with writing("the file", out, "--out"):
        out.write_bytes(content)


def _origin(frame: Frame) -> str:
    rpy = mat2euler(frame.rotation, axes="sxyz")
    xyz, angles = (" ".join(f"{number:.12g}" for number in row) for row in (frame.position, rpy))
    return f'xyz="{xyz}" rpy="{angles}"'


def _replaced(tag: bytes, frame: Frame) -> bytes:
    text = tag.decode()
    for attribute in ("xyz", "rpy"):
        text = re.sub(_ATTRIBUTE.format(attribute), "", text)
    return text.replace("<origin", f"<origin {_origin(frame)}", 1).encode()


def _end_of_tag(data: bytes, begin: int) -> int:
    """The byte behind a start tag; attributes may hold a ``>``."""
    match = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""").match(data, begin)
    assert match is not None  # the file was read before
    return match.end()


def _tags(data: bytes) -> dict[str, _Tag]:
    """The start tags of all joints of a robot, and of the origins in them."""
    found: dict[str, _Tag] = {}
    stack: list[str] = []
    names: list[str] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        stack.append(tag)
        if stack == ["robot", "joint"]:
            names.append(attributes["name"])
            found[names[-1]] = _Tag(parser.CurrentByteIndex, None)
        elif stack == ["robot", "joint", "origin"] and found[names[-1]].origin is None:
            found[names[-1]] = found[names[-1]]._replace(origin=parser.CurrentByteIndex)

    def end(_: str) -> None:
        stack.pop()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(
        _COMMENT.sub(lambda match: b"<!--" + match[1].replace(b"-", b" ") + b"-->", data), True
    )
    return found


_COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)
