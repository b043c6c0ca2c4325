"""Which particles are out of a cup."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from jug import jug

from hetwin_fluid.cup import Cup

CUP = Cup(jug())
RADIUS = 0.01
BOUNDS = zip((CUP.low - 0.05).tolist(), (CUP.high + 0.05).tolist(), strict=True)
PLACES = st.tuples(*(st.floats(low, high) for low, high in BOUNDS))


@given(st.lists(PLACES, min_size=1, max_size=8))
def test_it_keeps_all_exactly_if_none_has_left(places: list[tuple[float, ...]]) -> None:
    points = np.array(places)
    assert CUP.keeps_all(points, RADIUS) == (not CUP.left_by(points, RADIUS).any())


def test_it_keeps_what_is_in_its_middle_and_nothing_that_is_nowhere() -> None:
    middle = 0.5 * (CUP.low + CUP.high)
    assert CUP.keeps_all(np.array([middle, middle]), RADIUS)
    assert not CUP.keeps_all(np.array([middle, middle - 1.0]), RADIUS)
    assert not CUP.keeps_all(np.array([middle, np.full(3, np.nan)]), RADIUS)
