"""Claims about lost objects, touches and connections, from gripper, commands and sensors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.felt_hand import (
    EMPTY,
    OPENED_S,
    FeltHand,
    fingers,
    lifts,
    nothing,
    stays_up,
    voices,
    weight,
)

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import (
    COMMANDED,
    FEELS,
    GRIPPER_SAYS,
    INSTANT,
    Event,
    Json,
    announce,
)


def said(name: str, at_s: float, **arguments: Json) -> Event:
    return announce(name, INSTANT, arguments, round(at_s * 1e9), "/hand")


def test_a_load_that_stays_is_held_and_not_lost() -> None:
    claims = FeltHand().run(weight(3.0))
    assert claims["held"]["known"] is True
    assert claims["lost"]["known"] is False
    assert claims["touched"]["known"] is True, "it was put down before the fingers opened"


def test_a_load_that_falls_off_is_lost() -> None:
    claims = FeltHand().run(weight(3.0, until_s=3.4))
    assert claims["held"]["known"] is True
    assert claims["lost"]["known"] is True
    assert voices(claims["lost"])["weight_loss"]["quantity"] > 1.0


def test_what_is_put_down_is_not_lost() -> None:
    """The weight also vanishes, but the hand has moved down, so that the object may stand on a support."""
    hand = FeltHand()
    hand.run(weight(3.0), closes=lambda t: fingers(min(t, OPENED_S)))
    assert not [e for e in hand.events if e.arguments["claim"] == "lost"]


def test_fingers_that_close_on_have_lost_what_they_held() -> None:
    def give_way(time_s: float) -> float:
        return fingers(time_s, 0.4 if time_s < 3.5 else min(EMPTY, 0.4 + 2.0 * (time_s - 3.5)))

    claims = FeltHand(empty=[[EMPTY, EMPTY]]).run(closes=give_way, height=stays_up)
    assert claims["held"]["known"] is True
    assert claims["lost"]["known"] is True
    assert voices(claims["lost"])["fingers_gave_way"]["quantity"] == pytest.approx(0.4, abs=0.05)


def test_an_empty_closing_holds_nothing_though_the_gripper_stalls() -> None:
    stalls = said(GRIPPER_SAYS, 1.6, stalled=True, reached_goal=False)
    wants = said(COMMANDED, 0.9, positions={"left": 1.0, "right": 1.0})
    empty = FeltHand(empty=[[EMPTY, EMPTY]]).run(
        closes=lambda t: fingers(t, EMPTY), said=[wants, stalls]
    )
    assert empty["held"]["known"] is False


def test_without_a_reference_a_stall_decides_nothing() -> None:
    stalls = said(GRIPPER_SAYS, 1.6, stalled=True, reached_goal=False)
    wants = said(COMMANDED, 0.9, positions={"left": 1.0, "right": 1.0})
    held = FeltHand().run(said=[wants, stalls])["held"]
    assert held["known"] is None
    assert 0.5 < held["probability"] < 0.8
    assert voices(held)["gripper_feedback"]["quantity"] == 1.0
    assert voices(held)["position_error"]["quantity"] == pytest.approx(0.6, abs=0.01)


def test_a_command_without_names_is_of_the_gripper_with_as_many_fingers() -> None:
    wants = said(COMMANDED, 0.9, gripper="/hand_controller/commands", values=[0.5, 0.5])
    held = FeltHand().run(said=[wants])["held"]
    assert voices(held)["position_error"]["quantity"] == pytest.approx(0.1, abs=0.01)


def test_a_command_of_another_robot_is_none() -> None:
    wants = said(COMMANDED, 0.9, positions={"shoulder": 1.0})
    held = FeltHand().run(said=[wants])["held"]
    assert "commands are of shoulder" in voices(held)["position_error"]["reason"]


def test_a_command_that_is_not_a_number() -> None:
    wants = said(COMMANDED, 0.9, positions={"left": float("nan"), "right": 1.0})
    held = FeltHand().run(said=[wants])["held"]
    assert "not a number" in voices(held)["position_error"]["reason"]


def test_a_sensor_of_a_package_speaks_by_its_own_ratio_or_by_a_curve(tmp_path: Path) -> None:
    file = tmp_path / "hand.json"
    file.write_text(json.dumps({"tactile": 40.0}), encoding="utf-8")
    felt = [
        said(FEELS, 1.6, source="tactile", quantity=52.0),
        said(FEELS, 1.6, source="sonar", quantity=3.0, unit="dB", log_ratio=2.5),
        said(FEELS, 1.6, source="smell", quantity=3.0),
    ]
    held = FeltHand(calibration=str(file)).run(said=felt)["held"]
    assert held["known"] is True
    assert voices(held)["tactile_rise"]["quantity"] == 12.0
    assert voices(held)["sonar"]["log_ratio"] == 2.5
    assert voices(held)["smell"]["quantity"] is None


@pytest.mark.parametrize("text", ["[", '{"empty": 3}', '{"tool_mass": -1.0}', '{"mass": 1.0}'])
def test_a_file_that_is_no_calibration(tmp_path: Path, text: str) -> None:
    file = tmp_path / "hand.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"hand\.json: the calibration of the hand cannot be used"):
        FeltHand(calibration=str(file))


def tilts(time_s: float) -> float:
    return float(np.interp(time_s, (2.5, 3.0), (0.0, 0.9)))


def test_a_hand_that_turns_knows_its_load_if_its_own_mass_is_known() -> None:
    def load(time_s: float) -> tuple[float, float, float]:
        return (0.0, 0.0, -3.0 if time_s > 2.1 else 0.0)

    turned = FeltHand().run(load, turn=tilts, tool_kg=2.0, height=late)
    assert "turned by" in voices(turned["held"])["weight_change"]["reason"]
    known = FeltHand(tool_mass=2.0).run(load, turn=tilts, tool_kg=2.0, height=late)
    assert voices(known["held"])["weight_change"]["quantity"] == pytest.approx(3.0, abs=0.1)


def late(time_s: float) -> float:
    """The hand rises while it turns."""
    return float(np.interp(time_s, (2.4, 3.0), (0.0, 0.2)))


def test_a_load_that_hangs_sideways_is_a_wrench_of_another_frame_or_no_load() -> None:
    held = FeltHand().run(lambda t: (-5.0 if t > 2.1 else 0.0, 0.0, 0.0))["held"]
    assert held["known"] is None
    reason = voices(held)["weight_change"]["reason"]
    assert "across gravity with 5.0 N" in reason
    assert "in another frame than it names" in reason


def test_a_hand_that_bumps_into_something_on_its_way_has_touched_it() -> None:
    def bump(time_s: float) -> tuple[float, float, float]:
        return (8.0 if 0.5 < time_s < 0.6 else 0.0, 0.0, 0.0)

    hand = FeltHand()
    hand.run(bump, end_s=2.0)
    (touched,) = [e.arguments for e in hand.events if e.arguments["claim"] == "touched"]
    assert touched["known"] is True


def test_the_parameters_of_another_tool_are_not_used() -> None:
    """A tool that weighs nothing here, though the scenario says 3 kg."""
    swings = lambda t: 0.6 * float(np.sin(8.0 * t))  # noqa: E731
    hand = FeltHand(tool_mass=3.0)
    hand.run(lambda t: (0.0, 0.0, 0.0), turn=swings, end_s=2.0)
    (touched,) = [e.arguments for e in hand.events if e.arguments["claim"] == "touched"]
    assert touched["known"] is None
    assert "it is another one" in str(touched["reason"])


def insertion(time_s: float, holds: bool) -> tuple[float, float, float]:
    """Pushed with 20 N from 2.5 s to 3 s; then pulled with 8 N, which only a connector withstands."""
    if 2.5 < time_s < 3.0:
        return (0.0, 0.0, 20.0)
    return (0.0, 0.0, -8.0 if holds and time_s > 3.3 else 0.0)


def test_a_pull_test_proves_a_connection() -> None:
    claims = FeltHand().run(lambda t: insertion(t, True), height=nothing)
    assert claims["connected"]["known"] is True
    assert claims["connected"]["probability"] > 0.8
    assert voices(claims["connected"])["pull_test"]["quantity"] < 0.001


def test_a_part_that_comes_along_is_not_connected() -> None:
    def away(time_s: float) -> float:
        return float(np.interp(time_s, (3.2, 4.0), (0.0, 0.05)))

    claims = FeltHand().run(lambda t: insertion(t, False), height=away)
    assert claims["connected"]["known"] is False
    assert claims["connected"]["probability"] < 0.2


def test_a_push_without_a_pull_proves_nothing() -> None:
    claims = FeltHand().run(lambda t: insertion(t, False), height=nothing)
    assert claims["connected"]["known"] is None
    assert "nobody pulled" in voices(claims["connected"])["pull_test"]["reason"]


def test_nobody_who_never_pushed_is_asked_for_a_connection() -> None:
    assert "connected" not in FeltHand().run(weight(3.0))


def test_samples_that_come_too_seldom() -> None:
    claims = FeltHand().run(lambda t: (9.0 if t > 3.0 else 0.0, 0.0, 0.0), rate=1, height=lifts)
    assert claims["touched"]["known"] is not None
