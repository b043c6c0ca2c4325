"""Fingers that stop short of their end with nothing of the scene between them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.concern_words import CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.hands import HandDescription
from model_nodes.grasp_monitor.fingers import FingerMotion, UnknownObjectGrip
from model_nodes.grasp_monitor.settings import Settings

HAND = HandDescription(
    "clamp", "arm", "base", joints=("l", "r"), closed=(0.0, 0.0), opened=(0.05, 0.05)
)
LIMITS = Settings(hand=HAND)
STEP_NS = 20_000_000


def watched(
    shares: Iterable[float], efforts: Iterable[float | None] | None = None, holds: bool = False
) -> list[Event]:
    """The events of fingers that are at these shares of their travel, 50 times a second."""
    at = list(shares)
    fingers = FingerMotion(HAND, 0.03)
    short = UnknownObjectGrip("clamp", fingers, LIMITS)
    events: list[Event] = []
    for step, (share, effort) in enumerate(
        zip(at, efforts or [None] * len(at), strict=True), start=1
    ):
        fingers.update(step * STEP_NS, np.full(2, 0.05 * (1.0 - share)))
        events += short.update(step * STEP_NS, effort, holds=holds)
    return events


def closing(to: float) -> list[float]:
    return [*np.linspace(0.0, to, 20), *[to] * 20]


def test_they_have_closed_on_something_or_were_told_to() -> None:
    (event,) = watched(closing(0.6))
    assert event.name == CLOSED_ON_SOMETHING
    assert event.arguments["hand"] == "clamp"
    assert event.arguments["closing"] == pytest.approx(0.6)
    assert event.arguments["gap"] == pytest.approx(0.04)
    assert event.time_ns <= 21 * STEP_NS


@pytest.mark.parametrize("to", [1.0, 0.98, 0.02])
def test_at_their_ends_they_hold_nothing(to: float) -> None:
    assert watched(closing(to)) == []


def test_an_object_of_the_scene_between_them_is_known() -> None:
    assert watched(closing(0.6), holds=True) == []


@pytest.mark.parametrize(
    ("after", "because"),
    [([0.6, 0.45, 0.2], "it opened"), ([0.7, 0.9, 1.0], "it closed")],
)
def test_it_is_over_when_they_open_or_close_to_their_end(after: list[float], because: str) -> None:
    _, over = watched([*closing(0.6), *after])
    assert (over.name, over.arguments["because"]) == (LET_GO_OF_SOMETHING, because)


def test_fingers_that_stand_between_their_ends_from_the_start_may_hold_something() -> None:
    (event,) = watched([0.5] * 10)
    assert (event.name, event.time_ns) == (CLOSED_ON_SOMETHING, STEP_NS)


@pytest.mark.parametrize(("effort", "found"), [(0.1, 0), (3.0, 0), (20.0, 1)])
def test_fingers_that_do_not_press_hold_nothing(effort: float, found: int) -> None:
    efforts = [*[2.5] * 20, *[effort] * 20]
    assert len(watched(closing(0.6), efforts)) == found


SHARES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=80)


@given(SHARES)
@examples(200)
def test_it_begins_before_it_is_over(shares: list[float]) -> None:
    names = [event.name for event in watched(shares)]
    assert names[::2] == [CLOSED_ON_SOMETHING] * len(names[::2])
    assert names[1::2] == [LET_GO_OF_SOMETHING] * len(names[1::2])


def test_a_weak_effort_that_was_none_before_is_pressing() -> None:
    shares = [*[0.04] * 20, *np.linspace(0.04, 0.48, 20), *[0.48] * 20]
    efforts = [*[0.0] * 40, *[0.15] * 20]
    (event,) = watched(shares, efforts)
    assert (event.name, event.arguments["closing"]) == (CLOSED_ON_SOMETHING, pytest.approx(0.48))
    assert watched(shares, [*[0.1] * 40, *[0.15] * 20]) == []
    assert watched(shares, [*[0.0] * 40, *[0.01] * 20]) == []
