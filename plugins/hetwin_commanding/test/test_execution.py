"""A robot is let go only piece by piece: what fails, on either side, leaves it standing within its limits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sent_goals import commander
from virtual_robot import PERIOD, VirtualRobot, VirtualTime

from hetwin_commanding.command import read_fault
from hetwin_commanding.link.execution import Execution, Tip
from hetwin_commanding.link.sending import DEVIATION
from hetwin_commanding.plan import Plan
from hetwin_commanding.send import Commander, Result
from model_nodes.main_physics.world.chains import chain_to

GOALS = """
- joints: {shoulder_pan_joint: 0.8, shoulder_lift_joint: 0.5, elbow_joint: 1.4}
- joints: {elbow_joint: 0.9, wrist_pitch_joint: 1.2, shoulder_pan_joint: 0.6}
"""


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Commander, Plan]:
    one = commander(tmp_path_factory.mktemp("arm"), GOALS)
    plan, rehearsal = one.rehearsed(one.twin.resting)
    assert rehearsal.ok
    return one, plan


class Dead(Exception):
    """The twin has died."""


class Run:
    """A plan carried out in virtual time."""

    def __init__(
        self,
        arm: tuple[Commander, Plan],
        seed: int = 1,
        fault: str | None = None,
        at: dict[float, Callable[[Run], None]] | None = None,
    ) -> None:
        one, self.plan = arm
        self.clock, self.stop = VirtualTime(), threading.Event()
        read = read_fault(fault) if fault else None
        self.robot = VirtualRobot(self.clock, self.plan, seed, read)
        limits = np.full(len(self.plan.names), DEVIATION)
        tip = Tip(chain_to(one.twin.robot, "gripper_base"), dict(one.twin.resting))
        self.execution = Execution(
            self.plan, one.commanded.groups, self.robot, limits, tip, self.stop, self.clock
        )
        self.begun = self.clock.now()
        pending = dict(at or {})

        def happen(now: float) -> None:
            for when in [when for when in pending if now - self.begun >= when]:
                pending.pop(when)(self)

        self.clock.at_each_step.append(happen)
        try:
            self.result: Result | None = self.execution.run()
        except Dead:
            self.result = None
        self.took = self.clock.now() - self.begun

    def speeds(self) -> tuple[np.ndarray, np.ndarray]:
        """Times since the beginning, and (m, n) velocities of the robot."""
        times = np.array([time for time, _ in self.robot.track]) - self.begun
        positions = np.array([where for _, where in self.robot.track])
        return times[1:], np.diff(positions, axis=0) / PERIOD


def die(run: Run) -> None:
    raise Dead


def within_limits(run: Run, one: Commander) -> bool:
    positions = np.array([where for _, where in run.robot.track])
    inside = (positions >= one.commanded.lower - 1e-3) & (positions <= one.commanded.upper + 1e-3)
    _, speeds = run.speeds()
    return bool(inside.all() and (np.abs(speeds) <= one.commanded.speed * 1.01).all())


def test_a_robot_that_obeys_reaches_its_goal_within_its_limits(
    arm: tuple[Commander, Plan],
) -> None:
    run = Run(arm)
    assert run.result is Result.REACHED
    end = run.plan.at(run.plan.duration).positions
    assert np.abs(run.robot.track[-1][1] - end).max() < 0.01
    assert run.took < run.plan.duration + 0.5
    assert within_limits(run, arm[0])
    found = run.execution.consistency
    assert found is not None
    assert found["joints"]["max"] < DEVIATION
    assert found["tip"]["max"] < 0.02
    assert 0.0 < found["lag"]["median"] < 0.05
    assert found["deviates"] == []
    assert run.robot.ended


def test_every_piece_is_short_ends_at_rest_and_stays_on_the_planned_way(
    arm: tuple[Commander, Plan],
) -> None:
    run = Run(arm)
    way = run.plan.sample(np.linspace(0.0, run.plan.duration, 4000)).positions
    for _, piece in run.robot.pieces:
        assert piece.times[-1] <= 0.5
        assert not piece.velocities[-1].any()
        index = [run.plan.names.index(name) for name in piece.joints]
        for point in piece.positions:
            assert np.abs(way[:, index] - point).max(axis=1).min() < 1e-3


@pytest.mark.parametrize("at", [0.05, 0.73, 1.31, 2.02])
def test_a_twin_that_dies_leaves_the_robot_standing(arm: tuple[Commander, Plan], at: float) -> None:
    run = Run(arm, at={at: die})
    run.clock.at_each_step.pop()
    run.clock.sleep(1.5)
    times, speeds = run.speeds()
    assert np.abs(speeds[times > at + 0.6]).max() < 1e-3
    assert np.abs(speeds[times < at]).max() > 0.0
    assert within_limits(run, arm[0])


def test_a_stop_is_over_in_a_tenth_of_a_second(arm: tuple[Commander, Plan]) -> None:
    at = 0.9
    run = Run(arm, at={at: lambda run: run.stop.set()})
    assert run.result is Result.STOPPED
    last_sent, last = run.robot.pieces[-1]
    assert last_sent + last.times[-1] - run.begun - at < 0.1
    times, speeds = run.speeds()
    assert np.abs(speeds[times > at + 0.2]).max() < 0.02
    assert within_limits(run, arm[0])
    sent = len(run.robot.pieces)
    run.clock.sleep(1.0)
    assert len(run.robot.pieces) == sent


def test_a_stop_before_the_beginning_sends_nothing(arm: tuple[Commander, Plan]) -> None:
    one, plan = arm
    clock, stop = VirtualTime(), threading.Event()
    stop.set()
    robot = VirtualRobot(clock, plan)
    limits = np.full(len(plan.names), DEVIATION)
    execution = Execution(plan, one.commanded.groups, robot, limits, None, stop, clock)
    assert execution.run() is Result.STOPPED
    assert not execution.sent
    assert robot.pieces == []


@pytest.mark.parametrize("presses", [True, False])
def test_only_a_finger_that_is_to_press_may_be_stopped_by_something(
    arm: tuple[Commander, Plan], presses: bool
) -> None:
    one, plan = arm
    fingers = frozenset({"elbow_joint"}) if presses else frozenset()
    stages = [replace(stage, presses=fingers) for stage in plan.stages]
    pressing = Plan(plan.names, plan.start, stages)
    clock = VirtualTime()
    robot = VirtualRobot(clock, pressing, stops={"elbow_joint": 0.5})
    limits = np.full(len(plan.names), DEVIATION)
    execution = Execution(
        pressing, one.commanded.groups, robot, limits, None, threading.Event(), clock
    )
    assert execution.run() is (Result.REACHED if presses else Result.DEVIATED)


@pytest.mark.parametrize(
    ("fault", "at"), [("freeze", 0.5), ("freeze", 1.9), ("drift", 0.3), ("drift", 1.2)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_robot_that_does_something_else_is_stopped(
    arm: tuple[Commander, Plan], fault: str, at: float, seed: int
) -> None:
    run = Run(arm, seed, f"{fault}:{at}")
    assert run.result is Result.DEVIATED
    found = run.execution.consistency
    assert found is not None
    assert run.robot.moving_since is not None
    moved_at = run.robot.moving_since - run.begun
    (deviates,) = found["deviates"]
    assert 0.0 < deviates - moved_at - at < 0.5
    assert run.took - deviates < 0.1


def test_a_robot_that_falls_silent_is_lost(arm: tuple[Commander, Plan]) -> None:
    run = Run(arm, fault="silence:0.8")
    assert run.result is Result.LOST
    assert run.took < 0.8 + 0.6
    assert not run.robot.pieces[-1][1].velocities[-1].any()


def test_a_machine_that_stands_still_for_a_moment_loses_no_robot(
    arm: tuple[Commander, Plan],
) -> None:
    def stand_still(run: Run) -> None:
        run.clock.time += 0.6

    run = Run(arm, at={0.8: stand_still})
    assert run.result is Result.REACHED
    assert run.took > run.plan.duration + 0.5


def test_a_robot_that_is_gone_is_lost_although_the_twin_is_held_up_again_and_again(
    arm: tuple[Commander, Plan],
) -> None:
    def killed(run: Run) -> None:
        run.robot.alive = False

    def held_up(run: Run) -> None:
        run.clock.time += 0.15

    run = Run(arm, at={0.8: killed, **{0.8 + 0.25 * i: held_up for i in range(1, 9)}})
    assert run.result is Result.LOST
    assert run.took < 0.8 + 1.5


def test_a_robot_that_is_gone_is_lost_within_a_second(arm: tuple[Commander, Plan]) -> None:
    def killed(run: Run) -> None:
        run.robot.alive = False

    run = Run(arm, at={1.1: killed})
    assert run.result is Result.LOST
    assert run.took < 1.1 + 1.0
