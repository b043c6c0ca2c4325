"""Finds hands and their fingers in a robot's tree of links.

Links that fixed joints connect are one rigid part. A hand is a part that an arm carries, from which two or more short
branches with joints of limited travel start (or one, if it is called a gripper), all of which end there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.scaffolding.reach import (
    joint_positions,
    link_frames,
    surface_points,
)
from model_nodes.main_physics.world.description import Body, Joint, JointKind

MAX_FINGER = 0.3
"""Fingers reach no farther than this from where they begin [m]; arms and legs do."""
MOST_FINGERS = 10
LEAST_TRAVEL = 1e-4
TIP_SHARE = 0.25
"""The outermost part of a finger is its tip."""

_GRIPPING = re.compile(r"grip|finger|jaw|claw|thumb", re.IGNORECASE)
_HAND = re.compile(r"hand|palm|grip|finger|thumb", re.IGNORECASE)
_NO_FINGER = re.compile(
    r"eye|head|neck|camera|wheel|caster|leg|foot|ankle|knee|toe|hip|prop|shoulder|elbow|wrist|torso",
    re.IGNORECASE,
)
_ENDINGS = re.compile(r"(_?(base|palm|stator))?(_?link)?$", re.IGNORECASE)
_NO_NAME = re.compile(r"\W+")


@dataclass(frozen=True, slots=True)
class FoundHand:
    """A hand as a scenario describes it.

    Attributes:
        name: unique among the robot's links and hands.
        link: that the fingers start from.
        offset: (3,) from the link's frame to between the finger tips [m].
        joints: of the fingers, those that follow others included.
        opened: positions of the joints when it is open [rad or m].
        closed: positions of the joints when it is closed on nothing.
    """

    name: str
    link: str
    offset: tuple[float, float, float]
    joints: tuple[str, ...]
    opened: tuple[float, ...]
    closed: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Palm:
    """A rigid part with fingers: its link, and the joints of each finger from the palm outwards."""

    link: str
    fingers: tuple[tuple[Joint, ...], ...]

    @property
    def joints(self) -> tuple[Joint, ...]:
        return tuple(joint for finger in self.fingers for joint in finger)


def find_hands(body: Body, ranges: Mapping[str, tuple[float, float]]) -> list[FoundHand]:
    """Find all hands of a robot.

    Args:
        body: the robot.
        ranges: joint -> least and greatest recorded position [rad or m], for joints without limits.
    """
    taken = {body.name, *(link.name for link in body.links)}
    hands: list[FoundHand] = []
    for palm in _palms(body, _travels(body, ranges)):
        name = _name(palm.link, taken)
        taken.add(name)
        hands.append(_describe(name, palm, body, _travels(body, ranges)))
    return hands


def _travels(
    body: Body, ranges: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Joint -> its limits, or its recorded range if it has none; joints that turn without end are left out."""
    travels: dict[str, tuple[float, float]] = {}
    for joint in body.moving_joints:
        lower, upper = joint.lower, joint.upper
        if lower is not None and upper is not None and upper - lower > LEAST_TRAVEL:
            travels[joint.name] = lower, upper
        elif lower is not None and joint.name in ranges:
            travels[joint.name] = ranges[joint.name]
    return travels


# ---------------------------------------------------------------------- the tree


def _palms(body: Body, travels: Collection[str]) -> list[_Palm]:
    """Parts with fingers, the nearest to the root first; what is part of a hand is no hand of its own."""
    part_of = _parts(body)
    out: dict[str, list[Joint]] = {}
    for joint in body.moving_joints:
        out.setdefault(part_of[joint.parent], []).append(joint)
    reach = _Reach(body)
    palms: list[_Palm] = []
    inside: set[str] = set()
    for link in body.links:
        part = part_of[link.name]
        if part != link.name or part in inside:
            continue
        fingers = [_branch(joint, out, part_of) for joint in out.get(part, ())]
        fingers = [f for f in fingers if _has_ends(f, travels) and reach.is_short(f)]
        palm = _palm(body, part, fingers, len(out.get(part, ())), part_of)
        if palm is not None:
            palms.append(palm)
            inside |= {part_of[joint.child] for joint in palm.joints}
    return palms


def _has_ends(finger: Sequence[Joint], travels: Collection[str]) -> bool:
    """Whether all its joints stop somewhere, those that follow others with them."""
    return all(joint.mimic is not None or joint.name in travels for joint in finger)


def _palm(
    body: Body,
    part: str,
    fingers: Sequence[tuple[Joint, ...]],
    branches: int,
    part_of: Mapping[str, str],
) -> _Palm | None:
    """The part as a palm, if it is one."""
    if not 0 < len(fingers) == branches <= MOST_FINGERS:
        return None
    names = [joint.name for finger in fingers for joint in finger]
    links = [joint.child for finger in fingers for joint in finger]
    own = [link for link, its in part_of.items() if its == part]
    if any(_NO_FINGER.search(name) for name in (*names, *links)):
        return None
    called = any(_HAND.search(name) for name in (*names, *links, *own))
    is_root = part == body.links[0].name
    if is_root and not (called and len(fingers) > 1):
        return None
    if len(names) == 1 and not _GRIPPING.search(names[0]):
        return None
    if len(fingers) == 1 and len(names) > 1:
        return None  # a wrist
    parents = [finger[0].parent for finger in fingers]
    return _Palm(max(parents, key=parents.count), tuple(fingers))


