"""`hetwin urdf trajectory`: what it prints, and each bad input with its line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.hetwin_command import hetwin, refused
from support.two_links import write_csv, write_urdf

HEADER = "elbow,shoulder"
WAY = ((0, 0), (1.0, -0.5), (0.5, 1.5))


@pytest.mark.parametrize("profile", ["quintic", "time_optimal"])
def test_it_keeps_the_limits_of_the_urdf(tmp_path: Path, profile: str) -> None:
    waypoints = write_csv(tmp_path, HEADER, *WAY)
    words = ("--waypoints", waypoints, "--profile", profile, "--speed", "0.5", "--rate", "50")
    said = hetwin("urdf", "trajectory", write_urdf(tmp_path), *words, "--json")
    printed = json.loads(said.out)
    assert printed["joints"] == ["elbow", "shoulder"]
    assert printed["times"][-1] == printed["duration"]
    for key, most in (("velocities", [1.0, 0.75]), ("accelerations", [5.0, 5.0])):
        assert (np.abs(printed[key]) <= most).all()
    np.testing.assert_allclose(printed["positions"][-1], WAY[-1], atol=1e-9)
    assert not np.any(printed["velocities"][-1])
    assert max(np.diff(printed["times"])) <= 0.02 + 1e-12


def test_people_read_a_table(tmp_path: Path) -> None:
    waypoints = write_csv(tmp_path, HEADER, *WAY)
    lines = hetwin(
        "urdf", "trajectory", write_urdf(tmp_path), "--waypoints", waypoints
    ).out.splitlines()
    assert lines[0].split() == ["time", "elbow", "shoulder"]
    assert "--json prints all" in lines[-1]


@pytest.mark.parametrize(
    ("changes", "header", "rows", "words", "says"),
    [
        ((), HEADER, (WAY[0],), (), ("too few waypoints", "2 at least")),
        ((), HEADER, (WAY[0], (3, 0)), (), ("line 3", "elbow is beyond", "0 to 2.5")),
        ((), "elbow,wrist", WAY, (), ("line 1", "'wrist'", "by itself")),
        ((), "elbow,shoulders", WAY, (), ("line 1", "'shoulders'", "'shoulder'")),
        ((), HEADER, (WAY[0], ("nan", 0)), (), ("line 3, column elbow", "finite")),
        ((), HEADER, WAY, ("--jerk", "0"), ("--jerk", "0.0", "above 0")),
        (((' velocity="2"', ""),), HEADER, WAY, (), ("joint elbow has no limit of its velocity",)),
        ((('lower="0" upper="2.5" ', ""),), HEADER, WAY, (), ("joint elbow has no limits",)),
    ],
)
def test_bad_input_ends_with_2_and_its_line(
    tmp_path: Path,
    changes: tuple[tuple[str, str], ...],
    header: str,
    rows: tuple[tuple[float, ...], ...],
    words: tuple[str, ...],
    says: tuple[str, ...],
) -> None:
    urdf, waypoints = write_urdf(tmp_path, *changes), write_csv(tmp_path, header, *rows)
    refused(tmp_path, "urdf", "trajectory", urdf, "--waypoints", waypoints, *words, says=says)
