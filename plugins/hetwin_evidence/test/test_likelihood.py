"""Probability of a claim, given the evidence of its sources."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_evidence.likelihood import CURVES, claim, silent, voice

NAMES = sorted(CURVES)


def test_weight_and_release_that_agree_are_known() -> None:
    picked = claim("held", [voice("abrupt_release", 0.9), voice("weight_change", 1.3)])
    assert picked.known is True
    assert picked.probability > 0.95
    slid = claim("held", [voice("abrupt_release", 0.2), voice("weight_change", -0.1)])
    assert slid.known is False


def test_what_contradicts_itself_is_not_known() -> None:
    torn = claim("held", [voice("abrupt_release", 0.8), voice("weight_change", -0.4)])
    assert torn.known is None
    assert "lies between" in torn.reason


def test_nothing_is_known_without_a_source_that_has_a_say() -> None:
    unknown = claim("held", [silent("weight_change", "the frame of the sensor is unknown")], 0.9)
    assert unknown.known is None
    assert unknown.probability == pytest.approx(0.9)
    assert "weight_change: the frame of the sensor is unknown" in unknown.reason


def test_silent_fingers_do_not_outweigh_tactile_sensors() -> None:
    """A soft object lets fingers close almost as far as they close empty."""
    held = claim("held", [voice("finger_shortfall", 0.0), voice("tactile_rise", 20.0)])
    assert held.known is True


def test_a_snap_proves_no_connection_and_a_pull_does() -> None:
    assert claim("connected", [voice("snap", 1.0)]).known is None
    assert claim("connected", [voice("snap", 1.0), voice("pull_test", 0.0002)]).known is True
    assert claim("connected", [voice("snap", 1.0), voice("pull_test", 0.01)]).known is False


@given(name=st.sampled_from(NAMES), quantity=st.floats(-1e6, 1e6))
def test_no_single_source_makes_certain(name: str, quantity: float) -> None:
    one = claim("held", [voice(name, quantity)])
    assert 0.01 < one.probability < 0.99
    assert one.voices[0].unit == CURVES[name].unit


@given(
    first=st.floats(-1.0, 2.0),
    second=st.floats(-2.0, 3.0),
    prior=st.floats(0.01, 0.99),
)
def test_more_weight_never_makes_a_grasp_less_likely(
    first: float, second: float, prior: float
) -> None:
    less, more = sorted((first, second))
    release = voice("abrupt_release", 0.5)
    p = [
        claim("held", [release, voice("weight_change", w)], prior).probability for w in (less, more)
    ]
    assert np.diff(p)[0] >= 0.0


def test_a_prior_outside_of_0_and_1_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        claim("held", [], 1.0)
