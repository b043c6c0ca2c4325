"""The localization finds objects between fingers, moves them with the hand and releases them correctly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.four_fingers import BALL, BLOCK, ROD, Scene, full

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.scene.poses import compose, extrapolate, rotation_by, rotation_matrix
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind, Value, pose_value
from hetwin_in_hand import InHandLocalization
from hetwin_in_hand.model import POSE_COVARIANCE
from hetwin_suite.view.layers import ATTRIBUTE

LYING = rotation_by((math.pi / 2, 0.0, 0.0))
"""A rod whose axis is along the hand's y."""
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
ROUGH = {
    "prior_position": 0.005,
    "prior_height": 0.003,
    "prior_rotation": 3.0,
    "contact_noise": 0.0002,
    "contact_offset": 0.0001,
    "common_offset": 0.0005,
    "contact_depth": 0.0,
}
"""Larger prior errors than the defaults; the simulated fingers are rigid and their zeros are known."""


def believed(scene: Scene, pose: Floats, error: Floats, turn: Floats | None = None) -> Floats:
    """Take the object at a prior pose with an error along the hand's axes."""
    wrong = pose.copy()
    wrong[:3] += error
    if turn is not None:
        wrong = compose(
            pose_value(wrong[:3], rotation_by(turn.tolist())).data,
            pose_value((0, 0, 0), pose[3:7]).data,
        )
    world = compose(scene.hand, wrong)
    scene.model.take("thing", "pose", Value(world, scene.time_ns), scene.snapshot())
    return world


def grasped(
    shapes: tuple[Shape, ...],
    pose: Floats,
    error: Floats,
    seed: int = 0,
    turn: Floats | None = None,
) -> tuple[Scene, Floats]:
    """The scene with the object in the hand, and the estimate in the hand."""
    scene = Scene(shapes, seed=seed, parameters=ROUGH)
    believed(scene, pose, error, turn)
    return scene, scene.in_hand(scene.close_on(pose))


def axis_error(a: Floats, b: Floats) -> float:
    """Angle between the axes (z) of two objects, in degrees."""
    cosine = abs(float(rotation_matrix(a[3:7])[:, 2] @ rotation_matrix(b[3:7])[:, 2]))
    return math.degrees(math.acos(min(1.0, cosine)))


@pytest.mark.parametrize("seed", range(6))
def test_a_ball_is_found(seed: int) -> None:
    random = np.random.default_rng(seed)
    truth = pose_value(random.normal(0.0, 0.004, 3)).data
    _, estimate = grasped(BALL, truth, random.normal(0.0, 0.005, 3), seed)
    assert np.linalg.norm(estimate[:2] - truth[:2]) < 0.002
    assert np.linalg.norm(estimate[:3] - truth[:3]) < 0.006


def test_errors_are_as_large_as_the_covariance_says() -> None:
    inside, off = [], []
    for seed in range(16):
        random = np.random.default_rng([7, seed])
        truth = pose_value(random.normal(0.0, 0.003, 3)).data
        # The hand looks down: its z is up or down in the world.
        scene, estimate = grasped(BALL, truth, random.normal(0.0, (0.005, 0.005, 0.003)), seed)
        error = estimate[:3] - truth[:3]
        bound = error @ np.linalg.solve(full(scene.covariance)[:3, :3], error)
        inside.append(bound < 7.815)
        off.append(float(np.linalg.norm(error)))
    assert np.mean(inside) >= 0.9
    assert np.median(off) < 0.001


@pytest.mark.parametrize("shapes", [ROD, BLOCK], ids=["rod", "block"])
@pytest.mark.parametrize("seed", range(3))
def test_a_long_object_is_found_with_its_axis(shapes: tuple[Shape, ...], seed: int) -> None:
    random = np.random.default_rng([3, seed])
    lying = LYING if shapes is ROD else UPRIGHT
    truth = pose_value(random.normal(0.0, 0.003, 3), lying).data
    turn = random.normal(0.0, np.radians(3.0), 3)
    _, estimate = grasped(shapes, truth, random.normal(0.0, 0.003, 3), seed, turn)
    assert np.linalg.norm(estimate[[0, 2]] - truth[[0, 2]]) < 0.006
    assert axis_error(estimate, truth) < 6.0


def test_a_wrong_turn_about_the_flexing_direction_is_put_right() -> None:
    truth = pose_value((0.0, 0.0, 0.0), LYING).data
    turn = np.array((0.0, 0.0, np.radians(8.0)))
    scene = Scene(ROD, parameters={**ROUGH, "prior_rotation": 8.0})
    world = believed(scene, truth, np.zeros(3), turn)
    assert axis_error(scene.in_hand(world), truth) == pytest.approx(8.0, abs=0.1)
    assert axis_error(scene.in_hand(scene.close_on(truth)), truth) < 1.5


def test_what_is_not_touched_stays_where_it_is() -> None:
    scene = Scene(BALL)
    world = believed(scene, pose_value((0.0, 0.0, 0.0)).data, np.array((0.003, 0.0, 0.0)))
    for _ in range(10):
        scene.hand = compose(pose_value((0.0, 0.0, 0.002)).data, scene.hand)
        assert np.array_equal(scene.step()[:7], world[:7])
        assert scene.parent == "world"


