"""Engines say what a robot's links have touched in any step, also between two times at which they are asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.small_worlds import IDENTITY, PERIOD, at, box, command, gripper, still_at
from test_engine_clearances import arm, bar

from hetwin_core.ensemble.scene.values import Fidelity, Floats
from model_nodes.main_physics.engines.engine import Engine, EngineSettings
from model_nodes.main_physics.world.description import Base, Body, World

STEP_NS = round(PERIOD * 1e9)
FAST = 0.02
"""How far the swinging bar turns in a step [rad]."""


def touched(engine: Engine) -> dict[tuple[str, str], Floats]:
    rows, names = engine.take_touches(), engine.frames
    found = {(names[int(row[0])], names[int(row[1])]): row[2:] for row in rows}
    assert len(found) == len(rows)
    return found


def watched(engine: Engine, *bodies: Body, **settings: object) -> Engine:
    """The engine with these bodies, none of which has a weight, after its first look."""
    world = World("test", bodies, gravity=(0.0, 0.0, 0.0))
    engine.load(world, EngineSettings(PERIOD, **settings))  # type: ignore[arg-type]
    engine.place_joints(np.zeros(len(engine.joints)), np.zeros(len(engine.joints)))
    engine.clearances(0.005)
    engine.take_touches()
    return engine


def swing(engine: Engine, begin: float, end: float, pace: float = FAST) -> None:
    """Turn the first hinge."""
    count = len(engine.driven)
    for angle in np.arange(begin, end, pace):
        positions = np.zeros(count)
        positions[0] = angle
        command(engine, positions, np.eye(1, count)[0] * pace / PERIOD)
        engine.step()


def passing(height: float = 0.0) -> tuple[Body, Body]:
    """An arm in a plane, whose bar comes past a post at one radian."""
    return arm(1, at(0, 0, height)), box("post", at(0.45, 0.2, 0), (0.02, 0.02, 0.02), static=True)


def test_a_link_that_passes_through_a_post_between_two_looks_has_touched_it(engine: Engine) -> None:
    watched(engine, *passing())
    swing(engine, 0.0, 2.0)
    assert engine.clearances(0.005).size == 0
    row = touched(engine)["bar1", "post"]
    first, last, depth, force, *point = row.tolist()
    assert 0 < first < last < 2.0 / FAST * STEP_NS
    assert depth > 0.002
    assert np.isnan(force)
    assert np.linalg.norm(np.array(point) - (0.45, 0.2, 0.0)) < 0.03
    assert touched(engine) == {}


def test_what_it_passes_by_it_does_not_touch(engine: Engine) -> None:
    watched(engine, *passing(height=0.05))
    swing(engine, 0.0, 2.0)
    assert touched(engine) == {}


def test_neighbours_and_what_stands_in_each_other_do_not_touch(engine: Engine) -> None:
    robot = arm(2)
    robot = replace(robot, links=(robot.links[0], *(bar(f"bar{i}", at(0.2, 0, 0)) for i in (1, 2))))
    watched(engine, robot)
    swing(engine, 0.0, 0.5)
    assert touched(engine) == {}


def test_links_that_pass_through_each_other_have_touched(engine: Engine) -> None:
    watched(engine, arm(4))
    for angle in np.arange(0.0, 2.5, 0.02):
        command(engine, np.full(4, angle))
        engine.step()
    assert any({"base", "bar4"} == set(pair) or "bar1" in pair for pair in touched(engine))


def test_a_driven_base_takes_its_links_past_things(engine: Engine) -> None:
    robot = replace(arm(1), base=Base.FOLLOWED, static=False)
    post = box("post", at(0.45, 0.5, 0.0), (0.02, 0.02, 0.02), static=True)
    watched(engine, robot, post)
    for y in np.arange(0.0, 1.0, 0.02):
        state = np.array([0, y, 0, 1, 0, 0, 0, 0, 0.02 / PERIOD, 0, 0, 0, 0], np.float64)
        engine.command_bases(state[None])
        command(engine, np.zeros(1))
        engine.step()
    assert engine.clearances(0.005).size == 0
    assert touched(engine)["bar1", "post"][2] > 0.002


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_free_box_that_is_struck_has_been_touched(engine: Engine, substeps: int) -> None:
    struck = box("box", at(0.45, 0.2, 0), (0.05, 0.05, 0.05), mass=0.2)
    watched(engine, arm(1), struck, substeps=substeps)
    swing(engine, 0.0, 1.0, 0.01)
    first, last, depth, force, *point = touched(engine)["bar1", "box"].tolist()
    assert STEP_NS < first <= last <= 100 * STEP_NS
    assert first % (STEP_NS / substeps) == pytest.approx(0.0, abs=1.0)
    assert 0.0 <= depth < 0.05
    assert force > 1.0
    assert np.linalg.norm(np.array(point) - (0.45, 0.2, 0.0)) < 0.2


def test_fingers_that_grip_touch_all_the_time_from_then_on(engine: Engine) -> None:
    watched(engine, gripper(), box("box", IDENTITY))
    positions = np.zeros(5)
    seen: list[dict[tuple[str, str], Floats]] = []
    for step in range(80):
        positions[3:] = min(0.0505, 0.001 * step)
        command(engine, positions)
        engine.step()
        if step % 16 == 15:
            seen.append(touched(engine))
    assert [set(found) for found in seen] == [set()] * 3 + [{("left", "box"), ("right", "box")}] * 2
    first, last, *_ = seen[-1]["left", "box"].tolist()
    assert (first, last) == pytest.approx((65 * STEP_NS, 80 * STEP_NS), abs=STEP_NS)


def test_what_another_model_moves_does_not_collide_and_is_not_noted(engine: Engine) -> None:
    watched(engine, arm(1), box("box", at(0.45, 0.2, 0), (0.05, 0.05, 0.05)))
    engine.follow("box", still_at(np.array(at(0.45, 0.2, 0)), 0))
    swing(engine, 0.0, 1.0)
    assert touched(engine) == {}


def test_a_lowered_object_collides_again_when_it_is_high(engine: Engine) -> None:
    watched(engine, arm(1), box("box", at(0.45, 0.2, 0), (0.05, 0.05, 0.05)))
    engine.set_fidelity(["box"], Fidelity.LOW)
    swing(engine, 0.0, 0.2)
    engine.set_fidelity(["box"], Fidelity.HIGH)
    swing(engine, 0.2, 1.0)
    assert set(touched(engine)) == {("bar1", "box")}


def test_a_restored_state_brings_the_same_touches(engine: Engine) -> None:
    watched(engine, *passing(), box("box", at(0.4, 0.24, 0), (0.05, 0.05, 0.05), mass=0.2))
    swing(engine, 0.0, 0.6)
    saved = engine.save()
    swing(engine, 0.6, 1.2)
    one = engine.take_touches()
    engine.restore(saved)
    swing(engine, 0.6, 1.2)
    other = engine.take_touches()
    assert len(one) == 2
    assert other.tobytes() == one.tobytes()


def test_a_touch_of_one_step_that_nobody_looks_at_is_not_lost(engine: Engine) -> None:
    watched(engine, *passing())
    for angle in np.arange(0.0, 2.0, 0.3):  # so fast that few steps of it touch
        command(engine, np.array([angle]), np.array([0.3 / PERIOD]))
        engine.step(is_seen=False)
    first, last, depth, *_ = touched(engine)["bar1", "post"].tolist()
    assert last - first <= STEP_NS
    assert depth > 0.0
