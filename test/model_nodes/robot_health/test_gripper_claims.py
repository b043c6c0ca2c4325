"""What a gripper says of itself, beside what the twin believes of its hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.ensemble.concern_words import (
    CLOSED_ON_SOMETHING,
    LET_GO_OF_SOMETHING,
    concern_text,
)
from hetwin_core.ensemble.events import GRIPPER_SAYS, Event, Json, announce
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec
from hetwin_core.ensemble.scene.watch import WatchLayout
from model_nodes.robot_health.gripper_claims import GripperClaims, hand_of
from model_nodes.robot_health.settings import Scale
from model_nodes.robot_health.view import View

MS = 1_000_000
UPPER = 0.04
JOINTS = ("left", "right")
LAYOUT = WatchLayout(
    robots=(("arm", 2),),
    joints=JOINTS,
    driven=(True, True),
    lower=(0.0, 0.0),
    upper=(UPPER, UPPER),
    velocity=(None,) * 2,
    effort=(None,) * 2,
    slides=(True, True),
)
CLAMP = Entity("clamp", EntityKind.HAND, owner="arm", parent="tip", joints=JOINTS)
SCENE = Layout.build(
    [
        Entity("arm", EntityKind.ROBOT, joints=JOINTS),
        CLAMP,
        Entity("box", EntityKind.OBJECT),
    ],
    (("clamp", AttributeSpec("holding")), ("clamp", AttributeSpec("held_object"))),
)
ACTION = "/clamp/gripper_cmd"


def says(at_ms: int, **said: Json) -> Event:
    known: dict[str, Json] = {"action": ACTION, "stalled": False, "reached_goal": False, **said}
    return announce(GRIPPER_SAYS, "instant", known, at_ms * MS, "/clamp/gripper_cmd/feedback")


def fingers(name: str, at_ms: int) -> Event:
    return Event(name, at_ms * MS, arguments={"hand": "clamp"})


def concerns(
    events: Sequence[Event],
    held: Mapping[int, bool] | None = None,
    *,
    finger: float = 0.02,
    layout: WatchLayout = LAYOUT,
) -> list[Event]:
    """The concerns of 2 s.

    Args:
        events: of the run.
        held: from which ms on the twin's hand holds the box, or not.
        finger: position of the twin's fingers [m].
        layout: of the robot.
    """
    claims = GripperClaims(Scale(warning=0.5), SCENE, layout)
    zeros = np.zeros(2, np.int32)
    found, before = [], -1
    for now in range(0, 2000, 20):
        holds = [value for at, value in (held or {}).items() if at <= now][-1:] == [True]
        values = np.array([1.0, 2.0] if holds else [0.0, -1.0])
        scene = Snapshot(SCENE, ("physics",), now * MS, values, zeros, zeros)
        new = tuple(event for event in events if before < event.time_ns // MS <= now)
        at = np.full(2, finger)
        found += claims.watch(View(now * MS, scene, layout, positions=at, events=new))
        before = now
    return found


def test_a_stall_on_nothing_is_a_concern_once() -> None:
    (found,) = concerns([says(300, stalled=True, position=0.0249)])
    assert (found.name, found.time_ns) == ("stalled_on_nothing", 300 * MS)
    said = found.arguments
    assert (said["gripper"], said["hand"], said["severity"]) == (ACTION, "clamp", "warning")
    assert (said["position"], said["unit"], said["from"]) == (0.0249, "m", 0.3)


@pytest.mark.parametrize("end", [0.0, UPPER])
@pytest.mark.parametrize("shift", [0.0, 0.001, 0.01])
def test_a_stall_at_the_end_where_the_twins_fingers_are_is_no_concern(
    end: float, shift: float
) -> None:
    """Commanded beyond its end, a gripper stalls at it."""
    inside = shift if end == 0.0 else -shift
    found = concerns([says(300, stalled=True, position=end + inside)], finger=end)
    assert bool(found) is (shift > 0.05 * UPPER)


@pytest.mark.parametrize("at_ms", [100, 300, 700])
def test_a_twin_that_agrees_within_half_a_second_is_no_concern(at_ms: int) -> None:
    stalls = says(300, stalled=True)
    assert not concerns([stalls], {at_ms: True})
    assert not concerns(sorted([stalls, fingers(CLOSED_ON_SOMETHING, at_ms)], key=_time))
    over = [fingers(CLOSED_ON_SOMETHING, 0), fingers(LET_GO_OF_SOMETHING, 50), stalls]
    assert concerns(over)


def test_a_gripper_that_takes_it_back_is_no_concern() -> None:
    assert not concerns([says(300, stalled=True), says(600)])


def test_a_gripper_at_its_end_while_the_twin_holds_is_a_concern() -> None:
    (found,) = concerns([says(300, reached_goal=True, position=0.0)], {0: True})
    assert (found.name, found.arguments["object"]) == ("closed_but_holds", "box")
    assert not concerns([says(300, reached_goal=True, position=0.0)], {0: True, 400: False})


@pytest.mark.parametrize("position", [0.02, 0.04, 0.0205, None])
def test_a_position_that_is_the_twins_or_the_gap_of_its_fingers_is_no_concern(
    position: float | None,
) -> None:
    assert not concerns([says(300, reached_goal=True, position=position)], {0: True})


STATUS = "/clamp/status"


def reports(at_ms: int, **said: Json) -> Event:
    """The same of a gripper that has no action."""
    return announce(GRIPPER_SAYS, "instant", {"gripper": STATUS, **said}, at_ms * MS, STATUS)


def test_a_status_counts_as_feedback_does() -> None:
    (found,) = concerns([reports(300, stalled=True, reached_goal=False, closing=0.4)])
    assert (found.name, found.arguments["gripper"]) == ("stalled_on_nothing", STATUS)
    assert not concerns([reports(300, stalled=True, reached_goal=False)], {0: True})


@pytest.mark.parametrize(
    ("closing", "finger", "is_concern"),
    [(0.4, 0.0, True), (0.9, 0.0, False), (0.02, UPPER, False), (0.9, 0.02, True)],
)
def test_a_stall_of_a_gripper_that_says_how_far_it_is_closed(
    closing: float, finger: float, is_concern: bool
) -> None:
    """At an end of the travel of both, that end may be what stops it."""
    assert (
        bool(concerns([reports(300, stalled=True, closing=closing)], finger=finger)) is is_concern
    )


def test_a_grasp_of_nothing_is_a_concern() -> None:
    (found,) = concerns([reports(300, grasped=True, position=0.031)])
    text = concern_text(found.name, found.arguments)
    assert text == (
        "/clamp/status says that it grasped something at 0.031 m, but clamp of the twin neither holds anything"
        " nor stopped short"
    )
    assert not concerns([reports(300, grasped=True, position=0.031)], {0: True})
    assert not concerns([reports(300, grasped=True, position=0.031), reports(600, grasped=False)])


def test_a_gripper_that_says_it_is_closed_while_the_twin_holds() -> None:
    closed = reports(300, stalled=False, reached_goal=True, closing=0.9)
    (found,) = concerns([closed], {0: True})
    assert found.name == "closed_but_holds"
    text = concern_text(found.name, found.arguments)
    assert text == f"{STATUS} says that it reached its goal closed, but clamp of the twin holds box"
    assert not concerns([closed], {0: True}, finger=0.0)
    assert not concerns([reports(300, reached_goal=True, closing=0.5)], {0: True})


def test_fingers_that_were_not_recorded_are_not_judged() -> None:
    layout = replace(LAYOUT, driven=(False, False))
    assert not concerns([says(300, stalled=True)], layout=layout)


@given(st.floats(0.0, UPPER), st.booleans(), st.booleans(), st.booleans())
def test_a_claim_that_fits_the_twin_is_never_a_concern(
    finger: float, stalled: bool, holds: bool, as_gap: bool
) -> None:
    """Whatever a gripper says of where the twin's fingers are, unless it stalled on nothing."""
    position = 2.0 * finger if as_gap else finger
    event = says(300, stalled=stalled and holds, reached_goal=not stalled, position=position)
    assert not concerns([event], {0: holds}, finger=finger)


def test_the_hand_of_a_gripper() -> None:
    left, right = (
        replace(CLAMP, name=f"{side}_hand", joints=(f"{side}_jaw",)) for side in ("left", "right")
    )
    both = [left, right]

    def found(action: str, **more: Json) -> Entity | None:
        return hand_of(says(0, action=action, **more), both)

    assert found("/right_gripper/gripper_cmd") is right
    assert found("/gripper_cmd") is None
    assert found("/gripper_cmd", joint="left_jaw") is left
    assert hand_of(says(0, action="/gripper_cmd"), [right]) is right
    assert hand_of(says(0, action="/gripper_cmd", robot="other"), both) is None


def _time(event: Event) -> int:
    return event.time_ns
