"""Only collisions of the robot's base with the bodies that it stands on are allowed."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hetwin_moveit.allowed import allow_collisions, bodies_touching_base
from hetwin_moveit.believed import SceneReader
from hetwin_suite import run
from hetwin_suite.episode import open_episode


def entry(*enabled: bool) -> Any:
    return SimpleNamespace(enabled=list(enabled))


def test_pairs_are_added_and_the_rest_stays() -> None:
    matrix = SimpleNamespace(
        entry_names=["a", "b"],
        entry_values=[entry(False, True), entry(True, False)],
        default_entry_names=["table", "a"],
        default_entry_values=[True, True],
    )
    made = allow_collisions(matrix, "base", ["table"], entry)
    assert made.entry_names == ["a", "b", "base", "table"]
    assert [row.enabled for row in made.entry_values] == [
        [False, True, True, True],
        [True, False, False, True],
        [True, False, False, True],
        [True, True, True, True],
    ]


def test_what_the_base_stands_on_is_found(tmp_path: Path) -> None:
    run("pick_and_place", out=tmp_path / "run", duration=0.01)
    episode = open_episode(tmp_path / "run")
    believed = SceneReader(episode.layout)
    assert bodies_touching_base(episode.layout, believed, episode.values[0]) == ["ground"]
