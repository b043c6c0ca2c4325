"""Records the episode `pick_and_place`: an arm takes a box from a table and puts it on a tray.

The robot's program plans with the poses of the world file; in the stand-in's world the box is slightly
displaced. Run as ``python -m hetwin_tables.pick_and_place --seed 1 --out DIR``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import mujoco as mj
import numpy as np

from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_stand_ins.sensing import Driver, Sensors
from hetwin_suite.episode import write_bag
from hetwin_suite.robot import Reading
from hetwin_suite.runs import resource
from hetwin_tables import stand_in
from hetwin_tables.blocks import Block, find_block, read_blocks
from hetwin_tables.box_path import PathRecorder, Sample, event_times
from hetwin_tables.controller import Controller
from hetwin_tables.executing import execute

START_NS = 1_789_374_612_480_000_000
"""Stamp of the first reading: 14 September 2026, 08:30:12.48 UTC."""
HOME = np.array([0.0, -0.1, 1.6, 0.0, np.pi - 1.5, 0.0])
OPENED_M = 0.04
SQUEEZE_M = -0.01
"""Goal of the closing fingers, beyond contact with each other, so that they press."""
TRUTH_PERIOD_S = 0.05
_SAMPLE_PERIOD_S = 4 * stand_in.PERIOD_S

DRIVERS = (
    Driver(stand_in.ARM_JOINTS, 20, 0, 2e-4, 2 * np.pi / 2**17, 2e-3, 0.05, 0.01),
    Driver(stand_in.FINGER_JOINTS, 40, 6, 3e-5, 1e-5, 5e-4, 0.15, 0.05),
)


@dataclass(frozen=True, slots=True)
class Variant:
    """The parameters of a variant of the episode.

    Attributes:
        seed: seed of all random numbers.
        grip: force and timing of the gripper.
        box_offset: (3,) offset of the box's true position, unknown to the program [m].
    """

    seed: int = 1
    grip: Grip = field(default_factory=Grip)
    box_offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


WEAK = Grip(force=5.0, fading=2.4)
"""Holds the box at first; during the lift the force decays below the one needed for its weight."""


@dataclass(frozen=True, slots=True)
class Episode:
    """The program, the sensor readings, and the true path of the box."""

    program: Program
    readings: list[Reading]
    samples: list[Sample]


def plan(reacher: ArmKinematics, box: Block, tray: Block) -> Program:
    """Plan the robot's program with the believed poses of box and tray."""
    grasp = box.center + np.array([0.0, 0.0, 0.015])
    target = np.array([*tray.center[:2], grasp[2] + tray.top - (box.top - box.size[2]) + 0.001])
    above, carry = [0.0, 0.0, 0.13], [0.0, 0.0, 0.08]
    lifted = np.array([*grasp[:2], target[2] + carry[2]])
    hand: dict[str, str] = {"hand": "gripper"}
    arguments = {**hand, "object": box.model}
    program = Program(reacher, HOME)
    program.grip(OPENED_M)
    program.wait(0.6)
    with program.doing("reach", arguments):
        program.move_joints(reacher.solve(grasp + above, HOME), 1.8)
        program.move_straight(grasp, 1.2)
        program.wait(0.1)
    with program.doing("move_hand", {**arguments, "goal": "closed"}):
        program.grip(SQUEEZE_M)
        program.wait(1.0)
    with program.doing("lift", arguments):
        program.move_straight(lifted, 1.3)
    with program.doing("move", {**arguments, "target": tray.model}):
        program.move_straight(target + carry, 1.8)
    with program.doing("lower", {**arguments, "target": tray.model}):
        program.move_straight(target, 1.0)
        program.wait(0.2)
    with program.doing("release", arguments), program.doing("move_hand", {**hand, "goal": "open"}):
        program.grip(OPENED_M)
        program.wait(0.8)
    with program.doing("retreat", hand):
        program.move_straight(target + above, 0.9)
        program.move_joints(HOME, 1.6)
    program.wait(0.5)
    return program


