"""Names of the events of the twin lab: link between real and virtual robot, guide, model update."""

from __future__ import annotations

COMMAND, REPLY = "lab/command", "lab/reply"
"""Topics of a robot."""
LINKED = "linked"
"""The link is set up. Data: models real (None without a real robot), virtual, commander; event names command, reply."""
LOGGED = "logged"
"""A command is closed. Data: its row of the smart log."""
ALARM = "alarm"
"""An answer to a command is missing or wrong. Data: alarm (its kind), side, id."""
ROBOT_LOST, ROBOT_BACK = "robot_lost", "robot_back"
"""The real robot has stopped answering (data: model, timeouts), or answers again (data: model)."""
NOT_UNDERSTOOD = "not_understood"
"""A message of a robot could not be read. Data: remark."""
GIVE_MISSION = "give_mission"
"""A mission is given. Data: mission, target, and optionally id."""
MODEL_UPDATED = "model_updated"
"""The virtual robot's model has new parameters. Data: number of rows used, and the parameters."""
PLANNED, POINTED = "planned", "pointed"
"""A guide has planned a path (data: legs, way [m]), or returns the motion of a leg (data: leg, rotation [rad],
displacement [m])."""

ROUTINE = frozenset({LINKED, LOGGED, PLANNED, POINTED, "command", "reply", "ask_plan", "ask_leg"})
"""Routine events of controllers and the link, which the lab's figures summarize."""


def is_int64(value: object) -> bool:
    """Return whether a value is an integer of 64 bits, and no boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
