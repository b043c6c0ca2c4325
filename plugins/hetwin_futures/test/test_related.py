"""Which draws go with failure."""

from __future__ import annotations

import numpy as np

from hetwin_futures.intervals import related


def test_what_decides_comes_first_and_what_does_not_is_left_out() -> None:
    random = np.random.default_rng(3)
    rows = [{"x": float(random.normal()), "y": float(random.normal())} for _ in range(60)]
    failed = [row["x"] > 0.5 for row in rows]
    assert related(rows, failed) == [("x", 1.0)]


def test_a_number_that_fails_on_both_sides_is_found() -> None:
    random = np.random.default_rng(4)
    rows = [{"x": float(random.normal())} for _ in range(60)]
    (found,) = related(rows, [abs(row["x"]) > 1.0 for row in rows])
    assert found.input == "x"
    assert found.strength > 0.9


def test_a_name_that_fails_is_found() -> None:
    rows = [{"kind": name} for name in ("cup", "plate", "jug") * 20]
    (found,) = related(rows, [row["kind"] == "jug" for row in rows])
    assert found.input == "kind"
    assert found.strength == 1.0


def test_nothing_goes_with_failure_if_all_fail_or_none() -> None:
    rows = [{"x": float(x)} for x in range(20)]
    assert related(rows, [True] * 20) == []
    assert related(rows, [False] * 20) == []
