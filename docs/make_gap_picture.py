"""Draw the picture of docs/gap.md: a shoulder's efforts beyond its bodies', in simulation and on a robot.

Run as ``python docs/make_gap_picture.py [--out FILE]``. Both recordings are made up by `benchmarks/effort_split.py`;
the robot's has friction, a payload and a push of 30 N for 0.3 s.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "benchmarks"))

from effort_split import Arm  # noqa: E402

from hetwin_calibration.efforts.samples import sampled  # noqa: E402
from hetwin_calibration.efforts.split_arm import SplitArm, split_arm  # noqa: E402
from hetwin_calibration.efforts.touches import touches_of  # noqa: E402

OUT = ROOT / "docs" / "pictures" / "gap.svg"
ROBOT = ROOT / "urdf" / "tabletop_arm.urdf"
PLANTED: dict[tuple[str, int | None], float] = {
    ("dry", 1): 4.0,
    ("viscous", 1): 3.0,
    ("mass", None): 0.8,
}
JOINT, SECONDS, PUSHED_S, PUSH_S, PUSH_N = 1, 25.0, 12.0, 0.3, 30.0
WIDTH, LEFT, RIGHT, ZERO, SCALE = 760, 50.0, 740.0, 130.0, 13.0
"""Of the picture, in pixels; `SCALE` is of one N m."""


def recording(*, planted: bool) -> SplitArm:
    """The split of a recording, with or without all that the robot has beyond its simulation."""
    arm = Arm(str(ROBOT))
    causes = PLANTED if planted else {}
    times, positions, efforts = arm.recording(np.random.default_rng(4), SECONDS, causes)
    still = np.zeros(positions.shape[1])
    during = (times >= PUSHED_S) & (times < PUSHED_S + PUSH_S) & planted
    for i in np.flatnonzero(during).tolist():
        efforts[i] += arm.dynamics.loads(positions[i], still, still)[:, 0] * PUSH_N / 9.81
    names = [joint.name for joint in arm.joints]
    units = ("N m",) * len(names)
    samples = sampled(times, positions, efforts, arm.dynamics)
    return split_arm(names, units, arm.dynamics.last, samples, arm.links, float(times[0]))


def x_of(seconds: float) -> float:
    """Where a time is drawn."""
    return LEFT + (RIGHT - LEFT) * seconds / SECONDS


def line(arm: SplitArm, efforts: list[float], colour: str, width: float) -> str:
    """A line of efforts [N m] over time."""
    points = " ".join(
        f"{x_of(t):.1f},{ZERO - SCALE * effort:.1f}"
        for t, effort in zip(arm.samples.times.tolist(), efforts, strict=True)
    )
    return f'<polyline fill="none" stroke="{colour}" stroke-width="{width}" points="{points}"/>'


def picture() -> str:
    """Return the picture, as SVG."""
    simulated, robot = recording(planted=False), recording(planted=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="260" viewBox="0 0 {WIDTH} 260">',
        '<g font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for touch in touches_of(robot):
        begin, end = x_of(touch.begin), x_of(touch.end)
        parts.append(
            f'<rect x="{begin:.1f}" y="20" width="{end - begin:.1f}" height="200" fill="#ffd9c2"/>'
            f'<text x="{end + 5:.1f}" y="32">touch</text>'
        )
    for effort in (-8, -4, 0, 4, 8):
        y = ZERO - SCALE * effort
        parts.append(
            f'<line x1="{LEFT:g}" x2="{RIGHT:g}" y1="{y:g}" y2="{y:g}" stroke="#ddd"/>'
            f'<text x="44" y="{y + 4:g}" text-anchor="end">{effort}</text>'
        )
    for seconds in range(0, 26, 5):
        x = x_of(seconds)
        parts.append(f'<text x="{x:g}" y="238" text-anchor="middle">{seconds} s</text>')
    lines = (
        (simulated, simulated.found.bodies_left(simulated.samples), "#999", 1.0, "simulation", 340),
        (robot, robot.found.bodies_left(robot.samples), "#4477aa", 1.4, "robot", 415),
        (robot, robot.left, "#222", 1.2, "robot less friction and payload", 460),
    )
    parts += [line(arm, left[:, JOINT].tolist(), *style) for arm, left, *style, _, _ in lines]
    parts += [
        f'<text x="{x}" y="14" fill="{colour}">{words}</text>' for *_, colour, _, words, x in lines
    ]
    name = robot.joints[JOINT]
    parts.append(f'<text x="50" y="14">{name}, N m beyond what its bodies need:</text></g></svg>')
    return "\n".join(parts) + "\n"


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="default: the one of the docs")
    parser.parse_args().out.write_text(picture(), "utf-8")


if __name__ == "__main__":
    main()
