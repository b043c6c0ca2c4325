"""Detects touches of the robots' links with static bodies and with each other, without measuring in every step.

A point of a link moves by at most the sum over its joints of the joint's change times the link's maximum distance from
the joint. So all pairs are measured only for a report, and when a link may have started to touch a static body within
its reach or another link near it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.clearances import Clearances
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.engines.shared import CopiedPart, Pair, Touches
from model_nodes.main_physics.world.description import World

REACH = (0.05, 0.01)
"""Maximum distance from a link to static bodies, and to other links, that are considered [m]."""
_FINE = 2e-3
"""Minimum motion after which a near or slightly overlapping pair is measured again [m]."""
_TOUCHING = 5e-4
"""Pairs nearer than this in a report are not followed until the next one: their touch is known, or they hardly move."""
_LEAST_SLOPE = 0.1
"""Minimum assumed ratio of a pair's change of distance to its relative motion."""
_COARSE = 5e-3
"""As `_FINE` for two links, whose shapes often overlap a little [m]."""
_FASTER = 1.1
"""Assumed maximum ratio of the speed before the next check to the current speed."""
_SPENT = 0.7
"""Share of the motion that is possible without a new touch after which all pairs are measured."""
_STILL = 1e-6
"""Minimum assumed motion per step, as a share of the motion that is possible without a new touch."""
_ELSEWHERE = 1e9
"""A position that no joint reaches."""
_MOST = 16
"""Maximum number of steps between two checks of the motion."""


class LinkWatch(CopiedPart):
    """Measures the distances of robots' links when it is necessary.

    Args:
        world: world with the robots.
        tables: tables of the engine.
        qpos: view of MuJoCo's current positions.
        touches: recorder of the touches.

    Attributes:
        waits: number of steps until `follow` must be called; the stepping loop decrements it.
    """

    saved_fields = ("_at", "_weights", "_known", "_near", "_share", "_elapsed", "_steps", "waits")

    def __init__(self, world: World, tables: Tables, qpos: Floats, touches: Touches) -> None:
        self._clearances = Clearances(world, tables.frames, tables.joints)
        self._qpos, self._touches = qpos, touches
        self._count, self._bases = len(tables.joints), tuple(tables.bases)
        of_bases = [base.position + np.arange(7) for base in tables.bases.values()]
        self._addresses = np.concatenate((tables.joint_positions, *of_bases))
        self._levers = self._clearances.levers(self._count, self._bases)
        nothing = np.zeros((1, len(self._addresses)))
        self._far = _greatest(np.array([*nothing, *self._levers.values()])) / REACH[0]
        self._known: frozenset[Pair] = frozenset()
        self.forget()

    def move(self, frame: str, pose: Floats) -> None:
        """Update the pose (7,) in the world of a static body that was moved."""
        self._clearances.move(frame, pose)
        self.forget()

    def forget(self) -> None:
        """Discard what is known, so that the next step measures everything."""
        self._at = np.full(len(self._addresses), _ELSEWHERE)
        self._weights, self._near = self._far, dict[Pair, float]()
        self._share, self._elapsed, self._steps, self.waits = 0.0, 0, 1, 1

    def follow(self, time_ns: int) -> None:
        """Measure all pairs if there may be a new touch, and record the touches."""
        at = self._qpos.take(self._addresses)
        moved = np.abs(at - self._at)
        share = float(self._weights.dot(moved).max())
        self._elapsed += self._steps
        if share < _SPENT:
            pace = max((share - self._share) / self._steps, share / self._elapsed)
        else:
            self._look(time_ns, at)
            share, pace = 0.0, float(self._weights.dot(moved).max()) / self._elapsed
            self._elapsed = 0
        self._share, most = share, (1.0 - share) / _FASTER / max(pace, _STILL)
        self._steps = self.waits = max(1, int(min(most, _MOST)))

    def rows(self, time_ns: int, reach: float) -> Floats:
        """(n, 9) rows as `Engine.clearances`; records the current touches."""
        at = self._qpos.take(self._addresses)
        rows = self._clearances.rows(at[: self._count], reach, self._base_poses(at))
        near = rows[rows[:, 2] < _TOUCHING, :6].tolist()
        for link, other, distance, *point in near:
            if distance < 0.0:
                self._note((int(link), int(other)), time_ns, distance, point)
        self._known = frozenset({(int(row[0]), int(row[1])) for row in near})
        return rows

    def _look(self, time_ns: int, at: Floats) -> None:
        """Record the current touches, and compute how far everything may move before the next measurement."""
        found = self._clearances.moving(at[: self._count], REACH, self._base_poses(at))
        weights, known = list[Floats](), self._known
        for pair, (distance, contact) in found.items():
            if distance < 0.0:
                self._note(pair, time_ns, distance, self._clearances.point(contact))
            if pair not in known:
                fine = _COARSE if pair[1] in self._levers else _FINE
                lever = self._lever(*pair) * self._slope(pair, distance, np.abs(at - self._at))
                weights.append(lever / max(fine, distance, -distance / 2.0))
        self._at, self._near = at, {pair: distance for pair, (distance, _) in found.items()}
        self._weights = np.concatenate((self._far, weights)) if weights else self._far

    def _note(self, pair: Pair, time_ns: int, distance: float, point: Sequence[float]) -> None:
        if self._touches.note(pair, time_ns, -distance):
            x, y, z = point
            self._touches.deepest(pair, np.nan, x, y, z)

    def _base_poses(self, at: Floats) -> dict[str, Floats]:
        return dict(zip(self._bases, at[self._count :].reshape(-1, 7), strict=True))

    def _slope(self, pair: Pair, distance: float, moved: Floats) -> float:
        """Twice the ratio of a pair's change of distance to its motion since the last measurement, at most 1.

        The ratio is small for example for the base of a driving robot, which moves along the floor.
        """
        before, way = self._near.get(pair), float(self._lever(*pair).dot(moved))
        if before is None or not way:
            return 1.0
        return min(1.0, max(_LEAST_SLOPE, 2.0 * abs(distance - before) / way))

    def _lever(self, link: int, other: int) -> Floats:
        """Bounds on the relative motion of a pair per unit of each position; 0 for positions that move both."""
        one, two = self._levers[link], self._levers.get(other)
        return one if two is None else np.where((one > 0.0) ^ (two > 0.0), one + two, 0.0)


def _greatest(rows: Floats) -> Floats:
    """The rows that are not dominated by another row; all numbers must be at least 0."""
    kept: list[Floats] = []
    for row in sorted(np.unique(rows, axis=0, return_index=True)[0], key=np.sum, reverse=True):
        if not any((row <= other).all() for other in kept):
            kept.append(row)
    return np.array(kept)
