"""The live source hears real ROS 2 topics; what it does when the robot is silent or the twin is late."""

from __future__ import annotations

import itertools
import resource
from collections.abc import Iterator

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from std_msgs.msg import Float64MultiArray, Int32
from support.live_robot import PERIOD, SECOND, TEN_MS, Robot, followed
from support.ros_domains import new_domain
from support.waiting import wait_until

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import Event
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.live.part import MAX_QUIET_NS, LivePart


@pytest.fixture(scope="module")
def ros() -> Iterator[None]:
    rclpy.init(args=[], domain_id=new_domain())
    try:
        yield
    finally:
        rclpy.try_shutdown()


@pytest.fixture
def robot(ros: None) -> Iterator[Robot]:
    robot = Robot()
    yield robot
    robot.node.destroy_node()


def play(
    source: LivePart, until_s: float | None = None, begin_s: float = 0.0
) -> tuple[list[float], list[Event]]:
    """Positions and events of all steps in a time; by default of all that the source knows."""
    positions, events = [], []
    time_ns = round(begin_s * SECOND)

    def end_ns() -> int:
        known = source._streams.certain_until_ns - source._epoch_ns
        return known if until_s is None else round(until_s * SECOND)

    while time_ns + PERIOD <= end_ns():
        time_ns += PERIOD
        positions.append(float(source.motion(time_ns).positions[0]))
        events += source.events(time_ns)
    return positions, events


def heard(source: LivePart, robot: Robot) -> None:
    """Wait until the source has received what the robot has published; the last message may be lost."""

    def newest() -> int:
        return int(source._streams.newest_ns + source._skipped_ns)

    wait_until(
        lambda: newest() >= robot.time_ns - 5 * TEN_MS,
        lambda: f"joint states of {robot.time_ns} ns; the newest are of {newest()} ns",
    )


def waiting(source: LivePart, name: str) -> None:
    """Wait until an event has arrived that is not due yet."""
    wait_until(lambda: name in {event.name for event in source._waiting}, f"event {name}")


def test_messages_of_topics_become_events_with_all_their_fields(robot: Robot) -> None:
    with followed(robot, topics=("levels", "numbers")) as source:
        robot.tell(0.1)
        levels = robot.node.create_publisher(DiagnosticArray, "levels", 10)
        numbers = robot.node.create_publisher(Float64MultiArray, "numbers", 10)
        robot.listeners("levels"), robot.listeners("numbers")
        value = KeyValue(key="age", value="3")
        status = DiagnosticStatus(level=DiagnosticStatus.ERROR, name="arm", values=[value])
        levels.publish(DiagnosticArray(status=[status]))
        numbers.publish(Float64MultiArray(data=[0.5, float("nan")]))
        waiting(source, "levels")
        waiting(source, "numbers")
        said = {event.name: event.arguments for event in source._waiting}
    (found,) = said["levels"]["status"]  # type: ignore[misc]
    assert (found["level"], found["name"]) == (2, "arm")  # type: ignore[index]
    assert found["values"] == [{"key": "age", "value": "3"}]  # type: ignore[index]
    assert said["numbers"]["data"] == [0.5, None]


