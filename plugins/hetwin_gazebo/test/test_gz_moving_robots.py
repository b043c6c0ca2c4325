"""Robots that move in Gazebo, when the world is loaded anew or put back, and where they are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.gazebo_servers import needs_gazebo
from support.rovers import RADIUS, rover
from support.small_worlds import PERIOD, at, box, command, floor, frame, gripper, loaded

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.values import Floats
from hetwin_gazebo.checks import check_robots
from model_nodes.main_physics.engines.engine import Engine
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import FOLLOW, Base, Body, JointDrive, World

LIMITED = JointDrive(DriveMode.LIMITED, 400.0, None, 20.0)


def roll(engine: Engine, seconds: float, speed: float = 5.0, lean: float = 0.0) -> None:
    """Turn both wheels with the same speed [rad/s]."""
    for _ in range(round(seconds / PERIOD)):
        zeros, positions = np.zeros(3), np.array([0.0, 0.0, lean])
        engine.command_joints(positions, np.array([speed, speed, 0.0]), zeros)
        engine.step()


def rolling(*bodies: Body, mast: JointDrive = FOLLOW) -> Engine:
    engine = make_engine("gz")
    loaded(engine, floor(), rover(Base.FREE, mast=mast), *bodies)
    roll(engine, 1.0)
    return engine


def joints(engine: Engine) -> Floats:
    both = np.empty((2, len(engine.joints)))
    engine.read_joints(both[0], both[1])
    return both


@needs_gazebo
def test_a_world_that_is_loaded_anew_rolls_on() -> None:
    engine = rolling()
    before, turned = frame(engine, "foot"), joints(engine)[0, 0]
    engine.add(box("late", at(5, 5, 0.05)))
    roll(engine, 1.0)
    engine.close()
    after = frame(engine, "foot")
    assert after[0] - before[0] == pytest.approx(5.0 * RADIUS, rel=0.01)
    assert after[1:3] == pytest.approx(before[1:3], abs=1e-3)
    assert joints(engine)[0, 0] - turned == pytest.approx(5.0, rel=0.01)


@needs_gazebo
def test_a_saved_state_is_gone_on_from() -> None:
    engine = rolling(mast=LIMITED)
    saved, before = engine.save(), frame(engine, "foot")
    roll(engine, 0.5, lean=0.2)
    first, leaned = frame(engine, "foot"), joints(engine)
    engine.restore(saved)
    assert frame(engine, "foot") == pytest.approx(before)
    roll(engine, 0.5, lean=0.2)
    engine.close()
    assert frame(engine, "foot") == pytest.approx(first, abs=2e-3)
    assert joints(engine) == pytest.approx(leaned, abs=0.02)


@needs_gazebo
def test_what_is_attached_to_a_robot_that_rolls_goes_along() -> None:
    engine = rolling(box("lamp", at(0.5, 0, 1.0)))
    engine.attach("lamp", "mast")
    place = relative_to(frame(engine, "mast"), frame(engine, "lamp"))
    worst = 0.0
    for _ in range(100):
        roll(engine, PERIOD)
        now = relative_to(frame(engine, "mast"), frame(engine, "lamp"))
        worst = max(worst, float(np.abs(now - place)[:7].max()))
    engine.close()
    assert worst < 1e-3


@needs_gazebo
def test_robots_that_meet_go_on_as_commanded() -> None:
    left, right = (
        replace(gripper(at(x, 0, 0.5)), name=name, one_of_several=True)
        for name, x in (("left", -0.2), ("right", 0.2))
    )
    engine = loaded(make_engine("gz"), left, right)
    worst = 0.0
    for i in range(1, 201):
        wanted = np.zeros(10)
        wanted[[0, 5]] = 0.002 * i, -0.002 * i
        command(engine, wanted, np.where(wanted == 0.0, 0.0, np.sign(wanted) * 0.002 / PERIOD))
        engine.step()
        worst = max(worst, float(np.abs(joints(engine)[0] - wanted).max()))
    engine.close()
    assert engine.driven[5] == "right::move_x"
    assert worst < 1e-3


@needs_gazebo
@pytest.mark.parametrize(
    ("robot", "where"),
    [
        (rover(Base.FREE), "robot.base"),
        (rover(Base.FOLLOWED, wheels=FOLLOW), "robot.base"),
        (rover(Base.FIXED, wheels=FOLLOW, mast=LIMITED), "robot.drives"),
    ],
)
def test_bullet_refuses_what_it_cannot_do(robot: Body, where: str) -> None:
    engine = make_engine("gz")
    with pytest.raises(BadInput, match="dartsim") as error:
        loaded(engine, robot, options={"physics": "bullet-featherstone"})
    assert error.value.where == where
    engine.close()


def test_a_robot_that_stands_and_follows_is_refused_nowhere() -> None:
    world = World("test", (floor(), rover(Base.FIXED, wheels=FOLLOW)))
    check_robots(world, "a running Gazebo")


def test_joints_that_do_not_follow_are_named() -> None:
    world = World("test", (rover(Base.FIXED, wheels=FOLLOW, mast=LIMITED),))
    with pytest.raises(BadInput, match=r"joints of rover only follow in a running Gazebo.*lean"):
        check_robots(world, "a running Gazebo")
