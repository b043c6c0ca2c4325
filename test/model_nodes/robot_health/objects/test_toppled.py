"""Objects that topple."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from support.object_stories import BOX, Moment, moving, still, tell

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.values import Shape, ShapeKind

BALL = (Shape(ShapeKind.SPHERE, (0.05,)),)
CAN = (Shape(ShapeKind.CYLINDER, (0.03, 0.1)),)


def turn(
    degrees: float, axis: tuple[float, float, float] = (1, 0, 0)
) -> tuple[float, float, float, float]:
    half = math.radians(degrees) / 2
    x, y, z = (math.sin(half) * c for c in axis)
    return math.cos(half), x, y, z


def tilting(
    to: float, *, axis: tuple[float, float, float] = (1, 0, 0), held: bool = False
) -> Callable[[float], Moment]:
    """Stands for 1 s, turns at 180 degrees per second, and stays."""

    def story(time: float) -> Moment:
        angle = min(max(time - 1.0, 0.0) * 180.0, to)
        rate = tuple(math.pi * c for c in axis) if 0.0 < angle < to else (0.0, 0.0, 0.0)
        pose = moving((0, 0, 0.3), (0, 0, 0), (rate[0], rate[1], rate[2]), turn(angle, axis))
        return Moment(pose, near=("table",), held=held and time < 2.5)

    return story


def toppled(story: Callable[[float], Moment], shapes: tuple[Shape, ...] = BOX) -> list[Event]:
    return [event for event in tell(story, 4.0, shapes=shapes) if event.name == "toppled"]


def test_what_tilts_by_more_than_45_degrees_topples_once() -> None:
    (event,) = toppled(tilting(90))
    assert event.arguments["severity"] == "warning"
    assert event.arguments["angle"] == pytest.approx(math.radians(48), abs=math.radians(4))
    assert event.arguments["to"] == pytest.approx(1.25, abs=0.03)


@pytest.mark.parametrize(
    ("story", "shapes"),
    [
        (tilting(40), BOX),
        (tilting(170, axis=(0, 0, 1)), BOX),  # turns where it stands
        (tilting(170), BALL),
        (tilting(90, held=True), BOX),
    ],
    ids=["less", "upright", "ball", "held"],
)
def test_other_turns_are_none(story: Callable[[float], Moment], shapes: tuple[Shape, ...]) -> None:
    assert toppled(story, shapes) == []


def test_a_can_topples_by_lying_down_and_not_by_rolling() -> None:
    assert len(toppled(tilting(90), CAN)) == 1

    def rolling(time: float) -> Moment:
        t = max(time - 1.0, 0.0)
        w, x, y, z = turn(90, (1, 0, 0))
        c, s = math.cos(t), math.sin(t)  # about the world's y, along which the can lies
        quaternion = (c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x)
        return Moment(moving((0, 0, 0.3), (0, 0, 0), (0, 2.0 * (t > 0), 0), quaternion))

    assert toppled(rolling, CAN) == []


def test_after_a_rest_the_new_posture_counts() -> None:
    def twice(time: float) -> Moment:
        angle = 40.0 * (time > 1.0) + 40.0 * (time > 3.0)
        return Moment(still((0, 0, 0.3), turn(angle)), near=("table",))

    assert toppled(twice) == []
