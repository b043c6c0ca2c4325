"""The arm reaches what it is asked to, and says what it cannot reach."""

from __future__ import annotations

from pathlib import Path

import mujoco as mj
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.errors import RunFailed
from hetwin_stand_ins.reaching import DOWN, ArmKinematics

URDF = Path(__file__).resolve().parents[3] / "urdf" / "tabletop_arm.urdf"
MODEL = mj.MjModel.from_xml_path(str(URDF))
HAND, TIPS = "gripper_base", (0.0, 0.0, 0.12)
"""The hand, and the middle between its fingers [m]."""
ARM = (
    *("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"),
    *("wrist_roll_joint", "wrist_pitch_joint", "hand_roll_joint"),
)
HOME = np.array([0.0, -0.1, 1.6, 0.0, np.pi - 1.5, 0.0])
REACHER = ArmKinematics(MODEL, ARM, HAND, TIPS)


@examples(60)
@given(x=st.floats(0.35, 0.5), y=st.floats(-0.28, 0.28), z=st.floats(0.80, 1.0))
def test_hand_comes_to_every_place_above_the_table(x: float, y: float, z: float) -> None:
    target = np.array([x, y, z])
    joints = REACHER.solve(target, HOME)
    data = mj.MjData(MODEL)
    for name, position in zip(ARM, joints, strict=True):
        low, high = MODEL.joint(name).range
        assert low <= position <= high
        data.joint(name).qpos[0] = position
    mj.mj_kinematics(MODEL, data)
    hand = data.body(HAND)
    reached = hand.xpos + hand.xmat.reshape(3, 3) @ np.array(TIPS)
    np.testing.assert_allclose(reached, target, atol=2e-5)
    assert abs(hand.xquat @ DOWN) == pytest.approx(1.0, abs=1e-9)


def test_place_out_of_reach_is_refused() -> None:
    with pytest.raises(RunFailed, match=r"cannot reach \[2\.0, 0\.0, 1\.0\]"):
        REACHER.solve(np.array([2.0, 0.0, 1.0]), HOME)


def test_line_is_followed_from_posture_to_posture() -> None:
    start = REACHER.solve(np.array([0.4, -0.2, 0.9]), HOME)
    points = np.linspace([0.4, -0.2, 0.9], [0.45, 0.2, 0.9], 200)[1:]
    postures = REACHER.follow(points, start)
    reached = [REACHER.point(posture) for posture in postures]
    np.testing.assert_allclose(reached, points, atol=1e-8)
    assert np.abs(np.diff(postures, axis=0, prepend=start[None])).max() < 0.02


def test_line_that_leaves_the_reach_is_refused() -> None:
    points = np.linspace([0.4, 0.0, 0.9], [1.4, 0.0, 0.9], 200)
    with pytest.raises(RunFailed, match="cannot reach"):
        REACHER.follow(points, REACHER.solve(points[0], HOME))


def test_joints_in_another_order_are_refused() -> None:
    turned = ARM[::-1]
    with pytest.raises(ValueError, match=r"gripper_base is moved by \('shoulder_pan_joint'"):
        ArmKinematics(MODEL, turned, HAND, TIPS)
