"""Objects in high, medium and low fidelity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples
from support.small_worlds import (
    PERIOD,
    at,
    ball,
    box,
    everything,
    floor,
    frame,
    gripper,
    loaded,
    rest,
    sprung,
    still_at,
)

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Fidelity, Floats, pose_value
from model_nodes.main_physics.engines.engine import NO_HIT, Engine, Rangefinder, Unsupported
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.engines.mujoco import sleep

LOW, MEDIUM, HIGH = Fidelity.LOW, Fidelity.MEDIUM, Fidelity.HIGH
STACK = [f"box_{i}" for i in range(4)]


def stack(engine: Engine, **options: object) -> Engine:
    """Four boxes on top of each other, a ball that falls on them, and a gripper aside."""
    boxes = [box(name, at(0, 0, 0.05 + 0.1 * i)) for i, name in enumerate(STACK)]
    bodies = (floor(), *boxes, ball("ball", at(0.01, 0, 0.6)), gripper(at(2, 0, 1)))
    return loaded(engine, *bodies, options=options)


def poses(engine: Engine, names: list[str]) -> Floats:
    return np.concatenate([frame(engine, name)[:7] for name in names])


@pytest.mark.parametrize("level", [LOW, MEDIUM])
def test_a_lowered_object_hangs_in_the_air_and_falls_on_when_raised(
    engine: Engine, level: Fidelity
) -> None:
    stack(engine)
    rest(engine, 20)
    falling = frame(engine, "ball")
    engine.set_fidelity(["ball"], level)
    rest(engine, 50)
    hanging = frame(engine, "ball")
    assert np.array_equal(hanging[:7], falling[:7])
    assert not hanging[7:].any()
    engine.set_fidelity(["ball"], HIGH)
    assert np.array_equal(frame(engine, "ball"), falling)
    rest(engine, 1)
    assert frame(engine, "ball")[9] < falling[9]


@pytest.mark.parametrize("level", [LOW, MEDIUM])
def test_a_lowered_object_that_is_put_elsewhere_stays_there(
    engine: Engine, level: Fidelity
) -> None:
    stack(engine)
    engine.set_fidelity(["ball"], level)
    rest(engine, 5)
    there = pose_value((1.0, 0.0, 0.5), (0.6, 0.0, 0.0, 0.8)).data
    engine.hand_back("ball", still_at(there, round(5 * PERIOD * 1e9)))
    assert engine.fidelity("ball") is level
    rest(engine, 60)
    assert frame(engine, "ball") == pytest.approx(there, abs=1e-12)
    engine.set_fidelity(["ball"], HIGH)
    rest(engine, 1000)
    assert frame(engine, "ball")[:3] == pytest.approx((1.0, 0.0, 0.05), abs=2e-3)


def test_others_rest_on_a_medium_object_and_fall_through_a_low_one(engine: Engine) -> None:
    stack(engine)
    engine.set_fidelity(STACK[:2], MEDIUM)
    before = poses(engine, STACK[:2])
    rest(engine, 200)
    assert np.array_equal(poses(engine, STACK[:2]), before)
    assert frame(engine, STACK[2])[2] == pytest.approx(0.25, abs=2e-3)
    engine.set_fidelity(STACK[:2], LOW)
    rest(engine, 400)
    assert np.array_equal(poses(engine, STACK[:2]), before)
    assert frame(engine, STACK[2])[2] < 0.1


def test_the_robot_still_moves_when_all_objects_are_low(engine: Engine) -> None:
    stack(engine)
    engine.set_fidelity([*STACK, "ball"], LOW)
    for i in range(1, 101):
        target = np.array([0.001 * i, 0.0, 0.0, 0.0, 0.0])
        engine.command_joints(target, np.zeros(5), np.zeros(5))
        engine.step()
    positions, velocities = np.empty(5), np.empty(5)
    engine.read_joints(positions, velocities)
    assert positions[0] == pytest.approx(0.1, abs=1e-3)


def test_a_thousand_times_there_and_back_changes_no_bit(engine: Engine) -> None:
    twin = make_engine(engine.name)
    for one in (engine, twin):
        stack(one)
        rest(one, 60)
    before = everything(engine)
    for turn in range(1000):
        engine.set_fidelity([STACK[turn % 4], "ball"], (LOW, MEDIUM)[turn % 2])
        engine.set_fidelity([STACK[turn % 4], "ball"], HIGH)
    assert np.array_equal(everything(engine), before)
    if not engine.deterministic:
        return
    for one in (engine, twin):
        rest(one, 100)
    assert np.array_equal(everything(engine), everything(twin))


@pytest.mark.parametrize("options", [{}, {"sleep": True}], ids=["awake", "sleep"])
def test_a_saved_state_comes_back_with_its_levels(
    engine: Engine, options: dict[str, object]
) -> None:
    try:
        stack(engine, **options)
    except BadInput as error:
        pytest.skip(str(error))
    rest(engine, 300)
    engine.set_fidelity(STACK[:2], MEDIUM)
    engine.set_fidelity(["ball"], LOW)
    rest(engine, 30)
    state, runs = engine.save(), []
    for _ in range(2):
        engine.set_fidelity([STACK[0]], HIGH)
        rest(engine, 40)
        engine.set_fidelity(["ball"], HIGH)
        rest(engine, 200)
        runs.append(everything(engine))
        engine.set_fidelity([*STACK, "ball"], HIGH)
        rest(engine, 10)
        engine.restore(state)
        assert engine.fidelity("ball") is LOW
        assert engine.fidelity(STACK[0]) is MEDIUM
    if engine.deterministic:
        assert np.array_equal(runs[0], runs[1])
    count = 13 * len(engine.frames)
    assert runs[0][:count] == pytest.approx(runs[1][:count], abs=5e-3)


def test_what_another_model_leads_is_high_as_long_as_it_leads(engine: Engine) -> None:
    stack(engine)
    engine.set_fidelity(["ball"], LOW)
    pose = frame(engine, "ball")
    engine.follow("ball", still_at(pose + np.eye(13)[0], 0))
    assert engine.fidelity("ball") is HIGH
    rest(engine, 2)
    assert frame(engine, "ball")[0] == pytest.approx(pose[0] + 1.0)
    engine.hand_back("ball", still_at(frame(engine, "ball"), 0))
    assert engine.fidelity("ball") is LOW


def test_an_attached_object_is_high_as_long_as_it_is_attached(engine: Engine) -> None:
    stack(engine)
    engine.set_fidelity(["ball"], MEDIUM)
    engine.attach("ball", STACK[3])
    assert engine.fidelity("ball") is HIGH
    engine.set_fidelity(["ball"], LOW)
    assert engine.fidelity("ball") is HIGH
    engine.detach("ball")
    assert engine.fidelity("ball") is LOW


def test_levels_survive_when_a_body_is_added(engine: Engine) -> None:
    stack(engine)
    engine.set_fidelity([STACK[1]], MEDIUM)
    engine.add(box("new", at(1, 1, 0.05)))
    assert engine.fidelity(STACK[1]) is MEDIUM
    before = frame(engine, STACK[1])
    rest(engine, 20)
    assert np.array_equal(frame(engine, STACK[1]), before)


def test_only_free_objects_have_a_fidelity(engine: Engine) -> None:
    stack(engine)
    with pytest.raises(Unsupported, match="floor"):
        engine.set_fidelity(["floor"], LOW)


def test_with_sleep_what_rests_still_wakes_when_it_is_touched(engine: Engine) -> None:
    boxes = [box("low", at(0, 0, 0.05)), box("top", at(0, 0, 0.15)), box("aside", at(1, 0, 0.05))]
    loaded(engine, floor(), *boxes, ball("ball", at(0.02, 0, 2.0)), options={"sleep": True})
    rest(engine, 100)
    engine.set_fidelity(["low"], MEDIUM)
    engine.set_fidelity(["aside"], LOW)
    before = frame(engine, "top")
    rest(engine, 200)  # the ball lands at 0.6 s
    assert not np.array_equal(frame(engine, "top"), before)
    engine.set_fidelity(["low", "aside"], HIGH)
    rest(engine, 100)
    assert frame(engine, "aside")[2] == pytest.approx(0.05, abs=1e-3)


CHANGES = st.lists(
    st.tuples(
        st.sets(st.sampled_from([*STACK, "ball"]), min_size=1),
        st.sampled_from([LOW, MEDIUM, HIGH]),
        st.integers(0, 3),
    ),
    max_size=12,
)


@examples(20)
@given(changes=CHANGES, sleep=st.booleans())
def test_whatever_is_switched_all_is_as_before_when_it_is_high_again(
    changes: list[tuple[set[str], Fidelity, int]], sleep: bool
) -> None:
    engine = stack(make_engine("mujoco"), sleep=sleep)
    rest(engine, 40)
    at_first = [frame(engine, name) for name in (*STACK, "ball")]
    engine.set_fidelity([*STACK, "ball"], LOW)
    before = poses(engine, [*STACK, "ball"])
    for names, level, steps in changes:
        if level is not HIGH:
            engine.set_fidelity(sorted(names), level)
            rest(engine, steps)
    assert np.array_equal(poses(engine, [*STACK, "ball"]), before)
    for names, level, _ in changes:
        engine.set_fidelity(sorted(names), level)
    engine.set_fidelity([*STACK, "ball"], HIGH)
    for name, pose in zip((*STACK, "ball"), at_first, strict=True):
        assert np.array_equal(frame(engine, name), pose)


def test_a_low_link_of_the_robot_passes_through_and_follows_as_before(engine: Engine) -> None:
    bodies = (floor(), box("box", at(0, 0.05, 0.05)), gripper(at(0, 0, 0.05), gap=0.3))
    loaded(engine, *bodies)
    engine.set_fidelity(["left"], LOW)
    assert engine.fidelity("left") is LOW
    before = frame(engine, "box")
    close(engine)
    assert frame(engine, "box")[1] == pytest.approx(before[1], abs=1e-3)
    close(engine, back=True)
    engine.set_fidelity(["left"], HIGH)
    close(engine)
    assert frame(engine, "box")[1] < before[1] - 0.02


def close(engine: Engine, back: bool = False) -> None:
    """Close the left finger by 0.12 m, or open it again, in 0.3 s."""
    for i in range(121):
        share = 1.0 - i / 120 if back else i / 120
        engine.command_joints(np.array([0, 0, 0, 0.12 * share, 0.0]), np.zeros(5), np.zeros(5))
        engine.step()


def test_a_belt_carries_what_lies_on_it(engine: Engine) -> None:
    table = box("belt", at(0, 0, 0.1), (2.0, 0.5, 0.2), static=True)
    loaded(engine, floor(), table, box("box", at(-0.5, 0, 0.251)))
    rest(engine, 40)
    start = frame(engine, "box")
    engine.run_belt("belt", (0.5, 0.0, 0.0))
    rest(engine, 400)
    assert frame(engine, "box")[0] - start[0] == pytest.approx(0.5, abs=0.05)
    engine.run_belt("belt", (0.0, 0.0, 0.0))
    rest(engine, 100)
    assert abs(frame(engine, "box")[7]) < 1e-3


def test_a_range_sensor_sees_what_is_ahead_unless_its_link_is_low(engine: Engine) -> None:
    loaded(engine, floor(), box("box", at(0, 0, 0.05)), gripper(at(0, 0, 0.05), gap=0.3))
    place = frame(engine, "left")
    ahead = Rangefinder("left", (0.0, 0.0, 0.0), (0.0, -1.0, 0.0), 1.0)
    away = Rangefinder("left", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.5)
    (distance, seen), (nothing, none) = engine.read_rangefinders([ahead, away])
    assert engine.frames[int(seen)] == "box"
    assert distance == pytest.approx(place[1] - 0.05, abs=1e-3)
    assert (nothing, none) == (0.5, NO_HIT)
    engine.set_fidelity(["left"], LOW)
    assert engine.read_rangefinders([ahead]).tolist() == [[1.0, NO_HIT]]
    engine.set_fidelity(["left"], HIGH)
    assert engine.read_rangefinders([ahead])[0, 0] == distance


def shake(engine: Engine, steps: int = 40) -> float:
    """Lift the plate abruptly; returns the greatest deflection of the spring [m]."""
    positions, velocities = np.empty(2), np.empty(2)
    engine.read_joints(positions, velocities)
    (lifted, hanging), most = positions, 0.0
    for i in range(steps):
        lifted += 0.5 * PERIOD if i < 10 else 0.0
        engine.command_joints(np.array([lifted]), np.zeros(1), np.zeros(1))
        engine.step()
        engine.read_joints(positions, velocities)
        most = max(most, abs(positions[1] - hanging))
    return most


def spring(engine: Engine) -> float:
    """Position of the spring [m]."""
    positions = np.empty(2)
    engine.read_joints(positions, np.empty(2))
    return float(positions[1])


def test_a_spring_gives_way_and_is_stiff_below_high_fidelity(engine: Engine) -> None:
    loaded(engine, sprung())
    rest(engine, 2000)  # until it has swung out
    # DART, which holds the plate by impulses, lets it hang 1.3 % lower.
    assert spring(engine) == pytest.approx(-0.1 * 9.81 / 20.0, rel=0.02)
    given_way = shake(engine)
    assert given_way > 2e-3
    rest(engine, 2000)
    engine.set_fidelity(["plunger"], MEDIUM)
    assert shake(engine) < 2e-4
    engine.set_fidelity(["plunger"], HIGH)
    assert shake(engine) == pytest.approx(given_way, rel=0.1)


def _course(sleeps: bool) -> Floats:
    engine = stack(make_engine("mujoco"), sleep=sleeps)
    seen = []
    for level in (MEDIUM, LOW, HIGH, LOW, HIGH):
        engine.set_fidelity(["ball", STACK[3]], level)
        seen.append(everything(engine))
        for _ in range(60):
            rest(engine, 1)
            seen.append(everything(engine))
    return np.concatenate(seen)


@pytest.mark.parametrize("sleeps", [False, True])
def test_the_frames_of_a_large_world_are_read_as_those_of_a_small_one(
    sleeps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_sensors = _course(sleeps)
    monkeypatch.setattr(sleep, "MANY_SENSORS", 0)
    assert np.array_equal(_course(sleeps), by_sensors)
