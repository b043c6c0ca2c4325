"""Made-up robots on two wheels: they drive about, slip a little, and are seen with noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.drives.drive import Drive, Recording, reckoned

Floats = NDArray[np.float64]
PERIOD_S = 0.05
SHEET = Drive(0.05, 0.05, 0.3)
"""What is believed of all of them."""


@dataclass(frozen=True, slots=True)
class World:
    """How wheels slip, and how the truth is seen.

    Attributes:
        slip: standard deviation of what a wheel slips in a step, as a share of its way.
        place: noise of the truth [m].
        heading: noise of the truth [rad]; None if headings are not known.
        drift: of the truth's heading [rad/s], which its places do not have, as that of a gyro.
    """

    slip: float = 0.03
    place: float = 0.0015
    heading: float | None = 0.01
    drift: float = 0.0


def hidden_drive(rng: np.random.Generator) -> Drive:
    """A robot some percent off the sheet: radii 1 to 4, base 2 to 8, lag to 0.15 s."""

    def off(least: float, most: float) -> float:
        return 1.0 + float(rng.choice([-1.0, 1.0])) * rng.uniform(least, most)

    common = off(0.01, 0.03)
    left, right = (SHEET.left_radius * common * off(0.002, 0.01) for _ in range(2))
    return Drive(left, right, SHEET.base * off(0.02, 0.08), rng.uniform(0.0, 0.15))


def driven(drive: Drive, duration: float, rng: np.random.Generator, world: World) -> Recording:
    """Return what a robot with a drive recorded while it drove about: straights, curves, turns on the spot."""
    count = round(duration / PERIOD_S) + 1
    times = PERIOD_S * np.arange(count, dtype=np.float64)
    speed, turn = _commands(count, rng)
    wheels = np.column_stack(
        [
            (speed - 0.5 * drive.base * turn) / drive.left_radius,
            (speed + 0.5 * drive.base * turn) / drive.right_radius,
        ]
    )
    angles = np.cumsum(wheels * PERIOD_S, axis=0)
    angles -= angles[0]
    slipped: Floats = np.diff(angles, axis=0, prepend=angles[:1])
    slipped *= 1.0 + world.slip * rng.standard_normal(slipped.shape)
    rolled = Recording("", times, np.cumsum(slipped, axis=0), times, np.zeros((count, 2)), None)
    path = reckoned(drive.but(lag=0.0), rolled)
    places = path.places + world.place * rng.standard_normal((count, 2))
    headings = None
    if world.heading is not None:
        headings = path.headings + world.heading * rng.standard_normal(count) + world.drift * times
    seen = np.column_stack([np.interp(times - drive.lag, times, angle) for angle in angles.T])
    return Recording("made up", times, seen, times, places, headings)


def _commands(count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Speeds [m/s] and turns [rad/s], smoothed over half a second, from rest."""
    speed, turn = np.zeros(count), np.zeros(count)
    begin = 0
    while begin < count:
        end = begin + round(rng.uniform(1.5, 6.0) / PERIOD_S)
        kind = rng.integers(3)
        speed[begin:end] = (rng.uniform(0.15, 0.5), rng.uniform(0.1, 0.4), 0.0)[kind]
        turn[begin:end] = (0.0, rng.uniform(-0.8, 0.8), rng.uniform(-1.2, 1.2))[kind]
        begin = end
    smooth = np.ones(10) / 10
    return np.convolve(speed, smooth, "same"), np.convolve(turn, smooth, "same")


def off_after(drive: Drive, recording: Recording, seconds: float) -> tuple[float, float]:
    """Return how far dead reckoning is off after some time: root mean squares, [m] and [rad].

    Windows follow each other, and begin at true poses; written apart from what calibrates.
    """
    left, right = (
        np.interp(recording.times + drive.lag, recording.wheel_times, angle)
        for angle in recording.wheels.T
    )
    if drive.swapped:
        left, right = right, left
    ways = np.diff(drive.right_radius * right + drive.left_radius * left) / 2.0
    turns = np.diff(drive.right_radius * right - drive.left_radius * left) / drive.base
    turns += drive.yaw_bias * np.diff(recording.times)
    places, headings = [], []
    steps = round(seconds / float(np.median(np.diff(recording.times))))
    truth = recording.headings
    assert truth is not None
    for begin in range(0, len(ways) - steps + 1, steps):
        x, y = recording.places[begin]
        yaw = truth[begin]
        for way, turn in zip(
            ways[begin : begin + steps].tolist(), turns[begin : begin + steps].tolist(), strict=True
        ):
            x += way * np.cos(yaw + turn / 2.0)
            y += way * np.sin(yaw + turn / 2.0)
            yaw += turn
        end = begin + steps
        places.append(np.hypot(*(recording.places[end] - [x, y])))
        headings.append(yaw - truth[end])
    return float(np.sqrt(np.mean(np.square(places)))), float(np.sqrt(np.mean(np.square(headings))))
