"""What every engine must do: objects fall and rest, joints follow, contacts are reported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.small_worlds import (
    PERIOD,
    at,
    ball,
    box,
    command,
    everything,
    floor,
    frame,
    gripper,
    loaded,
    rest,
    wedge,
)

from hetwin_core.ensemble.scene.values import Floats, pose_value
from model_nodes.main_physics.engines.engine import Diverged, Engine, EngineSettings, Unsupported
from model_nodes.main_physics.world.description import Body, World

WEIGHT = 0.5 * 9.81


def swing(engine: Engine, amplitudes: list[float], steps: int, omega: float = 4.0) -> float:
    """Move all joints to and fro; returns the largest error."""
    scale = np.array(amplitudes)
    worst = 0.0
    positions, velocities = np.empty(len(engine.joints)), np.empty(len(engine.joints))
    for i in range(1, steps + 1):
        t = i * PERIOD
        target = scale * (1 - np.cos(omega * t)) / 2
        velocity = scale * omega * np.sin(omega * t) / 2
        acceleration = scale * omega**2 * np.cos(omega * t) / 2
        engine.command_joints(target, velocity, acceleration)
        engine.step()
        engine.read_joints(positions, velocities)
        worst = max(worst, float(np.abs(positions[: len(target)] - target).max()))
    return worst


def test_a_mesh_falls_and_carries_what_falls_on_it(engine: Engine) -> None:
    loaded(
        engine,
        floor(),
        wedge("wedge", at(0, 0, 0.1)),
        box("box", at(-0.02, 0, 0.4), (0.3, 0.02, 0.02)),
    )
    rest(engine, 600)
    assert frame(engine, "wedge")[2] == pytest.approx(0.05, abs=1e-3)
    assert frame(engine, "box")[2] > 0.04  # it leans on the wedge


def test_a_box_falls_with_gravity_and_comes_to_rest(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.35)))
    rest(engine, 40)
    pose = frame(engine, "box")
    assert pose[9] == pytest.approx(-9.81 * 40 * PERIOD, rel=1e-6)
    assert pose[2] == pytest.approx(0.35 - 9.81 * 0.1**2 / 2, abs=2e-3)
    rest(engine, 1000)  # DART parts at 1 mm/s what has met at 2 m/s
    pose = frame(engine, "box")
    assert pose[2] == pytest.approx(0.05, abs=1e-4)
    assert np.abs(pose[7:13]).max() < 1e-4


def test_twist_belongs_to_the_frames_origin(engine: Engine) -> None:
    # A ball whose frame is 0.1 m off its centre spins: the frame's origin goes in a circle.
    body = ball("ball", at(0, 0, 1))
    link = body.links[0]
    form = replace(link.geometries[0], pose=at(0.1, 0, 0))
    assert link.inertial is not None
    moved = replace(link, geometries=(form,), inertial=replace(link.inertial, pose=at(0.1, 0, 0)))
    loaded(engine, replace(body, links=(moved,)))
    engine.follow("ball", pose_value((0, 0, 1), angular=(0, 0, 2.0), linear=(0, -0.2, 0)))
    engine.hand_back("ball", pose_value((0, 0, 1), angular=(0, 0, 2.0), linear=(0, -0.2, 0)))
    before = frame(engine, "ball")
    rest(engine, 1)
    after = frame(engine, "ball")
    assert before[7:9] == pytest.approx([0.0, -0.2], abs=1e-9)
    assert (after[:2] - before[:2]) / PERIOD == pytest.approx([0.0, -0.2], abs=5e-3)
    turned = 2.0 * PERIOD
    expected = [0.2 * np.sin(turned), -0.2 * np.cos(turned)]
    assert after[7:9] == pytest.approx(expected, abs=1e-4)


def test_joints_follow_in_free_motion(engine: Engine) -> None:
    loaded(engine, gripper())
    assert swing(engine, [0.5, 0.3, 0.4, 0.02, 0.02], 800) < 1e-3


def test_joints_follow_while_a_heavy_box_is_pushed(engine: Engine) -> None:
    heavy = box("heavy", at(0.2, 0.11, 0.05), mass=5.0)
    loaded(engine, floor(), heavy, gripper(at(0, 0, 0.05)))
    error = swing(engine, [0.3, 0.0, 0.0, 0.0, 0.0], 300)
    assert error < 1e-3
    # The finger's front was at 0.02 + 0.3 m at the turn of the motion.
    assert frame(engine, "heavy")[0] >= 0.02 + 0.3 + 0.05 - 2e-3


def test_fingers_hold_a_box_by_friction_and_lift_it(engine: Engine) -> None:
    held = box("held", at(0, 0, 0.03), (0.05, 0.05, 0.06), 0.8, mu=0.8)
    loaded(engine, floor(), held, gripper(at(0, 0, 0.04), gap=0.1))
    worst = 0.0
    positions, velocities = np.empty(5), np.empty(5)

    def go(target: Floats) -> None:
        nonlocal worst
        command(engine, target)
        engine.step()
        engine.read_joints(positions, velocities)
        worst = max(worst, float(np.abs(positions - target).max()))

    for i in range(200):  # close by 1 mm more than there is room
        close = min(1.0, i / 150) * 0.0255
        go(np.array([0, 0, 0, close, close]))
    for i in range(400):
        go(np.array([0, 0, 0.2 * i / 400, 0.0255, 0.0255]))
    for _ in range(400):
        go(np.array([0, 0, 0.2, 0.0255, 0.0255]))
    assert worst < 1e-3
    pose = frame(engine, "held")
    assert pose[2] == pytest.approx(0.23, abs=2e-3)
    assert np.abs(pose[7:10]).max() < 1e-3


def test_the_robot_passes_through_what_stands(engine: Engine) -> None:
    wall = box("wall", at(0.2, 0.11, 0.05), static=True)
    loaded(engine, wall, gripper(at(0, 0, 0.05)))
    assert swing(engine, [0.3, 0.0, 0.0, 0.0, 0.0], 300) < 1e-3


def test_resting_contact_carries_the_weight(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.05)))
    rest(engine, 400)
    contacts = engine.contacts()
    assert contacts[:, 9].sum() == pytest.approx(WEIGHT, rel=1e-3)
    floor_id, box_id = engine.frames.index("floor"), engine.frames.index("box")
    assert {(int(a), int(b)) for a, b in contacts[:, :2]} <= {
        (floor_id, box_id),
        (box_id, floor_id),
    }
    (row,) = engine.proximity()
    assert row[:2].tolist() == [box_id, floor_id]
    assert row[9:12] == pytest.approx([0, 0, WEIGHT], abs=1e-2)


def test_what_was_dropped_is_at_rest_soon(engine: Engine) -> None:
    loaded(engine, floor(), ball("ball", at(0, 0, 0.25), 0.03, 0.05))
    rest(engine, 400)
    before = frame(engine, "ball")
    rest(engine, 200)
    after = frame(engine, "ball")
    assert np.abs(after[:3] - before[:3]).max() < 2.5e-4  # 0.5 mm/s
    assert after[2] == pytest.approx(0.03, abs=1e-3)


def test_what_rolls_on_after_a_fall_keeps_its_speed(engine: Engine) -> None:
    loaded(engine, floor(), ball("ball", at(0, 0, 0.25), 0.03, 0.05))
    engine.hand_back("ball", pose_value((0, 0, 0.25), linear=(0.3, 0, 0)))
    rest(engine, 300)
    pose = frame(engine, "ball")
    assert pose[7] == pytest.approx(0.3 * 5 / 7, rel=0.06)  # what rolling without slip leaves
    assert pose[11] == pytest.approx(pose[7] / 0.03, rel=0.02)


def test_each_of_a_stack_bears_what_is_above(engine: Engine) -> None:
    heights = (0.05, 0.15, 0.25)
    loaded(engine, floor(), *(box(f"box_{i}", at(0, 0, z)) for i, z in enumerate(heights)))
    rest(engine, 400)
    up = {(int(r[0]), int(r[1])): float(r[11]) for r in engine.proximity()}
    at_of = engine.frames.index
    for i, below in enumerate(("floor", "box_0", "box_1")):
        assert up[at_of(f"box_{i}"), at_of(below)] == pytest.approx((3 - i) * WEIGHT, rel=0.02)


def test_fingers_that_hold_a_box_press_on_both_sides(engine: Engine) -> None:
    held = box("held", at(0, 0, 0.03), (0.05, 0.05, 0.06), 0.8, mu=0.8)
    loaded(engine, floor(), held, gripper(at(0, 0, 0.04), gap=0.1))
    for i in range(300):
        close, up = min(1.0, i / 150) * 0.0255, 0.1 * max(0, i - 200) / 100
        command(engine, np.array([0, 0, up, close, close]))
        engine.step()
        engine.proximity()  # asked for in each step, as the main model does
    rows = {engine.frames[int(r[1])]: r[9:12] for r in engine.proximity()}
    assert rows["left"][1] < -0.4 * 0.8 * 9.81  # by less it could not hold the weight
    assert rows["right"][1] > 0.4 * 0.8 * 9.81
    total = rows["left"] + rows["right"]
    assert total == pytest.approx([0, 0, 0.8 * 9.81], abs=0.4)


@pytest.mark.parametrize("gap", [0.015, 0.005, -0.004])
def test_distance_of_boxes_is_told(engine: Engine, gap: float) -> None:
    loaded(engine, box("one", at(0, 0, 1)), box("other", at(0.1 + gap, 0, 1)))
    rows = {(int(r[0]), int(r[1])): r for r in engine.proximity()}
    one, other = engine.frames.index("one"), engine.frames.index("other")
    assert set(rows) == {(one, other), (other, one)}
    row = rows[one, other]
    assert row[2] == pytest.approx(gap, abs=1e-6)
    assert row[6:9] == pytest.approx([-1, 0, 0], abs=1e-6)
    assert row[3] == pytest.approx(0.05 + gap, abs=1e-6)  # on the other's side


def test_distance_of_a_ball_to_floor_and_finger_is_told(engine: Engine) -> None:
    loaded(engine, floor(), ball("ball", at(0, 0.04, 0.06)), gripper(at(0, 0, 0.06), gap=0.2))
    rows = {engine.frames[int(r[1])]: r for r in engine.proximity()}
    assert rows["floor"][2] == pytest.approx(0.01, abs=1e-6)
    assert rows["floor"][6:9] == pytest.approx([0, 0, 1], abs=1e-6)
    assert rows["left"][2] == pytest.approx(0.01, abs=1e-6)
    assert rows["left"][6:9] == pytest.approx([0, -1, 0], abs=1e-6)
    assert "right" not in rows


def test_nothing_is_told_of_what_is_far(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.5)))
    assert engine.proximity().shape == (0, 12)


def test_what_comes_near_later_is_told_in_time(engine: Engine) -> None:
    loaded(engine, floor(), ball("ball", at(0, 0, 1.05)))
    for _ in range(400):
        command(engine, np.empty(0))
        engine.step()
        height = frame(engine, "ball")[2] - 0.05
        told = len(engine.proximity())
        assert told == (1 if height < 0.02 else 0)


def test_switched_off_collisions_let_a_box_fall_through(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.05)))
    engine.set_collision("box", False)
    rest(engine, 100)
    assert frame(engine, "box")[2] < -0.2


def test_switched_on_collisions_hold_again(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.2)))
    engine.set_collision("box", False)
    engine.set_collision("box", True)
    rest(engine, 400)
    assert frame(engine, "box")[2] == pytest.approx(0.05, abs=1e-3)


def test_attached_box_moves_with_the_hand_until_it_is_detached(engine: Engine) -> None:
    loaded(engine, box("box", at(0, 0, 1)), gripper(at(0, 0, 1)), hands=True)
    try:
        engine.attach("box", "carriage_z")
    except Unsupported:
        pytest.skip(f"{engine.name} cannot attach")
    swing(engine, [0.3, 0.2, 0.1, 0, 0], 200)
    offset = frame(engine, "box")[:3] - frame(engine, "carriage_z")[:3]
    assert np.abs(offset).max() < 1e-3
    engine.detach("box")
    rest(engine, 100)
    assert frame(engine, "box")[2] < 0.95


def test_same_input_same_bits(engine: Engine) -> None:
    if not engine.deterministic:
        pytest.skip(f"{engine.name} does not claim to be reproducible")
    results = []
    for _ in range(2):
        fresh = type(engine)()
        loaded(fresh, floor(), *_pile(), gripper(at(0, 0, 0.05)))
        swing(fresh, [0.3, 0.1, 0.0, 0.01, 0.01], 300)
        results.append(everything(fresh))
    assert results[0].tobytes() == results[1].tobytes()


def test_a_restored_state_goes_on_to_the_bit(engine: Engine) -> None:
    loaded(engine, floor(), *_pile(), gripper(at(0, 0, 0.05)))
    swing(engine, [0.3, 0.1, 0.0, 0.01, 0.01], 100)
    try:
        saved = engine.save()
    except Unsupported:
        pytest.skip(f"{engine.name} cannot save its state")
    rest(engine, 100)
    first = everything(engine)
    engine.restore(saved)
    rest(engine, 100)
    again = everything(engine)
    if engine.deterministic:
        assert again.tobytes() == first.tobytes()
    frames = 13 * len(engine.frames)
    assert again[:frames] == pytest.approx(first[:frames], abs=1e-3)


def test_substeps_reach_the_same_place(engine: Engine) -> None:
    loaded(engine, gripper(), substeps=4)
    assert swing(engine, [0.5, 0.3, 0.4, 0.02, 0.02], 400) < 1e-3


def test_what_flies_off_is_named(engine: Engine) -> None:
    loaded(engine, box("rocket", at(0, 0, 1)))
    engine.hand_back("rocket", pose_value((0, 0, 1), linear=(1e6, 0, 0)))
    with pytest.raises(Diverged, match="rocket"):
        rest(engine, 1)


def _pile() -> list[Body]:
    return [box(f"box{i}", at(0.15 + 0.03 * i, 0.11, 0.05 + 0.11 * i)) for i in range(3)]


def test_bodies_come_and_go_while_it_runs(engine: Engine) -> None:
    loaded(engine, floor(), box("first", at(0, 0, 0.05)), gripper(at(0, 0, 0.5)))
    rest(engine, 20)
    command(engine, np.array([0.1, 0, 0, 0, 0]))
    engine.step()
    before, carriage = frame(engine, "first"), frame(engine, "carriage_x")
    try:
        engine.add(box("second", at(0, 0, 0.25)))
    except Unsupported:
        pytest.skip(f"{engine.name} cannot add bodies")
    assert frame(engine, "first") == pytest.approx(before, abs=1e-9)
    assert frame(engine, "carriage_x") == pytest.approx(carriage, abs=1e-9)
    rest(engine, 400)
    assert frame(engine, "second")[2] == pytest.approx(0.15, abs=1e-3)
    engine.remove("first")
    assert "first" not in engine.frames
    rest(engine, 400)
    assert frame(engine, "second")[2] == pytest.approx(0.05, abs=1e-3)
    with pytest.raises(Unsupported, match="gripper"):
        engine.remove("gripper")


def test_what_is_led_stays_led_when_a_body_comes(engine: Engine) -> None:
    loaded(engine, floor(), box("led", at(0, 0, 0.5)), box("off", at(1, 0, 0.05)))
    engine.follow("led", pose_value((0, 0, 0.5)))
    engine.set_collision("off", False)
    try:
        engine.add(box("new", at(2, 0, 0.05)))
    except Unsupported:
        pytest.skip(f"{engine.name} cannot add bodies")
    rest(engine, 100)
    assert frame(engine, "led")[2] == 0.5
    assert frame(engine, "off")[2] < 0.0


def test_with_many_objects_proximity_is_told_of_those_that_are_named(engine: Engine) -> None:
    many = [box(f"box{i}", at(0.2 * i, 0, 0.05)) for i in range(33)]
    world = World("test", (floor(), *many))
    many_said = "none of the 33 objects"
    assert any(many_said in note for note in engine.load(world, EngineSettings(PERIOD)))
    assert len(engine.proximity()) == 0
    named = engine.load(world, EngineSettings(PERIOD, proximity_objects=("box7",)))
    assert not any(many_said in note for note in named)
    (row,) = engine.proximity()
    assert engine.frames[int(row[0])] == "box7"
