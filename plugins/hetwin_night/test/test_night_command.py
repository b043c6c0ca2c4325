"""The command, on a small night: a clean recording, one with something planted, a broken one."""

from __future__ import annotations

import json
from pathlib import Path

import night_bags
import numpy as np
import pytest
from pyarrow import parquet
from support.hetwin_command import hetwin

from hetwin_night.row_store import FILE

CLAIM = 'placed=holds(on("box", "tray"), at(end))'


@pytest.fixture(scope="module")
def bags(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("night") / "bags"
    rng, base = np.random.default_rng(4), night_bags.recorded()
    (folder / "ada").mkdir(parents=True)
    for index, kind in enumerate(("clean", "drop")):
        night_bags.write_recording(folder / "ada" / kind, kind, index, rng, base, at=6.0)
    night_bags.write_broken(folder / "torn", "random", rng)
    return folder


def test_a_night_is_judged_once_and_ends_in_the_same_table(bags: Path, tmp_path: Path) -> None:
    words = ("night", bags, "--scenario", "pick_and_place", "--claim", CLAIM, "--jobs", "2")
    told = ("--names", r"(?P<robot>\w+)/", "--out", tmp_path / "out", "--json")
    first = hetwin(*words, *told)
    assert first.code == 1, first.err
    rows = {row["name"]: row for row in json.loads(first.out)["rows"]}
    assert {name: row["outcome"] for name, row in rows.items()} == {
        "ada/clean": "good",
        "ada/drop": "bad",
        "torn": "fault",
    }
    assert rows["ada/drop"]["kind"] == "dropped"
    assert rows["ada/drop"]["claims"]["placed"] is False
    assert rows["ada/clean"]["about"]["robot"] == "ada"
    assert (tmp_path / "out" / rows["ada/drop"]["page"]).is_file()
    assert rows["ada/clean"]["page"] == ""
    table = parquet.read_table(tmp_path / "out" / "night.parquet")
    assert table.column("claim placed").to_pylist() == [True, False, None]
    files = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir() if p.is_file()}
    kept = files.pop(FILE)
    (tmp_path / "out" / FILE).write_bytes(kept[: kept.rindex(b"{")])  # killed while it wrote
    again = hetwin(*words, *told)
    assert json.loads(again.out)["rows"] == json.loads(first.out)["rows"]
    for name, content in files.items():
        assert (tmp_path / "out" / name).read_bytes() == content, name
    assert hetwin("night", "--diff", tmp_path / "out", tmp_path / "out").code == 0


def test_the_change_between_two_is_found(bags: Path, tmp_path: Path) -> None:
    words = ("night", bags / "ada", "--scenario", "pick_and_place", "--runs", "none", "--bisect")
    said = hetwin(*words, "--out", tmp_path / "out")
    assert said.code == 1, said.err
    assert "drop is the first that is bad: box dropped by gripper" in said.out
    assert "clean before it is good; 2 of 2 were judged" in said.out


def test_what_cannot_be_used_is_refused(bags: Path, tmp_path: Path) -> None:
    (tmp_path / "only" / "torn").mkdir(parents=True)
    (tmp_path / "only" / "torn" / "a.mcap").write_bytes(b"no recording")
    scenario = ("--scenario", "pick_and_place")
    for words, says in (
        ((bags,), ("no scenario is given",)),
        (scenario, ("no folder with recordings is given",)),
        ((bags, *scenario, "--runs", "some"), ("no such choice", "bad, all or none")),
        ((bags, *scenario, "--claim", "held"), ("not a claim", "NAME=QUESTION")),
        ((bags, *scenario, "--names", "("), ("not a regular expression",)),
        (("--diff", tmp_path, tmp_path), ("not the folder of a night", "rows.jsonl")),
        ((tmp_path / "only", *scenario), ("fits none of 1 recordings",)),
    ):
        said = hetwin("night", *words, "--out", tmp_path / "out")
        assert said.code == 2, said
        for part in says:
            assert part in said.err.replace("\n", " "), said.err
