"""Objects that fall."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from support.object_stories import Moment, moving, still, tell

from hetwin_core.ensemble.events import Event

G = 9.81


def fall(
    height: float, *, held: bool = False, near: tuple[str, ...] = ("table",), acting: bool = False
) -> Callable[[float], Moment]:
    """At rest (or held) for 1 s, then down by a height, then at rest on the table."""
    top, lasts = 0.3 + height, math.sqrt(2 * height / G)

    def story(time: float) -> Moment:
        t = time - 1.0
        if t < 0:
            return Moment(still((0, 0, top)), near=near, held=held, acting=acting)
        if t < lasts:
            return Moment(moving((0, 0, top - G * t * t / 2), (0, 0, -G * t)))
        return Moment(still((0, 0, 0.3)), near=("table",))

    return story


def lost(story: Callable[[float], Moment]) -> Callable[[float], Moment]:
    """The same, while an observer of hands tells at 1 s that the hand has lost it."""
    return lambda time: replace(story(time), lost=abs(time - 1.1) < 1e-6)


def fallen(
    story: Callable[[float], Moment], seconds: float = 3.0, hand: bool = False
) -> list[Event]:
    return [event for event in tell(story, seconds, hand=hand) if event.name == "fell"]


def test_a_fall_is_reported_with_its_height_and_times_when_it_is_over() -> None:
    (event,) = fallen(fall(0.4))
    assert event.arguments["height"] == pytest.approx(0.4, abs=0.01)
    assert event.arguments["from"] == pytest.approx(1.0, abs=0.08)
    assert event.arguments["to"] == pytest.approx(1.0 + math.sqrt(0.8 / G), abs=0.03)
    assert event.arguments["severity"] == "warning"


def test_a_small_step_is_no_fall() -> None:
    assert fallen(fall(0.04)) == []


@pytest.mark.parametrize(
    ("story", "hand"),
    [
        (fall(0.4, held=True), False),
        (fall(0.4, near=("table", "link")), True),
        (fall(0.4, near=("table", "link"), acting=True), False),
    ],
    ids=["let go", "touched by a hand", "touched during an action"],
)
def test_what_the_robot_means_is_a_note(story: Callable[[float], Moment], hand: bool) -> None:
    (event,) = fallen(story, hand=hand)
    assert event.arguments["severity"] == "note"


def test_what_a_hand_has_lost_is_no_note_however_low_it_fell() -> None:
    for height in (0.4, 0.03):
        (event,) = fallen(lost(fall(height, held=True)))
        assert event.arguments["severity"] == "warning"
        assert event.arguments["height"] == pytest.approx(height, abs=0.01)


def test_what_a_hand_has_lost_where_it_stands_does_not_fall() -> None:
    assert fallen(lost(fall(0.0, held=True))) == []


def test_what_was_lost_once_may_be_meant_again() -> None:
    """It falls from the hand, is taken up again, and let go of."""

    def story(time: float) -> Moment:
        if time < 3.0:
            return lost(fall(0.4, held=True))(time)
        return fall(0.4, held=True)(time - 3.0)

    severities = [event.arguments["severity"] for event in fallen(story, 6.0)]
    assert severities == ["warning", "note"]


def test_an_arm_that_brushes_it_off_without_any_action_does_not_mean_it() -> None:
    (event,) = fallen(fall(0.4, near=("table", "link")))
    assert event.arguments["severity"] == "warning"


def test_what_is_let_down_does_not_fall() -> None:
    def story(time: float) -> Moment:
        t = min(max(time - 1.0, 0.0), 2.0)
        speed = -0.2 if 0.0 < t < 2.0 else 0.0
        return Moment(moving((0, 0, 0.7 - 0.2 * t), (0, 0, speed)), near=("link",))

    assert fallen(story, 5.0) == []


def test_what_is_carried_down_does_not_fall() -> None:
    def story(time: float) -> Moment:
        t = min(max(time - 1.0, 0.0), 0.5)
        speed = -1.0 if 0.0 < t < 0.5 else 0.0
        return Moment(moving((0, 0, 0.8 - t), (0, 0, speed)), held=time < 2.0)

    assert fallen(story, 4.0) == []


def test_what_leaves_the_world_has_fallen() -> None:
    def story(time: float) -> Moment:
        t = max(time - 1.0, 0.0)
        return Moment(moving((0, 0, 0.3 - G * t * t / 2), (0, 0, -G * t)), near=())

    names = [event.name for event in tell(story, 2.0, ground=False)]
    assert sorted(names) == ["fell", "left_the_world"]
