"""Plans move the robot of a run, from its beginning or from the middle; closing fingers stop at what they touch."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from support.robot_files import ROOT

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_suite.episode import open_episode
from hetwin_suite.running.api import run

FILE = ROOT / "scenarios" / "pick_and_place.yaml"
EPISODE = str(ROOT / "scenarios" / "episodes" / "pick_and_place")
REST = {"plan": [{"recording": EPISODE}]}
ARM = {"recording": EPISODE, "only": ["shoulder*", "elbow*", "wrist*", "hand*"], "announces": False}
GRASPED: list[dict[str, Any]] = [
    {**ARM, "from": 3.0},
    {"operation": "move_hand", "arguments": {"goal": "open", "seconds": 0.1}, "at": 0.0},
    {"operation": "move_hand", "arguments": {"goal": "closed", "seconds": 0.4}, "at": 0.8},
]
MOMENT_NS = 400_000_000
END_S = 0.8


Spec = dict[str, Any]


def conducted(source: Spec | None = None) -> Conductor:
    scenario = load_scenario(FILE)
    given = None if source is None else json.dumps(source)
    options = RunOptions(given, engine="mujoco", duration=END_S)
    return session(scenario, options=options)


def gone_on(source: Spec, refused: str = "") -> tuple[RunSummary, Checkpoint]:
    """A run whose robot goes on by another source in the middle, unless that is refused; and how it was there."""
    conductor, saved = conducted(), []

    def change(now: BetweenSteps) -> None:
        if now.time_ns == MOMENT_NS:
            saved.append(now.checkpoint())
            expected = pytest.raises(Refused, match=refused) if refused else nullcontext()
            with expected:
                now.alter({}, {"physics": {"source": source}})
                changed = now.checkpoint()
                assert changed.new_source_reason
                assert json.loads(str(changed.options.source)) == source

    conductor.prepare()
    conductor.at_barriers(change)
    return conductor.run(), saved[0]


@pytest.mark.parametrize("rest", [REST, {"recording": EPISODE}])
def test_the_rest_of_a_recording_is_what_the_recording_would_have_been(rest: Spec) -> None:
    conductor = conducted()
    conductor.prepare()
    plain = conductor.run()
    summary, checkpoint = gone_on(rest)
    assert summary.digest == plain.digest
    assert summary.deterministic
    restored = conducted(rest)
    again = checkpoint.with_options(source=json.dumps(rest))
    restored.continue_from(again)
    assert restored.run().digest == plain.digest


def test_from_a_moment_on_a_plan_is_the_same_in_the_run_and_from_its_checkpoint() -> None:
    plan = {
        "plan": [
            {
                "operation": "move",
                "arguments": {"joints": {"shoulder_pan_joint": 0.5}, "speed": 1.0},
            },
            {"operation": "move_hand", "arguments": {"goal": "closed"}, "at": 0.5},
        ]
    }
    summary, checkpoint = gone_on(plan)
    restored = conducted(plan)
    restored.continue_from(checkpoint.with_options(source=json.dumps(plan)))
    assert restored.run().digest == summary.digest
    assert summary.digest != gone_on(REST)[0].digest


def test_a_plan_that_cannot_begin_there_is_refused() -> None:
    summary, _ = gone_on(
        {"plan": [{"operation": "juggle"}]}, r"source.plan.0.operation.*found 'juggle'"
    )
    assert summary.error is None


def test_closing_fingers_stop_at_what_they_touch(tmp_path: Path) -> None:
    run(FILE, out=tmp_path, source=json.dumps({"plan": GRASPED}), engine="mujoco", duration=1.9)
    episode = open_episode(tmp_path)
    assert episode.ask('size(occurs(event("grip_closed", "box")))').value == 1
    joints = episode.ask('value(joint_positions("tabletop_arm"), at(end))').value
    assert isinstance(joints, list)
    assert all(0.015 < float(str(at)) < 0.03 for at in joints[-2:])  # the box is 5 cm wide
