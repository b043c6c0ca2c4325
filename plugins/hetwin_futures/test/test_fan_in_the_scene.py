"""Where things go in all futures, as the scene of a page draws it."""

from __future__ import annotations

import numpy as np

from hetwin_futures.forecast import Forecast
from hetwin_futures.forecast_page import fan_layer, playing_future
from hetwin_suite._study.run_result import RunResult


def future(index: int, good: bool, **ways: list[list[float]]) -> RunResult:
    """A future in which objects go along ways of t, x, y, z."""
    paths = {name: np.array(way) for name, way in ways.items()}
    return RunResult(index, outcomes={"in": good}, paths=paths)


def forecast(*futures: RunResult) -> Forecast:
    """What they say."""
    return Forecast(0.0, 1.0, 0, len(futures), futures, ("in",), 1.0)


def test_each_path_is_a_line_that_knows_whether_its_future_succeeds() -> None:
    one = future(0, True, ball=[[0.0, 1.0, 2.0, 3.0], [0.5, 1.0, 2.0, 2.5]])
    two = future(1, False, ball=[[0.0, 1.0, 2.0, 3.0]], cup=[[0.0, 7.0, 8.0, 9.0]])
    broken = RunResult(2, error="died")
    rows = fan_layer(forecast(one, two, broken)).at(0.0)
    assert rows.tolist() == [
        [0.0, 1.0, 2.0, 3.0, 1.0],
        [0.0, 1.0, 2.0, 2.5, 1.0],
        [1.0, 1.0, 2.0, 3.0, 0.0],
        [2.0, 7.0, 8.0, 9.0, 0.0],
    ]


def test_without_kept_futures_nothing_plays() -> None:
    assert playing_future(forecast(future(0, True))) is None
    assert fan_layer(forecast(future(0, True))).empty
