"""The benchmarks of efforts and of travel times compute their figures correctly."""

from __future__ import annotations

import json

import planted_payloads
import planted_touches
import pytest
import travel_intervals
from effort_split import Cause
from support.robot_recordings import needs


def test_a_value_is_covered_if_it_is_in_the_interval() -> None:
    said = [(1.0, 0.1), (1.19, 0.1), (1.2, 0.1), (None, None)]
    rows = [Cause("arm", 0, "dry", 1, 1.0, value, sd) for value, sd in said]
    assert [row.is_covered for row in rows] == [True, True, False, False]


def test_shares_of_travel_times(capsys: pytest.CaptureFixture[str]) -> None:
    assert travel_intervals.main(["--robots", "10", "--json"]) == 0
    shares = json.loads(capsys.readouterr().out)["shares"]
    assert set(shares) == {"turn_speed", "turn_acceleration", "speed", "acceleration", "lag"}
    assert all(0.3 < own["68 %"] <= own["95 %"] <= 1.0 for own in shares.values())


@needs("kuka_lwr_mcap", robots=True)
def test_planted_pushes_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert planted_touches.main(["--runs", "3", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows["kuka"]["recordings"] == 3
    assert sum(own["named"] for own in rows.values()) == sum(own["pushes"] for own in rows.values())


def test_planted_payloads_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert planted_payloads.main(["--runs", "3", "--seconds", "20", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [own["named"] for own in rows.values()] == [1, 1, 1]
