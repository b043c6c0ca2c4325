"""When objects near a robot are raised and lowered."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.scene_of import scene_of

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import Fidelity, Floats, Shape, ShapeKind, pose_value
from hetwin_fidelity import MARGIN, NearRobotRules, Thresholds
from model_nodes.bounding_boxes import BoundingBoxes

LOW, MEDIUM, HIGH = (float(level) for level in Fidelity)
ROBOT = np.array([-1.0, -1.0, 0.0, 0.0, 1.0, 2.0])
STEP = 0.01


def moved(x: float) -> Floats:
    """The robot's box, further in x."""
    return np.asarray(ROBOT + np.array([x, 0, 0, x, 0, 0]))


class Scene:
    """Two cubes of 0.2 m, at 0.5 m and 3 m before the robot, and the rules with an inflation of 1 m."""

    def __init__(self, **thresholds: float) -> None:
        cube = Shape(ShapeKind.BOX, (0.2, 0.2, 0.2))
        entities = [Entity(n, EntityKind.OBJECT, shapes=(cube,)) for n in ("near", "far")]
        self.poses = np.array([pose_value((x, 0, 0.1)).data for x in (0.5, 3.0)])
        poses = {"near": self.poses[0], "far": self.poses[1]}
        boxes = BoundingBoxes(scene_of(entities, poses).layout, ["near", "far"])
        self.rules = NearRobotRules(boxes, Thresholds(**{"inflation": 1.0, **thresholds}))  # type: ignore[arg-type]
        self.time = 0.0

    def step(self, count: int = 1, robot: Floats = ROBOT) -> list[float]:
        for _ in range(count):
            self.time += STEP
            levels = self.rules.update(self.time, self.poses, robot)
        return [float(level) for level in levels]


def test_what_is_at_rest_out_of_reach_is_lowered_after_two_steps() -> None:
    scene = Scene()
    assert scene.step() == [HIGH, HIGH]
    assert scene.step() == [HIGH, MEDIUM]


def test_it_becomes_low_when_it_has_been_out_of_touch_with_what_is_high_for_two_steps() -> None:
    scene = Scene()
    scene.step(2)
    assert scene.step() == [HIGH, LOW]


@pytest.mark.parametrize("component", range(7, 13))
def test_what_moves_is_not_lowered(component: int) -> None:
    scene = Scene()
    scene.poses[1, component] = 0.1
    assert scene.step(5) == [HIGH, HIGH]
    scene.poses[1, component] = 0.0
    assert scene.step() == [HIGH, HIGH]
    scene.poses[1, component] = 0.1
    assert scene.step() == [HIGH, HIGH]
    scene.poses[1, component] = 0.0
    assert scene.step(2) == [HIGH, MEDIUM]


@pytest.mark.parametrize(("gap", "level"), [(0.01, MEDIUM), (0.05, LOW)])
def test_what_is_next_to_something_high_stays_medium(gap: float, level: float) -> None:
    scene = Scene()
    scene.poses[:, 0] = 1.05, 1.25 + gap
    assert scene.step(5) == [HIGH, level]


def test_what_is_apart_on_another_axis_is_low() -> None:
    scene = Scene()
    scene.poses[:, 0], scene.poses[1, 2] = 1.15, 0.5
    scene.poses[0, 0] = 1.05
    assert scene.step(5) == [HIGH, LOW]


def test_it_is_medium_at_once_when_something_high_comes_near() -> None:
    scene = Scene()
    scene.poses[:, 0] = 1.05, 1.35
    assert scene.step(5) == [HIGH, LOW]
    scene.poses[0, 0] = 1.14
    assert scene.step() == [HIGH, MEDIUM]
    scene.poses[0, 0] = 1.05
    assert scene.step() == [HIGH, MEDIUM]
    assert scene.step() == [HIGH, LOW]


def test_what_the_box_reaches_is_raised_at_once() -> None:
    scene = Scene()
    assert scene.step(3) == [HIGH, LOW]
    assert scene.step(1, moved(2.0)) == [HIGH, HIGH]


def test_what_the_robot_reaches_before_the_next_look_is_raised_now() -> None:
    scene = Scene()
    assert scene.step(3) == [HIGH, LOW]
    link = Entity("link", EntityKind.LINK, shapes=(Shape(ShapeKind.BOX, (0.2, 0.2, 0.2)),))
    boxes = BoundingBoxes(
        scene_of([link], {"link": pose_value((1.7, 0, 0.1)).data}).layout, ["link"]
    )
    values = pose_value((1.7, 0, 0.1)).data.copy()
    values[7] = 15.0
    robot = boxes.around_all(values, scene.rules.since(scene.time + STEP))
    assert robot[3] == pytest.approx(1.8 + 15.0 * STEP)
    assert scene.step(1, boxes.around_all(values))[1] < HIGH
    assert scene.step(1, robot)[1] == HIGH


