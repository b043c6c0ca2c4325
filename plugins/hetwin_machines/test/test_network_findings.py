"""The static check finds gaps, overlaps, states out of reach and signals never set, and nothing where all is well."""

from __future__ import annotations

import random
from typing import Any

import pytest
from random_networks import random_network, random_rows

from hetwin_machines.checking.findings import Finding, Kind, findings
from hetwin_machines.cycle import INCOMPLETE, NON_DETERMINISTIC
from hetwin_machines.observation.watch import Watch
from hetwin_machines.reading import read_network


def of(states: dict[str, Any], **options: Any) -> list[Finding]:
    machine = {"initial": "A", "init": options.pop("init", {}), "states": states}
    return findings(read_network({**options, "machines": {"m": machine}}))


def guards(*texts: str, **options: Any) -> list[tuple[str, tuple[int, ...]]]:
    found = of({"A": [{"if": text, "to": "A"} for text in texts]}, **options)
    assert all(finding.machine == "m" and finding.state == "A" for finding in found)
    return [(str(finding.kind), finding.arcs) for finding in found]


NUMBERS, EVENTS = {"inputs": ["n", "k"]}, {"events": ["go", "quit"]}


@pytest.mark.parametrize(
    ("texts", "options", "wanted"),
    [
        (("n > 0", "n <= 0"), NUMBERS, []),
        (("n > 0", "n < 0"), NUMBERS, [("never_together", (0, 1))]),
        (("n >= 0", "n <= 0"), NUMBERS, [("overlap", (0, 1))]),
        (("n > 0", "n > 1", "n <= 0"), NUMBERS, [("overlap", (0, 1))]),
        (("n > 0 && n < 0", "true"), NUMBERS, [("never_together", (0,))]),
        (("n > 0 && n < 1", "n >= 1", "n <= 0"), NUMBERS, []),
        (("n < k", "n > k"), NUMBERS, [("never_together", (0, 1))]),
        (("n < k", "n >= k"), NUMBERS, []),
        (("n < k && k < n", "true"), NUMBERS, [("never_together", (0,))]),
        (("n + k > 3", "n + k <= 3"), NUMBERS, []),
        (("n == 1", "n == 2", "n < 1 || n > 2"), NUMBERS, []),
        (("n == 1", "n == 2", "n < 1 || n > 2.0"), NUMBERS, [("never_together", (0, 1, 2))]),
        (("n * n > 1", "n * n < 1"), NUMBERS, [("never_together", (0, 1))]),
        (("go", "!go"), EVENTS, []),
        (("go", "quit"), EVENTS, [("never_together", (0, 1)), ("overlap", (0, 1))]),
        (("go && quit", "go && !quit", "!go"), EVENTS, []),
        (("go ? quit : !quit", "go ? !quit : quit"), EVENTS, []),
        (("true",), EVENTS, []),
        (("false",), EVENTS, [("never_together", (0,)), ("never_together", (0,))]),
    ],
)
def test_guards(texts: tuple[str, ...], options: dict[str, Any], wanted: list[Any]) -> None:
    assert guards(*texts, **options) == wanted


def test_a_case_is_named() -> None:
    (finding,) = of({"A": [{"if": "n > 0", "to": "A"}, {"if": "n < 0", "to": "A"}]}, inputs=["n"])
    assert finding.text == "no arc of A fires if n = 0"
    assert finding.to_json() == {
        "kind": "never_together",
        "machine": "m",
        "state": "A",
        "arcs": [0, 1],
        "text": "no arc of A fires if n = 0",
    }


def test_values_that_cannot_be_are_no_case() -> None:
    arcs = [
        {"if": "mode == 1", "do": {"mode": "2"}, "to": "A"},
        {"if": "mode == 2", "do": {"mode": "mode == 2 ? 1 : 3"}, "to": "A"},
        {"if": "mode == 3", "to": "A"},
    ]
    assert of({"A": arcs}, init={"mode": 1}) == []
    (finding,) = of({"A": arcs[:2]}, init={"mode": 1})
    assert finding.text == "no arc of A fires if mode = 3"


def test_whole_numbers_leave_no_gap_between() -> None:
    count = [{"if": "n < 3", "do": {"n": "n + 1"}, "to": "A"}, {"if": "n > 2", "to": "A"}]
    assert of({"A": count}, init={"n": 0}) == []
    real = [{"if": "n < 3", "do": {"n": "n + 0.5"}, "to": "A"}, {"if": "n > 2", "to": "A"}]
    assert [f.kind for f in of({"A": real}, init={"n": 0.0})] == [Kind.OVERLAP]


def test_states_out_of_reach() -> None:
    states = {
        "A": [{"if": "go", "push": ["C"], "to": "B"}, {"if": "!go", "to": "A"}],
        "B": [{"if": "n > 0", "to": "TOP"}, {"if": "n <= 0", "to": "A"}],
        "C": [{"if": "n > 0 && n < 0", "to": "D"}, {"if": "true", "to": "C"}],
        "D": [],
        "E": [{"if": "true", "to": "A"}],
    }
    found = of(states, events=["go"], inputs=["n"])
    assert [f.state for f in found if f.kind is Kind.UNREACHABLE] == ["D", "E"]


def test_signals_that_nothing_sets() -> None:
    states = {
        "A": [{"if": "ghost > 0", "do": {"n": "ghost + fog"}, "to": "A"}, {"if": "true", "to": "A"}]
    }
    found = of(states, outputs=["mist"])
    assert [(f.kind, f.state, f.arcs, f.text.split()[0]) for f in found] == [
        (Kind.NEVER_SET, "A", (0,), "ghost"),
        (Kind.NEVER_SET, "A", (0,), "fog"),
        (Kind.NEVER_SET, None, (), "mist"),
    ]


def test_faults_of_runs_were_found_before() -> None:
    """Where a machine gets stuck for its guards, the check has said so, whatever the network is."""
    seen = 0
    for seed in range(20):
        data = random_network(seed)
        network = read_network(data)
        known = {(f.machine, f.state, f.kind) for f in findings(network)}
        watch = Watch(network)
        rows = random_rows(seed, 8)
        random.Random(seed).shuffle(rows)
        for each in (each for row in rows for each in watch.step(row)):
            for name, reason in each.fault_reasons.items():
                kind = {INCOMPLETE: Kind.INCOMPLETE, NON_DETERMINISTIC: Kind.OVERLAP}.get(
                    each.line["machines"][name]["state"]
                )
                if kind is not None and "stack" not in reason:
                    seen += 1
                    assert (name, each.before[name], kind) in known, (seed, reason)
    assert seen > 10
