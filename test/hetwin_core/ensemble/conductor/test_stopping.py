"""A run ends with the source, at a duration, by a trigger or from outside; the log is always closed."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from support.plugins import needs
from support.small_ensemble import HEADER, Recorder, conduct, run, scenario

from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.supervision.interrupts import Interrupted


def test_the_source_ends() -> None:
    summary = run(HEADER).summary
    assert (summary.ended, summary.simulated_time, summary.error) == ("recording", 0.2, None)


def test_a_duration_ends_earlier_but_never_later() -> None:
    assert run(HEADER, duration=0.05).summary.simulated_time == 0.05
    assert run(HEADER, duration=5.0).summary.simulated_time == 0.2


def test_a_trigger_stops() -> None:
    text = HEADER.replace("until: 0.2", "until: 0.2, actions: [{name: enough, at: 0.07}]")
    text += (
        "triggers: [{name: t, on: {action: enough, phase: instant}, do: [{stop: had enough}]}]\n"
    )
    outcome = run(text)
    assert (outcome.summary.ended, outcome.summary.simulated_time) == ("stopped", 0.07)
    assert (70_000_000, "info", "conductor", "stopped: had enough") in outcome.record.notes


class Listening(Recorder):
    """Does something at the third step."""

    def __init__(self, deed: Any) -> None:
        super().__init__()
        self.deed = deed

    def stepped(self, step: int, scene: Snapshot) -> None:
        super().stepped(step, scene)
        if step == 3:
            self.deed()


def listened(deed: Any) -> tuple[Conductor, Listening]:
    listener = Listening(deed)
    return session(scenario(HEADER), listeners=[listener]), listener


def test_stop_from_outside_ends_at_the_next_barrier() -> None:
    conductor, listener = listened(lambda: conductor.stop())
    summary = conductor.run()
    assert (summary.ended, summary.simulated_time) == ("stopped", 0.03)
    assert listener.calls[-1] == "ended"


def test_a_log_that_cannot_be_written_fails_the_run() -> None:
    def full() -> None:
        raise OSError("no space left on device")

    conductor, listener = listened(full)
    summary = conductor.run()
    assert summary.ended == "failed"
    assert summary.error is not None
    assert (summary.error["model"], summary.error["call"]) == ("log", "stepped")
    assert "no space left" in str(summary.error["reason"])
    assert listener.calls[-1] == "ended"


def test_an_interrupt_closes_the_log_too() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    conductor, listener = listened(interrupt)
    with pytest.raises(KeyboardInterrupt):
        conductor.run()
    assert listener.calls[-1] == "ended"
    assert listener.summaries[0].ended == "failed"


def test_stopping_before_the_start_runs_no_step() -> None:
    conductor, _, record = conduct(HEADER)
    conductor.stop()
    assert conductor.run().ended == "stopped"
    assert record.calls == ["started", "ended"]


def test_a_model_that_fails_while_the_run_is_stopped_does_not_fail_it() -> None:
    def break_off() -> None:
        conductor.stop()
        raise RuntimeError("its server has ended")

    conductor, ports, _ = conduct(HEADER)
    ports[0].model.step = lambda tick: break_off()  # type: ignore[method-assign]
    summary = conductor.run()
    assert (summary.ended, summary.error) == ("stopped", None)
    assert "its server has ended" in str(summary.failures[0]["reason"])


def test_an_interrupt_at_once_stops_the_run_and_closes_the_log() -> None:
    def interrupt() -> None:
        raise Interrupted(signal.SIGTERM)

    conductor, listener = listened(interrupt)
    with pytest.raises(Interrupted):
        conductor.run()
    assert listener.summaries[0].ended == "stopped"


@needs("hetwin_fidelity")
def test_at_the_end_of_a_run_everything_is_high_again() -> None:
    text = """
scenario: small
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.2}}
  near: {type: fidelity_during_action, parameters: {actions: [pick], objects: [ball]}}
"""
    record = run(text).record
    levels = [float(scene.get("ball", "fidelity")[0]) for scene in record.scenes]
    assert set(levels[:-1]) == {0.0}
    assert levels[-1] == 2.0
