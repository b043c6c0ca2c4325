"""State machines in the report: where each was, and since when; faults are red."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.small_run import STEP_NS, SmallRun

from hetwin_core.ensemble.events import Event
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.log_writer import RunLog
from hetwin_suite.view.figures import Rows
from hetwin_suite.view.report.sections import Stay, machines_plot, stays


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
    assert stays(episode) == {
        "l0.turner": [
            Stay("LISTEN", 10 * STEP_NS, 20 * STEP_NS),
            Stay("TURN", 20 * STEP_NS, 40 * STEP_NS),
            Stay("__INCOMPLETE__", 40 * STEP_NS, end),
        ]
    }
    plot = machines_plot(episode)
    assert plot is not None
    assert isinstance(plot.figure, Rows)
    bars = plot.figure.bars
    assert [bar.begin for bar in bars] == pytest.approx([0.025, 0.05, 0.1])
    assert bars[2].colour == "#c62828"
    assert len({bar.colour for bar in bars}) == 3
    assert bars[1].detail == "0.050 s long"


def test_a_run_without_machines_has_no_such_plot(tmp_path: Path) -> None:
    run = SmallRun(tmp_path / "run", steps=20)
    run.record()
    assert machines_plot(Episode.open(tmp_path / "run")) is None
