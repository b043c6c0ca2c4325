"""Objects that a link touches which belongs to no hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.object_stories import Moment, moving, still, tell

from hetwin_core.ensemble.events import Event

WHEN, UNTIL = 1.0, 1.2


def struck(depth: float, way: float = 0.0, **more: bool) -> Callable[[float], Moment]:
    """A thing that a link touches for 0.2 s, so deep, and moves evenly meanwhile."""

    def story(time: float) -> Moment:
        share = min(max(time - WHEN, 0.0) / (UNTIL - WHEN), 1.0)
        place, touches = (way * share, 0.0, 0.3), WHEN < time <= UNTIL
        speed = (way / (UNTIL - WHEN), 0.0, 0.0)
        thing = moving(place, speed) if touches and way else still(place)
        near = ("table", "link") if more.get("near") else ("table",)
        acting, held = more.get("acting", False), more.get("held", False)
        moment = Moment(
            thing, near=near, touched=depth if touches else None, acting=acting, held=held
        )
        return replace(moment, driven=more.get("driven", False))

    return story


def told(story: Callable[[float], Moment], *, hand: bool = False) -> list[Event]:
    return [event for event in tell(story, 2.0, hand=hand) if event.name == "link_touches"]


def test_what_is_two_millimetres_deep_is_a_concern_with_its_place() -> None:
    began, *_, ended = told(struck(0.0025))
    assert began.arguments["severity"] == "warning"
    assert began.arguments["link"] == "link"
    assert began.arguments["partner"] == "thing"
    assert ended.arguments["depth"] == 0.0025
    assert [ended.arguments[axis] for axis in "xyz"] == [0.0, 0.0, 0.3]
    assert ended.arguments["from"] == pytest.approx(WHEN, abs=0.05)


def test_what_is_moved_five_millimetres_is_one_with_how_far() -> None:
    *_, ended = told(struck(0.0001, 0.03))
    assert ended.arguments["moved"] == pytest.approx(0.03)


@pytest.mark.parametrize(("depth", "way"), [(0.0019, 0.0), (0.0001, 0.0045)])
def test_less_is_none(depth: float, way: float) -> None:
    assert told(struck(depth, way)) == []


@pytest.mark.parametrize(
    ("more", "hand"),
    [({"acting": True, "near": True}, False), ({"held": True}, False), ({}, True)],
    ids=["during an action", "held", "by a hand"],
)
def test_what_the_program_means_is_none(more: dict[str, bool], hand: bool) -> None:
    assert told(struck(0.01, 0.1, **more), hand=hand) == []


def test_goals_of_controllers_and_nodes_of_trees_mean_nothing() -> None:
    assert told(struck(0.01, 0.1, driven=True, near=True))


def test_what_stands_on_a_link_from_the_start_is_none() -> None:
    def story(time: float) -> Moment:
        return Moment(moving((0.2 * time, 0.0, 0.3), (0.2, 0.0, 0.0)), touched=0.0001)

    assert told(story) == []


def test_an_action_of_long_ago_explains_nothing() -> None:
    def story(time: float) -> Moment:
        before = time < 0.2
        moment = struck(0.0025)(time - 3.0)
        return Moment(moment.object, near=("table",), touched=moment.touched, acting=before)

    events = [event for event in tell(story, 5.0) if event.name == "link_touches"]
    assert events
