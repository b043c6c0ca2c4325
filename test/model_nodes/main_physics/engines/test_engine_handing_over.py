"""What every engine must do with objects that another model moves, and when it gets them back."""

from __future__ import annotations

import numpy as np
import pytest
from support.small_worlds import (
    PERIOD,
    at,
    box,
    command,
    floor,
    frame,
    gripper,
    loaded,
    rest,
    still_at,
)

from hetwin_core.ensemble.scene.values import Floats, Value, pose_value
from model_nodes.main_physics.engines.engine import Engine, Unsupported

GRAVITY_PER_STEP = 9.81 * PERIOD


def ns(step: int) -> int:
    return round(step * PERIOD * 1e9)


def lead(engine: Engine, name: str, start: Floats, velocity: Floats, steps: int) -> None:
    """Move an object along a line as another model would, with a value at every step."""
    for i in range(steps):
        position = start[:3] + velocity * (i * PERIOD)
        engine.follow(name, pose_value(position, start[3:7], velocity, time_ns=ns(i)))
        engine.step()


def test_a_led_object_is_where_it_is_told_and_does_not_fall(engine: Engine) -> None:
    loaded(engine, box("box", at(0, 0, 1)))
    engine.follow("box", pose_value((0.1, 0.2, 1.5)))
    rest(engine, 100)
    assert frame(engine, "box")[:3].tolist() == [0.1, 0.2, 1.5]


def test_a_pose_in_the_world_is_extrapolated_with_its_twist(engine: Engine) -> None:
    loaded(engine, box("box", at(0, 0, 1)))
    engine.follow("box", pose_value((0, 0, 1), linear=(0.2, 0, 0), angular=(0, 0, 0.5)))
    rest(engine, 100)
    pose = frame(engine, "box")
    t = 100 * PERIOD
    assert pose[:3] == pytest.approx([0.2 * t, 0, 1], abs=1e-9)
    assert pose[3:7] == pytest.approx([np.cos(0.25 * t), 0, 0, np.sin(0.25 * t)], abs=1e-9)
    assert pose[7:13] == pytest.approx([0.2, 0, 0, 0, 0, 0.5], abs=1e-9)


def test_a_pose_in_the_hand_is_recomposed_at_every_step(engine: Engine) -> None:
    loaded(engine, box("box", at(0, 0, 1)), gripper(at(0, 0, 1)), hands=True)
    engine.follow("box", still_at(np.array([0, 0, -0.05, 1, 0, 0, 0]), 0, "hand"))
    for i in range(1, 200):
        t = i * PERIOD
        command(engine, np.array([0.3 * t * t, 0.1 * t, 0, 0, 0]))
        engine.step()
        offset = frame(engine, "box") - frame(engine, "hand")
        assert offset[:3] == pytest.approx([0, 0, -0.05], abs=1e-12)
        assert offset[7:13] == pytest.approx(np.zeros(6), abs=1e-12)


def test_a_led_box_pushes_a_heavy_one(engine: Engine) -> None:
    loaded(engine, floor(), box("led", at(0, 0, 0.06)), box("heavy", at(0.13, 0, 0.05), mass=5.0))
    start = np.array([*at(0, 0, 0.06)])
    lead(engine, "led", start, np.array([0.4, 0, 0]), 400)
    assert frame(engine, "led")[0] == pytest.approx(0.4, abs=2e-3)
    assert frame(engine, "heavy")[0] == pytest.approx(0.5, abs=5e-3)


def test_a_led_tray_carries_a_box(engine: Engine) -> None:
    tray = box("tray", at(0, 0, 0.5), (0.3, 0.3, 0.02), mu=0.6)
    loaded(engine, tray, box("cargo", at(0, 0, 0.56), mu=0.6))
    rest_pose = np.array([*at(0, 0, 0.5)])
    speed = 0.2
    x, v = 0.0, 0.0
    for i in range(800):  # speeds up gently, goes on, slows down
        goal = speed if i < 600 else 0.0
        v += np.clip(goal - v, -2.0 * PERIOD, 2.0 * PERIOD)
        pose = rest_pose.copy()
        pose[0] = x
        engine.follow("tray", pose_value(pose[:3], linear=(v, 0, 0), time_ns=ns(i)))
        engine.step()
        x += v * PERIOD
    slip = frame(engine, "cargo")[0] - frame(engine, "tray")[0]
    assert x > 0.25
    assert abs(slip) < 2e-3
    assert frame(engine, "cargo")[2] == pytest.approx(0.56, abs=1e-3)


