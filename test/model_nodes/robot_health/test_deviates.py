"""Joints of the twin that are not where the recording says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.robot_views import view
from support.watched_toy import LAYOUT

from model_nodes.robot_health.joints import DeviationFinder
from model_nodes.robot_health.settings import Settings


def part() -> DeviationFinder:
    return DeviationFinder(Settings().deviates, LAYOUT)


@pytest.mark.parametrize(
    ("away", "severity"), [(0.0011, "note"), (-0.02, "warning"), (0.3, "absurd")]
)
def test_the_size_makes_the_severity(away: float, severity: str) -> None:
    (event,) = part().watch(view(1, recorded=[0.5, 0.5], positions=[0.5, 0.5 + away]))
    assert event.name == "deviates"
    assert event.arguments["joint"] == "elbow"
    assert event.arguments["severity"] == severity
    assert event.arguments["deviation"] == pytest.approx(away)


def test_less_than_a_milliradian_is_nothing() -> None:
    assert part().watch(view(1, positions=[0.0009, 0.0])) == []


def test_a_joint_that_is_not_recorded_does_not_deviate() -> None:
    assert part().watch(view(1, recorded=[np.nan, 0.0], positions=[1.0, 0.0])) == []


def test_a_report_about_another_time_is_not_compared() -> None:
    late = view(1, positions=[1.0, 0.0])
    assert late.watch is not None
    assert part().watch(replace(late, watch=replace(late.watch, time_ns=1))) == []
