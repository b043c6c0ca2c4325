"""Objects that are faster than anything explains."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.object_stories import Moment, moving, still, tell

G = 9.81


def shot(speed: float) -> Callable[[float], Moment]:
    """Rests on the table for 1 s, and then leaves it upwards at a speed."""

    def story(time: float) -> Moment:
        if time < 1.0:
            return Moment(still((0, 0, 0.3)), near=("table",))
        t = time - 1.0
        return Moment(moving((0, 0, 0.3 + speed * t - G * t * t / 2), (0, 0, speed - G * t)))

    return story


@pytest.mark.parametrize(("speed", "severity"), [(4.0, "absurd"), (2.0, "warning")])
def test_what_leaves_its_rest_by_itself_is_flung(speed: float, severity: str) -> None:
    event = tell(shot(speed), 1.2)[0]
    assert event.name == "flung"
    assert event.arguments["object"] == "thing"
    assert event.arguments["severity"] == severity
    assert event.arguments["from"] == pytest.approx(1.0, abs=0.03)
    assert event.arguments["speed"] == pytest.approx(speed, abs=0.3)


def test_it_is_said_again_only_when_it_becomes_worse() -> None:
    def story(time: float) -> Moment:
        if time < 1.0:
            return Moment(still((0, 0, 0.3)), near=("table",))
        speed = 2.0 if time < 1.5 else 5.0
        return Moment(moving((0, 0, 0.3), (speed, 0, 0)))

    first, second = (e for e in tell(story, 2.0) if e.name == "flung")
    assert (first.arguments["severity"], second.arguments["severity"]) == ("warning", "absurd")
    assert second.arguments["from"] == first.arguments["from"]


def test_a_free_fall_explains_its_speed() -> None:
    def story(time: float) -> Moment:
        return Moment(moving((0, 0, 20.0 - G * time * time / 2), (0, 0, -G * time)))

    assert "flung" not in names(story, 1.9)


def test_a_bounce_and_a_flight_keep_what_they_have() -> None:
    def story(time: float) -> Moment:
        t = time % 1.0
        near = ("table",) if t < 0.02 else ()
        speed = G * 0.5
        return Moment(
            moving((0, 0, 0.3 + speed * t - G * t * t / 2), (0, 0, speed - G * t)), near=near
        )

    # It is in flight from the start on, so that nothing explains its first rise.
    assert names(story, 5.0) == ["flung"]


def test_what_strikes_it_explains_as_much_speed() -> None:
    def struck(by: float) -> Callable[[float], Moment]:
        def story(time: float) -> Moment:
            link = moving((0.1, 0, 0.3), (by, 0, 0))
            if time < 1.0:
                return Moment(still((0, 0, 0.3)), near=("table",))
            return Moment(moving((0, 0, 0.3), (4.0, 0, 0)), link, near=("link",))

        return story

    assert "flung" in names(struck(0.5), 1.5)
    assert "flung" not in names(struck(3.0), 1.5)


def test_the_point_that_strikes_counts_not_the_middle_of_what_turns() -> None:
    def story(time: float) -> Moment:
        link = moving((0, 1.0, 0.3), (0, 0, 0), (0, 0, 4.0))  # 1 m away, so 4 m/s at the thing
        if time < 1.0:
            return Moment(still((0, 0, 0.3)), near=("table",))
        return Moment(moving((0, 0, 0.3), (4.0, 0, 0)), link, near=("link",))

    assert "flung" not in names(story, 1.5)


def test_what_is_thrown_has_the_speed_of_the_hand() -> None:
    def story(time: float) -> Moment:
        if time < 1.0:
            return Moment(moving((0, 0, 0.5), (3.0, 0, 0)), near=("link",), held=True)
        return Moment(moving((0, 0, 0.5), (3.0, 0, 0)))

    assert "flung" not in names(story, 1.5)


def test_a_kick_while_a_robot_works_with_it_is_a_note_unless_it_is_absurd() -> None:
    def story(time: float) -> Moment:
        if time < 1.0:
            return Moment(still((0, 0, 0.3)), near=("table", "link"), acting=True)
        return Moment(moving((0, 0, 0.3), (2.0, 0, 0)), acting=True)

    event = tell(story, 1.5)[0]
    assert (event.name, event.arguments["severity"]) == ("flung", "note")


def names(story: Callable[[float], Moment], seconds: float) -> list[str]:
    return [event.name for event in tell(story, seconds)]
