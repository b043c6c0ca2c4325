"""Believed places, and while they were wrong."""

from __future__ import annotations

from dataclasses import replace

from support.made_tables import LAYOUT, ListedBeliefs, MadeTables, span

from hetwin_core.episodes.tables.rows import Belief, BeliefError
from hetwin_suite.view.layers import BELIEVED_COLUMNS, believed

HERE = (0.1, 0.2, 0.3, 0.0, 1.0, 0.0, 0.0)
THERE = (0.4, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0)
BOX = float(LAYOUT.entity_id("box"))


def loc(begin: float, end: float, pose: tuple[float, ...], entity: str = "box") -> Belief:
    return Belief(0, "loc", entity, "", True, pose, span(begin, end), "beliefs")


def test_believed_places_and_while_they_were_wrong() -> None:
    wrong = BeliefError(0, "loc", "box", "", span(2.0, 3.0), 0.3, 0.0, 0, 0)
    beliefs = ListedBeliefs([loc(0.5, 1.5, HERE), loc(1.5, 4.0, THERE), loc(1.5, 4.0, HERE, "elf")])
    tables = replace(MadeTables().made(), beliefs=beliefs, belief_errors=[wrong])
    found = dict(believed(tables))
    assert all(rows.shape[1] == len(BELIEVED_COLUMNS) for rows in found.values())
    assert found[0.5].tolist() == [[BOX, 0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 0.0]]
    assert found[1.5].tolist() == [[BOX, 0.4, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0, 0.0]]
    assert found[2.0][0, -1] == 1.0
    assert found[3.0][0, -1] == 0.0
    assert found[4.0].tolist() == []
