"""The localization holds and releases correctly when fingers and object differ from their models."""

from __future__ import annotations

import numpy as np
import pytest
from support.four_fingers import BALL, CLOSED, OPENED, Scene, closed_on, full

from hetwin_core.ensemble.scene.poses import compose
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind, Value, pose_value

DEGREE = float(np.radians(1.0))
MIDDLE = pose_value((0.0, 0.0, 0.0)).data
RIGID = {"contact_depth": 0.0}
"""The simulated fingers do not penetrate the object."""
PINCHED = pose_value((0.0, 0.0, 0.012)).data
"""A ball at a distance at which the fingertips press its equator."""
LYING = pose_value((0.0, 0.0, -0.014)).data
"""A ball behind the fingertips, which support it from below when the hand points down."""


def take(scene: Scene, pose: Floats) -> None:
    """The object is at its prior pose in the hand."""
    value = Value(compose(scene.hand, pose), scene.time_ns)
    scene.model.take("thing", "pose", value, scene.snapshot())


def grasp(scene: Scene, pose: Floats = MIDDLE) -> Floats:
    """Let the fingers close and press; returns the estimate in the hand."""
    take(scene, pose)
    return scene.in_hand(scene.close_on(pose))


def fade(scene: Scene, effort: float, steps: int = 50) -> None:
    """The torques of the resting fingers fall to `effort` at once."""
    for _ in range(steps):
        scene.efforts = np.maximum(0.0, effort + 0.008 * scene.random.normal(size=12))
        scene.step()
        if scene.events:
            return


def move_fingers(scene: Scene, angle: float, steps: int) -> None:
    """Close the fingers by an angle, in rad, in each step, until something happens."""
    for _ in range(steps):
        scene.positions = [p + angle for p in scene.positions]
        scene.step()
        if scene.events:
            return


def names(scene: Scene) -> list[str]:
    return [event.name for event in scene.events]


@pytest.mark.parametrize("degrees", [-2.0, -1.0, 1.0, 2.0])
def test_an_offset_of_all_joints_is_learned_from_fingers_that_press(degrees: float) -> None:
    scene = Scene(BALL, offset=degrees * DEGREE, parameters=RIGID)
    estimate = grasp(scene)
    for _ in range(50):
        scene.step()
    assert scene.parent == "hand"
    assert scene.events == []
    assert np.linalg.norm(estimate[:3]) < 0.002


@pytest.mark.parametrize("degrees", [-1.0, 0.0, 2.0])
def test_opening_fingers_let_go_once_at_the_same_time_with_any_offset(degrees: float) -> None:
    scene = Scene(BALL, offset=degrees * DEGREE, parameters=RIGID)
    grasp(scene)
    held_until = scene.time_ns
    scene.efforts[:] = -0.05
    move_fingers(scene, -0.04, 5)
    assert names(scene) == ["let_go"]
    assert held_until <= scene.events[0].time_ns <= held_until + 20_000_000


@pytest.mark.parametrize("radius", [0.0313, 0.0347])
def test_an_object_of_another_size_is_held(radius: float) -> None:
    scene = Scene((Shape(ShapeKind.SPHERE, (radius,)),), parameters=RIGID)
    take(scene, MIDDLE)
    scene.positions = closed_on(BALL, MIDDLE)
    scene.press()
    for _ in range(50):
        estimate = scene.in_hand(scene.step())
    assert scene.parent == "hand"
    assert scene.events == []
    assert np.linalg.norm(estimate[:3]) < 0.002


def test_what_is_not_known_makes_the_covariance_grow() -> None:
    spreads = []
    for degrees in (0.0, 1.0, 2.0):
        scene = Scene(BALL, offset=degrees * DEGREE, parameters=RIGID)
        grasp(scene)
        spreads.append(float(np.sqrt(scene.covariance[0])))
    assert spreads[0] < spreads[1] < spreads[2]


def height_error(scene: Scene) -> float:
    """The standard deviation of the position along the hand's z [m]; the hand looks down."""
    return float(np.sqrt(full(scene.covariance)[2, 2]))


def test_an_object_of_another_size_may_have_stood_higher_or_lower() -> None:
    heights = []
    for radius in (0.033, 0.0313):
        scene = Scene((Shape(ShapeKind.SPHERE, (radius,)),), parameters=RIGID)
        take(scene, PINCHED)
        scene.positions = closed_on(BALL, PINCHED)
        scene.press()
        scene.step()
        heights.append(height_error(scene))
    assert heights[0] < 0.0007
    assert heights[1] > 0.0012


def test_fingers_below_an_object_may_have_raised_it() -> None:
    heights = []
    for pose in (PINCHED, LYING):
        scene = Scene(BALL, parameters=RIGID)
        grasp(scene, pose)
        heights.append(height_error(scene))
    assert heights[0] < 0.0008
    assert heights[1] > 0.0012


def test_fingers_whose_torques_die_have_lost_the_object() -> None:
    scene = Scene(BALL, parameters=RIGID)
    grasp(scene, PINCHED)
    fade(scene, 0.03)
    assert scene.events == []
    faded = scene.time_ns
    fade(scene, 0.0)
    assert names(scene) == ["let_go"]
    assert scene.events[0].time_ns - faded < 0.6e9


def test_an_object_that_lies_in_the_fingers_stays_until_they_open() -> None:
    scene = Scene(BALL, parameters=RIGID)
    grasp(scene, LYING)
    assert scene.parent == "hand"
    fade(scene, 0.0)
    assert scene.events == []
    move_fingers(scene, -0.02, 3)
    assert names(scene) == ["let_go"]


def test_weak_fingers_that_close_further_have_nothing_between_them() -> None:
    scene = Scene(BALL, parameters=RIGID)
    grasp(scene)
    fade(scene, 0.03, 10)
    assert scene.events == []
    held_until = scene.time_ns
    move_fingers(scene, 0.012, 5)
    assert names(scene) == ["let_go"]
    # Dated back to where they began to move: it takes some steps until they have closed so far.
    assert scene.time_ns >= held_until + 40_000_000
    assert held_until <= scene.events[0].time_ns <= held_until + 20_000_000


def without_efforts(scene: Scene, pose: Floats = MIDDLE) -> None:
    """Fingers close and stop on the object; they have no torque sensors."""
    take(scene, pose)
    target, start = np.array(closed_on(scene.shapes, pose)), np.array(scene.positions)
    for i in range(40):
        scene.positions = (start + (target - start) * min(1.0, i / 20)).tolist()
        scene.step()


@pytest.mark.parametrize("degrees", [0.0, 1.0])
def test_without_efforts_fingers_that_stop_hold_and_an_event_says_so(degrees: float) -> None:
    scene = Scene(BALL, offset=degrees * DEGREE, parameters=RIGID)
    without_efforts(scene)
    assert scene.parent == "hand"
    assert names(scene) == ["efforts_missing"]
    assert scene.events[0].arguments == {"hand": "hand", "object": "thing", "fingers": 4}
    for _ in range(3):
        scene.positions = [p - 0.04 for p in scene.positions]
        scene.step()
    assert names(scene) == ["efforts_missing", "let_go"]


def test_without_efforts_fingers_that_move_or_have_reached_their_end_hold_nothing() -> None:
    scene = Scene(BALL)
    take(scene, MIDDLE)
    opened, closed = np.array(OPENED * 4), np.array(CLOSED * 4)
    for i in range(60):
        scene.positions = (opened + (closed - opened) * min(1.0, i / 30)).tolist()
        scene.step()
        assert scene.parent == "world"
    assert scene.events == []
