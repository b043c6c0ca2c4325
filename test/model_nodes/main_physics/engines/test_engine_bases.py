"""Robots whose base moves: as it is commanded, or by what the wheels do."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin

import numpy as np
import pytest
from support.rovers import RADIUS, SEPARATION, rover
from support.small_worlds import PERIOD, at, box, everything, floor, frame, loaded, still_at

from hetwin_core.ensemble.scene.poses import relative_to, rotation_by
from hetwin_core.ensemble.scene.values import Floats, pose_value
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.world.description import FOLLOW, Base, JointDrive


def state(x: float, y: float, yaw: float, speed: float = 0.0, turn: float = 0.0) -> Floats:
    """Pose and twist of a base that drives along where it looks."""
    linear = (speed * cos(yaw), speed * sin(yaw), 0.0)
    return pose_value((x, y, 0), rotation_by((0, 0, yaw)), linear=linear, angular=(0, 0, turn)).data


def on_a_circle(t: float, radius: float, turn: float) -> Floats:
    return state(
        radius * sin(turn * t), radius * (1 - cos(turn * t)), turn * t, radius * turn, turn
    )


def still(engine: Engine) -> None:
    zeros = np.zeros(len(engine.driven))
    engine.command_joints(zeros, zeros, zeros)


def follow_a_circle(
    engine: Engine, seconds: float, begin: float = 0.0, radius: float = 0.5
) -> float:
    """Returns the largest distance from where the base was commanded to be [m and rad]."""
    worst = 0.0
    for i in range(1, round(seconds / PERIOD) + 1):
        wanted = on_a_circle(begin + i * PERIOD, radius, 1.0)
        still(engine)
        engine.command_bases(wanted[None])
        engine.step()
        worst = max(worst, float(np.abs(frame(engine, "foot") - wanted)[:7].max()))
    return worst


def started(engine: Engine, *others: object) -> None:
    loaded(engine, floor(), rover(Base.FOLLOWED), *others)  # type: ignore[arg-type]
    engine.place_base("rover", on_a_circle(0.0, 0.5, 1.0))


def test_a_followed_base_is_where_it_is_commanded_to_be(engine: Engine) -> None:
    started(engine)
    assert engine.bases == ("rover",)
    assert follow_a_circle(engine, 2.0) < 1e-3
    twist = frame(engine, "foot")[7:]
    assert twist == pytest.approx(on_a_circle(2.0, 0.5, 1.0)[7:], abs=5e-3)
    # Its links go with it.
    mast = frame(engine, "mast")
    assert mast[:3] == pytest.approx([0.5 * sin(2.0), 0.5 * (1 - cos(2.0)), 0.25], abs=1e-3)


def test_it_pushes_what_is_in_its_way_and_does_not_pass_through(engine: Engine) -> None:
    started(engine, box("crate", at(0.5, 0, 0.2), (0.2, 0.6, 0.4), 40.0))
    worst = 0.0
    for i in range(1, 401):
        wanted = state(0.5 * i * PERIOD, 0, 0, 0.5)
        still(engine)
        engine.command_bases(wanted[None])
        engine.step()
        worst = max(worst, float(np.abs(frame(engine, "foot") - wanted)[:7].max()))
    assert worst < 1e-3
    front, crate = 0.5 + 0.2, frame(engine, "crate")
    assert crate[0] - 0.1 == pytest.approx(front, abs=2e-3)


def test_it_begins_where_it_is_placed_and_goes_on_from_there(engine: Engine) -> None:
    started(engine)
    follow_a_circle(engine, 0.2)
    engine.place_base("rover", state(1.0, 2.0, pi / 2))
    assert frame(engine, "foot")[:7] == pytest.approx(state(1.0, 2.0, pi / 2)[:7], abs=1e-9)
    still(engine)
    engine.command_bases(state(1.0, 2.0, pi / 2)[None])
    engine.step()
    assert frame(engine, "foot")[:7] == pytest.approx(state(1.0, 2.0, pi / 2)[:7], abs=1e-6)


def test_substeps_follow_as_well(engine: Engine) -> None:
    loaded(engine, floor(), rover(Base.FOLLOWED), substeps=3)
    engine.place_base("rover", on_a_circle(0.0, 0.5, 1.0))
    assert follow_a_circle(engine, 1.0) < 1e-3


def test_a_followed_base_goes_on_from_a_saved_state(engine: Engine) -> None:
    if engine.name == "gz":
        pytest.skip("engine gz does not come back to the bit with a robot that moves")
    started(engine, box("crate", at(0.5, 0.1, 0.2), (0.2, 0.6, 0.4), 4.0))
    follow_a_circle(engine, 0.5)
    saved = engine.save()
    follow_a_circle(engine, 0.5, 0.5)
    first = everything(engine)
    engine.restore(saved)
    follow_a_circle(engine, 0.5, 0.5)
    assert everything(engine).tobytes() == first.tobytes()


def drive(engine: Engine, seconds: float, left: float, right: float) -> None:
    """Command the speeds of the wheels [rad/s]."""
    zeros, speeds = np.zeros(3), np.array([left, right, 0.0])
    for _ in range(round(seconds / PERIOD)):
        engine.command_joints(zeros, speeds, zeros)
        engine.step()


def way_of(engine: Engine) -> Floats:
    """x, y and yaw of the base."""
    pose = frame(engine, "foot")
    return np.array([pose[0], pose[1], 2 * np.arctan2(pose[6], pose[3])])


def test_a_free_base_rolls_as_its_wheels_turn(engine: Engine) -> None:
    loaded(engine, floor(), rover(Base.FREE))
    assert engine.bases == ()
    drive(engine, 0.5, 0, 0)
    drive(engine, 2.0, 5.0, 5.0)
    drive(engine, 0.5, 0.0, 0.0)
    x, y, yaw = way_of(engine)
    # The ramps up and down are of the same length.
    assert x == pytest.approx(2.0 * 5.0 * RADIUS, rel=0.01)
    assert (y, yaw) == pytest.approx((0, 0), abs=0.01)
    drive(engine, 1.0, -2.0, 2.0)
    drive(engine, 0.5, 0.0, 0.0)
    assert way_of(engine)[2] - yaw == pytest.approx(4.0 * RADIUS / SEPARATION, rel=0.02)


def test_a_free_base_stops_at_a_wall(engine: Engine) -> None:
    wall = box("wall", at(0.7, 0, 0.5), (0.2, 4, 1), static=True)
    loaded(engine, floor(), rover(Base.FREE), wall)
    drive(engine, 3.0, 5.0, 5.0)
    assert way_of(engine)[0] == pytest.approx(0.4, abs=5e-3)


def test_a_slippery_wheel_turns_more_than_the_base_moves(engine: Engine) -> None:
    loaded(engine, floor(), rover(Base.FREE, grip=0.005))
    drive(engine, 2.0, 10.0, 10.0)
    positions, velocities = np.empty(3), np.empty(3)
    engine.read_joints(positions, velocities)
    assert velocities[:2] == pytest.approx([10.0, 10.0], rel=0.02)
    assert way_of(engine)[0] < 0.3 * positions[0] * RADIUS


def test_a_velocity_drive_ramps(engine: Engine) -> None:
    ramp_up(engine)
    positions, velocities = np.empty(3), np.empty(3)
    engine.read_joints(positions, velocities)
    assert velocities[:2] == pytest.approx([2.0, 2.0], rel=0.05)


def ramp_up(engine: Engine) -> None:
    """Speed up a rover at 0.4 m/s^2 for half a second."""
    wheels = JointDrive(FOLLOW.mode.VELOCITY, effort=3.0, acceleration=4.0)
    loaded(engine, floor(), rover(Base.FREE, wheels=wheels))
    drive(engine, 0.5, 0, 0)
    drive(engine, 0.5, 8.0, 8.0)


def test_a_velocity_drive_reports_its_effort(engine: Engine) -> None:
    ramp_up(engine)
    efforts = np.empty(3)
    engine.read_efforts(efforts)
    assert np.isnan(efforts[2])  # it follows
    # Of 22.2 kg and two wheels that turn, at 0.4 m/s^2, on each wheel a half.
    assert efforts[:2] == pytest.approx([0.48, 0.48], rel=0.1)


def test_what_is_too_heavy_for_its_effort_stops_it(engine: Engine) -> None:
    wheels = JointDrive(FOLLOW.mode.VELOCITY, effort=1.0, acceleration=20.0)
    wall = box("wall", at(0.45, 0, 0.5), (0.2, 4, 1), static=True)
    loaded(engine, floor(), rover(Base.FREE, wheels=wheels), wall)
    drive(engine, 2.0, 5.0, 5.0)
    positions, velocities, efforts = np.empty(3), np.empty(3), np.empty(3)
    engine.read_joints(positions, velocities)
    engine.read_efforts(efforts)
    assert velocities[:2] == pytest.approx([0, 0], abs=0.05)
    assert efforts[:2] == pytest.approx([1.0, 1.0], abs=1e-6)


def test_a_fixed_base_cannot_be_placed(engine: Engine) -> None:
    loaded(engine, floor(), rover(Base.FIXED))
    with pytest.raises(Unsupported, match="rover"):
        engine.place_base("rover", state(0, 0, 0))


CORRECTED = state(2.0, -1.0, 2.0)
"""Where the base is put, as localization would."""


def stand_still(engine: Engine, seconds: float, where: Floats) -> None:
    for _ in range(round(seconds / PERIOD)):
        still(engine)
        engine.command_bases(where[None])
        engine.step()


def in_the_base(engine: Engine, name: str) -> Floats:
    """Pose and twist of something in the frame of the robot's root link."""
    return relative_to(frame(engine, "foot"), frame(engine, name))


