"""The solution with the least motion moves joints less, and reaches its pose as exactly."""

from __future__ import annotations

import numpy as np
from support.robot_chains import by_mujoco, chain_of, postures

from hetwin_calibration.robot.least_motion import middle, motion, solve_with_least_motion
from hetwin_core.kinematics.chains.solver import Solver

EXACT = 1e-5


def test_least_motion_moves_less_and_is_as_exact() -> None:
    chain = chain_of("tiago")
    poses = np.array([chain.place(row).pose for row in postures(chain, 50, 8)])
    before = np.tile(middle(chain), (50, 1))
    first = Solver(chain).solve_all(poses)
    least = solve_with_least_motion(Solver(chain), poses, before)
    assert least.solved.all()
    for pose, positions in zip(poses, least.positions, strict=True):
        got = by_mujoco("tiago").matrix(chain.joints, positions)
        assert np.abs(got[:3, 3] - pose[:3]).max() <= EXACT
    assert motion(least.positions, before).mean() <= 0.85 * motion(first.positions, before).mean()
