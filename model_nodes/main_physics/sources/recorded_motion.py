"""Reads and validates the motion of the robot's joints in a recording: from joint states, or from transforms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import JointSource, PositionUnit
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Bag, ReadFault, list_topics
from model_nodes.main_physics.sources.bag_types import JOINT_STATE, TRANSFORMS
from model_nodes.main_physics.sources.contradictions import find_contradictions
from model_nodes.main_physics.sources.implausible import find_gaps, find_jumps, find_other_units
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_messages import DecodeError, JointMessageDecoder
from model_nodes.main_physics.sources.joint_series import Series, build_series
from model_nodes.main_physics.sources.joint_table import (
    USUAL_TOPIC,
    JointTable,
    check_joint_topic,
    choose_topics,
    is_command_topic,
    joint_topics,
    raw_samples,
    tables_of,
)
from model_nodes.main_physics.sources.joints_from_tf import TransformChain
from model_nodes.main_physics.sources.open_bag import remedy
from model_nodes.main_physics.sources.repairs import RepairKind
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
    origin: JointSource | None,
    robots: Sequence[Body],
    units: Collection[PositionUnit] = (),
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
        origin = JointSource.TF if silent else None
    if origin is not JointSource.TF:
        return read_joints(bag, topics, renamed, facts, units)
    _check_transforms(bag, topics, renamed, robots)
    transforms = Transforms(bag)
    chains = [TransformChain(body, transforms, bag.path) for body in robots]
    series = [samples for chain in chains for samples in chain.series()]
    joints = sum(len(samples.names) for samples in series)
    note = f"the positions of {joints} joints are those of the transforms on {series[0].topic}"
    repairs = [f for chain in chains for f in chain.usage.findings(bag.duration_ns)]
    implausible = find_implausible(series, bag.duration_ns, facts)
    findings = sorted([*implausible, *repairs], key=lambda f: f.from_ns)
    return RecordedJoints(series, transforms.fault, [note], findings)


def read_joints(
    bag: Bag,
    topics: Sequence[str] | None,
    renamed: Mapping[str, str],
    facts: JointFacts,
    units: Collection[PositionUnit] = (),
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
        topics, others = _choose_topics(bag, renamed, facts)
    else:
        for i, topic in enumerate(topics):
            check_joint_topic(bag, topic, f"joint_states.{i}")
    table = JointTable(bag.path, renamed)
    table.read_bag(bag, topics)
    if not table.groups:
        _reject_empty(bag, topics, table)
    _check_renaming(bag, table.recorded_names, renamed)
    for joint_table in (table, *others.values()):
        joint_table.convert(units, facts)
    series, findings = examine(bag, table, others.values(), facts)
    if not series:
        _reject_empty(bag, topics, table)
    findings += [finding for finding in find_other_units(series, facts) if not units]
    notes: list[str] = []
    if others or list(topics) != [USUAL_TOPIC]:
        notes.insert(0, f"the joint states are those of {', '.join(topics)}{_unused_note(others)}")
    return RecordedJoints(series, table.fault, notes, findings)


def examine(
    bag: Bag, table: JointTable, others: Iterable[JointTable], facts: JointFacts
) -> tuple[list[Series], list[Finding]]:
    """Return the samples in chronological order, and findings about them.

    Args:
        bag: the recording.
        table: the samples.
        others: samples that are only used for comparison.
        facts: the robots' joints.
    """
    contradictions = find_contradictions(
        raw_samples(table), [samples for other in others for samples in raw_samples(other)], facts
    )
    series, usage = build_series(table, facts, contradictions)
    implausible = find_implausible(series, bag.duration_ns, facts)
    repairs = usage.findings(bag.duration_ns)
    findings = sorted([*contradictions.findings, *implausible, *repairs], key=lambda f: f.from_ns)
    return [_unwrapped(samples, facts) for samples in series], findings


def find_implausible(
    series: Sequence[Series], duration_ns: int, facts: JointFacts
) -> list[Finding]:
    """Return the jumps and gaps, in chronological order."""
    found = [*find_jumps(series, facts), *find_gaps(series, duration_ns, facts)]
    return sorted(found, key=lambda f: f.from_ns)


def _unwrapped(series: Series, facts: JointFacts) -> Series:
    """Unwrap continuous joints that were recorded within a single revolution."""
    continuous = [i for i, name in enumerate(series.names) if facts.is_continuous(name)]
    steps = np.abs(np.diff(series.positions[:, continuous], axis=0))
    if not continuous or not (steps > np.pi).any():
        return series
    positions = series.positions.copy()
    positions[:, continuous] = np.unwrap(positions[:, continuous], axis=0)
    return replace(series, positions=positions)


def _choose_topics(
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
            found=list_topics(bag.topics.values()),
            expected=f"a topic of type {JOINT_STATE}, such as {USUAL_TOPIC}",
        )
    if len(topics) == 1:
        check_joint_topic(bag, topics[0], "joint_states")
        return topics, {}
    tables = tables_of(bag, topics, renamed)
    usable = {topic: table for topic, table in tables.items() if isinstance(table, JointTable)}
    joints = {topic: table.joints for topic, table in usable.items()}
    chosen = choose_topics(joints, facts.names) or choose_topics(joints, None) or list(usable)
    if not chosen:
        raise next(table for table in tables.values() if isinstance(table, BadInput))
    others = {
        t: table for t, table in usable.items() if t not in chosen and not is_command_topic(t)
    }
    return chosen, others


def _unused_note(others: Mapping[str, JointTable]) -> str:
    return f"; no further joint is on {', '.join(others)}" if others else ""


def _reject_empty(bag: Bag, topics: Sequence[str], table: JointTable) -> None:
    location = ", ".join(topics)
    if table.fault:
        reason = table.fault.reason.removeprefix(f"{bag.path}").removeprefix(": ").strip()
        expected = (
            remedy(reason, bag.path)
            or "messages that are whole, of the type that the recording declares"
        )
        raise BadInput(reason, file=bag.path, where=location, expected=expected)
    found = "no message at all"
    if table.times_ns.size:
        found = f"{table.times_ns.size} messages, all without joints"
    if any(repair.kind is RepairKind.MISFIT for repair in table.repairs):
        found = f"{table.times_ns.size} messages, with more or fewer positions than names"
    elif silent := table.without_positions():
        found = f"{silent} messages, all without positions"
    if table.groups:
        found = f"{table.times_ns.size} messages, all positions of which are not numbers"
    raise BadInput(
        "the recording contains no joint positions",
        file=bag.path,
        where=location,
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
    source_of: dict[str, str] = {}
    for name in sorted(recorded):
        target = renamed.get(name, name)
        if target in source_of:
            raise BadInput(
                "two recorded joints get the same name",
                file=bag.path,
                where=f"joints.{name if name in renamed else source_of[target]}",
                found=f"{source_of[target]} and {name} both as {target}",
                expected="a different name for each joint",
            )
        source_of[target] = name


def _only_bases(bag: Bag, robots: Sequence[Body]) -> bool:
    """Whether the recording may only contain the motion of bases: one follows odometry, and there are no joints."""
    followed = any(body.base is Base.FOLLOWED for body in robots)
    return followed and not joint_topics(bag) and not _has_joint_transforms(bag, robots)


def _has_joint_transforms(bag: Bag, robots: Sequence[Body]) -> bool:
    """Whether there are transforms for joints of the robots."""
    if not transform_topics(bag):
        return False
    transforms = Transforms(bag)
    return any(TransformChain(body, transforms, bag.path).has_joints for body in robots)


def _has_positions(bag: Bag) -> bool:
    """Whether any message with joint states has positions, or cannot be read."""
    decoder = JointMessageDecoder()
    for message in bag.messages(joint_topics(bag)):
        try:
            if isinstance(message, ReadFault) or decoder.decode(message[2]).positions:
                return True
        except DecodeError:
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
            found=list_topics(bag.topics.values()),
            expected=f"a topic of type {TRANSFORMS[0]}, such as /tf",
        )
    if not robots:
        raise BadInput(
            "joint positions cannot be read from transforms without a robot",
            where="joints_from",
            found=str(JointSource.TF),
            expected="a robot (a URDF), whose kinematics they are read with",
        )
