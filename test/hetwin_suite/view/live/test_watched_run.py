"""A run in one process as another one sees it and takes it in hand; here both sides are in one."""

from __future__ import annotations

import time

import pytest
from support.shown_runs import WATCHED, ShownRun
from support.small_ensemble import run
from support.waiting import wait_until

from hetwin_core.ensemble.events import Event
from hetwin_suite.view.live.feed import HappeningKind, Phase, RunEnd
from hetwin_suite.view.live.hands import HandOver, Pause, Raise, Resume, SetPace, Step
from hetwin_suite.view.live.watched_run import OVER, RunReporter, WatchedRun


def test_it_is_held_stepped_and_let_go() -> None:
    running = ShownRun()
    assert running.now().time_ns / 1e9 == 0.0
    for steps in (4, 4):
        assert running.ask(Step(steps)) is None
    wait_until(lambda: running.now().time_ns == 80_000_000, "eight steps")
    assert running.ask(Resume()) is None
    wait_until(lambda: running.summary is not None, "its end")
    assert running.summary.digest == run(WATCHED).summary.digest
    assert running.summary.deterministic
    assert running.now().time_ns / 1e9 == pytest.approx(0.2)


def test_what_is_known_at_the_beginning() -> None:
    running = ShownRun()
    begun = running.live.begun
    assert begun is not None
    assert begun.name == "small"
    assert begun.able["pose"] == ("physics", "watcher")
    assert begun.not_held == ""
    running.end()


def test_it_is_handed_over_and_what_refuses_is_quoted() -> None:
    running = ShownRun()
    assert running.ask(HandOver("ball", "pose", "watcher")) is None
    begun = running.live.begun
    assert begun is not None
    slot = begun.layout.slot_id("ball", "pose")
    wait_until(lambda: running.now().owners[slot] == 1, "the new owner is shown")
    refusal = running.ask(HandOver("ghost", "pose", "watcher"))
    assert refusal == "the scene has no ghost.pose"
    summary = running.end()
    assert not summary.deterministic
    _, rows = running.live.happened(0)
    told = [(row.kind, row.name, row.text) for row in rows]
    assert (
        HappeningKind.HANDOVER,
        "ball.pose",
        "ball.pose: physics → watcher (by hand)",
    ) in told
    assert (HappeningKind.EVENT, "handed_over") in {(kind, name) for kind, name, _ in told}


def test_a_button_of_the_scenario_raises_its_event() -> None:
    call = "buttons: {call: {event: called, arguments: {number: 7}}}\n"
    running = ShownRun(WATCHED + call)
    begun = running.live.begun
    assert begun is not None
    assert begun.buttons == {"call": {"event": "called", "arguments": {"number": 7}}}
    assert running.ask(Raise("called", {"number": 7})) is None
    assert not running.end().deterministic
    _, rows = running.live.happened(0)
    (said,) = [row.said for row in rows if row.name == "called"]
    assert isinstance(said, Event)
    assert (said.source, said.arguments) == ("by hand", {"number": 7})


def test_its_pace_is_shown_and_only_a_paused_run_is_stepped() -> None:
    running = ShownRun()
    assert running.ask(SetPace(1e-3)) is None
    wait_until(lambda: running.now().pace == 1e-3, "the pace is shown")
    assert running.ask(Resume()) is None
    assert running.ask(Step(1)) == "only a paused run can be stepped"
    assert running.ask(Pause()) is None
    wait_until(lambda: running.phase is Phase.PAUSED, "it is paused")
    assert running.ask(SetPace(None)) is None
    running.end()


def test_nothing_can_be_done_to_a_run_that_is_over() -> None:
    running = ShownRun()
    running.end()
    running.live.end(RunEnd("recording", "recording"))
    assert running.ask(Pause()) == OVER


def test_who_asks_for_too_much_at_once_is_refused() -> None:
    live = WatchedRun()  # nothing obeys it
    replies: list[str | None] = []
    for _ in range(40):
        live.do(Pause(), replies.append)
    assert replies == ["too many requests at once"] * 8
    live.end(RunEnd("failed", "it died"))
    assert replies[8:] == [OVER] * 32


def test_the_copy_of_a_state_costs_microseconds() -> None:
    running = ShownRun()
    shown = RunReporter(running.live, lambda _: None)
    shown._conductor = running.conductor
    scene = running.conductor.scene
    assert scene is not None
    steps = 20_000
    before = time.thread_time()
    for step in range(steps):
        shown.stepped(step, scene)
    assert (time.thread_time() - before) / steps < 10e-6
    running.end()
