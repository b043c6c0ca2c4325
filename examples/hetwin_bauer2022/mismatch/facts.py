"""Facts about an episode that the axes of mismatch (kinds of model error) need."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hetwin_suite.episode import named_generator


@dataclass(frozen=True, slots=True)
class HandFacts:
    """A hand of the scenario.

    Attributes:
        link: link that carries it.
        opened: finger joint -> position when fully open [rad or m].
        closed: finger joint -> position when closed without an object [rad or m].
    """

    link: str
    opened: Mapping[str, float]
    closed: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class EpisodeFacts:
    """An episode, without its recording.

    Attributes:
        scenario: name of the scenario that replays it.
        thing: handled object.
        support: objects that support it; their believed positions are shifted with its own.
        target: object to which it is brought; empty if there is none or several.
        held_part: prefix of the names of the shapes that the fingers hold; empty: all shapes of the thing.
        held_at: x y z of the centre of the held part in the thing's frame [m].
        hands: hands of the scenario.
        robot: root of the robot's URDF; must not be changed.
        key: seed and number of the episode, or the start of its recording [ns].
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
        """Finger joint -> sign of its closing direction: 1, -1, or 0 if it does not move."""
        return {
            joint: float(np.sign(hand.closed[joint] - opened))
            for hand in self.hands
            for joint, opened in hand.opened.items()
        }

    @property
    def arm_joints(self) -> tuple[str, ...]:
        """The joints that move only one hand, for each hand from the hand towards the base."""
        return tuple(joint for hand in self.hands for joint in _joints_above(self.robot, hand.link))

    def random(self, axis: str) -> np.random.Generator:
        """Return an axis's random number generator for this episode; it is the same at every level of mismatch."""
        return named_generator(axis, *self.key)


def _joints_above(robot: ET.Element, link: str) -> list[str]:
    """Return the joints from a link up to the first link with more than one movable child joint."""
    joints = robot.findall("joint")
    above = {_link(joint, "child"): joint for joint in joints}
    moving = [_link(joint, "parent") for joint in joints if joint.get("type") != "fixed"]
    names: list[str] = []
    while (joint := above.get(link)) is not None:
        if joint.get("type") != "fixed":
            names.append(joint.get("name", ""))
        link = _link(joint, "parent")
        if names and moving.count(link) > 1:
            break
    return names


def _link(joint: ET.Element, role: str) -> str:
    element = joint.find(role)
    return "" if element is None else element.get("link", "")
