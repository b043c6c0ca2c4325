"""Efforts that the model does not expect, from the reports about a robot of an arm and a gripper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from support.scene_of import near_row, scene_of

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, PROXIMITY, no_rows
from hetwin_core.ensemble.scene.values import Floats, pose_value
from hetwin_core.ensemble.scene.watch import Finding, Watch, WatchLayout
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.unexpected_effort import UnexpectedEffort
from model_nodes.robot_health.view import View

JOINTS = ("shoulder", "elbow", "finger")
LIMITS = np.array([100.0, 50.0, 20.0])
DELAY_NS = 100_000_000
LAYOUT = WatchLayout(
    robots=(("arm", 3),),
    joints=JOINTS,
    driven=(True, True, True),
    lower=(None, None, None),
    upper=(None, None, None),
    velocity=(2.0, 2.0, 0.2),
    effort=(100.0, 50.0, 20.0),
    has_inertias=True,
)
ENTITIES = (
    Entity("arm", EntityKind.ROBOT, joints=JOINTS),
    Entity("forearm", EntityKind.LINK, owner="arm"),
    Entity("palm", EntityKind.LINK, owner="arm", parent="forearm"),
    Entity("hand", EntityKind.HAND, owner="arm", parent="palm", joints=("finger",)),
    Entity("box", EntityKind.OBJECT),
)
SCENE = scene_of(ENTITIES, {"box": pose_value((0, 0, 0)).data})
EXPECTED = np.array([30.0, 10.0, 0.0])

Change = Callable[[float, Floats], None]


def nothing(_time: float, _efforts: Floats) -> None:
    pass


def pulse(joint: str, begin: float, share: float = 0.2, length: float = 0.2) -> Change:
    at = JOINTS.index(joint)

    def change(time: float, efforts: Floats) -> None:
        if begin <= time < begin + length:
            efforts[at] += share * LIMITS[at]

    return change


def watched(
    change: Change,
    *,
    seconds: float = 6.0,
    touch_at: float | None = None,
    toucher: str = "forearm",
    finger_moves: float | None = None,
    factor: float = 1.0,
    layout: WatchLayout = LAYOUT,
) -> list[Event]:
    """The events of a run in which the measured efforts are changed."""
    random = np.random.default_rng(4)
    observer = UnexpectedEffort(Settings(), SCENE.layout, layout)
    events: list[Event] = []
    for step in range(round(seconds * 50)):
        time = 0.02 * step
        measured = factor * (EXPECTED + random.normal(0.0, 0.01 * LIMITS))
        change(time - 1e-9 * DELAY_NS + 1e-9, measured)
        velocities = np.zeros(3)
        if finger_moves is not None and abs(time - finger_moves) < 0.1:
            velocities[2] = 0.1
        touching = touch_at is not None and time >= touch_at
        near = near_row(SCENE, "box", toucher, 0.0)[None] if touching else no_rows(PROXIMITY)
        time_ns = round(time * 1e9)
        scene = scene_of(ENTITIES, {"box": pose_value((0, 0, 0)).data}, time_ns=time_ns, near=near)
        watch = Watch(
            time_ns, np.zeros(3), velocities, measured, EXPECTED, no_rows(CLEARANCES), DELAY_NS
        )
        events += observer.watch(View(time_ns, scene, LAYOUT, watch))
    return events


def arguments(events: list[Event]) -> list[Mapping[str, Json]]:
    return [event.arguments for event in events]


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("share", [0.2, -0.2])
@pytest.mark.parametrize("begin", [0.4, 2.0, 4.93, 5.3])
def test_a_pulse_is_named_with_joint_size_and_time(joint: str, share: float, begin: float) -> None:
    (event,) = watched(pulse(joint, begin, share))
    assert event.name == "unexpected_effort"
    found = event.arguments
    assert (found["joint"], found["severity"]) == (joint, "warning")
    assert found["residual"] == pytest.approx(share * LIMITS[JOINTS.index(joint)], rel=0.2)
    assert found["from"] == pytest.approx(begin, abs=0.06)
    assert found["to"] == pytest.approx(begin + 0.2, abs=0.06)
    assert event.time_ns == pytest.approx(begin * 1e9, abs=0.06e9)


def test_a_description_without_friction_is_named_once_where_efforts_stand_out() -> None:
    def pulses(time: float, efforts: Floats) -> None:
        for change in (pulse("shoulder", 2.0), pulse("elbow", 4.0)):
            change(time, efforts)

    bare, known = (replace(LAYOUT, rubs=(rubs, False, False)) for rubs in (False, True))
    names = [event.name for event in watched(pulses, layout=bare)]
    assert names == ["unexpected_effort", "no_friction", "unexpected_effort"]
    assert watched(nothing, layout=bare) == []
    assert [event.name for event in watched(pulses, layout=known)] == ["unexpected_effort"] * 2


def test_noise_is_nothing() -> None:
    assert watched(nothing, seconds=20.0) == []


def test_a_contact_that_begins_with_it_explains_a_pulse_of_an_arm() -> None:
    (event,) = watched(pulse("elbow", 2.0), touch_at=2.04)
    assert event.arguments["severity"] == "note"


def test_a_grip_that_begins_with_it_explains_nothing_of_an_arm() -> None:
    (event,) = watched(pulse("elbow", 2.0), touch_at=2.04, toucher="palm")
    assert event.arguments["severity"] == "warning"
    assert watched(pulse("finger", 2.0), touch_at=2.04, toucher="palm") == []


def test_a_contact_that_goes_on_explains_nothing() -> None:
    (event,) = watched(pulse("elbow", 2.0), touch_at=0.5)
    assert event.arguments["severity"] == "warning"


def test_what_a_finger_feels_while_it_moves_is_its_grip() -> None:
    assert watched(pulse("finger", 2.0), finger_moves=2.1) == []
    assert watched(pulse("finger", 2.0, 0.5, 3.0)) == []


def test_a_load_is_noted_from_when_it_hangs_to_when_it_does_not() -> None:
    begun, ended = watched(pulse("shoulder", 2.0, 0.15, 2.0), seconds=8.0)
    assert begun.name == ended.name == "unexplained_load"
    assert begun.arguments["severity"] == "note"
    assert "to" not in begun.arguments
    assert ended.arguments["from"] == begun.arguments["from"] == pytest.approx(2.0, abs=0.06)
    assert ended.arguments["to"] == pytest.approx(4.0, abs=0.06)


def test_a_push_that_lasts_is_no_load_unless_something_known_is_touched() -> None:
    push = pulse("shoulder", 2.0, 0.4, 10.0)
    (event,) = watched(push)
    assert (event.name, event.arguments["severity"]) == ("unexpected_effort", "warning")
    (event,) = watched(push, touch_at=2.0)
    assert (event.name, event.arguments["severity"]) == ("unexplained_load", "note")


def test_motor_currents_get_one_note_and_no_residual() -> None:
    (event,) = watched(pulse("elbow", 3.0, 0.5), factor=0.05)
    assert event.name == "effort_no_torque"
    assert event.arguments["severity"] == "note"
    assert event.arguments["ratio"] == pytest.approx(0.05, rel=0.1)


def test_a_joint_that_reports_zeros_only_is_not_measured() -> None:
    def silent(_time: float, efforts: Floats) -> None:
        efforts[0] = 0.0

    assert watched(silent) == []


@pytest.mark.parametrize(("name", "events"), [("jump", 0), ("gap", 0), ("contradiction", 1)])
def test_near_a_jump_or_a_gap_of_the_recording_nothing_is_judged(name: str, events: int) -> None:
    layout = replace(LAYOUT, findings=(Finding(name, 2_300_000_000, 2_310_000_000),))
    assert len(watched(pulse("elbow", 2.0), layout=layout)) == events
