"""Shipped scenarios in Gazebo, where it is installed: they run to their end and report the same as with MuJoCo."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cli_runs import ROOT, hetwin
from support.gazebo_servers import gazebo_server, needs_gazebo
from support.plugins import needs

from hetwin_core.ensemble.resources import resource
from hetwin_core.episodes.episode import Episode

pytestmark = [
    needs_gazebo,
    pytest.mark.slow,
]
HANDLING = {"grip_closed", "grasped", "picked_up", "grip_lost", "released", "put_down"}


def run(scenario: str, engine: str, out: Path, *options: object) -> dict[str, Any]:
    """What a run printed."""
    told = ("run", scenario, "--engine", engine, "--json", "--no-page", "--out", out, *options)
    ended: dict[str, Any] = hetwin(*told).json
    assert ended["ended"] == "recording"
    assert ended["engine"].startswith(engine)
    return ended


def handling(ended: dict[str, Any]) -> list[tuple[str, str | None]]:
    """Events of handling in their order, and where the object was put or taken."""
    events = [e for e in ended["events"] if e["name"] in HANDLING]
    return [(e["name"], e["arguments"].get("support")) for e in events]


def times(ended: dict[str, Any]) -> list[float]:
    """When these events happened [s]."""
    return [e["time"] for e in ended["events"] if e["name"] in HANDLING]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What MuJoCo says of the shipped pick-and-place."""
    return run("pick_and_place", "mujoco", tmp_path_factory.mktemp("mujoco") / "run")


@pytest.mark.parametrize("transport", ["local", "ros"])
def test_a_box_is_put_on_the_tray(transport: str, expected: dict[str, Any], tmp_path: Path) -> None:
    told = run("pick_and_place", "gz", tmp_path / "run", "--transport", transport)
    assert told["deterministic"] is False
    assert handling(told) == handling(expected)
    assert times(told) == pytest.approx(times(expected), abs=0.05)
    assert told["state"] == expected["state"]


def test_a_box_is_put_on_the_tray_in_a_gazebo_that_runs_already(
    expected: dict[str, Any], tmp_path: Path
) -> None:
    # The ten minutes of docs/gazebo.md: a world with the robot in it, and the scenario for that world.
    robot = ROOT / "urdf" / "tabletop_arm.urdf"
    world = (ROOT / "worlds" / "tabletop.sdf").read_text("utf-8").replace("0.001<", "0.0025<")
    inside = f"<include><uri>{robot}</uri></include></world>"
    world = world.replace('"tabletop"', '"WORLD"').replace("</world>", inside)
    partition = f"hetwin_cell_{os.getpid()}"
    scenario = (ROOT / "scenarios" / "pick_and_place.yaml").read_text("utf-8")
    for before, after in (
        ("world: worlds/tabletop.sdf", "world: cell.sdf"),
        ("robot: urdf/tabletop_arm.urdf\n", ""),
        ("source: ", f"source: {ROOT}/"),
        (
            "engine: auto",
            f"engine: gz, parameters: {{options: {{server: cell, partition: {partition}}}}}",
        ),
    ):
        assert before in scenario
        scenario = scenario.replace(before, after)
    file = tmp_path / "cell.yaml"
    file.write_text(scenario, "utf-8")
    with gazebo_server(tmp_path, partition, "cell", world):
        told = run(str(file), "gz", tmp_path / "run")
    assert told["engine"].endswith(f"server cell in partition {partition})")
    assert told["deterministic"] is False
    assert handling(told) == handling(expected)
    assert times(told) == pytest.approx(times(expected), abs=0.05)


@needs("hetwin_tables")
def test_the_jug_is_emptied_into_the_bowl(tmp_path: Path) -> None:
    run("pouring", "gz", tmp_path / "run", "--duration", "9")
    truth = json.loads(resource("scenarios", "episodes", "pouring_truth.json").read_text("utf-8"))
    _, jug, bowl = truth["counts"][-1]
    twin = Episode.open(tmp_path / "run")
    assert twin.attribute("jug", "particle_count")[-1, 0] == pytest.approx(jug, abs=5)
    assert twin.attribute("bowl", "particle_count")[-1, 0] == pytest.approx(bowl, abs=5)


@needs("hetwin_bauer2022")
@pytest.mark.parametrize("kind", ["drop", "insertion"])
def test_the_scenarios_of_the_paper_run_to_their_end(kind: str, tmp_path: Path) -> None:
    options = ("-n", 1, "--seed", 5, "--out", tmp_path / kind)
    assert hetwin("record", kind, *options).code == 0
    out = tmp_path / "verdicts"
    told = ("--approaches", "ensemble", "--jobs", 1, "--out", out, "--json")
    verdicts = {}
    for engine in ("gz", "mujoco"):
        ended = hetwin(
            "evaluate", "table2", "--episodes", tmp_path / kind, "--engine", engine, *told
        )
        verdicts[engine] = [cell["right"] for cell in ended.json["cells"]]
    assert np.sum(verdicts["gz"]) == 1
    assert verdicts["gz"] == verdicts["mujoco"]
