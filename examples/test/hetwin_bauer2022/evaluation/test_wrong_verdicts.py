"""Why a verdict is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.made_episode import concern, handed_over, made_episode, poses, seconds

from hetwin_bauer2022.evaluation.wrong_verdicts import (
    TruePath,
    decisive_moments,
    distance_figure,
    explain,
)
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.episode import Episode

HANDED_OVER = handed_over("ball", 4.0, "in_hand", "physics")


def episode(**more: Any) -> Episode:
    """A ball that stays where it is."""
    places = {("ball", POSE): poses((0.5, 0.0, 0.1))}
    return made_episode([Entity("ball", EntityKind.OBJECT)], places, **more)


def truth(path: Path, name: str = "ball") -> TruePath | None:
    """It really moves away along y from 5 s on, at 0.1 m/s."""
    rows = [[t, 0.5, 0.1 * max(0.0, t - 5.003), 0.1] for t in seconds().tolist()]
    content = {"object": name, "columns": ["time", "x", "y", "z"], "path": rows}
    (path / "truth.json").write_text(json.dumps(content))
    return TruePath.of(path)


def test_it_says_where_the_object_was_and_where_it_should_have_been(tmp_path: Path) -> None:
    known = truth(tmp_path)
    assert known is not None
    assert explain(episode(handovers=[HANDED_OVER]), known) == [
        "The pose of ball was handed over last at 4.00 s, from in_hand to physics (trigger).",
        "Then the twin had it at (0.500, 0.000, 0.100) m, the truth at (0.500, 0.000, 0.100) m: 0 mm apart.",
        "At the end the twin had it at (0.500, 0.000, 0.100) m, the truth at (0.500, 0.500, 0.100) m: 50 cm apart.",
        "They were more than 2 cm apart first at 5.22 s.",
    ]


def test_without_a_handover_it_says_so(tmp_path: Path) -> None:
    known = truth(tmp_path)
    assert known is not None
    said = explain(
        episode(concerns=[concern("flung", "absurd", 1, 2, text="ball is flung")]), known
    )
    assert said[0] == "ball was never handed over: physics moved it all the time."
    assert said[-1] == "Odd: ball is flung."
    assert [m.caption for m in decisive_moments(episode(), "ball")] == ["the end"]


def test_the_moments_are_the_last_handover_and_the_end() -> None:
    early = handed_over("ball", 1.0, "physics", "in_hand")
    found = decisive_moments(episode(handovers=[early, HANDED_OVER]), "ball")
    assert [moment.time_ns for moment in found] == [4_000_000_000, 10_000_000_000]
    assert {moment.subject for moment in found} == {"ball"}


def test_the_distance_is_drawn_over_time(tmp_path: Path) -> None:
    known = truth(tmp_path)
    assert known is not None
    drawn = distance_figure(episode(handovers=[HANDED_OVER]), known)
    (panel,) = drawn.panels
    (line,) = panel.lines
    assert line.y[-1] == pytest.approx(50.0, abs=0.05)
    assert line.y[0] == 0.0
    assert list(drawn.marks) == [4.0]


def test_a_truth_without_a_path_has_none(tmp_path: Path) -> None:
    (tmp_path / "truth.json").write_text(json.dumps({"label": "success", "columns": ["time"]}))
    assert TruePath.of(tmp_path) is None
