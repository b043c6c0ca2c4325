"""A scenario that says only what is different from another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import load_scenario

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
    with pytest.raises(BadInput, match=r"in a circle; found 'b\.yaml -> a\.yaml -> b\.yaml'"):
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
