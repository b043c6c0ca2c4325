"""Accelerometers in a hand: the reader, and claims from recordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from support.lifted_block import CLOSED_S, END_S, kept, make_twin, write_recording
from support.recorded_bags import TYPES, Recorded, header

from hetwin_core.ensemble.concern_words import JUDGED
from hetwin_core.ensemble.events import Event
from hetwin_evidence.shaken import ImuReader
from hetwin_suite import run

IMU = "sensor_msgs/msg/Imu"
RATE = 100.0
Vector = tuple[float, float, float]
STILL: Vector = (0.0, 0.0, 9.81)
Acceleration = Callable[[float], Vector]


def still(_: float) -> Vector:
    """At rest, the measured acceleration points up."""
    return STILL


def knock(time_s: float) -> Vector:
    """The fingers hit something just before they come to rest."""
    return (0.0, 0.0, 35.0) if abs(time_s - CLOSED_S + 0.1) < 0.015 else STILL


def imu(felt: Vector, time_ns: int, frame: str, *, measured: bool = True) -> object:
    types = TYPES.types
    vector, turn = types["geometry_msgs/msg/Vector3"], types["geometry_msgs/msg/Quaternion"]
    none = np.zeros(9)
    return types[IMU](
        header=header(time_ns, frame),
        orientation=turn(0.0, 0.0, 0.0, 1.0),
        orientation_covariance=none,
        angular_velocity=vector(0.0, 0.0, 0.0),
        angular_velocity_covariance=none,
        linear_acceleration=vector(*map(float, felt)),
        linear_acceleration_covariance=none if measured else np.array([-1.0, *none[1:]]),
    )


def sent(felt: Acceleration, frame: str = "left_jaw") -> list[Recorded]:
    """Return the messages of a noisy accelerometer."""
    random, messages = np.random.default_rng(3), []
    for tick in range(round(END_S * RATE)):
        x, y, z = np.add(felt(tick / RATE), random.normal(0.0, 0.05, 3)).tolist()
        time_ns = round(tick * 1e9 / RATE)
        messages.append(Recorded("/imu", IMU, time_ns, imu((x, y, z), time_ns, frame)))
    return messages


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The twin of the lift, as `hetwin new` writes it, with the model."""
    folder = tmp_path_factory.mktemp("twin")
    file = make_twin(folder, write_recording(folder / "lift", kept))
    text = file.read_text(encoding="utf-8")
    (hand,) = yaml.safe_load(text)["hands"]
    model = json.dumps({"type": "evidence", "parameters": {"hand": hand}})
    file.write_text(
        text.replace("\nmodels:\n", f"\nmodels:\n  evidence: {model}\n"), encoding="utf-8"
    )
    return file


@pytest.fixture
def touched(scenario: Path, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Runs the twin on a recording with a sensor; returns its claims `touched`."""

    def judge(messages: list[Recorded]) -> list[dict[str, Any]]:
        recording = write_recording(tmp_path / "lift", kept, also=messages)
        found = run(scenario, source=recording, out=tmp_path / "out").events
        claims = [row["arguments"] for row in found if row["name"] == JUDGED]
        return [one for one in claims if one["claim"] == "touched"]

    return judge


Touched = Callable[..., list[dict[str, Any]]]


def bumped(time_s: float) -> Vector:
    """The hand meets something before its fingers close."""
    return (0.0, 25.0, 9.81) if abs(time_s - 0.5) < 0.015 else STILL


@pytest.mark.parametrize("frame", ["left_jaw", "wrist", "carriage"])
def test_a_jolt_of_the_hand_speaks_for_a_touch_and_decides_nothing(
    touched: Touched, frame: str
) -> None:
    (claim,) = touched(sent(bumped, frame))
    (impact,) = claim["voices"]
    assert (impact["source"], impact["unit"]) == ("impact", "m/s2")
    assert impact["quantity"] == pytest.approx(np.hypot(25.0, 9.81) - 9.81, abs=0.5)
    assert claim["known"] is None
    assert 0.6 < claim["probability"] < 0.8


def test_a_hand_that_feels_no_jolt_may_have_touched_something_softly(touched: Touched) -> None:
    (claim,) = touched(sent(still))
    assert claim["voices"][0]["quantity"] < 0.5
    assert 0.4 < claim["probability"] < 0.5


def test_an_accelerometer_of_the_base_says_nothing_of_the_hand(touched: Touched) -> None:
    assert touched(sent(bumped, "foot")) == []


@pytest.mark.parametrize(
    ("felt", "frame", "words"),
    [
        (bumped, "tool9", "frame tool9 is no link of the robot"),
        (lambda s: tuple(-one for one in bumped(s)), "wrist", "gravity is 1.. deg from where"),
        (lambda s: (9.81, 0.0, 0.0), "wrist", "gravity is 90 deg .* mounted otherwise"),
        (lambda s: (np.nan, 0.0, 9.81), "wrist", "acceleration is not a number"),
    ],
)
def test_a_sensor_that_cannot_be_used(
    touched: Touched, felt: Acceleration, frame: str, words: str
) -> None:
    import re

    (claim,) = touched(sent(felt, frame))
    assert claim["known"] is None
    assert re.search(words, claim["voices"][0]["reason"])


def read(felt: Acceleration, seconds: float = 5.0, **how: Any) -> list[Event]:
    """Return the reader's events for a sensor."""
    reader, events = ImuReader("/imu"), []
    random = np.random.default_rng(2)
    for tick in range(round(seconds * RATE)):
        x, y, z = np.add(felt(tick / RATE), random.normal(0.0, 0.1, 3)).tolist()
        time_ns = round(tick * 1e9 / RATE)
        events += reader(imu((x, y, z), time_ns, "wrist", **how), time_ns)
    return events


def test_a_sensor_at_rest_says_once_where_up_is() -> None:
    (one,) = read(still)
    assert one.arguments["up"] == pytest.approx([0.0, 0.0, 1.0], abs=0.02)


def test_a_jolt_begins_and_ends() -> None:
    first, *jolts, last = read(knock)
    assert "up" in first.arguments
    assert max(one.arguments["quantity"] for one in jolts) == pytest.approx(25.2, abs=0.5)
    assert last.arguments["quantity"] < 1.0


@pytest.mark.parametrize("bias", [(0.5, 0.0, 0.0), (0.0, -0.3, 0.4)])
def test_neither_a_bias_nor_the_direction_of_gravity_is_a_jolt(bias: Vector) -> None:
    def turned(time_s: float) -> Vector:
        angle = 0.3 * time_s
        return (9.81 * np.sin(angle) + bias[0], bias[1], 9.81 * np.cos(angle) + bias[2])

    assert all(one.arguments["quantity"] < 2.0 for one in read(turned))


def test_a_unit_that_measures_no_acceleration_says_nothing() -> None:
    assert read(knock, measured=False) == []
