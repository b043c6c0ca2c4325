"""The view of a step: reports, motion, grips, actions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.robot_views import ENTITIES, PERIOD_NS, scene, view
from support.watched_toy import LAYOUT

from hetwin_core.ensemble.events import Event, announce
from hetwin_core.ensemble.model import Tick
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning
from model_nodes.robot_health.view import View, Viewer

HELD = ("box", AttributeSpec("held", 1, "", Meaning.ENTITY))
HOLDING = ("gripper", AttributeSpec("held_object", 1, "", Meaning.ENTITY))
NAMES = [entity.name for entity in ENTITIES]


def nothing_held(*more: tuple[str, AttributeSpec]) -> Snapshot:
    found = scene(0, *more)
    for entity, spec in more:
        found.values[found.layout.range_of(entity, spec.name)] = -1.0
    return replace(found, models=("physics", "grasp"))


def look(viewer: Viewer, snapshot: Snapshot, *events: Event) -> View:
    return viewer.view(Tick(snapshot.time_ns, PERIOD_NS, snapshot, events))


def test_a_report_is_seen_once() -> None:
    report = view(1, recorded=[0.25, 0.5]).watch
    assert report is not None
    snapshot = replace(scene(PERIOD_NS), tables=report.tables())
    viewer = Viewer(snapshot, LAYOUT)
    seen = look(viewer, snapshot).watch
    assert seen is not None
    assert seen.recorded.tolist() == [0.25, 0.5]
    assert look(viewer, snapshot).watch is None


def test_the_twins_joints() -> None:
    snapshot = scene()
    snapshot.values[snapshot.layout.range_of("arm", "joint_positions")] = (1.0, 2.0)
    snapshot.values[snapshot.layout.range_of("arm", "joint_velocities")] = (3.0, 4.0)
    seen = look(Viewer(snapshot, LAYOUT), snapshot)
    assert (seen.positions.tolist(), seen.velocities.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_without_a_robot_there_are_no_joints() -> None:
    seen = look(Viewer(scene(), None), scene())
    assert (seen.layout, seen.watch, len(seen.positions)) == (None, None, 0)


@pytest.mark.parametrize(
    ("slot", "value"), [(HELD, NAMES.index("gripper")), (HOLDING, NAMES.index("box"))]
)
def test_an_attribute_says_who_holds(slot: tuple[str, AttributeSpec], value: int) -> None:
    snapshot = nothing_held(slot)
    viewer = Viewer(snapshot, LAYOUT)
    assert look(viewer, snapshot).held == {}
    snapshot.values[snapshot.layout.range_of(slot[0], slot[1].name)] = value
    assert look(viewer, snapshot).held == {"box": "gripper"}


def test_a_pose_in_a_hands_frame_is_held_by_it() -> None:
    snapshot = nothing_held()
    viewer = Viewer(snapshot, LAYOUT)
    slot = snapshot.layout.slot_id("box", "pose")
    snapshot.owners[slot] = 1
    assert look(viewer, snapshot).held == {"box": ""}
    assert look(viewer, snapshot).owners == {"box": "grasp"}
    snapshot.parents[slot] = NAMES.index("gripper")
    assert look(viewer, snapshot).held == {"box": "gripper"}


def test_an_object_of_the_main_model_is_not_held() -> None:
    seen = look(Viewer(nothing_held(), LAYOUT), nothing_held())
    assert (seen.held, seen.owners) == ({}, {"box": "physics"})


def test_actions_go_on_until_they_end() -> None:
    viewer = Viewer(scene(), LAYOUT)

    def now(*phases: tuple[str, str]) -> list[str]:
        events = [announce(name, phase, {}, 0, "robot") for name, phase in phases]
        return list(look(viewer, scene(), *events).actions)

    assert now() == []
    assert now(("reach", "begin"), ("wave", "instant")) == ["reach"]
    assert now(("lift", "begin")) == ["reach", "lift"]
    assert now(("reach", "end")) == ["lift"]


def test_the_events_since_the_last_view_are_there() -> None:
    event = Event("bumped", 0, source="m")
    assert look(Viewer(scene(), LAYOUT), scene(), event).events == (event,)


def test_a_report_about_another_robot_is_an_error() -> None:
    report = view(1).watch
    assert report is not None
    other = replace(report, recorded=np.zeros(3), recorded_velocities=np.zeros(3))
    other = replace(other, measured_efforts=np.zeros(3), expected_efforts=np.zeros(3))
    with pytest.raises(ValueError, match="3 joints"):
        look(Viewer(scene(), LAYOUT), replace(scene(), tables=other.tables()))
