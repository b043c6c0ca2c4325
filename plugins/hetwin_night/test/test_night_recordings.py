"""Recordings below folders: their names, what is known about them, and folders that cannot be used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hetwin_night.recordings import START, find_recordings
from hetwin_suite.command import BadInput


def bag(folder: Path, custom: str = "{}", begun: int = 1_700_000_000_500_000_000) -> Path:
    folder.mkdir(parents=True)
    (folder / "metadata.yaml").write_text(
        "rosbag2_bagfile_information:\n"
        f"  custom_data: {custom}\n  starting_time: {{nanoseconds_since_epoch: {begun}}}\n"
    )
    (folder / "a.mcap").write_bytes(b"x")
    return folder


def test_names_are_paths_and_a_folder_with_metadata_is_one(tmp_path: Path) -> None:
    bag(tmp_path / "left" / "one", "{robot: ada}")
    (tmp_path / "two.mcap").write_bytes(b"x")
    (tmp_path / "three.db3.zst").write_bytes(b"x")
    (tmp_path / "notes.txt").write_text("no recording")
    bag(tmp_path / "episode" / "recording", "{robot: eve}")
    (tmp_path / "episode" / "scene.json").write_text("{}")
    found = {one.name: one for one in find_recordings([tmp_path])}
    assert list(found) == ["episode", "left/one", "three", "two"]
    assert found["episode"].about["robot"] == "eve"
    assert found["left/one"].about == {"robot": "ada", START: "1700000000.500"}
    assert found["two"].about == {}


def test_what_is_known_comes_from_the_name_and_a_table_too(tmp_path: Path) -> None:
    bag(tmp_path / "bags" / "ada" / "one", "{robot: nobody, site: lab}")
    table = tmp_path / "about.csv"
    table.write_text("name,software\nada/one,1.2\nelsewhere,1.3\n")
    (one,) = find_recordings([tmp_path / "bags"], re.compile(r"(?P<robot>\w+)/"), table)
    assert one.about == {
        "robot": "ada",
        "site": "lab",
        "software": "1.2",
        START: "1700000000.500",
    }


def test_a_changed_file_changes_the_stamp(tmp_path: Path) -> None:
    folder = bag(tmp_path / "one")
    (before,) = find_recordings([tmp_path])
    (folder / "a.mcap").write_bytes(b"longer")
    (after,) = find_recordings([tmp_path])
    assert before.stamp != after.stamp


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    bag(tmp_path / "a" / "one")
    bag(tmp_path / "b" / "one")
    (tmp_path / "empty").mkdir()
    table = tmp_path / "about.csv"
    for folders, text, words in (
        ([tmp_path / "none"], None, "there is no such folder"),
        ([tmp_path / "empty"], None, "no recording found"),
        ([tmp_path / "a", tmp_path / "b"], None, "two recordings have the same name"),
        ([tmp_path / "a"], "title\nx\n", "the table has no column name"),
        ([tmp_path / "a"], "name,x\nother,1\n", "no name in the file is that of a recording found"),
    ):
        if text is not None:
            table.write_text(text)
        with pytest.raises(BadInput, match=words):
            find_recordings(folders, about=None if text is None else table)
