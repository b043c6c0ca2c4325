"""How a robot and its twin have agreed since the start of a run, as one attribute of the robot."""

from __future__ import annotations

from typing import NamedTuple, Self

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats

UNKNOWN = -1.0
"""Stands for a figure of what was not compared."""


class Consistency(NamedTuple):
    """Root mean squares and largest differences [rad or m], and the lag [s]; `UNKNOWN` where nothing was compared.

    Attributes:
        joints_rms, joints_max: of positions of joints [rad or m].
        tip_rms, tip_max: distances of the tips [m].
        base_rms, base_max: distances of the bases [m].
        heading_rms, heading_max: angles between the bases [rad].
        lag_median, lag_p95: of the robot behind its twin [s].
    """

    joints_rms: float = UNKNOWN
    joints_max: float = UNKNOWN
    tip_rms: float = UNKNOWN
    tip_max: float = UNKNOWN
    base_rms: float = UNKNOWN
    base_max: float = UNKNOWN
    heading_rms: float = UNKNOWN
    heading_max: float = UNKNOWN
    lag_median: float = UNKNOWN
    lag_p95: float = UNKNOWN

    @classmethod
    def of(cls, data: Floats) -> Self:
        """Return the figures that an attribute's value holds."""
        return cls(*data.tolist())

    def row(self) -> dict[str, Json] | None:
        """Return the figures for a summary, null for what is unknown; None if nothing was compared."""
        if all(value == UNKNOWN for value in self):
            return None
        return {
            "joints": _pair("rms", self.joints_rms, "max", self.joints_max),
            "tip": _pair("rms", self.tip_rms, "max", self.tip_max),
            "base": _pair("rms", self.base_rms, "max", self.base_max),
            "heading": _pair("rms", self.heading_rms, "max", self.heading_max),
            "lag": _pair("median", self.lag_median, "p95", self.lag_p95),
        }


CONSISTENCY = AttributeSpec("consistency", len(Consistency._fields), "rad or m, s")
"""See `Consistency`."""


def _pair(one: str, value: float, other: str, second: float) -> dict[str, Json] | None:
    return None if value == UNKNOWN else {one: round(value, 9), other: round(second, 9)}
