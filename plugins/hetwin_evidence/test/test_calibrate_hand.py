"""Calibration of a hand by empty closings, and the quantities that it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.felt_hand import FeltHand, fingers, voices
from support.lifted_block import HALF, kept, make_twin, write_recording

from hetwin_core.ensemble.errors import BadInput
from hetwin_evidence.command import hand
from hetwin_evidence.learning import Motion, learn, tactile_rise

OPENED, CLOSED = np.zeros(2), np.ones(2)
TIMES = np.arange(0.0, 20.0, 0.02)
OFFSET = np.array((3.0, -7.0, 11.0))


def closings(*ends: float) -> np.ndarray:
    """Return the motion of a hand that repeatedly closes on nothing, with the given ends."""
    random = np.random.default_rng(3)
    at = np.zeros((len(TIMES), 2))
    for number, end in enumerate(ends):
        begin = 1.0 + 3.0 * number
        moved = np.interp(TIMES, (begin, begin + 0.5, begin + 1.5, begin + 2.0), (0, end, end, 0))
        at += moved[:, None]
    return at + random.normal(0.0, 0.001, at.shape)


def felt(turn: float, mass: float, sign: float = 1.0) -> dict[str, np.ndarray]:
    """Return the forces of a sensor with a tool during a rotation by an angle [rad]."""
    random = np.random.default_rng(4)
    angle = np.interp(TIMES, (0.0, 20.0), (0.0, turn))
    downs = np.column_stack((np.zeros_like(angle), -np.sin(angle), -np.cos(angle)))
    forces = OFFSET + sign * 9.81 * mass * downs + random.normal(0.0, 0.2, downs.shape)
    return {"stamps": TIMES, "forces": forces, "downs": downs}


def test_each_kind_of_empty_closing_is_kept() -> None:
    found = learn(Motion(TIMES, closings(0.42, 0.423, 0.45 + 0.2, 0.418)), OPENED, CLOSED)
    assert sorted(found.closings) == [1, 3]
    (often,) = [e for e, n in zip(found.empty, found.closings, strict=True) if n == 3]
    assert often == pytest.approx([0.42, 0.42], abs=0.003)
    assert found.spread == pytest.approx(0.0025, abs=0.001)
    assert sorted(found.shares) == pytest.approx([0.42, 0.65], abs=0.003)


def test_a_wrist_that_turns_weighs_its_tool_and_finds_the_sign() -> None:
    for sign in (1.0, -1.0):
        motion = Motion(TIMES, closings(0.4), **felt(0.8, 1.3, sign))
        found = learn(motion, OPENED, CLOSED)
        assert found.tool_mass == pytest.approx(1.3, abs=0.02)
        assert found.inverted is (sign < 0.0)
        assert found.offset == pytest.approx(OFFSET.tolist(), abs=0.2)
        assert found.noise == pytest.approx(0.2, abs=0.02)


def test_what_was_not_learned_is_said() -> None:
    still = learn(Motion(TIMES, closings(), **felt(0.05, 1.3)), OPENED, CLOSED)
    assert (still.empty, still.tool_mass) == ([], None)
    assert "no closing" in still.missing[0]
    assert "turned by 3 deg only" in still.missing[1]
    pushed = felt(0.8, 1.3)
    pushed["forces"][300:700, 0] += 9.0
    found = learn(Motion(TIMES, closings(0.4), **pushed), OPENED, CLOSED)
    assert "seen once" in found.missing[0]
    assert "no constant tool" in found.missing[1]


@pytest.mark.parametrize(("value", "words"), [(np.nan, "not a number"), (5.0, "no noise")])
def test_a_wrench_that_cannot_be_used(value: float, words: str) -> None:
    forces = np.full((len(TIMES), 3), value)
    motion = Motion(TIMES, closings(0.4), TIMES, forces, felt(0.8, 1.0)["downs"])
    assert words in learn(motion, OPENED, CLOSED).missing[1]


def test_a_recording_becomes_a_file_by_which_the_model_knows_an_empty_closing(
    tmp_path: Path,
) -> None:
    bag = write_recording(tmp_path / "empty", kept)
    twin = make_twin(tmp_path, bag)
    (name,) = yaml.safe_load(twin.read_text(encoding="utf-8"))["hands"]
    out = tmp_path / "hand.json"
    said = hand(bag, str(twin), None, out)
    assert said.document["hand"] == name
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["empty"] == [pytest.approx([HALF, HALF], abs=1e-3)]
    assert any("the wrench: none was recorded" in line for line in said.lines)
    with pytest.raises(BadInput, match="the hand to calibrate is not clear"):
        hand(bag, str(twin), "foot", None)
    written["empty"] = [[0.8, 0.8]]
    out.write_text(json.dumps(written), encoding="utf-8")
    judged = FeltHand(calibration=str(out)).run(closes=lambda t: fingers(t, 0.79))["held"]
    assert judged["known"] is False
    assert voices(judged)["finger_shortfall"]["quantity"] == pytest.approx(0.01, abs=1e-3)


def test_two_taxels_that_touch_the_own_fingers_are_no_grasp() -> None:
    empty = np.full((2, 12), 10.0)
    own = np.array([90.0, 80.0, *[11.0] * 10])
    assert tactile_rise(own, empty) == pytest.approx(1.0)
    assert tactile_rise(np.full(12, 40.0), empty) == pytest.approx(30.0)
    with pytest.raises(ValueError, match="three taxels or more"):
        tactile_rise([1.0, 2.0], [[1.0, 2.0]])
