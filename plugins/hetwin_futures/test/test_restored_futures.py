"""Futures from a checkpoint, in other processes and on two nodes, against forked ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin

from hetwin_futures.forecast import Forecast
from hetwin_futures.predicting import predict
from hetwin_suite._study.processes import Processes
from hetwin_suite._study.run_result import Moment
from hetwin_suite._study.study import Study


def without_cost(forecast: Forecast) -> dict[str, Any]:
    """The JSON without what differs from one time to the next."""
    found = forecast.to_json()
    return {key: found[key] for key in found if key not in ("wall_s", "processor_s")}


def test_restored_futures_are_the_forked_ones(tmp_path: Path) -> None:
    moment, how = Moment(at_s=3.2), {"seed": 3, "horizon_s": 0.1}
    forked = predict(Study("pick_and_place", jobs=2, **how), moment, 2)
    others = Study("pick_and_place", workers=Processes(2), out=tmp_path / "out", **how)
    restored = predict(others, moment, 2)
    assert [one.error for one in restored.futures] == [None, None]
    assert without_cost(restored) == without_cost(forked)
    assert [one.state for one in restored.futures] == [one.state for one in forked.futures]
    for one in restored.futures:
        assert one.folder is not None
        assert (Path(one.folder) / "summary.json").exists()


@pytest.mark.long
@pytest.mark.slow
def test_two_nodes_give_the_numbers_of_this_machine_and_both_work(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    from support.dask_nodes import two_nodes

    question = ("predict", "pick_and_place", "--at", "3.2", "--duration", "0.1", "-n", "32")
    with two_nodes(tmp_path) as address:
        away = hetwin(*question, "--cluster", address, "--out", tmp_path / "away", "--json")
    here = hetwin(*question, "--json")
    assert (away.code, here.code) == (0, 0), away.err + here.err
    found, expected = json.loads(away.out), json.loads(here.out)
    for key in ("wall_s", "processor_s", "page"):
        del found[key], expected[key]
    assert found == expected
    summaries = (tmp_path / "away" / "futures").glob("*/summary.json")
    pids = {json.loads(path.read_text())["processes"][0]["pid"] for path in summaries}
    assert len(pids) == 2
