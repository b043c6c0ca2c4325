"""Whether a hand let go: what grasp monitors and the robot's program tell."""

from __future__ import annotations

import pytest
from support.table_scene import ENTITIES, NAMES, grip_lost

from hetwin_core.ensemble.annotations import announce
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import Layout
from model_nodes.handling_observer.observations import Openings

SECOND = 1_000_000_000
LEFT, RIGHT = NAMES.index("left"), NAMES.index("right")
CLOSED = Event("grip_closed", 0, arguments={"hand": "left", "object": "box"})


def does(operation: str, phase: str, time_s: float, **arguments: Json) -> Event:
    return announce(operation, phase, arguments, round(time_s * SECOND), "robot")


def after(*events: Event, hand: int = LEFT, time_s: float = 4.0) -> bool:
    """Whether the hand let go of the box at a time, for what was told before."""
    openings = Openings(Layout.build(ENTITIES, []), ["left", "right"])
    for event in events:
        openings.update((event,))
    return openings.let_go(hand, "box", round(time_s * SECOND))


def test_only_a_monitor_that_says_so_makes_it_a_loss() -> None:
    assert after()
    assert after(CLOSED)
    assert after(CLOSED, grip_lost(opened=None))
    assert after(CLOSED, grip_lost(opened=True))
    assert not after(CLOSED, grip_lost(opened=False))
    assert after(CLOSED, grip_lost(opened=False), hand=RIGHT)
    assert after(CLOSED, grip_lost(opened=False), CLOSED)


@pytest.mark.parametrize(
    "action",
    [
        does("release", "begin", 3.5),
        does("open_gripper", "instant", 3.5),
        does("move_hand", "begin", 3.5, goal="open"),
        does("let_go", "begin", 3.5, hand="left"),
        does("drop", "begin", 3.5, robot="robot"),
        does("release", "end", 3.5),
    ],
    ids=lambda event: f"{event.name} {dict(event.arguments)}",
)
def test_an_action_that_lets_go_makes_it_the_programs_doing(action: Event) -> None:
    assert after(CLOSED, action, grip_lost(opened=False))
    assert after(CLOSED, grip_lost(opened=False), action)


@pytest.mark.parametrize(
    "action",
    [
        does("carry", "begin", 3.5),
        does("move_hand", "begin", 3.5, goal="closed"),
        does("release", "announced", 3.5),
        does("release", "begin", 3.5, hand="right"),
        does("release", "begin", 3.5, robot="other"),
        does("release", "end", 2.9),
        does("release", "instant", 2.9),
    ],
    ids=lambda event: f"{event.name} {dict(event.arguments)}",
)
def test_other_actions_say_nothing(action: Event) -> None:
    assert not after(CLOSED, action, grip_lost(opened=False))


def test_only_what_the_program_tells_of_is_meant() -> None:
    openings = Openings(Layout.build(ENTITIES, []), ["left", "right"])
    assert not openings.is_meant(LEFT, 4 * SECOND)
    openings.update((does("grasp", "begin", 1.0, hand="left"),))
    assert not openings.is_meant(LEFT, 4 * SECOND)
    openings.update((does("release", "begin", 3.9, hand="left"),))
    assert openings.is_meant(LEFT, 4 * SECOND)


def test_what_opened_the_hand_before_it_closed_says_nothing() -> None:
    assert not after(does("open", "begin", 0.1), CLOSED, grip_lost(opened=False))
