"""Each fault is explained with the arcs and the values that led to it."""

from __future__ import annotations

from typing import Any

import pytest
from random_networks import random_network, random_rows

from hetwin_machines.observation.watch import ObservedCycle, Watch
from hetwin_machines.reading import read_network


def reasons(machines: dict[str, Any], **outside: Any) -> dict[str, str]:
    watch = Watch(read_network({"inputs": list(outside), "machines": machines}))
    return {name: why for seen in watch.step(outside) for name, why in seen.fault_reasons.items()}


def machine(*arcs: dict[str, Any], **init: Any) -> dict[str, Any]:
    return {"initial": "A", "init": init, "states": {"A": list(arcs), "B": []}}


@pytest.mark.parametrize(
    ("arcs", "reason"),
    [
        (
            [{"if": "n > 3", "to": "A"}, {"if": "n < 2 && n > 0", "to": "B"}],
            "no arc of A fires: arc 0 if n > 3 is false, arc 1 if n < 2 && n > 0 is false (n = 2)",
        ),
        (
            [{"if": "n > 0", "to": "A"}, {"if": "false", "to": "B"}, {"if": "n > 1", "to": "B"}],
            "2 arcs of A fire at once: arc 0 if n > 0 is true, arc 2 if n > 1 is true (n = 2)",
        ),
        (
            [{"if": "n > 0 || ghost", "to": "A"}],
            "arc 0 of A: if n > 0 || ghost has no value: ghost was never set (n = 2, ghost = null)",
        ),
        (
            [{"if": "1 / (n - 2) > 0", "to": "A"}],
            "arc 0 of A: if 1 / (n - 2) > 0 has no value: division by zero (n = 2)",
        ),
        (
            [{"if": "n", "to": "A"}],
            "arc 0 of A: if n has no value: 2 is neither true nor false (n = 2)",
        ),
        (
            [{"if": "n > 0", "do": {"m": "n % (n - 2)"}, "to": "A"}],
            "arc 0 of A: do m = n % (n - 2) has no value: division by zero (n = 2)",
        ),
        (
            [{"if": "true", "pop": 1, "to": "B"}],
            "arc 0 of A pops 1, but the stack is empty",
        ),
        (
            [{"if": "true", "push": ["B"], "pop": "all", "to": "TOP"}],
            None,
        ),
        (
            [{"if": "true", "to": "TOP"}],
            "arc 0 of A goes to TOP, but the stack is empty",
        ),
    ],
)
def test_a_machine_alone(arcs: list[dict[str, Any]], reason: str | None) -> None:
    assert reasons({"m": machine(*arcs)}, n=2) == ({} if reason is None else {"m": reason})


def test_machines_in_conflict() -> None:
    sets = [
        machine({"if": "true", "do": {"x": value, "y": 1}, "to": "B"})
        for value in ("1", "k + 1", "1")
    ]
    assert reasons(dict(zip("abc", sets, strict=True)), k=4) == {
        "a": "arc 0 to B: it sets x to 1, b sets it to 5",
        "b": "arc 0 to B: it sets x to 5, a sets it to 1 and c sets it to 1",
        "c": "arc 0 to B: it sets x to 1, b sets it to 5",
    }


def test_looking_at_changes_only_sees_the_same_of_them() -> None:
    for seed in range(20):
        network = read_network(random_network(seed))
        whole, changes = Watch(network), Watch(network, changes_only=True)
        for row in random_rows(seed, 12):
            for one, two in zip(whole.step(row), changes.step(row), strict=True):
                assert (one.line, one.fault_reasons) == (two.line, two.fault_reasons)
                assert two.arcs.items() <= one.arcs.items()
                stayed = {name for name, before in one.before.items() if _is_in(one, name, before)}
                assert one.arcs.keys() - two.arcs.keys() <= stayed


def _is_in(seen: ObservedCycle, name: str, state: str) -> bool:
    return bool(seen.line["machines"][name]["state"] == state)
