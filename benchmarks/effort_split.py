"""Measures whether what efforts are split into is true: on made-up recordings of three arms, with and without causes.

In recordings with causes, half of the joints have dry and viscous friction, an offset, a lag and some a wrong sign, and
a load hangs on the last link. In as many recordings nothing is added but noise: no parameter may be claimed there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from machine import machine

from hetwin_calibration.efforts.arm_dynamics import ArmDynamics
from hetwin_calibration.efforts.fitting import split
from hetwin_calibration.efforts.samples import CREEP, sampled
from hetwin_calibration.efforts.splitting import OF_LOAD, Split
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.urdf.reader import read_urdf

_FOLDER = "package://example-robot-data/robots"
ROBOTS = (
    f"{_FOLDER}/ur_description/urdf/ur10_robot.urdf",
    f"{_FOLDER}/panda_description/urdf/panda.urdf",
    f"{_FOLDER}/z1_description/urdf/z1.urdf",
)
_STEP_S = 0.01
_LARGEST_JOINTS = 7
GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True)
class Cause:
    """A parameter that was planted, and what was said of it."""

    robot: str
    seed: int
    name: str
    joint: int | None
    planted: float
    value: float | None
    sd: float | None

    @property
    def is_covered(self) -> bool:
        """Whether it is in its interval of 95 %."""
        if self.value is None or self.sd is None:
            return False
        return abs(self.value - self.planted) <= 1.96 * self.sd


def links_of(body: Body, joints: Sequence[str]) -> list[ArmDynamics]:
    """Dynamics of the first of some joints, of the first two, and so on."""
    return [ArmDynamics(body, joints[: k + 1], GRAVITY) for k in range(len(joints))]


class Arm:
    """A robot's arm, whose recordings are made up."""

    def __init__(self, robot: str) -> None:
        self.name = Path(robot).stem
        body = read_urdf(Resources(Path.cwd()).find(robot), Notes())
        joints = [j for j in body.driven_joints if j.mimic is None and j.max_effort][
            :_LARGEST_JOINTS
        ]
        joints = [
            j for j in joints if "finger" not in j.name.lower() and "gripper" not in j.name.lower()
        ]
        self.joints = joints
        self.links = links_of(body, [j.name for j in joints])
        self.dynamics = self.links[-1]

    def recording(
        self,
        random: np.random.Generator,
        seconds: float,
        planted: dict[tuple[str, int | None], float],
    ) -> tuple[Floats, Floats, Floats]:
        """Times, positions and efforts, with what is planted and with noise of one percent."""
        n = len(self.joints)
        times = np.arange(0.0, seconds, _STEP_S)
        middle = np.array([_middle(j.lower, j.upper) for j in self.joints])
        rates = random.uniform(0.08, 0.5, (3, n)) * 2.0 * np.pi
        phases = random.uniform(0.0, 2.0 * np.pi, (3, n))
        sizes = random.uniform(0.1, 0.35, (3, n))

        def at(when: Floats) -> tuple[Floats, Floats, Floats]:
            angle = rates[:, None] * when[None] + phases[:, None]
            size = sizes[:, None]
            q = middle + (size * np.sin(angle)).sum(axis=0)
            v = (size * rates[:, None] * np.cos(angle)).sum(axis=0)
            a = -(size * rates[:, None] ** 2 * np.sin(angle)).sum(axis=0)
            return q, v, a

        load = np.array([planted.get((name, None), 0.0) for name in OF_LOAD])
        efforts = np.zeros((len(times), n))
        lags = np.array([planted.get(("lag", j), 0.0) for j in range(n)])
        for lag in np.unique(lags).tolist():
            q, v, a = at(np.repeat((times - lag)[:, None], n, axis=1))
            bodies = np.array([self.dynamics.rigid(*row) for row in zip(q, v, a, strict=True)])
            if load.any():
                loads = [self.dynamics.loads(*row) @ load for row in zip(q, v, a, strict=True)]
                bodies += np.array(loads)
            of = {
                name: np.array([planted.get((name, j), 0.0) for j in range(n)])
                for name in ("dry", "viscous", "offset")
            }
            bodies += of["dry"] * np.clip(v / CREEP, -1.0, 1.0) + of["viscous"] * v + of["offset"]
            efforts[:, lags == lag] = bodies[:, lags == lag]
        noise = self.noise(efforts)
        signs = np.array([planted.get(("sign", j), 1.0) for j in range(n)])
        positions = at(np.repeat(times[:, None], n, axis=1))[0] + random.normal(
            0.0, 1e-5, efforts.shape
        )
        return times, positions, signs * efforts + random.normal(0.0, 1.0, efforts.shape) * noise

    def noise(self, efforts: Floats) -> Floats:
        """Standard deviations of the sensors (n,) [Nm or N]."""
        found: Floats = np.maximum(0.02 * efforts.std(axis=0), 0.02)
        return found

    def split(self, times: Floats, positions: Floats, efforts: Floats) -> Split:
        """Split a recording."""
        return split(sampled(times, positions, efforts, self.dynamics))


