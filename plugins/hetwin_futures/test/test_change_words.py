"""Changes in words."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_futures.explanation import Change, change_words

AHEAD = np.array([1.0, 0.0])


@pytest.mark.parametrize(
    ("shift", "words"),
    [
        ((-0.024, 0.001, 0.0), "the bin 24 mm nearer"),
        ((0.02, 0.0, 0.0), "the bin 20 mm farther"),
        ((-0.03, -0.013, 0.0), "the bin 30 mm nearer and 13 mm to the right"),
        ((0.001, 0.03, 0.0), "the bin 30 mm to the left"),
        ((0.0, 0.0, -0.01), "the bin 10 mm lower"),
    ],
)
def test_a_shift_is_said_as_the_robot_sees_it(
    shift: tuple[float, float, float], words: str
) -> None:
    assert change_words(Change("bin", shift), AHEAD) == words


def test_a_robot_that_looks_elsewhere_sees_it_otherwise() -> None:
    change = Change("bin", (0.0, -0.024, 0.0))
    assert change_words(change, np.array([0.0, 1.0])) == "the bin 24 mm nearer"


def test_a_number_is_said_with_what_it_was() -> None:
    change = Change("ball", parameter="ball.mass", before=0.058, after=0.06)
    assert change_words(change, AHEAD) == "ball.mass 0.06 instead of 0.058"
