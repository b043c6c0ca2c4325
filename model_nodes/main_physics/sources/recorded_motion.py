"""Reads and validates the motion of the robot's joints in a recording: from joint states, or from transforms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import JointsFrom, Units
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Bag, ReadFault, listed
from model_nodes.main_physics.sources.bag_types import JOINT_STATE, TRANSFORMS
from model_nodes.main_physics.sources.contradictions import find_contradictions
from model_nodes.main_physics.sources.implausible import find_gaps, find_jumps, unlike_si
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_messages import JointMessageDecoder, Undecodable
from model_nodes.main_physics.sources.joint_series import Series, build_series
from model_nodes.main_physics.sources.joint_table import (
    USUAL,
    JointTable,
    check_joint_topic,
    choose,
    joint_topics,
    raw_samples,
    says_commands,
    tables_of,
)
from model_nodes.main_physics.sources.joints_from_tf import TransformChain
from model_nodes.main_physics.sources.mending import MendingKind
from model_nodes.main_physics.sources.open_bag import remedy
from model_nodes.main_physics.sources.transforms import Transforms, transform_topics
from model_nodes.main_physics.world.description import Base, Body


@dataclass(frozen=True, slots=True)
class RecordedJoints:
    """The recorded joint states, by the robot's names.

    Attributes:
        series: samples of all joints.
        fault: set if they cannot be read to their end.
        notes: notes for the user.
        findings: findings about the samples.
    """

    series: list[Series]
    fault: ReadFault | None = None
    notes: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_motion(
    bag: Bag,
    topics: Sequence[str] | None,
    renamed: Mapping[str, str],
    origin: JointsFrom | None,
    robots: Sequence[Body],
    units: Collection[Units] = (),
) -> RecordedJoints:
    """Read the motion of the joints.

    Args:
        bag: the recording.
        topics: topics with joint states; None for those that carry the robots' joints.
        renamed: recorded name of a joint -> the robot's name, where they differ.
        origin: what to read; None for joint states, or for transforms if there are no joint states.
        robots: robots whose joints are moved.
        units: units of the positions in joint states, if they are not rad and m.

    Raises:
        BadInput: if neither joint states nor transforms contain the motion.
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


def read_joints(
    bag: Bag,
    topics: Sequence[str] | None,
    renamed: Mapping[str, str],
    facts: JointFacts,
    units: Collection[Units] = (),
) -> RecordedJoints:
    """Read all joint states.

    Args:
        bag: the recording.
        topics: topics of type sensor_msgs/msg/JointState; None for those that carry the robots' joints.
        renamed: recorded name of a joint -> the robot's name, where they differ.
        facts: the robots' joints.
        units: units of the positions, if they are not rad and m.

    Raises:
        BadInput: if a topic is missing or has another type, there is no usable sample of the robots' joints, or
            renaming fails.
    """
    others: dict[str, JointTable] = {}
    if topics is None:
        topics, others = _chosen(bag, renamed, facts)
    else:
        for i, topic in enumerate(topics):
            check_joint_topic(bag, topic, f"joint_states.{i}")
    table = JointTable(bag.path, renamed)
    table.read_bag(bag, topics)
    if not table.groups:
        _reject_empty(bag, topics, table)
    _check_renaming(bag, table.recorded_names, renamed)
    for one in (table, *others.values()):
        one.convert(units, facts)
    series, findings = examine(bag, table, others.values(), facts)
    if not series:
        _reject_empty(bag, topics, table)
    findings += [finding for finding in unlike_si(series, facts) if not units]
    notes: list[str] = []
    if others or list(topics) != [USUAL]:
        notes.insert(0, f"the joint states are those of {', '.join(topics)}{_unused_words(others)}")
    return RecordedJoints(series, table.fault, notes, findings)


def examine(
    bag: Bag, table: JointTable, others: Iterable[JointTable], facts: JointFacts
) -> tuple[list[Series], list[Finding]]:
    """Return the samples in the order of time, and findings about them.

    Args:
        bag: the recording.
        table: the samples.
        others: samples that are only used for comparison.
        facts: the robots' joints.
    """
    contradictions = find_contradictions(
        raw_samples(table), [one for other in others for one in raw_samples(other)], facts
    )
    series, account = build_series(table, facts, contradictions)
    strange = find_strange(series, bag.duration_ns, facts)
    mended = account.findings(bag.duration_ns)
    findings = sorted([*contradictions.findings, *strange, *mended], key=lambda one: one.from_ns)
    return [_unwrapped(one, facts) for one in series], findings