def _middle(lower: float | None, upper: float | None) -> float:
    return (
        0.0
        if lower is None or upper is None
        else float(np.clip(0.0, 0.7 * lower + 0.3 * upper, 0.3 * lower + 0.7 * upper))
    )


def planted_for(random: np.random.Generator, arm: Arm) -> dict[tuple[str, int | None], float]:
    """Draw causes."""
    found: dict[tuple[str, int | None], float] = {}
    lag = random.uniform(0.01, 0.06)
    for j, joint in enumerate(arm.joints):
        scale = float(joint.max_effort or 1.0)
        if random.random() < 0.5:
            found["dry", j] = random.uniform(0.02, 0.06) * scale
            found["viscous", j] = random.uniform(0.02, 0.06) * scale
        if random.random() < 0.3:
            found["offset", j] = random.choice([-1.0, 1.0]) * random.uniform(0.01, 0.04) * scale
        if random.random() < 0.15:
            found["sign", j] = -1.0
        found["lag", j] = lag
    if random.random() < 0.7:
        mass = random.uniform(0.3, 3.0)
        found["mass", None] = mass
        for axis in "xyz":
            found[f"mass_{axis}", None] = mass * random.uniform(-0.1, 0.1)
    return found


def causes_of(arm: Arm, seed: int, seconds: float) -> list[Cause]:
    """Plant causes and say what was found of them."""
    random = np.random.default_rng(seed)
    planted = planted_for(random, arm)
    found = arm.split(*arm.recording(random, seconds, planted))
    rows = []
    for (name, joint), value in planted.items():
        if name == "sign":
            sign = float(found.signs[joint])
            rows.append(Cause(arm.name, seed, name, joint, value, sign, 1e-9))
            continue
        claim = next((c for c in found.claims if (c.name, c.joint) == (name, joint)), None)
        known = (None, None) if claim is None else (claim.value, claim.sd)
        rows.append(Cause(arm.name, seed, name, joint, value, *known))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--runs", type=int, default=100, help="recordings with causes, and as many without"
    )
    parser.add_argument("--seconds", type=float, default=30.0, help="of each recording")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args(arguments)
    arms = [Arm(robot) for robot in ROBOTS]
    rows: list[Cause] = []
    false: list[tuple[str, int, str, int | None, float, float]] = []
    for i in range(options.runs):
        arm, seed = arms[i % len(arms)], options.seed + i
        rows += causes_of(arm, seed, options.seconds)
        random = np.random.default_rng(10_000_000 + seed)
        found = arm.split(*arm.recording(random, options.seconds, {}))
        false += [(arm.name, seed, c.name, c.joint, c.value, c.sd) for c in found.claims]
        false += [
            (arm.name, seed, "sign", j, -1.0, 0.0) for j in np.flatnonzero(found.signs < 0).tolist()
        ]
    if options.json:
        print(
            json.dumps(
                {"machine": machine(), "rows": [asdict(row) for row in rows], "false": false}
            )
        )
        return 0
    for name in sorted({row.name for row in rows}):
        own = [row for row in rows if row.name == name]
        missed = sum(row.value is None for row in own)
        covered = sum(row.is_covered for row in own)
        share = f"{covered / len(own):.1%}"
        print(
            f"{name:8s} planted {len(own):4d}  covered {covered:4d} ({share})  not claimed {missed}"
        )
    print(
        f"claims where nothing was planted: {len(false)} in {options.runs} recordings", false[:10]
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
