"""The shipped scenario `truck_unloading`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.kept_digests import check_digest
from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.scene.values import Fidelity
from hetwin_truck import world
from hetwin_truck.packets import Load
from hetwin_truck.robot import SENSOR_REACH, plunger_links, plunger_names
from hetwin_truck.scenario import write_truck_scenario
from hetwin_truck.world import scenario_packets, truck_sdf

HERE = Path(__file__).resolve().parents[2] / "hetwin_truck"
CUP = plunger_links(plunger_names()[0])[-1]


def test_its_world_holds_the_small_load() -> None:
    world = truck_sdf(scenario_packets("small"))
    assert (HERE / "worlds/truck.sdf").read_text("utf-8") == world


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """The pick, and the robot on its way back; the sweep is left out."""
    done = run((HERE / "scenarios/truck_unloading.yaml").read_text("utf-8"), duration=8.0)
    assert done.summary.error is None
    return done


def test_its_digest_is_the_recorded_one(outcome: Outcome) -> None:
    check_digest("truck_unloading, 8 s", outcome.summary.digest)


def test_what_the_cups_held_leaves_on_the_belt(outcome: Outcome) -> None:
    held = {e.arguments["object"] for e in outcome.record.events if e.name == "holds"}
    assert held
    first, last = (outcome.record.scenes[i] for i in (0, -1))
    for name in held:
        assert last.pose(str(name))[0] < first.pose(str(name))[0] - 2.0
    left = [name for name in held if last.pose(str(name))[0] < last.pose("base")[0]]
    assert len(left) >= 4


def test_plungers_and_their_sensors_are_off_while_the_robot_does_not_pick(outcome: Outcome) -> None:
    scenes = outcome.record.scenes
    levels = np.array([float(s.get(CUP, "fidelity")[0]) for s in scenes])
    assert set(levels) == {Fidelity.LOW, Fidelity.HIGH}
    low = levels[:-1] == Fidelity.LOW
    seen = np.array(
        [s.get(plunger_links(p)[-1], "range")[0] for s in scenes[1:] for p in plunger_names()]
    ).reshape(len(scenes) - 1, -1)
    assert (seen[low] == SENSOR_REACH).all()
    assert (seen[~low].min(axis=1) < SENSOR_REACH).any()


def test_packets_are_low_before_the_robot_comes_and_high_where_it_is(outcome: Outcome) -> None:
    names = [p.name for p in scenario_packets("small")]
    levels = np.array(
        [[float(s.get(n, "fidelity")[0]) for n in names] for s in outcome.record.scenes]
    )
    assert (levels == Fidelity.LOW).all(axis=1).any()
    assert (levels == Fidelity.HIGH).any(axis=1).any()


def test_a_scenario_of_another_load_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(world._LOADS, "small", Load(8, 1.2))
    path = write_truck_scenario(tmp_path / "there", "small", seed=3)
    scenario = load_scenario(path, "engine_sleep")
    summary = session(scenario, options=RunOptions(duration=0.05), own_processes=True).run()
    assert summary.error is None
    told = (tmp_path / "there" / "truck.sdf").read_text("utf-8")
    assert told == truck_sdf(scenario_packets("small", 3))
    assert told != truck_sdf(scenario_packets("small"))
