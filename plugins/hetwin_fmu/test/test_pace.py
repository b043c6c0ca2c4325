"""Steps of the model become communication steps, and equal ones where the unit wants them so."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from motor_unit import changed, motor
from test_motor import ensemble

from hetwin_fmu.archive import Archive, read_archive
from hetwin_fmu.instance import UnitFailed
from hetwin_fmu.pace import Pace

MS = 1_000_000


def unit(**says: Any) -> Archive:
    """A unit that says something else about its steps."""
    return replace(read_archive(motor()), **says)


def test_a_step_is_one_step_unless_it_is_too_long() -> None:
    assert Pace(unit(), None).times(0, 10 * MS) == [0.0, 0.01]
    assert Pace(unit(), 0.004).times(20 * MS, 30 * MS) == [0.02, 0.023333333, 0.026666666, 0.03]
    assert Pace(unit(), 0.01).times(0, 10 * MS) == [0.0, 0.01]


def test_a_longer_step_is_divided_where_all_must_be_equal() -> None:
    pace = Pace(unit(step_varies=False), None)
    assert pace.times(0, 10 * MS) == [0.0, 0.01]
    assert pace.times(10 * MS, 30 * MS) == [0.01, 0.02, 0.03]
    with pytest.raises(
        UnitFailed, match=r"must all be as long as the first, 0.01 s; a step of 0.025 s"
    ):
        pace.times(30 * MS, 55 * MS)
    assert Pace(unit(), None).times(30 * MS, 55 * MS) == [0.03, 0.055]


def test_a_rate_that_is_no_whole_number_of_nanoseconds_has_equal_steps() -> None:
    pace = Pace(unit(step_varies=False), None)
    points = [round(i * 1e9 / 30) for i in range(100)]
    assert all(len(pace.times(a, b)) == 2 for a, b in pairwise(points))


@pytest.mark.parametrize(
    ("own", "is_said"), [(0.002, False), (0.01, False), (0.004, True), (0.2, True)]
)
def test_own_steps_that_do_not_fit_are_told(own: float, is_said: bool) -> None:
    pace = Pace(unit(own_step=own), None)
    pace.times(0, 10 * MS)
    assert bool(pace.note()) == is_said


def test_the_log_has_it_once(tmp_path: Path) -> None:
    steps = 'canHandleVariableCommunicationStepSize="true"'
    path = changed(tmp_path, 3, steps, f'{steps} fixedInternalStepSize="0.2"')
    outcome = ensemble(parameters={"file": path})
    said = [e.arguments["text"] for e in outcome.record.events if e.name == "message"]
    (text,) = said
    assert text.startswith(
        "its own steps are 0.2 s, which do not divide its communication steps of 0.01 s"
    )
