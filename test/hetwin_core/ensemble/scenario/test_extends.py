"""A scenario that says only what is different from another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario

BASE = """
scenario: base
rate: 400
models:
  physics: {type: "support.toys:ToyPhysics", main: true}
  grasp: {type: "support.toys:ToyGrasp"}
triggers:
  - name: one
    on: {event: x}
    do: [{stop: enough}]
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_keys_replace_and_entries_merge_by_name(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE)
    text = """
extends: base.yaml
scenario: variant
models: {grasp: null, cup: {type: "support.toys:ToyCup"}}
triggers: []
"""
    scenario = load_scenario(write(tmp_path, "variant.yaml", text))
    assert scenario.name == "variant"
    assert [m.name for m in scenario.models] == ["physics", "cup"]
    assert scenario.triggers == ()
    assert scenario.clock.rate == 400


def test_an_error_names_the_file_that_the_key_stands_in(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE.replace("grasp: {type", "grasp: {rate: 7, type"))
    variant = write(tmp_path, "variant.yaml", "extends: base.yaml\nscenario: variant\n")
    with pytest.raises(BadInput, match=r"base\.yaml: line 6, models\.grasp\.rate"):
        load_scenario(variant)


def test_a_circle_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "extends: b.yaml\nscenario: a\n")
    b = write(tmp_path, "b.yaml", "extends: a.yaml\nscenario: b\n")
    with pytest.raises(BadInput, match=r"in a cycle; found 'b\.yaml -> a\.yaml -> b\.yaml'"):
        load_scenario(b)


def test_a_base_that_is_not_there_is_named(tmp_path: Path) -> None:
    variant = write(tmp_path, "variant.yaml", "scenario: variant\nextends: nowhere.yaml\n")
    with pytest.raises(
        BadInput, match=r"line 2, extends: no such scenario to extend; found 'nowhere"
    ):
        load_scenario(variant)


def test_files_that_a_base_names_are_found_beside_it(tmp_path: Path) -> None:
    there, here = tmp_path / "there" / "scenarios", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir(parents=True)
    write(there, "base.yaml", BASE + "packages: {parts: .}\n")
    for name in ("room.sdf", "both.sdf"):
        write(there, name, "")
    own = write(here, "both.sdf", "")
    text = f"extends: {there / 'base.yaml'}\nscenario: elsewhere\n"
    scenario = load_scenario(write(here, "elsewhere.yaml", text))
    assert scenario.path_of("room.sdf") == there / "room.sdf"
    assert scenario.path_of("both.sdf") == own
    assert scenario.path_of("nowhere.sdf") is None
    assert scenario.folder_of("packages", "parts") == there
    assert scenario.folder_of("scenario") == here


def test_one_of_hetwins_scenarios_is_extended_by_its_name(tmp_path: Path) -> None:
    text = "extends: pick_and_place\nscenario: mine\nmodels: {grasp: null}\ntriggers: []\n"
    scenario = load_scenario(write(tmp_path, "mine.yaml", text))
    shipped = load_scenario(find_scenario("pick_and_place"))
    assert {m.name for m in shipped.models} - {m.name for m in scenario.models} == {"grasp"}
    assert scenario.path_of(str(shipped.file.world)) == shipped.path_of(str(shipped.file.world))


def test_a_file_beside_a_scenario_comes_before_one_of_hetwins(tmp_path: Path) -> None:
    write(tmp_path, "pick_and_place", BASE)
    own = write(tmp_path, "mine.yaml", "extends: pick_and_place\nscenario: mine\n")
    assert load_scenario(own).clock.rate == 400
    assert [t.name for t in load_scenario(own).triggers] == ["one"]


def test_the_likely_names_of_a_base_are_offered(tmp_path: Path) -> None:
    own = write(tmp_path, "mine.yaml", "extends: pick_and_plase\nscenario: mine\n")
    with pytest.raises(BadInput, match="perhaps 'pick_and_place'"):
        load_scenario(own)


def test_an_error_of_a_key_with_dots_has_its_own_line(tmp_path: Path) -> None:
    write(tmp_path, "base.yaml", BASE + "uncertainty:\n  cup: {mass: {sigma: 0.1}}\n")
    text = "extends: base.yaml\nscenario: mine\nuncertainty:\n\n  cup.mass: {mass: {sigma: -1}}\n"
    own = write(tmp_path, "mine.yaml", text)
    with pytest.raises(BadInput, match=r"mine\.yaml: line 5, uncertainty\.cup\.mass\.mass\.sigma"):
        load_scenario(own)
