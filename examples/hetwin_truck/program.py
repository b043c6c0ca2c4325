"""The robot's program: its motions for a pick and for a sweep (Tallavajhula et al., 2019, sections 4.1 and 4.5).

Both are planned from (n, 6) lower and upper corners of the reachable packets [m]; x points into the trailer, y to the
left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import Floats
from hetwin_truck.robot import BELT_HEIGHT, BELT_WIDTH

_CUPS_X = -0.68
"""x of the cups in the base frame, with arm and plungers retracted [m]."""
_NOSE_TIP = 1.36
"""x of the nose's tip in the base frame [m]."""
_EXTEND = 0.15
_PRESS = 0.015
"""Depth by which the cups press into their target [m]."""
_REACH = 2.8
"""Reach of the arm [m]."""
INTO_WALL = 0.5
"""Default depth of a sweep into the packets [m]."""
LOOSE_HEIGHT = 0.5
"""Packets up to this height are loose packets on the floor, not part of the wall [m]."""
VIEW = 1.5
"""Distance of the nose's tip from the packets while the robot perceives them [m]."""
_IDLE = {"arm_lift": 1.6, "arm_reach": 0.0, "plungers_extend": 0.0}


@dataclass(frozen=True, slots=True)
class Phase:
    """A motion of the driven joints to `joints` in `seconds`; plungers extend before, hold or release after it.

    During `look` the robot perceives the packets and decides on its next action.
    """

    seconds: float
    joints: dict[str, float]
    do: str = ""


def reachable(boxes: Floats, base: float) -> Floats:
    """Select the packets within reach of a robot whose base is at x = `base`: ahead of its nose, not beside it."""
    is_beside = (boxes[:, 1] > BELT_WIDTH / 2) | (boxes[:, 4] < -BELT_WIDTH / 2)
    chosen: Floats = boxes[before_nose(boxes, base) & ~is_beside]
    return chosen


def before_nose(boxes: Floats, base: float) -> NDArray[np.bool_]:
    """Return (n,) whether each packet is ahead of a robot whose base is at x = `base`, not beside or on it."""
    is_before: NDArray[np.bool_] = boxes[:, 0] > base + _NOSE_TIP - 0.1
    return is_before


def wall(boxes: Floats) -> Floats:
    """Select the packets of the wall, which exceed those on the floor; all packets if there is no wall."""
    of_wall = boxes[boxes[:, 5] > LOOSE_HEIGHT]
    return of_wall if len(of_wall) else boxes


@dataclass(frozen=True, slots=True)
class Aim:
    """The target of the plate with the cups in a pick: x of the face to attach to, y and z of its centre [m]."""

    face: float
    y: float
    z: float


def aim(boxes: Floats) -> Aim:
    """Return the target for the topmost packet in the front of the wall."""
    of_wall = wall(boxes)
    front = of_wall[of_wall[:, 0] < of_wall[:, 0].min() + 0.35]
    target = front[np.argmax(front[:, 5])]
    y = float(np.clip((target[1] + target[4]) / 2, -0.75, 0.75))
    return Aim(float(target[0]), y, float(np.clip(target[5] - 0.22, 0.35, 2.6)))


def pick(boxes: Floats) -> list[Phase]:
    """Plan a pick of the topmost packets of the wall: reach, attach, and release over the belt."""
    if not len(boxes):
        return [Phase(0.5, {})]
    target_pose = aim(boxes)
    cups = _CUPS_X + _EXTEND - _PRESS
    base = max(float(boxes[:, 0].min()) - _NOSE_TIP - 0.2, target_pose.face - cups - _REACH)
    reach = target_pose.face - base - cups
    release_height = BELT_HEIGHT + 0.3
    return [
        Phase(1.4, {"base_drive": base, "arm_lift": target_pose.z, "arm_swing": target_pose.y}),
        Phase(0.6, {"plungers_extend": _EXTEND, "arm_reach": reach - 0.15}, "extend"),
        Phase(0.4, {"arm_reach": reach}),
        Phase(0.1, {}, "hold"),
        Phase(0.2, {"arm_lift": target_pose.z + 0.04}),
        Phase(1.0, {"arm_reach": 0.0}),
        Phase(0.6, {"arm_lift": release_height, "arm_swing": 0.3 * target_pose.y}, "release"),
        *_retreat(boxes),
    ]


def sweep(boxes: Floats, into_wall: float) -> list[Phase]:
    """Plan a sweep: drive the nose from the nearest packet `into_wall` metres into the wall."""
    if not len(boxes):
        return [Phase(0.5, {})]
    start = float(boxes[:, 0].min()) - _NOSE_TIP - 0.05
    end = float(wall(boxes)[:, 0].min()) - _NOSE_TIP + into_wall
    return [
        Phase(1.4, {"base_drive": start, **_IDLE}),
        Phase(max(2.0, (end - start) / 0.5), {"base_drive": end}),
        Phase(0.5, {}),
        *_retreat(boxes),
    ]


def _retreat(boxes: Floats) -> list[Phase]:
    """Plan a retreat from the packets, so that the sensors see the whole scene (section 4.5)."""
    base = float(boxes[:, 0].min()) - _NOSE_TIP - VIEW
    return [Phase(1.6, {"base_drive": base, **_IDLE}), Phase(1.9, {}, "look")]
