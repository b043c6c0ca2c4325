"""What happens in the moving frame is what happens in the world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from jug import Filled, tilted

from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.values import Floats, pose_value
from hetwin_fluid.balls import Balls, Kind, Substance
from hetwin_fluid.motion import CupMotion

GRAVITY = np.array([0.0, 0.0, -9.81])
SUBSTANCE = Substance(Kind.POINTS, 0.006, 1000.0, 0.0, 0.001)


def tumbling(time: float) -> Floats:
    """A frame that spins about a tilted axis while it is accelerated."""
    axis, rate = np.array([0.36, 0.48, 0.8]), 3.0
    half = 0.5 * rate * time
    turn = (math.cos(half), *(math.sin(half) * axis))
    place, velocity = (0.4 * time**2, 0.1 * time, 0.0), (0.8 * time, 0.1, 0.0)
    return pose_value(place, turn, linear=velocity, angular=tuple(rate * axis)).data


def test_a_ball_that_touches_nothing_falls_on_a_parabola() -> None:
    balls = Balls((), 1, SUBSTANCE)
    start = pose_value((0.1, -0.2, 0.3), linear=(0.5, 0.2, 1.0)).data
    local = relative_to(tumbling(0.0), start)
    balls.place([0], local[None, :3], local[None, 7:10])
    motion = CupMotion(GRAVITY, 0)
    period = 0.002
    motion.add(0, tumbling(0.0))
    for step in range(1, 251):
        motion.add(round(step * period * 1e9), tumbling(step * period))
        balls.advance(period, motion.field())
    time = 250 * period
    expected = start[:3] + time * start[7:10] + 0.5 * time**2 * GRAVITY
    relative = pose_value(balls.positions[0], linear=balls.velocities[0]).data
    found = compose(tumbling(time), relative)
    assert found[:3] == pytest.approx(expected, abs=0.01)
    assert found[7:10] == pytest.approx(start[7:10] + time * GRAVITY, abs=0.05)


def test_a_jump_of_the_pose_is_not_felt() -> None:
    motion = CupMotion(GRAVITY, 0)
    motion.add(0, pose_value((0.0, 0.0, 1.0)).data)
    motion.add(10_000_000, pose_value((0.0, 0.01, 1.0)).data)
    assert motion.field().uniform == pytest.approx(GRAVITY)


def test_noise_of_the_velocity_is_smoothed() -> None:
    noise = np.random.default_rng(1).normal(0.0, 0.02, (200, 3))

    def felt(window_ns: int) -> float:
        motion, found = CupMotion(GRAVITY, window_ns), []
        for step, linear in enumerate(noise):
            motion.add(step * 10_000_000, pose_value((0, 0, 1.0), linear=linear).data)
            found.append(motion.field().uniform - GRAVITY)
        return float(np.std(found[20:]))

    assert felt(80_000_000) < 0.15 * felt(0)


def test_in_free_fall_the_cup_feels_nothing_of_the_fluid() -> None:
    filled = Filled(particles=20)
    filled.go(0.5)
    begun = filled.steps * 0.01

    def falling(time: float) -> Floats:
        t = time - begun
        return pose_value((0, 0, 1.0 - 4.905 * t**2), linear=(0, 0, -9.81 * t)).data

    filled.go(0.4, falling)
    assert np.abs(filled.told("external_wrench")[:3]).max() < 0.01


def test_a_shaken_cup_pushes_back_with_the_fluids_inertia() -> None:
    """Accelerated upward by 5 m/s2, the fluid weighs half as much again."""
    filled = Filled(particles=20)
    filled.go(0.5)
    weight = filled.told("external_wrench")[2]
    begun = filled.steps * 0.01

    def rising(time: float) -> Floats:
        t = time - begun
        return pose_value((0, 0, 1.0 + 2.4525 * t**2), linear=(0, 0, 4.905 * t)).data

    filled.go(0.4, rising)
    assert filled.told("external_wrench")[2] == pytest.approx(1.5 * weight, rel=0.05)


@pytest.mark.parametrize(("angle", "spills"), [(0.4, False), (1.0, False), (2.2, True)])
def test_tilting_past_the_rim_spills(angle: float, spills: bool) -> None:
    motion = tilted(angle, 1.0)
    filled = Filled(motion, particles=50)
    filled.go(2.2, motion)
    told = filled.events("spilled")
    assert bool(told) is spills
    assert sum(event["count"] for event in told) == 50 - filled.count
    if spills:
        assert filled.count == 0
        assert filled.events("empty") == [{"cup": "jug"}]
        check_places(told)


def check_places(told: list[dict[str, Any]]) -> None:
    """They leave below the tilted jug's middle, to the side to which it is tilted."""
    places = np.concatenate([event["positions"] for event in told])
    assert places.shape == (50, 3)
    assert (places[:, 1] < -0.03).all()
    assert (places[:, 2] < 1.02).all()
    assert (np.concatenate([event["velocities"] for event in told])[:, 2] < 0).mean() > 0.9
