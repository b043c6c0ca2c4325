"""Every reachable pose is solved, within the limits; what solutions are is said by MuJoCo's own reader of the URDF."""

from __future__ import annotations

import numpy as np
import pytest
from support.robot_chains import ARMS, by_mujoco, chain_of, postures
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.solver import Solver, sampled_limits

EXACT = 1e-5


def reachable(chain: Chain, count: int, seed: int) -> Floats:
    """(count, 7) poses that random postures have."""
    return np.array([chain.place(row).pose for row in postures(chain, count, seed)])


def check(name: str, pose: Floats, positions: Floats) -> None:
    """All six errors are small and all joints within their limits, continuous ones within half a turn."""
    chain = chain_of(name)
    lower, upper = sampled_limits(chain)
    assert (positions >= lower - 1e-12).all()
    assert (positions <= upper + 1e-12).all()
    got, wanted = by_mujoco(name).matrix(chain.joints, positions), chain.place(positions)
    assert np.abs(got[:3, 3] - pose[:3]).max() <= EXACT
    way = quat2mat(pose[3:]) @ got[:3, :3].T
    assert np.trace(way) > 2.9  # no half turn, whose sines are small too
    assert np.abs(way - way.T).max() / 2.0 <= EXACT
    assert wanted.position == pytest.approx(got[:3, 3], abs=1e-9)


@pytest.mark.parametrize("name", ARMS)
def test_poses_are_solved_together(name: str) -> None:
    chain = chain_of(name)
    poses = reachable(chain, 200, 4)
    found = Solver(chain).solve_all(poses)
    assert found.solved.all()
    for pose, positions in zip(poses, found.positions, strict=True):
        check(name, pose, positions)


@pytest.mark.parametrize("name", ["tiago", "pr2", "ur5"])
def test_poses_are_solved_one_by_one(name: str) -> None:
    chain = chain_of(name)
    solver = Solver(chain)
    for pose in reachable(chain, 40, 5):
        found = solver.solve(pose)
        assert found.solved
        check(name, pose, found.positions)


def test_the_same_seed_finds_the_same() -> None:
    chain = chain_of("panda")
    poses = reachable(chain, 60, 6)
    one, two = Solver(chain, 3).solve_all(poses), Solver(chain, 3).solve_all(poses)
    np.testing.assert_array_equal(one.positions, two.positions)
    assert not np.array_equal(one.positions, Solver(chain, 4).solve_all(poses).positions)


def test_a_start_that_leads_there_is_kept() -> None:
    chain = chain_of("tiago")
    starts = postures(chain, 50, 7)
    poses = np.array([chain.place(row).pose for row in starts])
    near = np.clip(starts + 0.01, chain.lower, chain.upper)
    found = Solver(chain).solve_all(poses, near)
    assert found.solved.all()
    # A redundant arm may end beside the start of its pose, but not far away.
    assert np.median(np.abs(found.positions - starts).max(axis=1)) < 0.05
    one = Solver(chain).solve(poses[0], near[0])
    assert np.abs(one.positions - starts[0]).max() < 0.3


@pytest.mark.parametrize(("count", "seconds"), [(1, None), (40, 0.3)])
def test_what_is_out_of_reach_says_how_far_it_is(count: int, seconds: float | None) -> None:
    chain = chain_of("tiago")
    poses = np.tile([3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (count, 1))
    found = Solver(chain).solve_all(poses, seconds=seconds)
    assert not found.solved.any()
    assert ((found.distances > 1.8) & (found.distances < 3.0)).all()
    assert (found.positions <= chain.upper).all()


def test_time_can_be_limited() -> None:
    chain = chain_of("tiago")
    poses = np.tile([3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (60, 1))
    found = Solver(chain).solve_all(poses, seconds=0.02)
    assert not found.solved.any()
    assert np.isfinite(found.distances).all()
    assert not Solver(chain).solve(poses[0], seconds=0.0).solved
