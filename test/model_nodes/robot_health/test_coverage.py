"""What a run checks of a robot, its hand and the objects, and why it does not check the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hetwin_core.ensemble.concern_words import CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import CLEARANCES, Snapshot, no_rows
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Shape, ShapeKind
from hetwin_core.ensemble.scene.watch import Finding, Watch, WatchLayout
from model_nodes.robot_health.coverage import Coverage
from model_nodes.robot_health.view import View

SECOND = 1_000_000_000
BOX = (Shape(ShapeKind.BOX, (0.1, 0.1, 0.1), collides=True),)
JOINTS = ("shoulder", "elbow", "left", "right")
LAYOUT = WatchLayout(
    robots=(("arm", 4),),
    joints=JOINTS,
    driven=(True,) * 4,
    lower=(None,) * 4,
    upper=(None,) * 4,
    velocity=(None,) * 4,
    effort=(10.0, 10.0, 10.0, 10.0),
    has_inertias=True,
    slides=(False, False, True, True),
)
ON, HOLDING = AttributeSpec("on"), AttributeSpec("holding")


def link(name: str, parent: str = "", joint: str = "", shapes: tuple[Shape, ...] = BOX) -> Entity:
    return Entity(name, EntityKind.LINK, owner="arm", parent=parent, joint=joint, shapes=shapes)


def entities(fingers: tuple[Shape, ...] = BOX, **more: Any) -> list[Entity]:
    return [
        Entity("arm", EntityKind.ROBOT, joints=JOINTS),
        link("base"),
        link("upper", "base", "shoulder", **more),
        link("lower", "upper", "elbow"),
        link("tip", "lower", shapes=()),
        link("left_finger", "tip", "left", fingers),
        link("right_finger", "tip", "right", fingers),
        Entity("clamp", EntityKind.HAND, owner="arm", parent="tip", joints=("left", "right")),
        Entity("box", EntityKind.OBJECT, shapes=BOX),
    ]


@dataclass
class Torques:
    """Whether efforts are torques, as a test says."""

    torque: bool = True

    def is_torque(self, robot: str) -> bool:
        return self.torque


def coverage(
    parts: Iterable[Entity],
    layout: WatchLayout | None = LAYOUT,
    torque: bool = True,
    attributes: tuple[tuple[str, AttributeSpec], ...] = (
        ("box", POSE),
        ("box", ON),
        ("clamp", HOLDING),
    ),
) -> tuple[Coverage, Snapshot]:
    scene_layout = Layout.build(list(parts), attributes)
    zeros = np.zeros(len(scene_layout.slots), np.int32)
    scene = Snapshot(scene_layout, ("physics",), 0, np.zeros(scene_layout.size), zeros, zeros)
    return Coverage(layout, scene, Torques(torque)), scene


def report(time_s: float, effort: float = 1.0) -> Watch:
    zeros = np.zeros(4)
    return Watch(round(time_s * 1e9), zeros, zeros, np.full(4, effort), zeros, no_rows(CLEARANCES))


def rows(
    parts: Iterable[Entity], *more: Event, effort: float = 1.0, **given: Any
) -> dict[tuple[str, str], dict[str, Any]]:
    """What is said of each claim after three seconds."""
    watched, scene = coverage(parts, **given)
    said: dict[tuple[str, str], dict[str, Any]] = {}
    for step in range(4):
        view = View(
            step * 1_000_000_000,
            scene,
            given.get("layout", LAYOUT),
            report(step, effort),
            events=more if step == 2 else (),
        )
        for event in watched.watch(view):
            row = dict(event.arguments)
            said[str(row["claim"]), str(row["subject"])] = row
    return said


def test_with_all_there_is_all_is_checked_but_what_the_robot_does_not_have() -> None:
    found = rows(entities())
    assert {key for key, row in found.items() if row["checked"]} == {
        ("time", "arm"),
        ("motion", "arm"),
        ("touch", "arm"),
        ("effort", "arm"),
        ("grip", "clamp"),
        ("drop", "box"),
        ("support", "box"),
    }
    base = found["base", "arm"]
    assert (base["checked"], base["matters"], base["why"]) == (False, False, "no odometry")
    assert found["touch", "arm"]["of"] == ["base", "upper", "lower", "left_finger", "right_finger"]
    assert found["effort", "arm"]["of"] == list(JOINTS)


def test_a_moving_link_without_shapes_is_named() -> None:
    touch = rows(entities(shapes=()))["touch", "arm"]
    assert (touch["checked"], touch["why"]) == (False, "no collision shapes: upper")


def test_a_link_whose_fixed_part_has_a_shape_is_seen() -> None:
    parts = [*entities(shapes=()), link("cover", "upper")]
    assert rows(parts)["touch", "arm"]["checked"]


def test_efforts_are_not_checked_without_masses_efforts_or_torques() -> None:
    def why(**given: Any) -> object:
        row = rows(entities(), **given)["effort", "arm"]
        assert not row["checked"]
        return row["why"]

    assert why(layout=replace(LAYOUT, has_inertias=False)) == "no masses in the robot's description"
    assert why(effort=0.0) == "no efforts in the recording"
    assert why(effort=float("nan")) == "no efforts in the recording"
    assert why(torque=False) == "the efforts are no torques"
    limits = replace(LAYOUT, effort=(None,) * 4)
    assert why(layout=limits) == "no joint has an effort limit"


def test_joints_without_a_limit_are_named() -> None:
    some = replace(LAYOUT, effort=(10.0, None, 10.0, 10.0))
    effort = rows(entities(), layout=some)["effort", "arm"]
    assert effort["checked"]
    assert effort["why"] == "no efforts or no effort limits: elbow"


def test_joints_that_are_not_recorded_are_named() -> None:
    some = replace(LAYOUT, driven=(True, True, False, False))
    found = rows(entities(), layout=some)
    assert found["motion", "arm"]["why"] == "not recorded: left, right"
    grip = found["grip", "clamp"]
    assert (grip["checked"], grip["why"]) == (False, "the fingers' positions are not recorded")


def test_a_hand_that_no_model_watches() -> None:
    grip = rows(entities(), attributes=(("box", POSE),))["grip", "clamp"]
    assert (grip["checked"], grip["why"]) == (False, "no model watches the grip")


def test_fingers_that_closed_on_something_else_hold_what_is_not_known() -> None:
    closed = Event(
        CLOSED_ON_SOMETHING,
        1_500_000_000,
        arguments={"hand": "clamp", "closing": 0.6, "gap": 0.034},
    )
    grip = rows(entities(), closed)["grip", "clamp"]
    assert not grip["checked"]
    assert "at 1.50 s the fingers stopped 3.4 cm apart" in grip["why"]
    turning = rows(entities(), closed, layout=replace(LAYOUT, slides=(False,) * 4))["grip", "clamp"]
    assert "at 60% of their travel" in turning["why"]
    opened = Event(LET_GO_OF_SOMETHING, 2_000_000_000, arguments={"hand": "clamp"})
    assert rows(entities(), closed, opened)["grip", "clamp"]["checked"]


def test_what_a_hand_takes_that_cannot_be_seen_may_drop_unseen() -> None:
    found = rows(entities(fingers=()))
    grip, drop = found["grip", "clamp"], found["drop", "box"]
    assert (grip["checked"], grip["why"]) == (False, "the fingers have no collision shapes")
    assert (found["support", "box"]["checked"], found["support", "box"]["why"]) == (True, "")
    assert not drop["checked"]
    assert drop["why"] == f"what clamp takes is not seen: {grip['why']}"


def test_nothing_is_checked_of_joints_that_fall_silent() -> None:
    silent = Finding("gap", 1 * SECOND, 3 * SECOND, {"joints": ["shoulder", "elbow"]})
    pause = Finding("gap", 1 * SECOND, round(1.5 * SECOND), {"joints": ["left", "right"]})
    layout = replace(LAYOUT, findings=(silent, pause))
    watched, scene = coverage(entities(), layout=layout)
    said = []
    for step in range(4):
        for event in watched.watch(View(step * SECOND, scene, layout, report(step))):
            if step and event.arguments["subject"] != "box":
                row = event.arguments
                said.append((step, row["claim"], row["subject"], row["checked"]))
    claims = ("motion", "touch", "effort")
    assert said == [
        (step, claim, "arm", checked)
        for step, checked in ((1, False), (3, True))
        for claim in claims
    ]
    rows_ = [
        event.arguments
        for event in Coverage(layout, scene, Torques()).watch(
            View(2 * SECOND, scene, layout, report(2))
        )
        if event.arguments["claim"] == "touch"
    ]
    assert rows_[0]["why"] == "nothing is recorded from 1.00 s to 3.00 s of shoulder, elbow"


def test_an_object_without_shapes() -> None:
    parts = [e for e in entities() if e.name != "box"]
    drop = rows([*parts, Entity("box", EntityKind.OBJECT)])["drop", "box"]
    assert (drop["checked"], drop["why"]) == (False, "no collision shapes")


def test_each_thing_is_said_once() -> None:
    watched, scene = coverage(entities())
    counts = [
        len(watched.watch(View(n * 1_000_000_000, scene, LAYOUT, report(n)))) for n in range(5)
    ]
    assert counts[0] == 8
    assert counts[1:] == [0] * 4
