"""Going through all states finds what is planted, finds nothing in clean networks, and says where it stopped."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hetwin_machines.checking.findings import Kind, findings
from hetwin_machines.checking.product import explore
from hetwin_machines.reading import read_network
from hetwin_machines.running import NetworkRun

EVENTS = ("go", "tick", "stop")


def clean(seed: int) -> dict[str, Any]:
    """Machines of which each sets signals of its own, all set at the beginning, with guards that part all cases."""
    rng = random.Random(seed)
    count = rng.randint(2, 4)
    machines: dict[str, Any] = {}
    for i in range(count):
        states = [f"S{k}" for k in range(rng.randint(2, 4))]
        rows = {}
        for k, state in enumerate(states):
            other = f"x{rng.randrange(count)}"
            guard = rng.choice([*EVENTS, f"{other} > 1", f"tick && {other} == 0", "level > 2"])
            do = rng.choice([{}, {f"x{i}": str(rng.randint(0, 3))}, {f"x{i}": f"(x{i} + 1) % 3"}])
            rows[state] = [
                {"if": guard, "do": do, "to": states[(k + 1) % len(states)]},
                {"if": f"!({guard})", "to": state},
            ]
        machines[f"m{i}"] = {"initial": "S0", "init": {f"x{i}": rng.randint(0, 2)}, "states": rows}
    advance = rng.choice(["once", "settled"])
    return {"inputs": ["level"], "events": list(EVENTS), "advance": advance, "machines": machines}


def with_two_more(seed: int, one: dict[str, str], two: dict[str, str]) -> dict[str, Any]:
    """A clean network, and two machines that get somewhere by two events and do something there on the third."""
    data, rng = clean(seed), random.Random(seed)
    first, second, third = rng.sample(EVENTS, 3)
    for name, do in (("p", one), ("q", two)):
        events = {"A": first, "B": second, "C": third}
        rows = {
            state: [
                {"if": event, "do": do if state == "C" else {}, "to": to},
                {"if": f"!{event}", "to": state},
            ]
            for (state, event), to in zip(events.items(), ("B", "C", "A"), strict=True)
        }
        data["machines"][name] = {"initial": "A", "states": rows}
    return data


@pytest.mark.parametrize(
    "block", [0, *(pytest.param(i, marks=pytest.mark.long) for i in range(1, 10))]
)
def test_nothing_is_found_in_clean_networks(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        assert explore(read_network(clean(seed))).findings == [], seed


@pytest.mark.parametrize(
    "block", [0, *(pytest.param(i, marks=pytest.mark.long) for i in range(1, 10))]
)
def test_what_is_planted_is_found_before_the_run(block: int) -> None:
    for seed in range(10 * block, 10 * block + 10):
        conflict = explore(read_network(with_two_more(seed, {"y": "1"}, {"y": "2"}))).findings
        assert {(f.kind, f.machine, f.state) for f in conflict} == {
            (Kind.CONFLICT, "p", "C"),
            (Kind.CONFLICT, "q", "C"),
        }, seed
        assert "it sets y to 1, q sets it to 2" in conflict[0].text
        early = explore(read_network(with_two_more(seed, {"y": "1"}, {"z": "y + 1"}))).findings
        assert {(f.kind, f.machine, f.state) for f in early} == {(Kind.UNDEFINED, "q", "C")}, seed
        assert "y was never set" in early[0].text


def test_signals_that_nothing_ever_sets_are_found_once() -> None:
    network = read_network(with_two_more(1, {}, {"z": "ghost"}))
    assert explore(network).findings == []
    assert [f.kind for f in findings(network)] == [Kind.NEVER_SET]


def test_a_state_space_that_is_too_large_is_said_to_be() -> None:
    data = clean(1)
    data["machines"]["endless"] = {
        "initial": "A",
        "init": {"n": 0},
        "states": {"A": [{"if": "true", "do": {"n": "n + 1"}, "to": "A"}]},
    }
    explored = explore(read_network(data), max_steps=500)
    assert not explored.is_complete
    assert explored.summary().startswith(f"stopped after {explored.states} states")
    small = explore(read_network(with_two_more(1, {}, {})))
    assert small.is_complete
    assert small.states > 3


def test_it_is_said_which_machines_wait() -> None:
    data = with_two_more(3, {"y": "1"}, {})
    network = read_network(data)
    run = NetworkRun(network)
    run.advance({"level": 0})
    assert run.blocked()["p"]
    assert run.blocked()["q"]
    assert explore(network).blocked["p"] == ["A", "B", "C"]
    counting = {"A": [{"if": "true", "do": {"n": "n + 1"}, "to": "A"}], "B": []}
    data = {"machines": {"m": {"initial": "A", "init": {"n": 0}, "states": counting}}}
    assert NetworkRun(read_network(data)).blocked() == {"m": False}