def _parts(body: Body) -> dict[str, str]:
    """Link -> the first link of the rigid part that it belongs to."""
    part_of = {body.links[0].name: body.links[0].name}
    for joint in body.joints:
        fixed = joint.kind is JointKind.FIXED
        part_of[joint.child] = part_of[joint.parent] if fixed else joint.child
    return part_of


def _branch(
    joint: Joint, out: Mapping[str, Sequence[Joint]], part_of: Mapping[str, str]
) -> tuple[Joint, ...]:
    """A joint and all joints beyond it."""
    beyond = (
        j for other in out.get(part_of[joint.child], ()) for j in _branch(other, out, part_of)
    )
    return joint, *beyond


class _Reach:
    """How far branches reach, with all joints at rest."""

    def __init__(self, body: Body) -> None:
        self._frames = {name: frames[0] for name, frames in link_frames(body, {}).items()}

    def is_short(self, branch: Sequence[Joint]) -> bool:
        begin = self._frames[branch[0].child][:3, 3]
        ends = [self._frames[joint.child][:3, 3] for joint in branch]
        return all(float(np.linalg.norm(end - begin)) < MAX_FINGER for end in ends)


# ---------------------------------------------------------------------- one hand


def _describe(
    name: str, palm: _Palm, body: Body, travels: Mapping[str, tuple[float, float]]
) -> FoundHand:
    driving = [joint for joint in palm.joints if joint.mimic is None]
    lower = {joint.name: travels[joint.name][0] for joint in driving}
    upper = {joint.name: travels[joint.name][1] for joint in driving}
    opened: dict[str, float] = {}
    for joint in driving:
        rest = {j.name: j.resting for j in driving}
        spreads = [
            _spread(palm, body, {**rest, joint.name: end[joint.name]}) for end in (lower, upper)
        ]
        opened[joint.name] = (lower if spreads[0] > spreads[1] else upper)[joint.name]
    closed = {j: lower[j] if opened[j] == upper[j] else upper[j] for j in opened}
    middle = {j: (opened[j] + closed[j]) / 2 for j in opened}
    tips = _tips(palm, body, middle)
    x, y, z = (round(float(value), 4) + 0.0 for value in np.mean(tips, axis=0))
    return FoundHand(
        name,
        palm.link,
        (x, y, z),
        tuple(joint.name for joint in palm.joints),
        tuple(_at(palm, opened)),
        tuple(_at(palm, closed)),
    )


def _at(palm: _Palm, driving: Mapping[str, float]) -> Iterator[float]:
    """Positions of all joints of the fingers."""
    positions = {name: np.array([value]) for name, value in driving.items()}
    for joint in palm.joints:
        yield round(float(joint_positions(joint, positions, 1)[0]), 6) + 0.0


def _spread(palm: _Palm, body: Body, driving: Mapping[str, float]) -> float:
    """How far the finger tips are from each other and from the palm [m]; of a single joint, how far it is from 0."""
    tips = _tips(palm, body, driving)
    if len(tips) < 2:
        return abs(next(iter(driving.values())))
    apart = [float(np.linalg.norm(a - b)) for a, b in combinations(tips, 2)]
    away = [float(np.linalg.norm(tip)) for tip in tips]
    return sum(apart) / len(apart) + sum(away) / len(away)


def _tips(palm: _Palm, body: Body, driving: Mapping[str, float]) -> list[Floats]:
    """(3,) the tip of each finger in the palm's frame [m]."""
    frames = link_frames(body, {name: np.array([value]) for name, value in driving.items()})
    to_palm = np.linalg.inv(frames[palm.link][0])
    links = {link.name: link for link in body.links}
    tips = []
    for finger in palm.fingers:
        frame = to_palm @ frames[finger[-1].child][0]
        points = surface_points(links[finger[-1].child])
        if len(points) == 0:
            tips.append(frame[:3, 3])
            continue
        inside = points @ frame[:3, :3].T + frame[:3, 3]
        along = inside.mean(axis=0)
        if float(np.linalg.norm(along)) > 1e-6:
            heights = inside @ (along / np.linalg.norm(along))
            cut = heights.max() - TIP_SHARE * np.ptp(heights)
            inside = inside[heights >= cut]
        tips.append(inside.mean(axis=0))
    return tips


def _name(link: str, taken: Collection[str]) -> str:
    plain = _NO_NAME.sub("_", _ENDINGS.sub("", link)).strip("_") or "hand"
    side = re.search(r"(?:^|_)(left|right|l|r)(?:_|$)", plain)
    sides = {"l": "left", "r": "right"}
    hand = f"{sides.get(side[1], side[1])}_hand" if side else "hand"
    plain = f"hand_{plain}" if plain[0].isdigit() else plain
    candidates = (plain, hand, f"{plain}_grasp", *(f"{plain}_{n}" for n in range(2, 99)))
    return next(name for name in candidates if name not in taken)[:64]
