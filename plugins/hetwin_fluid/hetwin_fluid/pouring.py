"""Particles that are added to a cup from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hetwin_suite.model import Floats, Json, Refused, pose_value, relative_to


@dataclass(frozen=True, slots=True)
class PouredParticles:
    """(n, 3) positions [m] and velocities [m/s] in the world."""

    positions: Floats
    velocities: Floats

    def in_frame(self, frame: Floats) -> tuple[Floats, Floats]:
        """Return (n, 3) positions and velocities in a frame with (13,) pose and twist."""
        seen = [
            relative_to(frame, pose_value(p, linear=v).data)
            for p, v in zip(self.positions, self.velocities, strict=True)
        ]
        states = np.array(seen).reshape(-1, 13)
        return states[:, :3], states[:, 7:10]


def read_pouring(arguments: Mapping[str, Json]) -> PouredParticles:
    """Read the arguments of the command ``add``.

    Raises:
        Refused: if the numbers of positions and velocities differ, or a vector is malformed.
    """
    if set(arguments) != {"positions", "velocities"}:
        raise Refused(f"add needs positions and velocities, not {sorted(arguments)}")
    try:
        positions, velocities = (
            np.array(arguments[name], np.float64).reshape(-1, 3)
            for name in ("positions", "velocities")
        )
    except (TypeError, ValueError):
        raise Refused("positions and velocities must be lists of three numbers each") from None
    if positions.shape != velocities.shape:
        raise Refused(f"add got {len(positions)} positions and {len(velocities)} velocities")
    if not (np.isfinite(positions).all() and np.isfinite(velocities).all()):
        raise Refused("positions and velocities must be finite")
    return PouredParticles(positions, velocities)
