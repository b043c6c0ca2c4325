"""Contact settings of Drake that mean the same as those of the stand-in."""

from __future__ import annotations

from math import exp, pi, sqrt

import numpy as np
import pytest

pytest.importorskip("pydrake", reason="the extra drake is not installed")

from hetwin_bauer2022.drake.contact import (
    IMPACT_SPEED,
    contact_dissipation,
    contact_stiffness,
    friction_in_pair,
)


@pytest.mark.parametrize("damping", [0.1, 0.35, 0.55])
def test_a_ball_bounces_as_high_as_with_a_linear_damper(damping: float) -> None:
    """A mass on a contact of Hunt and Crossley, in small steps."""
    stiffness, mass, dissipation = 2e4, 0.058, contact_dissipation(damping)
    depth, speed, step = 0.0, IMPACT_SPEED, 1e-7
    while depth >= 0.0:
        force = stiffness * depth * max(1.0 + dissipation * speed, 0.0)
        speed -= force / mass * step
        depth += speed * step
    restitution = exp(-pi * damping / sqrt(1.0 - damping**2))
    assert -speed / IMPACT_SPEED == pytest.approx(restitution, abs=0.01)


def test_a_pair_has_the_friction_that_was_drawn() -> None:
    mine = friction_in_pair(0.85, 0.7)
    assert 2 * mine * 0.7 / (mine + 0.7) == pytest.approx(0.85)


def test_a_contact_that_is_twice_as_slow_is_a_quarter_as_stiff() -> None:
    assert np.divide(contact_stiffness(0.0085), contact_stiffness(0.017)) == pytest.approx(4.0)
