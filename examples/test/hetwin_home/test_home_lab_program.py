"""The scenario `home_lab`: a TIAGo warms a cup in a microwave, or is sent a goal that names the cup."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from support.robot_files import example

import hetwin_suite
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.kinematics.planar import PlanarPose

pytest.importorskip("hetwin_commanding")
from hetwin_commanding.rehearsal import Rule
from hetwin_commanding.send import Commander

SCENARIO = Path(__file__).resolve().parents[2] / "hetwin_home" / "scenarios" / "home_lab.yaml"
GRASP_CUP = SCENARIO.parent / "goals" / "grasp_cup.yaml"
MILESTONES = ("grip_closed", "entered", "closed", "switched_on", "became_hot")
TO_HOT_S = math.log((373.15 - 296.15) / (373.15 - 318.15)) / 0.2
"""From the room's temperature, but for what the room takes back."""


def milestones(summary: hetwin_suite.Summary) -> dict[str, float]:
    return {
        str(event["name"]): float(event["time"])
        for event in summary.events
        if event["name"] in MILESTONES
    }


@pytest.mark.long
def test_the_cup_is_taken_shut_in_and_warmed(tmp_path: Path) -> None:
    example("tiago_description/robots/tiago.urdf")
    summary = hetwin_suite.run(SCENARIO, out=tmp_path / "run")
    when = milestones(summary)
    assert sorted(when, key=lambda name: when[name]) == list(MILESTONES)
    assert summary.state["in_container(cup, microwave)"]
    assert summary.state["hot(cup)"]
    assert not summary.state["open(microwave)"]
    assert when["became_hot"] - when["switched_on"] == pytest.approx(TO_HOT_S, abs=0.2)


@pytest.mark.long
def test_a_cup_behind_an_open_door_stays_cold(tmp_path: Path) -> None:
    example("tiago_description/robots/tiago.urdf")
    summary = hetwin_suite.run(SCENARIO, out=tmp_path / "run", variant="door_open")
    assert list(milestones(summary)) == ["grip_closed", "entered", "switched_on"]
    assert summary.state["in_container(cup, microwave)"]
    assert summary.state["open(microwave)"]
    assert not summary.state["hot(cup)"]


@pytest.mark.long
def test_a_robot_of_another_maker_takes_a_cup_from_where_its_base_is() -> None:
    example("tiago_description/robots/tiago.urdf")
    there = PlanarPose(2.96, 2.82, 1.55)
    commander = Commander.of("home_lab", GRASP_CUP, RunOptions())
    _, rehearsal = commander.rehearsed(commander.twin.resting, there)
    assert rehearsal.ok, rehearsal.to_json()
    far = commander.rehearsed(commander.twin.resting)[1]
    assert [refusal.rule for refusal in far.refused] == [Rule.UNREACHABLE]
