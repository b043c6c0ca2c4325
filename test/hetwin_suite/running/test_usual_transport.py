"""A run that commands move is one over ROS 2, unless it is told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_suite.running.request import default_transport


@pytest.mark.parametrize(
    ("scenario", "source", "transport"),
    [
        ("lab_robot", None, "ros"),
        ("pick_and_place", None, "local"),
        ("pick_and_place", "commands", "ros"),
        ("pick_and_place", "commands:left", "ros"),
        ("pick_and_place", '{"commands": "", "velocity": "go"}', "ros"),
        ("lab_robot", "live", "local"),
        ("lab_robot", "{not JSON", "local"),
        ("no_such_scenario", None, "local"),
    ],
)
def test_commands_come_and_are_followed_over_ros(
    scenario: str, source: str | None, transport: str
) -> None:
    assert default_transport(scenario, source) == transport


def test_a_source_that_is_extended_counts(tmp_path: Path) -> None:
    base = tmp_path / "base.yaml"
    base.write_text("scenario: base\nsource: commands\n", encoding="utf-8")
    mine = tmp_path / "mine.yaml"
    mine.write_text("scenario: mine\nextends: base.yaml\n", encoding="utf-8")
    assert default_transport(str(mine), None) == "ros"


def test_one_of_several_robots_is_enough(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    text = (
        "scenario: two\nrobots: {left: {source: recording}, right: {source: {commands: right}}}\n"
    )
    file.write_text(text, encoding="utf-8")
    assert default_transport(str(file), None) == "ros"


def test_a_variant_may_be_moved_by_commands(tmp_path: Path) -> None:
    file = tmp_path / "driven.yaml"
    text = "scenario: driven\nsource: recording\nvariants: {by_hand: {source: commands}}\n"
    file.write_text(text, encoding="utf-8")
    assert default_transport(str(file), None, "by_hand") == "ros"
    assert default_transport(str(file), None) == "local"
