"""Writes what a lab robot did as a rosbag2: its wheels as joint states, and where it really was."""

from __future__ import annotations

from math import cos, sin
from pathlib import Path

import numpy as np

from hetwin_suite.episode import (
    JOINT_STATES,
    Encoded,
    Topic,
    encoded,
    header,
    joint_state,
    pose_message,
    write_recording,
)
from hetwin_suite.model import Floats

TRUTH = "/truth"
_TRUTH = Topic(TRUTH.removeprefix("/"), "geometry_msgs/msg/PoseStamped", "where it really was")


def write_drive_bag(folder: Path, rows: Floats, wheels: tuple[str, str]) -> None:
    """Write rows (n, 6) of t [s], left, right [rad], x, y [m], yaw [rad].

    Args:
        folder: the bag; must not exist.
        rows: the angles have the stamps that they have in the log, not those at which they were true.
        wheels: names of the joints of the left and of the right wheel.
    """
    messages: list[Encoded] = []
    for time, left, right, x, y, yaw in rows.tolist():
        at_ns = round(time * 1e9)
        pose = pose_message((x, y, 0.0, cos(yaw / 2), 0.0, 0.0, sin(yaw / 2)))
        messages += [
            joint_state(JOINT_STATES, at_ns, at_ns, wheels, np.array((left, right))),
            encoded(_TRUTH, at_ns, header=header(at_ns), pose=pose),
        ]
    write_recording(folder, messages, (JOINT_STATES, _TRUTH))
