"""How much of an error a line of force takes away."""

from __future__ import annotations

import numpy as np
import pytest
from support.plugins import benchmark

pressed_tips = benchmark("pressed_tips", "hetwin_bauer2022")


def episodes(noise_m: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Errors of 2 mm, and lines of force that are off by noise."""
    random = np.random.default_rng(4)
    errors = [np.tile(random.normal(0.0, 0.002, 3), (50, 1)) for _ in range(20)]
    return [(one, one + random.normal(0.0, noise_m, one.shape)) for one in errors]


def test_an_exact_line_takes_the_error_away_and_a_poor_one_nothing() -> None:
    exact = pressed_tips.summary(episodes(1e-5))
    assert exact["share_median"] == pytest.approx(1.0, abs=0.01)
    assert exact["corrected_rms_mm"] < 0.1
    poor = pressed_tips.summary(episodes(0.03))
    assert poor["error_of_fingers_rms_mm"] > 2.0
    assert poor["corrected_rms_mm"] > 0.9 * poor["error_of_fingers_rms_mm"]
