"""Records an arm that closes its gripper without an object, and tilts its wrist; for `hetwin calibrate hand`.

Run as ``python -m hetwin_tables.empty_closings --seed 1 --out DIR``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import mujoco as mj
import numpy as np

from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.reaching import ArmKinematics
from hetwin_stand_ins.sensing import Sensors
from hetwin_stand_ins.signals import Wrist
from hetwin_suite.episode import known_types, write_bag
from hetwin_suite.runs import resource
from hetwin_tables import stand_in
from hetwin_tables.blocks import find_block, read_blocks
from hetwin_tables.controller import Controller
from hetwin_tables.executing import execute
from hetwin_tables.pick_and_place import (
    DRIVERS,
    HOME,
    OPENED_M,
    SQUEEZE_M,
    START_NS,
    place_at_home,
)

CLOSINGS = 3
TILT = np.array([0.0, 0.0, 0.0, 0.0, -0.6, 0.0])
"""Displacement of the joints that tilts the wrist [rad]."""
_WRIST_PERIOD_STEPS = 40
"""Steps of the physics between two samples of the wrist: 50 Hz."""


def plan(reacher: ArmKinematics) -> Program:
    """Plan closings far from any object, and a tilt of the wrist."""
    program, hand = Program(reacher, HOME), {"hand": "gripper"}
    program.grip(OPENED_M)
    program.wait(0.6)
    for _ in range(CLOSINGS):
        with program.doing("move_hand", {**hand, "goal": "closed"}):
            program.grip(SQUEEZE_M)
            program.wait(1.4)
        with program.doing("move_hand", {**hand, "goal": "open"}):
            program.grip(OPENED_M)
            program.wait(1.2)
    for tilted in (HOME + TILT, HOME):
        program.move_joints(tilted, 1.0)
        program.wait(0.5)
    return program


def record(seed: int, out: Path) -> None:
    """Simulate and write the bag `out`, which must not exist."""
    random = np.random.default_rng([seed, 2])
    blocks = read_blocks(resource("worlds", "tabletop.sdf"))
    box = find_block(blocks, stand_in.OBJECT)
    model = stand_in.build(blocks, {stand_in.OBJECT: stand_in.TruePose(box.center, 0.0)})
    data = mj.MjData(model)
    program = plan(
        ArmKinematics(model, stand_in.ARM_JOINTS, stand_in.HAND_LINK, stand_in.GRASP_OFFSET)
    )
    controller = Controller(model, program.set_points(), program.gripper, Grip())
    sensors = Sensors(model, DRIVERS, random)
    wrist = Wrist(model, stand_in.HAND_LINK, random, _WRIST_PERIOD_STEPS)
    place_at_home(data)
    mj.mj_forward(model, data)

    def sample_wrist() -> None:
        wrist.sample(round(data.time / stand_in.PERIOD_S), data)

    period_s = _WRIST_PERIOD_STEPS * stand_in.PERIOD_S
    execute(model, data, program, controller, sensors, sample_wrist, period_s)
    write_bag(
        out,
        START_NS,
        sensors.readings,
        program.announcements,
        random,
        also=wrist.messages(START_NS),
        types=known_types(),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(
        description="Record an arm that closes its gripper without an object."
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the bag; must not exist")
    parsed = parser.parse_args(arguments)
    record(parsed.seed, parsed.out)


if __name__ == "__main__":
    main()
