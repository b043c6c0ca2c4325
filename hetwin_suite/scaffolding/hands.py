"""Describes the hands of a robot: their kinds, their finger joints, and the joints' opened and closed positions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import degrees
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.scene.hands import fixed_tool
from hetwin_suite.scaffolding.by_hand import DeclaredHand, fingers_of
from hetwin_suite.scaffolding.palms import (
    GRIPPING,
    MAX_JAW,
    Palm,
    find_palms,
    fixed_tools,
    parts_of,
    travels_of,
)
from hetwin_suite.scaffolding.reach import FingerTips, joint_positions, surface_points
from model_nodes.main_physics.world.description import Body, Joint, JointKind
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

MANY_FINGERS = 4
"""Minimum number of fingers of a hand for which hetwin does not judge which fingers hold an object."""

_ENDINGS = re.compile(r"(_?(base|palm|stator))?(_?link)?$", re.IGNORECASE)
_NOT_A_WORD = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class FoundHand:
    """A hand as a scenario describes it.

    Attributes:
        name: name, unique among the robot's links and hands.
        link: base link, to which the fingers are attached.
        kind: kind of the hand, in words.
        offset: (3,) from the link's frame to the point between the fingertips, in the link's frame [m].
        joints: finger joints, including mimic joints; empty: it holds without fingers.
        opened: positions of the joints in the open hand [rad or m].
        closed: positions of the joints in the hand closed without an object [rad or m].
        unsure: properties that cannot be derived, in words; empty if there are none.
        guessed: whether the opened positions are a guess.
    """

    name: str
    link: str
    kind: str
    offset: tuple[float, float, float]
    joints: tuple[str, ...] = ()
    opened: tuple[float, ...] = ()
    closed: tuple[float, ...] = ()
    unsure: str = ""
    guessed: bool = False


def find_hands(
    body: Body, ranges: Mapping[str, tuple[float, float]], named: Sequence[DeclaredHand] = ()
) -> list[FoundHand]:
    """Find all hands of a robot.

    Args:
        body: the robot.
        ranges: joint -> minimum and maximum recorded position [rad or m], for joints without limits.
        named: hands that the user declares; they replace detected hands with the same base or a common joint.
    """
    travels = travels_of(body, ranges)
    part_of = parts_of(body)
    palms = find_palms(body, travels)
    for known in named:
        palms = [p for p in palms if not (_is_on(p, known, part_of) or _shares(p, known))]
    taken = {body.name, *(link.name for link in body.links)}
    hands: list[FoundHand] = []
    declared_palms = [_named_palm(known, body, part_of) for known in named]
    for palm, known_hand in [*((p, None) for p in palms), *zip(declared_palms, named, strict=True)]:
        name = _name(palm.link, taken)
        taken.add(name)
        if palm.fingers:
            hands.append(_describe(name, palm, body, travels, known_hand))
        else:
            hands.append(_fixed(name, palm.link))
    in_hands = {part_of[hand.link] for hand in hands}
    in_hands |= {part_of[joint.child] for palm in palms for joint in palm.joints}
    for link in fixed_tools(body, part_of, in_hands):
        name = _name(link, taken)
        taken.add(name)
        hands.append(_fixed(name, link))
    return hands


def _is_on(palm: Palm, known: DeclaredHand, part_of: Mapping[str, str]) -> bool:
    return part_of[palm.link] == part_of[known.link]


def _shares(palm: Palm, known: DeclaredHand) -> bool:
    return any(joint.name in known.joints for joint in palm.joints)


def _named_palm(known: DeclaredHand, body: Body, part_of: Mapping[str, str]) -> Palm:
    part = tuple(link for link, root in part_of.items() if root == part_of[known.link])
    return Palm(known.link, fingers_of(known, body), part)


def hands_of_file(file: Path) -> tuple[list[FoundHand], str]:
    """Return the hands of a robot's file, and why hands are missing, in words; no hands if the file is unreadable."""
    try:
        body = read_urdf(file, Notes())
    except BadInput as error:
        return [], str(error)
    hands = find_hands(body, {})
    return hands, why_no_hand(body, hands)


