"""The geometry of laser scans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import AttributeSpec, Floats

SCAN = "scan"
"""Name of the attribute: a distance [m] for each beam; 0 for a hit below the minimum range, the reach for no hit."""
_IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ScanPattern:
    """The beams of a laser scanner, in the x-y plane of its frame, evenly spaced from the first angle to the last.

    Attributes:
        name: name of the scanner.
        pose: pose of its frame in its link's frame, x y z [m], qw qx qy qz.
        first: angle of the first beam [rad].
        last: angle of the last beam [rad].
        beams: number of beams.
        nearest: minimum range [m].
        reach: maximum range [m].
        rate: scans per simulated second.
    """

    name: str
    pose: tuple[float, ...]
    first: float
    last: float
    beams: int
    nearest: float
    reach: float
    rate: float

    @property
    def attribute(self) -> AttributeSpec:
        """The attribute that holds its scans."""
        return AttributeSpec(SCAN, self.beams, "m")

    @property
    def increment(self) -> float:
        """Angle between two beams [rad]."""
        return (self.last - self.first) / (self.beams - 1)

    @property
    def angles(self) -> Floats:
        """(beams,) angles of the beams [rad]."""
        return np.linspace(self.first, self.last, self.beams)

    def frame_on(self, link: str) -> str:
        """Name of its frame: that of its link if their poses coincide, else its own name with the robot's prefix."""
        robot, separator, _ = link.rpartition("::")
        return link if self.pose == _IDENTITY else f"{robot}{separator}{self.name}"

    def as_measured(self, distances: Floats) -> Floats:
        """Convert distances to the first hits [m], or the reach without a hit, to values of the attribute."""
        return np.where(distances < self.nearest, 0.0, distances)

    def as_published(self, scan: Floats) -> Floats:
        """Return a scan according to REP-117: ``-inf`` for a hit below the minimum range, ``inf`` for no hit."""
        with_misses = np.where(scan >= self.reach, np.inf, scan)
        return np.where(scan <= 0.0, -np.inf, with_misses)

    def to_json(self) -> dict[str, Any]:
        """Return the pattern as plain JSON."""
        return {
            "name": self.name,
            "pose": list(self.pose),
            "from": self.first,
            "to": self.last,
            "beams": self.beams,
            "nearest": self.nearest,
            "reach": self.reach,
            "rate": self.rate,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ScanPattern:
        """Inverse of `to_json`."""
        return cls(
            data["name"],
            tuple(data["pose"]),
            data["from"],
            data["to"],
            data["beams"],
            data["nearest"],
            data["reach"],
            data["rate"],
        )
