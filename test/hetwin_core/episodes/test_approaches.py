"""How near things came to each other, from tables of proximity."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.tables import PROXIMITY_COLUMNS
from hetwin_core.episodes.derived import nearest_approaches

LAYOUT = Layout.build([Entity(name, EntityKind.OBJECT) for name in ("box", "ball", "finger")], [])


def table(*rows: tuple[float, float, float]) -> np.ndarray:
    found = np.zeros((len(rows), PROXIMITY_COLUMNS))
    found[:, :3] = np.array(rows).reshape(-1, 3)
    return found


def test_the_least_distance_of_each_pair_counts_and_the_first_time_of_it() -> None:
    times = np.array([0, 10, 20, 30])
    tables = [
        table((0, 2, 0.05), (1, 2, 0.5)),
        table(),
        table((0, 2, -0.001)),
        table((0, 2, -0.001)),
    ]
    when = np.repeat(times, [len(rows) for rows in tables])
    found = nearest_approaches(LAYOUT, when, np.concatenate(tables))
    assert found["box", "finger"] == (-0.001, 20)
    assert found["box", "finger"].touching
    assert found["ball", "finger"] == (0.5, 0)
    assert not found["ball", "finger"].touching


@pytest.mark.parametrize("row", [(0, 3, 0.1), (-1, 0, 0.1), (0.5, 1, 0.1), (0, 1, np.nan)])
def test_rows_that_name_no_entity_are_left_out(row: tuple[float, float, float]) -> None:
    assert nearest_approaches(LAYOUT, np.array([0]), table(row)) == {}


def test_without_states_there_are_none() -> None:
    assert nearest_approaches(LAYOUT, np.array([], np.int64), table()) == {}
