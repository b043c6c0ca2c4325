"""A main model that waits for a silent robot has the time for it; everything else keeps its deadline."""

from __future__ import annotations

import re
from pathlib import Path

from support.plugins import needs

from hetwin_core.ensemble.conductor.start.lifecycle import with_robot_deadlines
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_suite.running.request import RunRequest


def test_the_main_model_may_wait_as_long_as_its_robot_may_be_silent() -> None:
    scenario = load_scenario(find_scenario("pick_and_place"))
    source = '{"live": "", "timeout": 60, "wait": 50}'
    waiting = with_robot_deadlines(scenario, RunOptions(source=source))
    assert waiting.main.deadline_of("step") == scenario.main.deadline_of("step") + 60
    assert waiting.main.deadline_of("initialize") >= scenario.main.deadline_of("initialize") + 50
    assert waiting.models[1:] == scenario.models[1:]


@needs("hetwin_tables")
def test_of_several_robots_the_most_patient_counts(tmp_path: Path) -> None:
    text = find_scenario("handing_over").read_text(encoding="utf-8")
    for name, timeout in (("left", 7), ("right", 3)):
        source = f"    source: {{live: {name}, timeout: {timeout}}}"
        text = re.sub(r"^    source: [^{].*$", source, text, count=1, flags=re.MULTILINE)
    path = tmp_path / "two.yaml"
    path.write_text(text, encoding="utf-8")
    scenario = load_scenario(path)
    waiting = with_robot_deadlines(scenario, RunOptions())
    assert waiting.main.deadline == scenario.main.deadline + 7


def test_a_recording_is_not_waited_for() -> None:
    scenario = load_scenario(find_scenario("pick_and_place"))
    assert with_robot_deadlines(scenario, RunOptions()) is scenario


def test_invalid_options_are_left_to_the_main_model() -> None:
    scenario = load_scenario(find_scenario("pick_and_place"))
    source = '{"live": "", "timeout": "long"}'
    assert with_robot_deadlines(scenario, RunOptions(source=source)).main.deadline > 10


def test_a_run_is_loaded_with_that_time(tmp_path: Path) -> None:
    options = RunOptions(source='{"live": "", "timeout": 60}')
    with RunRequest("pick_and_place", options, tmp_path / "run").loaded() as (scenario, _):
        pass
    assert scenario.main.deadline > 60
