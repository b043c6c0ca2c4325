"""How much better models get by what robots did: drives, real and made up, and travel times.

python benchmarks/calibration.py [--json] [--robots N]

Each robot is learned from one half of its recordings and judged on the other, by a dead reckoning written apart from
the one that learns. Real: the two-wheeled robot's squares and circles, every other run learned. Made up: robots whose
sheet is some percent off, robots whose sheet is right, and robots whose truth is not consistent.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from made_up_drives import SHEET, World, driven, hidden_drive, off_after

from hetwin_calibration.drives.calibrating import Calibration, calibrate
from hetwin_calibration.drives.drive import Drive, Recording
from hetwin_calibration.drives.logs import read_recording
from hetwin_calibration.travel.model import Lap, TravelModel, choose
from hetwin_core.ensemble.resources import data_folder

Errors = tuple[float, float]
"""Of places [m] and headings [rad]."""
HALF_S = 300.0
REAL_SHEET = Drive(0.042, 0.042, 0.2)
REAL_STARTS = {
    "as the maker says": REAL_SHEET,
    "radii, base and lag off": Drive(0.042 * 1.05, 0.042 * 1.09, 0.18, 0.25),
}
WORLDS = {
    "off": World(),
    "right": World(),
    "gyro": World(drift=0.003),
    "slippery": World(slip=0.1),
    "quiet": World(slip=0.005, place=0.0005, heading=0.002),
}
"""Kinds of made-up robots; only the sheets of `right` and `gyro` ones are right."""


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--robots", type=int, default=10, help="made-up robots of each kind")
    options = parser.parse_args()
    rows = [*_real(), *_made_up(options.robots), *_travel(2 * options.robots)]
    if options.json:
        print(json.dumps({"rows": rows}))
        return 0
    for row in rows:
        print("  ".join(f"{key} {_shown(value)}" for key, value in row.items()))
    return 0


def _shown(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _real() -> Iterator[dict[str, Any]]:
    folder = data_folder() / "two_wheel_robot"
    if not folder.is_dir():
        print(f"left out, there is no {folder}", file=sys.stderr)
        return
    runs = [
        [read_recording(folder / f"{kind}_a_0{i}.csv", None, None) for i in range(1, 7)]
        for kind in ("square", "circle")
    ]
    learned = [run for kind in runs for run in kind[::2]]
    others = [run for kind in runs for run in kind[1::2]]
    for name, sheet in REAL_STARTS.items():
        found = calibrate(learned, sheet)
        row: dict[str, Any] = {"robot": f"real, {name}", "chosen": list(found.chosen)}
        for seconds in (30.0, 60.0):
            before, after = (_pooled(drive, others, seconds) for drive in (sheet, found.drive))
            row[f"place_{seconds:.0f}"] = 1.0 - after[0] / before[0]
            row[f"heading_{seconds:.0f}"] = 1.0 - after[1] / before[1]
        yield {**row, **found.drive.parameters}


def _pooled(drive: Drive, runs: Sequence[Recording], seconds: float) -> Errors:
    """Root mean squares over windows of several runs [m, rad]."""
    weights = [int(run.duration / seconds + 1e-6) for run in runs]
    errors = [
        (off_after(drive, run, seconds), weight)
        for run, weight in zip(runs, weights, strict=True)
        if weight
    ]
    total = sum(weights)
    place = sum(weight * place**2 for (place, _), weight in errors) / total
    heading = sum(weight * heading**2 for (_, heading), weight in errors) / total
    return place**0.5, heading**0.5


class _Gain(NamedTuple):
    """What one half of a recording teaches, and by which shares errors fall in the other; below 0 if they grow."""

    found: Calibration
    place: float
    heading: float
    possible: tuple[float, float]
    """The same shares for the drive that the robot has: what wheels slip no drive foretells."""


def _made_up(count: int) -> Iterator[dict[str, Any]]:
    for kind, world in WORLDS.items():
        for places_only in (False, True) if kind == "off" else (False,):
            gains = [_robot(seed, kind, world, places_only) for seed in range(count)]
            places, headings = zip(*(gain.possible for gain in gains), strict=True)
            yield {
                "robot": f"made up, {kind}" + (", wheels swapped, places only" * places_only),
                "updated": sum(gain.found.verdict == "updated" for gain in gains),
                "swapped": sum(gain.found.drive.swapped for gain in gains),
                **_spread("place_30", [gain.place for gain in gains]),
                **_spread("heading_30", [gain.heading for gain in gains]),
                **_spread("possible_place_30", places),
                **_spread("possible_heading_30", headings),
            }


def _robot(seed: int, kind: str, world: World, places_only: bool) -> _Gain:
    rng = np.random.default_rng(seed)
    drive = SHEET if kind in ("right", "gyro") else hidden_drive(rng)
    whole = driven(drive, 2.0 * HALF_S, rng, world)
    learned, other = whole.between(0.0, HALF_S), whole.between(HALF_S, 2.0 * HALF_S)
    before = off_after(SHEET, other, 30.0)
    possible = _falls(before, off_after(drive, other, 30.0))
    if places_only:
        swapped = whole.wheels[:, ::-1]
        learned = replace(learned, headings=None, wheels=swapped)
        other = replace(other, wheels=swapped)
    found = calibrate([learned], SHEET)
    return _Gain(found, *_falls(before, off_after(found.drive, other, 30.0)), possible)


def _falls(before: Errors, after: Errors) -> tuple[float, float]:
    return 1.0 - after[0] / before[0], 1.0 - after[1] / before[1]


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    return {f"{name}_median": statistics.median(values), f"{name}_worst": min(values)}


# ---------------------------------------------------------------------- travel times

TRAVEL_SHEET = TravelModel(1.5, 3.0, 0.4, 0.8, 0.1)
PERIOD_S = 0.05
LAPS = 45


def _travel(count: int) -> Iterator[dict[str, Any]]:
    falls = sorted(_fall(np.random.default_rng(seed)) for seed in range(count))
    yield {
        "robot": "made up, travel times",
        "median": statistics.median(falls),
        "second_worst": falls[1],
        "worst": falls[0],
    }


def _fall(rng: np.random.Generator) -> float:
    """By which share the median error of predicted times falls for a hidden robot."""
    off = rng.uniform(0.75, 1.25, 4).tolist()
    sheet = (1.5, 3.0, 0.4, 0.8)
    turn_speed, turn_acceleration, speed, acceleration = np.multiply(sheet, off).tolist()
    lag = rng.uniform(0.05, 0.4)
    robot = TravelModel(turn_speed, turn_acceleration, speed, acceleration, lag)
    laps = [_lap(robot, rng) for _ in range(2 * LAPS)]
    learned, others = laps[:LAPS], laps[LAPS:]
    times = np.array([lap.real for lap in others], dtype=np.float64)
    before = np.median(np.abs(np.array([lap.virtual for lap in others]) - times))
    after = np.median(np.abs(choose(learned).predict(others) - times))
    return float(1.0 - after / before)


def _lap(robot: TravelModel, rng: np.random.Generator) -> Lap:
    rotation, displacement = rng.uniform(-3.1, 3.1), rng.uniform(0.0, 2.0)
    disturbed = rng.uniform(0.5, 3.0) if rng.random() < 0.05 else 0.0
    real = robot.time(rotation, displacement) + disturbed
    virtual = TRAVEL_SHEET.time(rotation, displacement)
    return Lap(rotation, displacement, *(np.ceil(t / PERIOD_S) * PERIOD_S for t in (real, virtual)))


if __name__ == "__main__":
    sys.exit(main())
