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
_MIN_SLOPE = 0.1
"""Minimum assumed ratio of a pair's change of distance to its relative motion."""
_COARSE = 5e-3
"""As `_FINE` for two links, whose shapes often overlap a little [m]."""
_SPEED_MARGIN = 1.1
"""Assumed maximum ratio of the speed before the next check to the current speed."""
_CHECK_SHARE = 0.7
"""Share of the motion that is possible without a new touch after which all pairs are measured."""
_MIN_SHARE_PER_STEP = 1e-6
"""Minimum assumed motion per step, as a share of the motion that is possible without a new touch."""
_UNREACHABLE = 1e9
"""A position that no joint reaches."""
_MAX_STEPS = 16
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
        zero_row = np.zeros((1, len(self._addresses)))
        self._far = _undominated(np.array([*zero_row, *self._levers.values()])) / REACH[0]
        self._known: frozenset[Pair] = frozenset()
        self.reset()

    def move(self, frame: str, pose: Floats) -> None:
        """Update the pose (7,) in the world of a static body that was moved."""
        self._clearances.move(frame, pose)
        self.reset()

    def reset(self) -> None:
        """Discard the last measurement, so that the next step measures all pairs."""
        self._at = np.full(len(self._addresses), _UNREACHABLE)
        self._weights, self._near = self._far, dict[Pair, float]()
        self._share, self._elapsed, self._steps, self.waits = 0.0, 0, 1, 1

    def follow(self, time_ns: int) -> None:
        """Measure all pairs if there may be a new touch, and record the touches."""
        qpos = self._qpos.take(self._addresses)
        moved = np.abs(qpos - self._at)
        share = float(self._weights.dot(moved).max())
        self._elapsed += self._steps
        if share < _CHECK_SHARE:
            pace = max((share - self._share) / self._steps, share / self._elapsed)
        else:
            self._measure(time_ns, qpos)
            share, pace = 0.0, float(self._weights.dot(moved).max()) / self._elapsed
            self._elapsed = 0
        self._share, steps = share, (1.0 - share) / _SPEED_MARGIN / max(pace, _MIN_SHARE_PER_STEP)
        self._steps = self.waits = max(1, int(min(steps, _MAX_STEPS)))

    def rows(self, time_ns: int, reach: float) -> Floats:
        """(n, 9) rows as `Engine.clearances`; records the current touches."""
        qpos = self._qpos.take(self._addresses)
        rows = self._clearances.rows(qpos[: self._count], reach, self._base_poses(qpos))
        near = rows[rows[:, 2] < _TOUCHING, :6].tolist()
        for link, other, distance, *point in near:
            if distance < 0.0:
                self._record((int(link), int(other)), time_ns, distance, point)
        self._known = frozenset({(int(row[0]), int(row[1])) for row in near})
        return rows

    def _measure(self, time_ns: int, qpos: Floats) -> None:
        """Record the current touches, and compute the weights of the motion until the next measurement."""
        found = self._clearances.near_pairs(qpos[: self._count], REACH, self._base_poses(qpos))
        weights, known = list[Floats](), self._known
        for pair, (distance, contact) in found.items():
            if distance < 0.0:
                self._record(pair, time_ns, distance, self._clearances.point(contact))
            if pair not in known:
                fine = _COARSE if pair[1] in self._levers else _FINE
                lever = self._lever(*pair) * self._slope(pair, distance, np.abs(qpos - self._at))
                weights.append(lever / max(fine, distance, -distance / 2.0))
        self._at, self._near = qpos, {pair: distance for pair, (distance, _) in found.items()}
        self._weights = np.concatenate((self._far, weights)) if weights else self._far

    def _record(self, pair: Pair, time_ns: int, distance: float, point: Sequence[float]) -> None:
        if self._touches.record(pair, time_ns, -distance):
            x, y, z = point
            self._touches.set_deepest(pair, np.nan, x, y, z)

    def _base_poses(self, qpos: Floats) -> dict[str, Floats]:
        return dict(zip(self._bases, qpos[self._count :].reshape(-1, 7), strict=True))

    def _slope(self, pair: Pair, distance: float, moved: Floats) -> float:
        """Twice the ratio of a pair's change of distance to its motion since the last measurement, at most 1.

        The ratio is small for example for the base of a driving robot, which moves along the floor.
        """
        previous, motion = self._near.get(pair), float(self._lever(*pair).dot(moved))
        if previous is None or not motion:
            return 1.0
        return min(1.0, max(_MIN_SLOPE, 2.0 * abs(distance - previous) / motion))

    def _lever(self, link: int, other: int) -> Floats:
        """Bounds on the relative motion of a pair per unit of each position; 0 for positions that move both."""
        a, b = self._levers[link], self._levers.get(other)
        return a if b is None else np.where((a > 0.0) ^ (b > 0.0), a + b, 0.0)


def _undominated(rows: Floats) -> Floats:
    """The rows that are not dominated by another row; all numbers must be at least 0."""
    kept: list[Floats] = []
    for row in sorted(np.unique(rows, axis=0, return_index=True)[0], key=np.sum, reverse=True):
        if not any((row <= other).all() for other in kept):
            kept.append(row)
    return np.array(kept)
