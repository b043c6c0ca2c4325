"""A run over ROS 2 that is taken in hand: paused, stepped, held to a pace, and handed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.ros_runs import IN_PROCESS, finish, running, toy
from support.watcher import Watcher, watching

from hetwin.msg import SceneState
from hetwin.srv import ControlRun, HandOver, StopSimulation


def control(watcher: Watcher, command: str, **fields: Any) -> Any:
    """The response of ``hetwin/control``."""
    return watcher.call(
        ControlRun, "/hetwin/control", ControlRun.Request(command=command, **fields)
    )


def hand_over(watcher: Watcher, entity: str, attribute: str, model: str) -> Any:
    """The response of ``hetwin/hand_over``."""
    request = HandOver.Request(entity=entity, attribute=attribute, model=model)
    return watcher.call(HandOver, "/hetwin/hand_over", request)


def seconds(response: Any) -> float:
    """The simulated time in a response."""
    return float(response.time.sec + response.time.nanosec / 1e9)


def test_a_run_is_paused_stepped_handed_over_and_goes_on(tmp_path: Path) -> None:
    scenario = toy(tmp_path, until=600.0, pace=0.001)
    with (
        running(scenario, tmp_path / "run", *IN_PROCESS) as (process, domain),
        watching(domain, process) as watcher,
    ):
        states = watcher.listen(SceneState, "/hetwin/state")
        watcher.wait(lambda: states and states[-1].stamp.sec >= 1, "the state at 1 s")  # put down
        paused = control(watcher, "pause")
        assert paused.accepted, paused.reason
        stepped = control(watcher, "step", steps=40)
        assert stepped.accepted
        assert seconds(stepped) - seconds(paused) == pytest.approx(0.1, abs=1e-9)

        assert hand_over(watcher, "ball", "pose", "grasp").accepted
        assert "already" in hand_over(watcher, "ball", "pose", "grasp").reason
        assert "cannot be responsible" in hand_over(watcher, "ball", "pose", "cup").reason
        assert "no ball.weight" in hand_over(watcher, "ball", "weight", "grasp").reason

        assert "expected pause, go_on" in control(watcher, "dance").reason
        assert "steps is 0" in control(watcher, "step").reason
        assert "not a valid pace" in control(watcher, "pace", pace=-1.0).reason
        at_event = control(watcher, "next_event")
        assert at_event.accepted, at_event.reason
        # the handover itself is the next event
        assert seconds(at_event) - seconds(stepped) == pytest.approx(0.0025, abs=1e-9)
        assert control(watcher, "go_on").accepted
        assert "only a paused run" in control(watcher, "step", steps=1).reason
        stop = StopSimulation.Request()
        assert watcher.call(StopSimulation, "/hetwin/stop_simulation", stop).accepted
        ended = finish(process)
    assert ended.code == 0, ended.err
    assert ended.json["deterministic"] is False
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    by_hand = [h for h in summary["handovers"] if h["cause"] == "by hand"]
    assert [(h["entity"], h["to"]) for h in by_hand] == [("ball", "grasp")]
    done = {e["name"] for e in summary["events"] if e["source"] == "by hand"}
    assert done == {"held", "stepped", "handed_over", "went_on"}
