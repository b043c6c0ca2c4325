"""Measures whether the intervals that `hetwin calibrate travel` states hold the robot that made the laps."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence

import numpy as np
from machine import machine

from hetwin_calibration.travel.model import NAMES, Lap, TravelModel, travel_model

SHEET = TravelModel(1.5, 3.0, 0.4, 0.8, 0.1)
"""What is believed of all robots."""
PERIOD_S = 0.05
"""Laps are counted in cycles."""
LAPS = 60
WITHIN = {"68 %": 1.0, "95 %": 1.96}


def robot(rng: np.random.Generator) -> TravelModel:
    """A robot up to a quarter off the sheet."""
    off = rng.uniform(0.75, 1.25, 4)
    known = (SHEET.turn_speed, SHEET.turn_acceleration, SHEET.speed, SHEET.acceleration)
    speeds = [value * factor for value, factor in zip(known, off.tolist(), strict=True)]
    values = [*speeds, rng.uniform(0.05, 0.4)]
    return TravelModel(**dict(zip(NAMES, values, strict=True)))


def laps_of(one: TravelModel, rng: np.random.Generator) -> list[Lap]:
    """Laps of commands drawn at random, one of twenty disturbed."""
    found = []
    for _ in range(LAPS):
        rotation, displacement = rng.uniform(-3.1, 3.1), rng.uniform(0.0, 2.0)
        late = rng.uniform(0.5, 3.0) if rng.random() < 0.05 else 0.0
        times = (model.time(rotation, displacement) for model in (one, SHEET))
        real, virtual = times
        found.append(Lap(rotation, displacement, _cycles(real + late), _cycles(virtual)))
    return found


def _cycles(time: float) -> float:
    return math.ceil(time / PERIOD_S) * PERIOD_S


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robots", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1000, help="of the first robot")
    parser.add_argument("--json", action="store_true", help="print the shares as JSON")
    options = parser.parse_args(arguments)
    off = []
    for seed in range(options.seed, options.seed + options.robots):
        rng = np.random.default_rng(seed)
        one = robot(rng)
        fit = travel_model(laps_of(one, rng))
        off.append([(fit.parameters[n] - getattr(one, n)) / fit.sd[n] for n in NAMES])
    away = np.abs(off)
    shares = {
        name: {words: float((away[:, i] < most).mean()) for words, most in WITHIN.items()}
        for i, name in enumerate(NAMES)
    }
    if options.json:
        print(json.dumps({"machine": machine(), "robots": options.robots, "shares": shares}))
        return 0
    for name, own in shares.items():
        print(f"{name:18s}", *(f"{words}: {share:6.1%}" for words, share in own.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