def why_no_hand(body: Body, hands: Sequence[FoundHand]) -> str:
    """Explain why the robot has no hand, or why joints named like a hand's belong to none; empty if none is missing."""
    inside = {name for hand in hands for name in hand.joints}
    named = [j for j in body.moving_joints if GRIPPING.search(j.name) and j.name not in inside]
    carries = _ancestors(body, {hand.link for hand in hands})
    named = [j for j in named if j.name not in carries]
    if named:
        whys = dict.fromkeys(_why_no_finger(joint) for joint in named)
        return f"{some([joint.name for joint in named])}: {'; '.join(whys)}"
    if hands:
        return ""
    still = [link.name for link in body.links if GRIPPING.search(link.name)]
    if still:
        return f"no joint moves {some(still)}"
    return "nothing at the end of an arm moves as fingers do"


def _ancestors(body: Body, links: Collection[str]) -> set[str]:
    """Return the joints between the root and the links, and those attached to the links."""
    above = set(links)
    for joint in reversed(body.joints):  # parents come before their children
        if joint.child in above:
            above.add(joint.parent)
    return {j.name for j in body.joints if j.child in above or j.parent in links}


def _why_no_finger(joint: Joint) -> str:
    if joint.lower is None or joint.upper is None:
        return "without limits it has no closed end"
    if joint.kind is JointKind.HINGE and joint.upper - joint.lower >= MAX_JAW:
        return (
            f"it turns by {degrees(joint.upper - joint.lower):.0f} degrees, farther than a jaw does"
        )
    return "no other finger starts beside it, and its palm has nothing against which it could close"


def joints_without_position(body: Body, hand: FoundHand, recorded: Collection[str]) -> list[str]:
    """Return the finger joints that were not recorded and do not mimic a recorded joint."""
    by_name = {joint.name: joint for joint in body.joints}
    mimics = {name: by_name[name].mimic for name in hand.joints}
    leaders = {name: name if mimic is None else mimic.joint for name, mimic in mimics.items()}
    return [n for n in hand.joints if n not in recorded and leaders[n] not in recorded]


def without_joints(hand: FoundHand, joints: Collection[str]) -> FoundHand:
    """Return the hand without some of its joints."""
    kept = [i for i, name in enumerate(hand.joints) if name not in joints]
    return replace(
        hand,
        joints=tuple(hand.joints[i] for i in kept),
        opened=tuple(hand.opened[i] for i in kept),
        closed=tuple(hand.closed[i] for i in kept),
    )


# ---------------------------------------------------------------------- one hand


def _fixed(name: str, link: str) -> FoundHand:
    """Describe a hand without fingers."""
    words = fixed_tool(link)
    kind = (
        words.partition(" holds")[0].partition(" carries")[0] if words else "no fingers that move"
    )
    return FoundHand(name, link, kind, (0.0, 0.0, 0.0), unsure=words)


