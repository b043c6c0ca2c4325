"""Beliefs in columns, and where symbolic ones are wrong."""

from __future__ import annotations

import numpy as np

from hetwin_core.episodes.tables.belief_errors import belief_errors
from hetwin_core.episodes.tables.lists import (
    BeliefColumns,
    BeliefList,
    Claim,
    OccasionList,
    Stretch,
)
from hetwin_core.episodes.tables.rows import Interval

S = 1_000_000_000


def _beliefs(*rows: tuple[int, Claim], until: int = 10) -> BeliefList:
    claims = list(dict.fromkeys(claim for _, claim in rows))
    columns = BeliefColumns(
        claims,
        np.array([claims.index(claim) for _, claim in rows], np.int64),
        np.array([time * S for time, _ in rows], np.int64),
        np.full((len(rows), 7), np.nan),
        np.ones(len(rows)),
    )
    return BeliefList(lambda: columns, until * S)


def _on(holds: bool = True, origin: str = "arms", b: str = "tray") -> Claim:
    return Claim("on", "box", b, holds, origin)


def test_a_belief_holds_until_the_next_one_about_the_same() -> None:
    beliefs = _beliefs((1, _on()), (2, _on(b="table")), (4, _on(holds=False)), (11, _on()))
    spans = [(row.b, row.holds, row.span) for row in beliefs.find("on", "box")]
    assert spans == [
        ("tray", True, (1 * S, 4 * S)),
        ("table", True, (2 * S, 10 * S)),
        ("tray", False, (4 * S, 10 * S)),
    ]
    assert [row.row for row in beliefs.find("on", None, "tray", Interval(5 * S, 6 * S))] == [2]
    assert beliefs.find("on", "cup") == []
    assert len(beliefs) == 3


def test_a_percept_is_a_belief_until_the_next_one_about_the_same() -> None:
    beliefs = _beliefs((1, _on(origin="percept")), (2, _on()), (3, _on(origin="percept")))
    spans = [row.span for row in beliefs.find("on")]
    assert spans == [(1 * S, 2 * S), (2 * S, 3 * S), (3 * S, 10 * S)]


def test_a_truth_is_believed_wrongly_where_the_world_is_otherwise() -> None:
    beliefs = _beliefs((1, _on()), (5, _on(holds=False)))
    held = [Stretch("on", "box", "tray", 2 * S, 3 * S), Stretch("on", "box", "tray", 6 * S)]
    occasions = OccasionList(held, {"on": [0, 1]}, 10 * S)
    errors = belief_errors(beliefs, occasions, frozenset({"on"}), {}, 10 * S)
    assert [error.span for error in errors] == [(1 * S, 2 * S), (3 * S, 5 * S), (6 * S, 10 * S)]
    assert [error.believed_ns for error in errors] == [1 * S, 1 * S, 5 * S]
    assert [error.moved_ns for error in errors] == [1 * S, 3 * S, 6 * S]
    assert belief_errors(beliefs, occasions, frozenset(), {}, 10 * S) == ()
