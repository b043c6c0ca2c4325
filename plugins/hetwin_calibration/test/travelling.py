"""Simulated robots with travel times."""

from __future__ import annotations

import math

import numpy as np

from hetwin_calibration.travel.model import Lap, TravelModel

SHEET = TravelModel(1.5, 3.0, 0.4, 0.8, 0.1)
"""Data sheet of all robots."""
PERIOD_S = 0.05
"""Laps are counted in cycles."""


def hidden_robot(rng: np.random.Generator) -> TravelModel:
    """A robot with speeds and accelerations up to a quarter off the sheet."""
    off = rng.uniform(0.75, 1.25, 4)
    return TravelModel(
        *(value * factor for value, factor in zip((1.5, 3.0, 0.4, 0.8), off.tolist(), strict=True)),
        lag=rng.uniform(0.05, 0.4),
    )


def laps_of(robot: TravelModel, count: int, rng: np.random.Generator) -> list[Lap]:
    """Laps of commands drawn at random, one of twenty disturbed."""
    return [_lap(robot, rng) for _ in range(count)]


def _lap(robot: TravelModel, rng: np.random.Generator) -> Lap:
    rotation, displacement = rng.uniform(-3.1, 3.1), rng.uniform(0.0, 2.0)
    time = robot.time(rotation, displacement)
    if rng.random() < 0.05:
        time += rng.uniform(0.5, 3.0)
    return Lap(
        *(rotation, displacement, _cycles(time), _cycles(SHEET.time(rotation, displacement)))
    )


def _cycles(time: float) -> float:
    return math.ceil(time / PERIOD_S) * PERIOD_S
