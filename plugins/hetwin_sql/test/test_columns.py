"""Rows of tables as columns: the same whether rows are made or not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.carried_box import MadeRows, carried_box, ns

from hetwin_core.episodes.tables.lists import BeliefColumns, BeliefList, Claim
from hetwin_sql.changed_poses import STEP_M, changed_poses
from hetwin_sql.columns import batches
from hetwin_sql.views import VIEWS


def believed() -> BeliefList:
    """A pose, twice, a truth, and a belief that is later than what is known."""
    claims = (Claim("loc", "box", "", True, "/box"), Claim("on", "box", "tray", False, "seen"))
    poses = np.full((4, 7), np.nan)
    poses[:2] = [0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0]
    times = np.array([ns(1.0), ns(2.0), ns(2.5), ns(11.0)])
    columns = BeliefColumns(claims, np.array([0, 0, 1, 1]), times, poses, np.ones(4))
    return BeliefList(lambda: columns, ns(10.0))


def test_beliefs_in_columns_are_those_in_rows() -> None:
    listed = believed()
    (fast,) = batches("beliefs", replace(carried_box(), beliefs=listed), "one")
    (slow,) = batches("beliefs", replace(carried_box(), beliefs=MadeRows([*listed])), "one")
    assert set(fast) == set(slow) == {column.name for column in VIEWS["beliefs"]}
    for name, values in slow.items():
        np.testing.assert_array_equal(fast[name], values)
    assert len(fast["row"]) == 3


def test_no_beliefs_are_no_rows() -> None:
    empty = np.empty(0, np.int64)
    columns = BeliefColumns((), empty, empty, np.empty((0, 7)), np.empty(0))
    tables = replace(carried_box(), beliefs=BeliefList(lambda: columns, 0))
    (batch,) = batches("beliefs", tables, "one")
    assert all(len(values) == 0 for values in batch.values())


def test_a_row_of_poses_stands_for_states_within_half_a_step_and_ends_where_the_next_begins() -> (
    None
):
    tables = carried_box()
    kept = dict(changed_poses(tables))
    assert {name: len(rows["from"]) for name, rows in kept.items() if name != "box"} == {
        "tray": 1,
        "table": 1,
    }
    box = kept["box"]
    np.testing.assert_array_equal(box["from"][1:], box["to"][:-1])
    assert (box["from"][0], box["to"][-1]) == (0.0, 10.0)
    for time in np.linspace(0.0, 9.98, 97):
        row = int(np.searchsorted(box["from"], time, side="right")) - 1
        _, pose = tables.poses.at("box", ns(time))
        assert box["x"][row] == pytest.approx(pose[0], abs=STEP_M)
        assert box["z"][row] == pytest.approx(pose[2], abs=STEP_M)
