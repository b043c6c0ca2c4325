"""What a run was given, as `RunStart` says it."""

from __future__ import annotations

from typing import Any

from support.small_ensemble import conduct

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.resources import file_digest
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario

GAUGE = """scenario: endless
seed: 3
models: {physics: {type: "support.small_ensemble:Gauge", main: true, parameters: {levels: [1]}}}
triggers: [{name: low, on: {event: low}, if: "1 > 0", do: [{stop: low}]}]
"""
MOVED = {"box": {"pose": [0.5, 0.1, 0.76, 1.0, 0.0, 0.0, 0.0]}}


def given(text: str, **options: Any) -> dict[str, Any]:
    """What a small run is given."""
    conductor, *_ = conduct(text, duration=0.1, **options)
    return dict(conductor.prepare().given)


def test_scenario_seed_and_rate() -> None:
    found = given(GAUGE)
    assert (found["seed"], found["rate"], found["duration"]) == (3, 400.0, 0.1)
    assert found["scenario"]["models"]["physics"]["parameters"] == {"levels": [1]}
    assert found["scenario"]["triggers"][0]["on"] == {"event": "low"}
    assert given(GAUGE, seed=8)["seed"] == 8
    assert given(GAUGE + "rate: 200\n")["rate"] == 200.0


def test_a_default_that_is_written_out_changes_nothing() -> None:
    assert given(GAUGE) == given(GAUGE + "rate: 400\ndeadline: 10\n")


def test_scene_engine_and_files() -> None:
    scenario = load_scenario(find_scenario("pick_and_place"))
    options = RunOptions(scene=MOVED, no_source=True, duration=0.01)
    conductor = session(scenario, options=options, own_processes=True)
    found: Any = conductor.prepare().given
    conductor.run()
    assert found["scene"]["box"] == MOVED["box"]
    assert found["engine"].startswith("mujoco")
    world = scenario.path_of(scenario.file.world or "")
    assert world is not None
    assert found["files"]["world"] == file_digest(world)
    assert "source" not in found["files"]