def simulate(variant: Variant, world: Path) -> Episode:
    """Execute the program on the stand-in, and read its sensors."""
    blocks = read_blocks(world)
    box, tray = find_block(blocks, stand_in.OBJECT), find_block(blocks, "tray")
    random = np.random.default_rng([variant.seed, 0])
    real = {stand_in.OBJECT: _true_pose(box, variant, random)}
    model = stand_in.build(blocks, real)
    data = mj.MjData(model)
    reacher = ArmKinematics(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)
    program = plan(reacher, box, tray)
    controller = Controller(model, program.set_points(), program.gripper, variant.grip)
    recorder, sensors = PathRecorder(model, box.size / 2), Sensors(model, DRIVERS, random)
    place_at_home(data)
    mj.mj_forward(model, data)
    execute(
        model, data, program, controller, sensors, lambda: recorder.observe(data), _SAMPLE_PERIOD_S
    )
    return Episode(program, sensors.readings, recorder.samples)


def record(variant: Variant, out: Path, truth: Path, world: Path | None = None) -> None:
    """Simulate and write the bag `out` (must not exist) and the truth file `truth`.

    Args:
        variant: variant of the episode.
        out: path of the bag.
        truth: path of the file.
        world: world that the robot believes in; None: hetwin's tabletop.
    """
    world = world or resource("worlds", "tabletop.sdf")
    episode = simulate(variant, world)
    random = np.random.default_rng([variant.seed, 1])
    write_bag(
        out,
        START_NS,
        episode.readings,
        episode.program.announcements,
        random,
    )
    truth.write_text(json.dumps(_truth(episode, read_blocks(world)), indent=1) + "\n")


def _true_pose(box: Block, variant: Variant, random: np.random.Generator) -> stand_in.TruePose:
    """Draw the box's true pose, two to three millimetres and about one degree off the believed one."""
    direction = random.uniform(0.0, 2 * np.pi)
    distance = random.uniform(0.002, 0.003)
    yaw = random.choice([-1.0, 1.0]) * random.uniform(0.8, 1.2) * np.pi / 180
    offset = distance * np.array([np.cos(direction), np.sin(direction), 0.0])
    return stand_in.TruePose(box.center + offset + variant.box_offset, float(yaw))


def place_at_home(data: mj.MjData, prefix: str = "") -> None:
    """Set an arm to the start of its program, with the gripper open; `prefix` is the prefix of its names."""
    for name, position in zip(stand_in.ARM_JOINTS, HOME, strict=True):
        data.joint(prefix + name).qpos[0] = position
    for name in stand_in.FINGER_JOINTS:
        data.joint(prefix + name).qpos[0] = OPENED_M


def _truth(episode: Episode, blocks: tuple[Block, ...]) -> dict[str, object]:
    samples = episode.samples
    stride = round(TRUTH_PERIOD_S / _SAMPLE_PERIOD_S)
    return {
        "start_ns": START_NS,
        "object": stand_in.OBJECT,
        "events": event_times(samples, find_block(blocks, "table"), find_block(blocks, "tray")),
        "columns": ["time", "x", "y", "z", "qw", "qx", "qy", "qz", "left_n", "right_n"],
        "path": [
            [round(float(v), 6) for v in (s.time, *s.pose, s.left, s.right)]
            for s in samples[::stride]
        ],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description="Record the episode pick_and_place.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="path of the bag; must not exist")
    parser.add_argument("--truth", type=Path, help="default: OUT with _truth.json at its end")
    parser.add_argument("--grasp", choices=["close", "open"], default="close")
    parser.add_argument("--weak", action="store_true", help="the gripper's force fades")
    parser.add_argument("--box-offset", default="0,0,0", help="x,y,z in metres")
    parsed = parser.parse_args(arguments)
    grip = WEAK if parsed.weak else Grip(stuck=parsed.grasp == "open")
    x, y, z = (float(part) for part in parsed.box_offset.split(","))
    out: Path = parsed.out
    truth = parsed.truth or out.with_name(f"{out.name}_truth.json")
    record(Variant(parsed.seed, grip, (x, y, z)), out, truth)


if __name__ == "__main__":
    main()
