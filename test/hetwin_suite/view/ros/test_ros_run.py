"""A run over ROS 2, looked at and taken in hand from another process."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.ros_domains import new_domain
from support.ros_runs import IN_PROCESS, finish, running, toy
from support.waiting import wait_until
from support.watcher import LATCHED, watching

from hetwin.msg import Registry, RunStatus
from hetwin.srv import StopSimulation
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Layout, layout_to_json
from hetwin_core.ensemble.topics import REGISTRY, STATUS
from hetwin_suite.view.live.feed import Happening, HappeningKind, LiveState, Phase
from hetwin_suite.view.live.hands import Control, HandOver, Pause, Raise, Resume, SetPace, Step
from hetwin_suite.view.ros.run import NO_CONDUCTOR, RosRun


@pytest.fixture
def domain(monkeypatch: pytest.MonkeyPatch) -> int:
    """A domain of its own, which nodes of this process are in."""
    domain = new_domain()
    monkeypatch.setenv("ROS_DOMAIN_ID", str(domain))
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    return domain


def done(run: RosRun, deed: Control) -> str | None:
    """Do something to a run; returns why it was refused."""
    answered, replies = threading.Event(), list[str | None]()

    def reply(refusal: str | None) -> None:
        replies.append(refusal)
        answered.set()

    run.do(deed, reply)
    wait_until(answered.is_set, f"a reply to {deed}")
    return replies[0]


def newest(run: RosRun, fits: Callable[[LiveState], bool], what: str) -> LiveState:
    """Wait for a state that fits."""
    found: list[LiveState] = []

    def look() -> bool:
        now = run.now()
        if now is not None and fits(now):
            found.append(now)
        return bool(found)

    wait_until(look, what)
    return found[0]


def at_rest(run: RosRun) -> LiveState:
    """The state of a paused run, which is published ten times a second: the same for a while."""
    while True:
        before, _ = run.now(), time.sleep(0.5)
        now = run.now()
        if before is not None and now is not None and before.time_ns == now.time_ns:
            return now


def test_it_is_seen_paused_stepped_handed_over_and_heard_to_end(
    tmp_path: Path, domain: int
) -> None:
    run = RosRun()
    assert done(run, Pause()) == NO_CONDUCTOR
    run.listen()
    try:
        assert done(run, Pause()) == NO_CONDUCTOR
        with running(
            toy(tmp_path, until=600.0, pace=0.001), tmp_path / "run", *IN_PROCESS, domain=domain
        ) as (
            process,
            _,
        ):
            newest(run, lambda now: now.time_ns > 10**9, "the state at 1 s")
            begun = run.begun
            assert begun is not None
            assert (begun.name, begun.not_held) == ("toy", "")
            assert begun.able["pose"] == ("physics", "grasp")
            assert done(run, Pause()) is None
            newest(run, lambda now: now.phase is Phase.PAUSED, "the pause")
            paused = at_rest(run)
            assert paused.factor is None
            assert done(run, Step(40)) is None
            until = paused.time_ns + 100_000_000
            newest(run, lambda now: now.time_ns >= until, "the steps")
            assert at_rest(run).time_ns == until
            assert done(run, HandOver("ball", "pose", "grasp")) is None
            assert "already" in (done(run, HandOver("ball", "pose", "grasp")) or "")
            slot = begun.layout.slot_id("ball", "pose")
            newest(run, lambda now: begun.models[now.owners[slot]].name == "grasp", "the owner")
            assert done(run, Raise("called", {"floor": 2})) is None
            assert done(run, SetPace(1.0)) is None
            assert done(run, Resume()) is None
            newest(run, lambda now: (now.pace, now.phase) == (1.0, Phase.RUNNING), "the pace")

            def by_hand_rows() -> list[Happening]:
                return [h for h in run.happened(0)[1] if h.more.get("cause") == "by hand"]

            wait_until(by_hand_rows, "the handover")
            (called,) = [h.said for h in run.happened(0)[1] if h.name == "called"]
            assert isinstance(called, Event)
            assert (called.source, called.arguments) == ("by hand", {"floor": 2})
            assert called.time_ns >= until
            (by_hand,) = by_hand_rows()
            assert (by_hand.kind, by_hand.entity) == (HappeningKind.HANDOVER, "ball")
            with watching(domain, process) as watcher:
                stop = StopSimulation.Request()
                assert watcher.call(StopSimulation, "/hetwin/stop_simulation", stop).accepted
            wait_until(lambda: run.over is not None, "the end")
            assert run.over is not None
            assert run.over.ended == "stopped" or "gone" in run.over.text
            assert done(run, Pause()) == "the run is over"
            assert finish(process).code == 0
    finally:
        run.close()


def test_the_twin_of_a_live_robot_is_not_held_and_a_conductor_that_is_gone_is_missed(
    domain: int,
) -> None:
    layout = json.dumps(layout_to_json(Layout.build([], [])))
    run = RosRun()
    run.listen()
    try:
        with watching(domain) as conductor:
            topic = conductor.node.create_publisher(Registry, REGISTRY.name, LATCHED)
            lag = conductor.node.create_publisher(RunStatus, STATUS.name, LATCHED)
            topic.publish(Registry(scenario="lab", layout=layout, source="live:left", able="{}"))
            lag.publish(RunStatus(phase="running", lag=0.04))
            wait_until(lambda: run.begun is not None, "the registry")
            assert run.begun is not None
            assert "the robot does not wait" in run.begun.not_held
            assert run.over is None
        wait_until(lambda: run.over is not None, "that it is gone")
        assert run.over is not None
        assert run.over.text == "the conductor's node is gone"
    finally:
        run.close()
