"""Inverse kinematics from where a robot is: the solution that is near, of the joints that may move."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.descent import TOLERANCE, Descent, Solution, placed
from hetwin_core.kinematics.chains.held import held_chain
from hetwin_core.kinematics.chains.postures import Postures
from hetwin_core.kinematics.chains.solver import turning

Floats = NDArray[np.float64]

STARTS = 60
"""A pose that is not reached from so many is not reachable."""
_CHOICE = 6
"""Among so many solutions the nearest to the start is chosen."""


class Reach:
    """What the joints of a chain that may move reach, while the others stay where they are.

    Args:
        chain: with n joints.
        moving: (n,) which joints may move; None: all.
    """

    def __init__(self, chain: Chain, moving: NDArray[np.bool_] | None = None) -> None:
        self._chain = chain
        self._moving = np.ones(len(chain.joints), np.bool_) if moving is None else moving
        self._held: tuple[float, ...] | None = None

    def solve(self, pose: Floats, start: Floats, starts: int = STARTS) -> Solution:
        """Return joint positions within the limits that bring the chain's end to a pose.

        From the start itself if that leads there, else from tabled postures near the pose (the same ones at every
        call) the solution that moves no joint further than necessary.

        Args:
            pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
            start: (n,) where the joints are [rad or m].
            starts: from how many postures at most.
        """
        if not self._moving.any():
            return self._resting(pose, start)
        part = self._with_held(start[~self._moving])
        near = start[self._moving]
        solution = part.solve(pose, near, starts)
        positions = start.copy()
        positions[self._moving] = solution.positions
        return Solution(positions, solution.solved, solution.distance, solution.angle)

    def _resting(self, pose: Floats, start: Floats) -> Solution:
        there, turn = self._chain.place(start), np.empty(3)
        mj.mju_subQuat(turn, placed(pose).pose[3:], there.pose[3:])
        away = float(np.linalg.norm(pose[:3] - there.position))
        angle = float(np.linalg.norm(turn))
        return Solution(start, max(away, angle) <= TOLERANCE, away, angle)

    def _with_held(self, held: Floats) -> _Part:
        """The moving part for these positions of the others; it mostly is that of the last call."""
        if self._held != tuple(held.tolist()):
            self._held = tuple(held.tolist())
            names = [n for n, moves in zip(self._chain.joints, self._moving, strict=True) if moves]
            others = [name for name in self._chain.joints if name not in names]
            chain = held_chain(self._chain, dict(zip(others, self._held, strict=True)))
            self._part = _Part(chain)
        return self._part


def solve(
    chain: Chain, pose: Floats, start: Floats, moving: NDArray[np.bool_] | None = None
) -> Solution:
    """Return the solution of one pose, as `Reach.solve` does."""
    return Reach(chain, moving).solve(pose, start)


class _Part:
    """A chain all of whose joints may move."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._descent = Descent(chain)
        self._turning = turning(chain)

    @cached_property
    def _postures(self) -> Postures:
        return Postures(self._chain)

    def solve(self, pose: Floats, start: Floats, starts: int) -> Solution:
        target = placed(pose)
        position, quaternion = target.position, target.pose[3:]
        best = self._descent.run(position, quaternion, self._chain.clipped(start))
        found: list[Solution] = [best] if best.solved else []
        others = iter(()) if best.solved else self._others(position, target.rotation, starts)
        for posture in others:
            solution = self._descent.run(position, quaternion, posture)
            if solution.solved:
                found.append(solution)
                if len(found) == _CHOICE:
                    break
            elif solution.badness < best.badness:
                best = solution
        near = [self._near(solution, start) for solution in found]
        return min(near, key=lambda one: float(np.abs(one.positions - start).max()), default=best)

    def _others(self, position: Floats, rotation: Floats, starts: int) -> Iterator[Floats]:
        if starts > 1:
            yield from self._postures.near(position, rotation, starts - 1)

    def _near(self, solution: Solution, start: Floats) -> Solution:
        """The solution with joints that turn without limits on the shortest way from the start."""
        way = solution.positions - start
        way = np.where(self._turning, (way + np.pi) % (2.0 * np.pi) - np.pi, way)
        return Solution(start + way, solution.solved, solution.distance, solution.angle)
