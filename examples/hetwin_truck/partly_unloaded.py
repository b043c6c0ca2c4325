"""Partly unloaded loads, with gaps in the wall and packets on the floor in front of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hetwin_suite.engine import Diverged
from hetwin_suite.model import roll_pitch_yaw
from hetwin_truck.actions import ACTIONS, Unloader
from hetwin_truck.choice import INTO_WALL
from hetwin_truck.packets import Packet
from hetwin_truck.program import before_nose
from hetwin_truck.site import Site

_MODE = "AdFi-1"


def partly_unloaded(
    packets: Sequence[Packet], actions: int, random: np.random.Generator
) -> list[Packet]:
    """Return the packets in front of the robot after random actions, in their final poses.

    Stops earlier if an action leaves less than half of the load, or if the engine diverges.

    Args:
        packets: packets of the whole load.
        actions: number of actions.
        random: generator of the choice between pick and sweep.
    """
    site, remaining = Site(packets, sleep=True), list(packets)
    unloader = Unloader(site, INTO_WALL)
    site.settle()
    for _ in range(actions):
        try:
            unloader.perform(ACTIONS[int(random.integers(len(ACTIONS)))], _MODE)
        except Diverged:
            break
        before_robot = _before_robot(site)
        if 2 * len(before_robot) < len(packets):
            break
        remaining = before_robot
    return remaining


def _before_robot(site: Site) -> list[Packet]:
    poses = site.poses()
    is_ahead = before_nose(site.boxes.around(poses), site.joint("base_drive"))
    rotations = roll_pitch_yaw(poses[:, 3:7])
    return [
        replace(packet, at=tuple(poses[i, :3].tolist()), turn=tuple(rotations[i].tolist()))
        for i, packet in enumerate(site.packets)
        if is_ahead[i] and packet.name not in site.unloaded
    ]
