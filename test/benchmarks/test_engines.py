"""The benchmark of the engines plays side by side, goes on where it ended, and counts only what it can compare."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from support.plugins import benchmark

engines = benchmark("engines", "hetwin_bauer2022")


def episode(folder: Path, name: str, success: bool = True) -> engines.LabelledEpisode:
    made = folder / name
    (made / "recording").mkdir(parents=True)
    (made / "scene.json").write_text(json.dumps({"scenario": "insertion", "scene": {}}))
    label = "success" if success else "failure"
    (made / "truth.json").write_text(json.dumps({"label": label}))
    return engines.LabelledEpisode(made, "insertion", {}, success, "", None, True, True)


def seen(engine: str, name: str, said: bool, factor: float, truth: bool = True) -> engines.Seen:
    verdict = engines.Verdict(name, "insertion", "rigid", said, truth, "", None, "", factor, 1.0)
    return engines.Seen(engine, verdict, 2.0 * factor)


def test_folders_take_turns(tmp_path: Path) -> None:
    for name in ("a/1", "a/2", "a/3", "b/1"):
        episode(tmp_path, name)
    found = engines.in_turn([tmp_path / "a", tmp_path / "b"], 2)
    assert [str(e.folder.relative_to(tmp_path)) for e in found] == ["a/1", "b/1", "a/2"]


def test_a_later_run_goes_on_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = []

    def play(run: engines.Run) -> engines.Seen:
        played.append(run.key)
        return seen(run.engine, str(run.episode.folder), True, 1.0)

    monkeypatch.setattr(engines, "play_apart", play)
    episodes = [episode(tmp_path, name) for name in ("1", "2")]
    runs = [engines.Run(e, "rigid", engine) for e in episodes for engine in ("mujoco", "gz")]
    file = tmp_path / "kept.jsonl"
    assert list(engines.play_all(runs, file, 0.0)) == []
    first = list(engines.play_all(runs[:2], file, 60.0))
    again = list(engines.play_all(runs, file, 60.0))
    assert played == [run.key for run in runs]
    assert [s.key for s in again[:2]] == [s.key for s in first]
    assert len(file.read_text().splitlines()) == 4


def test_only_what_all_engines_played_is_counted() -> None:
    rows = [
        seen("mujoco", "1", True, 5.0),
        seen("gz", "1", False, 0.5),
        seen("mujoco", "2", True, 7.0),
        seen("gz", "2", True, 0.7),
        seen("mujoco", "3", True, 9.0),
    ]
    order = ["mujoco", "gz"]
    (row,) = engines.rows(engines.only_complete(rows, order), order)
    assert (row["scenario"], row["truth"], row["approach"]) == ("insertion", "success", "rigid")
    assert row["mujoco"] == {"right": 2, "of": 2, "real_time_factor": 6.0, "processor_time": 12.0}
    assert row["gz"] == {"right": 1, "of": 2, "real_time_factor": 0.6, "processor_time": 1.2}


def test_a_run_that_failed_has_no_factor() -> None:
    rows = [seen("gz", "1", True, math.nan), seen("gz", "2", True, 3.0)]
    (row,) = engines.rows(rows, ["gz"])
    assert row["gz"]["real_time_factor"] == 3.0


def test_no_episodes_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ["--episodes", str(tmp_path), "--engine", "mujoco"]
    assert engines.main(told) == engines.BAD_INPUT
    assert "hetwin record" in capsys.readouterr().err
