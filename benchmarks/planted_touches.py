"""Pushes planted into recordings of arms: how many are named, and how many are named where none is.

A vertical force of 10 N acts for 0.2 s on an arm's last link; J^T F is added to the recorded efforts. It counts if its
torque on some joint is above three standard deviations of what stays unexplained there at that speed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import numpy as np
from effort_split import GRAVITY, ROBOTS, Arm, links_of

from hetwin_calibration.efforts.arm_dynamics import ArmDynamics
from hetwin_calibration.efforts.noise import deviations
from hetwin_calibration.efforts.samples import sampled
from hetwin_calibration.efforts.split_arm import split_arm
from hetwin_calibration.efforts.touches import touches_of
from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.recorded_motion import read_motion
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

FORCE_N = 10.0
PUSH_S = 0.2
NEAR_S = 0.3


Recorded = tuple[str, Floats, Floats, Floats, list[ArmDynamics]]
"""Name, times, positions, efforts, and dynamics of the first joint, of the first two, and so on."""


def recordings(count: int) -> list[Recorded]:
    """Made-up recordings of three arms with noise, and the real one of a KUKA."""
    found = []
    for seed in range(count):
        arm = Arm(ROBOTS[seed % len(ROBOTS)])
        found.append((arm.name, *arm.recording(np.random.default_rng(seed), 30.0, {}), arm.links))
    folder = data_folder() / "kuka_lwr_mcap"
    body, bag = read_urdf(folder / "lwr.urdf", Notes()), Bag(folder)
    (series,) = read_motion(bag, None, {}, None, [body]).series
    bag.close()
    times = np.asarray(series.times_ns * 1e-9, np.float64)
    links = links_of(body, series.names)
    found += [("kuka", times, series.positions, series.efforts, links)] * count
    return found


def judged(
    times: Floats, positions: Floats, efforts: Floats, links: list[ArmDynamics], seed: int
) -> dict[str, int]:
    """Counts of pushes that count, of those named, and of names without a push."""
    random, dynamics = np.random.default_rng(seed), links[-1]
    begin = float(random.uniform(times[0] + 3.0, times[-1] - 3.0))
    during = np.flatnonzero((times >= begin) & (times < begin + PUSH_S))
    pushed, still = efforts.copy(), np.zeros(positions.shape[1])
    for i in during.tolist():
        pushed[i] += dynamics.loads(positions[i], still, still)[:, 0] * FORCE_N / -GRAVITY[2]
    torque = np.abs(pushed - efforts)[during].mean(axis=0)
    samples = sampled(times, positions, pushed, dynamics)
    names = tuple(map(str, range(positions.shape[1])))
    units = ("N m",) * len(names)
    arm = split_arm(names, units, "", samples, links, float(times[0]))
    middle = int(np.abs(samples.times - begin - 0.5 * PUSH_S).argmin())
    limit = 3.0 * np.nan_to_num(deviations(samples, arm.left)[middle], nan=np.inf)
    counts = bool((torque > limit).any())
    touches = touches_of(arm)
    at = begin - times[0]
    is_it = [t.begin - NEAR_S <= at + PUSH_S and t.end + NEAR_S >= at for t in touches]
    return {
        "pushes": int(counts),
        "named": int(counts and any(is_it)),
        "others": is_it.count(False),
    }


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=60, help="recordings of each kind")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    rows: dict[str, dict[str, float]] = {}
    for seed, recording in enumerate(recordings(given.runs)):
        name, times, positions, efforts, links = recording
        own = rows.setdefault(name, {"recordings": 0, "seconds": 0.0})
        own["recordings"] += 1
        own["seconds"] += float(times[-1] - times[0])
        for key, value in judged(times, positions, efforts, links, seed).items():
            own[key] = own.get(key, 0) + value
    if given.json:
        print(json.dumps(rows))
    for name, own in () if given.json else rows.items():
        named = f"{own['named']:.0f} of {own['pushes']:.0f} named"
        print(f"{name}: {named}, {own['others']:.0f} others in {own['seconds']:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
