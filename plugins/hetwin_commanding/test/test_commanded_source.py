"""The source that obeys, without ROS: pace, groups of joints, refusals as events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from commanded_arm import ARM, DRIVE, WHEELS, rover

from hetwin_commanding.source import commands
from hetwin_commanding.source import part as source_module
from hetwin_commanding.source.commands import (
    Inbox,
    StopCommand,
    trajectory_command,
    twist_command,
)
from hetwin_commanding.source.ends import GoalEnd, Outcome
from hetwin_commanding.source.parameters import Controller
from hetwin_commanding.source.part import CommandedPart
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scenario.source import CommandsSpec
from hetwin_core.kinematics.trajectories.trajectory import TrajectoryPoint
from model_nodes.main_physics.wheels import DifferentialDrive

PERIOD = 10_000_000
JOINTS = [*ARM, *WHEELS]
RESTING = dict.fromkeys(JOINTS, 0.25)


class Clock:
    """A clock that goes on only where something sleeps, so that no step is ever late by accident."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000

    def monotonic_ns(self) -> int:
        return self.now_ns

    time_ns = monotonic_ns

    def monotonic(self) -> float:
        return self.now_ns * 1e-9

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    ours = Clock()
    for module in (commands, source_module):
        monkeypatch.setattr(module, "time", ours)
    return ours


class Silence:
    """A link on which nothing comes by itself; the test fills its inbox."""

    def __init__(self, spec: CommandsSpec, controllers: Sequence[Controller], inbox: Inbox) -> None:
        self.controllers = [one.name for one in controllers]
        self.inbox, self.closed = inbox, False

    def events(self, time_ns: int) -> list[Event]:
        return []

    def set_epoch(self, epoch_ns: int) -> None:
        self.epoch_ns = epoch_ns

    def close(self) -> None:
        self.closed = True


def opened(wheels: DifferentialDrive | None = None, **spec: Any) -> tuple[CommandedPart, Silence]:
    links: list[Silence] = []

    def listen(*arguments: Any) -> Silence:
        links.append(Silence(*arguments))
        return links[0]

    source = CommandedPart(CommandsSpec(commands="", **spec), [rover()], listen, wheels)
    return source, links[0]


def test_it_keeps_real_time_and_obeys_at_the_next_step(clock: Clock) -> None:
    source, link = opened()
    assert source.bind(JOINTS, PERIOD, RESTING).all()
    assert link.controllers == ["joint_trajectory_controller"]
    np.testing.assert_array_equal(source.motion(0).positions, 0.25)
    assert not source.start()
    begun = clock.monotonic()
    source.motion(PERIOD)
    command = trajectory_command(
        link.controllers[0], ["wrist"], [TrajectoryPoint(0.1, [0.75], [0.0])]
    )
    link.inbox.put("t", command)
    assert source.motion(2 * PERIOD).positions[1] > 0.25
    assert source.motion(12 * PERIOD).positions[1] == 0.75
    assert clock.monotonic() - begun == pytest.approx(0.11)
    assert source.events(12 * PERIOD) == []
    source.close()
    assert link.closed


def test_a_twin_that_is_behind_catches_up_before_it_obeys(clock: Clock) -> None:
    source, link = opened(max_lag=1.0)
    source.bind(JOINTS, PERIOD, RESTING)
    source.start()
    source.motion(PERIOD)
    clock.sleep(0.1)
    command = trajectory_command(
        link.controllers[0], ["wrist"], [TrajectoryPoint(0.01, [0.75], [0.0])]
    )
    link.inbox.put("t", command)  # at 0.1 s of real time, where the twin is not yet
    positions = [source.motion(i * PERIOD).positions[1] for i in range(2, 40)]
    first = next(i for i, position in enumerate(positions, 2) if position > 0.25)
    assert first == 10
    source.close()


def test_what_is_refused_becomes_an_event_once_a_second() -> None:
    source, link = opened()
    source.bind(JOINTS, PERIOD, RESTING)
    source.start()
    for i in range(1, 4):
        unknown = trajectory_command(link.controllers[0], ["nose"], [TrajectoryPoint(1.0, [0.0])])
        link.inbox.put("here", unknown)
        source.motion(i * PERIOD)
        events = source.events(i * PERIOD)
        assert [event.name for event in events] == ["command_refused"] * (i == 1)
        if events:
            assert events[0].arguments["topic"] == "here"
            assert "no joint nose" in str(events[0].arguments["reason"])
    assert link.inbox.refused == 3


