"""The joint states of a recording, read and validated before a run starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.bag import Bag, ReadFault
from model_nodes.main_physics.sources.joint_series import Series, build_series
from model_nodes.main_physics.sources.joint_table import JointTable
from model_nodes.main_physics.sources.joint_topics import check_joint_topic


@dataclass(frozen=True, slots=True)
class RecordedJoints:
    """The recorded joint states, by the robot's names.

    Attributes:
        series: samples of all joints.
        fault: set if they cannot be read to their end.
        notes: notes for the user.
    """

    series: list[Series]
    fault: ReadFault | None
    notes: list[str]


def read_joints(bag: Bag, topics: Sequence[str], renamed: Mapping[str, str]) -> RecordedJoints:
    """Read all joint states.

    Args:
        bag: the recording.
        topics: of type sensor_msgs/msg/JointState.
        renamed: the robot's name of a joint, by its recorded name, where they differ.

    Raises:
        BadInput: if a topic is missing or of another type, there is no sample, names and positions do
            not match, a position is not finite, time goes back, or renaming fails.
    """
    for i, topic in enumerate(topics):
        check_joint_topic(bag, topic, f"joint_states.{i}")
    table = JointTable(bag.path, renamed)
    table.read(bag.published(topics), bag.start_ns)
    if not table.groups:
        _reject_empty(bag, topics, table)
    _check_renaming(bag, table.recorded_names, renamed)
    return RecordedJoints(build_series(table, bag.path), table.fault, _notes(table))


def _reject_empty(bag: Bag, topics: Sequence[str], table: JointTable) -> None:
    found = "no message at all"
    if table.without_positions:
        found = f"{table.without_positions} messages, all without positions"
    if table.fault:
        found = table.fault.reason
    raise BadInput(
        "the recording contains no joint positions",
        file=bag.path,
        where=", ".join(topics),
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


def _notes(table: JointTable) -> list[str]:
    notes = []
    count = len(table.times_ns)
    if table.foreign_stamps:
        notes.append(
            f"the header stamps of {table.foreign_stamps} of {count} joint messages are more than 1 s from "
            "their log times; the log times are used instead"
        )
    if table.without_positions:
        notes.append(f"{table.without_positions} of {count} joint messages have no positions")
    if table.wrong_efforts:
        notes.append(
            f"the efforts of {table.wrong_efforts} of {count} joint messages do not match their names "
            "and are not used"
        )
    return notes
