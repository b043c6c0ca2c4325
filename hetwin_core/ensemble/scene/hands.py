"""Hands as described in a scenario: their joints, links and fingers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout

_FIXED_TOOLS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"suction|vacuum|vac_?grip|epick|sucker", re.IGNORECASE),
        "a suction cup holds by its vacuum, which no joint shows",
    ),
    (
        re.compile(r"(tool|quick|gripper)_?chang|tool_?coupler", re.IGNORECASE),
        "a tool changer carries tools that the robot's description does not have",
    ),
)


@dataclass(frozen=True, slots=True)
class HandDescription:
    """A hand: a grasp frame on a link, and the joints and links of its fingers.

    Attributes:
        name: name of the hand and of its grasp frame (an entity of kind ``hand``).
        robot: name of the robot.
        link: link that the grasp frame is fixed to.
        offset: pose of the grasp frame in that link, x y z [m], qw qx qy qz.
        joints: finger joints.
        finger_links: links that the finger joints move, directly or through fixed joints; for a hand with a single
            finger, also the opposing links: `link`, and links fixed to it.
        closed: finger joint positions when closed without an object, same order as joints.
        opened: finger joint positions when fully open.
    """

    name: str
    robot: str
    link: str
    offset: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    joints: tuple[str, ...] = ()
    finger_links: tuple[str, ...] = ()
    closed: tuple[float, ...] = ()
    opened: tuple[float, ...] = ()


def fixed_tool(link: str) -> str:
    """The kind of fingerless hand that a link's name indicates, in words; empty for any other link."""
    return next((words for pattern, words in _FIXED_TOOLS if pattern.search(link)), "")


def hand_links(layout: Layout, hand: str) -> frozenset[int]:
    """Return the indices of the links of a hand.

    These are the link to which the hand is fixed, the parent links of its fingers, and all their descendants.
    """
    links, hand_entity = layout.of_kind(EntityKind.LINK), layout.entity(hand)
    roots = {link.parent for link in links if link.joint and link.joint in hand_entity.joints}
    found = _closure(
        {*roots, hand_entity.parent} - {""},
        lambda found: {link.name for link in links if link.parent in found},
    )
    return frozenset(layout.entity_id(name) for name in found)


def finger_links(links: Sequence[Entity], hand: Entity) -> tuple[str, ...]:
    """The finger links of a hand; see `HandDescription`.

    Args:
        links: links of all robots.
        hand: the hand's frame, with the finger joints.
    """
    robot_links = [link for link in links if link.owner == hand.owner]
    moved_links = _moved_links(robot_links, hand)
    if finger_count(robot_links, hand) == 1:
        moved_links |= _with_fixed(robot_links, {hand.parent}, upwards=True)
    return tuple(link.name for link in robot_links if link.name in moved_links)


def finger_count(links: Iterable[Entity], hand: Entity) -> int:
    """Number of fingers of a hand: finger joints with no other finger joint between them and the hand."""
    robot_links = [link for link in links if link.owner == hand.owner]
    moved_links = _moved_links(robot_links, hand)
    return sum(link.joint in hand.joints and link.parent not in moved_links for link in robot_links)


def _moved_links(robot_links: Sequence[Entity], hand: Entity) -> set[str]:
    roots = {link.name for link in robot_links if link.joint and link.joint in hand.joints}
    return _with_fixed(robot_links, roots, upwards=False)


def finger_roots(layout: Layout, hand: HandDescription) -> dict[str, str]:
    """Finger link -> the first link of its finger, or the hand's link for links fixed to the hand.

    Raises:
        BadInput: if a finger link is not in the scene.
    """
    unknown = [link for link in hand.finger_links if layout.entity_id(link) < 0]
    if unknown:
        raise BadInput(
            "finger links that are not in the scene",
            where=f"hands.{hand.name}.joints",
            found=unknown,
            expected="joints that move links of the robot",
        )
    finger_entities = [layout.entity(link) for link in hand.finger_links]
    palm: set[str] = set()
    if hand.link in hand.finger_links:
        palm = _with_fixed(finger_entities, {hand.link}, upwards=True)
    parents = {link.name: link.parent for link in finger_entities if link.name not in palm}
    sides = {}
    for link in hand.finger_links:
        root = link
        while parents.get(root) in parents:
            root = parents[root]
        sides[link] = hand.link if link in palm else root
    return sides


def _with_fixed(links: Sequence[Entity], start: Collection[str], *, upwards: bool) -> set[str]:
    """Add the links that are fixed to these; if `upwards`, also the links that these are fixed to."""
    fixed = [(link.name, link.parent) for link in links if not link.joint]
    names = {link.name for link in links}

    def neighbours(found: set[str]) -> set[str]:
        added = {child for child, parent in fixed if parent in found}
        if upwards:
            added |= {parent for child, parent in fixed if child in found and parent in names}
        return added

    return _closure(start, neighbours)


def _closure(start: Iterable[str], neighbours: Callable[[set[str]], set[str]]) -> set[str]:
    """Add neighbours to some links until there are no further ones."""
    found = set(start)
    while not (added := neighbours(found)) <= found:
        found |= added
    return found
