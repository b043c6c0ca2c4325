"""Choices of command options: motion profiles, and sets of calibrated parameters."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """Motion profiles between waypoints."""

    QUINTIC = "quintic"
    TIME_OPTIMAL = "time_optimal"


class Parameters(StrEnum):
    """Parameters of a chain that a calibration fits."""

    OFFSETS = "offsets"
    ALL = "all"
