"""The two-hand robot and its worlds are as their comments say."""

from __future__ import annotations

from pathlib import Path

import mujoco as mj
import numpy as np
import pytest

from hetwin_bauer2022 import solar_panel
from hetwin_bauer2022.tennis_table import (
    BALL_ABOVE_FOOT,
    BALL_MASS,
    BALL_RADIUS,
    RIM_HALF,
    RIM_TOP,
    STAND_AT,
)
from hetwin_bauer2022.two_hands.joints import (
    ALL,
    CLOSED,
    FINGERS,
    GRASP_OFFSET,
    OPENED,
    PALM,
)
from hetwin_stand_ins.solids import read_solids

ROOT = Path(__file__).resolve().parents[3]
URDF = ROOT / "urdf" / "two_hand_robot.urdf"


@pytest.fixture(scope="module")
def robot() -> mj.MjModel:
    return mj.MjModel.from_xml_path(str(URDF))


def tips(model: mj.MjModel, posture: np.ndarray) -> np.ndarray:
    """(4, 3) middles of the right finger tips in the palm."""
    data = mj.MjData(model)
    for name, position in zip(FINGERS["right"], np.tile(posture, 4), strict=True):
        data.joint(name).qpos[0] = position
    mj.mj_kinematics(model, data)
    palm = data.body(PALM)
    turn = palm.xmat.reshape(3, 3)
    names = [f"right_hand_finger_{finger}_link_3" for finger in range(1, 5)]
    links = [data.body(name) for name in names]
    ends = [link.xpos + link.xmat.reshape(3, 3) @ [0, 0, 0.022] for link in links]
    return np.array([turn.T @ (end - palm.xpos) for end in ends])


def test_robot_has_two_arms_of_seven_and_hands_of_four_times_three_joints(
    robot: mj.MjModel,
) -> None:
    assert {robot.joint(i).name for i in range(robot.njnt)} == set(ALL)
    assert robot.nv == 4 + 2 * (7 + 12)
    assert np.all(robot.jnt_actfrcrange[:, 1] > 0), "every joint has an effort limit"
    assert np.all(robot.body_inertia[1:] > 0)


def test_robot_does_not_touch_itself_at_rest(robot: mj.MjModel) -> None:
    data = mj.MjData(robot)
    mj.mj_forward(robot, data)
    assert data.ncon == 0


def test_arms_hang_and_point_down_at_zero(robot: mj.MjModel) -> None:
    data = mj.MjData(robot)
    mj.mj_forward(robot, data)
    for side, sign in (("right", -1), ("left", 1)):
        palm = data.body(f"{side}_hand_palm")
        assert palm.xpos[1] * sign == pytest.approx(0.26, abs=1e-9)
        np.testing.assert_allclose(palm.xmat.reshape(3, 3)[:, 2], [0, 0, -1], atol=1e-8)


def test_open_fingers_pass_a_ball_and_closed_ones_nearly_touch(robot: mj.MjModel) -> None:
    opened, closed = tips(robot, OPENED), tips(robot, CLOSED)
    assert np.linalg.norm(opened - GRASP_OFFSET, axis=1).min() > BALL_RADIUS + 0.02
    gap = np.linalg.norm(closed[0] - closed[2])
    assert 0.02 <= gap < 0.03, "tips have a radius of 10 mm"


def test_ball_lies_on_the_rim_of_its_stand() -> None:
    solids = read_solids(ROOT / "worlds" / "tennis_table.sdf")
    (ball,) = (s for s in solids if s.model == "ball")
    foot = next(s.origin for s in solids if s.model == "stand")
    assert (ball.size[0], ball.mass) == (BALL_RADIUS, BALL_MASS)
    assert foot[:3] == pytest.approx(STAND_AT)
    assert ball.position[2] - foot[2] == pytest.approx(BALL_ABOVE_FOOT, abs=1e-8)
    drop = BALL_ABOVE_FOOT - RIM_TOP
    assert np.hypot(drop, RIM_HALF) == pytest.approx(ball.size[0])


def test_shaft_fits_the_hole_with_a_tenth_of_a_millimetre() -> None:
    solids = {s.name: s for s in read_solids(ROOT / "worlds" / "solar_panel.sdf")}
    right, left = solids["wall_1"], solids["wall_2"]
    width = (right.position[0] - right.size[0] / 2) - (left.position[0] + left.size[0] / 2)
    assert width - 2 * solids["shaft"].size[0] == pytest.approx(1e-4, abs=1e-9)
    depth = right.position[2] + right.size[2] / 2 - right.origin[2]
    assert depth == pytest.approx(0.04)
    hull = solar_panel.shaft_hull()
    reach = np.hypot(hull[:, 0], hull[:, 1])
    assert reach.max() == pytest.approx(0.012)
    origin = solids["bottom"].origin[:3]
    assert origin == pytest.approx(solar_panel.SPU_AT)
    assert solids["handle"].size == pytest.approx([0.024, solar_panel.HANDLE_LENGTH])
    assert reach[hull[:, 2] == 0].max() == pytest.approx(0.007), "a chamfer of 5 mm"
