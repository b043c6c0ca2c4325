"""What the main model found before the run is raised when its time comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.robot_views import PERIOD_NS, layout, view
from support.watched_toy import LAYOUT

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.robot_health.model import Findings
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.touched import LinkPairs


def findings(*found: Finding, **given: Any) -> Findings:
    settings = Settings.read(given)
    return Findings(settings, LinkPairs(settings, layout()), replace(LAYOUT, findings=found))


def first(finding: Finding, held: dict[str, str] | None = None, **given: Any) -> list[Event]:
    return findings(finding, **given).watch(view(1, held=held or {}))


def starts(depth: float, **what: str) -> Finding:
    return Finding("starts_inside", 0, 0, {**what, "depth": depth})


@pytest.mark.parametrize(
    ("finding", "severity"),
    [
        (Finding("jump", 0, 0, {"joint": "elbow", "step": -0.3}), "warning"),
        (Finding("jump", 0, 0, {"joint": "elbow", "step": 1.5}), "absurd"),
        (Finding("gap", 0, 0, {"topic": "/j", "duration": 0.5}), "note"),
        (Finding("gap", 0, 0, {"topic": "/j", "duration": 3.0}), "warning"),
        (Finding("contradiction", 0, 0, {"joint": "elbow", "size": 0.1}), "warning"),
        (Finding("clock_offset", 0, 0, {"topic": "/wrench", "offset": -0.2}), "note"),
        (starts(0.001, object="box", partner="table"), "note"),
        (starts(0.03, object="box", partner="table"), "absurd"),
        (starts(0.01, link="base", partner="table"), "warning"),
        (starts(0.04, link="base", partner="floor"), "note"),
        (starts(0.004, object="box", partner="forearm"), "note"),
        (starts(0.03, object="box", partner="forearm"), "warning"),
    ],
)
def test_the_measure_makes_the_severity(finding: Finding, severity: str) -> None:
    (event,) = first(finding)
    assert event.name == finding.name
    unit = {"unit": "rad or m"} if "joint" in finding.arguments else {}
    known = {"severity": severity, "from": 0.0, "to": 0.0}
    assert event.arguments == {**known, **finding.arguments, **unit}


def test_each_is_raised_once_when_its_time_has_come() -> None:
    begun = [30, 5, 50]
    jumps = [Finding("jump", n * PERIOD_NS, n * PERIOD_NS + 1, {"step": float(n)}) for n in begun]
    part = findings(*jumps)
    events = {step: part.watch(view(step)) for step in range(1, 40)}
    raised = {
        step: [e.time_ns // PERIOD_NS for e in found] for step, found in events.items() if found
    }
    assert raised == {5: [5], 30: [30]}


def test_an_object_in_the_hand_may_be_inside_the_fingers() -> None:
    grip = starts(0.01, object="box", partner="forearm")
    assert first(grip, {"box": "gripper"}) == []
    assert len(first(grip)) == 1


def test_a_known_touch_is_not_reported_from_the_start_either() -> None:
    known = [{"link": "base", "partner": "table"}]
    assert first(starts(0.04, link="base", partner="table"), known_touches=known) == []


@pytest.mark.parametrize(
    "finding",
    [
        Finding("unheard_of", 0, 0, {"size": 5.0}),
        Finding("jump", 0, 0, {"joint": "elbow"}),
        starts(0.0001, object="box", partner="table"),
    ],
)
def test_what_has_no_measure_or_too_small_a_one_is_left_out(finding: Finding) -> None:
    assert first(finding) == []
