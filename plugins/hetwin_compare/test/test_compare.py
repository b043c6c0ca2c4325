"""Two runs compared, from their logs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.compared import side
from support.made_tables import MadeTables, placed_box
from support.small_run import RELEASE, STEP_NS, SmallRun

from hetwin_compare.compare import compare_runs, compare_sides
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats

HANDOVER: dict[str, Any] = {
    "time": 2.0,
    "entity": "box",
    "attribute": "pose",
    "from": "physics",
    "to": "holding",
    "cause": "grasp_begins",
}


class Moved(SmallRun):
    """The same run, but the ball is pushed by 1 cm after the box has been released."""

    def values(self, step: int) -> Floats:
        values = super().values(step)
        if step >= RELEASE:
            values[self.layout.range_of("ball", "pose").start] += 0.01
        return values


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> SmallRun:
    run = Moved(tmp_path_factory.mktemp("moved") / "run")
    run.record()
    return run


def test_a_run_and_itself(small_run: SmallRun) -> None:
    found = compare_runs(str(small_run.out), small_run.out / "log").to_json()
    assert set(found["divergence"].values()) == {None}
    assert (found["given"], found["chain"]) == ([], [])
    assert found["handovers"] == {"only_here": [], "only_there": []}
    assert found["objects"]["ball"] == {"first": None, "most": 0.0, "end": 0.0}


def test_two_logs(small_run: SmallRun, moved: SmallRun) -> None:
    found = json.loads(json.dumps(compare_runs(small_run.out, moved.out).to_json()))
    state = found["divergence"]["state"]
    at = pytest.approx(RELEASE * STEP_NS / 1e9, abs=0.011)
    assert (state["time"], state["entities"]) == (at, ["ball"])
    assert found["objects"]["ball"]["first"] == state["time"]
    assert found["objects"]["ball"]["end"] == pytest.approx(0.01)
    assert found["objects"]["box"]["first"] is None
    assert found["chain"][0] == f"{state['time']:.2f} s: ball moves differently"
    assert found["divergence"]["event"] is None


def test_handovers_of_one_run_alone() -> None:
    found = compare_sides(side(handovers=[HANDOVER]), side()).to_json()
    assert found["handovers"] == {"only_here": [HANDOVER], "only_there": []}
    later = {**HANDOVER, "time": 2.05, "cause": "by hand"}
    found = compare_sides(side(handovers=[HANDOVER]), side(handovers=[later])).to_json()
    assert found["handovers"] == {"only_here": [], "only_there": []}


def test_the_chain_leads_from_what_was_given_to_the_outcome() -> None:
    made = placed_box()
    made.occasions = [row for row in made.occasions if row.b != "tray"]
    made.events = [event for event in made.events if event.name != "put_down"]
    here = side(placed_box(), given={"seed": 1}, summary={"state": {"on(box, tray)": True}})
    there = side(made, facts={"seed": "2"}, summary={"ended": "failed", "simulated_time": 9.0})
    found = compare_sides(here, there)
    assert found.chain == (
        "before the first step: seed: 1 here, 2 there",
        "5.80 s: only here: on(box, tray)",
        "6.10 s: only here: box put down on tray",
        "at the end: on(box, tray) here, not there",
        "at the end: no summary here, failed at 9.00 s there",
    )


def test_what_happens_at_one_time_stays_in_its_order() -> None:
    made, letters = placed_box(), "dbfaec"
    (event,) = (event for event in made.events if event.name == "put_down")
    made.events = [replace(event, row=100 + i, name=name) for i, name in enumerate(letters)]
    found = compare_sides(side(made), side(replace(made, events=[])))
    assert [line.split()[5] for line in found.chain if "only here" in line] == list(letters)


def test_runs_without_a_common_time_are_refused() -> None:
    early, late = side(), side(MadeTables())
    late = replace(late, tables=replace(late.tables, start_ns=20_000_000_000))
    with pytest.raises(BadInput, match=r"no time in common; found '20 to 10 s'; expected some of"):
        compare_sides(early, late)


def test_a_log_that_is_not_complete_is_refused(make_run: Any, small_run: SmallRun) -> None:
    run = make_run(steps=50)
    run.record()
    (run.out / "log" / "metadata.yaml").unlink()
    mcap = run.out / "log" / "log.mcap"
    mcap.write_bytes(mcap.read_bytes()[:-200])
    with pytest.raises(BadInput, match="the log is incomplete"):
        compare_runs(small_run.out, run.out)


def test_what_is_no_run_is_refused(tmp_path: Path, small_run: SmallRun) -> None:
    with pytest.raises(BadInput, match="there is no run in this folder"):
        compare_runs(tmp_path, small_run.out)
