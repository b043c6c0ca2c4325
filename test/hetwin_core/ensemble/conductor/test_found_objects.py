"""Objects of the scene that packages find, and objects whose SDFormat stands in the scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin

from hetwin_core.ensemble import installed
from hetwin_core.ensemble.conductor.start.found import found_objects
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.shared_keys import merged_scene
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario

BRICK = """<sdf version="1.10"><model name="brick"><static>true</static><pose>1 2 3 0 0 0</pose><link name="link">
<collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link></model></sdf>"""


def scenario(folder: Path, scene: dict[str, Any]) -> Scenario:
    file = folder / "found.yaml"
    file.write_text(f"extends: pick_and_place\nscenario: found\nscene: {json.dumps(scene)}\n")
    return load_scenario(file)


def test_without_the_package_its_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = scenario(tmp_path, {"from": "planning_scene"})
    monkeypatch.setattr(installed, "installed", lambda _group: [])
    words = r'scene.from.planning_scene.*pip install "hetwin-suite\[unannounced\]"'
    with pytest.raises(BadInput, match=words):
        found_objects(given, RunOptions())


def test_without_a_source_nothing_is_looked_for(tmp_path: Path) -> None:
    given = scenario(tmp_path, {"from": "planning_scene"})
    assert found_objects(given, RunOptions(no_source=True)) == {}


def test_what_was_found_lies_below_all_else_of_the_scene(tmp_path: Path) -> None:
    given = scenario(tmp_path, {"from": "planning_scene", "brick": {"pose": [0, 0, 9, 1, 0, 0, 0]}})
    found = {"brick": {"model": BRICK, "if_absent": True}}
    options = RunOptions(found=found, scene={"box": {"pose": [1, 0, 0, 1, 0, 0, 0]}})
    laid = merged_scene(given, options)
    assert laid["brick"] == {"model": BRICK, "if_absent": True, "pose": [0, 0, 9, 1, 0, 0, 0]}
    assert laid["box"]["pose"][0] == 1
    assert "from" not in laid


def test_an_object_may_stand_in_the_scenario_as_text(tmp_path: Path) -> None:
    scene = {"brick": {"model": BRICK}, "box": {"model": BRICK, "if_absent": True}}
    file = scenario(tmp_path, scene).path
    words = ("--json", "--no-page", "--duration", "0.1", "--out", tmp_path / "run")
    ended = hetwin("run", file, *words)
    assert ended.code == 0, ended.err
    where = hetwin(
        "ask", tmp_path / "run", "holds(distance('brick', 'box') > 2, at(0.05))", "--json"
    )
    assert where.code == 0, where.err
