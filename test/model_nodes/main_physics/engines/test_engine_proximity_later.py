"""Rows of proximity that are computed when they are read are those of the step that they belong to."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import at as at_
from support.small_worlds import ball, box, command, everything, floor, gripper, loaded, rest

from model_nodes.main_physics.engines.engine import Engine

WITHOUT_FORCES = slice(0, 9)


def falling(engine: Engine) -> Engine:
    """A box and a ball fall on the floor between two fingers."""
    bodies = (floor(), box("box", at_(0, 0, 0.051)), ball("ball", at_(0.09, 0.03, 0.06)))
    return loaded(engine, *bodies, gripper(at_(0, 0, 0.05), gap=0.13))


def test_rows_that_are_read_at_once_are_those_of_now(engine: Engine) -> None:
    falling(engine)
    for _ in range(60):
        rest(engine, 1)
        late, rows = engine.proximity_when_read()(), engine.proximity()
        assert late[:, WITHOUT_FORCES].tobytes() == rows[:, WITHOUT_FORCES].tobytes()
        assert late == pytest.approx(rows, abs=0.0 if engine.deterministic else 1e-3)
    assert rows[:, 9:].any()


def test_rows_that_are_read_after_further_steps_are_those_of_their_own(engine: Engine) -> None:
    falling(engine)
    rest(engine, 20)
    late = []
    for _ in range(5):
        rest(engine, 1)
        late.append((engine.proximity_when_read(), engine.proximity()))
    rest(engine, 3)
    for when_read, rows in late:
        read = when_read()
        assert read[:, WITHOUT_FORCES].tobytes() == rows[:, WITHOUT_FORCES].tobytes()
        if engine.name == "mujoco":
            assert read.tobytes() == rows.tobytes()
        else:
            assert not read[:, 9:].any()


def test_reading_changes_nothing(engine: Engine) -> None:
    states = []
    for reads in (lambda step: True, lambda step: step % 7 == 0, lambda step: False):
        falling(engine)
        for step in range(40):
            command(engine, np.array([0, 0, 0, 0.0002 * step, 0.0002 * step]))
            engine.step()
            when_read = engine.proximity_when_read()
            if reads(step):
                when_read()
        states.append(everything(engine))
    for state in states[1:]:
        if engine.deterministic:
            assert state.tobytes() == states[0].tobytes()
        else:
            assert np.allclose(state, states[0], atol=1e-3)
