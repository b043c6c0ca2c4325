"""Which topics of a recording carry joint states, and which of them a source takes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.bag_types import JOINT_STATE
from model_nodes.main_physics.sources.joint_table import JointTable

USUAL = "/joint_states"
_COMMANDS = re.compile(r"command|cmd|desired|target|goal|setpoint|reference|fake", re.IGNORECASE)


def joint_topics(bag: Bag) -> list[str]:
    """Return the topics with joint states, those first that say where the robot is, not where it shall go.

    The usual one is the first of them.
    """
    found = [topic for topic in bag.topics if JOINT_STATE in bag.types(topic)]
    return sorted(found, key=lambda name: (says_commands(name), name != USUAL, name))


def says_commands(topic: str) -> bool:
    """Whether a topic's name says that it carries what a robot shall do."""
    return _COMMANDS.search(topic) is not None


def tables_of(
    bag: Bag, topics: Collection[str], renamed: Mapping[str, str]
) -> dict[str, JointTable | BadInput]:
    """Read each topic by itself; returns its samples, or why they cannot be used."""
    return {topic: _table_of(bag, topic, renamed) for topic in topics}


def _table_of(bag: Bag, topic: str, renamed: Mapping[str, str]) -> JointTable | BadInput:
    table = JointTable(bag.path, renamed)
    try:
        check_joint_topic(bag, topic, "joint_states")
        table.read_bag(bag, [topic])
    except BadInput as error:
        return error
    return table


def check_joint_topic(bag: Bag, topic: str, where: str) -> None:
    """Check that a topic is there and carries joint states.

    Raises:
        BadInput: if not. `where` is the key that names the topic.
    """
    summary = bag.require(topic, where)
    if summary.type != JOINT_STATE:
        others = ", ".join(str(t) for t in bag.topics.values() if t.name != topic)
        raise BadInput(
            f"topic {topic} does not contain joint states",
            file=bag.path,
            where=where,
            found=summary.type,
            expected=f"{JOINT_STATE}; there are {others or 'no other topics'}",
        )
    bag.check_fields(topic, JOINT_STATE, ("header", "name", "position", "velocity", "effort"))
    bag.check_fields(topic, "std_msgs/msg/Header", ("stamp", "frame_id"))


def choose(joints: Mapping[str, Collection[str]], wanted: Collection[str] | None) -> list[str]:
    """Choose topics so that all joints are there, each from as few topics as possible.

    Args:
        joints: the joints with positions of each topic, the topics in the order of `joint_topics`.
        wanted: the robot's joints; None for all.

    Returns:
        The topics that are taken: of those with joints of the robot the usual one, then the one with the most
        joints, then what adds joints. Topics with commands are taken only if there are no others.
    """
    useful = {
        topic: names
        for topic, found in joints.items()
        if (names := set(found) if wanted is None else set(found) & set(wanted))
    }
    measured = {topic: names for topic, names in useful.items() if not says_commands(topic)}
    rest = measured or useful
    chosen: list[str] = []
    covered: set[str] = set()
    while rest:
        best = min(rest, key=lambda topic: (topic != USUAL, -len(rest[topic] - covered)))
        chosen.append(best)
        covered |= rest[best]
        rest = {topic: names for topic, names in rest.items() if names - covered}
    return chosen
