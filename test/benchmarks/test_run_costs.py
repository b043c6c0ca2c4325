"""What a run costs beside the engine's own steps, and what many objects cost: quick runs of the benchmarks."""

from __future__ import annotations

import json

import bare
import many_objects
import pytest


@pytest.mark.long
def test_both_are_measured_in_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert bare.main(["--scenes", "pick_and_place", "--rounds", "1", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert 0.0 < row["inside"] < row["whole"]
    assert row["simulated"] == pytest.approx(12.8, abs=0.01)


def test_few_objects(capsys: pytest.CaptureFixture[str]) -> None:
    assert many_objects.main(["--counts", "9"]) == 0
    *_, free, fixed = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[:2] for line in (free, fixed)] == [["| 9", "free"], ["| 9", "fixed"]]
