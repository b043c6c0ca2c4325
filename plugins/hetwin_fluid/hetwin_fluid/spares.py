"""Spare objects that become the bodies of particles in the main model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hetwin_suite.model import POSE, Floats, Value, extrapolate


class Spares:
    """The objects whose poses the fluid owns; they stay at rest until they replace a particle."""

    def __init__(self) -> None:
        self._waiting: dict[str, Value] = {}
        self._sent: dict[str, Value] = {}

    def __contains__(self, entity: str) -> bool:
        return entity in self._waiting or entity in self._sent

    def keep(self, entity: str, value: Value) -> None:
        """Add a spare object, which stays where it is."""
        self._sent.pop(entity, None)
        self._waiting[entity] = Value(value.data.copy(), value.time_ns, value.parent)

    def send(self, poses: Sequence[Floats], time_ns: int) -> list[str]:
        """Put spare objects at these (13,) poses in the world, and return their names; surplus poses are dropped."""
        sent = []
        for entity, pose in zip(list(self._waiting), poses, strict=False):
            del self._waiting[entity]
            self._sent[entity] = Value(np.array(pose), time_ns)
            sent.append(entity)
        return sent

    def release(self, entity: str, time_ns: int) -> Value:
        """Remove an object, and return its pose in the world at a time."""
        if entity in self._waiting:
            value = self._waiting.pop(entity)
            return value if value.time_ns == time_ns else Value(_still(value.data), time_ns)
        value = self._sent.pop(entity)
        return Value(extrapolate(value.data, (time_ns - value.time_ns) / 1e9), time_ns)

    def poses(self, time_ns: int) -> Iterator[tuple[tuple[str, str], Value]]:
        """Iterate over the poses of all objects for which the fluid is still responsible."""
        for entity, value in self._waiting.items():
            yield (entity, POSE.name), Value(_still(value.data), time_ns)
        for entity, value in self._sent.items():
            yield (entity, POSE.name), Value(value.data, time_ns)


def _still(pose: Floats) -> Floats:
    return np.concatenate([pose[:7], np.zeros(6)])
