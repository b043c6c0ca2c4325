"""Records the episode `handing_over`: one arm takes a bar from a table and hands it to another arm.

Each robot has a recording of its own. The robots' programs plan with the poses of the world file; in the stand-in's
world the bar is slightly displaced. Run as ``python -m hetwin_tables.handing_over --seed 1 --out DIR``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco as mj
import numpy as np

from hetwin_stand_ins.motion import Grip, Program
from hetwin_stand_ins.reaching import DOWN, ArmKinematics
from hetwin_stand_ins.sensing import Sensors
from hetwin_suite.episode import write_bag
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading
from hetwin_suite.runs import resource
from hetwin_tables import stand_in
from hetwin_tables.blocks import Block, find_block, read_blocks
from hetwin_tables.controller import CONTROL_PERIOD_S, Controller
from hetwin_tables.pick_and_place import (
    DRIVERS,
    HOME,
    OPENED_M,
    SQUEEZE_M,
    START_NS,
    place_at_home,
)

GIVER, TAKER = "left", "right"
BASES = {GIVER: (0.0, 0.0, 0.0), TAKER: (1.16, 0.0, np.pi)}
"""Poses of the robots' bases: x y [m] and yaw [rad]."""
GRASP_OFFSET = 0.08
"""Distance of the hands from the centre of the bar [m]."""
MEETING = np.array([0.58, 0.0, 1.0])
"""Position of the bar's centre during the handover [m]."""
TRUTH_PERIOD_S = 0.05
_CONTROL_STEPS = round(CONTROL_PERIOD_S / stand_in.PERIOD_S)
_LAG_S = 0.0137
"""Delay of the second recorder's start [s]."""


@dataclass(frozen=True, slots=True)
class Episode:
    """Program and readings of each robot, and the true path of the bar: rows of time, position, quaternion wxyz."""

    programs: Mapping[str, Program]
    readings: Mapping[str, list[Reading]]
    path: list[list[float]]


def plan(reachers: Mapping[str, ArmKinematics], box: Block, tray: Block) -> dict[str, Program]:
    """Plan the programs of both robots with the believed poses of bar and tray."""
    half_turn = np.array([0.0, 0.0, 0.0, 1.0])  # rotation by pi about z, before DOWN
    programs = {
        GIVER: Program(reachers[GIVER], HOME),
        TAKER: Program(reachers[TAKER], HOME, quaternion=_quaternion_product(half_turn, DOWN)),
    }
    for program in programs.values():
        program.grip(OPENED_M)
        program.wait(0.5)
    grasp = box.center + np.array([-GRASP_OFFSET, 0.0, 0.01])
    offered_s = _plan_giver(programs[GIVER], grasp, MEETING + np.array([-GRASP_OFFSET, 0.0, 0.01]))
    _plan_taker(programs[TAKER], offered_s, tray, box)
    end = max(program.now for program in programs.values())
    for program in programs.values():
        program.wait(end - program.now + 0.4)
    return programs


def _plan_giver(program: Program, grasp: Floats, meeting: Floats) -> float:
    """Plan how the bar is taken from the table and offered; return the time when it can be taken [s]."""
    above = np.array([0.0, 0.0, 0.13])
    hand: dict[str, str] = {"hand": "left_gripper"}
    arguments = {**hand, "object": stand_in.OBJECT}
    with program.doing("reach", arguments):
        program.move_joints(program.reacher.solve(grasp + above, HOME, program.quaternion), 1.5)
        program.move_straight(grasp, 1.0)
        program.wait(0.1)
    with program.doing("move_hand", {**arguments, "goal": "closed"}):
        program.grip(SQUEEZE_M)
        program.wait(0.9)
    with program.doing("lift", arguments):
        program.move_straight(grasp + above, 1.0)
    with program.doing("move", arguments):
        program.move_straight(meeting, 1.4)
    offered_s = program.now
    program.wait(3.6)
    with program.doing("release", arguments), program.doing("move_hand", {**hand, "goal": "open"}):
        program.grip(OPENED_M)
        program.wait(0.6)
    with program.doing("retreat", hand):
        program.move_straight(meeting + above, 0.9)
        program.move_joints(HOME, 1.4)
    return offered_s


def _plan_taker(program: Program, offered_s: float, tray: Block, box: Block) -> None:
    """Plan how the bar is taken from the other hand and put on the tray."""
    offset = np.array([GRASP_OFFSET, 0.0, 0.01])
    above, meeting = np.array([0.0, 0.0, 0.13]), MEETING + offset
    target = np.array([*tray.center[:2], tray.top + box.size[2] / 2 + 0.001]) + offset
    hand: dict[str, str] = {"hand": "right_gripper"}
    arguments = {**hand, "object": stand_in.OBJECT}
    program.wait(offered_s - program.now)
    with program.doing("reach", arguments):
        program.move_joints(program.reacher.solve(meeting + above, HOME, program.quaternion), 1.4)
        program.move_straight(meeting, 0.9)
        program.wait(0.1)
    with program.doing("move_hand", {**arguments, "goal": "closed"}):
        program.grip(SQUEEZE_M)
        program.wait(0.9)
    program.wait(1.1)  # the other hand opens
    with program.doing("move", {**arguments, "target": tray.model}):
        program.move_straight(target + above, 1.6)
    with program.doing("lower", {**arguments, "target": tray.model}):
        program.move_straight(target, 1.0)
        program.wait(0.2)
    with program.doing("release", arguments), program.doing("move_hand", {**hand, "goal": "open"}):
        program.grip(OPENED_M)
        program.wait(0.7)
    with program.doing("retreat", hand):
        program.move_straight(target + above, 0.8)
        program.move_joints(HOME, 1.4)


