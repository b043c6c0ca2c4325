"""Where a hand closes first: the place for an object to begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_suite.scaffolding.hands import FoundHand
from hetwin_suite.scaffolding.motion import Motion
from hetwin_suite.scaffolding.reach import link_frames
from model_nodes.main_physics.world.description import Body, JointKind

LEAST_CLOSING = 0.2
"""A hand closes if it does so by this share of its travel."""
SETTLED = 0.9
LEAST_MOTION = 0.05


@dataclass(frozen=True, slots=True)
class Grasp:
    """A hand closes.

    Attributes:
        hand: its name.
        time_s: when [s].
        place: where its grasp frame is then, x y z in the world [m].
        width: how far fingers that slide stay apart [m]; 0 if they close on nothing, or turn.
    """

    hand: str
    time_s: float
    place: tuple[float, float, float]
    width: float


def first_grasp(
    body: Body, hands: Sequence[FoundHand], motion: Motion, height: float
) -> Grasp | None:
    """Find the first closing of a hand; None if no hand closes.

    Args:
        body: the robot.
        hands: whose fingers were recorded.
        motion: how it was recorded.
        height: of the robot's root link [m].
    """
    found: list[Grasp] = []
    for hand in hands:
        closing = _closing(hand, motion)
        if closing is None:
            continue
        sample, share = closing
        frame = link_frames(body, motion.at(sample))[hand.link][0]
        x, y, z = frame[:3, :3] @ hand.offset + frame[:3, 3]
        place = (round(float(x), 3), round(float(y), 3), round(float(z) + height, 3))
        width = (1.0 - share) * _travel(body, hand)
        found.append(Grasp(hand.name, float(motion.seconds[sample]), place, round(width, 4)))
    return min(found, key=lambda grasp: grasp.time_s, default=None)


def moves(hand: FoundHand, ranges: Mapping[str, tuple[float, float]]) -> bool:
    """Whether a recorded finger moves by more than a little of its travel.

    Args:
        hand: the hand.
        ranges: joint -> least and greatest recorded position [rad or m].
    """
    for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True):
        least, greatest = ranges.get(name, (0.0, 0.0))
        if greatest - least > LEAST_MOTION * abs(closed - opened) > 0.0:
            return True
    return False


def _travel(body: Body, hand: FoundHand) -> float:
    """How much nearer to each other fingers that slide come when the hand closes on nothing [m]; 0 if they turn."""
    sliding = {joint.name for joint in body.joints if joint.kind is JointKind.SLIDE}
    pairs = zip(hand.joints, hand.opened, hand.closed, strict=True)
    return sum(abs(closed - opened) for name, opened, closed in pairs if name in sliding)


def _closing(hand: FoundHand, motion: Motion) -> tuple[int, float] | None:
    """The sample at which the first recorded finger has closed for the first time, and by which share it closes."""
    for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True):
        if name not in motion.positions or opened == closed:
            continue
        closing = (motion.positions[name] - opened) / (closed - opened)
        most_open = np.minimum.accumulate(closing)
        begun = np.flatnonzero(closing - most_open > LEAST_CLOSING)
        if len(begun):
            first = int(begun[0])
            opens = np.flatnonzero(np.diff(closing[first:]) < -LEAST_CLOSING / 4)
            last = first + int(opens[0]) if len(opens) else len(closing) - 1
            most_closed = float(closing[first : last + 1].max())
            goal = most_open[first] + SETTLED * (most_closed - most_open[first])
            return first + int(np.argmax(closing[first:] >= goal)), min(most_closed, 1.0)
    return None
