"""Joint samples as they were recorded: one publisher's, in the order of the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Int64s, Publisher
from model_nodes.main_physics.sources.joint_table import Group, JointTable

BASELINE_NS = 50_000_000
"""Speeds are measured over at least this time, so that jitter of stamps and noise do not count."""


@dataclass(frozen=True, slots=True)
class RawSamples:
    """What one publisher says of one joint.

    Attributes:
        publisher: who says it.
        joint: its name.
        times_ns: (n,) run time [ns], in the order of the log, which may go back a little.
        positions: (n,) in rad or m.
        messages: (n,) numbers of the messages.
    """

    publisher: Publisher
    joint: str
    times_ns: Int64s
    positions: Floats
    messages: Int64s

    def in_order(self) -> RawSamples:
        """Return the same samples in the order of time."""
        return self.only(np.argsort(self.times_ns, kind="stable"))

    def only(self, chosen: Int64s | NDArray[np.bool_]) -> RawSamples:
        """Return some of the samples, in the order in which they are chosen."""
        return RawSamples(
            self.publisher,
            self.joint,
            self.times_ns[chosen],
            self.positions[chosen],
            self.messages[chosen],
        )


def raw_samples(table: JointTable) -> list[RawSamples]:
    """Return the samples of each joint of each publisher, without those that are not used or not finite."""
    groups: dict[tuple[Publisher, str], list[Group]] = {}
    for group in table.groups.values():
        for name in group.names:
            groups.setdefault((group.publisher, name), []).append(group)
    found = (_joined(key, carriers, table) for key, carriers in groups.items())
    return [one for one in found if len(one.messages)]


def _joined(key: tuple[Publisher, str], groups: Sequence[Group], table: JointTable) -> RawSamples:
    publisher, joint = key
    messages = np.concatenate([group.message_numbers() for group in groups])
    positions = np.concatenate([g.position_table()[:, g.names.index(joint)] for g in groups])
    order = np.argsort(messages)
    messages, positions = messages[order], positions[order]
    samples = RawSamples(publisher, joint, table.times_ns[messages], positions, messages)
    used = np.isfinite(positions) & table.kept[messages]
    return samples if used.all() else samples.only(used)


def greatest_speed(samples: RawSamples) -> float:
    """Return the greatest mean speed over at least `BASELINE_NS` [rad/s or m/s]; 0 for a shorter recording."""
    times, positions = samples.times_ns, samples.positions
    later = np.searchsorted(times, times + BASELINE_NS)
    inside = later < len(times)
    later, earlier = later[inside], np.flatnonzero(inside)
    if not len(later):
        return 0.0
    seconds = (times[later] - times[earlier]) / 1e9
    return float(np.max(np.abs(positions[later] - positions[earlier]) / seconds))
