"""Beliefs go to the listeners alone, with poses in the world; tasks are events like any other."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.beliefs import (
    BeliefFields,
    belief_event,
    belief_fields,
    invalid_belief_event,
)
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.tasks import TaskFields, task_event

SMALL = """
scenario: small
rate: 100
models:
  physics: {{type: "support.toys:ToyPhysics", main: true, parameters: {{until: 0.2}}}}
  watcher: {{type: "support.small_ensemble:Watcher", parameters: {{tells: {tells}}}}}
triggers:
  - {{name: any, on: {{action: "*"}}, do: [{{raise: {{event: woken}}}}]}}
  - {{name: held, on: {{event: held}}, do: [{{raise: {{event: woken}}}}]}}
"""


def told(*events: Event) -> Outcome:
    """A run in which a model tells events at their times."""
    rows: list[dict[str, Any]] = [
        {
            "at": event.time_ns / 1e9,
            "name": event.name,
            "kind": event.kind.value,
            "source": event.source,
            "arguments": dict(event.arguments),
        }
        for event in events
    ]
    return run(SMALL.format(tells=json.dumps(rows)))


def believed(fields: BeliefFields, time_ns: int = 50_000_000) -> Event:
    return belief_event(fields, time_ns, "/b")


HELD = believed(BeliefFields("held", ("ball", "hand")))


def test_a_belief_wakes_nothing_and_is_no_part_of_the_run() -> None:
    outcome, without = told(HELD), told()
    assert [belief_fields(e).arguments for e in outcome.record.beliefs] == [("ball", "hand")]
    assert outcome.names() == without.names() == []
    assert outcome.summary.events == ()
    assert outcome.summary.digest == without.summary.digest
    assert all(tick.events == () for tick in outcome.models["watcher"].ticks)


def test_a_task_is_an_event_and_part_of_the_digest() -> None:
    task = task_event(TaskFields("place.1", operation="place", status="active"), 50_000_000, "/t")
    outcome = told(task)
    assert outcome.names() == ["place"]
    assert outcome.record.events[0].kind is EventKind.TASK
    assert outcome.summary.events[0]["arguments"]["id"] == "place.1"  # type: ignore[index,call-overload]
    assert outcome.summary.digest != told().summary.digest


@pytest.mark.parametrize("frame", ["", "world", "map", "/world"])
def test_poses_in_the_world_stay_as_they_are(frame: str) -> None:
    pose = (0.1, 0.2, 0.3, 0.6, 0.0, 0.8, 0.0)
    outcome = told(believed(BeliefFields("loc", ("ball",), frame=frame, pose=pose)))
    (belief,) = outcome.record.beliefs
    assert belief_fields(belief).pose == pytest.approx(pose, abs=1e-15)
    assert belief_fields(belief).frame == "world"


def test_poses_in_frames_of_the_scene_become_poses_in_the_world() -> None:
    outcome = told(
        believed(BeliefFields("loc", ("ball",), frame="hand", pose=(0.0, 0.0, -0.1, 1, 0, 0, 0)))
    )
    (belief,) = outcome.record.beliefs
    scene = next(s for s in outcome.record.scenes if s.time_ns == belief.time_ns)
    x, y, z = scene.pose("hand")[:3]
    assert belief_fields(belief).pose[:3] == pytest.approx((x, y, z - 0.1), abs=1e-12)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (
            believed(BeliefFields("held", ("bal", "hand"))),
            r"held of 'bal'; expected an entity of the scene \(perhaps 'ball'",
        ),
        (
            believed(BeliefFields("loc", ("ball",), frame="hnd", pose=(0.0, 0.0, 0.0, 1, 0, 0, 0))),
            r"frame 'hnd'; expected one of world, map, .*perhaps 'hand'",
        ),
        (invalid_belief_event("message 3: no pose", 50_000_000, "/b"), "message 3: no pose"),
    ],
)
def test_what_cannot_be_used_is_left_out_with_one_warning(event: Event, reason: str) -> None:
    outcome = told(event, HELD, event, event)
    assert [e.name for e in outcome.record.beliefs] == ["held"]
    first, last = [n for n in outcome.record.notes if n[1] == "warning" and n[2] == "/b"]
    assert first[3].startswith("at 0.050 s: ")

    assert re.search(reason, first[3]), first[3]
    assert last[3] == "3 messages in total were dropped for the same reason"
