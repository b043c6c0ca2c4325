"""Touches of the robots' links with static bodies and with each other in every step, without measuring in each.

No point of a link moves by more than the sum of its joints' changes, each times the link's greatest distance from the
joint. So all is looked at anew only when a link can have come to touch something static, judging by the bodies that
it was within reach of, or another link that it was near to; and in each report.
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
"""Static bodies and other links are looked for as far from a link [m]; a hand's links are always near to each other."""
_FINE = 2e-3
"""A pair that is nearer, or less deep inside, is looked at when it has moved so far [m]."""
_TOUCHING = 5e-4
"""A pair so near in a report is not followed until the next one: it is known to touch, or hardly moves [m]."""
_LEAST_SLOPE = 0.1
"""So much of its motion at least brings a pair nearer."""
_COARSE = 5e-3
"""The same of two links, whose shapes often overlap a little [m]."""
_FASTER = 1.1
"""Nothing comes to touch before the next time if all moves at most so many times as fast as now."""
_SPENT = 0.7
"""All is looked at when this share of the way is gone on which nothing can come to touch."""
_STILL = 1e-6
"""Share of it by which a standing body moves in a step."""
_ELSEWHERE = 1e9
"""No joint is there."""
_MOST = 16
"""After so many steps at most is seen how far all has moved."""


class LinkWatch(CopiedPart):
    """Measures a robot's links when it must.

    Args:
        world: with the robots.
        tables: of the engine.
        qpos: MuJoCo's, of now.
        touches: where they are noted.

    Attributes:
        waits: after so many more steps, `follow` is to be called; the stepping loop counts them down.
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
        """Know of a body that stands at (7,) another pose in the world now."""
        self._clearances.move(frame, pose)
        self.forget()

    def forget(self) -> None:
        """Look at all at the next step."""
        self._at = np.full(len(self._addresses), _ELSEWHERE)
        self._weights, self._near = self._far, dict[Pair, float]()
        self._share, self._elapsed, self._steps, self.waits = 0.0, 0, 1, 1

    def follow(self, time_ns: int) -> None:
        """Look at all if something can have come to touch, and note the touches."""
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
        """(n, 9) rows as `Engine.clearances`; notes present touches."""
        at = self._qpos.take(self._addresses)
        rows = self._clearances.rows(at[: self._count], reach, self._base_poses(at))
        near = rows[rows[:, 2] < _TOUCHING, :6].tolist()
        for link, other, distance, *point in near:
            if distance < 0.0:
                self._note((int(link), int(other)), time_ns, distance, point)
        self._known = frozenset({(int(row[0]), int(row[1])) for row in near})
        return rows

    def _look(self, time_ns: int, at: Floats) -> None:
        """Note present touches, and compute how far everything may move before the next look."""
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
        """Twice the share of its motion by which a pair came nearer or went apart since the last look, at most 1.

        A robot that drives moves along the floor.
        """
        before, way = self._near.get(pair), float(self._lever(*pair).dot(moved))
        if before is None or not way:
            return 1.0
        return min(1.0, max(_LEAST_SLOPE, 2.0 * abs(distance - before) / way))

    def _lever(self, link: int, other: int) -> Floats:
        """How far a pair moves relative to each other for each unit of the positions; not by a motion of both."""
        one, two = self._levers[link], self._levers.get(other)
        return one if two is None else np.where((one > 0.0) ^ (two > 0.0), one + two, 0.0)


def _greatest(rows: Floats) -> Floats:
    """The rows that are in no column below another one, in which no number is negative."""
    kept: list[Floats] = []
    for row in sorted(np.unique(rows, axis=0, return_index=True)[0], key=np.sum, reverse=True):
        if not any((row <= other).all() for other in kept):
            kept.append(row)
    return np.array(kept)