def _quaternion_product(first: Floats, second: Floats) -> Floats:
    """Return the product of two quaternions w, x, y, z."""
    product = np.zeros(4)
    mj.mju_mulQuat(product, first, second)
    return product


def build(blocks: tuple[Block, ...], bar: stand_in.TruePose) -> mj.MjModel:
    """Compile the real world with both robots; their names begin with ``left/`` and ``right/``."""
    spec = stand_in.surroundings(blocks, {stand_in.OBJECT: bar})
    for name, (x, y, yaw) in BASES.items():
        frame = spec.worldbody.add_frame(
            pos=[x, y, 0], quat=[np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        )
        spec.attach(stand_in.robot_with_motors(), prefix=f"{name}/", frame=frame)
    return spec.compile()


def simulate(seed: int) -> Episode:
    """Execute both programs on the stand-in, and read the sensors."""
    blocks = read_blocks(resource("worlds", "two_arms.sdf"))
    box, tray = find_block(blocks, stand_in.OBJECT), find_block(blocks, "tray")
    random = np.random.default_rng([seed, 0])
    offset = np.array([*random.uniform(-0.002, 0.002, 2), 0.0])
    model = build(blocks, stand_in.TruePose(box.center + offset, random.uniform(-0.015, 0.015)))
    data = mj.MjData(model)
    programs = plan({name: _reacher(model, name) for name in BASES}, box, tray)
    controllers = {
        name: Controller(model, program.set_points(), program.gripper, Grip(), f"{name}/")
        for name, program in programs.items()
    }
    motors = {name: _motors(model, name) for name in BASES}
    sensors = {
        name: Sensors(model, DRIVERS, np.random.default_rng([seed, 1, i]), prefix=f"{name}/")
        for i, name in enumerate(BASES)
    }
    for name in BASES:
        place_at_home(data, f"{name}/")
    mj.mj_forward(model, data)
    body, truth_steps = model.body(stand_in.OBJECT).id, round(TRUTH_PERIOD_S / stand_in.PERIOD_S)
    path: list[list[float]] = []
    for step in range(round(programs[TAKER].now / stand_in.PERIOD_S) + 1):
        if step % _CONTROL_STEPS == 0:
            for name, controller in controllers.items():
                data.ctrl[motors[name]] = controller.forces(data)
        if step % truth_steps == 0:
            numbers = (data.time, *data.xpos[body], *data.xquat[body])
            path.append([round(float(v), 6) for v in numbers])
        for robot_sensors in sensors.values():
            robot_sensors.sample(step, data)
        mj.mj_step(model, data)
    return Episode(
        programs, {name: robot_sensors.readings for name, robot_sensors in sensors.items()}, path
    )


def _reacher(model: mj.MjModel, name: str) -> ArmKinematics:
    joints = tuple(f"{name}/{joint}" for joint in stand_in.ARM_JOINTS)
    return ArmKinematics(model, joints, f"{name}/{stand_in.HAND_LINK}", stand_in.GRASP_OFFSET)


def _motors(model: mj.MjModel, name: str) -> list[int]:
    joints = (*stand_in.ARM_JOINTS, *stand_in.FINGER_JOINTS)
    return [model.actuator(f"{name}/{joint}").id for joint in joints]


def record(seed: int, out: Path) -> None:
    """Simulate, and write a folder with the bags ``left`` and ``right`` and ``truth.json``.

    Args:
        seed: seed of all random numbers.
        out: path of the folder; must not exist.
    """
    episode = simulate(seed)
    out.mkdir(parents=True)
    for i, name in enumerate(BASES):
        write_bag(
            out / name,
            START_NS,
            [reading for reading in episode.readings[name] if reading.time >= i * _LAG_S],
            episode.programs[name].announcements,
            np.random.default_rng([seed, 2, i]),
            namespace=name,
        )
    truth = {
        "start_ns": START_NS,
        "object": stand_in.OBJECT,
        "columns": ["time", "x", "y", "z", "qw", "qx", "qy", "qz"],
        "path": episode.path,
    }
    (out / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and record."""
    parser = argparse.ArgumentParser(description="Record the episode handing_over.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the folder; must not exist")
    offered_s = parser.parse_args(arguments)
    record(offered_s.seed, offered_s.out)


if __name__ == "__main__":
    main()
