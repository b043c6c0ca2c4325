"""Patch of the joints' origins or friction in a URDF; all other bytes are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from transforms3d.euler import mat2euler

from hetwin_calibration.arm.model import small
from hetwin_suite.command import writing
from hetwin_suite.model import Floats
from hetwin_suite.robot import Frame, RobotFile, frame_of, urdf_of

_ATTRIBUTE = r"""\s+{}\s*=\s*("[^"]*"|'[^']*')"""


class _Tag(NamedTuple):
    """Byte offsets of a joint's start tag, and of that of a child element; None if there is no such child."""

    joint: int
    child: int | None


def with_errors(robot: RobotFile, errors: Mapping[str, Floats]) -> bytes:
    """Return the URDF of a robot with corrected origins of its joints.

    Args:
        robot: the robot's file.
        errors: joint -> translation [m] and rotation vector [rad] (6,) of its frame.
    """
    data = urdf_of(robot.file)
    tags = _tags(data, "origin")
    for name, error in sorted(errors.items(), key=lambda item: tags[item[0]].joint, reverse=True):
        frame = frame_of(robot.joints[name].origin).before(small(error))
        tag = tags[name]
        data = _with_attributes(data, tag, "origin", _origin(frame))
    return data


def with_friction(robot: RobotFile, friction: Mapping[str, Mapping[str, float]]) -> bytes:
    """Return the URDF of a robot with other friction of its joints.

    Args:
        robot: the robot's file.
        friction: joint -> ``damping`` and ``friction``; missing keys are not changed.
    """
    data = urdf_of(robot.file)
    tags = _tags(data, "dynamics")
    for name in sorted(friction, key=lambda name: tags[name].joint, reverse=True):
        attributes = {key: f"{value:.6g}" for key, value in friction[name].items()}
        if attributes:
            data = _with_attributes(data, tags[name], "dynamics", attributes)
    return data


def _with_attributes(data: bytes, tag: _Tag, name: str, attributes: Mapping[str, str]) -> bytes:
    """Return the file with other attributes of a joint's child element, which is added if it is missing."""
    written = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    if tag.child is None:
        at = _end_of_tag(data, tag.joint)
        return data[:at] + f"<{name} {written}/>".encode() + data[at:]
    end = _end_of_tag(data, tag.child)
    text = data[tag.child : end].decode()
    for attribute in attributes:
        text = re.sub(_ATTRIBUTE.format(attribute), "", text)
    text = text.replace(f"<{name}", f"<{name} {written}", 1)
    return data[: tag.child] + text.encode() + data[end:]


def write_urdf(content: bytes, out: Path) -> None:
    """Write a URDF.

    Raises:
        BadInput: if the file cannot be written.
    """
    with writing("the file", out, "--out"):
        out.write_bytes(content)


def _origin(frame: Frame) -> dict[str, str]:
    rpy = mat2euler(frame.rotation, axes="sxyz")
    xyz, angles = (" ".join(f"{number:.12g}" for number in row) for row in (frame.position, rpy))
    return {"xyz": xyz, "rpy": angles}


def _end_of_tag(data: bytes, begin: int) -> int:
    """Return the offset of the byte after a start tag, whose attributes may contain a ``>``."""
    match = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*>""").match(data, begin)
    assert match is not None  # the file was read before
    return match.end()


def _tags(data: bytes, child: str) -> dict[str, _Tag]:
    """Return the start tags of all joints, by name, each with that of its first child element of a name."""
    found: dict[str, _Tag] = {}
    stack: list[str] = []
    names: list[str] = []
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        stack.append(tag)
        if stack == ["robot", "joint"]:
            names.append(attributes["name"])
            found[names[-1]] = _Tag(parser.CurrentByteIndex, None)
        elif stack == ["robot", "joint", child] and found[names[-1]].child is None:
            found[names[-1]] = found[names[-1]]._replace(child=parser.CurrentByteIndex)

    def end(_: str) -> None:
        stack.pop()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(
        _COMMENT.sub(lambda match: b"<!--" + match[1].replace(b"-", b" ") + b"-->", data), True
    )
    return found


_COMMENT = re.compile(rb"<!--(.*?)-->", re.DOTALL)
