"""A trace is gone through again: what it does not say is seen, and what is no trace of the network is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from random_networks import random_network, random_rows

from hetwin_machines.observation.replay import TraceError, read_trace, replay
from hetwin_machines.reading import read_network
from hetwin_machines.running import NetworkRun

Lines = list[dict[str, Any]]


def trace_of(seed: int) -> Lines:
    run, lines = NetworkRun(read_network(random_network(seed))), []
    for row in random_rows(seed, 10):
        lines += list(run.step(row))
        if run.is_over:
            break
    return lines


@pytest.mark.parametrize("seed", range(0, 100, 9))
def test_what_was_printed_is_seen_again(seed: int) -> None:
    printed = [json.dumps(line) for line in trace_of(seed)]
    seen = list(replay(read_network(random_network(seed)), read_trace(printed)))
    assert [json.dumps(each.line) for each in seen] == printed
    faults = {
        n for each in seen for n, m in each.line["machines"].items() if m["state"][:2] == "__"
    }
    assert faults == {name for each in seen for name in each.fault_reasons}
    assert all(each.arcs.keys().isdisjoint(each.fault_reasons) for each in seen)


def other_value(lines: Lines) -> Lines:
    lines[3]["signals"]["n"] = 77
    return lines


def other_state(lines: Lines) -> Lines:
    lines[2]["machines"]["m0"]["state"] = "NOWHERE"
    return lines


CASES: list[tuple[Callable[[Lines], Lines], str]] = [
    (lambda lines: lines[1:], "found cycle 2; expected cycle 1"),
    (lambda lines: [*lines[:2], *lines[3:]], "expected cycle 3"),
    (other_value, r"cycle 4, signals\.n: not a trace of the network; found 77"),
    (other_state, r"cycle 3, machines\.m0: not a trace of the network"),
    (lambda lines: [{**lines[0], "signals": {}}, *lines[1:]], "cycle 1, signals"),
    (lambda lines: [{"cycle": 1}], "line 1: not a cycle; expected an object with cycle, step"),
    (lambda lines: [], "there is no cycle"),
]


@pytest.mark.parametrize(("change", "says"), CASES)
def test_what_is_no_trace_is_refused(change: Callable[[Lines], Lines], says: str) -> None:
    printed = [json.dumps(line) for line in change(trace_of(2))]
    with pytest.raises(TraceError, match=says):
        list(replay(read_network(random_network(2)), read_trace(printed)))


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TraceError, match="line 2: not JSON"):
        read_trace([json.dumps(trace_of(2)[0]), "cycle 2"])
