"""Events, annotations and the stop from outside."""

from __future__ import annotations

import json
from pathlib import Path

from support.ros_runs import IN_PROCESS, finish, running, toy
from support.watcher import watching

from hetwin.msg import ActionAnnotation, Event, SceneState
from hetwin.srv import AnnotateAction, NotifyEvent, StopSimulation

FROM_OUTSIDE = """
  - name: tapped
    on: {event: tap}
    do: [{hand_over: {entity: ball, attribute: pose, to: grasp}}]
  - name: waved
    on: {action: wave, phase: instant}
    do: [{raise: {event: seen, arguments: {hand: $event.hand}}}]
"""


def test_events_and_annotations_wake_triggers_and_the_stop_service_ends_the_run(
    tmp_path: Path,
) -> None:
    scenario = toy(tmp_path, until=600.0, pace=0.001, more=FROM_OUTSIDE)
    with (
        running(scenario, tmp_path / "run", *IN_PROCESS) as (process, domain),
        watching(domain, process) as watcher,
    ):
        states = watcher.listen(SceneState, "/hetwin/state")
        watcher.wait(lambda: states and states[-1].stamp.sec >= 1, "the state at 1 s")

        tap = NotifyEvent.Request(event=Event(name="tap", kind="model", source="user"))
        assert watcher.call(NotifyEvent, "/hetwin/notify_event", tap).accepted
        in_arguments = json.dumps({"hand": "hand", "phase": "instant"})
        wave = ActionAnnotation(operation="wave", phase="", arguments=in_arguments)
        request = AnnotateAction.Request(annotation=wave)
        assert watcher.call(AnnotateAction, "/hetwin/annotate_action", request).accepted
        wrong = AnnotateAction.Request(annotation=ActionAnnotation(operation="wave", phase="never"))
        refusal = watcher.call(AnnotateAction, "/hetwin/annotate_action", wrong)
        assert not refusal.accepted
        assert "'never'" in refusal.reason
        nothing = AnnotateAction.Request(annotation=ActionAnnotation(phase="begin"))
        refusal = watcher.call(AnnotateAction, "/hetwin/annotate_action", nothing)
        assert not refusal.accepted
        assert "no operation" in refusal.reason

        seen = len(states)
        watcher.wait(lambda: len(states) > seen + 5, "states after the annotation")
        assert watcher.call(
            StopSimulation, "/hetwin/stop_simulation", StopSimulation.Request()
        ).accepted
        ended = finish(process)
    outcome = ended.json
    assert ended.code == 0
    assert outcome["ended"] == "stopped"
    assert outcome["deterministic"] is False
    assert {"tap", "wave", "seen"} <= {e["name"] for e in outcome["events"]}
    assert outcome["handovers"][-1]["cause"] == "tapped"
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["ended"] == "stopped"
