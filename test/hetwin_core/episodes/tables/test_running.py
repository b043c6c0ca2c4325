"""Tables of a run that goes on, against those of its log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.plugins import needs

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.tables.open import RunTables, open_tables
from hetwin_core.episodes.tables.tables import Tables

UNTIL_S = 6.0
BELIEVING = "setting_the_table"


@pytest.fixture(
    scope="module",
    params=["pick_and_place", pytest.param(BELIEVING, marks=needs("hetwin_tables"))],
)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Tables, Tables]:
    """Tables of one run: derived as it went, and from its log."""
    scenario = load_scenario(find_scenario(request.param))
    run = tmp_path_factory.mktemp("run") / "run"
    running, rate = RunTables(scenario.file.log.state_rate), scenario.file.log.state_rate
    listeners = [running, RunLog(run, state_rate=rate)]
    options = RunOptions(duration=UNTIL_S)
    Conductor(scenario, local_ports(scenario, one_process=True), listeners, options).run()
    return running.tables(run.name), open_tables(run)


def without_rows(rows: Any) -> list[Any]:
    """Rows whose number does not say anything."""
    return sorted(
        repr(row._replace(row=0) if hasattr(row, "_replace") else [*_parts(row)]) for row in rows
    )


def _parts(row: Any) -> list[Any]:
    return [row.time_ns, row.name, row.source, sorted(row.arguments.items())]


def test_occasions_and_events_are_those_of_the_log(both: tuple[Tables, Tables]) -> None:
    running, logged = both
    assert len(running.occasions) > 10
    assert len(running.events) > 5
    assert without_rows(running.occasions) == without_rows(logged.occasions)
    assert without_rows(running.events) == without_rows(logged.events)


def test_the_rest_is_that_of_the_log(both: tuple[Tables, Tables]) -> None:
    running, logged = both
    for name in ("episode", "start_ns", "known_until_ns", "finished", "recorded", "expects"):
        assert getattr(running, name) == getattr(logged, name), name
    assert [replace(task, row=0) for task in running.tasks] == [
        replace(task, row=0) for task in logged.tasks
    ]
    for time_ns in range(0, running.known_until_ns, 50_000_000):
        assert running.poses.row(time_ns) == logged.poses.row(time_ns)
        ran, read = (one.poses.snapshot(time_ns) for one in both)
        for name in ("values", "owners", "parents"):
            assert (getattr(ran, name) == getattr(read, name)).all(), name


def test_beliefs_are_those_of_the_log(both: tuple[Tables, Tables], request: Any) -> None:
    running, logged = both
    assert running.believed == logged.believed
    assert list(running.beliefs) == list(logged.beliefs)
    assert [*running.belief_errors] == [*logged.belief_errors]
    assert bool(len(logged.beliefs)) == (BELIEVING in request.node.name)
