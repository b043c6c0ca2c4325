"""`hetwin list scenarios`: what there is, what it needs, and commands that work to the letter."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin
from support.plugins import needs

from hetwin_core.ensemble.resources import names_of
from hetwin_suite.cli.catalogue import ScenarioRow


def rows() -> dict[str, ScenarioRow]:
    listed: list[dict[str, Any]] = json.loads(hetwin("list", "scenarios", "--json").out)
    return {row["name"]: ScenarioRow.model_validate(row) for row in listed}


def test_every_scenario_is_listed_with_what_it_shows() -> None:
    found = rows()
    assert list(found) == names_of("scenarios", ".yaml")
    assert all(row.description and row.run for row in found.values())


def test_the_json_follows_its_schema() -> None:
    schema = json.loads(hetwin("list", "schema", "scenarios").out)
    assert schema["type"] == "array"
    assert set(schema["items"]["properties"]) == set(ScenarioRow.model_fields)


def test_what_comes_with_its_recording_is_ready() -> None:
    row = rows()["pick_and_place"]
    assert row.ready
    assert row.run == ["hetwin run pick_and_place"]


def test_variants_are_named() -> None:
    assert rows()["pick_and_place"].variants == []


@needs("hetwin_tables")
def test_variants_of_an_example_are_named() -> None:
    assert "grasp_lost" in rows()["set_table"].variants


def test_what_needs_the_data_folder_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HETWIN_DATA", str(tmp_path))
    row = rows()["kuka_follow_joints"]
    assert not row.ready
    assert all(str(tmp_path) in need.how for need in row.needs if not need.there)
    (tmp_path / "kuka_lwr_mcap").mkdir()
    (tmp_path / "kuka_lwr_mcap" / "lwr.urdf").touch()
    assert rows()["kuka_follow_joints"].ready


def test_what_needs_an_episode_says_how_to_record_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = rows()["insertion_rigid"]
    assert not row.ready
    recording, run = row.run
    assert recording.startswith("hetwin record insertion ")
    assert run.startswith("hetwin run insertion_rigid ")
    (need,) = row.needs
    assert need.how == recording


def test_where_the_episode_is_there_only_the_run_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(rows()["insertion"].run[-1])
    Path(words[words.index("--source") + 1]).mkdir(parents=True)
    row = rows()["insertion"]
    assert row.ready
    assert len(row.run) == 1


def test_a_person_sees_the_same() -> None:
    said = hetwin("list", "scenarios").out
    for row in rows().values():
        assert f"{row.name} " in said
        assert all(f"$ {command}" in said for command in row.run)


@pytest.mark.long
def test_the_commands_run_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command in rows()["insertion"].run:
        said = hetwin(*shlex.split(command)[1:])
        assert said.code == 0, said.err
