"""The start of a run may add objects to the world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.robot_files import ROOT

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_suite import run
from hetwin_suite.episode import open_episode
from model_nodes.main_physics.loading import load_world
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.settings import Settings

WORLD = str(ROOT / "worlds" / "tabletop.sdf")
MUG = """<sdf version="1.10"><model name="own_name"><pose>0 0 3 0 0 0</pose><link name="link">
  <inertial><mass>0.3</mass></inertial>
  <collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision>
</link></model></sdf>"""


@pytest.fixture
def mug(tmp_path: Path) -> Path:
    file = tmp_path / "mug.sdf"
    file.write_text(MUG, encoding="utf-8")
    return file


def added(**scene: Any) -> dict[str, tuple[float, ...]]:
    """Name -> place of all bodies of the world with that scene."""
    world = load_world(Settings.read({"world": WORLD, "scene": scene}))
    return {body.name: tuple(body.pose[:3]) for body in world.bodies}


def test_an_object_stands_where_its_file_or_the_scene_says(mug: Path) -> None:
    bodies = added(
        first={"model": str(mug)}, second={"model": str(mug), "pose": [1, 2, 3, 1, 0, 0, 0]}
    )
    assert bodies["first"] == (0, 0, 3)
    assert bodies["second"] == (1, 2, 3)
    assert bodies.keys() > added().keys()


def test_a_folder_with_a_model_will_do(mug: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mug"
    folder.mkdir()
    mug.rename(folder / "model.sdf")
    assert "mine" in added(mine={"model": str(folder)})


def test_it_is_an_object_of_the_scene(mug: Path) -> None:
    model = MainPhysics()
    parameters = {"world": WORLD, "scene": {"mug": {"model": str(mug)}}, "engine": "mujoco"}
    entities = {e.name: e for e in model.contribute(parameters, seed=0).entities}
    model.stop()
    assert entities["mug"].kind is EntityKind.OBJECT
    assert entities["mug"].mass == pytest.approx(0.3)


def test_the_start_may_place_an_object_that_the_scenario_adds(mug: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "table.yaml"
    scenario.write_text(
        f"""scenario: table
world: {WORLD}
models: {{physics: {{type: main_physics, main: true, engine: mujoco}}}}
scene: {{mug: {{model: mug.sdf, pose: [1, 0, 3, 1, 0, 0, 0]}}}}
""",
        encoding="utf-8",
    )
    placed = {"mug": {"pose": [0.5, 0, 3, 1, 0, 0, 0]}}
    summary = run(scenario, scene=placed, duration=0.01, out=tmp_path / "run")
    assert open_episode(summary.folder).pose("mug")[0, :3].tolist() == [0.5, 0.0, 3.0]


@pytest.mark.parametrize(
    ("notes", "words"),
    [
        ({"model": "nowhere.sdf"}, "scene.mug: does not exist"),
        ({"model": 3}, r"scene\.mug\.model: .*found 3"),
        (
            {"model": "x.sdf", "colour": "red"},
            r"scene\.mug\.colour: unknown key.*model, note, pose",
        ),
        ({}, r"scene\.mug: .*expected \{pose: \[7\]\}, or \{model: FILE"),
    ],
)
def test_what_cannot_be_added_is_named(notes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        added(mug=notes)


def test_names_are_unique_and_files_good(mug: Path) -> None:
    with pytest.raises(BadInput, match="both use the name 'box'"):
        added(box={"model": str(mug)})
    mug.write_text(MUG.replace("<mass>0.3", "<mass>much"), encoding="utf-8")
    with pytest.raises(BadInput, match=r"mug\.sdf: scene\.mug: line 2"):
        added(mug={"model": str(mug)})
