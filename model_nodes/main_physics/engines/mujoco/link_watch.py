"""Touches of the robots' links with static bodies and with each other in every step, without measuring in each.

No point of a link moves by more than the sum of its joints' changes, each times the link's greatest distance from the
joint. So distances are measured anew only when some pair can have come to touch, judging by its last distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.clearances import Clearances
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.engines.touches import Pair, Touches
from model_nodes.main_physics.world.description import World

REACHES = (0.03, 0.02, 0.01)
"""All pairs that are nearer than one of these are measured at a time [m]."""
_FEW = 4
"""It is the first in which so many pairs are at most at the start: a hand's links are near to each other."""
_FINE = 1e-3
"""What is nearer, or less deep inside, is measured when it has moved so far [m]."""
_SPARE = 0.25
"""All is measured when less than this share of the way is left on which nothing can come to touch."""
_STILL = 1e-6
"""Share of it by which what stands moves in a step."""
_MOST = 16
"""After so many steps at most is seen how far all has moved."""


class LinkWatch:
    """Measures a robot's links when it must.

    Args:
        world: with the robots.
        tables: of the engine.
        qpos: MuJoCo's, of now.
        touches: where they are noted.
    """

    def __init__(self, world: World, tables: Tables, qpos: Floats, touches: Touches) -> None:
        self._clearances = Clearances(world, tables.frames, tables.joints)
        self._qpos, self._touches = qpos, touches
        self._count, self._bases = len(tables.joints), tuple(tables.bases)
        of_bases = [base.position + np.arange(7) for base in tables.bases.values()]
        self._addresses = np.concatenate((tables.joint_positions, *of_bases))
        self._levers = self._clearances.levers(self._count, self._bases)
        nothing = np.zeros(len(self._addresses))
        self._any = np.max([nothing, *self._levers.values()], axis=0)
        self._reach = 0.0
        self._from_the_start: frozenset[Pair] | None = None
        self._pairs: list[Pair] = []
        self._levers_of_pairs = self._any[None]
        self.forget()

    def move(self, frame: str, pose: Floats) -> None:
        """Know of a body that stands at (7,) another pose in the world now."""
        self._clearances.move(frame, pose)
        self.forget()

    def forget(self) -> None:
        """Measure anew at the next step."""
        self._at: Floats | None = None
        self._elapsed, self._steps, self._waits = 0, 1, 1
        self._weights = np.zeros_like(self._levers_of_pairs)
        self._shares = np.zeros(len(self._weights))

    def save(self) -> object:
        """Return the state for `restore`."""
        at = None if self._at is None else self._at.copy()
        known = self._from_the_start, self._weights.copy(), self._shares.copy()
        return at, known, self._elapsed, self._steps, self._waits

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, tuple)
        self._at, known, self._elapsed, self._steps, self._waits = state
        self._from_the_start, self._weights, self._shares = known
        self._pairs = []

    def follow(self, time_ns: int) -> None:
        """After a step, measure if something can have come to touch, and note what does."""
        self._waits -= 1
        if self._waits > 0:
            return
        if self._at is None or not self._reach:
            self.rows(time_ns, 0.0)
            return
        at = self._qpos.take(self._addresses)
        moved = np.abs(at - self._at)
        shares = self._weights.dot(moved)
        left, steps, new = 1.0 - float(shares.max()), self._steps, shares - self._shares
        if left < _SPARE:
            self._elapsed += steps
            elapsed = self._elapsed
            self._look(time_ns, at)
            left, steps, new = 1.0, elapsed, self._weights.dot(moved)
        else:
            self._shares = shares
            self._elapsed += steps
        # At one and a half times its present speed nothing comes to touch before the next look.
        most = left / 1.5 * steps / max(float(new.max()), _STILL)
        self._steps = self._waits = max(1, int(min(most, _MOST)))

    def rows(self, time_ns: int, reach: float) -> Floats:
        """(n, 9) rows as `Engine.clearances`; notes what touches now."""
        at, bases = self._qpos.take(self._addresses), self._base_poses
        if not self._reach:
            few = (r for r in REACHES if len(self._clearances.rows(at, r, bases(at))) <= _FEW)
            self._reach = next(few, REACHES[-1])
        most = max(reach, self._reach)
        rows = self._clearances.rows(at, most, bases(at))
        near: dict[Pair, float] = {}
        for link, other, distance, x, y, z, *_ in rows.tolist():
            near[int(link), int(other)] = distance
            if distance < 0.0:
                self._note((int(link), int(other)), time_ns, distance, (x, y, z))
        if self._from_the_start is None:
            self._from_the_start = frozenset(pair for pair, far in near.items() if far < _FINE)
        self._wait(at, most, near)
        return rows[rows[:, 2] < reach]

    def _look(self, time_ns: int, at: Floats) -> None:
        """Note what touches now."""
        found = self._clearances.moving(at, self._reach, self._base_poses(at))
        for pair, (distance, contact) in found.items():
            if distance < 0.0:
                self._note(pair, time_ns, distance, self._clearances.point(contact))
        self._wait(at, self._reach, {pair: distance for pair, (distance, _) in found.items()})

    def _note(self, pair: Pair, time_ns: int, distance: float, point: Sequence[float]) -> None:
        if self._touches.note(pair, time_ns, -distance):
            self._touches.deepest(pair, np.nan, *point)

    def _base_poses(self, at: Floats) -> dict[str, Floats]:
        begin = self._count
        return {name: at[begin + 7 * i :][:7] for i, name in enumerate(self._bases)}

    def _wait(self, at: Floats, reach: float, near: Mapping[Pair, float]) -> None:
        """Compute how far everything may move before it is looked at again."""
        pairs = list(near)
        if pairs != self._pairs:
            self._weigh(pairs)
        limits = [reach, *(max(_FINE, distance, -distance / 2.0) for distance in near.values())]
        self._weights = self._levers_of_pairs / np.array(limits)[:, None]
        self._at, self._elapsed, self._steps, self._waits = at, 0, 1, 1
        self._shares = np.zeros(len(limits))

    def _weigh(self, pairs: list[Pair]) -> None:
        """Compute by how much pairs move for each unit of the positions; not those that touch from the start."""
        known, self._pairs = self._from_the_start or frozenset(), pairs
        levers = (0.0 * self._any if p in known else self._lever(*p) for p in pairs)
        self._levers_of_pairs = np.array([self._any, *levers])

    def _lever(self, link: int, other: int) -> Floats:
        """How far a pair moves relative to each other for each unit of the positions; not by what moves both."""
        one, two = self._levers[link], self._levers.get(other)
        return one if two is None else np.where((one > 0.0) ^ (two > 0.0), one + two, 0.0)
