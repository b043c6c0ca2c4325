"""Strategies that are tried out on the very load, as far as the time goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hetwin_truck.packets import Packet
from hetwin_truck.planning.belief import Beliefs, Node, Strategy
from hetwin_truck.planning.evaluating import Evaluations, evaluate_in_order
from hetwin_truck.planning.library import draw_cut_out

BROUGHT = {"pick": 2.0, "sweep": 5.0}
RANKED = (("pick", "pick"), ("pick", "sweep"), ("sweep", "sweep"))


def _simulate(strategy: Strategy) -> Node:
    """Each move takes 10 s, and 3 s of processor time."""
    unloaded = sum(BROUGHT[move] for move in strategy)
    return Node(strategy, unloaded, 10.0 * len(strategy), 3.0)


def test_the_best_of_what_was_tried_is_chosen() -> None:
    trials = evaluate_in_order(_simulate, RANKED, 60.0)
    assert [node.strategy for node in trials.nodes] == list(RANKED)
    assert trials.best(otherwise=RANKED[0]) == ("sweep", "sweep")


def test_what_strategies_have_in_common_takes_time_once() -> None:
    assert evaluate_in_order(_simulate, RANKED, 60.0).processor_s == 15.0


def test_of_nothing_tried_the_likeliest_is_chosen() -> None:
    trials = evaluate_in_order(_simulate, RANKED, 5.0)
    assert trials.nodes == ()
    assert trials.best(otherwise=RANKED[0]) == RANKED[0]


@given(some.floats(0.0, 100.0), some.permutations(RANKED))
def test_more_time_tries_no_less_and_chooses_nothing_worse(
    budget: float, ranked: list[Strategy]
) -> None:
    short, long = (evaluate_in_order(_simulate, ranked, s) for s in (budget, budget + 5.0))
    assert long.nodes[: len(short.nodes)] == short.nodes
    rates = [_simulate(t.best(otherwise=ranked[0])).rate for t in (short, long)]
    assert not short.nodes or rates[1] >= rates[0]
    assert not long.nodes or rates[1] == max(node.rate for node in long.nodes)


def test_a_lost_belief_is_never_the_best() -> None:
    lost = Node(("sweep",), 90.0, 10.0, 1.0, lost=True)
    assert Evaluations((Node(("pick",), 1.0, 10.0, 1.0), lost), 2.0).best(("sweep",)) == ("pick",)


@pytest.mark.long
def test_trying_on_a_real_load_unloads_what_the_belief_says() -> None:
    load: list[Packet] = draw_cut_out(3, 12)
    beliefs = Beliefs(load, 1, "AdFi-1", (3,))
    ranked = [("pick", "pick"), ("pick", "sweep_15")]
    trials = evaluate_in_order(beliefs.after, ranked, 600.0)
    assert [node.unloaded for node in trials.nodes] == [beliefs.after(s).unloaded for s in ranked]
    single = beliefs.after(("pick",)).processor_s
    assert trials.processor_s == pytest.approx(
        single + sum(node.processor_s for node in trials.nodes)
    )