@pytest.mark.parametrize(
    ("number", "value"), [(0, 1.0), (1, 3.0)], ids=["into the box", "beside it"]
)
def test_what_is_placed_while_it_is_low_is_looked_at_again(number: int, value: float) -> None:
    scene = Scene()
    assert scene.step(3) == [HIGH, LOW]
    scene.poses[1, number] = value
    assert scene.step() == [HIGH, HIGH if number == 0 else LOW]
    scene.poses[1, :2] = 1.0, 0.0
    assert scene.step() == [HIGH, HIGH]


def test_what_flies_out_of_the_box_before_the_next_look_keeps_others_medium() -> None:
    scene = Scene(margin=0.0)
    scene.poses[:, 0] = 0.8, 1.15
    assert scene.step(3)[1] == LOW
    scene.poses[0, 7] = 20.0
    assert scene.step()[1] == MEDIUM


def test_everything_is_raised_at_regular_intervals() -> None:
    scene = Scene(interval=1.0)
    levels = [scene.step()[1] for _ in range(250)]
    raised = [i for i in range(1, 250) if levels[i] == HIGH and levels[i - 1] != HIGH]
    assert raised == [99, 199]
    assert levels[102] == LOW


def test_without_an_interval_nothing_is_raised_by_time() -> None:
    scene = Scene(interval=0.0)
    scene.step(3)
    assert {scene.step()[1] for _ in range(2000)} == {LOW}


def test_what_moves_out_of_the_box_raises_what_it_is_about_to_touch() -> None:
    scene = Scene()
    scene.poses[:, 0] = 1.05, 1.27
    assert scene.step(3) == [HIGH, MEDIUM]
    scene.poses[0, [0, 7]] = 1.06, 0.2
    assert scene.step() == [HIGH, HIGH]


def test_without_a_margin_it_does_not() -> None:
    scene = Scene(margin=0.0)
    scene.poses[:, 0] = 1.05, 1.27
    scene.step(3)
    scene.poses[0, [0, 7]] = 1.06, 0.2
    assert scene.step() == [HIGH, MEDIUM]


@given(
    st.lists(
        st.tuples(st.floats(-3, 3), st.floats(-1, 1), st.floats(-1, 1)), min_size=3, max_size=30
    )
)
@example([(0, 0, 0), (0, 0, 0), (1.875, 0, 1.0)])  # turned while it is medium
def test_what_reaches_into_the_box_is_always_high(motion: list[tuple[float, float, float]]) -> None:
    scene = Scene()
    for x, speed, turn in motion:
        scene.poses[:, 7] = speed
        scene.poses[1, 3:7] = np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)
        moving = scene.rules.levels == HIGH
        scene.poses[moving, 0] += speed * STEP
        robot = moved(x)
        levels = scene.step(1, robot)
        for index, level in enumerate(levels):
            half = 0.1 if index == 0 else 0.1 * (abs(np.cos(turn)) + abs(np.sin(turn)))
            at = scene.poses[index, 0]
            if robot[0] - 1 < at + half - 1e-9 and at - half + 1e-9 < robot[3] + 1:
                assert level == HIGH


@given(st.lists(st.tuples(*[st.floats(-2, 2)] * 3), min_size=2, max_size=12), st.floats(-1, 1))
def test_what_is_low_is_never_near_what_is_high(
    places: list[tuple[float, float, float]], speed: float
) -> None:
    names = [f"cube_{i}" for i in range(len(places))]
    cube = Shape(ShapeKind.BOX, (0.2, 0.2, 0.2))
    poses = np.array([pose_value(place).data for place in places])
    poses[::2, 7] = speed
    values = dict(zip(names, poses, strict=True))
    layout = scene_of([Entity(n, EntityKind.OBJECT, shapes=(cube,)) for n in names], values).layout
    rules = NearRobotRules(BoundingBoxes(layout, names), Thresholds(inflation=0.1))
    for i in range(1, 6):
        levels = rules.update(i * STEP, poses, ROBOT)
    for low in poses[levels == LOW, :3]:
        for high in poses[levels == HIGH, :3]:
            assert np.abs(low - high).max() > 0.2 + MARGIN
