"""A model after the main one works on its result; one beside it works on the scene before."""

from __future__ import annotations

import pytest
from small_ensemble import run

TEXT = """
scenario: coupling
rate: 100
models:
  physics: {type: "toys:ToyPhysics", main: true, parameters: {until: 0.06}}
  after: {type: "small_ensemble:Watcher"}
  beside: {type: "small_ensemble:Watcher", coupling: beside, every: 2}
"""


def test_what_each_saw() -> None:
    outcome = run(TEXT)
    after, beside = outcome.models["after"], outcome.models["beside"]
    assert after.times == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    assert after.saw == [pytest.approx((t, 0.1 * t)) for t in after.times]
    assert beside.times == pytest.approx([0.02, 0.04, 0.06])
    assert beside.saw == [pytest.approx((t - 0.01, 0.1 * (t - 0.01))) for t in beside.times]


def test_a_snapshot_given_to_a_model_beside_is_its_own() -> None:
    beside = run(TEXT).models["beside"]
    hands = [float(tick.scene.pose("hand")[0]) for tick in beside.ticks]
    assert hands == [x for _, x in beside.saw]


def test_both_couplings_are_deterministic() -> None:
    summaries = [run(TEXT).summary for _ in range(3)]
    assert all(s.deterministic for s in summaries)
    assert len({s.digest for s in summaries}) == 1


def test_a_snapshot_cannot_be_written_to() -> None:
    outcome = run(TEXT)
    with pytest.raises(ValueError, match="read-only"):
        outcome.models["after"].ticks[-1].scene.values[0] = 1.0