def test_a_led_box_does_not_push_robot_or_table(engine: Engine) -> None:
    table = box("table", at(0, 0, 0.5), static=True)
    loaded(engine, table, box("led", at(0, 0.1, 0.55)), gripper(at(0, 0, 0.6)))
    engine.follow("led", pose_value((0, 0.1, 0.55)))
    positions, velocities = np.empty(5), np.empty(5)
    for _ in range(50):
        command(engine, np.zeros(5))
        engine.step()
        engine.read_joints(positions, velocities)
        assert np.abs(positions).max() < 1e-6


@pytest.mark.parametrize(
    "twist", [(0.5, -0.2, 0.3, 1.0, 2.0, -0.5), (0.0,) * 6, (0, 0, -0.4, 0, 0, 0)]
)
def test_the_first_velocity_after_a_hand_back_is_gravitys_only(
    engine: Engine, twist: tuple[float, ...]
) -> None:
    loaded(engine, box("box", at(0, 0, 1)), floor())
    turned = (np.cos(0.3), 0.0, np.sin(0.3), 0.0)
    value = pose_value((0.1, 0.2, 1.5), turned, twist[:3], twist[3:])
    engine.follow("box", value)
    engine.hand_back("box", value)
    assert frame(engine, "box") == pytest.approx(value.data, abs=1e-12)
    engine.step()
    change = frame(engine, "box")[7:13] - value.data[7:13]
    assert change[:3] == pytest.approx([0, 0, -GRAVITY_PER_STEP], abs=1e-6)
    assert np.abs(change[3:]).max() < 1e-6  # a cube: no torque from spinning
    assert engine.take_remarks() == []


def highest_speed(engine: Engine, name: str, steps: int) -> tuple[float, float]:
    """Largest upward and sideways speed within so many steps."""
    up = aside = 0.0
    for _ in range(steps):
        rest(engine, 1)
        pose = frame(engine, name)
        up, aside = max(up, float(pose[9])), max(aside, float(np.hypot(pose[7], pose[8])))
    return up, aside


@pytest.mark.parametrize("depth", [0.001, 0.005, 0.02])
def test_a_box_inside_the_floor_is_pushed_out_slowly(engine: Engine, depth: float) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.2)))
    value = pose_value((0, 0, 0.05 - depth))
    engine.follow("box", value)
    engine.hand_back("box", value)
    up, aside = highest_speed(engine, "box", 800)
    assert up < 0.03
    assert aside < 0.005
    assert frame(engine, "box")[2] == pytest.approx(0.05, abs=5e-4)
    (remark, *_) = engine.take_remarks()
    assert (remark.name, remark.other) == ("box", "floor")


def test_a_tilted_box_inside_the_floor_is_not_shot_out(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.2)))
    tilt = 0.05
    turn = (np.cos(tilt), np.sin(tilt), 0, 0)
    free_of_it = pose_value((0, 0, 0.055), turn)  # rocks a little when it falls flat
    engine.hand_back("box", free_of_it)
    natural, _ = highest_speed(engine, "box", 400)
    value = pose_value((0, 0, 0.05), turn, linear=(0.1, 0, -0.05))
    engine.follow("box", value)
    engine.hand_back("box", value)
    up, aside = highest_speed(engine, "box", 800)
    assert up < natural + 0.03
    assert aside < 0.15
    assert frame(engine, "box")[2] == pytest.approx(0.05, abs=1e-3)


