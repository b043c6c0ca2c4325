"""The robot's program for an insertion, planned with the believed pose of the socket."""

from __future__ import annotations

import numpy as np

from hetwin_bauer2022.drops.program import DOWN, above
from hetwin_bauer2022.insertions.draw import Draw
from hetwin_bauer2022.solar_panel import HOLE_DEPTH
from hetwin_stand_ins.motion import TICK_S, GripperCommand, Program
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_suite.model import Floats

HOME_AT = np.array([0.42, -0.25, 0.95])
"""Position of the probe's tip at the start [m]."""
_NEAR_HOME = np.array([-0.6, -0.6, 0.7, -1.4, 0.0, 1.9, 0.0])
HIDDEN_S = 1.6
"""Time before the program in which the probe is put into the hand [s]."""
_HALF_CLOSED = 0.4
_PRESS_M = 0.006
"""Depth below the socket's face of the goal for the tip before the last push, which makes it press [m]."""
PRESS_S = 1.2
"""Duration of the first push, onto the socket's face ..."""
PUSH_S = 1.4
"""... of the last push ..."""
REST_S = 0.6
"""... and of the rest after that [s]."""
_SPIRAL_TURNS = 4


def plan(reacher: ArmKinematics, drawn: Draw) -> Program:
    """Plan the whole program.

    Args:
        reacher: kinematics of the probe's tip.
        drawn: draw of the episode.

    Raises:
        RunFailed: if a position is out of the arm's reach.
    """
    program = Program(reacher, reacher.solve(HOME_AT, _NEAR_HOME, DOWN), DOWN)
    hand = {"hand": "right_hand"}
    arguments = {**hand, "object": "dip"}
    target = {**arguments, "socket": "spu"}
    face = above(drawn.socket, HOLE_DEPTH)
    program.gripper += [GripperCommand(-HIDDEN_S, _HALF_CLOSED), GripperCommand(-HIDDEN_S, 1.0)]
    program.announce("bind", arguments)
    program.wait(0.4)
    with program.doing("move", target):
        program.move_straight(above(face, 0.03), 1.6)
        program.wait(0.2)
    with program.doing("insert", target):
        program.move_straight(above(face, -_PRESS_M), PRESS_S)
        program.follow(_spiral(above(face, -_PRESS_M), drawn.search_radius))
        program.move_straight(above(drawn.socket, -drawn.beyond), PUSH_S)
        program.wait(REST_S)
    program.announce("release", target)
    program.grip(0.0)
    with program.doing("move_hand", {**hand, "goal": "open"}):
        program.wait(0.5)
    with program.doing("retreat", hand):
        program.move_straight(above(face, 0.1), 1.2)
    program.wait(0.4)
    program.announcements.sort(key=lambda announcement: announcement.time)
    return program


def _spiral(centre: Floats, radius: float) -> Floats:
    """Return (ticks, 3) points from the centre outward and back; without a radius, a short wait."""
    duration = 2.6 if radius else 0.3
    fraction = np.arange(1, round(duration / TICK_S) + 1) * TICK_S / duration
    radii = radius * np.minimum(1.0, 2.0 * np.minimum(fraction * 0.75, 1.0 - fraction) * 1.34)
    angle = 2 * np.pi * _SPIRAL_TURNS * fraction
    offsets = np.column_stack(
        [radii * np.cos(angle), radii * np.sin(angle), np.zeros(len(fraction))]
    )
    return np.asarray(centre + offsets)
