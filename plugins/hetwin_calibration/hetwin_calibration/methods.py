"""Choices of commands: profiles of motion, parameters of calibration."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """How the joints move from one waypoint to the next."""

    QUINTIC = "quintic"
    TIME_OPTIMAL = "time_optimal"


class Parameters(StrEnum):
    """Parameters of a chain that a calibration fits."""

    OFFSETS = "offsets"
    ALL = "all"
