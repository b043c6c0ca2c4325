"""Detects things by grasping: fingers of a hand closed on something that no detector has reported."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from hetwin_suite.model import BadInput, Event, EventKind, Layout, Snapshot, WatchLayout
from hetwin_unannounced.things import Thing

SOMETHING = "something"
"""Kind of a thing that only fingers have detected."""
HELD_OBJECT = "held_object"
"""Attribute of a hand with a grasp monitor: index of the held entity, or -1."""
_CLOSED_ON_SOMETHING, _LET_GO_OF_SOMETHING = "closed_on_something", "let_go_of_something"
_GRIP_CLOSED, _GRIP_LOST = "grip_closed", "grip_lost"
"""Events of a grasp monitor."""
_OPENED = "it opened"
"""Value of `because` in the grasp monitor's event when the fingers opened."""


class GraspConclusion(Enum):
    """Conclusion about a thing in a hand from an event of the hand's grasp monitor."""

    GRASPED = "grasped"
    RELEASED = "released"
    REFUTED = "refuted"


def draw_conclusion(
    event: Event, hands: Sequence[str], held_object: str
) -> tuple[GraspConclusion, str] | None:
    """Return the conclusion from an event of a grasp monitor and the reason for it; None without a conclusion.

    Args:
        event: event of any kind.
        hands: names of the hands whose fingers may detect things.
        held_object: name of the object that represents the thing in the hand; empty if the hand is empty.
    """
    hand = str(event.arguments.get("hand"))
    if event.kind is not EventKind.MODEL or hand not in hands:
        return None
    if event.name == _CLOSED_ON_SOMETHING and not held_object:
        return GraspConclusion.GRASPED, ""
    if not held_object:
        return None
    is_held = event.arguments.get("object") == held_object
    if event.name == _GRIP_CLOSED and not is_held:
        return GraspConclusion.REFUTED, f"{hand} holds {event.arguments.get('object')}"
    if event.name == _LET_GO_OF_SOMETHING:
        if event.arguments.get("because") == _OPENED:
            return GraspConclusion.RELEASED, ""
        if event.arguments.get("because") == "it closed":
            return GraspConclusion.REFUTED, f"{hand} closed to its end"
    if event.name == _GRIP_LOST and is_held:
        if event.arguments.get("opened"):
            return GraspConclusion.RELEASED, ""
        return GraspConclusion.REFUTED, f"{hand} no longer holds anything, and did not open"
    return None


def grasped_thing(event: Event, scene: Snapshot, watched_robot: Mapping[str, Any] | None) -> Thing:
    """Return the thing on which a hand has closed, at the hand's grasp frame.

    The size is the opening of prismatic fingers, else 0. Position and rotation are uniformly distributed: the
    position over the opening, the rotation over 180 degrees about each axis.
    """
    hand = str(event.arguments["hand"])
    gap = event.arguments.get("gap")
    width = (
        float(gap)
        if isinstance(gap, float) and _has_prismatic_fingers(scene.layout, hand, watched_robot)
        else 0.0
    )
    variances = [width**2 / 12.0] * 3 + [math.pi**2 / 12.0] * 3
    pose = scene.pose(hand)[:7].copy()
    return Thing(SOMETHING, pose, np.full(3, width), np.diag(variances), hand=hand)


def check_hands(layout: Layout, hands: Sequence[str]) -> None:
    """Check that hands have a grasp monitor.

    Raises:
        BadInput: if a name is not that of a hand with a grasp monitor.
    """
    for hand in hands:
        if not layout.has(hand, HELD_OBJECT):
            raise BadInput(
                "no grasp monitor watches a hand of this name",
                where="hands",
                found=hand,
                expected="hands of the scenario, each with a model of type grasp_monitor",
            )


def _has_prismatic_fingers(
    layout: Layout, hand: str, watched_robot: Mapping[str, Any] | None
) -> bool:
    """Return whether all finger joints of a hand are prismatic, so that they give the opening in m."""
    joints = layout.entity(hand).joints
    if watched_robot is None or not joints:
        return False
    watched = WatchLayout.from_json(watched_robot)
    is_prismatic = dict(zip(watched.joints, watched.slides, strict=False))
    return all(is_prismatic.get(joint, False) for joint in joints)