def test_joints_and_annotations_arrive_in_run_time(robot: Robot) -> None:
    with followed(robot) as source:
        epoch = -(-robot.time_ns // SECOND) * SECOND
        robot.tell((epoch - robot.time_ns) / SECOND + 0.3)
        at = robot.time_ns
        robot.say("wave")
        robot.say("nod", phase="")  # the same as instant
        robot.tell(0.2)
        waiting(source, "nod")
        heard(source, robot)
        positions, events = play(source, 0.4)
    assert all(
        b - a == pytest.approx(PERIOD / 1e9, rel=1e-3) for a, b in itertools.pairwise(positions)
    )
    (wave,) = [event for event in events if event.name == "wave"]
    assert wave.time_ns == at - source._epoch_ns
    (nod,) = [event for event in events if event.name == "nod"]
    assert wave.arguments == nod.arguments == {"hand": "right", "phase": "instant"}
    # The last sample that the twin moves towards, in this machine's time.
    assert source.input_ns is not None
    sampled_ns = source.input_ns - source._clocks.offset_ns
    assert source._epoch_ns + 390_000_000 <= sampled_ns <= robot.time_ns


def test_what_arrives_later_counts_from_where_the_motion_was_known(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        heard(source, robot)
        positions, _ = play(source)
        turned_ns, played_ns = robot.time_ns, len(positions) * PERIOD
        robot.tell(0.3, speed=0.9)
        heard(source, robot)
        more, _ = play(source, begin_s=played_ns / SECOND)
        stamps = [source._epoch_ns + played_ns + i * PERIOD for i in range(1, len(more) + 1)]
    found = {
        at: where for at, where in zip(stamps, more, strict=True) if at > turned_ns + 3 * TEN_MS
    }
    assert len(found) > 50
    assert found == pytest.approx(
        {at: 0.9 * (at - robot.start_ns) / SECOND for at in found}, abs=1e-6
    )


def test_motion_that_is_not_known_yet_is_not_guessed(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        heard(source, robot)
        last = (source._streams.certain_until_ns - source._epoch_ns) // PERIOD * PERIOD
        source.motion(last)
        turned_ns = robot.time_ns - source._epoch_ns
        robot.tell(0.3, speed=0.9)
        heard(source, robot)
        times = range(last + PERIOD, last + 40 * PERIOD, PERIOD)
        found = {at: float(source.motion(at).positions[0]) for at in times}
        began_ns = source._epoch_ns - robot.start_ns
    after = {at: where for at, where in found.items() if at > turned_ns + 3 * TEN_MS}
    assert after
    assert after == pytest.approx({at: 0.9 * (at + began_ns) / SECOND for at in after}, abs=1e-6)


def test_steps_are_quiet_as_far_as_the_motion_is_known(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        heard(source, robot)
        source.motion(PERIOD)
        with source._updated:  # the last samples may still be on their way
            known = source._streams.certain_until_ns - source._epoch_ns
            source.events(known)  # of pauses, while the source began
            quiet_ns = source.quiet_ns
        assert known - PERIOD < quiet_ns <= known


def test_a_twin_that_lags_steps_in_stretches_up_to_the_next_event(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        robot.say("wave")
        wave_ns = robot.time_ns - source._epoch_ns
        robot.tell(0.5)
        heard(source, robot)
        waiting(source, "wave")
        source.events(PERIOD)
        assert PERIOD < source.quiet_ns == PERIOD + MAX_QUIET_NS, "for messages that come late"
        source.events(wave_ns - 4 * TEN_MS)
        assert source.quiet_ns == wave_ns
        assert [event.name for event in source.events(wave_ns)] == ["wave"]
        assert source.quiet_ns > wave_ns + TEN_MS
        now_ns = wave_ns + 40 * TEN_MS
        source.events(now_ns)
        assert source.quiet_ns > now_ns
        robot.time_ns -= 20 * TEN_MS
        robot.say("nod")  # is late
        waiting(source, "nod")
        assert source.quiet_ns < now_ns
        assert [event.name for event in source.events(now_ns + PERIOD)] == ["nod"]


def test_a_topic_of_any_type_becomes_operations(robot: Robot) -> None:
    annotations = [{"topic": "mode", "map": {1: "reach"}}]
    with followed(robot, annotations=annotations) as source:

        def mode_is_heard() -> bool:
            robot.mode.publish(Int32(data=0))  # its type is known once it is published
            return bool(robot.mode.get_subscription_count())

        wait_until(mode_is_heard, "a subscription of mode")
        robot.tell(1.5)
        robot.mode.publish(Int32(data=1))
        events: list[Event] = []

        def has_events() -> bool:
            events.extend(source.events(1 << 62))
            return bool(events)

        wait_until(has_events, "an event of mode")
    assert (events[0].name, events[0].arguments["phase"]) == ("reach", "begin")


def test_a_gap_is_bridged_and_reported(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        robot.time_ns += 2 * SECOND
        robot.tell(0.5)
        heard(source, robot)
        positions, events = play(source)
    (gap,) = [event for event in events if event.name == "robot_gap"]
    assert gap.arguments["seconds"] == pytest.approx(2.01)
    steps = [b - a for a, b in itertools.pairwise(positions)]
    assert max(steps) < 2 * PERIOD / 1e9  # it moved on through the gap


def test_a_twin_is_not_late_for_the_time_in_which_the_robot_was_silent(robot: Robot) -> None:
    with followed(robot, max_lag=1.5, when_late="stop") as source:
        robot.tell(1.3)
        heard(source, robot)
        positions, events = play(source)
        robot.time_ns += 10 * SECOND
        robot.tell(0.3)
        heard(source, robot)
        more, later = play(source, begin_s=len(positions) * PERIOD / 1e9)
    assert len(more) > 10 / (PERIOD / 1e9)
    assert [event.name for event in events + later] == ["robot_gap"]


def test_a_late_twin_says_so_and_lets_others_step_less_often(robot: Robot) -> None:
    with followed(robot, max_lag=0.5) as source:
        robot.tell(3.0)
        heard(source, robot)
        _, events = play(source, 0.1)
        assert source.late
        _, more = play(source, begin_s=0.1)
        assert not source.late
    assert [event.name for event in events + more] == ["late", "caught_up"]


def test_skipping_keeps_annotations_and_goes_on_near_the_newest(robot: Robot) -> None:
    with followed(robot, max_lag=0.5, when_late="skip") as source:
        robot.tell(1.5)
        robot.say("wave")
        heard(source, robot)
        waiting(source, "wave")  # another topic: it may arrive before what was published earlier
        robot.tell(2.5)
        heard(source, robot)
        positions, events = play(source)
        newest = robot.position
    names = [event.name for event in events]
    assert "motion_skipped" in names
    assert "wave" in names
    assert len(positions) < 400  # of 3 s and more, at 400 Hz
    assert positions[-1] > newest - 0.1
    assert all(b >= a for a, b in itertools.pairwise(positions))


def test_stop_when_late_ends_with_words(robot: Robot) -> None:
    with followed(robot, max_lag=0.5, when_late="stop") as source:
        robot.tell(3.0)
        heard(source, robot)
        with pytest.raises(RunFailed, match=r"s behind the robot; expected at most 0\.5 s"):
            play(source, 1.0)


def test_silence_fails_or_ends_as_asked(robot: Robot) -> None:
    with followed(robot, timeout=0.5) as source:
        robot.tell(1.2)
        with pytest.raises(RunFailed, match=r"silent on /joint_states for 0\.5 s"):
            play(source, 5.0)
    with followed(robot, timeout=0.5, on_silence="end") as source:
        robot.tell(1.2)
        time_ns = 0
        while not source.ended(time_ns):
            time_ns += PERIOD
            source.motion(time_ns)
        assert time_ns < 2 * SECOND
        assert source.input_ns is None


def test_nothing_wakes_a_twin_while_its_robot_is_silent(robot: Robot) -> None:
    with followed(robot, timeout=1.5, on_silence="end") as source:
        robot.tell(1.5)
        heard(source, robot)
        positions, _ = play(source)
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
        source.motion(len(positions) * PERIOD + SECOND)
        woken = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before
    assert source.end_ns is not None, "it has waited until the robot counts as silent"
    assert woken < 10


def test_the_next_samples_are_awaited_while_an_event_waits(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        heard(source, robot)
        positions, _ = play(source)
        played_ns = len(positions) * PERIOD
        robot.tell(0.1)
        robot.say("wave")
        waiting(source, "wave")
        heard(source, robot)
        source.await_input(played_ns)
        assert source.quiet_ns > played_ns + TEN_MS


def test_a_clock_that_jumps_back_ends_the_run(robot: Robot) -> None:
    with followed(robot) as source:
        robot.tell(1.5)
        play(source, 0.2)
        robot.time_ns -= 100 * SECOND
        robot.tell(0.1)
        with pytest.raises(RunFailed, match="clock jumped back"):
            play(source, 5.0, begin_s=0.2)


def test_no_robot_is_bad_input(ros: None) -> None:
    with pytest.raises(BadInput, match=r"/nobody/joint_states.*within 0\.5 s"):
        open_source({"live": "nobody", "wait": 0.5})


def test_a_wrong_key_is_named_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match=r"source\.speed.*when_late"):
        open_source({"live": "", "speed": 2})
