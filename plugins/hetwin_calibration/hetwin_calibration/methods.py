"""What commands can choose: how joints move, what is calibrated."""

from __future__ import annotations

from enum import StrEnum


class Profile(StrEnum):
    """How the joints move from one waypoint to the next."""

    QUINTIC = "quintic"
    TIME_OPTIMAL = "time_optimal"


class Parameters(StrEnum):
    """What a calibration fits of a chain."""

    OFFSETS = "offsets"
    ALL = "all"
