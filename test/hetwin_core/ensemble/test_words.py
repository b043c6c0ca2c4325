"""The words for events and failures, and that all who print them take them from here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.small_run import SmallRun

from conductor_node.runner import _Feedback
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event, EventKind, event_from_summary, event_to_summary
from hetwin_core.ensemble.tasks import TaskFields, task_event
from hetwin_core.ensemble.words import event_line, event_words, failure_row_words, failure_words
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.failed_run import finish_failed_run
from hetwin_core.episodes.log_writer import RunLog
from hetwin_suite.cli.outcome import lines
from hetwin_suite.running.progress import ProgressListener
from hetwin_suite.running.request import FinishedRun
from hetwin_suite.view.document import html_of
from hetwin_suite.view.report.sections import happenings_table
from hetwin_suite.view.report.story.headline import headline
from hetwin_suite.view.report.story.robots import thing_sentences

SEEN = {"object": "box", "hand": "gripper", "support": "table"}
GRIP = {"object": "box", "hand": "gripper"}
FALLEN = {**GRIP, "height": 0.236, "from": 5.69, "to": 6.19}
CONNECTED = Event("connected", 10**9, arguments={"probe": "plug", "socket": "outlet"})
WORDS = "plug connected to outlet"
FAILURE = RunFailed("tank", "step", 1_250_000_000, "it returned NaN")
FAILED = "step failed at 1.250000 s: it returned NaN"


def touch(name: str, **arguments: Any) -> Event:
    """An event of what watches the robot, about its forearm and a box."""
    known = {"link": "forearm", "object": "box", **arguments}
    return Event(name, 0, source="robot_health", arguments=known)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Event("picked_up", 0, arguments=SEEN), "box picked up by gripper from table"),
        (Event("put_down", 0, arguments={**SEEN, "hand": None}), "box put down on table"),
        (Event("released", 0, arguments={**SEEN, "support": None}), "box released by gripper"),
        (Event("lost", 0, arguments={**SEEN, "support": None}), "box lost by gripper"),
        (
            Event("dropped", 0, arguments={**FALLEN, "severity": "warning"}),
            "warning: box dropped by gripper, and fell by 23.6 cm, for 0.50 s",
        ),
        (Event("dropped", 0, arguments=FALLEN), "box dropped by gripper, and fell by 23.6 cm"),
        (Event("dropped", 0, arguments={"object": "box", "hand": "h"}), "box dropped by h"),
        (
            Event("grip_lost", 0, arguments={**GRIP, "opened": True}),
            "box no longer gripped by gripper: the fingers opened",
        ),
        (
            Event("grip_lost", 0, arguments={**GRIP, "opened": False}),
            "box no longer gripped by gripper: the fingers did not open",
        ),
        (Event("grip_lost", 0, arguments=GRIP), "box no longer gripped by gripper"),
        (CONNECTED, WORDS),
        (Event("entered", 0, arguments={"object": "ball", "container": "box"}), "ball entered box"),
        (
            Event("overlap", 0, arguments={"object": "a", "other": "b", "remark": "1 mm"}),
            "a and b overlap, so they do not collide: 1 mm",
        ),
        (
            Event("caught", 0, arguments={"cup": "red", "share": 0.123456}),
            "red caught (share 0.1235)",
        ),
        (
            Event("reach", 0, EventKind.ACTION, arguments={"hand": "right", "phase": "begin"}),
            "robot: reach begins (hand right)",
        ),
        (Event("wave", 0, EventKind.ACTION, arguments={"phase": "instant"}), "robot: wave"),
        (
            task_event(TaskFields("place.1", status="failed", reason="slipped"), 0, "/tasks"),
            "robot: place.1 failed (id place.1, reason slipped)",
        ),
        (
            task_event(
                TaskFields(
                    "place.1", "serve.1", ("a",), "place", "on(a, b)", "active", "", '{"n": 1}'
                ),
                *(0, "/tasks"),
            ),
            "robot: place active (id place.1, goal on(a, b))",
        ),
        (
            touch("touched", depth=8e-4, force=12.25),
            "forearm touched box, 0.8 mm inside, with 12.2 N",
        ),
        (touch("touched", depth=8e-4, force=None), "forearm touched box, 0.8 mm inside"),
        (touch("touched", depth=None, force=None), "forearm touched box"),
        (touch("touched", depth=8e-4, force=None, hand="gripper"), ""),
        (touch("touch_ended", depth=8e-4, force=None, **{"from": 1.0, "to": 1.5}), ""),
        (
            touch("link_touches", partner="box", depth=1e-3, moved=0.06, severity="warning"),
            "warning: forearm touches box and is 1 mm inside and moves it by 6 cm",
        ),
        (Event("/camera", 0, EventKind.TOPIC, arguments={"data": [0] * 1000}), ""),
    ],
)
def test_an_event_on_a_line(event: Event, line: str) -> None:
    assert event_line(event) == line


def test_a_touch_that_is_over_says_how_long_it_was() -> None:
    over = touch("touch_ended", depth=0.002, force=7.0, **{"from": 1.0, "to": 1.5})
    assert event_words(over) == "forearm touched box for 0.50 s, 2 mm inside, with 7 N"


class Lines:
    """Keeps what is shown, wherever it is shown."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def line(self, text: str, at_s: float | None = None) -> None:
        self.lines.append(text if at_s is None else f"{at_s:.1f} s {text}")

    def publish_feedback(self, feedback: Any) -> None:
        self.lines.append(feedback.message)


