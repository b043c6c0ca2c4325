"""The chain of a robot's links that ends in one of them, for kinematics without an engine."""

from __future__ import annotations

from math import inf

from hetwin_core.kinematics.chains.chain import Chain, Segment
from model_nodes.main_physics.world.description import Body, Joint, JointKind, Link


def chain_to(robot: Body, link: str) -> Chain:
    """Return the chain from the root link of a robot to another link of it.

    Raises:
        KeyError: if the robot has no such link.
    """
    links = {each.name: each for each in robot.links}
    above = {joint.child: joint for joint in robot.joints}
    segments: list[Segment] = []
    here = links[link].name
    while here in above:
        segments.append(_segment(links[here], above[here]))
        here = above[here].parent
    return Chain(segments[::-1])


def _segment(link: Link, joint: Joint) -> Segment:
    if joint.kind not in (JointKind.HINGE, JointKind.SLIDE):
        return Segment(link.name, link.pose)
    return Segment(
        link.name,
        link.pose,
        joint.name,
        joint.kind is JointKind.SLIDE,
        joint.axis,
        joint.anchor,
        -inf if joint.lower is None else joint.lower,
        inf if joint.upper is None else joint.upper,
    )
