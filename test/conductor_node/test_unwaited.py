"""Models that step on the clock or at their own pace, as nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.ros_runs import ONLY_CUP_APART, run, toy

COOLER = """
  - name: cooler
    on: {attribute: temperature, entity: cup, below: 345}
    do: [{raise: {event: cooler}}]
"""


@pytest.mark.parametrize("stepping", ["clock", "free"])
def test_nobody_waits_and_nothing_is_claimed(tmp_path: Path, stepping: str) -> None:
    scenario = toy(tmp_path, until=1.0, pace=0.001, cup=f", step: {stepping}", more=COOLER)
    ended = run(scenario, tmp_path / "run", *ONLY_CUP_APART)
    assert ended.code == 0, ended.err
    outcome = ended.json
    assert outcome["deterministic"] is False
    assert outcome["ended"] == "recording"
    assert outcome["counters"]["missed steps of cup"] >= 0
    assert "cooler" in {e["name"] for e in outcome["events"]}  # the cup's answers have arrived
