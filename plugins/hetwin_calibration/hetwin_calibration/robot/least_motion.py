"""Inverse kinematics with the least motion of the joints."""

from __future__ import annotations

import numpy as np

from hetwin_suite.model import Floats
from hetwin_suite.robot import Chain, Solutions, Solver, sampled_limits

CHOICE = 25
"""Number of solutions of a pose from which the one with the least motion is chosen."""
_WEIGHTS = (1.0, 0.5, 0.5)
_WRIST = 0.1
"""Weight of all further joints."""


def motion_weights(count: int) -> Floats:
    """Return the weights (n,) of the joints' motions, from the base on."""
    return np.array([*_WEIGHTS, *[_WRIST] * count][:count])


def motion(positions: Floats, before: Floats) -> Floats:
    """Return the motion (...) of joints, the sum of the squares of their weighted displacements.

    Args:
        positions, before: (..., n) [rad or m].
    """
    displacements = motion_weights(positions.shape[-1]) * (positions - before)
    return np.asarray(np.sum(displacements * displacements, axis=-1))


def middle(chain: Chain) -> Floats:
    """Return the middle (n,) of the joints' limits [rad or m]."""
    lower, upper = sampled_limits(chain)
    return np.asarray((lower + upper) / 2.0)


def solve_with_least_motion(
    solver: Solver, poses: Floats, before: Floats, seconds: float | None = None
) -> Solutions:
    """Return for each of m poses the solution with the least motion among `CHOICE`; else the best approximation.

    Args:
        solver: solver of a chain with n joints.
        poses: (m, 7) x y z [m], qw qx qy qz.
        before: (m, n) previous joint positions [rad or m]; the first descent starts there.
        seconds: processor time for all poses [s]; None: no limit.
    """
    share = None if seconds is None else seconds / CHOICE
    best = solver.solve_all(poses, before, share)
    for _ in range(CHOICE - 1):
        todo = np.flatnonzero(best.solved)  # an unsolved pose was already tried from many starts
        if not len(todo):
            break
        other = solver.solve_all(poses[todo], solver.postures.random(len(todo)), share)
        nearer = motion(other.positions, before[todo]) < motion(best.positions[todo], before[todo])
        best.take(todo, other, other.solved & nearer)
    return best
