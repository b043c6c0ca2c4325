"""States age by their arrival, whatever their stamps say."""

from __future__ import annotations

import pytest

from hetwin_commanding.consistency.live_robot import HeardJoints
from hetwin_commanding.link.sending import moved_since, stale
from hetwin_commanding.rehearsal import Rule


def heard(*messages: tuple[dict[str, float], float, float]) -> HeardJoints:
    found = HeardJoints()
    for positions, stamp, arrived in messages:
        found.add(list(positions), list(positions.values()), stamp, arrived)
    return found


def test_a_state_is_as_old_as_its_arrival() -> None:
    one = heard(({"a": 1.0}, 5e8, 10.0), ({"b": 2.0}, 0.0, 10.1))
    ages = one.joints(10.25)
    assert ages["a"].age == pytest.approx(0.25)
    assert ages["b"].age == pytest.approx(0.15)
    (refusal,) = stale(["a", "b"], ages)
    assert (refusal.rule, refusal.what, refusal.allowed) == (Rule.STALE, "a", 0.2)
    assert one.silence(["b"], 10.25) == pytest.approx(0.15)
    assert one.silence(["a", "c"], 10.25) > 1e9


def test_a_position_that_is_no_number_is_not_heard() -> None:
    one = heard(({"a": 1.0}, 1.0, 1.0), ({"a": float("nan"), "b": float("inf")}, 2.0, 2.0))
    assert one.joints(2.0)["a"].position == 1.0
    assert one.joints(2.0)["a"].age == 1.0
    assert "b" not in one.joints(2.0)


def test_messages_that_arrive_late_together_were_measured_apart() -> None:
    one = heard(*(({"a": 0.0}, 100.0 + i / 100, 50.0 + i / 100) for i in range(3)))
    for i in range(3, 6):
        one.add(["a"], [0.0], 100.0 + i / 100, 50.1)
    times = [sample.measured for sample in one.take()]
    assert times == pytest.approx([50.0 + i / 100 for i in range(6)])
    assert one.take() == []


def test_stamps_that_stand_still_or_jump_mean_nothing() -> None:
    one = heard(*(({"a": 0.0}, 0.0, 50.0 + i) for i in range(3)))
    assert [sample.measured for sample in one.take()] == [50.0, 51.0, 52.0]


def test_a_robot_that_has_moved_since_the_plan() -> None:
    ages = heard(({"a": 1.03, "b": 0.01}, 1.0, 1.0)).joints(1.0)
    (refusal,) = moved_since({"a": 1.0, "b": 0.0, "c": 3.0}, ages, ["a", "b", "c"])
    assert (refusal.rule, refusal.what, refusal.found) == (Rule.START, "a", 0.03)
