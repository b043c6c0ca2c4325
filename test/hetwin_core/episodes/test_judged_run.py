"""A run's summary says whether its tasks' goals and its outcomes are so, and what is the case instead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.made_tables import MadeTables, placed_box
from support.small_run import SmallRun

from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scene.snapshot import Table
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.judged_run import RunJudge, judged_run
from hetwin_core.episodes.log_writer import RecordedState, RunLog

SEEN = {"claim": "time", "subject": "arm", "checked": True, "holds": True, "matters": True}
SEEN |= {"from": ["stamps"], "of": [], "spans": [], "why": None}


def story() -> MadeTables:
    """A box is carried from the table onto the tray; no program is known."""
    made = placed_box()
    made.tasks.clear()
    return made


def summary(made: MadeTables, **changed: Any) -> RunSummary:
    events = tuple(
        {
            "time": 0.0,
            "name": task.operation,
            "kind": "task",
            "source": "/tasks",
            "arguments": {"status": task.status.value, "goal": task.goal},
        }
        for task in made.tasks
    )
    whole = SmallRun(Path(), steps=4000).summary()
    return replace(whole, events=events, coverage=(SEEN,), verdict="fine", **changed)


def judged(
    made: MadeTables, outcomes: dict[str, str], duration: float | None = None, **changed: Any
) -> RunSummary:
    given = {"scenario": {"outcomes": outcomes}, "duration": duration}
    return judged_run(summary(made, **changed), made.made, given)


def rows(run: RunSummary) -> dict[object, tuple[object, object, object]]:
    return {row["subject"]: (row["checked"], row["holds"], row["why"]) for row in run.coverage[1:]}


def test_a_goal_that_is_so_and_an_outcome_that_came_about_leave_a_run_fine() -> None:
    made = story()
    made.did("stack.1", 2.0, 6.5, goal='on("box", "tray")')
    run = judged(made, {"delivered": 'holds(on("box", "tray"), at(end))'})
    assert rows(run) == {"stack.1": (True, True, None), "delivered": (True, True, None)}
    assert (run.verdict, run.concerns) == ("fine", ())


def test_a_task_that_is_done_without_its_goal_makes_a_run_doubtful() -> None:
    made = story()
    made.did("stack.1", 2.0, 8.5, goal='on("box", "cup1")')
    run = judged(made, {})
    assert rows(run) == {"stack.1": (True, False, None)}
    (concern,) = run.concerns
    assert concern["text"] == (
        'the task stack.1 is done, but on("box", "cup1") does not hold: box is on tray'
    )
    assert (concern["name"], run.verdict) == ("goal_missed", "doubtful")


def test_of_a_task_within_another_one_with_a_goal_only_that_one_counts() -> None:
    made = story()
    made.did("serve.1", 2.0, 8.5, goal='on("box", "tray")')
    made.did("stack.1", 2.0, 8.0, parent="serve.1", goal='on("box", "cup1")')
    run = judged(made, {})
    assert (rows(run), run.verdict) == ({"serve.1": (True, True, None)}, "fine")


def test_an_outcome_that_did_not_come_about_makes_a_run_doubtful() -> None:
    run = judged(story(), {"served": 'holds(on("box", "cup1"), at(end))'})
    assert rows(run) == {"served": (True, False, None)}
    (concern,) = run.concerns
    assert concern["text"] == "the outcome served did not come about: box is on tray"
    assert (concern["name"], run.verdict) == ("outcome_missed", "doubtful")


@pytest.mark.parametrize(
    ("question", "duration", "verdict", "why"),
    [
        ('holds(on("box", "cup1"), at(end))', 10.0, "unchecked", "may come about after 10.00 s"),
        ('holds(on("saucer", "cup1"), at(end))', None, "unchecked", "saucer"),
        ("count(all_that_is)", None, "unchecked", "all_that_is"),
    ],
)
def test_what_a_run_does_not_show_is_not_checked(
    question: str, duration: float | None, verdict: str, why: str
) -> None:
    run = judged(story(), {"served": question}, duration)
    ((checked, holds, said),) = rows(run).values()
    assert (checked, holds, run.verdict, run.concerns) == (False, None, verdict, ())
    assert why in str(run.coverage[1])
    assert said


@pytest.mark.parametrize("verdict", ["failed", "stopped"])
def test_a_run_that_was_broken_off_does_not_show_its_outcomes(verdict: str) -> None:
    made = story()
    run = summary(made)
    broken = judged_run(
        replace(run, verdict=verdict),
        made.made,
        {"scenario": {"outcomes": {"delivered": 'holds(on("box", "tray"), at(end))'}}},
    )
    assert broken.verdict == verdict
    assert verdict in str(rows(broken)["delivered"][2])


def test_the_log_of_a_run_judges_what_it_was_for(tmp_path: Path) -> None:
    run = SmallRun(tmp_path / "run", steps=600)
    outcomes = {"taken": 'holds(attribute("box", "held") > 0.5, at(1.2))'}
    with RunLog(run.out) as log:
        run.play(log)
        judge = RunJudge(log)
        judge.started(replace(run.start(), given={"scenario": {"outcomes": outcomes}}))
        log.ended(judge.judged(run.summary()))
    rows = [row for row in Episode.open(run.out).summary["coverage"] if row["claim"] == "outcome"]
    assert [(row["subject"], row["holds"]) for row in rows] == [("taken", True)]


def test_a_run_whose_model_of_distances_has_ended_has_a_summary(tmp_path: Path) -> None:
    def gone() -> Floats:
        raise RunFailed("physics", "step", 0, "its process ended")

    run = SmallRun(tmp_path / "run", steps=10)
    log = RunLog(run.out)
    run.play(log)
    last = run.snapshot(10)
    state = RecordedState.of(10, last)._replace(near=Table(gone))
    log._states._last = state
    log.ended(run.summary({"model": "bad", "call": "step", "time": 0.02, "reason": "it raised"}))
    assert Episode.open(run.out).summary["error"]["model"] == "bad"
