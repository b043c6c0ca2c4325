"""Events that state machines raise in a run, and the one by which a model drives a robot's base."""

from __future__ import annotations

MACHINE_STATE = "machine_state"
"""A machine is in another state, or has another stack: machine, state, stack (the top last), why (guard of its arc)."""
MACHINE_FAULT = "machine_fault"
"""A machine has a fault: machine, state, fault, why."""
DRIVE_BASE = "drive_base"
"""A robot's base is to move: forward [m/s], turn [rad/s]; until the next such event."""
ALIGN_BASE = "align_base"
"""A robot's base is to be put where a localization has the real one: x, y [m], yaw [rad] in the world."""

BASE_ALIGNED = "base_aligned"
"""It was put there: object (the robot), remark (by how much it was off)."""
PLANNED, POINTED = "planned", "pointed"
"""A guide has planned a way: legs, way [m]; and says what a leg needs: leg, rotation [rad], displacement [m]."""

ROUTINE = frozenset(
    {MACHINE_STATE, DRIVE_BASE, ALIGN_BASE, BASE_ALIGNED, PLANNED, POINTED, "ask_plan", "ask_leg"}
)
"""Events of controllers at work; they are in the log and on the timeline, and not printed among what happened."""
