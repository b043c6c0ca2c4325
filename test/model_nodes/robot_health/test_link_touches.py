"""Links that touch static bodies or other links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.robot_views import clearance, layout, touch, view
from support.watched_toy import LAYOUT

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import ODOMETRY, POSE
from hetwin_core.ensemble.scene.watch import Finding, WatchLayout
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.touched import LinkPairs, LinkTouches


def touches(robot: WatchLayout = LAYOUT, **given: Any) -> LinkTouches:
    settings = Settings.read(given)
    scene = layout()
    return LinkTouches(settings.link_touches, LinkPairs(settings, scene), robot, scene)


def seen(part: LinkTouches, *rows: list[float]) -> list[Event]:
    return part.watch(view(1, clearances=rows))


@pytest.mark.parametrize(
    ("depth", "severity"),
    [(0.0005, "note"), (0.0019, "note"), (0.002, "warning"), (0.0199, "warning"), (0.02, "absurd")],
)
def test_the_depth_makes_the_severity(depth: float, severity: str) -> None:
    (event,) = seen(touches(), clearance("forearm", "table", -depth))
    assert event.name == "link_touches"
    assert event.arguments == {
        "severity": severity,
        "link": "forearm",
        "partner": "table",
        "depth": depth,
        "x": 0.1,
        "y": 0.2,
        "z": 0.3,
    }


def test_what_is_near_does_not_touch() -> None:
    assert seen(touches(), clearance("forearm", "table", 0.0001)) == []


def test_of_several_geometries_the_deepest_counts() -> None:
    rows = [clearance("forearm", "table", -d) for d in (0.001, 0.03, 0.01)]
    (event,) = seen(touches(), *rows)
    assert event.arguments["depth"] == 0.03


def test_what_was_deeper_between_two_reports_counts() -> None:
    rows = [clearance("forearm", "table", -0.001)]
    (event,) = touches().watch(
        view(2, clearances=rows, touches=[touch("forearm", "table", 1, 2, 0.03)])
    )
    assert event.arguments["depth"] == 0.03
    assert event.arguments["severity"] == "absurd"
    (passed,) = touches().watch(view(2, touches=[touch("forearm", "table", 1, 1, 0.005)]))
    assert passed.arguments["depth"] == 0.005


def test_an_object_is_not_for_them() -> None:
    assert touches().watch(view(2, touches=[touch("forearm", "box", 1, 2, 0.03)])) == []


def test_a_touch_ends() -> None:
    part = touches()
    for step in range(1, 4):
        part.watch(view(step, clearances=[clearance("forearm", "table", -0.01)]))
    events = [event for step in range(4, 12) for event in part.watch(view(step))]
    (event,) = events
    assert (event.arguments["from"], event.arguments["to"]) == (0.02, 0.06)


def test_without_a_report_nothing_begins_or_ends() -> None:
    part = touches()
    seen(part, clearance("forearm", "table", -0.01))
    later = [replace(view(step), watch=None) for step in range(2, 20)]
    assert [event for one in later for event in part.watch(one)] == []


def test_the_base_may_stand_in_the_floor_but_not_in_the_table() -> None:
    (floor,) = seen(touches(), clearance("base", "floor", -0.04))
    (table,) = seen(touches(), clearance("base", "table", -0.04))
    (forearm,) = seen(touches(), clearance("forearm", "floor", -0.04))
    severities = [event.arguments["severity"] for event in (floor, table, forearm)]
    assert severities == ["note", "absurd", "absurd"]


@pytest.mark.parametrize(
    "known",
    [
        {"link": "forearm", "partner": "table"},
        {"link": "fore*", "partner": "*"},
        {"link": "table", "partner": "f*"},
    ],
)
def test_known_pairs_are_not_reported(known: dict[str, str]) -> None:
    part = touches(known_touches=[known])
    events = seen(part, clearance("forearm", "table", -0.04), clearance("base", "table", -0.04))
    assert [event.arguments["link"] for event in events] == ["base"]


def test_what_started_inside_is_reported_only_when_it_is_deeper() -> None:
    inside = Finding("starts_inside", 0, 0, {"link": "forearm", "partner": "table", "depth": 0.03})
    part = touches(replace(LAYOUT, findings=(inside,)))
    assert seen(part, clearance("forearm", "table", -0.031)) == []
    (event,) = seen(part, clearance("forearm", "table", -0.05))
    assert event.arguments["severity"] == "absurd"


@pytest.mark.parametrize(
    ("link", "partner", "scale"),
    [
        ("wheel", "floor", "wheel_in_floor"),
        ("trunk", "floor", "wheel_in_floor"),
        ("trunk", "wall", "link_touches"),
        ("foot", "floor", "base_in_floor"),
        ("arm", "floor", "link_touches"),
    ],
)
def test_a_robot_whose_base_moves_rolls_on_its_floor(link: str, partner: str, scale: str) -> None:
    """The rover has odometry, the arm beside it has none."""
    plane, box = Shape(ShapeKind.PLANE, (9.0, 9.0)), Shape(ShapeKind.BOX, (1.0, 1.0, 1.0))
    scene = Layout.build(
        [
            Entity("floor", EntityKind.STATIC, shapes=(plane,)),
            Entity("wall", EntityKind.STATIC, shapes=(box,)),
            Entity("rover", EntityKind.ROBOT),
            Entity("trunk", EntityKind.LINK, owner="rover"),
            Entity("wheel", EntityKind.LINK, owner="rover", parent="trunk", joint="turn"),
            Entity("crane", EntityKind.ROBOT),
            Entity("foot", EntityKind.LINK, owner="crane"),
            Entity("arm", EntityKind.LINK, owner="crane", parent="foot", joint="lift"),
        ],
        [*((name, POSE) for name in ("trunk", "wheel", "foot", "arm")), ("rover", ODOMETRY)],
    )
    settings = Settings.read({})
    found = LinkPairs(settings, scene).scale(link, partner, settings.link_touches)
    assert found == getattr(settings, scale)
