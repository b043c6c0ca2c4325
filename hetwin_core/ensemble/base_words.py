"""Events by which a model moves the base of a robot."""

from __future__ import annotations

DRIVE_BASE = "drive_base"
"""A robot's base is to move: forward [m/s], turn [rad/s]; until the next such event."""
ALIGN_BASE = "align_base"
"""A robot's base is to be put where a localization has the real one: x, y [m], yaw [rad] in the world."""
BASE_ALIGNED = "base_aligned"
"""It was put there: object (the robot), remark (by how much it was off)."""

ROUTINE = frozenset({DRIVE_BASE, ALIGN_BASE, BASE_ALIGNED})
"""Events of a controller at work; they are in the log and on the timeline, and not printed with the other events."""
