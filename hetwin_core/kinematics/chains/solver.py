"""Inverse kinematics of a chain: descents from the current posture, the nearest tabulated ones, and random ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain, EndPose
from hetwin_core.kinematics.chains.descents import (
    TOLERANCE,
    Descent,
    Descents,
    Solution,
    Solutions,
    end_pose,
)
from hetwin_core.kinematics.chains.screws import Screws

Floats = NDArray[np.float64]

SIZE = 2000
"""Number of tabled postures; ten times as many cost more to search than they save."""
_CHUNK = 16
"""Number of poses that are looked up at a time; more would start BLAS threads, which cost more than they save."""
ROTATION_WEIGHT = 0.3
"""Weight of the difference of two rotation matrices [m]."""


class Postures:
    """Random postures within the joints' limits, with their poses.

    Args:
        chain: with n joints; infinite limits count as a half turn or as 1 m.
        seed: seed of the postures.
        size: number of postures.
    """

    def __init__(self, chain: Chain, seed: int = 0, size: int = SIZE) -> None:
        self._generator = np.random.default_rng(seed)
        self._lower, self._upper = sampled_limits(chain)
        self._positions = self.random(size)
        position, rotation = Screws(chain.segments).place(self._positions.T)
        poses = _features(position, rotation)
        squares = np.einsum("ij,ij->i", poses, poses)
        # Its product with (pose, 1) is the squared distance from each pose, up to a common constant.
        self._table = np.ascontiguousarray(np.column_stack((-2.0 * poses, squares)).T, np.float32)

    def random(self, count: int) -> Floats:
        """Return new random postures (count, n) [rad or m]."""
        shape = (count, len(self._lower))
        return self._generator.uniform(self._lower, self._upper, shape)

    def near(self, position: Floats, rotation: Floats, count: int) -> Iterator[Floats]:
        """Iterate over the tabled postures (n,) with the poses nearest to one, the nearest first.

        Args:
            position: (3,) position of the pose [m].
            rotation: (3, 3) rotation of the pose.
            count: number of postures.
        """
        wanted = np.ones(13, np.float32)
        wanted[:3], wanted[3:12] = position, ROTATION_WEIGHT * rotation.ravel()
        distances = wanted @ self._table
        first = int(distances.argmin())
        yield self._positions[first]  # usually sufficient, and found without sorting
        nearest = np.argpartition(distances, count)[:count]
        for i in nearest[np.argsort(distances[nearest])].tolist():
            if i != first:
                yield self._positions[i]

    def nearest(self, position: Floats, rotation: Floats) -> Floats:
        """Return for each of m poses the tabled posture with the nearest pose, (m, n).

        Args:
            position: (3, m) positions of the poses [m].
            rotation: (3, 3, m) rotations of the poses.
        """
        points = _features(position, rotation)
        wanted = np.column_stack((points, np.ones(len(points)))).astype(np.float32)
        parts = np.array_split(wanted, -(-len(wanted) // _CHUNK))
        rows = [(part @ self._table).argmin(axis=1) for part in parts]
        return np.asarray(self._positions[np.concatenate(rows)])


def _features(position: Floats, rotation: Floats) -> Floats:
    """(m, 12) points whose distances [m] measure the distances of poses.

    Args:
        position: (3, m) [m].
        rotation: (3, 3, m).
    """
    return np.ascontiguousarray(
        np.concatenate((position, ROTATION_WEIGHT * rotation.reshape(9, -1))).T
    )


def sampled_limits(chain: Chain) -> tuple[Floats, Floats]:
    """Return (n,) finite lower and upper limits of random postures [rad or m]."""
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    return lower, upper


STARTS = 200
"""Maximum number of starts; a pose that none of them reaches counts as unreachable."""
FEWER_STARTS = 60
"""Maximum number of starts if solutions are compared, or many poses are solved together."""
_TABLED = 10
"""Number of starts for one pose that come from the table."""
_MAX_CANDIDATES = 6
"""Number of solutions from which the nearest to the start is chosen."""
_BATCH_SIZE = 1000
"""Number of poses that descend together; more of them do not fit into the processor's cache."""
_MAX_SINGLE = 30
"""Maximum number of poses that are solved one by one, which is then faster than in a batch."""


