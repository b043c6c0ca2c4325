"""Events by which a model moves the base of a robot."""

from __future__ import annotations

DRIVE_BASE = "drive_base"
"""Request to drive a robot's base: forward [m/s], turn [rad/s]; holds until the next such event."""
ALIGN_BASE = "align_base"
"""Request to move a robot's base to the pose that a localization reports: x, y [m], yaw [rad] in the world."""
BASE_ALIGNED = "base_aligned"
"""The base was moved to that pose: object (the robot), remark (the distance by which it was off)."""

QUIET_EVENTS = frozenset({DRIVE_BASE, ALIGN_BASE, BASE_ALIGNED})
"""Frequent events of a controller; they are in the log and on the timeline, but are not printed."""
