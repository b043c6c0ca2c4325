"""Of the solutions of a pose, the one for which the joints move least."""

from __future__ import annotations

import numpy as np

from hetwin_suite.model import Floats
from hetwin_suite.robot import Chain, Solutions, Solver, sampled_limits

CHOICE = 25
"""Solutions of a pose among which the one with the least motion is chosen."""
_WEIGHTS = (1.0, 0.5, 0.5)
_WRIST = 0.1
"""Weight of the joints that follow."""


def motion_weights(count: int) -> Floats:
    """Return (n,) the weights of the joints' motions, the first of them that of the joint next to the base."""
    return np.array([*_WEIGHTS, *[_WRIST] * count][:count])


def motion(positions: Floats, before: Floats) -> Floats:
    """Return (...) how far joints move, as the sum of squares of their weighted ways.

    Args:
        positions, before: (..., n) [rad or m].
    """
    ways = motion_weights(positions.shape[-1]) * (positions - before)
    return np.asarray(np.sum(ways * ways, axis=-1))


def middle(chain: Chain) -> Floats:
    """Return (n,) the middle of the joints' limits [rad or m]."""
    lower, upper = sampled_limits(chain)
    return np.asarray((lower + upper) / 2.0)


def solve_with_least_motion(
    solver: Solver, poses: Floats, before: Floats, seconds: float | None = None
) -> Solutions:
    """Return for each of m poses the solution with the least motion among `CHOICE`, or the best that was found.

    Args:
        solver: of a chain with n joints.
        poses: (m, 7).
        before: (m, n) where the joints were [rad or m]; the first descent starts there.
        seconds: of processor time for all of it; None: no limit.
    """
    share = None if seconds is None else seconds / CHOICE
    best = solver.solve_all(poses, before, share)
    for _ in range(CHOICE - 1):
        todo = np.flatnonzero(best.solved)  # what cannot be reached has been tried from everywhere
        if not len(todo):
            break
        other = solver.solve_all(poses[todo], solver.postures.random(len(todo)), share)
        nearer = motion(other.positions, before[todo]) < motion(best.positions[todo], before[todo])
        best.take(todo, other, other.solved & nearer)
    return best
