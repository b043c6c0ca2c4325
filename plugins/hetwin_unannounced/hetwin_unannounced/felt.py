"""Things that nobody saw, on which the fingers of a hand have closed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from hetwin_suite.model import BadInput, Event, EventKind, Layout, Snapshot, WatchLayout
from hetwin_unannounced.things import Thing

SOMETHING = "something"
"""Kind of a thing that was only felt."""
HELD_OBJECT = "held_object"
"""Attribute of a hand with a grasp monitor: index of the held entity, or -1."""
_CLOSED_ON, _LET_GO_OF = "closed_on_something", "let_go_of_something"
_GRIP_CLOSED, _GRIP_LOST = "grip_closed", "grip_lost"
"""Events of a grasp monitor."""
_OPENED = "it opened"
"""`because` of its event when the fingers opened."""


class Feeling(Enum):
    """What a hand's fingers mean for a thing that only they have felt."""

    GRASPED = "grasped"
    RELEASED = "released"
    REFUTED = "refuted"


def feeling(event: Event, hands: Sequence[str], held: str) -> tuple[Feeling, str] | None:
    """Return what an event of a grasp monitor means, and why; None if it means nothing.

    Args:
        event: of any kind.
        hands: that may feel things.
        held: name of the object that stands for the thing in the event's hand; empty if nothing is in it.
    """
    hand = str(event.arguments.get("hand"))
    if event.kind is not EventKind.MODEL or hand not in hands:
        return None
    if event.name == _CLOSED_ON and not held:
        return Feeling.GRASPED, ""
    if not held:
        return None
    is_held = event.arguments.get("object") == held
    if event.name == _GRIP_CLOSED and not is_held:
        return Feeling.REFUTED, f"{hand} holds {event.arguments.get('object')}"
    if event.name == _LET_GO_OF:
        if event.arguments.get("because") == _OPENED:
            return Feeling.RELEASED, ""
        if event.arguments.get("because") == "it closed":
            return Feeling.REFUTED, f"{hand} closed to its end"
    if event.name == _GRIP_LOST and is_held:
        if event.arguments.get("opened"):
            return Feeling.RELEASED, ""
        return Feeling.REFUTED, f"{hand} no longer holds anything, and did not open"
    return None


def felt_thing(event: Event, scene: Snapshot, watch: Mapping[str, Any] | None) -> Thing:
    """Return the thing on which a hand has closed, at the hand's grasp frame.

    Its size is the opening of fingers that slide, else 0. It may be anywhere between the fingers: the variance of its
    position is that of an even distribution over the opening, that of its rotation one over half a turn.
    """
    hand = str(event.arguments["hand"])
    gap = event.arguments.get("gap")
    width = float(gap) if isinstance(gap, float) and _slides(scene.layout, hand, watch) else 0.0
    variances = [width**2 / 12.0] * 3 + [math.pi**2 / 12.0] * 3
    pose = scene.pose(hand)[:7].copy()
    return Thing(SOMETHING, pose, np.full(3, width), np.diag(variances), hand=hand)


def check_hands(layout: Layout, hands: Sequence[str]) -> None:
    """Check that hands have a grasp monitor.

    Raises:
        BadInput: if one is no hand, or has none.
    """
    for hand in hands:
        if not layout.has(hand, HELD_OBJECT):
            raise BadInput(
                "no grasp monitor watches a hand of this name",
                where="hands",
                found=hand,
                expected="hands of the scenario, each with a model of type grasp_monitor",
            )


def _slides(layout: Layout, hand: str, watch: Mapping[str, Any] | None) -> bool:
    """Whether all fingers of a hand slide, so that their joints give the opening between them."""
    joints = layout.entity(hand).joints
    if watch is None or not joints:
        return False
    known = WatchLayout.from_json(watch)
    slides = dict(zip(known.joints, known.slides, strict=False))
    return all(slides.get(joint, False) for joint in joints)
