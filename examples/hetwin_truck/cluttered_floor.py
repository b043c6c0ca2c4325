"""Writes a scenario in which a lab robot pushes its way over a floor full of loose boxes.

``python -m hetwin_truck.cluttered_floor --boxes 300 --out DIR``. Most boxes are out of the robot's reach at any time: a
second application of fidelity management, after the truck.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_stand_ins.sdf_text import SdfModel, SdfShape, world_sdf

COMMENT = "A floor full of loose boxes. Metres. Written by hetwin_truck/cluttered_floor.py."
SCENARIO = """# A lab robot pushes its way over a floor full of loose boxes, most of which it cannot reach.
scenario: cluttered_floor
description: A lab robot that drives through loose boxes, with fidelity management.
world: floor.sdf
robot:
  urdf: urdf/lab_robot.urdf
  pose: [0, 0, 0, 1, 0, 0, 0]
  base: free
  drives: {wheels: {joints: ["*_wheel_joint"], mode: velocity, acceleration: 15}}
  wheels: {left: [left_wheel_joint], right: [right_wheel_joint]}
rate: 200
source: {trajectory: drive.yaml}
log: {state_rate: 20}
uncertainty:           # properties of boxes that cannot be observed
  box_*: {mass: {factor: 0.3}, friction: {between: [0.3, 0.7]}}
models:
  physics:
    type: main_physics
    main: true
    engine: mujoco
    parameters: {options: {noslip_iterations: 0, impratio: 1.0}}
  near: {type: fidelity_near_robot, rate: 50, parameters: {objects: "box_*", mode: AdFi-1}}
responsibilities:
  - {entity: "*", attribute: pose, model: physics}
variants:
  engine_sleep: {models: {physics: {parameters: {options: {sleep: true}}}}}
"""
FILE = "cluttered_floor.yaml"
"""Name of the scenario's file."""
_COLUMN_SPACING = 0.3
"""Distance between the columns of boxes [m]."""
_MAX_STACK = 3
_DENSITY = 60.0
_WHEEL_RADIUS, _TRACK = 0.06, 0.25
_SPEED, _TURN_SPEED = 0.4, 0.8


def write_cluttered_floor(
    folder: Path, boxes: int, seed: int = 0, legs: int = 4, ahead: float = 1.2
) -> Path:
    """Write world, motion and scenario into a folder, and return the path of the scenario.

    Args:
        folder: folder, created if missing.
        boxes: number of boxes.
        seed: seed of their positions.
        legs: number of times that the robot drives ahead and turns.
        ahead: length of a leg [m].
    """
    folder.mkdir(parents=True, exist_ok=True)
    floor = SdfModel(
        "floor", [SdfShape("floor", "plane", (60.0, 60.0))], (0, 0, 0), (0.5, 0.5, 0.52), 0.8
    )
    things = [floor, *_boxes(boxes, np.random.default_rng(seed))]
    (folder / "floor.sdf").write_text(world_sdf("floor", COMMENT, things), encoding="utf-8")
    (folder / "drive.yaml").write_text(_drive(legs, ahead), encoding="utf-8")
    file = folder / FILE
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def _boxes(count: int, random: np.random.Generator) -> list[SdfModel]:
    """Stack boxes up to three high, the nearest columns first, with free space around the robot."""
    side = int(np.ceil(np.sqrt(count))) + 4
    grid = np.arange(-side, side + 1) * _COLUMN_SPACING
    cells = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    distances = np.linalg.norm(cells, axis=1)
    cells = cells[np.argsort(distances, kind="stable")]
    cells = cells[np.linalg.norm(cells, axis=1) > 0.45]
    things: list[SdfModel] = []
    for x, y in cells.tolist():
        height = 0.0
        for _ in range(int(random.integers(1, _MAX_STACK + 1))):
            if len(things) == count:
                return things
            size = tuple(float(v) for v in random.uniform(0.1, 0.2, 3))
            at = (x + random.uniform(-0.02, 0.02), y + random.uniform(-0.02, 0.02))
            things.append(_box(f"box_{len(things):04d}", size, (*at, height + size[2] / 2 + 5e-4)))
            height += size[2] + 5e-4
    return things


def _box(name: str, size: tuple[float, ...], at: tuple[float, float, float]) -> SdfModel:
    mass = _DENSITY * float(np.prod(size))
    x, y, z = (mass / 12 * length**2 for length in size)
    shape = SdfShape("box", "box", size)
    return SdfModel(name, [shape], at, (0.72, 0.55, 0.36), 0.5, mass, (y + z, x + z, x + y))


def _drive(legs: int, ahead: float) -> str:
    """Return a motion of the wheels that repeats driving ahead and turning left."""
    angle, time, left, right = np.pi / 2, 0.5, 0.0, 0.0
    rows = [(time, left, right)]
    for _ in range(legs):
        time += ahead / _SPEED
        left, right = left + ahead / _WHEEL_RADIUS, right + ahead / _WHEEL_RADIUS
        rows.append((time, left, right))
        time += angle / _TURN_SPEED
        arc = angle * _TRACK / 2 / _WHEEL_RADIUS
        left, right = left - arc, right + arc
        rows.append((time, left, right))
    lines = ["joint_names: [left_wheel_joint, right_wheel_joint]", "points:"]
    lines += [
        f"  - {{positions: [{a:.6f}, {b:.6f}], time_from_start: {at:.6f}}}" for at, a, b in rows
    ]
    return "\n".join([*lines, ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write."""
    parser = argparse.ArgumentParser(description="Write the scenario cluttered_floor.")
    parser.add_argument("--boxes", type=int, default=300, help="number of boxes (default: 300)")
    parser.add_argument("--seed", type=int, default=0, help="seed of positions (default: 0)")
    parser.add_argument("--legs", type=int, default=4, help="legs of the robot's path (default: 4)")
    parser.add_argument("--out", type=Path, required=True, help="folder for its files")
    parsed = parser.parse_args(arguments)
    if parsed.boxes < 1 or parsed.seed < 0 or parsed.legs < 1:
        parser.error("--boxes and --legs must be above 0, --seed at least 0")
    print(write_cluttered_floor(parsed.out, parsed.boxes, parsed.seed, parsed.legs))


if __name__ == "__main__":
    main()
