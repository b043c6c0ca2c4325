"""Recorded positions, speeds and efforts beyond the limits of the robot's description.

The shoulder has limits of -1 and 1 rad, 2 rad/s and 10 Nm; the elbow turns without end and has no limit of effort.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.robot_views import view
from support.watched_toy import LAYOUT

from hetwin_core.ensemble.events import Event
from model_nodes.robot_health.joints import LimitFinder
from model_nodes.robot_health.settings import Settings


def events(steps: int = 1, **report: Any) -> list[Event]:
    part = LimitFinder(Settings(), LAYOUT)
    return [event for step in range(1, steps + 1) for event in part.watch(view(step, **report))]


@pytest.mark.parametrize(
    ("position", "severity", "limit"),
    [
        (1.01, "note", 1.0),
        (-1.06, "warning", -1.0),
        (1.051, "warning", 1.0),
        (-1.6, "absurd", -1.0),
    ],
)
def test_a_position(position: float, severity: str, limit: float) -> None:
    (event,) = events(recorded=[position, 0.0])
    assert event.name == "beyond_limit"
    assert event.arguments == {
        "severity": severity,
        "joint": "shoulder",
        "quantity": "position",
        "found": position,
        "limit": limit,
        "unit": "rad or m",
    }


@pytest.mark.parametrize("position", [1.0, 1.004, -0.99])
def test_a_position_within_its_limits_or_the_noise_of_a_sensor(position: float) -> None:
    assert events(recorded=[position, 0.0]) == []


def test_a_joint_without_limits_has_none() -> None:
    report = {"recorded": [0.0, 99.0], "measured": [0.0, 999.0]}
    assert events(steps=5, **report) == []


def test_a_joint_that_is_not_recorded_has_no_position_to_judge() -> None:
    nan = [np.nan, np.nan]
    assert events(recorded=nan, velocities=nan, positions=[5.0, 5.0]) == []


@pytest.mark.parametrize(
    ("speed", "severity"), [(2.2, "note"), (-3.1, "warning"), (21.0, "absurd")]
)
def test_a_speed_that_lasts(speed: float, severity: str) -> None:
    (event,) = events(steps=6, velocities=[speed, 0.0])
    found = event.arguments
    assert (found["quantity"], found["severity"], found["found"]) == ("velocity", severity, speed)
    assert event.time_ns == 20_000_000


def test_a_speed_between_two_noisy_samples_is_none() -> None:
    part = LimitFinder(Settings(), LAYOUT)
    speeds = [0.0, 9.0, 9.0, 0.0, *[0.0] * 10]
    found = [part.watch(view(i, velocities=[v, 0.0])) for i, v in enumerate(speeds)]
    assert found == [[]] * len(speeds)


@pytest.mark.parametrize(
    ("effort", "severity"), [(10.3, "note"), (-16.0, "warning"), (101.0, "absurd")]
)
def test_an_effort_at_the_time_at_which_it_was_measured(effort: float, severity: str) -> None:
    (event,) = events(measured=[effort, 0.0], delay_ns=5_000_000)
    found = event.arguments
    assert (found["quantity"], found["severity"], found["limit"]) == ("effort", severity, 10.0)
    assert event.time_ns == 15_000_000


def test_quantities_of_one_joint_are_told_apart() -> None:
    found = events(recorded=[1.2, 0.0], measured=[20.0, 0.0])
    assert [event.arguments["quantity"] for event in found] == ["position", "effort"]
