"""Hands of different kinds lift a block, or nothing, and are judged by what they say."""

from __future__ import annotations

import pytest
from support.plugins import benchmark

hands = benchmark("hands", "hetwin_stand_ins")

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["fast", "one jaw"])
def test_a_hand_is_judged_where_an_empty_closing_or_a_wrench_is_known(name: str) -> None:
    rows = hands.measure(name)["rows"]
    assert rows["block, alone"]["known"] is None
    for what in ("beside an empty closing", "with a wrench"):
        assert rows[f"block, {what}"]["known"] is True
        assert rows[f"block, {what}"]["lifted_m"] > 0.15
        assert rows[f"nothing, {what}"]["known"] is False


def test_a_gripper_that_says_that_it_stopped_decides_nothing_alone() -> None:
    rows = hands.measure("Robotiq 2F")["rows"]
    assert rows["block, alone"]["voices"] == ["gripper_feedback"]
    assert rows["block, alone"]["known"] is None
    assert rows["block, alone"]["probability"] > rows["nothing, alone"]["probability"]


def test_a_cup_without_fingers_is_refused_in_words() -> None:
    assert "finger joints" in hands.measure("suction")["error"]


def test_an_unknown_hand_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert hands.main(["--hands", "claw"]) == 2
    assert "expected one of slow, fast" in capsys.readouterr().err
