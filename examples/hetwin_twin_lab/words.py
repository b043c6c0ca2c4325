"""Events of the link of a real and a virtual robot, of the guide, and of what learns from the link's log."""

from __future__ import annotations

COMMAND, REPLY = "lab/command", "lab/reply"
"""Topics of a robot."""
LINKED = "linked"
"""The link is there: real (None: there is none), virtual, commander (models), command, reply (names of events)."""
LOGGED = "logged"
"""A command is closed: its row of the smart log."""
ALARM = "alarm"
"""Something is wrong with the answers to a command: alarm (its kind), side, id."""
ROBOT_LOST, ROBOT_BACK = "robot_lost", "robot_back"
"""The real robot does not answer any more: model, timeouts; and it answers again: model."""
NOT_UNDERSTOOD = "not_understood"
"""A message of a robot could not be read: remark."""
GIVE_MISSION = "give_mission"
"""Somebody gives a mission: mission, target, and perhaps id."""
MODEL_UPDATED = "model_updated"
"""The virtual robot's model has new parameters: rows that it was learned from, and the parameters."""
PLANNED, POINTED = "planned", "pointed"
"""A guide has planned a way: legs, way [m]; and says what a leg needs: leg, rotation [rad], displacement [m]."""

ROUTINE = frozenset({LINKED, LOGGED, PLANNED, POINTED, "command", "reply", "ask_plan", "ask_leg"})
"""Events of controllers and the link at work: what the lab's figures sum up."""


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number of 64 bits, and no truth."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