def test_it_moves_with_the_hand_once_it_is_held() -> None:
    truth = pose_value((0.002, -0.001, 0.003)).data
    scene, _ = grasped(BALL, truth, np.array((-0.004, 0.004, 0.0)))
    turning = pose_value((0, 0, 0), UPRIGHT, (0.3, 0.1, 0.4), (0.2, -0.8, 0.5)).data
    for _ in range(50):
        scene.hand = extrapolate(np.concatenate([scene.hand[:7], turning[7:]]), 0.02)
        estimate = scene.step()
        assert scene.parent == "hand"
    assert np.linalg.norm(estimate[:3] - compose(scene.hand, truth)[:3]) < 0.004


def test_the_velocity_at_release_is_that_of_the_hand() -> None:
    scene, _ = grasped(BALL, pose_value((0.0, 0.0, 0.0)).data, np.zeros(3))
    moving = np.array((0.4, -0.3, 0.2, 0.5, 0.0, -1.0))
    for _ in range(20):
        # The hand's own twist says nothing of use: it may be noise.
        scene.hand = extrapolate(np.concatenate([scene.hand[:7], moving]), 0.02)
        scene.hand[7:] = scene.random.normal(size=6)
        scene.step()
    released = scene.model.release("thing", "pose", scene.snapshot())
    assert released.parent == "world"
    arm = released.data[:3] - scene.hand[:3]
    expected = moving[:3] + np.cross(moving[3:], arm)
    assert released.data[7:10] == pytest.approx(expected, abs=0.02)
    assert released.data[10:13] == pytest.approx(moving[3:], abs=0.25)


def test_fingers_that_open_let_it_fall() -> None:
    scene, _ = grasped(BALL, pose_value((0.0, 0.0, 0.0)).data, np.zeros(3))
    start, held_until = scene.step(), scene.time_ns
    scene.efforts[:] = -0.05
    for _ in range(6):
        scene.positions = [p - 0.08 for p in scene.positions]
        pose = scene.step()
    event = scene.events[0]
    assert (event.name, event.arguments) == ("let_go", {"hand": "hand", "object": "thing"})
    assert held_until <= event.time_ns <= held_until + 20_000_000
    fallen = (scene.time_ns - event.time_ns) * 1e-9
    assert pose[2] == pytest.approx(start[2] - 0.5 * 9.81 * fallen**2, abs=0.002)
    released = scene.model.release("thing", "pose", scene.snapshot())
    assert released.data[9] == pytest.approx(-9.81 * fallen, abs=0.02)
    assert np.array_equal(released.data, pose)


def test_what_was_taken_is_released_unchanged() -> None:
    scene = Scene(BALL)
    world = believed(scene, pose_value((0.01, 0.0, 0.0)).data, np.zeros(3))
    released = scene.model.release("thing", "pose", scene.snapshot())
    assert np.array_equal(released.data[:7], world[:7])


def test_a_cylinder_may_turn_about_itself_unseen() -> None:
    """The roll stays unknown, which does not degrade the rest of the estimate."""
    truth = pose_value((0.0, 0.0, 0.0), LYING).data
    scene, _ = grasped(ROD, truth, np.array((0.003, 0.002, 0.0)))
    for _ in range(500):
        estimate = scene.in_hand(scene.step())
    assert axis_error(estimate, truth) < 5.0
    spread = np.sqrt(np.diag(full(scene.covariance)))
    # Its axis is the hand's y: rotations about that are not seen, those about z are.
    assert spread[4] > spread[5]
    assert spread[4] <= 1.0 + 1e-9
    assert np.linalg.eigvalsh(full(scene.covariance)).min() > 0


def test_it_refuses_what_it_cannot_hold() -> None:
    scene = Scene((Shape(ShapeKind.MESH),))
    lying = Value(pose_value((0.0, 0.0, 0.0)).data, 0)
    with pytest.raises(Refused, match="no sphere"):
        scene.model.take("thing", "pose", lying, scene.snapshot())
    scene = Scene(BALL)
    with pytest.raises(Refused, match="table is not an object"):
        scene.model.take("table", "pose", lying, scene.snapshot())
    with pytest.raises(Refused, match="not a finite pose"):
        scene.model.take("thing", "pose", Value(np.full(13, np.nan), 0), scene.snapshot())
    believed(scene, pose_value((0.0, 0.0, 0.0)).data, np.zeros(3))
    with pytest.raises(Refused, match="the hand has thing"):
        scene.model.take("thing", "pose", lying, scene.snapshot())
    with pytest.raises(Refused, match="not responsible for table"):
        scene.model.release("table", "pose", scene.snapshot())


def test_a_negative_noise_is_bad_input() -> None:
    with pytest.raises(BadInput, match="contact_noise"):
        Scene(BALL, parameters={"contact_noise": -1.0})
    with pytest.raises(BadInput, match=r"^hand: .*found 3"):
        InHandLocalization().contribute({"hand": 3}, 0)


def test_it_writes_what_the_view_reads() -> None:
    assert POSE_COVARIANCE.name == ATTRIBUTE
