"""The events of one object come in turn for any sequence of observations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.handled_in_turn import in_turn
from support.random_examples import examples

from model_nodes.handling_observer.state_machine import (
    HandlingStateMachine,
    Observation,
    Thresholds,
    Transition,
)

MS = 1_000_000
TABLE = 5
POSES = st.tuples(
    st.sampled_from((0.0, 0.2)), st.just(0.0), st.sampled_from((0.0, 0.004, -0.03, -0.4, -7.0))
)
SEEN = st.tuples(
    st.integers(1, 300),
    st.integers(-1, 2),
    st.sampled_from((-1, TABLE)),
    st.sampled_from((frozenset(), frozenset({TABLE}))),
    POSES,
    st.booleans(),
    st.integers(1, 12),
)
DWELLS = st.tuples(
    st.integers(0, 100), st.integers(0, 200), st.integers(0, 600), st.floats(0.0, 0.2)
)


def machine(hold: int, clear: int, rest: int, drop: float) -> HandlingStateMachine:
    limits = Thresholds(hold * MS, clear * MS, rest * MS, 0.0005, 0.01, drop)
    return HandlingStateMachine(limits, TABLE)


@examples(300)
@given(DWELLS, st.lists(SEEN, max_size=25))
def test_each_event_comes_at_most_once_per_grasp_and_in_turn(
    dwells: tuple[int, int, int, float], pictures: list[tuple[object, ...]]
) -> None:
    observed = machine(*dwells)
    done: list[Transition] = []
    time_ns = 0
    for step, holder, support, touching, at, let_go, repeats in pictures:
        for _ in range(repeats):  # type: ignore[call-overload]
            time_ns += step * MS  # type: ignore[operator]
            pose = (*at, 1.0, 0.0, 0.0, 0.0)  # type: ignore[misc]
            seen = Observation(time_ns, holder, support, touching, pose, let_go)  # type: ignore[arg-type]
            done += observed.update(seen)
            assert (observed.held >= 0) == (
                done[-1].name in ("grasped", "picked_up") if done else False
            )
    names = [one.name for one in done]
    assert in_turn(names), names
    assert [one.time_ns for one in done] == sorted(one.time_ns for one in done)
    for one in done:
        assert (one.fall is not None) == (one.name == "dropped")
    lost = False
    for one in done:
        lost = one.name == "lost" or (lost and one.name == "dropped")
        if one.fall is not None:
            assert one.fall.meant == (not lost)
            assert one.fall.since_ns <= one.time_ns
            assert one.fall.height >= (0.0 if lost else dwells[3])


@pytest.mark.parametrize(
    ("let_go", "holder", "name"),
    [(True, -1, "released"), (False, -1, "lost"), (False, 2, "released")],
)
def test_what_leaves_a_hand_is_lost_unless_the_hand_let_go_or_another_has_it(
    let_go: bool, holder: int, name: str
) -> None:
    observed = machine(0, 0, 0, 0.05)
    at = (0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)
    (grasped,) = observed.update(Observation(MS, 1, TABLE, frozenset(), at))
    first = observed.update(Observation(2 * MS, holder, -1, frozenset(), at, let_go))[0]
    assert (grasped.name, first.name, first.hand) == ("grasped", name, 1)
