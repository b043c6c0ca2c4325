"""The motion of the robot's joints in a recording: from joint states, else from transforms."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import JointsFrom, Units
from model_nodes.main_physics.sources.bag import Bag, ReadFault, listed
from model_nodes.main_physics.sources.bag_types import TRANSFORMS
from model_nodes.main_physics.sources.cdr import Undecodable
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_messages import JointMessageDecoder
from model_nodes.main_physics.sources.joint_topics import joint_topics
from model_nodes.main_physics.sources.joints_from_tf import TransformChain
from model_nodes.main_physics.sources.recorded_joints import (
    RecordedJoints,
    find_strange,
    read_joints,
)
from model_nodes.main_physics.sources.transforms import Transforms, transform_topics
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.drives import Base


def read_motion(
    bag: Bag,
    topics: Sequence[str] | None,
    renamed: Mapping[str, str],
    origin: JointsFrom | None,
    robots: Sequence[Body],
    units: Collection[Units] = (),
) -> RecordedJoints:
    """Read where the joints are at all times.

    Args:
        bag: the recording.
        topics: with joint states; None for those that carry the robots' joints.
        renamed: the robot's name of a joint, by its recorded name, where they differ.
        origin: what to read; None for joint states, or for transforms if there are none.
        robots: those whose joints are moved.
        units: of the positions in joint states, where they are not rad and m.

    Raises:
        BadInput: if neither says where they are.
    """
    facts = JointFacts(robots)
    if origin is None and topics is None and _only_bases(bag, robots):
        return RecordedJoints([])
    if origin is None and topics is None and robots:
        silent = transform_topics(bag) and not _has_positions(bag)
        origin = JointsFrom.TF if silent else None
    if origin is not JointsFrom.TF:
        return read_joints(bag, topics, renamed, facts, units)
    _check_transforms(bag, topics, renamed, robots)
    transforms = Transforms(bag)
    chains = [TransformChain(body, transforms, bag.path) for body in robots]
    series = [one for chain in chains for one in chain.series()]
    joints = sum(len(one.names) for one in series)
    note = f"the positions of {joints} joints are those of the transforms on {series[0].topic}"
    mended = [f for chain in chains for f in chain.account.findings(bag.duration_ns)]
    strange = find_strange(series, bag.duration_ns, facts)
    findings = sorted([*strange, *mended], key=lambda one: one.from_ns)
    return RecordedJoints(series, transforms.fault, [note], findings)


def _only_bases(bag: Bag, robots: Sequence[Body]) -> bool:
    """Whether the recording may be about the bases of robots alone: one follows, and there are no joint states."""
    followed = any(body.base is Base.FOLLOWED for body in robots)
    return followed and not joint_topics(bag) and not _holds_joints(bag, robots)


def _holds_joints(bag: Bag, robots: Sequence[Body]) -> bool:
    """Whether there are transforms that hold the joints of the robots."""
    if not transform_topics(bag):
        return False
    transforms = Transforms(bag)
    return any(TransformChain(body, transforms, bag.path).holds_joints for body in robots)


def _has_positions(bag: Bag) -> bool:
    """Whether a message with joint states has positions, or cannot be read."""
    decoder = JointMessageDecoder()
    for message in bag.messages(joint_topics(bag)):
        try:
            if isinstance(message, ReadFault) or decoder.decode(message[2]).positions:
                return True
        except Undecodable:
            return True
    return False


def _check_transforms(
    bag: Bag, topics: Sequence[str] | None, renamed: Mapping[str, str], robots: Sequence[Body]
) -> None:
    for key, given in (("joint_states", topics), ("joints", renamed)):
        if given:
            raise BadInput(
                "this is about joint states, but the joints are read from transforms",
                where=key,
                found=", ".join(given),
                expected="joints_from: joint_states, or no such key",
            )
    if not transform_topics(bag):
        raise BadInput(
            "the recording has no transforms",
            file=bag.path,
            where="joints_from",
            found=listed(bag.topics.values()),
            expected=f"a topic of type {TRANSFORMS[0]}, such as /tf",
        )
    if not robots:
        raise BadInput(
            "joint positions cannot be read from transforms without a robot",
            where="joints_from",
            found=str(JointsFrom.TF),
            expected="a robot (a URDF), whose kinematics they are read with",
        )
