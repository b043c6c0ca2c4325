"""Networks at random go the same way, cycle by cycle, in another interpreter."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from machine_interpreter import FAULTS, Interpreter
from random_networks import random_network, random_rows

from hetwin_machines.reading import read_network
from hetwin_machines.running import NetworkRun

STEPS = 12
NETWORKS = range(100)


def trace(data: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    run, lines = NetworkRun(read_network(data)), []
    for row in rows:
        lines += list(run.step(row))
        if run.is_over:
            break
    return lines


def typed(line: dict[str, Any]) -> dict[str, Any]:
    known = {k: (type(v), v) for k, v in line["signals"].items() if v is not None}
    return {**line, "signals": known}


def expected(data: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    other, lines = Interpreter(data), []
    for number, row in enumerate(rows):
        lines += other.step(number, row)
        if other.over:
            break
    return lines


@pytest.mark.parametrize("seed", NETWORKS)
def test_it_goes_the_same_way(seed: int) -> None:
    data, rows = random_network(seed), random_rows(seed, STEPS)
    ours, theirs = trace(data, rows), expected(data, rows)
    for one, two in zip(ours, theirs, strict=True):
        assert typed(one) == typed(two)


@pytest.mark.long
def test_many_go_the_same_way_for_long() -> None:
    cycles = 0
    for seed in range(1000, 1150):
        data, rows = random_network(seed), random_rows(seed, 150)
        names = list(data["machines"])
        random.Random(seed).shuffle(names)
        other = {**data, "machines": {name: data["machines"][name] for name in names}}
        ours, theirs = trace(other, rows), expected(data, rows)
        assert [typed(line) for line in ours] == [typed(line) for line in theirs], seed
        cycles += len(ours)
    assert cycles > 40_000


@pytest.mark.parametrize("seed", range(0, 100, 7))
def test_the_order_of_machines_changes_nothing(seed: int) -> None:
    data, rows = random_network(seed), random_rows(seed, STEPS)
    names = list(data["machines"])
    random.Random(seed).shuffle(names)
    other = {**data, "machines": {name: data["machines"][name] for name in names}}
    assert trace(other, rows) == trace(data, rows)


def test_every_kind_of_end_comes_about() -> None:
    ends: Counter[str] = Counter()
    for seed in NETWORKS:
        last = trace(random_network(seed), random_rows(seed, STEPS))[-1]
        ends.update(m["state"] for m in last["machines"].values())
    assert all(ends[fault] > 5 for fault in FAULTS)
    assert sum(count for state, count in ends.items() if state not in FAULTS) > 50