def test_a_box_inside_another_free_one_is_not_shot_out(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.3)), box("other", at(0.2, 0, 0.05)))
    value = pose_value((0.11, 0, 0.05))  # 1 cm inside the other
    engine.follow("box", value)
    engine.hand_back("box", value)
    up = aside = 0.0
    for _ in range(800):
        rest(engine, 1)
        for name in ("box", "other"):
            velocity = frame(engine, name)[7:10]
            up = max(up, float(velocity[2]))
            aside = max(aside, float(np.abs(velocity[:2]).max()))
    assert up < 0.05
    assert aside < 0.05
    assert frame(engine, "other")[0] - frame(engine, "box")[0] == pytest.approx(0.1, abs=2e-3)
    assert frame(engine, "box")[2] == pytest.approx(0.05, abs=5e-4)
    assert {r.other for r in engine.take_remarks()} == {"other"}


def test_fingers_that_overlap_do_not_throw_what_they_let_go(engine: Engine) -> None:
    # The kinematic box penetrates the left finger by 3 mm; the hand opens after the hand-back.
    held = box("held", at(0, 0.008, 1), (0.05, 0.05, 0.06))
    loaded(engine, floor(), held, gripper(at(0, 0, 1), gap=0.06), hands=True)
    value = pose_value((0, 0.008, 1))
    engine.follow("held", value)
    rest(engine, 5)
    engine.hand_back("held", value)
    assert [(r.name, r.other) for r in engine.take_remarks()] == [("held", "left")]
    for i in range(1, 41):
        command(engine, np.array([0, 0, 0, -0.001 * i, -0.001 * i]))
        engine.step()
    pose = frame(engine, "held")
    assert np.abs(pose[7:9]).max() < 1e-6
    assert pose[9] == pytest.approx(-9.81 * 40 * PERIOD, rel=1e-3)
    assert any("again" in r.text for r in engine.take_remarks())


def test_a_pair_that_stays_together_collides_again_after_half_a_second(engine: Engine) -> None:
    # The box rests on the floor with a finger 2 mm inside it; nobody moves.
    loaded(engine, floor(), box("box", at(0, 0.048, 0.05)), gripper(at(0, 0, 0.05), gap=0.2))
    value = pose_value((0, 0.052, 0.05))
    engine.follow("box", value)
    engine.hand_back("box", value)
    fastest = 0.0
    for _ in range(600):
        rest(engine, 1)
        fastest = max(fastest, float(np.abs(frame(engine, "box")[7:10]).max()))
    assert fastest < 0.05
    assert frame(engine, "box")[1] < 0.0505  # parted in the end
    texts = [r.text for r in engine.take_remarks() if r.other == "left"]
    assert len(texts) >= 2


def test_what_comes_back_untouched_keeps_its_contacts(engine: Engine) -> None:
    # Released and given back within one step, as when another model refuses to take it.
    held = box("held", at(0, 0, 0.03), (0.05, 0.05, 0.06), 0.8, mu=0.8)
    loaded(engine, floor(), held, gripper(at(0, 0, 0.04), gap=0.1), hands=True)
    for i in range(200):
        close = min(1.0, i / 150) * 0.0255
        command(engine, np.array([0, 0, 0, close, close]))
        engine.step()
    for i in range(200):
        command(engine, np.array([0, 0, 0.1 * i / 200, 0.0255, 0.0255]))
        engine.step()
    value = Value(frame(engine, "held"), ns(400))
    engine.follow("held", value)
    engine.hand_back("held", value)
    for _ in range(200):
        command(engine, np.array([0, 0, 0.1, 0.0255, 0.0255]))
        engine.step()
    assert frame(engine, "held")[2] == pytest.approx(0.13, abs=2e-3)


def test_what_stands_or_is_a_link_cannot_be_led(engine: Engine) -> None:
    loaded(engine, floor(), gripper())
    for name in ("floor", "left"):
        with pytest.raises(Unsupported, match=name):
            engine.follow(name, pose_value((0, 0, 1)))


def test_leading_survives_save_and_restore(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.3)))
    engine.follow("box", pose_value((0, 0, 0.3), linear=(0.1, 0, 0)))
    rest(engine, 10)
    try:
        saved = engine.save()
    except Unsupported:
        pytest.skip(f"{engine.name} cannot save its state")
    rest(engine, 10)
    expected = frame(engine, "box")
    engine.hand_back("box", pose_value((0, 0, 0.3)))
    rest(engine, 50)
    engine.restore(saved)
    rest(engine, 10)
    assert frame(engine, "box").tobytes() == expected.tobytes()
