"""Chains place their end where the URDF says, and their inverse is checked by other code than theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from support.robot_files import TABLETOP_ARM, example
from transforms3d.affines import compose
from transforms3d.axangles import axangle2mat
from transforms3d.quaternions import mat2quat, qinverse, qmult, quat2axangle, quat2mat

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.chains.chain import Chain
from hetwin_core.kinematics.chains.descents import TOLERANCE
from hetwin_core.kinematics.chains.inverse import PartialIK
from hetwin_core.kinematics.chains.screws import Segment
from model_nodes.main_physics.world.chains import chain_to
from model_nodes.main_physics.world.description import Body, JointKind
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

ROBOTS = {
    "tabletop_arm": (None, "gripper_base"),
    "tiago": ("tiago_description/robots/tiago.urdf", "arm_tool_link"),
    "panda": ("panda_description/urdf/panda.urdf", "panda_link8"),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "tool0"),
}


def robot(name: str) -> tuple[Body, str]:
    path, link = ROBOTS[name]
    file: Path = TABLETOP_ARM if path is None else example(path)
    return read_urdf(file, Notes()), link


def by_matrices(body: Body, link: str, chain: Chain, positions: Sequence[float]) -> Floats:
    """(4, 4) of a link in the root, by multiplying the transforms of the description."""
    at = dict(zip(chain.joints, positions, strict=True))
    links = {each.name: each for each in body.links}
    above = {joint.child: joint for joint in body.joints}
    whole = np.eye(4)
    while link in above:
        joint, pose = above[link], links[link].pose
        own = compose(pose[:3], quat2mat(pose[3:]), np.ones(3))
        axis = np.array(joint.axis)
        if joint.kind is JointKind.HINGE:
            own = own @ compose(np.zeros(3), axangle2mat(axis, at[joint.name]), np.ones(3))
        elif joint.kind is JointKind.SLIDE:
            own = own @ compose(axis * at[joint.name], np.eye(3), np.ones(3))
        whole, link = own @ whole, joint.parent
    return np.asarray(whole)


def postures(chain: Chain, count: int, seed: int) -> Floats:
    lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
    upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
    return np.random.default_rng(seed).uniform(lower, upper, (count, len(lower)))


@pytest.mark.parametrize("name", ROBOTS)
def test_the_end_is_where_the_description_says(name: str) -> None:
    body, link = robot(name)
    chain = chain_to(body, link)
    for positions in postures(chain, 20, 1):
        there, expected = chain.place(positions), by_matrices(body, link, chain, positions)
        np.testing.assert_allclose(there.position, expected[:3, 3], atol=1e-12)
        np.testing.assert_allclose(there.rotation, expected[:3, :3], atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_reachable_pose_is_solved_within_the_limits(name: str) -> None:
    body, link = robot(name)
    chain = chain_to(body, link)
    start = np.array(
        [j.resting for n in chain.joints for j in body.moving_joints if j.name == n], np.float64
    )
    for positions in postures(chain, 25, 2):
        wanted = by_matrices(body, link, chain, positions)
        pose = np.concatenate((wanted[:3, 3], mat2quat(wanted[:3, :3])))
        solution = PartialIK(chain).solve(pose, start)
        assert solution.solved
        assert (solution.positions >= chain.lower).all()
        assert (solution.positions <= chain.upper).all()
        got = by_matrices(body, link, chain, solution.positions)
        np.testing.assert_allclose(got[:3, 3], wanted[:3, 3], atol=TOLERANCE)
        turn = qmult(mat2quat(got[:3, :3]), qinverse(pose[3:]))
        angle = quat2axangle(turn)[1]
        assert min(angle, 2 * np.pi - angle) <= 2 * TOLERANCE


def test_a_near_pose_is_reached_by_a_small_motion() -> None:
    body, link = robot("tabletop_arm")
    chain = chain_to(body, link)
    start = np.array([0.2, 0.5, 1.2, 0.1, 0.9, 0.0])
    near = chain.place(start + 0.02).pose
    solution = PartialIK(chain).solve(near, start)
    assert solution.solved
    assert np.abs(solution.positions - start).max() < 0.1


def test_what_is_out_of_reach_is_not_solved_and_says_how_far_it_is() -> None:
    body, link = robot("tabletop_arm")
    chain = chain_to(body, link)
    solution = PartialIK(chain).solve(np.array([3.0, 0, 1, 1, 0, 0, 0]), np.zeros(6))
    assert not solution.solved
    assert 1.5 < solution.distance < 3.0
    assert (solution.positions <= chain.upper).all()


def test_joints_that_may_not_move_stay() -> None:
    body, link = robot("tiago")
    chain = chain_to(body, link)
    start = np.array([0.1, 0.5, -1.0, -0.2, 1.5, -1.0, 0.5, 0.0])
    moving = np.array([name != "torso_lift_joint" for name in chain.joints])
    pose = chain.place(start + np.where(moving, 0.2, 0.0)).pose
    solution = PartialIK(chain, moving).solve(pose, start)
    assert solution.solved
    assert solution.positions[0] == start[0]
    lifted = chain.place(start + 0.25).pose + np.array([0, 0, 1.5, 0, 0, 0, 0])
    assert not PartialIK(chain, moving).solve(lifted, start).solved


def test_a_joint_turns_about_its_anchor() -> None:
    hinge = Segment("door", (0, 0, 0, 1, 0, 0, 0), "hinge", anchor=(0.5, 0.0, 0.0))
    chain = Chain([hinge, Segment("handle", (-0.5, 0, 0, 1, 0, 0, 0))])
    np.testing.assert_allclose(chain.place(np.array([np.pi])).position, [1.5, 0, 0], atol=1e-12)
