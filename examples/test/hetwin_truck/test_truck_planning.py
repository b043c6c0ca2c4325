"""Planning strategies of unloading in the space of beliefs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_truck.packets import Load, draw_load
from hetwin_truck.planning.belief import START, Beliefs, Node, Strategy
from hetwin_truck.planning.particles import (
    FRICTION,
    MASS_DEVIATION,
    SENSING,
    draw_particle,
)
from hetwin_truck.planning.search import Search

PACKETS = draw_load(Load(12, 1.2), np.random.default_rng(1))
LENGTH = 3


def _table(seed: int) -> dict[Strategy, Node]:
    """Beliefs after all strategies of two moves, with yields drawn at random."""
    random = np.random.default_rng(seed)
    table: dict[Strategy, Node] = {(): START}
    for length in range(1, LENGTH + 1):
        for strategy in product("ab", repeat=length):
            before = table[strategy[:-1]]
            unloaded = before.unloaded + float(random.integers(0, 9))
            table[strategy] = Node(strategy, unloaded, before.seconds + 8.0, 1.0)
    return table


@given(st.integers(0, 1000))
def test_with_much_time_the_search_finds_the_best_of_all_strategies(seed: int) -> None:
    table = _table(seed)
    search = Search(table.__getitem__, "ab", LENGTH)
    found = search.run(1000.0)
    assert found.rate == max(n.rate for s, n in table.items() if len(s) == LENGTH)
    assert search.progress[-1].nodes == len(table) - 1
    assert search.progress[-1].strategies == 2**LENGTH


@given(st.integers(0, 1000), st.floats(0.5, 20.0))
def test_a_search_with_a_budget_is_the_begin_of_a_longer_one(seed: int, budget: float) -> None:
    table = _table(seed)
    short, long = (Search(table.__getitem__, "ab", LENGTH) for _ in range(2))
    found = short.run(budget)
    long.run(1000.0)
    assert short.progress == long.progress[: len(short.progress)]
    assert all(step.processor_s <= budget for step in short.progress)
    assert found == long.best_within(budget)


def test_a_beginning_that_promises_more_comes_before_a_poor_whole_strategy() -> None:
    yields = {"a": 3.0, "b": 20.0}
    strategies = [s for length in (1, 2) for s in product("ab", repeat=length)]
    table = {s: Node(s, sum(map(yields.__getitem__, s)), 8.0 * len(s), 1.0) for s in strategies}
    search = Search(table.__getitem__, "ab", 2)
    assert search.run(1000.0).strategy == ("b", "b")
    assert [step.best.strategy for step in search.progress][:3] == [("a",), ("a", "a"), ("b",)]
    assert [step.strategies for step in search.progress][:3] == [0, 1, 1]


@given(st.integers(0, 1000))
def test_of_what_was_followed_only_whole_strategies_are_the_best(seed: int) -> None:
    table, simulated = _table(seed), list[Strategy]()

    def simulate(strategy: Strategy) -> Node:
        simulated.append(strategy)
        return table[strategy]

    search = Search(simulate, "ab", LENGTH)
    search.run(1000.0)
    for count, step in enumerate(search.progress, 1):
        followed = {strategy[:-1] for strategy in simulated[:count]}
        assert step.best.strategy in simulated[:count]
        assert step.best.strategy not in followed


def test_nothing_follows_where_the_engine_diverged() -> None:
    lost = Node(("a",), 5.0, 1.0, 1.0, lost=True)
    table = {**_table(1), ("a",): lost}
    search = Search(table.__getitem__, "ab", LENGTH)
    assert search.run(1000.0).strategy[0] == "b"
    assert search.progress[-1].strategies == 2 ** (LENGTH - 1)


def test_particles_differ_in_masses_and_friction_alone() -> None:
    drawn = [draw_particle(PACKETS, np.random.default_rng(seed)) for seed in range(100)]
    for particle in drawn:
        assert [(p.name, p.size, p.at) for p in particle] == [
            (p.name, p.size, p.at) for p in PACKETS
        ]
        assert len({p.friction for p in particle}) == 1
        assert FRICTION[0] <= particle[0].friction <= FRICTION[1]
    logs = np.log([[p.mass / q.mass for p, q in zip(d, PACKETS, strict=True)] for d in drawn])
    assert logs.std() == pytest.approx(MASS_DEVIATION, rel=0.1)


@pytest.fixture(scope="module")
def beliefs() -> Beliefs:
    return Beliefs(PACKETS, 2, "AdFi-1", (3,))


def test_a_belief_is_the_mean_of_its_particles_and_simulated_once(beliefs: Beliefs) -> None:
    first = beliefs.after(("sweep_50",))
    both = [p.move(p.start, "sweep_50", 0, "AdFi-1") for p in beliefs.particles]
    assert first.unloaded == np.mean([b.unloaded for b in both]) > 0
    assert first.seconds == pytest.approx(np.mean([b.seconds for b in both]))
    assert beliefs.after(("sweep_50",)) is first


def test_the_robot_sees_boxes_with_noise_and_twice_the_same(beliefs: Beliefs) -> None:
    one, other = beliefs.particles
    assert (one.boxes() == one.boxes()).all()
    off = one.boxes() - other.boxes()
    assert 0 < np.abs(off).max() < 10 * SENSING
