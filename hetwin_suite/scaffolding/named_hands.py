"""Hands that the user names with `--hand`, where what was found is wrong or missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from model_nodes.main_physics.world.description import Body, Joint

OPTION = "--hand"
SYNTAX = "LINK=JOINT[:OPENED:CLOSED],..."


@dataclass(frozen=True, slots=True)
class NamedHand:
    """A hand as the user names it.

    Attributes:
        link: that the fingers start from.
        joints: of its fingers; none: it has no fingers that move.
        sides: joint -> its position when the hand is open and when it is closed, where they are given [rad or m].
    """

    link: str
    joints: tuple[str, ...]
    sides: dict[str, tuple[float, float]]


def named_hand(text: str) -> NamedHand:
    """Read `LINK=JOINT[:OPENED:CLOSED],...`.

    Raises:
        BadInput: if it is something else.
    """
    link, equals, rest = text.partition("=")
    joints: list[str] = []
    sides: dict[str, tuple[float, float]] = {}
    for part in filter(None, (each.strip() for each in rest.split(","))):
        joint, *values = part.rsplit(":", 2) if part.count(":") >= 2 else [part]
        if values:
            try:
                sides[joint] = float(values[0]), float(values[1])
            except ValueError:
                joint = part
        joints.append(joint)
    if not link or not equals:
        raise BadInput("this is no hand", where=OPTION, found=text, expected=SYNTAX)
    return NamedHand(link, tuple(joints), sides)


def check_named(hands: Iterable[NamedHand], body: Body) -> None:
    """Make sure that the robot has the links and joints.

    Raises:
        BadInput: if it does not.
    """
    links = [link.name for link in body.links]
    joints = [joint.name for joint in body.moving_joints]
    for hand in hands:
        _need(hand.link, links, "link")
        for joint in hand.joints:
            _need(joint, joints, "joint that moves")


def _need(name: str, known: Collection[str], what: str) -> None:
    if name not in known:
        raise BadInput(
            f"the robot has no {what} of this name",
            where=OPTION,
            found=name,
            expected=one_of(name, known),
        )


def fingers_of(hand: NamedHand, body: Body) -> tuple[tuple[Joint, ...], ...]:
    """The joints of each finger of a named hand, from the palm outwards."""
    by_child = {joint.child: joint for joint in body.joints}
    fingers: dict[str, list[Joint]] = {}
    for joint in body.joints:  # parents come before their children
        if joint.name not in hand.joints:
            continue
        first, above = joint, by_child.get(joint.parent)
        while above is not None:
            first = above if above.name in hand.joints else first
            above = by_child.get(above.parent)
        fingers.setdefault(first.name, []).append(joint)
    return tuple(map(tuple, fingers.values()))
