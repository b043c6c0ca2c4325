"""Recorded joint states as arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.model import Floats

Int64s: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class JointStates:
    """The n messages of one publisher about the same joints, in the order of reception.

    Attributes:
        topic: topic of the messages.
        frame: frame id in their headers.
        names: names of the joints.
        stamps: (n,) time in the header [ns].
        received: (n,) time of reception [ns].
        order: (n,) index of the message in the recording, to order messages with equal times of reception.
        positions: (n, joints) [rad or m].
        velocities: (n, joints) [rad/s or m/s], or (n, 0) if not recorded.
        efforts: (n, joints) [Nm or N], NaN where not known, or (n, 0) if not recorded.
    """

    topic: str
    frame: str
    names: tuple[str, ...]
    stamps: Int64s
    received: Int64s
    order: Int64s
    positions: Floats
    velocities: Floats
    efforts: Floats

    def columns(self, select_joints: Collection[str]) -> list[int]:
        """Return the columns of its joints that are in `select_joints`."""
        return [i for i, name in enumerate(self.names) if name in select_joints]

    def values_per_joint(self, numbers: Mapping[str, float]) -> Floats:
        """Return (joints,) the number of each joint, 0 for joints without one."""
        return np.array([numbers.get(name, 0.0) for name in self.names])

    def select_messages(self, selection: Int64s | NDArray[np.bool_]) -> JointStates:
        """Return some of the messages.

        Args:
            selection: indices of messages, or (n,) whether each message is selected.
        """
        return replace(
            self,
            stamps=self.stamps[selection],
            received=self.received[selection],
            order=self.order[selection],
            positions=self.positions[selection],
            velocities=self.velocities[selection],
            efforts=self.efforts[selection],
        )

    def select_joints(self, selection: Collection[str]) -> JointStates:
        """Return the messages restricted to some of the joints."""
        columns = self.columns(selection)
        sizes = (self.velocities.shape[1], self.efforts.shape[1])
        velocities, efforts = (columns if count else [] for count in sizes)
        return replace(
            self,
            names=tuple(self.names[i] for i in columns),
            positions=self.positions[:, columns],
            velocities=self.velocities[:, velocities],
            efforts=self.efforts[:, efforts],
        )

    def with_offsets(self, offsets: Floats) -> JointStates:
        """Return the messages with (joints,) offsets added to all positions."""
        return replace(self, positions=self.positions + offsets)
