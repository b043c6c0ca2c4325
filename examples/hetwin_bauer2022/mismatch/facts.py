"""What an axis of mismatch may know about an episode."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hetwin_suite.episode import own_random


@dataclass(frozen=True, slots=True)
class HandFacts:
    """A hand of the scenario.

    Attributes:
        link: that carries it.
        opened: finger joint -> position when fully open [rad or m].
        closed: the same when closed on nothing.
    """

    link: str
    opened: Mapping[str, float]
    closed: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class EpisodeFacts:
    """An episode, apart from its recording.

    Attributes:
        scenario: name of the scenario that replays it.
        thing: the object that is handled.
        support: objects that the thing lies on, and that are believed to be where it is.
        target: where it is to be brought, if that is one object.
        held_part: beginning of the names of the shapes that the fingers hold; empty: all of the thing's.
        held_at: x y z in the thing's frame of the middle of what the fingers hold [m].
        hands: hands of the scenario.
        robot: root of the robot's URDF; not to be changed.
        key: seed and number of the episode, or the time at which its recording starts [ns].
    """

    scenario: str
    thing: str
    support: tuple[str, ...]
    target: str
    held_part: str
    held_at: tuple[float, float, float]
    hands: tuple[HandFacts, ...]
    robot: ET.Element
    key: tuple[int, ...]

    @property
    def closing(self) -> dict[str, float]:
        """Finger joint -> direction in which it closes: 1, -1, or 0 if it does neither."""
        return {
            joint: float(np.sign(hand.closed[joint] - opened))
            for hand in self.hands
            for joint, opened in hand.opened.items()
        }

    @property
    def arm_joints(self) -> tuple[str, ...]:
        """The joints that carry one of the hands and nothing beside it, from the hand on."""
        return tuple(joint for hand in self.hands for joint in _carrying(self.robot, hand.link))

    def random(self, axis: str) -> np.random.Generator:
        """Return the generator of an axis for this episode; it does not depend on the level."""
        return own_random(axis, *self.key)


def _carrying(robot: ET.Element, link: str) -> list[str]:
    """Return the joints from a link up to the first link that carries several moving ones."""
    joints = robot.findall("joint")
    above = {_link(joint, "child"): joint for joint in joints}
    moving = [_link(joint, "parent") for joint in joints if joint.get("type") != "fixed"]
    found: list[str] = []
    while (joint := above.get(link)) is not None:
        if joint.get("type") != "fixed":
            found.append(joint.get("name", ""))
        link = _link(joint, "parent")
        if found and moving.count(link) > 1:
            break
    return found


def _link(joint: ET.Element, role: str) -> str:
    element = joint.find(role)
    return "" if element is None else element.get("link", "")
