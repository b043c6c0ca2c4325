"""A base turns, drives and turns, never sideways, within its limits, and ends where it is to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.kinematics.planar import PlanarPose, nearest_turn
from hetwin_programs.base_moves import base_move

PLACE = st.builds(PlanarPose, st.floats(-3, 3), st.floats(-3, 3), st.floats(-7, 7))
FORWARD, TURN = 0.5, 0.8


@examples(15)
@given(start=PLACE, goal=PLACE)
def test_it_goes_where_its_velocities_lead(start: PlanarPose, goal: PlanarPose) -> None:
    way, step = base_move(start, goal, FORWARD, TURN), 0.01
    assert way.at(0.0).pose == pytest.approx(start, abs=1e-9)
    here = start
    for i in range(int(way.duration / step) + 2):
        state = way.at((i + 0.5) * step)
        assert abs(state.forward) <= FORWARD * 1.001
        assert abs(state.turn) <= TURN * 1.001
        here = here.after(state.forward * step, state.turn * step)
    assert math.hypot(here.x - goal.x, here.y - goal.y) < 2e-3
    assert nearest_turn(here.yaw - goal.yaw) == pytest.approx(0.0, abs=2e-3)
    end = way.at(way.duration + 1.0)
    assert end.pose == goal
    assert (end.forward, end.turn) == (0.0, 0.0)


def test_a_turn_on_the_spot_takes_the_shorter_way() -> None:
    way = base_move(PlanarPose(1, 1, 3.0), PlanarPose(1, 1, -3.0), FORWARD, TURN)
    assert way.duration < 1.5
    assert np.all([way.at(t).pose[:2] == (1, 1) for t in (0.1, 0.5)])
