"""The kinematic chain from a robot's root link to another link, without an engine."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.screws import Segment
from model_nodes.main_physics.world.description import Body, Joint, JointKind, Pose
from model_nodes.main_physics.world.urdf.joints import read_joint
from model_nodes.main_physics.world.urdf.reader import origin_of
from model_nodes.main_physics.world.xml_file import parse_xml


def chain_to(robot: Body, link: str) -> Chain:
    """Return the chain from a robot's root link to another link.

    Raises:
        KeyError: if the robot has no such link.
    """
    return Chain(segments_to(robot, link))


def segments_to(robot: Body, link: str) -> list[Segment]:
    """Return the segments of the chain from a robot's root link to another link.

    Raises:
        KeyError: if the robot has no such link.
    """
    poses = {link_.name: link_.pose for link_ in robot.links}
    if link not in poses:
        raise KeyError(link)
    return _segments(poses, {joint.child: joint for joint in robot.joints}, link)


def chain_in(urdf: str, link: str) -> Chain:
    """Return the chain from the root link to another link of the robot in a URDF's text.

    Raises:
        BadInput: if the text is not a URDF, or the robot has no such link.
    """
    root = parse_xml(urdf.encode(), Path("the robot's description"))
    links = [element.need_attribute("name") for element in root.all("link")]
    if link not in links:
        raise BadInput(
            "the robot has no such link", where="link", found=link, expected=one_of(link, links)
        )
    joints = [read_joint(element, links) for element in root.all("joint")]
    poses = {
        joint.child: origin_of(element)
        for joint, element in zip(joints, root.all("joint"), strict=True)
    }
    return Chain(_segments(poses, {joint.child: joint for joint in joints}, link))


def _segments(poses: Mapping[str, Pose], joint_of: Mapping[str, Joint], link: str) -> list[Segment]:
    segments: list[Segment] = []
    while link in joint_of:
        segments.append(_segment(link, poses[link], joint_of[link]))
        link = joint_of[link].parent
    return segments[::-1]


def _segment(link: str, pose: Pose, joint: Joint) -> Segment:
    if joint.kind not in (JointKind.HINGE, JointKind.SLIDE):
        return Segment(link, pose)
    return Segment(
        link,
        pose,
        joint.name,
        joint.kind is JointKind.SLIDE,
        joint.axis,
        joint.anchor,
        -inf if joint.lower is None else joint.lower,
        inf if joint.upper is None else joint.upper,
    )
