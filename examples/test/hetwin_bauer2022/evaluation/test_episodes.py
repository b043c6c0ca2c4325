"""Reading recorded episodes: what is found, and what is refused with which words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hetwin_bauer2022.evaluation.episodes import find_episodes
from hetwin_core.ensemble.errors import BadInput

TRUTH: dict[str, Any] = {"label": "failure", "cause": "missed", "margin": -0.02, "held": []}


def episode(folder: Path, truth: Any = None, scene: Any = None) -> Path:
    (folder / "recording").mkdir(parents=True)
    (folder / "truth.json").write_text(json.dumps(TRUTH if truth is None else truth))
    (folder / "scene.json").write_text(
        json.dumps({"scenario": "insertion", "scene": {}} if scene is None else scene)
    )
    return folder


def test_subfolders_are_searched_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b/two", "a/deep/one", "c"):
        episode(tmp_path / name)
    found = find_episodes(tmp_path)
    assert [e.folder.relative_to(tmp_path).as_posix() for e in found] == [
        "a/deep/one",
        "b/two",
        "c",
    ]
    assert (found[0].success, found[0].cause, found[0].margin) == (False, "missed", -0.02)


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ({}, r"truth.json.*no such label.*success or failure"),
        ({"label": "perhaps"}, "perhaps"),
        ([], "malformed.*a JSON object"),
    ],
)
def test_a_truth_without_a_label_is_refused(tmp_path: Path, truth: Any, words: str) -> None:
    episode(tmp_path / "one", truth=truth)
    with pytest.raises(BadInput, match=words):
        find_episodes(tmp_path)


def test_an_episode_without_a_recording_is_refused(tmp_path: Path) -> None:
    (episode(tmp_path / "one") / "recording").rmdir()
    with pytest.raises(BadInput, match=r"incomplete.*recording"):
        find_episodes(tmp_path)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (episode(tmp_path / "one") / "scene.json").write_text("{")
    with pytest.raises(BadInput, match=r"scene\.json.*does not name its scenario"):
        find_episodes(tmp_path)


def test_no_episodes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no labelled episodes here"):
        find_episodes(tmp_path)
    with pytest.raises(BadInput, match=r"absent.*a folder with episodes"):
        find_episodes(tmp_path / "absent")