def record(out: Path) -> Episode:
    """A run in which something is connected."""
    run = SmallRun(out, steps=10)
    with RunLog(out) as log:
        log.started(run.start())
        log.event(CONNECTED)
        log.ended(run.summary())
    return Episode.open(out)


def test_connected_is_worded_with_probe_and_socket_wherever_it_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, told = Lines(), Lines()
    ProgressListener(shown).event(CONNECTED)  # type: ignore[arg-type]
    _Feedback(told).event(CONNECTED)
    assert shown.lines == [f"1.0 s {WORDS}"]
    assert told.lines == [WORDS]
    episode = record(tmp_path / "run")
    (sentence,) = [s.text for s in thing_sentences(episode) if s.about == "plug"]
    assert sentence == "plug was connected to outlet at 1.00 s."
    assert f"<b>{WORDS}</b>" in html_of(happenings_table(episode))
    summary = {
        "scenario": "s",
        "ended": "recording",
        "simulated_time": 1.0,
        "wall_time": 1.0,
        "real_time_factor": 1.0,
        "error": None,
        "state": {},
        "failures": [],
        "events": [json.loads(json.dumps(event_to_summary(CONNECTED)))],
    }
    print("\n".join(lines(FinishedRun(summary, 0, tmp_path))))
    assert f"1.000 s  {WORDS}\n" in capsys.readouterr().out


def test_an_event_of_a_summary_is_worded_as_the_event() -> None:
    row = event_to_summary(CONNECTED)
    assert event_words(event_from_summary(row)) == WORDS


def test_a_failure_is_worded_in_one_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert failure_words("step", 1.25, "it returned NaN") == FAILED
    assert str(FAILURE) == f"tank: {FAILED}"
    assert FAILURE.without_model == FAILED
    summary = finish_failed_run(tmp_path / "run", "small", FAILURE, "local")
    assert summary.error is not None
    assert failure_row_words(summary.error) == str(FAILURE)
    run = SmallRun(tmp_path / "logged", steps=10)
    run.record(dict(summary.error))
    episode = Episode.open(run.out)
    assert episode.notes[-1].text == FAILED
    assert headline(episode).text == f"The run failed: tank: {FAILED}"
    rows = {"events": [], "state": {}, "failures": [{**summary.error, "then": "handed back"}]}
    facts = {"scenario": "s", "ended": "failed", "simulated_time": 1.25, "wall_time": 1.0}
    printed_summary = {**facts, **rows, "real_time_factor": 1.0, "error": summary.error}
    print("\n".join(lines(FinishedRun(printed_summary, 1, tmp_path))))
    printed = capsys.readouterr().err.splitlines()
    assert printed == [f"error: tank: {FAILED}; handed back", f"error: tank: {FAILED}"]


def test_a_row_with_nothing_in_it_has_words() -> None:
    assert failure_row_words({}) == "run: run failed at 0.000000 s: unknown reason"
