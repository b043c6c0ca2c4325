"""Spans of responsibility: always exactly one owner."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.scene.values import Value
from hetwin_core.episodes.derived import Span, spans

END = 1000
ATTRIBUTES = [("box", "pose"), ("cup", "pose"), ("cup", "level")]
MODELS = ["a", "b", "c"]


def handover(time_ns: int, attribute: tuple[str, str], to: str) -> Handover:
    return Handover(time_ns, *attribute, "?", to, "test", Value(np.zeros(1), time_ns))


@given(
    st.lists(
        st.tuples(st.integers(0, END), st.sampled_from(ATTRIBUTES), st.sampled_from(MODELS)),
        max_size=30,
    ),
    st.lists(st.sampled_from(MODELS), min_size=3, max_size=3),
)
def test_spans_are_a_partition_that_agrees_with_the_handovers(
    moves: list[tuple[int, tuple[str, str], str]], first: list[str]
) -> None:
    moves.sort(key=lambda move: move[0])
    owners = dict(zip(ATTRIBUTES, first, strict=True))
    found = spans(owners, [handover(*move) for move in moves], 0, END)
    assert set(found) == set(ATTRIBUTES)
    for attribute, pieces in found.items():
        assert pieces[0].from_ns == 0
        assert pieces[-1].to_ns == END
        for before, after in pairwise(pieces):
            assert before.to_ns == after.from_ns
            assert before.from_ns < before.to_ns
            assert before.model != after.model
        for time_ns in {0, END, END // 2, *(move[0] for move in moves)}:
            told = [m for t, a, m in moves if a == attribute and t <= time_ns]
            owner = [piece.model for piece in pieces if piece.from_ns <= time_ns][-1]
            assert owner == (told[-1] if told else owners[attribute])
            holders = [p for p in pieces if p.from_ns <= time_ns < p.to_ns]
            assert len(holders) == (1 if time_ns < END else 0)


def test_a_handover_at_the_very_end_names_the_last_owner() -> None:
    found = spans({ATTRIBUTES[0]: "a"}, [handover(END, ATTRIBUTES[0], "b")], 0, END)
    assert found[ATTRIBUTES[0]] == (Span(0, END, "a"), Span(END, END, "b"))
