"""Objects that leave the world."""

from __future__ import annotations

import pytest
from support.object_stories import Moment, moving, still, tell

from hetwin_core.ensemble.events import Event


def gone(
    place: tuple[float, float, float], speed: float = 1.0, *, ground: bool = True
) -> list[Event]:
    def story(time: float) -> Moment:
        if time < 1.0:
            return Moment(still((0, 0, 0.3)), near=("table",))
        return Moment(moving(place, (speed, 0, 0)))

    events = tell(story, 2.0, ground=ground)
    return [event for event in events if event.name == "left_the_world"]


def test_below_the_ground_is_absurd_and_below_everything_without_one_is_odd() -> None:
    (event,) = gone((0, 0, -0.9))
    assert event.arguments["severity"] == "absurd"
    (event,) = gone((0, 0, -0.9), ground=False)
    assert event.arguments["severity"] == "warning"
    assert event.arguments["z"] == pytest.approx(-0.9)


def test_far_beside_everything_is_odd_and_at_speed_absurd() -> None:
    (event,) = gone((9.0, 0, 0.3))
    assert event.arguments["severity"] == "warning"
    (event,) = gone((9.0, 0, 0.3), speed=8.0)
    assert event.arguments["severity"] == "absurd"


@pytest.mark.parametrize("place", [(2.5, 0, 0.05), (0, 0, -0.4), (0, -3.0, 2.0)])
def test_near_what_is_there_is_still_the_world(place: tuple[float, float, float]) -> None:
    assert gone(place) == []
