"""Touches of the robots' links with static bodies and with each other in every step, without measuring in each.

No point of a link moves by more than the sum of its joints' changes, each times the link's greatest distance from the
joint. So distances are measured anew only when some pair can have come to touch, judging by its last distance.
"""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.clearances import Clearances
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.engines.touches import Pair, Touches
from model_nodes.main_physics.world.description import World

REACH = 0.03
"""All pairs that are nearer are measured at a time [m]."""
_FINE = 1e-3
"""What is nearer, or less deep inside, is measured when it has moved so far [m]."""
_MOST = 8
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
        self._steps = self._waits = 1
        self._weights = np.zeros_like(self._levers_of_pairs)
        self._shares = np.zeros(len(self._weights))

    def save(self) -> object:
        """Return the state for `restore`."""
        at = None if self._at is None else self._at.copy()
        known = self._from_the_start, self._weights.copy(), self._shares.copy()
        return at, known, self._steps, self._waits

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, tuple)
        self._at, known, self._steps, self._waits = state
        self._from_the_start, self._weights, self._shares = known
        self._pairs = []

    def follow(self, time_ns: int) -> None:
        """After a step, measure if something can have come to touch, and note what does."""
        self._waits -= 1
        if self._waits > 0:
            return
        if self._at is None:
            self.rows(time_ns, 0.0)
            return
        shares = self._weights.dot(np.abs(self._qpos.take(self._addresses) - self._at))
        left = 1.0 - float(shares.max())
        if not left > 0.0:
            self.rows(time_ns, 0.0)
            return
        # At twice its present speed nothing comes to touch before it is looked at again.
        faster = 2.0 * float((shares - self._shares).max()) / self._steps
        self._shares = shares
        self._steps = self._waits = max(1, int(left / faster)) if _MOST * faster > left else _MOST

    def rows(self, time_ns: int, reach: float) -> Floats:
        """(n, 9) rows as `Engine.clearances`; notes what touches now."""
        count, most, at = self._count, max(reach, REACH), self._qpos.take(self._addresses)
        bases = {name: at[count + 7 * i :][:7] for i, name in enumerate(self._bases)}
        rows = self._clearances.rows(at[:count], most, bases)
        pairs, distances = [], [most]
        for link, other, distance, x, y, z, *_ in rows.tolist():
            pair = (int(link), int(other))
            pairs.append(pair)
            distances.append(distance)
            if distance < 0.0 and self._touches.note(pair, time_ns, -distance):
                self._touches.deepest(pair, np.nan, x, y, z)
        self._wait(at, pairs, distances)
        return rows[rows[:, 2] < reach]

    def _wait(self, at: Floats, pairs: list[Pair], distances: list[float]) -> None:
        """Compute how far everything may move before it is measured again."""
        if self._from_the_start is None:
            near = zip(pairs, distances[1:], strict=True)
            self._from_the_start = frozenset(pair for pair, far in near if far < _FINE)
        if pairs != self._pairs:
            self._weigh(pairs)
        limits = [max(_FINE, distance, -distance / 2.0) for distance in distances]
        self._weights = self._levers_of_pairs / np.array(limits)[:, None]
        self._at, self._steps, self._waits = at, 1, 1
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
