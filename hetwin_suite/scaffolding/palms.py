"""Finds the palms of a robot: rigid parts with fingers.

Links connected by fixed joints form one rigid part. A palm is a part carried by an arm from which at least two short
branches start. All joints of the branches have limited travel, and all other branches are motors that rotate in place.
A part with a single branch is a palm if the branch is one jaw that is named like a gripper. Hands without fingers are
found by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from hetwin_core.ensemble.scene.hands import fixed_tool
from hetwin_suite.scaffolding.reach import link_frames, surface_points
from model_nodes.main_physics.world.description import Body, Joint, JointKind

MAX_FINGER = 0.3
"""Maximum distance of a finger's joints from its first joint [m]; arms and legs are longer."""
MAX_JAW = pi
"""Maximum travel of a single rotating jaw [rad]; a wrist may have more."""
MAX_FINGERS = 10
MIN_TRAVEL = 1e-4
MAX_ECCENTRICITY = 0.005
"""Maximum distance of a part's centre from its axis if it rotates in place [m]."""

GRIPPING = re.compile(r"grip|finger|jaw|claw|thumb", re.IGNORECASE)
_HAND = re.compile(r"hand|palm|grip|finger|thumb", re.IGNORECASE)
_NO_FINGER = re.compile(
    r"eye|head|neck|camera|wheel|caster|leg|foot|ankle|knee|toe|hip|prop|shoulder|elbow|wrist|torso",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Palm:
    """A rigid part with fingers.

    Attributes:
        link: link to which most fingers are attached.
        fingers: the joints of each finger, from the palm outwards.
        part: all links of the rigid part.
        motors: joints, other than those of fingers, that rotate in place or are continuous.
    """

    link: str
    fingers: tuple[tuple[Joint, ...], ...]
    part: tuple[str, ...]
    motors: tuple[str, ...] = ()

    @property
    def joints(self) -> tuple[Joint, ...]:
        """Joints of all fingers."""
        return tuple(joint for finger in self.fingers for joint in finger)


def travels_of(
    body: Body, ranges: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return joint -> its limits, or its recorded range if these are degenerate; continuous joints are omitted."""
    travels: dict[str, tuple[float, float]] = {}
    for joint in body.moving_joints:
        lower, upper = joint.lower, joint.upper
        if lower is not None and upper is not None and upper - lower > MIN_TRAVEL:
            travels[joint.name] = lower, upper
        elif lower is not None and joint.name in ranges:
            travels[joint.name] = ranges[joint.name]
    return travels


def find_palms(body: Body, travels: Collection[str]) -> list[Palm]:
    """Return the palms in the order of their distance from the root; parts of a finger are not searched for palms."""
    part_of = parts_of(body)
    children: dict[str, list[Joint]] = {}
    for joint in body.moving_joints:
        children.setdefault(part_of[joint.parent], []).append(joint)
    shapes = _Shapes(body)
    palms: list[Palm] = []
    inside: set[str] = set()
    for link in body.links:
        part = part_of[link.name]
        if part != link.name or part in inside:
            continue
        branches = [_branch(joint, children, part_of) for joint in children.get(part, ())]
        is_root = part == body.links[0].name
        fingers = [f for f in branches if _is_limited(f, travels) and shapes.are_short(f)]
        if not is_root:
            fingers = _without_motors(fingers, shapes)
        motors = [f for f in branches if f not in fingers and not is_root and shapes.is_motor(f)]
        part_links = tuple(link for link, root in part_of.items() if root == part)
        if len(fingers) + (len(motors) if len(fingers) > 1 else 0) != len(branches):
            continue
        if _is_palm(part_links, fingers, is_root=is_root):
            parents = [finger[0].parent for finger in fingers]
            names = tuple(joint.name for motor in motors for joint in motor)
            palms.append(Palm(max(parents, key=parents.count), tuple(fingers), part_links, names))
            inside |= {part_of[joint.child] for joint in palms[-1].joints}
    return palms


def _is_limited(finger: Sequence[Joint], travels: Collection[str]) -> bool:
    """Whether all joints of a finger have limited travel; mimic joints count as limited."""
    return all(joint.mimic is not None or joint.name in travels for joint in finger)


def _without_motors(
    fingers: Sequence[tuple[Joint, ...]], shapes: _Shapes
) -> list[tuple[Joint, ...]]:
    """Return the fingers without those that rotate in place, if at least two others remain; otherwise all fingers."""
    kept = [finger for finger in fingers if not shapes.is_motor(finger)]
    return kept if len(kept) > 1 else list(fingers)


def _is_palm(part: Sequence[str], fingers: Sequence[tuple[Joint, ...]], *, is_root: bool) -> bool:
    if not 0 < len(fingers) <= MAX_FINGERS:
        return False
    joints = [joint for finger in fingers for joint in finger]
    names = [joint.name for joint in joints]
    links = [joint.child for joint in joints]
    if any(_NO_FINGER.search(name) or fixed_tool(name) for name in (*names, *links)):
        return False
    is_named_hand = any(_HAND.search(name) for name in (*names, *links, *part))
    if is_root and not (is_named_hand and len(fingers) > 1):
        return False
    if len(fingers) > 1:
        return True
    return len(joints) == 1 and _is_jaw(joints[0])  # else it is a wrist


def _is_jaw(joint: Joint) -> bool:
    is_wide = joint.kind is JointKind.HINGE
    if is_wide and joint.lower is not None and joint.upper is not None:
        is_wide = joint.upper - joint.lower >= MAX_JAW
    return GRIPPING.search(joint.name) is not None and not is_wide


def fixed_tools(body: Body, part_of: Mapping[str, str], taken: Collection[str]) -> list[str]:
    """Return a link of each rigid part that is named like a tool without fingers.

    Of several such links in a part, a suction cup is preferred over the tool changer that carries it.
    """
    found: dict[str, list[str]] = {}
    for link in body.links:
        if fixed_tool(link.name) and part_of[link.name] not in taken:
            found.setdefault(part_of[link.name], []).append(link.name)
    carried = {fixed_tool(link) for links in found.values() for link in links}
    cups = [
        min(links, key=lambda link: "tool changer" in fixed_tool(link)) for links in found.values()
    ]
    return [cup for cup in cups if len(carried) == 1 or "tool changer" not in fixed_tool(cup)]


def parts_of(body: Body) -> dict[str, str]:
    """Return link -> first link of its rigid part."""
    part_of = {body.links[0].name: body.links[0].name}
    for joint in body.joints:
        is_fixed = joint.kind is JointKind.FIXED
        part_of[joint.child] = part_of[joint.parent] if is_fixed else joint.child
    return part_of


def _branch(
    joint: Joint, children: Mapping[str, Sequence[Joint]], part_of: Mapping[str, str]
) -> tuple[Joint, ...]:
    """Return a joint and all moving joints beyond it."""
    further_joints = (
        j
        for other in children.get(part_of[joint.child], ())
        for j in _branch(other, children, part_of)
    )
    return joint, *further_joints


class _Shapes:
    """Lengths of branches with all joints at rest, and parts that rotate in place."""

    def __init__(self, body: Body) -> None:
        self._frames = {name: frames[0] for name, frames in link_frames(body, {}).items()}
        self._links = {link.name: link for link in body.links}

    def are_short(self, branch: Sequence[Joint]) -> bool:
        begin = self._frames[branch[0].child][:3, 3]
        ends = [self._frames[joint.child][:3, 3] for joint in branch]
        return all(float(np.linalg.norm(end - begin)) < MAX_FINGER for end in ends)

    def is_motor(self, branch: Sequence[Joint]) -> bool:
        """Whether a branch is a single joint that is continuous or whose part rotates in place."""
        joint = branch[0]
        if len(branch) > 1 or joint.kind is not JointKind.HINGE or joint.mimic is not None:
            return False
        if joint.lower is None:
            return True
        points = surface_points(self._links[joint.child])
        if len(points) == 0:
            return False
        centre = (points.min(axis=0) + points.max(axis=0)) / 2.0 - np.asarray(joint.anchor)
        return float(np.linalg.norm(np.cross(centre, joint.axis))) < MAX_ECCENTRICITY
