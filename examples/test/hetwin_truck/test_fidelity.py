"""The benchmark of fidelity management: the same actions in all modes, and what is said of them."""

from __future__ import annotations

import time

import fidelity_pairs as pairs
import numpy as np
import pytest

from hetwin_fidelity import MARGIN
from hetwin_truck.actions import Outcome, Unloader
from model_nodes.main_physics.engines.engine import Diverged

TWO = [("HiFi", False), ("AdFi-1", False)]


def test_every_case_does_the_same_action_from_the_same_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pairs, "CASES", TWO)
    monkeypatch.setattr(pairs, "_FEW_LEFT", 1)
    (state,) = pairs.chain("C", 0, 1, 12, MARGIN, time.monotonic() + 100)
    assert state.action == "pick"
    assert set(state.outcomes) == set(TWO)
    hifi, adfi = (state.outcomes[case] for case in TWO)
    assert hifi.simulated == adfi.simulated
    assert len(hifi.laps) == len(adfi.laps)


def test_a_case_that_diverges_is_counted_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    perform = Unloader.perform

    def fragile(self: Unloader, action: str, mode: str, margin: float) -> Outcome:
        if mode == "HiFi":
            raise Diverged("a packet has diverged")
        return perform(self, action, mode, margin)

    monkeypatch.setattr(pairs, "CASES", TWO)
    monkeypatch.setattr(pairs, "_FEW_LEFT", 1)
    monkeypatch.setattr(Unloader, "perform", fragile)
    states = pairs.chain("C", 0, 1, 12, MARGIN, time.monotonic() + 100)
    hifi, adfi = pairs.rows_of("C", states, 0)
    assert (hifi.diverged, adfi.diverged) == (1, 0)
    assert adfi.states == 0
    assert np.isnan(adfi.speedup)


def test_none_is_begun_when_time_is_out() -> None:
    assert pairs.chain("C", 0, 3, 12, MARGIN, time.monotonic() - 1) == []


def outcome(unloaded: int, laps: list[float], moving: list[int]) -> Outcome:
    return Outcome([f"packet_{i}" for i in range(unloaded)], 0.1 * len(laps), laps, moving)


def test_what_a_row_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "CASES", TWO)
    slow, fast = outcome(4, [1.0, 3.0], [0, 20]), outcome(5, [0.25, 1.5], [0, 9])
    states = [pairs.State("A", "pick", dict(zip(TWO, (slow, fast), strict=True)))] * 3
    hifi, adfi = pairs.rows_of("A", states, 0)
    assert (hifi.speedup, hifi.error) == (1.0, 0.0)
    assert adfi.speedup == pytest.approx(4.0 / 1.75)
    assert adfi.speedup_moving == pytest.approx(2.0)
    assert adfi.real_time_factor == pytest.approx(0.2 / 1.75)
    assert (adfi.error, adfi.error_low, adfi.error_high) == pytest.approx((0.25, 0.25, 0.25))
