"""The last state that is remembered is that of its step, whatever the scene's arrays hold later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_run import SmallRun

from hetwin_core.episodes.log_writer import StateSelector


@pytest.mark.parametrize("name", ["values", "owners", "parents"])
def test_a_remembered_state_does_not_change_with_the_scene(name: str, tmp_path: Path) -> None:
    run, states = SmallRun(tmp_path), StateSelector(rate=10.0)
    states.first(run.snapshot(0))
    scene = run.snapshot(1)
    before = np.array(getattr(scene, name))
    assert states.take(1, scene) is None
    getattr(scene, name)[:] = 7
    last = states.take_last()
    assert last is not None
    np.testing.assert_array_equal(getattr(last, name), before)
    assert states.take_last() is None


def test_states_are_kept_at_the_rate_and_where_something_happens(tmp_path: Path) -> None:
    run, states = SmallRun(tmp_path), StateSelector(rate=100.0)
    assert states.first(run.snapshot(0)).step == 0
    kept = []
    for step in range(1, 10):
        states.happened = step == 6
        kept.append(states.take(step, run.snapshot(step)))
    assert [state.step for state in kept if state] == [4, 6, 8]
    last = states.take_last()
    assert last is not None
    assert last.step == 9
