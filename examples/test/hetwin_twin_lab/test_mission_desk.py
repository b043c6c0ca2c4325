"""Missions that come on a topic are given one by one, and their results go back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.ros_domains import new_domain
from support.scene_of import scene_of

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_twin_lab.mission_desk import MISSION, REPORT, SERVICE, MissionDesk
from hetwin_twin_lab.topic_pair import TopicPair

PERIOD_NS = 50_000_000


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[MissionDesk]:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(new_domain()))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    made = MissionDesk()
    defaults = {r.name: r.default for r in made.requests() if not r.required}
    made.contribute({**defaults, "most": 1}, 0)
    yield made
    made.stop()


def until(what: Callable[[], list[Any]]) -> list[Any]:
    """Ask again until there is something, at most for 30 s."""
    end = time.monotonic() + 30.0
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def step(desk: MissionDesk, *events: Event) -> list[Event]:
    return desk.step(Tick(1, PERIOD_NS, scene_of([], {}), events)).events


def test_missions_are_given_one_by_one_and_reported(desk: MissionDesk) -> None:
    person = TopicPair("", "person", MISSION, REPORT)
    try:
        assert until(lambda: [1] if person.has_subscriber else [])
        first, second = ({"id": i, "mission": 3, "target": i} for i in (1, 2))
        person.send(first)
        (begun,) = until(lambda: step(desk))
        assert (begun.name, begun.arguments) == ("mission", first)
        person.send({"id": 7, "mission": "sweep"})
        (bad,) = until(lambda: step(desk))
        assert bad.name == "not_understood"
        person.send(second)
        person.send({"id": 3, "mission": 1})
        (full,) = until(lambda: step(desk))
        assert full.arguments == {"remark": "1 missions wait already"}
        report = Event("report", 0, source="execution", arguments={"result": 1})
        reported, begun = step(desk, report)
        assert reported.arguments == {**first, "result": "done", "doubts": 0}
        assert begun.arguments == second
        assert until(person.take_received) == [{**first, "result": "done", "doubts": 0}]
    finally:
        person.close()


def test_missions_come_as_events_and_by_a_service_that_says_why_not(desk: MissionDesk) -> None:
    from hetwin.msg import Event as EventMessage
    from hetwin.srv import NotifyEvent

    pressed = Event("give_mission", 0, source="by hand", arguments={"mission": 2, "target": 1})
    (begun,) = step(desk, pressed)
    assert begun.arguments == {"id": 1, "mission": 2, "target": 1}
    person = TopicPair("", "person", MISSION, REPORT)
    try:
        client = person.node.create_client(NotifyEvent, SERVICE)
        assert client.wait_for_service(30.0)
        said = []
        for arguments in (
            '{"mission": 1}',
            '{"mission": 1}',
            '{"mission": 1.5}',
            "[]",
            '{"x": NaN}',
        ):
            request = NotifyEvent.Request(event=EventMessage(name="mission", arguments=arguments))
            response = client.call(request, 30.0)
            said.append((response.accepted, response.reason))
        assert said[:2] == [(True, ""), (False, "1 missions wait already")]
        assert [accepted for accepted, _ in said] == [True, False, False, False, False]
        assert "expected whole numbers" in said[2][1]
        assert "expected a JSON object" in said[3][1]
        assert "expected finite numbers" in said[4][1]
        report = Event("report", 0, source="execution", arguments={"result": 1, "doubts": 2})
        assert until(lambda: [1] if person.has_subscriber else [])
        _, begun = step(desk, report)
        assert begun.arguments == {"id": 2, "mission": 1, "target": 0}
        (reported,) = until(person.take_received)
        assert reported == {"id": 1, "mission": 2, "target": 1, "result": "done", "doubts": 2}
    finally:
        person.close()
