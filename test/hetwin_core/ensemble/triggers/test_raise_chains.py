"""Effects raise events, which wake further triggers in the same step, to a bounded depth."""

from __future__ import annotations

import pytest
from support.small_ensemble import run, scenario

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.triggers.runner import MAX_DEPTH
from hetwin_core.ensemble.triggers.trigger import find_cycle

HEAD = """
scenario: chains
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [
    {name: go, at: 0.05}, {name: then, at: 0.051}]}}
triggers:
  - {name: t0, on: {action: go, phase: instant}, do: [{raise: {event: e0}}, {raise: {event: side}}]}
"""


def link(index: int) -> str:
    return f"  - {{name: t{index}, on: {{event: e{index - 1}}}, do: [{{raise: {{event: e{index}}}}}]}}\n"


def chain(length: int) -> str:
    return HEAD + "".join(link(i) for i in range(1, length))


def test_a_chain_is_handled_in_one_step_and_before_what_came_after() -> None:
    outcome = run(chain(4).replace("at: 0.051", "at: 0.05"))
    assert outcome.names() == ["go", "e0", "e1", "e2", "e3", "side", "then"]
    assert {e.time_ns for e in outcome.record.events} == {50_000_000}


def test_raised_events_carry_the_triggers_name() -> None:
    by_name = {e.name: e for e in run(chain(2)).record.events}
    assert (by_name["e1"].source, by_name["e1"].kind) == ("t1", "trigger")


def test_the_longest_chain_that_is_let_pass() -> None:
    assert run(chain(MAX_DEPTH)).summary.ended == "recording"


def test_a_longer_one_ends_the_run_with_the_chain() -> None:
    error = run(chain(MAX_DEPTH + 1)).summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("triggers", "raise", 0.05)
    assert " -> ".join(f"t{i}" for i in range(MAX_DEPTH + 1)) in str(error["reason"])


@pytest.mark.parametrize("event", ["e2", "t2.e2"])
def test_a_loop_is_refused_before_the_run_with_its_chain(event: str) -> None:
    closing = f"  - {{name: t1, on: {{event: {event}}}, do: [{{raise: {{event: e1}}}}]}}\n"
    with pytest.raises(BadInput, match=r"line 8, triggers\.1\.do.*'t1 -> t2 -> t1'"):
        scenario((HEAD + closing + link(2)).lstrip())


def test_circles() -> None:
    assert find_cycle({"a": ["b"], "b": ["c"], "c": []}) == []
    assert find_cycle({"a": ["a"]}) == ["a", "a"]
    assert find_cycle({"x": ["a"], "a": ["b", "c"], "b": [], "c": ["a"]}) == ["a", "c", "a"]


def test_a_wide_and_deep_graph_takes_no_time() -> None:
    layers = {f"{i}{s}": [f"{i + 1}{o}" for o in "abc"] for i in range(3000) for s in "abc"}
    layers |= {"3000a": [], "3000b": [], "3000c": []}
    assert find_cycle(layers) == []
    layers["3000b"] = ["0a"]
    assert len(find_cycle(layers)) == 3002