def _describe(
    name: str,
    palm: Palm,
    body: Body,
    travels: Mapping[str, tuple[float, float]],
    known: DeclaredHand | None,
) -> FoundHand:
    driving = [joint for joint in palm.joints if joint.mimic is None]
    ends = {j.name: travels[j.name] for j in driving if j.name in travels}
    resting = {joint.name: joint.resting for joint in driving}
    fingers = _with_shapes(palm, body)
    tips = FingerTips(body, palm.link, fingers, palm.part)
    sides = tips.opened(ends, resting)
    unsure = _unsure(palm, fingers)
    guessed = all(side is None for side in sides.values()) and not (known and known.sides)
    if guessed:
        sides = {j: max(both, key=abs) for j, both in ends.items()}
        unsure = "its shapes do not show at which end it is open; the end farther from 0 was taken"
    if _is_partly_fixed(body, driving) and not (known and known.sides):
        leader = driving[0].name
        unsure = f"the description fixes joints that follow {leader}: its shapes need not show the open side"
        guessed = True
    opened = {**resting, **{j: side for j, side in sides.items() if side is not None}}
    closed = {
        **resting,
        **{j: sum(ends[j]) - opened[j] for j, side in sides.items() if side is not None},
    }
    if known is not None and known.sides:
        opened |= {j: both[0] for j, both in known.sides.items()}
        closed |= {j: both[1] for j, both in known.sides.items()}
    grasp = {j: (opened[j] + closed[j]) / 2 for j in opened} if len(fingers) > 1 else closed
    x, y, z = (round(float(value), 4) + 0.0 for value in tips.middle(grasp))
    return FoundHand(
        name,
        palm.link,
        _kind(palm, fingers),
        (x, y, z),
        tuple(joint.name for joint in palm.joints),
        tuple(_all_positions(palm, opened)),
        tuple(_all_positions(palm, closed)),
        unsure,
        guessed,
    )


def _is_partly_fixed(body: Body, driving: Sequence[Joint]) -> bool:
    """Whether the description declares mimic joints of a finger joint as fixed."""
    names = {joint.name for joint in driving}
    fixed = [joint for joint in body.joints if joint.kind is JointKind.FIXED]
    return any(joint.mimic is not None and joint.mimic.joint in names for joint in fixed)


def _with_shapes(palm: Palm, body: Body) -> tuple[tuple[Joint, ...], ...]:
    """Return the fingers with a shape at their end, if there are any; the others only transmit motion."""
    links = {link.name: link for link in body.links}
    shaped = tuple(f for f in palm.fingers if len(surface_points(links[f[-1].child])))
    return shaped or palm.fingers


def _unsure(palm: Palm, fingers: Sequence[Sequence[Joint]]) -> str:
    if len(fingers) < 3 or len(_driving(palm)) == 1:
        return ""
    if palm.motors:
        pull = some(palm.motors)
        return f"its finger positions depend on {pull} and on contacts, which no joint shows"
    if len(fingers) < MANY_FINGERS:
        return ""
    return f"only the mean closing of its {len(fingers)} fingers is judged, not which of them hold an object"


def _driving(palm: Palm) -> list[Joint]:
    return [joint for joint in palm.joints if joint.mimic is None]


def _kind(palm: Palm, fingers: Sequence[Sequence[Joint]]) -> str:
    joints, driving = palm.joints, _driving(palm)
    if len(joints) == 1:
        return "one jaw against a fixed side"
    if len(driving) == 1:
        return f"a gripper of {len(joints)} joints that move with {driving[0].name}"
    if len(fingers) == 2:
        return "a gripper with two fingers"
    word = "an underactuated hand" if palm.motors else "a hand"
    return f"{word} with {len(fingers)} fingers"


def _all_positions(palm: Palm, driving: Mapping[str, float]) -> Iterator[float]:
    """Yield the positions of all finger joints, including mimic joints."""
    positions = {name: np.array([value]) for name, value in driving.items()}
    for joint in palm.joints:
        yield round(float(joint_positions(joint, positions, 1)[0]), 6) + 0.0


def _name(link: str, taken: Collection[str]) -> str:
    plain = _NOT_A_WORD.sub("_", _ENDINGS.sub("", link)).strip("_") or "hand"
    side = re.search(r"(?:^|_)(left|right|l|r)(?:_|$)", plain)
    sides = {"l": "left", "r": "right"}
    hand = f"{sides.get(side[1], side[1])}_hand" if side else "hand"
    plain = f"hand_{plain}" if plain[0].isdigit() else plain
    candidates = (plain, hand, f"{plain}_grasp", *(f"{plain}_{n}" for n in range(2, 99)))
    return next(name for name in candidates if name not in taken)[:64]
