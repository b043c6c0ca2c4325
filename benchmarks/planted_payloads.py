"""Payloads of 0.3 kg planted into made-up recordings of arms: how many are named, and how well they are weighed.

A payload counts if its torque on some joint, root mean square, is above three standard deviations of what the split
leaves there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import numpy as np
from effort_split import ROBOTS, Arm

from hetwin_calibration.efforts.fitting import split
from hetwin_calibration.efforts.samples import sampled

MASS_KG = 0.3


def judged(arm: Arm, seed: int, seconds: float) -> dict[str, float]:
    """Whether a payload counts, whether it is named, and its error in standard deviations."""
    random = np.random.default_rng(seed)
    planted: dict[tuple[str, int | None], float] = {("mass", None): MASS_KG}
    for axis in "xyz":
        planted[f"mass_{axis}", None] = MASS_KG * random.uniform(-0.1, 0.1)
    for j, joint in enumerate(arm.joints):
        planted["dry", j] = random.uniform(0.0, 0.04) * float(joint.max_effort or 1.0)
    samples = sampled(*arm.recording(random, seconds, planted), arm.dynamics)
    found = split(samples)
    load = [planted[name, None] for name in ("mass", "mass_x", "mass_y", "mass_z")]
    torque = np.sqrt(((samples.loads @ np.array(load)) ** 2).mean(axis=0))
    counts = bool((torque > 3.0 * np.nan_to_num(found.noise, nan=np.inf)).any())
    claim = next((one for one in found.claims if one.name == "mass"), None)
    return {
        "payloads": int(counts),
        "named": int(counts and claim is not None),
        "inside": int(
            counts and claim is not None and abs(claim.value - MASS_KG) <= 1.96 * claim.sd
        ),
    }


def main(arguments: Sequence[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100, help="recordings")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each recording")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    arms = [Arm(robot) for robot in ROBOTS]
    rows: dict[str, dict[str, float]] = {}
    for seed in range(given.runs):
        arm = arms[seed % len(arms)]
        own = rows.setdefault(arm.name, {})
        for key, value in judged(arm, seed, given.seconds).items():
            own[key] = own.get(key, 0) + value
    if given.json:
        print(json.dumps(rows))
    for name, own in () if given.json else rows.items():
        print(
            f"{name}: {own['named']:.0f} of {own['payloads']:.0f} payloads named,"
            f" {own['inside']:.0f} in their interval of 95 %"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
