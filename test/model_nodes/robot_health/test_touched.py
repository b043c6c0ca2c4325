"""Events about what links touch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.robot_views import PERIOD_NS, layout, scene, touch, view
from support.scene_of import near_row
from support.watched_toy import LAYOUT

from hetwin_core.ensemble.conductor.reporting.concerns import is_concern
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import AttributeSpec
from hetwin_core.ensemble.scene.watch import Finding, WatchLayout
from model_nodes.robot_health.settings import Settings
from model_nodes.robot_health.touched import LinkPairs, LinkTouches, TouchReports
from model_nodes.robot_health.view import View

S = 1e-9 * PERIOD_NS


def touched(robot: WatchLayout = LAYOUT, **given: Any) -> TouchReports:
    """The observer of an arm whose forearm holds a gripper."""
    settings = Settings.read(given)
    links = LinkTouches(settings.link_touches, LinkPairs(settings, layout()), robot, layout())
    return TouchReports(links, layout())


def follow(part: TouchReports, *views: View) -> list[Event]:
    return [event for one in views for event in part.watch(one)]


def test_a_touch_between_two_reports_begins_and_ends() -> None:
    rows = [touch("base", "box", 3, 4, 0.001, 12.0), touch("base", "table", 4, 4)]
    began, *_ = follow(touched(), view(5, touches=rows[:1]))
    assert (began.name, began.time_ns) == ("touched", 3 * PERIOD_NS)
    assert began.arguments == {"link": "base", "object": "box", "depth": 0.001, "force": 12.0}
    part = touched()
    deeper = view(6, touches=[touch("base", "box", 5, 6, 0.002, np.nan)])
    *_, ended = follow(part, view(5, touches=rows[:1]), deeper, *map(view, range(7, 14)))
    assert (ended.name, ended.time_ns) == ("touch_ended", 6 * PERIOD_NS)
    assert ended.arguments == {
        "link": "base",
        "object": "box",
        "depth": 0.002,
        "force": None,
        "from": pytest.approx(3 * S),
        "to": pytest.approx(6 * S),
    }
    assert part.open == {}
    assert not is_concern(replace(ended, source="robot_health"))


def test_what_is_interrupted_for_a_tenth_of_a_second_is_one_touch() -> None:
    first, second = touch("base", "box", 1, 1), touch("base", "box", 6, 6)
    later = touch("base", "box", 12, 12)
    events = follow(
        touched(),
        view(1, touches=[first]),
        view(6, touches=[second]),
        view(12, touches=[later]),
    )
    times = [(event.name, event.time_ns // PERIOD_NS) for event in events]
    assert times == [("touched", 1), ("touch_ended", 6), ("touched", 12)]


def test_the_links_of_a_hand_say_so() -> None:
    (event,) = follow(touched(), view(1, touches=[touch("forearm", "box", 1, 1)]))
    assert event.arguments["hand"] == "gripper"


def test_what_a_hand_holds_it_touches_all_the_time() -> None:
    held = {"box": "gripper"}
    part = touched()
    (began,) = follow(part, view(1, touches=[touch("forearm", "box", 1, 1)]))
    assert began.name == "touched"
    assert follow(part, *(view(step, held=held) for step in range(2, 40))) == []
    (ended,) = follow(part, *map(view, range(40, 60)))
    assert ended.arguments["to"] == pytest.approx(39 * S)


def lowered(time_ns: int, level: float) -> Snapshot:
    """The scene with the base 1 mm inside the box, whose fidelity is this."""
    made = scene(time_ns, ("box", AttributeSpec("fidelity", 1)))
    made.values[made.layout.range_of("box", "fidelity")] = level
    return replace(
        made, tables=proximity_tables(near_row(made, "box", "base", -0.001).reshape(1, -1))
    )


@pytest.mark.parametrize(("level", "begins"), [(0.0, 1), (1.0, 1), (2.0, 0)])
def test_what_does_not_collide_is_touched_where_it_is_inside(level: float, begins: int) -> None:
    scene_ = lowered(PERIOD_NS, level)
    settings = Settings.read({})
    pairs = LinkPairs(settings, scene_.layout)
    links = LinkTouches(settings.link_touches, pairs, LAYOUT, scene_.layout)
    events = TouchReports(links, scene_.layout).watch(replace(view(1), snapshot=scene_))
    assert len(events) == begins


def test_known_pairs_and_what_starts_inside_do_not_touch() -> None:
    known = {"known_touches": [{"link": "base", "partner": "box"}]}
    assert follow(touched(**known), view(1, touches=[touch("base", "box", 1, 1)])) == []
    inside = Finding("starts_inside", 0, 0, {"link": "forearm", "partner": "table", "depth": 0.03})
    part = touched(replace(LAYOUT, findings=(inside,)))
    assert follow(part, view(1, touches=[touch("forearm", "table", 1, 1, 0.031)])) == []
    (event,) = follow(part, view(2, touches=[touch("forearm", "table", 2, 2, 0.05)]))
    assert event.arguments["object"] == "table"


def test_a_base_that_never_moves_touches_nothing_that_stands() -> None:
    assert follow(touched(), view(1, touches=[touch("base", "floor", 1, 1, 0.01)])) == []


def test_without_a_report_nothing_ends() -> None:
    part = touched()
    follow(part, view(1, touches=[touch("base", "box", 1, 1)]))
    assert follow(part, *(replace(view(step), watch=None) for step in range(2, 40))) == []