def find_strange(series: Sequence[Series], duration_ns: int, facts: JointFacts) -> list[Finding]:
    """Return the jumps and gaps, in the order of time."""
    found = [*find_jumps(series, facts), *find_gaps(series, duration_ns, facts)]
    return sorted(found, key=lambda one: one.from_ns)


def _unwrapped(series: Series, facts: JointFacts) -> Series:
    """Unwrap continuous joints that were recorded within a single revolution."""
    turning = [i for i, name in enumerate(series.names) if facts.turns(name)]
    steps = np.abs(np.diff(series.positions[:, turning], axis=0))
    if not turning or not (steps > np.pi).any():
        return series
    positions = series.positions.copy()
    positions[:, turning] = np.unwrap(positions[:, turning], axis=0)
    return replace(series, positions=positions)


def _chosen(
    bag: Bag, renamed: Mapping[str, str], facts: JointFacts
) -> tuple[list[str], dict[str, JointTable]]:
    """Choose topics with joint states; returns them, and the samples of other topics with the robot's state.

    Raises:
        BadInput: if there is no topic with joint states, or no usable one.
    """
    topics = joint_topics(bag)
    if not topics:
        raise BadInput(
            "the recording has no joint states",
            file=bag.path,
            found=listed(bag.topics.values()),
            expected=f"a topic of type {JOINT_STATE}, such as {USUAL}",
        )
    if len(topics) == 1:
        check_joint_topic(bag, topics[0], "joint_states")
        return topics, {}
    tables = tables_of(bag, topics, renamed)
    usable = {topic: one for topic, one in tables.items() if isinstance(one, JointTable)}
    joints = {topic: one.joints for topic, one in usable.items()}
    chosen = choose(joints, facts.names) or choose(joints, None) or list(usable)
    if not chosen:
        raise next(one for one in tables.values() if isinstance(one, BadInput))
    others = {t: one for t, one in usable.items() if t not in chosen and not says_commands(t)}
    return chosen, others


def _unused_words(others: Mapping[str, JointTable]) -> str:
    return f"; no further joint is on {', '.join(others)}" if others else ""


def _reject_empty(bag: Bag, topics: Sequence[str], table: JointTable) -> None:
    place = ", ".join(topics)
    if table.fault:
        reason = table.fault.reason.removeprefix(f"{bag.path}").removeprefix(": ").strip()
        expected = (
            remedy(reason, bag.path)
            or "messages that are whole, of the type that the recording says"
        )
        raise BadInput(reason, file=bag.path, where=place, expected=expected)
    found = "no message at all"
    if table.times_ns.size:
        found = f"{table.times_ns.size} messages, all without joints"
    if any(one.what is MendingKind.MISFIT for one in table.mended):
        found = f"{table.times_ns.size} messages, with more or fewer positions than names"
    elif silent := table.without_positions():
        found = f"{silent} messages, all without positions"
    if table.groups:
        found = f"{table.times_ns.size} messages, all positions of which are not numbers"
    raise BadInput(
        "the recording contains no joint positions",
        file=bag.path,
        where=place,
        found=found,
        expected="messages with joint names and positions",
    )


def _check_renaming(bag: Bag, recorded: set[str], renamed: Mapping[str, str]) -> None:
    for name in renamed:
        if name not in recorded:
            raise BadInput(
                "a joint to be renamed was not recorded",
                file=bag.path,
                where=f"joints.{name}",
                found=name,
                expected=f"one of {', '.join(sorted(recorded))}",
            )
    taken: dict[str, str] = {}
    for name in sorted(recorded):
        target = renamed.get(name, name)
        if target in taken:
            raise BadInput(
                "two recorded joints get the same name",
                file=bag.path,
                where=f"joints.{name if name in renamed else taken[target]}",
                found=f"{taken[target]} and {name} both as {target}",
                expected="a different name for each joint",
            )
        taken[target] = name


def _only_bases(bag: Bag, robots: Sequence[Body]) -> bool:
    """Whether the recording may only contain the motion of bases: one follows odometry, and there are no joints."""
    followed = any(body.base is Base.FOLLOWED for body in robots)
    return followed and not joint_topics(bag) and not _holds_joints(bag, robots)


def _holds_joints(bag: Bag, robots: Sequence[Body]) -> bool:
    """Whether there are transforms for joints of the robots."""
    if not transform_topics(bag):
        return False
    transforms = Transforms(bag)
    return any(TransformChain(body, transforms, bag.path).holds_joints for body in robots)


def _has_positions(bag: Bag) -> bool:
    """Whether any message with joint states has positions, or cannot be read."""
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
