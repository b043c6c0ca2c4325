"""A run that could not end itself is finished by someone else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.topics import DIAGNOSTICS
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.failed_run import finish_failed_run
from hetwin_core.episodes.following.content import LogContent
from hetwin_core.episodes.log_writer import RunLog

ERROR = RunFailed("tank", "step", 10**9, "no answer within its deadline of 3 s")
ROW = {"model": "tank", "call": "step", "time": 1.0, "reason": ERROR.reason}


def test_a_log_that_breaks_off_is_finished_with_the_error(make_run: Any) -> None:
    run = make_run(steps=50)
    run.record()
    (run.out / "summary.json").unlink()
    (run.out / "log" / "metadata.yaml").unlink()
    log = run.out / "log" / "log.mcap"
    log.write_bytes(log.read_bytes()[: int(0.9 * log.stat().st_size)])
    summary = finish_failed_run(run.out, "small", ERROR, "local", 2.0)
    assert summary.ended == "failed"
    episode = Episode.open(run.out)
    assert episode.summary["error"] == ROW
    assert episode.notes[-1].source == "tank"
    assert len(summary.events) == len(episode.events)


def test_its_concerns_are_those_of_the_log(make_run: Any) -> None:
    run = make_run(steps=50)
    touch = {"severity": "absurd", "link": "arm", "partner": "table", "depth": 0.05}
    with RunLog(run.out) as log:
        log.started(run.start())
        log.event(Event("link_touches", 500_000_000, source="robot_health", arguments=touch))
    summary = finish_failed_run(run.out, "small", ERROR, "local", 2.0)
    (concern,) = summary.concerns
    assert (concern["name"], concern["from"], concern["to"]) == ("link_touches", 0.5, 1.0)
    assert summary.verdict == "failed"


def test_a_run_that_never_began_gets_a_log_that_says_why(tmp_path: Path) -> None:
    finish_failed_run(tmp_path / "run", "small", ERROR, "ros")
    (note,) = LogContent(tmp_path / "run", DIAGNOSTICS).of(DIAGNOSTICS)
    assert (
        note.status[0].message == "step failed at 1.000000 s: no answer within its deadline of 3 s"
    )
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["error"] == ROW
