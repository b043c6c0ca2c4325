"""What of a run is kept: at most so often, and whenever something happens."""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

from hetwin_core.ensemble.scene.snapshot import NO_PROXIMITY, PROXIMITY, Snapshot, Table
from hetwin_core.ensemble.scene.values import Floats, Ints


class Due:
    """Comes due once in each period of a grid.

    Args:
        period_ns: of the grid.
        first_ns: when it is due first.

    Attributes:
        next_ns: when it is due next; no need to ask before.
    """

    def __init__(self, period_ns: int, first_ns: int = 0) -> None:
        self._period, self.next_ns = period_ns, first_ns

    def take(self, now_ns: int) -> bool:
        """Whether it is due; then it is due again at the first time of the grid after this one."""
        if now_ns < self.next_ns:
            return False
        self.next_ns += self._period * ((now_ns - self.next_ns) // self._period + 1)
        return True


class KeptState(NamedTuple):
    """A state of a run, with the fields of a `Snapshot`."""

    time_ns: int
    step: int
    values: Floats
    owners: Ints
    parents: Ints
    near: Table

    @staticmethod
    def of(step: int, scene: Snapshot) -> KeptState:
        """The state after a step, in the scene's own arrays."""
        near = scene.tables.get(PROXIMITY, NO_PROXIMITY)
        return KeptState(scene.time_ns, step, scene.values, scene.owners, scene.parents, near)

    def copied(self) -> KeptState:
        """The same in arrays of its own."""
        values, owners, parents = self.values.copy(), self.owners.copy(), self.parents.copy()
        return KeptState(self.time_ns, self.step, values, owners, parents, self.near)


class DueStates:
    """Chooses the states that are kept: the first and the last, some at a rate, and of each step with a happening.

    Args:
        rate: per simulated second.

    Attributes:
        happened: whether something has happened since the last step.
    """

    def __init__(self, rate: float) -> None:
        self._period = round(1e9 / rate)
        self._due = Due(self._period)
        self._last: KeptState | None = None
        self.happened = False

    def first(self, scene: Snapshot) -> KeptState:
        """Return the first state."""
        self._due = Due(self._period, scene.time_ns + self._period)
        return KeptState.of(0, scene)

    def take(self, step: int, scene: Snapshot) -> KeptState | None:
        """Return the state after a step if it is to be kept; else it is remembered, as it may be the last one."""
        now = scene.time_ns
        if now >= self._due.next_ns or self.happened:
            self._due.take(now)
            self._last, self.happened = None, False
            return KeptState.of(step, scene)
        self._last = KeptState(
            now,
            step,
            scene.values.copy(),
            scene.owners.copy(),
            scene.parents.copy(),
            scene.tables.get(PROXIMITY, NO_PROXIMITY),
        )
        return None

    def left(self) -> KeptState | None:
        """Return the last state, and forget it; None if it was kept already."""
        last, self._last = self._last, None
        return last

    def copied(self) -> DueStates:
        """Return another one that goes on from here by itself."""
        other = DueStates(1.0)
        other.__dict__.update(self.__dict__, _due=copy(self._due))
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process goes on with."""
        last = self._last
        if last is not None:
            last = last._replace(near=last.near.copied())
        return {**self.__dict__, "_last": last}
