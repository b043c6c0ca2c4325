"""Where a hand closes first: the place for an object to begin with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.scaffolding.hands import FoundHand
from hetwin_suite.scaffolding.motion import Motion
from hetwin_suite.scaffolding.reach import link_frames
from model_nodes.main_physics.world.description import Body, JointKind

LEAST_CLOSING = 0.2
"""A hand closes if it does so by this share of its travel."""
STOPPED_SHORT = 0.97
"""Fingers that close by more than this share have closed on nothing."""
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
    """Find the first closing of a hand that stopped short of its end; None if no hand closes.

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
    """The sample at which the fingers have closed on something for the first time, and by which share of their travel.

    That is the first closing that stopped short of its end, or the first one if none did.
    """
    closings = list(_closings(_closed_by(hand, motion)))
    short = (one for one in closings if one[1] < STOPPED_SHORT)
    return next(short, closings[0] if closings else None)


def _closed_by(hand: FoundHand, motion: Motion) -> Floats:
    """(n,) by which share of their travel the recorded fingers are closed, in the mean; empty if none was recorded."""
    shares = [
        (motion.positions[name] - opened) / (closed - opened)
        for name, opened, closed in zip(hand.joints, hand.opened, hand.closed, strict=True)
        if name in motion.positions and opened != closed
    ]
    return np.mean(shares, axis=0) if shares else np.empty(0)


def _closings(closed: Floats) -> Iterator[tuple[int, float]]:
    """Yield each closing: from where the fingers are most open until they open again, however slowly."""
    begin = top = 0
    for sample in range(len(closed)):
        if closed[sample] > closed[top]:
            top = sample
        is_last = sample == len(closed) - 1
        if closed[top] - closed[sample] > LEAST_MOTION or is_last:
            most, least = float(closed[top]), float(closed[begin])
            if most - least > LEAST_CLOSING:
                goal = least + SETTLED * (most - least)
                yield begin + int(np.argmax(closed[begin : top + 1] >= goal)), min(most, 1.0)
            begin = top = sample
        elif closed[sample] <= closed[begin]:
            begin = top = sample