class Solver:
    """Inverse kinematics of one chain.

    Args:
        chain: with n joints.
        seed: seed of the tabled and the random postures.
        tolerance: maximum of the six errors of a solution [m and rad].
    """

    def __init__(self, chain: Chain, seed: int = 0, tolerance: float = TOLERANCE) -> None:
        self._chain, self._seed, self._tolerance = chain, seed, tolerance
        self._descent = Descent(chain, tolerance)
        self._continuous = _continuous(chain)

    @cached_property
    def postures(self) -> Postures:
        """Tabled and random starts of descents."""
        return Postures(self._chain, self._seed)

    @cached_property
    def _batch(self) -> Descents:
        return Descents(self._chain, self._tolerance)

    def solve(
        self, pose: Floats, start: Floats | None = None, seconds: float | None = None
    ) -> Solution:
        """Return joint positions within the limits that bring the chain's end to a pose, or the best approximation.

        Args:
            pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
            start: (n,) first start [rad or m]; None: from the table.
            seconds: processor time after which no further start is made [s]; None: at most `STARTS` starts.
        """
        target, started = end_pose(pose), time.thread_time()
        best: Solution | None = None
        for found in self._solutions(target, self._starts(target, start)):
            if best is None or found.solved or found.residual < best.residual:
                best = found
            if best.solved or (seconds is not None and time.thread_time() - started >= seconds):
                break
        assert best is not None  # there is at least one start
        return best._replace(positions=self._wrap(best.positions))

    def near(self, pose: Floats, start: Floats, starts: int = FEWER_STARTS) -> Solution:
        """Return the solution of a pose that moves the joints least, or the best approximation.

        This is the one from the start itself if it converges, else the nearest of some from tabled postures near
        the pose, which are the same at every call.

        Args:
            pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
            start: (n,) current joint positions [rad or m].
            starts: maximum number of starting postures.
        """
        best = self.descend(pose, start)
        solved = [best] if best.solved else []
        target = end_pose(pose)
        others = self._tabled(target, 0 if best.solved else starts - 1)
        for found in self._solutions(target, others):
            if found.solved:
                solved.append(found)
                if len(solved) == _MAX_CANDIDATES:
                    break
            elif found.residual < best.residual:
                best = found
        near = [self._shortest(found, start) for found in solved]
        return min(near, key=lambda one: float(np.abs(one.positions - start).max()), default=best)

    def descend(self, pose: Floats, start: Floats) -> Solution:
        """Return the solution of a single descent from a posture.

        Args:
            pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
            start: (n,) [rad or m].
        """
        return next(self._solutions(end_pose(pose), iter([self._chain.clipped(start)])))

    def solve_all(
        self, poses: Floats, starts: Floats | None = None, seconds: float | None = None
    ) -> Solutions:
        """Return joint positions within the limits that bring the chain's end to each of many poses.

        Args:
            poses: (m, 7) x y z [m], qw qx qy qz, in the frame of the chain's root.
            starts: (m, n) first starts [rad or m]; None: from the table.
            seconds: processor time after which no further start is made [s]; None: at most `FEWER_STARTS` starts
                for each.
        """
        until = np.inf if seconds is None else time.process_time() + seconds
        targets = [end_pose(pose) for pose in poses]
        position = np.stack([target.position for target in targets], axis=1)
        rotation = np.stack([target.rotation for target in targets], axis=2)
        at = self.postures.nearest(position, rotation) if starts is None else starts
        at = np.clip(at, self._chain.lower, self._chain.upper)
        best = Solutions.none(at)
        unsolved = np.arange(len(poses))
        for _ in range(FEWER_STARTS):
            if len(unsolved) <= _MAX_SINGLE or time.process_time() >= until:
                break
            for rows in np.array_split(unsolved, -(-len(unsolved) // _BATCH_SIZE)):
                ends = self._batch.run(position[:, rows], rotation[:, :, rows], at[rows])
                best.keep(rows, ends)
            unsolved = unsolved[~best.solved[unsolved]]
            at[unsolved] = self.postures.random(len(unsolved))
        for i in unsolved.tolist() if len(unsolved) <= _MAX_SINGLE else ():
            one = self.solve(poses[i], at[i], until - time.process_time())
            best.keep(np.array([i]), Solutions(*(np.array([part]) for part in one)))
        return best._replace(positions=self._wrap(best.positions))

    def _solutions(self, target: EndPose, starts: Iterator[Floats]) -> Iterator[Solution]:
        """Solutions of descents from some postures."""
        quaternion = target.pose[3:]
        for start in starts:
            yield self._descent.run(target.position, quaternion, start)

    def _starts(self, target: EndPose, start: Floats | None) -> Iterator[Floats]:
        if start is not None:
            yield self._chain.clipped(start)
        yield from self._tabled(target, _TABLED)
        for _ in range(STARTS - _TABLED):
            yield self.postures.random(1)[0]

    def _tabled(self, target: EndPose, count: int) -> Iterator[Floats]:
        if count > 0:
            yield from self.postures.near(target.position, target.rotation, count)

    def _wrap(self, positions: Floats) -> Floats:
        """Positions (..., n) with continuous joints between -pi and pi."""
        return np.where(self._continuous, (positions + np.pi) % (2.0 * np.pi) - np.pi, positions)

    def _shortest(self, found: Solution, start: Floats) -> Solution:
        """A solution with continuous joints on the shortest path from the start."""
        return found._replace(positions=start + self._wrap(found.positions - start))


def _continuous(chain: Chain) -> NDArray[np.bool_]:
    """(n,) which joints are continuous."""
    slides = {segment.joint for segment in chain.segments if segment.slides}
    bounded = np.isfinite(chain.lower) & np.isfinite(chain.upper)
    return ~bounded & np.array([name not in slides for name in chain.joints], np.bool_)
