"""What is uncertain at a moment: what was taken is not, and what a hand holds is by its covariance."""

from __future__ import annotations

import numpy as np

from hetwin_suite._study.uncertain import EstimatedPose, Uncertainty

COVARIANCE = np.diag([1e-6, 4e-6, 9e-6, 1e-4, 1e-4, 1e-4])


def test_what_a_hand_holds_is_drawn_by_its_covariance() -> None:
    uncertainty = Uncertainty("physics", grasped=(EstimatedPose("ball", "in_hand", COVARIANCE),))
    draws = [uncertainty.draw(3, index) for index in range(400)]
    offsets = np.array([draw.parameters["in_hand"]["offset"] for draw in draws])
    assert np.allclose(offsets.std(axis=0), np.sqrt(np.diag(COVARIANCE)), rtol=0.12)
    assert draws[0].inputs["ball.in_hand.x"] == offsets[0, 0]
    assert uncertainty.draw(3, 7) == draws[7]
