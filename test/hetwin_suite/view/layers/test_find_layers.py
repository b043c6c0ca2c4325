"""Layers of a log, counted in the bodies of its film."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.small_run import REST, STEP_NS, SmallRun

from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.layers import layers_of

BOX, TABLE, ARM = 4.0, 6.0, 0.0


class _Touching(SmallRun):
    """The box touches the table from its rest on, and the arm, which has no place, all the time."""

    def snapshot(self, step: int) -> Snapshot:
        rows = [[BOX, ARM, 0.0, 0, 0, 0, 0, 0, 1, 1, 0, 0]]
        if step >= REST:
            rows.append([BOX, TABLE, 0.0, 0.1, 0.0, 0.4, 0, 0, 1, 0, 0, 7.5])
        return replace(super().snapshot(step), tables=proximity_tables(np.array(rows, np.float64)))


@pytest.fixture
def episode(make_run: Callable[..., SmallRun]) -> Episode:
    run = make_run()
    return Episode.open(_Touching(run.out).record())


def test_contacts_of_a_log(episode: Episode) -> None:
    film = film_of(episode)
    (layer,) = layers_of(episode.tables, film.scene)
    assert layer.name == "contacts"
    names = [body.name for body in film.scene.bodies]
    before, after = (layer.at(step * STEP_NS / 1e9) for step in (REST - 20, REST + 20))
    assert before[:, :2].tolist() == [[names.index("box"), -1.0]]
    assert after[1].tolist() == [
        *(float(names.index("box")), float(names.index("table"))),
        *(0.1, 0.0, 0.4, 0.0, 0.0, 7.5),
    ]
