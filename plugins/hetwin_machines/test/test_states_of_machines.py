"""State machines in the report and the outcome: where each was, and since when; faults are red."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.small_run import STEP_NS, SmallRun

from hetwin_core.ensemble.events import Event, event_to_summary
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.log_writer import RunLog
from hetwin_machines.page import StateInterval, machine_states, state_intervals
from hetwin_suite._commands.result import figures_of
from hetwin_suite.view.figures import Rows


class MachineRun(SmallRun):
    """The small run, with a machine that turns, begins anew with another stack, and has a fault."""

    def happenings(self, log: RunLog, step: int) -> None:
        states = {
            10: ("LISTEN", []),
            20: ("TURN", []),
            30: ("TURN", ["LISTEN"]),
            40: ("__INCOMPLETE__", []),
        }
        super().happenings(log, step)
        if step in states:
            state, stack = states[step]
            said = {"machine": "turner", "state": state, "stack": stack}
            self._event(log, Event("machine_state", step * STEP_NS, source="l0", arguments=said))


def test_stays_and_their_colours(tmp_path: Path) -> None:
    run = MachineRun(tmp_path / "run", steps=60)
    run.record()
    episode = Episode.open(tmp_path / "run")
    end = episode.end_ns
    assert state_intervals(episode) == {
        "l0.turner": [
            StateInterval("LISTEN", 10 * STEP_NS, 20 * STEP_NS),
            StateInterval("TURN", 20 * STEP_NS, 40 * STEP_NS),
            StateInterval("__INCOMPLETE__", 40 * STEP_NS, end),
        ]
    }
    section = machine_states(episode)
    assert section is not None
    assert isinstance(section.content, Rows)
    bars = section.content.bars
    assert [bar.begin for bar in bars] == pytest.approx([0.025, 0.05, 0.1])
    assert bars[2].colour == "#c62828"
    assert len({bar.colour for bar in bars}) == 3
    assert bars[1].detail == "0.050 s long"


def test_a_run_without_machines_has_no_such_plot(tmp_path: Path) -> None:
    run = SmallRun(tmp_path / "run", steps=20)
    run.record()
    assert machine_states(Episode.open(tmp_path / "run")) is None


def test_the_outcome_has_the_last_state_of_each_machine_and_not_its_way_there(
    tmp_path: Path,
) -> None:
    run = MachineRun(tmp_path / "run", steps=60)
    run.record()
    rows = [event_to_summary(event) for event in Episode.open(tmp_path / "run").events]
    (found,) = figures_of(rows)
    assert (found.name, found.values) == ("machines", {"l0.turner": "__INCOMPLETE__"})
    assert found.routine == {"machine_state"}
