"""The benchmark of inverse kinematics checks solutions with an independent forward kinematics."""

from __future__ import annotations

import inverse_kinematics as benchmark
import numpy as np
import pytest
from particle_swarm import Swarm
from support.robot_chains import chain_of, postures

from hetwin_calibration.robot.least_motion import middle


@pytest.mark.parametrize("solver", ["newton", "newton_batch"])
def test_a_row_has_counts_and_times(solver: str) -> None:
    chain_of("ur5")
    row = benchmark.measure("ur5", solver, 20)
    assert row is not None
    assert (row["robot"], row["solver"], row["solved"], row["of"]) == ("ur5", solver, 20, 20)
    assert 0.0 < row["median_ms"] <= row["p95_ms"]


def test_claims_are_not_believed() -> None:
    chain = chain_of("ur5")
    right = postures(chain, 4, 1)
    poses = np.array([chain.place(row).pose for row in right])
    claimed = right.copy()
    claimed[1] += 1e-4
    claimed[2, 0] += 4.0 * np.pi  # there, but beyond the limits
    said = np.array([True, True, True, False])
    found = benchmark.Found(claimed, said, np.zeros(4))
    assert benchmark.checked("ur5", chain, poses, found) == 1


def test_the_swarm_comes_near_and_not_there() -> None:
    chain = chain_of("tiago")
    poses = np.array([chain.place(row).pose for row in postures(chain, 3, 9)])
    before = np.tile(middle(chain), (3, 1))
    found = Swarm(chain, seed=1, iterations=60).solve(poses, before)
    free = Swarm(chain, seed=1, iterations=60, with_motion=False).solve(poses, before)
    assert not found.solved.any()
    assert free.distances.mean() < found.distances.mean()
    assert (found.positions >= chain.lower).all()
