"""What a recording holds that a scenario is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """A topic of a recording; rate and gap are None if it has fewer than two messages."""

    name: str
    type: str
    count: int
    rate_hz: float | None
    longest_gap_s: float | None


@dataclass(frozen=True, slots=True)
class JointSeries:
    """A joint's samples: (n,) run times [ns] and (n,) positions [rad or m]."""

    times_ns: NDArray[np.int64]
    positions: Floats

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest position."""
        return float(self.positions.min()), float(self.positions.max())


@dataclass(frozen=True, slots=True)
class Contents:
    """What a recording holds.

    Attributes:
        path: the file or folder.
        duration_s: from the first message to the last.
        topics: all of them, by name.
        joint_topics: those with joint states.
        joints: by their recorded names, in the order of the messages.
        robot_description: the URDF that was recorded; empty if there is none.
        notes: what the reader remarks.
    """

    path: Path
    duration_s: float
    topics: tuple[TopicFacts, ...]
    joint_topics: tuple[str, ...]
    joints: Mapping[str, JointSeries]
    robot_description: str = ""
    notes: tuple[str, ...] = ()
