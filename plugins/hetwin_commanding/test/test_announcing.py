"""What a robot that plays a recording announces."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.recorded_bags import sine, write_bag

from hetwin_commanding.announcing import announcements
from hetwin_core.ensemble.errors import BadInput

EPISODE = Path(__file__).parents[3] / "scenarios" / "episodes" / "pick_and_place"


def test_each_action_is_announced_so_long_before_it_begins() -> None:
    found = announcements(EPISODE, 1.5)
    assert [one.time_ns for one in found] == sorted(one.time_ns for one in found)
    first, *others = (json.loads(one.arguments) for one in found)
    assert first["start"] <= 1.5
    assert any(arguments["start"] == 1.5 for arguments in others)
    assert {"reach", "move_hand"} <= {one.operation for one in found}


def test_a_trajectory_is_how_the_joints_really_move() -> None:
    one = next(one for one in announcements(EPISODE, 1.0) if one.operation == "reach")
    way = json.loads(one.arguments)["trajectory"]
    times = [point["time_from_start"] for point in way["points"]]
    places = np.array([point["positions"] for point in way["points"]])
    assert times[0] == 0.0
    assert np.diff(times).max() <= 0.021
    assert places.shape == (len(times), len(way["joint_names"]))
    assert np.ptp(places, axis=0).max() > 0.1


def test_a_recording_without_actions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no actions"):
        announcements(write_bag(tmp_path / "bag", sine()), 1.0)