def test_what_lies_on_the_robot_goes_along_and_what_stands_before_it_does_not(
    engine: Engine,
) -> None:
    tray = box("tray", at(-0.1, 0, 0.265), (0.2, 0.2, 0.03))
    cup = box("cup", at(-0.1, 0, 0.32), (0.06, 0.06, 0.08), 0.2)
    crate = box("crate", at(0.299, 0, 0.2), (0.2, 0.3, 0.4))
    loaded(engine, floor(), rover(Base.FOLLOWED), tray, cup, crate)
    stand_still(engine, 0.5, state(0, 0, 0))
    before = [in_the_base(engine, name)[:7] for name in ("tray", "cup")]
    stood = frame(engine, "crate")[:7]
    engine.place_base("rover", CORRECTED)
    for name, place in zip(("tray", "cup"), before, strict=True):
        assert in_the_base(engine, name)[:7] == pytest.approx(place, abs=1e-6)
    assert frame(engine, "crate")[:7] == pytest.approx(stood, abs=1e-6)
    stand_still(engine, 0.5, CORRECTED)
    assert in_the_base(engine, "cup")[:3] == pytest.approx(before[1][:3], abs=1e-3)


def test_what_is_attached_to_it_or_moved_in_its_frame_goes_along(engine: Engine) -> None:
    welded = box("welded", at(0.5, 0, 1.0))
    followed = box("followed", at(-0.5, 0, 1.0))
    rider = box("rider", at(-0.5, 0, 1.1), (0.05, 0.05, 0.1))
    loaded(engine, floor(), rover(Base.FOLLOWED), welded, followed, rider)
    engine.attach("welded", "foot")
    engine.follow("followed", still_at(frame(engine, "followed"), 0, "foot"))
    stand_still(engine, 0.2, state(0, 0, 0))
    names = ("welded", "followed", "rider")
    before = [in_the_base(engine, name)[:7] for name in names]
    engine.place_base("rover", CORRECTED)
    stand_still(engine, 0.2, CORRECTED)
    for name, place in zip(names, before, strict=True):
        assert in_the_base(engine, name)[:7] == pytest.approx(place, abs=2e-3)


