"""What a robot announces, as the plan of futures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hetwin_core.ensemble.events import AnnotationFields, Event, action_event
from hetwin_futures.announced import announced_of, end_of, plan_of

WAY = {
    "joint_names": ["elbow_joint"],
    "points": [
        {"time_from_start": 0.0, "positions": [0.1]},
        {"time_from_start": {"sec": 1, "nanosec": 500_000_000}, "positions": [0.2]},
    ],
}


def event(at_s: float, operation: str = "move", phase: str = "announced", **more: Any) -> Event:
    """An annotation of the robot."""
    text = json.dumps({"hand": "gripper", **more})
    fields = AnnotationFields(operation, phase, text)
    return action_event(fields, round(at_s * 1e9), "/action_annotations")


def test_an_announcement_says_when_and_how() -> None:
    found = announced_of(event(2.0, start=1.5, trajectory=WAY))
    assert found is not None
    assert (found.operation, found.arguments) == ("move", {"hand": "gripper"})
    assert (found.start_ns, found.end_ns) == (3_500_000_000, 5_000_000_000)
    assert found.as_step() == {"trajectory": WAY, "at": 3.5}


def test_without_a_trajectory_a_skill_is_to_move() -> None:
    found = announced_of(event(2.0, "move_hand", start=0.5, goal="open"))
    assert found is not None
    arguments = {"hand": "gripper", "goal": "open"}
    assert found.as_step() == {"operation": "move_hand", "arguments": arguments, "at": 2.5}
    assert found.end_ns == found.start_ns == 2_500_000_000


@pytest.mark.parametrize("phase", ["begin", "end", "instant"])
def test_other_phases_announce_nothing(phase: str) -> None:
    assert announced_of(event(2.0, phase=phase)) is None


@pytest.mark.parametrize(
    "said", [{"start": -1.0}, {"start": "soon"}, {"trajectory": []}, {"trajectory": {"points": []}}]
)
def test_what_cannot_be_used_announces_nothing(said: dict[str, Any]) -> None:
    assert announced_of(event(2.0, **said)) is None


def test_a_plan_is_what_is_not_over_by_time() -> None:
    known = [
        announced_of(event(at, name, start=start, trajectory=WAY))
        for at, name, start in ((3.0, "late", 1.5), (0.0, "over", 0.5), (2.0, "soon", 1.0))
    ]
    plan = plan_of([one for one in known if one is not None], 2_500_000_000, 7_000_000_000)
    assert [step["at"] for step in plan["plan"]] == [3.0, 4.5]
    assert plan["lasting"] == 4.5
    assert end_of([one for one in known if one is not None]) == 6_000_000_000
    assert plan_of([], 0, 0) == {"plan": [], "lasting": 0.0}
