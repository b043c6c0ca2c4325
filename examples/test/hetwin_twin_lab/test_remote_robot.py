"""A robot on ROS 2 beside its twin: commands reach it as text, and its answers come back as events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from support.ros_domains import new_domain
from support.scene_of import scene_of

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_twin_lab.remote_robot import RemoteRobot
from hetwin_twin_lab.topic_pair import as_text, from_text

PERIOD_NS = 50_000_000


@pytest.fixture(autouse=True)
def own_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(new_domain()))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def model(wait: float) -> RemoteRobot:
    made = RemoteRobot()
    defaults = {r.name: r.default for r in made.requests() if not r.required}
    made.contribute({**defaults, "wait": wait, "namespace": "lab7"}, 0)
    return made


@pytest.fixture
def twin() -> Iterator[RemoteRobot]:
    made = model(30.0)
    yield made
    made.stop()


def until(what: Callable[[], list[Event]]) -> list[Event]:
    """Ask again until there is something, at most for 30 s."""
    end = time.monotonic() + 30.0
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def test_a_command_goes_out_and_an_answer_comes_back(twin: RemoteRobot) -> None:
    from hetwin_twin_lab.event_names import COMMAND, REPLY
    from hetwin_twin_lab.topic_pair import TopicPair

    robot = TopicPair("lab7", "some_robot", REPLY, COMMAND)
    try:
        twin.start(scene_of([], {}))
        said = {"id": 1, "operation": 1, "rotation": 0.5, "displacement": 1.0}
        command = Event("command", 0, source="link", arguments=said)
        other = Event("command", 0, source="execution", arguments=said)
        assert twin.step(Tick(1, PERIOD_NS, scene_of([], {}), (command, other))).events == []
        heard = until(lambda: [Event("command", 0, arguments=a) for a in robot.take_received()])
        assert [event.arguments for event in heard] == [said]
        while not robot.has_subscriber:
            time.sleep(0.01)
        robot.send({"id": 1, "code": 1, "x": 2.5})
        tick = Tick(2, PERIOD_NS, scene_of([], {}))
        (answer,) = until(lambda: twin.step(tick).events)
        assert (answer.name, answer.arguments) == ("reply", {"id": 1, "code": 1, "x": 2.5})
    finally:
        robot.close()


def test_a_robot_that_is_not_there_is_named() -> None:
    alone = model(0.1)
    try:
        with pytest.raises(BadInput, match="no robot has subscribed to /lab7/lab/command"):
            alone.start(scene_of([], {}))
    finally:
        alone.stop()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"id": "1"}', '{"id": 1, "x": NaN}', "1 0 0"])
def test_other_text_is_no_message(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|Expecting|Extra"):
        from_text(text)


def test_what_is_written_is_read() -> None:
    said = {"id": 3, "code": 1, "x": 0.1}
    assert from_text(as_text(said)) == said