def test_what_it_carries_while_it_drives_keeps_its_speed_relative_to_it(engine: Engine) -> None:
    tray = box("tray", at(-0.1, 0, 0.265), (0.2, 0.2, 0.03))
    loaded(engine, floor(), rover(Base.FOLLOWED), tray)
    for i in range(1, 201):
        still(engine)
        engine.command_bases(state(0.5 * i * PERIOD, 0, 0, 0.5)[None])
        engine.step()
    before = in_the_base(engine, "tray")
    engine.place_base("rover", state(1.0, 1.0, pi / 2, 0.5))
    assert in_the_base(engine, "tray") == pytest.approx(before, abs=1e-6)
    assert frame(engine, "tray")[7:9] == pytest.approx([0, 0.5], abs=0.02)


def test_before_the_first_step_nothing_goes_along(engine: Engine) -> None:
    # Where the robot stands until its localization says where it is, something else may be.
    loaded(engine, floor(), rover(Base.FOLLOWED), box("tray", at(-0.1, 0, 0.26), (0.2, 0.2, 0.03)))
    stood = frame(engine, "tray")
    engine.place_base("rover", CORRECTED)
    assert frame(engine, "tray") == pytest.approx(stood, abs=1e-9)


def test_of_two_robots_each_moves_as_its_own_base_does(engine: Engine) -> None:
    follows = replace(rover(Base.FOLLOWED), name="left", one_of_several=True)
    rolls = replace(rover(Base.FREE, at(0, 1.0, 0)), name="right", one_of_several=True)
    loaded(engine, floor(), follows, rolls)
    assert engine.bases == ("left",)
    assert engine.driven[3:] == ("right::left", "right::right", "right::lean")
    speeds = np.array([0, 0, 0, 5.0, 5.0, 0])
    for i in range(1, 401):
        lean = np.array([0, 0, 0.2 * i / 400, 0, 0, 0.4 * i / 400])
        engine.command_joints(lean, speeds, np.zeros(6))
        engine.command_bases(state(-0.3 * i * PERIOD, 0, 0, -0.3)[None])
        engine.step()
    positions, velocities = np.empty(6), np.empty(6)
    engine.read_joints(positions, velocities)
    assert positions[[2, 5]] == pytest.approx([0.2, 0.4], abs=1e-3)
    assert frame(engine, "left::foot")[:2] == pytest.approx([-0.3, 0], abs=1e-3)
    x, y, *_ = frame(engine, "right::foot")
    assert (x, y) == pytest.approx((0.44, 1.0), abs=0.02)


def test_a_robot_that_rolls_stops_at_one_that_stands(engine: Engine) -> None:
    stands = replace(rover(Base.FIXED, at(0.9, 0, 0)), name="left", one_of_several=True)
    rolls = replace(rover(Base.FREE), name="right", one_of_several=True)
    loaded(engine, floor(), stands, rolls)
    for _ in range(800):
        engine.command_joints(np.zeros(6), np.array([0, 0, 0, 3.0, 3.0, 0]), np.zeros(6))
        engine.step()
    assert frame(engine, "right::foot")[0] == pytest.approx(0.4, abs=0.01)