def test_time_that_it_cannot_keep_is_given_up_and_reported(clock: Clock) -> None:
    source, _ = opened(max_lag=0.02)
    source.bind(JOINTS, PERIOD, RESTING)
    source.start()
    source.motion(PERIOD)
    clock.sleep(0.1)
    source.motion(2 * PERIOD)
    assert source.late
    (event,) = source.events(2 * PERIOD)
    assert event.name == "time_lost"
    assert event.arguments["seconds"] == 0.09
    source.motion(3 * PERIOD)
    source.motion(6 * PERIOD)
    assert source.events(6 * PERIOD) == []
    assert not source.late


def test_groups_are_those_of_the_scenario_and_the_wheels_are_no_part_of_them() -> None:
    source, link = opened(DRIVE, controllers={"arm": ["e*"], "hand": ["wrist"]})
    assert source.bind(["knee", *JOINTS], PERIOD, RESTING).tolist() == [
        False,
        True,
        True,
        True,
        True,
    ]
    assert link.controllers == ["arm", "hand"]
    source.motion(0)
    source.start()
    link.inbox.put("cmd_vel", twist_command(0.1, 0.0, 0.0))
    assert source.motion(PERIOD).velocities.tolist() == [0, 0, 0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("controllers", "where", "words"),
    [
        ({"arm": ["elbow", "wirst"]}, "source.controllers.arm.1", "perhaps 'wrist'"),
        ({"arm": ["elbow"], "hand": ["*"]}, "source.controllers.hand.0", "commanded twice"),
        ({"arm": ["left_wheel"]}, "source.controllers.arm.0", r"not in robot\.wheels"),
    ],
)
def test_wrong_controllers_are_refused(
    controllers: dict[str, list[str]], where: str, words: str
) -> None:
    source, _ = opened(DRIVE, controllers=controllers)
    with pytest.raises(BadInput, match=words) as error:
        source.bind(JOINTS, PERIOD, RESTING)
    assert error.value.where == where


def test_a_base_that_follows_its_commanded_velocity() -> None:
    source, link = opened()
    source.bind_base(rover(), FollowedBase(odometry="cmd_vel", start=[1.0, 2.0, 0.0]), PERIOD)
    source.bind(JOINTS, PERIOD, RESTING)
    source.base(0)
    source.start()
    link.inbox.put("cmd_vel", twist_command(1.0, 0.0, 0.0))
    for i in range(1, 11):
        motion = source.base(i * PERIOD)
        source.motion(i * PERIOD)
    np.testing.assert_allclose(motion.state[:3], [1.1, 2.0, 0.0])
    np.testing.assert_allclose(motion.odometry[:3], [0.1, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ({"odometry": "odom"}, "no odometry that the base could follow"),
        ({"odometry": "cmd_vel", "start": "amcl_pose"}, "nothing defines where the base starts"),
    ],
)
def test_a_base_that_nothing_moves_is_refused(base: dict[str, str], words: str) -> None:
    source, _ = opened()
    with pytest.raises(BadInput, match=words):
        source.bind_base(rover(), FollowedBase(**base), PERIOD)


def test_a_goal_is_reached_canceled_or_refused_in_the_source() -> None:
    source, link = opened()
    source.bind(JOINTS, PERIOD, RESTING)
    source.motion(0)
    source.start()

    def goal(number: int, joint: str = "wrist") -> None:
        points = [TrajectoryPoint(0.02, [0.1 * number])]
        command = trajectory_command(link.controllers[0], [joint], points, number=number)
        link.inbox.put("action", command)

    goals = link.inbox.goals
    goal(1)
    goal(2, "nose")
    for i in range(1, 5):
        source.motion(i * PERIOD)
    assert goals.take(1) == Outcome(GoalEnd.REACHED)
    refused = goals.take(2)
    assert refused is not None
    assert refused.end is GoalEnd.REFUSED
    goal(3)
    source.motion(5 * PERIOD)
    link.inbox.put("action", StopCommand(link.controllers[0], 3))
    stopped = source.motion(6 * PERIOD)
    assert goals.take(3) == Outcome(GoalEnd.CANCELED, "it was canceled")
    assert 0.1 < stopped.positions[1] < 0.3
    goal(4)
    link.inbox.put("action", StopCommand(link.controllers[0], 3))  # too late: it is over
    source.motion(7 * PERIOD)
    assert source.motion(9 * PERIOD).positions[1] == pytest.approx(0.4)
