"""Draws of episodes between success and failure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hetwin_bauer2022.drops import draw as drops
from hetwin_bauer2022.drops.boundary import ASIDE_M, LATE_S, redraw_near_boundary
from hetwin_bauer2022.episodes import record_episodes
from hetwin_bauer2022.insertions import draw as insertions
from hetwin_bauer2022.insertions.boundary import BEYOND_M
from hetwin_bauer2022.insertions.boundary import redraw_near_boundary as insertion_at_the_boundary
from hetwin_bauer2022.kind import FlawChoice, GraspChoice, Kind
from hetwin_bauer2022.two_hands.control import Fingers, Postures
from hetwin_bauer2022.two_hands.joints import CLOSED, OPENED
from hetwin_core.ensemble.errors import BadInput
from hetwin_stand_ins.motion import Grip, GripperCommand


def test_what_decides_a_drop_is_spread_and_the_rest_stays() -> None:
    usual = [drops.draw(np.random.default_rng(i)) for i in range(200)]
    found = [redraw_near_boundary(one, np.random.default_rng(i)) for i, one in enumerate(usual)]
    kept = [(one.container, one.bounce) for one in usual]
    assert kept == [(one.container, one.bounce) for one in found]
    away = [float(np.hypot(*one.place_error[:2])) for one in found]
    assert ASIDE_M[0] <= min(away) < 0.004
    assert 0.013 < max(away) <= ASIDE_M[1]
    assert max(float(one.late.max()) for one in found) <= LATE_S
    assert 0.2 < np.mean([bool(one.knock.any()) for one in found]) < 0.6


def test_depths_of_insertions_have_no_gap() -> None:
    found = [
        insertion_at_the_boundary(
            insertions.draw(np.random.default_rng(i)), np.random.default_rng(i)
        ).beyond
        for i in range(300)
    ]
    ordered = np.sort([*found, *BEYOND_M])
    assert np.diff(ordered).max() < 0.1 * (BEYOND_M[1] - BEYOND_M[0])


def test_a_late_finger_opens_later() -> None:
    grip = Grip(3.0, late=(0.0, 0.05, 0.0, 0.0))
    commands = [GripperCommand(0.0, 1.0), GripperCommand(0.001, 0.0)]
    fingers = Fingers(commands, grip, Postures(OPENED, CLOSED))
    for tick in range(60):
        fingers.step(tick * 0.001, np.zeros(12))
        if tick == 40:
            assert fingers.shares[1] == 1.0 > fingers.shares[0]
    assert fingers.shares[1] < 1.0


@pytest.mark.parametrize(
    "option", [{"grasp": GraspChoice.PINCH}, {"flaw": FlawChoice.NONE}, {"near_rim": 0.01}]
)
def test_options_that_fix_the_same_are_refused(option: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"--boundary draws.*without --grasp"):
        record_episodes(Kind.DROP, 1, 1, tmp_path, boundary=True, **option)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.long
def test_an_insertion_may_end_half_in(tmp_path: Path) -> None:
    import json

    record_episodes(Kind.INSERTION, 1, 30105, tmp_path / "out", boundary=True, episode=3)
    truth = json.loads((tmp_path / "out" / "insertion_0003" / "truth.json").read_text("utf-8"))
    assert truth["boundary"] is True
    assert truth["drawn_again"] == 0
    assert 0.01 < truth["short"] < 0.035, "neither inserted nor beside when the hand opens"
