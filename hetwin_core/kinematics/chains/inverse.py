"""Inverse kinematics by damped least squares within the joints' limits, from several starts."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.chain import Chain, Placed
from hetwin_core.kinematics.chains.descent import TOLERANCE, Solution, placed

Floats = NDArray[np.float64]

_STEPS = 30
_LARGEST_STEP = 1.0
_SLOW = 0.7
"""A step that leaves more than this share of the squared error is a slow one."""
_SLOW_STEPS = 4
_STARTS = 60
_CHOICE = 6
"""Among so many solutions the nearest to the start is chosen."""


def solve(
    chain: Chain, pose: Floats, start: Floats, moving: NDArray[np.bool_] | None = None
) -> Solution:
    """Return joint positions within the limits that bring the chain's end to a pose.

    From the start itself if that leads there, else from random positions (the same ones at every call) the solution
    that moves no joint further than necessary.

    Args:
        chain: with n joints.
        pose: (7,) x y z [m], qw qx qy qz, in the frame of the chain's root.
        start: (n,) where the joints are [rad or m].
        moving: (n,) which joints may move; None: all.
    """
    target = placed(pose)
    free = np.ones(len(chain.joints), np.bool_) if moving is None else moving
    found: list[Solution] = []
    best: Solution | None = None
    for i, seed in enumerate(_starts(chain, start, free)):
        solution = _descend(chain, target, seed, free)
        if solution.solved:
            if i == 0:
                return solution
            found.append(solution)
            if len(found) == _CHOICE:
                break
        elif best is None or solution.badness < best.badness:
            best = solution
    if found:
        return min(found, key=lambda one: float(np.abs(one.positions - start).max()))
    assert best is not None  # there is at least one start
    return best


def _starts(chain: Chain, start: Floats, free: NDArray[np.bool_]) -> Iterator[Floats]:
    yield np.where(free, chain.clipped(start), start)
    generator = np.random.default_rng(1)
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    for _ in range(_STARTS):
        yield np.where(free, generator.uniform(lower, upper), start)


def _descend(chain: Chain, target: Placed, start: Floats, free: NDArray[np.bool_]) -> Solution:
    positions, slow = start, 0
    error = _error(target, chain.place(positions))
    square = float(error @ error)
    for _ in range(_STEPS):
        if np.abs(error).max() <= TOLERANCE:
            break
        positions = positions + _step(chain, error, square, positions, free)
        positions = np.where(free, chain.clipped(positions), positions)
        error = _error(target, chain.place(positions))
        before, square = square, float(error @ error)
        slow = slow + 1 if square > _SLOW * before else 0
        if slow == _SLOW_STEPS:
            break
    solved = bool(np.abs(error).max() <= TOLERANCE)
    distance, angle = float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))
    return Solution(positions, solved, distance, angle)


def _step(
    chain: Chain, error: Floats, square: float, positions: Floats, free: NDArray[np.bool_]
) -> Floats:
    """The change of the joints that reduces the error; none of a joint that is at a limit and pushes against it."""
    jacobian = chain.jacobian()
    used = free.copy()
    for _ in range(2):
        j = jacobian[:, used]
        damped = j @ j.T + (0.05 * square + 1e-10) * np.eye(6)
        step = np.zeros(len(positions))
        step[used] = j.T @ np.linalg.solve(damped, error)
        outward = ((positions <= chain.lower) & (step < 0)) | (
            (positions >= chain.upper) & (step > 0)
        )
        if not (outward & used).any():
            break
        used &= ~outward
    largest = float(np.abs(step).max(initial=0.0))
    return step * min(1.0, _LARGEST_STEP / largest) if largest > 0.0 else step


def _error(target: Placed, there: Placed) -> Floats:
    """(6,) way and rotation from where the end is to the target, along the root's axes [m, rad]."""
    quaternion, turn = np.empty(4), np.empty(3)
    mj.mju_mat2Quat(quaternion, (target.rotation @ there.rotation.T).ravel())
    mj.mju_quat2Vel(turn, quaternion, 1.0)
    return np.concatenate((target.position - there.position, turn))
