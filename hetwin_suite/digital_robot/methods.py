"""How the inverse kinematics of poses can be solved."""

from __future__ import annotations

from enum import StrEnum


class Method(StrEnum):
    """How poses are solved."""

    NEWTON = "newton"
    SWARM = "swarm"
